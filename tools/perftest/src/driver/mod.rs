//! A program in another language as the middleware under test: it creates the entities, runs the
//! measured loop, listens, counts and echoes. The protocol steers it by numbers.
//!
//! `dunlin_perftest_abi` makes a `Driver` of a table of functions in C.

mod driven;
mod settings;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use driven::Driven;
pub use settings::{Endpoint, Settings};

pub use crate::messaging::{Header, Topic};

use crate::clock::Nanos;
use crate::messaging::Sample;

/// What a part of a measured segment does.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// A segment begins: everything is counted from 0.
    pub begins: bool,
    /// Each ping waits for its echo; else pings are a few among many samples.
    pub one_at_a_time: bool,
    /// There are pings.
    pub pings: bool,
    /// It is for practice: nobody counts the pings.
    pub practice: bool,
    /// Octets of each sample's payload.
    pub payload: usize,
    /// How many samples the segment has by the end of this part, at most.
    pub samples: u64,
    /// When this part ends, whatever has been done.
    pub until: Nanos,
    /// How long a ping waits for its echo, at most.
    pub ping_timeout: Nanos,
    /// What the samples have as `entity_id`.
    pub entity_id: i32,
    /// The number of the segment's first sample.
    pub first_seq: u32,
    /// The key of all samples; without one all instances take turns.
    pub instance: Option<u32>,
    /// Pings go to each of so many subscribers in turn.
    pub subscribers: u32,
    /// Samples in a batch.
    pub per_batch: u64,
    /// One batch in so many has a ping, each time one place further.
    pub ping_every: u64,
    /// Where the round trips of the answers go, in nanoseconds: that of answer `n` to place `n`
    /// modulo the length, which is a power of two.
    pub ring: &'a [std::sync::atomic::AtomicU64],
    /// Answers that have been taken out of the ring.
    pub taken: u64,
}

/// What a measured segment has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Samples that were written.
    pub sent: u64,
    /// Those of them that are pings.
    pub pings: u64,
    /// Pings whose echo came in time.
    pub answers: u64,
    /// Pings whose time was over.
    pub lost: u64,
    /// Echoes that belong to no ping under way.
    pub late: u64,
    /// A ping is under way.
    pub waiting: bool,
    /// A sample waits for room in the send queue.
    pub blocked: bool,
}

/// What a subscriber has counted of a publisher since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Samples of data.
    pub packets: u64,
    /// Their sizes, as Perftest counts them.
    pub bytes: u64,
    /// Samples of the warm-up.
    pub others: u64,
    /// Echoes that could not be sent.
    pub echo_failures: u64,
    /// Numbers that were passed over and have not come since.
    pub lost: i64,
    /// The size of the last sample.
    pub size: u32,
    /// The next number.
    pub expected: u32,
}

/// Datagrams that the system did not keep, and messages that it did not send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Dropped because nobody read them in time.
    pub dropped: u64,
    /// Not sent.
    pub unsent: u64,
}

/// Why a driver did not write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The queue stayed full.
    Full,
    /// Anything that trying again does not cure.
    Failed(String),
}

/// What a control sample carries.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// These octets.
    Octets(&'a [u8]),
    /// So many octets of the payload that the driver itself has.
    Payload(usize),
}

/// The program. Errors are text for the user.
pub trait Driver: Send + Sync + 'static {
    /// The language, as it is printed.
    fn language(&self) -> &str;

    /// Whether it becomes faster while it runs.
    fn settles(&self) -> bool;

    /// Joins the domain. Samples that are not data go into the inbox.
    fn open(&self, settings: &Settings, inbox: &Arc<Inbox>) -> Result<(), String>;

    /// Creates the writer of a topic.
    fn writer(&self, endpoint: &Endpoint) -> Result<(), String>;

    /// Creates the reader of a topic.
    fn reader(&self, endpoint: &Endpoint) -> Result<(), String>;

    /// Makes all instances known to the writer of a topic.
    fn register(&self, topic: Topic) -> Result<(), String>;

    /// How many remote endpoints are matched on this topic.
    fn matched(&self, topic: Topic) -> usize;

    /// Waits until something happens, at most so long. With `receives` the thread receives
    /// meanwhile.
    fn wait(&self, timeout: Nanos, receives: bool) -> Result<(), String>;

    /// Ends a wait, or the next one.
    fn wake(&self);

    /// Writes a sample that is not measured, once.
    fn control(&self, topic: Topic, header: &Header, content: Content<'_>) -> Result<(), Refused>;

    /// Sends what batching holds back.
    fn flush(&self, topic: Topic);

    /// Runs a part of a measured segment.
    fn measure(&self, plan: &Plan<'_>) -> Result<Progress, String>;

    /// From now on the samples of a publisher are those with this `entity_id`, and the next one has
    /// this number.
    fn attach(&self, publisher: u32, entity_id: i32, next_seq: u32);

    /// What has been counted of a publisher.
    fn traffic(&self, publisher: u32) -> Counted;

    /// What has been discovered, and why nothing matched, a line each.
    fn explain(&self) -> String;

    /// What the system lost.
    fn losses(&self) -> Losses;

    /// Blocks of memory that the process has allocated so far, if they are counted.
    fn allocations(&self) -> Option<u64>;

    /// Ends everything. No sample comes any more when it returns.
    fn close(&self);
}

type Callback = Box<dyn FnMut(&Sample<'_>) + Send>;

/// Where a driver puts the samples that steer a run, and the first sample of data of each segment.
#[derive(Default)]
pub struct Inbox {
    readers: [Mutex<Option<Callback>>; 3],
}

impl Inbox {
    /// Takes a sample, in the thread that received it.
    pub fn sample(&self, topic: Topic, header: Header, data: &[u8]) {
        if let Some(reader) = &mut *self.reader(topic) {
            reader(&Sample {
                header,
                data,
                shared: None,
            });
        }
    }

    fn set(&self, topic: Topic, reader: Callback) {
        *self.reader(topic) = Some(reader);
    }

    fn reader(&self, topic: Topic) -> MutexGuard<'_, Option<Callback>> {
        let reader = &self.readers[topic as usize];
        reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}
