package org.dunlin.type;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;

/**
 * Reads values in XCDR1 or XCDR2 of either byte order, and trusts nothing. Generated code calls it.
 */
public final class CdrReader extends CdrInput {
    private static final int DEPTH_LIMIT = 64;
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

    /** The reader and the sample whose payload this is; 0 if it is none, or more than its octets. */
    private long reader;
    private long sample;
    private long payload;
    private long payloadLength;
    private MemorySegment out;

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
        last = end;
        goesOn = kind < 6 && extensibility == Extensibility.APPENDABLE;
        origin = at;
        region = at;
        isV1 = kind < 6;
        most = isV1 ? 8 : 4;
        boolean isLittle = (Memory.getByte(payload + 1) & 1) != 0;
        swap = isLittle != (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        isMisfit = false;
        misfit = null;
        depth = 0;
        reader = 0;
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

    /**
     * The payload is that of a sample, so that many octets need not be copied.
     *
     * @param ofReader the reader that has lent it
     * @param lent its address
     */
    public void of(long ofReader, long lent) {
        reader = ofReader;
        sample = lent;
        payload = Memory.getLong(lent);
        payloadLength = Memory.getLong(lent + 8);
    }

    /** Counted octets of a part of the sample, at {@link #sharedAt}; 0 if they are to be copied. */
    long shared(long from, int count) {
        // Who keeps few octets does not keep a large payload.
        if (reader == 0 || count < payloadLength / 2) {
            return 0;
        }
        if (out == null) {
            out = Arena.ofAuto().allocate(24, 8);
        }
        long to = out.address();
        if (Native.call(Native.OCTETS_OF_SAMPLE, reader, sample, from - payload, count, to) != Native.OK) {
            return 0;
        }
        long octets = Memory.getLong(to);
        if (Native.call(Native.OCTETS_DATA, octets, to + 8, to + 16) != Native.OK) {
            Native.call(Native.OCTETS_FREE, octets);
            return 0;
        }
        return octets;
    }

    /** Where the octets of the last {@link #shared} are. */
    long sharedAt() {
        return Memory.getLong(out.address() + 8);
    }

    /**
     * Throws if a part of the value did not fit its type, and nothing said what to do then, or if there is more behind
     * the value than padding.
     */
    public void finish() {
        finishKey();
        if (last - at > 3 && !goesOn) {
            throw CodecException.decoding("", last - at + " bytes are left behind the value, at most 3 are padding");
        }
    }

    /** The same for a key, which some products make longer than it is. */
    public void finishKey() {
        if (isMisfit) {
            throw CodecException.decoding("", misfit);
        }
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
     * A number is no enumerator.
     *
     * @param where what it is
     * @param number the number
     */
    public void unknownEnumerator(String where, long number) {
        misfit(where, number + " is not an enumerator of the type");
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
        return CodecException.decoding(where, found + " is outside of the range " + range);
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
