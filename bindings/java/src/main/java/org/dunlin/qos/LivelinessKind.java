package org.dunlin.qos;

/** Who says that a writer lives (LIVELINESS). */
public enum LivelinessKind {
    /** The library. */
    AUTOMATIC,
    /** Any assertion within the participant counts. */
    MANUAL_BY_PARTICIPANT,
    /** Each writer asserts its own. */
    MANUAL_BY_TOPIC
}
