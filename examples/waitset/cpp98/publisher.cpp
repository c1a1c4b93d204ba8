// Writes three numbers.
#include "CountSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (CountTypeSupport::register_type(participant, "Count") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Counts", "Count", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    CountDataWriter *writer =
        CountDataWriter::narrow(publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE));
    if (writer == NULL || writer->wait_for_matched(1, patience) != RETCODE_OK) return false;
    Count count;
    for (count.value = 1; count.value <= 3; count.value++) {
        if (writer->write(count, HANDLE_NIL) != RETCODE_OK) return false;
    }
    return writer->wait_for_acknowledgments(patience) == RETCODE_OK
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (publish()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
