package org.dunlin.discovery;

/** What a built-in topic is about (DDS 1.4 2.2.5). */
public enum BuiltinTopic {
    /** DCPSParticipant: the other participants. */
    PARTICIPANT,
    /** DCPSTopic: the topics of which others have writers or readers. */
    TOPIC,
    /** DCPSPublication: the writers of others. */
    PUBLICATION,
    /** DCPSSubscription: the readers of others. */
    SUBSCRIPTION
}
