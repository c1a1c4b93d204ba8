package org.dunlin;

import java.lang.foreign.Arena;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Structs;

/** Which samples a read or a take is about: {@code new Select().max(1).instance(handle)}. A new one means all. */
public final class Select {
    /** Not more than so many; 0 for as many as a batch has. */
    int max;
    private int sampleStates;
    private int viewStates;
    private int instanceStates;
    private int which;
    private InstanceHandle instance = InstanceHandle.NIL;
    private ReadCondition condition;

    /** All samples. */
    public Select() {
    }

    /**
     * Not more than so many.
     *
     * @param samples how many; at most 8192
     * @return this
     */
    public Select max(int samples) {
        if (samples < 0) {
            throw new DdsException.BadParameter("max is " + samples + ", it has to be 0 or more");
        }
        max = samples;
        return this;
    }

    /**
     * Those of these states.
     *
     * @param states {@link SampleInfo#READ}, {@link SampleInfo#NOT_READ}
     * @return this
     */
    public Select sampleStates(int states) {
        sampleStates = states;
        return this;
    }

    /**
     * Those of instances of these states.
     *
     * @param states {@link SampleInfo#NEW}, {@link SampleInfo#NOT_NEW}
     * @return this
     */
    public Select viewStates(int states) {
        viewStates = states;
        return this;
    }

    /**
     * Those of instances of these states.
     *
     * @param states {@link SampleInfo#ALIVE} and its kin
     * @return this
     */
    public Select instanceStates(int states) {
        instanceStates = states;
        return this;
    }

    /**
     * Those of an instance.
     *
     * @param one the instance
     * @return this
     */
    public Select instance(InstanceHandle one) {
        which = 1;
        instance = one;
        return this;
    }

    /**
     * Those of the instance that follows another one.
     *
     * @param one the other one; {@link InstanceHandle#NIL} for the first of all
     * @return this
     */
    public Select nextInstance(InstanceHandle one) {
        which = 2;
        instance = one;
        return this;
    }

    /**
     * Those that a condition is about, whose states count.
     *
     * @param one a condition of the reader
     * @return this
     */
    public Select condition(ReadCondition one) {
        condition = one;
        return this;
    }

    long struct(Arena arena) {
        long at = arena.allocate(Structs.SELECT.size, 8).address();
        Memory.putInt(at, Structs.SELECT.size);
        put(at);
        return at;
    }

    /** Into a {@code dunlin_select} that is zero behind its size. */
    void put(long at) {
        Memory.putInt(at + 4, max);
        Memory.putInt(at + 8, sampleStates);
        Memory.putInt(at + 12, viewStates);
        Memory.putInt(at + 16, instanceStates);
        Memory.putInt(at + 20, which);
        instance.put(at + 24);
        Memory.putLong(at + 40, condition == null ? 0 : condition.handle);
    }
}
