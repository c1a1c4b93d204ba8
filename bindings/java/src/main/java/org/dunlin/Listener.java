package org.dunlin;

/**
 * What the library calls, without any lock, on the thread that received. It may call everything. Those methods that a
 * class overrides are called.
 */
public interface Listener {
    /**
     * A method of the listener has thrown something. It goes to the log of the system.
     *
     * @param error what it threw
     */
    default void onListenerError(Throwable error) {
        System.getLogger("org.dunlin").log(System.Logger.Level.ERROR, "a listener failed", error);
    }
}
