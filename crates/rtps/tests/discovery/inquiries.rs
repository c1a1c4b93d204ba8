//! Who may ask how it is with an endpoint, how often, and what becomes of answers.
use crate::network::{Network, SECOND, prefix};
use dunlin_qos::Duration;
use dunlin_rtps::discovery::Event;
use dunlin_wire::{
    Data, DiagnosticFact, DiagnosticReply, DiagnosticRequest, EntityId, Guid, Header, Parameters,
    Payload, PeerState, SequenceNumber, Submessage,
};

/// A question or an answer as anybody can write it.
fn datagram(
    from: usize,
    to: usize,
    (writer, reader): (EntityId, EntityId),
    payload: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header::new(prefix(from)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(to)).encode(&mut bytes);
    let data = Data {
        reader,
        writer,
        sequence: SequenceNumber(1),
        inline_qos: Parameters::NONE,
        payload: Payload::Data(payload),
    };
    Submessage::Data(data).encode(&mut bytes);
    bytes
}

const QUESTION: (EntityId, EntityId) = (EntityId::QUESTIONS_WRITER, EntityId::QUESTIONS_READER);
const ANSWER: (EntityId, EntityId) = (EntityId::ANSWERS_WRITER, EntityId::ANSWERS_READER);

fn asked(network: &mut Network, index: usize) -> Vec<(usize, DiagnosticRequest)> {
    let news = network.nodes[index].news();
    let asked = news.into_iter().filter_map(|event| match event {
        Event::Asked { from, question } => Some((usize::from(from.0[11]), question)),
        _ => None,
    });
    asked.collect()
}

#[test]
fn a_question_reaches_the_participant_that_it_is_about_and_its_answer_the_asker() {
    let mut network = Network::of(3);
    network.run(SECOND);
    let about = network.writer(0, |_| {});
    let other = network.reader(1, |_| {});
    network.run(SECOND);
    let question = DiagnosticRequest { about, other };
    network.act(2, |d, _, out, _| assert!(d.ask(question, out)));
    network.run(SECOND);
    assert_eq!(asked(&mut network, 0), [(2, question)]);
    assert_eq!(asked(&mut network, 1), []);
    let known = network.nodes[0].discovery.acquaintance(about, other);
    assert_eq!(known, PeerState::Matched);
    let facts = vec![(DiagnosticFact::Written, 4)];
    let answer = DiagnosticReply { question, facts };
    network.act(0, |d, _, out, _| d.answer(prefix(2), &answer, out));
    network.run(SECOND);
    let news = network.nodes[2].news();
    assert!(news.contains(&Event::Answered { answer }), "{news:?}");
}

#[test]
fn strangers_and_questions_about_others_get_no_answer() {
    let mut network = Network::of(2);
    network.run(SECOND);
    let own = network.writer(0, |_| {});
    let question = |about| {
        DiagnosticRequest {
            about,
            other: Guid::UNKNOWN,
        }
        .encode()
    };
    network.nodes[0].news();
    // Nobody knows participant 7; the datagram comes from where participant 1 is.
    network.inject(1, 0, datagram(7, 0, QUESTION, &question(own)));
    let foreign = Guid::new(prefix(1), own.entity);
    network.inject(1, 0, datagram(1, 0, QUESTION, &question(foreign)));
    network.inject(1, 0, datagram(1, 0, QUESTION, b"nonsense"));
    assert_eq!(asked(&mut network, 0), []);
    network.inject(1, 0, datagram(1, 0, QUESTION, &question(own)));
    assert_eq!(asked(&mut network, 0).len(), 1);
    // An answer speaks for its sender's endpoints alone.
    let answer = |about| {
        let question = DiagnosticRequest { about, other: own };
        DiagnosticReply {
            question,
            facts: Vec::new(),
        }
        .encode()
    };
    network.inject(1, 0, datagram(1, 0, ANSWER, &answer(own)));
    assert_eq!(network.nodes[0].news(), []);
    network.inject(1, 0, datagram(1, 0, ANSWER, &answer(foreign)));
    assert_eq!(network.nodes[0].news().len(), 1);
}

#[test]
fn a_flood_of_questions_is_answered_a_hundred_times_a_second() {
    let mut network = Network::of(2);
    network.run(SECOND);
    let about = network.writer(0, |_| {});
    network.nodes[0].news();
    let question = DiagnosticRequest {
        about,
        other: Guid::UNKNOWN,
    }
    .encode();
    let flood = |network: &mut Network| {
        for _ in 0..5_000 {
            network.inject(1, 0, datagram(1, 0, QUESTION, &question));
        }
        asked(network, 0).len()
    };
    assert_eq!(flood(&mut network), 256);
    network.run(SECOND / 2);
    assert_eq!(flood(&mut network), 50);
}

#[test]
fn who_has_not_been_heard_is_a_stranger_and_who_is_silent_has_only_announced_itself() {
    let mut network = Network::of(2);
    network.run(SECOND);
    let local = network.writer(0, |_| {});
    let of = |index| Guid::new(prefix(index), EntityId([0, 0, 1, 4]));
    let known =
        |network: &Network, index| network.nodes[0].discovery.acquaintance(local, of(index));
    assert_eq!(known(&network, 1), PeerState::Participant);
    assert_eq!(known(&network, 9), PeerState::Stranger);
    // What is sent to the third one is lost; what it sends arrives.
    let deaf = network.join(|c| c.lease_duration = Duration::from_secs(100));
    network.nodes[deaf].hears_nothing = true;
    network.run(SECOND);
    assert!(
        network.nodes[0]
            .discovery
            .participants()
            .any(|p| p.guid.prefix == prefix(deaf))
    );
    assert!(!network.nodes[0].discovery.has_answered(prefix(deaf)));
    assert_eq!(known(&network, deaf), PeerState::Announced);
    assert!(!network.nodes[0].discovery.knows_all_of(prefix(deaf)));
    assert!(network.nodes[0].discovery.knows_all_of(prefix(1)));
    let suitable = network.reader(1, |_| {});
    let unsuitable = network.reader(1, |r| r.qos.deadline = Duration::from_secs(1));
    network.run(SECOND);
    let discovery = &network.nodes[0].discovery;
    assert_eq!(discovery.acquaintance(local, suitable), PeerState::Matched);
    assert_eq!(
        discovery.acquaintance(local, unsuitable),
        PeerState::Unsuitable
    );
    network.act(0, |d, _, _, events| d.ignore_endpoint(suitable, events));
    let discovery = &network.nodes[0].discovery;
    assert_eq!(discovery.acquaintance(local, suitable), PeerState::Ignored);
    network.act(0, |d, now, _, events| {
        d.ignore_participant(now, prefix(1), events)
    });
    let discovery = &network.nodes[0].discovery;
    assert_eq!(
        discovery.acquaintance(local, unsuitable),
        PeerState::Ignored
    );
}
