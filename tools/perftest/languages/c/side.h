/* A side of perftest in C: what the driver (driver.c) and the measured loop (loop.c) have in common. */
#ifndef PERFTEST_SIDE_H
#define PERFTEST_SIDE_H

#include "TestData.h"
#include "dunlin/perftest.h"

/* Topics. */
#define TOPICS 3
/* Publishers that the numbers of a sample tell from each other. */
#define PUBLISHERS (DUNLIN_PERFTEST_ID + 1)
/* Octets of a sample before those of its payload; the encapsulation header is 4 of them. */
#define HEAD 32
/* Octets of a sample that are not payload, as perftest counts them. */
#define OVERHEAD 28
/* Control samples have at most so many octets of payload. */
#define NOTE 64
/* Samples that are taken at a time. */
#define ROOM 16

/* One of the four types. */
typedef struct data_type {
    int32_t (*topic)(dunlin_participant participant, const char *name, dunlin_topic *topic);
    int32_t (*writer)(dunlin_handle parent, dunlin_topic topic, const dunlin_writer_qos *qos,
                      dunlin_writer *writer);
    int32_t (*reader)(dunlin_handle parent, dunlin_topic topic, const dunlin_reader_qos *qos,
                      const dunlin_listener *listener, dunlin_reader *reader);
    /* Writes a sample. */
    int32_t (*write)(dunlin_writer writer, const dunlin_perftest_header *header,
                     const uint8_t *data, size_t length);
    /* Makes an instance known; NULL without a key. */
    int32_t (*make_known)(dunlin_writer writer, const uint8_t *key);
} data_type;

/* The measured loop of a publisher. Its listener writes what is said to be its own. */
typedef struct publishing {
    uint32_t flags;
    int32_t entity_id;
    uint64_t since;
    uint64_t sent;
    uint64_t pings;
    uint64_t next_ping;
    uint64_t lost;
    uint64_t sent_at;
    /* A ping is under way: its number + 1. The listener makes it 0. */
    uint64_t outstanding;
    bool is_waiting;
    /* The sample that waits for room in the queue. */
    bool is_blocked;
    bool is_ping;
    dunlin_perftest_header header;
    /* The listener's own. */
    uint64_t answers;
    uint64_t late;
    uint64_t *ring;
    uint64_t ring_size;
    uint64_t taken;
} publishing;

/* What a subscriber counts of a publisher, in the listener's thread. */
typedef struct publication {
    int32_t entity_id;
    bool is_begun;
    dunlin_perftest_traffic traffic;
} publication;

struct side;

/* A reader, and the samples that its listener has taken. */
typedef struct reading {
    struct side *side;
    uint32_t topic;
    dunlin_reader reader;
    dunlin_sample samples[ROOM];
} reading;

/* All of a side. */
typedef struct side {
    uint32_t flags;
    uint32_t subscriber_id;
    uint32_t instances;
    void *inbox;
    const data_type *type;
    dunlin_participant participant;
    dunlin_publisher publisher;
    dunlin_subscriber subscriber;
    dunlin_condition guard;
    /* Where the thread receives, and where it only hears the guard. */
    dunlin_waitset waits;
    dunlin_waitset bell;
    dunlin_writer writers[TOPICS];
    int32_t xcdr[TOPICS];
    reading readings[TOPICS];
    /* Payload that is written by reference. */
    uint8_t *payload;
    uint64_t payload_size;
    dunlin_octets octets;
    uint32_t next_key;
    publishing publishing;
    publication publications[PUBLISHERS];
} side;

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t side_now(void);

/* The key of the next sample. */
void side_next_key(side *side, uint8_t *key);

/* Writes a sample whose payload is the first octets of that of the side. */
int32_t side_write(side *side, uint32_t topic, const dunlin_perftest_header *header,
                   uint64_t length);

/* Takes changes of matches back, so that the wait set sleeps until the next one. */
void side_note_matches(side *side);

/* The listener of each reader; the context is a `reading`. */
void side_on_data(void *context, dunlin_reader reader);

int32_t side_measure(void *context, const dunlin_perftest_plan *plan,
                     dunlin_perftest_progress *progress);
void side_attach(void *context, uint32_t publisher, int32_t entity_id, uint32_t next_seq);
void side_traffic(void *context, uint32_t publisher, dunlin_perftest_traffic *traffic);

#include <stdlib.h>
#ifdef __GLIBC__
uint64_t side_allocations(void *context);
#endif

#endif
