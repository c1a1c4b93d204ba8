//! Who gets the room for participants and endpoints when it is short.
use crate::network::{Network, SECOND, prefix};
use bytes::Bytes;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Source};
use dunlin_rtps::{Outbox, Time, To};
use dunlin_wire::{
    Data, EntityId, Locator, Parameters, ParticipantData, Payload, ProtocolVersion, SequenceNumber,
    Submessage,
};

struct Nowhere;

impl Outbox for Nowhere {
    fn push(&mut self, _: To, _: Submessage<'_>, _: &Bytes) {}
}

/// Somebody at 10.0.0.`host` says that it is participant `n`, and knows our name.
fn answer(discovery: &mut Discovery, host: u8, n: usize) {
    let mut address = [0; 16];
    address[12..].copy_from_slice(&[10, 0, 0, host]);
    let from = Locator {
        kind: Locator::KIND_UDP_V4,
        port: 7410,
        address,
    };
    let mut announced = ParticipantData::new(prefix(n));
    announced.metatraffic_unicast = vec![from];
    let payload = announced.encode().unwrap();
    let source = Source {
        prefix: prefix(n),
        vendor: announced.vendor,
        version: ProtocolVersion::CURRENT,
        multicast: false,
        from,
        called: false,
        addressed: true,
    };
    let data = Data {
        reader: EntityId::SPDP_READER,
        writer: EntityId::SPDP_WRITER,
        sequence: SequenceNumber::FIRST,
        inline_qos: Parameters::NONE,
        payload: Payload::Data(&payload),
    };
    let message = Submessage::Data(data);
    discovery.handle(
        Time(0),
        &source,
        None,
        &message,
        &mut Nowhere,
        &mut Vec::new(),
    );
}

#[test]
fn participants_of_one_address_leave_room_for_those_of_others() {
    let mut config = DiscoveryConfig::new(prefix(200), 0);
    config.limits.participants = 8;
    let mut discovery = Discovery::new(config).unwrap();
    discovery.start(Time(0), &mut Nowhere);
    (1..=20).for_each(|n| answer(&mut discovery, 1, n));
    assert_eq!(discovery.whereabouts().count(), 6);
    assert!(discovery.heard().no_room > 0);
    answer(&mut discovery, 2, 99);
    let met: Vec<_> = discovery
        .whereabouts()
        .map(|(p, _)| p.guid.prefix)
        .collect();
    assert!(met.contains(&prefix(99)), "{met:?}");
}

#[test]
fn whoever_found_no_room_is_heard_when_there_is_some() {
    let mut network = Network::new();
    network.join(|c| c.limits.endpoints = 20);
    network.join(|_| {});
    (0..15).for_each(|i| {
        network.writer(1, |w| w.topic = format!("topic {i}"));
    });
    network.run(SECOND);
    network.join(|_| {});
    (0..10).for_each(|i| {
        network.writer(2, |w| w.topic = format!("other {i}"));
    });
    network.run(SECOND);
    let known = network.nodes[0].discovery.writers().count();
    assert!((15..=20).contains(&known), "{known}");
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(15 * SECOND);
    assert_eq!(network.nodes[0].discovery.writers().count(), 10);
    assert!(network.nodes[0].discovery.knows_all_of(prefix(2)));
}
