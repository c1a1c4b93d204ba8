//! Dunlin as the middleware under test, through its public interface only.
//!
//! The publisher's thread waits in a wait set, where it takes the receive role and runs the
//! listeners itself, so a ping-pong has no hand-off between threads. The subscriber's listener
//! answers from Dunlin's own thread, which has nothing else to wait for.

mod buffers;
mod config;
mod taking;
mod terms;
mod types;

use std::cell::{Cell, RefCell};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use dunlin::{
    Batching, ContentFilteredTopic, DataReader, DataReaderQos, DataWriter, DataWriterQos,
    DomainParticipant, Duration, Error, GuardCondition, History, Publisher, Reliability,
    ResourceLimits, Select, StatusKind, Subscriber, WaitSet,
};
use dunlin_lock::Lock;

use config::{group_qos, participant_config};
pub(crate) use terms::{
    ANNOUNCE, HEARTBEAT, KEYS, LEASE, LINGER, NAP, NOTES, describe, key_parameters, losses,
    transports, without_effect,
};
pub(crate) use types::{Keyed, KeyedLarge, Large, Plain, TestData};

use crate::clock::{Nanos, monotonic};
use crate::messaging::{
    Durability, EndpointQos, KeyRange, Messaging, Publish, Sample, Topic, Wake, WriteError,
};
use crate::options::{Options, Role, XmlQos};
use crate::output::Log;
use taking::Taking;

/// Who takes the samples of the readers.
enum Reading {
    /// A listener each.
    Listener,
    /// `-useReadThread`: a thread each, since the main one is busy with writing.
    Threads(Vec<JoinHandle<()>>),
    /// `-useReadThread`: the main thread, which does nothing but wait for them, and so is the
    /// thread to read.
    Main(RefCell<Vec<Box<dyn FnMut()>>>),
}

impl Reading {
    fn of(options: &Options) -> Self {
        match (&options.read_thread, &options.role) {
            (None, _) => Self::Listener,
            (Some(_), Role::Publisher(publisher)) if !publisher.latency_test => {
                Self::Threads(Vec::new())
            }
            _ => Self::Main(RefCell::default()),
        }
    }
}

/// A participant of Dunlin for one of the four types.
pub(crate) struct Dds<T: TestData> {
    participant: DomainParticipant,
    publisher: Publisher,
    subscriber: Subscriber,
    set: WaitSet,
    /// A set with the guard alone: who waits there does not receive.
    bell: WaitSet,
    guard: GuardCondition,
    writers: [Option<DataWriter<T>>; 3],
    readers: [Option<DataReader<T>>; 3],
    /// `-multicast`: the groups of the topics.
    groups: Option<[Ipv4Addr; 3]>,
    /// `-qosFile`.
    xml: Option<Arc<XmlQos>>,
    reading: Reading,
    taking: Taking,
    flat: bool,
    /// All that comes goes to listeners, and the main thread waits for none of it.
    listens: bool,
    /// What could not be sent as long as nobody was there.
    unheard: Cell<u64>,
    closing: Arc<AtomicBool>,
}

impl<T: TestData> Dds<T> {
    /// Joins the domain. The error is text for the user.
    pub(crate) fn open(options: &Options, log: &Log) -> Result<Self, String> {
        for note in without_effect(options) {
            log.line(format!("Note: {note}."));
        }
        let config = participant_config(options)?;
        let participant = DomainParticipant::with_config(options.domain, config).map_err(text)?;
        log.line(format!("  {:<12} {}", "waiting", participant.waiting()));
        if let Some(note) = buffers::too_small(&participant.receivers()) {
            log.line(format!("  {:<12} {note}", "buffers"));
        }
        let (publisher, subscriber) = group_qos(options)?;
        let guard = GuardCondition::new();
        let set = WaitSet::new();
        set.attach(guard.clone());
        let bell = WaitSet::new();
        bell.attach(guard.clone());
        Ok(Self {
            publisher: participant.create_publisher(publisher),
            subscriber: participant.create_subscriber(subscriber),
            participant,
            set,
            bell,
            guard,
            writers: [None, None, None],
            readers: [None, None, None],
            groups: options.transport.multicast,
            xml: options.xml.clone(),
            reading: Reading::of(options),
            taking: Taking::of(options),
            flat: options.flat,
            listens: options.read_thread.is_none() && matches!(options.role, Role::Subscriber(_)),
            unheard: Cell::new(0),
            closing: Arc::default(),
        })
    }

    fn topic(&self, topic: Topic) -> Result<dunlin::Topic<T>, String> {
        self.participant
            .create_topic(topic.name(), Default::default())
            .map_err(text)
    }

    /// The samples of a topic that have one of these keys, and those that steer a run.
    fn filtered(
        &self,
        topic: &dunlin::Topic<T>,
        keys: KeyRange,
    ) -> Result<ContentFilteredTopic<T>, String> {
        let parameters = key_parameters(keys);
        let parameters: Vec<_> = parameters.iter().map(String::as_str).collect();
        self.participant
            .create_contentfilteredtopic(FILTERED, topic, KEYS, &parameters)
            .map_err(text)
    }

    fn read_in_thread(
        closing: Arc<AtomicBool>,
        taking: Taking,
        reader: DataReader<T>,
        mut on_sample: impl FnMut(&Sample<'_>) + Send + 'static,
    ) -> JoinHandle<()> {
        std::thread::spawn(move || {
            let set = WaitSet::new();
            set.attach(reader.read_condition(Select::default()));
            while !closing.load(Ordering::Relaxed) {
                // A time-out is the moment to look at the flag.
                let _ = set.wait(Duration::from_nanos(NAP as i64));
                taking.drain(&reader, &mut on_sample);
            }
        })
    }

    /// Where to wait. Once all is matched, a subscriber with listeners leaves receiving to Dunlin's
    /// thread: that waits without a time limit, so that each sample costs one system call. A change
    /// of matches is seen after a nap then.
    fn place(&self) -> &WaitSet {
        let writers = self
            .writers
            .iter()
            .flatten()
            .map(|writer| writer.matched_count());
        let readers = self
            .readers
            .iter()
            .flatten()
            .map(|reader| reader.matched_count());
        match self.listens && writers.chain(readers).all(|partners| partners > 0) {
            true => &self.bell,
            false => &self.set,
        }
    }

    /// Takes changes of matches back, so that the wait set sleeps until the next one.
    fn note_matches(&self) {
        for writer in self.writers.iter().flatten() {
            if writer
                .status_changes()
                .contains(StatusKind::PublicationMatched)
            {
                writer.publication_matched_status();
            }
        }
        for reader in self.readers.iter().flatten() {
            if reader
                .status_changes()
                .contains(StatusKind::SubscriptionMatched)
            {
                reader.subscription_matched_status();
            }
        }
        if self.is_alone() {
            self.unheard.set(self.participant.counters().unsent);
        }
    }

    fn is_alone(&self) -> bool {
        let mut writers = self.writers.iter().flatten();
        let mut readers = self.readers.iter().flatten();
        writers.all(|writer| writer.matched_count() == 0)
            && readers.all(|reader| reader.matched_count() == 0)
    }
}

impl<T: TestData> Drop for Dds<T> {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        if let Reading::Threads(threads) = &mut self.reading {
            for thread in threads.drain(..) {
                // A panic in it has been printed already.
                let _ = thread.join();
            }
        }
    }
}

/// The name of the content filtered topic.
const FILTERED: &str = "ThroughputFiltered";

fn text(error: Error) -> String {
    error.to_string()
}

fn reliability(qos: &EndpointQos) -> Reliability {
    let kind = if qos.reliable {
        Reliability::RELIABLE
    } else {
        Reliability::BEST_EFFORT
    };
    Reliability {
        max_blocking_time: Duration::from_nanos(qos.max_blocking as i64),
        ..kind
    }
}

fn durability(qos: &EndpointQos) -> dunlin::Durability {
    match qos.durability {
        Durability::Volatile => dunlin::Durability::Volatile,
        Durability::TransientLocal => dunlin::Durability::TransientLocal,
    }
}

fn history(qos: &EndpointQos) -> History {
    qos.depth.map_or(History::KeepAll, History::KeepLast)
}

fn limits(qos: &EndpointQos) -> ResourceLimits {
    ResourceLimits {
        max_samples: qos.max_samples,
        max_instances: None,
        max_samples_per_instance: None,
    }
}

/// A writer of one topic.
pub(crate) struct DdsWriter<T> {
    writer: DataWriter<T>,
    /// `-flatData`: payload is not taken from anywhere; it is what the memory holds from which it
    /// is sent.
    flat: bool,
}

impl<T> Clone for DdsWriter<T> {
    fn clone(&self) -> Self {
        Self {
            writer: self.writer.clone(),
            ..*self
        }
    }
}

impl<T: TestData> DdsWriter<T> {
    fn send(&self, sample: &Sample<'_>) -> dunlin::Result<dunlin::SequenceNumber> {
        if !self.flat || sample.data.len() <= NOTES {
            return self.writer.write(&T::of(sample));
        }
        let octets = self.writer.loan_bytes(sample.data.len()).freeze();
        self.writer
            .write(&T::of(&Sample::of(sample.header, &octets)))
    }
}

impl<T: TestData> Publish for DdsWriter<T> {
    fn register_instances(&self, instances: u32) -> Result<(), WriteError> {
        if !T::HAS_KEY {
            return Ok(());
        }
        for key in 0..instances {
            self.writer
                .register_instance(&T::of_key(key))
                .map_err(|error| WriteError::Failed(text(error)))?;
        }
        Ok(())
    }

    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        match self.send(sample) {
            Ok(_) => Ok(()),
            Err(Error::Timeout { .. }) => Err(WriteError::Timeout),
            Err(error) => Err(WriteError::Failed(text(error))),
        }
    }

    fn flush(&self) {
        self.writer.flush();
    }
}

/// Ends a wait of the main thread.
#[derive(Clone)]
pub(crate) struct DdsWaker(GuardCondition);

impl Wake for DdsWaker {
    fn wake(&self) {
        self.0.set_trigger_value(true);
    }
}

impl<T: TestData> Messaging for Dds<T> {
    type Writer = DdsWriter<T>;
    type Waker = DdsWaker;

    fn writer(&mut self, topic: Topic, qos: &EndpointQos) -> Result<DdsWriter<T>, String> {
        let xml = self.xml.as_ref().map(|xml| xml.writer(topic)).transpose()?;
        let (base, remembers) = xml.unwrap_or_default();
        let writer_qos = DataWriterQos {
            reliability: reliability(qos),
            durability: durability(qos),
            history: if remembers {
                base.history
            } else {
                history(qos)
            },
            resource_limits: limits(qos),
            batching: Batching {
                max_bytes: qos.batch_bytes,
            },
            ..base
        };
        let writer = self
            .publisher
            .create_datawriter(&self.topic(topic)?, writer_qos)
            .map_err(text)?;
        let condition = writer.status_condition();
        condition.set_enabled_statuses(StatusKind::PublicationMatched.into());
        self.set.attach(condition);
        self.writers[topic as usize] = Some(writer.clone());
        Ok(DdsWriter {
            writer,
            flat: self.flat,
        })
    }

    fn reader<F>(&mut self, topic: Topic, qos: &EndpointQos, mut on_sample: F) -> Result<(), String>
    where
        F: FnMut(&Sample<'_>) + Send + 'static,
    {
        let xml = self.xml.as_ref().map(|xml| xml.reader(topic)).transpose()?;
        let (base, remembers) = xml.unwrap_or_default();
        let group = self.groups.map(|groups| groups[topic as usize]);
        let reader_qos = DataReaderQos {
            reliability: reliability(qos),
            durability: durability(qos),
            history: if remembers {
                base.history
            } else {
                history(qos)
            },
            resource_limits: limits(qos),
            multicast: group.map_or(base.multicast.clone(), |group| vec![group]),
            ..base
        };
        let dds_topic = self.topic(topic)?;
        let filtered = qos.keys.map(|keys| self.filtered(&dds_topic, keys));
        let filtered = filtered.transpose()?;
        let plain = |qos| {
            match &filtered {
                Some(filtered) => self.subscriber.create_datareader(filtered, qos),
                None => self.subscriber.create_datareader(&dds_topic, qos),
            }
            .map_err(text)
        };
        let taking = self.taking.clone();
        let reader = match &mut self.reading {
            Reading::Threads(threads) => {
                let reader = plain(reader_qos)?;
                let closing = Arc::clone(&self.closing);
                threads.push(Self::read_in_thread(
                    closing,
                    taking,
                    reader.clone(),
                    on_sample,
                ));
                reader
            }
            Reading::Main(reads) => {
                let reader = plain(reader_qos)?;
                self.set.attach(reader.read_condition(Select::default()));
                let source = reader.clone();
                reads
                    .get_mut()
                    .push(Box::new(move || taking.drain(&source, &mut on_sample)));
                reader
            }
            Reading::Listener => {
                // Calls for one reader do not overlap, so the lock is free; it only turns `Fn` into
                // `FnMut`.
                let on_sample = Lock::new(move |sample: &Sample<'_>| on_sample(sample));
                let listener = move |reader: &DataReader<T>| {
                    taking.drain(reader, &mut *on_sample.lock());
                };
                let created = match &filtered {
                    Some(filtered) => self
                        .subscriber
                        .create_datareader_with_listener(filtered, reader_qos, listener),
                    None => self
                        .subscriber
                        .create_datareader_with_listener(&dds_topic, reader_qos, listener),
                };
                created.map_err(text)?
            }
        };
        let condition = reader.status_condition();
        condition.set_enabled_statuses(StatusKind::SubscriptionMatched.into());
        self.set.attach(condition);
        self.readers[topic as usize] = Some(reader);
        Ok(())
    }

    fn waker(&self) -> DdsWaker {
        DdsWaker(self.guard.clone())
    }

    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        loop {
            if until() {
                return true;
            }
            // Reset before the condition is read: what changes after this sets it again.
            self.guard.set_trigger_value(false);
            self.note_matches();
            let now = monotonic();
            if until() {
                return true;
            }
            if now >= deadline {
                return false;
            }
            // A time-out is looked at above.
            let _ = self
                .place()
                .wait(Duration::from_nanos((deadline - now).min(NAP) as i64));
            if let Reading::Main(reads) = &self.reading {
                reads.borrow_mut().iter_mut().for_each(|read| read());
            }
        }
    }

    fn matched(&self, topic: Topic) -> usize {
        let writer = self.writers[topic as usize]
            .as_ref()
            .map(|writer| writer.matched_count());
        writer.unwrap_or_else(|| {
            self.readers[topic as usize]
                .as_ref()
                .map_or(0, |reader| reader.matched_count())
        })
    }

    fn losses(&self) -> Option<String> {
        let mut counters = self.participant.counters();
        counters.unsent = counters.unsent.saturating_sub(self.unheard.get());
        buffers::losses(&self.participant.receivers(), counters)
    }

    fn describe_discovery(&self) -> String {
        let found = self.participant.describe_discovery();
        let writers = self
            .writers
            .iter()
            .flatten()
            .flat_map(|writer| writer.explain_matching());
        let readers = self
            .readers
            .iter()
            .flatten()
            .flat_map(|reader| reader.explain_matching());
        describe(found, writers.chain(readers), T::TYPE_NAME)
    }
}
