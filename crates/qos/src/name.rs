//! Policies and their values in words, as messages to users show them.
use crate::{
    AccessScope, DataRepresentation, DestinationOrder, Durability, Liveliness, LivelinessKind,
    Ownership, PolicyId, Presentation, ReliabilityKind, TypeConsistencyKind,
};
use core::fmt::{Display, Formatter, Result};

/// Displays each value of an enum by a fixed name, and lists them.
macro_rules! names {
    ($type:ident { $($value:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The name that the standard gives.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }
        }

        impl Display for $type {
            fn fmt(&self, f: &mut Formatter<'_>) -> Result {
                f.pad(self.name())
            }
        }
    };
}

names!(PolicyId {
    UserData => "USER_DATA",
    Durability => "DURABILITY",
    Presentation => "PRESENTATION",
    Deadline => "DEADLINE",
    LatencyBudget => "LATENCY_BUDGET",
    Ownership => "OWNERSHIP",
    OwnershipStrength => "OWNERSHIP_STRENGTH",
    Liveliness => "LIVELINESS",
    TimeBasedFilter => "TIME_BASED_FILTER",
    Partition => "PARTITION",
    Reliability => "RELIABILITY",
    DestinationOrder => "DESTINATION_ORDER",
    History => "HISTORY",
    ResourceLimits => "RESOURCE_LIMITS",
    EntityFactory => "ENTITY_FACTORY",
    WriterDataLifecycle => "WRITER_DATA_LIFECYCLE",
    ReaderDataLifecycle => "READER_DATA_LIFECYCLE",
    TopicData => "TOPIC_DATA",
    GroupData => "GROUP_DATA",
    TransportPriority => "TRANSPORT_PRIORITY",
    Lifespan => "LIFESPAN",
    DurabilityService => "DURABILITY_SERVICE",
    DataRepresentation => "DATA_REPRESENTATION",
    TypeConsistencyEnforcement => "TYPE_CONSISTENCY_ENFORCEMENT",
    Property => "PROPERTY",
    EntityName => "ENTITY_NAME",
    TransportMulticast => "TRANSPORT_MULTICAST",
    Batching => "BATCHING",
});
names!(ReliabilityKind { BestEffort => "BEST_EFFORT", Reliable => "RELIABLE" });
names!(Durability {
    Volatile => "VOLATILE",
    TransientLocal => "TRANSIENT_LOCAL",
    Transient => "TRANSIENT",
    Persistent => "PERSISTENT",
});
names!(LivelinessKind {
    Automatic => "AUTOMATIC",
    ManualByParticipant => "MANUAL_BY_PARTICIPANT",
    ManualByTopic => "MANUAL_BY_TOPIC",
});
names!(Ownership { Shared => "SHARED", Exclusive => "EXCLUSIVE" });
names!(DestinationOrder {
    ByReceptionTimestamp => "BY_RECEPTION_TIMESTAMP",
    BySourceTimestamp => "BY_SOURCE_TIMESTAMP",
});
names!(AccessScope { Instance => "INSTANCE", Topic => "TOPIC", Group => "GROUP" });
names!(TypeConsistencyKind {
    DisallowTypeCoercion => "DISALLOW_TYPE_COERCION",
    AllowTypeCoercion => "ALLOW_TYPE_COERCION",
});
names!(DataRepresentation { Xcdr1 => "XCDR1", Xml => "XML", Xcdr2 => "XCDR2" });

impl Display for Liveliness {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} with lease {}", self.kind, self.lease_duration)
    }
}

impl Display for Presentation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.access_scope.fmt(f)?;
        if self.coherent_access {
            f.write_str(" coherent")?;
        }
        if self.ordered_access {
            f.write_str(" ordered")?;
        }
        Ok(())
    }
}
