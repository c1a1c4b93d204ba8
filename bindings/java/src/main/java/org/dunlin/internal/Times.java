package org.dunlin.internal;

import java.time.Duration;
import java.time.Instant;

/** Times as nanoseconds. */
public final class Times {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Times() {
    }

    /** What is too long for a number is without end. */
    public static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /** Since 1970. */
    public static long nanos(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), time.getNano());
    }

    /** Since 1970. */
    public static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
    }
}
