import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.dunlin.DdsException;

/** What tests expect. */
final class Check {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private Check() {
    }

    static void that(boolean isSo) {
        if (!isSo) {
            throw new AssertionError("it is not so");
        }
    }

    static void equal(Object found, Object expected) {
        if (!java.util.Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    /** Waits until something is so. */
    static void soon(BooleanSupplier isSo) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it is not so after " + PATIENCE);
            }
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    /** What throws an exception of a class whose message has some words. */
    static void fails(Class<? extends DdsException> expected, String words, Runnable action) {
        try {
            action.run();
        } catch (DdsException error) {
            if (expected.isInstance(error) && error.getMessage().contains(words)) {
                return;
            }
            throw new AssertionError("expected " + expected + " with " + words, error);
        }
        throw new AssertionError("expected " + expected + ", and nothing was thrown");
    }
}
