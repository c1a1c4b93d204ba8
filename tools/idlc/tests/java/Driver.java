import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.dunlin.type.CdrReader;
import org.dunlin.type.CdrWriter;
import org.dunlin.type.CodecException;
import org.dunlin.type.TypeSupport;

/**
 * Reads lines of a type and a payload in hexadecimal. Says of each that it is no value, or what it is written as: in
 * XCDR1 and XCDR2 in native byte order, and the key in both.
 */
final class Driver {
    private final Map<String, TypeSupport<?>> types = new HashMap<>();
    private final Map<String, Object> kept = new HashMap<>();
    private final CdrReader r = CdrReader.create();
    private final CdrWriter w = CdrWriter.create();

    void add(TypeSupport<?> type) {
        types.put(type.name(), type);
    }

    void run() throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var out = new PrintStream(System.out, false);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int space = line.indexOf(' ');
            String name = line.substring(0, space);
            boolean isKey = name.startsWith("key:");
            TypeSupport<?> type = types.get(isKey ? name.substring(4) : name);
            byte[] payload = HexFormat.of().parseHex(line.substring(space + 1));
            try (Arena arena = Arena.ofConfined()) {
                // Of just this size.
                MemorySegment memory = arena.allocate(Math.max(payload.length, 1), 8);
                MemorySegment.copy(payload, 0, memory, ValueLayout.JAVA_BYTE, 0, payload.length);
                out.println(said(type, isKey, memory.address(), payload.length));
            }
        }
        out.flush();
    }

    private <T> String said(TypeSupport<T> type, boolean isKey, long payload, int length) {
        T fresh = type.create();
        // Into what had other values before, too.
        @SuppressWarnings("unchecked")
        T before = (T) kept.computeIfAbsent(type.name(), name -> type.create());
        try {
            read(type, isKey, payload, length, fresh);
        } catch (CodecException error) {
            try {
                read(type, isKey, payload, length, before);
            } catch (CodecException second) {
                return "error " + error.getMessage();
            }
            throw new IllegalStateException("read the second time only: " + fresh);
        }
        if (isKey) {
            return "ok" + keys(type, fresh);
        }
        read(type, false, payload, length, before);
        T copy = type.copy(fresh);
        same(fresh, before);
        same(fresh, copy);
        type.reset(before);
        same(type.create(), before);
        read(type, false, payload, length, before);
        return "ok" + written(type, false, 0, copy) + written(type, false, 2, before)
                + (type.isKeyed() ? keys(type, fresh) : "");
    }

    private static void same(Object one, Object other) {
        if (!one.equals(other) || one.hashCode() != other.hashCode() || !one.toString().equals(other.toString())) {
            throw new IllegalStateException(one + " is not " + other);
        }
    }

    private <T> void read(TypeSupport<T> type, boolean isKey, long payload, int length, T into) {
        r.begin(payload, length, type.extensibility());
        if (isKey) {
            type.readKey(r, into);
            r.finishKey();
        } else {
            type.read(r, into);
            r.finish();
        }
    }

    private <T> String keys(TypeSupport<T> type, T value) {
        return written(type, true, 0, value) + written(type, true, 2, value);
    }

    @SuppressWarnings("restricted")
    private <T> String written(TypeSupport<T> type, boolean isKey, int version, T value) {
        w.begin(version, type.extensibility());
        if (isKey) {
            type.writeKey(w, value);
        } else {
            type.write(w, value);
        }
        w.finish();
        byte[] bytes = new byte[w.length()];
        MemorySegment all = MemorySegment.ofAddress(w.address()).reinterpret(w.length());
        MemorySegment.copy(all, ValueLayout.JAVA_BYTE, 0, bytes, 0, bytes.length);
        return " " + HexFormat.of().formatHex(bytes);
    }
}
