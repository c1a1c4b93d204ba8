package org.dunlin.type;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import org.dunlin.internal.Counted;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/**
 * A {@code sequence<octet>} of IDL: bytes that may become more.
 *
 * <p>Those of a sample that was taken, if they are many, lie where the sample does, and are copied when something
 * needs an array or changes them: {@link #array}, {@link #set}, {@link #add}, {@link #resize}. Copies of the object
 * refer to the same octets, and writers send them as they are.
 */
public final class Octets {
    private byte[] elements;
    private int length;
    /** Octets elsewhere; null as long as there never were any. */
    private Counted counted;
    /** Whether the elements are those. */
    private boolean isShared;

    static {
        Counted.access(Octets::refer);
    }

    /** An empty sequence. */
    public Octets() {
        elements = new byte[0];
    }

    /**
     * A sequence of elements, which are copied.
     *
     * @param of the elements
     */
    public Octets(byte... of) {
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
    public byte get(int index) {
        Objects.checkIndex(index, length);
        if (!isShared) {
            return elements[index];
        }
        byte value = Memory.getByte(counted.address() + index);
        Reference.reachabilityFence(this);
        return value;
    }

    /**
     * Another element at a place.
     *
     * @param index the place
     * @param value the element
     */
    public void set(int index, byte value) {
        Objects.checkIndex(index, length);
        own();
        elements[index] = value;
    }

    /**
     * One more element.
     *
     * @param value the element
     */
    public void add(byte value) {
        resize(length + 1);
        elements[length - 1] = value;
    }

    /**
     * Other elements, which are copied.
     *
     * @param of the elements
     */
    public void set(byte[] of) {
        clear();
        resize(of.length);
        System.arraycopy(of, 0, elements, 0, length);
    }

    /** Has no element. */
    public void clear() {
        if (isShared) {
            isShared = false;
            counted.free();
        }
        length = 0;
    }

    private void refer(long handle, long address, int count) {
        if (counted == null) {
            counted = Counted.of(this);
        }
        counted.set(handle, address);
        isShared = true;
        length = count;
    }

    /** Has its elements in its array. */
    private void own() {
        if (isShared) {
            int count = length;
            if (count > elements.length) {
                elements = new byte[count];
            }
            Memory.copy(counted.address(), elements, 0, count);
            clear();
            length = count;
        }
    }

    /** {@return whether the elements are octets that do not change, which are written by reference} */
    public boolean isShared() {
        return isShared;
    }

    /**
     * Copies the elements to where writers refer to them: from now on writing a value with them does not copy them.
     * That is so until they are changed. Fewer than 4096 stay where they are.
     *
     * @return this
     */
    public Octets share() {
        if (!isShared && length >= Counted.LEAST) {
            Scratch scratch = Scratch.get();
            long made = Counted.make(scratch, 0, length);
            long address = Memory.getLong(scratch.number);
            Memory.copy(elements, 0, address, length);
            Counted.seal(this, made, address, length);
        }
        return this;
    }

    /**
     * The elements where they are, to be read. It is valid until they change, or this object becomes another sample.
     *
     * @return the elements
     */
    public MemorySegment segment() {
        MemorySegment of = isShared ? Memory.all().asSlice(counted.address(), length)
                : MemorySegment.ofArray(elements).asSlice(0, length);
        return of.asReadOnly();
    }

    /**
     * Has so many elements. Those that are new have some value.
     *
     * @param count how many
     */
    public void resize(int count) {
        own();
        if (count > elements.length) {
            elements = Arrays.copyOf(elements, Math.max(count, (int) Math.min(2L * length, Integer.MAX_VALUE - 8)));
        }
        length = count;
    }

    /**
     * {@return the array that has the elements, and perhaps more behind them; it stays until the sequence grows or
     * becomes another sample}
     */
    public byte[] array() {
        own();
        return elements;
    }

    /** {@return the elements in an array of their own} */
    public byte[] toArray() {
        if (!isShared) {
            return Arrays.copyOf(elements, length);
        }
        byte[] made = new byte[length];
        Memory.copy(counted.address(), made, 0, length);
        Reference.reachabilityFence(this);
        return made;
    }

    /**
     * Becomes equal to another sequence.
     *
     * @param from the other one
     */
    public void copyFrom(Octets from) {
        if (from == this) {
            return;
        }
        clear();
        if (from.isShared) {
            Scratch scratch = Scratch.get();
            int code = Native.call(Native.OCTETS_CLONE, from.counted.handle(), scratch.number);
            if (code == Native.OK) {
                refer(Memory.getLong(scratch.number), from.counted.address(), from.length);
            } else {
                set(from.toArray());
            }
            Reference.reachabilityFence(from);
            return;
        }
        resize(from.length);
        System.arraycopy(from.elements, 0, elements, 0, length);
    }

    /** {@return a sequence of its own} */
    public Octets copy() {
        Octets made = new Octets();
        made.copyFrom(this);
        return made;
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
        if (isShared) {
            w.putCounted(counted.handle(), counted.address(), length);
            Reference.reachabilityFence(this);
        } else {
            w.putNumbers(elements, length, 1, java.lang.foreign.ValueLayout.JAVA_BYTE);
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
        int count = r.getCount(1, 1, where);
        long from = r.numbers(1, count);
        int kept = r.fitted(count, bound, isTrimmed, where);
        long octets = kept >= Counted.LEAST ? r.shared(from, kept) : 0;
        clear();
        if (octets != 0) {
            refer(octets, r.sharedAt(), kept);
        } else {
            resize(kept);
            Memory.copy(from, elements, 0, kept);
        }
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Octets that) || length != that.length) {
            return false;
        }
        boolean isEqual = !isShared && !that.isShared
                ? Arrays.equals(elements, 0, length, that.elements, 0, length)
                : segment().mismatch(that.segment()) < 0;
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(that);
        return isEqual;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + Byte.hashCode(get(i));
        }
        return hash;
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
