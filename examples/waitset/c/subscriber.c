/* One thread waits for samples, for a change of a status, and for a word of another thread. */
#include "Count.h"
#include <pthread.h>
#include <stdio.h>

/* Any thread may do this. */
static void *tell_to_stop(void *stop) {
    (void)dunlin_guard_set(*(dunlin_condition *)stop, 1);
    return NULL;
}

static int32_t subscribe(void) {
    dunlin_participant participant;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_reader_qos qos;
    dunlin_condition data, matched, stop, active[3];
    dunlin_waitset waits;
    const uint32_t matches = DUNLIN_SUBSCRIPTION_MATCHED;
    pthread_t other;
    int is_told = 0, writers = 0;
    DUNLIN_TRY(dunlin_participant_new(0, NULL, NULL, NULL, &participant));
    DUNLIN_TRY(Count_topic(participant, "Counts", NULL, &topic));
    DUNLIN_TRY(dunlin_reader_qos_default(&qos));
    qos.reliability = DUNLIN_RELIABLE;
    qos.history = DUNLIN_KEEP_ALL;
    DUNLIN_TRY(Count_reader(participant, topic, &qos, NULL, &reader));
    DUNLIN_TRY(dunlin_read_condition_new(reader, NULL, &data));
    DUNLIN_TRY(dunlin_status_condition(reader, &matched));
    DUNLIN_TRY(dunlin_status_condition_mask(matched, &matches, NULL));
    DUNLIN_TRY(dunlin_guard_new(&stop));
    DUNLIN_TRY(dunlin_waitset_new(&waits));
    DUNLIN_TRY(dunlin_waitset_attach(waits, data));
    DUNLIN_TRY(dunlin_waitset_attach(waits, matched));
    DUNLIN_TRY(dunlin_waitset_attach(waits, stop));
    while (!is_told) {
        uint64_t count, i;
        DUNLIN_TRY(dunlin_waitset_wait(waits, 20 * DUNLIN_SECOND, active, 3, &count));
        for (i = 0; i < count; i++) {
            Count number;
            dunlin_sample_info info;
            if (active[i] == stop) {
                is_told = 1;
            } else if (active[i] == matched) {
                /* Asking for the status resets the condition. */
                dunlin_status status;
                DUNLIN_TRY(dunlin_status_get(reader, DUNLIN_SUBSCRIPTION_MATCHED, &status));
                if (status.count[0] > writers) printf("writers so far: %d\n", (int)status.count[0]);
                writers = status.count[0];
            } else if (writers > 0) { /* else the status is told first, in the next round */
                while (Count_take_next(reader, &number, &info) == DUNLIN_OK) {
                    if (!info.valid_data) continue;
                    printf("count %u\n", (unsigned)number.value);
                    if (number.value == 3 && pthread_create(&other, NULL, tell_to_stop, &stop) != 0) {
                        return DUNLIN_OUT_OF_RESOURCES;
                    }
                }
            }
        }
    }
    printf("told to stop\n");
    if (pthread_join(other, NULL) != 0) return DUNLIN_ERROR;
    DUNLIN_TRY(dunlin_close(waits));
    DUNLIN_TRY(dunlin_close(stop));
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
