import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the runtime did while it measured: collections, compilation, and the heap that the loop and the threads of
 * listeners took.
 */
final class Costs {
    /** A thread that calls listeners, and what it had allocated when measuring began. */
    private record Heard(Thread thread, long before) {
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<Heard> heard = new ArrayList<>();
    private volatile Thread last;
    private Thread loop;
    private boolean isBegun;
    private long samples;
    private long bytes;
    private long collections;
    private long compilation;

    /** A segment begins; what matters is the first one. */
    synchronized void begin() {
        if (isBegun) {
            return;
        }
        isBegun = true;
        collections = collections();
        compilation = compilation();
        // Last: what is asked here allocates, too.
        heard.replaceAll(one -> new Heard(one.thread, allocated(one.thread)));
    }

    /** A listener was called. What a thread allocates at its first call is not counted. */
    void heardBy(Thread thread) {
        if (thread != last) {
            last = thread;
            note(thread);
        }
    }

    private synchronized void note(Thread thread) {
        for (int i = 0; i < heard.size(); i++) {
            if (heard.get(i).thread == thread) {
                return;
            }
        }
        heard.add(new Heard(thread, allocated(thread)));
    }

    private static long allocated(Thread thread) {
        return THREADS.getThreadAllocatedBytes(thread.threadId());
    }

    /** What this thread has allocated. */
    long ownBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** The loop has written samples; listeners that were called in its thread are among its bytes. */
    synchronized void add(long ownBytes, long written) {
        loop = Thread.currentThread();
        bytes += ownBytes;
        samples += written;
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    private static long compilation() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler == null ? 0 : compiler.getTotalCompilationTime();
    }

    /** A line for those who read; null if nothing was measured. */
    synchronized String describe(long taken) {
        if (!isBegun) {
            return null;
        }
        long compiled = compilation() - compilation;
        long collected = collections() - collections;
        long all = bytes;
        for (Heard one : heard) {
            if (one.thread != loop) {
                all += Math.max(0, allocated(one.thread) - one.before);
            }
        }
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName).collect(Collectors.joining(" and "));
        return String.format(Locale.ROOT,
                "Java %s, %s: %d collections, %d ms of compilation, %.2f B of the heap a sample.",
                Runtime.version(), collectors, collected, compiled,
                (double) all / Math.max(1, Math.max(samples, taken)));
    }
}
