// One thread waits for samples, for a change of a status, and for a word of another thread.
#include "CountSupport.hpp"
#include <cstdio>
#include <pthread.h>

using namespace DDS;

// Any thread may do this.
static void *tell_to_stop(void *stop) {
    (void)static_cast<GuardCondition *>(stop)->set_trigger_value(true);
    return NULL;
}

static bool subscribe() {
    const Duration_t patience = {20, 0};
    GuardCondition stop;
    WaitSet waits;
    ConditionSeq active;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    if (CountTypeSupport::register_type(participant, "Count") != RETCODE_OK) return false;
    Topic *topic = participant->create_topic("Counts", "Count", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL) return false;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    CountDataReader *reader =
        CountDataReader::narrow(subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    if (reader == NULL) return false;
    ReadCondition *data =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    StatusCondition *matched = reader->get_statuscondition();
    if (data == NULL || matched == NULL
        || matched->set_enabled_statuses(SUBSCRIPTION_MATCHED_STATUS) != RETCODE_OK
        || waits.attach_condition(data) != RETCODE_OK || waits.attach_condition(matched) != RETCODE_OK
        || waits.attach_condition(&stop) != RETCODE_OK) {
        return false;
    }
    pthread_t other;
    bool is_told = false;
    Long writers = 0;
    while (!is_told) {
        if (waits.wait(active, patience) != RETCODE_OK) return false;
        for (ULong i = 0; i < active.length(); i++) {
            if (active[i] == &stop) {
                is_told = true;
            } else if (active[i] == matched) {
                // Asking for the status resets the condition.
                SubscriptionMatchedStatus status;
                if (reader->get_subscription_matched_status(status) != RETCODE_OK) return false;
                if (status.total_count > writers) std::printf("writers so far: %d\n", status.total_count);
                writers = status.total_count;
            } else if (writers > 0) { // else the status is told first, in the next round
                Count number;
                SampleInfo info;
                while (reader->take_next_sample(number, info) == RETCODE_OK) {
                    if (!info.valid_data) continue;
                    std::printf("count %u\n", number.value);
                    if (number.value == 3 && pthread_create(&other, NULL, tell_to_stop, &stop) != 0) return false;
                }
            }
        }
    }
    std::printf("told to stop\n");
    return pthread_join(other, NULL) == 0
           && waits.detach_condition(data) == RETCODE_OK
           && participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (subscribe()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
