/*
 * Dunlin: DDS with the lowest latency that the machine allows. The C interface.
 *
 * Made of the sources of crates/ffi, where DUNLIN_BLESS=1 cargo test -p dunlin-ffi --test header
 * writes it. docs/abi.md tells how it is used.
 *
 * Functions return DUNLIN_OK, or a code that says why not. Results go to pointers, which come last, and are
 * written on DUNLIN_OK only. Handles are numbers, and 0 is none. Text is UTF-8 with a length. Times
 * are nanoseconds.
 */

#ifndef DUNLIN_H
#define DUNLIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* In nanoseconds. */
#define DUNLIN_SECOND ((int64_t)1000000000)
/* A duration without end. */
#define DUNLIN_INFINITE INT64_MAX
/* No timestamp. */
#define DUNLIN_NO_TIME INT64_MIN


/**
 * DCPSParticipant: the other participants.
 */
#define DUNLIN_BUILTIN_PARTICIPANT 1

/**
 * DCPSTopic: the topics of which others have writers or readers.
 */
#define DUNLIN_BUILTIN_TOPIC 2

/**
 * DCPSPublication: the writers of others.
 */
#define DUNLIN_BUILTIN_PUBLICATION 3

/**
 * DCPSSubscription: the readers of others.
 */
#define DUNLIN_BUILTIN_SUBSCRIPTION 4

/**
 * Receivers spin for a moment, then sleep.
 */
#define DUNLIN_SPIN_THEN_BLOCK 0

/**
 * Receivers sleep.
 */
#define DUNLIN_BLOCK 1

/**
 * Receivers spin for ever: one processor is always busy.
 */
#define DUNLIN_SPIN 2

/**
 * Types are announced to nobody: names decide about matches.
 */
#define DUNLIN_TYPES_NONE 0

/**
 * Types are announced to participants of Dunlin.
 */
#define DUNLIN_TYPES_DUNLIN 1

/**
 * Types are announced to everybody.
 */
#define DUNLIN_TYPES_ALL 2

/**
 * The kind of a participant.
 */
#define DUNLIN_KIND_PARTICIPANT 1

/**
 * The kind of a topic.
 */
#define DUNLIN_KIND_TOPIC 2

/**
 * The kind of a content filtered topic.
 */
#define DUNLIN_KIND_FILTERED_TOPIC 3

/**
 * The kind of a publisher.
 */
#define DUNLIN_KIND_PUBLISHER 4

/**
 * The kind of a subscriber.
 */
#define DUNLIN_KIND_SUBSCRIBER 5

/**
 * The kind of a writer.
 */
#define DUNLIN_KIND_WRITER 6

/**
 * The kind of a reader.
 */
#define DUNLIN_KIND_READER 7

/**
 * The kind of a read condition.
 */
#define DUNLIN_KIND_READ_CONDITION 8

/**
 * The kind of a query condition.
 */
#define DUNLIN_KIND_QUERY_CONDITION 9

/**
 * The kind of a status condition.
 */
#define DUNLIN_KIND_STATUS_CONDITION 10

/**
 * The kind of a guard condition.
 */
#define DUNLIN_KIND_GUARD_CONDITION 11

/**
 * The kind of a wait set.
 */
#define DUNLIN_KIND_WAITSET 12

/**
 * The kind of a type.
 */
#define DUNLIN_KIND_TYPE 13

/**
 * The kind of octets.
 */
#define DUNLIN_KIND_OCTETS 14

/**
 * The major number of the ABI: it is that of the shared library's name.
 */
#define DUNLIN_ABI_MAJOR 0

/**
 * The minor number of the ABI: it grows when something is added.
 */
#define DUNLIN_ABI_MINOR 5

/**
 * It succeeded.
 */
#define DUNLIN_OK 0

/**
 * Something else than the codes below.
 */
#define DUNLIN_ERROR 1

/**
 * The library does not have this.
 */
#define DUNLIN_UNSUPPORTED 2

/**
 * An argument makes no sense.
 */
#define DUNLIN_BAD_PARAMETER 3

/**
 * It is not possible now.
 */
#define DUNLIN_PRECONDITION_NOT_MET 4

/**
 * A limit is reached.
 */
#define DUNLIN_OUT_OF_RESOURCES 5

/**
 * The entity has not been enabled.
 */
#define DUNLIN_NOT_ENABLED 6

/**
 * The policy cannot be changed while the entity lives.
 */
#define DUNLIN_IMMUTABLE_POLICY 7

/**
 * The policies contradict each other.
 */
#define DUNLIN_INCONSISTENT_POLICY 8

/**
 * It has been closed.
 */
#define DUNLIN_ALREADY_DELETED 9

/**
 * It took longer than allowed.
 */
#define DUNLIN_TIMEOUT 10

/**
 * There is nothing to take, to read or to find.
 */
#define DUNLIN_NO_DATA 11

/**
 * It is not for this kind of thing.
 */
#define DUNLIN_ILLEGAL_OPERATION 12

/**
 * The memory is to be where peers map it, if there is such memory.
 */
#define DUNLIN_SHARED 1

/**
 * Nothing is told.
 */
#define DUNLIN_LOG_NONE 0

/**
 * Something does not work any more.
 */
#define DUNLIN_LOG_ERROR 1

/**
 * Something does not work as it should.
 */
#define DUNLIN_LOG_WARNING 2

/**
 * What was decided.
 */
#define DUNLIN_LOG_INFO 3

/**
 * What happens.
 */
#define DUNLIN_LOG_DEBUG 4

/**
 * The kind of a `dunlin_participant_qos`.
 */
#define DUNLIN_QOS_PARTICIPANT 1

/**
 * The kind of a `dunlin_topic_qos`.
 */
#define DUNLIN_QOS_TOPIC 2

/**
 * The kind of a `dunlin_group_qos`, of a publisher.
 */
#define DUNLIN_QOS_PUBLISHER 3

/**
 * The kind of a `dunlin_group_qos`, of a subscriber.
 */
#define DUNLIN_QOS_SUBSCRIBER 4

/**
 * The kind of a `dunlin_writer_qos`.
 */
#define DUNLIN_QOS_WRITER 5

/**
 * The kind of a `dunlin_reader_qos`.
 */
#define DUNLIN_QOS_READER 6

/**
 * No limit.
 */
#define DUNLIN_UNLIMITED -1

/**
 * Late joiners get nothing that was written before.
 */
#define DUNLIN_VOLATILE 0

/**
 * Late joiners get what the writer still keeps.
 */
#define DUNLIN_TRANSIENT_LOCAL 1

/**
 * Late joiners get what DURABILITY_SERVICE keeps.
 */
#define DUNLIN_TRANSIENT 2

/**
 * The same.
 */
#define DUNLIN_PERSISTENT 3

/**
 * Samples may be lost.
 */
#define DUNLIN_BEST_EFFORT 0

/**
 * Lost samples are sent again.
 */
#define DUNLIN_RELIABLE 1

/**
 * The library asserts liveliness.
 */
#define DUNLIN_AUTOMATIC 0

/**
 * Any assertion within the participant counts.
 */
#define DUNLIN_MANUAL_BY_PARTICIPANT 1

/**
 * Each writer asserts its own.
 */
#define DUNLIN_MANUAL_BY_TOPIC 2

/**
 * All writers of an instance are heard.
 */
#define DUNLIN_SHARED_OWNERSHIP 0

/**
 * Only the strongest writer is.
 */
#define DUNLIN_EXCLUSIVE_OWNERSHIP 1

/**
 * In the order in which samples were received.
 */
#define DUNLIN_BY_RECEPTION_TIMESTAMP 0

/**
 * In the order in which samples were written.
 */
#define DUNLIN_BY_SOURCE_TIMESTAMP 1

/**
 * The latest samples of each instance.
 */
#define DUNLIN_KEEP_LAST 0

/**
 * All samples, within the limits.
 */
#define DUNLIN_KEEP_ALL 1

/**
 * Order and coherence within an instance.
 */
#define DUNLIN_INSTANCE_SCOPE 0

/**
 * Within a writer.
 */
#define DUNLIN_TOPIC_SCOPE 1

/**
 * Within a publisher.
 */
#define DUNLIN_GROUP_SCOPE 2

/**
 * XCDR version 1, also the classic CDR.
 */
#define DUNLIN_XCDR1 0

/**
 * XCDR version 2.
 */
#define DUNLIN_XCDR2 2

/**
 * Types have to be the same.
 */
#define DUNLIN_DISALLOW_TYPE_COERCION 0

/**
 * A writer's type may be another one that suits.
 */
#define DUNLIN_ALLOW_TYPE_COERCION 1

/**
 * The sample lies in memory of its writer.
 */
#define DUNLIN_SAMPLE_IN_PLACE 1

/**
 * Its writer used the memory again before it could be copied: there is no payload.
 */
#define DUNLIN_SAMPLE_WITHDRAWN 2

/**
 * The payload lies in memory of the caller's: there is nothing to give back.
 */
#define DUNLIN_SAMPLE_COPIED 4

/**
 * It is none: the reader has several, and only a sole one was wanted.
 */
#define DUNLIN_SAMPLE_SEVERAL 8

/**
 * The sample was read before.
 */
#define DUNLIN_READ 1

/**
 * The sample was not read before.
 */
#define DUNLIN_NOT_READ 2

/**
 * The instance is new to the reader.
 */
#define DUNLIN_NEW 1

/**
 * The instance is not new to the reader.
 */
#define DUNLIN_NOT_NEW 2

/**
 * The instance lives.
 */
#define DUNLIN_ALIVE 1

/**
 * A writer disposed the instance.
 */
#define DUNLIN_NOT_ALIVE_DISPOSED 2

/**
 * No writer writes the instance any more.
 */
#define DUNLIN_NOT_ALIVE_NO_WRITERS 4

/**
 * Any state.
 */
#define DUNLIN_ANY_STATE 65535

/**
 * Samples of any instance.
 */
#define DUNLIN_ANY_INSTANCE 0

/**
 * Samples of the instance of `dunlin_select`.
 */
#define DUNLIN_THIS_INSTANCE 1

/**
 * Samples of the instance that follows it.
 */
#define DUNLIN_NEXT_INSTANCE 2

/**
 * Samples that lie in memory of their writer stay there: `data` is null, and `dunlin_sample_copy`
 * reads them.
 */
#define DUNLIN_IN_PLACE 1

/**
 * The samples that are in the array are given back before it is filled; those with a token of 0
 * are none.
 */
#define DUNLIN_GIVE_BACK_FIRST 2

/**
 * Whoever gets the samples decodes each at once and tells of those that are not of the type by
 * `dunlin_reject`: none is looked at before, and none left out.
 */
#define DUNLIN_DECODES 4

/**
 * Only for `dunlin_take_next`, without a condition: where the reader has several samples, of
 * whatever states, none is taken. Then the code is OK, and what was a sample has no more than the
 * flag `DUNLIN_SAMPLE_SEVERAL`. So a take of all that there is may try this first.
 */
#define DUNLIN_IF_SOLE 8

/**
 * No status.
 */
#define DUNLIN_STATUS_NONE 0

/**
 * Every status.
 */
#define DUNLIN_STATUS_ALL 4294967295

/**
 * INCONSISTENT_TOPIC: somebody has a topic of this name with another type.
 */
#define DUNLIN_INCONSISTENT_TOPIC 1

/**
 * OFFERED_DEADLINE_MISSED.
 */
#define DUNLIN_OFFERED_DEADLINE_MISSED 2

/**
 * REQUESTED_DEADLINE_MISSED.
 */
#define DUNLIN_REQUESTED_DEADLINE_MISSED 4

/**
 * OFFERED_INCOMPATIBLE_QOS.
 */
#define DUNLIN_OFFERED_INCOMPATIBLE_QOS 32

/**
 * REQUESTED_INCOMPATIBLE_QOS.
 */
#define DUNLIN_REQUESTED_INCOMPATIBLE_QOS 64

/**
 * SAMPLE_LOST.
 */
#define DUNLIN_SAMPLE_LOST 128

/**
 * SAMPLE_REJECTED.
 */
#define DUNLIN_SAMPLE_REJECTED 256

/**
 * DATA_ON_READERS: some reader of a subscriber has data.
 */
#define DUNLIN_DATA_ON_READERS 512

/**
 * DATA_AVAILABLE: there is data to take.
 */
#define DUNLIN_DATA_AVAILABLE 1024

/**
 * LIVELINESS_LOST.
 */
#define DUNLIN_LIVELINESS_LOST 2048

/**
 * LIVELINESS_CHANGED.
 */
#define DUNLIN_LIVELINESS_CHANGED 4096

/**
 * PUBLICATION_MATCHED: a reader came or went.
 */
#define DUNLIN_PUBLICATION_MATCHED 8192

/**
 * SUBSCRIPTION_MATCHED: a writer came or went.
 */
#define DUNLIN_SUBSCRIPTION_MATCHED 16384

/**
 * The reason in SAMPLE_REJECTED: none was rejected.
 */
#define DUNLIN_NOT_REJECTED 0

/**
 * The reason in SAMPLE_REJECTED: the limit of instances.
 */
#define DUNLIN_REJECTED_BY_INSTANCES 1

/**
 * The reason in SAMPLE_REJECTED: the limit of samples.
 */
#define DUNLIN_REJECTED_BY_SAMPLES 2

/**
 * The reason in SAMPLE_REJECTED: the limit of samples of one instance.
 */
#define DUNLIN_REJECTED_BY_SAMPLES_PER_INSTANCE 3

/**
 * A participant.
 */
typedef uint64_t dunlin_participant;

/**
 * A reader.
 */
typedef uint64_t dunlin_reader;

/**
 * What DDS says about a sample.
 */
typedef struct dunlin_sample_info {
    /**
     * When it was written, in nanoseconds since 1970; `DUNLIN_NO_TIME` if its writer did not say.
     */
    int64_t source_timestamp;
    /**
     * Its number among the changes of its writer.
     */
    int64_t sequence;
    /**
     * Its instance.
     */
    uint8_t instance[16];
    /**
     * Its writer.
     */
    uint8_t publication[16];
    /**
     * `DUNLIN_READ` or `DUNLIN_NOT_READ`.
     */
    uint32_t sample_state;
    /**
     * `DUNLIN_NEW` or `DUNLIN_NOT_NEW`.
     */
    uint32_t view_state;
    /**
     * `DUNLIN_ALIVE` or one of its kin.
     */
    uint32_t instance_state;
    /**
     * How often the instance had come back from being disposed.
     */
    int32_t disposed_generation_count;
    /**
     * How often it had come back from having no writers.
     */
    int32_t no_writers_generation_count;
    /**
     * How many samples of the instance follow in this call.
     */
    int32_t sample_rank;
    /**
     * Generations between this one and the last of the instance in this call.
     */
    int32_t generation_rank;
    /**
     * Generations between this one and the newest of the instance in the reader.
     */
    int32_t absolute_generation_rank;
    /**
     * 1 for a sample; 0 for a change of the instance alone, whose payload is the key or nothing.
     */
    uint8_t valid_data;
    /**
     * 0.
     */
    uint8_t reserved[7];
} dunlin_sample_info;

/**
 * A sample that was taken or read. It is the reader's until it is given back.
 */
typedef struct dunlin_sample {
    /**
     * The payload, with its encapsulation header: private memory. Null if there is none, or with
     * `DUNLIN_IN_PLACE` if it stays where its writer has it.
     */
    const uint8_t *data;
    /**
     * Bytes of the payload.
     */
    uint64_t length;
    /**
     * Tells samples from each other; 0 if there is none.
     */
    uint64_t token;
    /**
     * Bits `DUNLIN_SAMPLE_IN_PLACE`, `DUNLIN_SAMPLE_WITHDRAWN`, `DUNLIN_SAMPLE_COPIED`,
     * `DUNLIN_SAMPLE_SEVERAL`.
     */
    uint32_t flags;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * What DDS says about it.
     */
    struct dunlin_sample_info info;
} dunlin_sample;

/**
 * Text in UTF-8 with a length. It need not end with NUL. No text has the length 0.
 */
typedef struct dunlin_text {
    /**
     * The first byte; null is allowed for no text.
     */
    const char *data;
    /**
     * Bytes.
     */
    size_t length;
} dunlin_text;

/**
 * Bytes with a length.
 */
typedef struct dunlin_bytes {
    /**
     * The first byte; null is allowed for none.
     */
    const uint8_t *data;
    /**
     * How many.
     */
    size_t length;
} dunlin_bytes;

/**
 * A property of an entity.
 */
typedef struct dunlin_property {
    /**
     * Its name.
     */
    struct dunlin_text name;
    /**
     * A text, or bytes.
     */
    struct dunlin_bytes value;
    /**
     * The value is bytes.
     */
    uint8_t binary;
    /**
     * Others are told.
     */
    uint8_t propagate;
    /**
     * 0.
     */
    uint8_t reserved[6];
} dunlin_property;

/**
 * QoS of a writer. Durations are nanoseconds.
 */
typedef struct dunlin_writer_qos {
    /**
     * `sizeof` of the structure.
     */
    uint32_t size;
    /**
     * `DUNLIN_QOS_WRITER`.
     */
    uint32_t kind;
    /**
     * DEADLINE.
     */
    int64_t deadline;
    /**
     * LATENCY_BUDGET.
     */
    int64_t latency_budget;
    /**
     * LIFESPAN.
     */
    int64_t lifespan;
    /**
     * The lease of LIVELINESS.
     */
    int64_t lease_duration;
    /**
     * How long a write waits for room: RELIABILITY.
     */
    int64_t max_blocking_time;
    /**
     * DURABILITY_SERVICE.
     */
    int64_t service_cleanup_delay;
    /**
     * ENTITY_NAME.
     */
    struct dunlin_text entity_name;
    /**
     * USER_DATA.
     */
    struct dunlin_bytes user_data;
    /**
     * PROPERTY: the first of them.
     */
    const struct dunlin_property *properties;
    /**
     * How many.
     */
    uint64_t property_count;
    /**
     * DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
     */
    int32_t durability;
    /**
     * RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
     */
    int32_t reliability;
    /**
     * LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
     */
    int32_t liveliness;
    /**
     * OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
     */
    int32_t ownership;
    /**
     * OWNERSHIP_STRENGTH.
     */
    int32_t ownership_strength;
    /**
     * DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
     */
    int32_t destination_order;
    /**
     * HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
     */
    int32_t history;
    /**
     * How many samples of an instance KEEP_LAST keeps.
     */
    int32_t depth;
    /**
     * RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
     */
    int32_t max_samples;
    /**
     * RESOURCE_LIMITS: instances.
     */
    int32_t max_instances;
    /**
     * RESOURCE_LIMITS: samples of an instance.
     */
    int32_t max_samples_per_instance;
    /**
     * DURABILITY_SERVICE: which history.
     */
    int32_t service_history;
    /**
     * DURABILITY_SERVICE: its depth.
     */
    int32_t service_depth;
    /**
     * DURABILITY_SERVICE: samples.
     */
    int32_t service_max_samples;
    /**
     * DURABILITY_SERVICE: instances.
     */
    int32_t service_max_instances;
    /**
     * DURABILITY_SERVICE: samples of an instance.
     */
    int32_t service_max_samples_per_instance;
    /**
     * TRANSPORT_PRIORITY.
     */
    int32_t transport_priority;
    /**
     * DATA_REPRESENTATION: `DUNLIN_XCDR1`, `DUNLIN_XCDR2`.
     */
    int32_t representation;
    /**
     * Samples are gathered until they have so many bytes; 0 sends each at once.
     */
    uint32_t batch_bytes;
    /**
     * WRITER_DATA_LIFECYCLE: unregistering disposes.
     */
    uint8_t autodispose;
    /**
     * 0.
     */
    uint8_t reserved[3];
} dunlin_writer_qos;

/**
 * QoS of a reader. Durations are nanoseconds.
 */
typedef struct dunlin_reader_qos {
    /**
     * `sizeof` of the structure.
     */
    uint32_t size;
    /**
     * `DUNLIN_QOS_READER`.
     */
    uint32_t kind;
    /**
     * DEADLINE.
     */
    int64_t deadline;
    /**
     * LATENCY_BUDGET.
     */
    int64_t latency_budget;
    /**
     * The lease of LIVELINESS.
     */
    int64_t lease_duration;
    /**
     * How long a write waits for room: RELIABILITY.
     */
    int64_t max_blocking_time;
    /**
     * TIME_BASED_FILTER.
     */
    int64_t minimum_separation;
    /**
     * READER_DATA_LIFECYCLE: of instances without writers.
     */
    int64_t autopurge_nowriter;
    /**
     * READER_DATA_LIFECYCLE: of disposed instances.
     */
    int64_t autopurge_disposed;
    /**
     * ENTITY_NAME.
     */
    struct dunlin_text entity_name;
    /**
     * USER_DATA.
     */
    struct dunlin_bytes user_data;
    /**
     * PROPERTY: the first of them.
     */
    const struct dunlin_property *properties;
    /**
     * How many.
     */
    uint64_t property_count;
    /**
     * Multicast groups on which it wants its samples: IPv4 addresses as numbers, 239.1.2.3 as
     * 0xef010203.
     */
    const uint32_t *multicast;
    /**
     * How many.
     */
    uint64_t multicast_count;
    /**
     * DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
     */
    int32_t durability;
    /**
     * RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
     */
    int32_t reliability;
    /**
     * LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
     */
    int32_t liveliness;
    /**
     * OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
     */
    int32_t ownership;
    /**
     * DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
     */
    int32_t destination_order;
    /**
     * HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
     */
    int32_t history;
    /**
     * How many samples of an instance KEEP_LAST keeps.
     */
    int32_t depth;
    /**
     * RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
     */
    int32_t max_samples;
    /**
     * RESOURCE_LIMITS: instances.
     */
    int32_t max_instances;
    /**
     * RESOURCE_LIMITS: samples of an instance.
     */
    int32_t max_samples_per_instance;
    /**
     * DATA_REPRESENTATION: bits, `1 << DUNLIN_XCDR1` and its kin.
     */
    int32_t representations;
    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: `DUNLIN_DISALLOW_TYPE_COERCION`, `DUNLIN_ALLOW_TYPE_COERCION`.
     */
    int32_t type_consistency;
    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: the bounds of sequences do not count.
     */
    uint8_t ignore_sequence_bounds;
    /**
     * The bounds of strings do not count.
     */
    uint8_t ignore_string_bounds;
    /**
     * Members are known by their ids alone.
     */
    uint8_t ignore_member_names;
    /**
     * A writer's type may lack nothing.
     */
    uint8_t prevent_type_widening;
    /**
     * No match before both types are known.
     */
    uint8_t force_type_validation;
    /**
     * 0.
     */
    uint8_t reserved[3];
} dunlin_reader_qos;

/**
 * QoS of a publisher or a subscriber.
 */
typedef struct dunlin_group_qos {
    /**
     * `sizeof` of the structure.
     */
    uint32_t size;
    /**
     * `DUNLIN_QOS_PUBLISHER` or `DUNLIN_QOS_SUBSCRIBER`.
     */
    uint32_t kind;
    /**
     * ENTITY_NAME.
     */
    struct dunlin_text entity_name;
    /**
     * GROUP_DATA.
     */
    struct dunlin_bytes group_data;
    /**
     * PARTITION: the first name.
     */
    const struct dunlin_text *partitions;
    /**
     * How many; 0 is the partition "".
     */
    uint64_t partition_count;
    /**
     * PRESENTATION: one of `DUNLIN_INSTANCE_SCOPE` and its kin.
     */
    int32_t access_scope;
    /**
     * PRESENTATION: coherent access.
     */
    uint8_t coherent;
    /**
     * PRESENTATION: ordered access.
     */
    uint8_t ordered;
    /**
     * ENTITY_FACTORY: what it creates is enabled at once.
     */
    uint8_t autoenable;
    /**
     * 0.
     */
    uint8_t reserved;
} dunlin_group_qos;

/**
 * What others say of a participant, a topic, a writer or a reader. What it points to lies in the
 * block that comes with it.
 */
typedef struct dunlin_builtin_data {
    /**
     * `sizeof(dunlin_builtin_data)`.
     */
    uint32_t size;
    /**
     * What it is about: one of `DUNLIN_BUILTIN_*`.
     */
    uint32_t kind;
    /**
     * The GUID; of a topic a number that its name and type have. It is the instance in the
     * built-in reader.
     */
    uint8_t key[16];
    /**
     * Of a writer or reader: the GUID of its participant.
     */
    uint8_t participant_key[16];
    /**
     * The name of the topic; of a participant its ENTITY_NAME.
     */
    struct dunlin_text name;
    /**
     * The name of the topic's type.
     */
    struct dunlin_text type_name;
    /**
     * USER_DATA.
     */
    struct dunlin_bytes user_data;
    /**
     * TOPIC_DATA.
     */
    struct dunlin_bytes topic_data;
    /**
     * Of a participant: PROPERTY, and what its product tells of itself.
     */
    const struct dunlin_property *properties;
    /**
     * How many.
     */
    uint64_t property_count;
    /**
     * Of a writer: its QoS, as far as others are told. Else null.
     */
    const struct dunlin_writer_qos *writer_qos;
    /**
     * Of a reader: its QoS, as far as others are told. Else null.
     */
    const struct dunlin_reader_qos *reader_qos;
    /**
     * Of a writer or reader: the QoS of its publisher or subscriber. Else null.
     */
    const struct dunlin_group_qos *group_qos;
    /**
     * Of a participant: whose product it is, by the OMG's number.
     */
    uint8_t vendor[2];
    /**
     * 0.
     */
    uint8_t reserved[6];
} dunlin_builtin_data;

/**
 * Memory of the library that the caller owns: texts, and what the lists of a QoS lie in. It is
 * given back by `dunlin_block_free`.
 */
typedef struct dunlin_block {
    /**
     * The bytes; a text in UTF-8 is followed by a NUL that `length` does not count. Null if the
     * block only keeps what a structure points to.
     */
    const uint8_t *data;
    /**
     * How many.
     */
    uint64_t length;
    /**
     * Tells blocks from each other.
     */
    uint64_t token;
} dunlin_block;

/**
 * Which samples a read or a take is about. With zeros behind the size it is about all.
 */
typedef struct dunlin_select {
    /**
     * `sizeof(dunlin_select)`.
     */
    uint32_t size;
    /**
     * At most so many; 0 for as many as there is room for.
     */
    uint32_t max;
    /**
     * Bits `DUNLIN_READ`, `DUNLIN_NOT_READ`; 0 for any.
     */
    uint32_t sample_states;
    /**
     * Bits `DUNLIN_NEW`, `DUNLIN_NOT_NEW`; 0 for any.
     */
    uint32_t view_states;
    /**
     * Bits `DUNLIN_ALIVE` and its kin; 0 for any.
     */
    uint32_t instance_states;
    /**
     * Which instance: `DUNLIN_ANY_INSTANCE` and its kin.
     */
    int32_t which;
    /**
     * That instance.
     */
    uint8_t instance[16];
    /**
     * A read or query condition of the reader, whose states and query count instead; 0 for none.
     */
    uint64_t condition;
    /**
     * Bits `DUNLIN_IN_PLACE`, `DUNLIN_GIVE_BACK_FIRST`, `DUNLIN_DECODES`, `DUNLIN_IF_SOLE`.
     */
    uint32_t flags;
    /**
     * 0.
     */
    uint32_t reserved;
} dunlin_select;

/**
 * A condition of any kind.
 */
typedef uint64_t dunlin_condition;

/**
 * A function of the application; `context` is what was given with it.
 */
typedef void (*dunlin_function)(void *context);

/**
 * Whatever the library gives out by number. 0 is none.
 */
typedef uint64_t dunlin_handle;

/**
 * A wait set.
 */
typedef uint64_t dunlin_waitset;

/**
 * Settings of a participant. Set the size, and have `dunlin_config_default` fill the rest in.
 * Durations are nanoseconds.
 */
typedef struct dunlin_participant_config {
    /**
     * `sizeof(dunlin_participant_config)`.
     */
    uint32_t size;
    /**
     * How receivers wait: `DUNLIN_SPIN_THEN_BLOCK` and its kin.
     */
    uint32_t waiting;
    /**
     * Name that others see.
     */
    struct dunlin_text name;
    /**
     * Only these interfaces, by name or address; none means all.
     */
    const struct dunlin_text *interfaces;
    /**
     * How many.
     */
    uint64_t interface_count;
    /**
     * Where to announce besides multicast.
     */
    const struct dunlin_text *peers;
    /**
     * How many.
     */
    uint64_t peer_count;
    /**
     * TLS for TCP: file of the authorities' certificates, in PEM. All three or none.
     */
    struct dunlin_text tls_authorities;
    /**
     * TLS for TCP: file of the own certificates.
     */
    struct dunlin_text tls_certificates;
    /**
     * TLS for TCP: file of the private key.
     */
    struct dunlin_text tls_key;
    /**
     * How long `DUNLIN_SPIN_THEN_BLOCK` spins.
     */
    int64_t spin;
    /**
     * Silence longer than this means that the participant is gone.
     */
    int64_t lease_duration;
    /**
     * Longest time between two announcements.
     */
    int64_t announce_period;
    /**
     * How often a writer asks silent readers what they have.
     */
    int64_t heartbeat_period;
    /**
     * How long a deleted writer waits for acknowledgements.
     */
    int64_t linger;
    /**
     * The most bytes of samples that its readers keep though they cannot be shown yet.
     */
    uint64_t max_reassembly_bytes;
    /**
     * The largest sample that its readers take, in bytes.
     */
    uint32_t max_sample_size;
    /**
     * Where others find it behind a translator of addresses: 10.1.2.3 as 0x0a010203; 0 for nowhere.
     */
    uint32_t tcp_public_address;
    /**
     * The port there.
     */
    uint16_t tcp_public_port;
    /**
     * The port that TCP listens at; 0 for none.
     */
    uint16_t tcp_port;
    /**
     * Joins the domain at once; otherwise by `dunlin_enable`.
     */
    uint8_t enabled;
    /**
     * Announces and listens at the group that the standard gives.
     */
    uint8_t multicast;
    /**
     * Uses UDP.
     */
    uint8_t udp;
    /**
     * Uses shared memory.
     */
    uint8_t shmem;
    /**
     * Uses TCP, and nothing else.
     */
    uint8_t tcp;
    /**
     * Hands samples over within the process.
     */
    uint8_t local;
    /**
     * Tells others its host and process.
     */
    uint8_t announces_process;
    /**
     * Answers those who ask how it is with an endpoint.
     */
    uint8_t answers_questions;
    /**
     * `guid_prefix` counts.
     */
    uint8_t has_guid_prefix;
    /**
     * The first twelve bytes of its GUID.
     */
    uint8_t guid_prefix[12];
    /**
     * 0.
     */
    uint8_t reserved[7];
    /**
     * How long a match waits for the type of the other side.
     */
    int64_t type_timeout;
    /**
     * Participants that announce one of these properties, with its value as a text, are not there.
     */
    const struct dunlin_property *ignored_properties;
    /**
     * How many.
     */
    uint64_t ignored_property_count;
    /**
     * To whom endpoints announce their types: `DUNLIN_TYPES_NONE` and its kin.
     */
    uint8_t types;
    /**
     * Types of others are asked for, and own ones told, by the TypeLookup service.
     */
    uint8_t type_lookup;
    /**
     * 0.
     */
    uint8_t reserved_behind[6];
} dunlin_participant_config;

/**
 * A writer.
 */
typedef uint64_t dunlin_writer;

/**
 * A subscriber.
 */
typedef uint64_t dunlin_subscriber;

/**
 * A status of an entity.
 */
typedef struct dunlin_status {
    /**
     * Which: one of the status bits.
     */
    uint32_t kind;
    /**
     * How often ever; how often since it was last read; for matches how many now, and the change
     * of that. For LIVELINESS_CHANGED: alive, its change, not alive, its change.
     */
    int32_t count[4];
    /**
     * For incompatible QoS the policy that stood in the way last; for rejected samples which limit.
     */
    int32_t reason;
    /**
     * The endpoint, or the instance, that it was about last.
     */
    uint8_t last[16];
} dunlin_status;

/**
 * Functions that are called when something happens to an entity. Each may be null. They are called
 * without any lock, on the thread that received, and may call every function of the library; those
 * of one reader do not overlap. No exception and no `longjmp` may leave them.
 */
typedef struct dunlin_listener {
    /**
     * `sizeof(dunlin_listener)`.
     */
    uint32_t size;
    /**
     * The statuses that it wants to hear of.
     */
    uint32_t mask;
    /**
     * Passed to each of the functions.
     */
    void *context;
    /**
     * DATA_AVAILABLE.
     */
    void (*on_data)(void *context,
                    dunlin_reader reader);
    /**
     * DATA_ON_READERS, which goes before DATA_AVAILABLE.
     */
    void (*on_data_on_readers)(void *context,
                               dunlin_subscriber subscriber);
    /**
     * Any other status.
     */
    void (*on_status)(void *context,
                      dunlin_handle entity,
                      const struct dunlin_status *status);
    /**
     * Called once, when none of the others is called any more: the context is the library's from
     * the moment on that the function which took the listener has returned DUNLIN_OK.
     */
    void (*release)(void *context);
} dunlin_listener;

/**
 * A structure of any QoS: the first two members of each.
 */
typedef struct dunlin_qos {
    /**
     * The size of the whole structure.
     */
    uint32_t size;
    /**
     * Which one it is: one of `DUNLIN_QOS_*`.
     */
    uint32_t kind;
} dunlin_qos;

/**
 * A publisher.
 */
typedef uint64_t dunlin_publisher;

/**
 * Memory for a payload. One thread at a time writes there.
 */
typedef struct dunlin_loan {
    /**
     * Where the payload goes, its encapsulation header first; what follows the header is aligned
     * to 64 bytes. It holds whatever was there before.
     */
    uint8_t *data;
    /**
     * Bytes; the application may make them fewer.
     */
    uint64_t length;
    /**
     * Tells loans from each other.
     */
    uint64_t token;
    /**
     * Readers of this host will see this memory, rather than a copy.
     */
    uint32_t shared;
    /**
     * 0.
     */
    uint32_t reserved;
} dunlin_loan;

/**
 * What may be said of a change beside its payload. `DUNLIN_WRITE_OPTIONS` has its initial values.
 */
typedef struct dunlin_write_options {
    /**
     * `sizeof(dunlin_write_options)`.
     */
    uint32_t size;
    /**
     * 0.
     */
    uint32_t flags;
    /**
     * When it was written, in nanoseconds since 1970; `DUNLIN_NO_TIME` for now.
     */
    int64_t timestamp;
    /**
     * Its instance, 16 bytes: PRECONDITION_NOT_MET if the key is that of another one. Null if the
     * payload alone says it.
     */
    const uint8_t *instance;
    /**
     * Written by the call: the number of the change.
     */
    int64_t sequence;
} dunlin_write_options;

/**
 * A function that hears of the log: of one line without an end of line, which is there during the
 * call.
 */
typedef void (*dunlin_log)(void *context,
                           uint32_t level,
                           struct dunlin_text line);

/**
 * Counted bytes.
 */
typedef uint64_t dunlin_octets;

/**
 * Called when the library needs foreign memory no more.
 */
typedef void (*dunlin_release)(void *context);

/**
 * QoS of a participant.
 */
typedef struct dunlin_participant_qos {
    /**
     * `sizeof` of the structure.
     */
    uint32_t size;
    /**
     * `DUNLIN_QOS_PARTICIPANT`.
     */
    uint32_t kind;
    /**
     * ENTITY_NAME.
     */
    struct dunlin_text entity_name;
    /**
     * USER_DATA.
     */
    struct dunlin_bytes user_data;
    /**
     * PROPERTY: the first of them.
     */
    const struct dunlin_property *properties;
    /**
     * How many.
     */
    uint64_t property_count;
    /**
     * ENTITY_FACTORY: what it creates is enabled at once.
     */
    uint8_t autoenable;
    /**
     * 0.
     */
    uint8_t reserved[7];
} dunlin_participant_qos;

/**
 * What a participant could not use or do, since it was made.
 */
typedef struct dunlin_counters {
    /**
     * `sizeof(dunlin_counters)`.
     */
    uint32_t size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Datagrams that the system dropped for want of room in a receive buffer.
     */
    uint64_t dropped;
    /**
     * Datagrams that were longer than any that RTPS over this transport has.
     */
    uint64_t oversized;
    /**
     * Datagrams that could not be sent; of participants that share a transport, all together.
     */
    uint64_t unsent;
    /**
     * How often memory could not be shared with a peer that offered it, or not any longer.
     */
    uint64_t memory_refused;
    /**
     * Connections by TCP that were refused, or closed for what came by them.
     */
    uint64_t connections_refused;
    /**
     * Messages that were not valid RTPS, or whose rest was not.
     */
    uint64_t malformed;
    /**
     * Messages whose checksum was wrong or missing: damaged on the way, or forged.
     */
    uint64_t damaged;
    /**
     * Fragments and samples that were dropped since `max_reassembly_bytes` was used up.
     */
    uint64_t reassembly_dropped;
    /**
     * Messages in the name of a known participant from an address that it does not announce.
     */
    uint64_t misplaced;
    /**
     * What was said about samples that their writer never announced, or that were never written.
     */
    uint64_t implausible;
} dunlin_counters;

/**
 * A topic.
 */
typedef uint64_t dunlin_topic;

/**
 * A policy that stood in the way, and how often.
 */
typedef struct dunlin_policy_count {
    /**
     * The number that the standard gives it.
     */
    int32_t policy;
    /**
     * How often.
     */
    int32_t count;
} dunlin_policy_count;

/**
 * A type.
 */
typedef uint64_t dunlin_type;

/**
 * QoS of a topic. All but the data is advice for its writers and readers.
 */
typedef struct dunlin_topic_qos {
    /**
     * `sizeof` of the structure.
     */
    uint32_t size;
    /**
     * `DUNLIN_QOS_TOPIC`.
     */
    uint32_t kind;
    /**
     * DEADLINE.
     */
    int64_t deadline;
    /**
     * LATENCY_BUDGET.
     */
    int64_t latency_budget;
    /**
     * LIFESPAN.
     */
    int64_t lifespan;
    /**
     * The lease of LIVELINESS.
     */
    int64_t lease_duration;
    /**
     * How long a write waits for room: RELIABILITY.
     */
    int64_t max_blocking_time;
    /**
     * DURABILITY_SERVICE.
     */
    int64_t service_cleanup_delay;
    /**
     * TOPIC_DATA.
     */
    struct dunlin_bytes topic_data;
    /**
     * DURABILITY: one of `DUNLIN_VOLATILE` and its kin.
     */
    int32_t durability;
    /**
     * RELIABILITY: `DUNLIN_BEST_EFFORT`, `DUNLIN_RELIABLE`.
     */
    int32_t reliability;
    /**
     * LIVELINESS: one of `DUNLIN_AUTOMATIC` and its kin.
     */
    int32_t liveliness;
    /**
     * OWNERSHIP: `DUNLIN_SHARED_OWNERSHIP`, `DUNLIN_EXCLUSIVE_OWNERSHIP`.
     */
    int32_t ownership;
    /**
     * DESTINATION_ORDER: `DUNLIN_BY_RECEPTION_TIMESTAMP`, `DUNLIN_BY_SOURCE_TIMESTAMP`.
     */
    int32_t destination_order;
    /**
     * HISTORY: `DUNLIN_KEEP_LAST`, `DUNLIN_KEEP_ALL`.
     */
    int32_t history;
    /**
     * How many samples of an instance KEEP_LAST keeps.
     */
    int32_t depth;
    /**
     * RESOURCE_LIMITS: samples; `DUNLIN_UNLIMITED` for any number.
     */
    int32_t max_samples;
    /**
     * RESOURCE_LIMITS: instances.
     */
    int32_t max_instances;
    /**
     * RESOURCE_LIMITS: samples of an instance.
     */
    int32_t max_samples_per_instance;
    /**
     * DURABILITY_SERVICE: which history.
     */
    int32_t service_history;
    /**
     * DURABILITY_SERVICE: its depth.
     */
    int32_t service_depth;
    /**
     * DURABILITY_SERVICE: samples.
     */
    int32_t service_max_samples;
    /**
     * DURABILITY_SERVICE: instances.
     */
    int32_t service_max_instances;
    /**
     * DURABILITY_SERVICE: samples of an instance.
     */
    int32_t service_max_samples_per_instance;
    /**
     * TRANSPORT_PRIORITY.
     */
    int32_t transport_priority;
    /**
     * DATA_REPRESENTATION: bits, `1 << DUNLIN_XCDR1` and its kin.
     */
    int32_t representations;
    /**
     * 0.
     */
    uint32_t reserved;
} dunlin_topic_qos;

/**
 * A part of a topic, which a content filter makes.
 */
typedef uint64_t dunlin_filtered_topic;

/**
 * A part of a payload.
 */
typedef struct dunlin_piece {
    /**
     * The first byte; null for all of the octets.
     */
    const uint8_t *data;
    /**
     * How many.
     */
    uint64_t length;
    /**
     * The octets that they are a part of, which are kept by reference; 0 if they are to be copied.
     */
    dunlin_octets octets;
} dunlin_piece;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The subscriber of the built-in topics (DDS 1.4 2.2.2.2.1.7), always the same. It is no content of
 * the participant: `dunlin_delete` and `dunlin_delete_contained` pass over it.
 */
int32_t dunlin_builtin_subscriber(dunlin_participant participant,
                                  uint64_t *subscriber);

/**
 * The reader of a built-in topic, one of `DUNLIN_BUILTIN_*`, always the same. What is known is there
 * as samples, and what changes from then on; `dunlin_builtin_decode` says what they mean.
 */
int32_t dunlin_builtin_reader(dunlin_participant participant,
                              uint32_t kind,
                              dunlin_reader *reader);

/**
 * What a sample of a built-in reader says. Of one without valid data, whose entity is gone, it is
 * the key alone.
 */
int32_t dunlin_builtin_decode(uint32_t kind,
                              const struct dunlin_sample *sample,
                              struct dunlin_builtin_data *data,
                              struct dunlin_block *block);

/**
 * A condition of a reader: samples with the states of `select`, which may be null.
 */
int32_t dunlin_read_condition_new(dunlin_reader reader,
                                  const struct dunlin_select *select,
                                  dunlin_condition *condition);

/**
 * A condition of a reader: samples with the states of `select` whose content an expression
 * describes, in the language of content filters.
 */
int32_t dunlin_query_condition_new(dunlin_reader reader,
                                   const struct dunlin_select *select,
                                   struct dunlin_text expression,
                                   const struct dunlin_text *parameters,
                                   uint64_t parameter_count,
                                   dunlin_condition *condition);

/**
 * The values of the parameters of its expression, a line each.
 */
int32_t dunlin_query_parameters_get(dunlin_condition condition,
                                    struct dunlin_block *text);

/**
 * Other values for the parameters of its expression.
 */
int32_t dunlin_query_parameters_set(dunlin_condition condition,
                                    const struct dunlin_text *parameters,
                                    uint64_t parameter_count);

/**
 * A condition that the application itself sets.
 */
int32_t dunlin_guard_new(dunlin_condition *condition);

/**
 * Sets it, or resets it with 0.
 */
int32_t dunlin_guard_set(dunlin_condition guard,
                         uint8_t value);

/**
 * Whether a condition is true now.
 */
int32_t dunlin_condition_value(dunlin_condition condition,
                               uint8_t *value);

/**
 * Calls a function once, when a condition may have become true, or is closed: at once in this thread
 * if it is true already, else on the thread that brings it about. It may be called early: take, or
 * ask for the value, and call this again if there is nothing. For tasks and futures, which sleep
 * without a thread.
 *
 * The function only hands on to a thread or task that there is something to do; it calls nothing of
 * the library.
 */
int32_t dunlin_condition_wake_once(dunlin_condition condition,
                                   dunlin_function wake,
                                   void *context);

/**
 * The condition of an entity that a status has changed: of a topic, subscriber, writer or reader.
 * An entity has one.
 */
int32_t dunlin_status_condition(dunlin_handle entity,
                                dunlin_condition *condition);

/**
 * Which statuses count for a status condition. `before`, which may be null, is what counted; then
 * `statuses` count, unless it is null.
 */
int32_t dunlin_status_condition_mask(dunlin_condition condition,
                                     const uint32_t *statuses,
                                     uint32_t *before);

/**
 * A wait set without conditions.
 */
int32_t dunlin_waitset_new(dunlin_waitset *waitset);

/**
 * Adds a condition, unless it is there; also while another thread waits.
 */
int32_t dunlin_waitset_attach(dunlin_waitset waitset,
                              dunlin_condition condition);

/**
 * Takes a condition out again.
 *
 * @return PRECONDITION_NOT_MET if it is not there.
 */
int32_t dunlin_waitset_detach(dunlin_waitset waitset,
                              dunlin_condition condition);

/**
 * Waits until one of its conditions is true. The thread receives meanwhile, and listeners may be
 * called in it. `count` is how many conditions are true; as many as `room` allows are written.
 *
 * @return TIMEOUT; PRECONDITION_NOT_MET while another thread waits here; ALREADY_DELETED if none of
 * the conditions can become true any more, or the wait set is closed meanwhile; ERROR once if a
 * `longjmp` of this thread has left a function of a listener.
 */
int32_t dunlin_waitset_wait(dunlin_waitset waitset,
                            int64_t timeout,
                            dunlin_condition *conditions,
                            uint64_t room,
                            uint64_t *count);

/**
 * The conditions in a wait set. `count` is how many there are; as many as `room` allows are
 * written.
 */
int32_t dunlin_waitset_conditions(dunlin_waitset waitset,
                                  dunlin_condition *conditions,
                                  uint64_t room,
                                  uint64_t *count);

/**
 * Fills in the settings of a participant whose maker says nothing else. The caller has set the
 * size: BAD_PARAMETER if it is too small for what this library has.
 */
int32_t dunlin_config_default(struct dunlin_participant_config *config);

/**
 * The keys, of 16 bytes each, of the other participants (`DUNLIN_BUILTIN_PARTICIPANT`) or of the
 * topics of which others have writers or readers (`DUNLIN_BUILTIN_TOPIC`). `count` is how many
 * there are; as many as `room` allows are written.
 */
int32_t dunlin_discovered(dunlin_participant participant,
                          uint32_t kind,
                          uint8_t *keys,
                          uint64_t room,
                          uint64_t *count);

/**
 * What is known of one of those that `dunlin_discovered` gave.
 *
 * @return NO_DATA if it is gone; BAD_PARAMETER for a topic that nobody has.
 */
int32_t dunlin_discovered_data(dunlin_participant participant,
                               uint32_t kind,
                               const uint8_t *key,
                               struct dunlin_builtin_data *data,
                               struct dunlin_block *block);

/**
 * From now on nothing is heard of an entity of others, whose key of 16 bytes a sample or a list
 * told, for as long as the participant lives (DDS 1.4 2.2.2.2.1.14 to .17). Ignoring a topic
 * ignores all that others have of its name, of whatever type.
 */
int32_t dunlin_ignore(dunlin_participant participant,
                      uint32_t kind,
                      const uint8_t *key);

/**
 * What a reader that matches says of itself, by its GUID of 16 bytes.
 *
 * @return BAD_PARAMETER if none that matches has it.
 */
int32_t dunlin_writer_matched_data(dunlin_writer writer,
                                   const uint8_t *guid,
                                   struct dunlin_builtin_data *data,
                                   struct dunlin_block *block);

/**
 * What a writer that matches says of itself; as `dunlin_writer_matched_data`.
 */
int32_t dunlin_reader_matched_data(dunlin_reader reader,
                                   const uint8_t *guid,
                                   struct dunlin_builtin_data *data,
                                   struct dunlin_block *block);

/**
 * Why nothing arrives on a topic: everything that is found, of own endpoints and of all others that
 * are known, a line each with its cure; empty where all match and flow. Other processes are asked,
 * and `timeout` is how long their answers are waited for. Not for listeners.
 */
int32_t dunlin_why(dunlin_participant participant,
                   struct dunlin_text topic,
                   int64_t timeout,
                   struct dunlin_block *text);

/**
 * Joins the domain, or is announced, if it was created without that.
 */
int32_t dunlin_enable(dunlin_handle entity);

/**
 * Ends something with all that was created from it: entities, conditions, wait sets, types. Calls
 * that are in it end as soon as they can; its handle, and those of what was within it, are refused
 * from now on. It returns when no listener of it runs in another thread.
 *
 * @return PRECONDITION_NOT_MET for a topic that has writers or readers.
 */
int32_t dunlin_close(dunlin_handle handle);

/**
 * Ends something that contains nothing any more.
 *
 * @return PRECONDITION_NOT_MET if it still contains something.
 */
int32_t dunlin_delete(dunlin_handle handle);

/**
 * Ends all that was created from something, and leaves that itself.
 */
int32_t dunlin_delete_contained(dunlin_handle handle);

/**
 * What kind of thing a handle stands for: one of `DUNLIN_KIND_*`.
 */
int32_t dunlin_kind(dunlin_handle handle,
                    uint32_t *kind);

/**
 * The GUID of an entity, of 16 bytes.
 */
int32_t dunlin_guid(dunlin_handle entity,
                    uint8_t *guid);

/**
 * What something was created from; 0 for nothing.
 */
int32_t dunlin_parent(dunlin_handle handle,
                      dunlin_handle *parent);

/**
 * The name of a topic or type; of a writer or reader that of its topic; of others ENTITY_NAME.
 */
int32_t dunlin_name(dunlin_handle entity,
                    struct dunlin_block *name);

/**
 * Another listener, or none if it is null. Returns when no call of the old one runs in another
 * thread.
 */
int32_t dunlin_set_listener(dunlin_handle entity,
                            const struct dunlin_listener *listener);

/**
 * Fills in the default of a QoS, by the size and the kind that the caller has set.
 */
int32_t dunlin_qos_default(struct dunlin_qos *qos);

/**
 * The QoS of an entity, by the size and the kind that the caller has set. Names and lists lie in
 * the block.
 */
int32_t dunlin_qos_get(dunlin_handle entity,
                       struct dunlin_qos *qos,
                       struct dunlin_block *block);

/**
 * Another QoS for an entity.
 *
 * @return IMMUTABLE_POLICY, INCONSISTENT_POLICY with the policy and both values; then nothing has
 * changed.
 */
int32_t dunlin_qos_set(dunlin_handle entity,
                       const struct dunlin_qos *qos);

/**
 * The QoS of what is created from an entity without one, by the kind: from a participant topics,
 * publishers and subscribers, from a publisher writers, from a subscriber readers.
 */
int32_t dunlin_default_qos_get(dunlin_handle entity,
                               struct dunlin_qos *qos,
                               struct dunlin_block *block);

/**
 * What is created from an entity without a QoS has this one from now on; as
 * `dunlin_default_qos_get`.
 */
int32_t dunlin_default_qos_set(dunlin_handle entity,
                               const struct dunlin_qos *qos);

/**
 * Attaches a number of the application to something, such as the index of an object of its own.
 */
int32_t dunlin_set_attachment(dunlin_handle handle,
                              uint64_t attachment);

/**
 * The number that the application attached to something; 0 at first.
 */
int32_t dunlin_attachment(dunlin_handle handle,
                          uint64_t *attachment);

/**
 * A group of writers.
 */
int32_t dunlin_publisher_new(dunlin_participant participant,
                             const struct dunlin_group_qos *qos,
                             const struct dunlin_listener *listener,
                             dunlin_publisher *publisher);

/**
 * A hint that much will be written in a row.
 */
int32_t dunlin_publisher_suspend(dunlin_publisher publisher);

/**
 * Takes the hint back.
 */
int32_t dunlin_publisher_resume(dunlin_publisher publisher);

/**
 * What its writers write until `dunlin_publisher_end_coherent` is a coherent set.
 */
int32_t dunlin_publisher_begin_coherent(dunlin_publisher publisher);

/**
 * The set is complete.
 */
int32_t dunlin_publisher_end_coherent(dunlin_publisher publisher);

/**
 * Waits until every matched reliable reader of every writer has acknowledged all samples.
 */
int32_t dunlin_publisher_wait_for_acknowledgments(dunlin_publisher publisher,
                                                  int64_t timeout);

/**
 * Its first writer of this topic; NO_DATA if it has none.
 */
int32_t dunlin_publisher_lookup_writer(dunlin_publisher publisher,
                                       struct dunlin_text topic,
                                       dunlin_writer *writer);

/**
 * A group of readers.
 */
int32_t dunlin_subscriber_new(dunlin_participant participant,
                              const struct dunlin_group_qos *qos,
                              const struct dunlin_listener *listener,
                              dunlin_subscriber *subscriber);

/**
 * Begins to look at several readers, so that what they show together is whole.
 */
int32_t dunlin_subscriber_begin_access(dunlin_subscriber subscriber);

/**
 * Ends it.
 */
int32_t dunlin_subscriber_end_access(dunlin_subscriber subscriber);

/**
 * Its readers that hold samples which `select` names by their states. `count` is how many there
 * are; as many as `room` allows are written.
 */
int32_t dunlin_subscriber_readers(dunlin_subscriber subscriber,
                                  const struct dunlin_select *select,
                                  dunlin_reader *readers,
                                  uint64_t room,
                                  uint64_t *count);

/**
 * Has the listeners of its readers called that have data which nobody has looked at.
 */
int32_t dunlin_subscriber_notify_readers(dunlin_subscriber subscriber);

/**
 * Its first reader of this topic; NO_DATA if it has none.
 */
int32_t dunlin_subscriber_lookup_reader(dunlin_subscriber subscriber,
                                        struct dunlin_text topic,
                                        dunlin_reader *reader);

/**
 * Functions that each thread of the library calls as its first and as its last act, for runtimes
 * that attach threads. Each may be null; both null take them away. They count for threads that begin
 * from now on: set them before the first participant is made.
 */
int32_t dunlin_set_thread_hooks(dunlin_function start,
                                dunlin_function stop,
                                void *context);

/**
 * The size of a structure, which its name tells, and the offsets of its members in the order of
 * their declaration. `count` is how many members it has; as many as `room` allows are written.
 */
int32_t dunlin_abi_layout(struct dunlin_text name,
                          uint64_t *size,
                          uint64_t *offsets,
                          uint64_t room,
                          uint64_t *count);

/**
 * The version of the library, such as "0.1.0".
 */
const char *dunlin_version(void);

/**
 * The version of the ABI: major << 16 | minor.
 */
uint32_t dunlin_abi_version(void);

/**
 * The name of a return code; "?" if it is none.
 */
const char *dunlin_retcode_name(int32_t code);

/**
 * What the last failure of this thread was: which entity or argument, which values, what to do. The
 * text, which ends with NUL, is there until the thread's next failure. NO_DATA and the TIMEOUT of
 * `dunlin_waitset_wait` have no text and leave that of the failure before.
 */
int32_t dunlin_last_error(struct dunlin_text *text);

/**
 * Keeps a text for `dunlin_last_error` and returns the code: for what is built upon the library and
 * fails by itself, such as a codec.
 *
 * @return BAD_PARAMETER if the text is not UTF-8.
 */
int32_t dunlin_set_last_error(int32_t code,
                              struct dunlin_text text);

/**
 * Gives a block back; it is empty then. A null pointer and an empty block are nothing to do.
 */
int32_t dunlin_block_free(struct dunlin_block *block);

/**
 * How much of the library's is not given back: handles, samples, loans and blocks. `text`, which
 * may be null, says how many of each.
 */
int32_t dunlin_leaks(uint64_t *count,
                     struct dunlin_block *text);

/**
 * Closes everything: participants say goodbye, and no listener is called any more. For exit hooks.
 */
int32_t dunlin_shutdown(void);

/**
 * Memory for a payload of `length` bytes, to be written by `dunlin_loan_write` or discarded by
 * `dunlin_loan_discard`: one of them, once.
 */
int32_t dunlin_loan_new(dunlin_writer writer,
                        uint64_t length,
                        uint32_t flags,
                        struct dunlin_loan *loan);

/**
 * Writes a sample that was serialized into a loan, which is gone then, whatever comes of it.
 */
int32_t dunlin_loan_write(dunlin_writer writer,
                          struct dunlin_loan *loan,
                          struct dunlin_write_options *options);

/**
 * Gives a loan back without writing it.
 */
int32_t dunlin_loan_discard(dunlin_writer writer,
                            struct dunlin_loan *loan);

/**
 * Has a function called with each line of the log whose level is at most `level`
 * (`DUNLIN_LOG_ERROR` to `DUNLIN_LOG_DEBUG`), on a thread of its own, one call at a time; or none
 * any more if it is null. Without it nothing is told. When it returns, the function before has heard
 * all lines so far, and is not called any more; unless it is that function itself that calls.
 *
 * Up to 1024 lines wait to be heard, further ones are counted.
 */
int32_t dunlin_set_log(uint32_t level,
                       dunlin_log call,
                       void *context);

/**
 * Takes one sample for whoever decodes it at once, as with `DUNLIN_DECODES`. `select` may be null.
 *
 * A payload of at most `length` bytes is copied to `into`. Such a sample has the flag
 * `DUNLIN_SAMPLE_COPIED`, and there is nothing to give back. One with a larger payload is as those
 * of `dunlin_take`.
 *
 * @return NO_DATA if there is none; OUT_OF_RESOURCES while 65536 of the reader's are out.
 */
int32_t dunlin_take_next(dunlin_reader reader,
                         const struct dunlin_select *select,
                         uint8_t *into,
                         uint64_t length,
                         struct dunlin_sample *sample);

/**
 * As `dunlin_take_next`, but leaves the sample in the reader, now read.
 */
int32_t dunlin_read_next(dunlin_reader reader,
                         const struct dunlin_select *select,
                         uint8_t *into,
                         uint64_t length,
                         struct dunlin_sample *sample);

/**
 * Octets to be written: `data` is where, until `dunlin_octets_seal`. With a writer they lie where
 * readers of this host see them, if there is such memory; the writer may be 0.
 */
int32_t dunlin_octets_new(dunlin_writer writer,
                          uint64_t length,
                          uint8_t **data,
                          dunlin_octets *octets);

/**
 * The octets are written, and do not change from now on.
 */
int32_t dunlin_octets_seal(dunlin_octets octets);

/**
 * Another reference to the same octets.
 */
int32_t dunlin_octets_clone(dunlin_octets octets,
                            dunlin_octets *clone);

/**
 * A reference to a part of them, which shares their memory.
 */
int32_t dunlin_octets_slice(dunlin_octets octets,
                            uint64_t offset,
                            uint64_t length,
                            dunlin_octets *slice);

/**
 * Where they lie, as long as there is a reference to them.
 */
int32_t dunlin_octets_data(dunlin_octets octets,
                           const uint8_t **data,
                           uint64_t *length);

/**
 * Memory of the application as octets. It does not change until `release` is called with the
 * context: once, on any thread, when the last reference is gone.
 */
int32_t dunlin_octets_wrap(const uint8_t *data,
                           uint64_t length,
                           dunlin_release release,
                           void *context,
                           dunlin_octets *octets);

/**
 * A part of a sample, which shares its memory if that is private memory.
 */
int32_t dunlin_octets_of_sample(dunlin_reader reader,
                                const struct dunlin_sample *sample,
                                uint64_t offset,
                                uint64_t length,
                                dunlin_octets *octets);

/**
 * Gives a reference up.
 */
int32_t dunlin_octets_free(dunlin_octets octets);

/**
 * Joins a domain. Without `config` the settings are the default ones and what the environment
 * says, without `qos` the QoS is that of `dunlin_participant_default_qos_get`.
 */
int32_t dunlin_participant_new(uint32_t domain,
                               const struct dunlin_participant_config *config,
                               const struct dunlin_participant_qos *qos,
                               const struct dunlin_listener *listener,
                               dunlin_participant *participant);

/**
 * The first participant that this process has in a domain; NO_DATA if it has none.
 */
int32_t dunlin_participant_lookup(uint32_t domain,
                                  dunlin_participant *participant);

/**
 * The QoS of participants that are made without one.
 */
int32_t dunlin_participant_default_qos_get(struct dunlin_qos *qos,
                                           struct dunlin_block *block);

/**
 * Participants that are made without a QoS have this one from now on.
 */
int32_t dunlin_participant_default_qos_set(const struct dunlin_qos *qos);

/**
 * Which domain it is in.
 */
int32_t dunlin_participant_domain(dunlin_participant participant,
                                  uint32_t *domain);

/**
 * Announces the participant at one more place.
 */
int32_t dunlin_participant_add_peer(dunlin_participant participant,
                                    struct dunlin_text peer);

/**
 * Announces the participant there no longer.
 */
int32_t dunlin_participant_remove_peer(dunlin_participant participant,
                                       struct dunlin_text peer);

/**
 * Where it announces itself besides multicast, a line each: the peer, the places that it stands for,
 * who was found there, and what is wrong.
 */
int32_t dunlin_participant_peers(dunlin_participant participant,
                                 struct dunlin_block *text);

/**
 * Fills in the counters of a participant, whose `size` the caller has set.
 */
int32_t dunlin_participant_counters(dunlin_participant participant,
                                    struct dunlin_counters *counters);

/**
 * Says that the application lives, for writers with LIVELINESS MANUAL_BY_PARTICIPANT.
 */
int32_t dunlin_participant_assert_liveliness(dunlin_participant participant);

/**
 * Whether an entity, which its GUID of 16 bytes names, was created from the participant.
 */
int32_t dunlin_participant_contains(dunlin_participant participant,
                                    const uint8_t *guid,
                                    uint8_t *contains);

/**
 * The time by which samples are stamped, in nanoseconds since 1970.
 */
int32_t dunlin_current_time(dunlin_participant participant,
                            int64_t *time);

/**
 * A reader of a topic, or of a part of one. Its subscriber may be given instead of its
 * participant; with a participant it is that of those who make none.
 */
int32_t dunlin_reader_new(dunlin_participant parent,
                          dunlin_topic topic,
                          const struct dunlin_reader_qos *qos,
                          const struct dunlin_listener *listener,
                          dunlin_reader *reader);

/**
 * Takes samples out of a reader: as many as `select` names and `room` allows. `select` may be null.
 *
 * @return NO_DATA if there are none; OUT_OF_RESOURCES while 65536 of the reader's are out.
 */
int32_t dunlin_take(dunlin_reader reader,
                    const struct dunlin_select *select,
                    struct dunlin_sample *samples,
                    uint64_t room,
                    uint64_t *count);

/**
 * As `dunlin_take`, but leaves the samples in the reader, now read.
 */
int32_t dunlin_read(dunlin_reader reader,
                    const struct dunlin_select *select,
                    struct dunlin_sample *samples,
                    uint64_t room,
                    uint64_t *count);

/**
 * Gives samples back, each once; the reader may be closed. Their tokens become 0.
 *
 * @return PRECONDITION_NOT_MET for the first that was given back before or is of another reader;
 * those before it are given back.
 */
int32_t dunlin_give_back(dunlin_reader reader,
                         struct dunlin_sample *samples,
                         uint64_t count);

/**
 * Gives a sample back that is not of the reader's type, as `dunlin_give_back` does, and has it
 * counted as lost and logged with the reason. Of a reader that is closed it is given back alone.
 *
 * @return As `dunlin_give_back`.
 */
int32_t dunlin_reject(dunlin_reader reader,
                      struct dunlin_sample *sample,
                      struct dunlin_text why);

/**
 * Copies a part of the payload of a sample.
 *
 * @return ERROR if the writer has used the memory again: what was copied is not the sample.
 */
int32_t dunlin_sample_copy(dunlin_reader reader,
                           const struct dunlin_sample *sample,
                           uint64_t offset,
                           uint8_t *into,
                           uint64_t length);

/**
 * Whether the writer has left the sample alone so far.
 */
int32_t dunlin_sample_is_valid(dunlin_reader reader,
                               const struct dunlin_sample *sample,
                               uint8_t *valid);

/**
 * Whether the reader knows an instance of 16 bytes: NO_DATA if not.
 */
int32_t dunlin_reader_lookup(dunlin_reader reader,
                             const uint8_t *instance);

/**
 * The serialized key of an instance; NO_DATA if the reader does not know it.
 */
int32_t dunlin_reader_key(dunlin_reader reader,
                          const uint8_t *instance,
                          struct dunlin_block *key);

/**
 * Waits until so many writers match; a timeout of 0 looks once.
 */
int32_t dunlin_reader_wait_for_matched(dunlin_reader reader,
                                       uint64_t writers,
                                       int64_t timeout);

/**
 * Waits until everything is here that the matched reliable writers had when the reader joined.
 */
int32_t dunlin_reader_wait_for_historical(dunlin_reader reader,
                                          int64_t timeout);

/**
 * The GUIDs of the writers that match, of 16 bytes each. `count` is how many there are; as many as
 * `room` allows are written.
 */
int32_t dunlin_reader_matched(dunlin_reader reader,
                              uint8_t *guids,
                              uint64_t room,
                              uint64_t *count);

/**
 * How many samples came that did not pass the reader's content filter.
 */
int32_t dunlin_reader_filtered(dunlin_reader reader,
                               uint64_t *count);

/**
 * Why writers of the same or a similar topic do not match, a line each.
 */
int32_t dunlin_reader_explain(dunlin_reader reader,
                              struct dunlin_block *text);

/**
 * A status of an entity; `kind` is one of the status bits. Reading it resets its changes.
 *
 * @return ILLEGAL_OPERATION if that kind of entity has no such status.
 */
int32_t dunlin_status_get(dunlin_handle entity,
                          uint32_t kind,
                          struct dunlin_status *status);

/**
 * Which statuses of an entity changed and were not read yet.
 */
int32_t dunlin_status_changes(dunlin_handle entity,
                              uint32_t *mask);

/**
 * Each policy that stood in the way of the last endpoint that did not match, with both values; a
 * line each. Of a topic how the type of the last endpoint differs. Resets the change of the
 * status.
 */
int32_t dunlin_status_reasons(dunlin_handle entity,
                              struct dunlin_block *text);

/**
 * How often each policy stood in the way. `count` is how many there are; as many as `room` allows
 * are written. Resets the change of the status.
 */
int32_t dunlin_status_policies(dunlin_handle entity,
                               struct dunlin_policy_count *policies,
                               uint64_t room,
                               uint64_t *count);

/**
 * A topic. One of that name that the participant has already is the same, with the same handle, if
 * it is of the same type and QoS.
 */
int32_t dunlin_topic_new(dunlin_participant participant,
                         struct dunlin_text name,
                         dunlin_type ty,
                         const struct dunlin_topic_qos *qos,
                         const struct dunlin_listener *listener,
                         dunlin_topic *topic);

/**
 * The topic of this name and type, as soon as some participant has it. TIMEOUT if nobody has it by
 * then; with a timeout of 0 it looks once.
 */
int32_t dunlin_topic_find(dunlin_participant participant,
                          struct dunlin_text name,
                          dunlin_type ty,
                          int64_t timeout,
                          dunlin_topic *topic);

/**
 * The topic of this name that was made in this participant; NO_DATA if there is none.
 */
int32_t dunlin_topic_lookup(dunlin_participant participant,
                            struct dunlin_text name,
                            dunlin_topic *topic);

/**
 * Those samples of a topic that pass a filter, in the SQL of DDS 1.4 annex B: `color = 'RED' AND
 * size <= %0`. Readers are made for it as for a topic.
 */
int32_t dunlin_filtered_topic_new(dunlin_topic topic,
                                  struct dunlin_text name,
                                  struct dunlin_text expression,
                                  const struct dunlin_text *parameters,
                                  uint64_t parameter_count,
                                  dunlin_filtered_topic *filtered);

/**
 * The values of the parameters of its expression, a line each.
 */
int32_t dunlin_filtered_topic_parameters_get(dunlin_filtered_topic filtered,
                                             struct dunlin_block *text);

/**
 * Other values for the parameters of its expression.
 */
int32_t dunlin_filtered_topic_parameters_set(dunlin_filtered_topic filtered,
                                             const struct dunlin_text *parameters,
                                             uint64_t parameter_count);

/**
 * A type of its complete TypeObjects (DDS-XTypes 1.3): a sequence<TypeIdentifierTypeObjectPair> in
 * XCDR2, little endian, without encapsulation header, that of the type itself first. The name by
 * which the domain knows it is that of the TypeObject, unless `name` says another.
 */
int32_t dunlin_type_new(const uint8_t *objects,
                        uint64_t length,
                        struct dunlin_text name,
                        dunlin_type *ty);

/**
 * The type and all that it refers to as IDL.
 */
int32_t dunlin_type_describe(dunlin_type ty,
                             struct dunlin_block *text);

/**
 * Whether a topic, or a part of one, is of a type.
 *
 * @return PRECONDITION_NOT_MET if it is of another one.
 */
int32_t dunlin_type_check(dunlin_type ty,
                          dunlin_topic topic);

/**
 * The instance of a serialized sample: 16 bytes, zeros if the type has no key. `key`, which may be
 * null, is the payload by which that instance is disposed, in the representation of the sample.
 */
int32_t dunlin_type_key(dunlin_type ty,
                        const uint8_t *sample,
                        uint64_t length,
                        uint8_t *instance,
                        struct dunlin_block *key);

/**
 * A writer of a topic. Its publisher may be given instead of its participant; with a participant
 * it is that of those who make none.
 */
int32_t dunlin_writer_new(dunlin_participant parent,
                          dunlin_topic topic,
                          const struct dunlin_writer_qos *qos,
                          const struct dunlin_listener *listener,
                          dunlin_writer *writer);

/**
 * Writes a sample: its payload, with the encapsulation header. `options` may be null.
 *
 * @return TIMEOUT if a reliable KEEP_ALL history had no room within max_blocking_time.
 */
int32_t dunlin_write(dunlin_writer writer,
                     const uint8_t *payload,
                     uint64_t length,
                     struct dunlin_write_options *options);

/**
 * Writes a sample whose payload lies in several pieces, at most 64. Large octets are kept by
 * reference until readers have acknowledged them.
 */
int32_t dunlin_write_pieces(dunlin_writer writer,
                            const struct dunlin_piece *pieces,
                            uint64_t count,
                            struct dunlin_write_options *options);

/**
 * Disposes an instance: of its serialized key, with the encapsulation header; or without a key of
 * the instance in the options.
 */
int32_t dunlin_dispose(dunlin_writer writer,
                       const uint8_t *key,
                       uint64_t length,
                       struct dunlin_write_options *options);

/**
 * Unregisters an instance, and disposes it if `autodispose` says so; as `dunlin_dispose`.
 */
int32_t dunlin_unregister(dunlin_writer writer,
                          const uint8_t *key,
                          uint64_t length,
                          struct dunlin_write_options *options);

/**
 * Says that the writer will write the instance of a serialized key; `instance` has 16 bytes.
 */
int32_t dunlin_register(dunlin_writer writer,
                        const uint8_t *key,
                        uint64_t length,
                        uint8_t *instance);

/**
 * Whether the writer has an instance of 16 bytes: NO_DATA if not.
 */
int32_t dunlin_writer_lookup(dunlin_writer writer,
                             const uint8_t *instance);

/**
 * The serialized key of an instance; NO_DATA if the writer does not have it.
 */
int32_t dunlin_writer_key(dunlin_writer writer,
                          const uint8_t *instance,
                          struct dunlin_block *key);

/**
 * Waits until every matched reliable reader has acknowledged all samples.
 */
int32_t dunlin_writer_wait_for_acknowledgments(dunlin_writer writer,
                                               int64_t timeout);

/**
 * Waits until so many readers match; a timeout of 0 looks once.
 */
int32_t dunlin_writer_wait_for_matched(dunlin_writer writer,
                                       uint64_t readers,
                                       int64_t timeout);

/**
 * How its samples are encoded: `DUNLIN_XCDR1` or `DUNLIN_XCDR2`, whatever its QoS was made of.
 */
int32_t dunlin_writer_representation(dunlin_writer writer,
                                     int32_t *representation);

/**
 * The GUIDs of the readers that match, of 16 bytes each. `count` is how many there are; as many as
 * `room` allows are written.
 */
int32_t dunlin_writer_matched(dunlin_writer writer,
                              uint8_t *guids,
                              uint64_t room,
                              uint64_t *count);

/**
 * How many changes the slowest reader has not acknowledged, and how many the writer keeps.
 */
int32_t dunlin_writer_backlog(dunlin_writer writer,
                              uint64_t *unacknowledged,
                              uint64_t *kept);

/**
 * Why readers of the same or a similar topic do not match, a line each.
 */
int32_t dunlin_writer_explain(dunlin_writer writer,
                              struct dunlin_block *text);

/**
 * Sends samples that batching holds back.
 */
int32_t dunlin_flush(dunlin_writer writer);

/**
 * Says that the writer lives, if its LIVELINESS is manual.
 */
int32_t dunlin_assert_liveliness(dunlin_writer writer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DUNLIN_H */

#ifndef DUNLIN_INLINE_H
#define DUNLIN_INLINE_H

/* The initial value of a dunlin_write_options. */
#define DUNLIN_WRITE_OPTIONS { sizeof(dunlin_write_options), 0, DUNLIN_NO_TIME, NULL, 0 }

/* A text that ends with NUL, which is not counted; NULL is no text. */
static inline dunlin_text dunlin_text_of(const char *text) {
    dunlin_text made;
    made.data = text;
    made.length = text == NULL ? 0 : strlen(text);
    return made;
}

/* Returns from a function that returns a code, unless a call succeeded. */
#define DUNLIN_TRY(call) \
    do { \
        const int32_t dunlin_code_ = (call); \
        if (dunlin_code_ != DUNLIN_OK) return dunlin_code_; \
    } while (0)

#endif
