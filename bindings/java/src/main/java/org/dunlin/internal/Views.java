package org.dunlin.internal;

import org.dunlin.type.View;

/** Where views are is for this package alone to say. */
public abstract class Views {
    private static volatile Views access;

    /** For {@link View}. */
    protected Views() {
        access = this;
    }

    /** Lays a view over memory; 0 ends it. */
    public static void lay(View<?> view, long address) {
        access.set(view, address);
    }

    /** Lays it. */
    protected abstract void set(View<?> view, long address);
}
