package org.dunlin.type;

import org.dunlin.DdsException;

/** A payload that is no value of the type: which member, and both numbers. */
public final class CodecException extends DdsException {
    private static final long serialVersionUID = 1L;

    private CodecException(String message) {
        super(1, message);
    }

    private static String message(String where, String what) {
        return where.isEmpty() ? what : where + ": " + what;
    }

    /** A value that cannot be encoded is a bad argument. */
    static DdsException encoding(String where, String what) {
        return new BadParameter(message(where, what));
    }

    static CodecException decoding(String where, String what) {
        return new CodecException(message(where, what));
    }

    /** Payloads of others may be wrong as often as they like; where that was noticed says nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
