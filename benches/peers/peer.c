/* The vendor-independent part of a peer: options, clocks, ping-pong, streaming, results. */
#include "peer.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
/* No peer lives longer than its measurement and this. */
#define BOUND 60
/* A ping without answer for so long is lost. */
#define PATIENCE (SECOND / 2)
/* Room for so many latencies a second, in runs of a second at least and of a quarter of a minute at most; what has no room is
 * not kept. */
#define LATENCIES_PER_SECOND 4000000.0
#define MOST_SECONDS 15.0

static struct peer_options options;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* What this process has spent so far. */
struct usage {
    uint64_t cpu; /* user and system time, nanoseconds */
    uint64_t switches, faults;
};

static struct usage usage_now(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (struct usage){
        .cpu = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SECOND +
               (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000,
        .switches = (uint64_t)(u.ru_nvcsw + u.ru_nivcsw),
        .faults = (uint64_t)(u.ru_minflt + u.ru_majflt),
    };
}

static struct usage usage_since(struct usage then) {
    const struct usage u = usage_now();
    return (struct usage){u.cpu - then.cpu, u.switches - then.switches, u.faults - then.faults};
}

#define USAGE_WORDS "cpu_ns=%lu switches=%lu faults=%lu"
#define USAGE(u) (u).cpu, (u).switches, (u).faults

static void nap(unsigned microseconds) {
    struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000l};
    nanosleep(&t, NULL);
}

static uint64_t of_seconds(double seconds) { return (uint64_t)(seconds * 1e9); }

void peer_fail(const char *what, int code) {
    fprintf(stderr, "%s: %d\n", what, code);
    _exit(1);
}

bool peer_writes(const struct peer_options *o, const char **topic) {
    *topic = o->role == PEER_SEND   ? PEER_STREAM_TOPIC
             : o->role == PEER_PONG ? PEER_PONG_TOPIC
                                    : PEER_PING_TOPIC;
    return o->role != PEER_RECEIVE;
}

bool peer_reads(const struct peer_options *o, const char **topic) {
    *topic = o->role == PEER_RECEIVE ? PEER_STREAM_TOPIC
             : o->role == PEER_PONG  ? PEER_PING_TOPIC
                                     : PEER_PONG_TOPIC;
    return o->role != PEER_SEND;
}

bool peer_keeps_all(const struct peer_options *o) { return o->role == PEER_SEND || o->role == PEER_RECEIVE; }

/* -- ping -- */

static struct {
    pthread_mutex_t lock; /* the listener against the main thread that repeats a lost ping; nobody's if that one receives */
    uint64_t expected, sent_at, start, end, lost, late, warm_up;
    struct usage before, spent;
    uint32_t *latencies;
    size_t count, room;
    bool done;
} ping = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void take_turn(void) {
    if (!options.waitset)
        pthread_mutex_lock(&ping.lock);
}

static void end_turn(void) {
    if (!options.waitset)
        pthread_mutex_unlock(&ping.lock);
}

/* In one's turn. */
static void send_ping(void) {
    ping.expected++;
    ping.sent_at = now();
    vendor_write(ping.expected);
}

static void record(uint64_t arrived) {
    const uint64_t latency = (arrived - ping.sent_at) / 2;
    if (arrived < ping.start) {
        ping.warm_up++;
        return;
    }
    if (ping.count == ping.room)
        return;
    if (ping.count == 0)
        ping.before = usage_now();
    ping.latencies[ping.count++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
}

static void ping_received(uint64_t seq) {
    const uint64_t arrived = now();
    take_turn();
    if (seq != ping.expected || ping.done) {
        ping.late++;
    } else {
        record(arrived);
        if (arrived >= ping.end) {
            ping.spent = usage_since(ping.before);
            __atomic_store_n(&ping.done, true, __ATOMIC_RELEASE);
        } else {
            send_ping();
        }
    }
    end_turn();
}

static void repeat_lost(void) {
    take_turn();
    if (!ping.done && now() - ping.sent_at > PATIENCE) {
        ping.lost++;
        send_ping();
    }
    end_turn();
}

static void write_latencies(void) {
    FILE *file = fopen(options.out, "wb");
    if (!file || fwrite(ping.latencies, sizeof *ping.latencies, ping.count, file) != ping.count || fclose(file) != 0)
        peer_fail(options.out, 1);
}

static void run_ping(void) {
    const double seconds = options.seconds < 1 ? 1 : options.seconds > MOST_SECONDS ? MOST_SECONDS : options.seconds;
    ping.room = (size_t)(seconds * LATENCIES_PER_SECOND);
    ping.latencies = malloc(ping.room * sizeof *ping.latencies);
    if (!ping.latencies)
        peer_fail("memory", 1);
    memset(ping.latencies, 1, ping.room * sizeof *ping.latencies);
    nap(100000); /* the other side may still be about to match */
    ping.start = now() + of_seconds(options.warm_up);
    ping.end = ping.start + of_seconds(options.seconds);
    take_turn();
    send_ping();
    end_turn();
    while (!__atomic_load_n(&ping.done, __ATOMIC_ACQUIRE)) {
        if (options.waitset)
            vendor_wait(20);
        else
            nap(20000);
        repeat_lost();
        if (now() > ping.end + 10 * SECOND)
            peer_fail("no pong since long ago", 1);
    }
    write_latencies();
    printf("samples=%zu lost=%lu late=%lu warm_up=%lu " USAGE_WORDS "\n", ping.count, ping.lost, ping.late,
           ping.warm_up, USAGE(ping.spent));
}

/* -- pong, match -- */

static uint64_t received, first, next, gaps;

/* True once the one who started this process has closed its standard input. */
static bool closed(int milliseconds) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, milliseconds) > 0;
}

static void *wait_for_close(void *flag) {
    while (!closed(1000)) {
    }
    __atomic_store_n((bool *)flag, true, __ATOMIC_RELEASE);
    return NULL;
}

static void run_pong(void) {
    const struct usage before = usage_now();
    if (options.waitset) {
        static bool over;
        pthread_t thread;
        pthread_create(&thread, NULL, wait_for_close, &over);
        while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
            vendor_wait(100);
    } else {
        while (!closed(1000)) {
        }
    }
    const struct usage spent = usage_since(before);
    printf("samples=%lu " USAGE_WORDS "\n", received, USAGE(spent));
}

/* -- send, receive -- */

static void run_send(void) {
    nap(200000); /* the other side may still be about to match */
    const uint64_t begin = now();
    const struct usage before = usage_now();
    const uint64_t end = begin + of_seconds(options.warm_up + options.seconds + 0.2);
    /* So many samples between two looks at the clock. */
    const uint64_t stride = options.size > 8192 ? 1 : 64;
    uint64_t sent = 0;
    while (now() < end)
        for (uint64_t i = 0; i < stride; i++)
            vendor_write(sent++);
    const uint64_t took = now() - begin;
    const struct usage spent = usage_since(before);
    vendor_finish();
    printf("samples=%lu ns=%lu " USAGE_WORDS "\n", sent, took, USAGE(spent));
}

static uint64_t count_now(void) { return __atomic_load_n(&received, __ATOMIC_ACQUIRE); }

static void run_receive(void) {
    const uint64_t patience = now() + 20 * SECOND;
    while (count_now() == 0 && now() < patience)
        nap(1000);
    nap((unsigned)(options.warm_up * 1e6));
    const uint64_t begin = now(), from = count_now();
    const struct usage usage = usage_now();
    nap((unsigned)(options.seconds * 1e6));
    const uint64_t took = now() - begin, counted = count_now() - from;
    const struct usage spent = usage_since(usage);
    uint64_t before;
    do {
        before = count_now();
        nap(300000);
    } while (count_now() != before);
    printf("samples=%lu ns=%lu " USAGE_WORDS " total=%lu first=%lu gaps=%lu\n", counted, took, USAGE(spent), before, first,
           gaps);
}

/* Only one thread of the vendor's receives. */
void peer_received(uint64_t seq, const void *sample) {
    switch (options.role) {
    case PEER_PING: ping_received(seq); return;
    case PEER_PONG: vendor_echo(sample); break;
    default:
        if (received == 0)
            first = next = seq;
        gaps += seq != next;
        next = seq + 1;
    }
    __atomic_store_n(&received, received + 1, __ATOMIC_RELEASE);
}

/* -- start -- */

static void wait_for_match(void) {
    const uint64_t patience = now() + 20 * SECOND;
    while (!vendor_matched()) {
        if (now() > patience)
            peer_fail("nobody matched", 1);
        nap(100);
    }
}

static bool parse(int argc, char **argv) {
    static const char *const roles[] = {"ping", "pong", "send", "receive", "match"};
    options = (struct peer_options){.size = 32, .readers = 1, .seconds = 1, .warm_up = 0.2, .out = "/dev/null"};
    if (argc < 2)
        return false;
    unsigned role = 0;
    while (role < 5 && strcmp(argv[1], roles[role]) != 0)
        role++;
    options.role = (enum peer_role)role;
    for (int i = 2; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--reliable") == 0)
            options.reliable = true;
        else if (strcmp(argv[i], "--waitset") == 0)
            options.waitset = true;
        else if (strcmp(argv[i], "--blocking") == 0)
            options.blocking = true;
        else if (strcmp(argv[i], "--zero-copy") == 0)
            options.zero_copy = true;
        else if (strcmp(argv[i], "--batch") == 0)
            options.batch = true;
        else if (!value)
            return false;
        else if (strcmp(argv[i], "--size") == 0)
            options.size = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--readers") == 0)
            options.readers = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            options.seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--warm-up") == 0)
            options.warm_up = atof(argv[++i]);
        else if (strcmp(argv[i], "--out") == 0)
            options.out = argv[++i];
        else
            return false;
    }
    return role < 5 && options.size >= PEER_OVERHEAD;
}

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!parse(argc, argv)) {
        fputs("usage: ping|pong|send|receive|match [--size N] [--reliable] [--waitset] [--blocking] [--zero-copy] "
              "[--batch] [--readers N] [--seconds S] [--warm-up S] [--out FILE]\n", stderr);
        return 64;
    }
    alarm((unsigned)(options.seconds + options.warm_up) + BOUND);
    vendor_open(&options);
    wait_for_match();
    switch (options.role) {
    case PEER_PING: run_ping(); break;
    case PEER_PONG: run_pong(); break;
    case PEER_SEND: run_send(); break;
    case PEER_RECEIVE: run_receive(); break;
    case PEER_MATCH:
        printf("matched_at=%lu\n", now());
        fflush(stdout);
        while (!closed(1000)) {
        }
        vendor_close();
    }
    fflush(stdout);
    /* Not through the vendor's clean-up: the other side has what it needs. */
    _exit(0);
}
