/* Functions of the program that the library calls at the ends of threads, for the log, and when a condition is true. */
#define _GNU_SOURCE
#include "Position.h"
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

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

static int begun, ended, lines, found;
static sem_t woken;

static void begin(void *context) {
    CHECK(context == &begun);
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
}

static void end(void *context) {
    CHECK(context == &begun);
    __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static void hear(void *context, uint32_t level, dunlin_text line) {
    CHECK(context == &lines && level >= DUNLIN_LOG_ERROR && level <= DUNLIN_LOG_DEBUG && line.length > 0);
    CHECK(memchr(line.data, '\n', line.length) == NULL);
    __atomic_add_fetch(&lines, 1, __ATOMIC_SEQ_CST);
    if (memmem(line.data, line.length, "participant found", 17) != NULL) __atomic_store_n(&found, 1, __ATOMIC_SEQ_CST);
}

static void wake(void *context) {
    CHECK(context == &woken);
    sem_post(&woken);
}

static int is_woken(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    return sem_timedwait(&woken, &until) == 0;
}

static void conditions(dunlin_participant participant) {
    const Position position = {7, 1, 2};
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    dunlin_condition data, guard;
    dunlin_reader_qos qos;
    Position taken;
    OK(Position_topic(participant, "Positions", NULL, &topic));
    OK(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    OK(Position_reader(participant, topic, &qos, NULL, &reader));
    OK(Position_writer(participant, topic, NULL, NULL, &writer));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    OK(dunlin_read_condition_new(reader, NULL, &data));
    /* It becomes true. It may be called early, too. */
    CHECK(dunlin_condition_wake_once(data, NULL, NULL) == DUNLIN_BAD_PARAMETER);
    OK(dunlin_condition_wake_once(data, wake, &woken));
    OK(Position_write(writer, &position, NULL));
    CHECK(is_woken());
    while (Position_read_next(reader, &taken, NULL) != DUNLIN_OK) {
        OK(dunlin_condition_wake_once(data, wake, &woken));
        CHECK(is_woken());
    }
    /* It is true already. */
    OK(dunlin_condition_wake_once(data, wake, &woken));
    CHECK(sem_trywait(&woken) == 0);
    /* It is closed. */
    OK(dunlin_guard_new(&guard));
    OK(dunlin_condition_wake_once(guard, wake, &woken));
    OK(dunlin_condition_wake_once(guard, wake, &woken));
    CHECK(sem_trywait(&woken) != 0);
    OK(dunlin_close(guard));
    CHECK(sem_trywait(&woken) == 0 && sem_trywait(&woken) == 0 && sem_trywait(&woken) != 0);
    /* It is set. */
    OK(dunlin_guard_new(&guard));
    OK(dunlin_condition_wake_once(guard, wake, &woken));
    OK(dunlin_guard_set(guard, 1));
    CHECK(sem_trywait(&woken) == 0 && sem_trywait(&woken) != 0);
    OK(dunlin_close(guard));
}

int main(void) {
    dunlin_participant participant, other;
    uint64_t count;
    int told;
    CHECK(sem_init(&woken, 0, 0) == 0);
    OK(dunlin_set_thread_hooks(begin, end, &begun));
    CHECK(dunlin_set_log(9, hear, &lines) == DUNLIN_BAD_PARAMETER);
    OK(dunlin_set_log(DUNLIN_LOG_DEBUG, hear, &lines));
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    OK(dunlin_participant_new(0, NULL, NULL, NULL, &other));
    conditions(participant);
    /* Both participants find each other. */
    while (!__atomic_load_n(&found, __ATOMIC_SEQ_CST)) OK(dunlin_set_log(DUNLIN_LOG_DEBUG, hear, &lines));
    OK(dunlin_set_log(DUNLIN_LOG_NONE, NULL, NULL));
    told = lines;
    OK(dunlin_close(participant));
    OK(dunlin_close(other));
    CHECK(told > 0 && lines == told);
    OK(dunlin_set_thread_hooks(NULL, NULL, NULL));
    CHECK(begun >= 6);
    while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < begun) OK(dunlin_leaks(&count, NULL));
    OK(dunlin_leaks(&count, NULL));
    CHECK(count == 0);
    return 0;
}
