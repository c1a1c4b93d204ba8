package org.dunlin;

import java.lang.foreign.Arena;
import java.util.List;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;

/** A condition of a reader: it has samples of some states whose content an expression describes. */
public final class QueryCondition extends ReadCondition {
    private final String expression;

    private QueryCondition(DataReader<?> reader, long handle, String expression) {
        super(reader, handle);
        this.expression = expression;
    }

    static QueryCondition create(DataReader<?> reader, Select select, String expression, String... parameters) {
        try (Arena arena = Arena.ofConfined()) {
            long out = arena.allocate(8, 8).address();
            Native.check(Native.callWith(Native.QUERY_CONDITION_NEW, reader.handle(),
                    select == null ? 0L : select.struct(arena), Native.text(arena, expression),
                    Native.texts(arena, List.of(parameters)), (long) parameters.length, out));
            return new QueryCondition(reader, Memory.getLong(out), expression);
        }
    }

    /** {@return the expression} */
    public String expression() {
        return expression;
    }

    /** {@return the values of its parameters, a line each} */
    public String parameters() {
        return Native.block(Native.QUERY_PARAMETERS_GET, handle);
    }

    /**
     * Other values for its parameters.
     *
     * @param parameters the values of %0, %1 and so on; texts are in quotes
     */
    public void setParameters(String... parameters) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.call(Native.QUERY_PARAMETERS_SET, handle, Native.texts(arena, List.of(parameters)),
                    parameters.length));
        }
    }
}
