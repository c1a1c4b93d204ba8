//! A network of writers and readers in virtual time, with seeded loss, repetition and delay, hosts
//! that compute and relays that write what they take.
use super::*;
use dunlin_rtps::{Arriving, ReaderFilter, SampleInfo, Select, WriteError, Writer};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

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
