//! A network of writers and readers in virtual time, with seeded loss, repetition and delay.
#![allow(dead_code, unreachable_pub, reason = "each test uses its share")]

use bytes::{Bytes, BytesMut};
use dunlin_qos::{Duration, ReliabilityKind};
use dunlin_rtps::{
    Arriving, Body, Change, ChangeKind, Delivery, InstanceHandle, Outbox, PayloadAllocator, Reader,
    ReaderConfig, ReaderFilter, ReaderProxyConfig, Sample, SampleInfo, Select, Time, To,
    WriteError, Writer, WriterConfig, WriterProxyConfig,
};
use dunlin_wire::{
    AckNack, Data, DataFrag, EntityId, EntityKind, FragmentNumber, Gap, Guid, GuidPrefix,
    Heartbeat, HeartbeatFrag, InlineQos, NackFrag, Parameters, Payload, SequenceNumber, Submessage,
    Timestamp, VendorId,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::ops::Range;

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

/// What the network does, in percent and nanoseconds.
#[derive(Clone, Copy, Default)]
pub struct Link {
    pub loss: u64,
    pub duplicate: u64,
    pub reorder: u64,
    pub delay: i64,
    pub jitter: i64,
}

/// A host that computes: each message that it takes in or sends occupies it for a while, and what
/// comes meanwhile waits.
#[derive(Clone, Copy)]
pub struct Host {
    /// Nanoseconds for each message; 0 for none.
    pub work: i64,
    /// So many messages may wait, others are lost.
    pub room: usize,
}

/// What waits at a host, and when it is looked at.
#[derive(Default)]
struct Desk {
    waiting: VecDeque<(Guid, Option<Timestamp>, Message)>,
    free_at: i64,
    expected: bool,
}

/// What a reader takes is written again by a writer, as a routing service does.
pub struct Relay {
    pub writer: Guid,
    /// Fragments go on as they come.
    pub cuts_through: bool,
    /// Whose change is open at the writer.
    open: Option<(Guid, SequenceNumber)>,
    /// Changes that were begun before they were whole, and of these, that did not become whole.
    pub opened: u64,
    pub abandoned: u64,
}

pub struct World {
    pub now: Time,
    /// Bits in a second that each endpoint can send; 0: any number.
    pub rate: u64,
    /// Until when an endpoint sends what it has said.
    sends_until: BTreeMap<Guid, i64>,
    pub relays: BTreeMap<Guid, Relay>,
    pub host: Host,
    desks: BTreeMap<Guid, Desk>,
    /// Messages that found no room.
    pub dropped: u64,
    pub writers: BTreeMap<Guid, Writer>,
    pub readers: BTreeMap<Guid, Reader>,
    pub link: Link,
    pub rng: Rng,
    queue: BinaryHeap<Reverse<(i64, u64)>>,
    packets: BTreeMap<u64, (Guid, Guid, Option<Timestamp>, Message)>,
    /// When a host is free, and which.
    turns: BTreeMap<u64, Guid>,
    packet: u64,
    pub sent: BTreeMap<&'static str, u64>,
    pub taken: BTreeMap<Guid, Vec<Sample>>,
    pub lost: u64,
    pub rejected: u64,
    pub takes: bool,
    pub events: u64,
}

/// Bytes that a message alone in a datagram takes on Ethernet, about.
fn wire_length(message: &Message) -> u64 {
    let payload = match message {
        Message::Data(_, inline, bytes, _) | Message::Frag(_, inline, bytes, ..) => {
            inline.len() + bytes.len()
        }
        _ => 0,
    };
    // Frame, IP and UDP take 66, RTPS, INFO_TS and the submessage's own fields 68.
    134 + payload as u64
}

fn change_of(info: &SampleInfo, payload: Body) -> Change {
    Change {
        kind: info.change_kind,
        instance: info.instance,
        timestamp: info.source_timestamp.unwrap(),
        payload,
    }
}

impl Relay {
    fn write(&mut self, now: Time, writer: &mut Writer, sample: &Sample, out: &mut Recorder) {
        let (info, payload) = (&sample.info, bytes_of(sample));
        let open = self.open.take();
        if open == Some((info.publication, info.sequence)) {
            writer.complete(now, payload.into(), out).unwrap();
            return;
        }
        if open.is_some() {
            self.abandoned += 1;
            writer.abandon(now, out);
        }
        let change = change_of(info, payload.into());
        writer.write(now, &change, out).unwrap();
    }

    fn note(&mut self, now: Time, writer: &mut Writer, news: Arriving, out: &mut Recorder) {
        match news {
            Arriving::Begins { info, size } => {
                let change = change_of(&info, Body::default());
                if writer.open(now, &change, size, None).is_some() {
                    self.open = Some((info.publication, info.sequence));
                    self.opened += 1;
                }
            }
            Arriving::Grows {
                writer: from,
                sequence,
                bytes,
            } if self.open == Some((from, sequence)) => assert!(writer.extend(bytes, out)),
            Arriving::Ends {
                writer: from,
                sequence,
            } if self.open == Some((from, sequence)) => {
                self.open = None;
                self.abandoned += 1;
                writer.abandon(now, out);
            }
            _ => {}
        }
    }
}

impl World {
    pub fn new(seed: u64, link: Link) -> Self {
        Self {
            now: Time(0),
            rate: 0,
            sends_until: BTreeMap::new(),
            relays: BTreeMap::new(),
            host: Host {
                work: 0,
                room: usize::MAX,
            },
            desks: BTreeMap::new(),
            dropped: 0,
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            link,
            rng: Rng(seed),
            queue: BinaryHeap::new(),
            packets: BTreeMap::new(),
            turns: BTreeMap::new(),
            packet: 0,
            sent: BTreeMap::new(),
            taken: BTreeMap::new(),
            lost: 0,
            rejected: 0,
            takes: true,
            events: 0,
        }
    }

    /// One writer and one reader that know each other.
    pub fn pair(seed: u64, link: Link, writer: &WriterConfig, reader: &ReaderConfig) -> Self {
        let mut world = Self::new(seed, link);
        world.add_writer(writer);
        world.add_reader(reader);
        world.connect(writer, reader);
        world
    }

    pub fn add_writer(&mut self, config: &WriterConfig) {
        self.writers
            .insert(config.guid, Writer::new(config.clone()));
    }

    pub fn add_reader(&mut self, config: &ReaderConfig) {
        self.readers
            .insert(config.guid, Reader::new(config.clone()));
        self.taken.insert(config.guid, Vec::new());
    }

    pub fn connect(&mut self, writer: &WriterConfig, reader: &ReaderConfig) {
        let mut out = Recorder::default();
        let r = self.readers.get_mut(&reader.guid).unwrap();
        r.add_writer(self.now, proxy_of_writer(writer), &mut out);
        self.post(reader.guid, out);
        let mut out = Recorder::default();
        let w = self.writers.get_mut(&writer.guid).unwrap();
        w.add_reader(self.now, proxy_of_reader(reader), &mut out);
        self.post(writer.guid, out);
    }

    /// As `connect`; the writer has a filter for the reader.
    pub fn connect_filtering(
        &mut self,
        writer: &WriterConfig,
        reader: &ReaderConfig,
        filter: ReaderFilter,
    ) {
        let mut out = Recorder::default();
        let r = self.readers.get_mut(&reader.guid).unwrap();
        r.add_writer(self.now, proxy_of_writer(writer), &mut out);
        self.post(reader.guid, out);
        let mut out = Recorder::default();
        let w = self.writers.get_mut(&writer.guid).unwrap();
        let proxy = proxy_of_reader(reader);
        w.add_filtering_reader(self.now, proxy, Some(filter), &mut out);
        self.post(writer.guid, out);
    }

    pub fn write(&mut self, writer: Guid, change: &Change) -> Result<SequenceNumber, WriteError> {
        let mut out = Recorder::default();
        let w = self.writers.get_mut(&writer).unwrap();
        let result = w.write(self.now, change, &mut out);
        self.post(writer, out);
        result
    }

    pub fn begin_set(&mut self, writer: Guid) {
        self.writers.get_mut(&writer).unwrap().begin_set();
    }

    pub fn end_set(&mut self, writer: Guid) {
        let mut out = Recorder::default();
        let w = self.writers.get_mut(&writer).unwrap();
        w.end_set(self.now, Timestamp(self.now.0), || None, &mut out)
            .unwrap();
        self.post(writer, out);
    }

    /// The reader hears that the writer is gone.
    pub fn remove_writer(&mut self, writer: Guid, reader: Guid) {
        let r = self.readers.get_mut(&reader).unwrap();
        let delivery = r.remove_writer(self.now, writer);
        self.note(reader, delivery);
    }

    /// Writes; waits for room as long as it takes.
    pub fn write_blocking(&mut self, writer: Guid, change: &Change) {
        let start = self.now;
        while self.write(writer, change) == Err(WriteError::Full) {
            assert!(self.step(), "nothing will ever make room");
            assert!(
                self.now.since(start) < Duration::from_secs(60),
                "blocked for a minute"
            );
        }
    }

    pub fn post(&mut self, from: Guid, out: Recorder) {
        for (place, (to, timestamp, message)) in (0..).zip(out.messages) {
            let leaves = self.now.0 + self.host.work * place;
            let kind = match message {
                Message::Data(..) => "DATA",
                Message::Frag(..) => "FRAG",
                Message::Heartbeat(_) => "HEARTBEAT",
                Message::HeartbeatFrag(_) => "HEARTBEAT_FRAG",
                Message::AckNack(_) => "ACKNACK",
                Message::NackFrag(_) => "NACK_FRAG",
                Message::Gap(_) => "GAP",
            };
            *self.sent.entry(kind).or_default() += 1;
            let to: Vec<Guid> = match to {
                To::Matched => self.writers[&from].readers().collect(),
                To::Passing(passing) => self.writers[&from].readers_passing(passing).collect(),
                To::Endpoint(guid) => vec![guid],
                To::Announce => Vec::new(),
            };
            for to in to {
                let copies = 1 + u64::from(self.rng.percent(self.link.duplicate));
                for _ in 0..copies {
                    let leaves = self.sent_at(leaves, from, &message);
                    if !self.rng.percent(self.link.loss) {
                        self.enqueue(leaves, from, to, timestamp, message.clone());
                    }
                }
            }
        }
    }

    /// When all of a message is on the wire.
    fn sent_at(&mut self, leaves: i64, from: Guid, message: &Message) -> i64 {
        if self.rate == 0 {
            return leaves;
        }
        let bits = 8 * wire_length(message);
        let took = bits * 1_000_000_000 / self.rate;
        let until = self.sends_until.entry(from).or_default();
        *until = leaves.max(*until) + took as i64;
        *until
    }

    /// What this reader takes from now on is written again by this writer.
    pub fn relay(&mut self, reader: Guid, writer: Guid, cuts_through: bool) {
        let relay = Relay {
            writer,
            cuts_through,
            open: None,
            opened: 0,
            abandoned: 0,
        };
        self.relays.insert(reader, relay);
    }

    fn pass_on(&mut self, reader: Guid) {
        let relay = self.relays.get_mut(&reader).unwrap();
        let reader = self.readers.get_mut(&reader).unwrap();
        let writer = self.writers.get_mut(&relay.writer).unwrap();
        let mut out = Recorder::default();
        loop {
            let mut samples = Vec::new();
            reader.take(&Select::default(), |sample| samples.push(sample));
            let mut news = Vec::new();
            if relay.cuts_through && samples.is_empty() {
                reader.take_arriving(BytesMut::with_capacity, |one| news.push(one));
            }
            if samples.is_empty() && news.is_empty() {
                break;
            }
            for sample in &samples {
                relay.write(self.now, writer, sample, &mut out);
            }
            for one in news {
                relay.note(self.now, writer, one, &mut out);
            }
        }
        let writer = relay.writer;
        self.post(writer, out);
    }

    fn enqueue(
        &mut self,
        leaves: i64,
        from: Guid,
        to: Guid,
        timestamp: Option<Timestamp>,
        message: Message,
    ) {
        let late = self.rng.percent(self.link.reorder);
        let jitter = if late {
            self.rng.below(self.link.jitter as u64) as i64
        } else {
            0
        };
        self.packet += 1;
        let at = leaves + self.link.delay + jitter;
        self.queue.push(Reverse((at, self.packet)));
        self.packets
            .insert(self.packet, (from, to, timestamp, message));
    }

    fn next_timeout(&self) -> Option<Time> {
        let writers = self.writers.values().filter_map(Writer::next_timeout);
        let readers = self.readers.values().filter_map(Reader::next_timeout);
        writers.chain(readers).min()
    }

    /// One arrival or one round of timers; false if nothing is left to happen.
    pub fn step(&mut self) -> bool {
        let arrival = self.queue.peek().map(|r| r.0.0);
        let timeout = self.next_timeout().map(|t| t.0.max(self.now.0));
        let Some(at) = arrival.into_iter().chain(timeout).min() else {
            return false;
        };
        self.events += 1;
        self.now = Time(self.now.0.max(at));
        if arrival == Some(at) {
            let Reverse((_, id)) = self.queue.pop().unwrap();
            if let Some(host) = self.turns.remove(&id) {
                self.turn(host);
                return true;
            }
            let (from, to, timestamp, message) = self.packets.remove(&id).unwrap();
            if self.host.work == 0 {
                self.arrive(from, to, timestamp, &message);
            } else {
                self.wait(from, to, timestamp, message);
            }
        } else {
            self.timeouts();
        }
        true
    }

    /// A message comes to a host that computes.
    fn wait(&mut self, from: Guid, to: Guid, timestamp: Option<Timestamp>, message: Message) {
        let desk = self.desks.entry(to).or_default();
        if desk.waiting.len() >= self.host.room {
            self.dropped += 1;
            return;
        }
        desk.waiting.push_back((from, timestamp, message));
        self.expect_turn(to);
    }

    /// The host looks at what waits as soon as it is free.
    fn expect_turn(&mut self, host: Guid) {
        let desk = self.desks.entry(host).or_default();
        if desk.expected || desk.waiting.is_empty() {
            return;
        }
        desk.expected = true;
        self.packet += 1;
        let at = self.now.0.max(desk.free_at);
        self.queue.push(Reverse((at, self.packet)));
        self.turns.insert(self.packet, host);
    }

    fn turn(&mut self, host: Guid) {
        let desk = self.desks.entry(host).or_default();
        desk.expected = false;
        if let Some((from, timestamp, message)) = desk.waiting.pop_front() {
            let said = self.arrive(from, host, timestamp, &message);
            let busy = self.host.work * (1 + said);
            self.desks.entry(host).or_default().free_at = self.now.0 + busy;
        }
        self.expect_turn(host);
    }

    /// Hands a message over; says how many it provoked.
    fn arrive(
        &mut self,
        from: Guid,
        to: Guid,
        timestamp: Option<Timestamp>,
        message: &Message,
    ) -> i64 {
        let mut out = Recorder::default();
        if let Some(reader) = self.readers.get_mut(&to) {
            let delivery = feed(reader, self.now, from, timestamp, message, &mut out);
            self.note(to, delivery);
        } else if let Some(writer) = self.writers.get_mut(&to) {
            match message {
                Message::AckNack(a) => {
                    writer.handle_ack_nack(self.now, from, a, &mut out);
                }
                Message::NackFrag(n) => writer.handle_nack_frag(self.now, from, n, &mut out),
                _ => {}
            }
        }
        let said = out.messages.len() as i64;
        self.post(to, out);
        said
    }

    fn note(&mut self, reader: Guid, delivery: Delivery) {
        self.lost += u64::from(delivery.lost);
        self.rejected += u64::from(delivery.rejected.is_some());
        if self.relays.contains_key(&reader) {
            self.pass_on(reader);
        } else if self.takes {
            self.take(reader);
        }
    }

    pub fn take(&mut self, reader: Guid) -> usize {
        let r = self.readers.get_mut(&reader).unwrap();
        let taken = self.taken.get_mut(&reader).unwrap();
        r.take(&Select::default(), |s| taken.push(s))
    }

    fn timeouts(&mut self) {
        let writers: Vec<_> = self.writers.keys().copied().collect();
        for guid in writers {
            let mut out = Recorder::default();
            let writer = self.writers.get_mut(&guid).unwrap();
            writer.handle_timeout(self.now, &mut out);
            self.post(guid, out);
        }
        let readers: Vec<_> = self.readers.keys().copied().collect();
        for guid in readers {
            let mut out = Recorder::default();
            let reader = self.readers.get_mut(&guid).unwrap();
            let delivery = reader.handle_timeout(self.now, &mut out);
            self.note(guid, delivery);
            self.post(guid, out);
        }
    }

    pub fn run_until(&mut self, time: Time) {
        loop {
            let arrival = self.queue.peek().map(|r| r.0.0);
            let timeout = self.next_timeout().map(|t| t.0.max(self.now.0));
            match arrival.into_iter().chain(timeout).min() {
                Some(at) if at <= time.0 => {
                    self.step();
                }
                _ => break,
            }
        }
        self.now = Time(self.now.0.max(time.0));
    }

    pub fn run_for(&mut self, duration: i64) {
        self.run_until(Time(self.now.0 + duration));
    }

    /// Runs until nothing is left to happen.
    pub fn settle(&mut self) {
        let limit = self.events + 5_000_000;
        while self.step() {
            assert!(self.events < limit, "it never comes to rest");
        }
    }

    pub fn numbers(&self, reader: Guid) -> Vec<u32> {
        let valid = self.taken[&reader].iter().filter(|s| s.info.valid_data);
        valid.map(number_of).collect()
    }

    pub fn infos(&self, reader: Guid) -> Vec<SampleInfo> {
        self.taken[&reader].iter().map(|s| s.info).collect()
    }
}
