//! Which endpoints match, when, and what is said if they do not.
use crate::network::{MS, Network, SECOND};
use dunlin_cdr::{Endianness, Extensibility};
use dunlin_qos::{
    DataRepresentation, Partition, PolicyId, Reliability, TypeConsistencyEnforcement,
};
use dunlin_rtps::discovery::{Event, Explanation, TypeDifference, UnmatchReason};
use dunlin_wire::{
    EncodedTypeInformation, EntityId, EntityKind, Guid, Locator, ReaderData, WriterData,
};
use dunlin_xtypes::{LocalType, TypeIndex, TypeTreeBuilder};

/// A writer in participant 0 and a reader in participant 1, each with changes, after a second.
fn pair(
    writer: impl FnOnce(&mut dunlin_wire::WriterData),
    reader: impl FnOnce(&mut ReaderData),
) -> (Network, Guid, Guid) {
    let mut network = Network::of(2);
    let w = network.writer(0, writer);
    let r = network.reader(1, reader);
    network.run(SECOND);
    (network, w, r)
}

pub(crate) fn said(network: &Network, index: usize, local: Guid) -> Vec<String> {
    let explanations = network.nodes[index]
        .discovery
        .explain(local, str::eq_ignore_ascii_case);
    explanations.iter().map(ToString::to_string).collect()
}

#[test]
fn endpoints_match_within_a_few_exchanges() {
    let mut network = Network::new();
    network.join(|_| {});
    let writer = network.writer(0, |_| {});
    network.run(SECOND);
    network.join(|_| {});
    let reader = network.reader(1, |_| {});
    // Announcement, answer with data, data back: three times 50 us, and no timer.
    network.run(MS / 5);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

#[test]
fn a_late_endpoint_is_told_at_once() {
    let mut network = Network::of(2);
    network.run(10 * SECOND);
    let writer = network.writer(0, |_| {});
    network.run(MS / 10);
    let reader = network.reader(1, |_| {});
    assert_eq!(network.nodes[1].matched(reader), [writer]);
    network.run(MS / 10);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn endpoints_match_in_spite_of_loss() {
    for seed in 0..100 {
        let mut network = Network::with_seed(seed);
        network.loss = 40;
        network.join(|_| {});
        network.join(|_| {});
        let pairs: Vec<_> = (0..5)
            .map(|i| {
                let name = format!("topic {i}");
                let other = name.clone();
                (
                    network.writer(0, |w| w.topic = name),
                    network.reader(1, |r| r.topic = other),
                )
            })
            .collect();
        network.run(15 * SECOND);
        for (writer, reader) in pairs {
            assert_eq!(network.nodes[0].matched(writer), [reader], "seed {seed}");
            assert_eq!(network.nodes[1].matched(reader), [writer], "seed {seed}");
        }
    }
}

#[test]
fn endpoints_of_one_participant_match() {
    let mut network = Network::of(1);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(0, |_| {});
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[0].matched(reader), [writer]);
    let locators = network.nodes[0].events.iter().find_map(|e| match e {
        Event::ReaderMatched { reader, .. } => Some(reader.unicast.clone()),
        _ => None,
    });
    assert_eq!(locators.unwrap().len(), 1, "the participant's own default");
    network.act(0, |d, now, out, events| {
        d.remove_reader(now, reader, out, events);
    });
    assert!(network.nodes[0].matched(writer).is_empty());
    assert!(network.nodes[0].matched(reader).is_empty());
}

#[test]
fn incompatible_qos_is_reported_once_on_both_sides() {
    let (mut network, writer, reader) = pair(
        |w| w.qos.reliability = Reliability::BEST_EFFORT,
        |r| r.qos.reliability = Reliability::RELIABLE,
    );
    network.run(20 * SECOND);
    for (index, local, remote) in [(0, writer, reader), (1, reader, writer)] {
        let reported: Vec<_> = network.nodes[index]
            .events
            .iter()
            .filter_map(|e| match e {
                Event::IncompatibleQos {
                    local: l,
                    remote: r,
                    mismatches,
                } => Some((*l, *r, mismatches[0].policy)),
                _ => None,
            })
            .collect();
        assert_eq!(reported, [(local, remote, PolicyId::Reliability)]);
        assert!(network.nodes[index].matched(local).is_empty());
    }
    assert_eq!(
        said(&network, 1, reader),
        [format!(
            "{writer} has QoS that does not fit; RELIABILITY: the writer offers BEST_EFFORT, the reader requests RELIABLE"
        )]
    );
}

#[test]
fn data_representation_must_be_understood() {
    let (network, writer, _) = pair(
        |w| w.qos.representation = DataRepresentation::Xcdr2,
        |r| r.qos.representation = vec![DataRepresentation::Xcdr1],
    );
    assert!(network.nodes[0].matched(writer).is_empty());
    let (network, writer, reader) = pair(
        |w| w.qos.representation = DataRepresentation::Xcdr2,
        |r| r.qos.representation = vec![DataRepresentation::Xcdr1, DataRepresentation::Xcdr2],
    );
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    let (network, writer, reader) = pair(|_| {}, |r| r.qos.representation.clear());
    assert_eq!(network.nodes[0].matched(writer), [reader], "empty is XCDR1");
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

#[test]
fn another_type_is_an_inconsistent_topic() {
    let (network, writer, reader) = pair(|_| {}, |r| r.type_name = "ShapeExtended".into());
    let expected = TypeDifference::Name {
        writer: "Shape".into(),
        reader: "ShapeExtended".into(),
    };
    for (index, local, remote) in [(0, writer, reader), (1, reader, writer)] {
        assert!(
            network.nodes[index]
                .events
                .contains(&Event::InconsistentTopic {
                    local,
                    remote,
                    topic: "Square".into(),
                    difference: expected.clone(),
                })
        );
        assert!(network.nodes[index].matched(local).is_empty());
    }
    assert_eq!(
        said(&network, 0, writer),
        [format!(
            "{reader} has the same topic name, but the writer's type is \"Shape\", the reader's \"ShapeExtended\""
        )]
    );
}

#[test]
fn keys_on_one_side_only_are_an_inconsistent_topic() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let keyed = EntityId::user(77, EntityKind::ReaderWithKey);
    let guid = Guid::new(crate::network::prefix(1), keyed);
    network.put_reader(1, ReaderData::new(guid, "Square", "Shape"));
    network.run(SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
    assert_eq!(
        network.nodes[0]
            .discovery
            .explain(writer, str::eq_ignore_ascii_case),
        [Explanation::Type {
            remote: guid,
            difference: TypeDifference::Keys {
                writer_keyed: false
            }
        }]
    );
}

/// What is announced of a structure with these members.
pub(crate) fn announced(members: &[&str], for_dunlin: bool) -> EncodedTypeInformation {
    EncodedTypeInformation {
        for_dunlin,
        ..EncodedTypeInformation::little_endian(
            local(members).information().to_bytes(Endianness::Little),
        )
    }
}

pub(crate) fn local(members: &[&str]) -> LocalType {
    let mut types = TypeTreeBuilder::new();
    let shape = types.structure("Shape", Extensibility::Appendable);
    let shape = members
        .iter()
        .fold(shape, |shape, name| shape.member(name, TypeIndex::INT32))
        .finish();
    LocalType::new(&types.build(shape).unwrap()).unwrap()
}

/// What the writer says of its type, what the reader does, what the reader wants, and whether they
/// match, where the type of the other side does not become known.
#[test]
fn types_are_compared_as_far_as_the_reader_wants() {
    let allow = TypeConsistencyEnforcement::default();
    let disallow = TypeConsistencyEnforcement::DISALLOW;
    let force = |policy| TypeConsistencyEnforcement {
        force_type_validation: true,
        ..policy
    };
    let (one, two) = (Some("a"), Some("b"));
    for (writer, reader, wanted, expected) in [
        (None, None, allow, None),
        (one, two, allow, None),
        (one, one, disallow, None),
        (None, one, disallow, None),
        (one, None, disallow, None),
        (one, two, disallow, Some("not the same")),
        (one, one, force(allow), None),
        (one, two, force(allow), Some("is not known")),
        (one, two, force(disallow), Some("is not known")),
        (None, one, force(allow), Some("the writer tells no more")),
        (one, None, force(disallow), Some("the reader tells no more")),
    ] {
        let of = |member: Option<&str>| member.map(|member| announced(&[member], true));
        let (network, w, r) = pair(
            |w| w.type_information = of(writer),
            |r| (r.type_information, r.qos.type_consistency) = (of(reader), wanted),
        );
        for (node, local, other) in [(0, w, r), (1, r, w)] {
            let matched = network.nodes[node].matched(local) == [other];
            assert_eq!(
                matched,
                expected.is_none(),
                "{writer:?} {reader:?} {wanted}"
            );
            let inconsistent = |e: &&Event| matches!(e, Event::InconsistentTopic { .. });
            let told = network.nodes[node]
                .events
                .iter()
                .filter(inconsistent)
                .count();
            assert_eq!(told, usize::from(expected.is_some()));
            let said = said(&network, node, local).concat();
            assert!(said.contains(expected.unwrap_or("matches")), "{said}");
        }
    }
}

/// What Dunlin tells its own may be anything to another product, which does not hear of it either.
#[test]
fn what_only_dunlin_is_told_does_not_count_with_other_products() {
    for for_dunlin in [false, true] {
        let mut network = Network::new();
        network.join(|_| {});
        network.foreign = Some(1);
        network.join(|_| {});
        let writer = network.writer(0, |w| w.type_information = Some(announced(&["a"], true)));
        let reader = network.reader(1, |r| {
            r.type_information = Some(announced(&["b"], for_dunlin));
            r.qos.type_consistency = TypeConsistencyEnforcement::DISALLOW;
        });
        network.run(SECOND);
        assert_eq!(network.nodes[0].matched(writer), [reader]);
        let kept = network.nodes[0].discovery.reader(reader);
        let kept = kept.as_deref().and_then(|r| r.type_information.as_ref());
        assert_eq!(kept.is_some(), !for_dunlin);
    }
}

/// Cyclone DDS and Fast DDS 3.6 say nothing of a policy that has its default.
#[test]
fn a_reader_that_leaves_out_type_consistency_allows_coercion_if_its_product_does() {
    let allow = TypeConsistencyEnforcement::default();
    let disallow = TypeConsistencyEnforcement::DISALLOW;
    for (is_fast_dds, leaves_out, expected) in [
        (true, true, allow),
        (true, false, disallow),
        (false, true, disallow),
    ] {
        let mut network = Network::new();
        network.join(|_| {});
        network.foreign = is_fast_dds.then_some(1);
        network.join(|_| {});
        let reader = network.reader(1, |r| {
            r.leaves_out_type_consistency = leaves_out;
            r.qos.type_consistency = disallow;
        });
        network.run(SECOND);
        let kept = network.nodes[0].discovery.reader(reader).unwrap();
        assert_eq!(kept.qos.type_consistency, expected);
    }
}

/// Both in one participant, so what the types are is known.
fn side_by_side(writer: &[&str], reader: &[&str]) -> (Network, Guid, Guid) {
    let mut network = Network::of(1);
    let node = &mut network.nodes[0].discovery;
    let prefix = crate::network::prefix(0);
    let of = |number, kind| Guid::new(prefix, EntityId::user(number, kind));
    let w = of(91, EntityKind::WriterNoKey);
    let r = of(92, EntityKind::ReaderNoKey);
    node.serve_type(w, &local(writer));
    node.serve_type(r, &local(reader));
    let mut data = WriterData::new(w, "Square", "Shape");
    data.type_information = Some(announced(writer, true));
    network.put_writer(0, data);
    let mut data = ReaderData::new(r, "Square", "Another name");
    data.type_information = Some(announced(reader, true));
    data.qos.type_consistency = TypeConsistencyEnforcement::default();
    network.put_reader(0, data);
    (network, w, r)
}

#[test]
fn known_types_decide_and_their_names_do_not_count() {
    let (network, w, r) = side_by_side(&["a", "b"], &["a", "b"]);
    assert_eq!(network.nodes[0].matched(w), [r]);
    let (network, w, r) = side_by_side(&["a", "b"], &["a"]);
    assert_eq!(network.nodes[0].matched(w), [r], "it has grown");
    let (network, w, _) = side_by_side(&["a", "b"], &["b", "a"]);
    assert_eq!(network.nodes[0].matched(w), []);
    let said = said(&network, 0, w).concat();
    assert!(
        said.contains("Shape.a") || said.contains("Shape.b"),
        "{said}"
    );
    let inconsistent = |e: &&Event| matches!(e, Event::InconsistentTopic { .. });
    let told = network.nodes[0].events.iter().filter(inconsistent).count();
    assert_eq!(told, 2, "each side once");
}

#[test]
fn other_partitions_are_passed_over_in_silence() {
    let (network, writer, reader) = pair(
        |w| w.publisher.partition = Partition(vec!["left".into()]),
        |r| r.subscriber.partition = Partition(vec!["right*".into()]),
    );
    assert!(network.nodes[0].matched(writer).is_empty());
    let reports = network.nodes[0].events.iter();
    assert!(
        !reports
            .clone()
            .any(|e| matches!(e, Event::IncompatibleQos { .. }))
    );
    assert_eq!(
        said(&network, 0, writer),
        [format!(
            "{reader} shares no partition: the writer is in \"left\", the reader in \"right*\""
        )]
    );
}

#[test]
fn a_change_of_partition_matches_and_unmatches() {
    let (mut network, writer, reader) = pair(
        |w| w.publisher.partition = Partition(vec!["a".into()]),
        |r| r.subscriber.partition = Partition(vec!["b".into()]),
    );
    assert!(network.nodes[0].matched(writer).is_empty());
    let data = network.nodes[1]
        .discovery
        .readers()
        .find(|r| r.guid == reader);
    let original = data.unwrap().into_owned();
    let mut changed = original.clone();
    changed.subscriber.partition = Partition(vec!["a".into()]);
    network.put_reader(1, changed);
    network.run(SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
    network.put_reader(1, original);
    network.run(SECOND);
    assert!(network.nodes[0].events.contains(&Event::ReaderUnmatched {
        writer,
        reader,
        reason: UnmatchReason::Changed
    }));
    assert!(network.nodes[1].matched(reader).is_empty());
}

#[test]
fn a_removed_endpoint_is_unmatched_on_both_sides() {
    let (mut network, writer, reader) = pair(|_| {}, |_| {});
    network.act(0, |d, now, out, events| {
        d.remove_writer(now, writer, out, events);
    });
    network.run(MS);
    let reason = UnmatchReason::Deleted;
    assert_eq!(
        network.nodes[1].events.last(),
        Some(&Event::WriterUnmatched {
            reader,
            writer,
            reason
        })
    );
    assert!(network.nodes[0].matched(writer).is_empty());
    network.join(|_| {});
    network.run(10 * SECOND);
    assert_eq!(network.nodes[2].discovery.writers().count(), 0);
    assert_eq!(network.nodes[2].discovery.readers().count(), 1);
}

#[test]
fn an_endpoint_has_its_participants_locators_unless_it_names_its_own() {
    let own = Locator::udp_v4([127, 0, 0, 1].into(), 9999);
    let (mut network, _, _) = pair(|_| {}, |r| r.unicast = vec![own]);
    let (mut reader_at, mut writer_at) = (Vec::new(), Vec::new());
    for event in network.nodes[0].news() {
        if let Event::ReaderMatched { reader, .. } = event {
            reader_at = reader.unicast;
        }
    }
    for event in network.nodes[1].news() {
        if let Event::WriterMatched { writer, .. } = event {
            writer_at = writer.unicast;
        }
    }
    assert_eq!(reader_at, [own]);
    assert_eq!(writer_at[0].port, 10_001);
}

#[test]
fn a_lonely_endpoint_says_what_was_heard() {
    let mut network = Network::of(3);
    let writer = network.writer(0, |_| {});
    network.reader(1, |r| r.topic = "Circle".into());
    network.run(SECOND);
    assert_eq!(
        said(&network, 0, writer),
        ["nobody has this topic: 2 other participants with 1 endpoints are known"]
    );
    let reader = network.reader(2, |r| r.topic = "square".into());
    network.run(SECOND);
    assert_eq!(
        said(&network, 0, writer),
        [format!(
            "{reader} has a topic of a similar name, \"square\""
        )]
    );
    let unknown = Guid::new(
        crate::network::prefix(0),
        EntityId::user(99, EntityKind::ReaderNoKey),
    );
    assert_eq!(said(&network, 0, unknown), ["there is no such endpoint"]);
}
