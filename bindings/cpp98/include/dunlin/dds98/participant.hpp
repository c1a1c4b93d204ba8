// Participants and their factory (DDS 1.4 2.2.2.2).
#ifndef DUNLIN_DDS98_PARTICIPANT_HPP
#define DUNLIN_DDS98_PARTICIPANT_HPP

#include "dunlin/dds98/status.hpp"

namespace DDS {
namespace dunlin98 {

struct Builtin;
class BuiltinTopic;
inline void end(Builtin *builtin);

} // namespace dunlin98

class DomainParticipant : public Entity {
public:
    DomainId_t get_domain_id() const {
        uint32_t domain = 0;
        (void)dunlin_participant_domain(_handle, &domain);
        return static_cast<DomainId_t>(domain);
    }
    ReturnCode_t get_qos(DomainParticipantQos &qos) const { return get(qos); }
    ReturnCode_t set_qos(const DomainParticipantQos &qos) {
        const ReturnCode_t code = set(qos);
        if (code == RETCODE_OK) {
            _autoenable = qos.entity_factory.autoenable_created_entities;
        }
        return code;
    }
    DomainParticipantListener *get_listener() const { return _listener; }
    ReturnCode_t set_listener(DomainParticipantListener *listener,
                              StatusMask mask = STATUS_MASK_ALL) {
        _listener = listener;
        return dunlin98::listen(_handle, dunlin98::parts_of(listener), listener == NULL, mask);
    }

    // What is created is NULL if it cannot be: `last_error` tells why.
    Publisher *create_publisher(const PublisherQos &qos, PublisherListener *listener,
                                StatusMask mask) {
        return create_group<Publisher, PublisherQos>(qos, listener, mask, dunlin_publisher_new);
    }
    // What is created with a profile is NULL: there are no XML profiles yet.
    Publisher *create_publisher_with_profile(const char *, const char *, PublisherListener *,
                                             StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    ReturnCode_t delete_publisher(Publisher *publisher) { return end(publisher); }
    Subscriber *create_subscriber(const SubscriberQos &qos, SubscriberListener *listener,
                                  StatusMask mask) {
        return create_group<Subscriber, SubscriberQos>(qos, listener, mask, dunlin_subscriber_new);
    }
    Subscriber *create_subscriber_with_profile(const char *, const char *, SubscriberListener *,
                                               StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    ReturnCode_t delete_subscriber(Subscriber *subscriber) { return end(subscriber); }

    // A topic of a type that was registered. One that is there already is the same.
    Topic *create_topic(const char *name, const char *type_name, const TopicQos &qos,
                        TopicListener *listener, StatusMask mask) {
        Sequence<Registered> types;
        copy_types(types);
        const Registered *of = NULL;
        for (ULong i = 0; i < types.length() && type_name != NULL; i++) {
            if (types[i].name == type_name) {
                of = &types[i];
            }
        }
        if (of == NULL) {
            dunlin98::Words words;
            words << "topic \"" << name << "\": no type is registered in this participant by the name \""
                  << type_name << "\"; registered are: ";
            for (ULong i = 0; i < types.length(); i++) {
                words << (i == 0 ? "\"" : ", \"") << types[i].name.c_str() << "\"";
            }
            words << (types.empty() ? "none" : "") << ". FooTypeSupport::register_type does that";
            (void)dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET, words.c_str());
            return NULL;
        }
        const dunlin98::QosArgument<TopicQos> argument(qos);
        dunlin_topic handle = 0;
        if (argument.code != RETCODE_OK
            || dunlin_topic_new(_handle, dunlin_text_of(name), of->type,
                                is_default(qos) ? NULL : argument.get(), NULL, &handle)
                   != DUNLIN_OK) {
            return NULL;
        }
        return begin_topic(handle, name, *of, listener, mask);
    }
    Topic *create_topic_with_profile(const char *, const char *, const char *, const char *,
                                     TopicListener *, StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    // The topic of this name, as soon as this participant or another one has it with a type that is
    // registered here. NULL if nobody has it by then. One that is there is the same.
    Topic *find_topic(const char *name, const Duration_t &timeout) {
        if (Topic *there = Topic::narrow(lookup_topicdescription(name))) {
            return there;
        }
        Sequence<Registered> types;
        copy_types(types);
        if (types.empty()) {
            (void)dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                   "no type is registered: FooTypeSupport::register_type does that");
            return NULL;
        }
        // With several types each is waited for in its turn.
        const int64_t turn = types.length() == 1 ? DUNLIN_INFINITE : DUNLIN_SECOND / 100;
        int64_t left = to_nanoseconds(timeout);
        for (ULong i = 0;; i = (i + 1) % types.length()) {
            const int64_t now = left < turn ? left : turn;
            dunlin_topic handle = 0;
            const ReturnCode_t code =
                dunlin_topic_find(_handle, dunlin_text_of(name), types[i].type, now, &handle);
            if (code == RETCODE_OK) {
                return begin_topic(handle, name, types[i], NULL, STATUS_MASK_NONE);
            }
            if (code != RETCODE_TIMEOUT || (left <= 0 && i + 1 == types.length())) {
                return NULL;
            }
            left -= left == DUNLIN_INFINITE ? 0 : now;
        }
    }
    ReturnCode_t delete_topic(Topic *topic) { return end(topic); }
    ContentFilteredTopic *create_contentfilteredtopic(const char *name, Topic *topic,
                                                      const char *expression,
                                                      const StringSeq &parameters) {
        const dunlin98::Texts texts(parameters);
        dunlin_filtered_topic handle = 0;
        if (topic == NULL) {
            (void)dunlin98::refuse(RETCODE_BAD_PARAMETER, "the topic to be filtered is NULL");
            return NULL;
        }
        if (!texts.is_whole
            || dunlin_filtered_topic_new(topic->_handle, dunlin_text_of(name),
                                         dunlin_text_of(expression), texts.data(), texts.count(),
                                         &handle)
                   != DUNLIN_OK) {
            return NULL;
        }
        ContentFilteredTopic *made = new (std::nothrow)
            ContentFilteredTopic(topic, name, expression, parameters, this, topic->_plugin);
        if (made == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        if (made->begin(handle, this) != RETCODE_OK) {
            (void)end(made);
            return NULL;
        }
        return made;
    }
    ReturnCode_t delete_contentfilteredtopic(ContentFilteredTopic *topic) { return end(topic); }
    // NULL: a topic of several topics (DDS 1.4 2.2.2.3.4) is not supported.
    MultiTopic *create_multitopic(const char *, const char *, const char *, const StringSeq &) {
        (void)no_multitopic();
        return NULL;
    }
    ReturnCode_t delete_multitopic(MultiTopic *) { return no_multitopic(); }
    // What was created here under a name; NULL if nothing was.
    TopicDescription *lookup_topicdescription(const char *name) const {
        dunlin_topic handle = 0;
        if (dunlin_topic_lookup(_handle, dunlin_text_of(name), &handle) == DUNLIN_OK) {
            return static_cast<Topic *>(dunlin98::object<Entity>(handle));
        }
        dunlin98::Lock lock(_lock);
        for (Entity *at = _first; at != NULL; at = at->_next) {
            TopicDescription *filtered = at->as_filtered();
            if (filtered != NULL && name != NULL
                && std::strcmp(filtered->get_name(), name) == 0) {
                return filtered;
            }
        }
        return NULL;
    }

    // The readers of the built-in topics, always the same: `lookup_datareader("DCPSParticipant")`,
    // `"DCPSTopic"`, `"DCPSPublication"` and `"DCPSSubscription"`. They end with the participant.
    inline Subscriber *get_builtin_subscriber();
    // The other participants, and what they say of themselves.
    inline ReturnCode_t get_discovered_participants(InstanceHandleSeq &handles) const;
    inline ReturnCode_t get_discovered_participant_data(ParticipantBuiltinTopicData &data,
                                                        const InstanceHandle_t &handle) const;
    // The topics of which others have writers or readers.
    inline ReturnCode_t get_discovered_topics(InstanceHandleSeq &handles) const;
    inline ReturnCode_t get_discovered_topic_data(TopicBuiltinTopicData &data,
                                                  const InstanceHandle_t &handle) const;
    // From now on nothing is heard of an entity of others. The handle is that of its sample in a
    // built-in reader. Ignoring a topic ignores all that others have of its name.
    ReturnCode_t ignore_participant(const InstanceHandle_t &handle) {
        return dunlin_ignore(_handle, DUNLIN_BUILTIN_PARTICIPANT, handle.value);
    }
    ReturnCode_t ignore_topic(const InstanceHandle_t &handle) {
        return dunlin_ignore(_handle, DUNLIN_BUILTIN_TOPIC, handle.value);
    }
    ReturnCode_t ignore_publication(const InstanceHandle_t &handle) {
        return dunlin_ignore(_handle, DUNLIN_BUILTIN_PUBLICATION, handle.value);
    }
    ReturnCode_t ignore_subscription(const InstanceHandle_t &handle) {
        return dunlin_ignore(_handle, DUNLIN_BUILTIN_SUBSCRIPTION, handle.value);
    }

    ReturnCode_t delete_contained_entities() { return end_contained(); }
    ReturnCode_t assert_liveliness() { return dunlin_participant_assert_liveliness(_handle); }
    Boolean contains_entity(const InstanceHandle_t &handle) const {
        uint8_t contains = 0;
        (void)dunlin_participant_contains(_handle, handle.value, &contains);
        return contains != 0;
    }
    ReturnCode_t get_current_time(Time_t &time) const {
        int64_t nanoseconds = 0;
        const ReturnCode_t code = dunlin_current_time(_handle, &nanoseconds);
        time = to_time(nanoseconds);
        return code;
    }
    ReturnCode_t add_peer(const char *peer) {
        return dunlin_participant_add_peer(_handle, dunlin_text_of(peer));
    }
    ReturnCode_t remove_peer(const char *peer) {
        return dunlin_participant_remove_peer(_handle, dunlin_text_of(peer));
    }

    ReturnCode_t get_default_publisher_qos(PublisherQos &qos) const { return get_default(qos); }
    ReturnCode_t set_default_publisher_qos(const PublisherQos &qos) { return set_default(qos); }
    ReturnCode_t get_default_subscriber_qos(SubscriberQos &qos) const { return get_default(qos); }
    ReturnCode_t set_default_subscriber_qos(const SubscriberQos &qos) { return set_default(qos); }
    ReturnCode_t get_default_topic_qos(TopicQos &qos) const { return get_default(qos); }
    ReturnCode_t set_default_topic_qos(const TopicQos &qos) { return set_default(qos); }

    // What a `FooTypeSupport` calls. PRECONDITION_NOT_MET if the name is that of another type.
    ReturnCode_t register_plugin(const TypePlugin *plugin, const char *name) {
        Registered made;
        made.name = name;
        made.plugin = plugin;
        made.type = 0;
        const ReturnCode_t code =
            dunlin_type_new(plugin->objects, plugin->size, dunlin_text_of(name), &made.type);
        if (code != RETCODE_OK) {
            return code;
        }
        ReturnCode_t result = RETCODE_OK;
        bool is_there = false;
        const TypePlugin *other = NULL;
        {
            dunlin98::Lock lock(_lock);
            for (ULong i = 0; i < _types.length(); i++) {
                if (_types[i].name == made.name) {
                    is_there = true;
                    other = _types[i].plugin;
                    result = other == plugin ? RETCODE_OK : RETCODE_PRECONDITION_NOT_MET;
                }
            }
            if (!is_there && !_types.push_back(made)) {
                result = RETCODE_OUT_OF_RESOURCES;
            }
        }
        if (is_there || result != RETCODE_OK) {
            (void)dunlin_close(made.type);
        }
        if (result == RETCODE_PRECONDITION_NOT_MET) {
            dunlin98::Words words;
            words << "the name \"" << name << "\" is registered in this participant for the type \""
                  << other->name << "\", and cannot be that of \"" << plugin->name
                  << "\", too: register it by another name";
            return dunlin98::refuse(result, words.c_str());
        }
        return result;
    }

private:
    struct Registered {
        String name;
        const TypePlugin *plugin;
        dunlin_type type;
    };

    DomainParticipant() : _listener(NULL), _builtin(NULL) {}
    ~DomainParticipant() { DomainParticipant::finish(); }
    void finish() {
        Entity::finish();
        dunlin98::end(_builtin);
        _builtin = NULL;
        for (ULong i = 0; i < _types.length(); i++) {
            (void)dunlin_close(_types[i].type);
        }
        _types.clear();
    }

    static ReturnCode_t no_multitopic() {
        return dunlin98::refuse(RETCODE_UNSUPPORTED,
                                "a topic of several topics is not supported: make a reader of each");
    }

    template <class D>
    bool begin_builtin(dunlin98::Builtin &builtin, dunlin98::BuiltinTopic &topic);

    void copy_types(Sequence<Registered> &types) const {
        dunlin98::Lock lock(_lock);
        types = _types;
    }
    // The object of a topic: the one that it has already, or a new one.
    Topic *begin_topic(dunlin_topic handle, const char *name, const Registered &of,
                       TopicListener *listener, StatusMask mask) {
        if (Entity *there = dunlin98::object<Entity>(handle)) {
            return static_cast<Topic *>(there);
        }
        Topic *topic = new (std::nothrow) Topic(this, name, of.name.c_str(), of.plugin);
        if (topic == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        ReturnCode_t code = topic->begin(handle, this);
        if (code == RETCODE_OK && listener != NULL) {
            code = topic->set_listener(listener, mask);
        }
        if (code != RETCODE_OK) {
            (void)end(topic);
            return NULL;
        }
        return topic;
    }

    template <class G, class Q, class L, class F>
    G *create_group(const Q &qos, L *listener, StatusMask mask, F make) {
        dunlin_handle handle = 0;
        Q wanted(qos);
        if (is_default(qos) && get_default(wanted) != RETCODE_OK) {
            return NULL;
        }
        const dunlin98::QosArgument<Q> argument(wanted);
        if (argument.code != RETCODE_OK
            || make(_handle, argument.get(), NULL, &handle) != DUNLIN_OK) {
            return NULL;
        }
        G *group = new (std::nothrow) G(this);
        if (group == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        group->_autoenable = wanted.entity_factory.autoenable_created_entities;
        ReturnCode_t code = group->begin(handle, this);
        if (code == RETCODE_OK && listener != NULL) {
            code = group->set_listener(listener, mask);
        }
        if (code != RETCODE_OK) {
            (void)end(group);
            return NULL;
        }
        return group;
    }

    DomainParticipantListener *_listener;
    Sequence<Registered> _types;
    dunlin98::Builtin *_builtin;

    friend class DomainParticipantFactory;
};

class DomainParticipantFactory {
public:
    static DomainParticipantFactory *get_instance() {
        static DomainParticipantFactory factory;
        return &factory;
    }

    // NULL if it cannot be: `last_error` tells why.
    DomainParticipant *create_participant(DomainId_t domain, const DomainParticipantQos &qos,
                                          DomainParticipantListener *listener, StatusMask mask) {
        return create_participant_with_config(domain, qos, listener, mask, NULL);
    }
    // The same with settings that the standard has no policy for: transports, interfaces, peers.
    // They begin as `dunlin_config_default` makes them.
    DomainParticipant *create_participant_with_config(DomainId_t domain,
                                                      const DomainParticipantQos &qos,
                                                      DomainParticipantListener *listener,
                                                      StatusMask mask,
                                                      const dunlin_participant_config *settings) {
        const dunlin98::QosArgument<DomainParticipantQos> argument(qos);
        dunlin_participant_config config;
        dunlin_participant handle = 0;
        std::memset(&config, 0, sizeof config);
        config.size = sizeof config;
        if (argument.code != RETCODE_OK || dunlin_config_default(&config) != DUNLIN_OK) {
            return NULL;
        }
        if (settings != NULL) {
            config = *settings;
        }
        config.enabled = _autoenable;
        if (dunlin_participant_new(static_cast<uint32_t>(domain),
                                   _autoenable && settings == NULL ? NULL : &config,
                                   is_default(qos) ? NULL : argument.get(), NULL, &handle)
            != DUNLIN_OK) {
            return NULL;
        }
        DomainParticipant *participant = new (std::nothrow) DomainParticipant();
        if (participant == NULL) {
            (void)dunlin_close(handle);
            return NULL;
        }
        DomainParticipantQos is;
        ReturnCode_t code = participant->begin(handle, NULL);
        if (code == RETCODE_OK) {
            code = participant->get_qos(is);
            participant->_autoenable = is.entity_factory.autoenable_created_entities;
        }
        if (code == RETCODE_OK && listener != NULL) {
            code = participant->set_listener(listener, mask);
        }
        if (code != RETCODE_OK) {
            (void)dunlin_close(handle);
            delete participant;
            return NULL;
        }
        dunlin98::Lock lock(_lock);
        participant->_next = _first;
        _first = participant;
        return participant;
    }
    // NULL: there are no XML profiles yet.
    DomainParticipant *create_participant_with_profile(DomainId_t, const char *, const char *,
                                                       DomainParticipantListener *, StatusMask) {
        (void)dunlin98::no_profiles();
        return NULL;
    }
    ReturnCode_t load_profiles() { return dunlin98::no_profiles(); }
    ReturnCode_t unload_profiles() { return dunlin98::no_profiles(); }
    // PRECONDITION_NOT_MET while there is something in it.
    ReturnCode_t delete_participant(DomainParticipant *participant) {
        if (participant == NULL) {
            return dunlin98::refuse(RETCODE_BAD_PARAMETER, "NULL cannot be deleted");
        }
        if (!has(participant)) {
            return Entity::gone(participant);
        }
        {
            dunlin98::Lock lock(participant->_lock);
            if (participant->_first != NULL) {
                return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                        "the participant still contains something: "
                                        "delete_contained_entities ends it");
            }
        }
        if (!remove(participant)) {
            return Entity::gone(participant);
        }
        const ReturnCode_t code = dunlin_close(participant->_handle);
        dunlin98::discard(static_cast<Entity *>(participant));
        return code;
    }
    // One in this domain; NULL if there is none.
    DomainParticipant *lookup_participant(DomainId_t domain) const {
        dunlin_participant handle = 0;
        return dunlin_participant_lookup(static_cast<uint32_t>(domain), &handle) == DUNLIN_OK
                   ? static_cast<DomainParticipant *>(dunlin98::object<Entity>(handle))
                   : NULL;
    }

    ReturnCode_t get_default_participant_qos(DomainParticipantQos &qos) const {
        dunlin98::QosResult<DomainParticipantQos> result;
        const ReturnCode_t code =
            dunlin_participant_default_qos_get(result.any(), &result.block);
        return result.give(code, qos);
    }
    ReturnCode_t set_default_participant_qos(const DomainParticipantQos &qos) {
        const dunlin98::QosArgument<DomainParticipantQos> argument(qos);
        return argument.code != RETCODE_OK ? argument.code
                                           : dunlin_participant_default_qos_set(argument.any());
    }
    ReturnCode_t get_qos(DomainParticipantFactoryQos &qos) const {
        qos.entity_factory.autoenable_created_entities = _autoenable;
        return RETCODE_OK;
    }
    ReturnCode_t set_qos(const DomainParticipantFactoryQos &qos) {
        _autoenable = qos.entity_factory.autoenable_created_entities;
        return RETCODE_OK;
    }

private:
    DomainParticipantFactory() : _first(NULL), _autoenable(true), _lock(0) {}
    DomainParticipantFactory(const DomainParticipantFactory &);
    DomainParticipantFactory &operator=(const DomainParticipantFactory &);

    bool has(const Entity *participant) const {
        dunlin98::Lock lock(_lock);
        for (const Entity *at = _first; at != NULL; at = at->_next) {
            if (at == participant) {
                return true;
            }
        }
        return false;
    }
    // False if somebody else has taken it out.
    bool remove(const Entity *participant) {
        dunlin98::Lock lock(_lock);
        for (Entity **at = &_first; *at != NULL; at = &(*at)->_next) {
            if (*at == participant) {
                *at = participant->_next;
                return true;
            }
        }
        return false;
    }

    Entity *_first;
    bool _autoenable;
    mutable volatile int _lock;
};

} // namespace DDS

#endif
