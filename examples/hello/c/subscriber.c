/* Prints ten positions, as they come. */
#include "Position.h"
#include <stdio.h>

/* What the listener works with. */
typedef struct Watch {
    int printed;
    dunlin_condition is_done;
} Watch;

/* Called on the thread that received. */
static void on_data(void *context, dunlin_reader reader) {
    Watch *watch = context;
    Position position;
    dunlin_sample_info info;
    while (Position_take_next(reader, &position, &info) == DUNLIN_OK) {
        if (info.valid_data) {
            printf("%u %g %g\n", (unsigned)position.bird, position.x, position.y);
            if (++watch->printed == 10) dunlin_guard_set(watch->is_done, 1);
        }
    }
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_reader_qos qos;
    dunlin_waitset waits;
    Watch watch = { 0, 0 };
    const dunlin_listener listener = {
        .size = sizeof listener, .mask = DUNLIN_DATA_AVAILABLE, .context = &watch, .on_data = on_data
    };
    DUNLIN_TRY(dunlin_guard_new(&watch.is_done));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, watch.is_done));
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, "Positions", NULL, &topic));
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Position_reader(participant, topic, &qos, &listener, &reader));
    DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
    DUNLIN_TRY(dunlin_close(participant)); /* from here on the listener is not called any more */
    DUNLIN_TRY(dunlin_close(waits));
    return dunlin_close(watch.is_done);
}

int main(void) {
    const int32_t code = subscribe();
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %s\n", dunlin_retcode_name(code), why.data);
    }
    return code;
}
