//! Communication statuses (DDS 1.4 2.2.4.1) as one structure.
use crate::entity::{dunlin_handle, kind_of};
use crate::error::{Failure, Outcome, entry};
use crate::memory::{Out, OutArray, dunlin_block};
use crate::object::{self, Object};
use dunlin::{
    DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus, LivelinessChangedStatus,
    MatchedStatus, RejectionReason, SampleCountStatus, SampleRejectedStatus, StatusKind,
    StatusMask,
};

/// No status.
pub const DUNLIN_STATUS_NONE: u32 = 0;
/// Every status.
pub const DUNLIN_STATUS_ALL: u32 = 0xffff_ffff;
/// INCONSISTENT_TOPIC: somebody has a topic of this name with another type.
pub const DUNLIN_INCONSISTENT_TOPIC: u32 = 1;
/// OFFERED_DEADLINE_MISSED.
pub const DUNLIN_OFFERED_DEADLINE_MISSED: u32 = 2;
/// REQUESTED_DEADLINE_MISSED.
pub const DUNLIN_REQUESTED_DEADLINE_MISSED: u32 = 4;
/// OFFERED_INCOMPATIBLE_QOS.
pub const DUNLIN_OFFERED_INCOMPATIBLE_QOS: u32 = 32;
/// REQUESTED_INCOMPATIBLE_QOS.
pub const DUNLIN_REQUESTED_INCOMPATIBLE_QOS: u32 = 64;
/// SAMPLE_LOST.
pub const DUNLIN_SAMPLE_LOST: u32 = 128;
/// SAMPLE_REJECTED.
pub const DUNLIN_SAMPLE_REJECTED: u32 = 256;
/// DATA_ON_READERS: some reader of a subscriber has data.
pub const DUNLIN_DATA_ON_READERS: u32 = 512;
/// DATA_AVAILABLE: there is data to take.
pub const DUNLIN_DATA_AVAILABLE: u32 = 1024;
/// LIVELINESS_LOST.
pub const DUNLIN_LIVELINESS_LOST: u32 = 2048;
/// LIVELINESS_CHANGED.
pub const DUNLIN_LIVELINESS_CHANGED: u32 = 4096;
/// PUBLICATION_MATCHED: a reader came or went.
pub const DUNLIN_PUBLICATION_MATCHED: u32 = 8192;
/// SUBSCRIPTION_MATCHED: a writer came or went.
pub const DUNLIN_SUBSCRIPTION_MATCHED: u32 = 16384;

/// The reason in SAMPLE_REJECTED: none was rejected.
pub const DUNLIN_NOT_REJECTED: i32 = 0;
/// The reason in SAMPLE_REJECTED: the limit of instances.
pub const DUNLIN_REJECTED_BY_INSTANCES: i32 = 1;
/// The reason in SAMPLE_REJECTED: the limit of samples.
pub const DUNLIN_REJECTED_BY_SAMPLES: i32 = 2;
/// The reason in SAMPLE_REJECTED: the limit of samples of one instance.
pub const DUNLIN_REJECTED_BY_SAMPLES_PER_INSTANCE: i32 = 3;

/// A status of an entity.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct dunlin_status {
    /// Which: one of the status bits.
    pub kind: u32,
    /// How often ever; how often since it was last read; for matches how many now, and the change
    /// of that. For LIVELINESS_CHANGED: alive, its change, not alive, its change.
    pub count: [i32; 4],
    /// For incompatible QoS the policy that stood in the way last; for rejected samples which limit.
    pub reason: i32,
    /// The endpoint, or the instance, that it was about last.
    pub last: [u8; 16],
}

/// A policy that stood in the way, and how often.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct dunlin_policy_count {
    /// The number that the standard gives it.
    pub policy: i32,
    /// How often.
    pub count: i32,
}

/// The statuses of the bits of a mask.
pub(crate) fn mask(bits: u32) -> StatusMask {
    let kinds = StatusKind::ALL.into_iter();
    let kinds = kinds.filter(|kind| bits & *kind as u32 != 0);
    kinds.fold(StatusMask::NONE, StatusMask::with)
}

/// The bits of a mask.
pub(crate) fn bits(mask: StatusMask) -> u32 {
    let kinds = StatusKind::ALL.into_iter();
    let kinds = kinds.filter(|kind| mask.contains(*kind));
    kinds.fold(0, |bits, kind| bits | kind as u32)
}

impl dunlin_status {
    fn counted(kind: StatusKind, total: i32, change: i32, last: [u8; 16]) -> Self {
        Self {
            kind: kind as u32,
            count: [total, change, 0, 0],
            last,
            ..Self::default()
        }
    }

    pub(crate) fn matched(kind: StatusKind, status: &MatchedStatus) -> Self {
        Self {
            kind: kind as u32,
            count: [
                status.total_count,
                status.total_count_change,
                status.current_count,
                status.current_count_change,
            ],
            last: status.last_endpoint.to_bytes(),
            ..Self::default()
        }
    }

    pub(crate) fn incompatible(kind: StatusKind, status: &IncompatibleQosStatus) -> Self {
        let (total, change) = (status.total_count, status.total_count_change);
        Self {
            reason: status.last_policy.map_or(0, |policy| policy as i32),
            ..Self::counted(kind, total, change, status.last_endpoint.to_bytes())
        }
    }

    pub(crate) fn deadline(kind: StatusKind, status: &DeadlineMissedStatus) -> Self {
        let (total, change) = (status.total_count, status.total_count_change);
        Self::counted(kind, total, change, status.last_instance.0)
    }

    pub(crate) fn count(kind: StatusKind, status: &SampleCountStatus) -> Self {
        Self::counted(kind, status.total_count, status.total_count_change, [0; 16])
    }

    pub(crate) fn liveliness(status: &LivelinessChangedStatus) -> Self {
        Self {
            kind: StatusKind::LivelinessChanged as u32,
            count: [
                status.alive_count,
                status.alive_count_change,
                status.not_alive_count,
                status.not_alive_count_change,
            ],
            last: status.last_writer.to_bytes(),
            ..Self::default()
        }
    }

    pub(crate) fn rejected(status: &SampleRejectedStatus) -> Self {
        let (total, change) = (status.total_count, status.total_count_change);
        let kind = StatusKind::SampleRejected;
        Self {
            reason: match status.last_reason {
                None => DUNLIN_NOT_REJECTED,
                Some(RejectionReason::Instances) => DUNLIN_REJECTED_BY_INSTANCES,
                Some(RejectionReason::Samples) => DUNLIN_REJECTED_BY_SAMPLES,
                Some(RejectionReason::SamplesPerInstance) => {
                    DUNLIN_REJECTED_BY_SAMPLES_PER_INSTANCE
                }
            },
            ..Self::counted(kind, total, change, status.last_instance.0)
        }
    }

    pub(crate) fn inconsistent(status: &InconsistentTopicStatus) -> Self {
        let (total, change) = (status.total_count, status.total_count_change);
        let kind = StatusKind::InconsistentTopic;
        Self::counted(kind, total, change, status.last_endpoint.to_bytes())
    }
}

/// One bit of a status that there is.
fn one(bit: u32) -> Outcome<StatusKind> {
    let found = StatusKind::ALL.into_iter().find(|kind| *kind as u32 == bit);
    found.ok_or_else(|| Failure::bad(format!("the argument kind, {bit:#x}, is no status")))
}

#[cold]
fn none_of(handle: dunlin_handle, kind: StatusKind) -> Failure {
    Failure::illegal(format!("{} has no status {kind}", kind_of(handle)))
}

/// What a status of an entity is, and what is said of it.
fn status_of(handle: dunlin_handle, kind: StatusKind) -> Outcome<dunlin_status> {
    let pin = object::any(handle, "an entity")?;
    Ok(match (&pin.object, kind) {
        (Object::Topic(topic), StatusKind::InconsistentTopic) => {
            dunlin_status::inconsistent(&topic.inconsistent_topic_status())
        }
        (Object::Writer(writer), _) => {
            let writer = &writer.core;
            match kind {
                StatusKind::OfferedDeadlineMissed => {
                    dunlin_status::deadline(kind, &writer.offered_deadline_missed_status())
                }
                StatusKind::OfferedIncompatibleQos => {
                    dunlin_status::incompatible(kind, &writer.offered_incompatible_qos_status())
                }
                StatusKind::LivelinessLost => {
                    dunlin_status::count(kind, &writer.liveliness_lost_status())
                }
                StatusKind::PublicationMatched => {
                    dunlin_status::matched(kind, &writer.publication_matched_status())
                }
                _ => return Err(none_of(handle, kind)),
            }
        }
        (Object::Reader(reader), _) => {
            let reader = &reader.core;
            match kind {
                StatusKind::RequestedDeadlineMissed => {
                    dunlin_status::deadline(kind, &reader.requested_deadline_missed_status())
                }
                StatusKind::RequestedIncompatibleQos => {
                    dunlin_status::incompatible(kind, &reader.requested_incompatible_qos_status())
                }
                StatusKind::SampleLost => dunlin_status::count(kind, &reader.sample_lost_status()),
                StatusKind::SampleRejected => {
                    dunlin_status::rejected(&reader.sample_rejected_status())
                }
                StatusKind::LivelinessChanged => {
                    dunlin_status::liveliness(&reader.liveliness_changed_status())
                }
                StatusKind::SubscriptionMatched => {
                    dunlin_status::matched(kind, &reader.subscription_matched_status())
                }
                _ => return Err(none_of(handle, kind)),
            }
        }
        _ => return Err(none_of(handle, kind)),
    })
}

fn incompatible(handle: dunlin_handle) -> Outcome<IncompatibleQosStatus> {
    let pin = object::any(handle, "a writer or a reader")?;
    match &pin.object {
        Object::Writer(writer) => Ok(writer.core.offered_incompatible_qos_status()),
        Object::Reader(reader) => Ok(reader.core.requested_incompatible_qos_status()),
        _ => Err(Failure::illegal(format!(
            "{} has no status of incompatible QoS",
            kind_of(handle)
        ))),
    }
}

/// A status of an entity; `kind` is one of the status bits. Reading it resets its changes.
///
/// @return ILLEGAL_OPERATION if that kind of entity has no such status.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_get(
    entity: dunlin_handle,
    kind: u32,
    status: Out<'_, dunlin_status>,
) -> i32 {
    entry(|| {
        let status = status.required("status")?;
        status.put(status_of(entity, one(kind)?)?);
        Ok(())
    })
}

/// Which statuses of an entity changed and were not read yet.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_changes(entity: dunlin_handle, mask: Out<'_, u32>) -> i32 {
    entry(|| {
        let mask = mask.required("mask")?;
        let pin = object::any(entity, "an entity")?;
        mask.put(bits(match &pin.object {
            Object::Topic(topic) => topic.status_changes(),
            Object::Subscriber(subscriber) => subscriber.status_changes(),
            Object::Writer(writer) => writer.core.status_changes(),
            Object::Reader(reader) => reader.core.status_changes(),
            Object::Participant(_) | Object::Publisher(_) => StatusMask::NONE,
            _ => return Err(Failure::handle(entity, "an entity", None)),
        }));
        Ok(())
    })
}

/// Each policy that stood in the way of the last endpoint that did not match, with both values; a
/// line each. Of a topic how the type of the last endpoint differs. Resets the change of the
/// status.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_reasons(entity: dunlin_handle, text: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let text = text.required("text")?;
        let pin = object::any(entity, "a topic, a writer or a reader")?;
        let words = match &pin.object {
            Object::Topic(topic) => topic.inconsistent_topic_status().last_difference,
            _ => incompatible(entity)?.last_reasons.join("\n"),
        };
        text.put(dunlin_block::text(&words));
        Ok(())
    })
}

/// How often each policy stood in the way. `count` is how many there are; as many as `room` allows
/// are written. Resets the change of the status.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_policies(
    entity: dunlin_handle,
    policies: OutArray<'_, dunlin_policy_count>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let count = count.required("count")?;
        let policies = policies.slice(room, "policies")?;
        let all = incompatible(entity)?.policies;
        for (place, (policy, count)) in policies.iter_mut().zip(&all) {
            *place = dunlin_policy_count {
                policy: *policy as i32,
                count: *count,
            };
        }
        count.put(all.len() as u64);
        Ok(())
    })
}
