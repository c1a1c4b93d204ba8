package org.dunlin.internal;

import org.dunlin.type.View;

/** Where views are is for this package alone to say. */
public abstract class Views {
    private static volatile Views access;

    /** For {@link View}. */
    protected Views() {
        access = this;
    }

    /** Lays a view over memory that it may change; 0 ends it. */
    public static void lay(View<?> view, long address) {
        access.set(view, address, 0, 0, 0);
    }

    /**
     * Lays a view over a sample of a reader, which it does not change: over memory of this process, or, if the address
     * is 0, where {@code dunlin_sample_copy} finds the value behind so many octets.
     */
    public static void lay(View<?> view, long address, long reader, long sample, long header) {
        access.set(view, address, reader, sample, header);
    }

    /** Lays it. */
    protected abstract void set(View<?> view, long address, long reader, long sample, long header);
}
