//! Whoever only knows our name, and forges a source address, is not believed to be there.
use crate::bounds::spoofed;
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_wire::{
    AckNack, EntityId, Header, Heartbeat, SequenceNumber, SequenceNumberSet, Submessage,
};

const GHOST: usize = 100;
const VICTIM: usize = 50;

/// What the ghost says to participant 0 by name.
fn addressed(message: &Submessage<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header::new(prefix(GHOST)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(0)).encode(&mut bytes);
    message.encode(&mut bytes);
    bytes
}

fn heartbeat(count: u32) -> Submessage<'static> {
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(0),
        count,
        is_final: false,
        liveliness: false,
        group: None,
    })
}

fn ack_nack(base: i64, count: u32) -> Submessage<'static> {
    Submessage::AckNack(AckNack {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        state: SequenceNumberSet::new(SequenceNumber(base)),
        count,
        is_final: false,
    })
}

/// Says all that somebody can say who does not get what is sent to the victim; returns the bytes.
fn attack(network: &mut Network) -> usize {
    let mut said = 0;
    let from = locator(VICTIM);
    let mut say = |network: &mut Network, bytes: Vec<u8>| {
        said += bytes.len();
        network.inject_from(1, from, 0, bytes);
        network.run(SECOND);
    };
    for count in 1..20 {
        say(network, spoofed(GHOST, VICTIM));
        say(network, addressed(&heartbeat(count)));
        say(network, addressed(&ack_nack(i64::from(count), count)));
    }
    said
}

fn is_believed(network: &Network) -> bool {
    let mut met = network.nodes[0].discovery.whereabouts();
    met.any(|(p, _)| p.guid.prefix == prefix(GHOST))
}

#[test]
fn a_forged_address_draws_three_times_what_came_whatever_is_said() {
    let mut network = Network::proving();
    (0..2).for_each(|_| {
        network.join(|_| {});
    });
    for i in 0..100 {
        network.writer(0, |w| w.topic = format!("topic {i}"));
    }
    network.run(SECOND);
    let said = attack(&mut network);
    assert!(!is_believed(&network));
    let drawn = network.sent_to(locator(VICTIM));
    assert!(drawn > 0 && drawn <= 3 * said, "{drawn} bytes by {said}");
}

#[test]
fn of_others_it_is_told_nothing() {
    let mut network = Network::proving();
    network.join_peers(&[]);
    (0..20).for_each(|_| {
        network.join_peers(&[0]);
    });
    network.run(5 * SECOND);
    let said = attack(&mut network);
    assert!(!is_believed(&network));
    let drawn = network.sent_to(locator(VICTIM));
    assert!(drawn <= 3 * said, "{drawn} bytes by {said}");
}

#[test]
fn participants_prove_where_they_are_in_a_few_milliseconds() {
    let mut network = Network::proving();
    let indices: Vec<_> = (0..20).map(|_| network.join(|_| {})).collect();
    let ends: Vec<_> = indices
        .iter()
        .map(|i| (network.writer(*i, |_| {}), network.reader(*i, |_| {})))
        .collect();
    network.run(5 * MS);
    for (i, (writer, reader)) in indices.iter().zip(&ends) {
        assert_eq!(network.nodes[*i].matched(*writer).len(), 20);
        assert_eq!(network.nodes[*i].matched(*reader).len(), 20);
    }
    network.run(5 * SECOND);
    let before = network.datagrams;
    network.run(30 * SECOND);
    let announcements = 20 * 19 * 10;
    let said = network.datagrams - before;
    assert!(said <= announcements + 20 * 19, "{said} datagrams");
}

#[test]
fn they_do_so_however_much_is_lost_and_are_found_again() {
    let mut network = Network::proving();
    network.loss = 30;
    (0..4).for_each(|_| {
        network.join(|_| {});
    });
    let writer = network.writer(0, |_| {});
    let readers: Vec<_> = (1..4).map(|i| network.reader(i, |_| {})).collect();
    network.run(20 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers);
    network.nodes[1].cut_off = true;
    network.run(60 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers[1..]);
    network.nodes[1].cut_off = false;
    network.run(20 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers);
    let late = network.writer(1, |_| {});
    network.reader(0, |_| {});
    network.run(20 * SECOND);
    assert!(network.nodes[1].matched(late).len() == 4);
}

#[test]
fn they_do_so_where_there_is_no_multicast_and_behind_address_translators() {
    let mut network = Network::proving();
    network.join_peers(&[]);
    for index in 1..8 {
        network.join_peers(&[index - 1]);
    }
    network.run(20 * SECOND);
    for node in &network.nodes {
        assert_eq!(node.discovery.whereabouts().count(), 7);
    }
    let mut network = Network::proving();
    network.join(|_| {});
    let caller = network.join(|config| {
        config.metatraffic_unicast = vec![locator(VICTIM)];
        config.default_unicast = vec![locator(VICTIM)];
    });
    network.nodes[caller].seems = Some(locator(60));
    let writer = network.writer(0, |_| {});
    let reader = network.reader(caller, |_| {});
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[caller].matched(reader), [writer]);
}
