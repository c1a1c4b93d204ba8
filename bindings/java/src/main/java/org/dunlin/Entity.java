package org.dunlin;

import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;

/**
 * A participant, topic, publisher, subscriber, writer or reader. Any thread may use it at any time. What was closed
 * answers with {@link DdsException.AlreadyDeleted}; closing it again does nothing.
 */
public abstract sealed class Entity implements AutoCloseable
        permits DomainParticipant, TopicDescription, Publisher, Subscriber, DataWriter, DataReader {
    /** What the library knows it by; 0 until it does. */
    private volatile long handle;
    private StatusCondition condition;

    /** For those of this package. */
    Entity() {
    }

    long handle() {
        return handle;
    }

    /** The library has it. A listener may hear of it before the call that creates it returns. */
    final void bind(long handle) {
        this.handle = handle;
    }

    final boolean isClosed() {
        return Native.call(Native.GUID, handle, Scratch.get().instance) == Native.ALREADY_DELETED;
    }

    /** Ends what was created from it. */
    final void deleteContained() {
        Native.check(Native.call(Native.DELETE_CONTAINED, handle));
        participant().entities.forgetClosed();
    }

    /** {@return the participant that it belongs to} */
    public abstract DomainParticipant participant();

    /** Joins the domain, or is announced, if it was created without that. */
    public void enable() {
        Native.check(Native.call(Native.ENABLE, handle));
    }

    /** {@return the GUID, by which others know it} */
    public InstanceHandle guid() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.GUID, handle, scratch.instance));
        return InstanceHandle.at(scratch.instance);
    }

    /** {@return which statuses changed and were not read yet: bits of {@link org.dunlin.status.StatusMask}} */
    public int statusChanges() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.STATUS_CHANGES, handle, scratch.number));
        return Memory.getInt(scratch.number);
    }

    /** {@return the condition that a status has changed; it is always the same} */
    public synchronized StatusCondition statusCondition() {
        if (condition == null) {
            Scratch scratch = Scratch.get();
            Native.check(Native.call(Native.STATUS_CONDITION, handle, scratch.number));
            condition = new StatusCondition(this, Memory.getLong(scratch.number));
        }
        return condition;
    }

    /**
     * Ends it with all that was created from it. When it returns, no listener of it runs in another thread.
     *
     * @throws DdsException.PreconditionNotMet if it is a topic that has writers or readers
     */
    @Override
    public void close() {
        int code = Native.call(Native.CLOSE, handle);
        if (code != Native.ALREADY_DELETED) {
            Native.check(code);
        }
        participant().entities.forget(this);
    }
}
