// Every name that the shapes program of the OMG's interoperability suite uses, in a program of our
// own: one that shows and one that watches shapes, in one process.
#include "shape_configurator_rti_connext_dds.h"

#include "check.hpp"

// All thirteen.
class Watcher : public DomainParticipantListener {
public:
    Watcher() : calls(0) {}
    void on_inconsistent_topic(Topic *topic, const InconsistentTopicStatus &) {
        called(topic->get_name(), topic->get_type_name());
    }
    void on_offered_incompatible_qos(DataWriter *writer,
                                     const OfferedIncompatibleQosStatus &status) {
        called(writer->get_topic()->get_name(), get_qos_policy_name(status.last_policy_id));
    }
    void on_publication_matched(DataWriter *writer, const PublicationMatchedStatus &status) {
        CHECK(status.current_count <= status.total_count);
        called(writer->get_topic()->get_type_name(), "");
    }
    void on_offered_deadline_missed(DataWriter *writer, const OfferedDeadlineMissedStatus &status) {
        CHECK(status.total_count >= status.total_count_change);
        called(writer->get_topic()->get_name(), "");
    }
    void on_liveliness_lost(DataWriter *writer, const LivelinessLostStatus &status) {
        CHECK(status.total_count >= status.total_count_change);
        called(writer->get_topic()->get_name(), "");
    }
    void on_requested_incompatible_qos(DataReader *reader,
                                       const RequestedIncompatibleQosStatus &status) {
        called(reader->get_topicdescription()->get_name(),
               get_qos_policy_name(status.last_policy_id));
    }
    void on_subscription_matched(DataReader *reader, const SubscriptionMatchedStatus &status) {
        CHECK(status.current_count_change != 0);
        called(reader->get_topicdescription()->get_type_name(), "");
    }
    void on_requested_deadline_missed(DataReader *reader,
                                      const RequestedDeadlineMissedStatus &status) {
        CHECK(status.total_count >= status.total_count_change);
        called(reader->get_topicdescription()->get_name(), "");
    }
    void on_liveliness_changed(DataReader *reader, const LivelinessChangedStatus &status) {
        CHECK(status.alive_count >= 0 && status.not_alive_count >= 0);
        called(reader->get_topicdescription()->get_name(), "");
    }
    void on_sample_rejected(DataReader *, const SampleRejectedStatus &) {}
    void on_data_available(DataReader *) {}
    void on_sample_lost(DataReader *, const SampleLostStatus &) {}
    void on_data_on_readers(Subscriber *) {}

    int calls;

private:
    void called(const char *name, const char *policy) {
        CHECK(name != NULL && policy != NULL);
        __sync_fetch_and_add(&calls, 1);
    }
};

static DataWriterQos writer_qos(Publisher *publisher) {
    DataWriterQos qos;
    CHECK(publisher->get_default_datawriter_qos(qos) == RETCODE_OK);
    qos.reliability.kind = BEST_EFFORT_RELIABILITY_QOS;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.durability.kind = VOLATILE_DURABILITY_QOS;
    qos.durability.kind = PERSISTENT_DURABILITY_QOS;
    qos.durability.kind = TRANSIENT_DURABILITY_QOS;
    qos.durability.kind = TRANSIENT_LOCAL_DURABILITY_QOS;
    DataRepresentationIdSeq representations;
    CHECK(representations.ensure_length(1, 1));
    const DataRepresentationId_t known[] = {XCDR_DATA_REPRESENTATION, XCDR2_DATA_REPRESENTATION};
    representations[0] = known[1];
    qos.representation.value = representations;
    qos.ownership.kind = SHARED_OWNERSHIP_QOS;
    qos.ownership.kind = EXCLUSIVE_OWNERSHIP_QOS;
    qos.ownership_strength.value = 5;
    qos.deadline.period.sec = 100;
    qos.deadline.period.nanosec = 5;
    qos.history.kind = KEEP_LAST_HISTORY_QOS;
    qos.history.depth = 3;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    qos.lifespan.duration.sec = 1000;
    qos.lifespan.duration.nanosec = 0;
    qos.writer_data_lifecycle.autodispose_unregistered_instances = false;
    qos.publish_mode.kind = SYNCHRONOUS_PUBLISH_MODE_QOS;
    qos.publish_mode.kind = ASYNCHRONOUS_PUBLISH_MODE_QOS;
    configure_large_data(qos);
    config_dw_qos(qos);
    return qos;
}

static DataReaderQos reader_qos(Subscriber *subscriber) {
    DataReaderQos qos;
    CHECK(subscriber->get_default_datareader_qos(qos) == RETCODE_OK);
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.durability.kind = TRANSIENT_LOCAL_DURABILITY_QOS;
    CHECK(qos.representation.value.ensure_length(1, 1));
    qos.representation.value[0] = XCDR2_DATA_REPRESENTATION;
    qos.ownership.kind = EXCLUSIVE_OWNERSHIP_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    qos.time_based_filter.minimum_separation.sec = 0;
    qos.time_based_filter.minimum_separation.nanosec = 0;
    config_dr_qos(qos);
    return qos;
}

static void show(Publisher *publisher, ShapeTypeDataWriter *writer) {
    ShapeType shape;
    CHECK(ShapeType_initialize(&shape));
    STRING_ASSIGN(shape.color, "RED");
    shape.x = 1;
    shape.y = 2;
    shape.shapesize = 20;
    CHECK(DDS_UInt8Seq_ensure_length(&shape.additional_payload_size, 100, 100));
    *DDS_UInt8Seq_get_reference(&shape.additional_payload_size, 99) = 255;
    CHECK(DDS_UInt8Seq_get_length(&shape.additional_payload_size) == 100);
    CHECK(publisher->begin_coherent_changes() == RETCODE_OK);
    CHECK(writer->write(shape, HANDLE_NIL) == RETCODE_OK);
    STRING_ASSIGN(shape.color, "BLUE");
    CHECK(writer->write(shape, HANDLE_NIL) == RETCODE_OK);
    CHECK(publisher->end_coherent_changes() == RETCODE_OK);
    STRING_ASSIGN(shape.color, "RED");
    CHECK(writer->dispose(shape, HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->unregister_instance(shape, HANDLE_NIL) == RETCODE_OK);
    const Duration_t patience = {20, 0};
    CHECK(writer->wait_for_acknowledgments(patience) == RETCODE_OK);
}

// Shapes that are alive, those that were disposed, and those that nobody shows any more.
static void watch(Subscriber *subscriber, ShapeTypeDataReader *reader, int expected[3]) {
    ShapeTypeSeq shapes;
    SampleInfoSeq infos;
    InstanceHandle_t previous = HANDLE_NIL;
    int found[3] = {0, 0, 0};
    CHECK(subscriber->begin_access() == RETCODE_OK);
    CHECK(reader->read_next_instance(shapes, infos, LENGTH_UNLIMITED, previous, ANY_SAMPLE_STATE,
                                     ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(reader->return_loan(shapes, infos) == RETCODE_OK);
    CHECK(reader->read(shapes, infos, 1, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(reader->return_loan(shapes, infos) == RETCODE_OK);
    while (reader->take_next_instance(shapes, infos, LENGTH_UNLIMITED, previous, ANY_SAMPLE_STATE,
                                      ANY_VIEW_STATE, ANY_INSTANCE_STATE)
           == RETCODE_OK) {
        for (ULong i = 0; i < shapes.length(); i++) {
            const SampleInfo *info = &infos[i];
            ShapeType key;
            CHECK(ShapeType_initialize(&key));
            previous = info->instance_handle;
            if (info->valid_data) {
                CHECK(std::strcmp(shapes[i].color STRING_IN, "RED") == 0);
                CHECK(shapes[i].x == 1 && shapes[i].additional_payload_size[99] == 255);
                found[0]++;
            } else if (info->instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE) {
                CHECK(reader->get_key_value(key, info->instance_handle) == RETCODE_OK);
                CHECK(std::strcmp(key.color STRING_IN, "RED") == 0);
                found[1]++;
            } else {
                found[2] += info->instance_state == NOT_ALIVE_NO_WRITERS_INSTANCE_STATE;
                CHECK(info->instance_state != ALIVE_INSTANCE_STATE);
            }
        }
        CHECK(reader->return_loan(shapes, infos) == RETCODE_OK);
    }
    CHECK(subscriber->end_access() == RETCODE_OK);
    CHECK(reader->take(shapes, infos, 1, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_NO_DATA);
    CHECK(found[0] == expected[0] && found[1] == expected[1] && found[2] == expected[2]);
}

int main() {
    const DomainId_t domain = 0;
    DomainParticipantFactory *factory = DomainParticipantFactory::get_instance();
    Watcher *watcher = new Watcher();
    DomainParticipantQos qos;
    CHECK(factory->get_default_participant_qos(qos) == RETCODE_OK);
    CHECK(configure_dp_qos(qos));
    CHECK(configure_datafrag_size(qos, 0));
    configure_participant_announcements_period(qos, 0);
    DomainParticipant *participant =
        factory->create_participant(domain, qos, watcher, LISTENER_STATUS_MASK_ALL);
    CHECK(participant != NULL);
    const ReturnCode_t registered = ShapeTypeTypeSupport::register_type(participant, "ShapeType");
    CHECK(registered == RETCODE_OK);
    Topic *topic = participant->create_topic("Square", "ShapeType", TOPIC_QOS_DEFAULT, NULL, 0);
    PublisherQos pub_qos;
    SubscriberQos sub_qos;
    CHECK(participant->get_default_publisher_qos(pub_qos) == RETCODE_OK);
    CHECK(participant->get_default_subscriber_qos(sub_qos) == RETCODE_OK);
    StringSeq_push(pub_qos.partition.name, "here");
    StringSeq_push(sub_qos.partition.name, "*");
    pub_qos.presentation.access_scope = INSTANCE_PRESENTATION_QOS;
    pub_qos.presentation.access_scope = TOPIC_PRESENTATION_QOS;
    pub_qos.presentation.access_scope = GROUP_PRESENTATION_QOS;
    pub_qos.presentation.coherent_access = true;
    pub_qos.presentation.ordered_access = true;
    sub_qos.presentation.access_scope = TOPIC_PRESENTATION_QOS;
    sub_qos.presentation.ordered_access = true;
    Publisher *publisher = participant->create_publisher(pub_qos, NULL, 0);
    Subscriber *subscriber = participant->create_subscriber(sub_qos, NULL, 0);
    CHECK(topic != NULL && publisher != NULL && subscriber != NULL);
    StringSeq parameters;
    StringSeq_push(parameters, "'RED'");
    ContentFilteredTopic *red =
        participant->create_contentfilteredtopic("Red", topic, "color MATCH %0", parameters);
    CHECK(red != NULL);
    ShapeTypeDataWriter *writer = ShapeTypeDataWriter::narrow(
        publisher->create_datawriter(topic, writer_qos(publisher), NULL, 0));
    ShapeTypeDataReader *reader = ShapeTypeDataReader::narrow(
        subscriber->create_datareader(red, reader_qos(subscriber), NULL, 0));
    CHECK(writer != NULL && reader != NULL);
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    show(publisher, writer);
    int expected[3] = {1, 1, 0};
    watch(subscriber, reader, expected);
    CHECK(__sync_fetch_and_add(&watcher->calls, 0) > 0);
    // The listener may end before its participant does.
    CHECK(participant->delete_contained_entities() == RETCODE_OK);
    delete watcher;
    CHECK(factory->delete_participant(participant) == RETCODE_OK);
    return done();
}
