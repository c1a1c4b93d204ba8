package org.dunlin;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/**
 * Waits until one of several conditions is true. The thread receives meanwhile, and listeners may be called in it. One
 * thread waits at a time; others may attach, detach and close. A virtual thread that waits keeps its carrier.
 */
public final class WaitSet implements AutoCloseable {
    private static final int ROOM = 64;

    private final long handle;
    private final List<Condition> conditions = new CopyOnWriteArrayList<>();
    /** How many are true, and which. */
    private final MemorySegment found = Arena.ofAuto().allocate(8 * (ROOM + 1), 8);

    /** One without conditions. */
    public WaitSet() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.WAITSET_NEW, scratch.number));
        handle = Memory.getLong(scratch.number);
    }

    /**
     * Adds a condition, unless it is there.
     *
     * @param condition the condition
     * @return this
     */
    public WaitSet attach(Condition condition) {
        Native.check(Native.call(Native.WAITSET_ATTACH, handle, condition.handle));
        if (!conditions.contains(condition)) {
            conditions.add(condition);
        }
        return this;
    }

    /**
     * Takes a condition out again.
     *
     * @param condition the condition
     */
    public void detach(Condition condition) {
        conditions.remove(condition);
        Native.check(Native.call(Native.WAITSET_DETACH, handle, condition.handle));
    }

    /** {@return the conditions that are attached} */
    public List<Condition> conditions() {
        return List.copyOf(conditions);
    }

    /**
     * Waits until a condition is true.
     *
     * @param timeout how long at most; 0 looks once
     * @return false if none was
     */
    public boolean await(Duration timeout) {
        return Native.found(Native.call(Native.WAITSET_WAIT, handle, DomainParticipant.timeout(timeout), 0, 0, 0));
    }

    /**
     * Waits until a condition is true. It allocates nothing.
     *
     * @param timeout how long at most; 0 looks once
     * @param unit the unit of that
     * @return false if none was
     */
    public boolean await(long timeout, TimeUnit unit) {
        return Native.found(Native.call(Native.WAITSET_WAIT, handle, unit.toNanos(timeout), 0, 0, 0));
    }

    /**
     * Waits until a condition is true.
     *
     * @param timeout how long at most; 0 looks once
     * @param active gets the conditions that are true, as many as there is room for
     * @return how many it got; 0 if none was true in time
     */
    public int await(Duration timeout, Condition[] active) {
        long count = found.address();
        int code = Native.call(Native.WAITSET_WAIT, handle, DomainParticipant.timeout(timeout), count + 8,
                Math.min(ROOM, active.length), count);
        if (!Native.found(code)) {
            return 0;
        }
        int written = (int) Math.min(Memory.getLong(count), Math.min(ROOM, active.length));
        int got = 0;
        for (int i = 0; i < written; i++) {
            Condition one = find(Memory.getLong(count + 8 + 8L * i));
            if (one != null) {
                active[got++] = one;
            }
        }
        return got;
    }

    private Condition find(long wanted) {
        for (int i = 0; i < conditions.size(); i++) {
            Condition one = conditions.get(i);
            if (one.handle == wanted) {
                return one;
            }
        }
        return null;
    }

    /** Who waits is woken, and told that it was closed. */
    @Override
    public void close() {
        Native.call(Native.CLOSE, handle);
    }
}
