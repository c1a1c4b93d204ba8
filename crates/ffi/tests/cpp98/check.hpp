// What the programs beside this have in common.
#include "shapeSupport.hpp"
#include <cstdio>
#include <cstdlib>

using namespace DDS;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, last_error()); \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static const Duration_t PATIENCE = {20, 0};

inline ShapeType shape(const char *color, Long x) {
    ShapeType made;
    CHECK(ShapeType_initialize(&made));
    made.color = color;
    made.x = x;
    return made;
}

// A participant with all that a test needs, and reliable endpoints that keep all.
struct World {
    DomainParticipant *participant;
    Publisher *publisher;
    Subscriber *subscriber;
    Topic *topic;

    explicit World(const PublisherQos &p = PUBLISHER_QOS_DEFAULT,
                   const SubscriberQos &s = SUBSCRIBER_QOS_DEFAULT) {
        participant = DomainParticipantFactory::get_instance()->create_participant(
            0, PARTICIPANT_QOS_DEFAULT, NULL, STATUS_MASK_NONE);
        CHECK(participant != NULL);
        CHECK(ShapeTypeTypeSupport::register_type(participant, NULL) == RETCODE_OK);
        CHECK(Raw::BlockTypeSupport::register_type(participant, "Block") == RETCODE_OK);
        topic = participant->create_topic("Square", "ShapeType", TOPIC_QOS_DEFAULT, NULL,
                                          STATUS_MASK_NONE);
        publisher = participant->create_publisher(p, NULL, STATUS_MASK_NONE);
        subscriber = participant->create_subscriber(s, NULL, STATUS_MASK_NONE);
        CHECK(topic != NULL && publisher != NULL && subscriber != NULL);
    }
    ShapeTypeDataWriter *writer(DataWriterListener *listener = NULL) {
        DataWriterQos qos;
        qos.history.kind = KEEP_ALL_HISTORY_QOS;
        ShapeTypeDataWriter *made = ShapeTypeDataWriter::narrow(
            publisher->create_datawriter(topic, qos, listener, STATUS_MASK_ALL));
        CHECK(made != NULL);
        return made;
    }
    ShapeTypeDataReader *reader(TopicDescription *of = NULL, DataReaderListener *listener = NULL) {
        DataReaderQos qos;
        qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
        qos.history.kind = KEEP_ALL_HISTORY_QOS;
        ShapeTypeDataReader *made = ShapeTypeDataReader::narrow(subscriber->create_datareader(
            of == NULL ? topic : of, qos, listener, STATUS_MASK_ALL));
        CHECK(made != NULL);
        return made;
    }
    void end() {
        CHECK(DomainParticipantFactory::get_instance()->delete_participant(participant)
              == RETCODE_PRECONDITION_NOT_MET);
        CHECK(participant->delete_contained_entities() == RETCODE_OK);
        CHECK(DomainParticipantFactory::get_instance()->delete_participant(participant)
              == RETCODE_OK);
    }
};

// All that the library gave out is given back.
inline int done() {
    uint64_t leaks = 0;
    CHECK(dunlin_leaks(&leaks, NULL) == DUNLIN_OK && leaks == 0);
    return 0;
}
