// Subscribers and readers (DDS 1.4 2.2.2.5).
#ifndef DUNLIN_DDS98_SUBSCRIPTION_HPP
#define DUNLIN_DDS98_SUBSCRIPTION_HPP

#include "dunlin/dds98/publication.hpp"

namespace DDS {
namespace dunlin98 {

inline dunlin_select select_of(SampleStateMask sample_states, ViewStateMask view_states,
                               InstanceStateMask instance_states) {
    dunlin_select select;
    std::memset(&select, 0, sizeof select);
    select.size = sizeof select;
    select.sample_states = sample_states;
    select.view_states = view_states;
    select.instance_states = instance_states;
    return select;
}

// The GUIDs that a function gives, as handles.
template <class F> ReturnCode_t handles_of(dunlin_handle entity, F get, InstanceHandleSeq &to) {
    uint64_t count = 0;
    ReturnCode_t code = get(entity, NULL, 0, &count);
    while (code == RETCODE_OK) {
        if (!to.length(static_cast<ULong>(count))) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        code = get(entity, to.empty() ? NULL : to[0].value, count, &count);
        if (code == RETCODE_OK && count <= to.length()) {
            (void)to.length(static_cast<ULong>(count));
            break;
        }
    }
    return code;
}

template <class F> ReturnCode_t text_by(dunlin_handle entity, F get, String &to) {
    dunlin_block block;
    std::memset(&block, 0, sizeof block);
    const ReturnCode_t code = get(entity, &block);
    if (code == RETCODE_OK) {
        (void)to.assign(reinterpret_cast<const char *>(block.data),
                        static_cast<std::size_t>(block.length));
        (void)dunlin_block_free(&block);
    }
    return code;
}

} // namespace dunlin98

class DataReader : public Entity {
public:
    TopicDescription *get_topicdescription() const { return _topic; }
    inline Subscriber *get_subscriber() const;
    ReturnCode_t get_qos(DataReaderQos &qos) const { return get(qos); }
    ReturnCode_t set_qos(const DataReaderQos &qos) { return set(qos); }
    DataReaderListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(DataReaderListener *listener, StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(listener), listener == NULL, mask,
                                this);
    }

    ReadCondition *create_readcondition(SampleStateMask sample_states, ViewStateMask view_states,
                                        InstanceStateMask instance_states) {
        const dunlin_select select =
            dunlin98::select_of(sample_states, view_states, instance_states);
        dunlin_condition handle = 0;
        if (dunlin_read_condition_new(_handle, &select, &handle) != DUNLIN_OK) {
            return NULL;
        }
        return begin_condition(new (std::nothrow) ReadCondition(this, select), handle);
    }
    QueryCondition *create_querycondition(SampleStateMask sample_states,
                                          ViewStateMask view_states,
                                          InstanceStateMask instance_states,
                                          const char *expression, const StringSeq &parameters) {
        const dunlin_select select =
            dunlin98::select_of(sample_states, view_states, instance_states);
        const dunlin98::Texts texts(parameters);
        dunlin_condition handle = 0;
        if (!texts.is_whole
            || dunlin_query_condition_new(_handle, &select, dunlin_text_of(expression),
                                          texts.data(), texts.count(), &handle)
                   != DUNLIN_OK) {
            return NULL;
        }
        return begin_condition(
            new (std::nothrow) QueryCondition(this, select, expression, parameters), handle);
    }
    ReturnCode_t delete_readcondition(ReadCondition *condition) {
        if (condition == NULL) {
            return dunlin98::refuse(RETCODE_BAD_PARAMETER, "NULL cannot be deleted");
        }
        {
            dunlin98::Lock lock(_lock);
            ReadCondition **at = &_conditions;
            while (*at != NULL && *at != condition) {
                at = &(*at)->_next;
            }
            if (*at == NULL) {
                return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                              "the condition is not the reader's, or has ended");
            }
            *at = condition->_next;
        }
        const ReturnCode_t code = dunlin_close(condition->_handle);
        dunlin98::discard(static_cast<Condition *>(condition));
        return code;
    }
    // Its conditions. PRECONDITION_NOT_MET while samples are lent.
    ReturnCode_t delete_contained_entities() {
        if (is_lent()) {
            return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                          "samples of the reader are lent: return_loan ends that");
        }
        const ReturnCode_t code = dunlin_delete_contained(_handle);
        if (code == RETCODE_OK) {
            end_conditions();
        }
        return code;
    }

    ReturnCode_t wait_for_historical_data(const Duration_t &timeout) {
        return dunlin_reader_wait_for_historical(_handle, to_nanoseconds(timeout));
    }
    // Until so many writers match.
    ReturnCode_t wait_for_matched(ULong writers, const Duration_t &timeout) {
        return dunlin_reader_wait_for_matched(_handle, writers, to_nanoseconds(timeout));
    }

    inline ReturnCode_t get_liveliness_changed_status(LivelinessChangedStatus &to);
    inline ReturnCode_t get_requested_deadline_missed_status(RequestedDeadlineMissedStatus &to);
    inline ReturnCode_t get_requested_incompatible_qos_status(RequestedIncompatibleQosStatus &to);
    inline ReturnCode_t get_sample_lost_status(SampleLostStatus &to);
    inline ReturnCode_t get_sample_rejected_status(SampleRejectedStatus &to);
    inline ReturnCode_t get_subscription_matched_status(SubscriptionMatchedStatus &to);
    ReturnCode_t get_matched_publications(InstanceHandleSeq &handles) const {
        return dunlin98::handles_of(_handle, dunlin_reader_matched, handles);
    }
    // BAD_PARAMETER for one that does not match.
    inline ReturnCode_t get_matched_publication_data(PublicationBuiltinTopicData &data,
                                                     const InstanceHandle_t &handle) const;
    // Why writers of the same or a similar topic do not match, a line each.
    ReturnCode_t explain_matching(String &text) const {
        return dunlin98::text_by(_handle, dunlin_reader_explain, text);
    }

    // What tells readers of different types from each other.
    virtual const void *type_id() const = 0;

protected:
    DataReader() : _topic(NULL), _listener(NULL), _conditions(NULL) {}
    ~DataReader() { end_conditions(); }
    void finish() {
        Entity::finish();
        end_conditions();
    }

    TopicDescription *_topic;
    DataReaderListener *_listener;

private:
    template <class C> C *begin_condition(C *condition, dunlin_condition handle) {
        if (condition == NULL
            || static_cast<Condition *>(condition)->begin(handle) != RETCODE_OK) {
            (void)dunlin_close(handle);
            delete static_cast<Condition *>(condition);
            return NULL;
        }
        dunlin98::Lock lock(_lock);
        condition->_next = _conditions;
        _conditions = condition;
        return condition;
    }
    void end_conditions() {
        while (_conditions != NULL) {
            Condition *condition = _conditions;
            _conditions = _conditions->_next;
            dunlin98::discard(condition);
        }
    }

    ReadCondition *_conditions;

    friend class Subscriber;
    friend class DomainParticipant;
};

class Subscriber : public Entity {
public:
    DomainParticipant *get_participant() const { return _participant; }
    ReturnCode_t get_qos(SubscriberQos &qos) const {
        const ReturnCode_t code = get(qos);
        qos.entity_factory.autoenable_created_entities = _autoenable;
        return code;
    }
    ReturnCode_t set_qos(const SubscriberQos &qos) {
        const ReturnCode_t code = set(qos);
        if (code == RETCODE_OK) {
            _autoenable = qos.entity_factory.autoenable_created_entities;
        }
        return code;
    }
    SubscriberListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(SubscriberListener *listener, StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(listener), listener == NULL, mask);
    }

    // NULL if it cannot be: `last_error` tells why.
    DataReader *create_datareader(TopicDescription *topic, const DataReaderQos &qos,
                                  DataReaderListener *listener, StatusMask mask) {
        if (topic == NULL) {
            (void)dunlin98::refuse(RETCODE_BAD_PARAMETER, "the topic of the reader is NULL");
            return NULL;
        }
        if (_is_builtin) {
            (void)is_fixed();
            return NULL;
        }
        const dunlin98::QosArgument<DataReaderQos> argument(qos);
        dunlin_reader handle = 0;
        if (argument.code != RETCODE_OK
            || dunlin_reader_new(_handle, topic->topic_handle(),
                                 is_default(qos) ? NULL : argument.get(), NULL, &handle)
                   != DUNLIN_OK) {
            return NULL;
        }
        DataReader *reader = topic->_plugin->create_reader();
        if (reader == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        ReturnCode_t code = reader->begin(handle, this);
        reader->_topic = topic;
        if (code == RETCODE_OK && listener != NULL) {
            code = reader->set_listener(listener, mask);
        }
        if (code == RETCODE_OK && _autoenable) {
            code = reader->enable();
        }
        // Within a subscriber that is not enabled yet it is enabled later.
        if (code != RETCODE_OK && code != RETCODE_PRECONDITION_NOT_MET) {
            (void)end(reader);
            return NULL;
        }
        return reader;
    }
    // NULL: there are no XML profiles yet.
    DataReader *create_datareader_with_profile(TopicDescription *, const char *, const char *,
                                               DataReaderListener *, StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    ReturnCode_t delete_datareader(DataReader *reader) {
        return _is_builtin ? is_fixed() : end(reader);
    }
    DataReader *lookup_datareader(const char *topic) const {
        dunlin_reader handle = 0;
        return dunlin_subscriber_lookup_reader(_handle, dunlin_text_of(topic), &handle)
                       == DUNLIN_OK
                   ? static_cast<DataReader *>(dunlin98::object<Entity>(handle))
                   : NULL;
    }
    ReturnCode_t delete_contained_entities() { return _is_builtin ? is_fixed() : end_contained(); }

    ReturnCode_t begin_access() { return dunlin_subscriber_begin_access(_handle); }
    ReturnCode_t end_access() { return dunlin_subscriber_end_access(_handle); }
    // Those that have samples in these states.
    ReturnCode_t get_datareaders(DataReaderSeq &readers, SampleStateMask sample_states,
                                 ViewStateMask view_states, InstanceStateMask instance_states) {
        const dunlin_select select =
            dunlin98::select_of(sample_states, view_states, instance_states);
        Sequence<dunlin_reader> handles;
        uint64_t count = 0;
        readers.clear();
        do {
            if (!handles.length(static_cast<ULong>(count))) {
                return RETCODE_OUT_OF_RESOURCES;
            }
            const ReturnCode_t code = dunlin_subscriber_readers(
                _handle, &select, handles.get_buffer(), handles.length(), &count);
            if (code != RETCODE_OK) {
                return code;
            }
        } while (count > handles.length());
        for (ULong i = 0; i < count; i++) {
            Entity *reader = dunlin98::object<Entity>(handles[i]);
            if (reader != NULL && !readers.push_back(static_cast<DataReader *>(reader))) {
                return RETCODE_OUT_OF_RESOURCES;
            }
        }
        return RETCODE_OK;
    }
    ReturnCode_t notify_datareaders() { return dunlin_subscriber_notify_readers(_handle); }

    ReturnCode_t get_default_datareader_qos(DataReaderQos &qos) const { return get_default(qos); }
    ReturnCode_t set_default_datareader_qos(const DataReaderQos &qos) { return set_default(qos); }
    // What readers and topics have in common.
    static ReturnCode_t copy_from_topic_qos(DataReaderQos &to, const TopicQos &from) {
        dunlin98::copy_common(to, from);
        return RETCODE_OK;
    }

private:
    explicit Subscriber(DomainParticipant *participant)
        : _participant(participant), _listener(NULL), _is_builtin(false) {}

    static ReturnCode_t is_fixed() {
        return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                      "the subscriber of the built-in topics has the four readers that it has");
    }

    DomainParticipant *_participant;
    SubscriberListener *_listener;
    bool _is_builtin;

    friend class DomainParticipant;
};

inline Subscriber *DataReader::get_subscriber() const {
    return static_cast<Subscriber *>(_parent);
}
inline ReturnCode_t DataWriter::get_matched_subscriptions(InstanceHandleSeq &handles) const {
    return dunlin98::handles_of(_handle, dunlin_writer_matched, handles);
}
inline ReturnCode_t DataWriter::explain_matching(String &text) const {
    return dunlin98::text_by(_handle, dunlin_writer_explain, text);
}

} // namespace DDS

#endif
