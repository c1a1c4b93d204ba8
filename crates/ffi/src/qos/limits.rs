//! Numbers of policies, as the ABI has them: checked, and back.
use crate::error::{Failure, Outcome};
use dunlin::{
    AccessScope, DataRepresentation, DestinationOrder, Durability, DurabilityService, Duration,
    History, Liveliness, LivelinessKind, Ownership, Reliability, ReliabilityKind, ResourceLimits,
};

/// A duration in nanoseconds; the largest number is infinite.
pub(crate) fn duration(nanos: i64, name: &str) -> Outcome<Duration> {
    match nanos < 0 {
        false => Ok(Duration::from_nanos(nanos)),
        true => Err(Failure::bad(format!(
            "{name} is {nanos} ns: a duration is not negative"
        ))),
    }
}

/// A policy's value, by its number.
pub(super) fn enumerator<E: Copy>(all: &[(i32, E)], number: i32, name: &str) -> Outcome<E> {
    let found = all.iter().find(|(known, _)| *known == number);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|(known, _)| known.to_string()).collect();
        Failure::bad(format!(
            "{name} is {number}: {} are allowed",
            known.join(", ")
        ))
    })
}

/// The number of a policy's value.
pub(super) fn number<E: Copy + PartialEq>(all: &[(i32, E)], value: E) -> i32 {
    let found = all.iter().find(|(_, known)| *known == value);
    found.map_or(0, |(number, _)| *number)
}

pub(super) const DURABILITY: [(i32, Durability); 4] = [
    (0, Durability::Volatile),
    (1, Durability::TransientLocal),
    (2, Durability::Transient),
    (3, Durability::Persistent),
];

pub(super) const RELIABILITY: [(i32, ReliabilityKind); 2] = [
    (0, ReliabilityKind::BestEffort),
    (1, ReliabilityKind::Reliable),
];

pub(super) const LIVELINESS: [(i32, LivelinessKind); 3] = [
    (0, LivelinessKind::Automatic),
    (1, LivelinessKind::ManualByParticipant),
    (2, LivelinessKind::ManualByTopic),
];

pub(super) const OWNERSHIP: [(i32, Ownership); 2] =
    [(0, Ownership::Shared), (1, Ownership::Exclusive)];

pub(super) const DESTINATION_ORDER: [(i32, DestinationOrder); 2] = [
    (0, DestinationOrder::ByReceptionTimestamp),
    (1, DestinationOrder::BySourceTimestamp),
];

pub(super) const ACCESS_SCOPE: [(i32, AccessScope); 3] = [
    (0, AccessScope::Instance),
    (1, AccessScope::Topic),
    (2, AccessScope::Group),
];

pub(super) const REPRESENTATION: [(i32, DataRepresentation); 3] = [
    (0, DataRepresentation::Xcdr1),
    (1, DataRepresentation::Xml),
    (2, DataRepresentation::Xcdr2),
];

/// A kind and a depth, which counts for KEEP_LAST alone.
pub(super) fn history(kind: i32, depth: i32, name: &str) -> Outcome<History> {
    match (kind, u32::try_from(depth)) {
        (0, Ok(depth)) => Ok(History::KeepLast(depth)),
        (0, Err(_)) => Err(Failure::bad(format!(
            "the depth of {name} is {depth}: it is at least 1"
        ))),
        (1, _) => Ok(History::KeepAll),
        (kind, _) => Err(Failure::bad(format!("{name} is {kind}: 0, 1 are allowed"))),
    }
}

pub(super) fn history_numbers(history: History) -> (i32, i32) {
    match history {
        History::KeepLast(depth) => (0, i32::try_from(depth).unwrap_or(i32::MAX)),
        History::KeepAll => (1, 1),
    }
}

fn limit(number: i32, name: &str) -> Outcome<Option<u32>> {
    match (number, u32::try_from(number)) {
        (-1, _) => Ok(None),
        (_, Ok(number)) => Ok(Some(number)),
        (number, Err(_)) => Err(Failure::bad(format!(
            "{name} is {number}: a limit is not negative, or -1 for none"
        ))),
    }
}

fn limit_number(limit: Option<u32>) -> i32 {
    limit.map_or(-1, |limit| i32::try_from(limit).unwrap_or(i32::MAX))
}

pub(super) fn resource_limits(numbers: [i32; 3]) -> Outcome<ResourceLimits> {
    let [samples, instances, samples_per_instance] = numbers;
    Ok(ResourceLimits {
        max_samples: limit(samples, "max_samples")?,
        max_instances: limit(instances, "max_instances")?,
        max_samples_per_instance: limit(samples_per_instance, "max_samples_per_instance")?,
    })
}

pub(super) fn limit_numbers(limits: ResourceLimits) -> [i32; 3] {
    [
        limit_number(limits.max_samples),
        limit_number(limits.max_instances),
        limit_number(limits.max_samples_per_instance),
    ]
}

pub(super) fn liveliness(kind: i32, lease_duration: i64) -> Outcome<Liveliness> {
    Ok(Liveliness {
        kind: enumerator(&LIVELINESS, kind, "liveliness")?,
        lease_duration: duration(lease_duration, "lease_duration")?,
    })
}

pub(super) fn reliability(kind: i32, max_blocking_time: i64) -> Outcome<Reliability> {
    Ok(Reliability {
        kind: enumerator(&RELIABILITY, kind, "reliability")?,
        max_blocking_time: duration(max_blocking_time, "max_blocking_time")?,
    })
}

pub(super) fn destination_order(number: i32) -> Outcome<DestinationOrder> {
    enumerator(&DESTINATION_ORDER, number, "destination_order")
}

/// `depth` is that of the history, `limits` are those of samples, instances, samples of each.
pub(super) fn durability_service(
    cleanup_delay: i64,
    kind: i32,
    depth: i32,
    limits: [i32; 3],
) -> Outcome<DurabilityService> {
    Ok(DurabilityService {
        service_cleanup_delay: duration(cleanup_delay, "service_cleanup_delay")?,
        history: history(kind, depth, "service_history")?,
        resource_limits: resource_limits(limits)?,
    })
}

/// The number of a representation.
pub(crate) fn representation_number(representation: DataRepresentation) -> i32 {
    number(&REPRESENTATION, representation)
}

/// A list of representations as bits, of which each has the number of one.
pub(super) fn representations(bits: i32) -> Outcome<Vec<DataRepresentation>> {
    let known = REPRESENTATION
        .iter()
        .fold(0, |bits, (number, _)| bits | 1 << number);
    if bits & !known != 0 {
        return Err(Failure::bad(format!(
            "representations is {bits:#x}: the bits {known:#x} are allowed"
        )));
    }
    let named = REPRESENTATION
        .iter()
        .filter(|(number, _)| bits & 1 << number != 0);
    Ok(named.map(|(_, representation)| *representation).collect())
}

pub(super) fn representation_bits(list: &[DataRepresentation]) -> i32 {
    let bits = list.iter().map(|one| 1 << number(&REPRESENTATION, *one));
    bits.fold(0, |all, bit| all | bit)
}
