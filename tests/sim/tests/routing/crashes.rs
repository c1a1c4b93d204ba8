//! Services that are killed, or stopped, and started again under load: readers beyond get all that
//! a source keeps for late joiners, in its order, once for each service that returns at most.
use crate::dice::Dice;
use crate::plans;
use crate::sample::{Keyed, Load, Shape};
use crate::seeds;
use crate::world::{MS, Nature, SECOND, World};
use bytes::Bytes;
use dunlin::transport::Faults;
use dunlin::{DataReaderQos, DataWriterQos, Durability, Duration, History, Reliability};
use std::collections::HashSet;
use std::time::Duration as Span;

/// Seeds that are run unless `DUNLIN_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 20;

fn story(seed: u64) {
    let mut dice = Dice(seed);
    let hops = dice.within(1, 3) as u32;
    let faults = Faults {
        drop: dice.one_of(&[0.0, 0.05, 0.2]),
        duplicate: dice.one_of(&[0.0, 0.1]),
        reorder: dice.one_of(&[0.0, 0.2]),
        reorder_by: Span::from_millis(20),
        delay: Span::from_micros(dice.within(50, 3_000)),
        ..Faults::default()
    };
    let world = World::new(Nature {
        seed,
        faults,
        whole: None,
        lease: Duration::from_secs(20),
    });
    let plan = |hop: u32| plans::one_way(&format!("service {hop}"), hop, hop + 1, "");
    let mut services: Vec<_> = (0..hops).map(|hop| world.start(plan(hop))).collect();
    let (reliability, durability, history) = (
        Reliability::RELIABLE,
        Durability::TransientLocal,
        History::KeepAll,
    );
    let wqos = DataWriterQos {
        reliability,
        durability,
        history,
        ..DataWriterQos::default()
    };
    let rqos = DataReaderQos {
        reliability,
        durability,
        history,
        ..DataReaderQos::default()
    };
    let source = world.join(0);
    let writer = source.writer_with::<Keyed>("Square", wqos).unwrap();
    let sink = world.join(hops);
    let reader = sink.reader_with::<Keyed>("Square", rqos).unwrap();
    let mut taken: Vec<(u32, u32)> = Vec::new();
    let mut take = || {
        let samples = reader.take().into_iter();
        let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
        taken.extend(loads.map(|load| (load.instance, load.number)));
    };
    let count = dice.within(50, 150) as u32;
    let (mut crashed, mut returns) = (None, 0);
    let mut wanted = Vec::new();
    for number in 0..count {
        let instance = dice.within(0, 2) as u32;
        wanted.push((instance, number));
        let load = Load {
            instance,
            writer: 0,
            number,
            rest: Bytes::new(),
        };
        writer.write(&Keyed::of(load)).unwrap();
        world.run_for(dice.within(0, 100).cast_signed() * MS);
        take();
        match crashed {
            None if dice.percent(5) => {
                let hop = dice.within(0, u64::from(hops) - 1) as u32;
                match dice.percent(70) {
                    true => world.crash(services[hop as usize]),
                    false => world.stop(services[hop as usize]),
                }
                let down = dice.within(0, 3_000).cast_signed() * MS;
                crashed = Some((hop, world.now() + down));
            }
            Some((hop, until)) if world.now() >= until => {
                services[hop as usize] = world.start(plan(hop));
                returns += 1;
                crashed = None;
            }
            _ => {}
        }
    }
    if let Some((hop, _)) = crashed {
        services[hop as usize] = world.start(plan(hop));
        returns += 1;
    }
    let end = world.now() + 60 * SECOND;
    while world.now() < end {
        world.run_for(SECOND);
        take();
    }
    // Each service that returns brings the history again. What is new of it comes in order.
    assert!(taken.len() <= wanted.len() * (1 + returns), "seed {seed}");
    let mut seen = HashSet::new();
    taken.retain(|one| seen.insert(*one));
    // What is taken at once comes by instances.
    taken.sort_by_key(|(instance, _)| *instance);
    wanted.sort_by_key(|(instance, _)| *instance);
    assert_eq!(taken, wanted, "seed {seed}, {hops} hops");
    assert_eq!(world.losses(), [""; 0], "seed {seed}");
}

#[test]
fn services_that_end_and_return_lose_nothing_of_a_durable_source() {
    let test = "services_that_end_and_return_lose_nothing_of_a_durable_source";
    seeds::run(test, SEEDS, story);
}
