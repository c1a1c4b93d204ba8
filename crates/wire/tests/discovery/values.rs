//! Values of what discovery data have.
use dunlin_qos::*;
use dunlin_wire::*;
use proptest::prelude::*;

pub(super) fn guid() -> impl Strategy<Value = Guid> {
    any::<[u8; 16]>().prop_map(Guid::from_bytes)
}

pub(super) fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9_:/<>, ]{0,40}", "[^\0]{0,20}", "x{256}"]
}

pub(super) fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        Just(Duration::INFINITE),
        (0..1_i64 << 60).prop_map(Duration::from_nanos)
    ]
}

pub(super) fn octets() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..50)
}

pub(super) fn locators() -> impl Strategy<Value = Vec<Locator>> {
    let one = (1..i32::MAX, any::<u32>(), any::<[u8; 16]>());
    let one = one.prop_map(|(kind, port, address)| Locator {
        kind,
        port,
        address,
    });
    proptest::collection::hash_set(one, 0..=MAX_LOCATORS).prop_map(|set| set.into_iter().collect())
}

pub(super) fn one_of<T: Clone + core::fmt::Debug + 'static>(
    kinds: &'static [T],
) -> impl Strategy<Value = T> {
    proptest::sample::select(kinds)
}

/// The policies that writers and readers have in common.
pub(super) fn policies() -> impl Strategy<Value = DataWriterQos> {
    use Durability::*;
    let first = (
        one_of(&[Volatile, TransientLocal, Transient, Persistent]),
        (duration(), duration(), duration(), duration(), duration()),
        one_of(&[
            LivelinessKind::Automatic,
            LivelinessKind::ManualByParticipant,
            LivelinessKind::ManualByTopic,
        ]),
        one_of(&[ReliabilityKind::BestEffort, ReliabilityKind::Reliable]),
        one_of(&[
            DestinationOrder::ByReceptionTimestamp,
            DestinationOrder::BySourceTimestamp,
        ]),
        prop_oneof![
            Just(History::KeepAll),
            (1..i32::MAX as u32).prop_map(History::KeepLast)
        ],
    );
    let second = (
        (limit(), limit(), limit()),
        octets(),
        one_of(&[Ownership::Shared, Ownership::Exclusive]),
        any::<i32>(),
        one_of(&[
            DataRepresentation::Xcdr1,
            DataRepresentation::Xml,
            DataRepresentation::Xcdr2,
        ]),
    );
    (first, second).prop_map(|(first, second)| {
        let (durability, durations, liveliness, reliability, destination_order, history) = first;
        let (deadline, latency_budget, lifespan, lease_duration, max_blocking_time) = durations;
        let (limits, user_data, ownership, ownership_strength, representation) = second;
        DataWriterQos {
            durability,
            deadline,
            latency_budget,
            lifespan,
            liveliness: Liveliness {
                kind: liveliness,
                lease_duration,
            },
            reliability: Reliability {
                kind: reliability,
                max_blocking_time,
            },
            destination_order,
            history,
            resource_limits: ResourceLimits {
                max_samples: limits.0,
                max_instances: limits.1,
                max_samples_per_instance: limits.2,
            },
            durability_service: DurabilityService {
                service_cleanup_delay: max_blocking_time,
                history,
                resource_limits: ResourceLimits {
                    max_samples: limits.2,
                    ..ResourceLimits::default()
                },
            },
            transport_priority: ownership_strength,
            user_data,
            ownership,
            ownership_strength,
            representation,
            ..DataWriterQos::default()
        }
    })
}

/// As it comes back: padded to a multiple of 4 bytes.
pub(super) fn type_information() -> impl Strategy<Value = Option<EncodedTypeInformation>> {
    let words = proptest::collection::vec(any::<[u8; 4]>(), 1..50);
    let told = (words, any::<bool>()).prop_map(|(words, for_dunlin)| EncodedTypeInformation {
        for_dunlin,
        ..EncodedTypeInformation::little_endian(words.concat())
    });
    proptest::option::of(told)
}

pub(super) fn limit() -> impl Strategy<Value = Option<u32>> {
    proptest::option::of(1..i32::MAX as u32)
}

pub(super) fn group() -> impl Strategy<Value = PublisherQos> {
    let presentation = (
        one_of(&[
            AccessScope::Instance,
            AccessScope::Topic,
            AccessScope::Group,
        ]),
        any::<bool>(),
        any::<bool>(),
    );
    let partition = proptest::collection::vec(name(), 0..5);
    (presentation, partition, octets()).prop_map(|(presentation, partition, group_data)| {
        let (access_scope, coherent_access, ordered_access) = presentation;
        PublisherQos {
            presentation: Presentation {
                access_scope,
                coherent_access,
                ordered_access,
            },
            partition: Partition(partition),
            group_data,
            ..PublisherQos::default()
        }
    })
}

pub(super) fn content_filter() -> impl Strategy<Value = ContentFilterProperty> {
    let parameters = prop::collection::vec("[^\\x00]{0,9}", 0..4);
    let text = || "[^\\x00]{0,40}";
    (name(), name(), name(), text(), parameters).prop_map(
        |(topic, related_topic, class, expression, parameters)| ContentFilterProperty {
            topic,
            related_topic,
            class,
            expression,
            parameters,
        },
    )
}

pub(super) fn type_consistency() -> impl Strategy<Value = TypeConsistencyEnforcement> {
    let kind = one_of(TypeConsistencyKind::ALL);
    (kind, any::<[bool; 5]>()).prop_map(|(kind, options)| TypeConsistencyEnforcement {
        kind,
        ignore_sequence_bounds: options[0],
        ignore_string_bounds: options[1],
        ignore_member_names: options[2],
        prevent_type_widening: options[3],
        force_type_validation: options[4],
    })
}

pub(super) fn properties() -> impl Strategy<Value = Properties> {
    let texts = proptest::collection::vec((name(), name()), 0..5);
    let bytes = proptest::collection::vec((name(), octets()), 0..3);
    let propagate = true;
    let text = move |(name, value)| Property {
        name,
        value,
        propagate,
    };
    let binary = move |(name, value)| BinaryProperty {
        name,
        value,
        propagate,
    };
    (texts, bytes).prop_map(move |(texts, bytes)| Properties {
        values: texts.into_iter().map(text).collect(),
        binary_values: bytes.into_iter().map(binary).collect(),
    })
}
