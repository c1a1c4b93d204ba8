package org.dunlin;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.type.TypeSupport;

/** What batches have in common: samples of the library, how they are got, and how they are given back. */
abstract sealed class Batch<T> implements AutoCloseable permits Samples, SamplesInPlace {
    private static final int MOST = 8192;

    final TypeSupport<T> type;
    final DataReader<T> reader;
    /** The reader that the samples are given back to. */
    long handle;
    int size;
    private final int usual;
    private final int flags;
    private MemorySegment memory;
    private int room;
    private boolean isOpen;

    /**
     * An empty batch.
     *
     * @param usual how many samples it has at most, unless {@link Select#max} says so
     * @param flags those of a {@code dunlin_select}
     */
    Batch(DataReader<T> reader, TypeSupport<T> type, int usual, int flags) {
        this.reader = reader;
        this.type = type;
        this.usual = usual;
        this.flags = flags;
        makeRoom(usual);
    }

    private void makeRoom(int wanted) {
        room = wanted;
        memory = Arena.ofAuto().allocate((long) Structs.SAMPLE_SIZE * wanted, 8);
    }

    /** Takes or reads anew; false if there is nothing. */
    abstract boolean fill(boolean isTaken, Select select);

    /** Gives up what it has, and is there for the next who asks the reader for a batch. */
    abstract void end();

    /** Takes or reads; if that fails, the batch is closed. */
    void begin(boolean isTaken, Select select) {
        boolean isDone = false;
        try {
            fill(isTaken, select);
            isDone = true;
        } finally {
            if (!isDone) {
                close();
            }
        }
    }

    /** Gets samples of the library; returns how many. */
    int get(boolean isTaken, Select select) {
        isOpen = true;
        size = 0;
        int wanted = select == null || select.max == 0 ? usual : Math.min(select.max, MOST);
        if (wanted > room) {
            makeRoom(wanted);
        }
        Scratch scratch = Scratch.get();
        scratch.clearSelect();
        if (select != null) {
            select.put(scratch.select);
        }
        Memory.putInt(scratch.select + Structs.SELECT_FLAGS, flags);
        handle = reader.handle();
        int code = isTaken ? Native.take(handle, scratch.select, at(0), wanted, scratch.count)
                : Native.read(handle, scratch.select, at(0), wanted, scratch.count);
        return Native.found(code) ? (int) Memory.getLong(scratch.count) : 0;
    }

    /** The place of a sample of the library. */
    long at(int index) {
        return memory.address() + (long) index * Structs.SAMPLE_SIZE;
    }

    /** Gives the first samples back. Those that were rejected have been. */
    void giveBack(int count) {
        if (count == size) {
            if (count > 0) {
                Native.giveBack(handle, at(0), count);
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            if (Memory.getLong(at(i) + Structs.SAMPLE_TOKEN) != 0) {
                Native.giveBack(handle, at(i), 1);
            }
        }
    }

    /** Throws if there is no such sample. */
    void check(int index) {
        if (!isOpen) {
            throw new IllegalStateException("the batch is closed: what was in it is used again");
        }
        java.util.Objects.checkIndex(index, size);
    }

    /** {@return how many there are} */
    public int size() {
        return size;
    }

    /** {@return whether there are none} */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Ends the batch: what was in it is used again. */
    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            end();
        }
    }
}
