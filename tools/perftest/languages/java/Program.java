import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.DdsException;

/** perftest in Java: its table of functions. Nothing may be thrown through foreign code, as that ends the process. */
final class Program {
    private static volatile Side<?> side;
    private static final ThreadLocal<String> FAILURE = new ThreadLocal<>();

    private Program() {
    }

    public static void main(String[] words) throws Throwable {
        checkClock();
        List<String> arguments = new ArrayList<>();
        arguments.add("perftest_java.sh");
        arguments.addAll(List.of(words));
        System.exit(Harness.run(arguments, driver()));
    }

    /** Both sides and the library compare times. */
    private static void checkClock() throws Throwable {
        Harness.monotonic();
        long before = System.nanoTime();
        long now = Harness.monotonic();
        if (now < before || now > System.nanoTime()) {
            System.err.println("perftest_java: System.nanoTime of this runtime is not CLOCK_MONOTONIC: take another one");
            System.exit(1);
        }
    }

    private static long driver() {
        MemorySegment driver = Arena.global().allocate(Harness.DRIVER);
        long at = driver.address();
        Harness.putInt(at, (int) Harness.DRIVER.byteSize());
        Harness.putInt(at + 4, Harness.VERSION);
        Harness.putInt(at + 8, Harness.SETTLES);
        put(at, "language", Arena.global().allocateFrom("Java").address());
        put(at, "open", pointer("open", JAVA_INT, JAVA_LONG));
        put(at, "writer", pointer("writer", JAVA_INT, JAVA_LONG));
        put(at, "reader", pointer("reader", JAVA_INT, JAVA_LONG));
        put(at, "register_instances", pointer("register", JAVA_INT, JAVA_INT));
        put(at, "matched", pointer("matched", JAVA_LONG, JAVA_INT));
        put(at, "wait", pointer("await", JAVA_INT, JAVA_LONG, JAVA_INT));
        put(at, "wake", pointer("wake", null));
        put(at, "control", pointer("control", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        put(at, "flush", pointer("flush", JAVA_INT, JAVA_INT));
        put(at, "measure", pointer("measure", JAVA_INT, JAVA_LONG, JAVA_LONG));
        put(at, "attach", pointer("attach", null, JAVA_INT, JAVA_INT, JAVA_INT));
        put(at, "traffic", pointer("traffic", null, JAVA_INT, JAVA_LONG));
        put(at, "explain", pointer("explain", null, JAVA_INT, JAVA_LONG, JAVA_LONG));
        put(at, "losses", pointer("losses", null, JAVA_LONG));
        put(at, "close", pointer("close", null));
        return at;
    }

    private static void put(long driver, String member, long value) {
        Harness.putLong(driver + Harness.at(Harness.DRIVER, member), value);
    }

    /** A function of this class for the table. The context, which all get first, is nobody's concern. */
    private static long pointer(String name, MemoryLayout result, MemoryLayout... arguments) {
        MemoryLayout[] all = new MemoryLayout[arguments.length + 1];
        all[0] = JAVA_LONG;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        FunctionDescriptor of = result == null ? FunctionDescriptor.ofVoid(all) : FunctionDescriptor.of(result, all);
        try {
            MethodHandle function = MethodHandles.lookup().findStatic(Program.class, name,
                    of.toMethodType().dropParameterTypes(0, 1));
            return Harness.pointer(MethodHandles.dropArguments(function, 0, long.class), of);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static int attempt(Runnable action) {
        try {
            action.run();
            return 0;
        } catch (Throwable error) {
            return failed(error);
        }
    }

    private static int failed(Throwable error) {
        if (error instanceof DdsException known) {
            FAILURE.set(known.getMessage());
            return known.code();
        }
        FAILURE.set(error.toString());
        return 1;
    }

    static int open(long settings) {
        return attempt(() -> {
            Harness.checkSize(Harness.SETTINGS, settings);
            side = of(Harness.getInt(Harness.SETTINGS, settings, "flags"));
            side.open(settings);
        });
    }

    private static Side<?> of(int flags) {
        return switch (flags & (Harness.KEYED | Harness.LARGE)) {
            case 0 -> new Side<>(new OfTestData_t());
            case Harness.KEYED -> new Side<>(new OfTestDataKeyed_t());
            case Harness.LARGE -> new Side<>(new OfTestDataLarge_t());
            default -> new Side<>(new OfTestDataKeyedLarge_t());
        };
    }

    static int writer(long endpoint) {
        return attempt(() -> side.writer(endpoint));
    }

    static int reader(long endpoint) {
        return attempt(() -> side.reader(endpoint));
    }

    static int register(int topic) {
        return attempt(() -> side.register(topic));
    }

    static long matched(int topic) {
        try {
            return side.matched(topic);
        } catch (Throwable error) {
            failed(error);
            return 0;
        }
    }

    static int await(long timeout, int receives) {
        return attempt(() -> side.await(timeout, receives != 0));
    }

    static void wake() {
        attempt(() -> side.wake());
    }

    static int control(int topic, long header, long data, long length) {
        return attempt(() -> side.control(topic, header, data, length));
    }

    static int flush(int topic) {
        return attempt(() -> side.flush(topic));
    }

    /** Without an object for each call: with a rate there is a call for each sample. */
    static int measure(long plan, long progress) {
        try {
            side.measure(plan, progress);
            return 0;
        } catch (Throwable error) {
            return failed(error);
        }
    }

    static void attach(int publisher, int entityId, int nextSeq) {
        attempt(() -> side.attach(publisher, entityId, nextSeq));
    }

    static void traffic(int publisher, long traffic) {
        attempt(() -> side.traffic(publisher, traffic));
    }

    static void losses(long losses) {
        attempt(() -> side.losses(losses));
    }

    static void close() {
        if (side != null) {
            attempt(() -> side.close());
        }
    }

    static void explain(int what, long text, long room) {
        attempt(() -> {
            String all = what == Harness.FAILURE ? FAILURE.get() : side.explain();
            byte[] bytes = (all == null ? "" : all).getBytes(StandardCharsets.UTF_8);
            int length = (int) Math.min(bytes.length, room - 1);
            Harness.copy(bytes, length, text);
            Harness.copy(new byte[1], 1, text + length);
        });
    }
}
