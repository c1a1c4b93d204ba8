package org.dunlin;

import org.dunlin.status.InconsistentTopicStatus;

/** What is told of a topic. */
public interface TopicListener extends Listener {
    /**
     * Somebody has a topic of this name with another type.
     *
     * @param topic the topic
     * @param status what has changed
     */
    default void onInconsistentTopic(Topic<?> topic, InconsistentTopicStatus status) {
    }
}
