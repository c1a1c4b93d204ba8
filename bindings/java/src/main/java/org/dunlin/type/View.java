package org.dunlin.type;

import java.lang.foreign.ValueLayout;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Views;

/**
 * A value of a type whose memory is its encoding, in memory that peers see: see {@link org.dunlin.Loan} and
 * {@link org.dunlin.SamplesInPlace}, whose samples it does not change.
 * {@code dunlin idl gen -l java} makes a class for each such type.
 *
 * @param <T> the class of values
 */
public abstract class View<T> {
    static {
        new Views() {
            @Override
            protected void set(View<?> view, long address, long reader, long sample, long header) {
                view.base = address;
                view.reader = reader;
                view.sample = sample;
                view.header = header;
            }
        };
    }

    private final int size;
    private final boolean isPlainInXcdr1;
    private final boolean isPlainInXcdr2;
    /** What is laid over the memory; this view may be a part of it. */
    private View<?> root = this;
    private long base;
    private long offset;
    /** The sample of a reader that it lies over, and how many octets are before the value; 0 for a loan. */
    private long reader;
    private long sample;
    private long header;

    /**
     * A view over nothing.
     *
     * @param size the bytes of a value
     * @param isPlainInXcdr1 whether memory is the encoding in XCDR1
     * @param isPlainInXcdr2 whether it is in XCDR2
     */
    protected View(int size, boolean isPlainInXcdr1, boolean isPlainInXcdr2) {
        this.size = size;
        this.isPlainInXcdr1 = isPlainInXcdr1;
        this.isPlainInXcdr2 = isPlainInXcdr2;
    }

    /** {@return the bytes of a value} */
    public final int size() {
        return size;
    }

    /**
     * Whether memory is the encoding.
     *
     * @param version 0 for XCDR1, 2 for XCDR2
     * @return whether it is
     */
    public final boolean isPlain(int version) {
        return version == 0 ? isPlainInXcdr1 : isPlainInXcdr2;
    }

    /** {@return whether there is memory; not before a loan or a batch and not after it} */
    public final boolean isOpen() {
        return root.base != 0 || root.sample != 0;
    }

    /** Memory that is written. */
    private long at(long place) {
        View<?> of = root;
        if (of.sample != 0) {
            throw new IllegalStateException("the view is of a sample that was taken, which does not change");
        }
        if (of.base == 0) {
            throw closed();
        }
        return of.base + offset + place;
    }

    /** Memory that has a number. */
    private long read(long place, int count) {
        View<?> of = root;
        return of.base != 0 ? of.base + offset + place : of.fetch(offset + place, count);
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the loan or the batch has ended, and its memory is not the view's any more");
    }

    /** Octets from where the writer of the sample has them; not more than {@link Scratch#PART}. */
    private long fetch(long place, long count) {
        if (sample == 0) {
            throw closed();
        }
        long part = Scratch.get().part;
        Native.check(Native.sampleCopy(reader, sample, header + place, part, count));
        return part;
    }

    private void readAll(long place, ValueLayout layout, Object into, int count) {
        View<?> of = root;
        long from = offset + place;
        if (of.base != 0) {
            Memory.copy(of.base + from, layout, into, 0, count);
            return;
        }
        int most = (int) (Scratch.PART / layout.byteSize());
        for (int done = 0; done < count; done += most) {
            int more = Math.min(most, count - done);
            long part = of.fetch(from + done * layout.byteSize(), more * layout.byteSize());
            Memory.copy(part, layout, into, done, more);
        }
    }

    /**
     * Lays the view of a member.
     *
     * @param <V> its class
     * @param view the view
     * @param place where the member is in this value
     * @return the view
     */
    protected final <V extends View<?>> V part(V view, long place) {
        View<?> inner = view;
        inner.root = root;
        inner.offset = offset + place;
        return view;
    }

    /** All bytes become 0. */
    public final void clear() {
        long at = at(0);
        for (int i = 0; i < size; i++) {
            Memory.putByte(at + i, (byte) 0);
        }
    }

    /**
     * A number.
     *
     * @param place where it is
     * @return the number
     */
    protected final byte getByte(long place) {
        return Memory.getByte(read(place, 1));
    }

    /**
     * Another number.
     *
     * @param place where it is
     * @param value the number
     */
    protected final void putByte(long place, byte value) {
        Memory.putByte(at(place), value);
    }

    /**
     * A number.
     *
     * @param place where it is
     * @return the number
     */
    protected final short getShort(long place) {
        return Memory.getShort(read(place, 2));
    }

    /**
     * Another number.
     *
     * @param place where it is
     * @param value the number
     */
    protected final void putShort(long place, short value) {
        Memory.putShort(at(place), value);
    }

    /**
     * A number.
     *
     * @param place where it is
     * @return the number
     */
    protected final int getInt(long place) {
        return Memory.getInt(read(place, 4));
    }

    /**
     * Another number.
     *
     * @param place where it is
     * @param value the number
     */
    protected final void putInt(long place, int value) {
        Memory.putInt(at(place), value);
    }

    /**
     * A number.
     *
     * @param place where it is
     * @return the number
     */
    protected final long getLong(long place) {
        return Memory.getLong(read(place, 8));
    }

    /**
     * Another number.
     *
     * @param place where it is
     * @param value the number
     */
    protected final void putLong(long place, long value) {
        Memory.putLong(at(place), value);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, byte[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_BYTE, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, byte[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_BYTE, into, count);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, short[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_SHORT_UNALIGNED, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, short[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_SHORT_UNALIGNED, into, count);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, int[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_INT_UNALIGNED, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, int[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_INT_UNALIGNED, into, count);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, long[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_LONG_UNALIGNED, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, long[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_LONG_UNALIGNED, into, count);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, float[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_FLOAT_UNALIGNED, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, float[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_FLOAT_UNALIGNED, into, count);
    }

    /**
     * Other numbers.
     *
     * @param place where they are
     * @param values the numbers
     * @param count how many there have to be
     */
    protected final void putAll(long place, double[] values, int count) {
        check(values.length, count);
        Memory.copy(values, count, ValueLayout.JAVA_DOUBLE_UNALIGNED, at(place));
    }

    /**
     * Numbers.
     *
     * @param place where they are
     * @param into what gets them
     * @param count how many there have to be
     */
    protected final void getAll(long place, double[] into, int count) {
        check(into.length, count);
        readAll(place, ValueLayout.JAVA_DOUBLE_UNALIGNED, into, count);
    }

    private static void check(int length, int count) {
        if (length != count) {
            throw new IllegalArgumentException("the array has " + length + " elements, it has to have " + count);
        }
    }
}
