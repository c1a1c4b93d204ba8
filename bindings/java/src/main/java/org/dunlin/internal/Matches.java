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

    /** What a function lists. */
    public static List<InstanceHandle> of(MethodHandle function, long entity) {
        try (Arena arena = Arena.ofConfined()) {
            long count = arena.allocate(8, 8).address();
            long room = 64;
            while (true) {
                long guids = arena.allocate(16 * room, 8).address();
                Native.check(Native.call(function, entity, guids, room, count));
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
