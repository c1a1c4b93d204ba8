package org.dunlin.qos;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.dunlin.internal.QosCodec;

/** The QoS of a topic. All but its data is advice for its writers and readers. */
public final class TopicQos extends EndpointQos<TopicQos> {
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

    /** TOPIC_DATA. */
    public byte[] topicData = new byte[0];

    /** DATA_REPRESENTATION. */
    public Set<Representation> representations = EnumSet.noneOf(Representation.class);

    /** With the defaults of the standard. */
    public TopicQos() {
        QosCodec.defaults(this);
    }

    /**
     * With what another one has.
     *
     * @param from the other one
     */
    public TopicQos(TopicQos from) {
        assign(from);
        lifespan = from.lifespan;
        serviceCleanupDelay = from.serviceCleanupDelay;
        serviceHistory = from.serviceHistory;
        serviceDepth = from.serviceDepth;
        serviceMaxSamples = from.serviceMaxSamples;
        serviceMaxInstances = from.serviceMaxInstances;
        serviceMaxSamplesPerInstance = from.serviceMaxSamplesPerInstance;
        transportPriority = from.transportPriority;
        topicData = from.topicData.clone();
        representations = EnumSet.noneOf(Representation.class);
        representations.addAll(from.representations);
    }

    @Override
    TopicQos self() {
        return this;
    }

    /**
     * LIFESPAN: samples are forgotten so long after they were written.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos lifespan(Duration value) {
        this.lifespan = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: how long an instance is kept behind its end.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceCleanupDelay(Duration value) {
        this.serviceCleanupDelay = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: which history.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceHistory(HistoryKind value) {
        this.serviceHistory = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: its depth.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceDepth(int value) {
        this.serviceDepth = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: samples.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceMaxSamples(int value) {
        this.serviceMaxSamples = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: instances.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceMaxInstances(int value) {
        this.serviceMaxInstances = value;
        return this;
    }

    /**
     * DURABILITY_SERVICE: samples of an instance.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos serviceMaxSamplesPerInstance(int value) {
        this.serviceMaxSamplesPerInstance = value;
        return this;
    }

    /**
     * TRANSPORT_PRIORITY.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos transportPriority(int value) {
        this.transportPriority = value;
        return this;
    }

    /**
     * TOPIC_DATA.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos topicData(byte[] value) {
        this.topicData = value.clone();
        return this;
    }

    /**
     * DATA_REPRESENTATION.
     *
     * @param value what it is from now on
     * @return this
     */
    public TopicQos representations(Representation... value) {
        this.representations = EnumSet.copyOf(java.util.List.of(value));
        return this;
    }
}
