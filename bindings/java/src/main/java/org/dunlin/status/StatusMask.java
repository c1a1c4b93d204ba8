package org.dunlin.status;

/** Statuses as bits: {@code StatusMask.SAMPLE_LOST | StatusMask.SAMPLE_REJECTED}. */
public final class StatusMask {
    /** Somebody has a topic of this name with another type. */
    public static final int INCONSISTENT_TOPIC = 1;
    /** A writer wrote no sample of an instance in time. */
    public static final int OFFERED_DEADLINE_MISSED = 2;
    /** A reader got no sample of an instance in time. */
    public static final int REQUESTED_DEADLINE_MISSED = 4;
    /** A reader asks for what a writer does not offer. */
    public static final int OFFERED_INCOMPATIBLE_QOS = 32;
    /** A writer does not offer what a reader asks for. */
    public static final int REQUESTED_INCOMPATIBLE_QOS = 64;
    /** A reader did not get samples. */
    public static final int SAMPLE_LOST = 128;
    /** A reader had no room for samples. */
    public static final int SAMPLE_REJECTED = 256;
    /** Some reader of a subscriber has data. */
    public static final int DATA_ON_READERS = 512;
    /** There is data to take. */
    public static final int DATA_AVAILABLE = 1024;
    /** A writer did not say in time that it lives. */
    public static final int LIVELINESS_LOST = 2048;
    /** Writers of a reader live or do not. */
    public static final int LIVELINESS_CHANGED = 4096;
    /** A reader came or went. */
    public static final int PUBLICATION_MATCHED = 8192;
    /** A writer came or went. */
    public static final int SUBSCRIPTION_MATCHED = 16384;
    /** No status. */
    public static final int NONE = 0;
    /** Every status. */
    public static final int ALL = -1;

    private StatusMask() {
    }
}
