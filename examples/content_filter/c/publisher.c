/* Writes five temperatures. The writer does not send its reader those that it does not want. */
#include "Reading.h"
#include <stdio.h>

static int32_t publish(void) {
    static const double measured[] = { 20, 35.5, 60, 80.5, 100 };
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    char sensor[] = "motor";
    Reading reading = { sensor, 0 };
    size_t i;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Reading_topic(participant, "Readings", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Reading_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (i = 0; i < sizeof measured / sizeof *measured; i++) {
        reading.celsius = measured[i];
        DUNLIN_TRY(Reading_write(writer, &reading, NULL));
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
