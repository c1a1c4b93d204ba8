/* perftest in C: entities, and what is not measured. */
#define _POSIX_C_SOURCE 200809L
#include "side.h"

#include <stdio.h>

#define TYPE TestData_t
#include "type.h"
#define TYPE TestDataKeyed_t
#define IS_KEYED
#include "type.h"
#define TYPE TestDataLarge_t
#include "type.h"
#define TYPE TestDataKeyedLarge_t
#define IS_KEYED
#include "type.h"

#define IS_SET(settings, flag) (((settings)->flags & DUNLIN_PERFTEST_##flag) != 0)

static const char *const topic_names[TOPICS] = { "Throughput", "Latency", "Announcement" };

static const data_type *type_of(uint32_t flags) {
    const bool is_keyed = (flags & DUNLIN_PERFTEST_KEYED) != 0;
    if (flags & DUNLIN_PERFTEST_LARGE) {
        return is_keyed ? &own_TestDataKeyedLarge_t_type : &own_TestDataLarge_t_type;
    }
    return is_keyed ? &own_TestDataKeyed_t_type : &own_TestData_t_type;
}

/* Texts as the library takes a list of them; NULL: there is no memory. */
static dunlin_text *texts_of(const char *const *texts, uint64_t count) {
    dunlin_text *made = calloc((size_t)count + 1, sizeof *made);
    uint64_t i;
    for (i = 0; made != NULL && i < count; i++) made[i] = dunlin_text_of(texts[i]);
    return made;
}

static int32_t no_memory(void) {
    return dunlin_set_last_error(DUNLIN_OUT_OF_RESOURCES, dunlin_text_of("there is no memory"));
}

static int32_t join(side *side, const dunlin_perftest_settings *settings) {
    dunlin_participant_config config;
    dunlin_text *interfaces = texts_of(settings->interfaces, settings->interface_count);
    dunlin_text *peers = texts_of(settings->peers, settings->peer_count);
    int32_t code;
    config.size = sizeof config;
    code = dunlin_config_default(&config);
    if (interfaces == NULL || peers == NULL) code = no_memory();
    config.name = dunlin_text_of("Perftest Participant");
    config.interfaces = interfaces;
    config.interface_count = settings->interface_count;
    config.peers = peers;
    config.peer_count = settings->peer_count;
    config.multicast = IS_SET(settings, MULTICAST);
    config.udp = IS_SET(settings, UDP);
    config.shmem = IS_SET(settings, SHMEM);
    config.tcp = IS_SET(settings, TCP);
    config.local = IS_SET(settings, LOCAL);
    config.tcp_port = settings->tcp_port;
    config.tcp_public_address = settings->tcp_public_address;
    config.tcp_public_port = settings->tcp_public_port;
    config.tls_authorities = dunlin_text_of(settings->tls_authorities);
    config.tls_certificates = dunlin_text_of(settings->tls_certificates);
    config.tls_key = dunlin_text_of(settings->tls_key);
    config.lease_duration = settings->lease_duration;
    config.announce_period = settings->announce_period;
    config.heartbeat_period = settings->heartbeat_period;
    config.linger = settings->linger;
    if (code == DUNLIN_OK) {
        code = dunlin_participant_new(settings->domain, &config, NULL, NULL, &side->participant);
    }
    free(interfaces);
    free(peers);
    return code;
}

static int32_t make_groups(side *side) {
    dunlin_group_qos qos;
    DUNLIN_TRY(dunlin_publisher_qos_default(&qos));
    qos.access_scope = DUNLIN_TOPIC_SCOPE;
    qos.ordered = 1;
    DUNLIN_TRY(dunlin_publisher_new(side->participant, &qos, NULL, &side->publisher));
    DUNLIN_TRY(dunlin_subscriber_qos_default(&qos));
    qos.access_scope = DUNLIN_TOPIC_SCOPE;
    qos.ordered = 1;
    return dunlin_subscriber_new(side->participant, &qos, NULL, &side->subscriber);
}

static int32_t make_waits(side *side) {
    DUNLIN_TRY(dunlin_guard_new(&side->guard));
    DUNLIN_TRY(dunlin_waitset_new(&side->waits));
    DUNLIN_TRY(dunlin_waitset_attach(side->waits, side->guard));
    DUNLIN_TRY(dunlin_waitset_new(&side->bell));
    return dunlin_waitset_attach(side->bell, side->guard);
}

/* Payload, whose memory is touched: else all of it were one page of zeros. */
static int32_t make_payload(side *side, uint64_t size) {
    const uint64_t least = size > DUNLIN_NEAR ? size : DUNLIN_NEAR;
    side->payload = malloc((size_t)least);
    if (side->payload == NULL) return no_memory();
    memset(side->payload, 1, (size_t)least);
    side->payload_size = least;
    return dunlin_octets_wrap(side->payload, least, NULL, NULL, &side->octets);
}

static int32_t side_open(void *context, const dunlin_perftest_settings *settings) {
    side *side = context;
    side->flags = settings->flags;
    side->subscriber_id = settings->subscriber;
    side->instances = settings->instances;
    side->inbox = settings->inbox;
    side->type = type_of(settings->flags);
    DUNLIN_TRY(make_payload(side, settings->payload));
    DUNLIN_TRY(join(side, settings));
    DUNLIN_TRY(make_groups(side));
    return make_waits(side);
}

/* Has the wait set end when matches change. */
static int32_t watch(side *side, dunlin_handle entity, uint32_t status) {
    dunlin_condition condition;
    DUNLIN_TRY(dunlin_status_condition(entity, &condition));
    DUNLIN_TRY(dunlin_status_condition_mask(condition, &status, NULL));
    return dunlin_waitset_attach(side->waits, condition);
}

static int32_t history_of(uint32_t depth) { return depth > 0 ? DUNLIN_KEEP_LAST : DUNLIN_KEEP_ALL; }

static int32_t side_writer(void *context, const dunlin_perftest_endpoint *endpoint) {
    side *side = context;
    dunlin_writer *writer = &side->writers[endpoint->topic];
    dunlin_writer_qos qos;
    dunlin_topic topic;
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.reliability = endpoint->reliable ? DUNLIN_RELIABLE : DUNLIN_BEST_EFFORT;
    qos.durability = endpoint->transient_local ? DUNLIN_TRANSIENT_LOCAL : DUNLIN_VOLATILE;
    qos.history = history_of(endpoint->depth);
    if (endpoint->depth > 0) qos.depth = (int32_t)endpoint->depth;
    if (endpoint->max_samples > 0) qos.max_samples = (int32_t)endpoint->max_samples;
    qos.batch_bytes = endpoint->batch_bytes;
    qos.max_blocking_time = endpoint->max_blocking_time;
    DUNLIN_TRY(side->type->topic(side->participant, topic_names[endpoint->topic], &topic));
    DUNLIN_TRY(side->type->writer(side->publisher, topic, &qos, writer));
    DUNLIN_TRY(dunlin_writer_representation(*writer, &side->xcdr[endpoint->topic]));
    return watch(side, *writer, DUNLIN_PUBLICATION_MATCHED);
}

/* What a reader is made for: the topic, or a part of it. */
static int32_t topic_of(side *side, const dunlin_perftest_endpoint *endpoint, dunlin_topic *made) {
    dunlin_topic topic;
    dunlin_text *parameters;
    int32_t code;
    DUNLIN_TRY(side->type->topic(side->participant, topic_names[endpoint->topic], &topic));
    *made = topic;
    if (endpoint->filter == NULL) return DUNLIN_OK;
    parameters = texts_of(endpoint->parameters, endpoint->parameter_count);
    if (parameters == NULL) return no_memory();
    code = dunlin_filtered_topic_new(topic, dunlin_text_of("ThroughputFiltered"),
                                     dunlin_text_of(endpoint->filter), parameters,
                                     endpoint->parameter_count, made);
    free(parameters);
    return code;
}

static int32_t side_reader(void *context, const dunlin_perftest_endpoint *endpoint) {
    side *side = context;
    reading *of = &side->readings[endpoint->topic];
    dunlin_listener listener;
    dunlin_reader_qos qos;
    dunlin_topic topic;
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = endpoint->reliable ? DUNLIN_RELIABLE : DUNLIN_BEST_EFFORT;
    qos.durability = endpoint->transient_local ? DUNLIN_TRANSIENT_LOCAL : DUNLIN_VOLATILE;
    qos.history = history_of(endpoint->depth);
    if (endpoint->depth > 0) qos.depth = (int32_t)endpoint->depth;
    if (endpoint->max_samples > 0) qos.max_samples = (int32_t)endpoint->max_samples;
    if (endpoint->multicast != 0) {
        qos.multicast = &endpoint->multicast;
        qos.multicast_count = 1;
    }
    of->side = side;
    of->topic = endpoint->topic;
    memset(&listener, 0, sizeof listener);
    listener.size = sizeof listener;
    listener.mask = DUNLIN_DATA_AVAILABLE;
    listener.context = of;
    listener.on_data = side_on_data;
    DUNLIN_TRY(topic_of(side, endpoint, &topic));
    DUNLIN_TRY(side->type->reader(side->subscriber, topic, &qos, &listener, &of->reader));
    return watch(side, of->reader, DUNLIN_SUBSCRIPTION_MATCHED);
}

static int32_t side_register(void *context, uint32_t topic) {
    side *side = context;
    const uint32_t before = side->next_key;
    uint32_t i;
    side->next_key = 0;
    for (i = 0; side->type->make_known != NULL && i < side->instances; i++) {
        uint8_t key[4];
        side_next_key(side, key);
        DUNLIN_TRY(side->type->make_known(side->writers[topic], key));
    }
    side->next_key = before;
    return DUNLIN_OK;
}

static uint64_t side_matched(void *context, uint32_t topic) {
    side *side = context;
    uint64_t count = 0;
    if (side->writers[topic] != 0) {
        (void)dunlin_writer_matched(side->writers[topic], NULL, 0, &count);
    } else if (side->readings[topic].reader != 0) {
        (void)dunlin_reader_matched(side->readings[topic].reader, NULL, 0, &count);
    }
    return count;
}

void side_note_matches(side *side) {
    dunlin_status status;
    uint32_t topic;
    for (topic = 0; topic < TOPICS; topic++) {
        if (side->writers[topic] != 0) {
            (void)dunlin_status_get(side->writers[topic], DUNLIN_PUBLICATION_MATCHED, &status);
        }
        if (side->readings[topic].reader != 0) {
            (void)dunlin_status_get(side->readings[topic].reader, DUNLIN_SUBSCRIPTION_MATCHED,
                                    &status);
        }
    }
}

static int32_t side_wait(void *context, int64_t timeout, uint32_t receives) {
    side *side = context;
    const dunlin_waitset waits = receives ? side->waits : side->bell;
    const int32_t code = dunlin_waitset_wait(waits, timeout, NULL, 0, NULL);
    (void)dunlin_guard_set(side->guard, 0);
    side_note_matches(side);
    return code == DUNLIN_TIMEOUT ? DUNLIN_OK : code;
}

static void side_wake(void *context) {
    side *side = context;
    (void)dunlin_guard_set(side->guard, 1);
}

static int32_t side_control(void *context, uint32_t topic, const dunlin_perftest_header *header,
                            const uint8_t *data, uint64_t length) {
    side *side = context;
    return data == NULL ? side_write(side, topic, header, length)
                        : side->type->write(side->writers[topic], header, data, (size_t)length);
}

static int32_t side_flush(void *context, uint32_t topic) {
    side *side = context;
    return dunlin_flush(side->writers[topic]);
}

static void add_text(char *to, uint64_t room, uint64_t *used, dunlin_block *block) {
    if (*used + block->length + 2 < room) {
        memcpy(to + *used, block->data, (size_t)block->length);
        *used += block->length;
        to[(*used)++] = '\n';
        to[*used] = 0;
    }
    (void)dunlin_block_free(block);
}

static void side_explain(void *context, uint32_t what, char *text, uint64_t room) {
    side *side = context;
    uint64_t used = 0;
    uint32_t topic;
    dunlin_block block;
    dunlin_text failure;
    if (room == 0) return;
    text[0] = 0;
    if (what == DUNLIN_PERFTEST_FAILURE) {
        if (dunlin_last_error(&failure) == DUNLIN_OK && failure.length < room) {
            memcpy(text, failure.data, failure.length);
            text[failure.length] = 0;
        }
        return;
    }
    for (topic = 0; topic < TOPICS; topic++) {
        if (side->writers[topic] != 0
            && dunlin_writer_explain(side->writers[topic], &block) == DUNLIN_OK) {
            add_text(text, room, &used, &block);
        }
        if (side->readings[topic].reader != 0
            && dunlin_reader_explain(side->readings[topic].reader, &block) == DUNLIN_OK) {
            add_text(text, room, &used, &block);
        }
    }
}

static void side_losses(void *context, dunlin_perftest_losses *losses) {
    side *side = context;
    dunlin_counters counters;
    memset(&counters, 0, sizeof counters);
    counters.size = sizeof counters;
    if (dunlin_participant_counters(side->participant, &counters) == DUNLIN_OK) {
        losses->dropped = counters.dropped;
        losses->unsent = counters.unsent;
    }
}

static void side_close(void *context) {
    side *side = context;
    uint32_t topic;
    (void)dunlin_close(side->participant);
    for (topic = 0; topic < TOPICS; topic++) {
        reading *of = &side->readings[topic];
        uint32_t i;
        for (i = 0; i < ROOM && of->reader != 0; i++) {
            if (of->samples[i].token != 0) (void)dunlin_give_back(of->reader, &of->samples[i], 1);
        }
    }
    (void)dunlin_close(side->waits);
    (void)dunlin_close(side->bell);
    (void)dunlin_close(side->guard);
    (void)dunlin_octets_free(side->octets);
    /* The payload stays: what is still to be sent may refer to it. */
}

int main(int argc, char **argv) {
    static side context;
    static dunlin_perftest_driver driver;
    driver.size = sizeof driver;
    driver.version = DUNLIN_PERFTEST_VERSION;
    driver.language = "C";
    driver.context = &context;
    driver.open = side_open;
    driver.writer = side_writer;
    driver.reader = side_reader;
    driver.register_instances = side_register;
    driver.matched = side_matched;
    driver.wait = side_wait;
    driver.wake = side_wake;
    driver.control = side_control;
    driver.flush = side_flush;
    driver.measure = side_measure;
    driver.attach = side_attach;
    driver.traffic = side_traffic;
    driver.explain = side_explain;
    driver.losses = side_losses;
#ifdef __GLIBC__
    driver.allocations = side_allocations;
#endif
    driver.close = side_close;
    return dunlin_perftest_run(argc, (const char *const *)argv, &driver);
}
