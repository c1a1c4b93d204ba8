// The side in C++98 of the live matrix: a publisher, or a subscriber.
#define __STDC_CONSTANT_MACROS
#include "matrixSupport.hpp"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

using DDS::RETCODE_OK;

static const uint32_t SAMPLES = 64;
static const uint32_t INSTANCES = 8;
static const DDS::Duration_t PATIENCE = {20, 0};

// The lines that are printed at the end.
static std::string lines;
static uint32_t line_count = 0;

static void put(const char *format, ...) {
    char text[256];
    va_list words;
    va_start(words, format);
    const int length = vsnprintf(text, sizeof text, format, words);
    va_end(words);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof text) std::abort();
    lines.append(text, static_cast<std::size_t>(length));
}

// Numbers and texts that follow from the number of a sample. All languages draw the same.
class Draw {
public:
    explicit Draw(uint32_t order)
        : _order(order), _state(UINT64_C(0x9e3779b97f4a7c15) * (order + UINT64_C(1))) {}

    // A number of so many bits. The first four samples have the edges.
    uint64_t bits(int count) {
        switch (_order) {
        case 0: return 0;
        case 1: return ~UINT64_C(0) >> (64 - count);
        case 2: return UINT64_C(1) << (count - 1);
        case 3: return (UINT64_C(1) << (count - 1)) - 1;
        default: break;
        }
        _state ^= _state << 13;
        _state ^= _state >> 7;
        _state ^= _state << 17;
        return _state * UINT64_C(0x2545f4914f6cdd1d) >> (64 - count);
    }
    uint32_t below(uint32_t end) { return static_cast<uint32_t>(bits(8) % end); }
    bool flag() { return bits(1) == 1; }
    int16_t int16() { return static_cast<int16_t>(bits(16)); }
    int32_t int32() { return static_cast<int32_t>(bits(32)); }
    int64_t int64() { return static_cast<int64_t>(bits(64)); }
    float float32() {
        const float number = static_cast<float>(int16()) / 16;
        return edge(number, 0x7f800000u);
    }
    double float64() {
        const double number = static_cast<double>(int32()) / 256;
        return edge(number, UINT64_C(0x7ff0000000000000));
    }
    const char *word() {
        static const char *const words[] = {"", "a", "heron", "Gänsesäger", "カモメ", "🦆 duck"};
        return words[below(6)];
    }
    void wide(DDS::WString &text) {
        static const uint16_t all[][2] = {{0, 0}, {'a', 0}, {0xe4, 0xf6}, {0xd83e, 0xdd86}};
        static const uint32_t lengths[] = {0, 1, 2, 2};
        const uint32_t which = below(4);
        text.assign(all[which], lengths[which]);
    }
    // Up to `most` elements.
    template <class E> void list(DDS::Sequence<E> &all, uint32_t most) {
        all.length(below(most + 1));
        for (uint32_t i = 0; i < all.length(); i++) fill(*this, all[i]);
    }

private:
    template <class N, class B> N edge(N number, B infinity) const {
        N most;
        std::memcpy(&most, &infinity, sizeof most);
        return _order == 1 ? -N(0) : _order == 3 ? most : number;
    }

    uint32_t _order;
    uint64_t _state;
};

inline void fill(Draw &d, bool &v) { v = d.flag(); }
inline void fill(Draw &d, char &v) { v = static_cast<char>('a' + d.below(26)); }
inline void fill(Draw &d, int8_t &v) { v = static_cast<int8_t>(d.bits(8)); }
inline void fill(Draw &d, uint8_t &v) { v = static_cast<uint8_t>(d.bits(8)); }
inline void fill(Draw &d, int16_t &v) { v = d.int16(); }
inline void fill(Draw &d, uint16_t &v) { v = static_cast<uint16_t>(d.bits(16)); }
inline void fill(Draw &d, int32_t &v) { v = d.int32(); }
inline void fill(Draw &d, uint32_t &v) { v = static_cast<uint32_t>(d.bits(32)); }
inline void fill(Draw &d, int64_t &v) { v = d.int64(); }
inline void fill(Draw &d, uint64_t &v) { v = d.bits(64); }
inline void fill(Draw &d, float &v) { v = d.float32(); }
inline void fill(Draw &d, double &v) { v = d.float64(); }
inline void fill(Draw &d, DDS::String &v) { v = d.word(); }
inline void fill(Draw &d, DDS::Sequence<int16_t> &v) { d.list(v, 4); }
inline void fill(Draw &d, Common::Mood &v) {
    static const Common::Mood all[] = {Common::CALM, Common::WARY, Common::LOUD};
    v = all[d.below(3)];
}
template <class E, std::size_t N> void fill(Draw &d, E (&all)[N]) {
    for (std::size_t i = 0; i < N; i++) fill(d, all[i]);
}

// How values are printed. All languages print the same.
inline void print(bool v) { put("%d", v); }
inline void print(char v) { put("%u", static_cast<unsigned char>(v)); }
inline void print(int8_t v) { put("%d", v); }
inline void print(uint8_t v) { put("%u", v); }
inline void print(int16_t v) { put("%d", v); }
inline void print(uint16_t v) { put("%u", v); }
inline void print(int32_t v) { put("%d", v); }
inline void print(uint32_t v) { put("%u", v); }
inline void print(int64_t v) { put("%ld", static_cast<long>(v)); }
inline void print(uint64_t v) { put("%lu", static_cast<unsigned long>(v)); }
inline void print(Common::Mood v) { put("%d", static_cast<int>(v)); }
inline void print(const DDS::String &v) { put("\"%s\"", v.c_str()); }
inline void print(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    put("%08x", bits);
}
inline void print(double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    put("%016lx", static_cast<unsigned long>(bits));
}
inline void print(const DDS::WString &v) {
    put("u");
    for (uint32_t i = 0; i < v.length(); i++) put("%04x", v[i]);
}
template <class K, class V> void print(const DDS::MapEntry<K, V> &v) {
    print(v.key);
    put("=");
    print(v.value);
}
template <class E> void print(const DDS::Owned<E> &v) {
    if (v.get() == NULL) {
        put("-");
    } else {
        print(*v);
    }
}
template <class E> void print_all(const E *all, std::size_t count);
template <class E> void print(const DDS::Sequence<E> &v) { print_all(v.get_buffer(), v.length()); }
template <class E, std::size_t N> void print(const E (&v)[N]) { print_all(v, N); }
template <class E> void print_all(const E *all, std::size_t count) {
    put("[");
    for (std::size_t i = 0; i < count; i++) {
        if (i > 0) put(",");
        print(all[i]);
    }
    put("]");
}
template <class M> void member(const M &v) {
    put(" ");
    print(v);
}
// Of many octets how many there are and FNV-1a of them.
inline void print_octets(const DDS::OctetSeq &v) {
    uint32_t hash = 0x811c9dc5u;
    for (uint32_t i = 0; i < v.length(); i++) hash = (hash ^ v[i]) * 0x01000193u;
    put("%u:%08x", v.length(), hash);
}

#define MODULE Finals
#include "values.hpp"
#undef MODULE
#define MODULE Appendables
#include "values.hpp"
#undef MODULE
#define MODULE Mutables
#include "values.hpp"

// A topic of the matrix. What has XCDR1 is written before anybody knows the writer, so its
// readers are late joiners.
class Topic {
public:
    Topic(const char *name, uint32_t ends, bool is_late) : _name(name), _ends(ends), _is_late(is_late) {}
    virtual ~Topic() {}
    virtual bool open(DDS::DomainParticipant *on) = 0;
    virtual bool write_all(const char *from) = 0;
    virtual bool unregister_all(const char *from) = 0;
    virtual bool take_all() = 0;

    bool open_writer(DDS::DomainParticipant *on, DDS::Publisher *publisher) {
        DDS::DataWriterQos qos;
        encode_by(qos.representation.value);
        qos.durability.kind = durability();
        qos.history.kind = DDS::KEEP_ALL_HISTORY_QOS;
        qos.reliability.max_blocking_time = PATIENCE;
        qos.writer_data_lifecycle.autodispose_unregistered_instances = false;
        if (!open(on)) return false;
        _writer = publisher->create_datawriter(_topic, qos, NULL, DDS::STATUS_MASK_NONE);
        return _writer != NULL;
    }
    bool open_reader(DDS::DomainParticipant *on, DDS::Subscriber *subscriber, DDS::WaitSet &waits) {
        DDS::DataReaderQos qos;
        encode_by(qos.representation.value);
        qos.durability.kind = durability();
        qos.reliability.kind = DDS::RELIABLE_RELIABILITY_QOS;
        qos.history.kind = DDS::KEEP_ALL_HISTORY_QOS;
        if (!open(on)) return false;
        _reader = subscriber->create_datareader(_topic, qos, NULL, DDS::STATUS_MASK_NONE);
        if (_reader == NULL) return false;
        DDS::ReadCondition *data = _reader->create_readcondition(
            DDS::ANY_SAMPLE_STATE, DDS::ANY_VIEW_STATE, DDS::ANY_INSTANCE_STATE);
        return data != NULL && waits.attach_condition(data) == RETCODE_OK;
    }
    const char *name() const { return _name; }
    bool is_late() const { return _is_late; }
    uint32_t count() const { return SAMPLES + _ends; }
    DDS::DataWriter *writer() const { return _writer; }

protected:
    void encode_by(DDS::DataRepresentationIdSeq &representations) const {
        representations.length(1);
        representations[0] = _is_late ? DDS::XCDR_DATA_REPRESENTATION : DDS::XCDR2_DATA_REPRESENTATION;
    }
    DDS::DurabilityQosPolicyKind durability() const {
        return _is_late ? DDS::TRANSIENT_LOCAL_DURABILITY_QOS : DDS::VOLATILE_DURABILITY_QOS;
    }

    const char *_name;
    uint32_t _ends;
    bool _is_late;
    DDS::Topic *_topic;
    DDS::DataWriter *_writer;
    DDS::DataReader *_reader;
};

template <class T, class Seq, class Support, class Writer, class Reader> class TopicOf : public Topic {
public:
    TopicOf(const char *name, uint32_t ends, bool is_late) : Topic(name, ends, is_late) {}

    virtual bool open(DDS::DomainParticipant *on) {
        const char *type = Support::get_type_name();
        if (Support::register_type(on, type) != RETCODE_OK) return false;
        _topic = on->create_topic(_name, type, DDS::TOPIC_QOS_DEFAULT, NULL, DDS::STATUS_MASK_NONE);
        return _topic != NULL;
    }
    virtual bool write_all(const char *from) {
        Writer *writer = Writer::narrow(_writer);
        for (uint32_t order = 0; order < SAMPLES; order++) {
            T value;
            make(value, from, order);
            if (writer->write(value, DDS::HANDLE_NIL) != RETCODE_OK) return false;
        }
        for (uint32_t number = 0; number < _ends; number += 2) {
            T value;
            make(value, from, number);
            if (writer->dispose(value, DDS::HANDLE_NIL) != RETCODE_OK) return false;
        }
        return true;
    }
    virtual bool unregister_all(const char *from) {
        for (uint32_t number = 1; number < _ends; number += 2) {
            T value;
            make(value, from, number);
            if (Writer::narrow(_writer)->unregister_instance(value, DDS::HANDLE_NIL) != RETCODE_OK) {
                return false;
            }
        }
        return true;
    }
    virtual bool take_all() {
        Reader *reader = Reader::narrow(_reader);
        Seq values;
        DDS::SampleInfoSeq infos;
        DDS::ReturnCode_t code;
        while ((code = reader->take(values, infos, DDS::LENGTH_UNLIMITED, DDS::ANY_SAMPLE_STATE,
                                    DDS::ANY_VIEW_STATE, DDS::ANY_INSTANCE_STATE))
               == RETCODE_OK) {
            for (uint32_t i = 0; i < values.length(); i++) {
                if (!infos[i].valid_data && _ends == 0) continue;
                put("%s ", _name);
                if (infos[i].valid_data) {
                    print_value(values[i]);
                } else {
                    print_key(values[i]);
                    put(infos[i].instance_state == DDS::NOT_ALIVE_DISPOSED_INSTANCE_STATE ? " disposed"
                                                                                        : " unregistered");
                }
                put("\n");
                line_count++;
            }
            if (reader->return_loan(values, infos) != RETCODE_OK) return false;
        }
        return code == DDS::RETCODE_NO_DATA;
    }
};

#define TOPICS(module, type, ends)                                                                 \
    static TopicOf<module::type, module::type##Seq, module::type##TypeSupport,                     \
                   module::type##DataWriter, module::type##DataReader>                             \
        module##_##type##_1(#module "_" #type "_1", ends, true),                                   \
        module##_##type##_2(#module "_" #type "_2", ends, false);
TOPICS(Finals, Flat, 0)
TOPICS(Finals, Many, 0)
TOPICS(Finals, Deep, INSTANCES)
TOPICS(Appendables, Flat, 0)
TOPICS(Appendables, Many, 0)
TOPICS(Appendables, Deep, INSTANCES)
TOPICS(Mutables, Flat, 0)
TOPICS(Mutables, Many, 0)
TOPICS(Mutables, Deep, INSTANCES)

#define BOTH(name) &name##_1, &name##_2
static Topic *topics[] = {BOTH(Finals_Flat), BOTH(Finals_Many), BOTH(Finals_Deep),
                                BOTH(Appendables_Flat), BOTH(Appendables_Many), BOTH(Appendables_Deep),
                                BOTH(Mutables_Flat), BOTH(Mutables_Many), BOTH(Mutables_Deep)};
// How many of them take part.
static std::size_t topic_count = 0;

// Leaves out those that MATRIX_WITHOUT names, with commas between them.
static void choose_topics() {
    const char *without = std::getenv("MATRIX_WITHOUT");
    for (std::size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (without == NULL || std::strstr(without, topics[i]->name()) == NULL) {
            topics[topic_count++] = topics[i];
        }
    }
}

static bool publish(DDS::DomainParticipant *participant, const char *from, uint32_t readers) {
    DDS::Publisher *publisher =
        participant->create_publisher(DDS::PUBLISHER_QOS_DEFAULT, NULL, DDS::STATUS_MASK_NONE);
    if (publisher == NULL) return false;
    for (std::size_t i = 0; i < topic_count; i++) {
        if (!topics[i]->open_writer(participant, publisher)) return false;
    }
    for (std::size_t i = 0; i < topic_count; i++) {
        if (topics[i]->is_late() && !topics[i]->write_all(from)) return false;
    }
    for (std::size_t i = 0; i < topic_count; i++) {
        if (topics[i]->writer()->wait_for_matched(readers, PATIENCE) != RETCODE_OK) return false;
    }
    for (std::size_t i = 0; i < topic_count; i++) {
        if (!topics[i]->is_late() && !topics[i]->write_all(from)) return false;
    }
    // Not before: late joiners do not hear of what is unregistered.
    for (std::size_t i = 0; i < topic_count; i++) {
        if (!topics[i]->unregister_all(from)) return false;
    }
    for (std::size_t i = 0; i < topic_count; i++) {
        if (topics[i]->writer()->wait_for_acknowledgments(PATIENCE) != RETCODE_OK) return false;
    }
    return true;
}

static bool subscribe(DDS::DomainParticipant *participant, uint32_t publishers) {
    DDS::WaitSet waits;
    DDS::ConditionSeq active;
    DDS::Subscriber *subscriber =
        participant->create_subscriber(DDS::SUBSCRIBER_QOS_DEFAULT, NULL, DDS::STATUS_MASK_NONE);
    if (subscriber == NULL) return false;
    uint32_t wanted = 0;
    for (std::size_t i = 0; i < topic_count; i++) {
        if (!topics[i]->open_reader(participant, subscriber, waits)) return false;
        wanted += publishers * topics[i]->count();
    }
    bool is_well = true;
    while (is_well && line_count < wanted) {
        is_well = waits.wait(active, PATIENCE) == RETCODE_OK;
        for (std::size_t i = 0; is_well && i < topic_count; i++) is_well = topics[i]->take_all();
    }
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    if (!is_well) std::fprintf(stderr, "%u lines of %u came\n", line_count, wanted);
    return is_well;
}

int main(int count, char **words) {
    DDS::DomainParticipantFactory *factory = DDS::DomainParticipantFactory::get_instance();
    DDS::DomainParticipant *participant =
        factory->create_participant(0, DDS::PARTICIPANT_QOS_DEFAULT, NULL, DDS::STATUS_MASK_NONE);
    bool is_well = false;
    choose_topics();
    if (participant != NULL && count == 4 && std::strcmp(words[1], "publish") == 0) {
        is_well = publish(participant, words[2], static_cast<uint32_t>(std::atoi(words[3])));
    } else if (participant != NULL && count == 3 && std::strcmp(words[1], "subscribe") == 0) {
        is_well = subscribe(participant, static_cast<uint32_t>(std::atoi(words[2])));
    } else {
        std::fprintf(stderr, "publish FROM READERS, or subscribe PUBLISHERS\n");
    }
    is_well = is_well && participant->delete_contained_entities() == RETCODE_OK
              && factory->delete_participant(participant) == RETCODE_OK;
    if (!is_well) std::fprintf(stderr, "%s\n", DDS::last_error());
    return is_well ? 0 : 1;
}
