/* Prints where two birds are, bird by bird, until both are gone. */
#include "Position.h"
#include <stdio.h>

/* Prints a batch; returns how many birds are gone. */
static int print(const Position_batch *batch) {
    int gone = 0;
    uint64_t i;
    for (i = 0; i < batch->count; i++) {
        const Position *position = &batch->data[i];
        const dunlin_sample_info *info = &batch->samples[i].info;
        if (info->valid_data) {
            printf("bird %u: %g %g\n", (unsigned)position->bird, position->x, position->y);
        } else if (info->instance_state == DUNLIN_NOT_ALIVE_DISPOSED) {
            printf("bird %u is gone\n", (unsigned)position->bird); /* it has a key, and nothing else */
            gone++;
        }
    }
    return gone;
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_reader_qos qos;
    dunlin_condition changes;
    dunlin_waitset waits;
    Position_batch batch = { 0 };
    Position key = { 1, 0, 0 };
    dunlin_select select = { .size = sizeof select, .which = DUNLIN_THIS_INSTANCE };
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Position_topic(participant, "Positions", NULL, &topic));
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Position_reader(participant, topic, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &changes));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, changes));
    while (key.bird <= 2) {
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
        /* The samples of one bird; those of others stay in the reader. */
        if (Position_lookup(reader, &key, select.instance) == DUNLIN_OK
            && Position_take(reader, &select, &batch) == DUNLIN_OK) {
            key.bird += print(&batch);
        }
    }
    Position_batch_free(&batch);
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
