//! Participants come, change, go, fall silent and come back.
use crate::network::{MS, Network, SECOND, prefix};
use dunlin_rtps::discovery::{Event, LossReason, UnmatchReason};
use dunlin_wire::Locator;

#[test]
fn a_participant_is_found_by_name() {
    let mut network = Network::of(2);
    network.run(MS);
    let found = network.nodes[0].news();
    assert!(
        matches!(&found[..], [Event::ParticipantFound { prefix: p, name, .. }] if *p == prefix(1) && name == "node 1"),
        "{found:?}"
    );
    network.run(60 * SECOND);
    assert_eq!(network.nodes[0].news(), [], "nothing more happens");
}

#[test]
fn fifty_participants_find_each_other_and_fall_silent() {
    let mut network = Network::of(50);
    let endpoints: Vec<_> = (0..50)
        .map(|i| (network.writer(i, |_| {}), network.reader(i, |_| {})))
        .collect();
    network.run(2 * SECOND);
    for (i, (writer, reader)) in endpoints.iter().enumerate() {
        assert_eq!(network.nodes[i].matched(*writer).len(), 50);
        assert_eq!(network.nodes[i].matched(*reader).len(), 50);
    }
    network.run(5 * SECOND);
    let before = network.datagrams;
    network.run(30 * SECOND);
    let announcements = 50 * 49 * 10;
    assert!(
        network.datagrams - before <= announcements + 50 * 49,
        "{} datagrams where {announcements} were due",
        network.datagrams - before
    );
}

#[test]
fn the_same_seed_is_the_same_run() {
    let run = || {
        let mut network = Network::with_seed(7);
        network.loss = 30;
        for _ in 0..5 {
            let index = network.join(|_| {});
            network.writer(index, |_| {});
            network.reader(index, |_| {});
        }
        network.run(30 * SECOND);
        let events = network.nodes.iter_mut().map(|n| n.news());
        (events.collect::<Vec<_>>(), network.datagrams)
    };
    assert_eq!(run(), run());
}

#[test]
fn a_thousand_endpoints_travel_in_few_datagrams() {
    let mut network = Network::of(1);
    for i in 0..1000 {
        network.writer(0, |w| w.topic = format!("topic {i}"));
    }
    network.run(SECOND);
    let before = network.datagrams;
    network.join(|_| {});
    let reader = network.reader(1, |r| r.topic = "topic 999".into());
    network.run(SECOND);
    assert_eq!(network.nodes[1].discovery.writers().count(), 1000);
    assert_eq!(network.nodes[1].matched(reader).len(), 1);
    let datagrams = network.datagrams - before;
    assert!(datagrams < 40, "{datagrams}");
}

#[test]
fn a_silent_participant_is_lost_when_its_lease_is_over() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    network.kill(1);
    network.run(9 * SECOND - SECOND / 2);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    network.run(2 * SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
    let lost = LossReason::LeaseExpired;
    let events = network.nodes[0].news();
    let reason = UnmatchReason::ParticipantLost(lost);
    assert!(events.contains(&Event::ReaderUnmatched {
        writer,
        reader,
        reason
    }));
    assert!(events.contains(&Event::ParticipantLost {
        prefix: prefix(1),
        reason: lost
    }));
    assert_eq!(network.nodes[0].discovery.participants().count(), 0);
    assert_eq!(network.nodes[0].discovery.readers().count(), 0);
}

#[test]
fn a_goodbye_is_heeded_at_once() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    network.reader(1, |_| {});
    network.run(SECOND);
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(MS);
    assert!(network.nodes[0].matched(writer).is_empty());
    assert!(network.nodes[0].events.contains(&Event::ParticipantLost {
        prefix: prefix(1),
        reason: LossReason::Goodbye
    }));
    network.run(30 * SECOND);
    let found = network.nodes[0].events.iter();
    let found = found.filter(|e| matches!(e, Event::ParticipantFound { .. }));
    assert_eq!(found.count(), 1, "it does not come back");
}

#[test]
fn nothing_is_said_after_a_goodbye() {
    let mut network = Network::of(2);
    network.run(SECOND);
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.join(|_| {});
    network.run(20 * SECOND);
    let known = network.nodes[2].discovery.participants();
    assert_eq!(
        known.map(|p| p.guid.prefix).collect::<Vec<_>>(),
        [prefix(0)]
    );
    assert_eq!(network.nodes[0].discovery.participants().count(), 1);
}

#[test]
fn a_restarted_participant_is_another_one() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    network.reader(1, |_| {});
    network.run(SECOND);
    network.kill(1);
    network.join(|_| {});
    let reader = network.reader(2, |_| {});
    network.run(MS);
    assert!(network.nodes[0].matched(writer).contains(&reader));
    network.run(15 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn both_sides_heal_after_a_partition_longer_than_the_lease() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.nodes[1].cut_off = true;
    network.run(15 * SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
    assert!(network.nodes[1].matched(reader).is_empty());
    network.nodes[1].cut_off = false;
    network.run(4 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

#[test]
fn a_new_way_to_somebody_forgotten_does_not_wait_for_the_next_announcement() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.nodes[1].cut_off = true;
    network.run(15 * SECOND);
    network.nodes[1].cut_off = false;
    network.meet(0, 1);
    network.run(SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
    // However often somebody comes who then says nothing.
    network.nodes[1].cut_off = true;
    network.run(15 * SECOND);
    let quiet = network.datagrams;
    network.run(3 * SECOND);
    let usual = network.datagrams - quiet;
    let begin = network.datagrams;
    for _ in 0..300 {
        network.meet(0, 1);
        network.run(10 * MS);
    }
    let met = network.datagrams - begin;
    assert!(
        met <= usual + 7,
        "{met} datagrams, {usual} without strangers"
    );
}

#[test]
fn both_sides_heal_when_only_one_has_forgotten() {
    let mut network = Network::new();
    network.join(|c| c.lease_duration = dunlin_qos::Duration::from_secs(100));
    network.join(|_| {});
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.nodes[1].cut_off = true;
    network.run(15 * SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
    assert_eq!(network.nodes[1].matched(reader), [writer], "lease 100 s");
    network.nodes[1].cut_off = false;
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

fn losses(network: &Network, index: usize) -> usize {
    let events = network.nodes[index].events.iter();
    let lost = events.filter(|e| matches!(e, Event::ParticipantLost { .. }));
    lost.count()
}

#[test]
fn who_was_stopped_gives_nobody_up_before_hearing_what_was_said_meanwhile() {
    for stopped in [&[0][..], &[1], &[0, 1]] {
        let mut network = Network::of(2);
        let writer = network.writer(0, |_| {});
        let reader = network.reader(1, |_| {});
        network.run(SECOND);
        network.stop(stopped, 25 * SECOND);
        network.run(4 * SECOND);
        for index in 0..2 {
            let expected = usize::from(!stopped.contains(&index));
            assert_eq!(losses(&network, index), expected, "{index} of {stopped:?}");
        }
        assert_eq!(network.nodes[0].matched(writer), [reader]);
        assert_eq!(network.nodes[1].matched(reader), [writer]);
    }
}

#[test]
fn who_ended_while_others_were_stopped_is_given_up_soon() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    network.reader(1, |_| {});
    network.run(SECOND);
    network.kill(1);
    network.run(MS);
    network.stop(&[0], 25 * SECOND);
    network.run(3 * SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
}

#[test]
fn a_partition_shorter_than_the_lease_is_not_noticed() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.nodes[1].cut_off = true;
    network.run(4 * SECOND);
    let late = network.writer(0, |_| {});
    network.run(SECOND);
    network.nodes[1].cut_off = false;
    network.run(2 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    assert_eq!(network.nodes[1].matched(reader), [writer, late]);
    let lost = |e: &Event| matches!(e, Event::ParticipantLost { .. });
    assert!(!network.nodes[0].events.iter().any(lost));
}

#[test]
fn nobody_is_lost_while_half_of_all_datagrams_are() {
    for seed in 0..20 {
        let mut network = Network::with_seed(seed);
        network.loss = 50;
        for _ in 0..3 {
            let index = network.join(|_| {});
            network.writer(index, |_| {});
            network.reader(index, |_| {});
        }
        network.run(600 * SECOND);
        for node in &network.nodes {
            let lost = |e: &Event| matches!(e, Event::ParticipantLost { .. });
            assert!(!node.events.iter().any(lost), "seed {seed}");
            assert_eq!(node.discovery.writers().count(), 3, "seed {seed}");
            assert_eq!(node.discovery.readers().count(), 3, "seed {seed}");
        }
    }
}

#[test]
fn without_multicast_one_initial_peer_is_enough() {
    let mut network = Network::new();
    network.initial_peers = vec![0];
    for index in 0..3 {
        network.join(|_| {});
        network.nodes[index].deaf_to_multicast = true;
    }
    let writer = network.writer(0, |_| {});
    let readers = [network.reader(1, |_| {}), network.reader(2, |_| {})];
    network.run(60 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), readers);
    assert_eq!(network.nodes[1].matched(readers[0]), [writer]);
    let lost = |e: &Event| matches!(e, Event::ParticipantLost { .. });
    assert!(!network.nodes[1].events.iter().any(lost));
}

#[test]
fn participants_of_another_domain_or_tag_are_ignored() {
    let mut network = Network::of(1);
    network.join(|c| c.domain = 1);
    network.join(|c| c.domain_tag = "lab".into());
    network.run(SECOND);
    for node in &network.nodes {
        assert_eq!(node.discovery.participants().count(), 0);
        assert!(node.discovery.heard().other_domain > 0);
    }
    let writer = network.writer(0, |_| {});
    let said = network.nodes[0].discovery.explain(writer, |a, b| a == b)[0].to_string();
    assert!(
        said.contains("announcements were of another domain"),
        "{said}"
    );
}

#[test]
fn changed_locators_of_a_participant_reach_its_endpoints() {
    let mut network = Network::of(1);
    let writer = network.writer(0, |_| {});
    network.join(|_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.nodes[0].news();
    let moved = Locator::udp_v4([10, 0, 0, 1].into(), 7411);
    network.act(1, |d, now, out, events| {
        let mut config = d.config().clone();
        config.default_unicast = vec![moved];
        d.reconfigure(now, config, out, events).unwrap();
    });
    network.run(MS);
    let changed = network.nodes[0].events.iter().find_map(|e| match e {
        Event::ReaderChanged { writer: w, reader } if *w == writer => Some(reader.clone()),
        _ => None,
    });
    let changed = changed.expect("the writer is told");
    assert_eq!(changed.guid, reader);
    assert_eq!(changed.unicast, [moved]);
}
