//! A writer that does not wait for one reader any more.
mod common;

use common::*;
use dunlin_qos::{History, ResourceLimits};
use dunlin_rtps::{ReaderConfig, Time, WriteError, WriterConfig};
use dunlin_wire::VendorId;

const LIMIT: u32 = 20;

fn writer() -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: Some(LIMIT),
            ..ResourceLimits::default()
        },
        ..reliable_writer()
    }
}

/// A reader that has room for four samples, which nobody takes.
fn stalled() -> ReaderConfig {
    ReaderConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    }
}

fn link(loss: u64) -> Link {
    Link {
        loss,
        duplicate: 5,
        reorder: 10,
        delay: MS / 10,
        jitter: 2 * MS,
    }
}

#[test]
fn a_reader_that_is_given_up_loses_what_it_lacks_and_goes_on() {
    for (seed, loss) in [(1, 0), (2, 20), (3, 50)] {
        let (mut w, mut slow) = (writer(), stalled());
        // Readers of Dunlin count what they lose.
        for guid in [&mut w.guid, &mut slow.guid] {
            guid.prefix.0[..2].copy_from_slice(&VendorId::DUNLIN.0);
        }
        let mut world = World::pair(seed, link(loss), &w, &slow);
        world.takes = false;
        let mut written = 0;
        while world.now < Time(5_000 * MS) {
            match world.write(w.guid, &sample(0, written, 64)) {
                Ok(_) => written += 1,
                Err(WriteError::Full) => world.run_for(10 * MS),
                Err(error) => panic!("{error:?}"),
            }
        }
        // It has four and the writer keeps the others.
        assert_eq!(written, 4 + LIMIT);
        let mut out = Recorder::default();
        let now = world.now;
        let state = world.writers.get_mut(&w.guid).unwrap();
        assert!(state.give_up(now, slow.guid, &mut out), "there is room");
        assert_eq!(state.kept(), 0);
        assert!(!state.give_up(now, slow.guid, &mut out), "it lacks nothing");
        world.post(w.guid, out);
        world.takes = true;
        world.take(slow.guid);
        for number in written..written + 100 {
            world.write_blocking(w.guid, &sample(0, number, 64));
        }
        world.settle();
        let taken = world.numbers(slow.guid);
        let rest = written..written + 100;
        assert!(taken.is_sorted_by(|a, b| a < b) && taken.starts_with(&[0, 1, 2, 3]));
        assert!(taken.iter().copied().filter(|n| *n >= written).eq(rest));
        // It may have had some that it could not show, since earlier ones were missing.
        let all = taken.len() as u64 + world.lost;
        assert_eq!(all, u64::from(written) + 100, "loss {loss} %");
    }
}

#[test]
fn others_lose_nothing_by_it() {
    let (w, slow) = (writer(), stalled());
    let quick = ReaderConfig {
        guid: reader_guid(9),
        ..reliable_reader()
    };
    let mut world = World::pair(4, link(20), &w, &slow);
    world.add_reader(&quick);
    world.connect(&w, &quick);
    world.takes = false;
    for number in 0..4 + LIMIT {
        world.write_blocking(w.guid, &sample(0, number, 64));
    }
    // What the quick one has not got either is kept for it.
    let mut out = Recorder::default();
    let now = world.now;
    let state = world.writers.get_mut(&w.guid).unwrap();
    state.give_up(now, slow.guid, &mut out);
    world.post(w.guid, out);
    world.settle();
    world.take(quick.guid);
    assert!(world.numbers(quick.guid).into_iter().eq(0..4 + LIMIT));
}
