// Topics, publishers and writers (DDS 1.4 2.2.2.3, 2.2.2.4).
#ifndef DUNLIN_DDS98_PUBLICATION_HPP
#define DUNLIN_DDS98_PUBLICATION_HPP

#include "dunlin/dds98/condition.hpp"

namespace DDS {

// What is known of a type that a `FooTypeSupport` registers.
struct TypePlugin {
    const char *name;
    const uint8_t *objects;
    size_t size;
    DataWriter *(*create_writer)();
    DataReader *(*create_reader)();
};

class TopicDescription {
public:
    const char *get_name() const { return _name.c_str(); }
    const char *get_type_name() const { return _type_name.c_str(); }
    DomainParticipant *get_participant() const { return _participant; }

protected:
    TopicDescription(DomainParticipant *participant, const char *name, const char *type_name,
                     const TypePlugin *plugin)
        : _participant(participant), _plugin(plugin), _name(name), _type_name(type_name) {}
    virtual ~TopicDescription() {}
    virtual dunlin_handle topic_handle() const = 0;
    virtual Topic *as_topic() { return NULL; }

    DomainParticipant *_participant;
    const TypePlugin *_plugin;
    String _name;
    String _type_name;

private:
    TopicDescription(const TopicDescription &);
    TopicDescription &operator=(const TopicDescription &);

    friend class DomainParticipant;
    friend class Publisher;
    friend class Subscriber;
    friend class Topic;
};

class Topic : public Entity, public TopicDescription {
public:
    // NULL if it is a part of a topic.
    static Topic *narrow(TopicDescription *description) {
        return description == NULL ? NULL : description->as_topic();
    }

    ReturnCode_t get_qos(TopicQos &qos) const { return get(qos); }
    ReturnCode_t set_qos(const TopicQos &qos) { return set(qos); }
    TopicListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(TopicListener *listener, StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(listener), listener == NULL, mask);
    }
    inline ReturnCode_t get_inconsistent_topic_status(InconsistentTopicStatus &to);

private:
    Topic(DomainParticipant *participant, const char *name, const char *type_name,
          const TypePlugin *plugin)
        : TopicDescription(participant, name, type_name, plugin), _listener(NULL) {}
    dunlin_handle topic_handle() const { return _handle; }
    Topic *as_topic() { return this; }

    TopicListener *_listener;

    friend class DomainParticipant;
};

// Those samples of a topic that pass a filter.
class ContentFilteredTopic : public Entity, public TopicDescription {
public:
    Topic *get_related_topic() const { return _topic; }
    const char *get_filter_expression() const { return _expression.c_str(); }
    ReturnCode_t get_expression_parameters(StringSeq &parameters) const {
        return parameters.from_array(_parameters.get_buffer(), _parameters.length())
                   ? RETCODE_OK
                   : RETCODE_OUT_OF_RESOURCES;
    }
    ReturnCode_t set_expression_parameters(const StringSeq &parameters) {
        const dunlin98::Texts texts(parameters);
        if (!texts.is_whole) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        const ReturnCode_t code =
            dunlin_filtered_topic_parameters_set(_handle, texts.data(), texts.count());
        if (code == RETCODE_OK) {
            _parameters = parameters;
        }
        return code;
    }

private:
    ContentFilteredTopic(Topic *topic, const char *name, const char *expression,
                         const StringSeq &parameters, DomainParticipant *participant,
                         const TypePlugin *plugin)
        : TopicDescription(participant, name, topic->get_type_name(), plugin), _topic(topic),
          _expression(expression), _parameters(parameters) {}
    dunlin_handle topic_handle() const { return _handle; }
    TopicDescription *as_filtered() { return this; }

    Topic *_topic;
    String _expression;
    StringSeq _parameters;

    friend class DomainParticipant;
};

class DataWriter : public Entity {
public:
    Topic *get_topic() const { return _topic; }
    inline Publisher *get_publisher() const;
    ReturnCode_t get_qos(DataWriterQos &qos) const { return get(qos); }
    ReturnCode_t set_qos(const DataWriterQos &qos) { return set(qos); }
    DataWriterListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(DataWriterListener *listener, StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(listener), listener == NULL, mask);
    }

    ReturnCode_t wait_for_acknowledgments(const Duration_t &timeout) {
        return dunlin_writer_wait_for_acknowledgments(_handle, to_nanoseconds(timeout));
    }
    // Until so many readers match.
    ReturnCode_t wait_for_matched(ULong readers, const Duration_t &timeout) {
        return dunlin_writer_wait_for_matched(_handle, readers, to_nanoseconds(timeout));
    }
    ReturnCode_t assert_liveliness() { return dunlin_assert_liveliness(_handle); }
    ReturnCode_t flush() { return dunlin_flush(_handle); }

    inline ReturnCode_t get_liveliness_lost_status(LivelinessLostStatus &to);
    inline ReturnCode_t get_offered_deadline_missed_status(OfferedDeadlineMissedStatus &to);
    inline ReturnCode_t get_offered_incompatible_qos_status(OfferedIncompatibleQosStatus &to);
    inline ReturnCode_t get_publication_matched_status(PublicationMatchedStatus &to);
    inline ReturnCode_t get_matched_subscriptions(InstanceHandleSeq &handles) const;
    // BAD_PARAMETER for one that does not match.
    inline ReturnCode_t get_matched_subscription_data(SubscriptionBuiltinTopicData &data,
                                                      const InstanceHandle_t &handle) const;
    // Why readers of the same or a similar topic do not match, a line each.
    inline ReturnCode_t explain_matching(String &text) const;

    // What tells writers of different types from each other.
    virtual const void *type_id() const = 0;

protected:
    DataWriter() : _topic(NULL), _listener(NULL), _representation(DUNLIN_XCDR1) {}

    Topic *_topic;
    DataWriterListener *_listener;
    int32_t _representation;

    friend class Publisher;
};

class Publisher : public Entity {
public:
    DomainParticipant *get_participant() const { return _participant; }
    ReturnCode_t get_qos(PublisherQos &qos) const {
        const ReturnCode_t code = get(qos);
        qos.entity_factory.autoenable_created_entities = _autoenable;
        return code;
    }
    ReturnCode_t set_qos(const PublisherQos &qos) {
        const ReturnCode_t code = set(qos);
        if (code == RETCODE_OK) {
            _autoenable = qos.entity_factory.autoenable_created_entities;
        }
        return code;
    }
    PublisherListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(PublisherListener *listener, StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        DataWriterListener *writer = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(writer), listener == NULL, mask);
    }

    // NULL if it cannot be: `last_error` tells why.
    DataWriter *create_datawriter(Topic *topic, const DataWriterQos &qos,
                                  DataWriterListener *listener, StatusMask mask) {
        if (topic == NULL) {
            (void)dunlin98::refuse(RETCODE_BAD_PARAMETER, "the topic of the writer is NULL");
            return NULL;
        }
        const dunlin98::QosArgument<DataWriterQos> argument(qos);
        dunlin_writer handle = 0;
        if (argument.code != RETCODE_OK
            || dunlin_writer_new(_handle, topic->handle(),
                                 is_default(qos) ? NULL : argument.get(), NULL, &handle)
                   != DUNLIN_OK) {
            return NULL;
        }
        DataWriter *writer = topic->_plugin->create_writer();
        if (writer == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        ReturnCode_t code = writer->begin(handle, this);
        writer->_topic = topic;
        if (code == RETCODE_OK) {
            dunlin98::QosResult<DataWriterQos> result;
            code = dunlin_qos_get(handle, result.any(), &result.block);
            writer->_representation = result.get().representation;
        }
        if (code == RETCODE_OK && listener != NULL) {
            code = writer->set_listener(listener, mask);
        }
        if (code == RETCODE_OK && _autoenable) {
            code = writer->enable();
        }
        // Within a publisher that is not enabled yet it is enabled later.
        if (code != RETCODE_OK && code != RETCODE_PRECONDITION_NOT_MET) {
            (void)end(writer);
            return NULL;
        }
        return writer;
    }
    // NULL: there are no XML profiles yet.
    DataWriter *create_datawriter_with_profile(Topic *, const char *, const char *,
                                               DataWriterListener *, StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    ReturnCode_t delete_datawriter(DataWriter *writer) { return end(writer); }
    DataWriter *lookup_datawriter(const char *topic) const {
        dunlin_writer handle = 0;
        return dunlin_publisher_lookup_writer(_handle, dunlin_text_of(topic), &handle)
                       == DUNLIN_OK
                   ? static_cast<DataWriter *>(dunlin98::object<Entity>(handle))
                   : NULL;
    }
    ReturnCode_t delete_contained_entities() { return end_contained(); }

    ReturnCode_t suspend_publications() { return dunlin_publisher_suspend(_handle); }
    ReturnCode_t resume_publications() { return dunlin_publisher_resume(_handle); }
    ReturnCode_t begin_coherent_changes() { return dunlin_publisher_begin_coherent(_handle); }
    ReturnCode_t end_coherent_changes() { return dunlin_publisher_end_coherent(_handle); }
    ReturnCode_t wait_for_acknowledgments(const Duration_t &timeout) {
        return dunlin_publisher_wait_for_acknowledgments(_handle, to_nanoseconds(timeout));
    }

    ReturnCode_t get_default_datawriter_qos(DataWriterQos &qos) const { return get_default(qos); }
    ReturnCode_t set_default_datawriter_qos(const DataWriterQos &qos) { return set_default(qos); }
    // What writers and topics have in common.
    static ReturnCode_t copy_from_topic_qos(DataWriterQos &to, const TopicQos &from) {
        dunlin98::copy_common(to, from);
        to.durability_service = from.durability_service;
        to.transport_priority = from.transport_priority;
        to.lifespan = from.lifespan;
        return RETCODE_OK;
    }

private:
    explicit Publisher(DomainParticipant *participant)
        : _participant(participant), _listener(NULL) {}

    DomainParticipant *_participant;
    PublisherListener *_listener;

    friend class DomainParticipant;
};

inline Publisher *DataWriter::get_publisher() const { return static_cast<Publisher *>(_parent); }

} // namespace DDS

#endif
