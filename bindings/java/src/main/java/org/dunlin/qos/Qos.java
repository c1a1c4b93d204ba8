package org.dunlin.qos;

import java.time.Duration;

/**
 * The QoS of an entity. A new one has the defaults of the standard. It may change as long as it likes: what it is passed
 * to takes a copy.
 */
public abstract class Qos {
    /** No limit. */
    public static final int UNLIMITED = -1;
    /** A duration without end. Whatever is longer than 292 years is one, too. */
    public static final Duration INFINITE = Duration.ofNanos(Long.MAX_VALUE);

    /** For those of this package. */
    Qos() {
    }
}
