/*
 * Writing, waiting and taking allocate nothing once strings and sequences have their sizes: `malloc`
 * and its kin are counted, those of the library, too.
 */
#include "check.h"
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static uint64_t allocations;

void *malloc(size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(memory, size);
}

/* So few in a count that some count sees no announcement. */
#define ROUNDS 300
#define COUNTS 20

static dunlin_writer writer;
static dunlin_reader reader;

static void round_trips(const Flock_Bird *sent, Flock_Bird_batch *batch) {
    int i;
    for (i = 0; i < ROUNDS; i++) {
        OK(Flock_Bird_write(writer, sent, NULL));
        OK(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
        OK(Flock_Bird_take(reader, NULL, batch));
        CHECK(batch->count == 1 && strcmp(batch->data[0].song, sent->song) == 0);
    }
}

int main(void) {
    dunlin_topic topic;
    dunlin_condition data;
    const dunlin_writer_qos kept = writing(DUNLIN_XCDR2);
    const dunlin_reader_qos wanted = reading();
    Flock_Bird_batch batch = {0};
    Flock_Point points[20] = {{0}}, nest = {1, 2};
    char song[] = "a long song of a bird";
    Flock_Bird sent;
    uint64_t least = UINT64_MAX;
    int count;
    memset(&sent, 0, sizeof sent);
    strcpy(sent.ring, "r1");
    sent.song = song;
    sent.path._buffer = points;
    sent.path._length = 20;
    sent.nest = &nest;
    begin();
    OK(Flock_Bird_topic(participant, "Birds", NULL, &topic));
    OK(Flock_Bird_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Bird_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_read_condition_new(reader, NULL, &data));
    OK(dunlin_waitset_attach(waits, data));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    round_trips(&sent, &batch);
    for (count = 0; count < COUNTS && least > 0; count++) {
        const uint64_t before = __atomic_load_n(&allocations, __ATOMIC_RELAXED);
        round_trips(&sent, &batch);
        if (allocations - before < least) least = allocations - before;
    }
    Flock_Bird_batch_free(&batch);
    end();
    printf("%lu\n", (unsigned long)least);
    return 0;
}
