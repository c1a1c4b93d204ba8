/* The interop peer on Eclipse Cyclone DDS. */
#include "interop.h"
#include "peer.h"

#include <dds/dds.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64

/* Only loopback, with multicast: the peers live in a network namespace that has nothing else. */
static const char *const configuration =
    "<General><Interfaces><NetworkInterface name='lo' multicast='true'/></Interfaces>"
    "<AllowMulticast>true</AllowMulticast></General>";

union any {
    interop_Plain plain;
    interop_Keyed keyed;
    interop_Big big;
    interop_Appendable appendable;
    interop_Mutable mutable_;
};

static const dds_topic_descriptor_t *const descriptors[] = {
    [PEER_PLAIN] = &interop_Plain_desc,           [PEER_KEYED] = &interop_Keyed_desc,     [PEER_BIG] = &interop_Big_desc,
    [PEER_APPENDABLE] = &interop_Appendable_desc, [PEER_MUTABLE] = &interop_Mutable_desc,
};

static const struct peer_options *options;
static dds_entity_t participant, endpoint;

static int failed(const char *what, dds_return_t code) {
    char text[160];
    snprintf(text, sizeof text, "%s: %s", what, dds_strretcode(code));
    return peer_error(code == DDS_RETCODE_UNSUPPORTED ? PEER_UNSUPPORTED : PEER_FAILED, text);
}

static dds_qos_t *endpoint_qos(void) {
    dds_qos_t *qos = dds_create_qos();
    dds_data_representation_id_t representation =
        options->xcdr == 2 ? DDS_DATA_REPRESENTATION_XCDR2 : DDS_DATA_REPRESENTATION_XCDR1;
    dds_qset_reliability(qos, options->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_SECS(5));
    dds_qset_durability(qos, options->transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, options->depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL, options->depth ? options->depth : 1);
    /* What a late joiner gets is bounded by this policy, not by the writer's history. */
    dds_qset_durability_service(qos, 0, options->depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL,
                                options->depth ? options->depth : 1, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED,
                                DDS_LENGTH_UNLIMITED);
    dds_qset_data_representation(qos, 1, &representation);
    dds_qset_writer_data_lifecycle(qos, false);
    if (options->deadline_ms)
        dds_qset_deadline(qos, DDS_MSECS(options->deadline_ms));
    if (options->lifespan_ms && options->publisher)
        dds_qset_lifespan(qos, DDS_MSECS(options->lifespan_ms));
    if (options->strength >= 0) {
        dds_qset_ownership(qos, DDS_OWNERSHIP_EXCLUSIVE);
        dds_qset_ownership_strength(qos, options->strength);
    }
    return qos;
}

/* The publisher or subscriber, in its partition if there is one. */
static dds_entity_t create_group(void) {
    dds_qos_t *qos = dds_create_qos();
    if (options->partition)
        dds_qset_partition1(qos, options->partition);
    dds_entity_t group = options->publisher ? dds_create_publisher(participant, qos, NULL)
                                            : dds_create_subscriber(participant, qos, NULL);
    dds_delete_qos(qos);
    return group;
}

int vendor_open(const struct peer_options *given) {
    options = given;
    setenv("CYCLONEDDS_URI", configuration, 0);
    if (options->time_filter_ms)
        return peer_error(PEER_UNSUPPORTED, "Cyclone 0.10 has no time-based filter");
    if (options->filter)
        return peer_error(PEER_UNSUPPORTED, "Cyclone 0.10 has filters that are functions only");
    participant = dds_create_participant(options->domain, NULL, NULL);
    if (participant < 0)
        return failed("participant", participant);
    dds_qos_t *qos = endpoint_qos();
    dds_entity_t topic = dds_create_topic(participant, descriptors[options->type], options->topic, qos, NULL);
    if (topic >= 0)
        endpoint = options->publisher ? dds_create_writer(create_group(), topic, qos, NULL)
                                      : dds_create_reader(create_group(), topic, qos, NULL);
    dds_delete_qos(qos);
    if (topic == DDS_RETCODE_BAD_PARAMETER && options->xcdr == 1 && options->type >= PEER_APPENDABLE)
        return peer_error(PEER_UNSUPPORTED, "Cyclone 0.10 has only XCDR2 for appendable and mutable types");
    return topic < 0 ? failed("topic", topic) : endpoint < 0 ? failed("endpoint", endpoint) : PEER_OK;
}

void vendor_close(void) { dds_delete(participant); }

void vendor_matched(int32_t *current, int32_t *total) {
    if (options->publisher) {
        dds_publication_matched_status_t status;
        dds_get_publication_matched_status(endpoint, &status);
        *current = (int32_t)status.current_count;
        *total = (int32_t)status.total_count;
    } else {
        dds_subscription_matched_status_t status;
        dds_get_subscription_matched_status(endpoint, &status);
        *current = (int32_t)status.current_count;
        *total = (int32_t)status.total_count;
    }
}

/* Cyclone numbers its policies in its own order; the names are printed from the numbers of the standard. */
static int32_t standard_policy(uint32_t id) {
    switch (id) {
    case DDS_DURABILITY_QOS_POLICY_ID: return 2;
    case DDS_DEADLINE_QOS_POLICY_ID: return 4;
    case DDS_OWNERSHIP_QOS_POLICY_ID: return 6;
    case DDS_LIVELINESS_QOS_POLICY_ID: return 8;
    case DDS_RELIABILITY_QOS_POLICY_ID: return 11;
    case DDS_DESTINATIONORDER_QOS_POLICY_ID: return 12;
    case DDS_DATA_REPRESENTATION_QOS_POLICY_ID: return 23;
    default: return 0;
    }
}

void vendor_incompatible(int32_t *total, int32_t *policy_id) {
    if (options->publisher) {
        dds_offered_incompatible_qos_status_t status;
        dds_get_offered_incompatible_qos_status(endpoint, &status);
        *total = (int32_t)status.total_count;
        *policy_id = standard_policy(status.last_policy_id);
    } else {
        dds_requested_incompatible_qos_status_t status;
        dds_get_requested_incompatible_qos_status(endpoint, &status);
        *total = (int32_t)status.total_count;
        *policy_id = standard_policy(status.last_policy_id);
    }
}

void vendor_deadline_missed(int32_t *total) {
    if (options->publisher) {
        dds_offered_deadline_missed_status_t status;
        dds_get_offered_deadline_missed_status(endpoint, &status);
        *total = (int32_t)status.total_count;
    } else {
        dds_requested_deadline_missed_status_t status;
        dds_get_requested_deadline_missed_status(endpoint, &status);
        *total = (int32_t)status.total_count;
    }
}

#define FILL_MEMBERS(sample)                                                                                          \
    do {                                                                                                              \
        (sample)->value = peer_value(seq);                                                                            \
        (sample)->label = label;                                                                                      \
        (sample)->nested.a = peer_nested_a(seq);                                                                      \
        (sample)->nested.b = peer_nested_b(seq);                                                                      \
        (sample)->numbers._length = (sample)->numbers._maximum = peer_numbers(seq);                                   \
        (sample)->numbers._buffer = numbers;                                                                          \
    } while (0)

#define FILL_DATA(sample)                                                                                             \
    do {                                                                                                              \
        (sample)->seq = seq;                                                                                          \
        (sample)->data._length = (sample)->data._maximum = size;                                                      \
        (sample)->data._buffer = data;                                                                                \
    } while (0)

int vendor_write(int32_t seq, const char *name, uint8_t *data, uint32_t size) {
    union any sample;
    int32_t numbers[4];
    char label[32];
    peer_label(seq, label);
    for (uint32_t i = 0; i < 4; i++)
        numbers[i] = peer_number(seq, i);
    memset(&sample, 0, sizeof sample);
    switch (options->type) {
    case PEER_PLAIN: FILL_DATA(&sample.plain); break;
    case PEER_BIG: FILL_DATA(&sample.big); break;
    case PEER_KEYED:
        FILL_DATA(&sample.keyed);
        strncpy(sample.keyed.name, name, 64);
        break;
    case PEER_APPENDABLE:
        FILL_DATA(&sample.appendable);
        FILL_MEMBERS(&sample.appendable);
        break;
    case PEER_MUTABLE:
        FILL_DATA(&sample.mutable_);
        FILL_MEMBERS(&sample.mutable_);
        break;
    }
    dds_return_t code = dds_write(endpoint, &sample);
    return code < 0 ? failed("write", code) : PEER_OK;
}

static int end_instance(const char *name, dds_return_t (*operation)(dds_entity_t, const void *), const char *what) {
    interop_Keyed key;
    memset(&key, 0, sizeof key);
    strncpy(key.name, name, 64);
    dds_return_t code = operation(endpoint, &key);
    return code < 0 ? failed(what, code) : PEER_OK;
}

int vendor_dispose(const char *name) { return end_instance(name, dds_dispose, "dispose"); }
int vendor_unregister(const char *name) { return end_instance(name, dds_unregister_instance, "unregister"); }
bool vendor_acknowledged(void) { return dds_wait_for_acks(endpoint, 0) == DDS_RETCODE_OK; }

#define MEMBERS_GOOD(sample)                                                                                          \
    ((sample)->value == peer_value((sample)->seq) && (sample)->label && strcmp((sample)->label, label) == 0 &&        \
     (sample)->nested.a == peer_nested_a((sample)->seq) && (sample)->nested.b == peer_nested_b((sample)->seq) &&      \
     numbers_good((sample)->seq, &(sample)->numbers))

#define READ_DATA(sample)                                                                                             \
    do {                                                                                                              \
        neutral->seq = (sample)->seq;                                                                                 \
        neutral->data = (sample)->data._buffer;                                                                       \
        neutral->size = (sample)->data._length;                                                                       \
        peer_label((sample)->seq, label);                                                                             \
    } while (0)

static bool numbers_good(int32_t seq, const dds_sequence_long *numbers) {
    bool good = numbers->_length == peer_numbers(seq);
    for (uint32_t i = 0; good && i < numbers->_length; i++)
        good = numbers->_buffer[i] == peer_number(seq, i);
    return good;
}

static void read_sample(const void *sample, struct peer_sample *neutral) {
    char label[32];
    neutral->fields_good = true;
    switch (options->type) {
    case PEER_PLAIN: READ_DATA((const interop_Plain *)sample); break;
    case PEER_BIG: READ_DATA((const interop_Big *)sample); break;
    case PEER_KEYED:
        READ_DATA((const interop_Keyed *)sample);
        memcpy(neutral->name, ((const interop_Keyed *)sample)->name, 65);
        break;
    case PEER_APPENDABLE:
        READ_DATA((const interop_Appendable *)sample);
        neutral->fields_good = MEMBERS_GOOD((const interop_Appendable *)sample);
        break;
    case PEER_MUTABLE:
        READ_DATA((const interop_Mutable *)sample);
        neutral->fields_good = MEMBERS_GOOD((const interop_Mutable *)sample);
        break;
    }
}

int vendor_take(peer_sink *sink, void *context) {
    void *samples[BATCH] = {NULL};
    dds_sample_info_t infos[BATCH];
    dds_return_t taken = dds_take(endpoint, samples, infos, BATCH, BATCH);
    if (taken < 0)
        return failed("take", taken);
    for (int32_t i = 0; i < taken; i++) {
        struct peer_sample neutral = {.valid = infos[i].valid_data};
        neutral.state = infos[i].instance_state == DDS_IST_ALIVE                  ? PEER_ALIVE
                        : infos[i].instance_state == DDS_IST_NOT_ALIVE_DISPOSED ? PEER_DISPOSED
                                                                                  : PEER_NO_WRITERS;
        read_sample(samples[i], &neutral);
        sink(context, &neutral);
    }
    if (taken > 0)
        dds_return_loan(endpoint, samples, taken);
    return PEER_OK;
}
