// Writes three pictures of three megabytes.
#include "PictureSupport.hpp"
#include <cstdio>

using namespace DDS;

static bool publish() {
    const Duration_t patience = {20, 0};
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (PictureTypeSupport::register_type(participant, "Picture") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Pictures", "Picture", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || publisher == NULL) return false;
    DataWriterQos qos;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    PictureDataWriter *writer =
        PictureDataWriter::narrow(publisher->create_datawriter(topic, qos, NULL, STATUS_MASK_NONE));
    if (writer == NULL || writer->wait_for_matched(1, patience) != RETCODE_OK) return false;
    Picture picture;
    if (!Picture_initialize(&picture)) return false;
    picture.width = 2048;
    picture.height = 1536;
    if (!picture.pixels.length(picture.width * picture.height)) return false;
    for (picture.camera = 1; picture.camera <= 3; picture.camera++) {
        std::memset(picture.pixels.get_buffer(), static_cast<int>(picture.camera), picture.pixels.length());
        if (writer->write(picture, HANDLE_NIL) != RETCODE_OK) return false;
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
