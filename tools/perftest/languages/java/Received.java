import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dunlin.SampleInfo;

/** What the listener of a topic takes into, and what it passes on in. */
final class Received<T> {
    private static final long KEY = at("key");
    private static final long ENTITY_ID = at("entity_id");
    private static final long SEQ_NUM = at("seq_num");
    private static final long TIMESTAMP_SEC = at("timestamp_sec");
    private static final long TIMESTAMP_USEC = at("timestamp_usec");
    private static final long LATENCY_PING = at("latency_ping");

    final T sample;
    final SampleInfo info = new SampleInfo();
    private final int topic;
    private final Members<T> members;
    private final MemorySegment header = Arena.global().allocate(Harness.HEADER);
    private MemorySegment data = MemorySegment.NULL;

    Received(int topic, Members<T> members) {
        this.topic = topic;
        this.members = members;
        sample = members.type.create();
    }

    private static long at(String member) {
        return Harness.at(Harness.HEADER, member);
    }

    /** Gives the sample to the library. */
    void passOn(long inbox) {
        long at = header.address();
        Harness.copy(members.key(sample), 4, at + KEY);
        Harness.putInt(at + ENTITY_ID, members.entityId(sample));
        Harness.putInt(at + SEQ_NUM, members.seqNum(sample));
        Harness.putInt(at + TIMESTAMP_SEC, members.timestampSec(sample));
        Harness.putInt(at + TIMESTAMP_USEC, members.timestampUsec(sample));
        Harness.putInt(at + LATENCY_PING, members.latencyPing(sample));
        int length = members.data(sample).length();
        if (length > data.byteSize()) {
            data = Arena.ofAuto().allocate(length);
        }
        Harness.copy(members.data(sample).array(), length, data.address());
        Harness.sample(inbox, topic, at, data.address(), length);
    }
}
