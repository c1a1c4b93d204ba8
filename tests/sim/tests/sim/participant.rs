//! A participant of `dunlin` in one thread, on a network in memory and on clocks that the world
//! moves; and what its application hears.
#[path = "participant/told.rs"]
mod told;

use crate::link::Link;
use crate::sample::{Keyed, Load, Shape, Written};
use dunlin::simulation::{self, Discovery, Reader, SimulatedClock, Simulation, Tuning, Writer};
use dunlin::transport::MemoryTransport;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Duration, EntityId,
    Error, Guid, GuidPrefix, ParticipantConfig, Publisher, PublisherQos, SampleInfo, Select,
    SequenceNumber, StatusMask, Subscriber, SubscriberQos, Timestamp, Topic, TopicQos, Transports,
    UntypedReader, UntypedWriter,
};
use dunlin_rtps::Time;
use std::collections::BTreeMap;
use std::sync::Arc;
use told::{Listening, Told, note_participants};

/// More than this is not due at one time.
const MOST_AT_ONCE: usize = 100_000;

pub(crate) struct Participant {
    pub(crate) link: Link,
    prefix: GuidPrefix,
    clock: Arc<SimulatedClock>,
    writers: BTreeMap<EntityId, Box<dyn Writing>>,
    readers: BTreeMap<EntityId, Box<dyn Reading>>,
    publishers: Vec<Publisher>,
    subscribers: Vec<Subscriber>,
    topic_qos: TopicQos,
    told: Told,
    _participants: dunlin::BuiltinSubscriber,
    entity: DomainParticipant,
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
    Data {
        reader: Guid,
    },
    Taken {
        reader: Guid,
        samples: Vec<Taken>,
    },
    ParticipantLost {
        prefix: GuidPrefix,
        silent: bool,
    },
    Liveliness {
        reader: Guid,
        writer: Guid,
        alive: bool,
    },
    LivelinessLost {
        writer: Guid,
    },
    DeadlinesMissed {
        endpoint: Guid,
        count: i32,
    },
    InconsistentTopic {
        topic: String,
        remote: Guid,
    },
}

impl News {
    /// Which pair matches from now on, and whether the writer says so.
    pub(crate) fn matched(&self) -> Option<(Guid, Guid, bool)> {
        match *self {
            Self::ReaderMatched { writer, reader, .. } => Some((writer, reader, true)),
            Self::WriterMatched { writer, reader } => Some((writer, reader, false)),
            _ => None,
        }
    }

    /// The same for a pair that matches no longer.
    pub(crate) fn unmatched(&self) -> Option<(Guid, Guid, bool)> {
        match *self {
            Self::ReaderUnmatched { writer, reader } => Some((writer, reader, true)),
            Self::WriterUnmatched { writer, reader } => Some((writer, reader, false)),
            _ => None,
        }
    }
}

/// A sample, or a notice without one.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) info: SampleInfo,
    pub(crate) load: Option<Load>,
}

/// How a participant is made.
pub(crate) struct Setup {
    pub(crate) prefix: GuidPrefix,
    pub(crate) entities: u32,
    pub(crate) tuning: Tuning,
    /// Endpoints of this process are spoken to directly.
    pub(crate) local: bool,
}

impl Participant {
    /// `now` and `wall` are what its clocks show.
    pub(crate) fn new(setup: Setup, host: MemoryTransport, now: Time, wall: i64) -> Self {
        Self::configured(setup, host, now, wall, |_| {})
    }

    pub(crate) fn configured(
        setup: Setup,
        host: MemoryTransport,
        now: Time,
        wall: i64,
        change: impl FnOnce(&mut ParticipantConfig),
    ) -> Self {
        let clock = SimulatedClock::new(now.0, wall);
        let link = Link::new(host, &clock);
        let mut config = ParticipantConfig {
            transport: Some(Arc::new(link.clone())),
            transports: Transports {
                local: setup.local,
                ..Transports::default()
            },
            announces_process: false,
            linger: Duration::ZERO,
            enabled: false,
            ..ParticipantConfig::default()
        };
        change(&mut config);
        let simulation = Simulation {
            prefix: setup.prefix,
            clock: Arc::clone(&clock),
            entities: setup.entities,
            tuning: setup.tuning,
        };
        let entity = simulation::join(0, config, simulation).unwrap();
        let told = Told::default();
        let participants = entity.builtin_subscriber();
        let others = told.clone();
        let listener = move |reader: &DataReader<_>| note_participants(reader, &others);
        let mask = dunlin::StatusKind::DataAvailable.into();
        participants.participants().set_listener(listener, mask);
        let participant = Self {
            link,
            prefix: setup.prefix,
            clock,
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            publishers: Vec::new(),
            subscribers: Vec::new(),
            topic_qos: TopicQos::default(),
            told,
            _participants: participants,
            entity,
        };
        participant.entity.enable().unwrap();
        participant
    }

    pub(crate) fn prefix(&self) -> GuidPrefix {
        self.prefix
    }

    pub(crate) fn entity(&self) -> &DomainParticipant {
        &self.entity
    }

    /// The most samples of a writer that wait in readers that are made from now on.
    pub(crate) fn set_max_pending(&self, most: u32) {
        simulation::set_max_pending(&self.entity, most);
    }

    /// Its clocks show this from now on.
    pub(crate) fn set_time(&self, now: Time, wall: i64) {
        self.clock.set(now.0, wall);
    }

    fn topic<T: Shape>(&self, name: &str) -> Topic<T> {
        let topic = self.entity.create_topic::<T>(name, self.topic_qos.clone());
        let topic = topic.unwrap();
        topic.set_listener(self.told.clone(), StatusMask::ALL);
        topic
    }

    /// Changes the QoS of a topic that it has, and of all that it makes.
    pub(crate) fn set_topic_qos(&mut self, name: &str, qos: TopicQos) {
        let topic = self.topic::<Keyed>(name);
        topic.set_qos(qos.clone()).unwrap();
        self.topic_qos = qos;
    }

    /// In the publisher that has this QoS.
    pub(crate) fn add_writer<T: Shape>(
        &mut self,
        topic: &str,
        qos: DataWriterQos,
        publisher: PublisherQos,
    ) -> Guid {
        let topic = self.topic::<T>(topic);
        let listener = self.told.clone();
        let all = &mut self.publishers;
        if all.iter().all(|p| p.qos() != publisher) {
            all.push(self.entity.create_publisher(publisher.clone()));
        }
        let publisher = all.iter().find(|p| p.qos() == publisher).unwrap();
        let writer = publisher.create_datawriter_with_listener(&topic, qos, listener);
        let writer = writer.unwrap();
        let guid = writer.guid();
        self.writers.insert(guid.entity, Box::new(writer));
        guid
    }

    pub(crate) fn add_reader<T: Shape>(
        &mut self,
        topic: &str,
        qos: DataReaderQos,
        subscriber: SubscriberQos,
        takes: bool,
    ) -> Guid {
        let topic = self.topic::<T>(topic);
        let listener = Listening {
            told: self.told.clone(),
            takes,
        };
        let all = &mut self.subscribers;
        if all.iter().all(|s| s.qos() != subscriber) {
            all.push(self.entity.create_subscriber(subscriber.clone()));
        }
        let subscriber = all.iter().find(|s| s.qos() == subscriber).unwrap();
        let reader = subscriber.create_datareader_with_listener(&topic, qos, listener);
        let reader = reader.unwrap();
        let guid = reader.guid();
        self.readers.insert(guid.entity, Box::new(reader));
        guid
    }

    /// Writes, stamped by its clock; `None` if the writer has no room.
    pub(crate) fn write(&self, writer: EntityId, change: &Written) -> Option<SequenceNumber> {
        self.write_with(writer, change, None)
    }

    /// As `write`, with a time stamp.
    pub(crate) fn write_with(
        &self,
        writer: EntityId,
        change: &Written,
        timestamp: Option<Timestamp>,
    ) -> Option<SequenceNumber> {
        match self.writers[&writer].write(change, timestamp) {
            Ok(number) => Some(number),
            Err(Error::Timeout { .. }) => None,
            Err(error) => panic!("{writer:?} cannot write: {error}"),
        }
    }

    /// Grows whenever a writer may have room again.
    pub(crate) fn room(&self, writer: EntityId) -> u64 {
        simulation::room(self.writers[&writer].untyped())
    }

    /// Its writers split samples that are longer, or none.
    pub(crate) fn set_fragment_size(&self, size: Option<u16>) {
        self.link
            .set_whole(size.map(|size| usize::from(size) + 160));
        let known = simulation::discovery(&self.entity, |discovery| {
            let all = discovery.participants().map(|data| data.guid.prefix);
            all.collect::<Vec<_>>()
        });
        self.link
            .change_ways(known.into_iter().chain([self.prefix]));
    }

    pub(crate) fn take(&self, reader: EntityId, max: usize) -> Vec<Taken> {
        self.readers[&reader].take(max)
    }

    /// How many samples the reader has lost of each writer.
    pub(crate) fn lost(&self, reader: EntityId) -> Vec<(Guid, u64)> {
        let reader = self.readers[&reader].untyped();
        let all = simulation::lost(reader);
        let sum: u64 = all.iter().map(|(_, count)| count).sum();
        let status = reader.sample_lost_status().total_count;
        assert_eq!(i64::from(status), sum.cast_signed(), "SAMPLE_LOST");
        all
    }

    pub(crate) fn writer<R>(&self, writer: EntityId, look: impl FnOnce(&Writer) -> R) -> R {
        simulation::writer(self.writers[&writer].untyped(), look)
    }

    pub(crate) fn reader<R>(&self, reader: EntityId, look: impl FnOnce(&Reader) -> R) -> R {
        simulation::reader(self.readers[&reader].untyped(), look)
    }

    pub(crate) fn discovery<R>(&self, look: impl FnOnce(&Discovery) -> R) -> R {
        simulation::discovery(&self.entity, look)
    }

    pub(crate) fn writers(&self) -> impl Iterator<Item = EntityId> {
        self.writers.keys().copied()
    }

    pub(crate) fn readers(&self) -> impl Iterator<Item = EntityId> {
        self.readers.keys().copied()
    }

    pub(crate) fn writer_qos(&self, writer: EntityId) -> DataWriterQos {
        self.writers[&writer].untyped().qos()
    }

    pub(crate) fn reader_qos(&self, reader: EntityId) -> DataReaderQos {
        self.readers[&reader].untyped().qos()
    }

    /// Announces a writer that its publisher did not.
    pub(crate) fn enable_writer(&self, writer: EntityId) {
        self.writers[&writer].untyped().enable().unwrap();
    }

    /// Changes the QoS of a writer.
    pub(crate) fn change_writer(&self, writer: EntityId, change: impl FnOnce(&mut DataWriterQos)) {
        let writer = self.writers[&writer].untyped();
        let mut qos = writer.qos();
        change(&mut qos);
        writer.set_qos(qos).unwrap();
    }

    /// Changes the QoS of a reader.
    pub(crate) fn change_reader(&self, reader: EntityId, change: impl FnOnce(&mut DataReaderQos)) {
        let reader = self.readers[&reader].untyped();
        let mut qos = reader.qos();
        change(&mut qos);
        reader.set_qos(qos).unwrap();
    }

    pub(crate) fn publishers(&self) -> &[Publisher] {
        &self.publishers
    }

    pub(crate) fn subscribers(&self) -> &[Subscriber] {
        &self.subscribers
    }

    pub(crate) fn assert_liveliness(&self, writer: EntityId) {
        self.writers[&writer].untyped().assert_liveliness();
    }

    pub(crate) fn begin_set(&self) {
        self.publishers
            .iter()
            .for_each(Publisher::begin_coherent_changes);
    }

    pub(crate) fn end_set(&self) {
        for publisher in &self.publishers {
            publisher.end_coherent_changes().unwrap();
        }
    }

    pub(crate) fn begin_access(&self) {
        self.subscribers.iter().for_each(|s| s.begin_access());
    }

    pub(crate) fn end_access(&self) {
        self.subscribers
            .iter()
            .for_each(|s| s.end_access().unwrap());
    }

    /// The readers in the order in which one sample is to be taken from each.
    pub(crate) fn readers_in_order(&self) -> Vec<EntityId> {
        let all = self.subscribers.iter();
        let all = all.flat_map(|s| s.datareaders(&Select::default()));
        all.map(|reader| reader.guid().entity).collect()
    }

    pub(crate) fn news(&self) -> Vec<News> {
        std::mem::take(&mut self.told.0.lock().unwrap())
    }

    pub(crate) fn next_due(&self) -> Option<Time> {
        simulation::next_due(&self.entity)
    }

    /// Does what is due, then what has come; nothing is left of either.
    pub(crate) fn step(&self) {
        for _ in 0..MOST_AT_ONCE {
            let due = simulation::run_due(&self.entity);
            if !due && !self.entity.poll_once() {
                let wrong = simulation::unsettled(&self.entity);
                assert_eq!(wrong, None, "{:?}", self.prefix);
                return;
            }
        }
        panic!("{:?} has something to do for ever", self.prefix);
    }
}

fn taken<T: Shape>(reader: &DataReader<T>, max: usize) -> Vec<Taken> {
    let select = Select {
        max,
        ..Select::default()
    };
    let samples = reader.take_with(&select).into_iter();
    let samples = samples.map(|sample| Taken {
        info: sample.info,
        load: sample.into_data().map(Shape::load),
    });
    samples.collect()
}

/// A writer of either type.
trait Writing {
    fn untyped(&self) -> &UntypedWriter;
    fn write(
        &self,
        change: &Written,
        timestamp: Option<Timestamp>,
    ) -> dunlin::Result<SequenceNumber>;
}

impl<T: Shape> Writing for DataWriter<T> {
    fn untyped(&self) -> &UntypedWriter {
        self
    }

    fn write(
        &self,
        change: &Written,
        timestamp: Option<Timestamp>,
    ) -> dunlin::Result<SequenceNumber> {
        simulation::change(self, change.kind, &T::of(change.load()), timestamp)
    }
}

/// A reader of either type.
trait Reading {
    fn untyped(&self) -> &UntypedReader;
    fn take(&self, max: usize) -> Vec<Taken>;
}

impl<T: Shape> Reading for DataReader<T> {
    fn untyped(&self) -> &UntypedReader {
        self
    }

    fn take(&self, max: usize) -> Vec<Taken> {
        taken(self, max)
    }
}
