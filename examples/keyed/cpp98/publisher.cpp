// Writes positions of two birds, one after the other, and disposes both.
#include "PositionSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (PositionTypeSupport::register_type(participant, "Position") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Positions", "Position", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    PositionDataWriter *writer =
        PositionDataWriter::narrow(publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE));
    if (writer == NULL || writer->wait_for_matched(1, patience) != RETCODE_OK) return false;
    for (int step = 0; step < 3; step++) {
        for (ULong bird = 1; bird <= 2; bird++) {
            const Position position = {bird, static_cast<Double>(step), static_cast<Double>(bird)};
            if (writer->write(position, HANDLE_NIL) != RETCODE_OK) return false;
        }
    }
    for (ULong bird = 1; bird <= 2; bird++) {
        const Position key = {bird, 0, 0}; // only the key counts
        if (writer->dispose(key, HANDLE_NIL) != RETCODE_OK) return false;
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
