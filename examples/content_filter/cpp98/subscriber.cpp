// Prints the temperatures of the motor that are above a limit.
#include "ReadingSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool subscribe() {
    const Duration_t patience = {20, 0};
    WaitSet waits;
    ConditionSeq active;
    StringSeq limit;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (ReadingTypeSupport::register_type(participant, "Reading") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Readings", "Reading", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL || !limit.push_back("50")) return false;
    ContentFilteredTopic *hot = participant->create_contentfilteredtopic(
        "Hot readings", topic, "sensor = 'motor' AND celsius > %0", limit);
    if (hot == NULL) return false;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    ReadingDataReader *reader =
        ReadingDataReader::narrow(subscriber->create_datareader(hot, qos, NULL, STATUS_MASK_NONE));
    if (reader == NULL) return false;
    ReadCondition *data =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    if (data == NULL || waits.attach_condition(data) != RETCODE_OK) return false;
    int seen = 0;
    while (seen < 3) {
        Reading reading;
        SampleInfo info;
        if (waits.wait(active, patience) != RETCODE_OK) return false;
        while (reader->take_next_sample(reading, info) == RETCODE_OK) {
            if (!info.valid_data) continue;
            std::printf("%s: %g\n", reading.sensor.c_str(), reading.celsius);
            seen++;
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
