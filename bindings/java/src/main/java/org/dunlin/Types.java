package org.dunlin;

import java.lang.foreign.Arena;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.type.TypeSupport;

/** Types as the library knows them. */
final class Types {
    private Types() {
    }

    /** A handle of a type, which the caller closes. */
    static long create(Arena arena, TypeSupport<?> type) {
        byte[] objects = type.typeObjects();
        if (objects.length == 0) {
            throw new DdsException.Unsupported(type.name() + ": no topic can be of this type");
        }
        long data = arena.allocate(objects.length, 8).address();
        Memory.copy(objects, 0, data, objects.length);
        long out = arena.allocate(8, 8).address();
        Native.check(Native.callWith(Native.TYPE_NEW, data, (long) objects.length, Native.text(arena, null), out));
        return Memory.getLong(out);
    }

    /** The instance of a payload. */
    static InstanceHandle instance(TypeSupport<?> type, long payload, int length) {
        try (Arena arena = Arena.ofConfined()) {
            long handle = create(arena, type);
            try {
                long instance = arena.allocate(16, 8).address();
                Native.check(Native.call(Native.TYPE_KEY, handle, payload, length, instance, 0));
                return InstanceHandle.at(instance);
            } finally {
                Native.call(Native.CLOSE, handle);
            }
        }
    }
}
