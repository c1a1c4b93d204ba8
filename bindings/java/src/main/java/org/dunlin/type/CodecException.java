package org.dunlin.type;

import org.dunlin.DdsException;

/** A value that cannot be encoded, or a payload that is no value of the type: which member, and both numbers. */
public final class CodecException extends DdsException {
    private static final long serialVersionUID = 1L;

    CodecException(int code, String where, String what) {
        super(code, where.isEmpty() ? what : where + ": " + what);
    }

    static CodecException encoding(String where, String what) {
        return new CodecException(3, where, what);
    }

    static CodecException decoding(String where, String what) {
        return new CodecException(1, where, what);
    }

    /** Payloads of others may be wrong as often as they like; where that was noticed says nothing. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
