/* What the programs of this folder share: a participant, and checks that say where they failed. */
#ifndef CHECK_H
#define CHECK_H

#ifndef CHECK_TYPES
#define CHECK_TYPES "flock.h"
#endif
#include CHECK_TYPES
#include <stdio.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            dunlin_text why_; \
            dunlin_last_error(&why_); \
            fprintf(stderr, "%s, line %d: %s: %s\n", __FILE__, __LINE__, #condition, why_.data); \
            exit(1); \
        } \
    } while (0)
#define OK(call) CHECK((call) == DUNLIN_OK)

/* The last error is of this code and has these words. */
static inline void fails(int32_t code, int32_t expected, const char *words) {
    dunlin_text why;
    dunlin_last_error(&why);
    if (code != expected || strstr(why.data, words) == NULL) {
        fprintf(stderr, "%s instead of %s with \"%s\": %s\n", dunlin_retcode_name(code),
                dunlin_retcode_name(expected), words, why.data);
        exit(1);
    }
}

static dunlin_participant participant;
static dunlin_waitset waits;

/* A writer that keeps everything, in a representation. */
static inline dunlin_writer_qos writing(int32_t representation) {
    dunlin_writer_qos qos;
    OK(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    qos.representation = representation;
    return qos;
}

/* A reader that misses nothing. */
static inline dunlin_reader_qos reading(void) {
    dunlin_reader_qos qos;
    OK(dunlin_reader_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    qos.reliability = DUNLIN_RELIABLE;
    qos.representations = 1 << DUNLIN_XCDR1 | 1 << DUNLIN_XCDR2;
    return qos;
}

/* Waits until a reader has samples that nobody looked at. */
static inline void wait_for(dunlin_reader reader) {
    dunlin_condition data;
    dunlin_select unread;
    memset(&unread, 0, sizeof unread);
    unread.size = sizeof unread;
    unread.sample_states = DUNLIN_NOT_READ;
    OK(dunlin_read_condition_new(reader, &unread, &data));
    OK(dunlin_waitset_attach(waits, data));
    OK(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
    OK(dunlin_waitset_detach(waits, data));
    OK(dunlin_close(data));
}

static inline void begin(void) {
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    OK(dunlin_waitset_new(&waits));
}

/* Everything was given back. */
static inline void end(void) {
    uint64_t count = 1;
    dunlin_block what;
    OK(dunlin_close(waits));
    OK(dunlin_close(participant));
    OK(dunlin_leaks(&count, &what));
    if (count != 0) {
        fprintf(stderr, "left: %s\n", (const char *)what.data);
        exit(1);
    }
    OK(dunlin_block_free(&what));
}

#endif
