// What all entities are: objects that belong to the one that created them.
#ifndef DUNLIN_DDS98_ENTITY_HPP
#define DUNLIN_DDS98_ENTITY_HPP

#include "dunlin/dds98/qos.hpp"

namespace DDS {

class Condition;
class StatusCondition;
class ReadCondition;
class QueryCondition;
class TopicDescription;
class Topic;
class ContentFilteredTopic;
class DataWriter;
class Publisher;
class DataReader;
class Subscriber;
class DomainParticipant;
class DomainParticipantFactory;
class Entity;
class MultiTopic;
struct ParticipantBuiltinTopicData;
struct TopicBuiltinTopicData;
struct PublicationBuiltinTopicData;
struct SubscriptionBuiltinTopicData;

typedef Sequence<DataReader *> DataReaderSeq;

// Listeners have a method for each status. Those that are not overridden do nothing. They are called
// on the thread that received, without any lock, and may call everything.
class Listener {
public:
    virtual ~Listener() {}
};

class TopicListener : public virtual Listener {
public:
    virtual void on_inconsistent_topic(Topic *, const InconsistentTopicStatus &) {}
};

class DataWriterListener : public virtual Listener {
public:
    virtual void on_offered_deadline_missed(DataWriter *, const OfferedDeadlineMissedStatus &) {}
    virtual void on_offered_incompatible_qos(DataWriter *, const OfferedIncompatibleQosStatus &) {}
    virtual void on_liveliness_lost(DataWriter *, const LivelinessLostStatus &) {}
    virtual void on_publication_matched(DataWriter *, const PublicationMatchedStatus &) {}
};

class PublisherListener : public virtual DataWriterListener {};

class DataReaderListener : public virtual Listener {
public:
    virtual void on_requested_deadline_missed(DataReader *,
                                              const RequestedDeadlineMissedStatus &) {}
    virtual void on_requested_incompatible_qos(DataReader *,
                                               const RequestedIncompatibleQosStatus &) {}
    virtual void on_sample_rejected(DataReader *, const SampleRejectedStatus &) {}
    virtual void on_liveliness_changed(DataReader *, const LivelinessChangedStatus &) {}
    virtual void on_data_available(DataReader *) {}
    virtual void on_subscription_matched(DataReader *, const SubscriptionMatchedStatus &) {}
    virtual void on_sample_lost(DataReader *, const SampleLostStatus &) {}
};

class SubscriberListener : public virtual DataReaderListener {
public:
    virtual void on_data_on_readers(Subscriber *) {}
};

class DomainParticipantListener : public virtual TopicListener,
                                  public virtual PublisherListener,
                                  public virtual SubscriberListener {};

namespace dunlin98 {

inline ReturnCode_t no_profiles() {
    return dunlin98::refuse(RETCODE_UNSUPPORTED,
                  "XML profiles are not supported yet: set the members of the QoS");
}

// For a few instructions at a time: a thread that finds it taken tries again.
class Lock {
public:
    explicit Lock(volatile int &word) : _word(word) {
        while (__sync_lock_test_and_set(&_word, 1) != 0) {
        }
    }
    ~Lock() { __sync_lock_release(&_word); }

private:
    Lock(const Lock &);
    Lock &operator=(const Lock &);
    volatile int &_word;
};

// The parts that a listener has, by whom they are about, and the entity whose own it is.
struct Parts {
    TopicListener *topic;
    DataWriterListener *writer;
    DataReaderListener *reader;
    SubscriberListener *subscriber;
    Entity *own;
};

inline Parts parts_of(TopicListener *listener) {
    Parts parts = {listener, NULL, NULL, NULL, NULL};
    return parts;
}
inline Parts parts_of(DataWriterListener *listener) {
    Parts parts = {NULL, listener, NULL, NULL, NULL};
    return parts;
}
inline Parts parts_of(DataReaderListener *listener) {
    Parts parts = {NULL, NULL, listener, NULL, NULL};
    return parts;
}
inline Parts parts_of(SubscriberListener *listener) {
    Parts parts = {NULL, NULL, listener, listener, NULL};
    return parts;
}
inline Parts parts_of(DomainParticipantListener *listener) {
    Parts parts = {listener, listener, listener, listener, NULL};
    return parts;
}

#ifdef DUNLIN_DEBUG
// An object that has ended and is kept, so that whoever still uses it is told ALREADY_DELETED.
struct Kept {
    void *object;
    Kept *next;
};
template <class T> struct Ended {
    static Kept *all;
    static volatile int lock;
};
template <class T> Kept *Ended<T>::all = NULL;
template <class T> volatile int Ended<T>::lock = 0;

template <class T> void discard(T *object) {
    Kept *kept = new (std::nothrow) Kept();
    if (object == NULL || kept == NULL) {
        delete kept;
        return;
    }
    object->finish();
    kept->object = object;
    Lock lock(Ended<T>::lock);
    kept->next = Ended<T>::all;
    Ended<T>::all = kept;
}
#else
template <class T> void discard(T *object) { delete object; }
#endif

inline void on_data(void *context, dunlin_reader reader);
inline void on_data_on_readers(void *context, dunlin_subscriber subscriber);
inline void on_status(void *context, dunlin_handle entity, const dunlin_status *status);
inline void release(void *context) { delete static_cast<Parts *>(context); }

// Sets the listener of an entity. `own` is its object, for one that need not be looked for at each
// call: no call begins once its handle is closed, and the object ends behind that.
inline ReturnCode_t listen(dunlin_handle entity, const Parts &parts, bool is_none, StatusMask mask,
                           Entity *own = NULL) {
    dunlin_listener listener;
    if (is_none) {
        return dunlin_set_listener(entity, NULL);
    }
    std::memset(&listener, 0, sizeof listener);
    Parts *context = new (std::nothrow) Parts(parts);
    if (context == NULL) {
        return RETCODE_OUT_OF_RESOURCES;
    }
    context->own = own;
    listener.size = sizeof listener;
    listener.mask = mask;
    listener.context = context;
    listener.on_data = on_data;
    listener.on_data_on_readers = on_data_on_readers;
    listener.on_status = on_status;
    listener.release = release;
    const ReturnCode_t code = dunlin_set_listener(entity, &listener);
    if (code != RETCODE_OK) {
        delete context;
    }
    return code;
}

// The object of a handle; NULL if it is gone, or not the application's.
template <class E> E *object(dunlin_handle handle) {
    uint64_t attachment = 0;
    if (dunlin_attachment(handle, &attachment) != DUNLIN_OK) {
        return NULL;
    }
    return reinterpret_cast<E *>(static_cast<uintptr_t>(attachment));
}
template <class E> ReturnCode_t attach(dunlin_handle handle, E *object) {
    return dunlin_set_attachment(handle, reinterpret_cast<uintptr_t>(object));
}

} // namespace dunlin98

class Entity {
public:
    // Enables it, and what it has created, if its QoS says so.
    inline ReturnCode_t enable();
    // NULL for a participant and a publisher, which have no status.
    inline StatusCondition *get_statuscondition();
    StatusMask get_status_changes() const {
        StatusMask mask = STATUS_MASK_NONE;
        (void)dunlin_status_changes(_handle, &mask);
        return mask;
    }
    InstanceHandle_t get_instance_handle() const {
        InstanceHandle_t handle = HANDLE_NIL;
        (void)dunlin_guid(_handle, handle.value);
        return handle;
    }
    // For functions of `dunlin.h`.
    dunlin_handle handle() const { return _handle; }

protected:
    Entity()
        : _handle(0), _parent(NULL), _first(NULL), _next(NULL), _autoenable(true), _lock(0),
          _condition(NULL) {}
    inline virtual ~Entity();

    // The entity is there, as the handle, and belongs to its parent.
    ReturnCode_t begin(dunlin_handle handle, Entity *parent) {
        _handle = handle;
        const ReturnCode_t code = dunlin98::attach(handle, this);
        if (code == RETCODE_OK && parent != NULL) {
            dunlin98::Lock lock(parent->_lock);
            _parent = parent;
            _next = parent->_first;
            parent->_first = this;
        }
        return code;
    }
    // Takes one that was created here out; NULL if it was not.
    Entity *remove(Entity *child) {
        dunlin98::Lock lock(_lock);
        for (Entity **at = &_first; *at != NULL; at = &(*at)->_next) {
            if (*at == child) {
                *at = child->_next;
                return child;
            }
        }
        return NULL;
    }
    bool has(const Entity *child) {
        dunlin98::Lock lock(_lock);
        for (Entity *at = _first; at != NULL; at = at->_next) {
            if (at == child) {
                return true;
            }
        }
        return false;
    }
    // Ends an entity that was created here, unless something of it is in use.
    template <class E> ReturnCode_t end(E *child) {
        if (child == NULL) {
            return dunlin98::refuse(RETCODE_BAD_PARAMETER, "NULL cannot be deleted");
        }
        if (!has(child)) {
            return gone(child);
        }
        if (child->is_lent()) {
            return lent(child->_handle);
        }
        const ReturnCode_t code = dunlin_delete(child->_handle);
        if (code == RETCODE_OK && remove(child) != NULL) {
            dunlin98::discard(static_cast<Entity *>(child));
        }
        return code;
    }
    // A reader or writer that cannot be deleted yet.
    static ReturnCode_t lent(dunlin_handle handle) {
        dunlin_block name = {NULL, 0, 0};
        dunlin98::Words words;
        (void)dunlin_name(handle, &name);
        words << "a reader or writer of topic \"" << reinterpret_cast<const char *>(name.data)
              << "\" has lent samples or memory: return_loan, write_loan or discard_loan ends that";
        (void)dunlin_block_free(&name);
        return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET, words.c_str());
    }
    // Ends the objects of all that was created here, whose handles are closed.
    void end_all() {
        for (;;) {
            Entity *first;
            {
                dunlin98::Lock lock(_lock);
                first = _first;
                if (first == NULL) {
                    return;
                }
                _first = first->_next;
            }
            dunlin98::discard(first);
        }
    }
    // What was not created here, or has ended: only with DUNLIN_DEBUG it is still there.
    static ReturnCode_t gone(const Entity *child) {
#ifdef DUNLIN_DEBUG
        uint32_t kind = 0;
        const ReturnCode_t code = dunlin_kind(child->_handle, &kind);
        if (code != RETCODE_OK) {
            return code;
        }
#else
        (void)child;
#endif
        return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                "what is to be deleted was not created here, or has ended: what has created it "
                                "deletes it");
    }
    // Gives back what it has, once its handle is closed. Once or more often.
    virtual void finish() { end_all(); }
    ReturnCode_t end_contained() {
        const ReturnCode_t code = dunlin_delete_contained(_handle);
        if (code == RETCODE_OK) {
            end_all();
        }
        return code;
    }
    virtual bool is_lent() const { return false; }
    virtual TopicDescription *as_filtered() { return NULL; }

    template <class Q> ReturnCode_t get(Q &qos) const {
        dunlin98::QosResult<Q> result;
        const ReturnCode_t code = dunlin_qos_get(_handle, result.any(), &result.block);
        return result.give(code, qos);
    }
    template <class Q> ReturnCode_t set(const Q &qos) {
        const dunlin98::QosArgument<Q> argument(qos);
        return argument.code != RETCODE_OK ? argument.code : dunlin_qos_set(_handle, argument.any());
    }
    template <class Q> ReturnCode_t get_default(Q &qos) const {
        dunlin98::QosResult<Q> result;
        const ReturnCode_t code = dunlin_default_qos_get(_handle, result.any(), &result.block);
        return result.give(code, qos);
    }
    template <class Q> ReturnCode_t set_default(const Q &qos) {
        const dunlin98::QosArgument<Q> argument(qos);
        return argument.code != RETCODE_OK ? argument.code
                                           : dunlin_default_qos_set(_handle, argument.any());
    }
    dunlin_handle _handle;
    Entity *_parent;
    Entity *_first;
    Entity *_next;
    bool _autoenable;
    mutable volatile int _lock;

private:
    Entity(const Entity &);
    Entity &operator=(const Entity &);

    StatusCondition *_condition;

    friend class DomainParticipantFactory;
    friend class DomainParticipant;
    friend class Publisher;
    friend class Subscriber;
    template <class T> friend void dunlin98::discard(T *);
};

} // namespace DDS

#endif
