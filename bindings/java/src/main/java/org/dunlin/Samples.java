package org.dunlin;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.type.TypeSupport;

/**
 * Samples that were taken or read. They are valid until the batch is closed: then its objects are used again for the
 * next one. {@link Sample#clone} keeps one.
 *
 * @param <T> the class of samples
 */
public final class Samples<T> implements Iterable<Sample<T>>, AutoCloseable {
    /** How many samples a batch has at most, unless {@link Select#max} says so. */
    static final int ROOM = 64;
    private static final int MOST = 8192;

    private final DataReader<T> reader;
    private final TypeSupport<T> type;
    private final List<Sample<T>> samples = new ArrayList<>();
    private MemorySegment memory;
    private int room;
    private int size;
    private boolean isOpen = true;

    Samples(DataReader<T> reader, TypeSupport<T> type) {
        this.reader = reader;
        this.type = type;
        makeRoom(ROOM);
    }

    private void makeRoom(int wanted) {
        room = wanted;
        memory = Arena.ofAuto().allocate((long) Structs.SAMPLE_SIZE * wanted, 8);
    }

    Samples<T> open() {
        isOpen = true;
        return this;
    }

    /** Takes or reads anew; false if there is nothing. */
    boolean fill(boolean isTaken, Select select) {
        size = 0;
        int wanted = select == null || select.max == 0 ? ROOM : Math.min(select.max, MOST);
        if (wanted > room) {
            makeRoom(wanted);
        }
        Scratch scratch = Scratch.get();
        scratch.clearSelect();
        if (select != null) {
            select.put(scratch.select);
        }
        long handle = reader.handle();
        long array = memory.address();
        int code = isTaken ? Native.take(handle, scratch.select, array, wanted, scratch.count)
                : Native.read(handle, scratch.select, array, wanted, scratch.count);
        if (!Native.found(code)) {
            return false;
        }
        int count = (int) Memory.getLong(scratch.count);
        try {
            for (int i = 0; i < count; i++) {
                long sample = array + (long) i * Structs.SAMPLE_SIZE;
                if (size == samples.size()) {
                    samples.add(new Sample<>(type, type.create(), new SampleInfo()));
                }
                Sample<T> into = samples.get(size);
                if (reader.decode(scratch, sample, into.data)) {
                    into.info.get(sample + Structs.SAMPLE_INFO_AT);
                    size++;
                }
            }
        } finally {
            Native.giveBack(handle, array, count);
        }
        return true;
    }

    /** {@return how many there are} */
    public int size() {
        return size;
    }

    /** {@return whether there are none} */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * A sample.
     *
     * @param index its place
     * @return the sample
     */
    public Sample<T> get(int index) {
        if (!isOpen) {
            throw new IllegalStateException("the batch is closed: what was in it is used again");
        }
        java.util.Objects.checkIndex(index, size);
        return samples.get(index);
    }

    @Override
    public Iterator<Sample<T>> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < size;
            }

            @Override
            public Sample<T> next() {
                if (next >= size) {
                    throw new NoSuchElementException();
                }
                return get(next++);
            }
        };
    }

    /** The objects are free for the next batch. */
    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            size = 0;
            reader.giveBack(this);
        }
    }
}
