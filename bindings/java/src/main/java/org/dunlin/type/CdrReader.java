package org.dunlin.type;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.dunlin.internal.Memory;

/**
 * Reads values in XCDR1 or XCDR2 of either byte order, and trusts nothing. Generated code calls it.
 */
public final class CdrReader {
    private static final int DEPTH_LIMIT = 64;
    /** So many elements without any bytes are believed. */
    private static final int EMPTY_ELEMENTS = 65536;
    /** A value takes at most so many times the memory of its payload, */
    private static final long EXPANSION = 16;
    /** or so many bytes if that is more. */
    private static final long LEAST_BUDGET = 16 << 20;
    private static final int SENTINEL = 0x3f02;
    private static final int IGNORE = 0x3f03;
    private static final int EXTENDED = 0x3f01;
    /** Scopes that are no part with a length: members may be missing at their end, or not. */
    private static final long OPEN = -2;
    private static final long CLOSED = -1;

    private static final ByteOrder OTHER = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
            ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout SHORTS = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout INTS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout LONGS = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout FLOATS = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(OTHER);
    private static final ValueLayout DOUBLES = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(OTHER);

    private long at;
    /** Of the innermost part that has a length. */
    private long end;
    /** Where alignment counts from. */
    private long origin;
    /** Where the innermost part that has a length begins. */
    private long region;
    private int most;
    private boolean isV1;
    private boolean swap;
    /** The outermost type has no DHEADER, whatever it is. */
    private boolean isUndelimited;
    /** A part of the value does not fit its type, but where it ends is known. */
    private boolean isMisfit;
    private String misfit;
    private int depth;
    private long budget;
    private int memberId;
    private boolean mustUnderstand;
    private byte[] text = new byte[64];

    private CdrReader() {
    }

    /** {@return a reader} */
    public static CdrReader create() {
        return new CdrReader();
    }

    /**
     * Begins with the header of a payload.
     *
     * @param payload its address
     * @param length its bytes
     * @param extensibility that of the type
     */
    public void begin(long payload, long length, Extensibility extensibility) {
        if (length < 4 || payload == 0) {
            throw CodecException.decoding("", "the payload has " + length + " bytes, its header alone has 4");
        }
        int kind = Memory.getByte(payload + 1) & 0xfe;
        if (Memory.getByte(payload) != 0 || kind > 0x0a || kind == 4) {
            throw CodecException.decoding("", "representation 0x"
                    + Integer.toHexString((Memory.getByte(payload) & 0xff) << 8 | Memory.getByte(payload + 1) & 0xff)
                    + " is unknown");
        }
        int padding = Memory.getByte(payload + 3) & 3;
        if (length - 4 < padding) {
            throw truncated(padding, length - 4);
        }
        at = payload + 4;
        end = payload + length - padding;
        origin = at;
        region = at;
        isV1 = kind < 6;
        most = isV1 ? 8 : 4;
        boolean isLittle = (Memory.getByte(payload + 1) & 1) != 0;
        swap = isLittle != (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        isMisfit = false;
        misfit = null;
        depth = 0;
        budget = Math.max(length * EXPANSION, LEAST_BUDGET);
        boolean isMutable = kind == 2 || kind == 10;
        if (isMutable != (extensibility == Extensibility.MUTABLE)) {
            throw CodecException.decoding("", "representation 0x" + Integer.toHexString(kind)
                    + " is none of a type that is " + extensibility);
        }
        // Products do not agree what a type is that does not say how it grows.
        isUndelimited = kind == 6 && extensibility == Extensibility.APPENDABLE;
        if (kind == 8 && extensibility == Extensibility.FINAL) {
            narrow(getInt() & 0xffffffffL);
        }
    }

    /** Throws if a part of the value did not fit its type, and nothing said what to do then. */
    public void finish() {
        if (isMisfit) {
            throw CodecException.decoding("", misfit);
        }
    }

    private static CodecException truncated(long wanted, long left) {
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

    private void skip() {
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
     * Begins an appendable type.
     *
     * @return what {@link #more} and {@link #end} are told
     */
    public long begin() {
        if (isV1) {
            return at == region && at != end ? OPEN : CLOSED;
        }
        if (isUndelimited) {
            isUndelimited = false;
            return CLOSED;
        }
        return narrow(getInt() & 0xffffffffL);
    }

    /**
     * Begins a mutable type, or a collection of what is not primitive.
     *
     * @return what {@link #end} is told
     */
    public long beginDelimited() {
        return isV1 ? CLOSED : narrow(getInt() & 0xffffffffL);
    }

    /** Hides what comes after the next bytes. */
    private long narrow(long length) {
        if (length > end - at) {
            throw truncated(length, end - at);
        }
        long outer = end;
        end = at + length;
        region = at;
        return outer;
    }

    /**
     * Whether there is a further member.
     *
     * @param scope what the beginning returned
     * @return false if the sender has an older version of the type
     */
    public boolean more(long scope) {
        return scope == CLOSED || at != end;
    }

    /**
     * Whether what is left of the type can be passed over.
     *
     * @param scope what the beginning returned
     * @return whether it has a length
     */
    public boolean canPass(long scope) {
        return scope >= 0;
    }

    /** Passes over what is left of the innermost part. */
    public void pass() {
        at = end;
    }

    /**
     * Passes over what is left of a part.
     *
     * @param scope what the beginning returned
     */
    public void end(long scope) {
        if (scope >= 0) {
            at = end;
            end = scope;
        }
    }

    /** {@return where the innermost part ends} */
    public long limit() {
        return end;
    }

    /** {@return where alignment counts from} */
    public long origin() {
        return origin;
    }

    /** {@return where the innermost part begins} */
    public long region() {
        return region;
    }

    /** {@return where the next number is} */
    public long position() {
        return at;
    }

    /**
     * Goes back.
     *
     * @param position what {@link #position} was
     */
    public void position(long position) {
        at = position;
    }

    /** {@return whether there is another member of a mutable type: {@link #memberId} says which} */
    public boolean nextMember() {
        return isV1 ? nextParameter() : nextLabelled();
    }

    /** {@return the id of the member} */
    public int memberId() {
        return memberId;
    }

    private boolean nextLabelled() {
        skip();
        if (at == end) {
            return false;
        }
        int header = getInt();
        int code = header >>> 28 & 7;
        long length = 1L << code;
        if (code >= 4) {
            length = getInt() & 0xffffffffL;
            if (code > 4) {
                // The content begins with it.
                at -= 4;
                length = length * (code == 5 ? 1 : 1L << (code - 4)) + 4;
            }
        }
        memberId = header & 0x0fffffff;
        mustUnderstand = header < 0;
        narrow(length);
        return true;
    }

    private boolean nextParameter() {
        while (true) {
            skip();
            int pid = getShort() & 0xffff;
            int length = getShort() & 0xffff;
            long content = length;
            memberId = pid & 0x3fff;
            mustUnderstand = (pid & 0x4000) != 0;
            if (memberId == SENTINEL) {
                return false;
            }
            if (memberId == IGNORE) {
                if (end - at < length) {
                    throw truncated(length, end - at);
                }
                at += length;
                continue;
            }
            if (memberId == EXTENDED) {
                if (length < 8) {
                    throw CodecException.decoding("", "a member header is malformed: it has " + length + " bytes");
                }
                int id = getInt();
                content = getInt() & 0xffffffffL;
                mustUnderstand = (id & 0x40000000) != 0;
                memberId = id & 0x0fffffff;
                if (end - at < length - 8) {
                    throw truncated(length - 8, end - at);
                }
                at += length - 8;
            }
            narrow(content);
            origin = at;
            return true;
        }
    }

    /**
     * Ends a member of a mutable type.
     *
     * @param limit what {@link #limit} was outside
     * @param origin what {@link #origin()} was outside
     * @param region what {@link #region()} was outside
     */
    public void endMember(long limit, long origin, long region) {
        at = end;
        end = limit;
        this.origin = origin;
        this.region = region;
    }

    /**
     * The type does not have the member.
     *
     * @param where the type
     */
    public void unknownMember(String where) {
        if (mustUnderstand) {
            throw CodecException.decoding(where, "member " + memberId + " must be understood and is unknown");
        }
    }

    /**
     * Begins an optional member of a type whose members have no headers.
     *
     * @param id its id
     * @param where what it is
     * @return whether it is there
     */
    public boolean beginOptional(int id, String where) {
        if (!isV1) {
            return getBoolean();
        }
        if (!nextParameter() || memberId != id) {
            throw CodecException.decoding(where, "a member header is malformed: " + memberId + " where " + id
                    + " should be");
        }
        return at != end;
    }

    /**
     * Ends it.
     *
     * @param limit what {@link #limit} was outside
     * @param origin what {@link #origin()} was outside
     * @param region what {@link #region()} was outside
     */
    public void endOptional(long limit, long origin, long region) {
        if (isV1) {
            endMember(limit, origin, region);
        }
    }

    /**
     * Goes into a collection, an optional or an external member.
     *
     * @param where what it is
     */
    public void enter(String where) {
        if (depth == DEPTH_LIMIT) {
            throw CodecException.decoding(where, "it is nested deeper than " + DEPTH_LIMIT);
        }
        depth++;
    }

    /** Comes out of it. */
    public void leave() {
        depth--;
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

    /**
     * A number is no enumerator.
     *
     * @param where what it is
     * @param number the number
     */
    public void unknownEnumerator(String where, long number) {
        misfit(where, number + " is not an enumerator of the type");
    }

    /**
     * The member that has to be there is not.
     *
     * @param where what it is
     * @return an exception to be thrown
     */
    public RuntimeException missing(String where) {
        return CodecException.decoding(where, "what has to be there is missing");
    }

    /**
     * A discriminator selects bytes of which nothing is known.
     *
     * @param where what it is
     * @param number the discriminator
     * @return an exception to be thrown
     */
    public RuntimeException unknownSelector(String where, long number) {
        return CodecException.decoding(where, number + " is not an enumerator of the type");
    }

    /** {@return whether a part did not fit so far; from now on none did} */
    public boolean clearMisfit() {
        boolean was = isMisfit;
        isMisfit = false;
        return was;
    }

    /**
     * Whether a part did not fit; what was so before counts again.
     *
     * @param before what {@link #clearMisfit} returned
     * @return whether what was read since then does not fit
     */
    public boolean endMisfit(boolean before) {
        boolean is = isMisfit;
        isMisfit = before;
        if (!before) {
            misfit = null;
        }
        return is;
    }
}
