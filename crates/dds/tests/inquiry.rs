//! What participants tell each other of their endpoints when they are asked.
mod common;
use common::*;
use dunlin::observe::{DiagnosticFact, DiagnosticReply, DiagnosticRequest, PeerState};
use dunlin::*;
use std::time::{Duration as Span, Instant};

/// Asks until the answers are as wanted.
fn ask_until(
    asker: &DomainParticipant,
    questions: &[DiagnosticRequest],
    wanted: impl Fn(&[DiagnosticReply]) -> bool,
) -> Vec<DiagnosticReply> {
    let until = Instant::now() + Span::from_secs(300);
    loop {
        let answers = asker.ask(questions, Duration::from_millis(200));
        if wanted(&answers) {
            return answers;
        }
        assert!(Instant::now() < until, "{answers:?}");
        std::thread::sleep(Span::from_millis(5));
    }
}

fn known(answer: &DiagnosticReply) -> Option<PeerState> {
    PeerState::of(answer.fact(DiagnosticFact::PeerState)?)
}

#[test]
fn a_third_participant_learns_from_both_sides_how_far_their_samples_came() {
    let net = Net::new(0.1);
    let (a, b) = (net.participant(), net.participant());
    let (qos_w, qos_r) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", qos_w);
    let reader = reader::<Keyed>(&b, "T", qos_r);
    writer.wait_for_matched(1, SOON).unwrap();
    for number in 0..7 {
        writer
            .write(&Keyed {
                name: "a".into(),
                number,
            })
            .unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    let observer = net.participant();
    let ask = |about, other| DiagnosticRequest { about, other };
    let questions = [
        ask(writer.guid(), reader.guid()),
        ask(reader.guid(), writer.guid()),
    ];
    let answers = ask_until(&observer, &questions, |answers| answers.len() == 2);
    let [of_writer, of_reader] = &answers[..] else {
        panic!("{answers:?}");
    };
    assert_eq!(known(of_writer), Some(PeerState::Matched));
    assert_eq!(known(of_reader), Some(PeerState::Matched));
    assert_eq!(of_writer.fact(DiagnosticFact::Written), Some(7));
    assert_eq!(of_writer.fact(DiagnosticFact::Unacknowledged), Some(0));
    assert_eq!(of_reader.fact(DiagnosticFact::Settled), Some(7));
    assert_eq!(of_reader.fact(DiagnosticFact::Held), Some(7));
    assert_eq!(of_reader.fact(DiagnosticFact::Lost), Some(0));
    // Of an own endpoint the answer is at hand.
    let own = a.ask(&questions[..1], Duration::ZERO);
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].fact(DiagnosticFact::Written), Some(7));
}

#[test]
fn what_was_passed_over_is_told_with_the_reason() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let exclusive = |strength| DataWriterQos {
        ownership: Ownership::Exclusive,
        ownership_strength: strength,
        ..Default::default()
    };
    let strong = writer::<Keyed>(&a, "T", exclusive(9));
    let weak = writer::<Keyed>(&a, "T", exclusive(3));
    let qos = DataReaderQos {
        ownership: Ownership::Exclusive,
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = reader::<Keyed>(&b, "T", qos);
    let sample = Keyed {
        name: "a".into(),
        number: 1,
    };
    for writer in [&strong, &weak] {
        writer.wait_for_matched(1, SOON).unwrap();
        writer.write(&sample).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
    }
    let question = DiagnosticRequest {
        about: reader.guid(),
        other: weak.guid(),
    };
    let answers = ask_until(&a, &[question], |answers| answers.len() == 1);
    assert_eq!(answers[0].fact(DiagnosticFact::NotOwner), Some(1));
    assert_eq!(answers[0].fact(DiagnosticFact::TooSoon), Some(0));
}

#[test]
fn strangers_unsuitable_endpoints_and_endpoints_that_are_not_there_are_told_apart() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Keyed>(&a, "T", DataWriterQos::default());
    let qos = DataReaderQos {
        deadline: Duration::from_secs(1),
        ..Default::default()
    };
    let reader = reader::<Keyed>(&b, "T", qos);
    let question = DiagnosticRequest {
        about: writer.guid(),
        other: reader.guid(),
    };
    let unsuitable = |answers: &[DiagnosticReply]| {
        answers.first().and_then(known) == Some(PeerState::Unsuitable)
    };
    ask_until(&b, &[question], unsuitable);
    let mut nobody = question;
    nobody.other.prefix.0[11] ^= 1;
    let stranger =
        |answers: &[DiagnosticReply]| answers.first().and_then(known) == Some(PeerState::Stranger);
    ask_until(&b, &[nobody], stranger);
    let mut no_endpoint = question;
    no_endpoint.about.entity.0[2] = 99;
    assert_eq!(b.ask(&[no_endpoint], Duration::from_millis(300)), []);
}

#[test]
fn who_does_not_want_to_be_asked_does_not_answer() {
    let net = Net::new(0.0);
    let shy = net.configured(ParticipantConfig {
        answers_questions: false,
        ..Default::default()
    });
    let writer = writer::<Keyed>(&shy, "T", DataWriterQos::default());
    let asker = net.participant();
    let reader = reader::<Keyed>(&asker, "T", DataReaderQos::default());
    writer.wait_for_matched(1, SOON).unwrap();
    let question = DiagnosticRequest {
        about: writer.guid(),
        other: reader.guid(),
    };
    assert_eq!(asker.ask(&[question], Duration::from_millis(400)), []);
}
