/* Looks at the writers of others, and at what keeps a reader from one of them. */
#include "Temperature.h"
#include <stdio.h>

/* RELIABILITY by the number that DDS 1.4 gives it. */
#define RELIABILITY_POLICY 11

static dunlin_waitset waits;

/* Waits until a condition is true. */
static int32_t wait_for(dunlin_condition condition) {
    DUNLIN_TRY(dunlin_waitset_attach(waits, condition));
    DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
    return dunlin_waitset_detach(waits, condition);
}

/* Takes what is new of the writers of others. What `data` tells lies in the block. */
static int32_t next(dunlin_reader writers, dunlin_condition news, dunlin_builtin_data *data,
                    dunlin_block *block, bool *is_there) {
    dunlin_sample sample;
    uint64_t count;
    int32_t code;
    DUNLIN_TRY(wait_for(news));
    DUNLIN_TRY(dunlin_take(writers, NULL, &sample, 1, &count));
    data->size = sizeof *data;
    code = dunlin_builtin_decode(DUNLIN_BUILTIN_PUBLICATION, &sample, data, block);
    *is_there = sample.info.valid_data != 0;
    DUNLIN_TRY(dunlin_give_back(writers, &sample, 1));
    return code;
}

/* A reader that wants more than the writer offers. */
static int32_t try_in_vain(dunlin_participant participant, dunlin_topic topic) {
    const uint32_t refused = DUNLIN_REQUESTED_INCOMPATIBLE_QOS;
    dunlin_reader_qos qos;
    dunlin_reader reader;
    dunlin_condition condition;
    dunlin_status status;
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    DUNLIN_TRY(Temperature_reader(participant, topic, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_status_condition(reader, &condition));
    DUNLIN_TRY(dunlin_status_condition_mask(condition, &refused, NULL));
    DUNLIN_TRY(wait_for(condition));
    DUNLIN_TRY(dunlin_status_get(reader, DUNLIN_REQUESTED_INCOMPATIBLE_QOS, &status));
    printf("a reliable reader does not match: %s\n",
           status.reason == RELIABILITY_POLICY ? "Reliability" : "another policy");
    return dunlin_close(reader);
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_reader writers, reader;
    dunlin_condition news;
    dunlin_topic topic;
    dunlin_builtin_data writer;
    dunlin_block block;
    bool is_there;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_builtin_reader(participant, DUNLIN_BUILTIN_PUBLICATION, &writers));
    DUNLIN_TRY(dunlin_read_condition_new(writers, NULL, &news));
    DUNLIN_TRY(next(writers, news, &writer, &block, &is_there));
    printf("a writer of %s, of type %s, %s\n", writer.name.data, writer.type_name.data,
           writer.writer_qos->reliability == DUNLIN_RELIABLE ? "reliable" : "best effort");
    DUNLIN_TRY(Temperature_topic(participant, writer.name.data, NULL, &topic));
    DUNLIN_TRY(dunlin_block_free(&block));

    DUNLIN_TRY(try_in_vain(participant, topic));
    DUNLIN_TRY(Temperature_reader(participant, topic, NULL, NULL, &reader));
    DUNLIN_TRY(dunlin_reader_wait_for_matched(reader, 1, 20 * DUNLIN_SECOND));
    printf("a best effort reader matches\n");
    /* The writer ends; a sample without data says so. */
    do {
        DUNLIN_TRY(next(writers, news, &writer, &block, &is_there));
        DUNLIN_TRY(dunlin_block_free(&block));
    } while (is_there);
    printf("the writer is gone\n");
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
