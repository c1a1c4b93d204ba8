// Writes five temperatures. The writer does not send its reader those that it does not want.
#include "ReadingSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    static const double measured[] = {20, 35.5, 60, 80.5, 100};
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (ReadingTypeSupport::register_type(participant, "Reading") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Readings", "Reading", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    ReadingDataWriter *writer =
        ReadingDataWriter::narrow(publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE));
    if (writer == NULL || writer->wait_for_matched(1, patience) != RETCODE_OK) return false;
    Reading reading;
    reading.sensor = "motor";
    for (std::size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        reading.celsius = measured[i];
        if (writer->write(reading, HANDLE_NIL) != RETCODE_OK) return false;
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
