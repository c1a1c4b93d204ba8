import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What tools/perftest-abi/include/dunlin/perftest.h has. Pointers are numbers, for which no object is made. */
@SuppressWarnings("restricted")
final class Harness {
    static final int VERSION = 1;
    static final int FULL = 10;
    static final int TOPICS = 3;
    static final int THROUGHPUT = 0;
    static final int LATENCY = 1;
    static final int ANNOUNCEMENT = 2;
    static final int NO_PING = -1;
    static final int WARM_UP = -2;
    static final int ID = 1023;

    static final int KEYED = 1;
    static final int LARGE = 2;
    static final int SUBSCRIBES = 4;
    static final int ANSWERS_ALL = 8;
    static final int FLAT = 16;
    static final int ZERO_COPY = 32;
    static final int CHECKS = 64;
    static final int MULTICAST = 128;
    static final int UDP = 256;
    static final int SHMEM = 512;
    static final int TCP = 1024;
    static final int LOCAL = 2048;

    static final int BEGINS = 1;
    static final int ONE_AT_A_TIME = 2;
    static final int PINGS = 4;
    static final int PRACTICE = 8;

    /**
     * A ping under way at the end of a part is awaited for so long yet, in nanoseconds: what is done between two parts
     * is none of its round trip.
     */
    static final long GRACE = 1_000_000;

    static final int FAILURE = 0;
    static final int SETTLES = 1;

    static final StructLayout HEADER = struct("i32 key, i32 entity_id, i32 seq_num, i32 timestamp_sec, "
            + "i32 timestamp_usec, i32 latency_ping");
    static final StructLayout SETTINGS = struct("i32 size, i32 flags, i32 domain, i32 subscriber, i32 publishers, "
            + "i32 instances, i64 payload, i64 lease_duration, i64 announce_period, i64 heartbeat_period, i64 linger, "
            + "i64 interfaces, i64 interface_count, i64 peers, i64 peer_count, i64 tls_authorities, "
            + "i64 tls_certificates, i64 tls_key, i32 tcp_public_address, i16 tcp_public_port, i16 tcp_port, "
            + "i64 inbox");
    static final StructLayout ENDPOINT = struct("i32 size, i32 topic, i32 reliable, i32 transient_local, i32 depth, "
            + "i32 max_samples, i32 batch_bytes, i32 multicast, i64 max_blocking_time, i64 filter, i64 parameters, "
            + "i64 parameter_count");
    static final StructLayout PLAN = struct("i32 size, i32 flags, i64 payload, i64 samples, i64 until, "
            + "i64 ping_timeout, i64 per_batch, i64 ping_every, i32 entity_id, i32 first_seq, i64 instance, "
            + "i32 subscribers, i32 reserved, i64 ring, i64 ring_size, i64 taken");
    static final StructLayout PROGRESS = struct("i64 sent, i64 pings, i64 answers, i64 lost, i64 late, i32 waiting, "
            + "i32 blocked");
    static final StructLayout TRAFFIC = struct("i64 packets, i64 bytes, i64 others, i64 echo_failures, i64 lost, "
            + "i32 last_size, i32 expected");
    static final StructLayout LOSSES = struct("i64 dropped, i64 unsent");
    static final StructLayout DRIVER = struct("i32 size, i32 version, i32 flags, i32 reserved, i64 language, "
            + "i64 context, i64 open, i64 writer, i64 reader, i64 register_instances, i64 matched, i64 wait, i64 wake, "
            + "i64 control, i64 flush, i64 measure, i64 attach, i64 traffic, i64 explain, i64 losses, "
            + "i64 allocations, i64 close");

    /** All of memory, so that no access makes an object. */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(Path.of(System.getProperty("dunlin.perftest")), Arena.global());
    private static final MethodHandle RUN = handle(LIBRARY, "dunlin_perftest_run",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SAMPLE = handle(LIBRARY, "dunlin_perftest_sample",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private Harness() {
    }

    private static MethodHandle handle(SymbolLookup of, String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(of.find(name).orElseThrow(), type);
    }

    /** Members with commas between them, none of which needs padding. */
    private static StructLayout struct(String members) {
        List<MemoryLayout> layouts = new ArrayList<>();
        for (String member : members.split(", ")) {
            String[] words = member.split(" ");
            ValueLayout type = switch (words[0]) {
                case "i16" -> JAVA_SHORT;
                case "i32" -> JAVA_INT;
                default -> JAVA_LONG;
            };
            layouts.add(type.withName(words[1]));
        }
        return MemoryLayout.structLayout(layouts.toArray(MemoryLayout[]::new));
    }

    static long at(StructLayout of, String member) {
        return of.byteOffset(PathElement.groupElement(member));
    }

    /** A structure that begins with its size has another one in the library than here. */
    static void checkSize(StructLayout of, long at) {
        if (getInt(at) != of.byteSize()) {
            throw new IllegalStateException("the library of perftest is another one than this program was made with");
        }
    }

    static int getInt(long at) {
        return ALL.get(JAVA_INT, at);
    }

    static int getInt(StructLayout of, long at, String member) {
        return ALL.get(JAVA_INT, at + at(of, member));
    }

    static int getPort(StructLayout of, long at, String member) {
        return Short.toUnsignedInt(ALL.get(JAVA_SHORT, at + at(of, member)));
    }

    static long getLong(long at) {
        return ALL.get(JAVA_LONG, at);
    }

    static long getLong(StructLayout of, long at, String member) {
        return ALL.get(JAVA_LONG, at + at(of, member));
    }

    static void putInt(long at, int value) {
        ALL.set(JAVA_INT, at, value);
    }

    static void putLong(long at, long value) {
        ALL.set(JAVA_LONG, at, value);
    }

    static void copy(long from, long to, long count) {
        MemorySegment.copy(ALL, from, ALL, to, count);
    }

    static void copy(long from, byte[] to, int count) {
        MemorySegment.copy(ALL, JAVA_BYTE, from, to, 0, count);
    }

    static void copy(byte[] from, int count, long to) {
        MemorySegment.copy(from, 0, ALL, JAVA_BYTE, to, count);
    }

    /** The text at an address; null at none. */
    static String text(long at) {
        return at == 0 ? null : ALL.getString(at);
    }

    static List<String> texts(long at, long count) {
        List<String> all = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            all.add(text(getLong(at + 8 * i)));
        }
        return all;
    }

    /** A function of a class as one of C. */
    static long pointer(MethodHandle function, FunctionDescriptor of) {
        return LINKER.upcallStub(function, of, Arena.global()).address();
    }

    static int run(List<String> arguments, long driver) throws Throwable {
        MemorySegment texts = Arena.global().allocate(JAVA_LONG, arguments.size());
        for (int i = 0; i < arguments.size(); i++) {
            texts.setAtIndex(JAVA_LONG, i, Arena.global().allocateFrom(arguments.get(i)).address());
        }
        return (int) RUN.invokeExact(arguments.size(), texts.address(), driver);
    }

    static void sample(long inbox, int topic, long header, long data, long length) {
        try {
            SAMPLE.invokeExact(inbox, topic, header, data, length);
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    /** CLOCK_MONOTONIC in nanoseconds, by the C library. */
    static long monotonic() throws Throwable {
        MethodHandle clock = handle(LINKER.defaultLookup(), "clock_gettime",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(JAVA_LONG, 2);
            int code = (int) clock.invokeExact(1, time);
            return code != 0 ? 0 : time.getAtIndex(JAVA_LONG, 0) * 1_000_000_000 + time.getAtIndex(JAVA_LONG, 1);
        }
    }
}
