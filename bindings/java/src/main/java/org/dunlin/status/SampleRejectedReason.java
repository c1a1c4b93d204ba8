package org.dunlin.status;

/** Which limit a sample was rejected by. */
public enum SampleRejectedReason {
    /** None was rejected. */
    NOT_REJECTED,
    /** The limit of instances. */
    BY_INSTANCES,
    /** The limit of samples. */
    BY_SAMPLES,
    /** The limit of samples of one instance. */
    BY_SAMPLES_PER_INSTANCE
}
