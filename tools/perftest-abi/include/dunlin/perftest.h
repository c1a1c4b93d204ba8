/*
 * perftest in another language. The library has the command line, finds the other side, shakes hands,
 * and makes statistics and tables. The program is a table of functions: it creates the entities, runs
 * the measured loop, listens, counts and echoes, all by the public interface of its language.
 *
 * Functions return 0, or another code; then `explain` tells why. DUNLIN_PERFTEST_FULL (10, TIMEOUT)
 * from `control` says that the queue is full. Times are nanoseconds, those that name a moment of
 * CLOCK_MONOTONIC. All functions but those of listeners are called on the thread of
 * `dunlin_perftest_run`, unless it says otherwise.
 */
#ifndef DUNLIN_PERFTEST_H
#define DUNLIN_PERFTEST_H

#include <stdint.h>

/* The version of this interface: the library refuses programs of another one. */
#define DUNLIN_PERFTEST_VERSION 1

/* The queue of a writer stayed full. */
#define DUNLIN_PERFTEST_FULL 10

/* A moment that never comes. */
#define DUNLIN_PERFTEST_NEVER UINT64_MAX
/*
 * A ping under way at the end of a part is awaited for so long yet, in nanoseconds: what is done
 * between two parts is none of its round trip.
 */
#define DUNLIN_PERFTEST_GRACE 1000000

/* The topics, which all have the same type. Publisher to subscriber: data, pings, control samples. */
#define DUNLIN_PERFTEST_THROUGHPUT 0
/* Subscriber to publisher: echoes. */
#define DUNLIN_PERFTEST_LATENCY 1
/* Subscriber to publisher: the hand-shake. */
#define DUNLIN_PERFTEST_ANNOUNCEMENT 2

/* Of `latency_ping`: from 0 on, the subscriber that echoes the sample. Data that nobody echoes. */
#define DUNLIN_PERFTEST_NO_PING (-1)
/* Warm-up: every subscriber echoes what publisher 0 sends. Below that: the run is steered. */
#define DUNLIN_PERFTEST_WARM_UP (-2)

/* Of `entity_id`: the bits that say which publisher or subscriber; the others say which run. */
#define DUNLIN_PERFTEST_ID 1023

/* All members of the type but its payload, in their order. Octets of the samples are 28 more. */
typedef struct dunlin_perftest_header {
    uint8_t key[4];
    int32_t entity_id;
    uint32_t seq_num;
    /* The halves of the time of the write, the high one first. */
    int32_t timestamp_sec;
    uint32_t timestamp_usec;
    int32_t latency_ping;
} dunlin_perftest_header;

/* Of `dunlin_perftest_settings`: the type has a key. */
#define DUNLIN_PERFTEST_KEYED 1
/* The type's payload has no bound. */
#define DUNLIN_PERFTEST_LARGE 2
/* This side subscribes. */
#define DUNLIN_PERFTEST_SUBSCRIBES 4
/* It echoes pings for other subscribers, too. */
#define DUNLIN_PERFTEST_ANSWERS_ALL 8
/* Samples are built in memory of the middleware, whose content is whatever it was. */
#define DUNLIN_PERFTEST_FLAT 16
/* Samples are read where they are: of their payload only control samples are looked at. */
#define DUNLIN_PERFTEST_ZERO_COPY 32
/* ... and are left out if they changed meanwhile. */
#define DUNLIN_PERFTEST_CHECKS 64
/* The participant announces itself by multicast. */
#define DUNLIN_PERFTEST_MULTICAST 128
/* The transports. */
#define DUNLIN_PERFTEST_UDP 256
#define DUNLIN_PERFTEST_SHMEM 512
#define DUNLIN_PERFTEST_TCP 1024
#define DUNLIN_PERFTEST_LOCAL 2048

/* What the participant and the loops need to know. Text ends with NUL, and is there during `open`. */
typedef struct dunlin_perftest_settings {
    uint32_t size;
    uint32_t flags;
    uint32_t domain;
    /* The subscriber's number. */
    uint32_t subscriber;
    /* How many publishers a subscriber has. */
    uint32_t publishers;
    /* Keys are numbers below this one, their least significant octet first. */
    uint32_t instances;
    /* Octets of the largest payload, as far as this side knows. */
    uint64_t payload;
    int64_t lease_duration;
    int64_t announce_period;
    int64_t heartbeat_period;
    int64_t linger;
    /* Only these interfaces; none means all. */
    const char *const *interfaces;
    uint64_t interface_count;
    const char *const *peers;
    uint64_t peer_count;
    /* Of TLS, null without. */
    const char *tls_authorities;
    const char *tls_certificates;
    const char *tls_key;
    /* Where others find this side: 10.1.2.3 as 0x0a010203; 0 for nowhere. */
    uint32_t tcp_public_address;
    uint16_t tcp_public_port;
    uint16_t tcp_port;
    /* For `dunlin_perftest_sample`. */
    void *inbox;
} dunlin_perftest_settings;

/* What a writer or reader is like. */
typedef struct dunlin_perftest_endpoint {
    uint32_t size;
    uint32_t topic;
    /* RELIABLE, else BEST_EFFORT. */
    uint32_t reliable;
    /* TRANSIENT_LOCAL, else VOLATILE. */
    uint32_t transient_local;
    /* KEEP_LAST of so many; 0 is KEEP_ALL. */
    uint32_t depth;
    /* RESOURCE_LIMITS; 0 is no limit. */
    uint32_t max_samples;
    /* Samples are gathered until they have so many octets; 0 sends each at once. */
    uint32_t batch_bytes;
    /* A group where a reader receives, 239.1.2.3 as 0xef010203; 0 for none. */
    uint32_t multicast;
    int64_t max_blocking_time;
    /* A reader gets what passes this expression; null is all. */
    const char *filter;
    const char *const *parameters;
    uint64_t parameter_count;
} dunlin_perftest_endpoint;

/* Of `dunlin_perftest_plan`: a segment begins, and all is counted from 0. */
#define DUNLIN_PERFTEST_BEGINS 1
/* Each ping waits for its echo; else pings are a few among many samples. */
#define DUNLIN_PERFTEST_ONE_AT_A_TIME 2
/* There are pings. */
#define DUNLIN_PERFTEST_PINGS 4
/*
 * It is for practice: pings are marked as warm-up, so that nobody counts them, and their echoes
 * answer them.
 */
#define DUNLIN_PERFTEST_PRACTICE 8

/* A part of a measured segment. */
typedef struct dunlin_perftest_plan {
    uint32_t size;
    uint32_t flags;
    /* Octets of each payload. */
    uint64_t payload;
    /* So many samples the segment has by the end of the part, at most. */
    uint64_t samples;
    /* When the part ends, whatever has been done; GRACE later if a ping is under way. */
    uint64_t until;
    /* How long a ping waits for its echo; then it is lost. NEVER: until it comes. */
    uint64_t ping_timeout;
    /* Samples in a batch. One batch in `ping_every` has a ping, each time one place further. */
    uint64_t per_batch;
    uint64_t ping_every;
    int32_t entity_id;
    /* The number of the segment's first sample. */
    uint32_t first_seq;
    /* The key of all samples; below 0 all instances take turns. */
    int64_t instance;
    /* Pings go to each of so many subscribers in turn. */
    uint32_t subscribers;
    uint32_t reserved;
    /* The round trip of answer `n`, in nanoseconds, goes to `ring[n % ring_size]`, a power of two. It is there for as long
     * as the process. */
    uint64_t *ring;
    uint64_t ring_size;
    /* Answers that have been taken out of the ring. While it is full no ping is sent. */
    uint64_t taken;
} dunlin_perftest_plan;

/* What a measured segment has done so far. */
typedef struct dunlin_perftest_progress {
    uint64_t sent;
    uint64_t pings;
    /* Pings whose echo came in time. */
    uint64_t answers;
    /* Pings whose time was over. */
    uint64_t lost;
    /* Echoes that belong to no ping under way. */
    uint64_t late;
    /* A ping is under way: the next part goes on to wait for it. */
    uint32_t waiting;
    /* A sample waits for room in the queue: the next part offers it again, as it is. */
    uint32_t blocked;
} dunlin_perftest_progress;

/* What a subscriber has counted of a publisher since `open`. */
typedef struct dunlin_perftest_traffic {
    /* Samples of data, and their octets: 28 and the payload of each. */
    uint64_t packets;
    uint64_t bytes;
    /* Samples of the warm-up. */
    uint64_t others;
    uint64_t echo_failures;
    /* Numbers that were passed over, less those that came afterwards. */
    int64_t lost;
    /* Octets of the last sample, and the next number. */
    uint32_t last_size;
    uint32_t expected;
} dunlin_perftest_traffic;

/* What the system lost: datagrams that nobody read in time, messages that could not be sent. */
typedef struct dunlin_perftest_losses {
    uint64_t dropped;
    uint64_t unsent;
} dunlin_perftest_losses;

/* Of `explain`: the last failure. */
#define DUNLIN_PERFTEST_FAILURE 0
/* What has been discovered, and why endpoints do not match, a line each. */
#define DUNLIN_PERFTEST_DISCOVERY 1

/*
 * Of `dunlin_perftest_driver`: the program becomes faster while it runs, since it is compiled then.
 * It practises until it no longer does.
 */
#define DUNLIN_PERFTEST_SETTLES 1

/*
 * The program. The context is passed to each function. An endpoint is known by its topic.
 *
 * The listener of a reader takes all samples. It passes to `dunlin_perftest_sample` those whose
 * `latency_ping` is below DUNLIN_PERFTEST_WARM_UP, and those of the topic Announcement. Others:
 *
 * - A publisher's listener stops the clock in its first line. A ping is answered by the echo with its
 *   `entity_id` and `seq_num`; when pings are not one at a time, by each echo with its `entity_id`
 *   whose time of the write lies between the begin of the segment and now. What answers none is late.
 *   Echoes of the warm-up go to `dunlin_perftest_sample`, unless it is practice.
 * - A subscriber's listener leaves out what has not the `entity_id` that `attach` gave. It echoes
 *   pings for itself, and the warm-up if the publisher is 0: the same sample with the next key, by
 *   the topic Latency, sent at once. Then it counts. The first sample of data after each `attach` is
 *   passed to `dunlin_perftest_sample` as well, when it was echoed and before it is counted.
 */
typedef struct dunlin_perftest_driver {
    uint32_t size;
    uint32_t version;
    uint32_t flags;
    uint32_t reserved;
    /* As it is printed. */
    const char *language;
    void *context;
    int32_t (*open)(void *context, const dunlin_perftest_settings *settings);
    int32_t (*writer)(void *context, const dunlin_perftest_endpoint *endpoint);
    int32_t (*reader)(void *context, const dunlin_perftest_endpoint *endpoint);
    /* Registers all instances with a writer, if the type has a key. */
    int32_t (*register_instances)(void *context, uint32_t topic);
    /* How many endpoints of others match. On any thread. */
    uint64_t (*matched)(void *context, uint32_t topic);
    /*
     * Waits for `wake`, or for a change of matches, at most so long. With `receives` it waits where
     * the thread receives; else where it only wakes.
     */
    int32_t (*wait)(void *context, int64_t timeout, uint32_t receives);
    /* Ends a wait, or the next one. On any thread. */
    void (*wake)(void *context);
    /* Writes a sample of `length` octets of payload, once. If `data` is null they are any octets. */
    int32_t (*control)(void *context, uint32_t topic, const dunlin_perftest_header *header,
                       const uint8_t *data, uint64_t length);
    /* Sends what batching holds back. */
    int32_t (*flush)(void *context, uint32_t topic);
    /* Runs a part of a measured segment. */
    int32_t (*measure)(void *context, const dunlin_perftest_plan *plan,
                       dunlin_perftest_progress *progress);
    /*
     * The samples of a publisher have this `entity_id` from now on, and the next one this number. On
     * the thread of the listener, within `dunlin_perftest_sample`.
     */
    void (*attach)(void *context, uint32_t publisher, int32_t entity_id, uint32_t next_seq);
    /* What was counted of a publisher. On any thread. */
    void (*traffic)(void *context, uint32_t publisher, dunlin_perftest_traffic *traffic);
    /* A text that ends with NUL, of at most `room` octets. On the thread of the failure. */
    void (*explain)(void *context, uint32_t what, char *text, uint64_t room);
    void (*losses)(void *context, dunlin_perftest_losses *losses);
    /* Blocks that were allocated so far; null if they are not counted. On any thread. */
    uint64_t (*allocations)(void *context);
    /* Ends everything. When it returns no listener is called any more. */
    void (*close)(void *context);
} dunlin_perftest_driver;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs perftest with the arguments of `main`; returns the status of the process. The driver and its
 * context live as long as the process.
 */
int32_t dunlin_perftest_run(int32_t argc, const char *const *argv,
                            const dunlin_perftest_driver *driver);

/* Takes a sample that the driver itself has no use for, on the thread that received it. */
void dunlin_perftest_sample(void *inbox, uint32_t topic, const dunlin_perftest_header *header,
                            const uint8_t *data, uint64_t length);

#ifdef __cplusplus
}
#endif

#endif
