// Looks at three frames where their writer has them, and prints the pixels at both ends.
#include "FrameSupport.hpp"
#include <cstdio>

using namespace DDS;

// A part of a frame: behind the header of the payload it lies as in the struct.
static bool part(DataReader *reader, const dunlin_sample &sample, std::size_t offset, void *into,
                 std::size_t size) {
    return dunlin_sample_copy(reader->handle(), &sample, 4 + offset, static_cast<uint8_t *>(into), size)
           == DUNLIN_OK;
}

static bool print(DataReader *reader, const dunlin_sample &sample) {
    ULong number = 0;
    Octet first = 0, last = 0;
    const std::size_t pixels = offsetof(Frame, pixels);
    const std::size_t count = sizeof(Frame) - pixels;
    if (!part(reader, sample, offsetof(Frame, number), &number, sizeof number)
        || !part(reader, sample, pixels, &first, 1) || !part(reader, sample, pixels + count - 1, &last, 1)) {
        return false;
    }
    std::printf("frame %u: %u pixels from %u to %u\n", number, static_cast<unsigned>(count), first, last);
    return true;
}

static bool subscribe() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (FrameTypeSupport::register_type(participant, "Frame") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Frames", "Frame", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL) return false;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    FrameDataReader *reader =
        FrameDataReader::narrow(subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    if (reader == NULL) return false;
    WaitSet waits;
    ConditionSeq active;
    ReadCondition *data =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    if (data == NULL || waits.attach_condition(data) != RETCODE_OK) return false;
    dunlin_select in_place;
    std::memset(&in_place, 0, sizeof in_place);
    in_place.size = sizeof in_place;
    in_place.flags = DUNLIN_IN_PLACE;
    int printed = 0;
    while (printed < 3) {
        dunlin_sample sample;
        uint64_t count = 0;
        if (waits.wait(active, patience) != RETCODE_OK) return false;
        // What is not of the standard are functions of dunlin.h, for the handle of an object.
        while (dunlin_take(reader->handle(), &in_place, &sample, 1, &count) == DUNLIN_OK) {
            if (sample.info.valid_data) {
                if (!print(reader, sample)) return false;
                printed++;
            }
            dunlin_give_back(reader->handle(), &sample, 1); // the memory is its writer's again
        }
    }
    return waits.detach_condition(data) == RETCODE_OK
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (subscribe()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
