//! QoS of each kind of entity: plain structs whose `Default` is the standard's (DDS 1.4 2.2.3).
use crate::{
    Batching, DataRepresentation, DestinationOrder, Durability, Duration, History, Liveliness,
    Ownership, Partition, Presentation, ReaderDataLifecycle, Reliability, ResourceLimits,
    WriterDataLifecycle,
};
use alloc::vec::Vec;
use core::net::Ipv4Addr;

/// QoS of a participant.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct DomainParticipantQos {
    /// Opaque bytes for other participants to read.
    pub user_data: Vec<u8>,
}

/// QoS of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TopicQos {
    /// Opaque bytes for other participants to read.
    pub topic_data: Vec<u8>,
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
}

/// QoS of a writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataWriterQos {
    /// What late joiners get.
    pub durability: Durability,
    /// Longest time between samples of an instance.
    pub deadline: Duration,
    /// Delay that the application accepts: for so long, between 20 us and 1 ms, samples may wait for others to share their
    /// datagram while the writer is ahead of the network.
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
    /// How long a sample is valid.
    pub lifespan: Duration,
    /// Opaque bytes for other participants to read.
    pub user_data: Vec<u8>,
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
            lifespan: Duration::INFINITE,
            user_data: Vec::new(),
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
    /// Shared or exclusive.
    pub ownership: Ownership,
    /// Smallest time between samples of an instance.
    pub time_based_filter: Duration,
    /// When samples of dead instances go.
    pub reader_data_lifecycle: ReaderDataLifecycle,
    /// Which serializations are understood.
    pub representation: Vec<DataRepresentation>,
    /// Dunlin's own, like the TRANSPORT_MULTICAST of other products: multicast groups on which the reader asks for its
    /// samples, so that many readers on one group cost the writer one datagram. A writer sends to the first group that
    /// it can reach, and what only this reader lacks to the reader alone. Empty means unicast. No writer is refused for
    /// it: one that cannot send by multicast sends by unicast.
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
            ownership: Ownership::default(),
            time_based_filter: Duration::ZERO,
            reader_data_lifecycle: ReaderDataLifecycle::default(),
            representation: alloc::vec![DataRepresentation::Xcdr1, DataRepresentation::Xcdr2],
            multicast: Vec::new(),
        }
    }
}
