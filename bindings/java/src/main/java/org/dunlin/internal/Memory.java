package org.dunlin.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory at absolute addresses, in native byte order and at any alignment.
 *
 * <p>Codecs and the calls of the hot path use addresses that the library or a buffer of their own has
 * given out, with lengths that they have checked.
 */
@SuppressWarnings("restricted")
public final class Memory {
    /** All of it: one segment, so that no access makes an object. */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private Memory() {
    }

    /** The segment of all memory. */
    public static MemorySegment all() {
        return ALL;
    }

    public static byte getByte(long at) {
        return ALL.get(BYTE, at);
    }

    public static short getShort(long at) {
        return ALL.get(SHORT, at);
    }

    public static char getChar(long at) {
        return ALL.get(CHAR, at);
    }

    public static int getInt(long at) {
        return ALL.get(INT, at);
    }

    public static long getLong(long at) {
        return ALL.get(LONG, at);
    }

    public static void putByte(long at, byte value) {
        ALL.set(BYTE, at, value);
    }

    public static void putShort(long at, short value) {
        ALL.set(SHORT, at, value);
    }

    public static void putChar(long at, char value) {
        ALL.set(CHAR, at, value);
    }

    public static void putInt(long at, int value) {
        ALL.set(INT, at, value);
    }

    public static void putLong(long at, long value) {
        ALL.set(LONG, at, value);
    }

    public static void putFloat(long at, float value) {
        ALL.set(FLOAT, at, value);
    }

    public static void putDouble(long at, double value) {
        ALL.set(DOUBLE, at, value);
    }

    public static void copy(long from, byte[] to, int at, int count) {
        MemorySegment.copy(ALL, BYTE, from, to, at, count);
    }

    public static void copy(byte[] from, int at, long to, int count) {
        MemorySegment.copy(from, at, ALL, BYTE, to, count);
    }

    /** Numbers into an array of theirs: {@code layout} has their byte order. */
    public static void copy(long from, ValueLayout layout, Object to, int count) {
        copy(from, layout, to, 0, count);
    }

    /** Numbers into a part of an array of theirs. */
    public static void copy(long from, ValueLayout layout, Object to, int at, int count) {
        MemorySegment.copy(ALL, layout, from, to, at, count);
    }

    /** Numbers out of an array of theirs. */
    public static void copy(Object from, int count, ValueLayout layout, long to) {
        MemorySegment.copy(from, 0, ALL, layout, to, count);
    }

    public static void move(long from, long to, long count) {
        MemorySegment.copy(ALL, from, ALL, to, count);
    }
}
