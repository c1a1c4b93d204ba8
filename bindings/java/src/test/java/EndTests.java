import flock.Position;
import java.lang.foreign.Arena;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.dunlin.DomainParticipant;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;

/** Everything that is made is given back. These are the last tests. */
final class EndTests {
    private static final Logger LOG = Logger.getLogger("org.dunlin");

    private EndTests() {
    }

    static long leaks() {
        try (Arena arena = Arena.ofConfined()) {
            long count = arena.allocate(8, 8).address();
            Native.check(Native.call(Native.LEAKS, count, 0));
            return Memory.getLong(count);
        }
    }

    public static void nothingIsLeft() {
        for (int i = 0; i < 30; i++) {
            try (var participant = DomainParticipant.create(0)) {
                var topic = participant.createTopic("Positions", Position.TYPE);
                var reader = participant.createDataReader(topic, null, of -> of.takeEach((data, info) -> { }));
                var condition = reader.createReadCondition(null);
                participant.createDataWriter(topic).write(new Position(1, 0, 0));
                Check.that(reader.statusCondition().value() || !condition.value());
            }
        }
        Check.equal(leaks(), 0L);
    }

    public static void whoIsForgottenIsClosed() {
        // It is said after it was done; these are the last tests.
        LOG.setLevel(Level.OFF);
        Check.that(leaks() == 0 && DomainParticipant.create(0).domain() == 0 && leaks() == 1);
        Check.soon(() -> {
            System.gc();
            return leaks() == 0;
        });
    }
}
