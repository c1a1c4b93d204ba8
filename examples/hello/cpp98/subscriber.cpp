// Prints ten positions, as they come.
#include "PositionSupport.hpp"
#include <cstdio>

using namespace DDS;

// Called on the thread that received.
struct Printer : DataReaderListener {
    Printer() : printed(0) {}

    void on_data_available(DataReader *from) {
        PositionDataReader *reader = PositionDataReader::narrow(from);
        PositionSeq positions;
        SampleInfoSeq infos;
        while (reader->take(positions, infos, LENGTH_UNLIMITED, ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                            ANY_INSTANCE_STATE) == RETCODE_OK) {
            for (ULong i = 0; i < positions.length(); i++) {
                if (infos[i].valid_data) {
                    std::printf("%u %g %g\n", positions[i].bird, positions[i].x, positions[i].y);
                    if (++printed == 10) is_done.set_trigger_value(true);
                }
            }
            reader->return_loan(positions, infos);
        }
    }

    int printed;
    GuardCondition is_done;
};

static bool subscribe() {
    const Duration_t patience = {20, 0};
    Printer printer;
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
    if (subscriber->create_datareader(topic, qos, &printer, DATA_AVAILABLE_STATUS) == NULL) return false;
    return waits.attach_condition(&printer.is_done) == RETCODE_OK
           && waits.wait(active, patience) == RETCODE_OK
           // From here on the listener is not called any more.
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (subscribe()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
