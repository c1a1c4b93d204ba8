package org.dunlin.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import org.dunlin.DdsException;

/**
 * The functions of dunlin.h. Handles, pointers and 64-bit numbers are {@code long}: on 64-bit machines a pointer is
 * passed as a number of its size, and no object has to be made for it.
 */
@SuppressWarnings("restricted")
public final class Native {
    public static final int OK = 0;
    public static final int TIMEOUT = 10;
    public static final int NO_DATA = 11;
    public static final int ALREADY_DELETED = 9;
    /** The version of the interface that this package is made for. */
    private static final int MAJOR = 0;
    private static final int MINOR = 5;

    /** A {@code dunlin_text}, which is passed by value. */
    static final MemoryLayout TEXT = MemoryLayout.structLayout(ADDRESS, JAVA_LONG);

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = Library.load();

    static {
        checkVersion();
        checkLayouts();
    }

    public static final MethodHandle LAST_ERROR = of("last_error", 1);
    public static final MethodHandle BLOCK_FREE = of("block_free", 1);
    public static final MethodHandle LEAKS = of("leaks", 2);
    public static final MethodHandle SHUTDOWN = of("shutdown", 0);
    public static final MethodHandle CONFIG_DEFAULT = of("config_default", 1);

    public static final MethodHandle ENABLE = of("enable", 1);
    public static final MethodHandle CLOSE = of("close", 1);
    public static final MethodHandle DELETE = of("delete", 1);
    public static final MethodHandle DELETE_CONTAINED = of("delete_contained", 1);
    public static final MethodHandle PARENT = of("parent", 2);
    public static final MethodHandle GUID = of("guid", 2);
    public static final MethodHandle NAME = of("name", 2);
    public static final MethodHandle SET_LISTENER = of("set_listener", 2);
    public static final MethodHandle QOS_DEFAULT = of("qos_default", 1);
    public static final MethodHandle QOS_GET = of("qos_get", 3);
    public static final MethodHandle QOS_SET = of("qos_set", 2);
    public static final MethodHandle DEFAULT_QOS_GET = of("default_qos_get", 3);
    public static final MethodHandle DEFAULT_QOS_SET = of("default_qos_set", 2);
    public static final MethodHandle STATUS_GET = handle("status_get", JAVA_LONG, JAVA_INT, JAVA_LONG);
    public static final MethodHandle STATUS_CHANGES = of("status_changes", 2);
    public static final MethodHandle STATUS_REASONS = of("status_reasons", 2);

    public static final MethodHandle PARTICIPANT_NEW =
            handle("participant_new", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle PARTICIPANT_LOOKUP = handle("participant_lookup", JAVA_INT, JAVA_LONG);
    public static final MethodHandle PARTICIPANT_DEFAULT_QOS_GET = of("participant_default_qos_get", 2);
    public static final MethodHandle PARTICIPANT_DEFAULT_QOS_SET = of("participant_default_qos_set", 1);
    public static final MethodHandle PARTICIPANT_CONTAINS = of("participant_contains", 3);
    public static final MethodHandle PARTICIPANT_DOMAIN = of("participant_domain", 2);
    public static final MethodHandle PARTICIPANT_ADD_PEER = handle("participant_add_peer", JAVA_LONG, TEXT);
    public static final MethodHandle PARTICIPANT_REMOVE_PEER = handle("participant_remove_peer", JAVA_LONG, TEXT);
    public static final MethodHandle PARTICIPANT_PEERS = of("participant_peers", 2);
    public static final MethodHandle PARTICIPANT_ASSERT_LIVELINESS = of("participant_assert_liveliness", 1);
    public static final MethodHandle PARTICIPANT_COUNTERS = of("participant_counters", 2);
    public static final MethodHandle CURRENT_TIME = of("current_time", 2);

    public static final MethodHandle TYPE_NEW = handle("type_new", JAVA_LONG, JAVA_LONG, TEXT, JAVA_LONG);
    public static final MethodHandle TYPE_DESCRIBE = of("type_describe", 2);
    public static final MethodHandle TYPE_KEY = of("type_key", 5);
    public static final MethodHandle TOPIC_NEW =
            handle("topic_new", JAVA_LONG, TEXT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle FILTERED_TOPIC_NEW =
            handle("filtered_topic_new", JAVA_LONG, TEXT, TEXT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle FILTERED_TOPIC_PARAMETERS_GET = of("filtered_topic_parameters_get", 2);
    public static final MethodHandle FILTERED_TOPIC_PARAMETERS_SET = of("filtered_topic_parameters_set", 3);

    public static final MethodHandle TOPIC_FIND =
            handle("topic_find", JAVA_LONG, TEXT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle TOPIC_LOOKUP = handle("topic_lookup", JAVA_LONG, TEXT, JAVA_LONG);
    public static final MethodHandle BUILTIN_READER = handle("builtin_reader", JAVA_LONG, JAVA_INT, JAVA_LONG);
    public static final MethodHandle BUILTIN_DECODE =
            handle("builtin_decode", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle DISCOVERED =
            handle("discovered", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle DISCOVERED_DATA =
            handle("discovered_data", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle IGNORE = handle("ignore", JAVA_LONG, JAVA_INT, JAVA_LONG);
    public static final MethodHandle WRITER_MATCHED_DATA = of("writer_matched_data", 4);
    public static final MethodHandle READER_MATCHED_DATA = of("reader_matched_data", 4);
    public static final MethodHandle WHY = handle("why", JAVA_LONG, TEXT, JAVA_LONG, JAVA_LONG);

    public static final MethodHandle PUBLISHER_NEW = of("publisher_new", 4);
    public static final MethodHandle PUBLISHER_SUSPEND = of("publisher_suspend", 1);
    public static final MethodHandle PUBLISHER_RESUME = of("publisher_resume", 1);
    public static final MethodHandle PUBLISHER_BEGIN_COHERENT = of("publisher_begin_coherent", 1);
    public static final MethodHandle PUBLISHER_END_COHERENT = of("publisher_end_coherent", 1);
    public static final MethodHandle PUBLISHER_WAIT_FOR_ACKNOWLEDGMENTS =
            of("publisher_wait_for_acknowledgments", 2);
    public static final MethodHandle PUBLISHER_LOOKUP_WRITER =
            handle("publisher_lookup_writer", JAVA_LONG, TEXT, JAVA_LONG);
    public static final MethodHandle SUBSCRIBER_NEW = of("subscriber_new", 4);
    public static final MethodHandle SUBSCRIBER_BEGIN_ACCESS = of("subscriber_begin_access", 1);
    public static final MethodHandle SUBSCRIBER_END_ACCESS = of("subscriber_end_access", 1);
    public static final MethodHandle SUBSCRIBER_READERS = of("subscriber_readers", 5);
    public static final MethodHandle SUBSCRIBER_NOTIFY_READERS = of("subscriber_notify_readers", 1);
    public static final MethodHandle SUBSCRIBER_LOOKUP_READER =
            handle("subscriber_lookup_reader", JAVA_LONG, TEXT, JAVA_LONG);

    public static final MethodHandle WRITER_NEW = of("writer_new", 5);
    public static final MethodHandle WRITER_REPRESENTATION = of("writer_representation", 2);
    public static final MethodHandle WRITER_WAIT_FOR_MATCHED = of("writer_wait_for_matched", 3);
    public static final MethodHandle WRITER_WAIT_FOR_ACKNOWLEDGMENTS = of("writer_wait_for_acknowledgments", 2);
    public static final MethodHandle WRITER_MATCHED = of("writer_matched", 4);
    public static final MethodHandle WRITER_BACKLOG = of("writer_backlog", 3);
    public static final MethodHandle WRITER_EXPLAIN = of("writer_explain", 2);
    public static final MethodHandle WRITER_LOOKUP = of("writer_lookup", 2);
    public static final MethodHandle WRITER_KEY = of("writer_key", 3);
    public static final MethodHandle DISPOSE = of("dispose", 4);
    public static final MethodHandle UNREGISTER = of("unregister", 4);
    public static final MethodHandle REGISTER = of("register", 4);
    public static final MethodHandle FLUSH = of("flush", 1);
    public static final MethodHandle ASSERT_LIVELINESS = of("assert_liveliness", 1);

    public static final MethodHandle READER_NEW = of("reader_new", 5);
    public static final MethodHandle READER_LOOKUP = of("reader_lookup", 2);
    public static final MethodHandle READER_KEY = of("reader_key", 3);
    public static final MethodHandle READER_WAIT_FOR_MATCHED = of("reader_wait_for_matched", 3);
    public static final MethodHandle READER_WAIT_FOR_HISTORICAL = of("reader_wait_for_historical", 2);
    public static final MethodHandle READER_MATCHED = of("reader_matched", 4);
    public static final MethodHandle READER_FILTERED = of("reader_filtered", 2);
    public static final MethodHandle READER_EXPLAIN = of("reader_explain", 2);

    public static final MethodHandle READ_CONDITION_NEW = of("read_condition_new", 3);
    public static final MethodHandle QUERY_CONDITION_NEW =
            handle("query_condition_new", JAVA_LONG, JAVA_LONG, TEXT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    public static final MethodHandle QUERY_PARAMETERS_GET = of("query_parameters_get", 2);
    public static final MethodHandle QUERY_PARAMETERS_SET = of("query_parameters_set", 3);
    public static final MethodHandle GUARD_NEW = of("guard_new", 1);
    private static final MethodHandle GUARD_SET = handle("guard_set", JAVA_LONG, JAVA_BYTE);
    public static final MethodHandle CONDITION_VALUE = of("condition_value", 2);
    public static final MethodHandle CONDITION_WAKE_ONCE = of("condition_wake_once", 3);
    public static final MethodHandle STATUS_CONDITION = of("status_condition", 2);
    public static final MethodHandle STATUS_CONDITION_MASK = of("status_condition_mask", 3);
    public static final MethodHandle WAITSET_NEW = of("waitset_new", 1);
    public static final MethodHandle WAITSET_ATTACH = of("waitset_attach", 2);
    public static final MethodHandle WAITSET_DETACH = of("waitset_detach", 2);
    public static final MethodHandle WAITSET_WAIT = of("waitset_wait", 5);

    public static final MethodHandle OCTETS_NEW = of("octets_new", 4);
    public static final MethodHandle OCTETS_SEAL = of("octets_seal", 1);
    public static final MethodHandle OCTETS_CLONE = of("octets_clone", 2);
    public static final MethodHandle OCTETS_DATA = of("octets_data", 3);
    public static final MethodHandle OCTETS_OF_SAMPLE = of("octets_of_sample", 5);
    public static final MethodHandle OCTETS_FREE = of("octets_free", 1);
    public static final MethodHandle WRITE_PIECES = of("write_pieces", 4);

    public static final MethodHandle LOAN_WRITE = of("loan_write", 3);
    public static final MethodHandle LOAN_DISCARD = of("loan_discard", 2);

    private static final MethodHandle LOAN_NEW = handle("loan_new", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final MethodHandle WRITE = of("write", 4);
    private static final MethodHandle TAKE = of("take", 5);
    private static final MethodHandle READ = of("read", 5);
    private static final MethodHandle TAKE_NEXT = of("take_next", 5);
    private static final MethodHandle READ_NEXT = of("read_next", 5);
    private static final MethodHandle GIVE_BACK = of("give_back", 3);
    private static final MethodHandle REJECT = handle("reject", JAVA_LONG, JAVA_LONG, TEXT);
    private static final MethodHandle SAMPLE_COPY = of("sample_copy", 5);
    public static final MethodHandle SAMPLE_IS_VALID = of("sample_is_valid", 3);
    /** Of a {@code dunlin_select}: samples stay where they are. */
    public static final int IN_PLACE = 1;
    /** Of a {@code dunlin_select}: whoever gets the samples decodes each, and rejects what is none of the type. */
    public static final int DECODES = 4;
    /** Of a {@code dunlin_sample}: it lies in memory of its writer. */
    public static final int SAMPLE_IN_PLACE = 1;

    private Native() {
    }

    /** A function of so many handles, pointers or 64-bit numbers. */
    private static MethodHandle of(String name, int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        java.util.Arrays.fill(layouts, JAVA_LONG);
        return handle(name, layouts);
    }

    private static MethodHandle handle(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(symbol(name), FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static MemorySegment symbol(String name) {
        return SYMBOLS.find("dunlin_" + name).orElseThrow(() -> new UnsatisfiedLinkError(
                "the library that was loaded has no dunlin_" + name + ": it is older than this package"));
    }

    private static void checkVersion() {
        int version = call(of("abi_version", 0));
        if (version >>> 16 != MAJOR || (version & 0xffff) < MINOR) {
            throw new UnsatisfiedLinkError("the Dunlin library has the interface " + (version >>> 16) + "."
                    + (version & 0xffff) + ", and this package needs " + MAJOR + "." + MINOR);
        }
    }

    private static void checkLayouts() {
        MethodHandle layout = handle("abi_layout", TEXT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(8 * 66, 8);
            for (Struct struct : Structs.ALL) {
                long at = out.address();
                int code = (int) layout.invokeExact(text(arena, "dunlin_" + struct.name), at, at + 16, 64L, at + 8);
                boolean isSame = code == OK && fits(struct, Memory.getLong(at), Memory.getLong(at + 8));
                struct.makeRoom(Memory.getLong(at));
                for (int i = 0; isSame && i < struct.offsets.size(); i++) {
                    isSame = Memory.getLong(at + 16 + 8L * i) == struct.offsets.get(i);
                }
                if (!isSame) {
                    throw new UnsatisfiedLinkError("dunlin_" + struct.name
                            + " is another structure in the library that was loaded than in this package");
                }
            }
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    /** Structures that say their size may have more at their ends in a newer library. */
    private static boolean fits(Struct struct, long size, long members) {
        boolean isSame = size == struct.size && members == struct.offsets.size();
        return isSame || struct.tellsSize() && size > struct.size && members > struct.offsets.size();
    }

    /** A text by value; null is no text. */
    public static MemorySegment text(Arena arena, String text) {
        MemorySegment made = arena.allocate(TEXT);
        putText(arena, made.address(), text);
        return made;
    }

    /** A text into a structure. */
    public static void putText(Arena arena, long at, String text) {
        putBytes(arena, at, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes into a structure. */
    public static void putBytes(Arena arena, long at, byte[] bytes) {
        long data = 0;
        int length = 0;
        if (bytes != null && bytes.length > 0) {
            length = bytes.length;
            data = arena.allocate(length, 8).address();
            Memory.copy(bytes, 0, data, length);
        }
        Memory.putLong(at, data);
        Memory.putLong(at + 8, length);
    }

    /** An array of texts; its address. */
    public static long texts(Arena arena, java.util.List<String> texts) {
        if (texts.isEmpty()) {
            return 0;
        }
        long at = arena.allocate(TEXT, texts.size()).address();
        for (int i = 0; i < texts.size(); i++) {
            putText(arena, at + 16L * i, texts.get(i));
        }
        return at;
    }

    /** The bytes at an address. */
    public static byte[] bytes(long data, long length) {
        byte[] bytes = new byte[Math.toIntExact(length)];
        if (length > 0) {
            Memory.copy(data, bytes, 0, bytes.length);
        }
        return bytes;
    }

    /** The text at an address. */
    public static String string(long data, long length) {
        return new String(bytes(data, length), StandardCharsets.UTF_8);
    }

    /** The text that a function puts into a block. */
    public static String block(MethodHandle function, long handle) {
        try (Arena arena = Arena.ofConfined()) {
            long block = arena.allocate(Structs.BLOCK.size, 8).address();
            check(call(function, handle, block));
            String text = string(Memory.getLong(block), Memory.getLong(block + 8));
            call(BLOCK_FREE, block);
            return text;
        }
    }

    /** Throws if a code is no success. */
    public static void check(int code) {
        if (code != OK) {
            throw failure(code);
        }
    }

    /** Whether there was something; throws if a code is neither success nor NO_DATA nor TIMEOUT. */
    public static boolean found(int code) {
        if (code == OK) {
            return true;
        }
        if (code == NO_DATA || code == TIMEOUT) {
            return false;
        }
        throw failure(code);
    }

    /** The exception of a code. */
    public static DdsException failure(int code) {
        if (code == NO_DATA) {
            return DdsException.of(code, "there is nothing");
        }
        try (Arena arena = Arena.ofConfined()) {
            long text = arena.allocate(TEXT).address();
            call(LAST_ERROR, text);
            return DdsException.of(code, string(Memory.getLong(text), Memory.getLong(text + 8)));
        }
    }

    static RuntimeException rethrown(Throwable error) {
        switch (error) {
            case RuntimeException known -> throw known;
            case Error known -> throw known;
            default -> throw new IllegalStateException(error);
        }
    }

    public static int write(long writer, long payload, long length, long options) {
        try {
            return (int) WRITE.invokeExact(writer, payload, length, options);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int guardSet(long guard, boolean value) {
        try {
            return (int) GUARD_SET.invokeExact(guard, (byte) (value ? 1 : 0));
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int loan(long writer, long length, int flags, long loan) {
        try {
            return (int) LOAN_NEW.invokeExact(writer, length, flags, loan);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int take(long reader, long select, long samples, long room, long count) {
        try {
            return (int) TAKE.invokeExact(reader, select, samples, room, count);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int read(long reader, long select, long samples, long room, long count) {
        try {
            return (int) READ.invokeExact(reader, select, samples, room, count);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int takeNext(long reader, long select, long into, long length, long sample) {
        try {
            return (int) TAKE_NEXT.invokeExact(reader, select, into, length, sample);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int readNext(long reader, long select, long into, long length, long sample) {
        try {
            return (int) READ_NEXT.invokeExact(reader, select, into, length, sample);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int giveBack(long reader, long samples, long count) {
        try {
            return (int) GIVE_BACK.invokeExact(reader, samples, count);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    /** Gives a sample back that is none of its type; the library counts it as lost. */
    public static int reject(long reader, long sample, String why) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) REJECT.invokeExact(reader, sample, text(arena, why));
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int sampleCopy(long reader, long sample, long offset, long into, long length) {
        try {
            return (int) SAMPLE_COPY.invokeExact(reader, sample, offset, into, length);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function) {
        try {
            return (int) function.invokeExact();
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function, long a) {
        try {
            return (int) function.invokeExact(a);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function, long a, long b) {
        try {
            return (int) function.invokeExact(a, b);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function, long a, long b, long c) {
        try {
            return (int) function.invokeExact(a, b, c);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function, long a, long b, long c, long d) {
        try {
            return (int) function.invokeExact(a, b, c, d);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    public static int call(MethodHandle function, long a, long b, long c, long d, long e) {
        try {
            return (int) function.invokeExact(a, b, c, d, e);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    /** A function with other arguments, for calls that are not made often. */
    public static int callWith(MethodHandle function, Object... arguments) {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (Throwable error) {
            throw rethrown(error);
        }
    }

    /** A function pointer for a method of {@link Upcalls}. */
    static long stub(MethodHandle method, MemoryLayout... arguments) {
        return LINKER.upcallStub(method, FunctionDescriptor.ofVoid(arguments), Arena.global()).address();
    }
}
