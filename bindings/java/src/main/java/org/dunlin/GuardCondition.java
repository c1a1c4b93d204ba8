package org.dunlin;

import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/** A condition that the application itself sets. */
public final class GuardCondition extends Condition implements AutoCloseable {
    /** One that is not set. */
    public GuardCondition() {
        super(create());
    }

    private static long create() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.GUARD_NEW, scratch.number));
        return Memory.getLong(scratch.number);
    }

    /**
     * Sets it, or resets it.
     *
     * @param value whether it is true from now on
     */
    public void set(boolean value) {
        Native.check(Native.guardSet(handle, value));
    }

    @Override
    public void close() {
        Native.call(Native.CLOSE, handle);
    }
}
