package org.dunlin;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.dunlin.internal.Native;

/** The participants of this process that are not closed. */
final class Participants {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final Map<Long, WeakReference<DomainParticipant>> ALL = new ConcurrentHashMap<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Native.call(Native.SHUTDOWN), "dunlin-shutdown"));
    }

    private Participants() {
    }

    static Entry add(DomainParticipant made) {
        Entry entry = new Entry(made.handle());
        ALL.put(made.handle(), new WeakReference<>(made));
        CLEANER.register(made, entry);
        return entry;
    }

    /** The participant of a handle; null if it is none that was made by this package. */
    static DomainParticipant find(long handle) {
        WeakReference<DomainParticipant> known = ALL.get(handle);
        return known == null ? null : known.get();
    }

    /** Closes a participant that nobody has any more. It knows nothing of the object. */
    static final class Entry implements Runnable {
        private final long handle;
        private final Throwable made = new Throwable("it was created here");
        private volatile boolean isClosed;

        private Entry(long handle) {
            this.handle = handle;
        }

        /** The participant is being closed. */
        void close() {
            isClosed = true;
            ALL.remove(handle);
        }

        @Override
        public void run() {
            ALL.remove(handle);
            if (!isClosed && Native.call(Native.CLOSE, handle) == Native.OK) {
                System.getLogger("org.dunlin").log(System.Logger.Level.WARNING,
                        "a participant was never closed, and nobody has it any more", made);
            }
        }
    }
}
