package org.dunlin;

import org.dunlin.status.LivelinessChangedStatus;
import org.dunlin.status.RequestedDeadlineMissedStatus;
import org.dunlin.status.RequestedIncompatibleQosStatus;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.status.SampleRejectedStatus;
import org.dunlin.status.SubscriptionMatchedStatus;

/** What is told of the readers of a subscriber whose own listeners do not hear of it. */
public interface SubscriberListener extends Listener {
    /**
     * Some of its readers have data. Whoever overrides this does not hear of each of them.
     *
     * @param subscriber the subscriber
     */
    default void onDataOnReaders(Subscriber subscriber) {
    }

    /**
     * There is data to take.
     *
     * @param reader the reader
     */
    default void onDataAvailable(DataReader<?> reader) {
    }

    /**
     * There was no sample of an instance in time.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onRequestedDeadlineMissed(DataReader<?> reader, RequestedDeadlineMissedStatus status) {
    }

    /**
     * A writer does not offer what a reader asks for.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onRequestedIncompatibleQos(DataReader<?> reader, RequestedIncompatibleQosStatus status) {
    }

    /**
     * Samples did not come.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSampleLost(DataReader<?> reader, SampleLostStatus status) {
    }

    /**
     * There was no room for samples.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSampleRejected(DataReader<?> reader, SampleRejectedStatus status) {
    }

    /**
     * Writers live or do not.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onLivelinessChanged(DataReader<?> reader, LivelinessChangedStatus status) {
    }

    /**
     * A writer came or went.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSubscriptionMatched(DataReader<?> reader, SubscriptionMatchedStatus status) {
    }
}
