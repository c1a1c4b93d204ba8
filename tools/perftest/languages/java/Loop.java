import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.dunlin.DataReader;
import org.dunlin.DataWriter;
import org.dunlin.DdsException;
import org.dunlin.Entity;
import org.dunlin.GuardCondition;
import org.dunlin.WaitSet;
import org.dunlin.status.StatusMask;

/** What is measured: the loop that writes, and the listeners. */
final class Loop<T> {
    /** Octets of a sample beside its payload. */
    private static final int OVERHEAD = 28;
    /** Samples between two looks at the clock, where that would cost more than writing them. */
    private static final int LOOK = 16;
    /** Samples between two returns of the loop: the runtime compiles what is called often, so by then in practice. */
    private static final int BURST = 64;

    final Members<T> members;
    final DataWriter<T>[] writers;
    final DataReader<T>[] readers;
    final GuardCondition guard = new GuardCondition();
    final WaitSet waits = new WaitSet().attach(guard);
    final Publication[] publications = new Publication[Harness.ID + 1];
    final Costs costs = new Costs();
    private int flags;
    int subscriber;
    int instances;
    long inbox;
    private final T sample;
    private final Received<T>[] received;
    private final Plan plan = new Plan();
    private int nextKey;
    private boolean isMade;

    private long sent;
    private long pings;
    private long lost;
    private long nextPing;
    private boolean isWaiting;
    private boolean isBlocked;
    private boolean isPing;

    // What the listener of echoes looks at, too.
    private final AtomicInteger entityId = new AtomicInteger();
    private final AtomicLong since = new AtomicLong();
    private final AtomicLong outstanding = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private long sentAt;
    private int manner;
    /** The smallest number of a ping that is counted. */
    private int least;
    /** Practice has one number for all pings, and takes the ways of what is measured: so they are compiled by then. */
    private int numbers;
    private int number;
    /** Round trips by the number of the answer, in memory that is there as long as listeners are. */
    private MemorySegment ring = MemorySegment.NULL;
    private long ringSize = 1;
    /** Answers that the plan's ring has. */
    private long handedOver;

    @SuppressWarnings({"unchecked", "rawtypes"})
    Loop(Members<T> members) {
        this.members = members;
        writers = new DataWriter[Harness.TOPICS];
        readers = new DataReader[Harness.TOPICS];
        received = new Received[Harness.TOPICS];
        for (int topic = 0; topic < Harness.TOPICS; topic++) {
            received[topic] = new Received<>(topic, members);
        }
        for (int id = 0; id < publications.length; id++) {
            publications[id] = new Publication();
        }
        sample = members.type.create();
    }

    void setFlags(int all) {
        flags = all;
        for (Received<T> one : received) {
            one.flags = all;
        }
    }

    boolean is(int flag) {
        return (flags & flag) != 0;
    }

    private void putNextKey(byte[] key) {
        int next = nextKey;
        nextKey = next + 1 < instances ? next + 1 : 0;
        putKey(key, next);
    }

    static void putKey(byte[] key, int number) {
        key[0] = (byte) number;
        key[1] = (byte) (number >> 8);
        key[2] = (byte) (number >> 16);
        key[3] = (byte) (number >> 24);
    }

    void measure(long planAt, long progressAt) {
        plan.read(planAt);
        boolean isCounted = !plan.is(Harness.PRACTICE);
        if (plan.is(Harness.BEGINS)) {
            beginSegment();
            if (isCounted) {
                costs.begin();
            }
        }
        taken.setRelease(plan.taken);
        long before = costs.ownBytes();
        long sentBefore = sent;
        runPart();
        if (isCounted) {
            costs.add(costs.ownBytes() - before, sent - sentBefore);
        }
        handOver(answers.getAcquire());
        putProgress(progressAt);
    }

    /** Answers up to one. */
    private void handOver(long end) {
        while (handedOver < end) {
            long place = handedOver & (ringSize - 1);
            long count = Math.min(end - handedOver, ringSize - place);
            Harness.copy(ring.address() + 8 * place, plan.ring + 8 * place, 8 * count);
            handedOver += count;
        }
    }

    private void putProgress(long at) {
        Harness.putLong(at, sent);
        Harness.putLong(at + 8, pings);
        Harness.putLong(at + 16, handedOver);
        Harness.putLong(at + 24, lost);
        Harness.putLong(at + 32, late.getAcquire());
        Harness.putInt(at + 40, isWaiting ? 1 : 0);
        Harness.putInt(at + 44, isBlocked ? 1 : 0);
    }

    private void beginSegment() {
        outstanding.setRelease(0);
        answers.setRelease(0);
        late.setRelease(0);
        sent = 0;
        pings = 0;
        lost = 0;
        nextPing = plan.is(Harness.PINGS) ? 0 : Long.MAX_VALUE;
        isWaiting = false;
        isBlocked = false;
        isMade = false;
        manner = plan.flags;
        least = plan.is(Harness.PRACTICE) ? Harness.WARM_UP : 0;
        numbers = plan.is(Harness.PRACTICE) ? 0 : -1;
        number = plan.is(Harness.PRACTICE) ? Harness.WARM_UP : 0;
        if (ring.byteSize() != 8 * plan.ringSize) {
            ring = Arena.global().allocate(8 * plan.ringSize, 8);
        }
        ringSize = plan.ringSize;
        handedOver = 0;
        since.setRelease(System.nanoTime());
        entityId.setRelease(plan.entityId);
    }

    private void runPart() {
        while (runBurst()) {
        }
    }

    /** Some samples of the part; false at its end. */
    private boolean runBurst() {
        boolean isWatched = plan.is(Harness.ONE_AT_A_TIME);
        for (int done = 0; done < BURST; done++) {
            if (isWaiting && !awaitEcho() || sent >= plan.samples) {
                return false;
            }
            if (isWatched || isBlocked || sent % LOOK == 0) {
                if (answers.getAcquire() - plan.taken >= plan.ringSize || System.nanoTime() >= plan.until) {
                    return false;
                }
            }
            if (!isBlocked) {
                makeSample();
            }
            try {
                writers[Harness.THROUGHPUT].write(sample);
                isBlocked = false;
                noteWritten();
            } catch (DdsException.Timeout full) {
                isBlocked = true;
            }
        }
        return true;
    }

    /** Whether the payload is made anew in memory of Dunlin, and is what happens to be there. */
    private boolean isFlat(int payload) {
        return is(Harness.FLAT) && payload > Received.NOTE;
    }

    /** Makes the next sample, and stamps it if it is a ping. */
    private void makeSample() {
        if (isFlat(plan.payload)) {
            writers[Harness.THROUGHPUT].place(members.data(sample), plan.payload, null);
        } else if (!isMade) {
            members.data(sample).clear();
            members.data(sample).resize(plan.payload);
            members.data(sample).share();
            isMade = true;
        }
        if (plan.instance < 0) {
            putNextKey(members.key(sample));
        } else {
            putKey(members.key(sample), (int) plan.instance);
        }
        int seq = plan.firstSeq + (int) sent;
        isPing = sent == nextPing;
        if (!isPing) {
            members.set(sample, plan.entityId, seq, 0, 0, Harness.NO_PING);
            return;
        }
        int ping = (int) (pings % plan.subscribers) & numbers | number;
        long now = System.nanoTime();
        sentAt = now;
        members.set(sample, plan.entityId, seq, (int) (now >> 32), (int) now, ping);
        if (plan.is(Harness.ONE_AT_A_TIME)) {
            outstanding.setRelease(Integer.toUnsignedLong(seq) + 1);
        }
    }

    /** Notes where the next ping is. */
    private void noteWritten() {
        if (isPing) {
            long batch = sent / plan.perBatch;
            long place = (sent % plan.perBatch + 1) % plan.perBatch;
            nextPing = (batch + plan.pingEvery) * plan.perBatch + place;
            isWaiting = plan.is(Harness.ONE_AT_A_TIME);
            pings++;
        }
        sent++;
    }

    /** Waits for the echo of the ping under way. False: the part of the segment ends before. */
    private boolean awaitEcho() {
        while (outstanding.getAcquire() != 0) {
            long now = System.nanoTime();
            long end = plan.until + Harness.GRACE;
            if (plan.pingTimeout < Long.MAX_VALUE - sentAt) {
                long lostAt = sentAt + plan.pingTimeout;
                if (now >= lostAt) {
                    lost += outstanding.getAndSet(0) != 0 ? 1 : 0;
                    break;
                }
                end = Math.min(end, lostAt);
            }
            if (now >= end) {
                return false;
            }
            waits.await(end - now, TimeUnit.NANOSECONDS);
            guard.set(false);
            if (outstanding.getAcquire() != 0) {
                noteMatches();
            }
        }
        isWaiting = false;
        return true;
    }

    /** Asking for a status resets its condition. A status is an object, so it is asked for when it has changed. */
    void noteMatches() {
        for (int topic = 0; topic < Harness.TOPICS; topic++) {
            if (hasChanged(writers[topic], StatusMask.PUBLICATION_MATCHED)) {
                writers[topic].publicationMatchedStatus();
            }
            if (hasChanged(readers[topic], StatusMask.SUBSCRIPTION_MATCHED)) {
                readers[topic].subscriptionMatchedStatus();
            }
        }
    }

    private static boolean hasChanged(Entity of, int status) {
        return of != null && (of.statusChanges() & status) != 0;
    }

    void onAnnouncement(DataReader<T> reader) {
        Received<T> got = received[Harness.ANNOUNCEMENT];
        while (got.next(reader)) {
            got.passOn(inbox);
        }
    }

    /** Echoes, at the publisher. */
    void onEchoes(DataReader<T> reader) {
        long now = System.nanoTime();
        Received<T> got = received[Harness.LATENCY];
        while (got.next(reader)) {
            takeEcho(got, now);
            now = System.nanoTime();
        }
        costs.heardBy(Thread.currentThread());
    }

    private void takeEcho(Received<T> got, long now) {
        T of = got.sample;
        int ping = members.latencyPing(of);
        if (ping < least) {
            got.passOn(inbox);
            return;
        }
        if (members.entityId(of) != entityId.getAcquire()) {
            return;
        }
        boolean isOne = (manner & Harness.ONE_AT_A_TIME) != 0;
        long before = answers.getPlain();
        long from;
        boolean isAnswer;
        if (isOne) {
            isAnswer = outstanding.getAcquire() == Integer.toUnsignedLong(members.seqNum(of)) + 1;
            from = sentAt;
        } else {
            from = (long) members.timestampSec(of) << 32 | Integer.toUnsignedLong(members.timestampUsec(of));
            isAnswer = from >= since.getAcquire() && from <= now && before - taken.getAcquire() < ringSize;
        }
        if (!isAnswer) {
            late.setRelease(late.getPlain() + 1);
            return;
        }
        Harness.putLong(ring.address() + 8 * (before & (ringSize - 1)), now - from);
        answers.setRelease(before + 1);
        if (isOne) {
            // Last, so that what was measured is there.
            outstanding.setRelease(0);
            guard.set(true);
        }
    }

    /** Data, warm-up or control, at the subscriber. */
    void onSamples(DataReader<T> reader) {
        Received<T> got = received[Harness.THROUGHPUT];
        while (got.next(reader)) {
            takeData(got);
        }
        costs.heardBy(Thread.currentThread());
    }

    private void takeData(Received<T> got) {
        T of = got.sample;
        int id = members.entityId(of) & Harness.ID;
        int ping = members.latencyPing(of);
        Publication from = publications[id];
        if (ping < Harness.WARM_UP) {
            got.passOn(inbox);
            return;
        }
        if (from.entityId != members.entityId(of)) {
            return;
        }
        boolean isWarmUp = ping == Harness.WARM_UP;
        boolean isMine = is(Harness.ANSWERS_ALL) || ping == subscriber;
        if (isWarmUp ? id == 0 : ping >= 0 && isMine) {
            echo(got, from);
        }
        if (isWarmUp) {
            from.add(Publication.OTHERS, 1);
            return;
        }
        if (!from.isBegun) {
            from.isBegun = true;
            got.passOn(inbox);
            costs.begin();
        }
        from.countLost(members.seqNum(of));
        int size = got.length + OVERHEAD;
        from.set(Publication.LAST_SIZE, size);
        from.add(Publication.BYTES, size);
        from.add(Publication.PACKETS, 1);
    }

    /** The same sample back, in full size. */
    private void echo(Received<T> got, Publication from) {
        try {
            T of = got.sample;
            putNextKey(members.key(of));
            if (isFlat(got.length)) {
                writers[Harness.LATENCY].place(members.data(of), got.length, null);
            }
            writers[Harness.LATENCY].write(of);
            writers[Harness.LATENCY].flush();
        } catch (DdsException error) {
            from.add(Publication.ECHO_FAILURES, 1);
        }
    }
}
