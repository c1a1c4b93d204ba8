//! The standard's table of policies (DDS 1.4 2.2.3, DDS-XTypes 1.3 7.6.3), row by row: must what is
//! offered fit what is requested, and may it change while an entity is enabled? A policy that is
//! not in the table fails the test.
use dunlin_qos::*;

/// All QoS that a writer and a reader meet with.
#[derive(Clone, Default)]
struct Pair {
    participant: DomainParticipantQos,
    topic: TopicQos,
    writer: DataWriterQos,
    publisher: PublisherQos,
    reader: DataReaderQos,
    subscriber: SubscriberQos,
}

impl Pair {
    fn mismatches(&self) -> Vec<PolicyId> {
        let offered = WriterSide {
            writer: &self.writer,
            publisher: &self.publisher,
        };
        let requested = ReaderSide {
            reader: &self.reader,
            subscriber: &self.subscriber,
        };
        let all = check(&offered, &requested).into_iter();
        all.map(|mismatch| mismatch.policy).collect()
    }

    /// For each entity whose QoS differs, whether it may take over the other.
    fn changes(&self, wanted: &Self) -> Vec<Result<(), PolicyId>> {
        fn one<Q: PartialEq>(
            all: &mut Vec<Result<(), PolicyId>>,
            [current, wanted]: [&Q; 2],
            check: impl Fn(&Q, &Q) -> Result<(), ImmutablePolicy>,
        ) {
            if current != wanted {
                all.push(check(current, wanted).map_err(|error| error.policy));
            }
        }
        let mut all = Vec::new();
        one(
            &mut all,
            [&self.participant, &wanted.participant],
            DomainParticipantQos::check_change,
        );
        one(
            &mut all,
            [&self.topic, &wanted.topic],
            TopicQos::check_change,
        );
        one(
            &mut all,
            [&self.writer, &wanted.writer],
            DataWriterQos::check_change,
        );
        one(
            &mut all,
            [&self.publisher, &wanted.publisher],
            PublisherQos::check_change,
        );
        one(
            &mut all,
            [&self.reader, &wanted.reader],
            DataReaderQos::check_change,
        );
        one(
            &mut all,
            [&self.subscriber, &wanted.subscriber],
            SubscriberQos::check_change,
        );
        all
    }
}

/// How the standard calls it.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    Yes,
    No,
}
use Column::{No, Yes};

struct Row {
    policy: PolicyId,
    rxo: Column,
    changeable: Column,
    /// To how many kinds of entities it belongs.
    entities: usize,
    /// From a pair that fits to one in which the reader asks for more than the writer offers, or
    /// which just differs.
    differ: fn(&mut Pair),
    /// Another value for each entity that has the policy.
    change: fn(&mut Pair),
}

const MOMENT: Duration = Duration::from_millis(7);

fn limits() -> dunlin_qos::ResourceLimits {
    dunlin_qos::ResourceLimits {
        max_samples: Some(7),
        ..Default::default()
    }
}

fn named() -> Properties {
    Properties::default().with("place", "mudflat")
}

fn row(
    policy: PolicyId,
    (rxo, changeable, entities): (Column, Column, usize),
    differ: fn(&mut Pair),
    change: fn(&mut Pair),
) -> Row {
    Row {
        policy,
        rxo,
        changeable,
        entities,
        differ,
        change,
    }
}

/// The same for topic, writer and reader.
macro_rules! three {
    ($field:ident $(. $part:ident)? = $value:expr) => {
        |p| {
            p.topic.$field$(.$part)? = $value;
            p.writer.$field$(.$part)? = $value;
            p.reader.$field$(.$part)? = $value;
        }
    };
}

fn opaque() -> [Row; 5] {
    use PolicyId::*;
    [
        row(
            UserData,
            (No, Yes, 2),
            |p| p.writer.user_data = vec![1],
            |p| (p.writer.user_data, p.reader.user_data) = (vec![1], vec![1]),
        ),
        row(
            TopicData,
            (No, Yes, 1),
            |_| {},
            |p| p.topic.topic_data = vec![1],
        ),
        row(
            GroupData,
            (No, Yes, 2),
            |p| p.publisher.group_data = vec![1],
            |p| (p.publisher.group_data, p.subscriber.group_data) = (vec![1], vec![1]),
        ),
        row(
            EntityName,
            (No, No, 5),
            |p| p.reader.entity_name = "left".into(),
            |p| {
                p.participant.entity_name = "left".into();
                p.publisher.entity_name = "left".into();
                p.subscriber.entity_name = "left".into();
                p.writer.entity_name = "left".into();
                p.reader.entity_name = "left".into();
            },
        ),
        // DDS-Security 1.1 7.2.5.
        row(
            Property,
            (No, Yes, 3),
            |p| p.writer.property = named(),
            |p| {
                p.participant.property = named();
                p.writer.property = named();
                p.reader.property = named();
            },
        ),
    ]
}

fn delivery() -> [Row; 8] {
    use PolicyId::*;
    [
        row(
            Durability,
            (Yes, No, 3),
            |p| p.reader.durability = dunlin_qos::Durability::TransientLocal,
            three!(durability = dunlin_qos::Durability::Persistent),
        ),
        row(
            DurabilityService,
            (No, No, 2),
            |p| p.writer.durability_service.service_cleanup_delay = MOMENT,
            |p| {
                p.topic.durability_service.service_cleanup_delay = MOMENT;
                p.writer.durability_service.service_cleanup_delay = MOMENT;
            },
        ),
        row(
            Presentation,
            (Yes, No, 2),
            |p| p.subscriber.presentation.ordered_access = true,
            |p| {
                p.publisher.presentation.coherent_access = true;
                p.subscriber.presentation.coherent_access = true;
            },
        ),
        row(
            Reliability,
            (Yes, No, 3),
            |p| {
                p.writer.reliability = dunlin_qos::Reliability::BEST_EFFORT;
                p.reader.reliability = dunlin_qos::Reliability::RELIABLE;
            },
            three!(reliability.max_blocking_time = MOMENT),
        ),
        row(
            DestinationOrder,
            (Yes, No, 3),
            |p| p.reader.destination_order = dunlin_qos::DestinationOrder::BySourceTimestamp,
            three!(destination_order = dunlin_qos::DestinationOrder::BySourceTimestamp),
        ),
        row(
            History,
            (No, No, 3),
            |p| p.reader.history = dunlin_qos::History::KeepAll,
            three!(history = dunlin_qos::History::KeepAll),
        ),
        row(
            ResourceLimits,
            (No, No, 3),
            |p| p.reader.resource_limits = limits(),
            three!(resource_limits = limits()),
        ),
        row(
            DataRepresentation,
            (Yes, No, 3),
            |p| p.reader.representation = vec![dunlin_qos::DataRepresentation::Xcdr2],
            |p| {
                p.topic.representation.truncate(1);
                p.writer.representation = dunlin_qos::DataRepresentation::Xcdr2;
                p.reader.representation.truncate(1);
            },
        ),
    ]
}

fn times() -> [Row; 5] {
    use PolicyId::*;
    [
        row(
            Deadline,
            (Yes, Yes, 3),
            |p| p.reader.deadline = MOMENT,
            three!(deadline = MOMENT),
        ),
        row(
            LatencyBudget,
            (Yes, Yes, 3),
            |p| p.writer.latency_budget = MOMENT,
            three!(latency_budget = MOMENT),
        ),
        row(
            Liveliness,
            (Yes, No, 3),
            |p| p.reader.liveliness.lease_duration = MOMENT,
            three!(liveliness.lease_duration = MOMENT),
        ),
        row(
            TimeBasedFilter,
            (No, Yes, 1),
            |p| p.reader.time_based_filter = MOMENT,
            |p| p.reader.time_based_filter = MOMENT,
        ),
        row(
            Lifespan,
            (No, Yes, 2),
            |p| p.writer.lifespan = MOMENT,
            |p| (p.topic.lifespan, p.writer.lifespan) = (MOMENT, MOMENT),
        ),
    ]
}

fn others() -> [Row; 8] {
    use PolicyId::*;
    [
        row(
            Ownership,
            (Yes, No, 3),
            |p| p.reader.ownership = dunlin_qos::Ownership::Exclusive,
            three!(ownership = dunlin_qos::Ownership::Exclusive),
        ),
        row(
            OwnershipStrength,
            (No, Yes, 1),
            |p| p.writer.ownership_strength = 7,
            |p| p.writer.ownership_strength = 7,
        ),
        // Of types, which are compared apart from the policies.
        row(
            TypeConsistencyEnforcement,
            (No, No, 1),
            |p| p.reader.type_consistency.force_type_validation = true,
            |p| p.reader.type_consistency = dunlin_qos::TypeConsistencyEnforcement::DISALLOW,
        ),
        // Those of different partitions ignore each other without a word.
        row(
            Partition,
            (No, Yes, 2),
            |p| p.publisher.partition.0.push("a".into()),
            |p| {
                p.publisher.partition.0.push("a".into());
                p.subscriber.partition.0.push("a".into());
            },
        ),
        row(
            TransportPriority,
            (No, Yes, 2),
            |p| p.writer.transport_priority = 7,
            |p| (p.topic.transport_priority, p.writer.transport_priority) = (7, 7),
        ),
        row(
            EntityFactory,
            (No, Yes, 2),
            |p| p.publisher.entity_factory.autoenable_created_entities = false,
            |p| {
                p.publisher.entity_factory.autoenable_created_entities = false;
                p.subscriber.entity_factory.autoenable_created_entities = false;
            },
        ),
        row(
            WriterDataLifecycle,
            (No, Yes, 1),
            |p| {
                p.writer
                    .writer_data_lifecycle
                    .autodispose_unregistered_instances = false
            },
            |p| {
                p.writer
                    .writer_data_lifecycle
                    .autodispose_unregistered_instances = false
            },
        ),
        row(
            ReaderDataLifecycle,
            (No, Yes, 1),
            |p| {
                p.reader
                    .reader_data_lifecycle
                    .autopurge_nowriter_samples_delay = MOMENT
            },
            |p| {
                p.reader
                    .reader_data_lifecycle
                    .autopurge_disposed_samples_delay = MOMENT
            },
        ),
    ]
}

fn rows() -> Vec<Row> {
    let mut all: Vec<_> = opaque().into_iter().collect();
    all.extend(delivery());
    all.extend(times());
    all.extend(others());
    all
}

/// A pair in which nothing is asked for that is not offered, and every policy can ask for more.
fn fitting() -> Pair {
    let pair = Pair::default();
    assert_eq!(pair.mismatches(), []);
    pair
}

#[test]
fn what_must_fit_must_fit_and_nothing_else() {
    for row in rows() {
        let mut pair = fitting();
        (row.differ)(&mut pair);
        let expected = match row.rxo {
            Yes => vec![row.policy],
            No => vec![],
        };
        assert_eq!(pair.mismatches(), expected, "{}", row.policy);
    }
}

#[test]
fn what_may_change_may_change_and_nothing_else() {
    for row in rows() {
        let current = fitting();
        let mut wanted = current.clone();
        (row.change)(&mut wanted);
        let expected = match row.changeable {
            Yes => Ok(()),
            No => Err(row.policy),
        };
        let all = vec![expected; row.entities];
        assert_eq!(current.changes(&wanted), all, "{}", row.policy);
    }
}

#[test]
fn no_policy_is_left_out() {
    let rows = rows();
    // Dunlin's own.
    let elsewhere = [PolicyId::TransportMulticast, PolicyId::Batching];
    for policy in PolicyId::ALL {
        let times = rows.iter().filter(|row| row.policy == *policy).count();
        let expected = usize::from(!elsewhere.contains(policy));
        assert_eq!(times, expected, "{policy}");
    }
}

/// Every combination of scope and both kinds of access, offered and requested.
#[test]
fn presentation_fits_if_each_of_its_parts_does() {
    let mut all = Vec::new();
    for access_scope in AccessScope::ALL {
        for flags in 0..4 {
            all.push(dunlin_qos::Presentation {
                access_scope: *access_scope,
                coherent_access: flags & 1 != 0,
                ordered_access: flags & 2 != 0,
            });
        }
    }
    let rank = |scope| AccessScope::ALL.iter().position(|s| *s == scope);
    for offered in &all {
        for requested in &all {
            let fits = rank(requested.access_scope) <= rank(offered.access_scope)
                && (!requested.coherent_access || offered.coherent_access)
                && (!requested.ordered_access || offered.ordered_access);
            let mut pair = fitting();
            pair.publisher.presentation = *offered;
            pair.subscriber.presentation = *requested;
            let found = pair.mismatches().is_empty();
            assert_eq!(found, fits, "{offered} for {requested}");
        }
    }
}

/// Every kind with every lease, offered and requested.
#[test]
fn liveliness_fits_if_kind_and_lease_do() {
    let leases = [MOMENT, Duration::from_secs(1), Duration::INFINITE];
    let mut all = Vec::new();
    for (rank, kind) in LivelinessKind::ALL.iter().enumerate() {
        for (nth, lease_duration) in leases.into_iter().enumerate() {
            let kind = *kind;
            all.push((
                rank,
                nth,
                dunlin_qos::Liveliness {
                    kind,
                    lease_duration,
                },
            ));
        }
    }
    for (kind, lease, offered) in &all {
        for (asked, longest, requested) in &all {
            let mut pair = fitting();
            pair.writer.liveliness = *offered;
            pair.reader.liveliness = *requested;
            let fits = kind >= asked && lease <= longest;
            let found = pair.mismatches().is_empty();
            assert_eq!(found, fits, "{offered} for {requested}");
        }
    }
}

/// DDS-XTypes 1.3 7.6.3.7.
#[test]
fn types_may_differ_unless_somebody_says_otherwise() {
    let usual = DataReaderQos::default().type_consistency;
    assert_eq!(usual.kind, TypeConsistencyKind::AllowTypeCoercion);
    assert!(usual.ignore_sequence_bounds && usual.ignore_string_bounds);
    assert!(!usual.ignore_member_names && !usual.prevent_type_widening);
    assert!(!usual.force_type_validation && !usual.wants_same());
    assert_eq!(usual.to_string(), "ALLOW_TYPE_COERCION");
    let strict = TypeConsistencyEnforcement {
        force_type_validation: true,
        ..TypeConsistencyEnforcement::DISALLOW
    };
    assert!(strict.wants_same() && TypeConsistencyEnforcement::DISALLOW.wants_same());
    let said = "DISALLOW_TYPE_COERCION with force_type_validation";
    assert_eq!(strict.to_string(), said);
}
