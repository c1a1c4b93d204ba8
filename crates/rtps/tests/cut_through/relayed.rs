//! One behind the other: what a reader takes goes on by a writer, on networks with loss and on a
//! wire with a rate.
use crate::common::*;
use crate::{fragmenting, passing_on, payload};
use dunlin_qos::ReliabilityKind;
use dunlin_rtps::{ReaderConfig, WriterConfig};

/// Writer 1, reader 1, which passes on to writer 2, and reader 2.
fn chain(seed: u64, link: Link, sizes: (u16, u16), cuts_through: bool) -> World {
    let (source, inner) = (fragmenting(1, sizes.0), passing_on(1));
    let (outer, sink) = (fragmenting(2, sizes.1), passing_on(2));
    let sink = ReaderConfig {
        arriving: None,
        ..sink
    };
    let mut world = World::pair(seed, link, &source, &inner);
    world.add_writer(&outer);
    world.add_reader(&sink);
    world.connect(&outer, &sink);
    world.relay(inner.guid, outer.guid, cuts_through);
    world.run_for(50 * MS);
    world
}

fn assert_clean(world: &World) {
    for reader in world.readers.values() {
        let held = reader.holdings();
        assert_eq!((held.incomplete, held.early, held.samples), (0, 0, 0));
        assert_eq!(held.incomplete_bytes, 0);
    }
    for writer in world.writers.values() {
        assert!(!writer.is_open());
        assert_eq!(writer.kept(), 0);
    }
}

#[test]
fn with_loss_on_both_sides_all_samples_come_once_in_order_as_they_were_written() {
    let mut opened = 0;
    for seed in 0..60 {
        let mut rng = Rng(seed);
        let link = Link {
            loss: [0, 2, 10, 30][seed as usize % 4],
            duplicate: 5,
            reorder: 20,
            delay: MS / 10,
            jitter: MS,
        };
        let sizes = [(100, 100), (100, 170), (170, 100), (100, 1000)][rng.below(4) as usize];
        let mut world = chain(seed, link, sizes, true);
        world.rate = 10_000_000;
        for number in 1..=20 {
            let size = [60, 300, 2_000, 9_000][rng.below(4) as usize];
            let change = sample(1, number, size);
            world.write(writer_guid(1), &change).unwrap();
            world.run_for(rng.below(8) as i64 * MS);
        }
        world.settle();
        assert_eq!(
            world.numbers(reader_guid(2)),
            (1..=20).collect::<Vec<_>>(),
            "seed {seed}"
        );
        for taken in &world.taken[&reader_guid(2)] {
            let bytes = bytes_of(taken);
            let written = sample(1, number_of(taken), bytes.len());
            assert_eq!(payload(&written), bytes, "seed {seed}");
        }
        assert_eq!(world.lost, 0, "seed {seed}");
        assert_clean(&world);
        opened += world.relays[&reader_guid(1)].opened;
    }
    assert!(opened > 300, "only {opened} samples were cut through");
}

#[test]
fn of_a_source_that_vanishes_nothing_is_delivered_and_the_next_one_goes_on() {
    let mut abandoned = 0;
    for seed in 0..40 {
        let mut rng = Rng(seed);
        let link = Link {
            loss: [0, 10][seed as usize % 2],
            delay: MS / 10,
            ..Link::default()
        };
        let mut world = chain(seed, link, (100, 100), true);
        world.rate = 1_000_000;
        let (inner, returning) = (passing_on(1), fragmenting(3, 100));
        world.write(writer_guid(1), &sample(1, 1, 300)).unwrap();
        world.write(writer_guid(1), &sample(1, 2, 9_000)).unwrap();
        world.run_for(rng.below(120) as i64 * MS);
        world.remove_writer(writer_guid(1), inner.guid);
        world.writers.remove(&writer_guid(1));
        world.add_writer(&returning);
        world.connect(&returning, &inner);
        world.write(returning.guid, &sample(1, 3, 5_000)).unwrap();
        world.settle();
        let taken = world.numbers(reader_guid(2));
        assert_eq!(taken.last(), Some(&3), "seed {seed}");
        assert!(taken.is_sorted(), "seed {seed}: {taken:?}");
        assert_eq!(world.lost, 0, "seed {seed}");
        assert_clean(&world);
        abandoned += world.relays[&inner.guid].abandoned;
    }
    assert!(abandoned > 10, "only {abandoned} were cut short");
}

#[test]
fn best_effort_samples_come_whole_or_not_at_all_and_what_is_cut_short_leaves_nothing() {
    let (mut opened, mut abandoned) = (0, 0);
    for seed in 0..40 {
        let (source, inner, outer, sink) = best_effort_chain();
        let link = Link {
            loss: [0, 1, 5][seed as usize % 3],
            delay: MS / 10,
            ..Link::default()
        };
        let mut world = World::pair(seed, link, &source, &inner);
        world.rate = 10_000_000;
        world.add_writer(&outer);
        world.add_reader(&sink);
        world.connect(&outer, &sink);
        world.relay(inner.guid, outer.guid, true);
        for number in 1..=20 {
            let size = [60, 2_000, 9_000][number as usize % 3];
            world.write(source.guid, &sample(1, number, size)).unwrap();
            world.run_for(3 * MS);
        }
        world.settle();
        let numbers = world.numbers(sink.guid);
        assert!(numbers.is_sorted(), "seed {seed}: {numbers:?}");
        assert!(
            link.loss > 0 || numbers.len() == 20,
            "seed {seed}: {numbers:?}"
        );
        for taken in &world.taken[&sink.guid] {
            let bytes = bytes_of(taken);
            let written = sample(1, number_of(taken), bytes.len());
            assert_eq!(payload(&written), bytes, "seed {seed}");
        }
        assert_clean(&world);
        opened += world.relays[&inner.guid].opened;
        abandoned += world.relays[&inner.guid].abandoned;
    }
    assert!(opened > 200 && abandoned > 20, "{opened} {abandoned}");
}

fn best_effort_chain() -> (WriterConfig, ReaderConfig, WriterConfig, ReaderConfig) {
    let writer = |n| WriterConfig {
        reliability: ReliabilityKind::BestEffort,
        ..fragmenting(n, 100)
    };
    let reader = |n, arriving| ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        arriving,
        ..passing_on(n)
    };
    (writer(1), reader(1, Some(1)), writer(2), reader(2, None))
}

/// How long a sample takes at 1 Gb/s in fragments of 1,344 bytes, in nanoseconds: over so many
/// services, which wait for all of it or do not.
fn time_on_the_wire(size: usize, hops: u8, cuts_through: bool) -> i64 {
    let mut world = World::new(1, Link::default());
    world.rate = 1_000_000_000;
    world.link.delay = 10_000;
    for n in 1..=hops + 1 {
        let (writer, reader) = (fragmenting(n, 1344), passing_on(n));
        world.add_writer(&writer);
        world.add_reader(&reader);
        world.connect(&writer, &reader);
        if n <= hops {
            world.relay(reader.guid, writer_guid(n + 1), cuts_through);
        }
    }
    world.run_for(500 * MS);
    let begun = world.now;
    world.write(writer_guid(1), &sample(1, 1, size)).unwrap();
    while world.taken[&reader_guid(hops + 1)].is_empty() {
        assert!(world.step());
    }
    world.now.0 - begun.0
}

/// The figures of docs/routing.md: `cargo test -p dunlin-rtps --test cut_through on_a_wire --
/// --nocapture`.
#[test]
fn on_a_wire_with_a_rate_a_service_costs_a_fragment_and_not_the_sample_once_more() {
    let micros = |nanos: i64| nanos as f64 / 1000.0;
    for size in [63_000, 10 << 20] {
        let direct = time_on_the_wire(size, 0, true);
        for hops in [1, 2] {
            let whole = time_on_the_wire(size, hops, false);
            let cut = time_on_the_wire(size, hops, true);
            println!(
                "{size} bytes over {hops}: direct {:.1} us, whole {:.1} us ({:.2}), cut through \
                 {:.1} us ({:.2})",
                micros(direct),
                micros(whole),
                whole as f64 / direct as f64,
                micros(cut),
                cut as f64 / direct as f64,
            );
            assert!(
                whole > direct * i64::from(hops + 1) * 19 / 20,
                "{whole} {direct}"
            );
            // One fragment on the wire takes 12 us, and the way to the next host 10; a large
            // sample goes in 64 parts.
            let part = i64::try_from(size.div_ceil(64).max(1344)).unwrap() * 8 * 12 / 10;
            let hop = part + 10_000;
            assert!(
                cut <= direct * 105 / 100 + hop * i64::from(hops),
                "{cut} {direct}"
            );
            assert!(cut * 10 <= direct * 13, "{cut} {direct}");
        }
    }
}
