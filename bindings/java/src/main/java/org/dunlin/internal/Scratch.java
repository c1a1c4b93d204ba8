package org.dunlin.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dunlin.type.CdrReader;
import org.dunlin.type.CdrWriter;

/**
 * Memory of a thread for the arguments and results of one call. What a call runs in between, a listener or a handler
 * of samples, has memory of its own: it may call everything.
 */
public final class Scratch {
    private static final ThreadLocal<Holder> HOLDERS = ThreadLocal.withInitial(Holder::new);

    /** What is used now; a holder, so that going deeper changes no entry of the thread. */
    static final class Holder {
        Scratch top = new Scratch();
    }

    /** Octets of a part of a sample. */
    public static final int PART = 4096;
    /** Octets of a payload that is copied here when its sample is taken alone. */
    public static final int NEAR = 4096;

    private Scratch inner;
    private final MemorySegment memory = Arena.ofAuto().allocate(512 + PART + NEAR, 8);

    /** Payloads are written here. */
    public final CdrWriter writer = CdrWriter.create();
    /** Payloads are read by this. */
    public final CdrReader reader = CdrReader.create();
    /** A {@code dunlin_select} that is initialized but for what a call wants. */
    public final long select = memory.address();
    /** One {@code dunlin_sample}. */
    public final long sample = select + 64;
    /** A {@code dunlin_write_options}. */
    public final long options = sample + 128;
    /** A number. */
    public final long count = options + 32;
    /** Another one. */
    public final long number = count + 8;
    /** An instance, 16 bytes. */
    public final long instance = number + 8;
    /** A {@code dunlin_block}. */
    public final long block = instance + 16;
    /** A {@code dunlin_status}. */
    public final long status = block + 24;
    /** A {@code dunlin_loan}. */
    public final long loan = status + 40;
    /** A part of a sample, {@link #PART} octets. */
    public final long part = memory.address() + 512;
    /** The payload of one sample, {@link #NEAR} octets. */
    public final long near = part + PART;

    private Scratch() {
        Memory.putInt(select, Structs.SELECT.size);
        Memory.putInt(options, Structs.WRITE_OPTIONS.size);
    }

    /** That of the thread. */
    public static Scratch get() {
        return HOLDERS.get().top;
    }

    /** From now on the thread uses other memory, until {@link #leave}. */
    public void enter() {
        if (inner == null) {
            inner = new Scratch();
        }
        HOLDERS.get().top = inner;
    }

    /** The thread uses this memory again. */
    public void leave() {
        HOLDERS.get().top = this;
    }

    /** Zeros behind the size. */
    public void clearSelect() {
        Memory.putInt(select + 4, 0);
        for (int at = 8; at < 56; at += 8) {
            Memory.putLong(select + at, 0);
        }
    }

    /** Nothing but the defaults. */
    public void clearOptions() {
        Memory.putInt(options + 4, 0);
        Memory.putLong(options + 8, Long.MIN_VALUE);
        Memory.putLong(options + 16, 0);
        Memory.putLong(options + 24, 0);
    }
}
