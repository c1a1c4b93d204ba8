//! DDS QoS: policies as plain data with honest defaults, and the one check that decides whether a
//! writer suits a reader.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod change;
mod compatibility;
mod consistency;
mod duration;
mod entity;
mod name;
mod partition;
mod policy;
mod printable;
mod property;
mod type_consistency;

pub use change::{ImmutablePolicy, PolicyDifference};
pub use compatibility::{Incompatibility, ReaderSide, WriterSide, check};
pub use consistency::InvalidQos;
pub use duration::{Duration, InfiniteDuration};
pub use entity::{
    DataReaderQos, DataWriterQos, DomainParticipantQos, PublisherQos, SubscriberQos, TopicQos,
};
pub use policy::{
    AccessScope, Batching, DataRepresentation, DestinationOrder, Durability, DurabilityService,
    EntityFactory, History, Liveliness, LivelinessKind, Ownership, Partition, PolicyId,
    Presentation, ReaderDataLifecycle, Reliability, ReliabilityKind, ResourceLimits,
    WriterDataLifecycle,
};
pub use printable::{Printable, is_printable};
pub use property::{BinaryProperty, Properties, Property};
pub use type_consistency::{TypeConsistencyEnforcement, TypeConsistencyKind};
