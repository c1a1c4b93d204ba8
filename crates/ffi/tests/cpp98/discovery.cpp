// Built-in topics, discovered and matched entities, what is ignored, `find_topic`, and what there is not.
#include "check.hpp"

// Waits until a built-in reader has a sample that is taken into `data`.
template <class R, class D> SampleInfo next(R *reader, D &data) {
    WaitSet waits;
    ConditionSeq active;
    SampleInfo info;
    ReadCondition *any =
        reader->create_readcondition(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    CHECK(any != NULL && waits.attach_condition(any) == RETCODE_OK);
    CHECK(waits.wait(active, PATIENCE) == RETCODE_OK);
    CHECK(reader->take_next_sample(data, info) == RETCODE_OK);
    CHECK(waits.detach_condition(any) == RETCODE_OK);
    CHECK(reader->delete_readcondition(any) == RETCODE_OK);
    return info;
}

static bool is(const BuiltinTopicKey_t &key, const InstanceHandle_t &handle) {
    return std::memcmp(key.value, handle.value, sizeof key.value) == 0;
}

static void built_in_topics() {
    World world;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    DomainParticipantQos qos;
    qos.user_data.value.push_back(7);
    qos.participant_name.name = "watched";
    DomainParticipant_var other = factory->create_participant(0, qos, NULL, STATUS_MASK_NONE);
    CHECK(other.in() != NULL && ShapeTypeTypeSupport::register_type(other, NULL) == RETCODE_OK);

    Subscriber *builtin = world.participant->get_builtin_subscriber();
    CHECK(builtin != NULL && world.participant->get_builtin_subscriber() == builtin);
    CHECK(builtin->get_participant() == world.participant);
    ParticipantBuiltinTopicDataDataReader *participants =
        ParticipantBuiltinTopicDataDataReader::narrow(
            builtin->lookup_datareader("DCPSParticipant"));
    TopicBuiltinTopicDataDataReader *topics =
        TopicBuiltinTopicDataDataReader::narrow(builtin->lookup_datareader("DCPSTopic"));
    PublicationBuiltinTopicDataDataReader *publications =
        PublicationBuiltinTopicDataDataReader::narrow(
            builtin->lookup_datareader("DCPSPublication"));
    SubscriptionBuiltinTopicDataDataReader *subscriptions =
        SubscriptionBuiltinTopicDataDataReader::narrow(
            builtin->lookup_datareader("DCPSSubscription"));
    CHECK(participants != NULL && topics != NULL && publications != NULL && subscriptions != NULL);
    CHECK(TopicBuiltinTopicDataDataReader::narrow(participants) == NULL);
    CHECK(std::strcmp(topics->get_topicdescription()->get_name(), "DCPSTopic") == 0);
    CHECK(builtin->delete_datareader(topics) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(builtin->delete_contained_entities() == RETCODE_PRECONDITION_NOT_MET);
    CHECK(world.participant->delete_subscriber(builtin) == RETCODE_PRECONDITION_NOT_MET);

    ParticipantBuiltinTopicData participant;
    SampleInfo info = next(participants, participant);
    CHECK(info.valid_data && is(participant.key, other->get_instance_handle()));
    CHECK(info.instance_handle == other->get_instance_handle());
    CHECK(participant.participant_name.name == "watched");
    CHECK(participant.user_data.value.length() == 1 && participant.user_data.value[0] == 7);
    CHECK(participants->lookup_instance(participant) == info.instance_handle);

    TopicQos topic_qos;
    topic_qos.topic_data.value.push_back(9);
    Topic *topic = other->create_topic("Circle", "ShapeType", topic_qos, NULL, STATUS_MASK_NONE);
    PublisherQos publisher_qos;
    publisher_qos.partition.name.push_back("here");
    Publisher *publisher = other->create_publisher(publisher_qos, NULL, STATUS_MASK_NONE);
    DataWriterQos writer_qos;
    writer_qos.ownership.kind = EXCLUSIVE_OWNERSHIP_QOS;
    writer_qos.ownership_strength.value = 5;
    writer_qos.deadline.period.sec = 3;
    writer_qos.deadline.period.nanosec = 0;
    DataWriter *writer = publisher->create_datawriter(topic, writer_qos, NULL, STATUS_MASK_NONE);
    CHECK(writer != NULL);
    PublicationBuiltinTopicData publication;
    info = next(publications, publication);
    CHECK(is(publication.key, writer->get_instance_handle()));
    CHECK(is(publication.participant_key, other->get_instance_handle()));
    CHECK(publication.topic_name == "Circle" && publication.type_name == "ShapeType");
    CHECK(publication.ownership.kind == EXCLUSIVE_OWNERSHIP_QOS);
    CHECK(publication.ownership_strength.value == 5 && publication.deadline.period.sec == 3);
    CHECK(publication.partition.name.length() == 1 && publication.partition.name[0] == "here");
    CHECK(publication.topic_data.value.length() == 1 && publication.topic_data.value[0] == 9);
    TopicBuiltinTopicData found;
    info = next(topics, found);
    CHECK(found.name == "Circle" && found.type_name == "ShapeType");
    CHECK(found.topic_data.value.length() == 1 && found.topic_data.value[0] == 9);

    Subscriber *subscriber =
        other->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    DataReader *reader =
        subscriber->create_datareader(topic, DATAREADER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    CHECK(reader != NULL);
    SubscriptionBuiltinTopicDataSeq data;
    SampleInfoSeq infos;
    SubscriptionBuiltinTopicData subscription;
    info = next(subscriptions, subscription);
    CHECK(is(subscription.key, reader->get_instance_handle()));
    CHECK(subscription.reliability.kind == BEST_EFFORT_RELIABILITY_QOS);
    CHECK(subscriptions->take(data, infos, LENGTH_UNLIMITED, ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                              ANY_INSTANCE_STATE)
          == RETCODE_NO_DATA);

    // One that is gone leaves its key.
    const InstanceHandle_t gone = writer->get_instance_handle();
    CHECK(publisher->delete_datawriter(writer) == RETCODE_OK);
    info = next(publications, publication);
    CHECK(!info.valid_data && is(publication.key, gone) && publication.topic_name == "");
    CHECK(other->delete_contained_entities() == RETCODE_OK);
    CHECK(factory->delete_participant(other) == RETCODE_OK);
    world.end();
}

static void discovered_matched_ignored() {
    World world;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    ShapeTypeDataWriter *writer = world.writer();
    DomainParticipant *other = factory->create_participant(0, PARTICIPANT_QOS_DEFAULT, NULL,
                                                           STATUS_MASK_NONE);
    CHECK(other != NULL && ShapeTypeTypeSupport::register_type(other, NULL) == RETCODE_OK);
    CHECK(Raw::BlockTypeSupport::register_type(other, NULL) == RETCODE_OK);
    const Duration_t now = {0, 0};
    CHECK(other->find_topic("Nowhere", now) == NULL);
    Topic *topic = other->find_topic("Square", PATIENCE);
    CHECK(topic != NULL && std::strcmp(topic->get_type_name(), "ShapeType") == 0);
    CHECK(other->find_topic("Square", now) == topic);
    Subscriber *subscriber =
        other->create_subscriber(SUBSCRIBER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    DataReader *reader =
        subscriber->create_datareader(topic, DATAREADER_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
    CHECK(reader != NULL && reader->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);

    PublicationBuiltinTopicData publication;
    SubscriptionBuiltinTopicData subscription;
    const InstanceHandle_t of_writer = writer->get_instance_handle();
    const InstanceHandle_t of_reader = reader->get_instance_handle();
    CHECK(reader->get_matched_publication_data(publication, of_writer) == RETCODE_OK);
    CHECK(is(publication.key, of_writer) && publication.topic_name == "Square");
    CHECK(publication.reliability.kind == RELIABLE_RELIABILITY_QOS);
    CHECK(writer->get_matched_subscription_data(subscription, of_reader) == RETCODE_OK);
    CHECK(is(subscription.key, of_reader));
    CHECK(writer->get_matched_subscription_data(subscription, of_writer)
          == RETCODE_BAD_PARAMETER);

    InstanceHandleSeq handles;
    CHECK(other->get_discovered_participants(handles) == RETCODE_OK && handles.length() == 1);
    CHECK(handles[0] == world.participant->get_instance_handle());
    ParticipantBuiltinTopicData participant;
    CHECK(other->get_discovered_participant_data(participant, handles[0]) == RETCODE_OK);
    CHECK(is(participant.key, handles[0]));
    CHECK(other->get_discovered_topics(handles) == RETCODE_OK && handles.length() == 1);
    TopicBuiltinTopicData found;
    CHECK(other->get_discovered_topic_data(found, handles[0]) == RETCODE_OK);
    CHECK(found.name == "Square" && found.type_name == "ShapeType");
    CHECK(other->get_discovered_topic_data(found, of_reader) == RETCODE_BAD_PARAMETER);

    CHECK(other->ignore_topic(handles[0]) == RETCODE_OK);
    CHECK(reader->get_matched_publications(handles) == RETCODE_OK && handles.length() == 0);
    CHECK(world.participant->ignore_subscription(of_reader) == RETCODE_OK);
    CHECK(writer->get_matched_subscriptions(handles) == RETCODE_OK && handles.length() == 0);
    CHECK(world.participant->ignore_publication(of_reader) == RETCODE_OK);
    CHECK(world.participant->ignore_participant(other->get_instance_handle()) == RETCODE_OK);
    CHECK(world.participant->get_discovered_participants(handles) == RETCODE_OK);
    CHECK(handles.length() == 0);

    CHECK(other->delete_contained_entities() == RETCODE_OK);
    CHECK(factory->delete_participant(other) == RETCODE_OK);
    world.end();
}

static void what_there_is_not() {
    World world;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    CHECK(world.participant->create_multitopic("All", "ShapeType", "SELECT *", StringSeq()) == NULL);
    CHECK(std::strstr(last_error(), "not supported") != NULL);
    CHECK(factory->load_profiles() == RETCODE_UNSUPPORTED);
    CHECK(factory->unload_profiles() == RETCODE_UNSUPPORTED);
    CHECK(std::strstr(last_error(), "profiles") != NULL);
    CHECK(factory->create_participant_with_profile(0, "L", "P", NULL, STATUS_MASK_NONE) == NULL);
    CHECK(world.publisher->create_datawriter_with_profile(world.topic, "L", "P", NULL,
                                                          STATUS_MASK_NONE)
          == NULL);
    CHECK(world.participant->create_topic("Square", "Nothing", TOPIC_QOS_DEFAULT, NULL,
                                          STATUS_MASK_NONE)
          == NULL);
    CHECK(std::strstr(last_error(), "register_type") != NULL);
    world.end();
}

int main() {
    built_in_topics();
    discovered_matched_ignored();
    what_there_is_not();
    return done();
}
