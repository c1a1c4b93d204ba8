// Writes three frames into memory that readers of this host see where it is.
#include "FrameSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (FrameTypeSupport::register_type(participant, "Frame") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Frames", "Frame", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    FrameDataWriter *writer =
        FrameDataWriter::narrow(publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE));
    if (writer == NULL || writer->wait_for_matched(1, patience) != RETCODE_OK) return false;
    for (ULong number = 1; number <= 3; number++) {
        Frame *frame = NULL;
        if (writer->loan(frame) != RETCODE_OK) return false;
        frame->number = number;
        std::memset(frame->pixels, static_cast<int>(number), sizeof frame->pixels);
        if (writer->write_loan(frame, HANDLE_NIL) != RETCODE_OK) return false; // it is the library's now
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
