//! Content filters, in the reader and in the writer, over a network that loses, repeats and delays.
mod common;

use common::*;
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_rtps::Time;
use dunlin_rtps::{
    ChangeKind, ContentFilter, InstanceState, ReaderConfig, ReaderFilter, Writer, WriterConfig,
};

const BAD: Link = Link {
    loss: 20,
    duplicate: 5,
    reorder: 30,
    delay: MS,
    jitter: 5 * MS,
};

/// Lets samples pass whose number is a multiple of `n`.
fn multiples(n: u32) -> ContentFilter {
    ContentFilter::new(move |sample| {
        let number = sample.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        number.is_some_and(|number| number.is_multiple_of(n))
    })
}

fn filtering(n: u32) -> ReaderConfig {
    ReaderConfig {
        content_filter: Some(multiples(n)),
        ..reliable_reader()
    }
}

fn keeping() -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        ..reliable_writer()
    }
}

#[test]
fn what_does_not_pass_counts_as_received() {
    for seed in 0..20 {
        let mut world = World::pair(seed, BAD, &keeping(), &filtering(3));
        for n in 1..=100 {
            // Some are large enough to travel in fragments.
            let size = if n % 7 == 0 { 200_000 } else { 8 };
            world.write_blocking(writer_guid(1), &sample(n % 5, n, size));
        }
        world.settle();
        let expected: Vec<u32> = (1..=33).map(|n| 3 * n).collect();
        assert_eq!(world.numbers(reader_guid(1)), expected);
        assert_eq!(world.lost, 0);
        let writer = &world.writers[&writer_guid(1)];
        assert!(writer.is_acknowledged(writer.last_sequence()));
        assert_eq!(writer.kept(), 0);
        let reader = &world.readers[&reader_guid(1)];
        assert_eq!(reader.filtered(), 67, "seed {seed}");
        assert!(reader.is_complete());
    }
}

#[test]
fn a_best_effort_reader_loses_nothing_by_its_filter() {
    let reader = ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..filtering(2)
    };
    let mut world = World::pair(1, Link::default(), &reliable_writer(), &reader);
    for n in 1..=10 {
        world.write(writer_guid(1), &sample(0, n, 8)).unwrap();
    }
    world.settle();
    assert_eq!(world.numbers(reader_guid(1)), [2, 4, 6, 8, 10]);
    assert_eq!(
        (world.lost, world.readers[&reader_guid(1)].filtered()),
        (0, 5)
    );
}

#[test]
fn the_end_of_an_instance_passes_if_one_of_its_samples_did() {
    let mut world = World::pair(1, Link::default(), &keeping(), &filtering(2));
    let writer = writer_guid(1);
    for change in [
        sample(1, 1, 8),
        sample(2, 2, 8),
        end(ChangeKind::Disposed, 1),
        end(ChangeKind::DisposedUnregistered, 2),
        end(ChangeKind::Disposed, 3),
    ] {
        world.write(writer, &change).unwrap();
    }
    world.settle();
    let states: Vec<_> = world
        .infos(reader_guid(1))
        .iter()
        .map(|info| (info.instance, info.instance_state, info.valid_data))
        .collect();
    let two = handle(2);
    assert_eq!(
        states,
        [
            (two, InstanceState::Alive, true),
            (two, InstanceState::NotAliveDisposed, false)
        ]
    );
    let reader = &world.readers[&reader_guid(1)];
    assert_eq!(reader.holdings().instances, 0);
}

#[test]
fn of_a_coherent_set_is_seen_what_passes() {
    let reader = ReaderConfig {
        coherent: true,
        ..filtering(2)
    };
    for seed in 0..10 {
        let mut world = World::pair(seed, BAD, &keeping(), &reader);
        for n in 0..6 {
            world.begin_set(writer_guid(1));
            for k in 1..=3 {
                world.write_blocking(writer_guid(1), &sample(k, 3 * n + k, 8));
            }
            world.end_set(writer_guid(1));
        }
        world.settle();
        let expected: Vec<u32> = (1..=9).map(|n| 2 * n).collect();
        assert_eq!(world.numbers(reader_guid(1)), expected);
        let reader = &world.readers[&reader_guid(1)];
        assert_eq!((world.lost, reader.filtered()), (0, 9));
    }
}

#[test]
fn other_samples_pass_from_the_moment_when_the_filter_changes() {
    let mut world = World::pair(1, Link::default(), &keeping(), &filtering(2));
    for n in 1..=4 {
        world.write(writer_guid(1), &sample(0, n, 8)).unwrap();
    }
    world.settle();
    let reader = world.readers.get_mut(&reader_guid(1)).unwrap();
    reader.set_content_filter(multiples(3));
    for n in 5..=9 {
        world.write(writer_guid(1), &sample(0, n, 8)).unwrap();
    }
    world.settle();
    assert_eq!(world.numbers(reader_guid(1)), [2, 4, 6, 9]);
}

fn judged(place: u8, n: u32) -> ReaderFilter {
    let filter = multiples(n);
    ReaderFilter { place, filter }
}

/// A reader as above with another name.
fn named(n: u8, reader: ReaderConfig) -> ReaderConfig {
    ReaderConfig {
        guid: reader_guid(n),
        ..reader
    }
}

#[test]
fn a_run_that_does_not_pass_costs_one_gap_before_the_next_sample() {
    let mut writer = Writer::new(keeping());
    let mut out = Recorder::default();
    let proxy = proxy_of_reader(&reliable_reader());
    writer.add_filtering_reader(Time(0), proxy, Some(judged(0, 4)), &mut out);
    let other = proxy_of_reader(&named(2, reliable_reader()));
    writer.add_reader(Time(0), other, &mut out);
    out.said();
    let mut said = |writer: &mut Writer, n| {
        writer.write(Time(0), &sample(0, n, 8), &mut out).unwrap();
        let to = out.messages.last().unwrap().0;
        (out.said(), to)
    };
    let unfiltered = dunlin_rtps::To::Passing(1 << 63);
    for n in 1..=3 {
        let text = vec![format!("DATA {n}")];
        assert_eq!(said(&mut writer, n), (text, unfiltered));
    }
    let both = vec!["GAP 1..4 [] !".to_owned(), "DATA 4".to_owned()];
    assert_eq!(said(&mut writer, 4), (both, dunlin_rtps::To::Matched));
    assert_eq!(said(&mut writer, 5).0, ["DATA 5"]);
    // A heartbeat would make the reader ask.
    writer.remove_reader(reader_guid(2));
    writer.heartbeat(Time(0), &mut out);
    assert_eq!(out.said(), ["GAP 5..6 [] !", "HEARTBEAT 1..5? !"]);
    // Nobody wants it.
    writer.write(Time(0), &sample(0, 6, 8), &mut out).unwrap();
    assert!(out.said().is_empty());
    assert_eq!(writer.kept(), 6);
}

#[test]
fn what_a_reader_asks_for_and_does_not_want_is_a_gap() {
    let mut writer = Writer::new(keeping());
    let mut out = Recorder::default();
    let proxy = proxy_of_reader(&reliable_reader());
    writer.add_filtering_reader(Time(0), proxy, Some(judged(0, 100)), &mut out);
    for n in 1..=300 {
        writer.write(Time(0), &sample(0, n, 8), &mut out).unwrap();
    }
    out.said();
    let mut state = dunlin_wire::SequenceNumberSet::new(dunlin_wire::SequenceNumber(1));
    for n in [1, 2, 50, 100, 101] {
        state.insert(dunlin_wire::SequenceNumber(n));
    }
    let ask = dunlin_wire::AckNack {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        state,
        count: 1,
        is_final: true,
    };
    writer.handle_ack_nack(Time(MS), reader_guid(1), &ask, &mut out);
    let said = out.said();
    assert_eq!(
        said[..3],
        ["DATA 100 !", "GAP 1..100 [] !", "GAP 101..200 [] !"],
        "{said:?}"
    );
}

#[test]
fn writers_that_filter_and_networks_that_lose_leave_each_reader_what_it_wants() {
    for seed in 0..20 {
        let mut world = World::new(seed, BAD);
        let writer = WriterConfig {
            durability: Durability::TransientLocal,
            ..keeping()
        };
        world.add_writer(&writer);
        let late = |n, filter| ReaderConfig {
            durability: Durability::TransientLocal,
            ..named(n, filtering(filter))
        };
        let readers = [(1, 2, 0), (2, 3, 1), (3, 3, 1), (4, 50, 2)];
        for (n, filter, place) in readers {
            let reader = late(n, filter);
            world.add_reader(&reader);
            world.connect_filtering(&writer, &reader, judged(place, filter));
        }
        let all = ReaderConfig {
            durability: Durability::TransientLocal,
            ..named(5, reliable_reader())
        };
        world.add_reader(&all);
        world.connect(&writer, &all);
        for n in 1..=200 {
            let size = if n % 7 == 0 { 200_000 } else { 8 };
            world.write_blocking(writer_guid(1), &sample(n % 5, n, size));
        }
        // A late joiner gets of the history what passes.
        let last = late(6, 60);
        world.add_reader(&last);
        world.connect_filtering(&writer, &last, judged(3, 60));
        world.settle();
        let expected = |n: u32| (1..=200 / n).map(|k| n * k).collect::<Vec<u32>>();
        for (n, filter) in [(1, 2), (2, 3), (3, 3), (4, 50), (5, 1), (6, 60)] {
            assert_eq!(
                world.numbers(reader_guid(n)),
                expected(filter),
                "seed {seed}"
            );
            // Nobody else is at its locator, so it never sees the others.
            assert_eq!(world.readers[&reader_guid(n)].filtered(), 0);
        }
        assert_eq!(world.lost, 0);
        let writer = &world.writers[&writer_guid(1)];
        assert!(writer.is_acknowledged(writer.last_sequence()));
    }
}

#[test]
fn a_filter_changes_while_samples_are_under_way() {
    for seed in 0..20 {
        let mut world = World::new(seed, BAD);
        let reader = filtering(2);
        world.add_writer(&keeping());
        world.add_reader(&reader);
        world.connect_filtering(&keeping(), &reader, judged(0, 2));
        for n in 1..=300 {
            world.write_blocking(writer_guid(1), &sample(0, n, 8));
            if n == 100 {
                let reader = world.readers.get_mut(&reader_guid(1)).unwrap();
                reader.set_content_filter(multiples(1));
            }
            if n == 150 {
                let writer = world.writers.get_mut(&writer_guid(1)).unwrap();
                writer.set_reader_filter(reader_guid(1), Some(judged(1, 1)));
            }
            if n == 250 {
                let writer = world.writers.get_mut(&writer_guid(1)).unwrap();
                writer.set_reader_filter(reader_guid(1), None);
            }
            world.run_for(MS);
        }
        world.settle();
        let got = world.numbers(reader_guid(1));
        let even = |n: &u32| n.is_multiple_of(2);
        let (before, after): (Vec<u32>, Vec<u32>) = got.iter().partition(|n| **n <= 150);
        assert!(
            (2..=150)
                .filter(even)
                .eq(before.iter().copied().filter(even))
        );
        assert!(
            (151..=300).eq(after.iter().copied()),
            "seed {seed}: {after:?}"
        );
        assert_eq!(world.lost, 0);
    }
}

#[test]
fn a_best_effort_reader_of_ours_is_told_what_was_not_for_it() {
    let mut world = World::new(1, Link::default());
    let mut guid = reader_guid(1);
    guid.prefix.0[..2].copy_from_slice(&dunlin_wire::VendorId::DUNLIN.0);
    let reader = ReaderConfig {
        guid,
        reliability: ReliabilityKind::BestEffort,
        ..filtering(5)
    };
    world.add_writer(&reliable_writer());
    world.add_reader(&reader);
    world.connect_filtering(&reliable_writer(), &reader, judged(0, 5));
    for n in 1..=20 {
        world.write(writer_guid(1), &sample(0, n, 8)).unwrap();
    }
    world.settle();
    assert_eq!(world.numbers(guid), [5, 10, 15, 20]);
    assert_eq!((world.lost, world.sent["DATA"]), (0, 4));
}

#[test]
fn coherent_sets_and_ends_of_instances_are_sent_whatever_the_filter_says() {
    let mut world = World::new(1, Link::default());
    let reader = ReaderConfig {
        coherent: true,
        ..filtering(2)
    };
    world.add_writer(&keeping());
    world.add_reader(&reader);
    world.connect_filtering(&keeping(), &reader, judged(0, 2));
    world.begin_set(writer_guid(1));
    for n in 1..=4 {
        world.write(writer_guid(1), &sample(n, n, 8)).unwrap();
    }
    world.end_set(writer_guid(1));
    world
        .write(writer_guid(1), &end(ChangeKind::Disposed, 2))
        .unwrap();
    world.write(writer_guid(1), &sample(1, 5, 8)).unwrap();
    world.settle();
    assert_eq!(world.numbers(reader_guid(1)), [2, 4]);
    let disposed = |info: &&dunlin_rtps::SampleInfo| !info.valid_data;
    assert_eq!(
        world.infos(reader_guid(1)).iter().filter(disposed).count(),
        1
    );
    assert_eq!((world.lost, world.sent["DATA"]), (0, 6));
}

/// Lets all samples pass and takes so many steps for each.
fn costly(place: u8, cost: usize) -> ReaderFilter {
    let filter = ContentFilter::counting(move |_, steps| {
        let left = steps.checked_sub(cost);
        *steps = left.unwrap_or(0);
        left.map(|_| false)
    });
    ReaderFilter { place, filter }
}

/// A writer whose readers have filters that cost so much, each its own, and let nothing pass.
fn writer_with(costs: &[usize], out: &mut Recorder) -> Writer {
    let mut writer = Writer::new(keeping());
    for (n, cost) in costs.iter().enumerate() {
        let n = n as u8;
        let proxy = proxy_of_reader(&named(n + 1, reliable_reader()));
        writer.add_filtering_reader(Time(0), proxy, Some(costly(n, *cost)), out);
    }
    out.said();
    writer
}

const STEPS: usize = ReaderFilter::STEPS;

#[test]
fn the_filter_that_takes_the_most_of_too_many_steps_is_given_up() {
    let mut out = Recorder::default();
    let mut writer = writer_with(&[STEPS / 4, STEPS / 2, STEPS / 4, 8], &mut out);
    let mut to = |writer: &mut Writer, n| {
        writer.write(Time(0), &sample(0, n, 8), &mut out).unwrap();
        let to = out.messages.last().map(|message| message.0);
        out.said();
        to
    };
    // The last one was not asked any more, so it gets this one.
    assert_eq!(
        to(&mut writer, 1),
        Some(dunlin_rtps::To::Passing(0b1000)),
        "what is not judged is sent"
    );
    assert_eq!(writer.given_up_filters(), 1);
    for n in 1..=4 {
        assert_eq!(writer.has_given_up_filter(reader_guid(n)), n == 2);
    }
    // From now on all steps are for the others.
    assert_eq!(to(&mut writer, 2), Some(dunlin_rtps::To::Passing(0b10)));
    assert_eq!(writer.given_up_filters(), 1);
    // Another filter is judged again.
    writer.set_reader_filter(reader_guid(2), Some(costly(1, 1)));
    assert_eq!(to(&mut writer, 3), None);
    assert_eq!(writer.given_up_filters(), 0);
}

#[test]
fn no_write_takes_more_steps_than_all_filters_may() {
    use std::sync::{Arc, Mutex};
    let taken = Arc::new(Mutex::new(0));
    let mut writer = Writer::new(keeping());
    let mut out = Recorder::default();
    for n in 0..ReaderFilter::MOST {
        let taken = Arc::clone(&taken);
        let filter = ContentFilter::counting(move |_, steps| {
            let cost = STEPS - usize::from(n);
            let enough = cost <= *steps;
            *taken.lock().unwrap() += cost.min(*steps);
            *steps = steps.saturating_sub(cost);
            enough.then_some(false)
        });
        let filter = Some(ReaderFilter { place: n, filter });
        let proxy = proxy_of_reader(&named(n + 1, reliable_reader()));
        writer.add_filtering_reader(Time(0), proxy, filter, &mut out);
    }
    for n in 1..=40 {
        writer.write(Time(0), &sample(0, n, 8), &mut out).unwrap();
        let taken = std::mem::take(&mut *taken.lock().unwrap());
        assert!(taken <= STEPS, "{taken} steps for sample {n}");
    }
    // One may stay.
    let most = usize::from(ReaderFilter::MOST);
    assert_eq!(writer.given_up_filters(), most - 1);
}

#[test]
fn an_answer_ends_where_the_steps_do_and_the_reader_gets_what_it_wants_all_the_same() {
    for cost in [STEPS / 10, STEPS, STEPS + 1] {
        for seed in 0..5 {
            let mut world = World::new(seed, BAD);
            let writer = WriterConfig {
                durability: Durability::TransientLocal,
                ..keeping()
            };
            world.add_writer(&writer);
            for n in 1..=60 {
                world.write(writer_guid(1), &sample(0, n, 8)).unwrap();
            }
            let reader = ReaderConfig {
                durability: Durability::TransientLocal,
                ..filtering(7)
            };
            let multiples = multiples(7);
            let filter = ContentFilter::counting(move |sample, steps| {
                let left = steps.checked_sub(cost);
                *steps = left.unwrap_or(0);
                left.map(|_| multiples.passes(sample))
            });
            let filter = ReaderFilter { place: 0, filter };
            world.add_reader(&reader);
            world.connect_filtering(&writer, &reader, filter);
            world.settle();
            assert_eq!(
                world.numbers(reader_guid(1)),
                (1..=8).map(|k| 7 * k).collect::<Vec<u32>>(),
                "cost {cost}, seed {seed}"
            );
            assert_eq!(world.lost, 0);
            let given_up = world.writers[&writer_guid(1)].given_up_filters();
            assert_eq!(given_up == 1, cost > STEPS);
            // Given up, it gets everything and filters by itself.
            let filtered = world.readers[&reader_guid(1)].filtered();
            assert_eq!(filtered > 0, cost > STEPS, "{filtered}");
        }
    }
}
