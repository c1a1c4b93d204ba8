// Has a writer that does not suit every reader, until one matches.
#include "TemperatureSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (TemperatureTypeSupport::register_type(participant, "Temperature") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Temperatures", "Temperature", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.reliability.kind = BEST_EFFORT_RELIABILITY_QOS;
    DataWriter *writer = publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE);
    return writer != NULL && writer->wait_for_matched(1, patience) == RETCODE_OK
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (publish()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
