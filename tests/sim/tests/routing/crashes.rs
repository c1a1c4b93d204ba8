//! Services that are killed, or stopped, and started again under load: readers beyond get all that
//! a source keeps for late joiners, in its order and once; those that take what comes twice, once
//! for each way that there is or was.
use crate::dice::Dice;
use crate::plans;
use crate::readers::of_each_way;
use crate::sample::{Keyed, Load, Shape};
use crate::seeds;
use crate::world::{MS, Nature, SECOND, ServiceId, World};
use bytes::Bytes;
use dunlin::transport::Faults;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Durability, Duration,
    History, InstanceState, Reliability, Select,
};
use dunlin_routing::plan::Plan;
use std::ops::Range;
use std::time::Duration as Span;

/// Seeds that are run unless `DUNLIN_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 20;
const SEEDS_OF_A_MESH: u64 = 3;

/// Beyond, a service that was killed is believed to be there for so long.
const LEASE: i64 = 20 * SECOND;

fn calm() -> World {
    World::new(Nature {
        seed: 1,
        faults: Faults {
            delay: Span::from_micros(300),
            ..Faults::default()
        },
        whole: None,
        lease: Duration::from_secs(20),
    })
}

fn writer(of: &DomainParticipant, durability: Durability) -> DataWriter<Keyed> {
    let qos = DataWriterQos {
        reliability: Reliability::RELIABLE,
        durability,
        history: History::KeepAll,
        ..DataWriterQos::default()
    };
    of.writer_with("Square", qos).unwrap()
}

fn reader(of: &DomainParticipant, durability: Durability) -> DataReader<Keyed> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        durability,
        history: History::KeepAll,
        ..DataReaderQos::default()
    };
    of.reader_with("Square", qos).unwrap()
}

/// Of an instance that the hash of nobody does not stand for.
fn sample(number: u32) -> Keyed {
    Keyed::of(Load {
        instance: 1,
        writer: 0,
        number,
        rest: Bytes::new(),
    })
}

fn write(writer: &DataWriter<Keyed>, numbers: Range<u32>) {
    for number in numbers {
        writer.write(&sample(number)).unwrap();
    }
}

/// What a reader that comes late beyond two services is shown of a durable source, of whose fifteen
/// samples `before` has passed the first ten on. It ends after that, and what `follows` passes the
/// rest on.
fn shown_late(
    before: impl Fn(&World) -> ServiceId,
    end: fn(&World, ServiceId),
    follows: impl Fn(&World),
) -> Vec<u32> {
    let world = calm();
    let first = before(&world);
    world.start(plans::one_way("beyond", 1, 2, ""));
    let source = world.join(0);
    let writer = writer(&source, Durability::TransientLocal);
    write(&writer, 0..10);
    world.run_for(5 * SECOND);
    end(&world, first);
    world.run_for(SECOND);
    follows(&world);
    for number in 10..15 {
        writer.write(&sample(number)).unwrap();
        world.run_for(SECOND);
    }
    // What the service that has ended had written is gone.
    world.run_for(LEASE + 10 * SECOND);
    let sink = world.join(2);
    let reader = reader(&sink, Durability::TransientLocal);
    world.run_for(10 * SECOND);
    let samples = reader.take().into_iter();
    let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
    loads.map(|load| load.number).collect()
}

#[test]
fn a_service_beyond_has_the_whole_history_by_the_one_that_returns() {
    let start = |world: &World| world.start(plans::one_way("first", 0, 1, ""));
    let wanted: Vec<u32> = (0..15).collect();
    for end in [World::stop, World::crash] {
        let shown = shown_late(start, end, |world| {
            start(world);
        });
        assert_eq!(shown, wanted);
    }
}

#[test]
fn a_service_beyond_has_the_whole_history_by_each_of_two_side_by_side() {
    let wanted: Vec<u32> = (0..15).collect();
    for nth in 0..2 {
        for end in [World::stop, World::crash] {
            let both = |world: &World| {
                let both = [0, 1].map(|_| world.start(plans::one_way("side", 0, 1, "")));
                both[nth]
            };
            assert_eq!(shown_late(both, end, |_| {}), wanted, "number {nth} ends");
        }
    }
}

#[test]
fn a_source_that_was_cut_off_has_its_whole_history_beyond_again() {
    let world = calm();
    world.start(plans::one_way("service", 0, 1, ""));
    // The other one keeps the input for both.
    let (near, other) = (world.join(0), world.join(0));
    let writers = [&near, &other].map(|of| writer(of, Durability::TransientLocal));
    write(&writers[0], 0..10);
    world.run_for(5 * SECOND);
    world.cut_off(&near);
    world.run_for(LEASE + 10 * SECOND);
    world.heal();
    world.run_for(10 * SECOND);
    write(&writers[0], 10..15);
    world.run_for(5 * SECOND);
    let sink = world.join(1);
    let reader = reader(&sink, Durability::TransientLocal);
    world.run_for(10 * SECOND);
    let samples = reader.take().into_iter();
    let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
    let shown: Vec<u32> = loads.map(|load| load.number).collect();
    assert_eq!(shown, (0..15).collect::<Vec<_>>());
}

#[test]
fn an_instance_lives_beyond_while_one_of_two_services_side_by_side_does() {
    for nth in 0..2 {
        let world = calm();
        let both = [0, 1].map(|_| world.start(plans::one_way("side", 0, 1, "")));
        world.start(plans::one_way("beyond", 1, 2, ""));
        let (source, sink) = (world.join(0), world.join(2));
        let writer = writer(&source, Durability::Volatile);
        let reader = reader(&sink, Durability::Volatile);
        world.run_for(5 * SECOND);
        let shown = || {
            let samples = reader.take().into_iter();
            let shown = samples.map(|sample| {
                let state = sample.info.instance_state;
                (sample.into_data().map(|data| data.load().number), state)
            });
            shown.collect::<Vec<_>>()
        };
        writer.write(&sample(1)).unwrap();
        world.run_for(SECOND);
        assert_eq!(shown(), [(Some(1), InstanceState::Alive)]);
        world.crash(both[nth]);
        world.run_for(LEASE + 10 * SECOND);
        assert!(shown().is_empty(), "number {nth} ends");
        writer.unregister_instance(&sample(1)).unwrap();
        world.run_for(SECOND);
        assert_eq!(shown(), [(None, InstanceState::NotAliveDisposed)]);
    }
}

/// Services, as many as there are plans, from an application in domain 0 to one in domain `sink`.
struct Stage<'a> {
    plans: u32,
    plan: &'a dyn Fn(u32) -> Plan,
    sink: u32,
    faults: Faults,
}

/// Plays a story. How often samples came, on average, and how many services returned.
fn play(seed: u64, mut dice: Dice, stage: Stage<'_>) -> (usize, usize) {
    let Stage {
        plans,
        plan,
        sink,
        faults,
    } = stage;
    let world = World::new(Nature {
        seed,
        faults,
        whole: None,
        lease: Duration::from_secs(20),
    });
    let mut services: Vec<_> = (0..plans).map(|nth| world.start(plan(nth))).collect();
    let source = world.join(0);
    let writer = writer(&source, Durability::TransientLocal);
    let sink = world.join(sink);
    let reader = reader(&sink, Durability::TransientLocal);
    let plain = of_each_way(&sink, &reader.qos());
    let mut taken: Vec<(u32, u32)> = Vec::new();
    let (mut all, mut came) = (0, Vec::new());
    let mut take = || {
        plain.take(&Select::default(), &mut came);
        all += came.drain(..).filter(|s| s.info.valid_data).count();
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
                let nth = dice.within(0, u64::from(plans) - 1) as u32;
                match dice.percent(70) {
                    true => world.crash(services[nth as usize]),
                    false => world.stop(services[nth as usize]),
                }
                let down = dice.within(0, 3_000).cast_signed() * MS;
                crashed = Some((nth, world.now() + down));
            }
            Some((nth, until)) if world.now() >= until => {
                services[nth as usize] = world.start(plan(nth));
                returns += 1;
                crashed = None;
            }
            _ => {}
        }
    }
    if let Some((nth, _)) = crashed {
        services[nth as usize] = world.start(plan(nth));
        returns += 1;
    }
    let end = world.now() + 60 * SECOND;
    while world.now() < end {
        world.run_for(SECOND);
        take();
    }
    let often = all.div_ceil(wanted.len());
    // It comes in order, and once, however often it is sent.
    // What is taken at once comes by instances.
    taken.sort_by_key(|(instance, _)| *instance);
    wanted.sort_by_key(|(instance, _)| *instance);
    assert_eq!(taken, wanted, "seed {seed}, {plans} services");
    assert_eq!(world.losses(), [""; 0], "seed {seed}");
    (often, returns)
}

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
    let stage = Stage {
        plans: hops,
        plan: &|hop| plans::one_way(&format!("service {hop}"), hop, hop + 1, ""),
        sink: hops,
        faults,
    };
    let (often, returns) = play(seed, dice, stage);
    // Each service that returns brings again what comes to it, by each way that there is or was.
    assert!(often <= 1 << returns, "seed {seed}: {often} times");
}

/// The same between four domains, with a service between each two.
fn story_of_a_mesh(seed: u64) {
    let mut dice = Dice(seed);
    let faults = Faults {
        drop: dice.one_of(&[0.0, 0.05]),
        delay: Span::from_micros(dice.within(50, 3_000)),
        ..Faults::default()
    };
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let plan = |nth: u32| {
        let (one, two) = pairs[nth as usize];
        plans::both_ways(&format!("service {nth}"), one, two)
    };
    let stage = Stage {
        plans: pairs.len() as u32,
        plan: &plan,
        sink: dice.within(1, 3) as u32,
        faults,
    };
    play(seed, dice, stage);
}

#[test]
fn services_that_end_and_return_lose_nothing_of_a_durable_source() {
    let test = "services_that_end_and_return_lose_nothing_of_a_durable_source";
    seeds::run(test, SEEDS, story);
}

#[test]
fn services_in_a_mesh_that_end_and_return_lose_nothing_of_a_durable_source() {
    let test = "services_in_a_mesh_that_end_and_return_lose_nothing_of_a_durable_source";
    seeds::run(test, SEEDS_OF_A_MESH, story_of_a_mesh);
}
