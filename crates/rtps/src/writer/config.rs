//! What a writer and its reader proxies are told at birth, and what a writer answers.
use crate::ContentFilter;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use dunlin_qos::{
    Durability, DurabilityService, Duration, History, ReliabilityKind, ResourceLimits,
};
use dunlin_wire::{Guid, SequenceNumber, VendorId};

/// How a writer behaves (RTPS 2.5 8.4.7).
#[derive(Clone, Debug)]
pub struct WriterConfig {
    /// Who it is.
    pub guid: Guid,
    /// The number of its first change, at least 1: a writer that takes up the work of another goes
    /// on counting.
    pub first_sequence: SequenceNumber,
    /// May samples be lost?
    pub reliability: ReliabilityKind,
    /// What late joiners get: with transient local what `history` keeps, with transient and
    /// persistent what `durability_service` does.
    pub durability: Durability,
    /// How much of a transient or persistent writer is kept of what all matched readers have.
    pub durability_service: DurabilityService,
    /// How much is kept.
    pub history: History,
    /// At most how much.
    pub resource_limits: ResourceLimits,
    /// How long samples are valid.
    pub lifespan: Duration,
    /// Longest time promised between samples of an instance.
    pub deadline: Duration,
    /// Payloads larger than this go as DATA_FRAGs of this many bytes each; at least 1. `None`: all
    /// go whole.
    pub fragment_size: Option<u16>,
    /// How often readers that lag are asked what they lack.
    pub heartbeat_period: Duration,
    /// Those that lag are asked one by one. Otherwise all readers are asked together if several
    /// lag, which is one message where they listen to one address.
    pub asks_each: bool,
    /// A reliable reader that has never said anything is waited for no longer than this after it
    /// was first asked; infinite: as long as it is matched.
    pub silent_after: Duration,
    /// Each quarter of so many unacknowledged samples an answer is asked for; KEEP_ALL with
    /// `max_samples` uses that limit instead.
    pub heartbeat_window: u32,
    /// An answer is asked for at least every so many bytes; four times as many, and two changes,
    /// while all go whole.
    pub heartbeat_bytes: usize,
    /// Puts the key hash beside each sample of an instance, not only beside disposals.
    pub send_key_hash: bool,
    /// Its publisher's writers, if all their changes have one numbering.
    pub group: Option<GroupOf>,
    /// The topic has keys, so that even a hash of zeros, such as that of the number 0, names an
    /// instance.
    pub keyed: bool,
    /// Encoded parameters, little endian and without sentinel, that go with each change while a
    /// matched reader expects inline QoS.
    pub inline_qos: Vec<u8>,
}

impl WriterConfig {
    /// A reliable, volatile writer with DDS's default QoS.
    pub fn new(guid: Guid) -> Self {
        Self {
            guid,
            first_sequence: SequenceNumber::FIRST,
            reliability: ReliabilityKind::Reliable,
            durability: Durability::Volatile,
            durability_service: DurabilityService::default(),
            history: History::default(),
            resource_limits: ResourceLimits::default(),
            lifespan: Duration::INFINITE,
            deadline: Duration::INFINITE,
            fragment_size: Some(63_000),
            heartbeat_period: Duration::from_millis(100),
            asks_each: false,
            silent_after: Duration::from_secs(30),
            heartbeat_window: 1024,
            heartbeat_bytes: 1 << 20,
            send_key_hash: true,
            group: None,
            keyed: false,
            inline_qos: Vec::new(),
        }
    }

    /// What decides on what late joiners get, if not `history`.
    pub(super) fn service(&self) -> Option<DurabilityService> {
        (self.durability > Durability::TransientLocal).then_some(self.durability_service)
    }
}

/// Tells how far a publisher's writers are: the number of the last change of any, and a digest of
/// who they are.
#[derive(Clone)]
pub struct GroupOf(Arc<dyn Fn() -> (i64, [u8; 4]) + Send + Sync>);

impl GroupOf {
    /// By this function.
    pub fn new(current: impl Fn() -> (i64, [u8; 4]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(current))
    }

    pub(super) fn current(&self) -> (i64, [u8; 4]) {
        (self.0)()
    }
}

impl fmt::Debug for GroupOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupOf")
    }
}

/// A matched reader, as its writer needs to know it (RTPS 2.5 8.4.7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderProxyConfig {
    /// Who it is.
    pub guid: Guid,
    /// Does it acknowledge?
    pub reliable: bool,
    /// Which history it asks for.
    pub durability: Durability,
    /// Does it want QoS with each change?
    pub expects_inline_qos: bool,
    /// Whose product its participant is, as that says of itself.
    pub vendor: VendorId,
}

/// The content filter of a matched reader, as its writer judges it.
#[derive(Clone, Debug)]
pub struct ReaderFilter {
    /// Readers of a writer with equal filters have the same place, others have others; below
    /// [`ReaderFilter::MOST`].
    pub place: u8,
    /// Which samples it lets pass.
    pub filter: ContentFilter,
}

/// Why a change was not written; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Unacknowledged samples fill a limit: wait for `Acknowledgement::room` and repeat.
    #[error("unacknowledged samples fill the writer's history")]
    Full,
    /// A limit that waiting does not lift; its name.
    #[error("limit reached: {0}")]
    OutOfResources(&'static str),
    /// No matched reader takes a sample of this length.
    #[error("no matched reader takes so large a sample: {reader} takes {limit} bytes")]
    TooLarge {
        /// The reader that takes most.
        reader: Guid,
        /// The most bytes that it takes.
        limit: u32,
    },
    /// `Writer::complete` without an open change of this length.
    #[error("no change of this length is open")]
    NotOpen,
}

/// What an ACKNACK changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Acknowledgement {
    /// More is acknowledged by all readers: wake blocked writes and those who wait for
    /// acknowledgements.
    pub room: bool,
    /// It acknowledged what was never written, and counts for nothing.
    pub implausible: bool,
}
