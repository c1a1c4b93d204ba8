package org.dunlin;

/**
 * A return code of DDS 1.4 that is no success. The message has the entity, the policy or argument, both values,
 * and what to do. What is no failure has no exception: a take without data is {@code false} or an empty batch,
 * a wait that ends is {@code false}.
 */
public class DdsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The code. */
    private final int code;

    /**
     * An exception.
     *
     * @param code the return code
     * @param message what was wrong
     */
    public DdsException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** {@return the return code, as the standard numbers it} */
    public int code() {
        return code;
    }

    /**
     * The exception of a return code.
     *
     * @param code the return code
     * @param message what was wrong
     * @return one of the subclasses
     */
    public static DdsException of(int code, String message) {
        return switch (code) {
            case 2 -> new Unsupported(message);
            case 3 -> new BadParameter(message);
            case 4 -> new PreconditionNotMet(message);
            case 5 -> new OutOfResources(message);
            case 6 -> new NotEnabled(message);
            case 7 -> new ImmutablePolicy(message);
            case 8 -> new InconsistentPolicy(message);
            case 9 -> new AlreadyDeleted(message);
            case 10 -> new Timeout(message);
            case 12 -> new IllegalOperation(message);
            default -> new DdsException(code, message);
        };
    }

    /** The library does not have this. */
    public static final class Unsupported extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public Unsupported(String message) {
            super(2, message);
        }
    }

    /** An argument makes no sense, or a value cannot be encoded. */
    public static final class BadParameter extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public BadParameter(String message) {
            super(3, message);
        }
    }

    /** It is not possible now. */
    public static final class PreconditionNotMet extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public PreconditionNotMet(String message) {
            super(4, message);
        }
    }

    /** A limit is reached. */
    public static final class OutOfResources extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public OutOfResources(String message) {
            super(5, message);
        }
    }

    /** The entity has not been enabled. */
    public static final class NotEnabled extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public NotEnabled(String message) {
            super(6, message);
        }
    }

    /** The policy cannot be changed while the entity lives. */
    public static final class ImmutablePolicy extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public ImmutablePolicy(String message) {
            super(7, message);
        }
    }

    /** The policies contradict each other. */
    public static final class InconsistentPolicy extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public InconsistentPolicy(String message) {
            super(8, message);
        }
    }

    /** It has been closed. */
    public static final class AlreadyDeleted extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public AlreadyDeleted(String message) {
            super(9, message);
        }
    }

    /** It took longer than allowed. */
    public static final class Timeout extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public Timeout(String message) {
            super(10, message);
        }
    }

    /** It is not for this kind of thing. */
    public static final class IllegalOperation extends DdsException {
        private static final long serialVersionUID = 1L;

        /**
         * An exception.
         *
         * @param message what was wrong
         */
        public IllegalOperation(String message) {
            super(12, message);
        }
    }
}
