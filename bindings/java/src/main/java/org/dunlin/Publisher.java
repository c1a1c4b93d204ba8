package org.dunlin;

import java.time.Duration;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.PublisherQos;

/** A group of writers. */
public final class Publisher extends Entity {
    private final DomainParticipant participant;

    Publisher(DomainParticipant participant) {
        this.participant = participant;
    }

    @Override
    public DomainParticipant participant() {
        return participant;
    }

    /**
     * Creates a writer.
     *
     * @param <T> the class of samples
     * @param topic its topic
     * @return the writer
     */
    public <T> DataWriter<T> createDataWriter(Topic<T> topic) {
        return participant.writer(this, topic, null, null);
    }

    /**
     * Creates a writer.
     *
     * @param <T> the class of samples
     * @param topic its topic
     * @param qos the QoS; null for the default
     * @param listener what is told of it; null for none
     * @return the writer
     */
    public <T> DataWriter<T> createDataWriter(Topic<T> topic, DataWriterQos qos, DataWriterListener<T> listener) {
        return participant.writer(this, topic, qos, listener);
    }

    /** A hint that much will be written in a row. */
    public void suspendPublications() {
        Native.check(Native.call(Native.PUBLISHER_SUSPEND, handle()));
    }

    /** Takes the hint back. */
    public void resumePublications() {
        Native.check(Native.call(Native.PUBLISHER_RESUME, handle()));
    }

    /** What its writers write until {@link #endCoherentChanges} is a coherent set. */
    public void beginCoherentChanges() {
        Native.check(Native.call(Native.PUBLISHER_BEGIN_COHERENT, handle()));
    }

    /** The set is complete. */
    public void endCoherentChanges() {
        Native.check(Native.call(Native.PUBLISHER_END_COHERENT, handle()));
    }

    /**
     * Waits until every matched reliable reader of every writer has acknowledged all samples.
     *
     * @param timeout how long at most
     * @return whether they have
     */
    public boolean waitForAcknowledgments(Duration timeout) {
        return Native.found(Native.call(Native.PUBLISHER_WAIT_FOR_ACKNOWLEDGMENTS, handle(),
                DomainParticipant.timeout(timeout)));
    }

    /**
     * Its first writer of a topic.
     *
     * @param topic the name of the topic
     * @return the writer; null if it has none
     */
    public DataWriter<?> lookupDataWriter(String topic) {
        return (DataWriter<?>) participant.entities.lookup(Native.PUBLISHER_LOOKUP_WRITER, this, topic);
    }

    /** Ends all its writers. */
    public void deleteContainedEntities() {
        deleteContained();
    }

    /** {@return a copy of its QoS} */
    public PublisherQos qos() {
        PublisherQos qos = new PublisherQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(PublisherQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /** {@return the QoS of writers that are created without one} */
    public DataWriterQos defaultDataWriterQos() {
        DataWriterQos qos = new DataWriterQos();
        QosCodec.get(Native.DEFAULT_QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Writers that are created without a QoS have this one from now on.
     *
     * @param qos the QoS
     */
    public void setDefaultDataWriterQos(DataWriterQos qos) {
        QosCodec.set(Native.DEFAULT_QOS_SET, handle(), qos);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(PublisherListener listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfPublisher(participant, listener));
    }
}
