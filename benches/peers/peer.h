/* A peer of the benchmark, written once; a vendor fills in the functions below.
 *
 * Roles: `ping` and `pong` throw one sample back and forth; `send` and `receive` stream; `match` waits until both of its
 * endpoints are matched and says when. Results are `name=value` words on one line of stdout. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_role { PEER_PING, PEER_PONG, PEER_SEND, PEER_RECEIVE, PEER_MATCH };

struct peer_options {
    enum peer_role role;
    uint32_t size;      /* of a serialized sample, bytes */
    bool reliable;
    bool waitset;       /* the main thread waits for data; otherwise a listener gets it */
    bool blocking;      /* raw: sleep in the kernel instead of spinning */
    bool zero_copy;     /* raw: samples stay where they lie */
    bool batch;         /* many samples in a datagram, where the vendor can */
    unsigned readers;   /* that a writer waits for */
    double seconds, warm_up;
    const char *out;    /* ping: the file for all latencies, nanoseconds, 32-bit little endian each */
};

/* Bytes of a serialized sample that are not payload. */
#define PEER_OVERHEAD 12u

#define PEER_PING_TOPIC "BenchPing"
#define PEER_PONG_TOPIC "BenchPong"
#define PEER_STREAM_TOPIC "BenchStream"

/* Whether a role writes, whether it reads, and on which topics. */
bool peer_writes(const struct peer_options *o, const char **topic);
bool peer_reads(const struct peer_options *o, const char **topic);

/* Streams keep all samples; one in flight needs no more than the last one. */
bool peer_keeps_all(const struct peer_options *o);

/* To be called by the vendor for each sample received; `sample` goes to vendor_echo. */
void peer_received(uint64_t seq, const void *sample);

/* Ends the program with a reason. */
void peer_fail(const char *what, int code);

/* By the vendor. */
void vendor_open(const struct peer_options *o);
bool vendor_matched(void);
void vendor_write(uint64_t seq);
void vendor_echo(const void *sample);
void vendor_wait(unsigned milliseconds); /* for data, in the main thread; calls peer_received */
void vendor_close(void);                 /* leaves the domain with a goodbye */
void vendor_finish(void);                /* flushes, and waits for acknowledgements if reliable */

#ifdef __cplusplus
}
#endif
#endif
