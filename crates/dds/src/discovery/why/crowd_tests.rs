//! Many endpoints: what is told, and how much of it.
use super::tests::{answer, data, domain, reader, writer};
use super::*;
use crate::discovery::observe::DiagnosticFact;
use dunlin_qos::ReliabilityKind;
use dunlin_wire::EntityId;

const SECOND: i64 = 1_000_000_000;

/// So many writers of participant 1 and as many readers of participant 2, all of one topic.
fn crowd(each: u32) -> Domain {
    let mut crowd = domain(&[1, 2]);
    let id = |guid: Guid, n: u32| {
        let [.., kind] = guid.entity.0;
        let [_, high, mid, low] = n.to_be_bytes();
        Guid::new(guid.prefix, EntityId([high, mid, low, kind]))
    };
    for n in 0..each {
        let (w, r) = (writer(1, "Square"), reader(2, "Square"));
        crowd.writers.push(WriterData {
            guid: id(w.guid, n),
            ..w
        });
        crowd.readers.push(ReaderData {
            guid: id(r.guid, n),
            ..r
        });
    }
    crowd
}

fn report(domain: &Domain, answers: &[DiagnosticReply]) -> Report {
    let scene = Snapshot {
        domain,
        answers,
        elsewhere: &[],
        group: None,
    };
    examine(&scene, Subject::Topic("Square"))
}

/// Pair by pair these would be 2.5 thousand million.
#[test]
fn a_hundred_thousand_endpoints_of_one_topic_are_counted_and_the_worst_named() {
    let mut domain = crowd(50_000);
    for reader in domain.readers.iter_mut().take(20_000) {
        reader.qos.reliability.kind = ReliabilityKind::Reliable;
    }
    for writer in domain.writers.iter_mut().take(10) {
        writer.qos.reliability.kind = ReliabilityKind::BestEffort;
    }
    let asked = questions(&domain, Subject::Topic("Square"));
    assert_eq!(asked.len(), MOST_WRITERS + 2 * MOST_PAIRS);
    let mut different = asked.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), asked.len());
    let slow = domain.readers[777].guid;
    let mut facts = vec![
        (DiagnosticFact::Written, 5_000),
        (DiagnosticFact::Unacknowledged, 4_321),
        (DiagnosticFact::BehindFor, 12 * SECOND),
    ];
    facts.extend(DiagnosticReply::name_slowest(slow));
    let told = answer(domain.writers[3].guid, Guid::UNKNOWN, &facts);
    let report = report(&domain, &[told]);
    assert_eq!(report.matched, 50_000 * 50_000 - 10 * 20_000);
    let [mismatch, behind] = report.findings.as_slice() else {
        panic!("not two findings: {:?}", report.findings)
    };
    assert_eq!(mismatch.alike, 200_000, "{mismatch}");
    assert!(
        mismatch.to_string().contains("199999 other pairs"),
        "{mismatch}"
    );
    let text = behind.to_string();
    let words = ["4321 of 5000", "12.0 s", "never said", &slow.to_string()];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    assert!(report.notes.len() <= MOST_NOTES);
}

#[test]
fn endpoints_of_which_each_announces_something_else_are_bounded_too() {
    let mut domain = crowd(3_000);
    for (n, writer) in domain.writers.iter_mut().enumerate() {
        writer.publisher.partition.0 = vec![format!("w{n}")];
    }
    for (n, reader) in domain.readers.iter_mut().enumerate() {
        reader.subscriber.partition.0 = vec![format!("r{n}")];
    }
    let report = report(&domain, &[]);
    assert_eq!(report.matched, 0);
    assert_eq!(report.findings.len(), MOST_FINDINGS);
    let noted = |words: &str| report.notes.iter().any(|note| note.contains(words));
    assert!(noted("further findings of PARTITION"), "{:?}", report.notes);
    assert!(noted("pairs were not compared"), "{:?}", report.notes);
}

#[test]
fn whoever_is_furthest_behind_comes_first_and_who_is_on_time_is_not_named() {
    let domain = crowd(3);
    let w = domain.writers[0].guid;
    let told = |reader: usize, unacknowledged, behind_for| {
        let facts = [
            (DiagnosticFact::PeerState, 6),
            (DiagnosticFact::Written, 9_000),
            (DiagnosticFact::Unacknowledged, unacknowledged),
            (DiagnosticFact::BehindFor, behind_for),
            (DiagnosticFact::HeardAgo, SECOND / 2),
            (DiagnosticFact::AskedFor, 7),
        ];
        answer(w, domain.readers[reader].guid, &facts)
    };
    let answers = [
        told(0, 10, 3 * SECOND),
        told(1, 8_000, 4 * SECOND),
        told(2, 500, SECOND),
    ];
    let report = report(&domain, &answers);
    let [first, second] = report.findings.as_slice() else {
        panic!("not two findings: {:?}", report.findings)
    };
    assert_eq!(first.cause, Cause::Behind);
    let text = first.to_string();
    for word in [
        "8000 of 9000",
        "4.0 s",
        "0.5 s ago",
        "up to 1000",
        "asked for 7",
        "slower",
    ] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert!(second.endpoints.contains(&domain.readers[0].guid));
}

#[test]
fn a_silent_reader_that_the_writer_waits_for_no_longer_is_told() {
    let domain = crowd(1);
    let (w, r) = (domain.writers[0].guid, domain.readers[0].guid);
    let mut facts = vec![
        (DiagnosticFact::PeerState, 6),
        (DiagnosticFact::Written, 40),
        (DiagnosticFact::Unacknowledged, 40),
        (DiagnosticFact::BehindFor, 31 * SECOND),
    ];
    let text = |facts: &[_]| report(&domain, &[answer(w, r, facts)]).findings[0].to_string();
    assert!(!text(&facts).contains("waits for it no longer"));
    facts.push((DiagnosticFact::NotWaitedFor, 1));
    let text = text(&facts);
    assert!(
        text.contains("never said") && text.contains("waits for it no longer"),
        "{text}"
    );
}

#[test]
fn a_reader_that_only_the_writer_knows_is_named() {
    let mut domain = crowd(1);
    domain.readers.clear();
    domain.participants.truncate(1);
    let stopped = reader(2, "Square").guid;
    let mut facts = vec![
        (DiagnosticFact::Matched, 1),
        (DiagnosticFact::Written, 9),
        (DiagnosticFact::Unacknowledged, 0),
        (DiagnosticFact::BehindFor, 0),
        (DiagnosticFact::HeardAgo, 30 * SECOND),
    ];
    facts.extend(DiagnosticReply::name_slowest(stopped));
    let w = domain.writers[0].guid;
    let report = report(&domain, &[answer(w, Guid::UNKNOWN, &facts)]);
    let [finding] = report.findings.as_slice() else {
        panic!("not one finding: {:?}", report.findings)
    };
    assert_eq!(finding.cause, Cause::Unheard);
    let text = finding.to_string();
    let words = ["30.0 s ago", "not heard here", &stopped.to_string()];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    // The participant is known, but stopped: it says nothing of its endpoints.
    assert_eq!(data(2, "other").guid.prefix, stopped.prefix);
}
