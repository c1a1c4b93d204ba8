/* Writes positions of two birds, one after the other, and disposes both. */
#include "Position.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    uint32_t bird;
    int step;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, "Positions", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Position_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (step = 0; step < 3; step++) {
        for (bird = 1; bird <= 2; bird++) {
            const Position position = { bird, step, bird };
            DUNLIN_TRY(Position_write(writer, &position, NULL));
        }
    }
    for (bird = 1; bird <= 2; bird++) {
        const Position key = { bird, 0, 0 }; /* only the key counts */
        DUNLIN_TRY(Position_dispose(writer, &key, NULL));
    }
    DUNLIN_TRY(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    return dunlin_close(participant);
}

int main(void) {
    const int32_t code = publish();
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %s\n", dunlin_retcode_name(code), why.data);
    }
    return code;
}
