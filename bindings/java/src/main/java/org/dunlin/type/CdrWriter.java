package org.dunlin.type;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dunlin.internal.Memory;

/**
 * Writes values in XCDR1 or XCDR2, in native byte order, into memory that grows. Generated code calls it.
 */
public final class CdrWriter {
    private static final int DEPTH_LIMIT = 64;
    private static final int LAST_SHORT = 0x3f00;
    private static final int EXTENDED = 0x3f01;
    private static final int SENTINEL = 0x3f02;
    private static final int PID_UNDERSTAND = 0x4000;
    /** The bytes of a {@code dunlin_piece}, and how many a payload has at most. */
    private static final int PIECE = 24;
    private static final int MOST_PIECES = 64;

    private MemorySegment memory;
    private long base;
    private int capacity;
    private int at;
    /** Where alignment counts from. */
    private int origin;
    private boolean isV1;
    private int most;
    private int depth;
    /** Whether counted octets may be left out, since the payload is written in pieces. */
    private boolean isApart;
    /** Counted octets that were left out: {@code dunlin_piece} for what is before each, and for each. */
    private MemorySegment pieces;
    private int pieceCount;
    /** What the pieces so far end with. */
    private int pieced;

    private CdrWriter() {
        allocate(1024);
    }

    /** {@return a writer with memory of its own} */
    public static CdrWriter create() {
        return new CdrWriter();
    }

    private void allocate(int size) {
        memory = Arena.ofAuto().allocate(size, 64);
        base = memory.address();
        capacity = size;
    }

    /**
     * Begins a payload with its header.
     *
     * @param version 0 for XCDR1, 2 for XCDR2
     * @param extensibility that of the type
     */
    public void begin(int version, Extensibility extensibility) {
        isV1 = version == 0;
        most = isV1 ? 8 : 4;
        depth = 0;
        int kind = switch (extensibility) {
            case FINAL -> isV1 ? 0 : 6;
            case APPENDABLE -> isV1 ? 0 : 8;
            case MUTABLE -> isV1 ? 2 : 10;
        };
        boolean isLittle = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        Memory.putByte(base, (byte) 0);
        Memory.putByte(base + 1, (byte) (isLittle ? kind | 1 : kind));
        Memory.putByte(base + 2, (byte) 0);
        at = 4;
        origin = 4;
        isApart = false;
        pieceCount = 0;
        pieced = 0;
    }

    /** From now on counted octets are left out. The payload is to be written in {@link #pieces}. */
    public void apart() {
        isApart = true;
    }

    /** {@return how many pieces the payload has; 0 if it is whole} */
    public int pieceCount() {
        return pieceCount;
    }

    /** {@return the address of the pieces} */
    public long pieces() {
        return pieces.address();
    }

    private void putPiece(long data, int length, long octets) {
        long piece = pieces.address() + (long) PIECE * pieceCount;
        Memory.putLong(piece, data);
        Memory.putLong(piece + 8, length);
        Memory.putLong(piece + 16, octets);
        pieceCount++;
    }

    /** Ends a payload: padding, which the header counts. */
    public void finish() {
        int padding = -at & 3;
        Memory.putByte(base + 3, (byte) padding);
        room(8);
        Memory.putInt(base + at, 0);
        at += padding;
        if (pieceCount > 0) {
            // Pieces of this memory were told by their offsets: it may have moved since.
            for (int i = 0; i < pieceCount; i += 2) {
                long piece = pieces.address() + (long) PIECE * i;
                Memory.putLong(piece, base + Memory.getLong(piece));
            }
            if (at > pieced) {
                putPiece(base + pieced, at - pieced, 0);
            }
        }
    }

    /** {@return the address of the payload} */
    public long address() {
        return base;
    }

    /** {@return the bytes of the payload so far} */
    public int length() {
        return at;
    }

    private void room(long more) {
        if (capacity - at < more) {
            grow(at + more);
        }
    }

    private void grow(long wanted) {
        if (wanted > Integer.MAX_VALUE - 16) {
            throw CodecException.encoding("", "a payload of " + wanted + " bytes is wanted, at most "
                    + (Integer.MAX_VALUE - 16) + " are possible");
        }
        MemorySegment before = memory;
        long from = base;
        allocate((int) Math.min(Math.max(wanted, 2L * capacity), Integer.MAX_VALUE - 16));
        Memory.move(from, base, at);
        java.lang.ref.Reference.reachabilityFence(before);
    }

    /** Padding, and room for a number behind it. */
    private long align(int size) {
        room(24);
        int padding = (origin - at) & (Math.min(size, most) - 1);
        if (padding != 0) {
            Memory.putLong(base + at, 0);
            at += padding;
        }
        return base + at;
    }

    /**
     * Writes an octet.
     *
     * @param value the number
     */
    public void putByte(byte value) {
        room(1);
        Memory.putByte(base + at, value);
        at++;
    }

    /**
     * Writes a boolean.
     *
     * @param value the value
     */
    public void putBoolean(boolean value) {
        putByte(value ? (byte) 1 : 0);
    }

    /**
     * Writes a number of 16 bits.
     *
     * @param value the number
     */
    public void putShort(short value) {
        Memory.putShort(align(2), value);
        at += 2;
    }

    /**
     * Writes a number of 32 bits.
     *
     * @param value the number
     */
    public void putInt(int value) {
        Memory.putInt(align(4), value);
        at += 4;
    }

    /**
     * Writes a number of 64 bits.
     *
     * @param value the number
     */
    public void putLong(long value) {
        Memory.putLong(align(8), value);
        at += 8;
    }

    /**
     * Writes a number.
     *
     * @param value the number
     */
    public void putFloat(float value) {
        Memory.putFloat(align(4), value);
        at += 4;
    }

    /**
     * Writes a number.
     *
     * @param value the number
     */
    public void putDouble(double value) {
        Memory.putDouble(align(8), value);
        at += 8;
    }

    /**
     * Writes a {@code long double}.
     *
     * @param value the number
     * @param where what it is
     */
    public void putFloat128(Float128 value, String where) {
        required(value, where);
        long to = align(8);
        boolean isLittle = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        Memory.putLong(to, isLittle ? value.low() : value.high());
        Memory.putLong(to + 8, isLittle ? value.high() : value.low());
        at += 16;
    }

    /**
     * Writes a {@code char} of IDL: one byte.
     *
     * @param value the character
     * @param where what it is
     */
    public void putChar(char value, String where) {
        if (value > 0xff) {
            throw CodecException.encoding(where, "the character " + (int) value + " has to be at most 255");
        }
        putByte((byte) value);
    }

    /**
     * Writes a {@code wchar} of IDL.
     *
     * @param value the unit of UTF-16
     */
    public void putWideChar(char value) {
        putShort((short) value);
    }

    /**
     * Writes a number of 1, 2, 4 or 8 bytes.
     *
     * @param value the number
     * @param size its bytes
     */
    public void putBits(long value, int size) {
        switch (size) {
            case 1 -> putByte((byte) value);
            case 2 -> putShort((short) value);
            case 4 -> putInt((int) value);
            default -> putLong(value);
        }
    }

    /**
     * Checks that a member is there.
     *
     * @param value the member
     * @param where what it is
     */
    public void required(Object value, String where) {
        if (value == null) {
            throw CodecException.encoding(where, "what has to be there is missing: it is null");
        }
    }

    /**
     * A number is out of its range.
     *
     * @param where what it is
     * @param found the number
     * @param range the range, in words
     * @return an exception to be thrown
     */
    public RuntimeException outside(String where, String found, String range) {
        return CodecException.encoding(where, found + " is outside of the range " + range);
    }

    /**
     * Checks that an array has its length.
     *
     * @param found its length
     * @param wanted what it has to be
     * @param where what it is
     */
    public void checkLength(int found, int wanted, String where) {
        if (found != wanted) {
            throw CodecException.encoding(where, "the array has " + found + " elements, it has to have " + wanted);
        }
    }

    /**
     * Checks bits that a bitmask may have.
     *
     * @param bits the bits
     * @param mask those of its flags
     * @param where what it is
     */
    public void checkBits(long bits, long mask, String where) {
        if ((bits & ~mask) != 0) {
            throw CodecException.encoding(where, "the bits 0x" + Long.toHexString(bits)
                    + " are not all flags of the type: 0x" + Long.toHexString(mask));
        }
    }

    /**
     * Writes a string in UTF-8.
     *
     * @param value the string
     * @param bound the most bytes; 0 is no bound
     * @param where what it is
     */
    public void putString(String value, int bound, String where) {
        required(value, where);
        align(4);
        int count = value.length();
        room(3L * count + 5);
        long begin = base + at + 4;
        long to = begin;
        int i = 0;
        for (; i < count; i++) {
            char c = value.charAt(i);
            if (c == 0 || c >= 0x80) {
                break;
            }
            Memory.putByte(to++, (byte) c);
        }
        if (i < count) {
            to = Text.put(value, i, to, where);
        }
        int length = (int) (to - begin);
        if (bound != 0 && length > bound) {
            throw CodecException.encoding(where, "its length is " + length + ", at most " + bound + " is allowed");
        }
        Memory.putByte(to, (byte) 0);
        Memory.putInt(begin - 4, length + 1);
        at += length + 5;
    }

    /**
     * Writes a wide string.
     *
     * @param value the string
     * @param bound the most units of UTF-16; 0 is no bound
     * @param where what it is
     */
    public void putWideString(String value, int bound, String where) {
        required(value, where);
        Text.checkPairs(value, where);
        int count = value.length();
        putCount(count, bound, where);
        Memory.putInt(base + at - 4, 2 * count);
        room(2L * count);
        for (int i = 0; i < count; i++) {
            Memory.putChar(base + at + 2L * i, value.charAt(i));
        }
        at += 2 * count;
    }

    /**
     * Writes the length of a sequence or map.
     *
     * @param count its elements
     * @param bound the most of them; 0 is no bound
     * @param where what it is
     */
    public void putCount(int count, int bound, String where) {
        if (bound != 0 && count > bound) {
            throw CodecException.encoding(where, "its length is " + count + ", at most " + bound + " is allowed");
        }
        putInt(count);
    }

    /** Numbers that lie in an array of theirs. */
    void putNumbers(Object array, int count, int size, ValueLayout layout) {
        if (count > 0) {
            align(size);
            room((long) count * size);
            Memory.copy(array, count, layout, base + at);
            at += count * size;
        }
    }

    /** Counted octets: by reference, or copied. */
    void putCounted(long octets, long from, int count) {
        if (!isApart || count < org.dunlin.internal.Counted.LEAST || pieceCount + 3 > MOST_PIECES) {
            putMemory(from, count);
            return;
        }
        if (pieces == null) {
            pieces = Arena.ofAuto().allocate((long) PIECE * MOST_PIECES, 8);
        }
        // So lengths and alignment behind them are as ever.
        room(count);
        putPiece(pieced, at - pieced, 0);
        putPiece(from, count, octets);
        at += count;
        pieced = at;
    }

    /** Octets that lie elsewhere. */
    void putMemory(long from, int count) {
        room(count);
        Memory.move(from, base + at, count);
        at += count;
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(byte[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 1, ValueLayout.JAVA_BYTE);
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(short[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 2, ValueLayout.JAVA_SHORT_UNALIGNED);
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(int[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 4, ValueLayout.JAVA_INT_UNALIGNED);
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(long[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 8, ValueLayout.JAVA_LONG_UNALIGNED);
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(float[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 4, ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    /**
     * Writes an array of numbers without a length.
     *
     * @param array the numbers
     * @param count how many the type has
     * @param where what it is
     */
    public void putArray(double[] array, int count, String where) {
        required(array, where);
        checkLength(array.length, count, where);
        putNumbers(array, count, 8, ValueLayout.JAVA_DOUBLE_UNALIGNED);
    }

    /**
     * Begins what may have a DHEADER: an appendable type, or a collection of what is not primitive.
     *
     * @return what {@link #end} is told
     */
    public int beginDelimited() {
        if (isV1) {
            return 0;
        }
        putInt(0);
        return at;
    }

    /**
     * Ends it.
     *
     * @param begin what the beginning returned
     */
    public void end(int begin) {
        if (!isV1) {
            Memory.putInt(base + begin - 4, at - begin);
        }
    }

    /**
     * Ends a mutable type.
     *
     * @param begin what the beginning returned
     */
    public void endMutable(int begin) {
        if (isV1) {
            long to = align(4);
            Memory.putShort(to, (short) (PID_UNDERSTAND | SENTINEL));
            Memory.putShort(to + 2, (short) 0);
            at += 4;
        } else {
            end(begin);
        }
    }

    /**
     * Begins a member of a mutable type.
     *
     * @param id its id
     * @param mustUnderstand whether readers have to know it
     * @param lengthCode what its header in XCDR2 says of its length
     * @return what {@link #endMember} is told
     */
    public long beginMember(int id, boolean mustUnderstand, int lengthCode) {
        if (isV1) {
            return beginParameter(id);
        }
        putInt((mustUnderstand ? 1 << 31 : 0) | lengthCode << 28 | id);
        if (lengthCode == 4) {
            putInt(0);
        }
        return at;
    }

    /**
     * Ends it.
     *
     * @param begin what the beginning returned
     * @param id its id
     * @param mustUnderstand whether readers have to know it
     * @param lengthCode what its header in XCDR2 says of its length
     */
    public void endMember(long begin, int id, boolean mustUnderstand, int lengthCode) {
        if (isV1) {
            endParameter(begin, id, mustUnderstand);
        } else if (lengthCode == 4) {
            Memory.putInt(base + begin - 4, (int) (at - begin));
        }
    }

    /**
     * Begins an optional member of a type whose members have no headers.
     *
     * @param isThere whether it is there
     * @param id its id
     * @return what {@link #endOptional} is told
     */
    public long beginOptional(boolean isThere, int id) {
        if (isV1) {
            return beginParameter(id);
        }
        putBoolean(isThere);
        return 0;
    }

    /**
     * Ends it.
     *
     * @param begin what the beginning returned
     * @param id its id
     * @param mustUnderstand whether readers have to know it
     */
    public void endOptional(long begin, int id, boolean mustUnderstand) {
        if (isV1) {
            endParameter(begin, id, mustUnderstand);
        }
    }

    private long beginParameter(int id) {
        align(4);
        long begin = (long) origin << 32 | at;
        at += id <= LAST_SHORT ? 4 : 12;
        origin = at;
        return begin;
    }

    private void endParameter(long outer, int id, boolean mustUnderstand) {
        room(16);
        int begin = (int) outer;
        int length = at - origin;
        if (id <= LAST_SHORT && length <= 0xffff) {
            Memory.putShort(base + begin, (short) ((mustUnderstand ? PID_UNDERSTAND : 0) | id));
            Memory.putShort(base + begin + 2, (short) length);
        } else {
            if (id <= LAST_SHORT) {
                // Alignment counts from behind the header, so that nothing but the place changes.
                Memory.move(base + begin + 4, base + begin + 12, length);
                at += 8;
            }
            Memory.putShort(base + begin, (short) (PID_UNDERSTAND | EXTENDED));
            Memory.putShort(base + begin + 2, (short) 8);
            Memory.putInt(base + begin + 4, (mustUnderstand ? 0x40000000 : 0) | id);
            Memory.putInt(base + begin + 8, length);
        }
        origin = (int) (outer >>> 32);
    }

    /**
     * Goes into a collection, an optional or an external member.
     *
     * @param where what it is
     */
    public void enter(String where) {
        if (depth == DEPTH_LIMIT) {
            throw CodecException.encoding(where, "it is nested deeper than " + DEPTH_LIMIT);
        }
        depth++;
    }

    /** Comes out of it. */
    public void leave() {
        depth--;
    }

    /**
     * What an enumerator that is none is told.
     *
     * @param where what it is
     * @return an exception to be thrown
     */
    public RuntimeException missing(String where) {
        return CodecException.encoding(where, "what has to be there is missing: it is null");
    }
}
