package org.dunlin.qos;

/** The order in which a reader shows samples (DESTINATION_ORDER). */
public enum DestinationOrderKind {
    /** That in which they were received. */
    BY_RECEPTION_TIMESTAMP,
    /** That in which they were written. */
    BY_SOURCE_TIMESTAMP
}
