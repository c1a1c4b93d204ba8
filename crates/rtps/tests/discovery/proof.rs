//! Whoever only knows our name, and forges a source address, is not believed to be there.
use crate::bounds::{datagram, spoofed};
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_rtps::discovery::Event;
use dunlin_wire::{
    AckNack, BuiltinEndpoints, EntityId, Header, Heartbeat, ParticipantData, Payload,
    SequenceNumber, SequenceNumberSet, Submessage,
};

const GHOST: usize = 100;
const VICTIM: usize = 50;

/// What the ghost says to participant 0 by name.
fn addressed(message: &Submessage<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header::new(prefix(GHOST)).encode(&mut bytes);
    Submessage::InfoDestination(prefix(0)).encode(&mut bytes);
    message.encode(&mut bytes);
    bytes
}

fn heartbeat(count: u32) -> Submessage<'static> {
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(0),
        count,
        is_final: false,
        liveliness: false,
        group: None,
    })
}

fn ack_nack(base: i64, count: u32) -> Submessage<'static> {
    Submessage::AckNack(AckNack {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        state: SequenceNumberSet::new(SequenceNumber(base)),
        count,
        is_final: false,
    })
}

/// Says all that somebody can say who does not get what is sent to the victim; returns the bytes.
fn attack(network: &mut Network) -> usize {
    let mut said = 0;
    let from = locator(VICTIM);
    let mut say = |network: &mut Network, bytes: Vec<u8>| {
        said += bytes.len();
        network.inject_from(1, from, 0, bytes);
        network.run(SECOND);
    };
    for count in 1..20 {
        say(network, spoofed(GHOST, VICTIM));
        say(network, addressed(&heartbeat(count)));
        say(network, addressed(&ack_nack(i64::from(count), count)));
    }
    said
}

fn is_believed(network: &Network) -> bool {
    let mut met = network.nodes[0].discovery.whereabouts();
    met.any(|(p, _)| p.guid.prefix == prefix(GHOST))
}

#[test]
fn a_forged_address_draws_three_times_what_came_whatever_is_said() {
    let mut network = Network::proving();
    (0..2).for_each(|_| {
        network.join(|_| {});
    });
    for i in 0..100 {
        network.writer(0, |w| w.topic = format!("topic {i}"));
    }
    network.run(SECOND);
    let said = attack(&mut network);
    assert!(!is_believed(&network));
    let drawn = network.sent_to(locator(VICTIM));
    assert!(drawn > 0 && drawn <= 3 * said, "{drawn} bytes by {said}");
}

/// Whoever says that it never acknowledges anything cannot show where it is. It need not, if it
/// announces nothing either: then nothing but announcements goes there.
#[test]
fn who_cannot_show_where_it_is_announces_nothing() {
    for (endpoints, believed) in [
        (BuiltinEndpoints::PUBLICATIONS_ANNOUNCER, false),
        (BuiltinEndpoints::SUBSCRIPTIONS_ANNOUNCER, false),
        (BuiltinEndpoints::PARTICIPANT_ANNOUNCER, true),
    ] {
        let mut network = Network::proving();
        network.join(|_| {});
        network.join(|_| {});
        let mut ghost = ParticipantData::new(prefix(GHOST));
        ghost.builtin_endpoints = endpoints;
        ghost.metatraffic_unicast = vec![locator(VICTIM)];
        let payload = ghost.encode().unwrap();
        let announcement = datagram(
            GHOST,
            EntityId::SPDP_WRITER,
            1,
            &[],
            Payload::Data(&payload),
        );
        network.inject_from(1, locator(VICTIM), 0, announcement);
        network.inject_from(1, locator(VICTIM), 0, addressed(&heartbeat(1)));
        network.inject_from(1, locator(VICTIM), 0, addressed(&ack_nack(1, 1)));
        assert_eq!(is_believed(&network), believed, "{endpoints:?}");
    }
}

/// What is sent by a connection does not get to the address that its caller announces.
#[test]
fn a_number_that_was_sent_by_a_connection_shows_nothing_of_an_address() {
    let mut network = Network::proving();
    network.join(|_| {});
    network.join(|_| {});
    let said = spoofed(GHOST, VICTIM);
    let asked = |network: &mut Network| {
        network.run(10 * MS);
        network.last_question.take().expect("it was asked")
    };
    network.inject_called(1, 0, said.clone());
    let by_connection = asked(&mut network);
    network.inject_from(1, locator(VICTIM), 0, said.clone());
    let by_datagram = asked(&mut network);
    assert_ne!(by_connection.first, by_datagram.first);
    network.inject_called(1, 0, said);
    let answer = addressed(&ack_nack(by_connection.first.0, 1));
    network.inject_from(1, locator(VICTIM), 0, answer.clone());
    assert!(!is_believed(&network));
    network.inject_called(1, 0, answer);
    assert!(is_believed(&network));
    assert!(network.nodes[0].discovery.only_calls(prefix(GHOST)));
}

#[test]
fn of_others_it_is_told_nothing() {
    let mut network = Network::proving();
    network.join_peers(&[]);
    (0..20).for_each(|_| {
        network.join_peers(&[0]);
    });
    network.run(5 * SECOND);
    let said = attack(&mut network);
    assert!(!is_believed(&network));
    let drawn = network.sent_to(locator(VICTIM));
    assert!(drawn <= 3 * said, "{drawn} bytes by {said}");
}

#[test]
fn participants_prove_where_they_are_in_a_few_milliseconds() {
    let mut network = Network::proving();
    let indices: Vec<_> = (0..20).map(|_| network.join(|_| {})).collect();
    let ends: Vec<_> = indices
        .iter()
        .map(|i| (network.writer(*i, |_| {}), network.reader(*i, |_| {})))
        .collect();
    network.run(5 * MS);
    for (i, (writer, reader)) in indices.iter().zip(&ends) {
        assert_eq!(network.nodes[*i].matched(*writer).len(), 20);
        assert_eq!(network.nodes[*i].matched(*reader).len(), 20);
    }
    network.run(5 * SECOND);
    let before = network.datagrams;
    network.run(30 * SECOND);
    let announcements = 20 * 19 * 10;
    let said = network.datagrams - before;
    assert!(said <= announcements + 20 * 19, "{said} datagrams");
}

/// When both sides of a pair have matched, and how many datagrams that took.
fn meeting(proving: bool) -> (i64, usize) {
    let mut network = Network::new();
    network.proving = proving;
    network.join(|_| {});
    let writer = network.writer(0, |_| {});
    network.run(SECOND);
    let (start, before) = (network.now, network.datagrams);
    network.join(|_| {});
    let reader = network.reader(1, |_| {});
    for _ in 0..1000 {
        network.run(MS / 100);
        let pairs = [(0, writer), (1, reader)];
        let mut ends = pairs.iter();
        if ends.all(|(index, end)| !network.nodes[*index].matched(*end).is_empty()) {
            break;
        }
    }
    let end = network.now;
    // What is still said of it.
    network.run(50 * MS);
    (end.0 - start.0, network.datagrams - before)
}

#[test]
fn to_prove_where_one_is_takes_one_round_trip_more() {
    let (plain, few) = meeting(false);
    let (proving, more) = meeting(true);
    let round_trip = 2 * Network::new().delay.as_nanos();
    println!("matched after {plain} ns in {few} datagrams, with proofs {proving} ns, {more}");
    assert!(
        proving <= plain + round_trip,
        "{proving} instead of {plain}"
    );
    assert!(more <= few + 10, "{more} datagrams instead of {few}");
}

#[test]
fn they_do_so_however_much_is_lost_and_are_found_again() {
    let mut network = Network::proving();
    network.loss = 30;
    (0..4).for_each(|_| {
        network.join(|_| {});
    });
    let writer = network.writer(0, |_| {});
    let readers: Vec<_> = (1..4).map(|i| network.reader(i, |_| {})).collect();
    network.run(20 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers);
    network.nodes[1].cut_off = true;
    network.run(60 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers[1..]);
    network.nodes[1].cut_off = false;
    network.run(20 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers);
    let late = network.writer(1, |_| {});
    network.reader(0, |_| {});
    network.run(20 * SECOND);
    assert!(network.nodes[1].matched(late).len() == 4);
}

/// Each loss leaves another side alone believing the other.
#[test]
fn no_loss_keeps_two_apart() {
    for seed in 0..50 {
        let mut network = Network::proving();
        network.reseed(seed);
        network.loss = 40;
        network.join(|_| {});
        network.join(|_| {});
        let writer = network.writer(0, |_| {});
        let reader = network.reader(1, |_| {});
        network.run(30 * SECOND);
        network.loss = 0;
        network.run(10 * SECOND);
        assert_eq!(network.nodes[0].matched(writer), [reader], "seed {seed}");
        assert_eq!(network.nodes[1].matched(reader), [writer], "seed {seed}");
    }
}

#[test]
fn they_do_so_where_there_is_no_multicast_and_behind_address_translators() {
    let mut network = Network::proving();
    network.join_peers(&[]);
    for index in 1..8 {
        network.join_peers(&[index - 1]);
    }
    network.run(20 * SECOND);
    for node in &network.nodes {
        assert_eq!(node.discovery.whereabouts().count(), 7);
    }
    let mut network = Network::proving();
    network.join(|_| {});
    let caller = network.join(|config| {
        config.metatraffic_unicast = vec![locator(VICTIM)];
        config.default_unicast = vec![locator(VICTIM)];
    });
    network.nodes[caller].seems = Some(locator(60));
    let writer = network.writer(0, |_| {});
    let reader = network.reader(caller, |_| {});
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[caller].matched(reader), [writer]);
}

/// The first participant does not hear the others for a while, and forgets them; they go on hearing
/// it, and do not forget it.
fn forget_one_sidedly(network: &mut Network, meanwhile: impl FnOnce(&mut Network)) {
    let others = network.nodes.len() - 1;
    assert_eq!(network.nodes[0].discovery.whereabouts().count(), others);
    network.nodes[0].hears_nothing = true;
    network.run(15 * SECOND);
    assert_eq!(network.nodes[0].discovery.whereabouts().count(), 0);
    meanwhile(network);
    network.nodes[0].hears_nothing = false;
    network.run(20 * SECOND);
    assert_eq!(network.nodes[0].discovery.whereabouts().count(), others);
    let lost = |event: &Event| matches!(event, Event::ParticipantLost { prefix: p, .. } if *p == prefix(0));
    for node in &network.nodes[1..] {
        assert!(
            !node.events.iter().any(lost),
            "one side alone has forgotten"
        );
        let mut met = node.discovery.whereabouts();
        assert!(met.any(|(peer, _)| peer.guid.prefix == prefix(0)));
    }
}

#[test]
fn one_that_was_forgotten_by_one_side_alone_is_met_again() {
    let mut network = Network::proving();
    (0..8).for_each(|_| {
        network.join(|_| {});
    });
    let writer = network.writer(0, |_| {});
    let readers: Vec<_> = (1..8).map(|i| network.reader(i, |_| {})).collect();
    network.run(SECOND);
    for _ in 0..5 {
        forget_one_sidedly(&mut network, |_| {});
        assert_eq!(network.nodes[0].matched(writer), readers);
    }
}

#[test]
fn and_so_it_is_if_it_moved_meanwhile() {
    let mut network = Network::proving();
    (0..16).for_each(|_| {
        network.join(|_| {});
    });
    let writer = network.writer(0, |_| {});
    let readers: Vec<_> = (1..16).map(|i| network.reader(i, |_| {})).collect();
    network.run(SECOND);
    for round in 1..4 {
        forget_one_sidedly(&mut network, |network| {
            (1..16).for_each(|index| network.relocate(index, locator(100 * round + index)));
        });
        assert_eq!(network.nodes[0].matched(writer), readers);
        let late = network.writer(0, |_| {});
        network.run(SECOND);
        assert_eq!(network.nodes[0].matched(late), readers);
        network.act(0, |d, now, out, events| {
            d.remove_writer(now, late, out, events)
        });
    }
}

/// Otherwise no answer to it would be in time where a round trip takes longer than the pause
/// between two questions, or the numbers of two topics are not the same.
#[test]
fn the_question_stays_the_same_until_an_answer_is_further_than_all_before() {
    let mut network = Network::proving();
    (0..2).for_each(|_| {
        network.join(|_| {});
    });
    network.run(SECOND);
    network.inject_from(1, locator(VICTIM), 0, spoofed(GHOST, VICTIM));
    let mut count = 0;
    let mut asked_on = |base: i64| {
        count += 1;
        let answer = addressed(&ack_nack(base, count));
        network.inject_from(1, locator(VICTIM), 0, answer);
        network.run(100 * MS);
        network
            .last_question
            .take()
            .map(|question| question.first.0)
    };
    let first = asked_on(100_000).expect("it is asked on");
    assert!(first > 100_000);
    for base in [90_000, 100_000, 60_000, 90_000] {
        assert!(asked_on(base).is_none_or(|again| again == first), "{base}");
    }
    assert!(asked_on(200_000).expect("it is asked on") > 200_000);
}
