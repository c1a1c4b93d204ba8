package org.dunlin;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
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
public final class Samples<T> extends Batch<T> implements Iterable<Sample<T>> {
    /** How many samples a batch has at most, unless {@link Select#max} says so. */
    static final int ROOM = 64;

    private final List<Sample<T>> samples = new ArrayList<>();

    Samples(DataReader<T> reader, TypeSupport<T> type) {
        super(reader, type, ROOM, Native.DECODES);
    }

    @Override
    boolean fill(boolean isTaken, Select select) {
        int count;
        do {
            count = get(isTaken, select);
            decode(count);
            // Values behind payloads of which none is one do not wait for another call.
        } while (isTaken && size == 0 && count > 0);
        return size > 0;
    }

    private void decode(int count) {
        Scratch scratch = Scratch.get();
        try {
            for (int i = 0; i < count; i++) {
                if (size == samples.size()) {
                    samples.add(new Sample<>(type, type.create(), new SampleInfo()));
                }
                Sample<T> into = samples.get(size);
                if (reader.decode(scratch, at(i), into.data)) {
                    into.info.get(at(i) + Structs.SAMPLE_INFO_AT);
                    size++;
                }
            }
        } finally {
            giveBack(count);
        }
    }

    /**
     * A sample.
     *
     * @param index its place
     * @return the sample
     */
    public Sample<T> get(int index) {
        check(index);
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

    @Override
    void end() {
        size = 0;
        reader.giveBack(this);
    }
}
