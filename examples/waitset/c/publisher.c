/* Writes three numbers. */
#include "Count.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    Count count;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Count_topic(participant, "Counts", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Count_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (count.value = 1; count.value <= 3; count.value++) {
        DUNLIN_TRY(Count_write(writer, &count, NULL));
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
