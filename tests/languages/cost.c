/*
 * cost CALL COUNT: makes one call of the C interface so many times, in a process with one participant. scripts/abi-cost.sh
 * counts the instructions of it.
 */
#include "Position.h"
#include <stdio.h>

#define OK(call) \
    do { \
        if ((call) != DUNLIN_OK) { \
            dunlin_text why_; \
            (void)dunlin_last_error(&why_); \
            fprintf(stderr, "line %d: %s\n", __LINE__, why_.data); \
            exit(1); \
        } \
    } while (0)

static dunlin_participant participant;
static dunlin_topic topic;
static dunlin_writer writer;
static dunlin_reader reader;
static const uint8_t payload[28] = {0, 1, 0, 0, 7};
static unsigned long heard;

/* A handle is found, and let go. */
static void handle(unsigned long count) {
    uint64_t attachment;
    while (count-- > 0) OK(dunlin_attachment(writer, &attachment));
}

/* A sample that nobody reads. */
static void write_one(unsigned long count) {
    while (count-- > 0) OK(dunlin_write(writer, payload, sizeof payload, NULL));
}

static void on_data(void *context, dunlin_reader of) {
    (void)context;
    (void)of;
    heard++;
}

/* A sample that a reader of this process gets, whose listener is called. */
static void listen(unsigned long count) {
    const dunlin_listener listener = {sizeof listener, DUNLIN_DATA_AVAILABLE, NULL, on_data, NULL, NULL, NULL};
    OK(dunlin_set_listener(reader, &listener));
    while (count-- > 0) OK(dunlin_write(writer, payload, sizeof payload, NULL));
}

/* The same, and it is taken and given back by the next call. */
static void take(unsigned long count, uint32_t flags) {
    dunlin_sample sample;
    dunlin_select select;
    uint64_t taken;
    memset(&sample, 0, sizeof sample);
    memset(&select, 0, sizeof select);
    select.size = sizeof select;
    select.flags = DUNLIN_GIVE_BACK_FIRST | flags;
    while (count-- > 0) {
        OK(dunlin_write(writer, payload, sizeof payload, NULL));
        OK(dunlin_take(reader, &select, &sample, 1, &taken));
    }
    OK(dunlin_give_back(reader, &sample, 1));
}

/* The same, of which nothing is to be given back. */
static void next(unsigned long count) {
    uint8_t room[64];
    dunlin_sample sample;
    while (count-- > 0) {
        OK(dunlin_write(writer, payload, sizeof payload, NULL));
        OK(dunlin_take_next(reader, NULL, room, sizeof room, &sample));
    }
}

int main(int argc, char **argv) {
    const char *what = argc == 3 ? argv[1] : "";
    const unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    OK(Position_topic(participant, "Positions", NULL, &topic));
    OK(Position_writer(participant, topic, NULL, NULL, &writer));
    if (strcmp(what, "handle") == 0) {
        handle(count);
    } else if (strcmp(what, "write") == 0) {
        write_one(count);
    } else {
        OK(Position_reader(participant, topic, NULL, NULL, &reader));
        OK(dunlin_writer_wait_for_matched(writer, 1, 60 * DUNLIN_SECOND));
        if (strcmp(what, "listen") == 0) {
            listen(count);
            if (heard == 0) return 1;
        } else if (strcmp(what, "next") == 0) {
            next(count);
        } else {
            take(count, strcmp(what, "decode") == 0 ? DUNLIN_DECODES : 0);
        }
    }
    return dunlin_close(participant);
}
