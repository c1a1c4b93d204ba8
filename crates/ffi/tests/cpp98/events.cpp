// Listeners, conditions, wait sets, statuses, filters, coherent sets, and entities that are enabled later.
#include "check.hpp"

// Counts what it is told, on whatever thread that is.
struct Counter : DomainParticipantListener {
    Counter() : data(0), matched(0), incompatible(0) {}
    void on_data_available(DataReader *reader) {
        ShapeTypeDataReader *of = ShapeTypeDataReader::narrow(reader);
        ShapeType value = shape("", 0);
        SampleInfo info;
        while (of->take_next_sample(value, info) == RETCODE_OK) {
            __sync_fetch_and_add(&data, 1);
        }
        is_called.set_trigger_value(true);
    }
    void on_publication_matched(DataWriter *, const PublicationMatchedStatus &status) {
        __sync_fetch_and_add(&matched, status.current_count_change);
        is_called.set_trigger_value(true);
    }
    void on_offered_incompatible_qos(DataWriter *, const OfferedIncompatibleQosStatus &status) {
        if (status.last_policy_id == DEADLINE_QOS_POLICY_ID && status.policies.length() == 1) {
            __sync_fetch_and_add(&incompatible, 1);
        }
        is_called.set_trigger_value(true);
    }
    // Waits until a count is reached; each call of a method wakes it.
    void wait_for(int &count, int wanted) {
        WaitSet waits;
        ConditionSeq active;
        CHECK(waits.attach_condition(&is_called) == RETCODE_OK);
        while (__sync_fetch_and_add(&count, 0) < wanted) {
            CHECK(waits.wait(active, PATIENCE) == RETCODE_OK);
            CHECK(active.length() == 1 && active[0] == &is_called);
            is_called.set_trigger_value(false);
        }
    }

    int data, matched, incompatible;
    GuardCondition is_called;
};

static void listeners() {
    World world;
    Counter counter;
    ShapeTypeDataWriter *writer = world.writer(&counter);
    ShapeTypeDataReader *reader = world.reader(NULL, &counter);
    CHECK(writer->get_listener() == &counter && reader->get_listener() == &counter);
    counter.wait_for(counter.matched, 1);
    for (Long x = 0; x < 10; x++) {
        CHECK(writer->write(shape("RED", x), HANDLE_NIL) == RETCODE_OK);
    }
    counter.wait_for(counter.data, 10);
    // What neither the reader nor its subscriber wants, the participant is told.
    CHECK(reader->set_listener(NULL, STATUS_MASK_NONE) == RETCODE_OK);
    CHECK(world.participant->set_listener(&counter, DATA_AVAILABLE_STATUS) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 11), HANDLE_NIL) == RETCODE_OK);
    counter.wait_for(counter.data, 11);
    DataReaderQos strict;
    strict.deadline.period.sec = 1;
    strict.deadline.period.nanosec = 0;
    CHECK(world.subscriber->create_datareader(world.topic, strict, NULL, STATUS_MASK_NONE) != NULL);
    counter.wait_for(counter.incompatible, 1);
    String why;
    CHECK(writer->explain_matching(why) == RETCODE_OK && why.length() > 0);
    OfferedIncompatibleQosStatus status;
    CHECK(writer->get_offered_incompatible_qos_status(status) == RETCODE_OK);
    CHECK(status.total_count == 1 && status.last_policy_id == DEADLINE_QOS_POLICY_ID);
    world.end();
}

static void conditions() {
    World world;
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader();
    WaitSet waits;
    ConditionSeq active;
    const Duration_t now = {0, 0};
    StatusCondition *status = reader->get_statuscondition();
    CHECK(status != NULL && status == reader->get_statuscondition());
    CHECK(status->set_enabled_statuses(SUBSCRIPTION_MATCHED_STATUS) == RETCODE_OK);
    CHECK(waits.attach_condition(status) == RETCODE_OK);
    CHECK(waits.wait(active, PATIENCE) == RETCODE_OK && active.length() == 1);
    CHECK(active[0] == status && status->get_entity() == reader);
    SubscriptionMatchedStatus matched;
    CHECK(reader->get_subscription_matched_status(matched) == RETCODE_OK);
    CHECK(matched.current_count == 1);
    InstanceHandleSeq writers;
    CHECK(reader->get_matched_publications(writers) == RETCODE_OK && writers.length() == 1);
    CHECK(writers[0] == writer->get_instance_handle());
    CHECK(waits.detach_condition(status) == RETCODE_OK);
    CHECK(waits.detach_condition(status) == RETCODE_PRECONDITION_NOT_MET);

    StringSeq parameters;
    CHECK(parameters.push_back("5"));
    ReadCondition *any =
        reader->create_readcondition(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    QueryCondition *large = reader->create_querycondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                                                          ANY_INSTANCE_STATE, "x > %0", parameters);
    CHECK(any != NULL && large != NULL);
    CHECK(waits.attach_condition(large) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    CHECK(any->get_trigger_value() && !large->get_trigger_value());
    CHECK(waits.wait(active, now) == RETCODE_TIMEOUT && active.length() == 0);
    CHECK(writer->write(shape("RED", 6), HANDLE_NIL) == RETCODE_OK);
    CHECK(waits.wait(active, PATIENCE) == RETCODE_OK && active[0] == large);
    ShapeTypeSeq data;
    SampleInfoSeq infos;
    CHECK(reader->take_w_condition(data, infos, LENGTH_UNLIMITED, large) == RETCODE_OK);
    CHECK(data.length() == 1 && data[0].x == 6);
    CHECK(reader->return_loan(data, infos) == RETCODE_OK);
    parameters[0] = "0";
    CHECK(large->set_query_parameters(parameters) == RETCODE_OK && large->get_trigger_value());
    CHECK(world.subscriber->delete_datareader(reader) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(waits.detach_condition(large) == RETCODE_OK);
    CHECK(reader->delete_readcondition(large) == RETCODE_OK);
    CHECK(reader->delete_contained_entities() == RETCODE_OK);
    CHECK(world.subscriber->delete_datareader(reader) == RETCODE_OK);
    world.end();
}

static void filters() {
    World world;
    StringSeq parameters;
    CHECK(parameters.push_back("'RED'"));
    ContentFilteredTopic *red = world.participant->create_contentfilteredtopic(
        "Red", world.topic, "color MATCH %0", parameters);
    CHECK(red != NULL && red->get_related_topic() == world.topic);
    CHECK(world.participant->lookup_topicdescription("Red") == red);
    ShapeTypeDataReader *reader = world.reader(red);
    ShapeTypeDataWriter *writer = world.writer();
    CHECK(std::strcmp(reader->get_topicdescription()->get_name(), "Red") == 0);
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    CHECK(writer->write(shape("BLUE", 1), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 2), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    ShapeType value = shape("", 0);
    SampleInfo info;
    CHECK(reader->take_next_sample(value, info) == RETCODE_OK && value.x == 2);
    CHECK(reader->take_next_sample(value, info) == RETCODE_NO_DATA);
    CHECK(world.participant->create_contentfilteredtopic("Bad", world.topic, "colour = 'RED'",
                                                         StringSeq())
          == NULL);
    CHECK(std::strstr(last_error(), "colour") != NULL);
    world.end();
}

static void coherent_sets() {
    PublisherQos p;
    SubscriberQos s;
    p.presentation.access_scope = GROUP_PRESENTATION_QOS;
    p.presentation.coherent_access = true;
    s.presentation = p.presentation;
    p.partition.name.push_back("here");
    s.partition = p.partition;
    World world(p, s);
    PublisherQos is;
    CHECK(world.publisher->get_qos(is) == RETCODE_OK && is.presentation.coherent_access);
    CHECK(is.partition.name.length() == 1 && is.partition.name[0] == "here");
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader();
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    ShapeType value = shape("", 0);
    SampleInfo info;
    CHECK(world.publisher->begin_coherent_changes() == RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 2), HANDLE_NIL) == RETCODE_OK);
    CHECK(world.subscriber->begin_access() == RETCODE_OK);
    CHECK(reader->take_next_sample(value, info) == RETCODE_NO_DATA);
    CHECK(world.subscriber->end_access() == RETCODE_OK);
    CHECK(world.publisher->end_coherent_changes() == RETCODE_OK);
    CHECK(world.publisher->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    DataReaderSeq readers;
    CHECK(world.subscriber->begin_access() == RETCODE_OK);
    CHECK(world.subscriber->get_datareaders(readers, ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                                            ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(readers.length() >= 1 && readers[0] == reader);
    CHECK(reader->take_next_sample(value, info) == RETCODE_OK && value.x == 1);
    CHECK(world.subscriber->end_access() == RETCODE_OK);
    world.end();
}

static void enabled_later() {
    PublisherQos p;
    p.entity_factory.autoenable_created_entities = false;
    World world(p);
    PublisherQos is;
    CHECK(world.publisher->get_qos(is) == RETCODE_OK);
    CHECK(!is.entity_factory.autoenable_created_entities);
    ShapeTypeDataReader *reader = world.reader();
    ShapeTypeDataWriter *writer = world.writer();
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_NOT_ENABLED);
    CHECK(writer->enable() == RETCODE_OK);
    CHECK(reader->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    DataWriterQos qos;
    CHECK(writer->get_qos(qos) == RETCODE_OK && qos.history.kind == KEEP_ALL_HISTORY_QOS);
    qos.durability.kind = TRANSIENT_LOCAL_DURABILITY_QOS;
    CHECK(writer->set_qos(qos) == RETCODE_IMMUTABLE_POLICY);
    DataWriterQos defaults;
    defaults.deadline.period = PATIENCE;
    CHECK(world.publisher->set_default_datawriter_qos(defaults) == RETCODE_OK);
    DataWriter *other = world.publisher->create_datawriter(world.topic, DATAWRITER_QOS_DEFAULT,
                                                           NULL, STATUS_MASK_NONE);
    CHECK(other != NULL && other->get_qos(qos) == RETCODE_OK && qos.deadline.period == PATIENCE);
    world.end();
}

int main() {
    listeners();
    conditions();
    filters();
    coherent_sets();
    enabled_later();
    return done();
}
