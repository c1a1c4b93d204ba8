/* Prints ten positions. */
#include "position.h"
#include <stdio.h>

static void print(const dunlin_sample *sample) {
    Position position;
    if (sample->info.valid_data && Position_decode(&position, sample->data, sample->length)) {
        printf("%u %g\n", (unsigned)position.bird, (double)position.x);
    }
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_condition data;
    dunlin_waitset waits;
    dunlin_sample samples[4];
    int printed = 0;
    dunlin_reader_qos qos = { .size = sizeof qos, .kind = DUNLIN_QOS_READER };
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, &topic));
    DUNLIN_TRY(dunlin_qos_default((dunlin_qos *)&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(dunlin_reader_new(participant, topic, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &data));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, data));
    while (printed < 10) {
        uint64_t count = 0;
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20LL * DUNLIN_SECOND, NULL, 0, NULL));
        DUNLIN_TRY(dunlin_take(reader, NULL, samples, 4, &count));
        for (uint64_t i = 0; i < count; i++) {
            print(&samples[i]);
            printed += samples[i].info.valid_data;
        }
        DUNLIN_TRY(dunlin_give_back(reader, samples, count));
    }
    DUNLIN_TRY(dunlin_close(waits));
    return dunlin_close(participant);
}

int main(void) {
    const int32_t code = subscribe();
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %.*s\n", dunlin_retcode_name(code), (int)why.length, why.data);
    }
    return code;
}
