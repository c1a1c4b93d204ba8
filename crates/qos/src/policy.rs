//! The policies (DDS 1.4 2.2.3; DDS-XTypes 1.3 7.6.3.1).
use crate::Duration;
use alloc::string::String;
use alloc::vec::Vec;

/// Number of a policy, as statuses report it (DDS 1.4 2.3.3, DDS-XTypes 1.3 annex).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
#[allow(missing_docs, reason = "each name is the policy's own")]
pub enum PolicyId {
    UserData = 1,
    Durability = 2,
    Presentation = 3,
    Deadline = 4,
    LatencyBudget = 5,
    Ownership = 6,
    OwnershipStrength = 7,
    Liveliness = 8,
    TimeBasedFilter = 9,
    Partition = 10,
    Reliability = 11,
    DestinationOrder = 12,
    History = 13,
    ResourceLimits = 14,
    EntityFactory = 15,
    WriterDataLifecycle = 16,
    ReaderDataLifecycle = 17,
    TopicData = 18,
    GroupData = 19,
    TransportPriority = 20,
    Lifespan = 21,
    DurabilityService = 22,
    DataRepresentation = 23,
    TypeConsistencyEnforcement = 24,
    /// To which the standard gives no number.
    Property = 1002,
    /// To which the standard gives no number.
    EntityName = 1003,
    /// Dunlin's own, outside the range of the standards.
    TransportMulticast = 1000,
    /// Dunlin's own.
    Batching = 1001,
}

/// May samples be lost?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReliabilityKind {
    /// Samples may be lost; none is repeated.
    BestEffort,
    /// Lost samples are sent again.
    Reliable,
}

/// RELIABILITY (DDS 1.4 2.2.3.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reliability {
    /// May samples be lost?
    pub kind: ReliabilityKind,
    /// How long a write may wait for room.
    pub max_blocking_time: Duration,
}

impl Reliability {
    /// Best effort.
    pub const BEST_EFFORT: Self = Self {
        kind: ReliabilityKind::BestEffort,
        max_blocking_time: Duration::from_millis(100),
    };
    /// Reliable with the standard's 100 ms of blocking.
    pub const RELIABLE: Self = Self {
        kind: ReliabilityKind::Reliable,
        max_blocking_time: Duration::from_millis(100),
    };

    /// True unless best effort.
    pub fn is_reliable(&self) -> bool {
        self.kind == ReliabilityKind::Reliable
    }
}

/// DURABILITY (DDS 1.4 2.2.3.4): what late joiners get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Durability {
    /// Nothing written before they joined.
    #[default]
    Volatile,
    /// What the writer still keeps.
    TransientLocal,
    /// What DURABILITY_SERVICE keeps; here in the memory of the writer, as long as it lives.
    Transient,
    /// The same: nothing is kept on a disk.
    Persistent,
}

/// HISTORY (DDS 1.4 2.2.3.18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// The latest `n` samples of each instance, at least 1.
    KeepLast(u32),
    /// All, within the resource limits.
    KeepAll,
}

impl Default for History {
    fn default() -> Self {
        Self::KeepLast(1)
    }
}

/// RESOURCE_LIMITS (DDS 1.4 2.2.3.19); `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ResourceLimits {
    /// Samples over all instances.
    pub max_samples: Option<u32>,
    /// Instances.
    pub max_instances: Option<u32>,
    /// Samples of one instance.
    pub max_samples_per_instance: Option<u32>,
}

/// How a writer proves that it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LivelinessKind {
    /// The middleware asserts it.
    Automatic,
    /// Any assertion within the participant counts.
    ManualByParticipant,
    /// Each writer asserts its own.
    ManualByTopic,
}

/// LIVELINESS (DDS 1.4 2.2.3.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liveliness {
    /// Who asserts.
    pub kind: LivelinessKind,
    /// Silence longer than this means not alive.
    pub lease_duration: Duration,
}

impl Default for Liveliness {
    fn default() -> Self {
        Self {
            kind: LivelinessKind::Automatic,
            lease_duration: Duration::INFINITE,
        }
    }
}

/// OWNERSHIP (DDS 1.4 2.2.3.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Ownership {
    /// All writers of an instance are heard.
    #[default]
    Shared,
    /// Only the strongest is.
    Exclusive,
}

/// DESTINATION_ORDER (DDS 1.4 2.2.3.17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DestinationOrder {
    /// As received.
    #[default]
    ByReceptionTimestamp,
    /// As written.
    BySourceTimestamp,
}

/// How far coherence and order reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum AccessScope {
    /// One instance.
    #[default]
    Instance,
    /// One writer.
    Topic,
    /// One publisher.
    Group,
}

/// PRESENTATION (DDS 1.4 2.2.3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Presentation {
    /// How far coherence and order reach.
    pub access_scope: AccessScope,
    /// Sets of changes become visible together.
    pub coherent_access: bool,
    /// Changes keep their order across instances.
    pub ordered_access: bool,
}

/// PARTITION (DDS 1.4 2.2.3.13): names or `fnmatch` patterns; empty is the partition `""`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Partition(pub Vec<String>);

/// WRITER_DATA_LIFECYCLE (DDS 1.4 2.2.3.21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterDataLifecycle {
    /// Unregistering an instance disposes it as well.
    pub autodispose_unregistered_instances: bool,
}

impl Default for WriterDataLifecycle {
    fn default() -> Self {
        Self {
            autodispose_unregistered_instances: true,
        }
    }
}

/// READER_DATA_LIFECYCLE (DDS 1.4 2.2.3.22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderDataLifecycle {
    /// How long samples of an instance without writers are kept.
    pub autopurge_nowriter_samples_delay: Duration,
    /// How long samples of a disposed instance are kept.
    pub autopurge_disposed_samples_delay: Duration,
}

impl Default for ReaderDataLifecycle {
    fn default() -> Self {
        Self {
            autopurge_nowriter_samples_delay: Duration::INFINITE,
            autopurge_disposed_samples_delay: Duration::INFINITE,
        }
    }
}

/// DURABILITY_SERVICE (DDS 1.4 2.2.3.5): how much of a writer with DURABILITY TRANSIENT or
/// PERSISTENT is kept for late joiners, once the readers that match have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DurabilityService {
    /// How long late joiners still hear of an instance that was disposed and unregistered.
    pub service_cleanup_delay: Duration,
    /// How much is kept of each instance.
    pub history: History,
    /// At most how much; beyond these the oldest goes.
    pub resource_limits: ResourceLimits,
}

/// ENTITY_FACTORY (DDS 1.4 2.2.3.20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityFactory {
    /// Entities are enabled when they are created; otherwise when somebody calls `enable`.
    pub autoenable_created_entities: bool,
}

impl EntityFactory {
    /// Is an entity enabled when its factory creates it, which is enabled itself or not? (DDS 1.4
    /// 2.2.3.20)
    pub const fn enables(self, enabled: bool) -> bool {
        enabled && self.autoenable_created_entities
    }
}

impl Default for EntityFactory {
    fn default() -> Self {
        Self {
            autoenable_created_entities: true,
        }
    }
}

/// One element of DATA_REPRESENTATION (DDS-XTypes 1.3 7.6.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i16)]
pub enum DataRepresentation {
    /// XCDR version 1, also the classic CDR.
    Xcdr1 = 0,
    /// XML.
    Xml = 1,
    /// XCDR version 2.
    Xcdr2 = 2,
}

/// Dunlin's own: many samples in one datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Batching {
    /// Samples are gathered until their serialized bytes reach this many, until `flush`, or for a
    /// heartbeat period, for readers of the same process, too; 0 sends each sample at once.
    pub max_bytes: u32,
}
