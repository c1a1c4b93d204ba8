package org.dunlin;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Views;
import org.dunlin.type.View;

/**
 * Memory for one sample that readers of this host see without a copy, if there is such memory:
 *
 * <pre>{@code
 * try (Loan<PositionView> loan = writer.loan(PositionView::new)) {
 *     loan.value().bird(7);
 *     loan.write();
 * }
 * }</pre>
 *
 * <p>A loan that is not written is given back when it is closed. One thread at a time uses it. Who writes often has one
 * view, and {@link DataWriter#loanWith(View)} makes no object.
 *
 * @param <V> the class of views
 */
public final class Loan<V extends View<?>> implements AutoCloseable {
    private final DataWriter<?> writer;
    private final boolean isUsedAgain;
    private final MemorySegment memory = Arena.ofAuto().allocate(Structs.LOAN.size, 8);
    private V view;
    private boolean isOpen;
    private boolean isOut;

    Loan(DataWriter<?> writer, boolean isUsedAgain) {
        this.writer = writer;
        this.isUsedAgain = isUsedAgain;
    }

    Loan<V> open(V of, int version) {
        view = of;
        int padding = -view.size() & 3;
        long loan = memory.address();
        Native.check(Native.loan(writer.handle(), 4L + view.size() + padding, 1, loan));
        isOpen = true;
        isOut = true;
        long payload = Memory.getLong(loan);
        boolean isLittle = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
        Memory.putByte(payload, (byte) 0);
        Memory.putByte(payload + 1, (byte) ((version == 0 ? 0 : 6) | (isLittle ? 1 : 0)));
        Memory.putByte(payload + 2, (byte) 0);
        Memory.putByte(payload + 3, (byte) padding);
        for (int i = 0; i < padding; i++) {
            Memory.putByte(payload + 4 + view.size() + i, (byte) 0);
        }
        Views.lay(view, payload + 4);
        return this;
    }

    /** {@return the sample, which has whatever was in the memory before} */
    public V value() {
        return view;
    }

    /** {@return whether readers of this host see this memory, rather than a copy} */
    public boolean isShared() {
        return Memory.getInt(memory.address() + 24) != 0;
    }

    /** Writes the sample. The loan has ended then, whatever comes of it. */
    public void write() {
        write(null, null);
    }

    /**
     * Writes the sample. The loan has ended then, whatever comes of it.
     *
     * @param time when it was written; null for now
     * @param instance its instance, if it is known; null if the value alone says it
     */
    public void write(Instant time, InstanceHandle instance) {
        end();
        Native.check(Native.call(Native.LOAN_WRITE, writer.handle(), memory.address(),
                DataWriter.options(Scratch.get(), time, instance)));
    }

    private void end() {
        if (!isOpen) {
            throw new IllegalStateException("the loan has ended: it was written or closed");
        }
        isOpen = false;
        Views.lay(view, 0);
    }

    /** Gives the memory back, unless the sample was written. */
    @Override
    public void close() {
        if (isOpen) {
            end();
            Native.call(Native.LOAN_DISCARD, writer.handle(), memory.address());
        }
        if (isOut) {
            isOut = false;
            if (isUsedAgain) {
                writer.giveBack(this);
            }
        }
    }
}
