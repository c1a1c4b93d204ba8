package org.dunlin.type;

import java.util.Arrays;
import java.util.Objects;

/** A sequence of {@code long} that grows. */
public final class LongSeq {
    private long[] elements;
    private int length;

    /** An empty sequence. */
    public LongSeq() {
        elements = new long[0];
    }

    /**
     * A sequence of elements, which are copied.
     *
     * @param of the elements
     */
    public LongSeq(long... of) {
        elements = of.clone();
        length = of.length;
    }

    /** {@return how many elements it has} */
    public int length() {
        return length;
    }

    /**
     * An element.
     *
     * @param index its place
     * @return the element
     */
    public long get(int index) {
        return elements[Objects.checkIndex(index, length)];
    }

    /**
     * Another element at a place.
     *
     * @param index the place
     * @param value the element
     */
    public void set(int index, long value) {
        elements[Objects.checkIndex(index, length)] = value;
    }

    /**
     * One more element.
     *
     * @param value the element
     */
    public void add(long value) {
        resize(length + 1);
        elements[length - 1] = value;
    }

    /**
     * Other elements, which are copied.
     *
     * @param of the elements
     */
    public void set(long[] of) {
        resize(of.length);
        System.arraycopy(of, 0, elements, 0, length);
    }

    /** Has no element. */
    public void clear() {
        length = 0;
    }

    /**
     * Has so many elements. Those that are new have some value.
     *
     * @param count how many
     */
    public void resize(int count) {
        if (count > elements.length) {
            elements = Arrays.copyOf(elements, Math.max(count, (int) Math.min(2L * length, Integer.MAX_VALUE - 8)));
        }
        length = count;
    }

    /** {@return the array that has the elements, and perhaps more behind them; it stays until the sequence grows} */
    public long[] array() {
        return elements;
    }

    /** {@return the elements in an array of their own} */
    public long[] toArray() {
        return Arrays.copyOf(elements, length);
    }

    /**
     * Becomes equal to another sequence.
     *
     * @param from the other one
     */
    public void copyFrom(LongSeq from) {
        resize(from.length);
        System.arraycopy(from.elements, 0, elements, 0, length);
    }

    /** {@return a sequence of its own} */
    public LongSeq copy() {
        return new LongSeq(toArray());
    }

    /**
     * Writes the sequence. Generated code calls it.
     *
     * @param w where to
     * @param bound the most elements; 0 is no bound
     * @param where what it is
     */
    public void write(CdrWriter w, int bound, String where) {
        w.putCount(length, bound, where);
        w.putNumbers(elements, length, 8, java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED);
    }

    /**
     * Reads the sequence. Generated code calls it.
     *
     * @param r where from
     * @param bound the most elements; 0 is no bound
     * @param isTrimmed whether a longer one is cut
     * @param where what it is
     */
    public void read(CdrReader r, int bound, boolean isTrimmed, String where) {
        int count = r.getCount(8, 8, where);
        long from = r.numbers(8, count);
        resize(count);
        r.copyLongs(from, elements, count);
        resize(r.fitted(count, bound, isTrimmed, where));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LongSeq that
                && Arrays.equals(elements, 0, length, that.elements, 0, that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + Long.hashCode(elements[i]);
        }
        return hash;
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
