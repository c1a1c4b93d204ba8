/* Writes ten positions of one bird. */
#include "Position.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    Position here = { 7, 0, 0.5 };
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, "Positions", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL; /* else the next position may take the place of one not yet sent */
    DUNLIN_TRY(Position_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (here.x = 0; here.x < 10; here.x++) {
        DUNLIN_TRY(Position_write(writer, &here, NULL));
    }
    DUNLIN_TRY(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    return dunlin_close(participant); /* and all in it */
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
