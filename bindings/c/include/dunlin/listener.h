/*
 * Listeners with a function for each status of DDS 1.4 (2.2.4.1), by its name and with a structure
 * of its own:
 *
 *     static void matched(void *context, dunlin_reader reader,
 *                         const dunlin_subscription_matched_status *status);
 *
 *     static const dunlin_callbacks callbacks = { .on_subscription_matched = matched };
 *     const dunlin_listener listener = dunlin_listener_of(&callbacks);
 */
#ifndef DUNLIN_LISTENER_H
#define DUNLIN_LISTENER_H

#include <string.h>

#include "dunlin/dunlin.h"

typedef struct dunlin_inconsistent_topic_status {
    int32_t total_count;
    int32_t total_count_change;
} dunlin_inconsistent_topic_status;

typedef struct dunlin_sample_lost_status {
    int32_t total_count;
    int32_t total_count_change;
} dunlin_sample_lost_status;

typedef struct dunlin_sample_rejected_status {
    int32_t total_count;
    int32_t total_count_change;
    /* `DUNLIN_NOT_REJECTED` and its kin. */
    int32_t last_reason;
    uint8_t last_instance_handle[16];
} dunlin_sample_rejected_status;

typedef struct dunlin_liveliness_lost_status {
    int32_t total_count;
    int32_t total_count_change;
} dunlin_liveliness_lost_status;

typedef struct dunlin_liveliness_changed_status {
    int32_t alive_count;
    int32_t not_alive_count;
    int32_t alive_count_change;
    int32_t not_alive_count_change;
    uint8_t last_publication_handle[16];
} dunlin_liveliness_changed_status;

/* OFFERED_DEADLINE_MISSED, REQUESTED_DEADLINE_MISSED. */
typedef struct dunlin_deadline_missed_status {
    int32_t total_count;
    int32_t total_count_change;
    uint8_t last_instance_handle[16];
} dunlin_deadline_missed_status;

/* OFFERED_INCOMPATIBLE_QOS, REQUESTED_INCOMPATIBLE_QOS; `dunlin_status_policies` has the policies. */
typedef struct dunlin_incompatible_qos_status {
    int32_t total_count;
    int32_t total_count_change;
    /* The number that the standard gives it. */
    int32_t last_policy_id;
} dunlin_incompatible_qos_status;

typedef struct dunlin_publication_matched_status {
    int32_t total_count;
    int32_t total_count_change;
    int32_t current_count;
    int32_t current_count_change;
    uint8_t last_subscription_handle[16];
} dunlin_publication_matched_status;

typedef struct dunlin_subscription_matched_status {
    int32_t total_count;
    int32_t total_count_change;
    int32_t current_count;
    int32_t current_count_change;
    uint8_t last_publication_handle[16];
} dunlin_subscription_matched_status;

/* The functions of a listener. Each may be NULL; `context` is passed to all. */
typedef struct dunlin_callbacks {
    void *context;
    void (*on_inconsistent_topic)(void *context, dunlin_topic topic,
                                  const dunlin_inconsistent_topic_status *status);
    void (*on_offered_deadline_missed)(void *context, dunlin_writer writer,
                                       const dunlin_deadline_missed_status *status);
    void (*on_offered_incompatible_qos)(void *context, dunlin_writer writer,
                                        const dunlin_incompatible_qos_status *status);
    void (*on_liveliness_lost)(void *context, dunlin_writer writer,
                               const dunlin_liveliness_lost_status *status);
    void (*on_publication_matched)(void *context, dunlin_writer writer,
                                   const dunlin_publication_matched_status *status);
    void (*on_requested_deadline_missed)(void *context, dunlin_reader reader,
                                         const dunlin_deadline_missed_status *status);
    void (*on_requested_incompatible_qos)(void *context, dunlin_reader reader,
                                          const dunlin_incompatible_qos_status *status);
    void (*on_sample_rejected)(void *context, dunlin_reader reader,
                               const dunlin_sample_rejected_status *status);
    void (*on_sample_lost)(void *context, dunlin_reader reader,
                           const dunlin_sample_lost_status *status);
    void (*on_liveliness_changed)(void *context, dunlin_reader reader,
                                  const dunlin_liveliness_changed_status *status);
    void (*on_subscription_matched)(void *context, dunlin_reader reader,
                                    const dunlin_subscription_matched_status *status);
    void (*on_data_available)(void *context, dunlin_reader reader);
    void (*on_data_on_readers)(void *context, dunlin_subscriber subscriber);
    /* No other function is called any more; may be NULL, too. */
    void (*release)(void *context);
} dunlin_callbacks;

static inline void dunlin_callbacks_on_data(void *callbacks, dunlin_reader reader) {
    const dunlin_callbacks *to = (const dunlin_callbacks *)callbacks;
    to->on_data_available(to->context, reader);
}

static inline void dunlin_callbacks_on_data_on_readers(void *callbacks,
                                                       dunlin_subscriber subscriber) {
    const dunlin_callbacks *to = (const dunlin_callbacks *)callbacks;
    to->on_data_on_readers(to->context, subscriber);
}

static inline void dunlin_callbacks_release(void *callbacks) {
    const dunlin_callbacks *to = (const dunlin_callbacks *)callbacks;
    to->release(to->context);
}

static inline void dunlin_callbacks_of_writer(const dunlin_callbacks *to, dunlin_writer writer,
                                              const dunlin_status *status) {
    switch (status->kind) {
    case DUNLIN_OFFERED_DEADLINE_MISSED: {
        dunlin_deadline_missed_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        memcpy(told.last_instance_handle, status->last, 16);
        to->on_offered_deadline_missed(to->context, writer, &told);
        break;
    }
    case DUNLIN_OFFERED_INCOMPATIBLE_QOS: {
        dunlin_incompatible_qos_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        told.last_policy_id = status->reason;
        to->on_offered_incompatible_qos(to->context, writer, &told);
        break;
    }
    case DUNLIN_LIVELINESS_LOST: {
        dunlin_liveliness_lost_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        to->on_liveliness_lost(to->context, writer, &told);
        break;
    }
    case DUNLIN_PUBLICATION_MATCHED: {
        dunlin_publication_matched_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        told.current_count = status->count[2];
        told.current_count_change = status->count[3];
        memcpy(told.last_subscription_handle, status->last, 16);
        to->on_publication_matched(to->context, writer, &told);
        break;
    }
    default:
        break;
    }
}

static inline void dunlin_callbacks_of_reader(const dunlin_callbacks *to, dunlin_reader reader,
                                              const dunlin_status *status) {
    switch (status->kind) {
    case DUNLIN_REQUESTED_DEADLINE_MISSED: {
        dunlin_deadline_missed_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        memcpy(told.last_instance_handle, status->last, 16);
        to->on_requested_deadline_missed(to->context, reader, &told);
        break;
    }
    case DUNLIN_REQUESTED_INCOMPATIBLE_QOS: {
        dunlin_incompatible_qos_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        told.last_policy_id = status->reason;
        to->on_requested_incompatible_qos(to->context, reader, &told);
        break;
    }
    case DUNLIN_SAMPLE_REJECTED: {
        dunlin_sample_rejected_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        told.last_reason = status->reason;
        memcpy(told.last_instance_handle, status->last, 16);
        to->on_sample_rejected(to->context, reader, &told);
        break;
    }
    case DUNLIN_SAMPLE_LOST: {
        dunlin_sample_lost_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        to->on_sample_lost(to->context, reader, &told);
        break;
    }
    case DUNLIN_LIVELINESS_CHANGED: {
        dunlin_liveliness_changed_status told;
        told.alive_count = status->count[0];
        told.alive_count_change = status->count[1];
        told.not_alive_count = status->count[2];
        told.not_alive_count_change = status->count[3];
        memcpy(told.last_publication_handle, status->last, 16);
        to->on_liveliness_changed(to->context, reader, &told);
        break;
    }
    case DUNLIN_SUBSCRIPTION_MATCHED: {
        dunlin_subscription_matched_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        told.current_count = status->count[2];
        told.current_count_change = status->count[3];
        memcpy(told.last_publication_handle, status->last, 16);
        to->on_subscription_matched(to->context, reader, &told);
        break;
    }
    default:
        break;
    }
}

static inline void dunlin_callbacks_on_status(void *callbacks, dunlin_handle entity,
                                              const dunlin_status *status) {
    const dunlin_callbacks *to = (const dunlin_callbacks *)callbacks;
    if (status->kind == DUNLIN_INCONSISTENT_TOPIC) {
        dunlin_inconsistent_topic_status told;
        told.total_count = status->count[0];
        told.total_count_change = status->count[1];
        to->on_inconsistent_topic(to->context, entity, &told);
        return;
    }
    dunlin_callbacks_of_writer(to, entity, status);
    dunlin_callbacks_of_reader(to, entity, status);
}

/*
 * A listener for what makes entities and for `dunlin_set_listener`, which hears of the statuses that
 * have a function. `callbacks` stays where it is, and as it is, until `release` is called, or else
 * until the entity is closed.
 */
static inline dunlin_listener dunlin_listener_of(const dunlin_callbacks *callbacks) {
    dunlin_listener made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.context = (void *)callbacks;
    made.on_status = dunlin_callbacks_on_status;
    if (callbacks->on_inconsistent_topic) made.mask |= DUNLIN_INCONSISTENT_TOPIC;
    if (callbacks->on_offered_deadline_missed) made.mask |= DUNLIN_OFFERED_DEADLINE_MISSED;
    if (callbacks->on_offered_incompatible_qos) made.mask |= DUNLIN_OFFERED_INCOMPATIBLE_QOS;
    if (callbacks->on_liveliness_lost) made.mask |= DUNLIN_LIVELINESS_LOST;
    if (callbacks->on_publication_matched) made.mask |= DUNLIN_PUBLICATION_MATCHED;
    if (callbacks->on_requested_deadline_missed) made.mask |= DUNLIN_REQUESTED_DEADLINE_MISSED;
    if (callbacks->on_requested_incompatible_qos) made.mask |= DUNLIN_REQUESTED_INCOMPATIBLE_QOS;
    if (callbacks->on_sample_rejected) made.mask |= DUNLIN_SAMPLE_REJECTED;
    if (callbacks->on_sample_lost) made.mask |= DUNLIN_SAMPLE_LOST;
    if (callbacks->on_liveliness_changed) made.mask |= DUNLIN_LIVELINESS_CHANGED;
    if (callbacks->on_subscription_matched) made.mask |= DUNLIN_SUBSCRIPTION_MATCHED;
    if (callbacks->on_data_available) {
        made.mask |= DUNLIN_DATA_AVAILABLE;
        made.on_data = dunlin_callbacks_on_data;
    }
    if (callbacks->on_data_on_readers) {
        made.mask |= DUNLIN_DATA_ON_READERS;
        made.on_data_on_readers = dunlin_callbacks_on_data_on_readers;
    }
    if (callbacks->release) made.release = dunlin_callbacks_release;
    return made;
}

#endif
