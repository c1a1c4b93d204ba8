package org.dunlin;

import org.dunlin.status.LivelinessLostStatus;
import org.dunlin.status.OfferedDeadlineMissedStatus;
import org.dunlin.status.OfferedIncompatibleQosStatus;
import org.dunlin.status.PublicationMatchedStatus;

/**
 * What is told of a writer.
 *
 * @param <T> the class of samples
 */
public interface DataWriterListener<T> extends Listener {
    /**
     * A reader did not get a sample of an instance in time, since none was written.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onOfferedDeadlineMissed(DataWriter<T> writer, OfferedDeadlineMissedStatus status) {
    }

    /**
     * A reader asks for what a writer does not offer.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onOfferedIncompatibleQos(DataWriter<T> writer, OfferedIncompatibleQosStatus status) {
    }

    /**
     * A writer did not say in time that it lives.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onLivelinessLost(DataWriter<T> writer, LivelinessLostStatus status) {
    }

    /**
     * A reader came or went.
     *
     * @param writer the writer
     * @param status what has changed
     */
    default void onPublicationMatched(DataWriter<T> writer, PublicationMatchedStatus status) {
    }
}
