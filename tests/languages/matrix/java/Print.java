import java.util.Map;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import org.dunlin.type.Octets;

/** How values are printed. All languages print the same. */
final class Print {
    private Print() {
    }

    static String of(boolean value) {
        return value ? "1" : "0";
    }

    static String of(int value) {
        return Integer.toString(value);
    }

    static String of(long value) {
        return Long.toString(value);
    }

    static String unsigned(byte value) {
        return Integer.toString(Byte.toUnsignedInt(value));
    }

    static String unsigned(short value) {
        return Integer.toString(Short.toUnsignedInt(value));
    }

    static String unsigned(int value) {
        return Integer.toUnsignedString(value);
    }

    static String unsigned(long value) {
        return Long.toUnsignedString(value);
    }

    static String of(float value) {
        return String.format("%08x", Float.floatToRawIntBits(value));
    }

    static String of(double value) {
        return String.format("%016x", Double.doubleToRawLongBits(value));
    }

    static String text(String value) {
        return value == null ? "-" : '"' + value + '"';
    }

    static String wide(String value) {
        var text = new StringBuilder("u");
        value.chars().forEach(unit -> text.append(String.format("%04x", unit)));
        return text.toString();
    }

    static String list(int count, IntFunction<String> element) {
        var all = new StringJoiner(",", "[", "]");
        for (int i = 0; i < count; i++) {
            all.add(element.apply(i));
        }
        return all.toString();
    }

    static <K, V> String map(Map<K, V> entries, java.util.function.Function<K, String> key,
            java.util.function.Function<V, String> value) {
        var all = new StringJoiner(",", "[", "]");
        entries.forEach((k, v) -> all.add(key.apply(k) + "=" + value.apply(v)));
        return all.toString();
    }

    /** Of many octets how many there are and FNV-1a of them. */
    static String octets(Octets value) {
        int hash = 0x811c9dc5;
        for (int i = 0; i < value.length(); i++) {
            hash = (hash ^ Byte.toUnsignedInt(value.get(i))) * 0x01000193;
        }
        return value.length() + ":" + String.format("%08x", hash);
    }
}
