package org.dunlin;

import org.dunlin.status.LivelinessLostStatus;
import org.dunlin.status.OfferedDeadlineMissedStatus;
import org.dunlin.status.OfferedIncompatibleQosStatus;
import org.dunlin.status.PublicationMatchedStatus;

/** What is told of the writers of a publisher whose own listeners do not hear of it. */
public interface PublisherListener extends Listener {
    /**
     * A reader did not get a sample of an instance in time, since none was written.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onOfferedDeadlineMissed(DataWriter<?> writer, OfferedDeadlineMissedStatus status) {
    }

    /**
     * A reader asks for what a writer does not offer.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onOfferedIncompatibleQos(DataWriter<?> writer, OfferedIncompatibleQosStatus status) {
    }

    /**
     * A writer did not say in time that it lives.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onLivelinessLost(DataWriter<?> writer, LivelinessLostStatus status) {
    }

    /**
     * A reader came or went.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onPublicationMatched(DataWriter<?> writer, PublicationMatchedStatus status) {
    }
}
