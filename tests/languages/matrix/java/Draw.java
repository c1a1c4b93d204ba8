import java.util.function.IntConsumer;

/** Numbers and texts that follow from the number of a sample. All languages draw the same. */
final class Draw {
    private static final String[] WORDS = {"", "a", "heron", "Gänsesäger", "カモメ", "🦆 duck"};
    private static final String[] WIDES = {"", "a", "äö", "🦆"};

    private final int order;
    private long state;

    Draw(int order) {
        this.order = order;
        this.state = 0x9e3779b97f4a7c15L * (order + 1);
    }

    /** A number of so many bits. The first four samples have the edges. */
    long bits(int count) {
        switch (order) {
            case 0:
                return 0;
            case 1:
                return -1L >>> (64 - count);
            case 2:
                return 1L << (count - 1);
            case 3:
                return (1L << (count - 1)) - 1;
            default:
                break;
        }
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return state * 0x2545f4914f6cdd1dL >>> (64 - count);
    }

    int below(int end) {
        return (int) (bits(8) % end);
    }

    boolean flag() {
        return bits(1) == 1;
    }

    char letter() {
        return (char) ('a' + below(26));
    }

    byte i8() {
        return (byte) bits(8);
    }

    short i16() {
        return (short) bits(16);
    }

    int i32() {
        return (int) bits(32);
    }

    long i64() {
        return bits(64);
    }

    float f32() {
        float number = i16() / 16f;
        return order == 1 ? -0f : order == 3 ? Float.POSITIVE_INFINITY : number;
    }

    double f64() {
        double number = i32() / 256d;
        return order == 1 ? -0d : order == 3 ? Double.POSITIVE_INFINITY : number;
    }

    String word() {
        return WORDS[below(6)];
    }

    String wide() {
        return WIDES[below(4)];
    }

    Common.Mood mood() {
        return new Common.Mood[] {Common.Mood.CALM, Common.Mood.WARY, Common.Mood.LOUD}[below(3)];
    }

    /** Up to so many elements. */
    void list(int most, IntConsumer add) {
        each(below(most + 1), add);
    }

    static void each(int count, IntConsumer add) {
        for (int i = 0; i < count; i++) {
            add.accept(i);
        }
    }
}
