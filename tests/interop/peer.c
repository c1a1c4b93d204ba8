#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_INSTANCES 64

static const char *const usage =
    "usage: peer pub|sub --topic NAME [--type plain|keyed|big|appendable|mutable] [--domain D]\n"
    "  [--reliability be|reliable] [--durability volatile|transient-local] [--history keep-last:N|keep-all]\n"
    "  [--xcdr 1|2] [--count N] [--instances N] [--size BYTES] [--period-us U] [--settle-ms M] [--deadline-ms M]\n"
    "  [--lifespan-ms M] [--time-filter-ms M] [--take-delay-ms M] [--strength N] [--partition NAME]\n"
    "  [--filter EXPRESSION]\n"
    "  [--timeout-s S] [--wait-match N] [--dispose] [--unregister] [--hold] [--expect-incompatible]\n"
    "  [--expect-nothing] [--expect-deadline-missed]\n";

/* ---- rules ---- */

uint8_t peer_byte(int32_t seq, size_t index) { return (uint8_t)((uint32_t)seq * 131u + index * 7u + index / 251u); }
int16_t peer_nested_a(int32_t seq) { return (int16_t)(-seq); }
int64_t peer_nested_b(int32_t seq) { return (int64_t)seq * 10000000019; }
double peer_value(int32_t seq) { return seq * 0.5; }
uint32_t peer_numbers(int32_t seq) { return (uint32_t)seq % 4u; }
int32_t peer_number(int32_t seq, uint32_t index) { return seq * 1000 - (int32_t)index; }
void peer_label(int32_t seq, char label[32]) { snprintf(label, 32, "label-%d", seq); }

/* Short enough for the serialized key to be as long as a key hash. */
static void instance_name(int32_t instance, char name[65]) { snprintf(name, 65, "bird-%d", instance); }

static uint64_t fnv1a(const uint8_t *data, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash;
}

/* ---- output and time ---- */

static void event(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

int peer_error(int code, const char *text) {
    event("error %s", text);
    return code;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_us(uint32_t us) {
    struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
    while (nanosleep(&t, &t) != 0 && errno == EINTR) {
    }
}

static const char *policy_name(int32_t id) {
    switch (id) {
    case 2: return "DURABILITY";
    case 4: return "DEADLINE";
    case 6: return "OWNERSHIP";
    case 8: return "LIVELINESS";
    case 11: return "RELIABILITY";
    case 12: return "DESTINATION_ORDER";
    case 23: return "DATA_REPRESENTATION";
    case 24: return "TYPE_CONSISTENCY";
    default: return "OTHER";
    }
}

/* ---- the run ---- */

struct run {
    const struct peer_options *options;
    double end;
    int32_t matched, matched_ever, incompatible, deadline_missed;
    int32_t received, disposed, no_writers;
    bool corrupt;
    char ended[MAX_INSTANCES][65]; /* instances seen disposed or without writers, each counted once */
    int32_t ended_count;
};

static void poll_status(struct run *run) {
    int32_t current = run->matched, total = run->matched_ever, incompatible = run->incompatible, policy = 0;
    vendor_matched(&current, &total);
    if (current != run->matched || total != run->matched_ever)
        event("matched %d", current);
    run->matched = current;
    run->matched_ever = total;
    vendor_incompatible(&incompatible, &policy);
    if (incompatible != run->incompatible)
        event("incompatible policy=%s", policy_name(policy));
    run->incompatible = incompatible;
    int32_t missed = run->deadline_missed;
    vendor_deadline_missed(&missed);
    if (missed > 0 && run->deadline_missed == 0)
        event("deadline missed");
    run->deadline_missed = missed;
}

typedef bool condition(struct run *run);

/* Polls until `met`, at most until the run's end; true if met. */
static bool wait_until(struct run *run, condition *met) {
    for (;;) {
        poll_status(run);
        if (met(run))
            return true;
        if (seconds_now() >= run->end)
            return false;
        sleep_us(1000);
    }
}

static bool enough_matched(struct run *run) { return run->matched >= run->options->wait_match; }
static bool deadline_missed(struct run *run) { return run->deadline_missed > 0; }
static bool incompatible_seen(struct run *run) { return run->incompatible > 0; }
static bool acknowledged(struct run *run) { return !run->options->reliable || vendor_acknowledged(); }

/* True once whoever started this peer has closed its standard input. */
static bool released(struct run *run) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    (void)run;
    return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static int timed_out(struct run *run, const char *what) {
    event("timeout waiting for %s: matched=%d of %d received=%d of %d disposed=%d no_writers=%d", what, run->matched,
          run->options->wait_match, run->received, run->options->count, run->disposed, run->no_writers);
    return PEER_TIMED_OUT;
}

static void stay(struct run *run, double seconds) {
    double end = seconds_now() + seconds;
    while (seconds_now() < end) {
        poll_status(run);
        sleep_us(1000);
    }
}

/* Long enough for two that suit each other to match. */
static int run_nothing(struct run *run) {
    stay(run, 1.5);
    if (run->matched_ever > 0 || run->incompatible > 0)
        return peer_error(PEER_UNEXPECTED, "there is somebody");
    event("done alone");
    return PEER_OK;
}

/* Stays a little after the event: a match, which would be wrong, may come late. */
static int run_incompatible(struct run *run) {
    if (!wait_until(run, incompatible_seen))
        return timed_out(run, "an incompatible QoS");
    stay(run, 0.3);
    if (run->matched_ever > 0)
        return peer_error(PEER_UNEXPECTED, "matched although the QoS is incompatible");
    event("done incompatible=%d", run->incompatible);
    return PEER_OK;
}

static int write_all(struct run *run) {
    const struct peer_options *o = run->options;
    uint8_t *data = malloc(o->size ? o->size : 1);
    int code = data ? PEER_OK : PEER_FAILED;
    for (int32_t seq = 1; code == PEER_OK && seq <= o->count; seq++) {
        char name[65];
        instance_name((seq - 1) % o->instances, name);
        for (uint32_t i = 0; i < o->size; i++)
            data[i] = peer_byte(seq, i);
        code = vendor_write(seq, name, data, o->size);
        if (o->period_us)
            sleep_us(o->period_us);
        poll_status(run);
        if (code == PEER_OK && seconds_now() >= run->end)
            code = timed_out(run, "room to write");
    }
    free(data);
    if (code == PEER_OK)
        event("written %d", o->count);
    return code;
}

static int end_instances(const struct peer_options *o) {
    int code = PEER_OK;
    char name[65];
    for (int32_t i = 0; code == PEER_OK && o->dispose && i < o->instances; i++) {
        instance_name(i, name);
        code = vendor_dispose(name);
    }
    for (int32_t i = 0; code == PEER_OK && o->unregister && i < o->instances; i++) {
        instance_name(i, name);
        code = vendor_unregister(name);
    }
    return code;
}

static int run_publisher(struct run *run) {
    const struct peer_options *o = run->options;
    if (!wait_until(run, enough_matched))
        return timed_out(run, "a match");
    sleep_us(o->settle_ms * 1000);
    int code = write_all(run);
    if (code == PEER_OK)
        code = end_instances(o);
    if (code != PEER_OK)
        return code;
    if (!wait_until(run, acknowledged))
        return timed_out(run, "acknowledgments");
    if (o->expect_deadline_missed && !wait_until(run, deadline_missed))
        return timed_out(run, "a missed deadline");
    event("done sent=%d", o->count);
    return PEER_OK;
}

static void count_ended(struct run *run, const struct peer_sample *sample) {
    for (int32_t i = 0; i < run->ended_count; i++)
        if (strcmp(run->ended[i], sample->name) == 0)
            return;
    if (run->ended_count == MAX_INSTANCES)
        return;
    memcpy(run->ended[run->ended_count++], sample->name, sizeof sample->name);
    if (sample->state == PEER_DISPOSED)
        run->disposed++;
    else
        run->no_writers++;
    event("instance key=%s state=%s", sample->name, sample->state == PEER_DISPOSED ? "disposed" : "no_writers");
}

static bool content_good(const struct peer_options *o, const struct peer_sample *sample) {
    char name[65] = "";
    if (o->type == PEER_KEYED)
        instance_name((sample->seq - 1) % o->instances, name);
    if (sample->size != o->size || !sample->fields_good || strcmp(name, sample->name) != 0)
        return false;
    for (size_t i = 0; i < sample->size; i++)
        if (sample->data[i] != peer_byte(sample->seq, i))
            return false;
    return true;
}

static void receive(void *context, const struct peer_sample *sample) {
    struct run *run = context;
    if (sample->valid) {
        bool good = content_good(run->options, sample);
        run->received++;
        run->corrupt |= !good;
        event("sample seq=%d size=%zu hash=%016llx key=%s state=alive content=%s", sample->seq, sample->size,
              (unsigned long long)fnv1a(sample->data, sample->size), sample->name[0] ? sample->name : "-",
              good ? "good" : "bad");
    }
    if (sample->state != PEER_ALIVE && run->options->type == PEER_KEYED)
        count_ended(run, sample);
}

static bool all_received(const struct run *run) {
    const struct peer_options *o = run->options;
    return run->received >= o->count && (!o->dispose || run->disposed >= o->instances) &&
           (!o->unregister || run->no_writers >= o->instances) && (!o->expect_deadline_missed || run->deadline_missed > 0);
}

static int run_subscriber(struct run *run) {
    if (!wait_until(run, enough_matched))
        return timed_out(run, "a match");
    sleep_us(run->options->take_delay_ms * 1000);
    while (!all_received(run)) {
        poll_status(run);
        int code = vendor_take(receive, run);
        if (code != PEER_OK)
            return code;
        if (seconds_now() >= run->end)
            return timed_out(run, "samples");
        sleep_us(1000);
    }
    event("done received=%d", run->received);
    return run->corrupt ? peer_error(PEER_CORRUPT, "content is not what the sequence number says") : PEER_OK;
}

/* ---- the command line ---- */

struct choice {
    const char *text;
    int value;
};

static bool choose(const char *option, const char *text, const struct choice *choices, int *value) {
    for (const struct choice *c = choices; c->text; c++)
        if (strcmp(c->text, text) == 0) {
            *value = c->value;
            return true;
        }
    fprintf(stderr, "%s: '%s' is none of", option, text);
    for (const struct choice *c = choices; c->text; c++)
        fprintf(stderr, " %s", c->text);
    fputc('\n', stderr);
    return false;
}

static bool number(const char *option, const char *text, long low, long high, long *value) {
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == 0 && *value >= low && *value <= high)
        return true;
    fprintf(stderr, "%s: '%s' is not a number from %ld to %ld\n", option, text, low, high);
    return false;
}

static bool set_flag(struct peer_options *o, const char *option) {
    if (strcmp(option, "--dispose") == 0)
        return o->dispose = true;
    if (strcmp(option, "--unregister") == 0)
        return o->unregister = true;
    if (strcmp(option, "--hold") == 0)
        return o->hold = true;
    if (strcmp(option, "--expect-incompatible") == 0)
        return o->expect_incompatible = true;
    if (strcmp(option, "--expect-nothing") == 0)
        return o->expect_nothing = true;
    if (strcmp(option, "--expect-deadline-missed") == 0)
        return o->expect_deadline_missed = true;
    return false;
}

static bool set_choice(struct peer_options *o, const char *option, const char *text, bool *known) {
    static const struct choice types[] = {{"plain", PEER_PLAIN},           {"keyed", PEER_KEYED},     {"big", PEER_BIG},
                                          {"appendable", PEER_APPENDABLE}, {"mutable", PEER_MUTABLE}, {0, 0}};
    static const struct choice reliabilities[] = {{"be", 0}, {"reliable", 1}, {0, 0}};
    static const struct choice durabilities[] = {{"volatile", 0}, {"transient-local", 1}, {0, 0}};
    int value = 0;
    bool good = false;
    *known = true;
    if (strcmp(option, "--type") == 0) {
        good = choose(option, text, types, &value);
        o->type = (enum peer_type)value;
    } else if (strcmp(option, "--reliability") == 0) {
        good = choose(option, text, reliabilities, &value);
        o->reliable = value;
    } else if (strcmp(option, "--durability") == 0) {
        good = choose(option, text, durabilities, &value);
        o->transient_local = value;
    } else {
        *known = false;
    }
    return good;
}

static bool set_number(struct peer_options *o, const char *option, const char *text) {
    long n = 0;
    bool good = true;
    if (strcmp(option, "--domain") == 0 && (good = number(option, text, 0, 232, &n)))
        o->domain = (uint32_t)n;
    else if (strcmp(option, "--xcdr") == 0 && (good = number(option, text, 1, 2, &n)))
        o->xcdr = (int)n;
    else if (strcmp(option, "--count") == 0 && (good = number(option, text, 0, 1000000, &n)))
        o->count = (int32_t)n;
    else if (strcmp(option, "--instances") == 0 && (good = number(option, text, 1, MAX_INSTANCES, &n)))
        o->instances = (int32_t)n;
    else if (strcmp(option, "--size") == 0 && (good = number(option, text, 0, 16 << 20, &n)))
        o->size = (uint32_t)n;
    else if (strcmp(option, "--period-us") == 0 && (good = number(option, text, 0, 10000000, &n)))
        o->period_us = (uint32_t)n;
    else if (strcmp(option, "--settle-ms") == 0 && (good = number(option, text, 0, 60000, &n)))
        o->settle_ms = (uint32_t)n;
    else if (strcmp(option, "--deadline-ms") == 0 && (good = number(option, text, 0, 3600000, &n)))
        o->deadline_ms = (uint32_t)n;
    else if (strcmp(option, "--lifespan-ms") == 0 && (good = number(option, text, 1, 3600000, &n)))
        o->lifespan_ms = (uint32_t)n;
    else if (strcmp(option, "--time-filter-ms") == 0 && (good = number(option, text, 1, 3600000, &n)))
        o->time_filter_ms = (uint32_t)n;
    else if (strcmp(option, "--take-delay-ms") == 0 && (good = number(option, text, 0, 60000, &n)))
        o->take_delay_ms = (uint32_t)n;
    else if (strcmp(option, "--strength") == 0 && (good = number(option, text, 0, 1000000, &n)))
        o->strength = (int32_t)n;
    else if (strcmp(option, "--timeout-s") == 0 && (good = number(option, text, 1, 600, &n)))
        o->timeout_s = (double)n;
    else if (strcmp(option, "--wait-match") == 0 && (good = number(option, text, 0, 100, &n)))
        o->wait_match = (int32_t)n;
    else if (strcmp(option, "--history") == 0 && strcmp(text, "keep-all") == 0)
        o->depth = 0;
    else if (strcmp(option, "--history") == 0 && strncmp(text, "keep-last:", 10) == 0 &&
             (good = number(option, text + 10, 1, 1000000, &n)))
        o->depth = (int32_t)n;
    else if (good) {
        fprintf(stderr, "%s %s: not understood\n%s", option, text, usage);
        good = false;
    }
    return good;
}

static bool parse(int argc, char **argv, struct peer_options *o) {
    static const struct choice roles[] = {{"pub", 1}, {"sub", 0}, {0, 0}};
    int publisher = 0;
    if (argc < 2 || !choose("role", argv[1], roles, &publisher)) {
        fputs(usage, stderr);
        return false;
    }
    o->publisher = publisher;
    for (int i = 2; i < argc; i++) {
        bool known = false;
        if (set_flag(o, argv[i]))
            continue;
        if (i + 1 == argc) {
            fprintf(stderr, "%s: not an option, or its value is missing\n%s", argv[i], usage);
            return false;
        }
        if (strcmp(argv[i], "--topic") == 0)
            o->topic = argv[i + 1];
        else if (strcmp(argv[i], "--partition") == 0)
            o->partition = argv[i + 1];
        else if (strcmp(argv[i], "--filter") == 0)
            o->filter = argv[i + 1];
        else if (!set_choice(o, argv[i], argv[i + 1], &known) && (known || !set_number(o, argv[i], argv[i + 1])))
            return false;
        i++;
    }
    if (!o->topic)
        fputs("--topic is missing\n", stderr);
    return o->topic != NULL;
}

int main(int argc, char **argv) {
    struct peer_options options = {
        .type = PEER_PLAIN, .depth = 1, .xcdr = 1, .count = 10, .instances = 1, .size = 32,
        .settle_ms = 200, .timeout_s = 10, .wait_match = 1, .strength = -1};
    /* A peer never outlives the test that started it, nor its own bound. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!parse(argc, argv, &options))
        return PEER_USAGE;
    alarm((unsigned)options.timeout_s + 10);
    struct run run = {.options = &options, .end = seconds_now() + options.timeout_s};
    int code = vendor_open(&options);
    if (code == PEER_OK) {
        event("ready");
        code = options.expect_incompatible ? run_incompatible(&run)
               : options.expect_nothing    ? run_nothing(&run)
               : options.publisher         ? run_publisher(&run)
                                           : run_subscriber(&run);
    }
    if (code == PEER_OK && options.hold && !wait_until(&run, released))
        code = timed_out(&run, "the end of standard input");
    vendor_close();
    return code;
}
