/*
 * many PARTICIPANTS ENDPOINTS: so many participants with one of everything, then so many writers and readers, one after the
 * other. Nothing is left, and the second half takes no more memory than the first.
 */
#include "Position.h"
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

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

static long descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    long count = 0;
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

/* Bytes in memory. */
static long resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long all, pages;
    CHECK(file != NULL && fscanf(file, "%ld %ld", &all, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void on_data(void *context, dunlin_reader reader) {
    (void)context;
    (void)reader;
}

static void released(void *context) {
    ++*(long *)context;
}

/* One of everything within a participant. */
static void entities(dunlin_participant participant, dunlin_topic topic, long *releases) {
    const dunlin_listener listener = { sizeof listener, DUNLIN_DATA_AVAILABLE, releases, on_data, NULL, NULL, released };
    dunlin_publisher publisher;
    dunlin_subscriber subscriber;
    dunlin_writer writer;
    dunlin_reader reader;
    dunlin_condition data, status;
    dunlin_waitset waits;
    dunlin_loan loan;
    OK(dunlin_publisher_new(participant, NULL, NULL, &publisher));
    OK(dunlin_subscriber_new(participant, NULL, NULL, &subscriber));
    OK(Position_writer(publisher, topic, NULL, NULL, &writer));
    OK(Position_reader(subscriber, topic, NULL, &listener, &reader));
    OK(dunlin_read_condition_new(reader, NULL, &data));
    OK(dunlin_status_condition(writer, &status));
    OK(dunlin_waitset_new(&waits));
    OK(dunlin_waitset_attach(waits, data));
    OK(dunlin_waitset_attach(waits, status));
    OK(dunlin_loan_new(writer, 24, 0, &loan));
    OK(dunlin_close(waits));
    OK(dunlin_close(publisher));
    OK(dunlin_close(subscriber));
}

/* What is left of all that was made, in the halves of so many rounds. */
typedef struct Halves {
    long count, memory, files;
} Halves;

static void round_of(Halves *halves, long round) {
    if (round == halves->count / 2) {
        halves->memory = resident();
        halves->files = descriptors();
    }
}

static void nothing_left(const Halves *halves, const char *what) {
    const long grown = resident() - halves->memory;
    printf("%ld %s: the second half took %ld KiB more, and %ld descriptors\n", halves->count, what, grown / 1024,
           descriptors() - halves->files);
    CHECK(grown < 1 << 20 && descriptors() <= halves->files);
}

int main(int argc, char **argv) {
    Halves participants = { 0, 0, 0 }, endpoints = { 0, 0, 0 };
    dunlin_participant participant;
    dunlin_topic topic;
    long round, releases = 0;
    uint64_t count;
    CHECK(argc == 3);
    participants.count = atol(argv[1]);
    endpoints.count = atol(argv[2]);
    for (round = 0; round < participants.count; round++) {
        OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
        OK(Position_topic(participant, "Positions", NULL, &topic));
        entities(participant, topic, &releases);
        OK(dunlin_close(participant));
        round_of(&participants, round);
    }
    nothing_left(&participants, "participants");
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    OK(Position_topic(participant, "Positions", NULL, &topic));
    for (round = 0; round < endpoints.count; round++) {
        dunlin_writer writer;
        dunlin_reader reader;
        OK(Position_writer(participant, topic, NULL, NULL, &writer));
        OK(Position_reader(participant, topic, NULL, NULL, &reader));
        OK(dunlin_close(writer));
        OK(dunlin_close(reader));
        round_of(&endpoints, round);
    }
    nothing_left(&endpoints, "writers and readers");
    OK(dunlin_close(participant));
    CHECK(releases == participants.count);
    OK(dunlin_leaks(&count, NULL));
    CHECK(count == 0);
    return 0;
}
