//! Which policies may change while an entity lives (DDS 1.4 2.2.3, column "changeable").
use crate::{
    DataReaderQos, DataWriterQos, DomainParticipantQos, PolicyId, PublisherQos, SubscriberQos,
    TopicQos,
};
use alloc::format;
use alloc::string::String;
use core::fmt;

/// A policy that cannot be changed once its entity is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImmutablePolicy {
    /// Which policy.
    pub policy: PolicyId,
    /// What it is.
    pub current: String,
    /// What was wanted.
    pub wanted: String,
}

impl fmt::Display for ImmutablePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is {} and cannot become {} once the entity is enabled: make a new entity, or set it before `enable`",
            self.policy, self.current, self.wanted
        )
    }
}

impl core::error::Error for ImmutablePolicy {}

/// The first policy that differs.
struct Changes(Result<(), ImmutablePolicy>);

impl Changes {
    fn fixed<T: PartialEq + fmt::Debug>(self, policy: PolicyId, current: &T, wanted: &T) -> Self {
        if self.0.is_err() || current == wanted {
            return self;
        }
        Self(Err(ImmutablePolicy {
            policy,
            current: format!("{current:?}"),
            wanted: format!("{wanted:?}"),
        }))
    }
}

/// Policies of the same names in writers, readers and topics.
macro_rules! fixed {
    ($current:expr, $wanted:expr, $($policy:ident: $field:ident),+ $(,)?) => {
        Changes(Ok(()))$(.fixed(PolicyId::$policy, &$current.$field, &$wanted.$field))+.0
    };
}

impl DomainParticipantQos {
    /// May a participant that is enabled with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, EntityName: entity_name)
    }
}

impl DataWriterQos {
    /// May a writer that is enabled with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(
            self, wanted,
            Durability: durability,
            Liveliness: liveliness,
            Reliability: reliability,
            DestinationOrder: destination_order,
            History: history,
            ResourceLimits: resource_limits,
            Ownership: ownership,
            DurabilityService: durability_service,
            DataRepresentation: representation,
            EntityName: entity_name,
            Batching: batching,
        )
    }
}

impl DataReaderQos {
    /// May a reader that is enabled with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(
            self, wanted,
            Durability: durability,
            Liveliness: liveliness,
            Reliability: reliability,
            DestinationOrder: destination_order,
            History: history,
            ResourceLimits: resource_limits,
            Ownership: ownership,
            DataRepresentation: representation,
            TypeConsistencyEnforcement: type_consistency,
            EntityName: entity_name,
            TransportMulticast: multicast,
        )
    }
}

impl TopicQos {
    /// May a topic with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(
            self, wanted,
            Durability: durability,
            Liveliness: liveliness,
            Reliability: reliability,
            DestinationOrder: destination_order,
            History: history,
            ResourceLimits: resource_limits,
            Ownership: ownership,
            DurabilityService: durability_service,
            DataRepresentation: representation,
        )
    }
}

impl PublisherQos {
    /// May a publisher that is enabled with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, Presentation: presentation, EntityName: entity_name)
    }
}

impl SubscriberQos {
    /// May a subscriber that is enabled with these policies take over those? Reports the first that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, Presentation: presentation, EntityName: entity_name)
    }
}
