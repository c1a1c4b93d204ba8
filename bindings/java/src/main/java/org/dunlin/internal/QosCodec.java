package org.dunlin.internal;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import org.dunlin.qos.AccessScopeKind;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.DestinationOrderKind;
import org.dunlin.qos.DomainParticipantQos;
import org.dunlin.qos.DurabilityKind;
import org.dunlin.qos.EndpointQos;
import org.dunlin.qos.HistoryKind;
import org.dunlin.qos.LivelinessKind;
import org.dunlin.qos.OwnershipKind;
import org.dunlin.qos.PublisherQos;
import org.dunlin.qos.Qos;
import org.dunlin.qos.ReliabilityKind;
import org.dunlin.qos.SubscriberQos;
import org.dunlin.qos.TopicQos;
import org.dunlin.qos.TypeConsistencyKind;

/** The QoS as the structures of dunlin.h. */
public final class QosCodec {
    private QosCodec() {
    }

    /** The structure of a QoS; 0 for none. */
    public static long struct(Arena arena, Qos qos) {
        if (qos == null) {
            return 0;
        }
        QosPlace at = place(arena, qos);
        switch (qos) {
            case DomainParticipantQos q -> put(at, q);
            case TopicQos q -> put(at, q);
            case PublisherQos q -> put(at, q);
            case SubscriberQos q -> put(at, q);
            case DataWriterQos q -> put(at, q);
            case DataReaderQos q -> put(at, q);
            default -> throw new IllegalArgumentException(qos.getClass().getName());
        }
        return at.address();
    }

    private static QosPlace place(Arena arena, Qos qos) {
        Struct struct = switch (qos) {
            case DomainParticipantQos q -> Structs.PARTICIPANT_QOS;
            case TopicQos q -> Structs.TOPIC_QOS;
            case PublisherQos q -> Structs.GROUP_QOS;
            case SubscriberQos q -> Structs.GROUP_QOS;
            case DataWriterQos q -> Structs.WRITER_QOS;
            case DataReaderQos q -> Structs.READER_QOS;
            default -> throw new IllegalArgumentException(qos.getClass().getName());
        };
        int kind = switch (qos) {
            case DomainParticipantQos q -> 1;
            case TopicQos q -> 2;
            case PublisherQos q -> 3;
            case SubscriberQos q -> 4;
            case DataWriterQos q -> 5;
            case DataReaderQos q -> 6;
            default -> throw new IllegalArgumentException(qos.getClass().getName());
        };
        return new QosPlace(arena, struct, kind);
    }

    private static void fill(QosPlace at, Qos qos) {
        switch (qos) {
            case DomainParticipantQos q -> get(at, q);
            case TopicQos q -> get(at, q);
            case PublisherQos q -> get(at, q);
            case SubscriberQos q -> get(at, q);
            case DataWriterQos q -> get(at, q);
            case DataReaderQos q -> get(at, q);
            default -> throw new IllegalArgumentException(qos.getClass().getName());
        }
    }

    /** The QoS of a structure that the library has filled in; null if there is none. */
    static <Q extends Qos> Q at(Struct struct, long address, Q qos) {
        if (address == 0) {
            return null;
        }
        fill(new QosPlace(struct, address), qos);
        return qos;
    }

    /** Gives a QoS its defaults. */
    public static void defaults(Qos qos) {
        try (Arena arena = Arena.ofConfined()) {
            QosPlace at = place(arena, qos);
            Native.check(Native.call(Native.QOS_DEFAULT, at.address()));
            fill(at, qos);
        }
    }

    /** Asks an entity for its QoS, or for that of what it creates. */
    public static void get(MethodHandle function, long entity, Qos qos) {
        get(qos, (at, block) -> Native.call(function, entity, at, block));
    }

    /** Asks for the QoS of participants. */
    public static void get(MethodHandle function, Qos qos) {
        get(qos, (at, block) -> Native.call(function, at, block));
    }

    private interface Getter {
        int get(long qos, long block);
    }

    private static void get(Qos qos, Getter getter) {
        try (Arena arena = Arena.ofConfined()) {
            QosPlace at = place(arena, qos);
            long block = arena.allocate(Structs.BLOCK.size, 8).address();
            Native.check(getter.get(at.address(), block));
            fill(at, qos);
            Native.call(Native.BLOCK_FREE, block);
        }
    }

    /** Gives an entity another QoS, or what it creates. */
    public static void set(MethodHandle function, long entity, Qos qos) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.call(function, entity, struct(arena, java.util.Objects.requireNonNull(qos, "qos"))));
        }
    }

    /** Gives participants another QoS. */
    public static void set(MethodHandle function, Qos qos) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.call(function, struct(arena, java.util.Objects.requireNonNull(qos, "qos"))));
        }
    }

    private static void put(QosPlace at, DomainParticipantQos qos) {
        at.flag("autoenable", qos.autoenable);
        at.text("entity_name", qos.entityName);
        at.bytes("user_data", qos.userData);
        at.properties("properties", qos.properties);
    }

    private static void get(QosPlace at, DomainParticipantQos qos) {
        qos.autoenable = at.flag("autoenable");
        qos.entityName = at.text("entity_name");
        qos.userData = at.bytes("user_data");
        qos.properties = at.properties("properties");
    }

    private static void putCommon(QosPlace at, EndpointQos<?> qos) {
        at.duration("deadline", qos.deadline);
        at.duration("latency_budget", qos.latencyBudget);
        at.duration("lease_duration", qos.leaseDuration);
        at.duration("max_blocking_time", qos.maxBlockingTime);
        at.kind("durability", qos.durability);
        at.kind("reliability", qos.reliability);
        at.kind("liveliness", qos.liveliness);
        at.kind("ownership", qos.ownership);
        at.kind("destination_order", qos.destinationOrder);
        at.kind("history", qos.history);
        at.number("depth", qos.depth);
        at.number("max_samples", qos.maxSamples);
        at.number("max_instances", qos.maxInstances);
        at.number("max_samples_per_instance", qos.maxSamplesPerInstance);
    }

    private static void getCommon(QosPlace at, EndpointQos<?> qos) {
        qos.deadline = at.duration("deadline");
        qos.latencyBudget = at.duration("latency_budget");
        qos.leaseDuration = at.duration("lease_duration");
        qos.maxBlockingTime = at.duration("max_blocking_time");
        qos.durability = at.kind("durability", DurabilityKind.values());
        qos.reliability = at.kind("reliability", ReliabilityKind.values());
        qos.liveliness = at.kind("liveliness", LivelinessKind.values());
        qos.ownership = at.kind("ownership", OwnershipKind.values());
        qos.destinationOrder = at.kind("destination_order", DestinationOrderKind.values());
        qos.history = at.kind("history", HistoryKind.values());
        qos.depth = at.number("depth");
        qos.maxSamples = at.number("max_samples");
        qos.maxInstances = at.number("max_instances");
        qos.maxSamplesPerInstance = at.number("max_samples_per_instance");
    }

    private static void put(QosPlace at, TopicQos qos) {
        putCommon(at, qos);
        at.duration("lifespan", qos.lifespan);
        at.duration("service_cleanup_delay", qos.serviceCleanupDelay);
        at.kind("service_history", qos.serviceHistory);
        at.number("service_depth", qos.serviceDepth);
        at.number("service_max_samples", qos.serviceMaxSamples);
        at.number("service_max_instances", qos.serviceMaxInstances);
        at.number("service_max_samples_per_instance", qos.serviceMaxSamplesPerInstance);
        at.number("transport_priority", qos.transportPriority);
        at.bytes("topic_data", qos.topicData);
        at.representations("representations", qos.representations);
    }

    private static void get(QosPlace at, TopicQos qos) {
        getCommon(at, qos);
        qos.lifespan = at.duration("lifespan");
        qos.serviceCleanupDelay = at.duration("service_cleanup_delay");
        qos.serviceHistory = at.kind("service_history", HistoryKind.values());
        qos.serviceDepth = at.number("service_depth");
        qos.serviceMaxSamples = at.number("service_max_samples");
        qos.serviceMaxInstances = at.number("service_max_instances");
        qos.serviceMaxSamplesPerInstance = at.number("service_max_samples_per_instance");
        qos.transportPriority = at.number("transport_priority");
        qos.topicData = at.bytes("topic_data");
        qos.representations = at.representations("representations");
    }

    private static void put(QosPlace at, PublisherQos qos) {
        at.text("entity_name", qos.entityName);
        at.bytes("group_data", qos.groupData);
        at.texts("partitions", qos.partitions);
        at.kind("access_scope", qos.accessScope);
        at.flag("coherent", qos.coherentAccess);
        at.flag("ordered", qos.orderedAccess);
        at.flag("autoenable", qos.autoenable);
    }

    private static void get(QosPlace at, PublisherQos qos) {
        qos.entityName = at.text("entity_name");
        qos.groupData = at.bytes("group_data");
        qos.partitions = at.texts("partitions");
        qos.accessScope = at.kind("access_scope", AccessScopeKind.values());
        qos.coherentAccess = at.flag("coherent");
        qos.orderedAccess = at.flag("ordered");
        qos.autoenable = at.flag("autoenable");
    }

    private static void put(QosPlace at, SubscriberQos qos) {
        at.text("entity_name", qos.entityName);
        at.bytes("group_data", qos.groupData);
        at.texts("partitions", qos.partitions);
        at.kind("access_scope", qos.accessScope);
        at.flag("coherent", qos.coherentAccess);
        at.flag("ordered", qos.orderedAccess);
        at.flag("autoenable", qos.autoenable);
    }

    private static void get(QosPlace at, SubscriberQos qos) {
        qos.entityName = at.text("entity_name");
        qos.groupData = at.bytes("group_data");
        qos.partitions = at.texts("partitions");
        qos.accessScope = at.kind("access_scope", AccessScopeKind.values());
        qos.coherentAccess = at.flag("coherent");
        qos.orderedAccess = at.flag("ordered");
        qos.autoenable = at.flag("autoenable");
    }

    private static void put(QosPlace at, DataWriterQos qos) {
        putCommon(at, qos);
        at.duration("lifespan", qos.lifespan);
        at.duration("service_cleanup_delay", qos.serviceCleanupDelay);
        at.kind("service_history", qos.serviceHistory);
        at.number("service_depth", qos.serviceDepth);
        at.number("service_max_samples", qos.serviceMaxSamples);
        at.number("service_max_instances", qos.serviceMaxInstances);
        at.number("service_max_samples_per_instance", qos.serviceMaxSamplesPerInstance);
        at.number("transport_priority", qos.transportPriority);
        at.number("ownership_strength", qos.ownershipStrength);
        at.representation("representation", qos.representation);
        at.number("batch_bytes", qos.batchBytes);
        at.flag("autodispose", qos.autodispose);
        at.text("entity_name", qos.entityName);
        at.bytes("user_data", qos.userData);
        at.properties("properties", qos.properties);
    }

    private static void get(QosPlace at, DataWriterQos qos) {
        getCommon(at, qos);
        qos.lifespan = at.duration("lifespan");
        qos.serviceCleanupDelay = at.duration("service_cleanup_delay");
        qos.serviceHistory = at.kind("service_history", HistoryKind.values());
        qos.serviceDepth = at.number("service_depth");
        qos.serviceMaxSamples = at.number("service_max_samples");
        qos.serviceMaxInstances = at.number("service_max_instances");
        qos.serviceMaxSamplesPerInstance = at.number("service_max_samples_per_instance");
        qos.transportPriority = at.number("transport_priority");
        qos.ownershipStrength = at.number("ownership_strength");
        qos.representation = at.representation("representation");
        qos.batchBytes = at.number("batch_bytes");
        qos.autodispose = at.flag("autodispose");
        qos.entityName = at.text("entity_name");
        qos.userData = at.bytes("user_data");
        qos.properties = at.properties("properties");
    }

    private static void put(QosPlace at, DataReaderQos qos) {
        putCommon(at, qos);
        at.duration("minimum_separation", qos.minimumSeparation);
        at.duration("autopurge_nowriter", qos.autopurgeNoWriter);
        at.duration("autopurge_disposed", qos.autopurgeDisposed);
        at.addresses("multicast", qos.multicast);
        at.representations("representations", qos.representations);
        at.kind("type_consistency", qos.typeConsistency);
        at.flag("ignore_sequence_bounds", qos.ignoreSequenceBounds);
        at.flag("ignore_string_bounds", qos.ignoreStringBounds);
        at.flag("ignore_member_names", qos.ignoreMemberNames);
        at.flag("prevent_type_widening", qos.preventTypeWidening);
        at.flag("force_type_validation", qos.forceTypeValidation);
        at.text("entity_name", qos.entityName);
        at.bytes("user_data", qos.userData);
        at.properties("properties", qos.properties);
    }

    private static void get(QosPlace at, DataReaderQos qos) {
        getCommon(at, qos);
        qos.minimumSeparation = at.duration("minimum_separation");
        qos.autopurgeNoWriter = at.duration("autopurge_nowriter");
        qos.autopurgeDisposed = at.duration("autopurge_disposed");
        qos.multicast = at.addresses("multicast");
        qos.representations = at.representations("representations");
        qos.typeConsistency = at.kind("type_consistency", TypeConsistencyKind.values());
        qos.ignoreSequenceBounds = at.flag("ignore_sequence_bounds");
        qos.ignoreStringBounds = at.flag("ignore_string_bounds");
        qos.ignoreMemberNames = at.flag("ignore_member_names");
        qos.preventTypeWidening = at.flag("prevent_type_widening");
        qos.forceTypeValidation = at.flag("force_type_validation");
        qos.entityName = at.text("entity_name");
        qos.userData = at.bytes("user_data");
        qos.properties = at.properties("properties");
    }
}
