package org.dunlin;

/** What is told of all entities of a participant of which no other listener hears. */
public interface DomainParticipantListener extends TopicListener, PublisherListener, SubscriberListener {
}
