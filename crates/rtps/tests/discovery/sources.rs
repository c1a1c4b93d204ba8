//! Who may speak for a participant: somebody on another host, with an address of its own, may not.
use crate::bounds::{datagram, farewell};
use crate::network::{MS, Network, SECOND, locator, prefix};
use bytes::BytesMut;
use dunlin_qos::{Duration, LivelinessKind};
use dunlin_rtps::discovery::Source;
use dunlin_wire::{
    EntityId, Header, InlineQos, Locator, ParticipantMessage, Payload, ProtocolVersion, Submessage,
    VendorId,
};

fn source(index: usize, from: Locator, called: bool) -> Source {
    Source {
        prefix: prefix(index),
        vendor: VendorId::DUNLIN,
        version: ProtocolVersion::CURRENT,
        multicast: false,
        from,
        called,
        addressed: false,
    }
}

#[test]
fn messages_come_from_the_addresses_of_their_participant() {
    let mut network = Network::of(3);
    let second = Locator::udp_v4([10, 9, 0, 1].into(), 7411);
    network.writer(0, |_| {});
    network.reader(1, |reader| reader.unicast = vec![second]);
    network.run(SECOND);
    let addresses = network.nodes[0].discovery.source_addresses(prefix(1));
    let from = |locator| addresses.contain(&source(1, locator, false));
    let at = |locator: Locator, port| Locator { port, ..locator };
    // Any of its sockets, an address of one of its endpoints, and this host.
    for own in [
        locator(1),
        at(locator(1), 999),
        at(second, 5),
        locator(0),
        Locator::udp_v4([127, 0, 0, 1].into(), 9),
    ] {
        assert!(from(own), "{own:?}");
    }
    assert!(!from(locator(2)));
    assert!(!from(Locator {
        kind: Locator::KIND_TCP_V4,
        ..locator(1)
    }));
    assert!(!addresses.contain(&source(1, locator(2), true)));
    // Nobody makes a connection from an address of somebody else.
    let by_connection = |last| Locator::tcp_v4([10, 9, 0, last].into(), 40_000);
    assert!(from(by_connection(1)) && !from(by_connection(2)));
    // Of one that has not answered nothing is known.
    let unknown = network.nodes[0].discovery.source_addresses(prefix(9));
    assert!(!unknown.contain(&source(9, locator(9), false)));
}

#[test]
fn an_address_that_is_announced_later_is_one_of_its_own() {
    let mut network = Network::of(2);
    network.run(SECOND);
    let second = Locator::udp_v4([10, 9, 0, 1].into(), 7411);
    let may = |network: &Network| {
        let addresses = network.nodes[0].discovery.source_addresses(prefix(1));
        addresses.contain(&source(1, second, false))
    };
    assert!(!may(&network));
    network.reader(1, |reader| reader.unicast = vec![second]);
    network.run(SECOND);
    assert!(may(&network));
}

/// In the name of participant `from`, to participant 0 by name.
fn addressed(from: usize, bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    Header::new(prefix(from)).encode(&mut all);
    Submessage::InfoDestination(prefix(0)).encode(&mut all);
    all.extend_from_slice(bytes.get(20..).unwrap_or_default());
    all
}

#[test]
fn another_host_does_not_withdraw_a_participant_or_its_endpoints() {
    let mut network = Network::of(3);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    let mut inline = BytesMut::new();
    InlineQos {
        key_hash: Some(reader.to_bytes()),
        status_info: Some(3),
        ..InlineQos::default()
    }
    .encode(&mut inline);
    let sedp = EntityId::SEDP_SUBSCRIPTIONS_WRITER;
    for sequence in 1..10 {
        let dispose = datagram(1, sedp, sequence, &inline, Payload::None);
        network.inject(2, 0, addressed(1, &dispose));
    }
    network.inject(2, 0, addressed(1, &farewell(1)));
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[0].discovery.heard().misplaced, 10);
}

#[test]
fn another_host_does_not_keep_a_silent_writer_alive() {
    let mut network = Network::of(3);
    network.reader(0, |reader| {
        reader.qos.liveliness.kind = LivelinessKind::ManualByParticipant;
        reader.qos.liveliness.lease_duration = Duration::from_millis(500);
    });
    let writer = network.writer(1, |writer| {
        writer.qos.liveliness.kind = LivelinessKind::ManualByParticipant;
        writer.qos.liveliness.lease_duration = Duration::from_millis(500);
    });
    network.run(100 * MS);
    let message = ParticipantMessage {
        prefix: prefix(1),
        kind: ParticipantMessage::MANUAL_BY_PARTICIPANT,
        data: &[],
    };
    let payload = message.encode();
    for sequence in 1..20 {
        let asserted = datagram(
            1,
            EntityId::PARTICIPANT_MESSAGE_WRITER,
            sequence,
            &[],
            Payload::Data(&payload),
        );
        network.inject(2, 0, addressed(1, &asserted));
        network.run(100 * MS);
    }
    assert!(!network.nodes[0].discovery.is_alive(writer));
    assert_eq!(network.nodes[0].discovery.heard().misplaced, 19);
}
