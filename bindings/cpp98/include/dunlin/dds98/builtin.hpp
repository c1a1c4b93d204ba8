// The readers of the built-in topics, and what a participant has discovered (DDS 1.4 2.2.5).
#ifndef DUNLIN_DDS98_BUILTIN_HPP
#define DUNLIN_DDS98_BUILTIN_HPP

#include "dunlin/dds98/builtin_data.hpp"
#include "dunlin/dds98/pointers.hpp"
#include "dunlin/dds98/typed.hpp"

namespace DDS {
namespace dunlin98 {

// Which built-in topic has data of a type.
template <class D> struct BuiltinKind;
template <> struct BuiltinKind<ParticipantBuiltinTopicData> {
    enum { KIND = DUNLIN_BUILTIN_PARTICIPANT };
};
template <> struct BuiltinKind<TopicBuiltinTopicData> {
    enum { KIND = DUNLIN_BUILTIN_TOPIC };
};
template <> struct BuiltinKind<PublicationBuiltinTopicData> {
    enum { KIND = DUNLIN_BUILTIN_PUBLICATION };
};
template <> struct BuiltinKind<SubscriptionBuiltinTopicData> {
    enum { KIND = DUNLIN_BUILTIN_SUBSCRIPTION };
};

// What a typed reader asks of its codec.
template <class D> struct BuiltinCodec {
    typedef D Value;
    // Nothing of a payload stays in it.
    enum { lends = 0 };
    static bool lend(D *to, const uint8_t *payload, size_t size, dunlin_cdr_fault *fault) {
        return read(to, payload, size, fault);
    }
    static bool reset(D *to) {
        *to = D();
        return true;
    }
    static bool read(D *to, const uint8_t *payload, size_t size, dunlin_cdr_fault *fault) {
        return decode(to, payload, size, true, fault);
    }
    static bool key_read(D *to, const uint8_t *payload, size_t size, dunlin_cdr_fault *fault) {
        return reset(to) && decode(to, payload, size, false, fault);
    }
    static bool key_hash(const D *value, uint8_t hash[16], dunlin_cdr_fault *) {
        std::memcpy(hash, value->key.value, sizeof value->key.value);
        return true;
    }

private:
    static bool decode(D *to, const uint8_t *payload, size_t size, bool is_valid,
                       dunlin_cdr_fault *fault) {
        dunlin_sample sample;
        BuiltinResult result;
        std::memset(&sample, 0, sizeof sample);
        sample.data = payload;
        sample.length = size;
        sample.info.valid_data = is_valid;
        const ReturnCode_t code = result.give(
            dunlin_builtin_decode(BuiltinKind<D>::KIND, &sample, &result.data, &result.block), *to);
        if (code != RETCODE_OK && fault != NULL) {
            std::memset(fault, 0, sizeof *fault);
            fault->code = DUNLIN_CDR_TRUNCATED;
            fault->where = "a built-in topic";
        }
        return code == RETCODE_OK;
    }
};

// A reader of a built-in topic.
template <class D> class BuiltinReader : public TypedDataReader<BuiltinCodec<D> > {
public:
    // NULL if it is a reader of another topic.
    static BuiltinReader *narrow(DataReader *reader) {
        return reader != NULL && reader->type_id() == type_id_of<BuiltinCodec<D> >()
                   ? static_cast<BuiltinReader *>(reader)
                   : NULL;
    }
    static BuiltinReader *_narrow(DataReader *reader) { return narrow(reader); }
};

} // namespace dunlin98

typedef Sequence<ParticipantBuiltinTopicData> ParticipantBuiltinTopicDataSeq;
typedef Sequence<TopicBuiltinTopicData> TopicBuiltinTopicDataSeq;
typedef Sequence<PublicationBuiltinTopicData> PublicationBuiltinTopicDataSeq;
typedef Sequence<SubscriptionBuiltinTopicData> SubscriptionBuiltinTopicDataSeq;
typedef dunlin98::BuiltinReader<ParticipantBuiltinTopicData> ParticipantBuiltinTopicDataDataReader;
typedef dunlin98::BuiltinReader<TopicBuiltinTopicData> TopicBuiltinTopicDataDataReader;
typedef dunlin98::BuiltinReader<PublicationBuiltinTopicData> PublicationBuiltinTopicDataDataReader;
typedef dunlin98::BuiltinReader<SubscriptionBuiltinTopicData> SubscriptionBuiltinTopicDataDataReader;

namespace dunlin98 {

// What a built-in reader says that it reads.
class BuiltinTopic : public TopicDescription {
public:
    BuiltinTopic(DomainParticipant *participant, const char *name, const char *type_name)
        : TopicDescription(participant, name, type_name, NULL) {}

private:
    dunlin_handle topic_handle() const { return 0; }
};

// The objects of the built-in readers of a participant.
struct Builtin {
    explicit Builtin(DomainParticipant *participant)
        : participants(participant, "DCPSParticipant", "DDS::ParticipantBuiltinTopicData"),
          topics(participant, "DCPSTopic", "DDS::TopicBuiltinTopicData"),
          publications(participant, "DCPSPublication", "DDS::PublicationBuiltinTopicData"),
          subscriptions(participant, "DCPSSubscription", "DDS::SubscriptionBuiltinTopicData"),
          subscriber(NULL) {}
    void finish() {}

    BuiltinTopic participants, topics, publications, subscriptions;
    Subscriber *subscriber;
};

// A function that lists what is discovered, for `handles_of`.
struct Discovered {
    explicit Discovered(uint32_t of) : kind(of) {}
    ReturnCode_t operator()(dunlin_handle participant, uint8_t *keys, uint64_t room,
                            uint64_t *count) const {
        return dunlin_discovered(participant, kind, keys, room, count);
    }
    uint32_t kind;
};

inline void end(Builtin *builtin) {
    if (builtin != NULL) {
        discard(static_cast<Entity *>(builtin->subscriber));
        discard(builtin);
    }
}

} // namespace dunlin98

template <class D>
bool DomainParticipant::begin_builtin(dunlin98::Builtin &builtin, dunlin98::BuiltinTopic &topic) {
    dunlin_reader handle = 0;
    if (dunlin_builtin_reader(_handle, dunlin98::BuiltinKind<D>::KIND, &handle) != DUNLIN_OK) {
        return false;
    }
    DataReader *reader = new (std::nothrow) dunlin98::BuiltinReader<D>();
    if (reader == NULL) {
        return false;
    }
    reader->_topic = &topic;
    return reader->begin(handle, builtin.subscriber) == RETCODE_OK;
}

inline Subscriber *DomainParticipant::get_builtin_subscriber() {
    dunlin_subscriber handle = 0;
    {
        dunlin98::Lock lock(_lock);
        if (_builtin != NULL) {
            return _builtin->subscriber;
        }
    }
    dunlin98::Builtin *made = NULL;
    if (dunlin_builtin_subscriber(_handle, &handle) == DUNLIN_OK) {
        made = new (std::nothrow) dunlin98::Builtin(this);
    }
    if (made == NULL) {
        return NULL;
    }
    made->subscriber = new (std::nothrow) Subscriber(this);
    if (made->subscriber == NULL) {
        delete made;
        return NULL;
    }
    made->subscriber->_is_builtin = true;
    dunlin98::Builtin *there;
    {
        // The objects begin under the lock, since a handle leads to one object only.
        dunlin98::Lock lock(_lock);
        if (_builtin == NULL && made->subscriber->begin(handle, NULL) == RETCODE_OK
            && begin_builtin<ParticipantBuiltinTopicData>(*made, made->participants)
            && begin_builtin<TopicBuiltinTopicData>(*made, made->topics)
            && begin_builtin<PublicationBuiltinTopicData>(*made, made->publications)
            && begin_builtin<SubscriptionBuiltinTopicData>(*made, made->subscriptions)) {
            _builtin = made;
        }
        there = _builtin;
    }
    if (there == NULL) {
        // No handle leads to objects that end.
        (void)dunlin_close(handle);
    }
    if (there != made) {
        dunlin98::end(made);
    }
    return there == NULL ? NULL : there->subscriber;
}

inline ReturnCode_t
DomainParticipant::get_discovered_participants(InstanceHandleSeq &handles) const {
    return dunlin98::handles_of(
        _handle, dunlin98::Discovered(DUNLIN_BUILTIN_PARTICIPANT), handles);
}
inline ReturnCode_t DomainParticipant::get_discovered_topics(InstanceHandleSeq &handles) const {
    return dunlin98::handles_of(_handle, dunlin98::Discovered(DUNLIN_BUILTIN_TOPIC), handles);
}
inline ReturnCode_t
DomainParticipant::get_discovered_participant_data(ParticipantBuiltinTopicData &data,
                                                   const InstanceHandle_t &handle) const {
    dunlin98::BuiltinResult result;
    return result.give(dunlin_discovered_data(_handle, DUNLIN_BUILTIN_PARTICIPANT, handle.value,
                                              &result.data, &result.block),
                       data);
}
inline ReturnCode_t
DomainParticipant::get_discovered_topic_data(TopicBuiltinTopicData &data,
                                             const InstanceHandle_t &handle) const {
    dunlin98::BuiltinResult result;
    return result.give(dunlin_discovered_data(_handle, DUNLIN_BUILTIN_TOPIC, handle.value,
                                              &result.data, &result.block),
                       data);
}
inline ReturnCode_t
DataWriter::get_matched_subscription_data(SubscriptionBuiltinTopicData &data,
                                          const InstanceHandle_t &handle) const {
    dunlin98::BuiltinResult result;
    return result.give(
        dunlin_writer_matched_data(_handle, handle.value, &result.data, &result.block), data);
}
inline ReturnCode_t
DataReader::get_matched_publication_data(PublicationBuiltinTopicData &data,
                                         const InstanceHandle_t &handle) const {
    dunlin98::BuiltinResult result;
    return result.give(
        dunlin_reader_matched_data(_handle, handle.value, &result.data, &result.block), data);
}

} // namespace DDS

#endif
