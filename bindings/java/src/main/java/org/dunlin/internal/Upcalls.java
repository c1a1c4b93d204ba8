package org.dunlin.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the library calls. The context of a listener is an index, so that no reference goes through foreign code.
 * Nothing is thrown through it either: that would end the process.
 */
public final class Upcalls {
    /** A listener with the entity that it belongs to. */
    public abstract static class Target {
        /** DATA_AVAILABLE of a reader. */
        public void onData(long reader) {
        }

        /** DATA_ON_READERS of a subscriber. */
        public void onDataOnReaders(long subscriber) {
        }

        /** Any other status of an entity: a {@code dunlin_status} is at the address. */
        public void onStatus(long entity, long status) {
        }

        /** What one of the others threw. */
        public abstract void onError(Throwable error);
    }

    private static final long ON_DATA = stub("onData", 2);
    private static final long ON_DATA_ON_READERS = stub("onDataOnReaders", 2);
    private static final long ON_STATUS = stub("onStatus", 3);
    private static final long RELEASE = stub("release", 1);

    private static final long WAKE = stub("wake", 1);

    private static final Map<Long, CompletableFuture<Void>> SLEEPERS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong();
    private static final Object LOCK = new Object();
    private static final Deque<Integer> FREE = new ArrayDeque<>();
    private static volatile Target[] targets = new Target[16];
    private static int used = 1;

    private Upcalls() {
    }

    private static long stub(String name, int arguments) {
        Class<?>[] types = new Class<?>[arguments];
        java.util.Arrays.fill(types, long.class);
        var layouts = new java.lang.foreign.MemoryLayout[arguments];
        java.util.Arrays.fill(layouts, JAVA_LONG);
        try {
            MethodHandle method = MethodHandles.lookup().findStatic(Upcalls.class, name,
                    MethodType.methodType(void.class, types));
            return Native.stub(method, layouts);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /**
     * Fills in a {@code dunlin_listener}. Whoever passes it calls {@link #forget} with the result if the library
     * refuses it; else the library says when it is not needed any more.
     */
    public static int listener(long at, int mask, Target target) {
        int index = remember(target);
        Memory.putInt(at, Structs.LISTENER.size);
        Memory.putInt(at + 4, mask);
        Memory.putLong(at + 8, index);
        Memory.putLong(at + 16, ON_DATA);
        Memory.putLong(at + 24, ON_DATA_ON_READERS);
        Memory.putLong(at + 32, ON_STATUS);
        Memory.putLong(at + 40, RELEASE);
        return index;
    }

    private static int remember(Target target) {
        synchronized (LOCK) {
            Integer free = FREE.poll();
            int index = free != null ? free : used++;
            Target[] all = targets;
            if (index == all.length) {
                all = java.util.Arrays.copyOf(all, 2 * index);
            }
            all[index] = target;
            // Publishes the element, too.
            targets = all;
            return index;
        }
    }

    /** The target of an index is not called any more. */
    public static void forget(int index) {
        synchronized (LOCK) {
            targets[index] = null;
            FREE.add(index);
        }
    }

    static void onData(long context, long reader) {
        Target target = targets[(int) context];
        if (target == null) {
            return;
        }
        Scratch scratch = Scratch.get();
        scratch.enter();
        try {
            target.onData(reader);
        } catch (Throwable error) {
            report(target, error);
        } finally {
            scratch.leave();
        }
    }

    static void onDataOnReaders(long context, long subscriber) {
        Target target = targets[(int) context];
        if (target == null) {
            return;
        }
        Scratch scratch = Scratch.get();
        scratch.enter();
        try {
            target.onDataOnReaders(subscriber);
        } catch (Throwable error) {
            report(target, error);
        } finally {
            scratch.leave();
        }
    }

    static void onStatus(long context, long entity, long status) {
        Target target = targets[(int) context];
        if (target == null) {
            return;
        }
        Scratch scratch = Scratch.get();
        scratch.enter();
        try {
            target.onStatus(entity, status);
        } catch (Throwable error) {
            report(target, error);
        } finally {
            scratch.leave();
        }
    }

    /** A future that is complete once a condition may have become true, or is closed. */
    public static CompletableFuture<Void> whenTrue(long condition) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        long context = NEXT.incrementAndGet();
        SLEEPERS.put(context, future);
        int code = Native.call(Native.CONDITION_WAKE_ONCE, condition, WAKE, context);
        if (code != Native.OK) {
            SLEEPERS.remove(context);
            throw Native.failure(code);
        }
        return future;
    }

    static void wake(long context) {
        CompletableFuture<Void> future = SLEEPERS.remove(context);
        if (future != null) {
            // What depends on it may call the library, which this thread may not.
            future.completeAsync(() -> null);
        }
    }

    static void release(long context) {
        forget((int) context);
    }

    private static void report(Target target, Throwable error) {
        try {
            target.onError(error);
        } catch (Throwable second) {
            // Nobody is left who could be told.
            second.addSuppressed(error);
        }
    }
}
