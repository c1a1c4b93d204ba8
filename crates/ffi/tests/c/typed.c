/* Each function of a topic's type does what it says, with values that are written and taken. */
#include "check.h"

static Flock_Point points[700];

static Flock_Bird bird(const char *ring, uint32_t year, char *song) {
    Flock_Bird made;
    memset(&made, 0, sizeof made);
    strcpy(made.ring, ring);
    made.year = year;
    made.song = song;
    return made;
}

/* Values of all sizes in both representations, and what is behind their pointers. */
static void values(int32_t representation) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    const dunlin_writer_qos kept = writing(representation);
    const dunlin_reader_qos wanted = reading();
    char song[] = "chirp";
    Flock_Point nest = {3, 4};
    Flock_Bird sent = bird("r1", 2020, song), got;
    dunlin_sample_info info;
    uint32_t path[] = {0, 1, 200, 700}, i;
    memset(&got, 0, sizeof got);
    OK(Flock_Bird_topic(participant, "Birds", NULL, &topic));
    OK(Flock_Bird_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Bird_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (i = 0; i < 4; i++) {
        sent.path._buffer = points;
        sent.path._length = path[i];
        sent.mood = i % 2 == 0 ? Flock_Mood_CALM : Flock_Mood_WARY;
        sent.nest = i % 2 == 0 ? NULL : &nest;
        OK(Flock_Bird_write(writer, &sent, NULL));
        wait_for(reader);
        OK(Flock_Bird_read_next(reader, &got, &info));
        CHECK(info.valid_data && info.sample_state == DUNLIN_NOT_READ);
        CHECK(Flock_Bird_equal(&sent, &got));
        CHECK(Flock_Bird_read_next(reader, &got, NULL) == DUNLIN_NO_DATA);
        CHECK(Flock_Bird_take_next(reader, &got, NULL) == DUNLIN_NO_DATA);
    }
    Flock_Bird_free(&got);
    OK(dunlin_close(writer));
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

/* Batches: more samples than one has, several calls, another reader, and memory that is used again. */
static void batches(void) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader readers[2];
    const dunlin_writer_qos kept = writing(DUNLIN_XCDR1);
    const dunlin_reader_qos wanted = reading();
    Flock_Note_batch batch = {0};
    char text[16];
    Flock_Note note = {text};
    uint64_t leaks;
    int next = 0, r;
    OK(Flock_Note_topic(participant, "Notes", NULL, &topic));
    OK(Flock_Note_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Note_reader(participant, topic, &wanted, NULL, &readers[0]));
    OK(Flock_Note_reader(participant, topic, &wanted, NULL, &readers[1]));
    OK(dunlin_writer_wait_for_matched(writer, 2, 20 * DUNLIN_SECOND));
    CHECK(Flock_Note_take(readers[0], NULL, &batch) == DUNLIN_NO_DATA && batch.count == 0);
    for (; next < 40; next++) {
        sprintf(text, "note %d", next);
        OK(Flock_Note_write(writer, &note, NULL));
    }
    OK(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    for (r = 0; r < 2; r++) {
        next = 0;
        while (next < 40) {
            uint64_t i;
            OK(Flock_Note_take(readers[r], NULL, &batch));
            CHECK(batch.count > 0 && batch.count <= DUNLIN_BATCH);
            for (i = 0; i < batch.count; i++) {
                sprintf(text, "note %d", next++);
                CHECK(strcmp(batch.data[i].text, text) == 0);
                CHECK(batch.samples[i].info.valid_data);
            }
        }
        if (r == 0) CHECK(batch.count > 0);
    }
    OK(Flock_Note_give_back(&batch));
    OK(Flock_Note_give_back(&batch));
    OK(dunlin_close(readers[1]));
    /* A batch may outlive its reader. */
    OK(Flock_Note_write(writer, &note, NULL));
    wait_for(readers[0]);
    OK(Flock_Note_read(readers[0], NULL, &batch));
    OK(dunlin_close(readers[0]));
    CHECK(batch.count == 1 && strcmp(batch.data[0].text, text) == 0);
    Flock_Note_batch_free(&batch);
    CHECK(batch.data == NULL);
    OK(dunlin_close(writer));
    OK(dunlin_close(topic));
    OK(dunlin_leaks(&leaks, NULL));
}

/* Registers, looks up, disposes and unregisters instances by values and by their keys. */
static void instances(int32_t representation) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    const dunlin_writer_qos kept = writing(representation);
    const dunlin_reader_qos wanted = reading();
    dunlin_write_options options = DUNLIN_WRITE_OPTIONS;
    char song[] = "tweet";
    Flock_Bird one = bird("one", 1, song), two = bird("two", 2, song), got;
    uint8_t instance[16], other[16];
    dunlin_sample_info info;
    memset(&got, 0, sizeof got);
    OK(Flock_Bird_topic(participant, "Birds", NULL, &topic));
    OK(Flock_Bird_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Bird_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    CHECK(Flock_Bird_lookup(writer, &one, instance) == DUNLIN_NO_DATA);
    OK(Flock_Bird_register(writer, &one, instance));
    OK(Flock_Bird_lookup(writer, &one, other));
    CHECK(memcmp(instance, other, 16) == 0);
    options.instance = instance;
    OK(Flock_Bird_write(writer, &one, &options));
    fails(Flock_Bird_write(writer, &two, &options), DUNLIN_PRECONDITION_NOT_MET, "instance");
    wait_for(reader);
    OK(Flock_Bird_take_next(reader, &got, &info));
    CHECK(memcmp(info.instance, instance, 16) == 0 && Flock_Bird_equal(&got, &one));
    OK(Flock_Bird_lookup(reader, &one, other));
    CHECK(Flock_Bird_lookup(reader, &two, other) == DUNLIN_NO_DATA);
    OK(Flock_Bird_key_value(reader, instance, &got));
    CHECK(strcmp(got.ring, "one") == 0 && got.year == 1 && strcmp(got.song, "") == 0);
    OK(Flock_Bird_key_value(writer, instance, &got));
    CHECK(strcmp(got.ring, "one") == 0 && got.year == 1);
    CHECK(Flock_Bird_key_value(reader, info.publication, &got) == DUNLIN_NO_DATA);
    OK(Flock_Bird_dispose(writer, &one, NULL));
    wait_for(reader);
    OK(Flock_Bird_take_next(reader, &got, &info));
    CHECK(!info.valid_data && info.instance_state == DUNLIN_NOT_ALIVE_DISPOSED);
    CHECK(strcmp(got.ring, "one") == 0 && got.year == 1 && strcmp(got.song, "") == 0);
    OK(Flock_Bird_write(writer, &two, NULL));
    OK(Flock_Bird_unregister(writer, &two, NULL));
    OK(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    wait_for(reader);
    OK(Flock_Bird_take_next(reader, &got, &info));
    CHECK(info.valid_data && strcmp(got.ring, "two") == 0);
    Flock_Bird_free(&got);
    OK(dunlin_close(writer));
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

/* A value that is its own encoding, in a loan. */
static void loans(int32_t representation) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    const dunlin_writer_qos kept = writing(representation);
    const dunlin_reader_qos wanted = reading();
    dunlin_loan loan;
    Flock_Plain *value, got;
    uint8_t payload[Flock_Plain_CDR_MAX_SIZE_XCDR1];
    size_t size;
    OK(Flock_Plain_topic(participant, "Plain", NULL, &topic));
    OK(Flock_Plain_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Plain_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    OK(Flock_Plain_loan(writer, &loan, &value));
    OK(dunlin_loan_discard(writer, &loan));
    OK(Flock_Plain_loan(writer, &loan, &value));
    memset(value, 7, sizeof *value);
    value->number = 5;
    CHECK(Flock_Plain_cdr_size(value, representation, &size, NULL) && size == loan.length);
    CHECK(Flock_Plain_cdr_write(value, representation, payload, size, NULL));
    CHECK(memcmp(payload, loan.data, size) == 0);
    OK(Flock_Plain_write_loan(writer, &loan, NULL));
    fails(Flock_Plain_write_loan(writer, &loan, NULL), DUNLIN_PRECONDITION_NOT_MET, "loan");
    wait_for(reader);
    OK(Flock_Plain_take_next(reader, &got, NULL));
    CHECK(got.number == 5 && got.rest[12] == 7 && got.more[2] == 7);
    OK(dunlin_close(writer));
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

/* Samples of which the middle one, or each, ends early; the library itself would not hand them out. */
static const uint8_t *payloads[3];

static int32_t broken(dunlin_reader reader, const dunlin_select *select, dunlin_sample *samples,
                      uint64_t room, uint64_t *count) {
    uint64_t i;
    (void)reader;
    CHECK(room == DUNLIN_BATCH && (select->flags & DUNLIN_GIVE_BACK_FIRST) != 0);
    for (i = 0; i < 3; i++) {
        memset(&samples[i], 0, sizeof *samples);
        samples[i].data = payloads[i];
        samples[i].length = 20;
        samples[i].info.sequence = (int64_t)i;
        samples[i].info.valid_data = 1;
    }
    *count = 3;
    return DUNLIN_OK;
}

static void left_out(void) {
    static const uint8_t bad[20] = {0, 3, 0, 0, 0, 0x40};
    uint8_t good[2][20];
    char text[] = "a";
    const Flock_Note note = {text};
    Flock_Note_batch batch = {0};
    size_t size;
    CHECK(Flock_Note_cdr_size(&note, DUNLIN_XCDR1, &size, NULL) && size == 20);
    CHECK(Flock_Note_cdr_write(&note, DUNLIN_XCDR1, good[0], size, NULL));
    text[0] = 'b';
    CHECK(Flock_Note_cdr_write(&note, DUNLIN_XCDR1, good[1], size, NULL));
    payloads[0] = good[0];
    payloads[1] = bad;
    payloads[2] = good[1];
    OK(Flock_Note_fill(broken, 0, NULL, &batch));
    CHECK(batch.count == 2 && strcmp(batch.data[0].text, "a") == 0);
    CHECK(strcmp(batch.data[1].text, "b") == 0 && batch.samples[1].info.sequence == 2);
    payloads[0] = bad;
    payloads[2] = bad;
    fails(Flock_Note_fill(broken, 0, NULL, &batch), DUNLIN_ERROR, "Flock::Note");
    CHECK(batch.count == 0);
    Flock_Note_batch_free(&batch);
}

/* What cannot be done says why. */
static void mistakes(void) {
    dunlin_topic topic, part;
    dunlin_writer writer;
    dunlin_reader reader;
    char song[] = "la";
    Flock_Bird sent = bird("r1", 1, song);
    uint8_t instance[16];
    OK(Flock_Bird_topic(participant, "Birds", NULL, &topic));
    OK(dunlin_filtered_topic_new(topic, dunlin_text_of("Old"), dunlin_text_of("year < 2000"), NULL, 0,
                                 &part));
    fails(Flock_Note_topic(participant, "Birds", NULL, &topic), DUNLIN_PRECONDITION_NOT_MET, "Flock::Note");
    fails(Flock_Note_writer(participant, topic, NULL, NULL, &writer), DUNLIN_PRECONDITION_NOT_MET,
          "Flock::Note");
    fails(Flock_Note_reader(participant, part, NULL, NULL, &reader), DUNLIN_PRECONDITION_NOT_MET,
          "Flock::Note");
    fails(Flock_Bird_writer(participant, participant, NULL, NULL, &writer), DUNLIN_BAD_PARAMETER,
          "a topic is needed");
    OK(Flock_Bird_writer(participant, topic, NULL, NULL, &writer));
    OK(Flock_Bird_reader(participant, part, NULL, NULL, &reader));
    fails(Flock_Bird_write(writer, NULL, NULL), DUNLIN_BAD_PARAMETER, "value");
    fails(Flock_Bird_write(reader, &sent, NULL), DUNLIN_BAD_PARAMETER, "a writer is needed");
    fails(Flock_Bird_take(reader, NULL, NULL), DUNLIN_BAD_PARAMETER, "batch");
    fails(Flock_Bird_take_next(reader, NULL, NULL), DUNLIN_BAD_PARAMETER, "value");
    fails(Flock_Bird_lookup(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "instance");
    fails(Flock_Bird_lookup(topic, &sent, instance), DUNLIN_BAD_PARAMETER, "a reader is needed");
    sent.mood = 5;
    fails(Flock_Bird_write(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "5 is not an enumerator");
    sent.mood = 0;
    memset(sent.ring, 'x', sizeof sent.ring);
    fails(Flock_Bird_write(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "Flock::Bird.ring: its length is 9, at most 8");
    fails(Flock_Bird_dispose(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "Flock::Bird.ring");
    sent = bird("r1", 1, song);
    song[1] = (char)0xff;
    fails(Flock_Bird_write(writer, &sent, NULL), DUNLIN_BAD_PARAMETER,
          "Flock::Bird.song: a string is not UTF-8: byte 255 at 1");
    song[1] = 'a';
    sent.path._length = 3;
    fails(Flock_Bird_write(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "Flock::Bird.path");
    OK(dunlin_close(writer));
    fails(Flock_Bird_write(writer, &sent, NULL), DUNLIN_ALREADY_DELETED, "writer");
    OK(dunlin_close(reader));
    OK(dunlin_close(part));
    OK(dunlin_close(topic));
}

int main(void) {
    begin();
    values(DUNLIN_XCDR1);
    values(DUNLIN_XCDR2);
    batches();
    instances(DUNLIN_XCDR1);
    instances(DUNLIN_XCDR2);
    loans(DUNLIN_XCDR1);
    loans(DUNLIN_XCDR2);
    left_out();
    mistakes();
    end();
    return 0;
}
