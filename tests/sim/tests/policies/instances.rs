//! Policies about samples and instances: whose are seen, in which order, how many, and how they
//! end.
use crate::looking::{number_of, reliable, sample, seconds};
use crate::participant::News;
use crate::stage::{DELAY, MS, SECOND, Stage};
use dunlin_qos::{
    DestinationOrder, History, Ownership, Reliability, ResourceLimits, WriterDataLifecycle,
};
use dunlin_rtps::{ChangeKind, InstanceState};
use dunlin_wire::{Guid, Timestamp};

/// A reader of two writers of these strengths, with exclusive ownership.
fn rivals(strengths: [i32; 2]) -> (Stage, [Guid; 2], Guid) {
    let (mut wqos, mut rqos) = reliable();
    wqos.ownership = Ownership::Exclusive;
    rqos.ownership = Ownership::Exclusive;
    (wqos.deadline, rqos.deadline) = (seconds(1), seconds(1));
    let mut stage = Stage::new(3);
    let reader = stage.reader(2, rqos);
    let writers = [0, 1].map(|who| {
        wqos.ownership_strength = strengths[who];
        stage.writer(who, wqos.clone())
    });
    stage.run_for(SECOND);
    (stage, writers, reader)
}

#[test]
fn ownership_shows_one_writer_at_a_time_and_passes_on_to_the_nanosecond() {
    let (mut stage, [weak, strong], reader) = rivals([1, 2]);
    stage.sample(weak, 1, 1);
    stage.run_for(10 * MS);
    assert_eq!(stage.numbers(reader), [1]);
    stage.sample(strong, 1, 2);
    stage.run_for(10 * MS);
    stage.sample(weak, 1, 3);
    stage.sample(weak, 2, 4);
    stage.run_for(10 * MS);
    // Each instance has an owner of its own.
    assert_eq!(stage.numbers(reader), [2, 4]);
    // The owner misses its deadline.
    let late = stage.now;
    stage.sample(strong, 1, 5);
    stage.run_until(late + SECOND - 1);
    stage.sample(weak, 1, 6);
    stage.run_until(late + SECOND + 1);
    stage.sample(weak, 1, 7);
    stage.run_until(late + DELAY + SECOND);
    assert_eq!(stage.numbers(reader), [5]);
    stage.run_until(late + DELAY + SECOND + 1);
    assert_eq!(stage.numbers(reader), [7]);
    // And is heard again when it writes.
    stage.sample(strong, 1, 8);
    stage.run_for(DELAY);
    stage.sample(weak, 1, 9);
    stage.run_for(DELAY);
    assert_eq!(stage.numbers(reader), [8]);
    // Or it goes.
    stage.stop(1, true);
    stage.run_for(DELAY);
    stage.sample(weak, 1, 10);
    stage.run_for(DELAY);
    assert_eq!(stage.numbers(reader), [10]);
}

#[test]
fn ownership_strength_may_change_and_decides_from_then_on() {
    let (mut stage, [first, second], reader) = rivals([1, 2]);
    let round = |stage: &mut Stage, number: u32| {
        stage.sample(second, 1, number);
        stage.run_for(2 * DELAY);
        stage.sample(first, 1, number + 1);
        stage.run_for(2 * DELAY);
        stage.numbers(reader)
    };
    assert_eq!(round(&mut stage, 10), [10]);
    stage.change_writer(first, |w| w.ownership_strength = 3);
    stage.run_for(100 * MS);
    assert_eq!(round(&mut stage, 20), [20, 21]);
    assert_eq!(round(&mut stage, 30), [31]);
}

#[test]
fn destination_order_is_that_of_arrival_or_of_the_source() {
    use DestinationOrder::{ByReceptionTimestamp, BySourceTimestamp};
    for order in [ByReceptionTimestamp, BySourceTimestamp] {
        let (mut wqos, mut rqos) = reliable();
        wqos.destination_order = order;
        rqos.destination_order = order;
        let mut stage = Stage::new(3);
        let writers = [0, 1].map(|who| stage.writer(who, wqos.clone()));
        let reader = stage.reader(2, rqos);
        stage.run_for(SECOND);
        // The second writer's clock is ahead.
        for (number, ahead) in [(1, 50), (2, 0), (3, 60), (4, 0)] {
            let time = Timestamp(stage.wall().0 + ahead * MS);
            let writer = writers[usize::from(ahead == 0)];
            assert!(stage.write(writer, &sample(time, 1, number)));
            stage.run_for(5 * MS);
        }
        let expected = match order {
            ByReceptionTimestamp => [1, 2, 3, 4],
            BySourceTimestamp => [2, 4, 1, 3],
        };
        assert_eq!(stage.numbers(reader), expected);
        // What is older than what was taken comes too late by its source.
        stage.sample(writers[1], 1, 5);
        stage.run_for(5 * MS);
        let late = match order {
            ByReceptionTimestamp => vec![5],
            BySourceTimestamp => vec![],
        };
        assert_eq!(stage.numbers(reader), late);
    }
}

#[test]
fn history_keeps_the_last_of_each_instance_or_all() {
    for (history, seen) in [
        (History::KeepLast(1), vec![9, 8]),
        (History::KeepLast(2), vec![7, 9, 6, 8]),
        (History::KeepAll, (0..10).collect()),
    ] {
        let (mut stage, writer, reader) = Stage::pair(|_, r| r.history = history);
        for number in 0..10 {
            stage.sample(writer, number % 2, number);
            stage.run_for(MS);
        }
        stage.run_for(SECOND);
        let mut taken = stage.numbers(reader);
        taken.sort_by_key(|number| (history != History::KeepAll && number % 2 == 0, *number));
        assert_eq!(taken, seen, "{history:?}");
    }
}

#[test]
fn resource_limits_hold_on_both_sides_and_lose_nothing() {
    let limits = ResourceLimits {
        max_samples: Some(4),
        ..ResourceLimits::default()
    };
    let (mut stage, writer, reader) = Stage::pair(|w, r| {
        w.resource_limits = limits;
        w.reliability.max_blocking_time = seconds(0);
        r.resource_limits = limits;
    });
    let (mut number, mut taken) = (0, Vec::new());
    let mut full = 0;
    while number < 50 {
        let sample = sample(stage.wall(), 1, number);
        match stage.write(writer, &sample) {
            true => number += 1,
            false => {
                full += 1;
                // What is kept out waits with its writer: four with each of them.
                assert_eq!(stage.held(reader).min(4), stage.held(reader));
                if full % 20 == 0 {
                    taken.extend(stage.numbers(reader));
                }
                stage.run_for(10 * MS);
            }
        }
        assert!(stage.kept(writer) <= 4 && stage.held(reader) <= 4);
    }
    while taken.len() < 50 {
        stage.run_for(SECOND);
        taken.extend(stage.numbers(reader));
    }
    assert!(full > 100 && taken.into_iter().eq(0..50));
}

#[test]
fn writer_data_lifecycle_disposes_what_is_unregistered_or_does_not() {
    for (autodispose, state) in [
        (true, InstanceState::NotAliveDisposed),
        (false, InstanceState::NotAliveNoWriters),
    ] {
        let lifecycle = WriterDataLifecycle {
            autodispose_unregistered_instances: autodispose,
        };
        let (mut stage, writer, reader) = Stage::pair(|w, _| w.writer_data_lifecycle = lifecycle);
        stage.sample(writer, 1, 1);
        stage.end(writer, ChangeKind::of_unregister(lifecycle), 1);
        stage.run_for(MS);
        assert_eq!(stage.notices(reader), [state]);
    }
}

#[test]
fn reliability_brings_all_of_it_in_order_or_what_the_network_leaves() {
    for reliability in [Reliability::RELIABLE, Reliability::BEST_EFFORT] {
        let (mut stage, writer, reader) = Stage::pair(|_, r| r.reliability = reliability);
        let mut faults = crate::stage::steady();
        (faults.drop, faults.duplicate, faults.reorder) = (0.3, 0.2, 0.2);
        faults.reorder_by = std::time::Duration::from_millis(20);
        stage.network.set_faults(faults);
        for number in 0..200 {
            stage.sample(writer, number % 3, number);
            stage.run_for(MS);
        }
        stage.run_for(20 * SECOND);
        let taken: Vec<_> = stage.take(reader);
        let mut numbers: Vec<_> = taken.iter().map(number_of).collect();
        assert!(
            stage
                .news
                .iter()
                .any(|(_, n)| matches!(n, News::Data { .. }))
        );
        numbers.sort_unstable();
        let distinct = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(distinct, "none comes twice");
        match reliability.is_reliable() {
            true => assert!(numbers.into_iter().eq(0..200)),
            false => assert!((50..200).contains(&numbers.len())),
        }
    }
}
