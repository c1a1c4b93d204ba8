import org.dunlin.type.Octets;
import org.dunlin.type.TypeSupport;

/** The members of a sample, which all four types have. */
abstract class Members<T> {
    final TypeSupport<T> type;

    Members(TypeSupport<T> type) {
        this.type = type;
    }

    abstract byte[] key(T of);

    abstract int entityId(T of);

    abstract int seqNum(T of);

    abstract int timestampSec(T of);

    abstract int timestampUsec(T of);

    abstract int latencyPing(T of);

    abstract Octets data(T of);

    /** All members but the key and the payload. */
    abstract void set(T of, int entityId, int seqNum, int timestampSec, int timestampUsec, int latencyPing);
}
