package org.dunlin;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.discovery.BuiltinData;
import org.dunlin.discovery.BuiltinTopic;
import org.dunlin.internal.Builtin;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Structs;

/** The reader of a built-in topic. What is known is there as samples, and what changes from then on. */
public final class BuiltinReader {
    private static final int ROOM = 16;

    private final long handle;
    private final int kind;

    /**
     * A sample of a built-in topic.
     *
     * @param data what it says; without valid data, as the entity is gone, the key alone
     * @param info what DDS says about it
     */
    public record Sample(BuiltinData data, SampleInfo info) {
    }

    BuiltinReader(DomainParticipant participant, BuiltinTopic topic) {
        kind = Builtin.kind(topic);
        try (Arena arena = Arena.ofConfined()) {
            long out = arena.allocate(8, 8).address();
            Native.check(Native.callWith(Native.BUILTIN_READER, participant.handle(), kind, out));
            handle = Memory.getLong(out);
        }
    }

    /** {@return all samples, which leave the reader} */
    public List<Sample> take() {
        return all(true, new Select());
    }

    /** {@return all samples, which stay in the reader; those that were read before, too} */
    public List<Sample> read() {
        return all(false, new Select().max(8192));
    }

    private List<Sample> all(boolean isTaken, Select select) {
        List<Sample> all = new ArrayList<>();
        int room = Math.max(select.max, ROOM);
        try (Arena arena = Arena.ofConfined()) {
            long samples = arena.allocate((long) Structs.SAMPLE_SIZE * room, 8).address();
            long count = arena.allocate(8, 8).address();
            long wanted = select.struct(arena);
            while (true) {
                int code = isTaken ? Native.take(handle, wanted, samples, room, count)
                        : Native.read(handle, wanted, samples, room, count);
                if (!Native.found(code)) {
                    return all;
                }
                int found = (int) Memory.getLong(count);
                try {
                    for (int i = 0; i < found; i++) {
                        all.add(decoded(samples + (long) i * Structs.SAMPLE_SIZE));
                    }
                } finally {
                    Native.giveBack(handle, samples, found);
                }
                if (!isTaken) {
                    return all;
                }
            }
        }
    }

    private Sample decoded(long sample) {
        SampleInfo info = new SampleInfo();
        info.get(sample + Structs.SAMPLE_INFO_AT);
        BuiltinData data = Builtin.get((arena, into, block) ->
                Native.callWith(Native.BUILTIN_DECODE, kind, sample, into, block));
        return new Sample(data, info);
    }

    /**
     * A condition: samples of these states.
     *
     * @param select the states; null for any
     * @return the condition
     */
    public ReadCondition createReadCondition(Select select) {
        return ReadCondition.create(null, handle, select);
    }
}
