/*
 * What the C program of the OMG's interoperability suite asks of an implementation, whose interface is
 * that of Cyclone DDS: just these functions, over Dunlin's, for the one type that the program has. An
 * entity is the place of its handle in a table. No part of the product.
 */
#ifndef DUNLIN_OMG_DDS_H
#define DUNLIN_OMG_DDS_H

#include <stdio.h>

#include "dunlin/listener.h"
#include "dunlin/typed.h"
#include "shape.h"

typedef int32_t dds_entity_t;
typedef int32_t dds_return_t;
typedef uint32_t dds_domainid_t;
typedef int64_t dds_time_t;
typedef int64_t dds_duration_t;
typedef uint64_t dds_instance_handle_t;
typedef int16_t dds_data_representation_id_t;
typedef int32_t dds_reliability_kind_t, dds_durability_kind_t, dds_ownership_kind_t;
typedef int32_t dds_history_kind_t, dds_presentation_access_scope_kind_t;

#define DDS_RETCODE_OK 0
#define DDS_INFINITY INT64_MAX
#define DDS_SECS(n) ((n) * DUNLIN_SECOND)
#define DDS_LENGTH_UNLIMITED DUNLIN_UNLIMITED
#define DDS_RELIABILITY_BEST_EFFORT DUNLIN_BEST_EFFORT
#define DDS_RELIABILITY_RELIABLE DUNLIN_RELIABLE
#define DDS_DURABILITY_VOLATILE DUNLIN_VOLATILE
#define DDS_DURABILITY_TRANSIENT_LOCAL DUNLIN_TRANSIENT_LOCAL
#define DDS_DURABILITY_TRANSIENT DUNLIN_TRANSIENT
#define DDS_DURABILITY_PERSISTENT DUNLIN_PERSISTENT
#define DDS_DATA_REPRESENTATION_XCDR1 DUNLIN_XCDR1
#define DDS_DATA_REPRESENTATION_XCDR2 DUNLIN_XCDR2
#define DDS_OWNERSHIP_SHARED DUNLIN_SHARED_OWNERSHIP
#define DDS_OWNERSHIP_EXCLUSIVE DUNLIN_EXCLUSIVE_OWNERSHIP
#define DDS_HISTORY_KEEP_LAST DUNLIN_KEEP_LAST
#define DDS_HISTORY_KEEP_ALL DUNLIN_KEEP_ALL
#define DDS_PRESENTATION_INSTANCE DUNLIN_INSTANCE_SCOPE
#define DDS_PRESENTATION_TOPIC DUNLIN_TOPIC_SCOPE
#define DDS_PRESENTATION_GROUP DUNLIN_GROUP_SCOPE
#define DDS_IST_ALIVE DUNLIN_ALIVE
#define DDS_IST_NOT_ALIVE_DISPOSED DUNLIN_NOT_ALIVE_DISPOSED
#define DDS_IST_NOT_ALIVE_NO_WRITERS DUNLIN_NOT_ALIVE_NO_WRITERS

/* The numbers that the standard gives policies; PROPERTY has none. */
enum {
    DDS_INVALID_QOS_POLICY_ID, DDS_USERDATA_QOS_POLICY_ID, DDS_DURABILITY_QOS_POLICY_ID,
    DDS_PRESENTATION_QOS_POLICY_ID, DDS_DEADLINE_QOS_POLICY_ID, DDS_LATENCYBUDGET_QOS_POLICY_ID,
    DDS_OWNERSHIP_QOS_POLICY_ID, DDS_OWNERSHIPSTRENGTH_QOS_POLICY_ID, DDS_LIVELINESS_QOS_POLICY_ID,
    DDS_TIMEBASEDFILTER_QOS_POLICY_ID, DDS_PARTITION_QOS_POLICY_ID, DDS_RELIABILITY_QOS_POLICY_ID,
    DDS_DESTINATIONORDER_QOS_POLICY_ID, DDS_HISTORY_QOS_POLICY_ID, DDS_RESOURCELIMITS_QOS_POLICY_ID,
    DDS_ENTITYFACTORY_QOS_POLICY_ID, DDS_WRITERDATALIFECYCLE_QOS_POLICY_ID,
    DDS_READERDATALIFECYCLE_QOS_POLICY_ID, DDS_TOPICDATA_QOS_POLICY_ID, DDS_GROUPDATA_QOS_POLICY_ID,
    DDS_TRANSPORTPRIORITY_QOS_POLICY_ID, DDS_LIFESPAN_QOS_POLICY_ID,
    DDS_DURABILITYSERVICE_QOS_POLICY_ID, DDS_DATA_REPRESENTATION_QOS_POLICY_ID,
    DDS_TYPE_CONSISTENCY_ENFORCEMENT_QOS_POLICY_ID, DDS_PROPERTY_QOS_POLICY_ID
};

#define OMG_STATUSES(X)                                                                            \
    X(inconsistent_topic, inconsistent_topic)                                                      \
    X(offered_deadline_missed, deadline_missed)                                                    \
    X(offered_incompatible_qos, incompatible_qos)                                                  \
    X(liveliness_lost, liveliness_lost)                                                            \
    X(publication_matched, publication_matched)                                                    \
    X(requested_deadline_missed, deadline_missed)                                                  \
    X(requested_incompatible_qos, incompatible_qos)                                                \
    X(sample_rejected, sample_rejected)                                                            \
    X(sample_lost, sample_lost)                                                                    \
    X(liveliness_changed, liveliness_changed)                                                      \
    X(subscription_matched, subscription_matched)
#define OMG_STATUS(name, of) typedef dunlin_##of##_status dds_##name##_status_t;
OMG_STATUSES(OMG_STATUS)

typedef struct dds_sample_info {
    bool valid_data;
    uint32_t instance_state;
    dds_instance_handle_t instance_handle;
} dds_sample_info_t;

/* The program has one type; what describes it is in what is made of its IDL. */
typedef struct dds_topic_descriptor { const char *name; } dds_topic_descriptor_t;
static const dds_topic_descriptor_t ShapeType_desc = {"ShapeType"};

/* Handles and instances that the program has seen. */
enum { OMG_MOST = 256 };
static dunlin_handle omg_handles[OMG_MOST];
static uint8_t omg_instances[OMG_MOST][16];
static int omg_handle_count, omg_instance_count;

static inline dds_entity_t omg_entity(dunlin_handle handle) {
    int at;
    for (at = 0; at < omg_handle_count; at++) {
        if (omg_handles[at] == handle) return at + 1;
    }
    if (omg_handle_count == OMG_MOST) return -DUNLIN_OUT_OF_RESOURCES;
    omg_handles[omg_handle_count++] = handle;
    return omg_handle_count;
}
static inline dunlin_handle omg_handle(dds_entity_t entity) {
    return entity > 0 && entity <= omg_handle_count ? omg_handles[entity - 1] : 0;
}
static inline dds_instance_handle_t omg_instance(const uint8_t *instance) {
    int at;
    for (at = 0; at < omg_instance_count; at++) {
        if (memcmp(omg_instances[at], instance, 16) == 0) return (dds_instance_handle_t)at + 1;
    }
    if (omg_instance_count == OMG_MOST) return 0;
    memcpy(omg_instances[omg_instance_count++], instance, 16);
    return (dds_instance_handle_t)omg_instance_count;
}

/* Codes are negative. The text of a failure goes to the standard error. */
static inline dds_return_t omg_code(int32_t code) {
    dunlin_text why = {NULL, 0};
    if (code != DUNLIN_OK && code != DUNLIN_TIMEOUT && dunlin_last_error(&why) == DUNLIN_OK) {
        fprintf(stderr, "%s: %s\n", dunlin_retcode_name(code), why.length > 0 ? why.data : "");
    }
    return -code;
}
static inline dds_entity_t omg_made(int32_t code, const dunlin_handle *handle) {
    return code == DUNLIN_OK ? omg_entity(*handle) : omg_code(code);
}

/* A QoS is that of all kinds of entities: each takes what it has. */
typedef struct dds_qos {
    dunlin_writer_qos writer;
    dunlin_reader_qos reader;
    dunlin_group_qos publisher, subscriber;
    dunlin_text partition;
} dds_qos_t;

static inline dds_qos_t *dds_create_qos(void) {
    dds_qos_t *qos = (dds_qos_t *)calloc(1, sizeof *qos);
    if (qos == NULL || dunlin_writer_qos_default(&qos->writer) != DUNLIN_OK
        || dunlin_reader_qos_default(&qos->reader) != DUNLIN_OK
        || dunlin_publisher_qos_default(&qos->publisher) != DUNLIN_OK
        || dunlin_subscriber_qos_default(&qos->subscriber) != DUNLIN_OK) {
        free(qos);
        return NULL;
    }
    return qos;
}

/* What writers and readers have. */
#define OMG_POLICY(policy, type, member)                                                           \
    static inline void dds_qset_##policy(dds_qos_t *qos, type value) {                             \
        qos->writer.member = value;                                                                \
        qos->reader.member = value;                                                                \
    }                                                                                              \
    static inline bool dds_qget_##policy(const dds_qos_t *qos, type *value) {                      \
        return *value = qos->writer.member, true;                                                  \
    }
OMG_POLICY(durability, dds_durability_kind_t, durability)
OMG_POLICY(ownership, dds_ownership_kind_t, ownership)
OMG_POLICY(deadline, dds_duration_t, deadline)

/* What one of them has. */
#define OMG_OWN_POLICY(policy, type, of, member)                                                   \
    static inline void dds_qset_##policy(dds_qos_t *qos, type value) { qos->of.member = value; }   \
    static inline bool dds_qget_##policy(const dds_qos_t *qos, type *value) {                      \
        return *value = qos->of.member, true;                                                      \
    }
OMG_OWN_POLICY(ownership_strength, int32_t, writer, ownership_strength)
OMG_OWN_POLICY(lifespan, dds_duration_t, writer, lifespan)
OMG_OWN_POLICY(writer_data_lifecycle, bool, writer, autodispose)
OMG_OWN_POLICY(time_based_filter, dds_duration_t, reader, minimum_separation)

static inline void dds_qset_reliability(dds_qos_t *qos, dds_reliability_kind_t kind,
                                        dds_duration_t max_blocking_time) {
    qos->writer.reliability = qos->reader.reliability = kind;
    qos->writer.max_blocking_time = max_blocking_time;
}
static inline bool dds_qget_reliability(const dds_qos_t *qos, dds_reliability_kind_t *kind,
                                        dds_duration_t *max_blocking_time) {
    return *kind = qos->writer.reliability, *max_blocking_time = qos->writer.max_blocking_time, true;
}
static inline void dds_qset_history(dds_qos_t *qos, dds_history_kind_t kind, int32_t depth) {
    qos->writer.history = qos->reader.history = kind;
    if (depth > 0) qos->writer.depth = qos->reader.depth = depth;
}
static inline bool dds_qget_history(const dds_qos_t *qos, dds_history_kind_t *kind, int32_t *depth) {
    return *kind = qos->writer.history, *depth = qos->writer.depth, true;
}
static inline void dds_qset_durability_service(dds_qos_t *qos, dds_duration_t cleanup_delay,
                                               dds_history_kind_t kind, int32_t depth,
                                               int32_t max_samples, int32_t max_instances,
                                               int32_t max_samples_per_instance) {
    qos->writer.service_cleanup_delay = cleanup_delay;
    qos->writer.service_history = kind;
    if (depth > 0) qos->writer.service_depth = depth;
    qos->writer.service_max_samples = max_samples, qos->writer.service_max_instances = max_instances;
    qos->writer.service_max_samples_per_instance = max_samples_per_instance;
}
/* The program sets limits of topics, which are advice only. */
#define dds_qset_resource_limits(qos, samples, instances, samples_per_instance) ((void)(qos))
static inline void dds_qset_data_representation(dds_qos_t *qos, uint32_t count,
                                                const dds_data_representation_id_t *values) {
    uint32_t at;
    if (count == 0) return;
    qos->writer.representation = values[0];
    for (qos->reader.representations = 0, at = 0; at < count; at++) {
        qos->reader.representations |= 1 << values[at];
    }
}
/* The list is the caller's. */
static inline bool dds_qget_data_representation(const dds_qos_t *qos, uint32_t *count,
                                                dds_data_representation_id_t **values) {
    *count = 1;
    *values = (dds_data_representation_id_t *)malloc(sizeof **values);
    if (*values != NULL) **values = (dds_data_representation_id_t)qos->writer.representation;
    return *values != NULL;
}
/* The program has one partition at most, and keeps its name. */
static inline void dds_qset_partition(dds_qos_t *qos, uint32_t count, char *const *names) {
    qos->partition = dunlin_text_of(names[0]);
    qos->publisher.partitions = qos->subscriber.partitions = &qos->partition;
    qos->publisher.partition_count = qos->subscriber.partition_count = count == 1;
}
static inline void dds_qset_presentation(dds_qos_t *qos, dds_presentation_access_scope_kind_t scope,
                                         bool coherent, bool ordered) {
    qos->publisher.access_scope = qos->subscriber.access_scope = scope;
    qos->publisher.coherent = qos->subscriber.coherent = coherent;
    qos->publisher.ordered = qos->subscriber.ordered = ordered;
}
static inline bool dds_qget_presentation(const dds_qos_t *qos,
                                         dds_presentation_access_scope_kind_t *scope,
                                         bool *coherent, bool *ordered) {
    *scope = qos->publisher.access_scope, *coherent = qos->publisher.coherent != 0;
    return *ordered = qos->publisher.ordered != 0, true;
}

/* A function of the program for each status that it listens to. */
#define OMG_FUNCTION(name, of) void (*name)(dds_entity_t, const dunlin_##of##_status, void *);
typedef struct dds_listener {
    void *context;
    dunlin_callbacks callbacks;
    OMG_STATUSES(OMG_FUNCTION)
} dds_listener_t;

static inline dds_listener_t *dds_create_listener(void *context) {
    dds_listener_t *listener = (dds_listener_t *)calloc(1, sizeof *listener);
    if (listener != NULL) listener->context = context, listener->callbacks.context = listener;
    return listener;
}
static inline void dds_delete_listener(dds_listener_t *listener) { free(listener); }
#define OMG_LISTEN(name, of)                                                                       \
    static inline void omg_on_##name(void *context, dunlin_handle entity,                          \
                                     const dunlin_##of##_status *status) {                         \
        const dds_listener_t *listener = (const dds_listener_t *)context;                          \
        listener->name(omg_entity(entity), *status, listener->context);                            \
    }                                                                                              \
    static inline void dds_lset_##name(                                                            \
        dds_listener_t *listener, void (*call)(dds_entity_t, const dunlin_##of##_status, void *)) { \
        listener->name = call;                                                                     \
        listener->callbacks.on_##name = omg_on_##name;                                             \
    }
OMG_STATUSES(OMG_LISTEN)
/* The program reads at intervals: what it would hear of data is nothing to it. */
#define dds_lset_data_available(listener, call) ((void)(listener), (void)(call))
#define dds_lset_data_on_readers(listener, call) ((void)(listener), (void)(call))

static inline dds_entity_t dds_create_participant(dds_domainid_t domain, const dds_qos_t *qos,
                                                  const dds_listener_t *listener) {
    dunlin_participant made = 0;
    const dunlin_listener told = dunlin_listener_of(&listener->callbacks);
    (void)qos;
    return omg_made(dunlin_participant_new(domain, NULL, NULL, &told, &made), &made);
}
static inline dds_entity_t dds_create_topic(dds_entity_t participant, const dds_topic_descriptor_t *type,
                                            const char *name, const dds_qos_t *qos,
                                            const dds_listener_t *listener) {
    dunlin_topic made = 0;
    (void)type, (void)qos, (void)listener;
    return omg_made(ShapeType_topic(omg_handle(participant), name, NULL, &made), &made);
}
#define OMG_GROUP(of)                                                                              \
    static inline dds_entity_t dds_create_##of(dds_entity_t participant, const dds_qos_t *qos,     \
                                               const dds_listener_t *listener) {                   \
        dunlin_handle made = 0;                                                                    \
        (void)listener;                                                                            \
        return omg_made(dunlin_##of##_new(omg_handle(participant), &qos->of, NULL, &made), &made);  \
    }
OMG_GROUP(publisher)
OMG_GROUP(subscriber)
#define OMG_ENDPOINT(of)                                                                           \
    static inline dds_entity_t dds_create_##of(dds_entity_t group, dds_entity_t topic,             \
                                               const dds_qos_t *qos, const dds_listener_t *l) {    \
        dunlin_handle made = 0;                                                                    \
        (void)l;                                                                                   \
        return omg_made(ShapeType_##of(omg_handle(group), omg_handle(topic), &qos->of, NULL, &made), \
                        &made);                                                                    \
    }
OMG_ENDPOINT(writer)
OMG_ENDPOINT(reader)
/* No writer can be told a function of a program. */
static inline dds_return_t dds_set_topic_filter_and_arg(dds_entity_t topic,
                                                        bool (*filter)(const void *, void *),
                                                        void *argument) {
    (void)topic, (void)filter, (void)argument;
    return -DUNLIN_UNSUPPORTED;
}
static inline dds_return_t dds_delete(dds_entity_t of) { return omg_code(dunlin_close(omg_handle(of))); }
/* A writer or reader has the name of its topic, which is all that is asked of that. */
static inline dds_entity_t dds_get_topic(dds_entity_t entity) { return entity; }
static inline dds_return_t omg_text(const char *text, size_t length, char *to, size_t room) {
    const size_t copied = length < room ? length : room - 1;
    memcpy(to, text, copied);
    to[copied] = 0;
    return (dds_return_t)length;
}
static inline dds_return_t dds_get_name(dds_entity_t topic, char *name, size_t room) {
    dunlin_block block;
    const int32_t code = dunlin_name(omg_handle(topic), &block);
    dds_return_t length;
    if (code != DUNLIN_OK) return omg_code(code);
    length = omg_text((const char *)block.data, (size_t)block.length, name, room);
    (void)dunlin_block_free(&block);
    return length;
}
static inline dds_return_t dds_get_type_name(dds_entity_t topic, char *name, size_t room) {
    (void)topic;
    return omg_text(ShapeType_desc.name, strlen(ShapeType_desc.name), name, room);
}

#define OMG_WRITE(name, of)                                                                        \
    static inline dds_return_t name(dds_entity_t writer, const void *value) {                      \
        return omg_code(ShapeType_##of(omg_handle(writer), (const ShapeType *)value, NULL));       \
    }
OMG_WRITE(dds_write, write)
OMG_WRITE(dds_dispose, dispose)
OMG_WRITE(dds_unregister_instance, unregister)
static inline dds_return_t dds_wait_for_acks(dds_entity_t writer, dds_duration_t timeout) {
    return omg_code(dunlin_writer_wait_for_acknowledgments(omg_handle(writer), timeout));
}
static inline uint8_t *dds_sequence_uint8_allocbuf(uint32_t count) {
    return (uint8_t *)calloc(count + 1, 1);
}
/* The program refuses coherent sets by itself. */
#define dds_begin_coherent(group) ((void)(group))
#define dds_end_coherent(group) ((void)(group))
/* Reads values into memory of the program, which `dds_return_loan` ends. */
static inline dds_return_t omg_get(dunlin_getter get, dds_entity_t entity, void **values,
                                   dds_sample_info_t *infos, uint32_t most, int32_t which,
                                   dds_instance_handle_t previous) {
    const dunlin_reader reader = omg_handle(entity);
    dunlin_sample *samples = (dunlin_sample *)calloc(most, sizeof *samples);
    dunlin_select select;
    dunlin_cdr_fault fault;
    uint64_t count = 0, at;
    dds_return_t filled = 0;
    int32_t code;
    memset(&select, 0, sizeof select);
    select.size = sizeof select;
    select.which = which;
    if (previous > 0) memcpy(select.instance, omg_instances[previous - 1], 16);
    code = samples == NULL ? DUNLIN_OUT_OF_RESOURCES : get(reader, &select, samples, most, &count);
    for (at = 0; code == DUNLIN_OK && at < count; at++) {
        ShapeType *value = (ShapeType *)calloc(1, sizeof *value);
        values[filled] = value;
        if (value == NULL ||
            !ShapeType_of_sample(reader, &samples[at], value, ShapeType_cdr_read, &fault)) {
            free(value);
            continue;
        }
        infos[filled].valid_data = samples[at].info.valid_data != 0;
        infos[filled].instance_state = samples[at].info.instance_state;
        infos[filled++].instance_handle = omg_instance(samples[at].info.instance);
    }
    if ((uint32_t)filled < most) values[filled] = NULL;
    if (count > 0) (void)dunlin_give_back(reader, samples, count);
    free(samples);
    return code == DUNLIN_OK || code == DUNLIN_NO_DATA ? filled : omg_code(code);
}
#define OMG_GET(name, next, get)                                                                   \
    static inline dds_return_t name(dds_entity_t reader, void **values, dds_sample_info_t *infos,  \
                                    size_t room, uint32_t most) {                                  \
        (void)room;                                                                                \
        return omg_get(get, reader, values, infos, most, DUNLIN_ANY_INSTANCE, 0);                  \
    }                                                                                              \
    static inline dds_return_t next(dds_entity_t reader, void **values, dds_sample_info_t *infos,  \
                                    size_t room, uint32_t most, dds_instance_handle_t previous) {  \
        (void)room;                                                                                \
        return omg_get(get, reader, values, infos, most, DUNLIN_NEXT_INSTANCE, previous);          \
    }
OMG_GET(dds_read, dds_read_next_instance, dunlin_read)
OMG_GET(dds_take, dds_take_next_instance, dunlin_take)
static inline dds_return_t dds_return_loan(dds_entity_t reader, void **values, int32_t most) {
    int32_t at;
    (void)reader;
    for (at = 0; at < most && values[at] != NULL; at++) {
        ShapeType_free((ShapeType *)values[at]);
        free(values[at]);
        values[at] = NULL;
    }
    return DDS_RETCODE_OK;
}

#endif
