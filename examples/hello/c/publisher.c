/* Writes ten positions of one bird, and waits until the readers have them. */
#include "position.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos = { .size = sizeof qos, .kind = DUNLIN_QOS_WRITER };
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, &topic));
    DUNLIN_TRY(dunlin_qos_default((dunlin_qos *)&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(dunlin_writer_new(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20LL * DUNLIN_SECOND));
    for (int i = 0; i < 10; i++) {
        const Position position = { 7, (float)i };
        uint8_t payload[POSITION_PAYLOAD];
        Position_encode(&position, payload);
        DUNLIN_TRY(dunlin_write(writer, payload, sizeof payload, NULL));
    }
    DUNLIN_TRY(dunlin_writer_wait_for_acknowledgments(writer, 20LL * DUNLIN_SECOND));
    return dunlin_close(participant); /* and all in it */
}

int main(void) {
    const int32_t code = publish();
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %.*s\n", dunlin_retcode_name(code), (int)why.length, why.data);
    }
    return code;
}
