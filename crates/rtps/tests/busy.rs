//! Large samples between hosts that are busy: what is asked for again must not stand in the way of
//! what was asked for.
mod common;

use common::*;
use dunlin_qos::History;
use dunlin_rtps::{Time, WriterConfig};

const SIZE: usize = 1 << 20;
/// As many as fit into an Ethernet frame.
const FRAGMENT: u16 = 1_400;
const FRAGMENTS: u64 = (SIZE as u64).div_ceil(FRAGMENT as u64);

fn writer() -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        fragment_size: Some(FRAGMENT),
        ..reliable_writer()
    }
}

/// Writes at 10 Hz, then waits for the rest; says when all was there, in milliseconds after the
/// last was written.
fn large_samples(seed: u64, count: u32, link: Link, host: Host) -> (World, i64) {
    let (w, r) = (writer(), reliable_reader());
    let mut world = World::pair(seed, link, &w, &r);
    world.host = host;
    for n in 0..count {
        world.run_until(Time(100 * MS * i64::from(n)));
        world.write(w.guid, &sample(0, n, SIZE)).unwrap();
    }
    let written = world.now;
    while world.taken[&r.guid].len() < count as usize {
        let late = world.now.since(written).as_nanos() / MS;
        let here = world.taken[&r.guid].len();
        assert!(
            late < 60_000,
            "{here} of {count} after a minute: {:?}",
            world.sent
        );
        world.run_for(MS);
    }
    assert!(world.numbers(r.guid).into_iter().eq(0..count));
    let late = world.now.since(written).as_nanos() / MS;
    println!(
        "late {late} ms, dropped {}, {:?}",
        world.dropped, world.sent
    );
    (world, late)
}

const LOSSY: Link = Link {
    loss: 5,
    duplicate: 3,
    reorder: 5,
    delay: MS / 10,
    jitter: 10 * MS,
};

#[test]
fn questions_do_not_pile_up_at_a_busy_writer() {
    for seed in 0..5 {
        let host = Host {
            work: MS / 20,
            room: 3_000,
        };
        let (world, _) = large_samples(seed, 30, LOSSY, host);
        assert!(world.sent["FRAG"] < 30 * FRAGMENTS * 2, "{:?}", world.sent);
    }
}

#[test]
fn a_small_receive_buffer_takes_a_large_sample_piece_by_piece() {
    for room in [20, 100, 300] {
        let host = Host {
            work: MS / 20,
            room,
        };
        let (world, _) = large_samples(1, 3, LOSSY, host);
        assert!(world.dropped > 0);
    }
}

#[test]
fn far_away_a_question_waits_for_its_answer() {
    let far = Link {
        delay: 100 * MS,
        ..LOSSY
    };
    let idle = Host {
        work: 0,
        room: usize::MAX,
    };
    let (world, late) = large_samples(1, 30, far, idle);
    assert!(late < 3_000, "{late} ms");
    assert!(
        world.sent["FRAG"] < 30 * FRAGMENTS * 3 / 2,
        "{:?}",
        world.sent
    );
}
