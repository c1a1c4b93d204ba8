// Large octets are written by reference, and lie in their sample while a sequence lends it.
#include "check.hpp"

// So many counted octets, which begin with `first`.
static dunlin_octets counted(uint64_t length, uint8_t first) {
    dunlin_octets octets = 0;
    uint8_t *data = NULL;
    CHECK(dunlin_octets_new(0, length, &data, &octets) == RETCODE_OK);
    for (uint64_t i = 0; i < length; i++) {
        data[i] = static_cast<uint8_t>(first + i % 251);
    }
    CHECK(dunlin_octets_seal(octets) == RETCODE_OK);
    return octets;
}

static bool has(const OctetSeq &octets, ULong length, uint8_t first) {
    bool is_equal = octets.length() == length;
    for (ULong i = 0; is_equal && i < length; i++) {
        is_equal = octets[i] == static_cast<uint8_t>(first + i % 251);
    }
    return is_equal;
}

static void wait_for(Raw::PictureDataReader *reader) {
    ReadCondition *data = reader->create_readcondition(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE,
                                                       ANY_INSTANCE_STATE);
    WaitSet waits;
    ConditionSeq active;
    CHECK(waits.attach_condition(data) == RETCODE_OK);
    CHECK(waits.wait(active, PATIENCE) == RETCODE_OK);
    CHECK(waits.detach_condition(data) == RETCODE_OK);
    CHECK(reader->delete_readcondition(data) == RETCODE_OK);
}

int main() {
    World world;
    CHECK(Raw::PictureTypeSupport::register_type(world.participant, "Picture") == RETCODE_OK);
    Topic *topic = world.participant->create_topic("Pictures", "Picture", TOPIC_QOS_DEFAULT, NULL,
                                                   STATUS_MASK_NONE);
    CHECK(topic != NULL);
    DataReaderQos wanted;
    wanted.reliability.kind = RELIABLE_RELIABILITY_QOS;
    wanted.history.kind = KEEP_ALL_HISTORY_QOS;
    Raw::PictureDataReader *reader = Raw::PictureDataReader::narrow(
        world.subscriber->create_datareader(topic, wanted, NULL, STATUS_MASK_NONE));
    Raw::PictureDataWriter *writer = Raw::PictureDataWriter::narrow(
        world.publisher->create_datawriter(topic, DATAWRITER_QOS_DEFAULT, NULL, STATUS_MASK_NONE));
    CHECK(reader != NULL && writer != NULL);

    Raw::Picture sent, got;
    Raw::PictureSeq values;
    SampleInfoSeq infos;
    SampleInfo info;
    const ULong sizes[] = {100, 70000, 10, 5000};
    for (int i = 0; i < 4; i++) {
        const uint8_t first = static_cast<uint8_t>(i);
        const dunlin_octets octets = counted(sizes[i], first);
        sent.name = "dawn";
        CHECK(share_octets(sent.pixels, octets) == RETCODE_OK);
        CHECK(!sent.pixels.has_ownership() && has(sent.pixels, sizes[i], first));
        const Raw::Picture copy = sent;
        CHECK(copy.pixels.has_ownership() && has(copy.pixels, sizes[i], first));
        CHECK(writer->write(sent, HANDLE_NIL) == RETCODE_OK);
        // The writer has a reference of its own.
        CHECK(dunlin_octets_free(octets) == RETCODE_OK);
        wait_for(reader);
        CHECK(reader->read_next_sample(got, info) == RETCODE_OK);
        CHECK(got.pixels.has_ownership() && has(got.pixels, sizes[i], first));
        CHECK(reader->take(values, infos, LENGTH_UNLIMITED, ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                           ANY_INSTANCE_STATE)
              == RETCODE_OK);
        CHECK(values.length() == 1 && has(values[0].pixels, sizes[i], first));
        CHECK(values[0].pixels.has_ownership() == (sizes[i] < 4096));
        got = values[0];
        CHECK(reader->return_loan(values, infos) == RETCODE_OK);
        CHECK(got.pixels.has_ownership() && has(got.pixels, sizes[i], first));
        // Octets that are gone are an error.
        if (sizes[i] >= 4096) {
            CHECK(writer->write(sent, HANDLE_NIL) == RETCODE_ALREADY_DELETED);
        }
        // What is changed is no longer that of the octets.
        CHECK(sent.pixels.length(3) && sent.pixels.has_ownership() && sent.pixels._octets == 0);
    }
    // Once more, and everything was given back.
    const dunlin_octets octets = counted(9000, 9);
    CHECK(share_octets(sent.pixels, octets) == RETCODE_OK);
    CHECK(writer->write(sent, HANDLE_NIL) == RETCODE_OK);
    CHECK(dunlin_octets_free(octets) == RETCODE_OK);
    wait_for(reader);
    CHECK(reader->take(values, infos, LENGTH_UNLIMITED, ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                       ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(reader->return_loan(values, infos) == RETCODE_OK);
    world.end();
    uint64_t leaks = 1;
    CHECK(dunlin_leaks(&leaks, NULL) == RETCODE_OK && leaks == 0);
    return 0;
}
