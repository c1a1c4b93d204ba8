package org.dunlin.type;

/** How a type may grow. */
public enum Extensibility {
    /** It never changes. */
    FINAL,
    /** Members are added at the end. */
    APPENDABLE,
    /** Members have headers and come in any order. */
    MUTABLE
}
