package org.dunlin.qos;

/** How samples are encoded (DATA_REPRESENTATION). */
public enum Representation {
    /** XCDR version 1, also the classic CDR. */
    XCDR1,
    /** XCDR version 2. */
    XCDR2
}
