/** A part of a measured segment. Times without end are the largest number. */
final class Plan {
    private static final long FLAGS = at("flags");
    private static final long PAYLOAD = at("payload");
    private static final long SAMPLES = at("samples");
    private static final long UNTIL = at("until");
    private static final long PING_TIMEOUT = at("ping_timeout");
    private static final long PER_BATCH = at("per_batch");
    private static final long PING_EVERY = at("ping_every");
    private static final long ENTITY_ID = at("entity_id");
    private static final long FIRST_SEQ = at("first_seq");
    private static final long INSTANCE = at("instance");
    private static final long SUBSCRIBERS = at("subscribers");
    private static final long RING = at("ring");
    private static final long RING_SIZE = at("ring_size");
    private static final long TAKEN = at("taken");

    int flags;
    int payload;
    long samples;
    long until;
    long pingTimeout;
    long perBatch;
    long pingEvery;
    int entityId;
    int firstSeq;
    long instance;
    int subscribers;
    long ring;
    long ringSize;
    long taken;

    private static long at(String member) {
        return Harness.at(Harness.PLAN, member);
    }

    void read(long at) {
        flags = Harness.getInt(at + FLAGS);
        payload = Math.toIntExact(Harness.getLong(at + PAYLOAD));
        samples = unsigned(at + SAMPLES);
        until = unsigned(at + UNTIL);
        pingTimeout = unsigned(at + PING_TIMEOUT);
        perBatch = unsigned(at + PER_BATCH);
        pingEvery = unsigned(at + PING_EVERY);
        entityId = Harness.getInt(at + ENTITY_ID);
        firstSeq = Harness.getInt(at + FIRST_SEQ);
        instance = Harness.getLong(at + INSTANCE);
        subscribers = Harness.getInt(at + SUBSCRIBERS);
        ring = Harness.getLong(at + RING);
        ringSize = Harness.getLong(at + RING_SIZE);
        taken = Harness.getLong(at + TAKEN);
    }

    private static long unsigned(long at) {
        long value = Harness.getLong(at);
        return value < 0 ? Long.MAX_VALUE : value;
    }

    boolean is(int flag) {
        return (flags & flag) != 0;
    }
}
