//! Do the policies of one entity agree with each other? (DDS 1.4 2.2.3)
use crate::{
    DataReaderQos, DataRepresentation, DataWriterQos, DomainParticipantQos, DurabilityService,
    Duration, History, PolicyId, Properties, ResourceLimits, TopicQos,
};
use alloc::string::String;
use core::fmt;
use core::net::Ipv4Addr;

/// Policies of one entity that contradict each other, or a value outside its range: the caller's
/// fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidQos {
    /// HISTORY KEEP_LAST with a depth of 0 (DDS 1.4 2.2.3.18).
    DepthZero,
    /// HISTORY keeps more samples of an instance than RESOURCE_LIMITS allows (DDS 1.4 2.2.3.18).
    DepthAboveLimit {
        /// HISTORY depth.
        depth: u32,
        /// RESOURCE_LIMITS max_samples_per_instance.
        max_samples_per_instance: u32,
    },
    /// One instance may hold more samples than all together (DDS 1.4 2.2.3.19).
    InstanceAboveTotal {
        /// RESOURCE_LIMITS max_samples_per_instance.
        max_samples_per_instance: u32,
        /// RESOURCE_LIMITS max_samples.
        max_samples: u32,
    },
    /// A RESOURCE_LIMITS value of 0.
    LimitZero {
        /// Which one.
        limit: &'static str,
    },
    /// DEADLINE expects samples more often than TIME_BASED_FILTER lets through (DDS 1.4 2.2.3.12).
    DeadlineBelowFilter {
        /// DEADLINE period.
        deadline: Duration,
        /// TIME_BASED_FILTER minimum_separation.
        minimum_separation: Duration,
    },
    /// DATA_REPRESENTATION asks for one that is not implemented (XCDR1 and XCDR2 are).
    Representation(DataRepresentation),
    /// DURABILITY_SERVICE has a history that its limits do not allow, or a limit or depth of 0 (DDS
    /// 1.4 2.2.3.5).
    DurabilityService {
        /// Its HISTORY depth, unless that keeps all.
        depth: Option<u32>,
        /// Its RESOURCE_LIMITS max_samples.
        max_samples: Option<u32>,
        /// Its RESOURCE_LIMITS max_samples_per_instance.
        max_samples_per_instance: Option<u32>,
    },
    /// TRANSPORT_MULTICAST names an address that is no multicast group.
    NoGroup(Ipv4Addr),
    /// A name that cannot be announced.
    EntityName {
        /// Its bytes.
        length: usize,
    },
    /// Two properties have one name.
    PropertyTwice {
        /// The name.
        name: String,
    },
    /// The name or value of a property has a character that cannot be announced.
    PropertyWithNul {
        /// The name.
        name: String,
    },
    /// More properties than an announcement may have.
    TooManyProperties {
        /// How many are to be propagated.
        count: usize,
        /// The bytes of their names and values.
        bytes: usize,
    },
}

impl InvalidQos {
    /// The policy to change.
    pub const fn policy(&self) -> PolicyId {
        match self {
            Self::DepthZero | Self::DepthAboveLimit { .. } => PolicyId::History,
            Self::InstanceAboveTotal { .. } | Self::LimitZero { .. } => PolicyId::ResourceLimits,
            Self::DeadlineBelowFilter { .. } => PolicyId::Deadline,
            Self::Representation(_) => PolicyId::DataRepresentation,
            Self::DurabilityService { .. } => PolicyId::DurabilityService,
            Self::NoGroup(_) => PolicyId::TransportMulticast,
            Self::EntityName { .. } => PolicyId::EntityName,
            Self::PropertyTwice { .. }
            | Self::PropertyWithNul { .. }
            | Self::TooManyProperties { .. } => PolicyId::Property,
        }
    }
}

impl fmt::Display for InvalidQos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DepthZero => f.write_str("HISTORY KEEP_LAST depth is 0, at least 1 is needed"),
            Self::DepthAboveLimit {
                depth,
                max_samples_per_instance,
            } => write!(
                f,
                "HISTORY KEEP_LAST depth {depth} is above RESOURCE_LIMITS max_samples_per_instance {max_samples_per_instance}"
            ),
            Self::InstanceAboveTotal {
                max_samples_per_instance,
                max_samples,
            } => write!(
                f,
                "RESOURCE_LIMITS max_samples_per_instance {max_samples_per_instance} is above RESOURCE_LIMITS max_samples {max_samples}"
            ),
            Self::LimitZero { limit } => {
                write!(f, "RESOURCE_LIMITS {limit} is 0, at least 1 is needed")
            }
            Self::DeadlineBelowFilter {
                deadline,
                minimum_separation,
            } => write!(
                f,
                "DEADLINE period {deadline} is below TIME_BASED_FILTER minimum_separation {minimum_separation}"
            ),
            Self::Representation(r) => write!(
                f,
                "DATA_REPRESENTATION {r} is not implemented, XCDR1 and XCDR2 are"
            ),
            Self::DurabilityService {
                depth,
                max_samples,
                max_samples_per_instance,
            } => {
                let limit = |limit: &Option<u32>| limit.map_or(-1, i64::from);
                write!(
                    f,
                    "DURABILITY_SERVICE history depth {}, max_samples {} and max_samples_per_instance {} do not go together",
                    limit(depth),
                    limit(max_samples),
                    limit(max_samples_per_instance)
                )
            }
            Self::NoGroup(address) => write!(
                f,
                "TRANSPORT_MULTICAST {address} is no multicast group, 224.0.0.0 to 239.255.255.255 are"
            ),
            Self::EntityName { length } => write!(
                f,
                "ENTITY_NAME of {length} bytes cannot be announced, at most {MAX_NAME} without a NUL character can"
            ),
            Self::PropertyTwice { name } => write!(
                f,
                "PROPERTY {name:?} is there twice, names have to be unique"
            ),
            Self::PropertyWithNul { name } => write!(
                f,
                "PROPERTY {name:?} contains a NUL character, which cannot be announced: use a binary property, or do not propagate it"
            ),
            Self::TooManyProperties { count, bytes } => write!(
                f,
                "PROPERTY would announce {count} properties with {bytes} bytes, at most {} with {} bytes can be: propagate fewer",
                Properties::MAX_PROPAGATED,
                Properties::MAX_PROPAGATED_BYTES
            ),
        }
    }
}

impl core::error::Error for InvalidQos {}

impl DataWriterQos {
    /// Checks that the policies agree with each other; the first contradiction is reported.
    pub fn validate(&self) -> Result<(), InvalidQos> {
        storage(self.history, &self.resource_limits)?;
        service(&self.durability_service)?;
        self.property.validate()?;
        name(&self.entity_name)?;
        representation(self.representation)
    }
}

impl TopicQos {
    /// Checks that the policies agree with each other; the first contradiction is reported.
    pub fn validate(&self) -> Result<(), InvalidQos> {
        storage(self.history, &self.resource_limits)?;
        service(&self.durability_service)?;
        self.representation
            .iter()
            .try_for_each(|r| representation(*r))
    }
}

impl DomainParticipantQos {
    /// Checks that the policies agree with each other; the first contradiction is reported.
    pub fn validate(&self) -> Result<(), InvalidQos> {
        self.property.validate()?;
        name(&self.entity_name)
    }
}

impl DataReaderQos {
    /// Checks that the policies agree with each other; the first contradiction is reported.
    pub fn validate(&self) -> Result<(), InvalidQos> {
        storage(self.history, &self.resource_limits)?;
        self.property.validate()?;
        name(&self.entity_name)?;
        if self.deadline < self.time_based_filter {
            return Err(InvalidQos::DeadlineBelowFilter {
                deadline: self.deadline,
                minimum_separation: self.time_based_filter,
            });
        }
        if let Some(address) = self.multicast.iter().find(|a| !a.is_multicast()) {
            return Err(InvalidQos::NoGroup(*address));
        }
        self.representation
            .iter()
            .try_for_each(|r| representation(*r))
    }
}

/// Longest name of an entity that is announced.
const MAX_NAME: usize = 255;

fn name(name: &str) -> Result<(), InvalidQos> {
    let length = name.len();
    match length > MAX_NAME || name.contains('\0') {
        true => Err(InvalidQos::EntityName { length }),
        false => Ok(()),
    }
}

fn storage(history: History, limits: &ResourceLimits) -> Result<(), InvalidQos> {
    let named = [
        ("max_samples", limits.max_samples),
        ("max_instances", limits.max_instances),
        ("max_samples_per_instance", limits.max_samples_per_instance),
    ];
    if let Some((limit, _)) = named.iter().find(|(_, value)| *value == Some(0)) {
        return Err(InvalidQos::LimitZero { limit });
    }
    if let (Some(max_samples_per_instance), Some(max_samples)) =
        (limits.max_samples_per_instance, limits.max_samples)
        && max_samples_per_instance > max_samples
    {
        return Err(InvalidQos::InstanceAboveTotal {
            max_samples_per_instance,
            max_samples,
        });
    }
    match (history, limits.max_samples_per_instance) {
        (History::KeepLast(0), _) => Err(InvalidQos::DepthZero),
        (History::KeepLast(depth), Some(max_samples_per_instance))
            if depth > max_samples_per_instance =>
        {
            Err(InvalidQos::DepthAboveLimit {
                depth,
                max_samples_per_instance,
            })
        }
        _ => Ok(()),
    }
}

fn service(service: &DurabilityService) -> Result<(), InvalidQos> {
    let limits = &service.resource_limits;
    storage(service.history, limits).map_err(|_| InvalidQos::DurabilityService {
        depth: match service.history {
            History::KeepLast(depth) => Some(depth),
            History::KeepAll => None,
        },
        max_samples: limits.max_samples,
        max_samples_per_instance: limits.max_samples_per_instance,
    })
}

fn representation(r: DataRepresentation) -> Result<(), InvalidQos> {
    match r {
        DataRepresentation::Xcdr1 | DataRepresentation::Xcdr2 => Ok(()),
        DataRepresentation::Xml => Err(InvalidQos::Representation(r)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn limits(samples: u32, instances: u32, per_instance: u32) -> ResourceLimits {
        let limit = |n| (n != u32::MAX).then_some(n);
        ResourceLimits {
            max_samples: limit(samples),
            max_instances: limit(instances),
            max_samples_per_instance: limit(per_instance),
        }
    }

    #[test]
    fn the_defaults_are_consistent() {
        assert_eq!(DataWriterQos::default().validate(), Ok(()));
        assert_eq!(DataReaderQos::default().validate(), Ok(()));
    }

    #[test]
    fn storage_contradictions_name_both_values() {
        let any = u32::MAX;
        let table = [
            (History::KeepLast(0), limits(any, any, any), "depth is 0"),
            (
                History::KeepLast(10),
                limits(any, any, 5),
                "HISTORY KEEP_LAST depth 10 is above RESOURCE_LIMITS max_samples_per_instance 5",
            ),
            (
                History::KeepAll,
                limits(5, any, 6),
                "max_samples_per_instance 6 is above RESOURCE_LIMITS max_samples 5",
            ),
            (History::KeepAll, limits(0, any, any), "max_samples is 0"),
            (History::KeepAll, limits(any, 0, any), "max_instances is 0"),
            (
                History::KeepAll,
                limits(any, any, 0),
                "max_samples_per_instance is 0",
            ),
        ];
        for (history, resource_limits, message) in table {
            let writer = DataWriterQos {
                history,
                resource_limits,
                ..DataWriterQos::default()
            };
            let reader = DataReaderQos {
                history,
                resource_limits,
                ..DataReaderQos::default()
            };
            let error = writer.validate().unwrap_err();
            assert_eq!(reader.validate(), Err(error.clone()));
            assert!(error.to_string().contains(message), "{error}");
        }
    }

    #[test]
    fn limits_that_fit_each_other_are_accepted() {
        for (history, resource_limits) in [
            (History::KeepLast(5), limits(5, 1, 5)),
            (History::KeepAll, limits(5, u32::MAX, u32::MAX)),
            (History::KeepLast(9), limits(u32::MAX, 1, u32::MAX)),
        ] {
            let qos = DataWriterQos {
                history,
                resource_limits,
                ..DataWriterQos::default()
            };
            assert_eq!(qos.validate(), Ok(()));
        }
    }

    #[test]
    fn a_filter_slower_than_the_deadline_is_refused() {
        let qos = DataReaderQos {
            deadline: Duration::from_millis(10),
            time_based_filter: Duration::from_millis(20),
            ..DataReaderQos::default()
        };
        let error = qos.validate().unwrap_err();
        assert_eq!(error.policy(), PolicyId::Deadline);
        assert_eq!(
            error.to_string(),
            "DEADLINE period 10 ms is below TIME_BASED_FILTER minimum_separation 20 ms"
        );
    }

    #[test]
    fn only_multicast_groups_are_groups() {
        let qos = |group: [u8; 4]| DataReaderQos {
            multicast: alloc::vec![Ipv4Addr::new(239, 255, 1, 1), group.into()],
            ..DataReaderQos::default()
        };
        assert_eq!(qos([239, 255, 1, 2]).validate(), Ok(()));
        let error = qos([10, 0, 0, 1]).validate().unwrap_err();
        assert_eq!(error.policy(), PolicyId::TransportMulticast);
        assert!(error.to_string().contains("10.0.0.1"), "{error}");
    }

    #[test]
    fn names_that_cannot_be_announced_are_refused() {
        let of = |name: &str| {
            let writer = DataWriterQos {
                entity_name: name.into(),
                ..Default::default()
            };
            let reader = DataReaderQos {
                entity_name: name.into(),
                ..Default::default()
            };
            let participant = DomainParticipantQos {
                entity_name: name.into(),
                ..Default::default()
            };
            let found = writer.validate();
            assert_eq!(reader.validate(), found);
            assert_eq!(participant.validate(), found);
            found
        };
        assert_eq!(of(&"x".repeat(255)), Ok(()));
        for name in ["x".repeat(256), "left\0".into()] {
            let error = of(&name).unwrap_err();
            assert_eq!(error.policy(), PolicyId::EntityName);
            let length = name.len().to_string();
            assert!(error.to_string().contains(&length), "{error}");
        }
    }

    #[test]
    fn xml_is_refused() {
        let qos = DataWriterQos {
            representation: DataRepresentation::Xml,
            ..DataWriterQos::default()
        };
        assert_eq!(
            qos.validate(),
            Err(InvalidQos::Representation(DataRepresentation::Xml))
        );
    }
}
