// Statuses of writers and readers, asked for and told to listeners.
#ifndef DUNLIN_DDS98_STATUS_HPP
#define DUNLIN_DDS98_STATUS_HPP

#include <cstdio>

#include "dunlin/dds98/subscription.hpp"

namespace DDS {
namespace dunlin98 {

template <class S> void totals(S &to, const dunlin_status &s) {
    to.total_count = s.count[0];
    to.total_count_change = s.count[1];
}
inline void give(InconsistentTopicStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
}
inline void give(LivelinessLostStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
}
inline void give(SampleLostStatus &to, const dunlin_status &s, dunlin_handle) { totals(to, s); }
inline void give(OfferedDeadlineMissedStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
    to.last_instance_handle = to_handle(s.last);
}
inline void give(RequestedDeadlineMissedStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
    to.last_instance_handle = to_handle(s.last);
}
inline void give(SampleRejectedStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
    to.last_reason = static_cast<SampleRejectedStatusKind>(s.reason);
    to.last_instance_handle = to_handle(s.last);
}
inline void policies(QosPolicyCountSeq &to, dunlin_handle entity) {
    dunlin_policy_count counts[32];
    uint64_t count = 0;
    to.clear();
    if (dunlin_status_policies(entity, counts, 32, &count) != DUNLIN_OK) {
        return;
    }
    for (uint64_t i = 0; i < count && i < 32; i++) {
        const QosPolicyCount one = {counts[i].policy, counts[i].count};
        (void)to.push_back(one);
    }
}
inline void give(OfferedIncompatibleQosStatus &to, const dunlin_status &s, dunlin_handle of) {
    totals(to, s);
    to.last_policy_id = s.reason;
    policies(to.policies, of);
}
inline void give(RequestedIncompatibleQosStatus &to, const dunlin_status &s, dunlin_handle of) {
    totals(to, s);
    to.last_policy_id = s.reason;
    policies(to.policies, of);
}
inline void give(LivelinessChangedStatus &to, const dunlin_status &s, dunlin_handle) {
    to.alive_count = s.count[0];
    to.alive_count_change = s.count[1];
    to.not_alive_count = s.count[2];
    to.not_alive_count_change = s.count[3];
    to.last_publication_handle = to_handle(s.last);
}
inline void give(PublicationMatchedStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
    to.current_count = s.count[2];
    to.current_count_change = s.count[3];
    to.last_subscription_handle = to_handle(s.last);
}
inline void give(SubscriptionMatchedStatus &to, const dunlin_status &s, dunlin_handle) {
    totals(to, s);
    to.current_count = s.count[2];
    to.current_count_change = s.count[3];
    to.last_publication_handle = to_handle(s.last);
}

template <class S> ReturnCode_t ask(dunlin_handle entity, StatusKind kind, S &to) {
    dunlin_status status;
    std::memset(&status, 0, sizeof status);
    const ReturnCode_t code = dunlin_status_get(entity, kind, &status);
    if (code == RETCODE_OK) {
        give(to, status, entity);
    }
    return code;
}

// An exception that leaves a method of a listener goes no further, and is told on the standard
// error: the code that calls listeners can do nothing with it.
#if defined(__EXCEPTIONS) || defined(__cpp_exceptions)
#define DUNLIN_DDS98_CALL(call)                                                                    \
    try {                                                                                          \
        call;                                                                                      \
    } catch (...) {                                                                                \
        std::fputs("dunlin: a listener has thrown an exception: " #call "\n", stderr);             \
    }
#else
#define DUNLIN_DDS98_CALL(call) call;
#endif

template <class L, class E, class S>
void tell(L *listener, void (L::*method)(E *, const S &), dunlin_handle handle,
          const dunlin_status *status) {
    E *entity = static_cast<E *>(object<Entity>(handle));
    if (listener != NULL && entity != NULL) {
        S told;
        give(told, *status, handle);
        DUNLIN_DDS98_CALL((listener->*method)(entity, told))
    }
}

inline void on_data(void *context, dunlin_reader handle) {
    const Parts &parts = *static_cast<Parts *>(context);
    DataReaderListener *listener = parts.reader;
    Entity *entity = parts.own != NULL ? parts.own : object<Entity>(handle);
    DataReader *reader = static_cast<DataReader *>(entity);
    if (listener != NULL && reader != NULL) {
        DUNLIN_DDS98_CALL(listener->on_data_available(reader))
    }
}
inline void on_data_on_readers(void *context, dunlin_subscriber handle) {
    SubscriberListener *listener = static_cast<Parts *>(context)->subscriber;
    Subscriber *subscriber = static_cast<Subscriber *>(object<Entity>(handle));
    if (listener != NULL && subscriber != NULL) {
        DUNLIN_DDS98_CALL(listener->on_data_on_readers(subscriber))
    }
}
inline void on_status(void *context, dunlin_handle of, const dunlin_status *status) {
    typedef DataWriterListener W;
    typedef DataReaderListener R;
    const Parts &parts = *static_cast<Parts *>(context);
    switch (status->kind) {
    case DUNLIN_INCONSISTENT_TOPIC:
        return tell(parts.topic, &TopicListener::on_inconsistent_topic, of, status);
    case DUNLIN_OFFERED_DEADLINE_MISSED:
        return tell(parts.writer, &W::on_offered_deadline_missed, of, status);
    case DUNLIN_OFFERED_INCOMPATIBLE_QOS:
        return tell(parts.writer, &W::on_offered_incompatible_qos, of, status);
    case DUNLIN_LIVELINESS_LOST:
        return tell(parts.writer, &W::on_liveliness_lost, of, status);
    case DUNLIN_PUBLICATION_MATCHED:
        return tell(parts.writer, &W::on_publication_matched, of, status);
    case DUNLIN_REQUESTED_DEADLINE_MISSED:
        return tell(parts.reader, &R::on_requested_deadline_missed, of, status);
    case DUNLIN_REQUESTED_INCOMPATIBLE_QOS:
        return tell(parts.reader, &R::on_requested_incompatible_qos, of, status);
    case DUNLIN_SAMPLE_LOST:
        return tell(parts.reader, &R::on_sample_lost, of, status);
    case DUNLIN_SAMPLE_REJECTED:
        return tell(parts.reader, &R::on_sample_rejected, of, status);
    case DUNLIN_LIVELINESS_CHANGED:
        return tell(parts.reader, &R::on_liveliness_changed, of, status);
    case DUNLIN_SUBSCRIPTION_MATCHED:
        return tell(parts.reader, &R::on_subscription_matched, of, status);
    default:
        return;
    }
}

} // namespace dunlin98

inline ReturnCode_t DataWriter::get_liveliness_lost_status(LivelinessLostStatus &to) {
    return dunlin98::ask(_handle, LIVELINESS_LOST_STATUS, to);
}
inline ReturnCode_t DataWriter::get_offered_deadline_missed_status(
    OfferedDeadlineMissedStatus &to) {
    return dunlin98::ask(_handle, OFFERED_DEADLINE_MISSED_STATUS, to);
}
inline ReturnCode_t DataWriter::get_offered_incompatible_qos_status(
    OfferedIncompatibleQosStatus &to) {
    return dunlin98::ask(_handle, OFFERED_INCOMPATIBLE_QOS_STATUS, to);
}
inline ReturnCode_t DataWriter::get_publication_matched_status(PublicationMatchedStatus &to) {
    return dunlin98::ask(_handle, PUBLICATION_MATCHED_STATUS, to);
}
inline ReturnCode_t DataReader::get_liveliness_changed_status(LivelinessChangedStatus &to) {
    return dunlin98::ask(_handle, LIVELINESS_CHANGED_STATUS, to);
}
inline ReturnCode_t DataReader::get_requested_deadline_missed_status(
    RequestedDeadlineMissedStatus &to) {
    return dunlin98::ask(_handle, REQUESTED_DEADLINE_MISSED_STATUS, to);
}
inline ReturnCode_t DataReader::get_requested_incompatible_qos_status(
    RequestedIncompatibleQosStatus &to) {
    return dunlin98::ask(_handle, REQUESTED_INCOMPATIBLE_QOS_STATUS, to);
}
inline ReturnCode_t DataReader::get_sample_lost_status(SampleLostStatus &to) {
    return dunlin98::ask(_handle, SAMPLE_LOST_STATUS, to);
}
inline ReturnCode_t DataReader::get_sample_rejected_status(SampleRejectedStatus &to) {
    return dunlin98::ask(_handle, SAMPLE_REJECTED_STATUS, to);
}
inline ReturnCode_t DataReader::get_subscription_matched_status(SubscriptionMatchedStatus &to) {
    return dunlin98::ask(_handle, SUBSCRIPTION_MATCHED_STATUS, to);
}
inline ReturnCode_t Topic::get_inconsistent_topic_status(InconsistentTopicStatus &to) {
    return dunlin98::ask(_handle, INCONSISTENT_TOPIC_STATUS, to);
}

} // namespace DDS

#endif
