/* What every interop peer shares: one command line, one output, one rule for payloads.
 *
 * A vendor supplies the operations below; peer_main drives them, so all peers behave alike and the
 * tests compare products, not test programs. `src/bin/dunlin_peer.rs` follows the same text. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_type { PEER_PLAIN, PEER_KEYED, PEER_BIG, PEER_APPENDABLE, PEER_MUTABLE };

enum peer_exit {
    PEER_OK = 0,
    PEER_FAILED = 1,      /* an operation of the vendor's library failed */
    PEER_TIMED_OUT = 2,   /* the last line says what is missing */
    PEER_CORRUPT = 3,     /* a sample's content is not what its number says */
    PEER_UNEXPECTED = 4,  /* e.g. a match where an incompatible QoS was expected */
    PEER_USAGE = 64,
    PEER_UNSUPPORTED = 69 /* the vendor cannot do what was asked */
};

struct peer_options {
    bool publisher;
    enum peer_type type;
    const char *topic;
    uint32_t domain;
    bool reliable;
    bool transient_local;
    int32_t depth; /* 0: keep all */
    int xcdr;      /* 1 or 2 */
    int32_t count;
    int32_t instances;
    uint32_t size; /* bytes of `data` */
    uint32_t period_us;
    uint32_t settle_ms; /* publisher: from its match to the first sample; the reader may match a little later */
    uint32_t deadline_ms;
    uint32_t lifespan_ms;      /* of the writer */
    uint32_t time_filter_ms;   /* of the reader */
    uint32_t take_delay_ms;    /* subscriber: from its match to the first take */
    int32_t strength;          /* -1: ownership is shared, else exclusive, with this strength of the writer */
    const char *partition;     /* NULL: none */
    const char *filter;        /* of the reader: which samples it wants; NULL: all */
    double timeout_s;
    int32_t wait_match;
    bool dispose;
    bool unregister;
    bool hold; /* after `done`, stay until standard input is closed */
    bool expect_incompatible;
    bool expect_nothing; /* neither a match nor a word about a policy, for a while */
    bool expect_deadline_missed; /* done when it is */
};

enum peer_state { PEER_ALIVE, PEER_DISPOSED, PEER_NO_WRITERS };

/* One sample as the peers see it; `name` is meant for `keyed` only. */
struct peer_sample {
    bool valid;
    enum peer_state state;
    int32_t seq;
    char name[65];
    const uint8_t *data;
    size_t size;
    bool fields_good; /* the members that only some types have follow their rule */
};

/* Taken samples are handed to this function; their memory stays the vendor's. */
typedef void peer_sink(void *context, const struct peer_sample *sample);

/* The vendor's side. Functions returning int: 0 is success, else an enum peer_exit after an `error` line. */
int vendor_open(const struct peer_options *options);
void vendor_close(void);
void vendor_matched(int32_t *current, int32_t *total);
void vendor_incompatible(int32_t *total, int32_t *policy_id);
void vendor_deadline_missed(int32_t *total);
int vendor_write(int32_t seq, const char *name, uint8_t *data, uint32_t size);
int vendor_dispose(const char *name);
int vendor_unregister(const char *name);
bool vendor_acknowledged(void);
int vendor_take(peer_sink *sink, void *context);

/* Prints `error <text>` and returns `code`. */
int peer_error(int code, const char *text);

/* The rules that make every member a function of the sample's number. */
uint8_t peer_byte(int32_t seq, size_t index);
int16_t peer_nested_a(int32_t seq);
int64_t peer_nested_b(int32_t seq);
double peer_value(int32_t seq);
uint32_t peer_numbers(int32_t seq);
int32_t peer_number(int32_t seq, uint32_t index);
void peer_label(int32_t seq, char label[32]);

#ifdef __cplusplus
}
#endif

#endif
