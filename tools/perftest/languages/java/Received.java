import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dunlin.DataReader;
import org.dunlin.DdsException;
import org.dunlin.SampleInfo;
import org.dunlin.SamplesInPlace;
import org.dunlin.type.CdrReader;

/** What the listener of a topic takes into, and what it passes on in. */
final class Received<T> {
    /** Octets of what is no sample of data, at most. */
    static final int NOTE = 64;
    /** Octets of a sample before those of its payload; the encapsulation header is 4 of them. */
    private static final int HEAD = 32;
    private static final long KEY = at("key");
    private static final long ENTITY_ID = at("entity_id");
    private static final long SEQ_NUM = at("seq_num");
    private static final long TIMESTAMP_SEC = at("timestamp_sec");
    private static final long TIMESTAMP_USEC = at("timestamp_usec");
    private static final long LATENCY_PING = at("latency_ping");

    final T sample;
    /** Octets of the payload, which the sample has unless they stay where they are. */
    int length;
    int flags;
    private final SampleInfo info = new SampleInfo();
    private final int topic;
    private final Members<T> members;
    private final MemorySegment header = Arena.global().allocate(Harness.HEADER);
    private MemorySegment data = MemorySegment.NULL;
    /** Of samples that stay where they are. */
    private SamplesInPlace<T> batch;
    private int next;
    private final MemorySegment before = Arena.global().allocate(HEAD);
    private final MemorySegment[] notes = new MemorySegment[NOTE + 1];
    private final TestDataHead_t head = new TestDataHead_t();
    private final CdrReader decoder = CdrReader.create();

    Received(int topic, Members<T> members) {
        this.topic = topic;
        this.members = members;
        sample = members.type.create();
        MemorySegment note = Arena.global().allocate(NOTE);
        for (int octets = 0; octets <= NOTE; octets++) {
            notes[octets] = note.asSlice(0, octets);
        }
    }

    /** Takes the next sample; false if there is none. */
    boolean next(DataReader<T> reader) {
        if ((flags & Harness.ZERO_COPY) != 0) {
            return nextInPlace(reader);
        }
        while (reader.takeNext(sample, info)) {
            if (info.validData) {
                length = members.data(sample).length();
                return true;
            }
        }
        return false;
    }

    private boolean nextInPlace(DataReader<T> reader) {
        while (true) {
            if (batch != null && next < batch.size()) {
                if (look(next++)) {
                    return true;
                }
                continue;
            }
            // Memory of the publisher is not kept longer than needed.
            if (batch != null) {
                batch.close();
            }
            batch = reader.takeInPlace();
            next = 0;
            if (batch.isEmpty()) {
                batch.close();
                batch = null;
                return false;
            }
        }
    }

    /** Reads all members but the payload, which stays where it is. */
    private boolean look(int index) {
        long all = batch.length(index);
        if (!batch.info(index).validData || all < HEAD) {
            return false;
        }
        try {
            batch.copy(index, 0, before);
            // What is behind the payload is not behind the head.
            before.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 3, (byte) 0);
            decoder.begin(before.address(), HEAD, TestDataHead_t.TYPE.extensibility());
            TestDataHead_t.TYPE.read(decoder, head);
            decoder.finish();
            if (Integer.toUnsignedLong(head.length) > all - HEAD) {
                return false;
            }
            length = head.length;
            if (length <= NOTE) {
                batch.copy(index, HEAD, notes[length]);
                members.data(sample).clear();
                members.data(sample).resize(length);
                Harness.copy(notes[NOTE].address(), members.data(sample).array(), length);
            }
            System.arraycopy(head.key, 0, members.key(sample), 0, 4);
            members.set(sample, head.entity_id, head.seq_num, head.timestamp_sec, head.timestamp_usec,
                    head.latency_ping);
            return (flags & Harness.CHECKS) == 0 || batch.isIntact(index);
        } catch (DdsException error) {
            return false;
        }
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
        boolean isHere = (flags & Harness.ZERO_COPY) == 0 || length <= NOTE;
        int octets = isHere ? length : 0;
        if (octets > data.byteSize()) {
            data = Arena.ofAuto().allocate(octets);
        }
        if (isHere) {
            Harness.copy(members.data(sample).array(), octets, data.address());
        }
        Harness.sample(inbox, topic, at, isHere ? data.address() : 0, octets);
    }
}
