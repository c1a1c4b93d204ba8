//! A whole participant among others that say anything.
use bytes::Bytes;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Limits, Source};
use dunlin_rtps::{Outbox, Time, To};
use dunlin_wire::*;

const LIMITS: Limits = Limits {
    participants: 8,
    endpoints_per_participant: 8,
    endpoints: 16,
    unmatched_lease: dunlin_qos::Duration::from_secs(120),
};
const MILLISECOND: i64 = 1_000_000;

/// Counts what is said and checks that it can be said.
#[derive(Default)]
struct Voice {
    submessages: usize,
}

impl Outbox for Voice {
    fn push(&mut self, to: To, message: Submessage<'_>, _: &Bytes) {
        assert_ne!(to, To::Matched);
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        assert_eq!(bytes.len(), message.encoded_len());
        self.submessages += 1;
    }
}

/// Datagrams, each behind its length in two bytes, little endian, one each millisecond.
pub fn discovery(mut data: &[u8]) {
    let prefix = GuidPrefix(*b"DLfuzzdunlin");
    let mut config = DiscoveryConfig::new(prefix, 0);
    config.limits = LIMITS;
    let mut discovery = Discovery::new(config).unwrap();
    let (mut now, mut out, mut events) = (Time(0), Voice::default(), Vec::new());
    discovery.start(now, &mut out);
    let own = |kind| Guid::new(prefix, EntityId::user(1, kind));
    let writer = WriterData::new(own(EntityKind::WriterWithKey), "T", "interop::Keyed");
    let reader = ReaderData::new(own(EntityKind::ReaderWithKey), "T", "interop::Keyed");
    discovery
        .add_writer(now, writer, &mut out, &mut events)
        .unwrap();
    discovery
        .add_reader(now, reader, &mut out, &mut events)
        .unwrap();

    let mut datagrams = 0;
    while let Some((length, rest)) = data.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
        let (datagram, rest) = rest.split_at(length);
        (data, now) = (rest, Time(now.0 + MILLISECOND));
        datagrams += 1;
        hear(&mut discovery, now, datagram, &mut out);
        for _ in 0..100 {
            if discovery.next_timeout().is_none_or(|t| t > now) {
                break;
            }
            discovery.handle_timeout(now, &mut out, &mut events);
        }
        assert!(
            discovery.next_timeout().is_none_or(|t| t > now),
            "a timer that stays due"
        );
    }
    assert!(discovery.participants().count() <= LIMITS.participants);
    assert!(discovery.writers().count() + discovery.readers().count() <= LIMITS.endpoints);
    assert!(out.submessages < 1000 * (datagrams + 1), "a flood");
}

fn hear(discovery: &mut Discovery, now: Time, datagram: &[u8], out: &mut Voice) {
    let Ok(message) = Message::parse(datagram) else {
        return;
    };
    // Names of no product are those of callers behind an address translator.
    let prefix = message.header.prefix;
    let called = prefix.0.first().is_some_and(|first| first & 0x80 != 0);
    let mut source = Source {
        prefix,
        vendor: message.header.vendor,
        version: message.header.version,
        multicast: false,
        from: match called {
            true => Locator::tcp_v4([192, 0, 2, 1].into(), 7400),
            false => Locator::udp_v4([127, 0, 0, 1].into(), 9),
        },
        called,
        addressed: true,
    };
    for submessage in message.into_iter().flatten() {
        if let Submessage::InfoDestination(prefix) = &submessage {
            source.addressed = *prefix != GuidPrefix::UNKNOWN;
        }
        discovery.handle(now, &source, None, &submessage, out, &mut Vec::new());
    }
}
