//! What the benchmark asks of a middleware: two traits that are dispatched statically on the data
//! path.

use std::sync::Arc;

use bytes::Bytes;

use crate::clock::Nanos;
use crate::driver::Driver;

/// Bytes of a sample that are not payload: six 4-byte members and the length of the sequence.
pub(crate) const OVERHEAD: usize = 28;

/// The three topics of a run. All carry the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Publisher to subscriber: data, pings and control samples.
    Throughput,
    /// Subscriber to publisher: echoes.
    Latency,
    /// Subscriber to publisher: the hand-shake. Always reliable.
    Announcement,
}

impl Topic {
    /// The name that discovery shows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Topic::Throughput => "Throughput",
            Topic::Latency => "Latency",
            Topic::Announcement => "Announcement",
        }
    }
}

/// All members of `TestData_t` but the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Header {
    /// The instance: a number, its least significant octet first.
    pub key: [u8; 4],
    /// The run, and the publisher or subscriber in it.
    pub entity_id: i32,
    /// Counts the samples of a publisher.
    pub seq_num: u32,
    /// High half of the 64-bit clock (in nanoseconds), as the original splits its counter.
    pub timestamp_sec: i32,
    /// Low half of the 64-bit clock.
    pub timestamp_usec: u32,
    /// The subscriber that echoes the sample; below 0 what else the sample is for.
    pub latency_ping: i32,
}

impl Header {
    /// The time when the sample was sent, as [`Header::stamp`] put it in.
    pub(crate) fn timestamp(&self) -> Nanos {
        u64::from(self.timestamp_sec as u32) << 32 | u64::from(self.timestamp_usec)
    }

    /// Puts a time into the two timestamp members.
    pub(crate) fn stamp(&mut self, now: Nanos) {
        self.timestamp_sec = (now >> 32) as u32 as i32;
        self.timestamp_usec = now as u32;
    }
}

/// One sample, borrowed from whoever holds the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) header: Header,
    pub(crate) data: &'a [u8],
    /// The same bytes as a counted reference, where there is one: a writer may keep it instead of
    /// copying.
    pub(crate) shared: Option<&'a Bytes>,
}

impl<'a> Sample<'a> {
    /// A sample whose payload is a counted reference.
    pub(crate) fn of(header: Header, data: &'a Bytes) -> Self {
        Self {
            header,
            data,
            shared: Some(data),
        }
    }

    /// Size as Perftest counts it: payload and the 28 bytes of members.
    pub(crate) fn data_len(&self) -> usize {
        self.data.len() + OVERHEAD
    }
}

/// Durability of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    Volatile,
    TransientLocal,
}

/// The keys that a reader wants, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) first: u16,
    pub(crate) last: u16,
}

/// What one endpoint asks of its middleware (section 3.2 of the behaviour that we follow).
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointQos {
    pub(crate) reliable: bool,
    pub(crate) durability: Durability,
    /// `None` keeps all samples, up to `max_samples`.
    pub(crate) depth: Option<u32>,
    pub(crate) max_samples: Option<u32>,
    /// Pack samples until this many bytes; 0 sends each sample at once.
    pub(crate) batch_bytes: u32,
    /// Longest time that one write may block, nanoseconds.
    pub(crate) max_blocking: Nanos,
    /// Of a reader: of data and pings it wants only those with these keys. What steers a run comes
    /// all the same.
    pub(crate) keys: Option<KeyRange>,
}

/// Why a sample was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WriteError {
    /// The queue stayed full for `max_blocking`; the sample may be offered again.
    #[error("the send queue stayed full")]
    Timeout,
    /// Anything that trying again does not cure.
    #[error("{0}")]
    Failed(String),
}

/// One participant of the middleware under test, with at most one endpoint per topic.
pub(crate) trait Messaging {
    /// Sends samples of one topic, from any thread.
    type Writer: Publish;
    /// Makes [`Messaging::wait`] look at its condition again.
    type Waker: Wake;

    /// Creates the writer of a topic. The error is text for the user.
    fn writer(&mut self, topic: Topic, qos: &EndpointQos) -> Result<Self::Writer, String>;

    /// Creates the reader of a topic. `on_sample` runs on the thread that receives, which may be
    /// the one inside [`Messaging::wait`]; it neither blocks nor allocates.
    fn reader<F>(&mut self, topic: Topic, qos: &EndpointQos, on_sample: F) -> Result<(), String>
    where
        F: FnMut(&Sample<'_>) + Send + 'static;

    /// A handle that callbacks use to end a [`Messaging::wait`] early.
    fn waker(&self) -> Self::Waker;

    /// Waits until the condition holds (true) or the deadline has passed (false). The calling
    /// thread may take the receive role meanwhile. The condition is looked at after each received
    /// batch, wake and change of matches.
    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool;

    /// How many remote endpoints are matched with ours on this topic.
    fn matched(&self, topic: Topic) -> usize;

    /// What the system could not keep or send, and what to do about that; `None` if there is
    /// nothing to tell.
    fn losses(&self) -> Option<String> {
        None
    }

    /// For a user who waits in vain: what has been discovered so far, and why nothing matched.
    fn describe_discovery(&self) -> String;

    /// Who measures and counts, if it is a program in another language; its loops then run instead
    /// of those of `protocol`.
    fn driver(&self) -> Option<Arc<dyn Driver>> {
        None
    }
}

/// The sending half of a topic.
pub(crate) trait Publish: Clone + Send + Sync + 'static {
    /// Makes the keys `0..instances` known before the clock starts.
    fn register_instances(&self, instances: u32) -> Result<(), WriteError>;

    /// Sends one sample; blocks no longer than `max_blocking`.
    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError>;

    /// Sends what batching holds back.
    fn flush(&self);
}

/// The handle behind [`Messaging::waker`].
pub(crate) trait Wake: Clone + Send + Sync + 'static {
    /// Called after the state that a waiting condition reads has changed. Costs nothing when nobody
    /// sleeps.
    fn wake(&self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_survives_the_split_into_two_members() {
        let mut header = Header::default();
        for time in [0, 1, u64::from(u32::MAX) + 7, u64::MAX] {
            header.stamp(time);
            assert_eq!(header.timestamp(), time);
        }
    }
}
