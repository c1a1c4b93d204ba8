//! Scenes made by hand.
use super::*;
use crate::discovery::observe::{DiagnosticFact, Heard, Participant, ParticipantData, TypeState};
use dunlin_cdr::{Endianness, Extensibility};
use dunlin_qos::Duration;
use dunlin_qos::{
    DataReaderQos, DataWriterQos, Ownership, PolicyId, ReliabilityKind, TypeConsistencyEnforcement,
};
use dunlin_wire::{EncodedTypeInformation, EntityId, EntityKind, Locator, VendorId};
use dunlin_xtypes::{TypeIndex, TypeTreeBuilder};

pub(super) fn data(byte: u8, name: &str) -> ParticipantData {
    ParticipantData {
        vendor: VendorId::DUNLIN,
        entity_name: name.into(),
        metatraffic_unicast: vec![Locator::udp_v4([10, 0, 0, byte].into(), 7410)],
        ..ParticipantData::new(GuidPrefix([byte; 12]))
    }
}

pub(super) fn domain(others: &[u8]) -> Domain {
    let other = |byte: &u8| {
        let data = data(*byte, "other");
        let way = data.metatraffic_unicast.first().copied();
        Participant {
            data,
            answers: true,
            is_complete: true,
            way,
        }
    };
    Domain {
        id: 0,
        own: data(0, "own"),
        participants: others.iter().map(other).collect(),
        writers: Vec::new(),
        readers: Vec::new(),
        types: KnownTypes::default(),
        heard: Heard::default(),
    }
}

fn guid(byte: u8, kind: EntityKind) -> Guid {
    Guid::new(GuidPrefix([byte; 12]), EntityId::user(1, kind))
}

pub(super) fn writer(byte: u8, topic: &str) -> WriterData {
    WriterData::new(guid(byte, EntityKind::WriterWithKey), topic, "Shape")
}

pub(super) fn reader(byte: u8, topic: &str) -> ReaderData {
    let qos = DataReaderQos::default();
    ReaderData {
        qos,
        ..ReaderData::new(guid(byte, EntityKind::ReaderWithKey), topic, "Shape")
    }
}

fn pair() -> Domain {
    Domain {
        writers: vec![writer(1, "Square")],
        readers: vec![reader(2, "Square")],
        ..domain(&[1, 2])
    }
}

pub(super) fn answer(about: Guid, other: Guid, facts: &[(DiagnosticFact, i64)]) -> DiagnosticReply {
    DiagnosticReply {
        question: DiagnosticRequest { about, other },
        facts: facts.to_vec(),
    }
}

fn found(domain: &Domain, answers: &[DiagnosticReply]) -> Vec<Finding> {
    let scene = Snapshot {
        domain,
        answers,
        elsewhere: &[],
        group: None,
    };
    examine(&scene, Subject::Topic("Square")).findings
}

#[track_caller]
fn only(findings: &[Finding], cause: Cause, words: &[&str]) {
    let [finding] = findings else {
        panic!("not one finding: {findings:?}")
    };
    assert_eq!(finding.cause, cause, "{finding}");
    let text = finding.to_string();
    assert!(
        words.iter().all(|word| text.contains(word)),
        "{words:?} in {text:?}"
    );
}

#[test]
fn a_pair_that_matches_and_flows_has_no_findings_and_both_sides_are_asked() {
    let domain = pair();
    let (w, r) = (domain.writers[0].guid, domain.readers[0].guid);
    let asked = questions(&domain, Subject::Topic("Square"));
    let ask = |about, other| DiagnosticRequest { about, other };
    assert_eq!(asked, [ask(w, Guid::UNKNOWN), ask(w, r), ask(r, w)]);
    let answers = [
        answer(
            w,
            r,
            &[(DiagnosticFact::PeerState, 6), (DiagnosticFact::Written, 3)],
        ),
        answer(
            r,
            w,
            &[(DiagnosticFact::PeerState, 6), (DiagnosticFact::Settled, 3)],
        ),
    ];
    assert_eq!(found(&domain, &answers), []);
}

#[test]
fn whoever_does_not_answer_is_named_and_nothing_is_guessed() {
    let mut domain = pair();
    domain.participants[1].data.vendor = VendorId([1, 0x10]);
    let scene = Snapshot {
        domain: &domain,
        answers: &[],
        elsewhere: &[],
        group: None,
    };
    let report = examine(&scene, Subject::Topic("Square"));
    assert_eq!((report.matched, &report.findings[..]), (1, &[][..]));
    assert_eq!(report.notes.len(), 2);
    assert!(
        report.notes[1].contains("Cyclone DDS"),
        "{:?}",
        report.notes
    );
}

#[test]
fn each_policy_is_named_with_both_values() {
    let mut domain = pair();
    domain.writers[0].qos.reliability.kind = ReliabilityKind::BestEffort;
    domain.readers[0].qos.reliability.kind = ReliabilityKind::Reliable;
    domain.readers[0].qos.deadline = Duration::from_secs(1);
    let findings = found(&domain, &[]);
    assert_eq!(findings.len(), 2);
    only(
        &findings[..1],
        Cause::Policy(PolicyId::Deadline),
        &["offers infinite", "requests 1 s"],
    );
    let words = ["RELIABILITY", "offers BEST_EFFORT", "requests RELIABLE"];
    only(&findings[1..], Cause::Policy(PolicyId::Reliability), &words);
}

#[test]
fn names_that_are_alike_are_proposed() {
    let mut domain = pair();
    domain.writers[0].topic = "Sqaure".into();
    only(
        &found(&domain, &[]),
        Cause::Topic,
        &["\"Sqaure\" is written", "did you mean"],
    );
    let mut domain = pair();
    domain.writers[0].type_name = "shape".into();
    only(
        &found(&domain, &[]),
        Cause::Type,
        &["\"shape\"", "\"Shape\"", "alike"],
    );
}

#[test]
fn other_domains_are_looked_at_when_somebody_is_missing() {
    let mut own = pair();
    own.writers.clear();
    let other = Domain {
        id: 3,
        readers: Vec::new(),
        ..pair()
    };
    let elsewhere = [other];
    let scene = Snapshot {
        domain: &own,
        answers: &[],
        elsewhere: &elsewhere,
        group: None,
    };
    let report = examine(&scene, Subject::Topic("Square"));
    only(
        &report.findings,
        Cause::OtherDomain,
        &["domain 3 has 1 writers", "domain 0"],
    );
}

#[test]
fn nobody_at_all_and_dead_multicast_are_said() {
    let alone = domain(&[]);
    let group = Group::default();
    let scene = Snapshot {
        domain: &alone,
        answers: &[],
        elsewhere: &[],
        group: Some(&group),
    };
    let report = examine(&scene, Subject::Topic("Square"));
    let causes: Vec<_> = report.findings.iter().map(|f| f.cause).collect();
    assert_eq!(causes, [Cause::Multicast, Cause::Nobody]);
    // Those who found each other all the same need no multicast.
    let domain = pair();
    let scene = Snapshot {
        domain: &domain,
        ..scene
    };
    let report = examine(&scene, Subject::Topic("Square"));
    assert_eq!(report.findings, []);
    assert!(report.notes.iter().any(|note| note.contains("multicast")));
}

#[test]
fn participants_that_do_not_know_each_other_are_told_once() {
    let mut domain = pair();
    domain.readers.push(ReaderData {
        guid: Guid::new(
            GuidPrefix([2; 12]),
            EntityId::user(9, EntityKind::ReaderWithKey),
        ),
        ..reader(2, "Square")
    });
    let w = domain.writers[0].guid;
    let strangers = domain
        .readers
        .iter()
        .map(|r| answer(w, r.guid, &[(DiagnosticFact::PeerState, 0)]));
    let strangers: Vec<_> = strangers.collect();
    only(
        &found(&domain, &strangers),
        Cause::Unheard,
        &["has not heard of"],
    );
    let firewalled = [answer(
        w,
        domain.readers[0].guid,
        &[(DiagnosticFact::PeerState, 2)],
    )];
    let words = ["no answer by unicast", "udp/10.0.0.2:7410", "firewall"];
    only(&found(&domain, &firewalled), Cause::Unanswering, &words);
}

#[test]
fn a_stronger_writer_is_named_with_both_strengths() {
    let mut domain = pair();
    let exclusive = |byte, strength| WriterData {
        qos: DataWriterQos {
            ownership: Ownership::Exclusive,
            ownership_strength: strength,
            ..DataWriterQos::default()
        },
        ..writer(byte, "Square")
    };
    domain.writers = vec![exclusive(1, 3), exclusive(3, 9)];
    domain.readers[0].qos.ownership = Ownership::Exclusive;
    let (w, r) = (domain.writers[0].guid, domain.readers[0].guid);
    let answers = [answer(
        r,
        w,
        &[
            (DiagnosticFact::PeerState, 6),
            (DiagnosticFact::NotOwner, 5),
        ],
    )];
    let words = ["5 changes", "has strength 3", "has 9"];
    only(
        &found(&domain, &answers),
        Cause::Policy(PolicyId::OwnershipStrength),
        &words,
    );
}

/// What is said of the pair if nothing is wrong.
fn only_note(domain: &Domain, answers: &[DiagnosticReply]) -> String {
    let scene = Snapshot {
        domain,
        answers,
        elsewhere: &[],
        group: None,
    };
    let report = examine(&scene, Subject::Topic("Square"));
    assert_eq!(report.findings, []);
    let [note] = report.notes.as_slice() else {
        panic!("not one note: {:?}", report.notes)
    };
    note.clone()
}

#[test]
fn a_filter_that_was_given_up_is_a_note_since_samples_arrive() {
    let mut domain = pair();
    domain.readers[0].content_filter = Some(dunlin_wire::ContentFilterProperty {
        topic: "Part".into(),
        related_topic: "Square".into(),
        class: dunlin_wire::ContentFilterProperty::SQL.into(),
        expression: "color LIKE '%a%b%'".into(),
        parameters: vec![],
    });
    let (w, r) = (domain.writers[0].guid, domain.readers[0].guid);
    let answers = [
        answer(
            w,
            r,
            &[
                (DiagnosticFact::Written, 4),
                (DiagnosticFact::FilterGivenUp, 1),
            ],
        ),
        answer(r, w, &[(DiagnosticFact::TakenIn, 4)]),
    ];
    let note = only_note(&domain, &answers);
    for word in ["every sample", "262144 steps", "color LIKE '%a%b%'"] {
        assert!(note.contains(word), "{word} in {note}");
    }
}

#[test]
fn samples_that_came_twice_are_a_note_of_their_reader() {
    let mut domain = pair();
    domain.writers.push(writer(3, "Square"));
    let r = domain.readers[0].guid;
    let answers: Vec<_> = domain
        .writers
        .iter()
        .flat_map(|of| {
            let facts = [
                (DiagnosticFact::Duplicate, 12),
                (DiagnosticFact::TakenIn, 40),
            ];
            let written = [(DiagnosticFact::Written, 40)];
            [answer(r, of.guid, &facts), answer(of.guid, r, &written)]
        })
        .collect();
    let note = only_note(&domain, &answers);
    assert!(note.contains("left out 12 samples"), "{note}");
}

#[test]
fn every_count_of_a_reader_has_its_words() {
    let domain = pair();
    let (w, r) = (domain.writers[0].guid, domain.readers[0].guid);
    for (fact, cause) in [
        (
            DiagnosticFact::TooSoon,
            Cause::Policy(PolicyId::TimeBasedFilter),
        ),
        (DiagnosticFact::Filtered, Cause::ContentFilter),
        (DiagnosticFact::Expired, Cause::Policy(PolicyId::Lifespan)),
        (
            DiagnosticFact::Outdated,
            Cause::Policy(PolicyId::DestinationOrder),
        ),
        (
            DiagnosticFact::Rejected,
            Cause::Policy(PolicyId::ResourceLimits),
        ),
        (
            DiagnosticFact::Blocked,
            Cause::Policy(PolicyId::ResourceLimits),
        ),
        (DiagnosticFact::Lost, Cause::Lost),
        (
            DiagnosticFact::DeadlinesMissed,
            Cause::Policy(PolicyId::Deadline),
        ),
        (DiagnosticFact::Silent, Cause::Policy(PolicyId::Liveliness)),
    ] {
        let answers = [answer(r, w, &[(fact, 1)])];
        only(&found(&domain, &answers), cause, &[]);
    }
    let early = [
        answer(w, r, &[(DiagnosticFact::Written, 4)]),
        answer(r, w, &[(DiagnosticFact::TakenIn, 0)]),
    ];
    let words = ["4 changes", "joined after", "VOLATILE"];
    only(&found(&domain, &early), Cause::NothingWritten, &words);
    let some_pass = [answer(
        r,
        w,
        &[(DiagnosticFact::Filtered, 9), (DiagnosticFact::TakenIn, 1)],
    )];
    assert_eq!(found(&domain, &some_pass), []);
    let takes = |ms: i64| {
        [answer(
            r,
            w,
            &[(DiagnosticFact::ListenerTakes, ms * 1_000_000)],
        )]
    };
    let words = ["listener of reader", "52 ms", "DUNLIN_LISTENERS"];
    only(&found(&domain, &takes(52)), Cause::SlowListener, &words);
    assert_eq!(found(&domain, &takes(3)), []);
    let silent = [answer(w, r, &[(DiagnosticFact::Written, 0)])];
    only(
        &found(&domain, &silent),
        Cause::NothingWritten,
        &["written nothing"],
    );
}

#[test]
fn partitions_concern_only_who_is_alone() {
    let mut domain = pair();
    domain.readers[0].subscriber.partition.0 = vec!["left".into()];
    let words = ["in partition \"\"", "in \"left\""];
    only(
        &found(&domain, &[]),
        Cause::Policy(PolicyId::Partition),
        &words,
    );
    let mut friend = writer(3, "Square");
    friend.publisher.partition.0 = vec!["left".into()];
    domain.writers.push(friend);
    domain.readers.push(reader(4, "Square"));
    assert_eq!(found(&domain, &[]), []);
}

/// What Dunlin says of a structure with a member of this name.
fn announced(member: Option<&str>) -> Option<EncodedTypeInformation> {
    let mut types = TypeTreeBuilder::new();
    let shape = types
        .structure("Shape", Extensibility::Appendable)
        .member(member?, TypeIndex::INT32)
        .finish();
    let information = types.build(shape).unwrap().type_information().unwrap();
    Some(EncodedTypeInformation {
        for_dunlin: true,
        ..EncodedTypeInformation::little_endian(information.to_bytes(Endianness::Little))
    })
}

#[test]
fn types_that_have_only_their_name_in_common_are_told() {
    let of = |writer, reader, wanted| {
        let mut domain = pair();
        domain.writers[0].type_information = announced(writer);
        domain.readers[0].type_information = announced(reader);
        domain.readers[0].qos.type_consistency = wanted;
        for endpoint in [domain.writers[0].guid, domain.readers[0].guid] {
            let state = TypeState::Unavailable("nobody answers".into());
            domain.types.insert(endpoint, state);
        }
        found(&domain, &[])
    };
    let disallow = TypeConsistencyEnforcement::DISALLOW;
    let force = TypeConsistencyEnforcement {
        force_type_validation: true,
        ..TypeConsistencyEnforcement::default()
    };
    let words = ["not the same", "DISALLOW_TYPE_COERCION", "same definition"];
    only(&of(Some("a"), Some("b"), disallow), Cause::Type, &words);
    let words = ["the writer tells", "force_type_validation", "be false"];
    only(&of(None, Some("b"), force), Cause::Type, &words);
    let words = ["nobody answers", "force_type_validation", "be false"];
    only(&of(Some("a"), Some("b"), force), Cause::Type, &words);
    let same = of(Some("a"), Some("a"), force);
    assert!(!same.iter().any(|found| found.cause == Cause::Type));
    assert!(
        !of(None, None, disallow)
            .iter()
            .any(|f| f.cause == Cause::Type)
    );
}
