package org.dunlin;

import org.dunlin.status.LivelinessChangedStatus;
import org.dunlin.status.RequestedDeadlineMissedStatus;
import org.dunlin.status.RequestedIncompatibleQosStatus;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.status.SampleRejectedStatus;
import org.dunlin.status.SubscriptionMatchedStatus;

/**
 * What is told of a reader. Calls of one reader do not overlap.
 *
 * @param <T> the class of samples
 */
@FunctionalInterface
public interface DataReaderListener<T> extends Listener {
    /**
     * There is data to take.
     *
     * @param reader the reader
     */
    void onDataAvailable(DataReader<T> reader);

    /**
     * There was no sample of an instance in time.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onRequestedDeadlineMissed(DataReader<T> reader, RequestedDeadlineMissedStatus status) {
    }

    /**
     * A writer does not offer what a reader asks for.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onRequestedIncompatibleQos(DataReader<T> reader, RequestedIncompatibleQosStatus status) {
    }

    /**
     * Samples did not come.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSampleLost(DataReader<T> reader, SampleLostStatus status) {
    }

    /**
     * There was no room for samples.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSampleRejected(DataReader<T> reader, SampleRejectedStatus status) {
    }

    /**
     * Writers live or do not.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onLivelinessChanged(DataReader<T> reader, LivelinessChangedStatus status) {
    }

    /**
     * A writer came or went.
     *
     * @param reader the reader
     * @param status what has changed
     */
    default void onSubscriptionMatched(DataReader<T> reader, SubscriptionMatchedStatus status) {
    }
}
