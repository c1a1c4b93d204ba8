/* Wrong orders of calls, and right ones at the wrong time: each has its code, and nothing is left. */
#define _GNU_SOURCE
#include "Position.h"
#include <pthread.h>
#include <stdio.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            dunlin_text why_; \
            (void)dunlin_last_error(&why_); \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, why_.data); \
            exit(1); \
        } \
    } while (0)
#define OK(call) CHECK((call) == DUNLIN_OK)
#define THREADS 8
#define ROUNDS 300

typedef struct World {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
} World;

static const Position here = {7, 1, 2};

static void open_world(World *world, const dunlin_listener *listener) {
    dunlin_reader_qos qos;
    OK(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &world->participant));
    OK(Position_topic(world->participant, "Positions", NULL, &world->topic));
    OK(Position_writer(world->participant, world->topic, NULL, NULL, &world->writer));
    OK(Position_reader(world->participant, world->topic, &qos, listener, &world->reader));
    OK(dunlin_writer_wait_for_matched(world->writer, 1, 60 * DUNLIN_SECOND));
}

static void nothing_left(void) {
    uint64_t count;
    dunlin_block what;
    OK(dunlin_leaks(&count, &what));
    /* The block that says so is one itself. */
    if (count != 0) {
        fprintf(stderr, "left: %s\n", (const char *)what.data);
        exit(1);
    }
    OK(dunlin_block_free(&what));
}

/* Samples, loans, octets and blocks that are given back twice, elsewhere, or after what they are of. */
static void given_back(void) {
    World world, other;
    dunlin_sample sample, again, foreign;
    dunlin_loan loan, copy;
    dunlin_octets octets, clone;
    dunlin_block block, same;
    uint8_t *data;
    uint64_t count;
    open_world(&world, NULL);
    open_world(&other, NULL);
    OK(Position_write(world.writer, &here, NULL));
    OK(Position_write(other.writer, &here, NULL));
    while (dunlin_read(world.reader, NULL, &sample, 1, &count) != DUNLIN_OK) {}
    while (dunlin_read(other.reader, NULL, &foreign, 1, &count) != DUNLIN_OK) {}
    again = sample;
    CHECK(dunlin_give_back(other.reader, &again, 1) == DUNLIN_PRECONDITION_NOT_MET || again.token == foreign.token);
    again = sample;
    OK(dunlin_give_back(world.reader, &sample, 1));
    CHECK(dunlin_give_back(world.reader, &again, 1) == DUNLIN_PRECONDITION_NOT_MET);
    CHECK(dunlin_give_back(world.writer, &again, 1) == DUNLIN_BAD_PARAMETER);

    OK(dunlin_loan_new(world.writer, 28, 0, &loan));
    memset(loan.data, 0, 28);
    copy = loan;
    CHECK(dunlin_loan_discard(other.writer, &loan) == DUNLIN_PRECONDITION_NOT_MET);
    OK(dunlin_loan_discard(world.writer, &loan));
    CHECK(dunlin_loan_discard(world.writer, &copy) == DUNLIN_PRECONDITION_NOT_MET);
    CHECK(dunlin_loan_write(world.writer, &copy, NULL) == DUNLIN_PRECONDITION_NOT_MET);
    OK(dunlin_loan_new(world.writer, 28, 0, &loan)); /* goes with its writer */

    OK(dunlin_octets_new(0, 8, &data, &octets));
    CHECK(dunlin_octets_clone(octets, &clone) == DUNLIN_PRECONDITION_NOT_MET);
    OK(dunlin_octets_seal(octets));
    CHECK(dunlin_octets_seal(octets) == DUNLIN_PRECONDITION_NOT_MET);
    OK(dunlin_octets_clone(octets, &clone));
    OK(dunlin_octets_free(octets));
    CHECK(dunlin_octets_free(octets) == DUNLIN_ALREADY_DELETED);
    OK(dunlin_octets_free(clone));

    OK(dunlin_name(world.topic, &block));
    same = block;
    OK(dunlin_block_free(&block));
    CHECK(dunlin_block_free(&same) == DUNLIN_PRECONDITION_NOT_MET);
    /* A sample outlives its reader. */
    OK(dunlin_close(other.participant));
    CHECK(((const uint8_t *)foreign.data)[4] == here.bird);
    OK(dunlin_give_back(other.reader, &foreign, 1));
    CHECK(dunlin_give_back(other.reader, &foreign, 1) == DUNLIN_ALREADY_DELETED);
    OK(dunlin_close(world.participant));
    CHECK(dunlin_close(world.participant) == DUNLIN_ALREADY_DELETED);
    nothing_left();
}

/* What a listener is to do when it is called, and what came of it. */
typedef struct Deed {
    World *world;
    int kind;
    int calls, released;
} Deed;

enum { CLOSE_READER, CLOSE_PARTICIPANT, REPLACE, WAIT, ANSWER, DEEDS };

static void release(void *context) {
    __atomic_add_fetch(&((Deed *)context)->released, 1, __ATOMIC_SEQ_CST);
}

static void act(void *context, dunlin_reader reader) {
    Deed *deed = context;
    dunlin_waitset waits;
    Position position;
    const int call = __atomic_add_fetch(&deed->calls, 1, __ATOMIC_SEQ_CST);
    switch (deed->kind) {
    case CLOSE_READER:
        OK(dunlin_close(reader));
        CHECK(dunlin_close(reader) == DUNLIN_ALREADY_DELETED);
        break;
    case CLOSE_PARTICIPANT: OK(dunlin_close(deed->world->participant)); break;
    case REPLACE: OK(dunlin_set_listener(reader, NULL)); break;
    case WAIT:
        OK(dunlin_waitset_new(&waits));
        CHECK(dunlin_waitset_wait(waits, 1000000, NULL, 0, NULL) == DUNLIN_TIMEOUT);
        OK(dunlin_close(waits));
        break;
    default:
        while (Position_take_next(reader, &position, NULL) == DUNLIN_OK) {}
        /* To itself. */
        if (call < 20) OK(Position_write(deed->world->writer, &here, NULL));
    }
}

/* Callbacks that end what they are called for, that wait, and that write to themselves. */
static void deeds(void) {
    int kind;
    for (kind = 0; kind < DEEDS; kind++) {
        World world;
        Deed deed;
        const dunlin_listener listener = {sizeof listener, DUNLIN_DATA_AVAILABLE, &deed, act, NULL, NULL, release};
        const int wanted = kind == ANSWER ? 20 : 1;
        int32_t written;
        memset(&deed, 0, sizeof deed);
        deed.world = &world;
        deed.kind = kind;
        open_world(&world, &listener);
        written = Position_write(world.writer, &here, NULL);
        CHECK(written == DUNLIN_OK || (kind == CLOSE_PARTICIPANT && written == DUNLIN_ALREADY_DELETED));
        while (__atomic_load_n(&deed.calls, __ATOMIC_SEQ_CST) < wanted) {}
        /* Closed within the callback it is closed, too. */
        CHECK(dunlin_close(world.participant) == (kind == CLOSE_PARTICIPANT ? DUNLIN_ALREADY_DELETED : DUNLIN_OK));
        while (__atomic_load_n(&deed.released, __ATOMIC_SEQ_CST) < 1) {}
        CHECK(deed.released == 1);
        nothing_left();
    }
}

/* Threads that use all of it while it is closed. */
typedef struct Crowd {
    World world;
    dunlin_waitset waits;
    dunlin_condition data;
} Crowd;

static void may_be_closed(int32_t code) {
    CHECK(code == DUNLIN_OK || code == DUNLIN_ALREADY_DELETED || code == DUNLIN_NO_DATA || code == DUNLIN_TIMEOUT
          || code == DUNLIN_PRECONDITION_NOT_MET);
}

static void *use(void *context) {
    Crowd *crowd = context;
    dunlin_sample samples[4];
    dunlin_block name;
    uint64_t count;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        may_be_closed(Position_write(crowd->world.writer, &here, NULL));
        if (dunlin_take(crowd->world.reader, NULL, samples, 4, &count) == DUNLIN_OK) {
            OK(dunlin_give_back(crowd->world.reader, samples, count));
        }
        may_be_closed(dunlin_waitset_wait(crowd->waits, 1000, NULL, 0, NULL));
        may_be_closed(dunlin_set_listener(crowd->world.reader, NULL));
        if (dunlin_name(crowd->world.topic, &name) == DUNLIN_OK) OK(dunlin_block_free(&name));
    }
    return NULL;
}

static void nothing(void *context, dunlin_reader reader) {
    (void)context;
    (void)reader;
}

static void crowd(void) {
    const dunlin_listener listener = {sizeof listener, DUNLIN_DATA_AVAILABLE, NULL, nothing, NULL, NULL, NULL};
    pthread_t threads[THREADS];
    Crowd all;
    dunlin_handle order[5];
    int at;
    open_world(&all.world, &listener);
    OK(dunlin_waitset_new(&all.waits));
    OK(dunlin_read_condition_new(all.world.reader, NULL, &all.data));
    OK(dunlin_waitset_attach(all.waits, all.data));
    for (at = 0; at < THREADS; at++) CHECK(pthread_create(&threads[at], NULL, use, &all) == 0);
    order[0] = all.data;
    order[1] = all.world.reader;
    order[2] = all.waits;
    order[3] = all.world.writer;
    order[4] = all.world.participant;
    for (at = 0; at < 5; at++) {
        may_be_closed(dunlin_close(order[at]));
        (void)sched_yield();
    }
    for (at = 0; at < THREADS; at++) CHECK(pthread_join(threads[at], NULL) == 0);
    nothing_left();
}

int main(void) {
    int round;
    given_back();
    deeds();
    for (round = 0; round < 4; round++) crowd();
    return 0;
}
