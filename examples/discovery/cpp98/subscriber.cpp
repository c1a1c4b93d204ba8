// Looks at the writers of others, and at what keeps a reader from one of them.
#include "TemperatureSupport.hpp"
#include <cstdio>

using namespace DDS;

static const Duration_t patience = {20, 0};

// Waits until something is new, and takes it.
static bool next(PublicationBuiltinTopicDataDataReader *writers, PublicationBuiltinTopicData &writer,
                 SampleInfo &info) {
    WaitSet waits;
    ConditionSeq active;
    ReadCondition *news =
        writers->create_readcondition(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    return news != NULL && waits.attach_condition(news) == RETCODE_OK
           && waits.wait(active, patience) == RETCODE_OK
           && writers->take_next_sample(writer, info) == RETCODE_OK
           && waits.detach_condition(news) == RETCODE_OK
           && writers->delete_readcondition(news) == RETCODE_OK;
}

// A reader that wants more than the writer offers.
static bool try_in_vain(Subscriber *subscriber, Topic *topic) {
    WaitSet waits;
    ConditionSeq active;
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    DataReader *reader = subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE);
    StatusCondition *refused = reader == NULL ? NULL : reader->get_statuscondition();
    RequestedIncompatibleQosStatus status;
    if (refused == NULL || refused->set_enabled_statuses(REQUESTED_INCOMPATIBLE_QOS_STATUS) != RETCODE_OK
        || waits.attach_condition(refused) != RETCODE_OK || waits.wait(active, patience) != RETCODE_OK
        || reader->get_requested_incompatible_qos_status(status) != RETCODE_OK) {
        return false;
    }
    std::printf("a reliable reader does not match: %s\n", qos_policy_name(status.last_policy_id));
    return waits.detach_condition(refused) == RETCODE_OK
           && subscriber->delete_datareader(reader) == RETCODE_OK;
}

static bool subscribe() {
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant =
        factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (participant == NULL) return false;
    Subscriber *builtin = participant->get_builtin_subscriber();
    if (builtin == NULL) return false;
    PublicationBuiltinTopicDataDataReader *writers =
        PublicationBuiltinTopicDataDataReader::narrow(builtin->lookup_datareader("DCPSPublication"));
    PublicationBuiltinTopicData writer;
    SampleInfo info;
    if (writers == NULL || !next(writers, writer, info)) return false;
    std::printf("a writer of %s, of type %s, %s\n", writer.topic_name.c_str(), writer.type_name.c_str(),
                writer.reliability.kind == RELIABLE_RELIABILITY_QOS ? "reliable" : "best effort");

    if (TemperatureTypeSupport::register_type(participant, NULL) != RETCODE_OK) return false;
    Topic *topic = participant->find_topic(writer.topic_name, patience);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (topic == NULL || subscriber == NULL || !try_in_vain(subscriber, topic)) return false;
    DataReader *reader =
        subscriber->create_datareader(topic, DATAREADER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    if (reader == NULL || reader->wait_for_matched(1, patience) != RETCODE_OK) return false;
    std::printf("a best effort reader matches\n");
    // The writer ends; a sample without data says so.
    do {
        if (!next(writers, writer, info)) return false;
    } while (info.valid_data);
    std::printf("the writer is gone\n");
    return participant->delete_contained_entities() == RETCODE_OK
           && factory->delete_participant(participant) == RETCODE_OK;
}

int main() {
    if (subscribe()) return 0;
    std::fprintf(stderr, "%s\n", last_error());
    return 1;
}
