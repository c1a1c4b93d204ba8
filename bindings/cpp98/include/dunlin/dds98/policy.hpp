// The policies of QoS (DDS 1.4 2.2.3) and the QoS of each kind of entity.
#ifndef DUNLIN_DDS98_POLICY_HPP
#define DUNLIN_DDS98_POLICY_HPP

#include "dunlin/dds98/core.hpp"

namespace DDS {

// The numbers that incompatible QoS names policies by.
const QosPolicyId_t INVALID_QOS_POLICY_ID = 0;
const QosPolicyId_t USERDATA_QOS_POLICY_ID = 1;
const QosPolicyId_t DURABILITY_QOS_POLICY_ID = 2;
const QosPolicyId_t PRESENTATION_QOS_POLICY_ID = 3;
const QosPolicyId_t DEADLINE_QOS_POLICY_ID = 4;
const QosPolicyId_t LATENCYBUDGET_QOS_POLICY_ID = 5;
const QosPolicyId_t OWNERSHIP_QOS_POLICY_ID = 6;
const QosPolicyId_t OWNERSHIPSTRENGTH_QOS_POLICY_ID = 7;
const QosPolicyId_t LIVELINESS_QOS_POLICY_ID = 8;
const QosPolicyId_t TIMEBASEDFILTER_QOS_POLICY_ID = 9;
const QosPolicyId_t PARTITION_QOS_POLICY_ID = 10;
const QosPolicyId_t RELIABILITY_QOS_POLICY_ID = 11;
const QosPolicyId_t DESTINATIONORDER_QOS_POLICY_ID = 12;
const QosPolicyId_t HISTORY_QOS_POLICY_ID = 13;
const QosPolicyId_t RESOURCELIMITS_QOS_POLICY_ID = 14;
const QosPolicyId_t ENTITYFACTORY_QOS_POLICY_ID = 15;
const QosPolicyId_t WRITERDATALIFECYCLE_QOS_POLICY_ID = 16;
const QosPolicyId_t READERDATALIFECYCLE_QOS_POLICY_ID = 17;
const QosPolicyId_t TOPICDATA_QOS_POLICY_ID = 18;
const QosPolicyId_t GROUPDATA_QOS_POLICY_ID = 19;
const QosPolicyId_t TRANSPORTPRIORITY_QOS_POLICY_ID = 20;
const QosPolicyId_t LIFESPAN_QOS_POLICY_ID = 21;
const QosPolicyId_t DURABILITYSERVICE_QOS_POLICY_ID = 22;
const QosPolicyId_t DATA_REPRESENTATION_QOS_POLICY_ID = 23;
const QosPolicyId_t TYPE_CONSISTENCY_ENFORCEMENT_QOS_POLICY_ID = 24;

// The name of a policy: "Deadline"; "?" if it is none.
inline const char *qos_policy_name(QosPolicyId_t policy) {
    static const char *const names[] = {
        "?", "UserData", "Durability", "Presentation", "Deadline", "LatencyBudget", "Ownership",
        "OwnershipStrength", "Liveliness", "TimeBasedFilter", "Partition", "Reliability",
        "DestinationOrder", "History", "ResourceLimits", "EntityFactory", "WriterDataLifecycle",
        "ReaderDataLifecycle", "TopicData", "GroupData", "TransportPriority", "Lifespan",
        "DurabilityService", "DataRepresentation", "TypeConsistencyEnforcement"};
    const QosPolicyId_t count = sizeof names / sizeof *names;
    return policy < 0 || policy >= count ? names[0] : names[policy];
}

struct UserDataQosPolicy {
    OctetSeq value;
};
struct TopicDataQosPolicy {
    OctetSeq value;
};
struct GroupDataQosPolicy {
    OctetSeq value;
};
struct TransportPriorityQosPolicy {
    Long value;
};
struct LifespanQosPolicy {
    Duration_t duration;
};

enum DurabilityQosPolicyKind {
    VOLATILE_DURABILITY_QOS = DUNLIN_VOLATILE,
    TRANSIENT_LOCAL_DURABILITY_QOS = DUNLIN_TRANSIENT_LOCAL,
    TRANSIENT_DURABILITY_QOS = DUNLIN_TRANSIENT,
    PERSISTENT_DURABILITY_QOS = DUNLIN_PERSISTENT
};
struct DurabilityQosPolicy {
    DurabilityQosPolicyKind kind;
};

enum HistoryQosPolicyKind {
    KEEP_LAST_HISTORY_QOS = DUNLIN_KEEP_LAST,
    KEEP_ALL_HISTORY_QOS = DUNLIN_KEEP_ALL
};
struct HistoryQosPolicy {
    HistoryQosPolicyKind kind;
    Long depth;
};
struct ResourceLimitsQosPolicy {
    Long max_samples, max_instances, max_samples_per_instance;
};
struct DurabilityServiceQosPolicy {
    Duration_t service_cleanup_delay;
    HistoryQosPolicyKind history_kind;
    Long history_depth;
    Long max_samples, max_instances, max_samples_per_instance;
};

enum PresentationQosPolicyAccessScopeKind {
    INSTANCE_PRESENTATION_QOS = DUNLIN_INSTANCE_SCOPE,
    TOPIC_PRESENTATION_QOS = DUNLIN_TOPIC_SCOPE,
    GROUP_PRESENTATION_QOS = DUNLIN_GROUP_SCOPE
};
struct PresentationQosPolicy {
    PresentationQosPolicyAccessScopeKind access_scope;
    Boolean coherent_access;
    Boolean ordered_access;
};
struct DeadlineQosPolicy {
    Duration_t period;
};
struct LatencyBudgetQosPolicy {
    Duration_t duration;
};

enum OwnershipQosPolicyKind {
    SHARED_OWNERSHIP_QOS = DUNLIN_SHARED_OWNERSHIP,
    EXCLUSIVE_OWNERSHIP_QOS = DUNLIN_EXCLUSIVE_OWNERSHIP
};
struct OwnershipQosPolicy {
    OwnershipQosPolicyKind kind;
};
struct OwnershipStrengthQosPolicy {
    Long value;
};

enum LivelinessQosPolicyKind {
    AUTOMATIC_LIVELINESS_QOS = DUNLIN_AUTOMATIC,
    MANUAL_BY_PARTICIPANT_LIVELINESS_QOS = DUNLIN_MANUAL_BY_PARTICIPANT,
    MANUAL_BY_TOPIC_LIVELINESS_QOS = DUNLIN_MANUAL_BY_TOPIC
};
struct LivelinessQosPolicy {
    LivelinessQosPolicyKind kind;
    Duration_t lease_duration;
};
struct TimeBasedFilterQosPolicy {
    Duration_t minimum_separation;
};
struct PartitionQosPolicy {
    StringSeq name;
};

enum ReliabilityQosPolicyKind {
    BEST_EFFORT_RELIABILITY_QOS = DUNLIN_BEST_EFFORT,
    RELIABLE_RELIABILITY_QOS = DUNLIN_RELIABLE
};
struct ReliabilityQosPolicy {
    ReliabilityQosPolicyKind kind;
    Duration_t max_blocking_time;
};

enum DestinationOrderQosPolicyKind {
    BY_RECEPTION_TIMESTAMP_DESTINATIONORDER_QOS = DUNLIN_BY_RECEPTION_TIMESTAMP,
    BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS = DUNLIN_BY_SOURCE_TIMESTAMP
};
struct DestinationOrderQosPolicy {
    DestinationOrderQosPolicyKind kind;
};
struct EntityFactoryQosPolicy {
    Boolean autoenable_created_entities;
};
struct WriterDataLifecycleQosPolicy {
    Boolean autodispose_unregistered_instances;
};
struct ReaderDataLifecycleQosPolicy {
    Duration_t autopurge_nowriter_samples_delay;
    Duration_t autopurge_disposed_samples_delay;
};

// DDS-XTypes 1.3 7.6.3.1. A writer takes the first one; none is the default.
typedef Short DataRepresentationId_t;
typedef Sequence<DataRepresentationId_t> DataRepresentationIdSeq;
const DataRepresentationId_t XCDR_DATA_REPRESENTATION = DUNLIN_XCDR1;
const DataRepresentationId_t XCDR2_DATA_REPRESENTATION = DUNLIN_XCDR2;
struct DataRepresentationQosPolicy {
    DataRepresentationIdSeq value;
};

enum TypeConsistencyKind {
    DISALLOW_TYPE_COERCION = DUNLIN_DISALLOW_TYPE_COERCION,
    ALLOW_TYPE_COERCION = DUNLIN_ALLOW_TYPE_COERCION
};
struct TypeConsistencyEnforcementQosPolicy {
    TypeConsistencyKind kind;
    Boolean ignore_sequence_bounds;
    Boolean ignore_string_bounds;
    Boolean ignore_member_names;
    Boolean prevent_type_widening;
    Boolean force_type_validation;
};

// Dunlin sends in the thread that writes; ASYNCHRONOUS is taken and has no effect.
enum PublishModeQosPolicyKind { SYNCHRONOUS_PUBLISH_MODE_QOS, ASYNCHRONOUS_PUBLISH_MODE_QOS };
struct PublishModeQosPolicy {
    PublishModeQosPolicyKind kind;
};
// The name of an entity, which tools show.
struct EntityNameQosPolicy {
    String name;
};

struct DomainParticipantFactoryQos {
    EntityFactoryQosPolicy entity_factory;
};

// A QoS begins with the values that the standard gives.
struct DomainParticipantQos {
    UserDataQosPolicy user_data;
    EntityFactoryQosPolicy entity_factory;
    EntityNameQosPolicy participant_name;

    inline DomainParticipantQos();
};

struct TopicQos {
    TopicDataQosPolicy topic_data;
    DurabilityQosPolicy durability;
    DurabilityServiceQosPolicy durability_service;
    DeadlineQosPolicy deadline;
    LatencyBudgetQosPolicy latency_budget;
    LivelinessQosPolicy liveliness;
    ReliabilityQosPolicy reliability;
    DestinationOrderQosPolicy destination_order;
    HistoryQosPolicy history;
    ResourceLimitsQosPolicy resource_limits;
    TransportPriorityQosPolicy transport_priority;
    LifespanQosPolicy lifespan;
    OwnershipQosPolicy ownership;
    DataRepresentationQosPolicy representation;

    inline TopicQos();
};

struct PublisherQos {
    PresentationQosPolicy presentation;
    PartitionQosPolicy partition;
    GroupDataQosPolicy group_data;
    EntityFactoryQosPolicy entity_factory;
    EntityNameQosPolicy publisher_name;

    inline PublisherQos();
};

struct SubscriberQos {
    PresentationQosPolicy presentation;
    PartitionQosPolicy partition;
    GroupDataQosPolicy group_data;
    EntityFactoryQosPolicy entity_factory;
    EntityNameQosPolicy subscriber_name;

    inline SubscriberQos();
};

struct DataWriterQos {
    DurabilityQosPolicy durability;
    DurabilityServiceQosPolicy durability_service;
    DeadlineQosPolicy deadline;
    LatencyBudgetQosPolicy latency_budget;
    LivelinessQosPolicy liveliness;
    ReliabilityQosPolicy reliability;
    DestinationOrderQosPolicy destination_order;
    HistoryQosPolicy history;
    ResourceLimitsQosPolicy resource_limits;
    TransportPriorityQosPolicy transport_priority;
    LifespanQosPolicy lifespan;
    UserDataQosPolicy user_data;
    OwnershipQosPolicy ownership;
    OwnershipStrengthQosPolicy ownership_strength;
    WriterDataLifecycleQosPolicy writer_data_lifecycle;
    DataRepresentationQosPolicy representation;
    PublishModeQosPolicy publish_mode;
    EntityNameQosPolicy publication_name;

    inline DataWriterQos();
};

struct DataReaderQos {
    DurabilityQosPolicy durability;
    DeadlineQosPolicy deadline;
    LatencyBudgetQosPolicy latency_budget;
    LivelinessQosPolicy liveliness;
    ReliabilityQosPolicy reliability;
    DestinationOrderQosPolicy destination_order;
    HistoryQosPolicy history;
    ResourceLimitsQosPolicy resource_limits;
    UserDataQosPolicy user_data;
    OwnershipQosPolicy ownership;
    TimeBasedFilterQosPolicy time_based_filter;
    ReaderDataLifecycleQosPolicy reader_data_lifecycle;
    DataRepresentationQosPolicy representation;
    TypeConsistencyEnforcementQosPolicy type_consistency;
    EntityNameQosPolicy subscription_name;

    inline DataReaderQos();
};

// What is passed for the default of the parent. It is told by its address.
template <class Q> struct DefaultQos {
    static const Q qos;
};
template <class Q> const Q DefaultQos<Q>::qos;

DUNLIN_DDS98_UNUSED static const DomainParticipantQos &PARTICIPANT_QOS_DEFAULT =
    DefaultQos<DomainParticipantQos>::qos;
DUNLIN_DDS98_UNUSED static const TopicQos &TOPIC_QOS_DEFAULT = DefaultQos<TopicQos>::qos;
DUNLIN_DDS98_UNUSED static const PublisherQos &PUBLISHER_QOS_DEFAULT =
    DefaultQos<PublisherQos>::qos;
DUNLIN_DDS98_UNUSED static const SubscriberQos &SUBSCRIBER_QOS_DEFAULT =
    DefaultQos<SubscriberQos>::qos;
DUNLIN_DDS98_UNUSED static const DataWriterQos &DATAWRITER_QOS_DEFAULT =
    DefaultQos<DataWriterQos>::qos;
DUNLIN_DDS98_UNUSED static const DataReaderQos &DATAREADER_QOS_DEFAULT =
    DefaultQos<DataReaderQos>::qos;

template <class Q> bool is_default(const Q &qos) { return &qos == &DefaultQos<Q>::qos; }

} // namespace DDS

#endif
