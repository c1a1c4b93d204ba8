//! Hours in seconds: what grows slowly must not grow at all.
use crate::scenario::{MS, Partition, ReaderPlan, Restart, SECOND, Scenario, Taking, WriterPlan};
use crate::verdict;
use crate::world::World;
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_transport::Faults;
use std::time::Duration;

const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// A writer at 100 Hz and two readers; one of their participants crashes and returns each ten minutes.
fn scenario(hours: i64) -> Scenario {
    let changes = hours * 3600 * 100;
    let restart = |n| Restart {
        who: 2,
        from: n * 10 * MINUTE,
        until: n * 10 * MINUTE + 5 * SECOND,
        graceful: n % 2 == 0,
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
        // Two hours lead across 2^32.
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
    }
}

/// What all participants hold; the least of each within some seconds, so that what is just under way does not count.
fn held(world: &mut World) -> [usize; 9] {
    let mut least = [usize::MAX; 9];
    for _ in 0..500 {
        world.run_until(world.now + 7 * MS);
        for (least, now) in least.iter_mut().zip(holdings(world)) {
            *least = now.min(*least);
        }
    }
    least
}

fn holdings(world: &World) -> [usize; 9] {
    let mut all = [0; 9];
    for participant in world.participants() {
        let discovery = &participant.discovery;
        let kept: usize = participant.writers().map(|w| w.kept()).sum();
        let known = [
            kept,
            discovery.participants().count(),
            discovery.writers().count(),
            discovery.readers().count(),
        ];
        let readers = participant.readers().map(|reader| {
            let held = reader.holdings();
            let waiting = held.early + held.incomplete;
            let writers = reader.writers().count();
            [held.samples, held.instances, waiting, held.gaps, writers]
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

#[test]
fn two_hours_leave_no_trace() {
    let mut world = World::new(&scenario(2));
    world.most_steps = u64::MAX;
    let mut holdings = Vec::new();
    for half_hour in 1..=4 {
        // Between two restarts, when leases have run out.
        world.run_until(half_hour * HOUR / 2 - MINUTE);
        assert!(
            world.ledger.failures.is_empty(),
            "{:?}",
            world.ledger.failures
        );
        holdings.push(held(&mut world));
    }
    assert_eq!(holdings[1], holdings[3], "{holdings:?}");
    world.run_until(2 * HOUR + MINUTE);
    assert_eq!(verdict::lacking(&world), None);
}
