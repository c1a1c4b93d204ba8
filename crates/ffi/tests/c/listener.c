/* Each function of a listener hears of its status, and of no other. */
#include "check.h"
#include "dunlin/listener.h"

/* What was heard last, and how often. */
typedef struct Heard {
    int calls;
    const char *of;
    dunlin_handle entity;
    int32_t numbers[4];
    uint8_t last[16];
    int released;
} Heard;

static Heard *hear(void *context, const char *of, dunlin_handle entity, int32_t a, int32_t b,
                   int32_t c, int32_t d, const uint8_t *last) {
    Heard *heard = context;
    heard->of = of;
    heard->entity = entity;
    heard->numbers[0] = a;
    heard->numbers[1] = b;
    heard->numbers[2] = c;
    heard->numbers[3] = d;
    memset(heard->last, 0, 16);
    if (last != NULL) memcpy(heard->last, last, 16);
    __atomic_add_fetch(&heard->calls, 1, __ATOMIC_SEQ_CST);
    return heard;
}

static void topic(void *context, dunlin_topic of, const dunlin_inconsistent_topic_status *s) {
    hear(context, "inconsistent_topic", of, s->total_count, s->total_count_change, 0, 0, NULL);
}
static void offered(void *context, dunlin_writer of, const dunlin_deadline_missed_status *s) {
    hear(context, "offered_deadline_missed", of, s->total_count, s->total_count_change, 0, 0,
         s->last_instance_handle);
}
static void refused(void *context, dunlin_writer of, const dunlin_incompatible_qos_status *s) {
    hear(context, "offered_incompatible_qos", of, s->total_count, s->total_count_change,
         s->last_policy_id, 0, NULL);
}
static void lifeless(void *context, dunlin_writer of, const dunlin_liveliness_lost_status *s) {
    hear(context, "liveliness_lost", of, s->total_count, s->total_count_change, 0, 0, NULL);
}
static void published(void *context, dunlin_writer of, const dunlin_publication_matched_status *s) {
    hear(context, "publication_matched", of, s->total_count, s->total_count_change,
         s->current_count, s->current_count_change, s->last_subscription_handle);
}
static void requested(void *context, dunlin_reader of, const dunlin_deadline_missed_status *s) {
    hear(context, "requested_deadline_missed", of, s->total_count, s->total_count_change, 0, 0,
         s->last_instance_handle);
}
static void unmet(void *context, dunlin_reader of, const dunlin_incompatible_qos_status *s) {
    hear(context, "requested_incompatible_qos", of, s->total_count, s->total_count_change,
         s->last_policy_id, 0, NULL);
}
static void rejected(void *context, dunlin_reader of, const dunlin_sample_rejected_status *s) {
    hear(context, "sample_rejected", of, s->total_count, s->total_count_change, s->last_reason, 0,
         s->last_instance_handle);
}
static void lost(void *context, dunlin_reader of, const dunlin_sample_lost_status *s) {
    hear(context, "sample_lost", of, s->total_count, s->total_count_change, 0, 0, NULL);
}
static void lively(void *context, dunlin_reader of, const dunlin_liveliness_changed_status *s) {
    hear(context, "liveliness_changed", of, s->alive_count, s->alive_count_change,
         s->not_alive_count, s->not_alive_count_change, s->last_publication_handle);
}
static void subscribed(void *context, dunlin_reader of,
                       const dunlin_subscription_matched_status *s) {
    hear(context, "subscription_matched", of, s->total_count, s->total_count_change,
         s->current_count, s->current_count_change, s->last_publication_handle);
}
static void data(void *context, dunlin_reader of) {
    hear(context, "data_available", of, 0, 0, 0, 0, NULL);
}
static void readers(void *context, dunlin_subscriber of) {
    hear(context, "data_on_readers", of, 0, 0, 0, 0, NULL);
}
static void release(void *context) {
    ((Heard *)context)->released++;
}

static dunlin_callbacks all(Heard *heard) {
    const dunlin_callbacks made = {heard,    topic,    offered, refused, lifeless,   published, requested,
                                   unmet,    rejected, lost,    lively,  subscribed, data,      readers,
                                   release};
    memset(heard, 0, sizeof *heard);
    return made;
}

/* A status of each kind reaches its function with its members. */
static void each(void) {
    static const struct {
        uint32_t kind;
        const char *name;
        int32_t numbers[4];
        int has_last;
    } kinds[] = {
        {DUNLIN_INCONSISTENT_TOPIC, "inconsistent_topic", {1, 2, 0, 0}, 0},
        {DUNLIN_OFFERED_DEADLINE_MISSED, "offered_deadline_missed", {1, 2, 0, 0}, 1},
        {DUNLIN_REQUESTED_DEADLINE_MISSED, "requested_deadline_missed", {1, 2, 0, 0}, 1},
        {DUNLIN_OFFERED_INCOMPATIBLE_QOS, "offered_incompatible_qos", {1, 2, 9, 0}, 0},
        {DUNLIN_REQUESTED_INCOMPATIBLE_QOS, "requested_incompatible_qos", {1, 2, 9, 0}, 0},
        {DUNLIN_SAMPLE_LOST, "sample_lost", {1, 2, 0, 0}, 0},
        {DUNLIN_SAMPLE_REJECTED, "sample_rejected", {1, 2, 9, 0}, 1},
        {DUNLIN_LIVELINESS_LOST, "liveliness_lost", {1, 2, 0, 0}, 0},
        {DUNLIN_LIVELINESS_CHANGED, "liveliness_changed", {1, 2, 3, 4}, 1},
        {DUNLIN_PUBLICATION_MATCHED, "publication_matched", {1, 2, 3, 4}, 1},
        {DUNLIN_SUBSCRIPTION_MATCHED, "subscription_matched", {1, 2, 3, 4}, 1},
    };
    const dunlin_status status = {0, {1, 2, 3, 4}, 9, {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}};
    const uint8_t none[16] = {0};
    Heard heard;
    const dunlin_callbacks callbacks = all(&heard);
    const dunlin_listener listener = dunlin_listener_of(&callbacks);
    uint32_t mask = DUNLIN_DATA_AVAILABLE | DUNLIN_DATA_ON_READERS;
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        dunlin_status one = status;
        one.kind = kinds[i].kind;
        mask |= one.kind;
        listener.on_status(listener.context, 77 + i, &one);
        CHECK(heard.calls == (int)i + 1 && strcmp(heard.of, kinds[i].name) == 0);
        CHECK(heard.entity == 77 + i);
        CHECK(memcmp(heard.numbers, kinds[i].numbers, sizeof heard.numbers) == 0);
        CHECK(memcmp(heard.last, kinds[i].has_last ? status.last : none, 16) == 0);
    }
    listener.on_data(listener.context, 5);
    CHECK(strcmp(heard.of, "data_available") == 0 && heard.entity == 5);
    listener.on_data_on_readers(listener.context, 6);
    CHECK(strcmp(heard.of, "data_on_readers") == 0 && heard.entity == 6);
    CHECK(listener.mask == mask && heard.released == 0);
}

static void wait_until(const Heard *heard, int calls) {
    dunlin_condition never;
    OK(dunlin_guard_new(&never));
    OK(dunlin_waitset_attach(waits, never));
    while (__atomic_load_n(&heard->calls, __ATOMIC_SEQ_CST) < calls) {
        CHECK(dunlin_waitset_wait(waits, 1000000, NULL, 0, NULL) == DUNLIN_TIMEOUT);
    }
    OK(dunlin_close(never));
}

/* Of a writer and a reader that match, and of a second reader that asks for too much. */
static void entities(void) {
    Heard of_writer, of_reader, of_second;
    dunlin_callbacks writing_calls = {0}, reading_calls = {0}, second_calls = {0};
    dunlin_listener listener;
    dunlin_topic notes;
    dunlin_writer writer;
    dunlin_reader reader, second;
    dunlin_reader_qos wanted = reading();
    uint8_t guid[16];
    memset(&of_writer, 0, sizeof of_writer);
    memset(&of_reader, 0, sizeof of_reader);
    memset(&of_second, 0, sizeof of_second);
    writing_calls.context = &of_writer;
    writing_calls.on_publication_matched = published;
    writing_calls.release = release;
    reading_calls.context = &of_reader;
    reading_calls.on_data_available = data;
    second_calls.context = &of_second;
    second_calls.on_requested_incompatible_qos = unmet;
    OK(Flock_Note_topic(participant, "Notes", NULL, &notes));
    listener = dunlin_listener_of(&writing_calls);
    CHECK(listener.mask == DUNLIN_PUBLICATION_MATCHED);
    OK(Flock_Note_writer(participant, notes, NULL, &listener, &writer));
    listener = dunlin_listener_of(&reading_calls);
    OK(Flock_Note_reader(participant, notes, &wanted, &listener, &reader));
    wait_until(&of_writer, 1);
    OK(dunlin_guid(reader, guid));
    CHECK(of_writer.entity == writer && of_writer.numbers[0] == 1 && of_writer.numbers[2] == 1);
    CHECK(memcmp(of_writer.last, guid, 16) == 0);
    wanted.durability = DUNLIN_TRANSIENT_LOCAL;
    listener = dunlin_listener_of(&second_calls);
    OK(Flock_Note_reader(participant, notes, &wanted, &listener, &second));
    wait_until(&of_second, 1);
    CHECK(of_second.entity == second && of_second.numbers[0] == 1 && of_second.numbers[2] == 2);
    {
        char text[] = "a";
        const Flock_Note note = {text};
        OK(Flock_Note_write(writer, &note, NULL));
    }
    wait_until(&of_reader, 1);
    CHECK(of_reader.entity == reader);
    OK(dunlin_close(writer));
    CHECK(of_writer.released == 1);
    OK(dunlin_close(reader));
    OK(dunlin_close(second));
    OK(dunlin_close(notes));
}

int main(void) {
    each();
    begin();
    entities();
    end();
    return 0;
}
