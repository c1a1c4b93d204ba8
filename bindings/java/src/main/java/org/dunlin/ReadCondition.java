package org.dunlin;

import java.lang.foreign.Arena;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;

/** A condition of a reader: it has samples of some states. It ends with the reader. */
public sealed class ReadCondition extends Condition implements AutoCloseable permits QueryCondition {
    private final DataReader<?> reader;

    ReadCondition(DataReader<?> reader, long handle) {
        super(handle);
        this.reader = reader;
    }

    /** {@return the reader; null if it is a {@link BuiltinReader}} */
    public DataReader<?> dataReader() {
        return reader;
    }

    static ReadCondition create(DataReader<?> reader, long handle, Select select) {
        try (Arena arena = Arena.ofConfined()) {
            long out = arena.allocate(8, 8).address();
            Native.check(Native.call(Native.READ_CONDITION_NEW, handle,
                    select == null ? 0 : select.struct(arena), out));
            return new ReadCondition(reader, Memory.getLong(out));
        }
    }

    @Override
    public void close() {
        Native.call(Native.CLOSE, handle);
    }
}
