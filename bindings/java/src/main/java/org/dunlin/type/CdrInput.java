package org.dunlin.type;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.dunlin.internal.Memory;

/** Numbers, texts and arrays out of a payload; the half of {@link CdrReader} that knows nothing of types. */
abstract sealed class CdrInput permits CdrReader {
    /** So many elements without any bytes are believed. */
    private static final int EMPTY_ELEMENTS = 65536;

    private static final ByteOrder OTHER = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
            ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout SHORTS = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout INTS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout LONGS = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout FLOATS = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout DOUBLES = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(OTHER);

    long at;
    /** Of the innermost part that has a length. */
    long end;
    /** Of the payload, without padding. */
    long last;
    /** More than padding may be behind the value: members of a later version, in XCDR1. */
    boolean goesOn;
    /** Where alignment counts from. */
    long origin;
    /** Where the innermost part that has a length begins. */
    long region;
    int most;
    boolean isV1;
    boolean swap;
    /** The outermost type has no DHEADER, whatever it is. */
    boolean isUndelimited;
    /** A part of the value does not fit its type, but where it ends is known. */
    boolean isMisfit;
    String misfit;
    int depth;
    long budget;
    int memberId;
    boolean mustUnderstand;
    byte[] text = new byte[64];

    static CodecException truncated(long wanted, long left) {
        return CodecException.decoding("", "the data ends early: " + wanted + " bytes wanted, " + left + " left");
    }

    /** Passes over padding and a number. */
    private long take(int size) {
        long from = at + ((origin - at) & (Math.min(size, most) - 1));
        if (end - from < size) {
            throw truncated(size, Math.max(end - at, 0));
        }
        at = from + size;
        return from;
    }

    /** Passes over padding and numbers. */
    private long takeAll(int size, int count) {
        if (count == 0) {
            return at;
        }
        long from = at + ((origin - at) & (Math.min(size, most) - 1));
        if (end - from < (long) size * count) {
            throw truncated((long) size * count, Math.max(end - at, 0));
        }
        at = from + (long) size * count;
        return from;
    }

    void skip() {
        at = Math.min(at + ((origin - at) & 3), end);
    }

    /** {@return an octet} */
    public byte getByte() {
        if (at == end) {
            throw truncated(1, 0);
        }
        return Memory.getByte(at++);
    }

    /** {@return a boolean} */
    public boolean getBoolean() {
        byte value = getByte();
        if (value != 0 && value != 1) {
            throw CodecException.decoding("", (value & 0xff) + " is not a boolean");
        }
        return value != 0;
    }

    /** {@return a number of 16 bits} */
    public short getShort() {
        short value = Memory.getShort(take(2));
        return swap ? Short.reverseBytes(value) : value;
    }

    /** {@return a number of 32 bits} */
    public int getInt() {
        int value = Memory.getInt(take(4));
        return swap ? Integer.reverseBytes(value) : value;
    }

    /** {@return a number of 64 bits} */
    public long getLong() {
        long value = Memory.getLong(take(8));
        return swap ? Long.reverseBytes(value) : value;
    }

    /** {@return a number} */
    public float getFloat() {
        return Float.intBitsToFloat(getInt());
    }

    /** {@return a number} */
    public double getDouble() {
        return Double.longBitsToDouble(getLong());
    }

    /**
     * A {@code long double}.
     *
     * @param old what was there; it is kept if it is equal
     * @return the number
     */
    public Float128 getFloat128(Float128 old) {
        long from = take(8);
        if (end - at < 8) {
            throw truncated(16, end - from);
        }
        at += 8;
        boolean isLittle = swap != (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        long first = swap ? Long.reverseBytes(Memory.getLong(from)) : Memory.getLong(from);
        long second = swap ? Long.reverseBytes(Memory.getLong(from + 8)) : Memory.getLong(from + 8);
        long high = isLittle ? second : first;
        long low = isLittle ? first : second;
        return old != null && old.high() == high && old.low() == low ? old : new Float128(high, low);
    }

    /** {@return a {@code char} of IDL} */
    public char getChar() {
        return (char) (getByte() & 0xff);
    }

    /** {@return a {@code wchar} of IDL} */
    public char getWideChar() {
        return (char) getShort();
    }

    /**
     * The number of an enumerator.
     *
     * @param size its bytes
     * @return the number with its sign
     */
    public int getEnumerator(int size) {
        return switch (size) {
            case 1 -> getByte();
            case 2 -> getShort();
            default -> getInt();
        };
    }

    /**
     * Bits.
     *
     * @param size their bytes
     * @return the bits
     */
    public long getBits(int size) {
        return switch (size) {
            case 1 -> getByte() & 0xffL;
            case 2 -> getShort() & 0xffffL;
            case 4 -> getInt() & 0xffffffffL;
            default -> getLong();
        };
    }

    /**
     * Bits of a bitmask.
     *
     * @param size their bytes
     * @param mask those of its flags
     * @param where what it is
     * @return the bits
     */
    public long getFlags(int size, long mask, String where) {
        long bits = getBits(size);
        if ((bits & ~mask) != 0) {
            misfit(where, "the bits 0x" + Long.toHexString(bits) + " are not all flags of the type: 0x"
                    + Long.toHexString(mask));
            return 0;
        }
        return bits;
    }

    /**
     * A string.
     *
     * @param old what was there; it is kept if it is equal
     * @param bound the most bytes of UTF-8; 0 is no bound
     * @param isTrimmed whether one that is longer is cut
     * @param where what it is
     * @return the string
     */
    public String getString(String old, int bound, boolean isTrimmed, String where) {
        long count = getInt() & 0xffffffffL;
        if (count > end - at || count > Integer.MAX_VALUE - 8) {
            throw truncated(count, end - at);
        }
        long from = at;
        at += count;
        int length = (int) count - 1;
        if (count == 0 || Memory.getByte(from + length) != 0) {
            throw CodecException.decoding(where, "a string of " + count + " bytes does not end as it should");
        }
        boolean isPlain = check(from, length, where);
        if (bound > 0 && length > bound) {
            if (isTrimmed) {
                length = bound;
                while (length > 0 && (Memory.getByte(from + length) & 0xc0) == 0x80) {
                    length--;
                }
            } else {
                misfit(where, "its length is " + length + ", at most " + bound + " is allowed");
                length = 0;
            }
        }
        if (old != null && Text.isSame(old, from, length)) {
            return old;
        }
        charge(length, 1, where);
        if (text.length < length) {
            text = new byte[Math.max(length, (int) Math.min(2L * text.length, Integer.MAX_VALUE - 8))];
        }
        Memory.copy(from, text, 0, length);
        return new String(text, 0, length, isPlain ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    /** Whether a text has nothing but ASCII; throws if it is not UTF-8, or has a NUL. */
    private static boolean check(long from, int length, String where) {
        boolean isPlain = true;
        int i = 0;
        while (i < length) {
            byte first = Memory.getByte(from + i);
            if (first > 0) {
                i++;
                continue;
            }
            if (first == 0) {
                throw CodecException.decoding(where, "a string of " + (length + 1) + " bytes ends at " + i);
            }
            int bytes = Text.characterAt(from + i, length - i);
            if (bytes == 0) {
                throw CodecException.decoding(where, "a string is not UTF-8: byte " + (first & 0xff) + " at " + i);
            }
            isPlain = false;
            i += bytes;
        }
        return isPlain;
    }

    /**
     * A wide string.
     *
     * @param old what was there; it is kept if it is equal
     * @param bound the most units of UTF-16; 0 is no bound
     * @param isTrimmed whether one that is longer is cut
     * @param where what it is
     * @return the string
     */
    public String getWideString(String old, int bound, boolean isTrimmed, String where) {
        long bytes = getInt() & 0xffffffffL;
        if (bytes > end - at) {
            throw truncated(bytes, end - at);
        }
        if ((bytes & 1) != 0) {
            throw CodecException.decoding(where, "a wide string has " + bytes + " bytes, an odd number");
        }
        long from = at;
        at += bytes;
        int count = Math.toIntExact(bytes / 2);
        boolean isSame = old != null;
        boolean isOpen = false;
        for (int i = 0; i < count; i++) {
            char unit = unit(from, i);
            if (isOpen != Character.isLowSurrogate(unit)) {
                throw alone(where, i);
            }
            isOpen = Character.isHighSurrogate(unit);
            isSame = isSame && i < old.length() && old.charAt(i) == unit;
        }
        if (isOpen) {
            throw alone(where, count);
        }
        int kept = count;
        if (bound > 0 && count > bound) {
            if (isTrimmed) {
                kept = Character.isHighSurrogate(unit(from, bound - 1)) ? bound - 1 : bound;
            } else {
                misfit(where, "its length is " + count + ", at most " + bound + " is allowed");
                kept = 0;
            }
        }
        if (isSame && kept == count && old.length() == count) {
            return old;
        }
        charge(kept, 2, where);
        char[] units = new char[kept];
        for (int i = 0; i < kept; i++) {
            units[i] = unit(from, i);
        }
        return new String(units);
    }

    private char unit(long from, int i) {
        char unit = Memory.getChar(from + 2L * i);
        return swap ? Character.reverseBytes(unit) : unit;
    }

    private static CodecException alone(String where, int at) {
        return CodecException.decoding(where, "a wide string is not UTF-16: the surrogate before or at " + at
                + " is alone");
    }

    /**
     * The length of a sequence or map.
     *
     * @param least the bytes that each element takes at least
     * @param cost about the memory that each takes
     * @param where what it is
     * @return its elements
     */
    public int getCount(int least, int cost, String where) {
        long count = getInt() & 0xffffffffL;
        long possible = least == 0 ? EMPTY_ELEMENTS : (end - at) / least;
        if (count > possible) {
            throw truncated(count * least, end - at);
        }
        charge(count, cost, where);
        return (int) count;
    }

    private void charge(long count, int cost, String where) {
        if (count > budget / Math.max(cost, 1)) {
            throw CodecException.decoding(where, "the value is out of proportion: " + count
                    + " elements for a payload that allows " + budget / Math.max(cost, 1));
        }
        budget -= count * cost;
    }

    /**
     * What is left of a collection that is longer than its bound.
     *
     * @param count its elements
     * @param bound the most elements; 0 is no bound
     * @param isTrimmed whether one that is longer is cut
     * @param where what it is
     * @return how many stay
     */
    public int fitted(int count, int bound, boolean isTrimmed, String where) {
        if (bound == 0 || count <= bound) {
            return count;
        }
        if (isTrimmed) {
            return bound;
        }
        misfit(where, "its length is " + count + ", at most " + bound + " is allowed");
        return 0;
    }

    /**
     * What is left of a sequence that has been read.
     *
     * @param sequence the sequence
     * @param bound the most elements; 0 is no bound
     * @param isTrimmed whether one that is longer is cut
     * @param where what it is
     */
    public void fit(Seq<?> sequence, int bound, boolean isTrimmed, String where) {
        sequence.resize(fitted(sequence.size(), bound, isTrimmed, where));
    }

    /** Where so many numbers are, of which each takes {@code size} bytes. */
    long numbers(int size, int count) {
        return takeAll(size, count);
    }

    boolean isSwapped() {
        return swap;
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public byte[] getArray(byte[] old, int count) {
        long from = takeAll(1, count);
        byte[] array = old != null && old.length == count ? old : new byte[count];
        Memory.copy(from, array, 0, count);
        return array;
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public short[] getArray(short[] old, int count) {
        long from = takeAll(2, count);
        short[] array = old != null && old.length == count ? old : new short[count];
        copyShorts(from, array, count);
        return array;
    }

    void copyShorts(long from, short[] to, int count) {
        Memory.copy(from, swap ? SHORTS : ValueLayout.JAVA_SHORT_UNALIGNED, to, count);
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public int[] getArray(int[] old, int count) {
        long from = takeAll(4, count);
        int[] array = old != null && old.length == count ? old : new int[count];
        copyInts(from, array, count);
        return array;
    }

    void copyInts(long from, int[] to, int count) {
        Memory.copy(from, swap ? INTS : ValueLayout.JAVA_INT_UNALIGNED, to, count);
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public long[] getArray(long[] old, int count) {
        long from = takeAll(8, count);
        long[] array = old != null && old.length == count ? old : new long[count];
        copyLongs(from, array, count);
        return array;
    }

    void copyLongs(long from, long[] to, int count) {
        Memory.copy(from, swap ? LONGS : ValueLayout.JAVA_LONG_UNALIGNED, to, count);
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public float[] getArray(float[] old, int count) {
        long from = takeAll(4, count);
        float[] array = old != null && old.length == count ? old : new float[count];
        copyFloats(from, array, count);
        return array;
    }

    void copyFloats(long from, float[] to, int count) {
        Memory.copy(from, swap ? FLOATS : ValueLayout.JAVA_FLOAT_UNALIGNED, to, count);
    }

    /**
     * An array of numbers.
     *
     * @param old what was there; it is used again if it has the length
     * @param count how many the type has
     * @return the array
     */
    public double[] getArray(double[] old, int count) {
        long from = takeAll(8, count);
        double[] array = old != null && old.length == count ? old : new double[count];
        copyDoubles(from, array, count);
        return array;
    }

    void copyDoubles(long from, double[] to, int count) {
        Memory.copy(from, swap ? DOUBLES : ValueLayout.JAVA_DOUBLE_UNALIGNED, to, count);
    }

    /**
     * A part does not fit its type.
     *
     * @param where what it is
     * @param what why not
     */
    public void misfit(String where, String what) {
        if (misfit == null) {
            misfit = where + ": " + what;
        }
        isMisfit = true;
    }
}
