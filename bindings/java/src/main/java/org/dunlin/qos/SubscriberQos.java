package org.dunlin.qos;

import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.QosCodec;

/** The QoS of a subscriber. */
public final class SubscriberQos extends Qos {
    /** ENTITY_NAME. */
    public String entityName = "";

    /** GROUP_DATA. */
    public byte[] groupData = new byte[0];

    /** PARTITION: names; none is the partition "". */
    public List<String> partitions = new ArrayList<>();

    /** PRESENTATION: what order and coherence are about. */
    public AccessScopeKind accessScope;

    /** PRESENTATION: coherent sets are shown as a whole. */
    public boolean coherentAccess;

    /** PRESENTATION: samples are shown in order. */
    public boolean orderedAccess;

    /** ENTITY_FACTORY: what it creates is enabled at once. */
    public boolean autoenable;

    /** With the defaults of the standard. */
    public SubscriberQos() {
        QosCodec.defaults(this);
    }

    /**
     * With what another one has.
     *
     * @param from the other one
     */
    public SubscriberQos(SubscriberQos from) {
        entityName = from.entityName;
        groupData = from.groupData.clone();
        partitions = new ArrayList<>(from.partitions);
        accessScope = from.accessScope;
        coherentAccess = from.coherentAccess;
        orderedAccess = from.orderedAccess;
        autoenable = from.autoenable;
    }

    /**
     * ENTITY_NAME.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos entityName(String value) {
        this.entityName = value;
        return this;
    }

    /**
     * GROUP_DATA.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos groupData(byte[] value) {
        this.groupData = value.clone();
        return this;
    }

    /**
     * PARTITION: names; none is the partition "".
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos partitions(String... value) {
        this.partitions = new ArrayList<>(List.of(value));
        return this;
    }

    /**
     * PRESENTATION: what order and coherence are about.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos accessScope(AccessScopeKind value) {
        this.accessScope = value;
        return this;
    }

    /**
     * PRESENTATION: coherent sets are shown as a whole.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos coherentAccess(boolean value) {
        this.coherentAccess = value;
        return this;
    }

    /**
     * PRESENTATION: samples are shown in order.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos orderedAccess(boolean value) {
        this.orderedAccess = value;
        return this;
    }

    /**
     * ENTITY_FACTORY: what it creates is enabled at once.
     *
     * @param value what it is from now on
     * @return this
     */
    public SubscriberQos autoenable(boolean value) {
        this.autoenable = value;
        return this;
    }
}
