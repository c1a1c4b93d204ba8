package org.dunlin.qos;

/** What order and coherence are about (PRESENTATION). */
public enum AccessScopeKind {
    /** Changes of an instance. */
    INSTANCE,
    /** Changes of a writer. */
    TOPIC,
    /** Changes of a publisher. */
    GROUP
}
