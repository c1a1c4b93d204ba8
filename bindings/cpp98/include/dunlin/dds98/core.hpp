// Return codes, handles, times, states and statuses (DDS 1.4 2.3.3).
#ifndef DUNLIN_DDS98_CORE_HPP
#define DUNLIN_DDS98_CORE_HPP

#include "dunlin/dds98/sequence.hpp"
#include "dunlin/dunlin.h"

#if defined(__GNUC__) || defined(__clang__)
#define DUNLIN_DDS98_UNUSED __attribute__((unused))
#else
#define DUNLIN_DDS98_UNUSED
#endif

namespace DDS {

typedef Long DomainId_t;

typedef Long ReturnCode_t;
const ReturnCode_t RETCODE_OK = DUNLIN_OK;
const ReturnCode_t RETCODE_ERROR = DUNLIN_ERROR;
const ReturnCode_t RETCODE_UNSUPPORTED = DUNLIN_UNSUPPORTED;
const ReturnCode_t RETCODE_BAD_PARAMETER = DUNLIN_BAD_PARAMETER;
const ReturnCode_t RETCODE_PRECONDITION_NOT_MET = DUNLIN_PRECONDITION_NOT_MET;
const ReturnCode_t RETCODE_OUT_OF_RESOURCES = DUNLIN_OUT_OF_RESOURCES;
const ReturnCode_t RETCODE_NOT_ENABLED = DUNLIN_NOT_ENABLED;
const ReturnCode_t RETCODE_IMMUTABLE_POLICY = DUNLIN_IMMUTABLE_POLICY;
const ReturnCode_t RETCODE_INCONSISTENT_POLICY = DUNLIN_INCONSISTENT_POLICY;
const ReturnCode_t RETCODE_ALREADY_DELETED = DUNLIN_ALREADY_DELETED;
const ReturnCode_t RETCODE_TIMEOUT = DUNLIN_TIMEOUT;
const ReturnCode_t RETCODE_NO_DATA = DUNLIN_NO_DATA;
const ReturnCode_t RETCODE_ILLEGAL_OPERATION = DUNLIN_ILLEGAL_OPERATION;

// The name of a return code: "RETCODE_TIMEOUT" is "TIMEOUT".
inline const char *retcode_name(ReturnCode_t code) { return dunlin_retcode_name(code); }

// What was wrong in this thread's last failure, until the next one: entity, policy, both values,
// and what to do.
inline const char *last_error() {
    dunlin_text text = {NULL, 0};
    return dunlin_last_error(&text) == DUNLIN_OK && text.length > 0 ? text.data : "";
}

namespace dunlin98 {

// Keeps a text for `last_error`, and gives the code back.
inline ReturnCode_t refuse(ReturnCode_t code, const char *text) {
    return dunlin_set_last_error(code, dunlin_text_of(text));
}

// A text for `refuse` that is put together. What finds no room is left out as a whole.
class Words {
public:
    Words() { _text[0] = 0; }
    Words &operator<<(const char *part) {
        const std::size_t before = std::strlen(_text);
        const std::size_t length = part == NULL ? 0 : std::strlen(part);
        if (length < sizeof _text - before) {
            std::memcpy(_text + before, part == NULL ? "" : part, length + 1);
        }
        return *this;
    }
    const char *c_str() const { return _text; }

private:
    char _text[2048];
};

} // namespace dunlin98

// An instance, or an entity.
struct InstanceHandle_t {
    Octet value[16];
};
const InstanceHandle_t HANDLE_NIL = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
typedef Sequence<InstanceHandle_t> InstanceHandleSeq;

inline bool operator==(const InstanceHandle_t &one, const InstanceHandle_t &other) {
    return std::memcmp(one.value, other.value, sizeof one.value) == 0;
}
inline bool operator!=(const InstanceHandle_t &one, const InstanceHandle_t &other) {
    return !(one == other);
}
inline bool operator<(const InstanceHandle_t &one, const InstanceHandle_t &other) {
    return std::memcmp(one.value, other.value, sizeof one.value) < 0;
}
inline InstanceHandle_t to_handle(const uint8_t *bytes) {
    InstanceHandle_t handle;
    std::memcpy(handle.value, bytes, sizeof handle.value);
    return handle;
}

const Long DURATION_INFINITE_SEC = 0x7fffffff;
const ULong DURATION_INFINITE_NSEC = 0x7fffffffu;
const Long DURATION_ZERO_SEC = 0;
const ULong DURATION_ZERO_NSEC = 0;
const Long TIME_INVALID_SEC = -1;
const ULong TIME_INVALID_NSEC = 0xffffffffu;

struct Duration_t {
    Long sec;
    ULong nanosec;
};
const Duration_t DURATION_INFINITE = {DURATION_INFINITE_SEC, DURATION_INFINITE_NSEC};
const Duration_t DURATION_ZERO = {DURATION_ZERO_SEC, DURATION_ZERO_NSEC};

// Since 1970.
struct Time_t {
    Long sec;
    ULong nanosec;
};
const Time_t TIME_INVALID = {TIME_INVALID_SEC, TIME_INVALID_NSEC};

inline bool operator==(const Duration_t &one, const Duration_t &other) {
    return one.sec == other.sec && one.nanosec == other.nanosec;
}
inline bool operator!=(const Duration_t &one, const Duration_t &other) { return !(one == other); }

inline int64_t to_nanoseconds(const Duration_t &duration) {
    return duration == DURATION_INFINITE
               ? DUNLIN_INFINITE
               : static_cast<int64_t>(duration.sec) * DUNLIN_SECOND + duration.nanosec;
}
inline Duration_t to_duration(int64_t nanoseconds) {
    Duration_t made = DURATION_INFINITE;
    if (nanoseconds / DUNLIN_SECOND < DURATION_INFINITE_SEC) {
        made.sec = static_cast<Long>(nanoseconds / DUNLIN_SECOND);
        made.nanosec = static_cast<ULong>(nanoseconds % DUNLIN_SECOND);
    }
    return made;
}
inline int64_t to_nanoseconds(const Time_t &time) {
    return time.sec < 0 ? DUNLIN_NO_TIME
                        : static_cast<int64_t>(time.sec) * DUNLIN_SECOND + time.nanosec;
}
inline Time_t to_time(int64_t nanoseconds) {
    Time_t made = TIME_INVALID;
    if (nanoseconds >= 0 && nanoseconds / DUNLIN_SECOND <= 0x7fffffff) {
        made.sec = static_cast<Long>(nanoseconds / DUNLIN_SECOND);
        made.nanosec = static_cast<ULong>(nanoseconds % DUNLIN_SECOND);
    }
    return made;
}

const Long LENGTH_UNLIMITED = DUNLIN_UNLIMITED;

typedef ULong SampleStateKind;
typedef ULong SampleStateMask;
const SampleStateKind READ_SAMPLE_STATE = DUNLIN_READ;
const SampleStateKind NOT_READ_SAMPLE_STATE = DUNLIN_NOT_READ;
const SampleStateMask ANY_SAMPLE_STATE = DUNLIN_ANY_STATE;

typedef ULong ViewStateKind;
typedef ULong ViewStateMask;
const ViewStateKind NEW_VIEW_STATE = DUNLIN_NEW;
const ViewStateKind NOT_NEW_VIEW_STATE = DUNLIN_NOT_NEW;
const ViewStateMask ANY_VIEW_STATE = DUNLIN_ANY_STATE;

typedef ULong InstanceStateKind;
typedef ULong InstanceStateMask;
const InstanceStateKind ALIVE_INSTANCE_STATE = DUNLIN_ALIVE;
const InstanceStateKind NOT_ALIVE_DISPOSED_INSTANCE_STATE = DUNLIN_NOT_ALIVE_DISPOSED;
const InstanceStateKind NOT_ALIVE_NO_WRITERS_INSTANCE_STATE = DUNLIN_NOT_ALIVE_NO_WRITERS;
const InstanceStateMask NOT_ALIVE_INSTANCE_STATE =
    DUNLIN_NOT_ALIVE_DISPOSED | DUNLIN_NOT_ALIVE_NO_WRITERS;
const InstanceStateMask ANY_INSTANCE_STATE = DUNLIN_ANY_STATE;

struct SampleInfo {
    SampleStateKind sample_state;
    ViewStateKind view_state;
    InstanceStateKind instance_state;
    Time_t source_timestamp;
    InstanceHandle_t instance_handle;
    InstanceHandle_t publication_handle;
    Long disposed_generation_count;
    Long no_writers_generation_count;
    Long sample_rank;
    Long generation_rank;
    Long absolute_generation_rank;
    Boolean valid_data;
};
typedef Sequence<SampleInfo> SampleInfoSeq;

typedef ULong StatusKind;
typedef ULong StatusMask;
const StatusKind INCONSISTENT_TOPIC_STATUS = DUNLIN_INCONSISTENT_TOPIC;
const StatusKind OFFERED_DEADLINE_MISSED_STATUS = DUNLIN_OFFERED_DEADLINE_MISSED;
const StatusKind REQUESTED_DEADLINE_MISSED_STATUS = DUNLIN_REQUESTED_DEADLINE_MISSED;
const StatusKind OFFERED_INCOMPATIBLE_QOS_STATUS = DUNLIN_OFFERED_INCOMPATIBLE_QOS;
const StatusKind REQUESTED_INCOMPATIBLE_QOS_STATUS = DUNLIN_REQUESTED_INCOMPATIBLE_QOS;
const StatusKind SAMPLE_LOST_STATUS = DUNLIN_SAMPLE_LOST;
const StatusKind SAMPLE_REJECTED_STATUS = DUNLIN_SAMPLE_REJECTED;
const StatusKind DATA_ON_READERS_STATUS = DUNLIN_DATA_ON_READERS;
const StatusKind DATA_AVAILABLE_STATUS = DUNLIN_DATA_AVAILABLE;
const StatusKind LIVELINESS_LOST_STATUS = DUNLIN_LIVELINESS_LOST;
const StatusKind LIVELINESS_CHANGED_STATUS = DUNLIN_LIVELINESS_CHANGED;
const StatusKind PUBLICATION_MATCHED_STATUS = DUNLIN_PUBLICATION_MATCHED;
const StatusKind SUBSCRIPTION_MATCHED_STATUS = DUNLIN_SUBSCRIPTION_MATCHED;
const StatusMask STATUS_MASK_NONE = DUNLIN_STATUS_NONE;
const StatusMask STATUS_MASK_ALL = DUNLIN_STATUS_ALL;

typedef Long QosPolicyId_t;

struct QosPolicyCount {
    QosPolicyId_t policy_id;
    Long count;
};
typedef Sequence<QosPolicyCount> QosPolicyCountSeq;

struct InconsistentTopicStatus {
    Long total_count, total_count_change;
};
struct SampleLostStatus {
    Long total_count, total_count_change;
};
struct LivelinessLostStatus {
    Long total_count, total_count_change;
};

enum SampleRejectedStatusKind {
    NOT_REJECTED = DUNLIN_NOT_REJECTED,
    REJECTED_BY_INSTANCES_LIMIT = DUNLIN_REJECTED_BY_INSTANCES,
    REJECTED_BY_SAMPLES_LIMIT = DUNLIN_REJECTED_BY_SAMPLES,
    REJECTED_BY_SAMPLES_PER_INSTANCE_LIMIT = DUNLIN_REJECTED_BY_SAMPLES_PER_INSTANCE
};
struct SampleRejectedStatus {
    Long total_count, total_count_change;
    SampleRejectedStatusKind last_reason;
    InstanceHandle_t last_instance_handle;
};

struct OfferedDeadlineMissedStatus {
    Long total_count, total_count_change;
    InstanceHandle_t last_instance_handle;
};
struct RequestedDeadlineMissedStatus {
    Long total_count, total_count_change;
    InstanceHandle_t last_instance_handle;
};

struct OfferedIncompatibleQosStatus {
    Long total_count, total_count_change;
    QosPolicyId_t last_policy_id;
    QosPolicyCountSeq policies;
};
struct RequestedIncompatibleQosStatus {
    Long total_count, total_count_change;
    QosPolicyId_t last_policy_id;
    QosPolicyCountSeq policies;
};

struct LivelinessChangedStatus {
    Long alive_count, not_alive_count, alive_count_change, not_alive_count_change;
    InstanceHandle_t last_publication_handle;
};
struct PublicationMatchedStatus {
    Long total_count, total_count_change, current_count, current_count_change;
    InstanceHandle_t last_subscription_handle;
};
struct SubscriptionMatchedStatus {
    Long total_count, total_count_change, current_count, current_count_change;
    InstanceHandle_t last_publication_handle;
};

} // namespace DDS

#endif
