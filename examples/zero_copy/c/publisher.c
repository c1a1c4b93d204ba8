/* Writes three frames into memory that readers of this host see where it is. */
#include "Frame.h"
#include <stdio.h>

static int32_t publish(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_writer_qos qos;
    uint32_t number;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Frame_topic(participant, "Frames", NULL, &topic));
    DUNLIN_TRY(dunlin_writer_qos_default(&qos));
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Frame_writer(participant, topic, &qos, NULL, &writer));
    DUNLIN_TRY(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (number = 1; number <= 3; number++) {
        dunlin_loan loan;
        Frame *frame = NULL;
        DUNLIN_TRY(Frame_loan(writer, &loan, &frame));
        frame->number = number;
        memset(frame->pixels, (int)number, sizeof frame->pixels);
        DUNLIN_TRY(Frame_write_loan(writer, &loan, NULL)); /* the frame is the library's now */
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
