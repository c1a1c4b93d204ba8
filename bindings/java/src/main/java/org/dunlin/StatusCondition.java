package org.dunlin;

import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/** The condition of an entity that a status has changed. It ends with the entity. */
public final class StatusCondition extends Condition {
    private final Entity entity;

    StatusCondition(Entity entity, long handle) {
        super(handle);
        this.entity = entity;
    }

    /** {@return the entity} */
    public Entity entity() {
        return entity;
    }

    /** {@return the statuses that count: bits of {@link org.dunlin.status.StatusMask}} */
    public int enabledStatuses() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.STATUS_CONDITION_MASK, handle, 0, scratch.number));
        return Memory.getInt(scratch.number);
    }

    /**
     * Other statuses count.
     *
     * @param statuses bits of {@link org.dunlin.status.StatusMask}
     */
    public void setEnabledStatuses(int statuses) {
        Scratch scratch = Scratch.get();
        Memory.putInt(scratch.number, statuses);
        Native.check(Native.call(Native.STATUS_CONDITION_MASK, handle, scratch.number, 0));
    }
}
