// Prints what is in three large pictures.
#include "PictureSupport.hpp"
#include <cstdio>

using namespace DDS;

static void print(const Picture &picture) {
    unsigned long sum = 0;
    for (ULong at = 0; at < picture.pixels.length(); at++) sum += picture.pixels[at];
    std::printf("camera %u: %u x %u, %u bytes, sum %lu\n", picture.camera, picture.width, picture.height,
                picture.pixels.length(), sum);
}

static bool subscribe() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (PictureTypeSupport::register_type(participant, "Picture") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Pictures", "Picture", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL) return false;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    PictureDataReader *reader =
        PictureDataReader::narrow(subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    if (reader == NULL) return false;
    WaitSet waits;
    ConditionSeq active;
    ReadCondition *data =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    if (data == NULL || waits.attach_condition(data) != RETCODE_OK) return false;
    Picture picture; // it keeps its memory for the next one
    int printed = 0;
    while (printed < 3) {
        SampleInfo info;
        if (waits.wait(active, patience) != RETCODE_OK) return false;
        while (reader->take_next_sample(picture, info) == RETCODE_OK) {
            if (!info.valid_data) continue;
            print(picture);
            printed++;
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
