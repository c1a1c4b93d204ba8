package org.dunlin.internal;

import java.util.List;

/** The structures of dunlin.h. */
public final class Structs {
    private static final String NAMED = "text entity_name, bytes user_data, ptr properties, u64 property_count, ";
    private static final String POLICIES = "i32 durability, i32 reliability, i32 liveliness, i32 ownership, ";
    private static final String LIMITS = "i32 history, i32 depth, i32 max_samples, i32 max_instances, "
            + "i32 max_samples_per_instance, ";
    private static final String SERVICE = "i32 service_history, i32 service_depth, i32 service_max_samples, "
            + "i32 service_max_instances, i32 service_max_samples_per_instance, ";

    public static final Struct SAMPLE_INFO = new Struct("sample_info",
            "i64 source_timestamp, i64 sequence, u8*16 instance, u8*16 publication, u32 sample_state, "
            + "u32 view_state, u32 instance_state, i32 disposed_generation_count, i32 no_writers_generation_count, "
            + "i32 sample_rank, i32 generation_rank, i32 absolute_generation_rank, u8 valid_data, u8*7 reserved");
    public static final Struct SELECT = new Struct("select",
            "u32 size, u32 max, u32 sample_states, u32 view_states, u32 instance_states, i32 which, u8*16 instance, "
            + "u64 condition, u32 flags, u32 reserved");
    public static final Struct BLOCK = new Struct("block", "ptr data, u64 length, u64 token");
    public static final Struct LOAN = new Struct("loan", "ptr data, u64 length, u64 token, u32 shared, u32 reserved");
    public static final Struct WRITE_OPTIONS = new Struct("write_options",
            "u32 size, u32 flags, i64 timestamp, ptr instance, i64 sequence");
    public static final Struct STATUS = new Struct("status", "u32 kind, i32*4 count, i32 reason, u8*16 last");
    public static final Struct LISTENER = new Struct("listener",
            "u32 size, u32 mask, ptr context, ptr on_data, ptr on_data_on_readers, ptr on_status, ptr release");
    public static final Struct PROPERTY = new Struct("property",
            "text name, bytes value, u8 binary, u8 propagate, u8*6 reserved");
    public static final Struct PARTICIPANT_QOS = new Struct("participant_qos",
            "u32 size, u32 kind, " + NAMED + "u8 autoenable, u8*7 reserved");
    public static final Struct GROUP_QOS = new Struct("group_qos",
            "u32 size, u32 kind, text entity_name, bytes group_data, ptr partitions, u64 partition_count, "
            + "i32 access_scope, u8 coherent, u8 ordered, u8 autoenable, u8 reserved");
    public static final Struct TOPIC_QOS = new Struct("topic_qos",
            "u32 size, u32 kind, i64 deadline, i64 latency_budget, i64 lifespan, i64 lease_duration, "
            + "i64 max_blocking_time, i64 service_cleanup_delay, bytes topic_data, " + POLICIES
            + "i32 destination_order, " + LIMITS + SERVICE
            + "i32 transport_priority, i32 representations, u32 reserved");
    public static final Struct WRITER_QOS = new Struct("writer_qos",
            "u32 size, u32 kind, i64 deadline, i64 latency_budget, i64 lifespan, i64 lease_duration, "
            + "i64 max_blocking_time, i64 service_cleanup_delay, " + NAMED + POLICIES
            + "i32 ownership_strength, i32 destination_order, " + LIMITS + SERVICE
            + "i32 transport_priority, i32 representation, u32 batch_bytes, u8 autodispose, u8*3 reserved");
    public static final Struct READER_QOS = new Struct("reader_qos",
            "u32 size, u32 kind, i64 deadline, i64 latency_budget, i64 lease_duration, i64 max_blocking_time, "
            + "i64 minimum_separation, i64 autopurge_nowriter, i64 autopurge_disposed, " + NAMED
            + "ptr multicast, u64 multicast_count, " + POLICIES + "i32 destination_order, " + LIMITS
            + "i32 representations, i32 type_consistency, u8 ignore_sequence_bounds, u8 ignore_string_bounds, "
            + "u8 ignore_member_names, u8 prevent_type_widening, u8 force_type_validation, u8*3 reserved");
    public static final Struct CONFIG = new Struct("participant_config",
            "u32 size, u32 waiting, text name, ptr interfaces, u64 interface_count, ptr peers, u64 peer_count, "
            + "text tls_authorities, text tls_certificates, text tls_key, i64 spin, i64 lease_duration, "
            + "i64 announce_period, i64 heartbeat_period, i64 linger, u64 max_reassembly_bytes, "
            + "u32 max_sample_size, u32 tcp_public_address, u16 tcp_public_port, u16 tcp_port, u8 enabled, "
            + "u8 multicast, u8 udp, u8 shmem, u8 tcp, u8 local, u8 announces_process, u8 answers_questions, "
            + "u8 has_guid_prefix, u8*12 guid_prefix, u8*7 reserved, "
            + "i64 type_timeout, ptr ignored_properties, u64 ignored_property_count, u8 types, u8 type_lookup, "
            + "u8*6 reserved_behind");

    public static final Struct COUNTERS = new Struct("counters",
            "u32 size, u32 reserved, u64 dropped, u64 oversized, u64 unsent, u64 memory_refused, "
            + "u64 connections_refused, u64 malformed, u64 damaged, u64 reassembly_dropped, u64 misplaced, "
            + "u64 implausible");
    public static final Struct BUILTIN_DATA = new Struct("builtin_data",
            "u32 size, u32 kind, u8*16 key, u8*16 participant_key, text name, text type_name, bytes user_data, "
            + "bytes topic_data, ptr properties, u64 property_count, ptr writer_qos, ptr reader_qos, ptr group_qos, "
            + "u8*2 vendor, u8*6 reserved");

    /** Those that the library is asked about. */
    static final List<Struct> ALL = List.of(SAMPLE_INFO, SELECT, BLOCK, LOAN, WRITE_OPTIONS, STATUS, LISTENER,
            PROPERTY, PARTICIPANT_QOS, GROUP_QOS, TOPIC_QOS, WRITER_QOS, READER_QOS, CONFIG,
            BUILTIN_DATA, COUNTERS);

    /** The flags of a {@code dunlin_select}. */
    public static final int SELECT_FLAGS = SELECT.at("flags");

    /** A {@code dunlin_sample}: what is before the info, and the bytes of all. */
    public static final int SAMPLE_DATA = 0;
    public static final int SAMPLE_LENGTH = 8;
    public static final int SAMPLE_TOKEN = 16;
    public static final int SAMPLE_FLAGS = 24;
    public static final int SAMPLE_INFO_AT = 32;
    public static final int SAMPLE_SIZE = 120;

    private Structs() {
    }
}
