package org.dunlin;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Upcalls;
import org.dunlin.qos.Qos;

/** A participant and what was created from it, by the handles of the library. */
final class Entities {
    private final DomainParticipant participant;
    private final Map<Long, Entity> all = new ConcurrentHashMap<>();
    private final ReentrantLock creating = new ReentrantLock();
    /** What is being created, and may be heard of before its handle is known. */
    private Entity pending;

    Entities(DomainParticipant participant) {
        this.participant = participant;
    }

    /** A call that creates something. */
    interface Creation {
        int create(Arena arena, long qos, long listener, long out);
    }

    /** Creates an entity; returns the one that has the handle already if there is one. */
    Entity create(Entity entity, Qos qos, Dispatch.Target<?> target, Creation creation) {
        creating.lock();
        try (Arena arena = Arena.ofConfined()) {
            pending = entity;
            long out = arena.allocate(8, 8).address();
            long qosAt = QosCodec.struct(arena, qos);
            long listenerAt = 0;
            int index = 0;
            if (target != null) {
                listenerAt = arena.allocate(Structs.LISTENER.size, 8).address();
                index = Upcalls.listener(listenerAt, Dispatch.mask(target.listener), target);
            }
            int code = creation.create(arena, qosAt, listenerAt, out);
            if (code != Native.OK) {
                if (target != null) {
                    Upcalls.forget(index);
                }
                throw Native.failure(code);
            }
            entity.bind(Memory.getLong(out));
            return add(entity);
        } finally {
            pending = null;
            creating.unlock();
        }
    }

    /** Knows an entity from now on; returns the one that has the handle already if there is one. */
    Entity add(Entity entity) {
        Entity known = all.putIfAbsent(entity.handle(), entity);
        return known == null ? entity : known;
    }

    /** Another listener of an entity, or none. */
    static void listen(Entity entity, Dispatch.Target<?> target) {
        try (Arena arena = Arena.ofConfined()) {
            long at = 0;
            int index = 0;
            if (target != null) {
                at = arena.allocate(Structs.LISTENER.size, 8).address();
                index = Upcalls.listener(at, Dispatch.mask(target.listener), target);
            }
            int code = Native.call(Native.SET_LISTENER, entity.handle(), at);
            if (code != Native.OK) {
                if (target != null) {
                    Upcalls.forget(index);
                }
                throw Native.failure(code);
            }
        }
    }

    /** The entity of a handle; null if it is none that was made by this package. */
    Entity find(long handle) {
        if (handle == participant.handle()) {
            return participant;
        }
        Entity known = all.get(handle);
        if (known != null) {
            return known;
        }
        creating.lock();
        try {
            known = all.get(handle);
            return known == null ? pending : known;
        } finally {
            creating.unlock();
        }
    }

    /** What a function finds by a name below an entity; null if there is nothing. */
    Entity lookup(MethodHandle function, Entity below, String name) {
        try (Arena arena = Arena.ofConfined()) {
            long out = arena.allocate(8, 8).address();
            boolean isFound = Native.found(
                    Native.callWith(function, below.handle(), Native.text(arena, name), out));
            return isFound ? all.get(Memory.getLong(out)) : null;
        }
    }

    /** What an entity was created from. The library makes groups for those that the participant creates itself. */
    Entity parent(Entity entity, Supplier<? extends Entity> group) {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.PARENT, entity.handle(), scratch.number));
        Entity parent = group.get();
        parent.bind(Memory.getLong(scratch.number));
        return add(parent);
    }

    void forget(Entity entity) {
        all.remove(entity.handle());
    }

    /** Forgets what has ended with what it was created from. */
    void forgetClosed() {
        all.values().removeIf(Entity::isClosed);
    }

    void clear() {
        all.clear();
    }
}
