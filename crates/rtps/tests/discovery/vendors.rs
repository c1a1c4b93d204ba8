//! What participants of other vendors said to each other is understood: each in turn is replayed to
//! ours in the other's place.
use dunlin_qos::{DataReaderQos, DataWriterQos};
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Event, LossReason, Source};
use dunlin_rtps::{Outbox, Time, To};
use dunlin_wire::{
    EntityId, EntityKind, Guid, GuidPrefix, Locator, Message, ReaderData, Submessage, VendorId,
    WriterData,
};
use std::collections::BTreeSet;

/// Where all of them are.
const HOME: Locator = Locator {
    kind: Locator::KIND_UDP_V4,
    port: 7410,
    address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1],
};

/// Topic and type in the captures of our own programs, and of the shape programs.
const OURS: (&str, &str) = ("T", "interop::Keyed");
const SHAPES: (&str, &str) = ("Square", "ShapeType");

struct Nowhere;

impl Outbox for Nowhere {
    fn push(&mut self, to: To, _: Submessage<'_>, _: &bytes::Bytes) {
        assert_ne!(to, To::Matched);
    }
}

fn datagrams(text: &str) -> Vec<Vec<u8>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let hex = line.split(' ').nth(1).unwrap();
            let digits = |i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap();
            (0..hex.len()).step_by(2).map(digits).collect()
        })
        .collect()
}

/// Plays what `from` said to a participant in the place of `to`, and returns what that one was
/// told.
fn replay(
    datagrams: &[Vec<u8>],
    (topic, type_name): (&str, &str),
    from: GuidPrefix,
    to: GuidPrefix,
) -> Vec<Event> {
    let mut discovery = Discovery::new(DiscoveryConfig::new(to, 0)).unwrap();
    let (mut events, out) = (Vec::new(), &mut Nowhere);
    discovery.start(Time(0), out);
    let guid = |kind| Guid::new(to, EntityId::user(1, kind));
    let mut writer = WriterData::new(guid(EntityKind::WriterWithKey), topic, type_name);
    writer.qos = DataWriterQos::default();
    let mut reader = ReaderData::new(guid(EntityKind::ReaderWithKey), topic, type_name);
    reader.qos = DataReaderQos::default();
    discovery
        .add_writer(Time(0), writer, out, &mut events)
        .unwrap();
    discovery
        .add_reader(Time(0), reader, out, &mut events)
        .unwrap();
    events.clear();
    for (tick, datagram) in (1..).zip(datagrams) {
        let message = Message::parse(datagram).unwrap();
        if message.header.prefix != from {
            continue;
        }
        let mut source = Source {
            prefix: from,
            vendor: message.header.vendor,
            version: message.header.version,
            multicast: false,
            from: HOME,
            called: false,
            addressed: false,
        };
        let (mut for_us, mut timestamp) = (true, None);
        for submessage in message {
            match submessage.unwrap() {
                Submessage::InfoDestination(prefix) => {
                    source.addressed = prefix == to;
                    for_us = source.addressed || prefix == GuidPrefix::UNKNOWN;
                }
                Submessage::InfoTimestamp(time) => timestamp = time,
                m if for_us => {
                    let now = Time(tick);
                    discovery.handle(now, &source, timestamp, &m, out, &mut events);
                }
                _ => {}
            }
        }
    }
    assert_eq!(discovery.heard().malformed, 0);
    events
}

/// How many of the two said goodbye.
fn check(text: &str, topic: (&str, &str), vendor: VendorId) -> usize {
    let datagrams = datagrams(text);
    let prefixes: BTreeSet<_> = datagrams
        .iter()
        .map(|d| Message::parse(d).unwrap().header.prefix)
        .collect();
    let [a, b] = prefixes.into_iter().collect::<Vec<_>>()[..] else {
        panic!("a capture of two participants");
    };
    let (mut writers, mut readers, mut goodbyes) = (0, 0, 0);
    for (from, to) in [(a, b), (b, a)] {
        let events = replay(&datagrams, topic, from, to);
        assert!(
            matches!(&events[0], Event::ParticipantFound { prefix, vendor: v, .. } if *prefix == from && *v == vendor),
            "{events:?}"
        );
        for event in &events {
            match event {
                Event::WriterMatched { writer, .. } => {
                    assert!(!writer.unicast.is_empty());
                    writers += 1;
                }
                Event::ReaderMatched { reader, .. } => {
                    assert!(!reader.unicast.is_empty());
                    readers += 1;
                }
                Event::IncompatibleQos { mismatches, .. } => panic!("{mismatches:?}"),
                _ => {}
            }
        }
        let goodbye = Event::ParticipantLost {
            prefix: from,
            reason: LossReason::Goodbye,
        };
        goodbyes += usize::from(events.last() == Some(&goodbye));
    }
    assert_eq!((writers, readers), (1, 1), "one publishes, one subscribes");
    goodbyes
}

/// Each of a capture's participants spoke to one of ours, whose words are not in it: what that one
/// was told.
fn told(text: &str, topic: (&str, &str)) -> Vec<Vec<Event>> {
    let datagrams = datagrams(text);
    let mut pairs = BTreeSet::new();
    for datagram in &datagrams {
        let message = Message::parse(datagram).unwrap();
        let from = message.header.prefix;
        for submessage in message {
            match submessage.unwrap() {
                Submessage::InfoDestination(to) if to != GuidPrefix::UNKNOWN => {
                    pairs.insert((from, to));
                }
                _ => {}
            }
        }
    }
    let pairs = pairs.into_iter();
    pairs
        .map(|(from, to)| replay(&datagrams, topic, from, to))
        .collect()
}

/// Any byte may be anything and any datagram may end anywhere: nothing panics, and what is kept
/// stays small.
fn damage(text: &str) {
    let original = datagrams(text);
    let prefixes: BTreeSet<_> = original
        .iter()
        .map(|d| Message::parse(d).unwrap().header.prefix)
        .collect();
    let to = *prefixes.first().unwrap();
    let mut discovery = Discovery::new(DiscoveryConfig::new(to, 0)).unwrap();
    let (mut events, mut random) = (Vec::new(), 1_u64);
    for round in 0..3000_usize {
        let mut datagram = original[round % original.len()].clone();
        for _ in 0..3 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (random >> 33) as usize % datagram.len();
            match random >> 20 & 7 {
                0 => datagram.truncate(at.max(20)),
                _ => datagram[at] = (random >> 24) as u8,
            }
        }
        let now = Time(round as i64 * 1_000_000);
        hear(&mut discovery, now, &datagram, &mut events);
        discovery.handle_timeout(now, &mut Nowhere, &mut events);
    }
    assert!(discovery.participants().count() < 100);
}

fn hear(discovery: &mut Discovery, now: Time, datagram: &[u8], events: &mut Vec<Event>) {
    let Ok(message) = Message::parse(datagram) else {
        return;
    };
    let source = Source {
        prefix: message.header.prefix,
        vendor: message.header.vendor,
        version: message.header.version,
        multicast: false,
        from: HOME,
        called: false,
        addressed: true,
    };
    for submessage in message.into_iter().flatten() {
        discovery.handle(now, &source, None, &submessage, &mut Nowhere, events);
    }
}

#[test]
fn damaged_datagrams_do_no_harm() {
    damage(include_str!("data/cyclone-0.10.2.hex"));
    damage(include_str!("data/fastdds-2.9.1.hex"));
    damage(include_str!("data/rustdds-0.14.0.hex"));
    damage(include_str!("data/cyclone-11.0.1.hex"));
    damage(include_str!("data/hdds-1.1.2.hex"));
    damage(include_str!("data/fastdds-3.6.2.hex"));
    damage(include_str!("data/dust-0.16.0.hex"));
}

#[test]
fn cyclone_dds() {
    let goodbyes = check(
        include_str!("data/cyclone-0.10.2.hex"),
        OURS,
        VendorId([1, 0x10]),
    );
    assert_eq!(goodbyes, 2);
}

#[test]
fn cyclone_dds_11() {
    let goodbyes = check(
        include_str!("data/cyclone-11.0.1.hex"),
        SHAPES,
        VendorId([1, 0x10]),
    );
    assert_eq!(goodbyes, 0);
}

#[test]
fn hdds() {
    let told = told(include_str!("data/hdds-1.1.2.hex"), SHAPES);
    let matched = |is: fn(&Event) -> bool| {
        let counts = told
            .iter()
            .map(|events| events.iter().filter(|e| is(e)).count());
        counts.collect::<Vec<_>>()
    };
    assert_eq!(
        matched(|e| matches!(e, Event::WriterMatched { .. })),
        [1, 0]
    );
    assert_eq!(
        matched(|e| matches!(e, Event::ReaderMatched { .. })),
        [0, 1]
    );
    assert_eq!(
        matched(|e| matches!(e, Event::IncompatibleQos { .. })),
        [0, 0]
    );
}

#[test]
fn fast_dds() {
    let goodbyes = check(
        include_str!("data/fastdds-2.9.1.hex"),
        OURS,
        VendorId([1, 0x0f]),
    );
    assert_eq!(goodbyes, 2);
}

#[test]
fn fast_dds_3() {
    let goodbyes = check(
        include_str!("data/fastdds-3.6.2.hex"),
        SHAPES,
        VendorId([1, 0x0f]),
    );
    // They say it through shared memory.
    assert_eq!(goodbyes, 0);
}

#[test]
fn dust_dds() {
    let goodbyes = check(
        include_str!("data/dust-0.16.0.hex"),
        SHAPES,
        VendorId([1, 0x14]),
    );
    assert_eq!(goodbyes, 0);
}

#[test]
fn rust_dds() {
    let goodbyes = check(
        include_str!("data/rustdds-0.14.0.hex"),
        SHAPES,
        VendorId([1, 0x12]),
    );
    // The publisher\'s process ended without one.
    assert_eq!(goodbyes, 1);
}
