//! What tests of writers and readers share.
#![allow(dead_code, unreachable_pub, reason = "each test uses its share")]

use bytes::{Bytes, BytesMut};
use dunlin_qos::{Duration, ReliabilityKind};
use dunlin_rtps::{
    Body, Change, ChangeKind, Delivery, InstanceHandle, Outbox, PayloadAllocator, Reader,
    ReaderConfig, ReaderProxyConfig, Sample, Time, To, WriterConfig, WriterProxyConfig,
};
use dunlin_wire::{
    AckNack, Data, DataFrag, EntityId, EntityKind, FragmentNumber, Gap, Guid, GuidPrefix,
    Heartbeat, HeartbeatFrag, InlineQos, NackFrag, Parameters, Payload, SequenceNumber, Submessage,
    Timestamp, VendorId,
};

use std::ops::Range;

mod world;
#[allow(unused_imports, reason = "as above")]
pub use world::*;

pub const MS: i64 = 1_000_000;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub fn percent(&mut self, p: u64) -> bool {
        self.below(100) < p
    }
}

pub fn writer_guid(n: u8) -> Guid {
    let entity = EntityId::user(u32::from(n), EntityKind::WriterWithKey);
    Guid::new(GuidPrefix([1, n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), entity)
}

pub fn reader_guid(n: u8) -> Guid {
    let entity = EntityId::user(u32::from(n), EntityKind::ReaderWithKey);
    Guid::new(GuidPrefix([2, n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]), entity)
}

/// The participants of these tests have prefixes that begin as the standard wants it.
pub fn vendor_of(guid: Guid) -> VendorId {
    let [high, low, ..] = guid.prefix.0;
    VendorId([high, low])
}

pub fn handle(n: u32) -> InstanceHandle {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&n.to_be_bytes());
    bytes[15] = 1;
    InstanceHandle(bytes)
}

pub fn reliable_writer() -> WriterConfig {
    WriterConfig::new(writer_guid(1))
}

/// It hands out samples as they came, so that tests see the order in which they were let in.
pub fn reliable_reader() -> ReaderConfig {
    ReaderConfig {
        reliability: ReliabilityKind::Reliable,
        history: dunlin_qos::History::KeepAll,
        keyed: true,
        across_instances: true,
        ..ReaderConfig::new(reader_guid(1))
    }
}

pub fn proxy_of_reader(reader: &ReaderConfig) -> ReaderProxyConfig {
    ReaderProxyConfig {
        guid: reader.guid,
        reliable: reader.reliability == ReliabilityKind::Reliable,
        durability: reader.durability,
        expects_inline_qos: false,
        vendor: vendor_of(reader.guid),
    }
}

pub fn proxy_of_writer(writer: &WriterConfig) -> WriterProxyConfig {
    WriterProxyConfig {
        guid: writer.guid,
        reliable: writer.reliability == ReliabilityKind::Reliable,
        durability: writer.durability,
        ownership_strength: 0,
        lifespan: dunlin_qos::Duration::INFINITE,
        vendor: vendor_of(writer.guid),
    }
}

pub fn sample(instance: u32, number: u32, size: usize) -> Change {
    let mut payload = vec![0; size.max(4)];
    payload[..4].copy_from_slice(&number.to_le_bytes());
    for (i, b) in payload.iter_mut().enumerate().skip(4) {
        *b = (i as u32).wrapping_mul(31).wrapping_add(number) as u8;
    }
    Change {
        kind: ChangeKind::Alive,
        instance: handle(instance),
        timestamp: Timestamp(i64::from(number)),
        payload: Bytes::from(payload).into(),
    }
}

/// As `sample`, with the bytes `apart` of the payload left where the application has them.
pub fn sample_around(instance: u32, number: u32, size: usize, apart: Range<usize>) -> Change {
    let change = sample(instance, number, size);
    let whole = change.payload.whole().unwrap();
    let plain = [&whole[..apart.start], &whole[apart.end..]].concat();
    Change {
        payload: Body::around(plain.into(), apart.start, whole.slice(apart)),
        ..change
    }
}

pub fn end(kind: ChangeKind, instance: u32) -> Change {
    Change {
        kind,
        instance: handle(instance),
        timestamp: Timestamp(0),
        payload: Bytes::copy_from_slice(&instance.to_be_bytes()).into(),
    }
}

/// The contiguous bytes of a sample.
pub fn bytes_of(sample: &Sample) -> Bytes {
    sample.payload.to_bytes().unwrap()
}

pub fn number_of(sample: &Sample) -> u32 {
    u32::from_le_bytes(bytes_of(sample)[..4].try_into().unwrap())
}

/// Keeps by copy; a sample's instance is not decodable unless it came with a key hash.
#[derive(Default)]
pub struct Copying;

impl PayloadAllocator for Copying {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        match payload {
            Payload::Key(bytes) => {
                Some(handle(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?)))
            }
            _ => None,
        }
    }
}

/// A submessage that owns what it says.
#[derive(Clone, Debug)]
pub enum Message {
    Data(SequenceNumber, Vec<u8>, Bytes, bool),
    Frag(SequenceNumber, Vec<u8>, Bytes, u32, u16, u32, bool),
    Heartbeat(Heartbeat),
    HeartbeatFrag(HeartbeatFrag),
    AckNack(AckNack),
    NackFrag(NackFrag),
    Gap(Gap),
}

/// Records what is pushed: as messages to deliver, and as words to compare.
#[derive(Default)]
pub struct Recorder {
    pub messages: Vec<(To, Option<Timestamp>, Message)>,
    pub words: Vec<String>,
    timestamp: Option<Timestamp>,
}

fn inline_of(p: Parameters<'_>) -> Vec<u8> {
    p.bytes().to_vec()
}

impl Outbox for Recorder {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        let (message, words) = match message {
            Submessage::InfoTimestamp(timestamp) => {
                self.timestamp = timestamp;
                return;
            }
            Submessage::Data(d) => {
                let (bytes, key) = match d.payload {
                    Payload::None => (Bytes::new(), false),
                    Payload::Data(b) => (payload.slice_ref(b), false),
                    Payload::Key(b) => (payload.slice_ref(b), true),
                };
                let words = format!("DATA {}", d.sequence.0);
                (
                    Message::Data(d.sequence, inline_of(d.inline_qos), bytes, key),
                    words,
                )
            }
            Submessage::DataFrag(f) => {
                assert_eq!(f.count, 1);
                let words = format!("FRAG {}.{}", f.sequence.0, f.first.0);
                let message = Message::Frag(
                    f.sequence,
                    inline_of(f.inline_qos),
                    payload.slice_ref(f.payload),
                    f.first.0,
                    f.fragment_size,
                    f.sample_size,
                    f.key,
                );
                (message, words)
            }
            Submessage::Heartbeat(h) => {
                let mark = if h.is_final { "" } else { "?" };
                let words = format!("HEARTBEAT {}..{}{mark}", h.first.0, h.last.0);
                (Message::Heartbeat(h), words)
            }
            Submessage::HeartbeatFrag(h) => (
                Message::HeartbeatFrag(h),
                format!("HEARTBEAT_FRAG {}.{}", h.sequence.0, h.last.0),
            ),
            Submessage::AckNack(a) => {
                let mark = if a.is_final { "" } else { "?" };
                let set: Vec<_> = a.state.iter().map(|n| n.0).collect();
                (
                    Message::AckNack(a),
                    format!("ACKNACK {} {set:?}{mark}", a.state.base().0),
                )
            }
            Submessage::NackFrag(n) => {
                let set: Vec<_> = n.state.iter().map(|n| n.0).collect();
                (
                    Message::NackFrag(n),
                    format!("NACK_FRAG {} {set:?}", n.sequence.0),
                )
            }
            Submessage::Gap(g) => {
                let set: Vec<_> = g.list.iter().map(|n| n.0).collect();
                let words = format!("GAP {}..{} {set:?}", g.start.0, g.list.base().0);
                (Message::Gap(g), words)
            }
            other => panic!("not said by an endpoint: {other:?}"),
        };
        let to_one = if matches!(to, To::Endpoint(_)) {
            " !"
        } else {
            ""
        };
        self.words.push(words + to_one);
        self.messages.push((to, self.timestamp, message));
    }
}

impl Recorder {
    pub fn said(&mut self) -> Vec<String> {
        self.messages.clear();
        std::mem::take(&mut self.words)
    }
}

/// Hands one message to a reader.
pub fn feed(
    reader: &mut Reader,
    now: Time,
    writer: Guid,
    timestamp: Option<Timestamp>,
    message: &Message,
    out: &mut impl Outbox,
) -> Delivery {
    match message {
        Message::Data(sequence, inline, payload, key) => {
            let parameters = Parameters::little_endian(inline);
            let qos = InlineQos::parse(parameters).unwrap();
            let data = Data {
                reader: EntityId::UNKNOWN,
                writer: writer.entity,
                sequence: *sequence,
                inline_qos: parameters,
                payload: match key {
                    _ if payload.is_empty() => Payload::None,
                    true => Payload::Key(payload),
                    false => Payload::Data(payload),
                },
            };
            reader.handle_data(now, writer, timestamp, &data, &qos, &mut Copying, out)
        }
        Message::Frag(sequence, inline, payload, first, fragment_size, sample_size, key) => {
            let parameters = Parameters::little_endian(inline);
            let qos = InlineQos::parse(parameters).unwrap();
            let frag = DataFrag {
                reader: EntityId::UNKNOWN,
                writer: writer.entity,
                sequence: *sequence,
                first: FragmentNumber(*first),
                count: 1,
                fragment_size: *fragment_size,
                sample_size: *sample_size,
                inline_qos: parameters,
                key: *key,
                payload,
            };
            reader.handle_data_frag(now, writer, timestamp, &frag, &qos, &mut Copying, out)
        }
        Message::Heartbeat(h) => reader.handle_heartbeat(now, writer, h, out),
        Message::HeartbeatFrag(h) => reader.handle_heartbeat_frag(now, writer, h, out),
        Message::Gap(g) => reader.handle_gap(now, writer, g, out),
        Message::AckNack(_) | Message::NackFrag(_) => Delivery::default(),
    }
}
