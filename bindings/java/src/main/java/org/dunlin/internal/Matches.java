package org.dunlin.internal;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.InstanceHandle;

/** The GUIDs of endpoints that match. */
public final class Matches {
    private Matches() {
    }

    /** A call that writes as many as there is room for, and counts all. */
    public interface Call {
        /** Returns its code. */
        int list(long handles, long room, long count);
    }

    /** What a function lists of an entity. */
    public static List<InstanceHandle> of(MethodHandle function, long entity) {
        return of((handles, room, count) -> Native.call(function, entity, handles, room, count));
    }

    /** What a call lists. */
    public static List<InstanceHandle> of(Call call) {
        try (Arena arena = Arena.ofConfined()) {
            long count = arena.allocate(8, 8).address();
            long room = 64;
            while (true) {
                long guids = arena.allocate(16 * room, 8).address();
                Native.check(call.list(guids, room, count));
                long found = Memory.getLong(count);
                if (found > room) {
                    room = found;
                    continue;
                }
                List<InstanceHandle> all = new ArrayList<>();
                for (int i = 0; i < found; i++) {
                    all.add(InstanceHandle.at(guids + 16L * i));
                }
                return all;
            }
        }
    }
}
