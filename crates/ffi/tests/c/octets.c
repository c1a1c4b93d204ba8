/* Large octets are written by reference, and lie in their sample while a batch has it. */
#include "check.h"

/* So many counted octets, which begin with `first`. */
static dunlin_octets counted(uint64_t length, uint8_t first) {
    dunlin_octets octets;
    uint8_t *data;
    uint64_t i;
    OK(dunlin_octets_new(0, length, &data, &octets));
    for (i = 0; i < length; i++) data[i] = (uint8_t)(first + i % 251);
    OK(dunlin_octets_seal(octets));
    return octets;
}

static bool is_within(const dunlin_octet_member *octets, const dunlin_sample *sample) {
    return octets->_buffer >= sample->data
           && octets->_buffer + octets->_length <= sample->data + sample->length;
}

static void frames(int32_t representation) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    const dunlin_writer_qos kept = writing(representation);
    const dunlin_reader_qos wanted = reading();
    const uint64_t sizes[] = {10, 4096, 100000};
    char name[] = "dawn";
    Flock_Frame_batch batch = {0};
    Flock_Frame sent, expected, got;
    unsigned i;
    memset(&sent, 0, sizeof sent);
    memset(&expected, 0, sizeof expected);
    memset(&got, 0, sizeof got);
    OK(Flock_Frame_topic(participant, "Frames", NULL, &topic));
    OK(Flock_Frame_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Frame_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    sent.name = name;
    for (i = 0; i < 3; i++) {
        const dunlin_octets image = counted(sizes[i], (uint8_t)i), thumb = counted(9000, 77);
        dunlin_octets echo;
        sent.number = i;
        OK(dunlin_octet_member_share(&sent.image, image));
        OK(dunlin_octet_member_share(&sent.thumb, thumb));
        CHECK(Flock_Frame_copy(&expected, &sent));
        CHECK(expected.image._release && expected.image._octets == 0);
        OK(Flock_Frame_write(writer, &sent, NULL));
        /* The writer has a reference of its own. */
        OK(dunlin_octets_free(image));
        OK(dunlin_octets_free(thumb));
        wait_for(reader);
        OK(Flock_Frame_read_next(reader, &got, NULL));
        CHECK(got.image._release && got.thumb._release && Flock_Frame_equal(&got, &expected));
        OK(Flock_Frame_take(reader, NULL, &batch));
        CHECK(batch.count == 1 && Flock_Frame_equal(&batch.data[0], &expected));
        CHECK(is_within(&batch.data[0].image, &batch.samples[0]) == (sizes[i] >= 4096));
        CHECK(batch.data[0].image._release == (sizes[i] < 4096));
        CHECK(is_within(&batch.data[0].thumb, &batch.samples[0]));
        /* An echo copies nothing. */
        OK(dunlin_octets_of_sample(reader, &batch.samples[0],
                                   (uint64_t)(batch.data[0].thumb._buffer - batch.samples[0].data),
                                   9000, &echo));
        OK(dunlin_octet_member_share(&sent.thumb, echo));
        sent.image._length = 0;
        sent.image._octets = 0;
        OK(Flock_Frame_give_back(&batch));
        OK(Flock_Frame_write(writer, &sent, NULL));
        wait_for(reader);
        OK(Flock_Frame_take_next(reader, &got, NULL));
        CHECK(got.image._length == 0 && got.thumb._length == 9000);
        CHECK(memcmp(got.thumb._buffer, expected.thumb._buffer, 9000) == 0);
        /* Octets that are gone are an error, and nothing is sent. */
        OK(dunlin_octets_free(echo));
        fails(Flock_Frame_write(writer, &sent, NULL), DUNLIN_ALREADY_DELETED, "octets");
    }
    {
        const dunlin_octets thumb = counted(9001, 0);
        OK(dunlin_octet_member_share(&sent.thumb, thumb));
        fails(Flock_Frame_write(writer, &sent, NULL), DUNLIN_BAD_PARAMETER, "9001");
        OK(dunlin_octets_free(thumb));
    }
    CHECK(Flock_Frame_take_next(reader, &got, NULL) == DUNLIN_NO_DATA);
    Flock_Frame_batch_free(&batch);
    Flock_Frame_free(&expected);
    Flock_Frame_free(&got);
    OK(dunlin_close(writer));
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

/* Members with headers, one of which becomes longer when the length is known, and a struct within. */
static void albums(int32_t representation) {
    dunlin_topic topic;
    dunlin_writer writer;
    dunlin_reader reader;
    const dunlin_writer_qos kept = writing(representation);
    const dunlin_reader_qos wanted = reading();
    char name[] = "birds of prey";
    Flock_Album_batch batch = {0};
    Flock_Album sent, expected;
    const dunlin_octets cover = counted(70000, 1), image = counted(80000, 2);
    memset(&sent, 0, sizeof sent);
    memset(&expected, 0, sizeof expected);
    OK(Flock_Album_topic(participant, "Albums", NULL, &topic));
    OK(Flock_Album_writer(participant, topic, &kept, NULL, &writer));
    OK(Flock_Album_reader(participant, topic, &wanted, NULL, &reader));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    sent.number = 5;
    sent.name = name;
    sent.last.name = name;
    OK(dunlin_octet_member_share(&sent.cover, cover));
    OK(dunlin_octet_member_share(&sent.last.image, image));
    OK(Flock_Album_write(writer, &sent, NULL));
    CHECK(Flock_Album_copy(&expected, &sent));
    OK(dunlin_octets_free(cover));
    OK(dunlin_octets_free(image));
    wait_for(reader);
    OK(Flock_Album_take(reader, NULL, &batch));
    CHECK(batch.count == 1 && Flock_Album_equal(&batch.data[0], &expected));
    CHECK(is_within(&batch.data[0].cover, &batch.samples[0]));
    CHECK(is_within(&batch.data[0].last.image, &batch.samples[0]));
    /* The end of an instance has no octets. */
    OK(Flock_Album_dispose(writer, &expected, NULL));
    wait_for(reader);
    OK(Flock_Album_take(reader, NULL, &batch));
    CHECK(batch.count == 1 && !batch.samples[0].info.valid_data);
    CHECK(batch.data[0].number == 5 && batch.data[0].cover._length == 0);
    Flock_Album_batch_free(&batch);
    Flock_Album_free(&expected);
    OK(dunlin_close(writer));
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

int main(void) {
    begin();
    frames(DUNLIN_XCDR1);
    frames(DUNLIN_XCDR2);
    albums(DUNLIN_XCDR1);
    albums(DUNLIN_XCDR2);
    end();
    return 0;
}
