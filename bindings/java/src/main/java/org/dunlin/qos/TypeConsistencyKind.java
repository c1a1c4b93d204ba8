package org.dunlin.qos;

/** Whether types of writers may be others (TYPE_CONSISTENCY_ENFORCEMENT). */
public enum TypeConsistencyKind {
    /** Types have to be the same. */
    DISALLOW_TYPE_COERCION,
    /** A writer's type may be another one that suits. */
    ALLOW_TYPE_COERCION
}
