package org.dunlin;

import org.dunlin.type.TypeSupport;

/**
 * What readers are made for: a topic, or a part of one.
 *
 * @param <T> the class of samples
 */
public abstract sealed class TopicDescription<T> extends Entity permits Topic, ContentFilteredTopic {
    private final DomainParticipant participant;
    private final String name;
    private final TypeSupport<T> type;

    TopicDescription(DomainParticipant participant, String name, TypeSupport<T> type) {
        this.participant = participant;
        this.name = name;
        this.type = type;
    }

    @Override
    public DomainParticipant participant() {
        return participant;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return its type} */
    public TypeSupport<T> type() {
        return type;
    }
}
