package org.dunlin.type;

import java.util.Arrays;
import java.util.Objects;

/** A sequence of {@code char} or {@code wchar} of IDL that grows. */
public final class CharSeq {
    private char[] elements;
    private int length;

    /** An empty sequence. */
    public CharSeq() {
        elements = new char[0];
    }

    /**
     * A sequence of elements, which are copied.
     *
     * @param of the elements
     */
    public CharSeq(char... of) {
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
    public char get(int index) {
        return elements[Objects.checkIndex(index, length)];
    }

    /**
     * Another element at a place.
     *
     * @param index the place
     * @param value the element
     */
    public void set(int index, char value) {
        elements[Objects.checkIndex(index, length)] = value;
    }

    /**
     * One more element.
     *
     * @param value the element
     */
    public void add(char value) {
        resize(length + 1);
        elements[length - 1] = value;
    }

    /**
     * Other elements, which are copied.
     *
     * @param of the elements
     */
    public void set(char[] of) {
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
    public char[] array() {
        return elements;
    }

    /** {@return the elements in an array of their own} */
    public char[] toArray() {
        return Arrays.copyOf(elements, length);
    }

    /**
     * Becomes equal to another sequence.
     *
     * @param from the other one
     */
    public void copyFrom(CharSeq from) {
        resize(from.length);
        System.arraycopy(from.elements, 0, elements, 0, length);
    }

    /** {@return a sequence of its own} */
    public CharSeq copy() {
        return new CharSeq(toArray());
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
        for (int i = 0; i < length; i++) {
            w.putChar(elements[i], where);
        }
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
        int count = r.getCount(1, 2, where);
        resize(count);
        for (int i = 0; i < count; i++) {
            elements[i] = r.getChar();
        }
        resize(r.fitted(count, bound, isTrimmed, where));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CharSeq that
                && Arrays.equals(elements, 0, length, that.elements, 0, that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + Character.hashCode(elements[i]);
        }
        return hash;
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }

    /**
     * Writes the sequence as one of {@code wchar}. Generated code calls it.
     *
     * @param w where to
     * @param bound the most elements; 0 is no bound
     * @param where what it is
     */
    public void writeWide(CdrWriter w, int bound, String where) {
        w.putCount(length, bound, where);
        for (int i = 0; i < length; i++) {
            w.putWideChar(elements[i]);
        }
    }

    /**
     * Reads a sequence of {@code wchar}. Generated code calls it.
     *
     * @param r where from
     * @param bound the most elements; 0 is no bound
     * @param isTrimmed whether a longer one is cut
     * @param where what it is
     */
    public void readWide(CdrReader r, int bound, boolean isTrimmed, String where) {
        int count = r.getCount(2, 2, where);
        resize(count);
        for (int i = 0; i < count; i++) {
            elements[i] = r.getWideChar();
        }
        resize(r.fitted(count, bound, isTrimmed, where));
    }
}
