//! Who gets the room for participants and endpoints when it is short.
use crate::network::{Network, SECOND, prefix};
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Event, LossReason, Source};
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
    answer_at(discovery, Time(0), host, n);
}

fn answer_at(discovery: &mut Discovery, now: Time, host: u8, n: usize) {
    let mut address = [0; 16];
    address[12..].copy_from_slice(&[10, 0, 0, host]);
    let from = Locator {
        kind: Locator::KIND_UDP_V4,
        port: 7410,
        address,
    };
    let mut announced = ParticipantData::new(prefix(n));
    announced.metatraffic_unicast = vec![from];
    announced.lease_duration = Duration::INFINITE;
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
    discovery.handle(now, &source, None, &message, &mut Nowhere, &mut Vec::new());
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

#[test]
fn whoever_is_silent_and_matched_with_nothing_gives_way() {
    let mut config = DiscoveryConfig::new(prefix(200), 0);
    config.limits.participants = 8;
    let mut discovery = Discovery::new(config).unwrap();
    discovery.start(Time(0), &mut Nowhere);
    (1..=8).for_each(|n| answer(&mut discovery, n as u8, n));
    let met = |discovery: &Discovery| {
        let all = discovery.whereabouts();
        all.map(|(p, _)| p.guid.prefix).collect::<Vec<_>>()
    };
    answer_at(&mut discovery, Time(SECOND), 9, 9);
    assert!(!met(&discovery).contains(&prefix(9)), "all were just heard");
    for n in (1..=8).filter(|n| *n != 3) {
        answer_at(&mut discovery, Time(29 * SECOND), n as u8, n);
    }
    answer_at(&mut discovery, Time(30 * SECOND), 9, 9);
    let met = met(&discovery);
    assert_eq!(met.len(), 8);
    assert!(
        met.contains(&prefix(9)) && !met.contains(&prefix(3)),
        "{met:?}"
    );
}

#[test]
fn whoever_is_matched_does_not_give_way() {
    let mut network = Network::new();
    network.join(|c| c.limits.participants = 2);
    let writer = network.writer(0, |_| {});
    (1..=2).for_each(|_| {
        network.join(|c| c.lease_duration = Duration::INFINITE);
    });
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.kill(1);
    network.kill(2);
    network.run(60 * SECOND);
    network.join(|_| {});
    let other = network.reader(3, |_| {});
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader, other]);
    let displaced = Event::ParticipantLost {
        prefix: prefix(2),
        reason: LossReason::Displaced,
    };
    assert!(network.nodes[0].events.contains(&displaced));
}

#[test]
fn the_lease_of_one_that_is_matched_with_nothing_counts_for_two_minutes() {
    let mut network = Network::new();
    network.join(|_| {});
    let writer = network.writer(0, |_| {});
    (1..=3).for_each(|_| {
        network.join(|c| c.lease_duration = Duration::INFINITE);
    });
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.kill(1);
    network.kill(2);
    network.run(300 * SECOND);
    let known: Vec<_> = network.nodes[0].discovery.participants().collect();
    let known: Vec<_> = known.iter().map(|p| p.guid.prefix).collect();
    assert_eq!(known, [prefix(1), prefix(3)], "one is matched, one lives");
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

/// Both have infinite leases, and nothing gets from one to the other for half an hour.
#[test]
fn whoever_is_silent_is_told_ever_less_and_all_at_once_when_it_speaks() {
    let mut network = Network::new();
    let lasts = |network: &mut Network, index: usize| {
        network.act(index, |d, now, out, events| {
            let mut config = d.config().clone();
            config.lease_duration = Duration::INFINITE;
            d.reconfigure(now, config, out, events).unwrap();
        });
    };
    network.join_peers(&[]);
    network.join_peers(&[0]);
    lasts(&mut network, 0);
    lasts(&mut network, 1);
    network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.nodes[1].cut_off = true;
    let late = network.writer(0, |_| {});
    let before = network.datagrams;
    network.run(1800 * SECOND);
    // 600 of them are those with which the other announces itself.
    let said = network.datagrams - before - 600;
    assert!(said < 450, "{said} datagrams to and from a silent one");
    assert_eq!(network.nodes[1].matched(reader).len(), 1);
    network.nodes[1].cut_off = false;
    network.run(4 * SECOND);
    assert!(network.nodes[1].matched(reader).contains(&late));
}

/// Two hosts have taken all places, and go on speaking.
#[test]
fn the_host_with_most_participants_gives_way_to_one_with_fewer() {
    let mut config = DiscoveryConfig::new(prefix(200), 0);
    config.limits.participants = 8;
    let mut discovery = Discovery::new(config).unwrap();
    discovery.start(Time(0), &mut Nowhere);
    (1..=5).for_each(|n| answer(&mut discovery, 1, n));
    (6..=8).for_each(|n| answer(&mut discovery, 2, n));
    let met = |discovery: &Discovery| {
        let all = discovery.whereabouts();
        all.map(|(p, _)| p.guid.prefix).collect::<Vec<_>>()
    };
    (11..=13).for_each(|n| answer(&mut discovery, 3, n));
    let now = met(&discovery);
    assert_eq!(now.len(), 8);
    let of = |who: core::ops::RangeInclusive<usize>| {
        let who: Vec<_> = who.map(prefix).collect();
        now.iter().filter(|p| who.contains(p)).count()
    };
    assert_eq!((of(1..=5), of(6..=8), of(11..=13)), (3, 3, 2), "{now:?}");
    for n in 1..=5 {
        answer(&mut discovery, 1, n);
    }
    assert_eq!(
        met(&discovery),
        now,
        "who gave way does not come back for it"
    );
}

/// Two participants on two hosts have filled the table of endpoints.
#[test]
fn whoever_has_most_endpoints_gives_way_to_one_with_fewer() {
    let mut network = Network::new();
    network.join(|c| c.limits.endpoints = 40);
    let writer = network.writer(0, |_| {});
    for index in 1..=2 {
        network.join(|_| {});
        (0..40).for_each(|i| {
            network.writer(index, |w| w.topic = format!("topic {i}"));
        });
        network.run(SECOND);
    }
    let theirs = network.reader(1, |_| {});
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.endpoint_count(), 40);
    network.join(|_| {});
    (0..9).for_each(|i| {
        network.writer(3, |w| w.topic = format!("other {i}"));
    });
    let reader = network.reader(3, |_| {});
    network.run(SECOND);
    assert!(network.nodes[0].discovery.knows_all_of(prefix(3)));
    assert!(network.nodes[0].matched(writer).contains(&reader));
    let refused = Event::TooManyEndpoints { prefix: prefix(3) };
    assert!(!network.nodes[0].events.contains(&refused));
    assert!(network.nodes[0].discovery.endpoint_count() <= 40);
    // Those who gave way are heard again when there is room.
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.act(3, |d, now, out, _| d.goodbye(now, out));
    network.kill(3);
    network.run(60 * SECOND);
    assert!(!network.nodes[0].matched(writer).contains(&theirs));
    let known = network.nodes[0].discovery.endpoint_count();
    assert!(known >= 31, "{known}");
}

/// Whoever answers at many addresses has taken all places, and goes on speaking.
#[test]
fn a_newcomer_gets_in_beside_those_that_answer_at_many_addresses() {
    let mut config = DiscoveryConfig::new(prefix(300), 0);
    config.limits.participants = 128;
    let mut discovery = Discovery::new(config).unwrap();
    discovery.start(Time(0), &mut Nowhere);
    (1..=130).for_each(|n| answer(&mut discovery, n as u8, n));
    let met = |discovery: &Discovery| {
        let all = discovery.whereabouts();
        all.map(|(p, _)| p.guid.prefix).collect::<Vec<_>>()
    };
    answer(&mut discovery, 200, 200);
    let now = met(&discovery);
    assert_eq!(now.len(), 126, "two places are kept for strangers");
    assert!(now.contains(&prefix(200)));
    (201..=240).for_each(|n| answer(&mut discovery, n as u8, n));
    let now = met(&discovery);
    assert!((1..=124).all(|n| now.contains(&prefix(n))), "{now:?}");
    assert_eq!(now.len(), 126);
    assert!(now.contains(&prefix(240)) && !now.contains(&prefix(200)));
}

#[test]
fn a_newcomer_that_is_matched_stays_beside_those_that_take_turns() {
    let mut network = Network::proving();
    network.join(|c| c.limits.participants = 128);
    let writer = network.writer(0, |_| {});
    (0..126).for_each(|_| {
        network.join(|_| {});
    });
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.whereabouts().count(), 126);
    let index = network.join(|_| {});
    let reader = network.reader(index, |_| {});
    network.run(SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    (0..20).for_each(|_| {
        network.join(|_| {});
        network.run(SECOND);
    });
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[0].discovery.whereabouts().count(), 126);
}
