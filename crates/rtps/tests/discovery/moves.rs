//! Participants whose address changes while they run.
use crate::bounds::datagram;
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_rtps::discovery::Event;
use dunlin_wire::{EntityId, Header, Locator, ParticipantData, Payload, Submessage};

fn place(network: &Network, of: usize, by: usize) -> Vec<Locator> {
    let discovery = &network.nodes[by].discovery;
    discovery.metatraffic_locators(prefix(of)).0.to_vec()
}

/// An announcement in somebody's name that says to be at `at`, and names participant 0.
fn announcement(of: usize, at: Locator) -> Vec<u8> {
    let mut data = ParticipantData::new(prefix(of));
    data.domain = Some(0);
    data.metatraffic_unicast = vec![at];
    data.default_unicast = vec![at];
    let payload = data.encode().unwrap();
    let told = datagram(of, EntityId::SPDP_WRITER, 50, &[], Payload::Data(&payload));
    let mut named = Vec::new();
    Header::new(prefix(of)).encode(&mut named);
    let header = named.len();
    Submessage::InfoDestination(prefix(0)).encode(&mut named);
    named.extend_from_slice(&told[header..]);
    named
}

/// True if anybody has lost anybody.
fn has_lost(network: &Network) -> bool {
    let is_loss = |event: &Event| {
        matches!(
            event,
            Event::ReaderUnmatched { .. }
                | Event::WriterUnmatched { .. }
                | Event::ParticipantLost { .. }
        )
    };
    network
        .nodes
        .iter()
        .any(|node| node.events.iter().any(is_loss))
}

#[test]
fn one_that_moves_is_followed_within_seconds_and_stays_matched() {
    for (loss, peers) in [(0, false), (30, false), (0, true)] {
        let mut network = Network::with_seed(7);
        for index in 0..3 {
            let others: Vec<usize> = (0..3).filter(|other| *other != index).collect();
            match peers {
                true => network.join_peers(&others),
                false => network.join(|_| {}),
            };
        }
        let writer = network.writer(0, |_| {});
        let reader = network.reader(1, |_| {});
        network.run(5 * SECOND);
        network.loss = loss;
        network.relocate(1, locator(77));
        network.run(4 * SECOND);
        for index in [0, 2] {
            assert_eq!(place(&network, 1, index), [locator(77)], "{index} {loss}");
        }
        assert!(!has_lost(&network), "{loss} {peers}");
        assert_eq!(network.nodes[0].matched(writer), [reader]);
        // What comes from there is taken, and what it is told is told there.
        let later = network.reader(1, |_| {});
        network.run(5 * SECOND);
        assert_eq!(network.nodes[0].matched(writer), [reader, later]);
    }
}

#[test]
fn it_may_come_back_and_both_may_move_at_once() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    for at in [77, 1, 78] {
        network.relocate(1, locator(at));
        network.run(4 * SECOND);
        assert_eq!(place(&network, 1, 0), [locator(at)]);
    }
    network.relocate(0, locator(90));
    network.relocate(1, locator(91));
    network.run(5 * SECOND);
    assert_eq!(place(&network, 1, 0), [locator(91)]);
    assert_eq!(place(&network, 0, 1), [locator(90)]);
    assert!(!has_lost(&network));
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn both_may_move_at_once_where_nobody_knows_what_came_by_multicast() {
    let mut network = Network::of(2);
    network.blurs_multicast = true;
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.relocate(0, locator(90));
    network.run(SECOND);
    network.relocate(1, locator(91));
    network.run(5 * SECOND);
    assert_eq!(place(&network, 1, 0), [locator(91)]);
    assert_eq!(place(&network, 0, 1), [locator(90)]);
    assert!(!has_lost(&network));
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn nobody_moves_a_participant_that_is_heard_where_it_is() {
    let mut network = Network::of(3);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    for _ in 0..200 {
        network.inject(2, 0, announcement(1, locator(2)));
        network.run(50 * MS);
    }
    assert_eq!(place(&network, 1, 0), [locator(1)]);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn nobody_is_believed_to_be_where_its_announcement_does_not_come_from() {
    let mut network = Network::of(3);
    network.run(5 * SECOND);
    network.kill(1);
    for _ in 0..60 {
        // It says to be at 50, and one that does not know our name says to be at 2.
        network.inject(2, 0, announcement(1, locator(50)));
        let unnamed = announcement(1, locator(2));
        let mut header = Vec::new();
        Header::new(prefix(1)).encode(&mut header);
        let mut named = header.clone();
        Submessage::InfoDestination(prefix(0)).encode(&mut named);
        header.extend_from_slice(&unnamed[named.len()..]);
        network.inject(2, 0, header);
        network.run(50 * MS);
    }
    assert_eq!(place(&network, 1, 0), [locator(1)]);
    assert_eq!(network.sent_to(locator(50)), 0);
}

#[test]
fn one_that_stood_still_takes_nobody_for_silent() {
    let mut network = Network::of(3);
    network.run(5 * SECOND);
    network.inject(2, 0, announcement(1, locator(2)));
    network.stop(&[0], 3 * SECOND);
    network.inject(2, 0, announcement(1, locator(2)));
    network.run(SECOND);
    assert_eq!(place(&network, 1, 0), [locator(1)]);
}
