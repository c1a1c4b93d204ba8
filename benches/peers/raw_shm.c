/* The floor of shared memory: bare slots in a file of both processes, and nothing else.
 *
 * One in flight: a slot for each direction, a word that counts beside the bytes. The sender copies in from private memory, the receiver
 * copies out to private memory; with --zero-copy only the place of bytes that lie there already travels. The receiver
 * spins on the word, or sleeps on it in the kernel with --blocking.
 *
 * Streams: a ring of slots of the same kind, and a cursor by which the receiver gives them back. */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "/dev/shm/dunlin-bench-raw"
#define LINE 64u
/* Up to here one line less counts for more than copying whole lines. */
#define SMALL 8192u
/* Slots of a stream: as many as the queues of others have. */
#define QUEUE 64u
/* The receiver of a stream gives so many slots back at once. */
#define STRIDE 16u
/* Empty polls between two looks at the clock. */
#define POLLS 1024u

struct slot {
    _Atomic uint64_t word; /* samples that have been in it */
    unsigned char rest[];
};

static const struct peer_options *options;
static bool sends_first;          /* ping, send */
static size_t slot_length;        /* of the slot with its word, a multiple of LINE */
static size_t bytes_at;           /* in the rest of a slot: small samples begin beside the word, large ones with a line */
static unsigned char *memory, *private_bytes;
static _Atomic uint64_t *cursor;  /* samples that the receiver of a stream is done with */
static uint64_t sent, received, room;

/* -- the memory of both -- */

static bool streams(void) { return options->role == PEER_SEND || options->role == PEER_RECEIVE; }

static size_t slots(void) { return streams() ? QUEUE : 2; }

/* With --zero-copy the samples themselves lie behind the slots, one for each. */
static size_t memory_length(void) {
    return LINE + slots() * slot_length + (options->zero_copy ? slots() * (size_t)options->size : 0);
}

static struct slot *slot_at(size_t index) { return (struct slot *)(memory + LINE + index * slot_length); }

static unsigned char *sample_at(size_t index) {
    return memory + LINE + slots() * slot_length + index * (size_t)options->size;
}

static void map(int file) {
    memory = mmap(NULL, memory_length(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (memory == MAP_FAILED)
        peer_fail("mmap", errno);
    close(file);
    cursor = (_Atomic uint64_t *)memory;
}

/* It gets its name when it is ready, and loses it when the other side has it. */
static void make_memory(void) {
    const int file = open(FILE_NAME ".new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)memory_length()) != 0)
        peer_fail(FILE_NAME, errno);
    map(file);
    if (rename(FILE_NAME ".new", FILE_NAME) != 0)
        peer_fail(FILE_NAME, errno);
}

static bool find_memory(void) {
    const int file = open(FILE_NAME, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    unlink(FILE_NAME);
    map(file);
    return true;
}

static void *receive_for_ever(void *nothing) {
    for (;;)
        vendor_wait(1000);
    return nothing;
}

void vendor_open(const struct peer_options *o) {
    options = o;
    sends_first = o->role == PEER_PING || o->role == PEER_SEND;
    const size_t travels = o->zero_copy ? 2 * sizeof(uint64_t) : o->size;
    bytes_at = travels <= SMALL ? 0 : LINE - sizeof(struct slot);
    slot_length = (sizeof(struct slot) + bytes_at + travels + LINE - 1) / LINE * LINE;
    if (posix_memalign((void **)&private_bytes, LINE, o->size) != 0)
        peer_fail("memory", 1);
    memset(private_bytes, 1, o->size);
    if (sends_first)
        return;
    make_memory();
    pthread_t thread;
    /* Otherwise the main thread waits for data. */
    if (!o->waitset && pthread_create(&thread, NULL, receive_for_ever, NULL) != 0)
        peer_fail("thread", 1);
}

bool vendor_matched(void) { return !sends_first || memory || find_memory(); }

/* -- one sample -- */

static void wake(_Atomic uint64_t *word) {
    if (options->blocking)
        syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Until the word has changed, for so long at most. */
static void sleep_on(_Atomic uint64_t *word, uint64_t before, unsigned milliseconds) {
    const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000l};
    syscall(SYS_futex, word, FUTEX_WAIT, (uint32_t)before, &limit, NULL, 0);
}

/* The bytes before the word. */
static void put(struct slot *slot, size_t index, uint64_t seq) {
    if (options->zero_copy) {
        unsigned char *sample = sample_at(index);
        const uint64_t offset = (uint64_t)(sample - memory);
        memcpy(sample, &seq, sizeof seq);
        memcpy(slot->rest + bytes_at, &offset, sizeof offset);
    } else {
        memcpy(private_bytes, &seq, sizeof seq);
        memcpy(slot->rest + bytes_at, private_bytes, options->size);
    }
    const uint64_t before = atomic_load_explicit(&slot->word, memory_order_relaxed);
    atomic_store_explicit(&slot->word, before + 1, memory_order_release);
    wake(&slot->word);
}

static uint64_t take(const struct slot *slot) {
    uint64_t seq;
    if (options->zero_copy) {
        uint64_t offset;
        memcpy(&offset, slot->rest + bytes_at, sizeof offset);
        memcpy(&seq, memory + offset, sizeof seq);
    } else {
        memcpy(private_bytes, slot->rest + bytes_at, options->size);
        memcpy(&seq, private_bytes, sizeof seq);
    }
    return seq;
}

static uint64_t milliseconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void vendor_write(uint64_t seq) {
    size_t index = sends_first ? 0 : 1;
    if (streams()) {
        while (sent == room)
            room = atomic_load_explicit(cursor, memory_order_acquire) + QUEUE;
        index = sent++ % QUEUE;
    }
    put(slot_at(index), index, seq);
}

void vendor_echo(const void *sample) {
    uint64_t seq;
    memcpy(&seq, sample, sizeof seq);
    vendor_write(seq);
}

/* -- waiting -- */

void vendor_wait(unsigned milliseconds) {
    const uint64_t end = milliseconds_now() + milliseconds;
    for (;;) {
        const uint64_t turn = streams() ? received / QUEUE : received;
        struct slot *slot = slot_at(streams() ? received % QUEUE : sends_first ? 1 : 0);
        unsigned polls = 0;
        while (atomic_load_explicit(&slot->word, memory_order_acquire) == turn) {
            if (options->blocking)
                sleep_on(&slot->word, turn, milliseconds);
            if ((options->blocking || ++polls % POLLS == 0) && milliseconds_now() >= end)
                return;
        }
        const uint64_t seq = take(slot);
        received++;
        if (streams() && received % STRIDE == 0)
            atomic_store_explicit(cursor, received, memory_order_release);
        peer_received(seq, &seq);
    }
}

void vendor_finish(void) {
    while (streams() && atomic_load_explicit(cursor, memory_order_acquire) < sent / STRIDE * STRIDE) {
    }
}

void vendor_close(void) {}
