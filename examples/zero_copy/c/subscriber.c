/* Looks at three frames where their writer has them, and prints the pixels at both ends. */
#include "Frame.h"
#include <stdio.h>

/* A part of a frame: behind the header of the payload it lies as in the structure. */
static int32_t part(dunlin_reader reader, const dunlin_sample *sample, size_t offset, void *into, size_t size) {
    return dunlin_sample_copy(reader, sample, 4 + offset, into, size);
}

static int32_t print(dunlin_reader reader, const dunlin_sample *sample) {
    uint32_t number;
    uint8_t first, last;
    const size_t pixels = offsetof(Frame, pixels), count = sizeof(((Frame *)0)->pixels);
    DUNLIN_TRY(part(reader, sample, offsetof(Frame, number), &number, sizeof number));
    DUNLIN_TRY(part(reader, sample, pixels, &first, 1));
    DUNLIN_TRY(part(reader, sample, pixels + count - 1, &last, 1));
    printf("frame %u: %u pixels from %u to %u\n", (unsigned)number, (unsigned)count, first, last);
    return DUNLIN_OK;
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_reader_qos qos;
    dunlin_condition data;
    dunlin_waitset waits;
    const dunlin_select in_place = { .size = sizeof in_place, .flags = DUNLIN_IN_PLACE };
    int printed = 0;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Frame_topic(participant, "Frames", NULL, &topic));
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Frame_reader(participant, topic, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &data));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, data));
    while (printed < 3) {
        dunlin_sample sample;
        uint64_t count;
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
        while (dunlin_take(reader, &in_place, &sample, 1, &count) == DUNLIN_OK) {
            if (sample.info.valid_data) {
                DUNLIN_TRY(print(reader, &sample));
                printed++;
            }
            DUNLIN_TRY(dunlin_give_back(reader, &sample, 1)); /* the memory is its writer's again */
        }
    }
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
