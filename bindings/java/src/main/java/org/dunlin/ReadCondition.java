package org.dunlin;

import java.lang.foreign.Arena;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;

/** A condition of a reader: it has samples of some states. It ends with the reader. */
public sealed class ReadCondition extends Condition implements AutoCloseable permits QueryCondition {
    ReadCondition(long handle) {
        super(handle);
    }

    static ReadCondition create(long reader, Select select) {
        try (Arena arena = Arena.ofConfined()) {
            long out = arena.allocate(8, 8).address();
            Native.check(Native.call(Native.READ_CONDITION_NEW, reader,
                    select == null ? 0 : select.struct(arena), out));
            return new ReadCondition(Memory.getLong(out));
        }
    }

    @Override
    public void close() {
        Native.call(Native.CLOSE, handle);
    }
}
