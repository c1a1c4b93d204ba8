package org.dunlin.qos;

/** Which samples are kept (HISTORY). */
public enum HistoryKind {
    /** The latest of each instance. */
    KEEP_LAST,
    /** All, within the limits. */
    KEEP_ALL
}
