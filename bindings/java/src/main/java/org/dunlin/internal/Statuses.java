package org.dunlin.internal;

import org.dunlin.InstanceHandle;
import org.dunlin.status.InconsistentTopicStatus;
import org.dunlin.status.LivelinessChangedStatus;
import org.dunlin.status.LivelinessLostStatus;
import org.dunlin.status.OfferedDeadlineMissedStatus;
import org.dunlin.status.OfferedIncompatibleQosStatus;
import org.dunlin.status.PublicationMatchedStatus;
import org.dunlin.status.RequestedDeadlineMissedStatus;
import org.dunlin.status.RequestedIncompatibleQosStatus;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.status.SampleRejectedReason;
import org.dunlin.status.SampleRejectedStatus;
import org.dunlin.status.StatusMask;
import org.dunlin.status.SubscriptionMatchedStatus;

/** Statuses out of a {@code dunlin_status}. */
public final class Statuses {
    private Statuses() {
    }

    /** The kind of the status at an address. */
    public static int kind(long at) {
        return Memory.getInt(at);
    }

    private static int count(long at, int which) {
        return Memory.getInt(at + 4 + 4L * which);
    }

    private static int reason(long at) {
        return Memory.getInt(at + 20);
    }

    private static InstanceHandle last(long at) {
        return InstanceHandle.at(at + 24);
    }

    /** Asks an entity for a status, whose changes it resets. */
    @SuppressWarnings("unchecked")
    public static <S> S ask(long entity, int kind) {
        Scratch scratch = Scratch.get();
        Native.check(Native.callWith(Native.STATUS_GET, entity, kind, scratch.status));
        return (S) of(scratch.status);
    }

    /** The status at an address. */
    public static Object of(long at) {
        int total = count(at, 0);
        int change = count(at, 1);
        return switch (kind(at)) {
            case StatusMask.INCONSISTENT_TOPIC -> new InconsistentTopicStatus(total, change);
            case StatusMask.LIVELINESS_LOST -> new LivelinessLostStatus(total, change);
            case StatusMask.SAMPLE_LOST -> new SampleLostStatus(total, change);
            case StatusMask.OFFERED_DEADLINE_MISSED -> new OfferedDeadlineMissedStatus(total, change, last(at));
            case StatusMask.REQUESTED_DEADLINE_MISSED -> new RequestedDeadlineMissedStatus(total, change, last(at));
            case StatusMask.SAMPLE_REJECTED -> new SampleRejectedStatus(total, change,
                    SampleRejectedReason.values()[Math.clamp(reason(at), 0, 3)], last(at));
            case StatusMask.OFFERED_INCOMPATIBLE_QOS -> new OfferedIncompatibleQosStatus(total, change, reason(at));
            case StatusMask.REQUESTED_INCOMPATIBLE_QOS ->
                    new RequestedIncompatibleQosStatus(total, change, reason(at));
            case StatusMask.LIVELINESS_CHANGED ->
                    new LivelinessChangedStatus(total, change, count(at, 2), count(at, 3), last(at));
            case StatusMask.PUBLICATION_MATCHED ->
                    new PublicationMatchedStatus(total, change, count(at, 2), count(at, 3), last(at));
            case StatusMask.SUBSCRIPTION_MATCHED ->
                    new SubscriptionMatchedStatus(total, change, count(at, 2), count(at, 3), last(at));
            default -> null;
        };
    }
}
