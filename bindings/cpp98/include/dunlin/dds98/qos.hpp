// QoS as the C interface has it, and back.
#ifndef DUNLIN_DDS98_QOS_HPP
#define DUNLIN_DDS98_QOS_HPP

#include "dunlin/dds98/policy.hpp"

namespace DDS {
namespace dunlin98 {

inline dunlin_text text_of(const String &text) { return dunlin_text_of(text.c_str()); }
inline dunlin_bytes bytes_of(const OctetSeq &octets) {
    dunlin_bytes bytes = {octets.get_buffer(), octets.length()};
    return bytes;
}
inline void take(String &to, const dunlin_text &text) { (void)to.assign(text.data, text.length); }
inline void take(OctetSeq &to, const dunlin_bytes &bytes) {
    (void)to.from_array(bytes.data, static_cast<ULong>(bytes.length));
}

// Texts as the C interface takes several of them. They point into the sequence.
class Texts {
public:
    explicit Texts(const StringSeq &texts) {
        is_whole = _texts.length(texts.length());
        for (ULong i = 0; i < _texts.length(); i++) {
            _texts[i] = text_of(texts[i]);
        }
    }
    const dunlin_text *data() const { return _texts.get_buffer(); }
    uint64_t count() const { return _texts.length(); }
    // Else there was no memory.
    bool is_whole;

private:
    Sequence<dunlin_text> _texts;
};

// What writers, readers and topics have in common.
template <class Q, class C> void put_common(const Q &qos, C &c) {
    c.deadline = to_nanoseconds(qos.deadline.period);
    c.latency_budget = to_nanoseconds(qos.latency_budget.duration);
    c.lease_duration = to_nanoseconds(qos.liveliness.lease_duration);
    c.max_blocking_time = to_nanoseconds(qos.reliability.max_blocking_time);
    c.durability = qos.durability.kind;
    c.reliability = qos.reliability.kind;
    c.liveliness = qos.liveliness.kind;
    c.ownership = qos.ownership.kind;
    c.destination_order = qos.destination_order.kind;
    c.history = qos.history.kind;
    c.depth = qos.history.depth;
    c.max_samples = qos.resource_limits.max_samples;
    c.max_instances = qos.resource_limits.max_instances;
    c.max_samples_per_instance = qos.resource_limits.max_samples_per_instance;
}
template <class Q, class C> void take_common(Q &qos, const C &c) {
    qos.deadline.period = to_duration(c.deadline);
    qos.latency_budget.duration = to_duration(c.latency_budget);
    qos.liveliness.lease_duration = to_duration(c.lease_duration);
    qos.reliability.max_blocking_time = to_duration(c.max_blocking_time);
    qos.durability.kind = static_cast<DurabilityQosPolicyKind>(c.durability);
    qos.reliability.kind = static_cast<ReliabilityQosPolicyKind>(c.reliability);
    qos.liveliness.kind = static_cast<LivelinessQosPolicyKind>(c.liveliness);
    qos.ownership.kind = static_cast<OwnershipQosPolicyKind>(c.ownership);
    qos.destination_order.kind = static_cast<DestinationOrderQosPolicyKind>(c.destination_order);
    qos.history.kind = static_cast<HistoryQosPolicyKind>(c.history);
    qos.history.depth = c.depth;
    qos.resource_limits.max_samples = c.max_samples;
    qos.resource_limits.max_instances = c.max_instances;
    qos.resource_limits.max_samples_per_instance = c.max_samples_per_instance;
}

// What writers and topics have in common.
template <class Q, class C> void put_service(const Q &qos, C &c) {
    c.lifespan = to_nanoseconds(qos.lifespan.duration);
    c.transport_priority = qos.transport_priority.value;
    c.service_cleanup_delay = to_nanoseconds(qos.durability_service.service_cleanup_delay);
    c.service_history = qos.durability_service.history_kind;
    c.service_depth = qos.durability_service.history_depth;
    c.service_max_samples = qos.durability_service.max_samples;
    c.service_max_instances = qos.durability_service.max_instances;
    c.service_max_samples_per_instance = qos.durability_service.max_samples_per_instance;
}
template <class Q, class C> void take_service(Q &qos, const C &c) {
    qos.lifespan.duration = to_duration(c.lifespan);
    qos.transport_priority.value = c.transport_priority;
    qos.durability_service.service_cleanup_delay = to_duration(c.service_cleanup_delay);
    qos.durability_service.history_kind = static_cast<HistoryQosPolicyKind>(c.service_history);
    qos.durability_service.history_depth = c.service_depth;
    qos.durability_service.max_samples = c.service_max_samples;
    qos.durability_service.max_instances = c.service_max_instances;
    qos.durability_service.max_samples_per_instance = c.service_max_samples_per_instance;
}

// What an endpoint takes from its topic.
template <class Q> void copy_common(Q &to, const TopicQos &from) {
    to.durability = from.durability;
    to.deadline = from.deadline;
    to.latency_budget = from.latency_budget;
    to.liveliness = from.liveliness;
    to.reliability = from.reliability;
    to.destination_order = from.destination_order;
    to.history = from.history;
    to.resource_limits = from.resource_limits;
    to.ownership = from.ownership;
    to.representation = from.representation;
}

inline int32_t representation_bits(const DataRepresentationIdSeq &list) {
    int32_t bits = 0;
    for (ULong i = 0; i < list.length(); i++) {
        // What is no representation is a bit that the library refuses.
        bits |= list[i] >= 0 && list[i] < 30 ? 1 << list[i] : 1 << 30;
    }
    return bits;
}
inline void take_bits(DataRepresentationIdSeq &list, int32_t bits) {
    list.clear();
    for (DataRepresentationId_t id = 0; id < 31; id++) {
        if ((bits >> id & 1) != 0) {
            (void)list.push_back(id);
        }
    }
}

inline void put(const DomainParticipantQos &qos, dunlin_participant_qos &c) {
    c.user_data = bytes_of(qos.user_data.value);
    c.entity_name = text_of(qos.participant_name.name);
    c.autoenable = qos.entity_factory.autoenable_created_entities;
}
inline void take(DomainParticipantQos &qos, const dunlin_participant_qos &c) {
    take(qos.user_data.value, c.user_data);
    take(qos.participant_name.name, c.entity_name);
    qos.entity_factory.autoenable_created_entities = c.autoenable != 0;
}

inline void put(const TopicQos &qos, dunlin_topic_qos &c) {
    put_common(qos, c);
    put_service(qos, c);
    c.topic_data = bytes_of(qos.topic_data.value);
    c.representations = representation_bits(qos.representation.value);
}
inline void take(TopicQos &qos, const dunlin_topic_qos &c) {
    take_common(qos, c);
    take_service(qos, c);
    take(qos.topic_data.value, c.topic_data);
    take_bits(qos.representation.value, c.representations);
}

inline void put(const DataWriterQos &qos, dunlin_writer_qos &c) {
    const DataRepresentationIdSeq &list = qos.representation.value;
    put_common(qos, c);
    put_service(qos, c);
    c.user_data = bytes_of(qos.user_data.value);
    c.entity_name = text_of(qos.publication_name.name);
    c.ownership_strength = qos.ownership_strength.value;
    c.representation = list.empty() ? static_cast<int32_t>(DUNLIN_XCDR1) : list[0];
    c.autodispose = qos.writer_data_lifecycle.autodispose_unregistered_instances;
}
inline void take(DataWriterQos &qos, const dunlin_writer_qos &c) {
    take_common(qos, c);
    take_service(qos, c);
    take(qos.user_data.value, c.user_data);
    take(qos.publication_name.name, c.entity_name);
    qos.ownership_strength.value = c.ownership_strength;
    take_bits(qos.representation.value, 1 << c.representation);
    qos.writer_data_lifecycle.autodispose_unregistered_instances = c.autodispose != 0;
    qos.publish_mode.kind = SYNCHRONOUS_PUBLISH_MODE_QOS;
}

inline void put(const DataReaderQos &qos, dunlin_reader_qos &c) {
    put_common(qos, c);
    c.user_data = bytes_of(qos.user_data.value);
    c.entity_name = text_of(qos.subscription_name.name);
    c.minimum_separation = to_nanoseconds(qos.time_based_filter.minimum_separation);
    c.autopurge_nowriter =
        to_nanoseconds(qos.reader_data_lifecycle.autopurge_nowriter_samples_delay);
    c.autopurge_disposed =
        to_nanoseconds(qos.reader_data_lifecycle.autopurge_disposed_samples_delay);
    if (!qos.representation.value.empty()) {
        c.representations = representation_bits(qos.representation.value);
    }
    c.type_consistency = qos.type_consistency.kind;
    c.ignore_sequence_bounds = qos.type_consistency.ignore_sequence_bounds;
    c.ignore_string_bounds = qos.type_consistency.ignore_string_bounds;
    c.ignore_member_names = qos.type_consistency.ignore_member_names;
    c.prevent_type_widening = qos.type_consistency.prevent_type_widening;
    c.force_type_validation = qos.type_consistency.force_type_validation;
}
inline void take(DataReaderQos &qos, const dunlin_reader_qos &c) {
    take_common(qos, c);
    take(qos.user_data.value, c.user_data);
    take(qos.subscription_name.name, c.entity_name);
    qos.time_based_filter.minimum_separation = to_duration(c.minimum_separation);
    qos.reader_data_lifecycle.autopurge_nowriter_samples_delay = to_duration(c.autopurge_nowriter);
    qos.reader_data_lifecycle.autopurge_disposed_samples_delay = to_duration(c.autopurge_disposed);
    take_bits(qos.representation.value, c.representations);
    qos.type_consistency.kind = static_cast<TypeConsistencyKind>(c.type_consistency);
    qos.type_consistency.ignore_sequence_bounds = c.ignore_sequence_bounds != 0;
    qos.type_consistency.ignore_string_bounds = c.ignore_string_bounds != 0;
    qos.type_consistency.ignore_member_names = c.ignore_member_names != 0;
    qos.type_consistency.prevent_type_widening = c.prevent_type_widening != 0;
    qos.type_consistency.force_type_validation = c.force_type_validation != 0;
}

template <class Q> void put_group(const Q &qos, dunlin_group_qos &c) {
    c.group_data = bytes_of(qos.group_data.value);
    c.access_scope = qos.presentation.access_scope;
    c.coherent = qos.presentation.coherent_access;
    c.ordered = qos.presentation.ordered_access;
    // Endpoints are enabled when their objects are ready for what listeners are told.
    c.autoenable = 0;
}
template <class Q> void take_group(Q &qos, const dunlin_group_qos &c) {
    take(qos.group_data.value, c.group_data);
    qos.presentation.access_scope =
        static_cast<PresentationQosPolicyAccessScopeKind>(c.access_scope);
    qos.presentation.coherent_access = c.coherent != 0;
    qos.presentation.ordered_access = c.ordered != 0;
    qos.entity_factory.autoenable_created_entities = true;
    qos.partition.name.clear();
    for (uint64_t i = 0; i < c.partition_count; i++) {
        String name;
        take(name, c.partitions[i]);
        (void)qos.partition.name.push_back(name);
    }
}
inline void put(const PublisherQos &qos, dunlin_group_qos &c) {
    put_group(qos, c);
    c.entity_name = text_of(qos.publisher_name.name);
}
inline void put(const SubscriberQos &qos, dunlin_group_qos &c) {
    put_group(qos, c);
    c.entity_name = text_of(qos.subscriber_name.name);
}
inline void take(PublisherQos &qos, const dunlin_group_qos &c) {
    take_group(qos, c);
    take(qos.publisher_name.name, c.entity_name);
}
inline void take(SubscriberQos &qos, const dunlin_group_qos &c) {
    take_group(qos, c);
    take(qos.subscriber_name.name, c.entity_name);
}

// The structure of the C interface for a QoS, and what the lists in it lie in.
template <class Q> struct CQos;
template <> struct CQos<DomainParticipantQos> {
    typedef dunlin_participant_qos Type;
    enum { KIND = DUNLIN_QOS_PARTICIPANT };
};
template <> struct CQos<TopicQos> {
    typedef dunlin_topic_qos Type;
    enum { KIND = DUNLIN_QOS_TOPIC };
};
template <> struct CQos<PublisherQos> {
    typedef dunlin_group_qos Type;
    enum { KIND = DUNLIN_QOS_PUBLISHER };
};
template <> struct CQos<SubscriberQos> {
    typedef dunlin_group_qos Type;
    enum { KIND = DUNLIN_QOS_SUBSCRIBER };
};
template <> struct CQos<DataWriterQos> {
    typedef dunlin_writer_qos Type;
    enum { KIND = DUNLIN_QOS_WRITER };
};
template <> struct CQos<DataReaderQos> {
    typedef dunlin_reader_qos Type;
    enum { KIND = DUNLIN_QOS_READER };
};

inline const StringSeq *partitions_of(const PublisherQos &qos) { return &qos.partition.name; }
inline const StringSeq *partitions_of(const SubscriberQos &qos) { return &qos.partition.name; }
template <class Q> const StringSeq *partitions_of(const Q &) { return NULL; }
inline void lend_partitions(dunlin_group_qos &c, const Texts &names) {
    c.partitions = names.data();
    c.partition_count = names.count();
}
template <class C> void lend_partitions(C &, const Texts &) {}

// A QoS as the C interface takes it. It points into the QoS that it is made of.
template <class Q> class QosArgument {
public:
    typedef typename CQos<Q>::Type C;

    explicit QosArgument(const Q &qos)
        : _none(), _partitions(partitions_of(qos) == NULL ? _none : *partitions_of(qos)) {
        std::memset(&_c, 0, sizeof _c);
        _c.size = sizeof _c;
        _c.kind = CQos<Q>::KIND;
        code = dunlin_qos_default(reinterpret_cast<dunlin_qos *>(&_c));
        put(qos, _c);
        lend_partitions(_c, _partitions);
        if (!_partitions.is_whole) {
            code = RETCODE_OUT_OF_RESOURCES;
        }
    }
    const C *get() const { return &_c; }
    const dunlin_qos *any() const { return reinterpret_cast<const dunlin_qos *>(&_c); }
    ReturnCode_t code;

private:
    StringSeq _none;
    Texts _partitions;
    C _c;
};

// A QoS that a function of the C interface fills in.
template <class Q> class QosResult {
public:
    typedef typename CQos<Q>::Type C;

    QosResult() {
        std::memset(&_c, 0, sizeof _c);
        std::memset(&block, 0, sizeof block);
        _c.size = sizeof _c;
        _c.kind = CQos<Q>::KIND;
    }
    ~QosResult() { (void)dunlin_block_free(&block); }
    dunlin_qos *any() { return reinterpret_cast<dunlin_qos *>(&_c); }
    ReturnCode_t give(ReturnCode_t code, Q &qos) const {
        if (code == RETCODE_OK) {
            take(qos, _c);
        }
        return code;
    }
    const C &get() const { return _c; }
    dunlin_block block;

private:
    C _c;
};

template <class Q> void begin(Q &qos) {
    QosResult<Q> result;
    const ReturnCode_t code = dunlin_qos_default(result.any());
    (void)result.give(code, qos);
}

} // namespace dunlin98

inline DomainParticipantQos::DomainParticipantQos() { dunlin98::begin(*this); }
inline TopicQos::TopicQos() { dunlin98::begin(*this); }
inline PublisherQos::PublisherQos() { dunlin98::begin(*this); }
inline SubscriberQos::SubscriberQos() { dunlin98::begin(*this); }
inline DataWriterQos::DataWriterQos() { dunlin98::begin(*this); }
inline DataReaderQos::DataReaderQos() { dunlin98::begin(*this); }

} // namespace DDS

#endif
