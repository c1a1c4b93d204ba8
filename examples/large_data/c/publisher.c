/* Writes three pictures of three megabytes. */
#include "Picture.h"
#include <stdio.h>

static int32_t publish(uint8_t *pixels) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    Picture picture;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Picture_topic(participant, "Pictures", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Picture_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    Picture_init(&picture);
    picture.width = 2048;
    picture.height = 1536;
    /* The sequence borrows the memory of this program. */
    picture.pixels._buffer = pixels;
    picture.pixels._length = picture.width * picture.height;
    for (picture.camera = 1; picture.camera <= 3; picture.camera++) {
        memset(pixels, (int)picture.camera, picture.pixels._length);
        DUNLIN_TRY(Picture_write(writer, &picture, NULL)); /* the memory is free again */
    }
    DUNLIN_TRY(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    return dunlin_close(participant);
}

int main(void) {
    static uint8_t pixels[2048 * 1536];
    const int32_t code = publish(pixels);
    if (code != DUNLIN_OK) {
        dunlin_text why;
        dunlin_last_error(&why);
        fprintf(stderr, "%s: %s\n", dunlin_retcode_name(code), why.data);
    }
    return code;
}
