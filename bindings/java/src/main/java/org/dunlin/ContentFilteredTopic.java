package org.dunlin;

import java.lang.foreign.Arena;
import java.util.List;
import org.dunlin.internal.Native;

/**
 * Those samples of a topic that pass a filter.
 *
 * @param <T> the class of samples
 */
public final class ContentFilteredTopic<T> extends TopicDescription<T> {
    private final Topic<T> related;
    private final String expression;

    ContentFilteredTopic(Topic<T> related, String name, String expression) {
        super(related.participant(), name, related.type());
        this.related = related;
        this.expression = expression;
    }

    /** {@return the topic that it is a part of} */
    public Topic<T> relatedTopic() {
        return related;
    }

    /** {@return the expression} */
    public String filterExpression() {
        return expression;
    }

    /** {@return the values of its parameters, a line each} */
    public String expressionParameters() {
        return Native.block(Native.FILTERED_TOPIC_PARAMETERS_GET, handle());
    }

    /**
     * Other values for its parameters.
     *
     * @param parameters the values of %0, %1 and so on; texts are in quotes
     */
    public void setExpressionParameters(String... parameters) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.call(Native.FILTERED_TOPIC_PARAMETERS_SET, handle(),
                    Native.texts(arena, List.of(parameters)), parameters.length));
        }
    }
}
