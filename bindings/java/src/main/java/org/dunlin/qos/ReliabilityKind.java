package org.dunlin.qos;

/** Whether lost samples are sent again (RELIABILITY). */
public enum ReliabilityKind {
    /** Samples may be lost. */
    BEST_EFFORT,
    /** Lost samples are sent again. */
    RELIABLE
}
