/* Prints the temperatures of the motor that are above a limit. */
#include "Reading.h"
#include <stdio.h>

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_filtered_topic hot;
    dunlin_reader reader;
    dunlin_reader_qos qos;
    dunlin_condition data;
    dunlin_waitset waits;
    const dunlin_text limit = dunlin_text_of("50");
    Reading reading = { NULL, 0 }; /* its text is memory that each sample uses again */
    int seen = 0;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Reading_topic(participant, "Readings", NULL, &topic));
    DUNLIN_TRY(dunlin_filtered_topic_new(topic, dunlin_text_of("Hot readings"),
                                         dunlin_text_of("sensor = 'motor' AND celsius > %0"), &limit,
                                         1, &hot));
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Reading_reader(participant, hot, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &data));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, data));
    while (seen < 3) {
        dunlin_sample_info info;
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
        while (Reading_take_next(reader, &reading, &info) == DUNLIN_OK) {
            if (!info.valid_data) continue;
            printf("%s: %g\n", reading.sensor, reading.celsius);
            seen++;
        }
    }
    Reading_free(&reading);
    DUNLIN_TRY(dunlin_close(waits));
    return dunlin_close(participant);
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
