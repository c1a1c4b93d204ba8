//! Which policies may change while an entity lives (DDS 1.4 2.2.3, column "changeable").
use crate::name::Words;
use crate::{
    DataReaderQos, DataWriterQos, DomainParticipantQos, PolicyId, PublisherQos, SubscriberQos,
    TopicQos,
};
use alloc::string::String;
use alloc::vec::Vec;
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

/// A policy that two QoS have with different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyDifference {
    /// Which policy.
    pub policy: PolicyId,
    /// What the first has.
    pub one: String,
    /// What the second has.
    pub other: String,
}

/// The first policy that differs.
struct Changes(Result<(), ImmutablePolicy>);

impl Changes {
    fn fixed<T: PartialEq + Words + ?Sized>(
        self,
        policy: PolicyId,
        current: &T,
        wanted: &T,
    ) -> Self {
        if self.0.is_err() || current == wanted {
            return self;
        }
        Self(Err(ImmutablePolicy {
            policy,
            current: current.words(),
            wanted: wanted.words(),
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
    /// May a participant that is enabled with these policies take over those? Reports the first
    /// that may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, EntityName: entity_name)
    }
}

impl DataWriterQos {
    /// May a writer that is enabled with these policies take over those? Reports the first that may
    /// not be changed.
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
    /// May a reader that is enabled with these policies take over those? Reports the first that may
    /// not be changed.
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

impl TopicQos {
    /// Every policy in which `other` differs, with both values.
    pub fn differences(&self, other: &Self) -> Vec<PolicyDifference> {
        let mut all = Vec::new();
        macro_rules! compare {
            ($($policy:ident: $field:ident),+ $(,)?) => {
                // A policy that is added to the struct has to be added here.
                let Self { $($field),+ } = self;
                $(if *$field != other.$field {
                    all.push(PolicyDifference {
                        policy: PolicyId::$policy,
                        one: $field.words(),
                        other: other.$field.words(),
                    });
                })+
            };
        }
        compare!(
            TopicData: topic_data,
            Durability: durability,
            DurabilityService: durability_service,
            Deadline: deadline,
            LatencyBudget: latency_budget,
            Liveliness: liveliness,
            Reliability: reliability,
            DestinationOrder: destination_order,
            History: history,
            ResourceLimits: resource_limits,
            TransportPriority: transport_priority,
            Lifespan: lifespan,
            Ownership: ownership,
            DataRepresentation: representation,
        );
        all
    }
}

impl PublisherQos {
    /// May a publisher that is enabled with these policies take over those? Reports the first that
    /// may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, Presentation: presentation, EntityName: entity_name)
    }
}

impl SubscriberQos {
    /// May a subscriber that is enabled with these policies take over those? Reports the first that
    /// may not be changed.
    pub fn check_change(&self, wanted: &Self) -> Result<(), ImmutablePolicy> {
        fixed!(self, wanted, Presentation: presentation, EntityName: entity_name)
    }
}
