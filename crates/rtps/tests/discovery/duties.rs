//! A peer that does what RTPS obliges it to do, and no more, is met and kept.
//!
//! It announces itself, and its reliable readers answer heartbeats without the final flag (RTPS 2.5
//! 8.4.2.3.2). Nothing obliges a writer to answer an ACKNACK that lacks nothing, or anybody to take
//! in a datagram's announcement before the question behind it.
use crate::messages::{described, has};
use crate::network::{MS, Network, SECOND, locator, prefix};
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Event, Secret, Source};
use dunlin_rtps::{Outbox, Time, To};
use dunlin_wire::{
    AckNack, BuiltinEndpoints, Data, EntityId, EntityKind, Guid, Header, Heartbeat, Parameters,
    ParticipantData, Payload, ProtocolVersion, SequenceNumber, SequenceNumberSet, Submessage,
    VendorId, WriterData,
};

/// One submessage to a participant alone, or to all.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Announcement { to_it_alone: bool },
    Writer,
    Heartbeat(Heartbeat),
    AckNack(AckNack),
    Other,
}

/// What was said, and how many bytes went to the peer alone.
#[derive(Default)]
struct Record {
    said: Vec<Said>,
    bytes: usize,
}

impl Outbox for Record {
    fn push(&mut self, to: To, message: Submessage<'_>, _: &Bytes) {
        let to_it_alone = matches!(to, To::Endpoint(_));
        self.bytes += usize::from(to_it_alone) * message.encoded_len();
        self.said.push(match message {
            Submessage::Data(d) if d.writer == EntityId::SPDP_WRITER => {
                Said::Announcement { to_it_alone }
            }
            Submessage::Data(d) if d.writer == EntityId::SEDP_PUBLICATIONS_WRITER => Said::Writer,
            Submessage::Heartbeat(heartbeat) => Said::Heartbeat(heartbeat),
            Submessage::AckNack(answer) => Said::AckNack(answer),
            _ => Said::Other,
        });
    }
}

/// The peer, as our participant sees it.
struct Peer {
    data: ParticipantData,
    source: Source,
    acks: u32,
}

struct Pair {
    now: Time,
    ours: Discovery,
    out: Record,
    events: Vec<Event>,
    peer: Peer,
}

impl Pair {
    /// Our participant has a writer; the peer has these built-in endpoints.
    fn new(endpoints: BuiltinEndpoints, configure: impl FnOnce(&mut DiscoveryConfig)) -> Self {
        let mut config = DiscoveryConfig::new(prefix(0), 0);
        config.metatraffic_unicast = vec![locator(0)];
        configure(&mut config);
        let mut ours = Discovery::new(config).unwrap();
        let (mut out, mut events) = (Record::default(), Vec::new());
        let guid = Guid::new(prefix(0), EntityId::user(1, EntityKind::WriterNoKey));
        let writer = WriterData::new(guid, "Square", "Shape");
        ours.start(Time(0), &mut out);
        ours.add_writer(Time(0), writer, &mut out, &mut events)
            .unwrap();
        let mut data = ParticipantData::new(prefix(1));
        data.vendor = VendorId([1, 0x12]);
        data.builtin_endpoints = endpoints;
        data.metatraffic_unicast = vec![locator(1)];
        data.metatraffic_multicast = vec![locator(2)];
        data.default_unicast = vec![locator(1), locator(3)];
        data.entity_name = "a peer with a name".into();
        data.lease_duration = Duration::from_secs(100);
        let source = Source {
            prefix: prefix(1),
            vendor: data.vendor,
            version: ProtocolVersion { major: 2, minor: 4 },
            multicast: true,
            from: locator(1),
            called: false,
            addressed: false,
        };
        Self {
            now: Time(SECOND * 10),
            ours,
            out: Record::default(),
            events,
            peer: Peer {
                data,
                source,
                acks: 0,
            },
        }
    }

    /// Our participant believes only whoever gets what is sent to its address.
    fn proving(endpoints: BuiltinEndpoints) -> Self {
        Self::new(endpoints, |config| {
            config.secret = Some(Secret::new([77; 16]));
        })
    }

    /// The peer announces itself to all; returns the bytes of that.
    fn announce(&mut self) -> usize {
        let payload = self.peer.data.encode().unwrap();
        let data = Submessage::Data(Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId::SPDP_WRITER,
            sequence: SequenceNumber::FIRST,
            inline_qos: Parameters::NONE,
            payload: Payload::Data(&payload),
        });
        let source = self.peer.source;
        self.hear(&source, &data);
        data.encoded_len()
    }

    /// The peer's reader answers a heartbeat, as it has to.
    fn acknowledge(&mut self, heartbeat: &Heartbeat, reader: EntityId) {
        self.peer.acks += 1;
        let answer = Submessage::AckNack(AckNack {
            reader,
            writer: heartbeat.writer,
            state: SequenceNumberSet::new(heartbeat.first),
            count: self.peer.acks,
            is_final: true,
        });
        self.say(&answer);
    }

    /// The peer says something to our participant by name.
    fn say(&mut self, message: &Submessage<'_>) {
        let source = Source {
            multicast: false,
            addressed: true,
            ..self.peer.source
        };
        self.hear(&source, message);
    }

    fn hear(&mut self, source: &Source, message: &Submessage<'_>) {
        let (out, events) = (&mut self.out, &mut self.events);
        self.ours
            .handle(self.now, source, None, message, out, events);
    }

    /// Lets time pass; returns what was said meanwhile and since this was asked last.
    fn run(&mut self, duration: i64) -> Vec<Said> {
        let end = Time(self.now.0 + duration);
        while let Some(next) = self.ours.next_timeout().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            let (out, events) = (&mut self.out, &mut self.events);
            self.ours.handle_timeout(self.now, out, events);
        }
        self.now = end;
        std::mem::take(&mut self.out.said)
    }
}

/// The heartbeats that must be answered.
fn questions(said: &[Said]) -> Vec<Heartbeat> {
    let questions = said.iter().filter_map(|said| match said {
        Said::Heartbeat(heartbeat) if !heartbeat.is_final => Some(*heartbeat),
        _ => None,
    });
    questions.collect()
}

/// A peer that has announced itself and has to show where it is, and the question that it got.
fn asked() -> (Pair, Heartbeat) {
    let mut pair = Pair::proving(BuiltinEndpoints::REQUIRED);
    pair.announce();
    let question = questions(&pair.run(0))[0];
    (pair, question)
}

/// What our readers said.
fn answers(said: &[Said]) -> Vec<AckNack> {
    let answers = said.iter().filter_map(|said| match said {
        Said::AckNack(answer) => Some(*answer),
        _ => None,
    });
    answers.collect()
}

/// The description of the peer's only writer.
fn description() -> WriterData {
    let guid = Guid::new(prefix(1), EntityId::user(1, EntityKind::WriterNoKey));
    WriterData::new(guid, "Square", "Shape")
}

#[test]
fn a_peer_that_answers_nothing_but_heartbeats_is_met() {
    let mut pair = Pair::new(BuiltinEndpoints::REQUIRED, |_| {});
    pair.announce();
    let said = pair.run(0);
    assert!(said.contains(&Said::Announcement { to_it_alone: true }));
    let question = questions(&said)[0];
    assert_eq!(question.writer, EntityId::SEDP_PUBLICATIONS_WRITER);
    assert_eq!((question.first.0, question.last.0), (1, 1), "what we have");
    pair.acknowledge(&question, EntityId::SEDP_PUBLICATIONS_READER);
    let said = pair.run(0);
    let writers = said.iter().filter(|said| **said == Said::Writer);
    assert_eq!(writers.count(), 1, "{said:?}");
    // Whoever has heard the question takes no heartbeat for news that counts less.
    assert!(
        questions(&said)
            .iter()
            .all(|h| h.writer != question.writer || h.count > question.count)
    );
}

#[test]
fn a_peer_that_asks_for_all_in_its_answer_is_told_once() {
    let mut pair = Pair::new(BuiltinEndpoints::REQUIRED, |_| {});
    pair.announce();
    let question = questions(&pair.run(0))[0];
    let mut state = SequenceNumberSet::new(SequenceNumber::FIRST);
    assert!(state.insert(SequenceNumber::FIRST));
    let answer = Submessage::AckNack(AckNack {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: question.writer,
        state,
        count: 1,
        is_final: false,
    });
    let source = Source {
        multicast: false,
        addressed: true,
        ..pair.peer.source
    };
    pair.hear(&source, &answer);
    let said = pair.run(0);
    assert_eq!(said.iter().filter(|s| **s == Said::Writer).count(), 1);
}

#[test]
fn a_peer_that_takes_our_announcement_in_late_is_asked_again() {
    let mut pair = Pair::new(BuiltinEndpoints::REQUIRED, |_| {});
    let received = pair.announce();
    let first = questions(&pair.run(0));
    assert_eq!(first.len(), 1);
    let said = pair.run(SECOND);
    let again = questions(&said);
    assert!(!again.is_empty(), "{said:?}");
    assert!(again.windows(2).all(|h| h[0].count < h[1].count));
    assert!(again[0].count > first[0].count);
    pair.run(60 * SECOND);
    assert!(pair.out.bytes <= 3 * received, "{} bytes", pair.out.bytes);
    pair.announce();
    assert!(!questions(&pair.run(0)).is_empty(), "whenever it is heard");
}

#[test]
fn an_announcement_that_is_too_long_to_send_does_not_keep_us_from_asking() {
    let mut pair = Pair::new(BuiltinEndpoints::REQUIRED, |config| {
        config.qos.user_data = vec![7; 4000];
    });
    let received = pair.announce();
    let said = pair.run(0);
    assert!(!said.contains(&Said::Announcement { to_it_alone: true }));
    assert_eq!(
        questions(&said).len(),
        1,
        "it may have heard it as we hear its own"
    );
    pair.run(60 * SECOND);
    assert!(pair.out.bytes <= 3 * received, "{} bytes", pair.out.bytes);
    let mut pair = Pair::new(BuiltinEndpoints::REQUIRED, |config| {
        config.qos.user_data = vec![7; 4000];
    });
    pair.peer.source.multicast = false;
    let announced = (0..100).find(|_| {
        pair.announce();
        let said = pair.run(SECOND);
        said.contains(&Said::Announcement { to_it_alone: true })
    });
    assert!(
        announced.is_some(),
        "without multicast the bytes are saved for it"
    );
}

#[test]
fn a_peer_is_asked_through_a_reader_that_it_has() {
    let subscriptions = BuiltinEndpoints::SUBSCRIPTIONS_DETECTOR;
    for (endpoints, writer, reader) in [
        (
            subscriptions,
            EntityId::SEDP_SUBSCRIPTIONS_WRITER,
            EntityId::SEDP_SUBSCRIPTIONS_READER,
        ),
        (
            BuiltinEndpoints::PARTICIPANT_MESSAGE_READER,
            EntityId::PARTICIPANT_MESSAGE_WRITER,
            EntityId::PARTICIPANT_MESSAGE_READER,
        ),
    ] {
        let mut pair = Pair::new(endpoints, |_| {});
        pair.announce();
        let question = questions(&pair.run(0))[0];
        assert_eq!(question.writer, writer);
        pair.acknowledge(&question, reader);
        pair.run(SECOND);
        // Silent for long, it is asked whether it lives.
        let said = pair.run(60 * SECOND);
        let asked = questions(&said).iter().any(|h| h.writer == writer);
        assert!(asked, "{said:?}");
    }
}

#[test]
fn a_question_is_no_answer() {
    let mut network = Network::of(2);
    network.writer(0, |_| {});
    network.nodes[0].hears_nothing = true;
    network.run(10 * MS);
    let mut bytes = Vec::new();
    Header::new(prefix(0)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(1)).encode(&mut bytes);
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(1),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    })
    .encode(&mut bytes);
    network.inject(0, 1, bytes);
    network.run(10 * MS);
    let discovery = &network.nodes[1].discovery;
    assert!(discovery.knows(prefix(0)));
    assert!(
        !discovery.has_answered(prefix(0)),
        "nothing of ours arrived there"
    );
    assert!(!discovery.knows_all_of(prefix(0)));
}

/// What a peer of another product repeats shows that it got what was sent to its address.
#[test]
fn a_peer_is_met_once_it_repeats_the_number_that_was_sent_to_it() {
    let (mut pair, question) = asked();
    assert!(question.first.0 > 1000, "{question:?}");
    assert_eq!(question.last, question.first, "there is one writer");
    let reader = EntityId::SEDP_PUBLICATIONS_READER;
    for wrong in [1, 2, question.first.0 - 1, question.first.0 + 2] {
        let first = SequenceNumber(wrong);
        pair.acknowledge(&Heartbeat { first, ..question }, reader);
        let said = pair.run(0);
        assert!(!said.contains(&Said::Writer), "{wrong}: {said:?}");
        assert!(pair.ours.whereabouts().next().is_none());
    }
    pair.acknowledge(&question, reader);
    assert!(pair.run(0).contains(&Said::Writer));
    assert!(pair.ours.whereabouts().next().is_some());
}

/// A peer that asks the same of us is answered as far as its credit goes.
#[test]
fn a_stranger_that_asks_gets_its_number_back_and_nothing_else() {
    let mut pair = Pair::proving(BuiltinEndpoints::REQUIRED);
    let mut received = pair.announce();
    let question = Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(4711),
        last: SequenceNumber(4712),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    });
    let source = Source {
        multicast: false,
        addressed: true,
        ..pair.peer.source
    };
    for _ in 0..1000 {
        pair.hear(&source, &question);
        received += question.encoded_len();
    }
    let said = pair.run(SECOND);
    assert!(!answers(&said).is_empty(), "{said:?}");
    assert!(!said.contains(&Said::Writer), "{said:?}");
    assert!(pair.out.bytes <= 3 * received, "{} bytes", pair.out.bytes);
}

/// A peer that was forgotten, and has not forgotten us, finds the numbers that it knows. If it
/// moved meanwhile it finds others, and if its reader keeps to higher ones, higher ones still.
#[test]
fn a_peer_that_was_forgotten_is_met_again_wherever_it_is() {
    let reader = EntityId::SEDP_PUBLICATIONS_READER;
    let mut pair = Pair::proving(BuiltinEndpoints::REQUIRED);
    pair.announce();
    let known = questions(&pair.run(0))[0];
    pair.acknowledge(&known, reader);
    assert!(pair.ours.whereabouts().next().is_some());
    pair.run(300 * SECOND);
    assert!(!pair.ours.knows(prefix(1)), "it fell silent");
    pair.run(2 * SECOND);
    pair.announce();
    let question = questions(&pair.run(0))[0];
    assert_eq!(question.first, known.first, "the numbers are the same");
    assert!(pair.ours.whereabouts().next().is_none());
    pair.run(300 * SECOND);
    // What it had was more than what it is asked for.
    let first = SequenceNumber(known.first.0 + (1 << 21));
    pair.peer.data.metatraffic_unicast = vec![locator(9)];
    pair.peer.source.from = locator(9);
    pair.announce();
    let moved = questions(&pair.run(0))[0];
    assert_ne!(moved.first, known.first, "the numbers are others");
    pair.acknowledge(&Heartbeat { first, ..moved }, reader);
    let mut before = Heartbeat { first, ..moved };
    for _ in 0..2 {
        let said = pair.run(0);
        assert!(!said.contains(&Said::Writer), "{said:?}");
        let further = questions(&said)[0];
        assert!(further.first > before.first && further.count > before.count);
        assert!(
            further.first.0 - before.first.0 < 4096,
            "Dunlin believes that at once"
        );
        pair.acknowledge(&further, reader);
        before = further;
    }
    assert!(pair.run(0).contains(&Said::Writer));
    assert!(pair.ours.whereabouts().next().is_some());
}

/// Where somebody guesses, one number is not enough. Whoever is there is met nevertheless.
#[test]
fn where_somebody_has_guessed_four_numbers_are_to_be_repeated() {
    let reader = EntityId::SEDP_PUBLICATIONS_READER;
    let mut pair = Pair::proving(BuiltinEndpoints::REQUIRED);
    pair.announce();
    let mut question = questions(&pair.run(0))[0];
    for wrong in 2..30 {
        let first = SequenceNumber(wrong);
        pair.acknowledge(&Heartbeat { first, ..question }, reader);
        pair.run(100 * MS);
    }
    for _ in 0..3 {
        pair.acknowledge(&question, reader);
        let said = pair.run(0);
        assert!(!said.contains(&Said::Writer), "{said:?}");
        assert!(pair.ours.whereabouts().next().is_none());
        question = *questions(&said).last().unwrap();
    }
    pair.acknowledge(&question, reader);
    assert!(pair.run(0).contains(&Said::Writer));
    assert!(pair.ours.whereabouts().next().is_some());
}

/// A peer of another product tells its endpoints as soon as it has met us, and says so again only
/// much later: nobody waits for that.
#[test]
fn what_a_peer_says_before_it_is_believed_is_taken_in_when_it_is() {
    let (mut pair, question) = asked();
    let writer = description();
    let payload = writer.encode().unwrap();
    pair.say(&has(EntityId::SEDP_PUBLICATIONS_WRITER, 1));
    pair.say(&described(1, &payload));
    pair.say(&has(EntityId::SEDP_SUBSCRIPTIONS_WRITER, 0));
    let said = pair.run(0);
    assert!(answers(&said).iter().all(|answer| answer.state.is_empty()));
    assert!(pair.ours.writer(writer.guid).is_none(), "it is a stranger");
    pair.acknowledge(&question, EntityId::SEDP_PUBLICATIONS_READER);
    assert!(pair.ours.writer(writer.guid).is_some());
    assert!(pair.ours.knows_all_of(prefix(1)));
    let said = answers(&pair.run(0));
    let of_writers = |answer: &&AckNack| answer.writer == EntityId::SEDP_PUBLICATIONS_WRITER;
    let last = said.iter().rfind(of_writers).unwrap();
    assert_eq!(last.state.base(), SequenceNumber(2), "{said:?}");
    assert!(
        said.iter().all(|answer| answer.state.is_empty()),
        "{said:?}"
    );
}

/// What got lost, or had no room, is asked for by number: to an answer that lacks nothing a writer
/// may say nothing.
#[test]
fn what_a_peer_had_before_it_is_believed_is_asked_for_when_it_is() {
    let (mut pair, question) = asked();
    pair.say(&has(EntityId::SEDP_PUBLICATIONS_WRITER, 3));
    pair.run(SECOND);
    pair.acknowledge(&question, EntityId::SEDP_PUBLICATIONS_READER);
    let said = answers(&pair.run(20 * MS));
    let first = said.iter().find(|answer| !answer.state.is_empty());
    let lacks = first.into_iter().flat_map(|answer| answer.state.iter());
    assert_eq!(lacks.map(|n| n.0).collect::<Vec<_>>(), [1, 2, 3]);
}

/// Somebody else's words are not played in the peer's name.
#[test]
fn what_is_said_in_a_strangers_name_from_elsewhere_is_not_kept() {
    let (mut pair, question) = asked();
    let writer = description();
    let payload = writer.encode().unwrap();
    let elsewhere = Source {
        multicast: false,
        addressed: true,
        from: locator(9),
        ..pair.peer.source
    };
    pair.hear(&elsewhere, &described(1, &payload));
    pair.acknowledge(&question, EntityId::SEDP_PUBLICATIONS_READER);
    assert!(pair.ours.whereabouts().next().is_some());
    pair.say(&has(EntityId::SEDP_PUBLICATIONS_WRITER, 1));
    assert!(pair.ours.writer(writer.guid).is_none());
}
