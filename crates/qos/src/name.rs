//! Policies and their values in words, as messages to users show them.
use crate::{
    AccessScope, Batching, DataRepresentation, DestinationOrder, Durability, DurabilityService,
    Duration, History, Liveliness, LivelinessKind, Ownership, PolicyId, Presentation, Reliability,
    ReliabilityKind, ResourceLimits, TypeConsistencyEnforcement, TypeConsistencyKind,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Result};
use core::net::Ipv4Addr;

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

impl Display for Reliability {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(
            f,
            "{} with max_blocking_time {}",
            self.kind, self.max_blocking_time
        )
    }
}

impl Display for History {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::KeepLast(depth) => write!(f, "KEEP_LAST {depth}"),
            Self::KeepAll => f.write_str("KEEP_ALL"),
        }
    }
}

/// Those limits that there are.
impl Display for ResourceLimits {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let named = [
            (self.max_samples, "samples"),
            (self.max_instances, "instances"),
            (self.max_samples_per_instance, "samples per instance"),
        ];
        let mut between = "";
        for (limit, name) in named {
            if let Some(limit) = limit {
                write!(f, "{between}{limit} {name}")?;
                between = ", ";
            }
        }
        match between {
            "" => f.write_str("unlimited"),
            _ => Ok(()),
        }
    }
}

impl Display for DurabilityService {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self {
            service_cleanup_delay: delay,
            history,
            resource_limits: limits,
        } = self;
        write!(f, "{history} ({limits}), cleaned up after {delay}")
    }
}

impl Display for Batching {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.max_bytes {
            0 => f.write_str("none"),
            bytes => write!(f, "up to {bytes} bytes"),
        }
    }
}

/// The value of any policy, as messages that compare two of them show it.
pub(crate) trait Words {
    fn words(&self) -> String;
}

macro_rules! displayed {
    ($($type:ty),+ $(,)?) => {$(
        impl Words for $type {
            fn words(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

displayed!(
    Batching,
    DestinationOrder,
    Durability,
    DurabilityService,
    Duration,
    History,
    Liveliness,
    Ownership,
    Presentation,
    Reliability,
    ResourceLimits,
    TypeConsistencyEnforcement,
    i32,
);

impl Words for String {
    fn words(&self) -> String {
        format!("{self:?}")
    }
}

/// Opaque to us.
impl Words for Vec<u8> {
    fn words(&self) -> String {
        format!("{} bytes", self.len())
    }
}

impl Words for DataRepresentation {
    fn words(&self) -> String {
        self.name().into()
    }
}

impl Words for Vec<DataRepresentation> {
    fn words(&self) -> String {
        let names: Vec<_> = self.iter().map(|one| one.name()).collect();
        match names.is_empty() {
            true => "none".into(),
            false => names.join(" or "),
        }
    }
}

impl Words for Vec<Ipv4Addr> {
    fn words(&self) -> String {
        let groups: Vec<_> = self.iter().map(Ipv4Addr::to_string).collect();
        match groups.is_empty() {
            true => "none".into(),
            false => groups.join(", "),
        }
    }
}
