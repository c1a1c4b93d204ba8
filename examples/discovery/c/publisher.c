/* Has a writer that does not suit every reader, until one matches. */
#include "Temperature.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Temperature_topic(participant, "Temperatures", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.reliability = DUNLIN_BEST_EFFORT;
    DUNLIN_TRY(Temperature_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
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
