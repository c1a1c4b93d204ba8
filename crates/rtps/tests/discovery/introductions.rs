//! Participants without multicast learn of each other through those that they have in common.
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_rtps::discovery::Event;
use dunlin_wire::{
    Data, EntityId, GossipedParticipant, Header, Heartbeat, Locator, Parameters, Payload,
    SequenceNumber, Submessage,
};
use std::collections::BTreeSet;

/// The participants that one knows.
fn known(network: &Network, index: usize) -> BTreeSet<usize> {
    let known = network.nodes[index].discovery.participants();
    let index = |p: &dunlin_wire::ParticipantData| usize::from(p.guid.prefix.0[11]);
    known.map(index).collect()
}

fn all_but(index: usize, count: usize) -> BTreeSet<usize> {
    (0..count).filter(|other| *other != index).collect()
}

#[test]
fn two_that_know_a_third_find_each_other() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.join_peers(&[0]);
    let writer = network.writer(1, |_| {});
    let reader = network.reader(2, |_| {});
    network.run(SECOND);
    assert_eq!(network.nodes[1].matched(writer), [reader]);
    assert_eq!(network.nodes[2].matched(reader), [writer]);
    network.run(2 * SECOND);
    let before = network.datagrams;
    network.run(30 * SECOND);
    // Each to its peers, and to each of the others alone.
    let announcements = 3 * 2 * 10 + 2 * 10;
    let said = network.datagrams - before;
    assert!(said <= announcements + 20, "{said} datagrams");
    assert_eq!(network.astray(), (0, 0));
}

#[test]
fn one_that_names_two_introduces_them() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[]);
    network.join_peers(&[0, 1]);
    network.run(2 * SECOND);
    for index in 0..3 {
        assert_eq!(known(&network, index), all_but(index, 3));
    }
}

#[test]
fn introductions_go_along_a_chain() {
    let mut network = Network::new();
    network.loss = 20;
    network.join_peers(&[]);
    for index in 1..8 {
        network.join_peers(&[index - 1]);
    }
    network.run(20 * SECOND);
    for index in 0..8 {
        assert_eq!(known(&network, index), all_but(index, 8));
    }
}

#[test]
fn a_hundred_with_one_in_common_find_each_other_soon_and_fall_silent() {
    const COUNT: usize = 100;
    let mut network = Network::new();
    network.join_peers(&[]);
    for _ in 1..COUNT {
        network.join_peers(&[0]);
    }
    network.run(5 * SECOND);
    for index in 0..COUNT {
        assert_eq!(known(&network, index).len(), COUNT - 1, "{index}");
    }
    network.run(10 * SECOND);
    let before = network.datagrams;
    network.run(30 * SECOND);
    let announcements = COUNT * COUNT * 10;
    let said = network.datagrams - before;
    assert!(
        said <= announcements + announcements / 5,
        "{said} datagrams, {announcements} announcements"
    );
}

#[test]
fn hosts_may_come_later() {
    let mut network = Network::new();
    network.join_peers(&[1, 2]);
    network.run(20 * SECOND);
    network.join_peers(&[]);
    network.run(4 * SECOND);
    assert_eq!(known(&network, 0), [1].into());
    network.run(60 * SECOND);
    network.join_peers(&[]);
    network.run(4 * SECOND);
    for index in 0..3 {
        assert_eq!(known(&network, index), all_but(index, 3));
    }
}

#[test]
fn one_that_returns_elsewhere_is_found_there() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.join_peers(&[0]);
    network.run(SECOND);
    network.kill(1);
    network.join_peers(&[0]);
    network.run(15 * SECOND);
    assert_eq!(known(&network, 0), [2, 3].into());
    assert_eq!(known(&network, 2), [0, 3].into());
    assert_eq!(known(&network, 3), [0, 2].into());
}

#[test]
fn one_that_changes_its_address_is_found_there() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.join_peers(&[0]);
    let writer = network.writer(2, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.relocate(1, locator(77));
    network.run(60 * SECOND);
    for index in [0, 2] {
        let (unicast, _) = network.nodes[index]
            .discovery
            .metatraffic_locators(prefix(1));
        assert_eq!(unicast, [locator(77)], "{index}");
    }
    assert_eq!(network.nodes[2].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

#[test]
fn who_lost_each_other_for_long_meet_again_through_the_third() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.join_peers(&[0]);
    network.run(2 * SECOND);
    network.severed.push((1, 2));
    network.run(1000 * SECOND);
    assert_eq!(known(&network, 1), [0].into());
    network.severed.clear();
    network.run(70 * SECOND);
    assert_eq!(known(&network, 1), [0, 2].into());
    assert_eq!(known(&network, 2), [0, 1].into());
}

#[test]
fn one_that_has_gone_is_introduced_to_nobody() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.run(2 * SECOND);
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(2 * SECOND);
    network.join_peers(&[0]);
    network.run(2 * SECOND);
    assert_eq!(known(&network, 2), [0].into());
    let (unicast, _) = network.nodes[2].discovery.metatraffic_locators(prefix(1));
    assert!(unicast.is_empty());
}

#[test]
fn with_multicast_nobody_is_introduced() {
    let mut network = Network::of(3);
    network.run(SECOND);
    let concerns = |e: &Event| matches!(e, Event::ParticipantLost { .. });
    assert!(!network.nodes.iter().any(|n| n.events.iter().any(concerns)));
    let told = introductions(9, 1, &[(60, locator(60))]);
    for bytes in told {
        network.inject(1, 0, bytes);
    }
    network.run(5 * SECOND);
    assert_eq!(
        network.astray(),
        (0, 0),
        "one that listens to a group takes no introductions"
    );
}

/// What a participant says to node 0 of others, in messages of its introductions writer.
fn introductions(first: i64, from: usize, told: &[(usize, Locator)]) -> Vec<Vec<u8>> {
    let mut datagrams = Vec::new();
    for (sequence, (index, place)) in (first..).zip(told) {
        let mut invented = prefix(*index);
        invented.0[0..2].copy_from_slice(&((*index >> 16) as u16).to_be_bytes());
        let said = GossipedParticipant {
            prefix: invented,
            teller: prefix(from),
            locators: vec![*place],
        };
        let payload = said.encode();
        let mut bytes = Vec::new();
        Header::new(prefix(from)).encode(&mut bytes);
        Submessage::InfoDestination(prefix(0)).encode(&mut bytes);
        Submessage::Data(Data {
            reader: EntityId::INTRODUCTIONS_READER,
            writer: EntityId::INTRODUCTIONS_WRITER,
            sequence: SequenceNumber(sequence),
            inline_qos: Parameters::NONE,
            payload: Payload::Data(&payload),
        })
        .encode(&mut bytes);
        datagrams.push(bytes);
    }
    let last = first + told.len() as i64 - 1;
    let mut bytes = Vec::new();
    Header::new(prefix(from)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(0)).encode(&mut bytes);
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::INTRODUCTIONS_READER,
        writer: EntityId::INTRODUCTIONS_WRITER,
        first: SequenceNumber(first),
        last: SequenceNumber(last),
        count: last as u32 + 1000,
        is_final: true,
        liveliness: false,
        group: None,
    })
    .encode(&mut bytes);
    datagrams.insert(0, bytes);
    datagrams
}

#[test]
fn invented_participants_draw_little() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.run(SECOND);
    let seconds = 100;
    let invented: Vec<_> = (1000..3000).map(|i| (i, locator(i))).collect();
    for bytes in introductions(100, 1, &invented) {
        network.inject(1, 0, bytes);
    }
    // The same again, each at another place, so that they seem new.
    for round in 1..seconds {
        let moved: Vec<_> = (1000..1500).map(|i| (i, locator(i + round))).collect();
        let first = 100 + 2000 + (round as i64 - 1) * 500;
        for bytes in introductions(first, 1, &moved) {
            network.inject(1, 0, bytes);
        }
        network.run(SECOND);
    }
    let (bytes, _) = network.astray();
    let most = (64 + 8 * seconds) * 500;
    assert!(bytes > 0 && bytes < most, "{bytes} bytes");
    // And an honest one is heard beside.
    network.join_peers(&[0]);
    network.join_peers(&[0]);
    network.run(5 * SECOND);
    assert!(known(&network, 2).contains(&3));
    assert_eq!(known(&network, 0), [1, 2, 3].into());
}

#[test]
fn one_that_tells_of_more_than_there_may_be_is_listened_to_no_more() {
    let mut network = Network::new();
    network.join_peers(&[]);
    network.join_peers(&[0]);
    network.run(SECOND);
    let invented: Vec<_> = (1000..6000).map(|i| (i, locator(i))).collect();
    for bytes in introductions(100, 1, &invented) {
        network.inject(1, 0, bytes);
    }
    network.run(60 * SECOND);
    assert_eq!(network.astray(), (0, 0));
    let nonsense: Vec<_> = (1..30).map(|i| (1000 + i, locator(0))).collect();
    let other = network.join_peers(&[0]);
    network.run(SECOND);
    let before = network.nodes[0].discovery.heard().malformed;
    for mut bytes in introductions(100, other, &nonsense) {
        // Another teller than the one that speaks.
        if let Some(at) = bytes.windows(2).position(|w| w == [0x5a, 0]) {
            bytes[at + 4 + 15] ^= 1;
        }
        network.inject(other, 0, bytes);
    }
    let heard = network.nodes[0].discovery.heard().malformed - before;
    assert!((10..=20).contains(&heard), "{heard}");
    assert_eq!(known(&network, 0), [1, 2].into());
}

#[test]
fn one_liar_does_not_keep_others_from_being_believed() {
    let mut network = Network::new();
    network.join_peers(&[1, 2]);
    network.join_peers(&[]);
    network.join_peers(&[]);
    network.run(SECOND);
    let invented: Vec<_> = (1000..2000).map(|i| (i, locator(i))).collect();
    for bytes in introductions(100, 1, &invented) {
        network.inject(1, 0, bytes);
    }
    network.run(30 * SECOND);
    // Nothing is left to spend, and 2 tells of one that does not call by itself.
    let honest = GossipedParticipant {
        prefix: prefix(200),
        teller: prefix(2),
        locators: vec![locator(200)],
    };
    let told = introductions(100, 2, &[(200, honest.locators[0])]);
    for bytes in told {
        network.inject(2, 0, bytes);
    }
    network.run(300 * MS);
    assert!(network.sent_to(locator(200)) > 0);
}
