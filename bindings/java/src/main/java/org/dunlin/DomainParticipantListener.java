package org.dunlin;

import org.dunlin.status.InconsistentTopicStatus;

/** What is told of all entities of a participant of which no other listener hears. */
public interface DomainParticipantListener extends PublisherListener, SubscriberListener {
    /**
     * Somebody has a topic of this name with another type.
     *
     * @param topic the topic
     * @param status what has changed
     */
    default void onInconsistentTopic(Topic<?> topic, InconsistentTopicStatus status) {
    }
}
