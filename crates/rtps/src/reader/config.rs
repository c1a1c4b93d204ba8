//! What a reader and its writer proxies are told at birth, and what a reader answers.
use super::partial::MOST_FRAGMENTS;
use crate::{Budgets, ContentFilter, InstanceHandle, Payload};
use alloc::sync::Arc;
use bytes::Bytes;
use core::fmt;
use dunlin_qos::{
    DestinationOrder, Durability, Duration, History, Ownership, ReaderDataLifecycle,
    ReliabilityKind, ResourceLimits,
};
use dunlin_wire::{DataFrag, Guid, VendorId};

/// How a reader behaves (RTPS 2.5 8.4.10).
#[derive(Clone, Debug)]
pub struct ReaderConfig {
    /// Who it is.
    pub guid: Guid,
    /// May samples be lost?
    pub reliability: ReliabilityKind,
    /// Which history it asks for.
    pub durability: Durability,
    /// How much is kept until it is taken.
    pub history: History,
    /// At most how much.
    pub resource_limits: ResourceLimits,
    /// Does the topic have keys?
    pub keyed: bool,
    /// Cuts a serialized sample down to the serialized key; empty if it cannot be decoded. With it,
    /// a reader remembers the key of each instance that it knows, for notices whose writer sent
    /// none. Called for the first sample of an instance only.
    pub key_of: Option<KeyOf>,
    /// Shared or exclusive.
    pub ownership: Ownership,
    /// Which time orders samples of an instance.
    pub destination_order: DestinationOrder,
    /// Are samples handed out as they came, whatever their instance? Otherwise those of an instance
    /// are together (DDS 1.4 2.2.2.5.3.8).
    pub across_instances: bool,
    /// Are the changes of a writer's coherent set seen together or not at all?
    pub coherent: bool,
    /// Which samples are wanted; the others count as received, and nobody hears of them. Of
    /// instances of which none was wanted the end is not told either.
    pub content_filter: Option<ContentFilter>,
    /// Do sets of a publisher's writers wait until those who know all of the subscriber's readers
    /// say that they are complete?
    pub grouped: bool,
    /// Do changes outside of sets wait as well, so that all of a publisher's writers are seen in
    /// the order in which it wrote? Only with `grouped`.
    pub ordered: bool,
    /// Longest time expected between samples of an instance.
    pub deadline: Duration,
    /// Shortest time wanted between samples of an instance. A reliable reader gets the last of
    /// those that come too soon when that is over.
    pub time_based_filter: Duration,
    /// How long samples of dead instances are kept.
    pub lifecycle: ReaderDataLifecycle,
    /// The largest sample that is taken, in bytes, whether it comes whole or in fragments. A larger
    /// one is lost.
    pub max_sample_size: u32,
    /// The most bytes per writer that wait in incomplete samples, and again in complete ones that
    /// came too early.
    pub max_reassembly_bytes: usize,
    /// What pays for all that waits, in this reader and in others. Without one, the bounds for each
    /// writer are all there is.
    pub budget: Option<Budgets>,
    /// The most samples per writer that wait because an earlier one is missing.
    pub max_pending: u32,
    /// Is every change handed out, in the order of its writer: no instances, nothing collapsed, and
    /// what ends an instance as what it is? `keyed` is false then, and `history` KEEP_ALL.
    pub stream: bool,
    /// Does a sample that several writers forward, or one forwards beside its original writer, come
    /// once only? Within which bounds it is known; `None`: it comes as often as it is sent. Nothing
    /// is remembered before the first sample comes that another forwards.
    pub duplicates: Option<OriginBounds>,
    /// Is what is missing of one of many writers asked for again only after a while? They are busy,
    /// and an answer is late rather than lost.
    pub patient: bool,
    /// Samples of more fragments than this can be had as they come, before they are whole
    /// (`Reader::take_arriving`); `None`: none can. Only with `stream`.
    pub arriving: Option<u32>,
}

/// How long, and of how many original writers, a reader knows what has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginBounds {
    /// Original writers: those that were silent for longest are forgotten when there are more. One
    /// costs about 100 bytes, and 16 for each gap in its numbers, up to 2 KiB.
    pub max_origins: usize,
    /// One that is silent for so long is forgotten, at the latest after twice that time.
    pub forget_after: Duration,
}

impl Default for OriginBounds {
    fn default() -> Self {
        Self {
            max_origins: 65_536,
            forget_after: Duration::from_secs(60),
        }
    }
}

/// Cuts serialized samples down to their keys.
#[derive(Clone)]
pub struct KeyOf(Arc<dyn Fn(&Bytes) -> Bytes + Send + Sync>);

impl KeyOf {
    /// By this function.
    pub fn new(key: impl Fn(&Bytes) -> Bytes + Send + Sync + 'static) -> Self {
        Self(Arc::new(key))
    }

    /// The key of a sample. A loaned one is copied for that; one that is withdrawn has none.
    // Not inlined: called once for each instance.
    #[inline(never)]
    pub(super) fn key(&self, sample: &Payload) -> Bytes {
        match sample {
            Payload::Inline(bytes) => (self.0)(bytes),
            Payload::Loaned(loaned) => match loaned.to_bytes() {
                Ok(bytes) => (self.0)(&bytes),
                Err(_) => Bytes::new(),
            },
        }
    }
}

impl fmt::Debug for KeyOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyOf")
    }
}

impl ReaderConfig {
    /// A best-effort, volatile reader with DDS's default QoS, of a topic without keys.
    pub fn new(guid: Guid) -> Self {
        Self {
            guid,
            reliability: ReliabilityKind::BestEffort,
            durability: Durability::Volatile,
            history: History::default(),
            resource_limits: ResourceLimits::default(),
            keyed: false,
            key_of: None,
            ownership: Ownership::Shared,
            destination_order: DestinationOrder::ByReceptionTimestamp,
            across_instances: false,
            coherent: false,
            content_filter: None,
            grouped: false,
            ordered: false,
            deadline: Duration::INFINITE,
            time_based_filter: Duration::ZERO,
            lifecycle: ReaderDataLifecycle::default(),
            max_sample_size: 64 << 20,
            max_reassembly_bytes: 256 << 20,
            budget: None,
            max_pending: 8192,
            stream: false,
            duplicates: None,
            patient: false,
            arriving: None,
        }
    }

    /// Does anything wait for the end of its set, or for what other writers said before?
    pub(super) fn keeps_back(&self) -> bool {
        self.coherent || self.is_ordered()
    }

    /// Is the order of all of a publisher's writers kept?
    pub(super) fn is_ordered(&self) -> bool {
        self.grouped && self.ordered
    }

    /// Is the sample within the limits for fragmented ones?
    pub(super) fn can_assemble(&self, frag: &DataFrag<'_>) -> bool {
        frag.sample_size <= self.max_sample_size
            && frag.sample_size as usize <= self.max_reassembly_bytes
            && frag.sample_size.div_ceil(frag.fragment_size.max(1).into()) <= MOST_FRAGMENTS
    }
}

/// A matched writer, as its reader needs to know it (RTPS 2.5 8.4.10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterProxyConfig {
    /// Who it is.
    pub guid: Guid,
    /// Does it repeat what is lost?
    pub reliable: bool,
    /// What it keeps for late joiners.
    pub durability: Durability,
    /// Among writers of an instance with exclusive ownership the strongest is heard.
    pub ownership_strength: i32,
    /// How long its samples are valid.
    pub lifespan: Duration,
    /// Whose product its participant is, as that says of itself.
    pub vendor: VendorId,
}

/// What an arrival, or the passing of time, changed for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delivery {
    /// There is something new to take.
    pub available: bool,
    /// So many samples will never come.
    pub lost: u32,
    /// A sample met a limit.
    pub rejected: Option<Rejection>,
    /// The length of a sample that was longer than the reader takes
    /// (`ReaderConfig::max_sample_size`): it is lost.
    pub too_large: Option<u32>,
    /// It may be that a set of a publisher's writers is complete: look at `group_fronts`.
    pub gathers: bool,
    /// A GAP or HEARTBEAT spoke of numbers far beyond what its writer has announced. That counts
    /// for nothing, or not before the writer has said so again.
    pub implausible: bool,
    /// More is here of a sample that is not whole: look at `Reader::take_arriving`.
    pub arriving: bool,
}

impl Delivery {
    /// A sample came, and that was all.
    pub const NEW: Self = Self {
        available: true,
        lost: 0,
        rejected: None,
        too_large: None,
        gathers: false,
        implausible: false,
        arriving: false,
    };
}

/// How much a reader holds at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Samples that can be taken or read, notices of a state included.
    pub samples: usize,
    /// Samples with data among them.
    pub valid_samples: usize,
    /// Instances that are known.
    pub instances: usize,
    /// What other vendors' writers call them.
    pub names: usize,
    /// Changes that wait for an earlier one or for room.
    pub early: usize,
    /// Bytes of their payloads.
    pub early_bytes: usize,
    /// Changes that wait for the end of their set.
    pub in_sets: usize,
    /// Bytes of their payloads.
    pub in_sets_bytes: usize,
    /// Samples of which fragments are missing.
    pub incomplete: usize,
    /// What these cost: bytes that came, and a little for each piece.
    pub incomplete_bytes: usize,
    /// Ranges of numbers that will never come.
    pub gaps: usize,
    /// Writers that fell silent and may come back.
    pub departed: usize,
}

/// A sample that met a limit (DDS 1.4 2.2.4.1 SAMPLE_REJECTED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Which limit.
    pub reason: RejectionReason,
    /// Of which instance the sample was.
    pub instance: InstanceHandle,
}

/// The limit that a sample met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RejectionReason {
    /// `max_instances`.
    Instances,
    /// `max_samples`.
    Samples,
    /// `max_samples_per_instance`.
    SamplesPerInstance,
}
