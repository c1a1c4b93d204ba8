package org.dunlin.qos;

/** What late joiners get (DURABILITY). */
public enum DurabilityKind {
    /** Nothing that was written before. */
    VOLATILE,
    /** What the writer still keeps. */
    TRANSIENT_LOCAL,
    /** What DURABILITY_SERVICE keeps. */
    TRANSIENT,
    /** The same. */
    PERSISTENT
}
