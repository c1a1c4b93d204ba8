//! Requested versus offered, row by row of the standard's tables (DDS 1.4 2.2.3).
use dunlin_qos::{
    AccessScope, DataReaderQos, DataRepresentation, DataWriterQos, DestinationOrder, Durability,
    Duration, Incompatibility, Liveliness, LivelinessKind, Ownership, PolicyId, Presentation,
    PublisherQos, ReaderSide, Reliability, SubscriberQos, WriterSide, check,
};

#[derive(Default)]
struct Pair {
    writer: DataWriterQos,
    publisher: PublisherQos,
    reader: DataReaderQos,
    subscriber: SubscriberQos,
}

impl Pair {
    fn check(&self) -> Vec<Incompatibility> {
        let offered = WriterSide {
            writer: &self.writer,
            publisher: &self.publisher,
        };
        let requested = ReaderSide {
            reader: &self.reader,
            subscriber: &self.subscriber,
        };
        check(&offered, &requested)
    }
}

/// Every combination of `values`, offered in rows and requested in columns, against the table's
/// expectation.
fn table<T: Copy + core::fmt::Debug, const N: usize>(
    policy: PolicyId,
    values: [T; N],
    expected: [[u8; N]; N],
    set: impl Fn(&mut Pair, T, T),
) {
    for (offered, row) in values.iter().zip(expected) {
        for (requested, suits) in values.iter().zip(row) {
            let mut pair = Pair::default();
            set(&mut pair, *offered, *requested);
            let policies: Vec<_> = pair.check().iter().map(|i| i.policy).collect();
            let expected = if suits == 1 { vec![] } else { vec![policy] };
            assert_eq!(policies, expected, "{offered:?} for {requested:?}");
        }
    }
}

#[test]
fn the_defaults_suit_each_other() {
    assert_eq!(Pair::default().check(), []);
}

#[test]
fn reliability() {
    table(
        PolicyId::Reliability,
        [Reliability::BEST_EFFORT, Reliability::RELIABLE],
        [[1, 0], [1, 1]],
        |p, o, r| (p.writer.reliability, p.reader.reliability) = (o, r),
    );
}

#[test]
fn durability() {
    use Durability::{Persistent, Transient, TransientLocal, Volatile};
    table(
        PolicyId::Durability,
        [Volatile, TransientLocal, Transient, Persistent],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        |p, o, r| (p.writer.durability, p.reader.durability) = (o, r),
    );
}

#[test]
fn presentation() {
    let scope = |access_scope| Presentation {
        access_scope,
        ..Presentation::default()
    };
    table(
        PolicyId::Presentation,
        [
            scope(AccessScope::Instance),
            scope(AccessScope::Topic),
            scope(AccessScope::Group),
        ],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        |p, o, r| (p.publisher.presentation, p.subscriber.presentation) = (o, r),
    );
    let access = |coherent_access, ordered_access| Presentation {
        coherent_access,
        ordered_access,
        ..Presentation::default()
    };
    table(
        PolicyId::Presentation,
        [
            access(false, false),
            access(true, false),
            access(false, true),
            access(true, true),
        ],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]],
        |p, o, r| (p.publisher.presentation, p.subscriber.presentation) = (o, r),
    );
}

#[test]
fn deadline_and_latency_budget() {
    let values = [
        Duration::ZERO,
        Duration::from_millis(10),
        Duration::INFINITE,
    ];
    let expected = [[1, 1, 1], [0, 1, 1], [0, 0, 1]];
    table(PolicyId::Deadline, values, expected, |p, o, r| {
        (p.writer.deadline, p.reader.deadline) = (o, r)
    });
    table(PolicyId::LatencyBudget, values, expected, |p, o, r| {
        (p.writer.latency_budget, p.reader.latency_budget) = (o, r)
    });
}

#[test]
fn ownership() {
    table(
        PolicyId::Ownership,
        [Ownership::Shared, Ownership::Exclusive],
        [[1, 0], [0, 1]],
        |p, o, r| (p.writer.ownership, p.reader.ownership) = (o, r),
    );
}

#[test]
fn liveliness() {
    use LivelinessKind::{Automatic, ManualByParticipant, ManualByTopic};
    let kind = |kind| Liveliness {
        kind,
        lease_duration: Duration::from_secs(1),
    };
    table(
        PolicyId::Liveliness,
        [
            kind(Automatic),
            kind(ManualByParticipant),
            kind(ManualByTopic),
        ],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        |p, o, r| (p.writer.liveliness, p.reader.liveliness) = (o, r),
    );
    let lease = |lease_duration| Liveliness {
        kind: Automatic,
        lease_duration,
    };
    table(
        PolicyId::Liveliness,
        [
            lease(Duration::from_secs(1)),
            lease(Duration::from_secs(2)),
            lease(Duration::INFINITE),
        ],
        [[1, 1, 1], [0, 1, 1], [0, 0, 1]],
        |p, o, r| (p.writer.liveliness, p.reader.liveliness) = (o, r),
    );
}

#[test]
fn destination_order() {
    use DestinationOrder::{ByReceptionTimestamp, BySourceTimestamp};
    table(
        PolicyId::DestinationOrder,
        [ByReceptionTimestamp, BySourceTimestamp],
        [[1, 0], [1, 1]],
        |p, o, r| (p.writer.destination_order, p.reader.destination_order) = (o, r),
    );
}

#[test]
fn data_representation() {
    use DataRepresentation::{Xcdr1, Xcdr2, Xml};
    for (offered, requested, suits) in [
        (Xcdr1, vec![Xcdr1, Xcdr2], true),
        (Xcdr2, vec![Xcdr1, Xcdr2], true),
        (Xcdr1, vec![Xcdr2], false),
        (Xcdr2, vec![Xcdr1], false),
        (Xcdr1, vec![], false),
        (Xcdr1, vec![Xml], false),
    ] {
        let mut pair = Pair::default();
        pair.writer.representation = offered;
        pair.reader.representation = requested.clone();
        assert_eq!(
            pair.check().is_empty(),
            suits,
            "{offered:?} in {requested:?}"
        );
    }
}

#[test]
fn each_mismatch_states_the_policy_and_both_values() {
    let mut pair = Pair::default();
    pair.writer.reliability = Reliability::BEST_EFFORT;
    pair.reader.reliability = Reliability::RELIABLE;
    pair.writer.deadline = Duration::INFINITE;
    pair.reader.deadline = Duration::from_millis(100);
    pair.writer.representation = DataRepresentation::Xcdr2;
    pair.reader.representation = vec![DataRepresentation::Xcdr1, DataRepresentation::Xml];
    pair.reader.liveliness.kind = LivelinessKind::ManualByTopic;
    pair.subscriber.presentation.ordered_access = true;
    let messages: Vec<_> = pair.check().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "PRESENTATION: the writer offers INSTANCE, the reader requests INSTANCE ordered",
            "DEADLINE: the writer offers infinite, the reader requests 100 ms",
            "LIVELINESS: the writer offers AUTOMATIC with lease infinite, the reader requests MANUAL_BY_TOPIC with lease infinite",
            "RELIABILITY: the writer offers BEST_EFFORT, the reader requests RELIABLE",
            "DATA_REPRESENTATION: the writer offers XCDR2, the reader requests XCDR1 or XML",
        ]
    );
}

#[test]
fn what_does_not_concern_the_other_side_is_not_compared() {
    let mut pair = Pair::default();
    pair.writer.history = dunlin_qos::History::KeepAll;
    pair.writer.resource_limits.max_samples = Some(1);
    pair.writer.lifespan = Duration::ZERO;
    pair.writer.user_data = vec![1];
    pair.writer.ownership_strength = 7;
    pair.reader.time_based_filter = Duration::from_secs(1);
    pair.publisher.partition = dunlin_qos::Partition(vec!["a".into()]);
    assert_eq!(pair.check(), []);
}
