/* What is measured: the loop that writes, and the listeners. */
#define _POSIX_C_SOURCE 200809L
#include "side.h"

#include <time.h>

/* Samples between two looks at the clock, where that would cost more than writing them. */
#define LOOK 16

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

uint64_t side_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void side_next_key(side *side, uint8_t *key) {
    const uint32_t next = side->next_key;
    side->next_key = next + 1 < side->instances ? next + 1 : 0;
    key[0] = (uint8_t)next;
    key[1] = (uint8_t)(next >> 8);
    key[2] = (uint8_t)(next >> 16);
    key[3] = (uint8_t)(next >> 24);
}

static void set_head(TestDataHead_t *head, const dunlin_perftest_header *header, uint64_t length) {
    memcpy(head->key, header->key, sizeof head->key);
    head->entity_id = header->entity_id;
    head->seq_num = header->seq_num;
    head->timestamp_sec = header->timestamp_sec;
    head->timestamp_usec = header->timestamp_usec;
    head->latency_ping = header->latency_ping;
    head->length = (uint32_t)length;
}

/* Writes a sample whose payload is `data` of some octets, or all of them if that is NULL. */
static int32_t write_octets(side *side, uint32_t topic, const dunlin_perftest_header *header,
                            const uint8_t *data, uint64_t length, dunlin_octets octets) {
    static const uint8_t padding[4];
    const uint64_t behind = (0 - length) & 3;
    uint8_t before[HEAD];
    TestDataHead_t head;
    dunlin_cdr_fault fault;
    dunlin_piece pieces[3];
    set_head(&head, header, length);
    if (!TestDataHead_t_cdr_write(&head, side->xcdr[topic], before, sizeof before, &fault)) {
        return dunlin_typed_failed(&fault, DUNLIN_ERROR);
    }
    before[3] = (uint8_t)behind;
    memset(pieces, 0, sizeof pieces);
    pieces[0].data = before;
    pieces[0].length = sizeof before;
    pieces[1].data = data;
    pieces[1].length = length;
    pieces[1].octets = octets;
    pieces[2].data = padding;
    pieces[2].length = behind;
    return dunlin_write_pieces(side->writers[topic], pieces, behind > 0 ? 3 : 2, NULL);
}

/* Writes a sample in memory of Dunlin, whose payload is what happens to be there. */
static int32_t write_flat(side *side, uint32_t topic, const dunlin_perftest_header *header,
                          uint64_t length) {
    dunlin_octets octets;
    uint8_t *data;
    int32_t code;
    DUNLIN_TRY(dunlin_octets_new(side->writers[topic], length, &data, &octets));
    code = dunlin_octets_seal(octets);
    if (code == DUNLIN_OK) code = write_octets(side, topic, header, NULL, length, octets);
    (void)dunlin_octets_free(octets);
    return code;
}

int32_t side_write(side *side, uint32_t topic, const dunlin_perftest_header *header,
                   uint64_t length) {
    if ((side->flags & DUNLIN_PERFTEST_FLAT) && length > NOTE) {
        return write_flat(side, topic, header, length);
    }
    if (length + HEAD <= DUNLIN_NEAR) {
        return side->type->write(side->writers[topic], header, side->payload, (size_t)length);
    }
    return write_octets(side, topic, header, side->payload, length, side->octets);
}

/* Waits for the echo of the ping under way. False: the part of the segment ends before. */
static bool await_echo(side *side, const dunlin_perftest_plan *plan) {
    publishing *own = &side->publishing;
    while (LOAD(own->outstanding) != 0) {
        const uint64_t now = side_now();
        uint64_t end = plan->until + DUNLIN_PERFTEST_GRACE;
        if (plan->ping_timeout < DUNLIN_PERFTEST_NEVER - own->sent_at) {
            const uint64_t lost_at = own->sent_at + plan->ping_timeout;
            if (now >= lost_at) {
                own->lost += __atomic_exchange_n(&own->outstanding, 0, __ATOMIC_ACQ_REL) != 0;
                break;
            }
            if (lost_at < end) end = lost_at;
        }
        if (now >= end) return false;
        (void)dunlin_waitset_wait(side->waits, (int64_t)(end - now), NULL, 0, NULL);
        (void)dunlin_guard_set(side->guard, 0);
        if (LOAD(own->outstanding) != 0) side_note_matches(side);
    }
    own->is_waiting = false;
    return true;
}

/* Makes the next sample, and stamps it if it is a ping. */
static void make_sample(side *side, const dunlin_perftest_plan *plan) {
    publishing *own = &side->publishing;
    dunlin_perftest_header *header = &own->header;
    if (plan->instance < 0) {
        side_next_key(side, header->key);
    } else {
        uint32_t next = side->next_key;
        side->next_key = (uint32_t)plan->instance;
        side_next_key(side, header->key);
        side->next_key = next;
    }
    header->entity_id = plan->entity_id;
    header->seq_num = plan->first_seq + (uint32_t)own->sent;
    own->is_ping = own->sent == own->next_ping;
    if (!own->is_ping) {
        header->timestamp_sec = 0;
        header->timestamp_usec = 0;
        header->latency_ping = DUNLIN_PERFTEST_NO_PING;
        return;
    }
    header->latency_ping = plan->flags & DUNLIN_PERFTEST_PRACTICE
                               ? DUNLIN_PERFTEST_WARM_UP
                               : (int32_t)(own->pings % plan->subscribers);
    own->sent_at = side_now();
    header->timestamp_sec = (int32_t)(own->sent_at >> 32);
    header->timestamp_usec = (uint32_t)own->sent_at;
    if (plan->flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) {
        STORE(own->outstanding, (uint64_t)header->seq_num + 1);
    }
}

/* A sample is written: notes where the next ping is. */
static void note_written(publishing *own, const dunlin_perftest_plan *plan) {
    if (own->is_ping) {
        const uint64_t batch = own->sent / plan->per_batch;
        const uint64_t place = (own->sent % plan->per_batch + 1) % plan->per_batch;
        own->next_ping = (batch + plan->ping_every) * plan->per_batch + place;
        own->is_waiting = (plan->flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
        own->pings++;
    }
    own->sent++;
}

static int32_t run_part(side *side, const dunlin_perftest_plan *plan) {
    publishing *own = &side->publishing;
    const bool is_watched = (plan->flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
    for (;;) {
        int32_t code;
        if (own->is_waiting && !await_echo(side, plan)) return DUNLIN_OK;
        if (own->sent >= plan->samples) return DUNLIN_OK;
        if (is_watched || own->is_blocked || own->sent % LOOK == 0) {
            if (LOAD(own->answers) - plan->taken >= plan->ring_size) return DUNLIN_OK;
            if (side_now() >= plan->until) return DUNLIN_OK;
        }
        if (!own->is_blocked) make_sample(side, plan);
        code = side_write(side, DUNLIN_PERFTEST_THROUGHPUT, &own->header, plan->payload);
        own->is_blocked = code == DUNLIN_TIMEOUT;
        if (own->is_blocked) continue;
        if (code != DUNLIN_OK) return code;
        note_written(own, plan);
    }
}

static void begin_segment(publishing *own, const dunlin_perftest_plan *plan) {
    memset(&own->header, 0, sizeof own->header);
    STORE(own->outstanding, 0);
    STORE(own->answers, 0);
    STORE(own->late, 0);
    own->sent = 0;
    own->pings = 0;
    own->lost = 0;
    own->next_ping = plan->flags & DUNLIN_PERFTEST_PINGS ? 0 : UINT64_MAX;
    own->is_waiting = false;
    own->is_blocked = false;
    own->flags = plan->flags;
    own->ring = plan->ring;
    own->ring_size = plan->ring_size;
    STORE(own->since, side_now());
    STORE(own->entity_id, plan->entity_id);
}

int32_t side_measure(void *context, const dunlin_perftest_plan *plan,
                     dunlin_perftest_progress *progress) {
    side *side = context;
    publishing *own = &side->publishing;
    int32_t code;
    if (plan->flags & DUNLIN_PERFTEST_BEGINS) begin_segment(own, plan);
    STORE(own->taken, plan->taken);
    code = run_part(side, plan);
    progress->sent = own->sent;
    progress->pings = own->pings;
    progress->lost = own->lost;
    progress->answers = LOAD(own->answers);
    progress->late = LOAD(own->late);
    progress->waiting = own->is_waiting;
    progress->blocked = own->is_blocked;
    return code;
}

/* What a listener knows of a sample. */
typedef struct received {
    dunlin_perftest_header header;
    reading *from;
    const dunlin_sample *sample;
    const uint8_t *data;
    uint64_t length;
    uint8_t note[NOTE];
} received;

static void pass_on(const received *got) {
    dunlin_perftest_sample(got->from->side->inbox, got->from->topic, &got->header, got->data,
                           got->data == NULL ? 0 : got->length);
}

/* An echo, at the publisher. */
static void take_echo(const received *got, uint64_t now) {
    side *side = got->from->side;
    publishing *own = &side->publishing;
    const dunlin_perftest_header *header = &got->header;
    const bool is_one_at_a_time = (own->flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
    uint64_t sent_at, answers = own->answers;
    bool is_answer;
    if (header->latency_ping < 0
        && (header->latency_ping < DUNLIN_PERFTEST_WARM_UP
            || !(own->flags & DUNLIN_PERFTEST_PRACTICE))) {
        pass_on(got);
        return;
    }
    if (header->entity_id != LOAD(own->entity_id)) return;
    if (is_one_at_a_time) {
        is_answer = LOAD(own->outstanding) == (uint64_t)header->seq_num + 1;
        sent_at = own->sent_at;
    } else {
        sent_at = (uint64_t)(uint32_t)header->timestamp_sec << 32 | header->timestamp_usec;
        is_answer = sent_at >= LOAD(own->since) && sent_at <= now
                    && answers - LOAD(own->taken) < own->ring_size;
    }
    if (!is_answer) {
        STORE(own->late, own->late + 1);
        return;
    }
    own->ring[answers & (own->ring_size - 1)] = now - sent_at;
    STORE(own->answers, answers + 1);
    if (is_one_at_a_time) {
        /* Last, so that what was measured is there. */
        STORE(own->outstanding, 0);
        (void)dunlin_guard_set(side->guard, 1);
    }
}

/* The same sample back, in full size. */
static int32_t echo(const received *got) {
    const uint32_t topic = DUNLIN_PERFTEST_LATENCY;
    side *side = got->from->side;
    dunlin_perftest_header header = got->header;
    dunlin_octets octets;
    int32_t code;
    side_next_key(side, header.key);
    if ((side->flags & DUNLIN_PERFTEST_FLAT) && got->length > NOTE) {
        code = write_flat(side, topic, &header, got->length);
    } else if (got->length + HEAD <= DUNLIN_NEAR) {
        const uint8_t *data = got->data == NULL ? side->payload : got->data;
        code = side->type->write(side->writers[topic], &header, data, (size_t)got->length);
    } else {
        code = dunlin_octets_of_sample(got->from->reader, got->sample, HEAD, got->length, &octets);
        if (code == DUNLIN_OK) {
            code = write_octets(side, topic, &header, NULL, got->length, octets);
            (void)dunlin_octets_free(octets);
        }
    }
    return code == DUNLIN_OK ? dunlin_flush(side->writers[topic]) : code;
}

static void count_lost(dunlin_perftest_traffic *traffic, uint32_t seq) {
    const uint32_t gap = seq - traffic->expected;
    if (gap < UINT32_MAX / 2) {
        traffic->lost += gap;
        traffic->expected = seq + 1;
    } else {
        /* It was passed over before. */
        traffic->lost--;
    }
}

/* Data, warm-up or control, at the subscriber. Only this thread writes what is counted. */
static void take_data(const received *got) {
    side *side = got->from->side;
    const dunlin_perftest_header *header = &got->header;
    const uint32_t id = (uint32_t)header->entity_id & DUNLIN_PERFTEST_ID;
    const bool is_warm_up = header->latency_ping == DUNLIN_PERFTEST_WARM_UP;
    publication *from = &side->publications[id];
    dunlin_perftest_traffic *traffic = &from->traffic;
    if (header->latency_ping < DUNLIN_PERFTEST_WARM_UP) {
        pass_on(got);
        return;
    }
    if (from->entity_id != header->entity_id) return;
    if (is_warm_up ? id == 0
                   : header->latency_ping >= 0
                         && ((side->flags & DUNLIN_PERFTEST_ANSWERS_ALL)
                             || (uint32_t)header->latency_ping == side->subscriber_id)) {
        if (echo(got) != DUNLIN_OK) STORE(traffic->echo_failures, traffic->echo_failures + 1);
    }
    if (is_warm_up) {
        STORE(traffic->others, traffic->others + 1);
        return;
    }
    if (!from->is_begun) {
        from->is_begun = true;
        pass_on(got);
    }
    count_lost(traffic, header->seq_num);
    STORE(traffic->last_size, (uint32_t)got->length + OVERHEAD);
    STORE(traffic->bytes, traffic->bytes + got->length + OVERHEAD);
    STORE(traffic->packets, traffic->packets + 1);
}

void side_attach(void *context, uint32_t publisher, int32_t entity_id, uint32_t next_seq) {
    side *side = context;
    publication *from = &side->publications[publisher & DUNLIN_PERFTEST_ID];
    from->entity_id = entity_id;
    from->traffic.expected = next_seq;
    from->is_begun = false;
}

void side_traffic(void *context, uint32_t publisher, dunlin_perftest_traffic *traffic) {
    side *side = context;
    const dunlin_perftest_traffic *of =
        &side->publications[publisher & DUNLIN_PERFTEST_ID].traffic;
    traffic->packets = LOAD(of->packets);
    traffic->bytes = LOAD(of->bytes);
    traffic->others = LOAD(of->others);
    traffic->echo_failures = LOAD(of->echo_failures);
    traffic->lost = LOAD(of->lost);
    traffic->last_size = LOAD(of->last_size);
    traffic->expected = LOAD(of->expected);
}

/* Reads all members but the payload, which stays where it is. */
static bool read_sample(reading *from, const dunlin_sample *sample, received *got) {
    uint8_t before[HEAD];
    TestDataHead_t head;
    dunlin_cdr_fault fault;
    if (!sample->info.valid_data || sample->length < HEAD) return false;
    if (sample->data != NULL) {
        memcpy(before, sample->data, HEAD);
    } else if (dunlin_sample_copy(from->reader, sample, 0, before, HEAD) != DUNLIN_OK) {
        return false;
    }
    /* What is behind the payload is not behind the head. */
    before[3] = 0;
    if (!TestDataHead_t_cdr_read(&head, before, HEAD, &fault)) return false;
    if (head.length > sample->length - HEAD) return false;
    memcpy(got->header.key, head.key, sizeof head.key);
    got->header.entity_id = head.entity_id;
    got->header.seq_num = head.seq_num;
    got->header.timestamp_sec = head.timestamp_sec;
    got->header.timestamp_usec = head.timestamp_usec;
    got->header.latency_ping = head.latency_ping;
    got->from = from;
    got->sample = sample;
    got->length = head.length;
    got->data = sample->data == NULL ? NULL : sample->data + HEAD;
    if (got->data == NULL && head.length <= NOTE) {
        if (dunlin_sample_copy(from->reader, sample, HEAD, got->note, head.length) != DUNLIN_OK) {
            return false;
        }
        got->data = got->note;
    }
    if (from->side->flags & DUNLIN_PERFTEST_CHECKS) {
        uint8_t is_valid = 0;
        (void)dunlin_sample_is_valid(from->reader, sample, &is_valid);
        return is_valid != 0;
    }
    return true;
}

void side_on_data(void *context, dunlin_reader reader) {
    uint64_t now = side_now();
    reading *from = context;
    const bool stays = (from->side->flags & DUNLIN_PERFTEST_ZERO_COPY) != 0;
    dunlin_select select;
    uint64_t i, count;
    from->reader = reader;
    memset(&select, 0, sizeof select);
    select.size = sizeof select;
    select.flags = DUNLIN_GIVE_BACK_FIRST | DUNLIN_DECODES | (stays ? DUNLIN_IN_PLACE : 0);
    do {
        if (dunlin_take(reader, &select, from->samples, ROOM, &count) != DUNLIN_OK) return;
        for (i = 0; i < count; i++) {
            received got;
            if (!read_sample(from, &from->samples[i], &got)) continue;
            if (from->topic == DUNLIN_PERFTEST_ANNOUNCEMENT) {
                pass_on(&got);
            } else if (from->topic == DUNLIN_PERFTEST_LATENCY) {
                take_echo(&got, now);
                now = side_now();
            } else {
                take_data(&got);
            }
        }
        /* Memory of the writer is not kept longer than needed. */
        if (stays) (void)dunlin_give_back(reader, from->samples, count);
    } while (count == ROOM);
}
