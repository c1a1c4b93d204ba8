/* A longjmp out of a callback is told by the next wait of the thread. */
#include "check.h"
#include <setjmp.h>
#include <unistd.h>

static jmp_buf before;

static void leave(void *context, dunlin_reader reader) {
    (void)context;
    (void)reader;
    longjmp(before, 1);
}

int main(void) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    dunlin_condition bell;
    const dunlin_reader_qos wanted = reading();
    const dunlin_listener listener = {
        sizeof listener, DUNLIN_DATA_AVAILABLE, NULL, leave, NULL, NULL, NULL};
    Flock_Plain plain;
    memset(&plain, 0, sizeof plain);
    begin();
    OK(dunlin_guard_new(&bell));
    OK(dunlin_guard_set(bell, 1));
    OK(dunlin_waitset_attach(waits, bell));
    OK(Flock_Plain_topic(participant, "Plains", NULL, &topic));
    OK(Flock_Plain_reader(participant, topic, &wanted, &listener, &reader));
    OK(Flock_Plain_writer(participant, topic, NULL, NULL, &writer));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    /* The listener is called in the thread that writes. */
    if (setjmp(before) == 0) {
        (void)Flock_Plain_write(writer, &plain, NULL);
        CHECK(!"the listener was not called");
    }
    fails(dunlin_waitset_wait(waits, 0, NULL, 0, NULL), DUNLIN_ERROR, "longjmp");
    /* Once. */
    OK(dunlin_waitset_wait(waits, 0, NULL, 0, NULL));
    /* What the call held is lost, so nothing is given back. */
    _exit(0);
}
