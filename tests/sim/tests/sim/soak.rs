//! Hours in seconds: what grows slowly must not grow at all.
use crate::scenario::{MS, Partition, ReaderPlan, Restart, SECOND, Scenario, Taking, WriterPlan};
use crate::stage::Stage;
use crate::verdict;
use crate::world::World;
use dunlin_qos::{DataReaderQos, DataWriterQos, Durability, History, Reliability, ReliabilityKind};
use dunlin_rtps::Writer;
use dunlin_transport::Faults;
use std::time::Duration;

const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// A writer at 100 Hz and two readers; one of their participants crashes and returns each ten
/// minutes.
fn scenario(hours: i64) -> Scenario {
    let changes = hours * 3600 * 100;
    let restart = |n| Restart {
        who: 2,
        from: n * 10 * MINUTE,
        until: n * 10 * MINUTE + 5 * SECOND,
        graceful: n % 2 == 0,
        same_prefix: false,
    };
    let reader = |at, history| ReaderPlan {
        at,
        joins: 0,
        reliability: ReliabilityKind::Reliable,
        durability: Durability::TransientLocal,
        history,
        limit: None,
        max_pending: 256,
        taking: Taking::AtOnce,
    };
    Scenario {
        seed: 1,
        participants: 3,
        instances: Some(10),
        private: true,
        send_key_hash: true,
        multicast: false,
        fragment_size: 1_000,
        whole: 0,
        // The first hour leads across 2^32.
        first: (1 << 32) - 300_000,
        faults: Faults {
            drop: 0.02,
            delay: Duration::from_micros(100),
            ..Faults::default()
        },
        writers: vec![WriterPlan {
            at: 0,
            joins: 0,
            reliability: ReliabilityKind::Reliable,
            durability: Durability::TransientLocal,
            history: History::KeepLast(4),
            limit: None,
            samples: u32::try_from(changes).unwrap(),
            interval: 10 * MS,
            large: (1, 4_000),
            ends: 0,
        }],
        readers: vec![reader(1, History::KeepLast(8)), reader(2, History::KeepAll)],
        partitions: Vec::<Partition>::new(),
        restarts: (1..hours * 6).map(restart).collect(),
        pauses: Vec::new(),
        epoch: 1_700_000_000 * SECOND,
        jumps: Vec::new(),
    }
}

/// What all participants hold, and how many bytes are allocated; the least of each within some
/// seconds, so that what is just under way does not count.
fn held(world: &mut World, live: &mut i64) -> ([usize; 9], i64) {
    let mut least = [usize::MAX; 9];
    let mut least_live = i64::MAX;
    for _ in 0..500 {
        *live += spent(world, |world| world.run_until(world.now + 7 * MS));
        least_live = least_live.min(*live);
        for (least, now) in least.iter_mut().zip(holdings(world)) {
            *least = now.min(*least);
        }
    }
    (least, least_live)
}

fn holdings(world: &World) -> [usize; 9] {
    let mut all = [0; 9];
    for participant in world.participants() {
        let writers = participant.writers();
        let kept = writers.map(|w| participant.writer(w, Writer::kept)).sum();
        let known = participant.discovery(|discovery| {
            [
                kept,
                discovery.participants().count(),
                discovery.writers().count(),
                discovery.readers().count(),
            ]
        });
        let readers = participant.readers().map(|reader| {
            participant.reader(reader, |reader| {
                let held = reader.holdings();
                let waiting = held.early + held.incomplete;
                let writers = reader.writers().count();
                [held.samples, held.instances, waiting, held.gaps, writers]
            })
        });
        for (sum, count) in all.iter_mut().zip(known) {
            *sum += count;
        }
        for counts in readers {
            for (sum, count) in all.iter_mut().skip(known.len()).zip(counts) {
                *sum += count;
            }
        }
    }
    all
}

/// What may be held more than after the first hour: pools of buffers have some chunks of 128 KiB
/// more if ever more of them were in use at a time, and a queue of the network may be longer. That
/// is less than two bytes for each sample of an hour.
const SLACK: i64 = 5 * (128 << 10);

/// Runs for some hours; at the end of each as much is held as at the end of the first one.
fn soak(hours: i64) {
    let mut live = 0;
    let mut world = None;
    let born = allocation_counter::measure(|| world = Some(World::new(&scenario(hours))));
    live += born.bytes_current;
    let mut world = world.unwrap();
    world.most_steps = u64::MAX;
    world.ledger.memory = Some(8_000);
    let (mut holdings, mut memory) = (Vec::new(), Vec::new());
    for half_hour in 1..=2 * hours {
        // Between two restarts, when leases have run out.
        let end = half_hour * HOUR / 2 - MINUTE;
        while world.now < end {
            let next = end.min(world.now + MINUTE);
            live += spent(&mut world, |world| world.run_until(next));
            live += spent(&mut world, |world| world.ledger.forget());
        }
        assert!(
            world.ledger.failures.is_empty(),
            "{:?}",
            world.ledger.failures
        );
        if half_hour % 2 == 0 {
            let (held, least) = held(&mut world, &mut live);
            holdings.push(held);
            memory.push(least);
        }
    }
    assert!(holdings.iter().all(|h| *h == holdings[0]), "{holdings:?}");
    let growth = memory.iter().map(|bytes| bytes - memory[0]).max();
    eprintln!(
        "FIGURE soak: {hours} h, {} steps, {} datagrams, {} bytes held after the first hour, at most {growth:?} more later",
        world.steps,
        world.datagrams(),
        memory[0]
    );
    assert!(growth.is_none_or(|bytes| bytes <= SLACK), "{memory:?}");
    world.run_until(hours * HOUR + MINUTE);
    assert_eq!(verdict::lacking(&world), None);
}

/// By how many bytes what it allocates exceeds what it frees.
fn spent(world: &mut World, action: impl FnOnce(&mut World)) -> i64 {
    allocation_counter::measure(|| action(world)).bytes_current
}

#[test]
fn two_hours_leave_no_trace() {
    soak(2);
}

/// Some minutes at most: `cargo test -p dunlin-sim-tests a_day -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute or two; two hours are run each time"]
fn a_day_leaves_no_trace() {
    soak(24);
}

/// A participant with a reader ends and another one takes its place, again and again: those who
/// stay hold as much as before.
#[test]
fn who_comes_and_goes_leaves_nothing() {
    let durability = Durability::TransientLocal;
    let mut stage = Stage::new(2);
    let writer = DataWriterQos {
        durability,
        ..DataWriterQos::default()
    };
    let reader = DataReaderQos {
        durability,
        reliability: Reliability::RELIABLE,
        ..DataReaderQos::default()
    };
    stage.writer(0, writer);
    stage.reader(1, reader.clone());
    let mut held = 0;
    for round in 0..40 {
        let come_and_go = || {
            stage.stop(1, round % 2 == 0);
            stage.run_for(30 * SECOND);
            stage.start(1, |_| {});
            stage.reader(1, reader.clone());
            stage.run_for(10 * SECOND);
            stage.news.clear();
            stage.heard.clear();
        };
        let more = allocation_counter::measure(come_and_go).bytes_current;
        // The first ones leave tables that have grown.
        held += if round < 3 { 0 } else { more };
    }
    assert!(held < 2_000, "{held} bytes more");
}
