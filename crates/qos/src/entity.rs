//! QoS of each kind of entity: plain structs whose `Default` is the standard's (DDS 1.4 2.2.3).
use crate::{
    Batching, DataRepresentation, DestinationOrder, Durability, DurabilityService, Duration,
    EntityFactory, History, Liveliness, Ownership, Partition, Presentation, Properties,
    ReaderDataLifecycle, Reliability, ResourceLimits, TypeConsistencyEnforcement,
    WriterDataLifecycle,
};
use alloc::string::String;
use alloc::vec::Vec;
use core::net::Ipv4Addr;

/// QoS of a participant.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct DomainParticipantQos {
    /// Opaque bytes for other participants to read.
    pub user_data: Vec<u8>,
    /// Are its publishers and subscribers enabled when they are created?
    pub entity_factory: EntityFactory,
    /// Names and values of the application's own.
    pub property: Properties,
    /// Its name for people, which others are told; empty if it has none, or
    /// one of its configuration alone.
    pub entity_name: String,
}

/// QoS of a topic. All but `topic_data` is advice: what it says holds for writers and readers that
/// take it over ([`DataWriterQos::copy_from_topic`], [`DataReaderQos::copy_from_topic`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicQos {
    /// Opaque bytes for other participants to read.
    pub topic_data: Vec<u8>,
    /// What late joiners get.
    pub durability: Durability,
    /// How much is kept for late joiners beyond the writer.
    pub durability_service: DurabilityService,
    /// Longest time between samples of an instance.
    pub deadline: Duration,
    /// Delay that the application accepts.
    pub latency_budget: Duration,
    /// How writers prove that they live.
    pub liveliness: Liveliness,
    /// May samples be lost?
    pub reliability: Reliability,
    /// Which time orders samples.
    pub destination_order: DestinationOrder,
    /// How much is kept.
    pub history: History,
    /// At most how much.
    pub resource_limits: ResourceLimits,
    /// How urgent samples are to the network: 1 to 63 are DiffServ code points, less is none, more
    /// is 63.
    pub transport_priority: i32,
    /// How long a sample is valid.
    pub lifespan: Duration,
    /// Shared or exclusive.
    pub ownership: Ownership,
    /// How samples are serialized: the first is what writers use, all of them are what readers
    /// understand.
    pub representation: Vec<DataRepresentation>,
}

impl Default for TopicQos {
    fn default() -> Self {
        Self {
            topic_data: Vec::new(),
            durability: Durability::default(),
            durability_service: DurabilityService::default(),
            deadline: Duration::INFINITE,
            latency_budget: Duration::ZERO,
            liveliness: Liveliness::default(),
            reliability: Reliability::BEST_EFFORT,
            destination_order: DestinationOrder::default(),
            history: History::default(),
            resource_limits: ResourceLimits::default(),
            transport_priority: 0,
            lifespan: Duration::INFINITE,
            ownership: Ownership::default(),
            representation: alloc::vec![DataRepresentation::Xcdr1, DataRepresentation::Xcdr2],
        }
    }
}

impl DataWriterQos {
    /// Takes over what a topic's QoS says (DDS 1.4 2.2.2.4.1.13).
    pub fn copy_from_topic(&mut self, topic: &TopicQos) {
        self.durability = topic.durability;
        self.durability_service = topic.durability_service;
        self.deadline = topic.deadline;
        self.latency_budget = topic.latency_budget;
        self.liveliness = topic.liveliness;
        self.reliability = topic.reliability;
        self.destination_order = topic.destination_order;
        self.history = topic.history;
        self.resource_limits = topic.resource_limits;
        self.transport_priority = topic.transport_priority;
        self.lifespan = topic.lifespan;
        self.ownership = topic.ownership;
        if let Some(first) = topic.representation.first() {
            self.representation = *first;
        }
    }
}

impl DataReaderQos {
    /// Takes over what a topic's QoS says (DDS 1.4 2.2.2.5.2.13).
    pub fn copy_from_topic(&mut self, topic: &TopicQos) {
        self.durability = topic.durability;
        self.deadline = topic.deadline;
        self.latency_budget = topic.latency_budget;
        self.liveliness = topic.liveliness;
        self.reliability = topic.reliability;
        self.destination_order = topic.destination_order;
        self.history = topic.history;
        self.resource_limits = topic.resource_limits;
        self.ownership = topic.ownership;
        if !topic.representation.is_empty() {
            self.representation.clone_from(&topic.representation);
        }
    }
}

/// QoS of a publisher.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PublisherQos {
    /// How far coherence and order reach.
    pub presentation: Presentation,
    /// Partitions.
    pub partition: Partition,
    /// Opaque bytes for other participants to read.
    pub group_data: Vec<u8>,
    /// Are its writers enabled when they are created?
    pub entity_factory: EntityFactory,
    /// Its name for people, which others are not told; empty if it has none.
    pub entity_name: String,
}

/// QoS of a subscriber.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SubscriberQos {
    /// How far coherence and order reach.
    pub presentation: Presentation,
    /// Partitions.
    pub partition: Partition,
    /// Opaque bytes for other participants to read.
    pub group_data: Vec<u8>,
    /// Are its readers enabled when they are created?
    pub entity_factory: EntityFactory,
    /// Its name for people, which others are not told; empty if it has none.
    pub entity_name: String,
}

/// QoS of a writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataWriterQos {
    /// What late joiners get.
    pub durability: Durability,
    /// Longest time between samples of an instance.
    pub deadline: Duration,
    /// Delay that the application accepts: for so long, between 20 us and 1 ms, samples may wait
    /// for others to share their datagram while the writer is ahead of the network.
    pub latency_budget: Duration,
    /// How the writer proves that it lives.
    pub liveliness: Liveliness,
    /// May samples be lost?
    pub reliability: Reliability,
    /// Which time orders samples.
    pub destination_order: DestinationOrder,
    /// How much is kept.
    pub history: History,
    /// At most how much.
    pub resource_limits: ResourceLimits,
    /// What is kept of a writer with DURABILITY TRANSIENT or PERSISTENT for those who join late.
    pub durability_service: DurabilityService,
    /// How urgent samples are to the network: 1 to 63 are DiffServ code points, less is none, more
    /// is 63.
    pub transport_priority: i32,
    /// How long a sample is valid.
    pub lifespan: Duration,
    /// Opaque bytes for other participants to read.
    pub user_data: Vec<u8>,
    /// Names and values of the application's own.
    pub property: Properties,
    /// Its name for people, which others are told; empty if it has none.
    pub entity_name: String,
    /// Shared or exclusive.
    pub ownership: Ownership,
    /// Strength for exclusive ownership.
    pub ownership_strength: i32,
    /// What unregistering does.
    pub writer_data_lifecycle: WriterDataLifecycle,
    /// How samples are serialized: one element.
    pub representation: DataRepresentation,
    /// Many samples in one datagram.
    pub batching: Batching,
}

impl Default for DataWriterQos {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            deadline: Duration::INFINITE,
            latency_budget: Duration::ZERO,
            liveliness: Liveliness::default(),
            reliability: Reliability::RELIABLE,
            destination_order: DestinationOrder::default(),
            history: History::default(),
            resource_limits: ResourceLimits::default(),
            durability_service: DurabilityService::default(),
            transport_priority: 0,
            lifespan: Duration::INFINITE,
            user_data: Vec::new(),
            property: Properties::default(),
            entity_name: String::new(),
            ownership: Ownership::default(),
            ownership_strength: 0,
            writer_data_lifecycle: WriterDataLifecycle::default(),
            representation: DataRepresentation::Xcdr1,
            batching: Batching::default(),
        }
    }
}

/// QoS of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataReaderQos {
    /// Which history a late joiner asks for.
    pub durability: Durability,
    /// Longest time expected between samples of an instance.
    pub deadline: Duration,
    /// Delay that the application accepts.
    pub latency_budget: Duration,
    /// How writers must prove that they live.
    pub liveliness: Liveliness,
    /// May samples be lost?
    pub reliability: Reliability,
    /// Which time orders samples.
    pub destination_order: DestinationOrder,
    /// How much is kept.
    pub history: History,
    /// At most how much.
    pub resource_limits: ResourceLimits,
    /// Opaque bytes for other participants to read.
    pub user_data: Vec<u8>,
    /// Names and values of the application's own.
    pub property: Properties,
    /// Its name for people, which others are told; empty if it has none.
    pub entity_name: String,
    /// Shared or exclusive.
    pub ownership: Ownership,
    /// Smallest time between samples of an instance.
    pub time_based_filter: Duration,
    /// When samples of dead instances go.
    pub reader_data_lifecycle: ReaderDataLifecycle,
    /// Which serializations are understood.
    pub representation: Vec<DataRepresentation>,
    /// Which types are taken for the reader's own.
    pub type_consistency: TypeConsistencyEnforcement,
    /// Dunlin's own, like the TRANSPORT_MULTICAST of other products: multicast groups on which the
    /// reader asks for its samples, so that many readers on one group cost the writer one datagram.
    /// A writer sends to the first group that it can reach, and what only this reader lacks to the
    /// reader alone. Empty means unicast. No writer is refused for it: one that cannot send by
    /// multicast sends by unicast.
    pub multicast: Vec<Ipv4Addr>,
}

impl Default for DataReaderQos {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            deadline: Duration::INFINITE,
            latency_budget: Duration::ZERO,
            liveliness: Liveliness::default(),
            reliability: Reliability::BEST_EFFORT,
            destination_order: DestinationOrder::default(),
            history: History::default(),
            resource_limits: ResourceLimits::default(),
            user_data: Vec::new(),
            property: Properties::default(),
            entity_name: String::new(),
            ownership: Ownership::default(),
            time_based_filter: Duration::ZERO,
            reader_data_lifecycle: ReaderDataLifecycle::default(),
            representation: alloc::vec![DataRepresentation::Xcdr1, DataRepresentation::Xcdr2],
            type_consistency: TypeConsistencyEnforcement::default(),
            multicast: Vec::new(),
        }
    }
}
