import org.dunlin.type.TypeSupport;

/** A type of the matrix. */
interface Kind<T> {
    /** How many samples each topic has of each publisher. */
    int SAMPLES = 64;
    /** How many instances a keyed topic has of each publisher. */
    int INSTANCES = 8;

    TypeSupport<T> type();

    default boolean isKeyed() {
        return false;
    }

    T make(String from, int order);

    String print(T value);

    default String printKey(T value) {
        return "";
    }
}
