//! Some participants and a clock that a test moves by the nanosecond: what happens, and when, is
//! the test's to say.
use crate::participant::{News, Participant};
use dunlin_qos::{
    DataReaderQos, DataWriterQos, LivelinessKind, Presentation, PublisherQos, SubscriberQos,
};
use dunlin_rtps::discovery::DiscoveryConfig;
use dunlin_rtps::{Change, ReaderConfig, Time, WriterConfig};
use dunlin_transport::{Faults, MemoryNetwork, MemoryTransport};
use dunlin_wire::{EntityId, EntityKind, Guid, GuidPrefix, ReaderData, Timestamp, WriterData};
use std::time::Duration as Span;

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1000 * MS;
/// From participant to participant, unless a test says otherwise.
pub(crate) const DELAY: i64 = MS;
/// What wall clocks show at the start.
const EPOCH: i64 = 1_700_000_000 * SECOND;

pub(crate) struct Stage {
    pub(crate) now: i64,
    pub(crate) network: MemoryNetwork,
    hosts: Vec<MemoryTransport>,
    participants: Vec<Option<Participant>>,
    entities: u32,
    /// What happened, in order: when, and to whom.
    pub(crate) news: Vec<(i64, News)>,
    pub(crate) writers: Vec<WriterData>,
    pub(crate) readers: Vec<ReaderData>,
    lives: u8,
    /// When something came, and to whom, since somebody cleared it.
    pub(crate) heard: Vec<(usize, i64)>,
}

impl Stage {
    /// So many participants that know each other, on a network without faults.
    pub(crate) fn new(participants: usize) -> Self {
        let mut stage = Self::with_faults(participants, 0, steady());
        for who in 0..participants {
            stage.start(who, |_| {});
        }
        stage.run_for(3 * SECOND);
        stage
    }

    /// Places for participants, none of which is started.
    pub(crate) fn with_faults(places: usize, seed: u64, faults: Faults) -> Self {
        let network = MemoryNetwork::with_virtual_time(seed, faults);
        Self {
            now: 0,
            hosts: (0..places).map(|_| network.host()).collect(),
            participants: (0..places).map(|_| None).collect(),
            network,
            entities: 0,
            news: Vec::new(),
            writers: Vec::new(),
            readers: Vec::new(),
            lives: 0,
            heard: Vec::new(),
        }
    }

    pub(crate) fn start(&mut self, who: usize, change: impl FnOnce(&mut DiscoveryConfig)) {
        self.lives += 1;
        let mut prefix = *b"DLpol\0\0\0\0\0\0\0";
        prefix[10] = self.lives;
        prefix[11] = u8::try_from(who).unwrap();
        let prefix = GuidPrefix(prefix);
        let host = self.hosts[who].clone();
        let prints = std::env::var_os("DUNLIN_SIM_TRACE").is_some();
        let mut participant = Participant::configured(prefix, host, EPOCH, prints, change);
        participant.start(Time(self.now));
        self.participants[who] = Some(participant);
        self.collect();
    }

    /// Ends a participant, with or without a goodbye.
    pub(crate) fn stop(&mut self, who: usize, graceful: bool) {
        let mut participant = self.participants[who].take().unwrap();
        if graceful {
            participant.goodbye(Time(self.now));
        }
    }

    /// Nothing goes to or comes from this one until `heal`.
    pub(crate) fn cut(&self, who: usize) {
        for other in self
            .hosts
            .iter()
            .filter(|h| h.address() != self.hosts[who].address())
        {
            self.network.cut(self.hosts[who].address(), other.address());
        }
    }

    pub(crate) fn is_there(&self, who: usize) -> bool {
        self.participants[who].is_some()
    }

    pub(crate) fn participant(&mut self, who: usize) -> &mut Participant {
        self.participants[who].as_mut().unwrap()
    }

    /// Whose endpoint it is.
    pub(crate) fn of(&mut self, endpoint: Guid) -> &mut Participant {
        let mut all = self.participants.iter_mut().flatten();
        all.find(|p| p.prefix() == endpoint.prefix).unwrap()
    }

    fn entity(&mut self, kind: EntityKind) -> EntityId {
        self.entities += 1;
        EntityId::user(self.entities, kind)
    }

    pub(crate) fn writer(&mut self, who: usize, qos: DataWriterQos) -> Guid {
        self.writer_of(who, "Square", qos, PublisherQos::default())
    }

    pub(crate) fn writer_of(
        &mut self,
        who: usize,
        topic: &str,
        qos: DataWriterQos,
        publisher: PublisherQos,
    ) -> Guid {
        let entity = self.entity(EntityKind::WriterWithKey);
        let mut data = WriterData::new(self.guid(who, entity), topic, "Shape");
        data.qos = qos;
        data.publisher = publisher;
        self.announce_writer(data)
    }

    /// Adds a writer as others are told of it.
    pub(crate) fn announce_writer(&mut self, data: WriterData) -> Guid {
        let (now, guid) = (Time(self.now), data.guid);
        let participant = self.of(guid);
        participant.present(data.publisher.presentation);
        let config = WriterConfig {
            reliability: data.qos.reliability.kind,
            durability: data.qos.durability,
            durability_service: data.qos.durability_service,
            history: data.qos.history,
            resource_limits: data.qos.resource_limits,
            lifespan: data.qos.lifespan,
            deadline: data.qos.deadline,
            keyed: true,
            group: participant.group(),
            ..WriterConfig::new(guid)
        };
        participant.add_writer(now, config, data.clone());
        self.writers.push(data);
        self.collect();
        guid
    }

    pub(crate) fn reader(&mut self, who: usize, qos: DataReaderQos) -> Guid {
        self.reader_of(who, "Square", qos, SubscriberQos::default())
    }

    pub(crate) fn reader_of(
        &mut self,
        who: usize,
        topic: &str,
        qos: DataReaderQos,
        subscriber: SubscriberQos,
    ) -> Guid {
        let entity = self.entity(EntityKind::ReaderWithKey);
        let mut data = ReaderData::new(self.guid(who, entity), topic, "Shape");
        data.qos = qos;
        data.subscriber = subscriber;
        self.announce_reader(data)
    }

    /// Adds a reader as others are told of it.
    pub(crate) fn announce_reader(&mut self, data: ReaderData) -> Guid {
        use dunlin_qos::AccessScope::{Group, Instance};
        let (now, guid, qos) = (Time(self.now), data.guid, &data.qos);
        let Presentation {
            access_scope,
            coherent_access,
            ordered_access,
        } = data.subscriber.presentation;
        let config = ReaderConfig {
            reliability: qos.reliability.kind,
            durability: qos.durability,
            history: qos.history,
            resource_limits: qos.resource_limits,
            ownership: qos.ownership,
            destination_order: qos.destination_order,
            deadline: qos.deadline,
            time_based_filter: qos.time_based_filter,
            lifecycle: qos.reader_data_lifecycle,
            keyed: true,
            across_instances: ordered_access && access_scope > Instance,
            coherent: coherent_access,
            grouped: access_scope == Group && (coherent_access || ordered_access),
            ordered: ordered_access,
            ..ReaderConfig::new(guid)
        };
        self.of(guid).add_reader(now, config, data.clone());
        self.readers.push(data);
        self.collect();
        guid
    }

    fn guid(&mut self, who: usize, entity: EntityId) -> Guid {
        Guid::new(self.participant(who).prefix(), entity)
    }

    /// What wall clocks show.
    pub(crate) fn wall(&self) -> Timestamp {
        Timestamp(EPOCH + self.now)
    }

    /// Writes, and says so to discovery where LIVELINESS wants to know.
    pub(crate) fn write(&mut self, writer: Guid, change: &Change) {
        let now = Time(self.now);
        let mut data = self.writers.iter().filter(|w| w.guid == writer);
        let liveliness = data.next().unwrap().qos.liveliness;
        let participant = self.of(writer);
        participant.write(now, writer.entity, change).unwrap();
        let manual = liveliness.kind != LivelinessKind::Automatic;
        if manual && !liveliness.lease_duration.is_infinite() {
            participant.assert_writer(now, writer);
        }
        self.collect();
    }

    pub(crate) fn change_writer(&mut self, guid: Guid, change: impl FnOnce(&mut WriterData)) {
        let now = Time(self.now);
        let mut all = self.writers.iter_mut();
        let data = all.find(|w| w.guid == guid).unwrap();
        change(data);
        let data = data.clone();
        self.of(guid).change_writer(now, data);
        self.collect();
    }

    pub(crate) fn change_reader(&mut self, guid: Guid, change: impl FnOnce(&mut ReaderData)) {
        let now = Time(self.now);
        let mut all = self.readers.iter_mut();
        let data = all.find(|r| r.guid == guid).unwrap();
        change(data);
        let data = data.clone();
        let lifecycle = data.qos.reader_data_lifecycle;
        self.of(guid).change_reader(now, data, lifecycle);
        self.collect();
    }

    pub(crate) fn run_for(&mut self, span: i64) {
        self.run_until(self.now + span);
    }

    /// Lets everything happen that happens until then, and at that very moment.
    pub(crate) fn run_until(&mut self, end: i64) {
        loop {
            self.collect();
            let arrival = self.network.next_arrival();
            let arrival = arrival.map(|at| i64::try_from(at.as_nanos()).unwrap());
            let there = self.participants.iter().flatten();
            let timer = there.filter_map(Participant::next_timeout).min();
            let next = [arrival, timer.map(|at| at.0)].into_iter().flatten().min();
            let Some(next) = next.map(|at| at.max(self.now)).filter(|at| *at <= end) else {
                break;
            };
            self.advance(next);
            let now = Time(next);
            for (who, host) in self.hosts.iter().enumerate() {
                let came = host.next_arrival();
                if came.is_some_and(|at| at <= self.network.now()) {
                    self.heard.push((who, next));
                }
            }
            for participant in self.participants.iter_mut().flatten() {
                participant.receive(now);
                if participant.next_timeout().is_some_and(|at| at <= now) {
                    participant.handle_timeout(now);
                }
            }
        }
        self.advance(end);
    }

    fn advance(&mut self, to: i64) {
        let by = u64::try_from(to - self.now).unwrap();
        self.network.advance(Span::from_nanos(by));
        self.now = to;
    }

    fn collect(&mut self) {
        for participant in self.participants.iter_mut().flatten() {
            let news = participant.news().into_iter();
            self.news.extend(news.map(|news| (self.now, news)));
        }
    }
}

/// A network that takes its time and does nothing else.
pub(crate) fn steady() -> Faults {
    Faults {
        delay: Span::from_nanos(DELAY.unsigned_abs()),
        ..Faults::default()
    }
}
