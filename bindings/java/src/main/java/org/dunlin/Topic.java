package org.dunlin;

import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.internal.Statuses;
import org.dunlin.qos.TopicQos;
import org.dunlin.status.InconsistentTopicStatus;
import org.dunlin.status.StatusMask;
import org.dunlin.type.TypeSupport;

/**
 * A name and a type.
 *
 * @param <T> the class of samples
 */
public final class Topic<T> extends TopicDescription<T> {
    Topic(DomainParticipant participant, String name, TypeSupport<T> type) {
        super(participant, name, type);
    }

    /** {@return a copy of its QoS} */
    public TopicQos qos() {
        TopicQos qos = new TopicQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(TopicQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /** {@return whether somebody has a topic of this name with another type} */
    public InconsistentTopicStatus inconsistentTopicStatus() {
        return Statuses.ask(handle(), StatusMask.INCONSISTENT_TOPIC);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(TopicListener listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfTopic(this, listener));
    }
}
