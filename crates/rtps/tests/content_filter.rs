//! Content filters, in the reader and in the writer, over a network that loses, repeats and delays.
mod common;

use common::*;
use dunlin_qos::{History, ReliabilityKind};
use dunlin_rtps::{ChangeKind, ContentFilter, InstanceState, ReaderConfig, WriterConfig};

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
        number.is_some_and(|number| number % n == 0)
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
