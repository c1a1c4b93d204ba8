package org.dunlin;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.SubscriberQos;

/** A group of readers. */
public final class Subscriber extends Entity {
    private final DomainParticipant participant;

    Subscriber(DomainParticipant participant) {
        this.participant = participant;
    }

    @Override
    public DomainParticipant participant() {
        return participant;
    }

    /**
     * Creates a reader.
     *
     * @param <T> the class of samples
     * @param topic its topic, or a part of one
     * @return the reader
     */
    public <T> DataReader<T> createDataReader(TopicDescription<T> topic) {
        return participant.reader(this, topic, null, null);
    }

    /**
     * Creates a reader.
     *
     * @param <T> the class of samples
     * @param topic its topic, or a part of one
     * @param qos the QoS; null for the default
     * @param listener what is told of it; null for none
     * @return the reader
     */
    public <T> DataReader<T> createDataReader(TopicDescription<T> topic, DataReaderQos qos,
            DataReaderListener<T> listener) {
        return participant.reader(this, topic, qos, listener);
    }

    /** Begins to look at several readers, so that what they show together is whole. */
    public void beginAccess() {
        Native.check(Native.call(Native.SUBSCRIBER_BEGIN_ACCESS, handle()));
    }

    /** Ends it. */
    public void endAccess() {
        Native.check(Native.call(Native.SUBSCRIBER_END_ACCESS, handle()));
    }

    /**
     * Its readers that hold samples.
     *
     * @param select which samples
     * @return the readers; with GROUP access and order once for each sample
     */
    public List<DataReader<?>> dataReaders(Select select) {
        try (Arena arena = Arena.ofConfined()) {
            long count = arena.allocate(8, 8).address();
            long room = 64;
            while (true) {
                long readers = arena.allocate(8 * room, 8).address();
                Native.check(Native.call(Native.SUBSCRIBER_READERS, handle(), select.struct(arena), readers, room,
                        count));
                long found = Memory.getLong(count);
                if (found > room) {
                    room = found;
                    continue;
                }
                List<DataReader<?>> all = new ArrayList<>();
                for (int i = 0; i < found; i++) {
                    if (participant.entities.find(Memory.getLong(readers + 8L * i)) instanceof DataReader<?> reader) {
                        all.add(reader);
                    }
                }
                return all;
            }
        }
    }

    /** Has the listeners of its readers called that have data which nobody has looked at. */
    public void notifyDataReaders() {
        Native.check(Native.call(Native.SUBSCRIBER_NOTIFY_READERS, handle()));
    }

    /**
     * Its first reader of a topic.
     *
     * @param topic the name of the topic
     * @return the reader; null if it has none
     */
    public DataReader<?> lookupDataReader(String topic) {
        return (DataReader<?>) participant.entities.lookup(Native.SUBSCRIBER_LOOKUP_READER, this, topic);
    }

    /** Ends all its readers. */
    public void deleteContainedEntities() {
        deleteContained();
    }

    /** {@return a copy of its QoS} */
    public SubscriberQos qos() {
        SubscriberQos qos = new SubscriberQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(SubscriberQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /** {@return the QoS of readers that are created without one} */
    public DataReaderQos defaultDataReaderQos() {
        DataReaderQos qos = new DataReaderQos();
        QosCodec.get(Native.DEFAULT_QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Readers that are created without a QoS have this one from now on.
     *
     * @param qos the QoS
     */
    public void setDefaultDataReaderQos(DataReaderQos qos) {
        QosCodec.set(Native.DEFAULT_QOS_SET, handle(), qos);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(SubscriberListener listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfSubscriber(participant, listener));
    }
}
