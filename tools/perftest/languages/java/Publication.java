import java.util.concurrent.atomic.AtomicLongArray;

/** What a subscriber knows of a publisher. The thread of the listener alone writes it. */
final class Publication {
    static final int PACKETS = 0;
    static final int BYTES = 1;
    static final int OTHERS = 2;
    static final int ECHO_FAILURES = 3;
    static final int LOST = 4;
    static final int LAST_SIZE = 5;
    static final int EXPECTED = 6;
    private static final int COUNTS = 7;

    int entityId;
    boolean isBegun;
    private final AtomicLongArray counts = new AtomicLongArray(COUNTS);

    long get(int count) {
        return counts.getAcquire(count);
    }

    void set(int count, long value) {
        counts.setRelease(count, value);
    }

    void add(int count, long more) {
        counts.setRelease(count, counts.getPlain(count) + more);
    }

    void countLost(int seq) {
        int gap = seq - (int) counts.getPlain(EXPECTED);
        if (gap >= 0) {
            add(LOST, gap);
            set(EXPECTED, seq + 1);
        } else {
            // It was passed over before.
            add(LOST, -1);
        }
    }

    void put(long at) {
        for (int count = PACKETS; count <= LOST; count++) {
            Harness.putLong(at + 8L * count, get(count));
        }
        Harness.putInt(at + Harness.at(Harness.TRAFFIC, "last_size"), (int) get(LAST_SIZE));
        Harness.putInt(at + Harness.at(Harness.TRAFFIC, "expected"), (int) get(EXPECTED));
    }
}
