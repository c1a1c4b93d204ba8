//! Policies about time: nothing a nanosecond before, all of it then.
use crate::looking::seconds;
#[path = "../../../../crates/dds/src/send/coalescing.rs"]
mod coalescing;

use crate::participant::News;
use crate::stage::{DELAY, MS, SECOND, Stage};
use coalescing::{Coalescer, Look};
use dunlin_qos::{Durability, Duration, Reliability};
use dunlin_rtps::ChangeKind;
use dunlin_wire::Guid;

/// By the writer and by the reader, since this was asked last.
fn missed(stage: &mut Stage, writer: Guid, reader: Guid) -> [i32; 2] {
    let news = std::mem::take(&mut stage.news);
    let missed = |by| {
        let counts = news.iter().filter_map(move |(_, news)| match news {
            News::DeadlinesMissed { endpoint, count } if *endpoint == by => Some(count),
            _ => None,
        });
        counts.sum()
    };
    [missed(writer), missed(reader)]
}

#[test]
fn deadline_is_missed_on_both_sides_to_the_nanosecond() {
    let (mut stage, writer, reader) = Stage::pair(|w, r| {
        w.deadline = seconds(1);
        r.deadline = seconds(1);
    });
    let mut last = stage.now;
    for number in 0..3 {
        stage.run_until(last);
        stage.sample(writer, 1, number);
        // Each sample begins a new period.
        last += SECOND - 1;
    }
    last -= SECOND - 1;
    let (offered, requested) = (last + SECOND, last + DELAY + SECOND);
    for period in 0..3 {
        let later = period * SECOND;
        stage.run_until(offered + later - 1);
        assert_eq!(missed(&mut stage, writer, reader), [0, 0], "{period}");
        stage.run_until(offered + later);
        assert_eq!(missed(&mut stage, writer, reader), [1, 0], "{period}");
        stage.run_until(requested + later - 1);
        assert_eq!(missed(&mut stage, writer, reader), [0, 0], "{period}");
        stage.run_until(requested + later);
        assert_eq!(missed(&mut stage, writer, reader), [0, 1], "{period}");
    }
    // Nothing is expected of an instance that has ended.
    stage.end(writer, ChangeKind::Disposed, 1);
    stage.run_for(10 * SECOND);
    assert_eq!(missed(&mut stage, writer, reader), [0, 0]);
}

#[test]
fn lifespan_ends_with_writer_and_reader_to_the_nanosecond() {
    let (mut stage, writer, reader) = Stage::pair(|w, r| {
        w.lifespan = seconds(2);
        w.durability = Durability::TransientLocal;
        r.durability = Durability::TransientLocal;
    });
    let first = stage.now;
    stage.sample(writer, 1, 1);
    stage.run_until(first + SECOND);
    stage.sample(writer, 1, 2);
    // It counts from when the sample was written, not from when it came.
    for (at, samples) in [(first + 2 * SECOND, 2), (first + 3 * SECOND, 1)] {
        stage.run_until(at - 1);
        assert_eq!((stage.held(reader), stage.kept(writer)), (samples, samples));
        stage.run_until(at);
        let left = samples - 1;
        assert_eq!((stage.held(reader), stage.kept(writer)), (left, left));
    }
    // Nor does a late joiner get what is over.
    let late = stage.reader(1, stage.of(reader).reader_qos(reader.entity));
    stage.sample(writer, 1, 3);
    stage.run_for(SECOND);
    assert_eq!(stage.numbers(late), [3]);
}

#[test]
fn time_based_filter_separates_samples_to_the_nanosecond() {
    for reliability in [Reliability::RELIABLE, Reliability::BEST_EFFORT] {
        let (mut stage, writer, reader) = Stage::pair(|_, r| {
            r.time_based_filter = seconds(1);
            r.reliability = reliability;
        });
        let first = stage.now;
        stage.sample(writer, 1, 1);
        stage.run_until(first + SECOND - 1);
        stage.sample(writer, 1, 2);
        // Each instance has a time of its own.
        stage.sample(writer, 2, 3);
        let seen = first + DELAY + SECOND;
        stage.run_until(seen - 1);
        assert_eq!(stage.numbers(reader), [1, 3]);
        stage.run_until(seen);
        // A reliable reader sees the last state in the end.
        let last: &[u32] = if reliability.is_reliable() { &[2] } else { &[] };
        assert_eq!(stage.numbers(reader), last);
        stage.run_until(first + 5 * SECOND);
        stage.sample(writer, 1, 4);
        stage.run_until(first + 6 * SECOND);
        stage.sample(writer, 1, 5);
        stage.run_for(DELAY);
        assert_eq!(stage.numbers(reader), [4, 5]);
    }
}

#[test]
fn reader_data_lifecycle_purges_to_the_nanosecond() {
    let (mut stage, writer, reader) = Stage::pair(|_, r| {
        let lifecycle = &mut r.reader_data_lifecycle;
        lifecycle.autopurge_disposed_samples_delay = seconds(2);
        lifecycle.autopurge_nowriter_samples_delay = seconds(3);
    });
    let begin = stage.now;
    for instance in [1, 2] {
        stage.sample(writer, instance, instance);
    }
    stage.end(writer, ChangeKind::Disposed, 1);
    stage.end(writer, ChangeKind::Unregistered, 2);
    stage.run_until(begin + DELAY + 2 * SECOND - 1);
    assert_eq!(stage.held(reader), 4);
    stage.run_until(begin + DELAY + 2 * SECOND);
    assert_eq!(stage.held(reader), 2);
    stage.run_until(begin + DELAY + 3 * SECOND - 1);
    assert_eq!(stage.held(reader), 2);
    stage.run_until(begin + DELAY + 3 * SECOND);
    assert_eq!(stage.held(reader), 0);
}

#[test]
fn latency_budget_bounds_how_long_samples_wait_for_each_other_to_the_nanosecond() {
    for (budget, hold) in [
        (Duration::ZERO, 20_000),
        (Duration::from_nanos(50_000), 50_000),
        (seconds(1), MS),
    ] {
        let mut pace = Coalescer::new(budget);
        let mut now = SECOND;
        // The writer is ahead: sends take longer than what is between writes.
        while !pace.may_wait(now, 0) {
            pace.measure(now, now + 2_000);
            now += 2_100;
        }
        pace.hold(now, 1);
        let since = now;
        while now + 100 < since + hold {
            now += 100;
            assert!(pace.may_wait(now, 0), "{budget} {}", now - since);
            pace.hold(now, 1);
        }
        assert!(matches!(pace.look(since + hold - 1), Look::Later(_)));
        assert_eq!(pace.look(since + hold), Look::Send);
        assert!(!pace.may_wait(since + hold, 0));
        // Whoever asks for less waits less from then on.
        pace.set_budget(Duration::ZERO);
        assert_eq!(pace.look(since + 20_000), Look::Send);
    }
}
