import org.dunlin.type.Octets;

/** Those of TestData_t. Those of the three other types are made from this file: nothing but the name differs. */
final class OfTestData_t extends Members<TestData_t> {
    OfTestData_t() {
        super(TestData_t.TYPE);
    }

    @Override
    byte[] key(TestData_t of) {
        return of.key;
    }

    @Override
    int entityId(TestData_t of) {
        return of.entity_id;
    }

    @Override
    int seqNum(TestData_t of) {
        return of.seq_num;
    }

    @Override
    int timestampSec(TestData_t of) {
        return of.timestamp_sec;
    }

    @Override
    int timestampUsec(TestData_t of) {
        return of.timestamp_usec;
    }

    @Override
    int latencyPing(TestData_t of) {
        return of.latency_ping;
    }

    @Override
    Octets data(TestData_t of) {
        return of.bin_data;
    }

    @Override
    void set(TestData_t of, int entityId, int seqNum, int timestampSec, int timestampUsec, int latencyPing) {
        of.entity_id = entityId;
        of.seq_num = seqNum;
        of.timestamp_sec = timestampSec;
        of.timestamp_usec = timestampUsec;
        of.latency_ping = latencyPing;
    }
}
