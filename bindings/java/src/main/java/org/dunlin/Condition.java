package org.dunlin;

import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/** What a {@link WaitSet} waits for. */
public abstract sealed class Condition permits GuardCondition, StatusCondition, ReadCondition {
    final long handle;

    Condition(long handle) {
        this.handle = handle;
    }

    /** {@return whether it is true now} */
    public boolean value() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.CONDITION_VALUE, handle, scratch.number));
        return Memory.getByte(scratch.number) != 0;
    }
}
