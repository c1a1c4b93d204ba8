// Prints where two birds are, bird by bird, until both are gone.
#include "PositionSupport.hpp"
#include <cstdio>

using namespace DDS;

// Prints samples; returns how many birds are gone.
static int print(const PositionSeq &positions, const SampleInfoSeq &infos) {
    int gone = 0;
    for (ULong i = 0; i < positions.length(); i++) {
        const Position &position = positions[i];
        if (infos[i].valid_data) {
            std::printf("bird %u: %g %g\n", position.bird, position.x, position.y);
        } else if (infos[i].instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE) {
            std::printf("bird %u is gone\n", position.bird); // it has a key, and nothing else
            gone++;
        }
    }
    return gone;
}

static bool subscribe() {
    const Duration_t patience = {20, 0};
    WaitSet waits;
    ConditionSeq active;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (PositionTypeSupport::register_type(participant, "Position") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Positions", "Position", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL) return false;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    PositionDataReader *reader =
        PositionDataReader::narrow(subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    if (reader == NULL) return false;
    ReadCondition *changes =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    if (changes == NULL || waits.attach_condition(changes) != RETCODE_OK) return false;
    Position key = {1, 0, 0};
    while (key.bird <= 2) {
        if (waits.wait(active, patience) != RETCODE_OK) return false;
        PositionSeq positions;
        SampleInfoSeq infos;
        // The samples of one bird; those of others stay in the reader.
        const InstanceHandle_t bird = reader->lookup_instance(key);
        if (bird != HANDLE_NIL
            && reader->take_instance(positions, infos, LENGTH_UNLIMITED, bird, ANY_SAMPLE_STATE,
                                     ANY_VIEW_STATE, ANY_INSTANCE_STATE) == RETCODE_OK) {
            key.bird += print(positions, infos);
            if (reader->return_loan(positions, infos) != RETCODE_OK) return false;
        }
    }
    return waits.detach_condition(changes) == RETCODE_OK
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (subscribe()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
