//! To whom a participant announces itself alone beside the groups.
use crate::network::{MS, Network, SECOND, prefix};

/// Periods in which announcements are counted.
const PERIODS: usize = 20;
const PERIOD: i64 = 3 * SECOND;

/// Datagrams while nothing happens, and what multicast alone would take.
fn in_silence(participants: usize) -> (usize, usize) {
    let mut network = Network::of(participants);
    network.run(10 * SECOND);
    let before = network.datagrams;
    network.run(PERIODS as i64 * PERIOD);
    let by_groups = PERIODS * participants * (participants - 1);
    (network.datagrams - before, by_groups)
}

#[test]
fn a_crowd_that_hears_groups_is_seldom_told_alone() {
    for participants in [10, 40] {
        let (all, by_groups) = in_silence(participants);
        println!(
            "FIGURE announcing: {participants} participants in {PERIODS} periods of silence: {all} datagrams arrive, {by_groups} of them by multicast"
        );
        // One of ten, and not all in the same period.
        assert!(all >= by_groups, "{all} of {by_groups}");
        assert!(all * 8 <= by_groups * 9, "{all} of {by_groups}");
    }
}

#[test]
fn who_is_told_alone_differs_from_period_to_period() {
    let participants = 41;
    let mut network = Network::of(participants);
    network.run(10 * SECOND);
    for _ in 0..PERIODS {
        let before = network.datagrams;
        network.run(PERIOD);
        let all = network.datagrams - before;
        let by_groups = participants * (participants - 1);
        assert!(all * 5 <= by_groups * 6, "{all} of {by_groups}");
    }
}

#[test]
fn who_has_forgotten_us_and_hears_no_groups_is_told_alone() {
    let mut network = Network::proving();
    for _ in 0..2 {
        network.join(|_| {});
    }
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    // It hears nothing for longer than the lease, and is heard all the while.
    network.nodes[1].hears_nothing = true;
    network.run(15 * SECOND);
    assert!(!network.nodes[1].discovery.knows(prefix(0)));
    assert!(network.nodes[0].discovery.knows(prefix(1)));
    network.nodes[1].hears_nothing = false;
    network.nodes[1].deaf_to_multicast = true;
    network.run(10 * PERIOD + SECOND);
    assert!(network.nodes[1].discovery.has_answered(prefix(0)));
    assert_eq!(network.nodes[1].matched(reader), [writer]);
}

#[test]
fn whose_groups_fall_silent_is_told_alone_at_once() {
    let mut network = Network::proving();
    for _ in 0..2 {
        network.join(|_| {});
    }
    network.run(10 * SECOND);
    // Neither hears the other by multicast any more; both are asked whether they live.
    (0..2).for_each(|index| network.nodes[index].deaf_to_multicast = true);
    network.run(60 * SECOND);
    for index in 0..2 {
        let lost = network.nodes[index].news();
        let lost = lost
            .iter()
            .filter(|event| matches!(event, dunlin_rtps::discovery::Event::ParticipantLost { .. }));
        assert_eq!(lost.count(), 0);
    }
    // What is said to one alone is its announcement, and no question: each hears the other.
    let before = network.submessages;
    network.run(PERIODS as i64 * PERIOD + 100 * MS);
    let said = network.submessages - before;
    let most = 2 * 2 * (PERIODS + 1);
    assert!(said <= most, "{said} submessages, {most} are enough");
}

#[test]
fn the_quick_announcements_go_to_nobody_alone_who_knows_us() {
    let mut network = Network::proving();
    let others = 9;
    for _ in 0..others {
        network.join(|_| {});
    }
    network.run(2 * SECOND);
    // It is announced at once, and after 100, 250, 500 and 1,000 ms.
    network.join(|_| {});
    network.run(200 * MS);
    let known = &network.nodes[others].discovery;
    assert!((0..others).all(|n| known.has_answered(prefix(n))));
    let before = network.datagrams;
    network.run(400 * MS);
    assert_eq!(network.datagrams - before, 2 * others);
}

#[test]
fn the_quick_announcements_end_once_a_crowd_has_answered() {
    let mut network = Network::proving();
    let others = 20;
    for _ in 0..others {
        network.join(|_| {});
    }
    // They announce themselves at once, after 100 ms and a period later.
    network.run(4 * SECOND);
    network.join(|_| {});
    network.run(200 * MS);
    let known = &network.nodes[others].discovery;
    assert!((0..others).all(|n| known.has_answered(prefix(n))));
    let before = network.datagrams;
    network.run(1_500 * MS);
    assert_eq!(network.datagrams, before);
    network.run(3 * SECOND);
    assert!(network.datagrams > before);
}

#[test]
fn what_a_participant_says_anew_is_told_alone_to_those_who_hear_no_groups() {
    let mut network = Network::proving();
    for index in 0..2 {
        network.join(|_| {});
        network.run(50 * MS);
        network.nodes[index].deaf_to_multicast = true;
    }
    network.run(2 * SECOND);
    assert!(network.nodes[1].discovery.has_answered(prefix(0)));
    network.act(0, |d, now, out, events| {
        let mut config = d.config().clone();
        config.qos.user_data = b"new".to_vec();
        d.reconfigure(now, config, out, events).unwrap();
    });
    network.run(200 * MS);
    let data = network.nodes[1].discovery.participant(prefix(0)).unwrap();
    assert_eq!(&data.user_data[..], b"new");
}
