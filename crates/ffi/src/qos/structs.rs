//! The structures. They have no hidden padding, and their sizes are those of the specification.
use crate::memory::{Sized32, dunlin_bytes, dunlin_text};

/// The kind of a `dunlin_participant_qos`.
pub const DUNLIN_QOS_PARTICIPANT: u32 = 1;
/// The kind of a `dunlin_topic_qos`.
pub const DUNLIN_QOS_TOPIC: u32 = 2;
/// The kind of a `dunlin_group_qos`, of a publisher.
pub const DUNLIN_QOS_PUBLISHER: u32 = 3;
/// The kind of a `dunlin_group_qos`, of a subscriber.
pub const DUNLIN_QOS_SUBSCRIBER: u32 = 4;
/// The kind of a `dunlin_writer_qos`.
pub const DUNLIN_QOS_WRITER: u32 = 5;
/// The kind of a `dunlin_reader_qos`.
pub const DUNLIN_QOS_READER: u32 = 6;

/// No limit.
pub const DUNLIN_UNLIMITED: i32 = -1;
/// Late joiners get nothing that was written before.
pub const DUNLIN_VOLATILE: i32 = 0;
/// Late joiners get what the writer still keeps.
pub const DUNLIN_TRANSIENT_LOCAL: i32 = 1;
/// Late joiners get what DURABILITY_SERVICE keeps.
pub const DUNLIN_TRANSIENT: i32 = 2;
/// The same.
pub const DUNLIN_PERSISTENT: i32 = 3;
/// Samples may be lost.
pub const DUNLIN_BEST_EFFORT: i32 = 0;
/// Lost samples are sent again.
pub const DUNLIN_RELIABLE: i32 = 1;
/// The library asserts liveliness.
pub const DUNLIN_AUTOMATIC: i32 = 0;
/// Any assertion within the participant counts.
pub const DUNLIN_MANUAL_BY_PARTICIPANT: i32 = 1;
/// Each writer asserts its own.
pub const DUNLIN_MANUAL_BY_TOPIC: i32 = 2;
/// All writers of an instance are heard.
pub const DUNLIN_SHARED_OWNERSHIP: i32 = 0;
/// Only the strongest writer is.
pub const DUNLIN_EXCLUSIVE_OWNERSHIP: i32 = 1;
/// In the order in which samples were received.
pub const DUNLIN_BY_RECEPTION_TIMESTAMP: i32 = 0;
/// In the order in which samples were written.
pub const DUNLIN_BY_SOURCE_TIMESTAMP: i32 = 1;
/// The latest samples of each instance.
pub const DUNLIN_KEEP_LAST: i32 = 0;
/// All samples, within the limits.
pub const DUNLIN_KEEP_ALL: i32 = 1;
/// Order and coherence within an instance.
pub const DUNLIN_INSTANCE_SCOPE: i32 = 0;
/// Within a writer.
pub const DUNLIN_TOPIC_SCOPE: i32 = 1;
/// Within a publisher.
pub const DUNLIN_GROUP_SCOPE: i32 = 2;
/// XCDR version 1, also the classic CDR.
pub const DUNLIN_XCDR1: i32 = 0;
/// XCDR version 2.
pub const DUNLIN_XCDR2: i32 = 2;
/// Types have to be the same.
pub const DUNLIN_DISALLOW_TYPE_COERCION: i32 = 0;
/// A writer's type may be another one that suits.
pub const DUNLIN_ALLOW_TYPE_COERCION: i32 = 1;

/// A property of an entity.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_property {
    /// Its name.
    pub name: dunlin_text,
    /// A text, or bytes.
    pub value: dunlin_bytes,
    /// The value is bytes.
    pub binary: u8,
    /// Others are told.
    pub propagate: u8,
    /// 0.
    pub reserved: [u8; 6],
}

/// QoS of a writer. Durations are nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_writer_qos {
    /// `sizeof` of the structure.
    pub size: u32,
    /// `DUNLIN_QOS_WRITER`.
    pub kind: u32,
    /// DEADLINE.
    pub deadline: i64,
    /// LATENCY_BUDGET.
    pub latency_budget: i64,
    /// LIFESPAN.
    pub lifespan: i64,
    /// The lease of LIVELINESS.
    pub lease_duration: i64,
    /// How long a write waits for room: RELIABILITY.
    pub max_blocking_time: i64,
    /// DURABILITY_SERVICE.
    pub service_cleanup_delay: i64,
    /// ENTITY_NAME.
    pub entity_name: dunlin_text,
    /// USER_DATA.
    pub user_data: dunlin_bytes,
    /// PROPERTY: the first of them.
    pub properties: *const dunlin_property,
    /// How many.
    pub property_count: u64,
    /// DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
    pub durability: i32,
    /// RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
    pub reliability: i32,
    /// LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
    pub liveliness: i32,
    /// OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
    pub ownership: i32,
    /// OWNERSHIP_STRENGTH.
    pub ownership_strength: i32,
    /// DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
    pub destination_order: i32,
    /// HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
    pub history: i32,
    /// How many samples of an instance KEEP_LAST keeps.
    pub depth: i32,
    /// RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
    pub max_samples: i32,
    /// RESOURCE_LIMITS: instances.
    pub max_instances: i32,
    /// RESOURCE_LIMITS: samples of an instance.
    pub max_samples_per_instance: i32,
    /// DURABILITY_SERVICE: which history.
    pub service_history: i32,
    /// DURABILITY_SERVICE: its depth.
    pub service_depth: i32,
    /// DURABILITY_SERVICE: samples.
    pub service_max_samples: i32,
    /// DURABILITY_SERVICE: instances.
    pub service_max_instances: i32,
    /// DURABILITY_SERVICE: samples of an instance.
    pub service_max_samples_per_instance: i32,
    /// TRANSPORT_PRIORITY.
    pub transport_priority: i32,
    /// DATA_REPRESENTATION: `DUNLIN_XCDR1`, `DUNLIN_XCDR2`.
    pub representation: i32,
    /// Samples are gathered until they have so many bytes; 0 sends each at once.
    pub batch_bytes: u32,
    /// WRITER_DATA_LIFECYCLE: unregistering disposes.
    pub autodispose: u8,
    /// 0.
    pub reserved: [u8; 3],
}

/// QoS of a reader. Durations are nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_reader_qos {
    /// `sizeof` of the structure.
    pub size: u32,
    /// `DUNLIN_QOS_READER`.
    pub kind: u32,
    /// DEADLINE.
    pub deadline: i64,
    /// LATENCY_BUDGET.
    pub latency_budget: i64,
    /// The lease of LIVELINESS.
    pub lease_duration: i64,
    /// How long a write waits for room: RELIABILITY.
    pub max_blocking_time: i64,
    /// TIME_BASED_FILTER.
    pub minimum_separation: i64,
    /// READER_DATA_LIFECYCLE: of instances without writers.
    pub autopurge_nowriter: i64,
    /// READER_DATA_LIFECYCLE: of disposed instances.
    pub autopurge_disposed: i64,
    /// ENTITY_NAME.
    pub entity_name: dunlin_text,
    /// USER_DATA.
    pub user_data: dunlin_bytes,
    /// PROPERTY: the first of them.
    pub properties: *const dunlin_property,
    /// How many.
    pub property_count: u64,
    /// Multicast groups on which it wants its samples: IPv4 addresses as numbers, 239.1.2.3 as
    /// 0xef010203.
    pub multicast: *const u32,
    /// How many.
    pub multicast_count: u64,
    /// DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
    pub durability: i32,
    /// RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
    pub reliability: i32,
    /// LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
    pub liveliness: i32,
    /// OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
    pub ownership: i32,
    /// DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
    pub destination_order: i32,
    /// HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
    pub history: i32,
    /// How many samples of an instance KEEP_LAST keeps.
    pub depth: i32,
    /// RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
    pub max_samples: i32,
    /// RESOURCE_LIMITS: instances.
    pub max_instances: i32,
    /// RESOURCE_LIMITS: samples of an instance.
    pub max_samples_per_instance: i32,
    /// DATA_REPRESENTATION: bits, `1 << DUNLIN_XCDR1` and its kin.
    pub representations: i32,
    /// TYPE_CONSISTENCY_ENFORCEMENT: `DUNLIN_DISALLOW_TYPE_COERCION`, `DUNLIN_ALLOW_TYPE_COERCION`.
    pub type_consistency: i32,
    /// TYPE_CONSISTENCY_ENFORCEMENT: the bounds of sequences do not count.
    pub ignore_sequence_bounds: u8,
    /// The bounds of strings do not count.
    pub ignore_string_bounds: u8,
    /// Members are known by their ids alone.
    pub ignore_member_names: u8,
    /// A writer's type may lack nothing.
    pub prevent_type_widening: u8,
    /// No match before both types are known.
    pub force_type_validation: u8,
    /// 0.
    pub reserved: [u8; 3],
}

/// QoS of a topic. All but the data is advice for its writers and readers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_topic_qos {
    /// `sizeof` of the structure.
    pub size: u32,
    /// `DUNLIN_QOS_TOPIC`.
    pub kind: u32,
    /// DEADLINE.
    pub deadline: i64,
    /// LATENCY_BUDGET.
    pub latency_budget: i64,
    /// LIFESPAN.
    pub lifespan: i64,
    /// The lease of LIVELINESS.
    pub lease_duration: i64,
    /// How long a write waits for room: RELIABILITY.
    pub max_blocking_time: i64,
    /// DURABILITY_SERVICE.
    pub service_cleanup_delay: i64,
    /// TOPIC_DATA.
    pub topic_data: dunlin_bytes,
    /// DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
    pub durability: i32,
    /// RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
    pub reliability: i32,
    /// LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
    pub liveliness: i32,
    /// OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
    pub ownership: i32,
    /// DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
    pub destination_order: i32,
    /// HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
    pub history: i32,
    /// How many samples of an instance KEEP_LAST keeps.
    pub depth: i32,
    /// RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
    pub max_samples: i32,
    /// RESOURCE_LIMITS: instances.
    pub max_instances: i32,
    /// RESOURCE_LIMITS: samples of an instance.
    pub max_samples_per_instance: i32,
    /// DURABILITY_SERVICE: which history.
    pub service_history: i32,
    /// DURABILITY_SERVICE: its depth.
    pub service_depth: i32,
    /// DURABILITY_SERVICE: samples.
    pub service_max_samples: i32,
    /// DURABILITY_SERVICE: instances.
    pub service_max_instances: i32,
    /// DURABILITY_SERVICE: samples of an instance.
    pub service_max_samples_per_instance: i32,
    /// TRANSPORT_PRIORITY.
    pub transport_priority: i32,
    /// DATA_REPRESENTATION: bits, `1 << DUNLIN_XCDR1` and its kin.
    pub representations: i32,
    /// 0.
    pub reserved: u32,
}

/// QoS of a publisher or a subscriber.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_group_qos {
    /// `sizeof` of the structure.
    pub size: u32,
    /// `DUNLIN_QOS_PUBLISHER` or `DUNLIN_QOS_SUBSCRIBER`.
    pub kind: u32,
    /// ENTITY_NAME.
    pub entity_name: dunlin_text,
    /// GROUP_DATA.
    pub group_data: dunlin_bytes,
    /// PARTITION: the first name.
    pub partitions: *const dunlin_text,
    /// How many; 0 is the partition "".
    pub partition_count: u64,
    /// PRESENTATION: one of `DUNLIN_INSTANCE_SCOPE` and its kin.
    pub access_scope: i32,
    /// PRESENTATION: coherent access.
    pub coherent: u8,
    /// PRESENTATION: ordered access.
    pub ordered: u8,
    /// ENTITY_FACTORY: what it creates is enabled at once.
    pub autoenable: u8,
    /// 0.
    pub reserved: u8,
}

/// QoS of a participant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_participant_qos {
    /// `sizeof` of the structure.
    pub size: u32,
    /// `DUNLIN_QOS_PARTICIPANT`.
    pub kind: u32,
    /// ENTITY_NAME.
    pub entity_name: dunlin_text,
    /// USER_DATA.
    pub user_data: dunlin_bytes,
    /// PROPERTY: the first of them.
    pub properties: *const dunlin_property,
    /// How many.
    pub property_count: u64,
    /// ENTITY_FACTORY: what it creates is enabled at once.
    pub autoenable: u8,
    /// 0.
    pub reserved: [u8; 7],
}

const _: () = {
    assert!(size_of::<dunlin_property>() == 40);
    assert!(size_of::<dunlin_writer_qos>() == 184);
    assert!(size_of::<dunlin_reader_qos>() == 184);
    assert!(size_of::<dunlin_topic_qos>() == 144);
    assert!(size_of::<dunlin_group_qos>() == 64);
    assert!(size_of::<dunlin_participant_qos>() == 64);
};

/// Each begins with its size and is copied as it is; pointers in it are looked at when their counts
/// say that something is there.
macro_rules! sized {
    ($($name:ident)+) => {$(
        // SAFETY: it is `repr(C)`, begins with its size, and has numbers and addresses only.
        unsafe impl Sized32 for $name {
            const NAME: &'static str = stringify!($name);
        }

        // SAFETY: addresses in it are looked at during the call alone that it is passed to.
        unsafe impl Send for $name {}
    )+};
}

sized! { dunlin_writer_qos dunlin_reader_qos dunlin_topic_qos dunlin_group_qos dunlin_participant_qos }

// SAFETY: addresses in it are looked at by whoever keeps what lies there.
unsafe impl Send for dunlin_property {}
