// What the built-in topics tell of others (DDS 1.4 2.2.5).
#ifndef DUNLIN_DDS98_BUILTIN_DATA_HPP
#define DUNLIN_DDS98_BUILTIN_DATA_HPP

#include "dunlin/dds98/qos.hpp"

namespace DDS {

// The GUID of an entity; of a topic a number that its name and type have. It is also the handle of
// its instance.
struct BuiltinTopicKey_t {
    Octet value[16];
};
inline bool operator==(const BuiltinTopicKey_t &one, const BuiltinTopicKey_t &other) {
    return std::memcmp(one.value, other.value, sizeof one.value) == 0;
}
inline bool operator!=(const BuiltinTopicKey_t &one, const BuiltinTopicKey_t &other) {
    return !(one == other);
}

// Another participant (DCPSParticipant).
struct ParticipantBuiltinTopicData {
    BuiltinTopicKey_t key;
    UserDataQosPolicy user_data;
    EntityNameQosPolicy participant_name;
};

// A topic that others have (DCPSTopic), as far as their writers and readers tell.
struct TopicBuiltinTopicData {
    BuiltinTopicKey_t key;
    String name;
    String type_name;
    TopicDataQosPolicy topic_data;
};

// A writer of another participant (DCPSPublication).
struct PublicationBuiltinTopicData {
    BuiltinTopicKey_t key;
    BuiltinTopicKey_t participant_key;
    String topic_name;
    String type_name;
    DurabilityQosPolicy durability;
    DurabilityServiceQosPolicy durability_service;
    DeadlineQosPolicy deadline;
    LatencyBudgetQosPolicy latency_budget;
    LivelinessQosPolicy liveliness;
    ReliabilityQosPolicy reliability;
    LifespanQosPolicy lifespan;
    UserDataQosPolicy user_data;
    OwnershipQosPolicy ownership;
    OwnershipStrengthQosPolicy ownership_strength;
    DestinationOrderQosPolicy destination_order;
    PresentationQosPolicy presentation;
    PartitionQosPolicy partition;
    TopicDataQosPolicy topic_data;
    GroupDataQosPolicy group_data;
    DataRepresentationQosPolicy representation;
    EntityNameQosPolicy publication_name;
};

// A reader of another participant (DCPSSubscription).
struct SubscriptionBuiltinTopicData {
    BuiltinTopicKey_t key;
    BuiltinTopicKey_t participant_key;
    String topic_name;
    String type_name;
    DurabilityQosPolicy durability;
    DeadlineQosPolicy deadline;
    LatencyBudgetQosPolicy latency_budget;
    LivelinessQosPolicy liveliness;
    ReliabilityQosPolicy reliability;
    OwnershipQosPolicy ownership;
    DestinationOrderQosPolicy destination_order;
    UserDataQosPolicy user_data;
    TimeBasedFilterQosPolicy time_based_filter;
    PresentationQosPolicy presentation;
    PartitionQosPolicy partition;
    TopicDataQosPolicy topic_data;
    GroupDataQosPolicy group_data;
    DataRepresentationQosPolicy representation;
    TypeConsistencyEnforcementQosPolicy type_consistency;
    EntityNameQosPolicy subscription_name;
};

namespace dunlin98 {

inline void take(BuiltinTopicKey_t &to, const uint8_t *key) {
    std::memcpy(to.value, key, sizeof to.value);
}

inline void take(ParticipantBuiltinTopicData &to, const dunlin_builtin_data &from) {
    take(to.key, from.key);
    take(to.user_data.value, from.user_data);
    take(to.participant_name.name, from.name);
}

inline void take(TopicBuiltinTopicData &to, const dunlin_builtin_data &from) {
    take(to.key, from.key);
    take(to.name, from.name);
    take(to.type_name, from.type_name);
    take(to.topic_data.value, from.topic_data);
}

// What writers and readers have in common. `G` is the QoS of what they belong to.
template <class G, class D, class Q>
void take_endpoint(D &to, const Q &qos, const dunlin_builtin_data &from) {
    G group;
    if (from.group_qos != NULL) {
        take(group, *from.group_qos);
    }
    take(to.key, from.key);
    take(to.participant_key, from.participant_key);
    take(to.topic_name, from.name);
    take(to.type_name, from.type_name);
    to.durability = qos.durability;
    to.deadline = qos.deadline;
    to.latency_budget = qos.latency_budget;
    to.liveliness = qos.liveliness;
    to.reliability = qos.reliability;
    to.ownership = qos.ownership;
    to.destination_order = qos.destination_order;
    to.user_data = qos.user_data;
    to.representation = qos.representation;
    to.presentation = group.presentation;
    to.partition = group.partition;
    to.group_data = group.group_data;
    take(to.topic_data.value, from.topic_data);
}

inline void take(PublicationBuiltinTopicData &to, const dunlin_builtin_data &from) {
    DataWriterQos qos;
    if (from.writer_qos != NULL) {
        take(qos, *from.writer_qos);
    }
    take_endpoint<PublisherQos>(to, qos, from);
    to.durability_service = qos.durability_service;
    to.lifespan = qos.lifespan;
    to.ownership_strength = qos.ownership_strength;
    to.publication_name = qos.publication_name;
}

inline void take(SubscriptionBuiltinTopicData &to, const dunlin_builtin_data &from) {
    DataReaderQos qos;
    if (from.reader_qos != NULL) {
        take(qos, *from.reader_qos);
    }
    take_endpoint<SubscriberQos>(to, qos, from);
    to.time_based_filter = qos.time_based_filter;
    to.type_consistency = qos.type_consistency;
    to.subscription_name = qos.subscription_name;
}

// Data that a function of the C interface fills in, and the block that its texts lie in.
class BuiltinResult {
public:
    BuiltinResult() {
        std::memset(&data, 0, sizeof data);
        std::memset(&block, 0, sizeof block);
        data.size = sizeof data;
    }
    ~BuiltinResult() { (void)dunlin_block_free(&block); }
    template <class D> ReturnCode_t give(ReturnCode_t code, D &to) const {
        if (code == RETCODE_OK) {
            take(to, data);
        }
        return code;
    }
    dunlin_builtin_data data;
    dunlin_block block;

private:
    BuiltinResult(const BuiltinResult &);
    BuiltinResult &operator=(const BuiltinResult &);
};

} // namespace dunlin98
} // namespace DDS

#endif
