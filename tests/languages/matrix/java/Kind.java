import org.dunlin.type.TypeSupport;

/** A type of the matrix. */
abstract class Kind<T> {
    /** How many samples each topic has of each publisher. */
    static final int SAMPLES = 64;
    /** How many instances a keyed topic has of each publisher. */
    static final int INSTANCES = 8;

    final TypeSupport<T> type;

    Kind(TypeSupport<T> type) {
        this.type = type;
    }

    boolean isKeyed() {
        return false;
    }

    /** The value of a publisher with a number. */
    final T make(String from, int order) {
        T value = type.create();
        fill(value, from, order, new Draw(order));
        return value;
    }

    abstract void fill(T value, String from, int order, Draw draw);

    abstract String print(T value);

    String printKey(T value) {
        return "";
    }
}
