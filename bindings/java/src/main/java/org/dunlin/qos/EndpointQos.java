package org.dunlin.qos;

import java.time.Duration;

/**
 * What the QoS of topics, writers and readers have in common.
 *
 * @param <Q> the class itself
 */
public abstract class EndpointQos<Q extends EndpointQos<Q>> extends Qos {
    /** DEADLINE: each instance has a sample so often. */
    public Duration deadline;

    /** LATENCY_BUDGET. */
    public Duration latencyBudget;

    /** LIVELINESS: silence longer than this means that a writer is gone. */
    public Duration leaseDuration;

    /** RELIABILITY: how long a write waits for room. */
    public Duration maxBlockingTime;

    /** DURABILITY. */
    public DurabilityKind durability;

    /** RELIABILITY. */
    public ReliabilityKind reliability;

    /** LIVELINESS. */
    public LivelinessKind liveliness;

    /** OWNERSHIP. */
    public OwnershipKind ownership;

    /** DESTINATION_ORDER. */
    public DestinationOrderKind destinationOrder;

    /** HISTORY. */
    public HistoryKind history;

    /** HISTORY: how many samples of an instance KEEP_LAST keeps. */
    public int depth;

    /** RESOURCE_LIMITS: samples; {@link Qos#UNLIMITED} for any number. */
    public int maxSamples;

    /** RESOURCE_LIMITS: instances. */
    public int maxInstances;

    /** RESOURCE_LIMITS: samples of an instance. */
    public int maxSamplesPerInstance;

    /** For those of this package. */
    EndpointQos() {
    }

    /** {@return this, as what it is} */
    abstract Q self();

    /** Takes over what another one has. */
    final void assign(EndpointQos<?> from) {
        deadline = from.deadline;
        latencyBudget = from.latencyBudget;
        leaseDuration = from.leaseDuration;
        maxBlockingTime = from.maxBlockingTime;
        durability = from.durability;
        reliability = from.reliability;
        liveliness = from.liveliness;
        ownership = from.ownership;
        destinationOrder = from.destinationOrder;
        history = from.history;
        depth = from.depth;
        maxSamples = from.maxSamples;
        maxInstances = from.maxInstances;
        maxSamplesPerInstance = from.maxSamplesPerInstance;
    }

    /**
     * DEADLINE: each instance has a sample so often.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q deadline(Duration value) {
        this.deadline = value;
        return self();
    }

    /**
     * LATENCY_BUDGET.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q latencyBudget(Duration value) {
        this.latencyBudget = value;
        return self();
    }

    /**
     * LIVELINESS: silence longer than this means that a writer is gone.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q leaseDuration(Duration value) {
        this.leaseDuration = value;
        return self();
    }

    /**
     * RELIABILITY: how long a write waits for room.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q maxBlockingTime(Duration value) {
        this.maxBlockingTime = value;
        return self();
    }

    /**
     * DURABILITY.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q durability(DurabilityKind value) {
        this.durability = value;
        return self();
    }

    /**
     * RELIABILITY.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q reliability(ReliabilityKind value) {
        this.reliability = value;
        return self();
    }

    /**
     * LIVELINESS.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q liveliness(LivelinessKind value) {
        this.liveliness = value;
        return self();
    }

    /**
     * OWNERSHIP.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q ownership(OwnershipKind value) {
        this.ownership = value;
        return self();
    }

    /**
     * DESTINATION_ORDER.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q destinationOrder(DestinationOrderKind value) {
        this.destinationOrder = value;
        return self();
    }

    /**
     * HISTORY.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q history(HistoryKind value) {
        this.history = value;
        return self();
    }

    /**
     * HISTORY: how many samples of an instance KEEP_LAST keeps.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q depth(int value) {
        this.depth = value;
        return self();
    }

    /**
     * RESOURCE_LIMITS: samples; {@link Qos#UNLIMITED} for any number.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q maxSamples(int value) {
        this.maxSamples = value;
        return self();
    }

    /**
     * RESOURCE_LIMITS: instances.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q maxInstances(int value) {
        this.maxInstances = value;
        return self();
    }

    /**
     * RESOURCE_LIMITS: samples of an instance.
     *
     * @param value what it is from now on
     * @return this
     */
    public Q maxSamplesPerInstance(int value) {
        this.maxSamplesPerInstance = value;
        return self();
    }

    /** {@return this, RELIABLE} */
    public Q reliable() {
        return reliability(ReliabilityKind.RELIABLE);
    }

    /** {@return this, BEST_EFFORT} */
    public Q bestEffort() {
        return reliability(ReliabilityKind.BEST_EFFORT);
    }

    /** {@return this, TRANSIENT_LOCAL} */
    public Q transientLocal() {
        return durability(DurabilityKind.TRANSIENT_LOCAL);
    }

    /** {@return this, KEEP_ALL} */
    public Q keepAll() {
        return history(HistoryKind.KEEP_ALL);
    }

    /**
     * KEEP_LAST.
     *
     * @param samples how many of an instance
     * @return this
     */
    public Q keepLast(int samples) {
        depth = samples;
        return history(HistoryKind.KEEP_LAST);
    }
}
