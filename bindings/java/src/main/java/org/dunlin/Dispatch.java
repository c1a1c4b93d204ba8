package org.dunlin;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.dunlin.internal.Statuses;
import org.dunlin.internal.Upcalls;
import org.dunlin.status.InconsistentTopicStatus;
import org.dunlin.status.LivelinessChangedStatus;
import org.dunlin.status.LivelinessLostStatus;
import org.dunlin.status.OfferedDeadlineMissedStatus;
import org.dunlin.status.OfferedIncompatibleQosStatus;
import org.dunlin.status.PublicationMatchedStatus;
import org.dunlin.status.RequestedDeadlineMissedStatus;
import org.dunlin.status.RequestedIncompatibleQosStatus;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.status.SampleRejectedStatus;
import org.dunlin.status.SubscriptionMatchedStatus;
import org.dunlin.status.StatusMask;

/** From what the library calls to listeners. */
final class Dispatch {
    private static final Map<String, Integer> BITS = new HashMap<>();

    static {
        BITS.put("onInconsistentTopic", StatusMask.INCONSISTENT_TOPIC);
        BITS.put("onOfferedDeadlineMissed", StatusMask.OFFERED_DEADLINE_MISSED);
        BITS.put("onRequestedDeadlineMissed", StatusMask.REQUESTED_DEADLINE_MISSED);
        BITS.put("onOfferedIncompatibleQos", StatusMask.OFFERED_INCOMPATIBLE_QOS);
        BITS.put("onRequestedIncompatibleQos", StatusMask.REQUESTED_INCOMPATIBLE_QOS);
        BITS.put("onSampleLost", StatusMask.SAMPLE_LOST);
        BITS.put("onSampleRejected", StatusMask.SAMPLE_REJECTED);
        BITS.put("onDataOnReaders", StatusMask.DATA_ON_READERS);
        BITS.put("onDataAvailable", StatusMask.DATA_AVAILABLE);
        BITS.put("onLivelinessLost", StatusMask.LIVELINESS_LOST);
        BITS.put("onLivelinessChanged", StatusMask.LIVELINESS_CHANGED);
        BITS.put("onPublicationMatched", StatusMask.PUBLICATION_MATCHED);
        BITS.put("onSubscriptionMatched", StatusMask.SUBSCRIPTION_MATCHED);
    }

    private Dispatch() {
    }

    /** The statuses for which a listener overrides a method. */
    static int mask(Listener listener) {
        int mask = 0;
        for (Method method : listener.getClass().getMethods()) {
            Integer bit = BITS.get(method.getName());
            boolean isOurs = method.getDeclaringClass().getName().startsWith("org.dunlin.")
                    && method.getDeclaringClass().getModule() == Dispatch.class.getModule();
            if (bit != null && !isOurs) {
                mask |= bit;
            }
        }
        return mask;
    }

    /** A listener, and what it is about. */
    abstract static class Target<L extends Listener> extends Upcalls.Target {
        final L listener;
        private final Entity entity;

        Target(L listener, Entity entity) {
            this.listener = listener;
            this.entity = entity;
        }

        @Override
        public final void onError(Throwable error) {
            // What is closed while its listener is called cannot be used by it any more.
            if (!(error instanceof DdsException.AlreadyDeleted && entity.isClosed())) {
                listener.onListenerError(error);
            }
        }
    }

    static final class OfWriter<T> extends Target<DataWriterListener<T>> {
        private final DataWriter<T> writer;

        OfWriter(DataWriter<T> writer, DataWriterListener<T> listener) {
            super(listener, writer);
            this.writer = writer;
        }

        @Override
        public void onStatus(long entity, long status) {
            writer.bind(entity);
            switch (Statuses.of(status)) {
                case OfferedDeadlineMissedStatus s -> listener.onOfferedDeadlineMissed(writer, s);
                case OfferedIncompatibleQosStatus s -> listener.onOfferedIncompatibleQos(writer, s);
                case LivelinessLostStatus s -> listener.onLivelinessLost(writer, s);
                case PublicationMatchedStatus s -> listener.onPublicationMatched(writer, s);
                case null, default -> { }
            }
        }
    }

    static final class OfReader<T> extends Target<DataReaderListener<T>> {
        private final DataReader<T> reader;

        OfReader(DataReader<T> reader, DataReaderListener<T> listener) {
            super(listener, reader);
            this.reader = reader;
        }

        @Override
        public void onData(long entity) {
            reader.bind(entity);
            listener.onDataAvailable(reader);
        }

        @Override
        public void onStatus(long entity, long status) {
            reader.bind(entity);
            switch (Statuses.of(status)) {
                case RequestedDeadlineMissedStatus s -> listener.onRequestedDeadlineMissed(reader, s);
                case RequestedIncompatibleQosStatus s -> listener.onRequestedIncompatibleQos(reader, s);
                case SampleLostStatus s -> listener.onSampleLost(reader, s);
                case SampleRejectedStatus s -> listener.onSampleRejected(reader, s);
                case LivelinessChangedStatus s -> listener.onLivelinessChanged(reader, s);
                case SubscriptionMatchedStatus s -> listener.onSubscriptionMatched(reader, s);
                case null, default -> { }
            }
        }
    }

    static final class OfTopic extends Target<TopicListener> {
        private final Topic<?> topic;

        OfTopic(Topic<?> topic, TopicListener listener) {
            super(listener, topic);
            this.topic = topic;
        }

        @Override
        public void onStatus(long entity, long status) {
            if (Statuses.of(status) instanceof InconsistentTopicStatus s) {
                listener.onInconsistentTopic(topic, s);
            }
        }
    }

    static final class OfPublisher extends Target<PublisherListener> {
        private final DomainParticipant participant;

        OfPublisher(DomainParticipant participant, PublisherListener listener) {
            super(listener, participant);
            this.participant = participant;
        }

        @Override
        public void onStatus(long entity, long status) {
            writers(participant, listener, entity, Statuses.of(status));
        }
    }

    static final class OfSubscriber extends Target<SubscriberListener> {
        private final DomainParticipant participant;

        OfSubscriber(DomainParticipant participant, SubscriberListener listener) {
            super(listener, participant);
            this.participant = participant;
        }

        @Override
        public void onData(long entity) {
            data(participant, listener, entity);
        }

        @Override
        public void onDataOnReaders(long entity) {
            dataOnReaders(participant, listener, entity);
        }

        @Override
        public void onStatus(long entity, long status) {
            readers(participant, listener, entity, Statuses.of(status));
        }
    }

    static final class OfParticipant extends Target<DomainParticipantListener> {
        private final DomainParticipant participant;

        OfParticipant(DomainParticipant participant, DomainParticipantListener listener) {
            super(listener, participant);
            this.participant = participant;
        }

        @Override
        public void onData(long entity) {
            data(participant, listener, entity);
        }

        @Override
        public void onDataOnReaders(long entity) {
            dataOnReaders(participant, listener, entity);
        }

        @Override
        public void onStatus(long entity, long status) {
            Object what = Statuses.of(status);
            if (what instanceof InconsistentTopicStatus s) {
                if (participant.entities.find(entity) instanceof Topic<?> topic) {
                    listener.onInconsistentTopic(topic, s);
                }
            } else if (!writers(participant, listener, entity, what)) {
                readers(participant, listener, entity, what);
            }
        }
    }

    private static void data(DomainParticipant participant, SubscriberListener listener, long entity) {
        if (participant.entities.find(entity) instanceof DataReader<?> reader) {
            listener.onDataAvailable(reader);
        }
    }

    private static void dataOnReaders(DomainParticipant participant, SubscriberListener listener, long entity) {
        if (participant.entities.find(entity) instanceof Subscriber subscriber) {
            listener.onDataOnReaders(subscriber);
        }
    }

    private static boolean writers(DomainParticipant participant, PublisherListener listener, long entity,
            Object status) {
        if (!(participant.entities.find(entity) instanceof DataWriter<?> writer)) {
            return false;
        }
        switch (status) {
            case OfferedDeadlineMissedStatus s -> listener.onOfferedDeadlineMissed(writer, s);
            case OfferedIncompatibleQosStatus s -> listener.onOfferedIncompatibleQos(writer, s);
            case LivelinessLostStatus s -> listener.onLivelinessLost(writer, s);
            case PublicationMatchedStatus s -> listener.onPublicationMatched(writer, s);
            case null, default -> { }
        }
        return true;
    }

    private static void readers(DomainParticipant participant, SubscriberListener listener, long entity,
            Object status) {
        if (!(participant.entities.find(entity) instanceof DataReader<?> reader)) {
            return;
        }
        switch (status) {
            case RequestedDeadlineMissedStatus s -> listener.onRequestedDeadlineMissed(reader, s);
            case RequestedIncompatibleQosStatus s -> listener.onRequestedIncompatibleQos(reader, s);
            case SampleLostStatus s -> listener.onSampleLost(reader, s);
            case SampleRejectedStatus s -> listener.onSampleRejected(reader, s);
            case LivelinessChangedStatus s -> listener.onLivelinessChanged(reader, s);
            case SubscriptionMatchedStatus s -> listener.onSubscriptionMatched(reader, s);
            case null, default -> { }
        }
    }
}
