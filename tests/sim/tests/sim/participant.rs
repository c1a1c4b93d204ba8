//! One participant: discovery, writers and readers in one thread, on a network in memory.
//!
//! It connects them as `dunlin` does, without locks and threads: what discovery decides becomes
//! proxies and destinations, and every datagram is encoded, sent, received and parsed.
#[path = "participant/policies.rs"]
mod policies;
#[path = "participant/sets.rs"]
mod sets;

use crate::datagrams::Datagrams;
use crate::load;
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_rtps::discovery::{
    Discovery, DiscoveryConfig, Event, LossReason, Source, UnmatchReason,
};
use dunlin_rtps::{
    Change, Delivery, InstanceHandle, PayloadAllocator, Reader, ReaderConfig, ReaderProxyConfig,
    Sample, Select, Time, To, WriteError, Writer, WriterConfig, WriterProxyConfig,
};
use dunlin_transport::{Listen, MemoryTransport, Receiver, Transport, Wait, nearest};
use dunlin_wire::{
    EntityId, Guid, GuidPrefix, InlineQos, Locator, Message, Payload, ReaderData, SequenceNumber,
    Submessage, Timestamp, VendorId, WriterData,
};
use std::collections::BTreeMap;

/// Room for the largest datagram.
const LARGEST: usize = 64 * 1024;

pub(crate) struct Participant {
    pub(crate) discovery: Discovery,
    pub(crate) datagrams: Datagrams,
    prefix: GuidPrefix,
    transport: MemoryTransport,
    receivers: [Box<dyn Receiver>; 2],
    buffer: BytesMut,
    writers: BTreeMap<EntityId, LocalWriter>,
    readers: BTreeMap<EntityId, LocalReader>,
    /// Where matched endpoints are reached.
    locators: BTreeMap<Guid, Locator>,
    events: Vec<Event>,
    news: Vec<News>,
    publisher: sets::Publisher,
    gate: sets::Gate,
}

struct LocalWriter {
    writer: Writer,
    /// Where each matched reader wants its samples.
    sinks: BTreeMap<Guid, Locator>,
}

struct LocalReader {
    reader: Reader,
    sources: Vec<Guid>,
}

/// What happened to a participant and its endpoints.
#[derive(Debug)]
pub(crate) enum News {
    ReaderMatched {
        writer: Guid,
        reader: Guid,
        last: SequenceNumber,
    },
    ReaderUnmatched {
        writer: Guid,
        reader: Guid,
    },
    WriterMatched {
        reader: Guid,
        writer: Guid,
    },
    WriterUnmatched {
        reader: Guid,
        writer: Guid,
    },
    Incompatible {
        local: Guid,
        remote: Guid,
    },
    Room {
        writer: Guid,
    },
    Data {
        reader: Guid,
    },
    Taken {
        reader: Guid,
        samples: Vec<Sample>,
    },
    Lost {
        reader: Guid,
        writer: Guid,
        count: u32,
    },
    ParticipantLost {
        prefix: GuidPrefix,
        reason: LossReason,
    },
    Liveliness {
        reader: Guid,
        writer: Guid,
        alive: bool,
    },
    LivelinessLost {
        writer: Guid,
    },
    InconsistentTopic {
        local: Guid,
        remote: Guid,
    },
}

/// The group on which participants announce themselves.
pub(crate) fn announcements() -> Locator {
    group(1)
}

/// The group on which readers that share datagrams listen.
pub(crate) fn samples() -> Locator {
    group(2)
}

fn group(last: u8) -> Locator {
    let ip = std::net::Ipv4Addr::new(239, 255, 0, last);
    Locator {
        kind: Locator::KIND_MEMORY,
        ..Locator::udp_v4(ip, 7400)
    }
}

impl Participant {
    /// `clock_offset` leads from its monotonic clock to its wall clock.
    pub(crate) fn new(
        prefix: GuidPrefix,
        transport: MemoryTransport,
        clock_offset: i64,
        prints: bool,
    ) -> Self {
        Self::configured(prefix, transport, clock_offset, prints, |_| {})
    }

    /// As `new`, with something else to say about itself.
    pub(crate) fn configured(
        prefix: GuidPrefix,
        transport: MemoryTransport,
        clock_offset: i64,
        prints: bool,
        change: impl FnOnce(&mut DiscoveryConfig),
    ) -> Self {
        let listen = |group| {
            let places = [Listen::Unicast { port: 0 }, Listen::Multicast { group }];
            transport.open(&places).unwrap()
        };
        let receivers = [listen(announcements()), listen(samples())];
        let [meta, user] = receivers.each_ref().map(|r| r.locators());
        let mut config = DiscoveryConfig {
            metatraffic_unicast: unicast(&meta),
            metatraffic_multicast: vec![announcements()],
            default_unicast: unicast(&user),
            clock_offset,
            ..DiscoveryConfig::new(prefix, 0)
        };
        change(&mut config);
        Self {
            discovery: Discovery::new(config).unwrap(),
            datagrams: Datagrams::new(prefix, prints),
            prefix,
            transport,
            receivers,
            buffer: BytesMut::new(),
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            locators: BTreeMap::new(),
            events: Vec::new(),
            news: Vec::new(),
            publisher: Default::default(),
            gate: Default::default(),
        }
    }

    pub(crate) fn prefix(&self) -> GuidPrefix {
        self.prefix
    }

    pub(crate) fn start(&mut self, now: Time) {
        self.discovery.start(now, &mut self.datagrams);
        self.settle(now);
    }

    pub(crate) fn goodbye(&mut self, now: Time) {
        self.discovery.goodbye(now, &mut self.datagrams);
        self.settle(now);
    }

    pub(crate) fn add_writer(&mut self, now: Time, config: WriterConfig, data: WriterData) {
        let local = LocalWriter {
            writer: Writer::new(config),
            sinks: BTreeMap::new(),
        };
        self.writers.insert(data.guid.entity, local);
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.add_writer(now, data, datagrams, events).unwrap();
        self.settle(now);
    }

    pub(crate) fn add_reader(&mut self, now: Time, config: ReaderConfig, data: ReaderData) {
        let local = LocalReader {
            reader: Reader::new(config),
            sources: Vec::new(),
        };
        self.readers.insert(data.guid.entity, local);
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.add_reader(now, data, datagrams, events).unwrap();
        self.settle(now);
    }

    /// Writes; a full writer asks its readers for acknowledgements, as a blocked application thread
    /// does.
    pub(crate) fn write(
        &mut self,
        now: Time,
        writer: EntityId,
        change: &Change,
    ) -> Result<SequenceNumber, WriteError> {
        let result = self.write_numbered(now, writer, change);
        let local = self.writers.get_mut(&writer).unwrap();
        if result == Err(WriteError::Full) {
            local.writer.heartbeat(now, &mut self.datagrams);
        }
        self.send(now, Some(writer));
        result
    }

    pub(crate) fn set_fragment_size(&mut self, writer: EntityId, size: Option<u16>) {
        let local = self.writers.get_mut(&writer).unwrap();
        local.writer.set_fragment_size(size);
    }

    pub(crate) fn take(&mut self, reader: EntityId, max: usize) -> Vec<Sample> {
        let local = self.readers.get_mut(&reader).unwrap();
        let select = Select {
            max,
            ..Select::default()
        };
        let mut samples = Vec::new();
        local.reader.take(&select, |sample| samples.push(sample));
        samples
    }

    pub(crate) fn writer(&self, writer: EntityId) -> &Writer {
        &self.writers[&writer].writer
    }

    pub(crate) fn reader(&self, reader: EntityId) -> &Reader {
        &self.readers[&reader].reader
    }

    pub(crate) fn readers(&self) -> impl Iterator<Item = &Reader> {
        self.readers.values().map(|r| &r.reader)
    }

    pub(crate) fn writers(&self) -> impl Iterator<Item = &Writer> {
        self.writers.values().map(|w| &w.writer)
    }

    pub(crate) fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        let writers = self.writers.values().map(|w| w.writer.next_timeout());
        let readers = self.readers.values().map(|r| r.reader.next_timeout());
        let all = writers
            .chain(readers)
            .chain([self.discovery.next_timeout()]);
        all.flatten().min()
    }

    /// Does whatever is due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.handle_timeout(now, datagrams, events);
        self.apply_events(now);
        let Self {
            datagrams,
            news,
            readers,
            ..
        } = self;
        let mut gathers = false;
        for local in readers.values_mut() {
            let delivery = local.reader.handle_timeout(now, datagrams);
            note(news, local.reader.guid(), Guid::UNKNOWN, &delivery);
            gathers |= delivery.gathers;
        }
        if gathers {
            self.open_gate(now);
        }
        self.settle(now);
        let writers: Vec<_> = self.writers.keys().copied().collect();
        for writer in writers {
            if let Some(local) = self.writers.get_mut(&writer) {
                local.writer.handle_timeout(now, &mut self.datagrams);
            }
            self.send(now, Some(writer));
        }
        assert!(
            self.next_timeout().is_none_or(|at| at > now),
            "a timer is not consumed"
        );
    }

    /// Works through what has arrived.
    pub(crate) fn receive(&mut self, now: Time) {
        for receiver in 0..self.receivers.len() {
            loop {
                self.buffer.reserve(LARGEST);
                let received = self.receivers[receiver].receive(&mut self.buffer, Wait::Poll);
                let Some(received) = received.unwrap() else {
                    break;
                };
                let datagram = Bytes::copy_from_slice(&self.buffer);
                self.buffer.clear();
                self.work(now, &datagram, received.from);
                self.settle(now);
            }
        }
    }

    fn work(&mut self, now: Time, datagram: &Bytes, from: Locator) {
        let message = Message::parse(datagram).unwrap();
        let mut source = Source {
            prefix: message.header.prefix,
            vendor: message.header.vendor,
            version: message.header.version,
            multicast: false,
            from,
            called: false,
            addressed: false,
        };
        let (mut timestamp, mut for_us) = (None, true);
        for submessage in message {
            match submessage.unwrap() {
                Submessage::InfoTimestamp(t) => timestamp = t,
                Submessage::InfoDestination(p) => {
                    source.addressed = p == self.prefix;
                    for_us = source.addressed || p == GuidPrefix::UNKNOWN;
                }
                submessage if for_us => self.dispatch(now, &source, timestamp, &submessage),
                _ => {}
            }
        }
    }

    fn dispatch(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    ) {
        let Some((reader, writer)) = message.endpoints() else {
            panic!("not said by an endpoint: {message:?}");
        };
        if writer.is_builtin() {
            let Self {
                discovery,
                datagrams,
                events,
                ..
            } = self;
            discovery.handle(now, source, timestamp, message, datagrams, events);
            // Proxies must be there before what follows in the same datagram.
            return self.apply_events(now);
        }
        match message {
            Submessage::AckNack(_) | Submessage::NackFrag(_) => {
                self.answer(now, Guid::new(source.prefix, reader), writer, message);
            }
            _ => self.deliver(
                now,
                Guid::new(source.prefix, writer),
                reader,
                timestamp,
                message,
            ),
        }
    }

    fn answer(&mut self, now: Time, from: Guid, writer: EntityId, message: &Submessage<'_>) {
        let Some(local) = self.writers.get_mut(&writer) else {
            return;
        };
        let entity = writer;
        let (writer, out) = (&mut local.writer, &mut self.datagrams);
        match message {
            Submessage::AckNack(ack) => {
                let acknowledgement = writer.handle_ack_nack(now, from, ack, out);
                let writer = writer.guid();
                let news = acknowledgement.room.then_some(News::Room { writer });
                self.news.extend(news);
            }
            Submessage::NackFrag(nack) => writer.handle_nack_frag(now, from, nack, out),
            _ => {}
        }
        self.send(now, Some(entity));
    }

    fn deliver(
        &mut self,
        now: Time,
        from: Guid,
        reader: EntityId,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    ) {
        let wall = Timestamp(self.discovery.config().clock_offset.wrapping_add(now.0));
        let intake = &mut Copying { wall };
        let out = &mut self.datagrams;
        let mut gathers = false;
        for local in self.readers.values_mut() {
            let asked = reader == EntityId::UNKNOWN || local.reader.guid().entity == reader;
            if !asked || !local.sources.contains(&from) {
                continue;
            }
            let r = &mut local.reader;
            let delivery = match message {
                Submessage::Data(m) => {
                    let inline = InlineQos::parse(m.inline_qos).unwrap();
                    r.handle_data(now, from, timestamp, m, &inline, intake, out)
                }
                Submessage::DataFrag(m) => {
                    let inline = InlineQos::parse(m.inline_qos).unwrap();
                    r.handle_data_frag(now, from, timestamp, m, &inline, intake, out)
                }
                Submessage::Heartbeat(m) => r.handle_heartbeat(now, from, m, out),
                Submessage::HeartbeatFrag(m) => r.handle_heartbeat_frag(now, from, m, out),
                Submessage::Gap(m) => r.handle_gap(now, from, m, out),
                _ => Delivery::default(),
            };
            note(&mut self.news, r.guid(), from, &delivery);
            gathers |= delivery.gathers;
        }
        if gathers {
            self.open_gate(now);
        }
        self.note_life(now, from, message);
    }

    /// Carries out what discovery has decided and sends all that waits.
    fn settle(&mut self, now: Time) {
        self.apply_events(now);
        self.send(now, None);
    }

    /// Sends all that waits; what is for all matched readers was said by `speaker`.
    fn send(&mut self, now: Time, speaker: Option<EntityId>) {
        let Self {
            discovery,
            datagrams,
            transport,
            writers,
            locators,
            ..
        } = self;
        let announcements = announcements();
        datagrams.flush(now, transport, |to| match to {
            To::Announce => vec![&announcements],
            To::Endpoint(guid) if guid.entity.is_builtin() => {
                let (unicast, _) = discovery.metatraffic_locators(guid.prefix);
                nearest(transport, unicast).into_iter().collect()
            }
            To::Endpoint(guid) => locators.get(&guid).into_iter().collect(),
            To::Matched | To::Passing(_) => writers[&speaker.unwrap()].destinations(),
        });
    }

    fn apply_events(&mut self, now: Time) {
        for event in std::mem::take(&mut self.events) {
            self.apply(now, event);
        }
    }

    fn apply(&mut self, now: Time, event: Event) {
        match event {
            Event::ReaderMatched { writer, reader } => {
                self.locate(reader.guid, &reader.unicast);
                let local = self.writers.get_mut(&writer.entity).unwrap();
                local.aim(&self.transport, &reader);
                let last = local.writer.last_sequence();
                let proxy = ReaderProxyConfig {
                    guid: reader.guid,
                    reliable: reader.qos.reliability.is_reliable(),
                    durability: reader.qos.durability,
                    expects_inline_qos: reader.expects_inline_qos,
                    vendor: self.discovery.vendor(reader.guid.prefix),
                };
                local.writer.add_reader(now, proxy, &mut self.datagrams);
                let reader = reader.guid;
                self.news.push(News::ReaderMatched {
                    writer,
                    reader,
                    last,
                });
            }
            Event::ReaderChanged { writer, reader } => {
                self.locate(reader.guid, &reader.unicast);
                let local = self.writers.get_mut(&writer.entity).unwrap();
                local.aim(&self.transport, &reader);
            }
            Event::ReaderUnmatched { writer, reader, .. } => {
                let local = self.writers.get_mut(&writer.entity).unwrap();
                local.sinks.remove(&reader);
                local.writer.remove_reader(reader);
                self.news.push(News::ReaderUnmatched { writer, reader });
                self.news.push(News::Room { writer });
            }
            Event::WriterMatched { reader, writer } => {
                self.locate(writer.guid, &writer.unicast);
                let local = self.readers.get_mut(&reader.entity).unwrap();
                local.sources.push(writer.guid);
                let proxy = proxy_of(&writer, self.discovery.vendor(writer.guid.prefix));
                let writer = writer.guid;
                self.news.push(News::WriterMatched { reader, writer });
                local.reader.add_writer(now, proxy, &mut self.datagrams);
            }
            Event::WriterChanged { reader, writer } => {
                self.locate(writer.guid, &writer.unicast);
                let local = self.readers.get_mut(&reader.entity).unwrap();
                let proxy = proxy_of(&writer, self.discovery.vendor(writer.guid.prefix));
                local.reader.add_writer(now, proxy, &mut self.datagrams);
            }
            Event::WriterUnmatched {
                reader,
                writer,
                reason,
            } => {
                self.note_leaving(reader, writer);
                let local = self.readers.get_mut(&reader.entity).unwrap();
                local.sources.retain(|w| *w != writer);
                let silent = reason == UnmatchReason::ParticipantLost(LossReason::LeaseExpired);
                let delivery = match silent {
                    true => local.reader.lose_writer(now, writer),
                    false => local.reader.remove_writer(now, writer),
                };
                note(&mut self.news, reader, writer, &delivery);
                // Samples of the time before must not be mixed with those of the next match.
                let samples = self.take(reader.entity, usize::MAX);
                self.news.push(News::Taken { reader, samples });
                self.news.push(News::WriterUnmatched { reader, writer });
                self.open_gate(now);
            }
            Event::IncompatibleQos { local, remote, .. } => {
                self.news.push(News::Incompatible { local, remote });
            }
            Event::ParticipantLost { prefix, reason } => {
                self.news.push(News::ParticipantLost { prefix, reason });
            }
            status => self.apply_status(now, status),
        }
    }

    fn locate(&mut self, endpoint: Guid, unicast: &[Locator]) {
        let place = nearest(&self.transport, unicast).expect("an endpoint that can be reached");
        self.locators.insert(endpoint, *place);
    }
}

impl LocalWriter {
    fn aim(&mut self, transport: &MemoryTransport, reader: &ReaderData) {
        let group = nearest(transport, &reader.multicast);
        let place = group.or_else(|| nearest(transport, &reader.unicast));
        self.sinks.insert(reader.guid, *place.unwrap());
    }

    /// Where `To::Matched` goes: readers at one place need one datagram.
    fn destinations(&self) -> Vec<&Locator> {
        let mut all: Vec<_> = self.sinks.values().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn proxy_of(writer: &WriterData, vendor: VendorId) -> WriterProxyConfig {
    WriterProxyConfig {
        guid: writer.guid,
        reliable: writer.qos.reliability.is_reliable(),
        durability: writer.qos.durability,
        ownership_strength: writer.qos.ownership_strength,
        lifespan: writer.qos.lifespan,
        vendor,
    }
}

fn unicast(locators: &[Locator]) -> Vec<Locator> {
    let unicast = locators.iter().filter(|l| !l.is_multicast());
    unicast.copied().collect()
}

fn note(news: &mut Vec<News>, reader: Guid, writer: Guid, delivery: &Delivery) {
    if delivery.lost > 0 {
        let count = delivery.lost;
        news.push(News::Lost {
            reader,
            writer,
            count,
        });
    }
    if delivery.available {
        news.push(News::Data { reader });
    }
}

/// Copies what comes in.
struct Copying {
    /// What the wall clock shows.
    wall: Timestamp,
}

impl PayloadAllocator for Copying {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        match payload {
            Payload::Data(bytes) | Payload::Key(bytes) => load::instance_of(bytes),
            Payload::None => None,
        }
    }

    fn age(&mut self, written: Timestamp) -> Option<Duration> {
        let age = self.wall.0.checked_sub(written.0)?;
        (age >= 0).then(|| Duration::from_nanos(age))
    }
}
