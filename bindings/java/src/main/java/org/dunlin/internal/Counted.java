package org.dunlin.internal;

import java.lang.ref.Cleaner;
import org.dunlin.type.Octets;

/** A reference to counted octets of the library, which do not change. Its owner is one object, and it ends with it. */
public final class Counted implements Runnable {
    /** Fewer octets are copied: that is faster. */
    public static final int LEAST = 4096;

    private static volatile Place place;

    private long handle;
    private long address;

    /** Its thread begins with the first reference. */
    private static final class Cleaning {
        static final Cleaner CLEANER = Cleaner.create();
    }

    private Counted() {
    }

    /** A place for a reference; none yet. */
    public static Counted of(Object owner) {
        Counted made = new Counted();
        Cleaning.CLEANER.register(owner, made);
        return made;
    }

    /** Another reference instead of the one before, which is given up. */
    public void set(long octets, long at) {
        free();
        handle = octets;
        address = at;
    }

    /** The handle; 0 if there is no reference. */
    public long handle() {
        return handle;
    }

    /** Where the octets lie. */
    public long address() {
        return address;
    }

    /** Gives the reference up. */
    public void free() {
        if (handle != 0) {
            Native.call(Native.OCTETS_FREE, handle);
            handle = 0;
        }
    }

    /** The owner is gone. */
    @Override
    public void run() {
        free();
    }

    /** What {@link Octets} does for this package alone. */
    public interface Place {
        /** Has the octets that a reference is to, which become this object's. */
        void refer(Octets octets, long handle, long address, int length);
    }

    /** For {@link Octets}. */
    public static void access(Place access) {
        place = access;
    }

    /**
     * So many octets of any value, where readers of a writer see them, if there is such memory; the writer may be 0.
     * They are to be sealed.
     */
    public static long make(Scratch scratch, long writer, int length) {
        Native.check(Native.call(Native.OCTETS_NEW, writer, length, scratch.number, scratch.count));
        return Memory.getLong(scratch.count);
    }

    /** Octets that were filled in do not change from now on, and become those of a member. */
    public static void seal(Octets octets, long handle, long address, int length) {
        int code = Native.call(Native.OCTETS_SEAL, handle);
        if (code != Native.OK) {
            Native.call(Native.OCTETS_FREE, handle);
            throw Native.failure(code);
        }
        place.refer(octets, handle, address, length);
    }
}
