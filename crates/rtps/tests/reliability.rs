//! Reliable writers and readers over networks that lose, repeat and reorder.
mod common;

use common::*;
use dunlin_qos::{Durability, History, ResourceLimits};
use dunlin_rtps::{ReaderConfig, Time, WriterConfig};
use dunlin_wire::SequenceNumber;

fn keep_all(limit: Option<u32>) -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: limit,
            ..ResourceLimits::default()
        },
        ..reliable_writer()
    }
}

const LOSSLESS: Link = Link {
    loss: 0,
    duplicate: 0,
    reorder: 0,
    delay: MS / 10,
    jitter: 0,
};

fn lossy(loss: u64) -> Link {
    Link {
        loss,
        duplicate: 5,
        reorder: 10,
        delay: MS / 10,
        jitter: 2 * MS,
    }
}

#[test]
fn all_samples_arrive_once_and_in_order_whatever_the_loss() {
    for (seed, loss) in [(1, 0), (2, 20), (3, 40), (4, 60)] {
        let (w, r) = (keep_all(Some(100)), reliable_reader());
        let mut world = World::pair(seed, lossy(loss), &w, &r);
        for n in 0..10_000 {
            world.write_blocking(w.guid, &sample(n % 7, n, 64));
        }
        world.settle();
        assert!(
            world.numbers(r.guid).into_iter().eq(0..10_000),
            "loss {loss}"
        );
        assert!(world.writers[&w.guid].is_acknowledged(SequenceNumber(10_000)));
        assert_eq!((world.lost, world.rejected), (0, 0));
        assert_eq!(world.writers[&w.guid].kept(), 0);
        println!("loss {loss} %: {} ms, {:?}", world.now.0 / MS, world.sent);
    }
}

#[test]
fn a_steady_stream_survives_loss_without_falling_behind() {
    for loss in [10, 30, 50] {
        let (w, r) = (keep_all(None), reliable_reader());
        let mut world = World::pair(loss, lossy(loss), &w, &r);
        for n in 0..5_000_u32 {
            world.run_until(Time(i64::from(n) * 2 * MS));
            world.write(w.guid, &sample(0, n, 256)).unwrap();
        }
        let behind = 5_000 - world.numbers(r.guid).len();
        world.settle();
        assert!(world.numbers(r.guid).into_iter().eq(0..5_000));
        println!("loss {loss} %: {behind} behind, {:?}", world.sent);
        assert!(behind < 100, "{behind} behind at {loss} %");
    }
}

#[test]
fn nothing_is_acknowledged_per_sample() {
    let (w, r) = (keep_all(Some(1000)), reliable_reader());
    let mut world = World::pair(1, LOSSLESS, &w, &r);
    world.settle();
    world.sent.clear();
    for n in 0..10_000 {
        world.write(w.guid, &sample(0, n, 64)).unwrap();
        world.run_for(MS / 2);
    }
    world.settle();
    assert_eq!(world.sent["DATA"], 10_000);
    assert!(world.sent["HEARTBEAT"] <= 60, "{:?}", world.sent);
    assert!(world.sent["ACKNACK"] <= 60, "{:?}", world.sent);
}

#[test]
fn large_samples_come_whole_through_loss() {
    let w = WriterConfig {
        fragment_size: Some(8_000),
        ..keep_all(Some(4))
    };
    let r = reliable_reader();
    let mut world = World::pair(5, lossy(20), &w, &r);
    for n in 0..20 {
        // Every other one has a part that is not copied.
        let apart = 10_000..10_000 + 50_000 * (n as usize % 2);
        world.write_blocking(w.guid, &sample_around(0, n, 1 << 20, apart));
    }
    world.settle();
    let taken = &world.taken[&r.guid];
    assert_eq!(taken.len(), 20);
    for (n, got) in (0..).zip(taken) {
        assert_eq!(bytes_of(got), sample(0, n, 1 << 20).payload);
    }
    println!("{} ms, {:?}", world.now.0 / MS, world.sent);
    // Fragments, not samples, are repeated.
    assert!(world.sent["FRAG"] < 20 * 132 * 3 / 2);
}

#[test]
fn a_large_sample_in_thousands_of_fragments() {
    let w = WriterConfig {
        fragment_size: Some(1_300),
        ..keep_all(None)
    };
    let r = reliable_reader();
    let mut world = World::pair(6, lossy(20), &w, &r);
    let big = sample(0, 1, 10 << 20);
    world.write(w.guid, &big).unwrap();
    world.settle();
    assert_eq!(world.taken[&r.guid].len(), 1);
    assert_eq!(bytes_of(&world.taken[&r.guid][0]), big.payload);
    println!("{} ms, {:?}", world.now.0 / MS, world.sent);
}

#[test]
fn a_late_joiner_gets_the_history_it_asks_for() {
    let w = WriterConfig {
        durability: Durability::TransientLocal,
        history: History::KeepLast(3),
        ..reliable_writer()
    };
    let early = reliable_reader();
    for loss in [0, 30] {
        let mut world = World::pair(7, lossy(loss), &w, &early);
        for n in 0..2_000 {
            world.write(w.guid, &sample(n % 500, n, 32)).unwrap();
        }
        world.run_for(100 * MS);
        let late = ReaderConfig {
            guid: reader_guid(2),
            durability: Durability::TransientLocal,
            ..reliable_reader()
        };
        let volatile = ReaderConfig {
            guid: reader_guid(3),
            ..reliable_reader()
        };
        for reader in [&late, &volatile] {
            world.add_reader(reader);
            world.connect(&w, reader);
        }
        world.run_for(500 * MS);
        world.write(w.guid, &sample(0, 9_999, 32)).unwrap();
        world.settle();
        let got = world.numbers(late.guid);
        assert!(got.into_iter().eq((500..2_000).chain([9_999])));
        assert_eq!(world.numbers(volatile.guid), [9_999]);
    }
}

#[test]
fn a_joiner_hears_at_once_without_waiting_for_a_timer() {
    let w = WriterConfig {
        durability: Durability::TransientLocal,
        ..reliable_writer()
    };
    let r = ReaderConfig {
        durability: Durability::TransientLocal,
        ..reliable_reader()
    };
    // The reader matches last: its greeting brings the history.
    let mut world = World::new(1, LOSSLESS);
    world.add_writer(&w);
    let mut out = Recorder::default();
    let writer = world.writers.get_mut(&w.guid).unwrap();
    writer.add_reader(Time(0), proxy_of_reader(&r), &mut out);
    world.write(w.guid, &sample(0, 1, 32)).unwrap();
    world.run_for(MS);
    world.add_reader(&r);
    world.connect(&w, &r);
    world.run_for(MS);
    assert_eq!(world.numbers(r.guid), [1]);
}

#[test]
fn keep_last_lets_go_of_what_is_overwritten() {
    let w = WriterConfig {
        history: History::KeepLast(1),
        ..reliable_writer()
    };
    let r = reliable_reader();
    let mut world = World::pair(9, lossy(50), &w, &r);
    for n in 0..5_000 {
        world.write(w.guid, &sample(n % 3, n, 32)).unwrap();
        if n % 10 == 0 {
            world.run_for(MS);
        }
        assert!(world.writers[&w.guid].kept() <= 3);
    }
    world.settle();
    let got = world.numbers(r.guid);
    assert!(got.is_sorted_by(|a, b| a < b));
    assert!(
        got.ends_with(&[4_997, 4_998, 4_999]) || got.len() > 2,
        "{got:?}"
    );
    for instance in 0..3 {
        let last = got.iter().rev().find(|n| **n % 3 == instance);
        assert!(last.is_some_and(|n| *n >= 4_997));
    }
}

#[test]
fn a_reader_that_takes_nothing_slows_its_writer_down() {
    let w = keep_all(Some(50));
    let r = ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(20),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    };
    for size in [64, 100_000] {
        let mut world = World::pair(11, lossy(10), &w, &r);
        world.takes = false;
        let mut next = 0;
        for _ in 0..200 {
            while world.write(w.guid, &sample(0, next, size)).is_ok() {
                next += 1;
            }
            world.run_for(20 * MS);
        }
        assert_eq!(next, 70, "20 with the reader, 50 with the writer");
        assert!(world.rejected > 0);
        let start = world.now;
        while next < 300 {
            world.take(r.guid);
            world.run_for(MS);
            while next < 300 && world.write(w.guid, &sample(0, next, size)).is_ok() {
                next += 1;
            }
        }
        world.takes = true;
        world.settle();
        assert!(world.numbers(r.guid).into_iter().eq(0..300));
        println!("{} ms, {:?}", (world.now.0 - start.0) / MS, world.sent);
    }
}

#[test]
fn a_silent_reader_blocks_until_it_is_removed() {
    let (w, r) = (keep_all(Some(10)), reliable_reader());
    let mut world = World::new(1, LOSSLESS);
    world.add_writer(&w);
    let mut out = Recorder::default();
    let writer = world.writers.get_mut(&w.guid).unwrap();
    writer.add_reader(Time(0), proxy_of_reader(&r), &mut out);
    for n in 0..10 {
        world.write(w.guid, &sample(0, n, 8)).unwrap();
    }
    assert!(world.write(w.guid, &sample(0, 10, 8)).is_err());
    world.sent.clear();
    world.run_for(10_000 * MS);
    let asked = world.sent["HEARTBEAT"];
    assert!((18..=40).contains(&asked), "asked {asked} times in 10 s");
    let writer = world.writers.get_mut(&w.guid).unwrap();
    assert_eq!(
        writer.slowest_reader().unwrap(),
        (r.guid, SequenceNumber(0))
    );
    assert!(!writer.is_acknowledged(SequenceNumber(1)));
    assert!(writer.remove_reader(r.guid));
    assert!(writer.is_acknowledged(SequenceNumber(10)));
    assert!(world.write(w.guid, &sample(0, 10, 8)).is_ok());
    assert_eq!(world.writers[&w.guid].kept(), 0);
}

#[test]
fn many_seeds() {
    for seed in 0..200 {
        let mut rng = Rng(seed);
        let link = Link {
            loss: rng.below(61),
            duplicate: rng.below(21),
            reorder: rng.below(31),
            delay: rng.below(20) as i64 * MS + 1,
            jitter: rng.below(50) as i64 * MS + 1,
        };
        let w = WriterConfig {
            fragment_size: Some(100 + rng.below(400) as u16),
            ..keep_all(Some(1 + rng.below(64) as u32))
        };
        let readers: Vec<_> = (1..=1 + rng.below(3) as u8)
            .map(|n| ReaderConfig {
                guid: reader_guid(n),
                ..reliable_reader()
            })
            .collect();
        let mut world = World::new(seed, link);
        world.add_writer(&w);
        for r in &readers {
            world.add_reader(r);
            world.connect(&w, r);
        }
        for n in 0..200 {
            let size = rng.below(1_500) as usize;
            world.write_blocking(w.guid, &sample(n % 5, n, size));
        }
        world.settle();
        for r in &readers {
            let got = world.numbers(r.guid);
            assert!(got.into_iter().eq(0..200), "seed {seed}");
        }
    }
}

#[test]
fn a_reader_that_forgot_its_writer_goes_on_where_it_was() {
    let (w, r) = (keep_all(Some(100)), reliable_reader());
    let mut world = World::pair(13, lossy(20), &w, &r);
    for round in 0..20 {
        for n in 0..50 {
            world.write_blocking(w.guid, &sample(0, round * 50 + n, 32));
        }
        world.settle();
        let mut out = Recorder::default();
        let reader = world.readers.get_mut(&r.guid).unwrap();
        reader.remove_writer(world.now, w.guid);
        reader.add_writer(world.now, proxy_of_writer(&w), &mut out);
    }
    assert!(world.numbers(r.guid).into_iter().eq(0..1_000));
}

#[test]
fn a_partition_heals_within_a_second() {
    let (w, r) = (keep_all(Some(500)), reliable_reader());
    let mut world = World::pair(14, lossy(0), &w, &r);
    let mut next = 0;
    let mut write_until = |world: &mut World, ms: i64| {
        while world.now < Time(ms * MS) {
            next += u32::from(world.write(w.guid, &sample(0, next, 32)).is_ok());
            world.run_for(2 * MS);
        }
        next
    };
    write_until(&mut world, 500);
    world.link.loss = 100;
    write_until(&mut world, 3_500);
    world.link.loss = 0;
    let written = write_until(&mut world, 4_500);
    world.run_for(10 * MS);
    let got = world.numbers(r.guid);
    assert!(got.iter().copied().eq(0..got.len() as u32));
    assert!(
        got.len() as u32 >= written - 10,
        "{} of {written}",
        got.len()
    );
}
