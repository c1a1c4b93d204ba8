/* Prints what is in three large pictures. */
#include "Picture.h"
#include <stdio.h>

/* A reader that misses nothing, and has memory for three pictures. */
static int32_t reader_of(dunlin_participant participant, dunlin_topic topic, dunlin_reader *reader) {
    dunlin_reader_qos qos;
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    return Picture_reader(participant, topic, &qos, NULL, reader);
}

static void print(const Picture *picture) {
    unsigned long sum = 0;
    uint32_t at;
    for (at = 0; at < picture->pixels._length; at++) sum += picture->pixels._buffer[at];
    printf("camera %u: %u x %u, %u bytes, sum %lu\n", (unsigned)picture->camera, (unsigned)picture->width,
           (unsigned)picture->height, (unsigned)picture->pixels._length, sum);
}

static int32_t subscribe(Picture *picture) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_condition data;
    dunlin_waitset waits;
    int printed = 0;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Picture_topic(participant, "Pictures", NULL, &topic));
    DUNLIN_TRY(reader_of(participant, topic, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &data));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, data));
    while (printed < 3) {
        dunlin_sample_info info;
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, NULL, 0, NULL));
        /* The picture keeps its memory for the next one. */
        while (Picture_take_next(reader, picture, &info) == DUNLIN_OK) {
            if (info.valid_data) {
                print(picture);
                printed++;
            }
        }
    }
    DUNLIN_TRY(dunlin_close(waits));
    return dunlin_close(participant);
}

int main(void) {
    Picture picture;
    int32_t code;
    Picture_init(&picture);
    code = subscribe(&picture);
    Picture_free(&picture);
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %s\n", dunlin_retcode_name(code), why.data);
    }
    return code;
}
