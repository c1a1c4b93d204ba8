package org.dunlin.qos;

/** Whose samples of an instance are heard (OWNERSHIP). */
public enum OwnershipKind {
    /** Those of all writers. */
    SHARED,
    /** Those of the strongest writer. */
    EXCLUSIVE
}
