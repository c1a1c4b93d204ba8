// perftest in C++98: entities, and what is not measured.
#include "loop.hpp"

#include <cstdlib>

namespace {

const char *const TOPIC_NAMES[TOPICS] = {"Throughput", "Latency", "Announcement"};

extern "C" uint64_t side_allocations(void *context);

// Calls of a reader's listener, with the time of their first line.
template <class L> class Listening : public DDS::DataReaderListener {
public:
    Listening() : _loop(NULL), _topic(0) {}
    void begin(L *loop, uint32_t topic) {
        _loop = loop;
        _topic = topic;
    }
    void on_data_available(DDS::DataReader *) {
        const uint64_t at = now();
        _loop->on_data(_topic, at);
    }

private:
    L *_loop;
    uint32_t _topic;
};

// Texts as the C interface takes a list of them.
class TextList {
public:
    TextList(const char *const *texts, uint64_t count) {
        is_whole = _texts.length(static_cast<DDS::ULong>(count));
        for (DDS::ULong i = 0; i < _texts.length(); i++) {
            _texts[i] = dunlin_text_of(texts[i]);
        }
    }
    const dunlin_text *data() const { return _texts.get_buffer(); }
    bool is_whole;

private:
    DDS::Sequence<dunlin_text> _texts;
};

// The participant's settings, which the standard has no policies for.
DDS::DomainParticipant *join(const Settings &settings) {
    const TextList interfaces(settings.interfaces, settings.interface_count);
    const TextList peers(settings.peers, settings.peer_count);
    dunlin_participant_config config;
    config.size = sizeof config;
    if (dunlin_config_default(&config) != DUNLIN_OK || !interfaces.is_whole || !peers.is_whole) {
        return NULL;
    }
    config.name = dunlin_text_of("Perftest Participant");
    config.interfaces = interfaces.data();
    config.interface_count = settings.interface_count;
    config.peers = peers.data();
    config.peer_count = settings.peer_count;
    config.multicast = (settings.flags & DUNLIN_PERFTEST_MULTICAST) != 0;
    config.udp = (settings.flags & DUNLIN_PERFTEST_UDP) != 0;
    config.shmem = (settings.flags & DUNLIN_PERFTEST_SHMEM) != 0;
    config.tcp = (settings.flags & DUNLIN_PERFTEST_TCP) != 0;
    config.local = (settings.flags & DUNLIN_PERFTEST_LOCAL) != 0;
    config.tcp_port = settings.tcp_port;
    config.tcp_public_address = settings.tcp_public_address;
    config.tcp_public_port = settings.tcp_public_port;
    config.tls_authorities = dunlin_text_of(settings.tls_authorities);
    config.tls_certificates = dunlin_text_of(settings.tls_certificates);
    config.tls_key = dunlin_text_of(settings.tls_key);
    config.lease_duration = settings.lease_duration;
    config.announce_period = settings.announce_period;
    config.heartbeat_period = settings.heartbeat_period;
    config.linger = settings.linger;
    return DDS::DomainParticipantFactory::get_instance()->create_participant_with_config(
        static_cast<DDS::DomainId_t>(settings.domain), DDS::PARTICIPANT_QOS_DEFAULT, NULL,
        DDS::STATUS_MASK_NONE, &config);
}

// What writers and readers have in common.
template <class Q> void set_qos(Q &qos, const Endpoint &endpoint) {
    qos.reliability.kind = endpoint.reliable ? DDS::RELIABLE_RELIABILITY_QOS
                                             : DDS::BEST_EFFORT_RELIABILITY_QOS;
    qos.reliability.max_blocking_time = DDS::to_duration(endpoint.max_blocking_time);
    qos.durability.kind = endpoint.transient_local ? DDS::TRANSIENT_LOCAL_DURABILITY_QOS
                                                   : DDS::VOLATILE_DURABILITY_QOS;
    qos.history.kind =
        endpoint.depth > 0 ? DDS::KEEP_LAST_HISTORY_QOS : DDS::KEEP_ALL_HISTORY_QOS;
    if (endpoint.depth > 0) {
        qos.history.depth = static_cast<DDS::Long>(endpoint.depth);
    }
    if (endpoint.max_samples > 0) {
        qos.resource_limits.max_samples = static_cast<DDS::Long>(endpoint.max_samples);
    }
}

// Changes the default QoS of a group's endpoints in what the classic API has no policy for.
template <class C> DDS::ReturnCode_t change_default(DDS::Entity *group, uint32_t kind,
                                                    void (*change)(C &, const Endpoint &),
                                                    const Endpoint &endpoint) {
    C qos;
    dunlin_block block;
    std::memset(&qos, 0, sizeof qos);
    std::memset(&block, 0, sizeof block);
    qos.size = sizeof qos;
    qos.kind = kind;
    dunlin_qos *any = reinterpret_cast<dunlin_qos *>(&qos);
    DDS::ReturnCode_t code = dunlin_default_qos_get(group->handle(), any, &block);
    if (code == DDS::RETCODE_OK) {
        change(qos, endpoint);
        code = dunlin_default_qos_set(group->handle(), any);
    }
    (void)dunlin_block_free(&block);
    return code;
}
void set_batch(dunlin_writer_qos &qos, const Endpoint &endpoint) {
    qos.batch_bytes = endpoint.batch_bytes;
}
void set_multicast(dunlin_reader_qos &qos, const Endpoint &endpoint) {
    qos.multicast = endpoint.multicast == 0 ? NULL : &endpoint.multicast;
    qos.multicast_count = endpoint.multicast == 0 ? 0 : 1;
}

// A side whose samples are values of `V`; `S` is the support of the type.
template <class V, class S, class W, class R> class SideOf : public Side {
public:
    SideOf() : _participant(NULL), _publisher(NULL), _subscriber(NULL) {}

    DDS::ReturnCode_t open(const Settings &settings) {
        DDS::PublisherQos publisher;
        DDS::SubscriberQos subscriber;
        _loop.flags = settings.flags;
        _loop.subscriber = settings.subscriber;
        _loop.inbox = settings.inbox;
        _loop.keys.instances = settings.instances;
        _loop.guard = &_guard;
        DDS::ReturnCode_t code = make_payload(settings.payload);
        if (code != DDS::RETCODE_OK) {
            return code;
        }
        _participant = join(settings);
        if (_participant == NULL) {
            return DDS::RETCODE_ERROR;
        }
        code = S::register_type(_participant, NULL);
        publisher.presentation.access_scope = DDS::TOPIC_PRESENTATION_QOS;
        publisher.presentation.ordered_access = true;
        subscriber.presentation.access_scope = DDS::TOPIC_PRESENTATION_QOS;
        subscriber.presentation.ordered_access = true;
        _publisher = _participant->create_publisher(publisher, NULL, DDS::STATUS_MASK_NONE);
        _subscriber = _participant->create_subscriber(subscriber, NULL, DDS::STATUS_MASK_NONE);
        if (code != DDS::RETCODE_OK || _publisher == NULL || _subscriber == NULL) {
            return DDS::RETCODE_ERROR;
        }
        code = _loop.waits.attach_condition(&_guard);
        return code == DDS::RETCODE_OK ? _bell.attach_condition(&_guard) : code;
    }

    DDS::ReturnCode_t make_writer(const Endpoint &endpoint) {
        DDS::DataWriterQos qos;
        set_qos(qos, endpoint);
        DDS::ReturnCode_t code = _publisher->set_default_datawriter_qos(qos);
        if (code == DDS::RETCODE_OK) {
            code = change_default<dunlin_writer_qos>(_publisher, DUNLIN_QOS_WRITER, set_batch,
                                                     endpoint);
        }
        DDS::Topic *topic = topic_of(endpoint);
        if (code != DDS::RETCODE_OK || topic == NULL) {
            return DDS::RETCODE_ERROR;
        }
        W *writer = W::narrow(_publisher->create_datawriter(topic, DDS::DATAWRITER_QOS_DEFAULT,
                                                            NULL, DDS::STATUS_MASK_NONE));
        if (writer == NULL) {
            return DDS::RETCODE_ERROR;
        }
        _loop.writers[endpoint.topic] = writer;
        code = dunlin_writer_representation(writer->handle(),
                                            &_loop.representations[endpoint.topic]);
        return code == DDS::RETCODE_OK
                   ? watch(writer, DDS::PUBLICATION_MATCHED_STATUS)
                   : code;
    }

    DDS::ReturnCode_t make_reader(const Endpoint &endpoint) {
        DDS::DataReaderQos qos;
        set_qos(qos, endpoint);
        DDS::ReturnCode_t code = _subscriber->set_default_datareader_qos(qos);
        if (code == DDS::RETCODE_OK) {
            code = change_default<dunlin_reader_qos>(_subscriber, DUNLIN_QOS_READER,
                                                     set_multicast, endpoint);
        }
        DDS::Topic *topic = topic_of(endpoint);
        DDS::TopicDescription *of = topic == NULL ? NULL : part_of(topic, endpoint);
        if (code != DDS::RETCODE_OK || of == NULL) {
            return DDS::RETCODE_ERROR;
        }
        // The listener is there when the loop knows the reader.
        R *reader = R::narrow(_subscriber->create_datareader(of, DDS::DATAREADER_QOS_DEFAULT,
                                                             NULL, DDS::STATUS_MASK_NONE));
        if (reader == NULL) {
            return DDS::RETCODE_ERROR;
        }
        _loop.readers[endpoint.topic] = reader;
        _listening[endpoint.topic].begin(&_loop, endpoint.topic);
        code = reader->set_listener(&_listening[endpoint.topic], DDS::DATA_AVAILABLE_STATUS);
        return code == DDS::RETCODE_OK ? watch(reader, DDS::SUBSCRIPTION_MATCHED_STATUS) : code;
    }

    DDS::ReturnCode_t register_instances(uint32_t topic) {
        V value;
        if (!(_loop.flags & DUNLIN_PERFTEST_KEYED)) {
            return DDS::RETCODE_OK;
        }
        for (uint32_t i = 0; i < _loop.keys.instances; i++) {
            Keys::put(i, value.key);
            // The handle of the key 0 is zeros, and so is that of none.
            if (_loop.writers[topic]->register_instance(value) == DDS::HANDLE_NIL && i != 0) {
                return DDS::RETCODE_ERROR;
            }
        }
        return DDS::RETCODE_OK;
    }

    uint64_t matched(uint32_t topic) const {
        uint64_t count = 0;
        if (_loop.writers[topic] != NULL) {
            (void)dunlin_writer_matched(_loop.writers[topic]->handle(), NULL, 0, &count);
        } else if (_loop.readers[topic] != NULL) {
            (void)dunlin_reader_matched(_loop.readers[topic]->handle(), NULL, 0, &count);
        }
        return count;
    }

    DDS::ReturnCode_t wait(int64_t timeout, bool receives) {
        DDS::WaitSet &waits = receives ? _loop.waits : _bell;
        const DDS::ReturnCode_t code = waits.wait(_active, DDS::to_duration(timeout));
        (void)_guard.set_trigger_value(false);
        _loop.note_matches();
        return code == DDS::RETCODE_TIMEOUT ? DDS::RETCODE_OK : code;
    }
    void wake() { (void)_guard.set_trigger_value(true); }

    DDS::ReturnCode_t control(uint32_t topic, const Header &header, const uint8_t *data,
                              uint64_t length) {
        return data == NULL ? _loop.write(topic, header, length)
                            : _loop.write_value(topic, header, data, length);
    }
    DDS::ReturnCode_t flush(uint32_t topic) { return _loop.writers[topic]->flush(); }
    DDS::ReturnCode_t measure(const Plan &plan, Progress &progress) {
        return _loop.measure(plan, progress);
    }
    void attach(uint32_t publisher, int32_t entity_id, uint32_t next_seq) {
        _loop.attach(publisher, entity_id, next_seq);
    }
    void traffic(uint32_t publisher, Traffic &to) const { _loop.traffic(publisher, to); }

    DDS::String explain() const {
        DDS::String all, one;
        for (int i = 0; i < TOPICS; i++) {
            if (_loop.writers[i] != NULL
                && _loop.writers[i]->explain_matching(one) == DDS::RETCODE_OK) {
                append(all, one);
            }
            if (_loop.readers[i] != NULL
                && _loop.readers[i]->explain_matching(one) == DDS::RETCODE_OK) {
                append(all, one);
            }
        }
        return all;
    }
    void losses(dunlin_perftest_losses &to) const {
        dunlin_counters counters;
        std::memset(&counters, 0, sizeof counters);
        counters.size = sizeof counters;
        if (_participant != NULL
            && dunlin_participant_counters(_participant->handle(), &counters) == DUNLIN_OK) {
            to.dropped = counters.dropped;
            to.unsent = counters.unsent;
        }
    }

    void close() {
        if (_participant != NULL) {
            // From here on no listener is called any more.
            (void)_participant->delete_contained_entities();
            (void)DDS::DomainParticipantFactory::get_instance()->delete_participant(_participant);
        }
        // The payload stays: what is still to be sent may refer to it.
        (void)dunlin_octets_free(_loop.octets);
    }

private:
    // Payload, whose memory is touched: else all of it were one page of zeros.
    DDS::ReturnCode_t make_payload(uint64_t size) {
        const uint64_t least = size > NEAR ? size : static_cast<uint64_t>(NEAR);
        _loop.payload = static_cast<uint8_t *>(std::malloc(static_cast<std::size_t>(least)));
        if (_loop.payload == NULL) {
            return DDS::RETCODE_OUT_OF_RESOURCES;
        }
        std::memset(_loop.payload, 1, static_cast<std::size_t>(least));
        _loop.payload_size = size;
        return dunlin_octets_wrap(_loop.payload, least, NULL, NULL, &_loop.octets);
    }

    DDS::Topic *topic_of(const Endpoint &endpoint) {
        return _participant->create_topic(TOPIC_NAMES[endpoint.topic], S::get_type_name(),
                                          DDS::TOPIC_QOS_DEFAULT, NULL, DDS::STATUS_MASK_NONE);
    }
    // What a reader is made for: the topic, or a part of it.
    DDS::TopicDescription *part_of(DDS::Topic *topic, const Endpoint &endpoint) {
        DDS::StringSeq parameters;
        if (endpoint.filter == NULL) {
            return topic;
        }
        for (uint64_t i = 0; i < endpoint.parameter_count; i++) {
            (void)parameters.push_back(DDS::String(endpoint.parameters[i]));
        }
        return _participant->create_contentfilteredtopic("ThroughputFiltered", topic,
                                                         endpoint.filter, parameters);
    }
    // Has the wait set end when matches change.
    DDS::ReturnCode_t watch(DDS::Entity *entity, DDS::StatusMask statuses) {
        DDS::StatusCondition *condition = entity->get_statuscondition();
        if (condition == NULL) {
            return DDS::RETCODE_ERROR;
        }
        const DDS::ReturnCode_t code = condition->set_enabled_statuses(statuses);
        return code == DDS::RETCODE_OK ? _loop.waits.attach_condition(condition) : code;
    }
    static void append(DDS::String &to, const DDS::String &text) {
        DDS::CharSeq both;
        const std::size_t before = std::strlen(to.c_str()), more = std::strlen(text.c_str());
        if (!both.length(static_cast<DDS::ULong>(before + more + 1))) {
            return;
        }
        std::memcpy(both.get_buffer(), to.c_str(), before);
        std::memcpy(both.get_buffer() + before, text.c_str(), more);
        both[static_cast<DDS::ULong>(before + more)] = '\n';
        (void)to.assign(both.get_buffer(), before + more + 1);
    }

    DDS::DomainParticipant *_participant;
    DDS::Publisher *_publisher;
    DDS::Subscriber *_subscriber;
    DDS::GuardCondition _guard;
    // Where the thread does not receive.
    DDS::WaitSet _bell;
    DDS::ConditionSeq _active;
    Loop<V, W, R> _loop;
    Listening<Loop<V, W, R> > _listening[TOPICS];
};

#define SIDE_OF(type) SideOf<type, type##TypeSupport, type##DataWriter, type##DataReader>

// The side of this process, once it is open.
struct Program {
    Side *side;
};

Side *side_of(void *context) { return static_cast<Program *>(context)->side; }

int32_t open(void *context, const Settings *settings) {
    Side *side = NULL;
    switch (settings->flags & (DUNLIN_PERFTEST_KEYED | DUNLIN_PERFTEST_LARGE)) {
    case 0: side = new (std::nothrow) SIDE_OF(TestData_t)(); break;
    case DUNLIN_PERFTEST_KEYED: side = new (std::nothrow) SIDE_OF(TestDataKeyed_t)(); break;
    case DUNLIN_PERFTEST_LARGE: side = new (std::nothrow) SIDE_OF(TestDataLarge_t)(); break;
    default: side = new (std::nothrow) SIDE_OF(TestDataKeyedLarge_t)(); break;
    }
    static_cast<Program *>(context)->side = side;
    return side == NULL ? DDS::RETCODE_OUT_OF_RESOURCES : side->open(*settings);
}
int32_t make_writer(void *context, const Endpoint *endpoint) {
    return side_of(context)->make_writer(*endpoint);
}
int32_t make_reader(void *context, const Endpoint *endpoint) {
    return side_of(context)->make_reader(*endpoint);
}
int32_t register_instances(void *context, uint32_t topic) {
    return side_of(context)->register_instances(topic);
}
uint64_t matched(void *context, uint32_t topic) { return side_of(context)->matched(topic); }
int32_t wait(void *context, int64_t timeout, uint32_t receives) {
    return side_of(context)->wait(timeout, receives != 0);
}
void wake(void *context) { side_of(context)->wake(); }
int32_t control(void *context, uint32_t topic, const Header *header, const uint8_t *data,
                uint64_t length) {
    return side_of(context)->control(topic, *header, data, length);
}
int32_t flush(void *context, uint32_t topic) { return side_of(context)->flush(topic); }
int32_t measure(void *context, const Plan *plan, Progress *progress) {
    return side_of(context)->measure(*plan, *progress);
}
void attach(void *context, uint32_t publisher, int32_t entity_id, uint32_t next_seq) {
    side_of(context)->attach(publisher, entity_id, next_seq);
}
void traffic(void *context, uint32_t publisher, Traffic *to) {
    side_of(context)->traffic(publisher, *to);
}
void losses(void *context, dunlin_perftest_losses *to) { side_of(context)->losses(*to); }
void close(void *context) {
    if (side_of(context) != NULL) {
        side_of(context)->close();
    }
}
void explain(void *context, uint32_t what, char *text, uint64_t room) {
    const DDS::String all = what == DUNLIN_PERFTEST_FAILURE ? DDS::String(DDS::last_error())
                                                            : side_of(context)->explain();
    if (room > 0) {
        std::strncpy(text, all.c_str(), static_cast<std::size_t>(room) - 1);
        text[room - 1] = 0;
    }
}

} // namespace

int main(int argc, char **argv) {
    static Program program;
    static dunlin_perftest_driver driver;
    driver.size = sizeof driver;
    driver.version = DUNLIN_PERFTEST_VERSION;
    driver.language = "C++98";
    driver.context = &program;
    driver.open = open;
    driver.writer = make_writer;
    driver.reader = make_reader;
    driver.register_instances = register_instances;
    driver.matched = matched;
    driver.wait = wait;
    driver.wake = wake;
    driver.control = control;
    driver.flush = flush;
    driver.measure = measure;
    driver.attach = attach;
    driver.traffic = traffic;
    driver.explain = explain;
    driver.losses = losses;
#ifdef __GLIBC__
    driver.allocations = side_allocations;
#endif
    driver.close = close;
    return dunlin_perftest_run(argc, const_cast<const char *const *>(argv), &driver);
}
