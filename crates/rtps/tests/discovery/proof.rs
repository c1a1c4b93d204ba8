//! Whoever only knows our name, and forges a source address, is not believed to be there.
use crate::bounds::spoofed;
use crate::network::{Network, SECOND, locator, prefix};
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
    let mut network = Network::of(2);
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
    let mut network = Network::new();
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
