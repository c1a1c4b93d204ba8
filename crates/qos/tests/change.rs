//! Which policies may change while an entity is enabled, row by row of the standard's table (DDS
//! 1.4 2.2.3, column "changeable").
use dunlin_qos::*;

const MOMENT: Duration = Duration::from_millis(7);
const LIMITS: ResourceLimits = ResourceLimits {
    max_samples: Some(7),
    max_instances: None,
    max_samples_per_instance: None,
};
const LIVELINESS: Liveliness = Liveliness {
    kind: LivelinessKind::ManualByTopic,
    lease_duration: MOMENT,
};
const SERVICE: DurabilityService = DurabilityService {
    service_cleanup_delay: MOMENT,
    history: History::KeepAll,
    resource_limits: LIMITS,
};

/// A change, and the policy that forbids it.
type Row<Q> = (fn(&mut Q), Option<PolicyId>);

fn rows<Q: Default + Clone + PartialEq + core::fmt::Debug>(
    check: impl Fn(&Q, &Q) -> Result<(), ImmutablePolicy>,
    rows: &[Row<Q>],
) {
    let current = Q::default();
    assert_eq!(check(&current, &current), Ok(()));
    for (change, forbidden) in rows {
        let mut wanted = current.clone();
        change(&mut wanted);
        assert_ne!(wanted, current, "{forbidden:?} is not changed");
        let refused = check(&current, &wanted).err();
        assert_eq!(refused.as_ref().map(|e| e.policy), *forbidden, "{wanted:?}");
        if let Some(refused) = refused {
            let text = refused.to_string();
            let words = [refused.policy.name(), &refused.current, &refused.wanted];
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
    }
}

#[test]
fn of_a_writer() {
    use PolicyId::*;
    rows::<DataWriterQos>(
        DataWriterQos::check_change,
        &[
            (|q| q.user_data = vec![1], None),
            (|q| q.deadline = MOMENT, None),
            (|q| q.latency_budget = MOMENT, None),
            (|q| q.ownership_strength = 7, None),
            (|q| q.transport_priority = 7, None),
            (|q| q.lifespan = MOMENT, None),
            (
                |q| q.writer_data_lifecycle.autodispose_unregistered_instances = false,
                None,
            ),
            (
                |q| q.durability = dunlin_qos::Durability::Persistent,
                Some(Durability),
            ),
            (|q| q.durability_service = SERVICE, Some(DurabilityService)),
            (|q| q.liveliness = LIVELINESS, Some(Liveliness)),
            (
                |q| q.reliability = dunlin_qos::Reliability::BEST_EFFORT,
                Some(Reliability),
            ),
            (
                |q| q.reliability.max_blocking_time = MOMENT,
                Some(Reliability),
            ),
            (
                |q| q.destination_order = dunlin_qos::DestinationOrder::BySourceTimestamp,
                Some(DestinationOrder),
            ),
            (|q| q.history = dunlin_qos::History::KeepAll, Some(History)),
            (|q| q.resource_limits = LIMITS, Some(ResourceLimits)),
            (
                |q| q.ownership = dunlin_qos::Ownership::Exclusive,
                Some(Ownership),
            ),
            (
                |q| q.representation = dunlin_qos::DataRepresentation::Xcdr2,
                Some(DataRepresentation),
            ),
            (|q| q.batching.max_bytes = 7, Some(Batching)),
        ],
    );
}

#[test]
fn of_a_reader() {
    use PolicyId::*;
    rows::<DataReaderQos>(
        DataReaderQos::check_change,
        &[
            (|q| q.user_data = vec![1], None),
            (|q| q.deadline = MOMENT, None),
            (|q| q.latency_budget = MOMENT, None),
            (|q| q.time_based_filter = MOMENT, None),
            (
                |q| q.reader_data_lifecycle.autopurge_disposed_samples_delay = MOMENT,
                None,
            ),
            (
                |q| q.durability = dunlin_qos::Durability::Persistent,
                Some(Durability),
            ),
            (|q| q.liveliness = LIVELINESS, Some(Liveliness)),
            (
                |q| q.reliability = dunlin_qos::Reliability::RELIABLE,
                Some(Reliability),
            ),
            (
                |q| q.destination_order = dunlin_qos::DestinationOrder::BySourceTimestamp,
                Some(DestinationOrder),
            ),
            (|q| q.history = dunlin_qos::History::KeepAll, Some(History)),
            (|q| q.resource_limits = LIMITS, Some(ResourceLimits)),
            (
                |q| q.ownership = dunlin_qos::Ownership::Exclusive,
                Some(Ownership),
            ),
            (|q| q.representation.truncate(1), Some(DataRepresentation)),
            (
                |q| q.multicast.push([239, 255, 1, 1].into()),
                Some(TransportMulticast),
            ),
        ],
    );
}

#[test]
fn of_topics_publishers_and_subscribers() {
    use PolicyId::*;
    rows::<TopicQos>(
        TopicQos::check_change,
        &[
            (|q| q.topic_data = vec![1], None),
            (|q| q.deadline = MOMENT, None),
            (|q| q.latency_budget = MOMENT, None),
            (|q| q.transport_priority = 7, None),
            (|q| q.lifespan = MOMENT, None),
            (
                |q| q.durability = dunlin_qos::Durability::Persistent,
                Some(Durability),
            ),
            (|q| q.durability_service = SERVICE, Some(DurabilityService)),
            (|q| q.liveliness = LIVELINESS, Some(Liveliness)),
            (
                |q| q.reliability = dunlin_qos::Reliability::RELIABLE,
                Some(Reliability),
            ),
            (|q| q.history = dunlin_qos::History::KeepAll, Some(History)),
            (|q| q.resource_limits = LIMITS, Some(ResourceLimits)),
            (
                |q| q.ownership = dunlin_qos::Ownership::Exclusive,
                Some(Ownership),
            ),
        ],
    );
    let manual = dunlin_qos::EntityFactory {
        autoenable_created_entities: false,
    };
    assert_ne!(manual, dunlin_qos::EntityFactory::default());
    rows::<PublisherQos>(
        PublisherQos::check_change,
        &[
            (|q| q.partition.0.push("a".into()), None),
            (|q| q.group_data = vec![1], None),
            (
                |q| q.entity_factory.autoenable_created_entities = false,
                None,
            ),
            (
                |q| q.presentation.coherent_access = true,
                Some(Presentation),
            ),
        ],
    );
    rows::<SubscriberQos>(
        SubscriberQos::check_change,
        &[
            (|q| q.partition.0.push("a".into()), None),
            (|q| q.group_data = vec![1], None),
            (
                |q| q.entity_factory.autoenable_created_entities = false,
                None,
            ),
            (|q| q.presentation.ordered_access = true, Some(Presentation)),
        ],
    );
}

#[test]
fn what_a_durability_service_keeps_has_to_agree_with_its_limits() {
    let mut qos = DataWriterQos::default();
    qos.durability_service.history = History::KeepLast(8);
    qos.durability_service
        .resource_limits
        .max_samples_per_instance = Some(7);
    let error = qos.validate().unwrap_err();
    assert_eq!(error.policy(), PolicyId::DurabilityService);
    assert!(error.to_string().contains("depth 8"), "{error}");
    let topic = TopicQos {
        durability_service: qos.durability_service,
        ..TopicQos::default()
    };
    assert_eq!(topic.validate(), Err(error));
    qos.durability_service.history = History::KeepLast(7);
    assert_eq!(qos.validate(), Ok(()));
}

#[test]
fn values_are_shown_in_the_words_of_the_standard() {
    let current = DataWriterQos::default();
    let refused = |wanted| current.check_change(&wanted).unwrap_err().to_string();
    let text = refused(DataWriterQos {
        reliability: Reliability {
            kind: ReliabilityKind::Reliable,
            max_blocking_time: Duration::INFINITE,
        },
        ..current.clone()
    });
    assert!(
        text.starts_with(
            "RELIABILITY is RELIABLE with max_blocking_time 100 ms and cannot become RELIABLE with max_blocking_time infinite"
        ),
        "{text}"
    );
    let text = refused(DataWriterQos {
        history: History::KeepAll,
        ..current.clone()
    });
    assert!(
        text.starts_with("HISTORY is KEEP_LAST 1 and cannot become KEEP_ALL"),
        "{text}"
    );
}

#[test]
fn of_two_topics_only_the_policies_that_differ_are_told() {
    let one = TopicQos::default();
    assert_eq!(one.differences(&one), []);
    let other = TopicQos {
        deadline: Duration::from_secs(10),
        resource_limits: LIMITS,
        ..TopicQos::default()
    };
    let told: Vec<_> = one
        .differences(&other)
        .into_iter()
        .map(|d| format!("{} {} {}", d.policy, d.one, d.other))
        .collect();
    assert_eq!(
        told,
        [
            "DEADLINE infinite 10 s",
            "RESOURCE_LIMITS unlimited 7 samples"
        ]
    );
}
