//! Participants behind address translators: nobody is where they say to be, and they are answered
//! by the connections that they make.
use crate::bounds::{farewell, spoofed};
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_rtps::discovery::{Event, LossReason};
use dunlin_wire::Guid;

/// Where the caller says to be, and where it seems to be.
const SAID: usize = 50;
const SEEMS: usize = 60;

/// Node 1 calls node 0 from behind a translator; node 2 is a neighbour of node 0.
fn translated() -> (Network, Guid, Guid) {
    let mut network = Network::of(1);
    let caller = network.join(|config| {
        config.metatraffic_unicast = vec![locator(SAID)];
        config.default_unicast = vec![locator(SAID)];
    });
    network.nodes[caller].seems = Some(locator(SEEMS));
    network.join(|_| {});
    let writer = network.writer(0, |_| {});
    let reader = network.reader(caller, |_| {});
    network.run(5 * SECOND);
    (network, writer, reader)
}

fn lost(network: &Network, index: usize) -> Vec<LossReason> {
    let events = network.nodes[0].events.iter();
    let lost = events.filter_map(|event| match event {
        Event::ParticipantLost {
            prefix: gone,
            reason,
        } if *gone == prefix(index) => Some(*reason),
        _ => None,
    });
    lost.collect()
}

#[test]
fn one_that_calls_is_answered_and_known_to_be_nowhere_else() {
    let (mut network, writer, reader) = translated();
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert!(network.nodes[0].discovery.only_calls(prefix(1)));
    assert!(!network.nodes[0].discovery.only_calls(prefix(2)));
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(MS);
    assert_eq!(lost(&network, 1), [LossReason::Goodbye]);
}

#[test]
fn where_a_caller_says_to_be_somebody_else_may_be() {
    let (mut network, writer, reader) = translated();
    let said = locator(SAID);
    network.inject_from(2, said, 0, farewell(1));
    network.inject_from(2, locator(2), 0, farewell(1));
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    network.inject_from(2, said, 0, spoofed(1, 2));
    network.run(SECOND);
    let places = network.nodes[0].discovery.metatraffic_locators(prefix(1)).0;
    assert_eq!(places, [said]);
}

#[test]
fn a_caller_takes_nothing_from_one_that_is_where_it_says() {
    let (mut network, _, _) = translated();
    let writer = network.writer(0, |w| w.topic = "Circle".into());
    let reader = network.reader(2, |r| r.topic = "Circle".into());
    network.run(SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    for bytes in [spoofed(2, SAID), farewell(2)] {
        network.inject_called(1, 0, bytes);
    }
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(lost(&network, 2), []);
    assert!(!network.nodes[0].discovery.only_calls(prefix(2)));
}

#[test]
fn a_caller_that_does_not_answer_draws_no_more_than_others() {
    let mut network = Network::of(2);
    for i in 0..100 {
        network.writer(0, |w| w.topic = format!("topic {i}"));
    }
    network.run(SECOND);
    for repeated in 1..20 {
        let announced = spoofed(100, SAID);
        network.inject_called(1, 0, announced.clone());
        network.run(20 * SECOND);
        let sent = network.sent_to(locator(SAID));
        assert!(sent > 0 && sent <= 3 * repeated * announced.len());
    }
}
