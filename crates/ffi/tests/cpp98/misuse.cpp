// What programs do wrong: each mistake is an error with a text, and nothing else. With DUNLIN_DEBUG so is
// the use of what has ended.
#include "check.hpp"

static DomainParticipantFactory *const factory = DomainParticipantFactory::get_instance();

static bool says(const char *words) { return std::strstr(last_error(), words) != NULL; }

static void null_pointers(World &world) {
    DomainParticipant *p = world.participant;
    WaitSet waits;
    CHECK(factory->delete_participant(NULL) == RETCODE_BAD_PARAMETER && says("NULL"));
    CHECK(p->delete_publisher(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(p->delete_subscriber(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(p->delete_topic(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(p->delete_contentfilteredtopic(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(world.publisher->delete_datawriter(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(world.subscriber->delete_datareader(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(world.reader()->delete_readcondition(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(waits.attach_condition(NULL) == RETCODE_BAD_PARAMETER);
    CHECK(waits.detach_condition(NULL) == RETCODE_BAD_PARAMETER && says("condition"));
    CHECK(ShapeTypeTypeSupport::register_type(NULL, NULL) == RETCODE_BAD_PARAMETER);
    CHECK(p->create_topic(NULL, "ShapeType", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE) == NULL);
    CHECK(p->create_topic("T", NULL, TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE) == NULL);
    CHECK(p->create_topic("T", "ShapeTyp", TOPIC_QOS_DEFAULT, NULL, STATUS_MASK_NONE) == NULL);
    CHECK(says("\"T\"") && says("\"ShapeTyp\"") && says("registered are: \"ShapeType\""));
    CHECK(factory->create_participant(-1, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE) == NULL);
    CHECK(says("domain id -1"));
    CHECK(p->create_contentfilteredtopic("F", NULL, "x > 1", StringSeq()) == NULL);
    CHECK(p->create_contentfilteredtopic("F", world.topic, NULL, StringSeq()) == NULL);
    CHECK(p->lookup_topicdescription(NULL) == NULL);
    const Duration_t now = {0, 0};
    CHECK(p->find_topic(NULL, now) == NULL);
    CHECK(p->add_peer(NULL) != RETCODE_OK);
    CHECK(world.publisher->create_datawriter(NULL, DATAWRITER_QOS_DEFAULT, NULL, STATUS_MASK_NONE)
          == NULL);
    CHECK(says("topic of the writer is NULL"));
    CHECK(world.subscriber->create_datareader(NULL, DATAREADER_QOS_DEFAULT, NULL, STATUS_MASK_NONE)
          == NULL);
    CHECK(world.publisher->lookup_datawriter(NULL) == NULL);
    CHECK(world.reader()->create_querycondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE,
                                                ANY_INSTANCE_STATE, NULL, StringSeq())
          == NULL);
    ShapeTypeSeq data;
    SampleInfoSeq infos;
    CHECK(world.reader()->take_w_condition(data, infos, 1, NULL) == RETCODE_BAD_PARAMETER);
    CHECK(ShapeTypeDataWriter::narrow(NULL) == NULL && Topic::narrow(NULL) == NULL);
    CHECK(ShapeTypeTypeSupport::delete_data(NULL) == RETCODE_OK);
}

static void wrong_kinds_and_owners(World &world) {
    World other;
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader();
    CHECK(Raw::BlockDataWriter::narrow(writer) == NULL);
    CHECK(Raw::BlockDataReader::narrow(reader) == NULL);
    CHECK(other.publisher->delete_datawriter(writer) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(says("not created here"));
    CHECK(other.subscriber->delete_datareader(reader) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(other.participant->delete_publisher(world.publisher) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(other.participant->delete_topic(world.topic) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(other.publisher->create_datawriter(world.topic, DATAWRITER_QOS_DEFAULT, NULL,
                                             STATUS_MASK_NONE)
          == NULL);
    CHECK(says("participant"));
    ReadCondition *condition = other.reader()->create_readcondition(
        ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    ShapeTypeSeq data, not_lent;
    SampleInfoSeq infos, about;
    CHECK(reader->take_w_condition(data, infos, 1, condition) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(reader->delete_readcondition(condition) == RETCODE_PRECONDITION_NOT_MET);
    // A name stands for one type.
    CHECK(Raw::BlockTypeSupport::register_type(world.participant, "ShapeType")
          == RETCODE_PRECONDITION_NOT_MET);
    CHECK(says("for the type \"ShapeType\"") && says("\"Raw::Block\""));
    // An empty name is none: the type has that of the IDL.
    CHECK(Raw::BlockTypeSupport::register_type(world.participant, "") == RETCODE_OK);
    Topic *raw = world.participant->create_topic("Raw", "Raw::Block", TOPIC_QOS_DEFAULT, NULL,
                                                 STATUS_MASK_NONE);
    CHECK(raw != NULL && world.participant->delete_topic(raw) == RETCODE_OK);
    // Sequences are given back together, by the reader that lent them.
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    CHECK(reader->take(data, infos, 1, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(world.subscriber->delete_datareader(reader) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(says("return_loan") && says(world.topic->get_name()));
    CHECK(reader->return_loan(data, about) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(other.reader()->return_loan(data, infos) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(reader->return_loan(data, infos) == RETCODE_OK);
    CHECK(reader->return_loan(data, infos) == RETCODE_OK);
    const Duration_t negative = {-1, 0};
    CHECK(writer->wait_for_acknowledgments(negative) == RETCODE_BAD_PARAMETER);
    const InstanceHandle_t noise = {{1, 2, 3}};
    ShapeType key = shape("", 0);
    CHECK(writer->get_key_value(key, noise) != RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), noise) != RETCODE_OK);
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
    other.end();
}

static void order(World &world) {
    ShapeTypeDataWriter *writer = world.writer();
    CHECK(world.participant->delete_topic(world.topic) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(world.participant->delete_publisher(world.publisher) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(factory->delete_participant(world.participant) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(says("contains"));
    // A wait that takes too long says for what, and what was discovered.
    const Duration_t now = {0, 0};
    CHECK(writer->wait_for_matched(1000, now) == RETCODE_TIMEOUT);
    CHECK(says("timed out") && says(world.topic->get_name()));
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
}

// Lets go of itself, or of its reader, when it is first called.
struct Hasty : DataReaderListener {
    Hasty(GuardCondition &called, Subscriber *of) : is_called(called), subscriber(of) {}
    void on_data_available(DataReader *reader) {
        GuardCondition &done = is_called;
        if (subscriber == NULL) {
            reader->set_listener(NULL, STATUS_MASK_NONE);
        } else {
            // The loan of a sample would keep the reader.
            CHECK(subscriber->delete_datareader(reader) == RETCODE_OK);
        }
        delete this;
        done.set_trigger_value(true);
    }
    GuardCondition &is_called;
    Subscriber *subscriber;
};

static void listeners_that_let_go(World &world) {
    for (int with_reader = 0; with_reader < 2; with_reader++) {
        GuardCondition is_called;
        WaitSet waits;
        ConditionSeq active;
        CHECK(waits.attach_condition(&is_called) == RETCODE_OK);
        ShapeTypeDataWriter *writer = world.writer();
        Hasty *listener = new Hasty(is_called, with_reader ? world.subscriber : NULL);
        ShapeTypeDataReader *reader = world.reader(NULL, listener);
        CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
        CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_OK);
        CHECK(writer->write(shape("RED", 2), HANDLE_NIL) == RETCODE_OK);
        CHECK(waits.wait(active, PATIENCE) == RETCODE_OK);
        CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
        if (!with_reader) {
            CHECK(world.subscriber->delete_datareader(reader) == RETCODE_OK);
        }
    }
}

#ifdef __EXCEPTIONS
struct Thrower : DataReaderListener {
    void on_data_available(DataReader *) {
        is_called.set_trigger_value(true);
        throw 1;
    }
    GuardCondition is_called;
};

// What a listener throws goes no further than the listener.
static void listeners_that_throw(World &world) {
    Thrower listener;
    WaitSet waits;
    ConditionSeq active;
    CHECK(waits.attach_condition(&listener.is_called) == RETCODE_OK);
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader(NULL, &listener);
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_OK);
    CHECK(waits.wait(active, PATIENCE) == RETCODE_OK);
    CHECK(world.subscriber->delete_datareader(reader) == RETCODE_OK);
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
}
#endif

#ifdef DUNLIN_DEBUG
// Objects that have ended are still there, and refuse everything.
static void use_after_end() {
    World world;
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader();
    ReadCondition *condition =
        reader->create_readcondition(ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
    CHECK(reader->delete_readcondition(condition) == RETCODE_OK);
    CHECK(!condition->get_trigger_value());
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
    CHECK(writer->write(shape("RED", 1), HANDLE_NIL) == RETCODE_ALREADY_DELETED);
    CHECK(says("a writer, which has been closed"));
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_ALREADY_DELETED);
    CHECK(writer->get_statuscondition() == NULL);
    world.end();
    ShapeTypeSeq data;
    SampleInfoSeq infos;
    CHECK(reader->take(data, infos, 1, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_ALREADY_DELETED);
    DataReaderQos qos;
    CHECK(reader->get_qos(qos) == RETCODE_ALREADY_DELETED);
    CHECK(reader->get_subscriber()->begin_access() == RETCODE_ALREADY_DELETED);
    CHECK(world.participant->assert_liveliness() == RETCODE_ALREADY_DELETED);
    CHECK(world.participant->get_builtin_subscriber() == NULL);
    CHECK(world.participant->create_publisher(PUBLISHER_QOS_DEFAULT, NULL, STATUS_MASK_NONE) == NULL);
    CHECK(world.publisher->create_datawriter(world.topic, DATAWRITER_QOS_DEFAULT, NULL,
                                             STATUS_MASK_NONE)
          == NULL);
    CHECK(factory->delete_participant(world.participant) == RETCODE_ALREADY_DELETED);
}
#endif

int main() {
    {
        World world;
        null_pointers(world);
        wrong_kinds_and_owners(world);
        world.end();
    }
    World world;
    order(world);
    listeners_that_let_go(world);
#ifdef __EXCEPTIONS
    listeners_that_throw(world);
#endif
    world.end();
#ifdef DUNLIN_DEBUG
    use_after_end();
#endif
    return done();
}
