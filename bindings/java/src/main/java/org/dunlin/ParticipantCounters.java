package org.dunlin;

import java.lang.foreign.Arena;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Structs;

/**
 * What a participant could not use or do, since it was made.
 *
 * @param dropped datagrams that the system dropped for want of room in a receive buffer
 * @param oversized datagrams that were longer than any that RTPS over this transport has
 * @param unsent datagrams that could not be sent; of participants that share a transport, all together
 * @param memoryRefused how often memory could not be shared with a peer that offered it, or not any longer
 * @param connectionsRefused connections by TCP that were refused, or closed for what came by them
 * @param malformed messages that were not valid RTPS, or whose rest was not
 * @param damaged messages whose checksum was wrong or missing
 * @param reassemblyDropped fragments and samples that were dropped since the room for reassembly was used up
 * @param misplaced messages in the name of a known participant from an address that it does not announce
 * @param implausible what was said about samples that their writer never announced, or that were never written
 */
public record ParticipantCounters(long dropped, long oversized, long unsent, long memoryRefused,
        long connectionsRefused, long malformed, long damaged, long reassemblyDropped, long misplaced,
        long implausible) {
    static ParticipantCounters of(long participant) {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(Structs.COUNTERS.room(), 8).address();
            Memory.putInt(at, Structs.COUNTERS.size);
            Native.check(Native.call(Native.PARTICIPANT_COUNTERS, participant, at));
            return new ParticipantCounters(get(at, "dropped"), get(at, "oversized"), get(at, "unsent"),
                    get(at, "memory_refused"), get(at, "connections_refused"), get(at, "malformed"),
                    get(at, "damaged"), get(at, "reassembly_dropped"), get(at, "misplaced"),
                    get(at, "implausible"));
        }
    }

    private static long get(long at, String member) {
        return Memory.getLong(at + Structs.COUNTERS.at(member));
    }
}
