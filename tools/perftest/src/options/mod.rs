//! The command line, from arguments to what a run needs to know.

mod check;
mod find;
mod help;
mod parse;
mod peer;
mod relay;
mod stream;
mod summary;
mod table;
mod xml;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{MILLISECOND, Nanos};
use crate::messaging::{Durability, EndpointQos, KeyRange, OVERHEAD, Topic};

pub(crate) use check::options;
pub(crate) use help::help;
pub(crate) use parse::parse;
pub(crate) use peer::Peer;
pub(crate) use relay::{RelayOptions, relay};
pub(crate) use stream::{DEFAULT_PORT, StreamOptions};
pub(crate) use summary::{relay_summary, summary};
pub(crate) use xml::XmlQos;

/// Largest sample of the bounded type.
const BOUNDED_PAYLOAD: usize = 65_470;

/// Echoes and announcements that a publisher keeps until it takes them.
const ECHOES: u32 = 100;

/// Announcements that a subscriber keeps for late joiners.
const ANNOUNCEMENTS: u32 = 10;

/// Largest sample that is sent without fragments by UDP, in bytes.
pub(crate) const UNFRAGMENTED: usize = 64_969;

/// Short, so that a blocked write cannot stretch the execution time; the engine offers the sample
/// again.
const MAX_BLOCKING: Nanos = 5 * MILLISECOND;

/// So short that it is known when the sample was sent.
const OPEN_LOOP_BLOCKING: Nanos = MILLISECOND / 5;

/// How a run is paced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// As fast as the writer takes samples.
    Unlimited,
    /// Samples per second on an absolute schedule.
    Rate { per_second: f64, spin: bool },
    /// A pause before each write.
    Pause { sleep_ms: u64, spins: u64 },
}

/// Form of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Json,
    Legacy,
}

/// What only a publisher knows.
#[derive(Clone, Debug)]
pub(crate) struct PublisherOptions {
    pub(crate) id: u32,
    pub(crate) subscribers: u32,
    pub(crate) latency_test: bool,
    pub(crate) iterations: u64,
    pub(crate) latency_count: u64,
    /// Nanoseconds from the end of the warm-up.
    pub(crate) execution_time: Option<u64>,
    pub(crate) initial_burst: Option<u64>,
    pub(crate) pace: Pace,
    /// Pings per second on a schedule that waits for no answer.
    pub(crate) open_loop: Option<f64>,
    pub(crate) write_instance: Option<u32>,
    /// Sizes to run, one after the other.
    pub(crate) sizes: Vec<usize>,
    pub(crate) latency_file: Option<PathBuf>,
    pub(crate) histogram_file: Option<PathBuf>,
    pub(crate) response_histogram_file: Option<PathBuf>,
}

/// What only a subscriber knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubscriberOptions {
    pub(crate) id: u32,
    pub(crate) publishers: u32,
    /// Keys that pass the content filter.
    pub(crate) keys: Option<KeyRange>,
}

/// The side that this process takes.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    Publisher(PublisherOptions),
    Subscriber(SubscriberOptions),
}

/// How the tables look and where they go.
#[derive(Clone, Debug)]
pub(crate) struct OutputOptions {
    pub(crate) format: Format,
    pub(crate) intervals: bool,
    pub(crate) headers: bool,
    pub(crate) cpu: bool,
    pub(crate) nanoseconds: bool,
    pub(crate) file: Option<PathBuf>,
}

/// What carries the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Shared memory where it reaches, else UDP.
    Both,
    Udp,
    Shmem,
    Tcp,
    /// TCP through TLS.
    Tls,
}

/// How samples travel.
#[derive(Clone, Debug)]
pub(crate) struct TransportOptions {
    pub(crate) carrier: Carrier,
    pub(crate) raw: bool,
    /// Sleep in the kernel instead of spinning (without DDS).
    pub(crate) raw_blocking: bool,
    pub(crate) nics: Vec<String>,
    pub(crate) peers: Vec<Peer>,
    /// Groups of Throughput, Latency and Announcement.
    pub(crate) multicast: Option<[Ipv4Addr; 3]>,
    pub(crate) stream: StreamOptions,
    pub(crate) message_size_max: Option<usize>,
    pub(crate) send_buffer: Option<usize>,
    pub(crate) receive_buffer: Option<usize>,
}

/// Receiving in a thread of our own instead of in the listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadThread {
    pub(crate) delay_us: u64,
    pub(crate) events: u64,
}

/// Everything that one side of a run needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) role: Role,
    pub(crate) domain: u32,
    pub(crate) data_len: usize,
    pub(crate) reliable: bool,
    pub(crate) keyed: bool,
    pub(crate) unbounded: bool,
    pub(crate) instances: u32,
    pub(crate) durability: Durability,
    pub(crate) send_queue: u32,
    pub(crate) receive_queue: u32,
    /// 0 sends each sample at once.
    pub(crate) batch_bytes: u32,
    /// Why batching is off although nobody asked for that.
    pub(crate) batch_note: &'static str,
    pub(crate) asynchronous: bool,
    /// Samples are built in memory of the middleware.
    pub(crate) flat: bool,
    /// The receiver reads them there.
    pub(crate) zero_copy: bool,
    /// ... and looks afterwards whether they stayed the same.
    pub(crate) check_consistency: bool,
    pub(crate) read_thread: Option<ReadThread>,
    pub(crate) verbosity: u64,
    /// Nanoseconds to wait for the other side.
    pub(crate) discovery_timeout: u64,
    pub(crate) pin: Option<usize>,
    pub(crate) output: OutputOptions,
    pub(crate) transport: TransportOptions,
    /// QoS of a file; without one, the built-in QoS counts alone.
    pub(crate) xml: Option<Arc<XmlQos>>,
}

impl Options {
    /// The registered type name, which both sides must agree on.
    pub(crate) fn type_name(&self) -> &'static str {
        match (self.keyed, self.large()) {
            (false, false) => "TestData_t",
            (true, false) => "TestDataKeyed_t",
            (false, true) => "TestDataLarge_t",
            (true, true) => "TestDataKeyedLarge_t",
        }
    }

    /// Whether the type with the unbounded sequence is used.
    pub(crate) fn large(&self) -> bool {
        self.unbounded || self.data_len > BOUNDED_PAYLOAD
    }

    /// Processes of the other side.
    pub(crate) fn partners(&self) -> usize {
        match &self.role {
            Role::Publisher(publisher) => publisher.subscribers as usize,
            Role::Subscriber(subscriber) => subscriber.publishers as usize,
        }
    }

    /// The rate of the schedule, if this side keeps one that waits for no answer.
    pub(crate) fn open_loop(&self) -> Option<f64> {
        match &self.role {
            Role::Publisher(publisher) => publisher.open_loop,
            Role::Subscriber(_) => None,
        }
    }

    /// Samples that one batch holds.
    pub(crate) fn samples_per_batch(&self) -> u64 {
        (self.batch_bytes as usize / self.data_len.max(1)).max(1) as u64
    }

    /// Samples that the writer may have under way: the queue is as long in samples as it is in
    /// batches when batching.
    fn send_window(&self) -> u32 {
        let samples = u64::from(self.send_queue).saturating_mul(self.samples_per_batch());
        u32::try_from(samples).unwrap_or(u32::MAX)
    }

    /// Payload bytes of a sample of this size.
    pub(crate) fn payload(size: usize) -> usize {
        size.saturating_sub(OVERHEAD)
    }

    /// The QoS of the writer of a topic.
    pub(crate) fn writer_qos(&self, topic: Topic) -> EndpointQos {
        let announcement = topic == Topic::Announcement;
        EndpointQos {
            max_samples: (topic == Topic::Throughput).then(|| self.send_window()),
            batch_bytes: if topic == Topic::Throughput {
                self.batch_bytes
            } else {
                0
            },
            // What was announced long ago tells nobody anything.
            depth: announcement.then_some(ANNOUNCEMENTS),
            ..self.qos(topic, announcement)
        }
    }

    /// The QoS of the reader of a topic.
    pub(crate) fn reader_qos(&self, topic: Topic) -> EndpointQos {
        let announcement = topic == Topic::Announcement;
        EndpointQos {
            max_samples: Some(if topic == Topic::Throughput {
                self.receive_queue
            } else {
                ECHOES
            }),
            // The original keeps one, so that a burst of echoes overwrites itself; ours would then
            // look lost.
            depth: (topic != Topic::Throughput).then_some(ECHOES),
            keys: match &self.role {
                Role::Subscriber(subscriber) if topic == Topic::Throughput => subscriber.keys,
                _ => None,
            },
            ..self.qos(topic, announcement)
        }
    }

    fn qos(&self, topic: Topic, announcement: bool) -> EndpointQos {
        EndpointQos {
            reliable: self.reliable || announcement,
            durability: match topic {
                Topic::Announcement => Durability::TransientLocal,
                Topic::Throughput => self.durability,
                Topic::Latency => Durability::Volatile,
            },
            depth: None,
            max_samples: None,
            batch_bytes: 0,
            keys: None,
            max_blocking: if self.open_loop().is_some() {
                OPEN_LOOP_BLOCKING
            } else {
                MAX_BLOCKING
            },
        }
    }
}
