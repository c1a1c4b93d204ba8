package org.dunlin.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.QosCodec;

/** The QoS of a writer. */
public final class DataWriterQos extends EndpointQos<DataWriterQos> {
    /** LIFESPAN: samples are forgotten so long after they were written. */
    public Duration lifespan;

    /** DURABILITY_SERVICE: how long an instance is kept behind its end. */
    public Duration serviceCleanupDelay;

    /** DURABILITY_SERVICE: which history. */
    public HistoryKind serviceHistory;

    /** DURABILITY_SERVICE: its depth. */
    public int serviceDepth;

    /** DURABILITY_SERVICE: samples. */
    public int serviceMaxSamples;

    /** DURABILITY_SERVICE: instances. */
    public int serviceMaxInstances;

    /** DURABILITY_SERVICE: samples of an instance. */
    public int serviceMaxSamplesPerInstance;

    /** TRANSPORT_PRIORITY. */
    public int transportPriority;

    /** OWNERSHIP_STRENGTH: the strongest writer is heard. */
    public int ownershipStrength;

    /** DATA_REPRESENTATION. */
    public Representation representation;

    /** Samples are gathered until they have so many bytes; 0 sends each at once. */
    public int batchBytes;

    /** WRITER_DATA_LIFECYCLE: unregistering disposes. */
    public boolean autodispose;

    /** ENTITY_NAME. */
    public String entityName = "";

    /** USER_DATA. */
    public byte[] userData = new byte[0];

    /** PROPERTY. */
    public List<Property> properties = new ArrayList<>();

    /** With the defaults of the standard. */
    public DataWriterQos() {
        QosCodec.defaults(this);
    }

    /**
     * With what another one has.
     *
     * @param from the other one
     */
    public DataWriterQos(DataWriterQos from) {
        assign(from);
        lifespan = from.lifespan;
        serviceCleanupDelay = from.serviceCleanupDelay;
        serviceHistory = from.serviceHistory;
        serviceDepth = from.serviceDepth;
        serviceMaxSamples = from.serviceMaxSamples;
        serviceMaxInstances = from.serviceMaxInstances;
        serviceMaxSamplesPerInstance = from.serviceMaxSamplesPerInstance;
        transportPriority = from.transportPriority;
        ownershipStrength = from.ownershipStrength;
        representation = from.representation;
        batchBytes = from.batchBytes;
        autodispose = from.autodispose;
        entityName = from.entityName;
        userData = from.userData.clone();
        properties = new ArrayList<>(from.properties);
    }

    @Override
    DataWriterQos self() {
        return this;
    }

    /**
     * LIFESPAN: samples are forgotten so long after they were written.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos lifespan(Duration value) {
        this.lifespan = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: how long an instance is kept behind its end.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceCleanupDelay(Duration value) {
        this.serviceCleanupDelay = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: which history.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceHistory(HistoryKind value) {
        this.serviceHistory = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: its depth.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceDepth(int value) {
        this.serviceDepth = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: samples.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceMaxSamples(int value) {
        this.serviceMaxSamples = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: instances.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceMaxInstances(int value) {
        this.serviceMaxInstances = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: samples of an instance.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos serviceMaxSamplesPerInstance(int value) {
        this.serviceMaxSamplesPerInstance = value;
        return this;
    }

    /**
     * TRANSPORT_PRIORITY.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos transportPriority(int value) {
        this.transportPriority = value;
        return this;
    }

    /**
     * OWNERSHIP_STRENGTH: the strongest writer is heard.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos ownershipStrength(int value) {
        this.ownershipStrength = value;
        return this;
    }

    /**
     * DATA_REPRESENTATION.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos representation(Representation value) {
        this.representation = value;
        return this;
    }

    /**
     * Samples are gathered until they have so many bytes; 0 sends each at once.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos batchBytes(int value) {
        this.batchBytes = value;
        return this;
    }

    /**
     * WRITER_DATA_LIFECYCLE: unregistering disposes.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos autodispose(boolean value) {
        this.autodispose = value;
        return this;
    }

    /**
     * ENTITY_NAME.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos entityName(String value) {
        this.entityName = value;
        return this;
    }

    /**
     * USER_DATA.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos userData(byte[] value) {
        this.userData = value.clone();
        return this;
    }

    /**
     * PROPERTY.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataWriterQos properties(Property... value) {
        this.properties = new ArrayList<>(List.of(value));
        return this;
    }
}
