package org.dunlin.qos;

import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.QosCodec;

/** The QoS of a participant. */
public final class DomainParticipantQos extends Qos {
    /** ENTITY_FACTORY: what it creates is enabled at once. */
    public boolean autoenable;

    /** ENTITY_NAME. */
    public String entityName = "";

    /** USER_DATA. */
    public byte[] userData = new byte[0];

    /** PROPERTY. */
    public List<Property> properties = new ArrayList<>();

    /** With the defaults of the standard. */
    public DomainParticipantQos() {
        QosCodec.defaults(this);
    }

    /**
     * With what another one has.
     *
     * @param from the other one
     */
    public DomainParticipantQos(DomainParticipantQos from) {
        autoenable = from.autoenable;
        entityName = from.entityName;
        userData = from.userData.clone();
        properties = new ArrayList<>(from.properties);
    }

    /**
     * ENTITY_FACTORY: what it creates is enabled at once.
     *
     * @param value what it is from now on
     * @return this
     */
    public DomainParticipantQos autoenable(boolean value) {
        this.autoenable = value;
        return this;
    }

    /**
     * ENTITY_NAME.
     *
     * @param value what it is from now on
     * @return this
     */
    public DomainParticipantQos entityName(String value) {
        this.entityName = value;
        return this;
    }

    /**
     * USER_DATA.
     *
     * @param value what it is from now on
     * @return this
     */
    public DomainParticipantQos userData(byte[] value) {
        this.userData = value.clone();
        return this;
    }

    /**
     * PROPERTY.
     *
     * @param value what it is from now on
     * @return this
     */
    public DomainParticipantQos properties(Property... value) {
        this.properties = new ArrayList<>(List.of(value));
        return this;
    }
}
