//! Types of other participants are asked for, and decide.
use crate::matching::{announced, local, said};
use crate::network::{MS, Network, SECOND, prefix};
use dunlin_qos::{Duration, TypeConsistencyEnforcement};
use dunlin_rtps::discovery::{Event, TypeDifference};
use dunlin_wire::{
    Data, EntityId, EntityKind, Guid, Header, Parameters, Payload, SequenceNumber, Submessage,
};
use dunlin_xtypes::lookup::{Call, Request, SampleIdentity};

/// The members of a structure.
type Members<'a> = &'a [&'a str];

/// The name of the next writer or reader of a participant.
fn endpoint(index: usize, number: u32, kind: EntityKind) -> Guid {
    Guid::new(prefix(index), EntityId::user(number, kind))
}

/// A writer that announces its type and tells it to those who ask.
fn writer(network: &mut Network, index: usize, members: Members<'_>) -> Guid {
    let guid = endpoint(index, 1, EntityKind::WriterNoKey);
    let of = local(members);
    network.nodes[index].discovery.serve_type(guid, &of);
    network.writer(index, |w| {
        w.type_information = Some(announced(members, true));
    })
}

/// Such a reader.
fn reader(network: &mut Network, index: usize, members: Members<'_>) -> Guid {
    let guid = endpoint(index, 1, EntityKind::ReaderNoKey);
    let of = local(members);
    network.nodes[index].discovery.serve_type(guid, &of);
    network.reader(index, |r| {
        r.type_information = Some(announced(members, true));
        r.qos.type_consistency = TypeConsistencyEnforcement::default();
    })
}

/// The difference that a participant was told of, which may be none.
fn differences(network: &Network, index: usize) -> Vec<TypeDifference> {
    let events = network.nodes[index].events.iter();
    let told = events.filter_map(|event| match event {
        Event::InconsistentTopic { difference, .. } => Some(difference.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn types_of_different_participants_are_compared_by_their_members() {
    for (of_writer, of_reader, fit) in [
        (
            &["temperature", "pressure"][..],
            &["pressure", "temperature"][..],
            false,
        ),
        (&["temperature", "pressure"], &["temperature"], true),
        (&["temperature"], &["temperature", "pressure"], true),
        (&["temperature"], &["pressure"], false),
    ] {
        let mut network = Network::of(2);
        network.run(SECOND);
        let w = writer(&mut network, 0, of_writer);
        let r = reader(&mut network, 1, of_reader);
        // There, a request, and back: no timer.
        network.run(MS);
        for (index, local, other) in [(0, w, r), (1, r, w)] {
            let matched = network.nodes[index].matched(local) == [other];
            assert_eq!(matched, fit, "{of_writer:?} {of_reader:?}");
            let told = differences(&network, index);
            assert_eq!(told.len(), usize::from(!fit));
            for difference in told {
                let TypeDifference::Members(difference) = difference else {
                    panic!("{difference:?}");
                };
                assert!(difference.reader_path.contains("Shape."), "{difference}");
            }
            let said = said(&network, index, local).concat();
            let word = if fit { "matches" } else { "Shape." };
            assert!(said.contains(word), "{said}");
        }
    }
}

#[test]
fn loss_delays_the_comparison_and_does_not_prevent_it() {
    for seed in 0..50 {
        let mut network = Network::with_seed(seed);
        network.loss = 30;
        network.join(|_| {});
        network.join(|_| {});
        let w = writer(&mut network, 0, &["a", "b"]);
        let r = reader(&mut network, 1, &["b", "a"]);
        network.run(8 * SECOND);
        for (index, local) in [(0, w), (1, r)] {
            assert!(network.nodes[index].matched(local).is_empty(), "{seed}");
            assert_eq!(differences(&network, index).len(), 1, "{seed}");
        }
    }
}

/// Equal identifiers need no questions, and a second type of the same kind none either.
#[test]
fn nobody_is_asked_for_what_is_known() {
    let talk = |of_reader: Members<'_>| {
        let mut network = Network::of(2);
        network.run(SECOND);
        writer(&mut network, 0, &["a", "b"]);
        reader(&mut network, 1, of_reader);
        let before = network.submessages;
        network.run(MS);
        network.submessages - before
    };
    let same = talk(&["a", "b"]);
    let mut plain = Network::of(2);
    plain.run(SECOND);
    plain.writer(0, |_| {});
    plain.reader(1, |_| {});
    let before = plain.submessages;
    plain.run(MS);
    assert_eq!(same, plain.submessages - before);
    assert!(talk(&["a"]) > same);
}

#[test]
fn names_decide_at_once_where_nobody_can_be_asked() {
    let mut network = Network::new();
    network.join(|_| {});
    network.join(|config| config.type_lookup = false);
    network.run(SECOND);
    let w = writer(&mut network, 0, &["a", "b"]);
    let r = reader(&mut network, 1, &["b", "a"]);
    network.run(MS);
    assert_eq!(network.nodes[0].matched(w), [r]);
    assert_eq!(network.nodes[1].matched(r), [w]);
    let said = said(&network, 0, w).concat();
    assert!(said.contains("does not tell types"), "{said}");
}

/// It announces a type that it does not have.
#[test]
fn names_decide_at_once_where_the_answer_is_empty() {
    let mut network = Network::of(2);
    network.run(SECOND);
    let w = writer(&mut network, 0, &["a", "b"]);
    let r = network.reader(1, |r| {
        r.type_information = Some(announced(&["b", "a"], true));
        r.qos.type_consistency = TypeConsistencyEnforcement::default();
    });
    network.run(MS);
    assert_eq!(network.nodes[0].matched(w), [r]);
    let said = said(&network, 0, w).concat();
    assert!(said.contains("does not have it"), "{said}");
}

#[test]
fn a_match_waits_for_one_that_does_not_answer_and_no_longer_than_it_may() {
    let mut network = Network::new();
    network.join(|config| config.type_timeout = Duration::from_secs(4));
    network.join(|_| {});
    let r = reader(&mut network, 1, &["b", "a"]);
    network.run(SECOND);
    network.nodes[1].cut_off = true;
    let w = writer(&mut network, 0, &["a", "b"]);
    network.run(4 * SECOND - MS);
    assert!(network.nodes[0].matched(w).is_empty());
    let waits = said(&network, 0, w).concat();
    assert!(waits.contains("is asked what that is"), "{waits}");
    network.run(2 * MS);
    assert_eq!(network.nodes[0].matched(w), [r]);
    let why = said(&network, 0, w).concat();
    assert!(why.contains("asked several times"), "{why}");
    // What it says later does not part them.
    network.nodes[1].cut_off = false;
    network.run(2 * SECOND);
    assert_eq!(network.nodes[0].matched(w), [r]);
}

/// DATA of a request of participant 1, as its own bytes.
fn request(number: i64, name: &str) -> Vec<u8> {
    let request = Request {
        id: SampleIdentity {
            writer: Guid::new(prefix(1), EntityId::TYPE_LOOKUP_REQUEST_WRITER).to_bytes(),
            sequence: number,
        },
        instance_name: name.into(),
        call: Call::GetTypes(vec![local(&["a", "b"]).complete().identifier().clone()]),
    };
    let mut bytes = Vec::new();
    Header::new(prefix(1)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(0)).encode(&mut bytes);
    let payload = request.to_payload().unwrap();
    Submessage::Data(Data {
        reader: EntityId::TYPE_LOOKUP_REQUEST_READER,
        writer: EntityId::TYPE_LOOKUP_REQUEST_WRITER,
        sequence: SequenceNumber(number),
        inline_qos: Parameters::NONE,
        payload: Payload::Data(&payload),
    })
    .encode(&mut bytes);
    bytes
}

#[test]
fn a_flood_of_requests_is_answered_slowly_and_keeps_nobody_else_waiting() {
    let mut network = Network::of(3);
    let w = writer(&mut network, 0, &["a", "b"]);
    network.run(SECOND);
    // Nobody acknowledges anything.
    network.nodes[1].hears_nothing = true;
    let before = network.bytes;
    for number in 1..=10_000 {
        network.inject(1, 0, request(number, ""));
    }
    network.run(MS);
    // Eight replies that are not acknowledged, and acknowledgements of each request.
    let each = (network.bytes - before) / 10_000;
    assert!(each < 120, "{each} bytes for each request");
    let r = reader(&mut network, 2, &["b", "a"]);
    network.run(10 * MS);
    assert!(network.nodes[2].matched(r).is_empty());
    assert_eq!(differences(&network, 2).len(), 1);
    assert!(network.nodes[0].matched(w).is_empty());
    network.run(SECOND);
}

#[test]
fn requests_for_others_are_passed_over() {
    let mut network = Network::of(2);
    writer(&mut network, 0, &["a", "b"]);
    network.run(SECOND);
    let mut sent = Vec::new();
    for (number, name) in [(1, "dds.builtin.TOS.somebody"), (2, "")] {
        let before = network.bytes;
        network.inject(1, 0, request(number, name));
        network.run(MS);
        sent.push(network.bytes - before);
    }
    let object = local(&["a", "b"]);
    let identifier = object.complete().identifier();
    let bytes = object.complete().object(identifier).unwrap().len();
    assert!(sent[1] > sent[0] + bytes, "{sent:?}");
}
