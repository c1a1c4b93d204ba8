//! The table of all elements of QoS: what each one is here. Documentation is made of it.

use crate::Entity;

/// A set of entities, whose QoS has an element.
pub(crate) type On = u8;

const P: On = Entity::Participant.bit();
const T: On = Entity::Topic.bit();
const W: On = Entity::Writer.bit();
const R: On = Entity::Reader.bit();
const WR: On = W | R;
const TWR: On = T | W | R;
const GROUPS: On = Entity::Publisher.bit() | Entity::Subscriber.bit();
const PWR: On = P | W | R;

/// What is written in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<sec>` and `<nanosec>`.
    Duration,
    /// A number, or LENGTH_UNLIMITED.
    Length,
    /// A number of at least 1.
    Depth,
    /// A number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// One of these names, with or without the suffix of its policy and `_QOS`.
    Choice(&'static str, &'static [&'static str]),
    /// A text.
    Text,
    /// Bytes: numbers with commas between.
    Octets,
    /// `<element>`s with a text each.
    Texts,
    /// `<element>`s with a peer each.
    Peers,
    /// `<element>`s with a name of a representation each.
    Representations,
    /// `<element>`s with `<name>`, `<value>` and `<propagate>`.
    Properties,
    /// `<element>`s with a `<receive_address>`.
    Multicast,
    /// Names of transports with `|` between.
    Mask,
}

/// What an element is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It becomes a field of a QoS or of `ParticipantConfig`.
    Maps(Kind),
    /// It has no counterpart, and changes no data.
    Noted,
    /// These values are what happens anyway; others are refused.
    Only(&'static [&'static str]),
    /// To ignore it would change who gets what, or its safety.
    Refused,
}

/// An element of QoS.
#[derive(Clone, Copy, Debug)]
pub struct ElementInfo {
    /// From the QoS element down: `reliability/kind`. Of what is noted or refused, all that is
    /// within it counts as well.
    pub path: &'static str,
    /// If there are any, the elements below `path` that this is about.
    pub names: &'static [&'static str],
    /// Whose QoS.
    pub(crate) on: On,
    /// What it is here.
    pub class: Class,
    /// The field that it becomes, or why it has no effect.
    pub says: &'static str,
}

impl ElementInfo {
    /// Whether the QoS of this entity has it.
    pub fn is_on(&self, entity: Entity) -> bool {
        self.on & entity.bit() != 0
    }

    /// The paths that it is about.
    pub fn paths(&self) -> Vec<String> {
        match self.names {
            [] => vec![self.path.to_owned()],
            names => names
                .iter()
                .map(|name| format!("{}/{name}", self.path))
                .collect(),
        }
    }
}

const fn maps(on: On, path: &'static str, kind: Kind, says: &'static str) -> ElementInfo {
    ElementInfo {
        path,
        names: &[],
        on,
        class: Class::Maps(kind),
        says,
    }
}

const fn noted(
    on: On,
    path: &'static str,
    names: &'static [&'static str],
    says: &'static str,
) -> ElementInfo {
    ElementInfo {
        path,
        names,
        on,
        class: Class::Noted,
        says,
    }
}

const fn only(
    on: On,
    path: &'static str,
    values: &'static [&'static str],
    says: &'static str,
) -> ElementInfo {
    ElementInfo {
        path,
        names: &[],
        on,
        class: Class::Only(values),
        says,
    }
}

const fn refused(on: On, path: &'static str, says: &'static str) -> ElementInfo {
    ElementInfo {
        path,
        names: &[],
        on,
        class: Class::Refused,
        says,
    }
}

use Kind::{
    Boolean, Choice, Depth, Duration, Integer, Length, Mask, Multicast, Octets, Peers, Properties,
    Representations, Text, Texts,
};

/// One row a line: braces keep the table as it is written.
macro_rules! rows {
    ($($row:expr;)*) => { &[$($row),*] };
}

const NO_FLOW: &str = "writes go out in the thread of the caller, at once; `batching` and \
                       `latency_budget` are what gathers samples";
const NO_DATABASE: &str = "memory is taken as it is needed";
const NO_THREADS: &str = "Dunlin's threads have no such settings";
const PACE: &str = "Dunlin repairs by its own schedule";

/// All elements that are known.
pub const ELEMENTS: &[ElementInfo] = rows! {
    maps(TWR, "durability/kind", Choice("DURABILITY", &["VOLATILE", "TRANSIENT_LOCAL",
        "TRANSIENT", "PERSISTENT"]), "durability");
    noted(TWR, "durability", &["direct_communication", "writer_depth"],
        "late joiners always hear of writers directly, and get what HISTORY keeps");
    refused(TWR, "durability/storage_settings",
        "nothing is kept on a disk: a sample lives as long as its writer");
    maps(T | W, "durability_service/service_cleanup_delay", Duration,
        "durability_service.service_cleanup_delay");
    maps(T | W, "durability_service/history_kind", Choice("HISTORY", &["KEEP_LAST",
        "KEEP_ALL"]), "durability_service.history");
    maps(T | W, "durability_service/history_depth", Depth, "durability_service.history");
    maps(T | W, "durability_service/max_samples", Length, "durability_service.resource_limits");
    maps(T | W, "durability_service/max_instances", Length,
        "durability_service.resource_limits");
    maps(T | W, "durability_service/max_samples_per_instance", Length,
        "durability_service.resource_limits");
    maps(TWR, "deadline/period", Duration, "deadline");
    maps(TWR, "latency_budget/duration", Duration, "latency_budget");
    maps(TWR, "liveliness/kind", Choice("LIVELINESS", &["AUTOMATIC", "MANUAL_BY_PARTICIPANT",
        "MANUAL_BY_TOPIC"]), "liveliness.kind");
    maps(TWR, "liveliness/lease_duration", Duration, "liveliness.lease_duration");
    noted(TWR, "liveliness/assertions_per_lease_duration", &[],
        "Dunlin asserts in time by itself");
    maps(TWR, "reliability/kind", Choice("RELIABILITY", &["BEST_EFFORT", "RELIABLE"]),
        "reliability.kind");
    maps(TWR, "reliability/max_blocking_time", Duration, "reliability.max_blocking_time");
    only(TWR, "reliability/acknowledgment_kind", &["PROTOCOL_ACKNOWLEDGMENT_MODE", "PROTOCOL"],
        "samples are acknowledged by the protocol, not by the application");
    noted(TWR, "reliability/instance_state_consistency_kind", &[],
        "states of instances are not recovered after a loss of liveliness");
    maps(TWR, "destination_order/kind", Choice("DESTINATIONORDER", &["BY_RECEPTION_TIMESTAMP",
        "BY_SOURCE_TIMESTAMP"]), "destination_order");
    noted(TWR, "destination_order", &["scope", "source_timestamp_tolerance"],
        "order is that of instances, and timestamps are taken as they are");
    maps(TWR, "history/kind", Choice("HISTORY", &["KEEP_LAST", "KEEP_ALL"]), "history");
    maps(TWR, "history/depth", Depth, "history");
    noted(TWR, "history/refilter", &[], "late joiners get what passes their filters");
    maps(TWR, "resource_limits/max_samples", Length, "resource_limits.max_samples");
    maps(TWR, "resource_limits/max_instances", Length, "resource_limits.max_instances");
    maps(TWR, "resource_limits/max_samples_per_instance", Length,
        "resource_limits.max_samples_per_instance");
    noted(TWR, "resource_limits", &["initial_samples", "initial_instances",
        "instance_hash_buckets"], NO_DATABASE);
    maps(T | W, "transport_priority/value", Integer, "transport_priority");
    maps(T | W, "lifespan/duration", Duration, "lifespan");
    maps(TWR, "ownership/kind", Choice("OWNERSHIP", &["SHARED", "EXCLUSIVE"]), "ownership");
    maps(W, "ownership_strength/value", Integer, "ownership_strength");
    maps(TWR, "representation/value", Representations, "representation");
    noted(TWR, "representation/compression_settings", &[], "data is not compressed");
    maps(T, "topic_data/value", Octets, "topic_data");
    maps(PWR, "user_data/value", Octets, "user_data");
    maps(GROUPS, "group_data/value", Octets, "group_data");
    maps(GROUPS, "partition/name", Texts, "partition");
    maps(GROUPS, "presentation/access_scope", Choice("PRESENTATION", &["INSTANCE", "TOPIC",
        "GROUP"]), "presentation.access_scope; HIGHEST_OFFERED is refused");
    maps(GROUPS, "presentation/coherent_access", Boolean, "presentation.coherent_access");
    maps(GROUPS, "presentation/ordered_access", Boolean, "presentation.ordered_access");
    noted(GROUPS, "presentation/drop_incomplete_coherent_set", &[],
        "incomplete coherent sets are never shown");
    maps(P | GROUPS, "entity_factory/autoenable_created_entities", Boolean, "entity_factory");
    noted(GROUPS, "", &["asynchronous_publisher", "exclusive_area"], NO_THREADS);
    noted(GROUPS, "", &["protocol", "service"], "it is for services of another product");
    maps(W, "writer_data_lifecycle/autodispose_unregistered_instances", Boolean,
        "writer_data_lifecycle");
    noted(W, "writer_data_lifecycle", &["autopurge_unregistered_instances_delay",
        "autopurge_disposed_instances_delay"],
        "what is unregistered is forgotten once all have it");
    maps(R, "reader_data_lifecycle/autopurge_nowriter_samples_delay", Duration,
        "reader_data_lifecycle");
    maps(R, "reader_data_lifecycle/autopurge_disposed_samples_delay", Duration,
        "reader_data_lifecycle");
    noted(R, "reader_data_lifecycle", &["autopurge_nowriter_instances_delay",
        "autopurge_disposed_instances_delay"], "instances go with their samples");
    maps(R, "time_based_filter/minimum_separation", Duration, "time_based_filter");
    maps(R, "type_consistency/kind", Choice("TYPE_CONSISTENCY", &["DISALLOW_TYPE_COERCION",
        "ALLOW_TYPE_COERCION", "AUTO_TYPE_COERCION"]), "type_consistency.kind; AUTO is ALLOW");
    maps(R, "type_consistency/ignore_sequence_bounds", Boolean,
        "type_consistency.ignore_sequence_bounds");
    maps(R, "type_consistency/ignore_string_bounds", Boolean,
        "type_consistency.ignore_string_bounds");
    maps(R, "type_consistency/ignore_member_names", Boolean,
        "type_consistency.ignore_member_names");
    maps(R, "type_consistency/prevent_type_widening", Boolean,
        "type_consistency.prevent_type_widening");
    maps(R, "type_consistency/force_type_validation", Boolean,
        "type_consistency.force_type_validation");
    noted(R, "type_consistency/ignore_enum_literal_names", &[],
        "enums are compared as DDS-XTypes 1.3 says");
    maps(PWR, "property/value", Properties, "property, and of participants what is about TCP");
    refused(PWR, "property/binary_value",
        "bytes have no text form here: set `property.binary_values` in the program");
    maps(W, "publication_name/name", Text, "entity_name");
    noted(W, "publication_name/role_name", &[], "entities have one name");
    maps(R, "subscription_name/name", Text, "entity_name");
    noted(R, "subscription_name/role_name", &[], "entities have one name");
    maps(P, "participant_name/name", Text, "entity_name");
    noted(P, "participant_name/role_name", &[], "entities have one name");
    maps(Entity::Publisher.bit(), "publisher_name/name", Text, "entity_name");
    noted(Entity::Publisher.bit(), "publisher_name/role_name", &[], "entities have one name");
    maps(Entity::Subscriber.bit(), "subscriber_name/name", Text, "entity_name");
    noted(Entity::Subscriber.bit(), "subscriber_name/role_name", &[], "entities have one name");
    maps(W, "batch/enable", Boolean, "batching: on with max_data_bytes, or 1024 bytes");
    maps(W, "batch/max_data_bytes", Length, "batching.max_bytes; LENGTH_UNLIMITED is 65536");
    noted(W, "batch", &["max_samples", "max_flush_delay", "source_timestamp_resolution",
        "thread_safe_write"], "a batch goes out by its bytes, or by `flush`");
    maps(R, "multicast/value", Multicast, "multicast");
    noted(R, "multicast/kind", &[], "a group is asked for if there is one");
    maps(P, "discovery/initial_peers", Peers,
        "peers; multicast is off unless a group is among them");
    maps(P, "discovery/multicast_receive_addresses", Peers,
        "multicast: these groups in place of the standard's, none if the list is empty");
    only(P, "discovery/enable_endpoint_discovery", &["true", "1"],
        "endpoints find each other by discovery, and nobody else names them");
    only(P, "discovery/accept_unknown_peers", &["true", "1"],
        "participants that are not among the peers are taken in; security keeps out what has to stay out");
    noted(P, "discovery", &["enabled_transports", "metatraffic_transport_priority",
        "dns_tracker_polling_period"],
        "discovery goes by all transports");
    maps(P, "transport_builtin/mask", Mask, "transports");
    noted(P, "transport_builtin", &["udpv4", "udpv6", "shmem"],
        "sizes are chosen by Dunlin; socket buffers by the system");
    noted(P, "transport_builtin", &["udpv4_wan"],
        "there is no such transport here; TCP goes through networks that translate addresses");
    maps(P, "discovery_config/participant_liveliness_lease_duration", Duration,
        "lease_duration");
    maps(P, "discovery_config/participant_liveliness_assert_period", Duration,
        "announce_period");
    noted(P, "discovery_config", &["remote_participant_purge_kind",
        "max_liveliness_loss_detection_period", "initial_participant_announcements",
        "min_initial_participant_announcement_period",
        "max_initial_participant_announcement_period", "new_remote_participant_announcements",
        "participant_announcement_period", "dns_tracker_polling_period",
        "participant_reader_resource_limits", "participant_reader", "publication_reader",
        "publication_reader_resource_limits", "subscription_reader",
        "subscription_reader_resource_limits", "publication_writer",
        "publication_writer_data_lifecycle", "subscription_writer",
        "subscription_writer_data_lifecycle", "participant_message_reader",
        "participant_message_writer", "participant_message_reader_reliability_kind",
        "publication_writer_publish_mode", "subscription_writer_publish_mode",
        "participant_configuration_reader", "participant_configuration_writer",
        "participant_configuration_writer_publish_mode",
        "participant_configuration_reader_resource_limits",
        "participant_configuration_writer_data_lifecycle", "asynchronous_publisher",
        "default_domain_announcement_period", "ignore_default_domain_announcements",
        "builtin_discovery_plugins", "enabled_builtin_channels", "service_request_reader",
        "service_request_writer", "service_request_writer_data_lifecycle",
        "service_request_writer_publish_mode", "locator_reachability_assert_period",
        "locator_reachability_lease_duration", "locator_reachability_change_detection_period",
        "secure_volatile_reader", "secure_volatile_writer",
        "secure_volatile_writer_publish_mode",
        "endpoint_type_object_lb_serialization_threshold", "sedp_reader_resource_limits"],
        "discovery has its own schedule and sizes");
    refused(P, "wire_protocol/rtps_well_known_ports",
        "participants with other ports than the standard's are found by nobody else");
    noted(P, "wire_protocol", &["participant_id", "rtps_host_id", "rtps_app_id",
        "rtps_instance_id", "rtps_reserved_port_mask",
        "rtps_auto_id_kind", "check_crc", "compute_crc"],
        "ids and ports are those of the standard; checksums are put on where they are needed");
    noted(P, "", &["database", "event", "receiver_pool", "asynchronous_publisher", "exclusive_area",
        "flow_controller"], NO_THREADS);
    noted(P, "", &["resource_limits", "system_resource_limits", "typecode", "type_support"],
        NO_DATABASE);
    noted(P, "", &["default_unicast", "transport_mapping", "multicast_mapping"],
        "Dunlin chooses addresses among its interfaces");
    noted(P, "", &["logging", "monitoring", "network_capture", "profile", "service", "user_object"],
        "it is for services and tools of another product");
    refused(P, "partition",
        "participants have no partitions here: publishers and subscribers do");
    noted(WR, "transport_selection", &[], "all transports of the participant are used");
    noted(WR, "transport_encapsulation", &[], "there is one encapsulation");
    noted(WR, "unicast", &[], "the addresses of the participant are used");
    noted(WR, "", &["service", "type_support", "user_object"],
        "it is for services and tools of another product");
    noted(T, "type_support", &[], "types say how they are serialized");
    noted(W, "publish_mode", &["kind", "flow_controller_name", "priority"], NO_FLOW);
    noted(W, "flow_controller", &[], NO_FLOW);
    noted(W, "availability", &[], "required subscriptions are not part of the standard");
    noted(R, "availability", &[], "samples of a virtual writer are not joined");
    noted(W, "transfer_mode", &[], "shared memory is used without a setting");
    noted(R, "transfer_mode", &[], "shared memory is used without a setting");
    noted(W, "writer_resource_limits", &["initial_concurrent_blocking_threads",
        "max_concurrent_blocking_threads", "max_remote_reader_filters", "initial_batches",
        "max_batches", "instance_replacement", "replace_empty_instances",
        "autoregister_instances", "initial_virtual_writers", "max_virtual_writers",
        "max_remote_readers", "max_app_ack_remote_readers", "initial_active_topic_queries",
        "max_active_topic_queries", "writer_loaned_sample_allocation",
        "initialize_writer_loaned_sample", "cookie_max_length", "max_app_ack_response_length"],
        NO_DATABASE);
    noted(R, "reader_resource_limits", &["max_remote_writers",
        "max_remote_writers_per_instance", "max_samples_per_remote_writer", "max_infos",
        "initial_remote_writers", "initial_remote_writers_per_instance", "initial_infos",
        "initial_outstanding_reads", "max_outstanding_reads", "max_samples_per_read",
        "disable_fragmentation_support", "max_fragmented_samples", "initial_fragmented_samples",
        "max_fragmented_samples_per_remote_writer", "max_fragments_per_sample",
        "dynamically_allocate_fragmented_samples", "max_total_instances",
        "max_remote_virtual_writers", "initial_remote_virtual_writers",
        "max_remote_virtual_writers_per_instance",
        "initial_remote_virtual_writers_per_instance", "max_remote_writers_per_sample",
        "max_query_condition_filters", "max_app_ack_response_length",
        "keep_minimum_state_for_instances", "initial_topic_queries", "max_topic_queries",
        "shmem_ref_transfer_mode_attached_segment_allocation", "instance_replacement",
        "autopurge_remote_not_alive_writer_delay"], NO_DATABASE);
    noted(W, "protocol", &["virtual_guid", "rtps_object_id",
        "propagate_app_ack_with_no_response", "initial_virtual_sequence_number",
        "disable_inline_keyhash", "serialize_key_with_dispose", "serialize_on_write"],
        "the protocol says what is sent");
    only(W, "protocol/push_on_write", &["true", "1"], "samples are sent as they are written");
    only(WR, "protocol/disable_positive_acks", &["false", "0"],
        "reliable readers acknowledge what they have");
    noted(W, "protocol/rtps_reliable_writer", &["low_watermark", "high_watermark",
        "heartbeat_period", "fast_heartbeat_period", "late_joiner_heartbeat_period",
        "virtual_heartbeat_period", "samples_per_virtual_heartbeat", "max_heartbeat_retries",
        "inactivate_nonprogressing_readers", "heartbeats_per_max_samples",
        "min_nack_response_delay", "max_nack_response_delay", "max_bytes_per_nack_response",
        "disable_positive_acks_min_sample_keep_duration",
        "disable_positive_acks_max_sample_keep_duration",
        "disable_positive_acks_enable_adaptive_sample_keep_duration",
        "disable_positive_acks_enable_spin_wait",
        "disable_positive_acks_decrease_sample_keep_duration_factor",
        "disable_positive_acks_increase_sample_keep_duration_factor", "min_send_window_size",
        "max_send_window_size", "send_window_update_period", "send_window_increase_factor",
        "send_window_decrease_factor", "enable_multicast_periodic_heartbeat",
        "multicast_resend_threshold", "disable_repair_piggyback_heartbeat",
        "nack_suppression_duration", "min_nack_response_delay_multicast",
        "inactivate_nonprogressing_readers_period"], PACE);
    noted(R, "protocol", &["virtual_guid", "rtps_object_id", "expects_inline_qos",
        "propagate_dispose_of_unregistered_instances",
        "propagate_unregister_of_disposed_instances", "apply_filter_before_resource_limits"],
        "the protocol says what is sent");
    noted(R, "protocol/rtps_reliable_reader", &["min_heartbeat_response_delay",
        "max_heartbeat_response_delay", "heartbeat_suppression_duration", "nack_period",
        "receive_window_size", "round_trip_time", "app_ack_period",
        "min_app_ack_response_keep_duration", "samples_per_app_ack"], PACE);
    refused(W, "multi_channel",
        "a filter for each channel would have to be kept: use topics, or content filters");
    only(W, "topic_query_dispatch/enable", &["false", "0"],
        "topic queries are not part of the standard: use DURABILITY and content filters");
    noted(W, "topic_query_dispatch", &["publication_period", "samples_per_period"],
        "there are no topic queries");
    noted(R, "data_tag", &[], "tags are told by security");
    noted(W, "data_tag", &[], "tags are told by security");
};
