//! What reliable writers that keep all write passes one to three services: nothing is lost, doubled
//! or out of order, whatever the network does while all live.
use crate::dice::Dice;
use crate::plans;
use crate::sample::{Keyed, Load, Shape, Written};
use crate::seeds;
use crate::world::{MS, Nature, SECOND, ServiceId, World};
use dunlin::simulation::ChangeKind;
use dunlin::transport::Faults;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Durability, Duration,
    History, Reliability, ResourceLimits, Timestamp,
};
use dunlin_routing::state::EntityKind;
use std::time::Duration as Span;

/// Seeds that are run unless `DUNLIN_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 40;
const INSTANCES: u64 = 4;

/// The writers of a service: for a group of sources, one for all, one for each.
const GROUP: &str = "";
const MIRROR: &str = "writers = \"mirror\"";
const EXPLICIT: &str = "\
qos.reader = { reliability = \"reliable\", history = \"keep_all\", resource_limits = { max_samples = 32 } }
qos.writer = { reliability = \"reliable\", history = \"keep_all\", resource_limits = { max_samples = 16 } }
backlog = { samples = 8, bytes = \"1 MiB\" }";

/// A writer, and what it has written.
struct Source {
    writer: DataWriter<Keyed>,
    number: u32,
    written: Vec<Written>,
    _participant: DomainParticipant,
}

/// A reader, and what it has taken.
struct Sink {
    reader: DataReader<Keyed>,
    taken: Vec<Load>,
    _participant: DomainParticipant,
}

impl Sink {
    fn take(&mut self) {
        let samples = self.reader.take().into_iter();
        let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
        self.taken.extend(loads);
    }
}

fn calm(dice: &mut Dice) -> Faults {
    Faults {
        delay: Span::from_micros(dice.within(50, 5_000)),
        jitter: Span::from_micros(dice.within(0, 2_000)),
        ..Faults::default()
    }
}

fn bad(dice: &mut Dice) -> Faults {
    Faults {
        drop: dice.one_of(&[0.0, 0.02, 0.1, 0.25, 0.5]),
        duplicate: dice.one_of(&[0.0, 0.05, 0.2]),
        reorder: dice.one_of(&[0.0, 0.1, 0.3]),
        reorder_by: Span::from_millis(dice.within(1, 50)),
        ..calm(dice)
    }
}

fn qos(durability: Durability, limit: Option<u32>) -> (DataWriterQos, DataReaderQos) {
    let reliability = Reliability {
        max_blocking_time: Duration::from_secs(300),
        ..Reliability::RELIABLE
    };
    let writer = DataWriterQos {
        reliability,
        durability,
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: limit,
            ..ResourceLimits::default()
        },
        ..DataWriterQos::default()
    };
    let reader = DataReaderQos {
        reliability,
        durability,
        history: History::KeepAll,
        ..DataReaderQos::default()
    };
    (writer, reader)
}

/// Have all inputs and outputs found whom they route between? There are `sources`, as many writers
/// behind each service as `lanes`, and `sinks`.
fn is_whole(world: &World, services: &[ServiceId], [sources, lanes, sinks]: [usize; 3]) -> bool {
    services.iter().enumerate().all(|(at, service)| {
        let tree = world.state(*service);
        let of = |kind| -> usize {
            let all = tree.walk();
            all.iter()
                .filter(|n| n.kind == kind)
                .map(|n| n.matched)
                .sum()
        };
        let from = if at == 0 { sources } else { lanes };
        let to = if at + 1 == services.len() { sinks } else { 1 };
        of(EntityKind::Input) == from && of(EntityKind::Output) == lanes * to
    })
}

fn story(seed: u64) {
    let mut dice = Dice(seed);
    let settings = dice.one_of(&[GROUP, MIRROR, EXPLICIT]);
    let hops = dice.within(1, 3) as u32;
    let durable = settings != EXPLICIT && dice.percent(30);
    let durability = match durable {
        true => Durability::TransientLocal,
        false => Durability::Volatile,
    };
    // What is kept for late joiners does not leave a writer.
    let limit = (!durable && dice.percent(30)).then_some(12);
    let fragments = dice.percent(50);
    let faults = calm(&mut dice);
    let world = World::new(Nature {
        seed,
        faults,
        whole: fragments.then_some(1_400),
        lease: Duration::from_secs(300),
    });
    let (wqos, rqos) = qos(durability, limit);
    let settings = format!("{settings}\nstall_timeout = \"infinite\"");
    let services: Vec<ServiceId> = (0..hops)
        .map(|hop| {
            let plan = plans::one_way(&format!("service {hop}"), hop, hop + 1, &settings);
            world.start(plan)
        })
        .collect();
    let (sources, sinks) = (dice.within(1, 3) as usize, dice.within(1, 2) as usize);
    let mut sources: Vec<Source> = (0..sources)
        .map(|_| {
            let participant = world.join(0);
            Source {
                writer: participant.writer_with("Square", wqos.clone()).unwrap(),
                number: 0,
                written: Vec::new(),
                _participant: participant,
            }
        })
        .collect();
    let mut sinks: Vec<Sink> = (0..sinks)
        .map(|_| {
            let participant = world.join(hops);
            Sink {
                reader: participant.reader_with("Square", rqos.clone()).unwrap(),
                taken: Vec::new(),
                _participant: participant,
            }
        })
        .collect();
    let lanes = match settings.starts_with(MIRROR) || durable {
        true => sources.len(),
        false => 1,
    };
    let counts = [sources.len(), lanes, sinks.len()];
    let is_ready = || {
        sources.iter().all(|s| s.writer.matched_count() == 1)
            && sinks.iter().all(|s| s.reader.matched_count() == lanes)
            && is_whole(&world, &services, counts)
    };
    let ready = world.run_until(60 * SECOND, is_ready);
    let states: Vec<_> = services.iter().map(|s| world.state(*s)).collect();
    assert!(ready, "seed {seed}: not matched: {counts:?} {states:#?}");
    world.run_for(SECOND);
    world.set_faults(bad(&mut dice));
    let count = dice.within(20, 120);
    let mut cut_until = None;
    for _ in 0..count {
        let which = dice.up_to(sources.len() - 1);
        let source = &mut sources[which];
        let size = match dice.within(0, 9) {
            0 => dice.within(10_000, 60_000),
            1 | 2 => dice.within(1_000, 5_000),
            _ => dice.within(20, 300),
        };
        let change = Written {
            kind: ChangeKind::Alive,
            instance: Some(dice.within(0, INSTANCES - 1) as u32),
            timestamp: Timestamp(0),
            writer: which as u32,
            number: source.number,
            size: size as usize,
        };
        source.number += 1;
        source.writer.write(&Keyed::of(change.load())).unwrap();
        source.written.push(change);
        // A write that waits for room would wait for the end of the cut, which comes after it.
        if cut_until.is_none() && dice.percent(3) && limit.is_none() {
            world.cut(dice.within(0, u64::from(hops)) as u32);
            cut_until = Some(world.now() + dice.within(500, 4_000).cast_signed() * MS);
        }
        if cut_until.is_some_and(|until| world.now() >= until) {
            world.heal();
            cut_until = None;
        }
        if dice.percent(70) {
            world.run_for(dice.within(0, 20).cast_signed() * MS);
        }
        if dice.percent(2) {
            world.run_for(dice.within(500, 2_000).cast_signed() * MS);
        }
        sinks.iter_mut().for_each(Sink::take);
    }
    world.heal();
    let end = world.now() + 120 * SECOND;
    let total = count as usize;
    while world.now() < end && sinks.iter().any(|sink| sink.taken.len() < total) {
        world.run_for(100 * MS);
        sinks.iter_mut().for_each(Sink::take);
    }
    // What comes twice comes now.
    world.run_for(5 * SECOND);
    for (nth, sink) in sinks.iter_mut().enumerate() {
        sink.take();
        for (which, source) in sources.iter().enumerate() {
            // What is taken at once comes by instances.
            for instance in 0..INSTANCES as u32 {
                let is_it = |load: &&Load| (load.writer, load.instance) == (which as u32, instance);
                let got: Vec<&Load> = sink.taken.iter().filter(is_it).collect();
                let wanted = source.written.iter();
                let wanted: Vec<&Written> = wanted
                    .filter(|written| written.instance == Some(instance))
                    .collect();
                let numbers: Vec<u32> = got.iter().map(|load| load.number).collect();
                assert_eq!(
                    numbers,
                    wanted.iter().map(|w| w.number).collect::<Vec<_>>(),
                    "seed {seed}, {hops} hops, {settings:?}: writer {which}, instance {instance}, reader {nth}; {:?}",
                    world.losses()
                );
                let intact = got.iter().zip(&wanted).all(|(load, w)| w.is(load));
                assert!(intact, "seed {seed}: a sample is damaged");
            }
        }
    }
    assert_eq!(world.losses(), [""; 0], "seed {seed}");
}

#[test]
fn reliable_samples_pass_one_to_three_services_once_and_in_order() {
    let test = "reliable_samples_pass_one_to_three_services_once_and_in_order";
    seeds::run(test, SEEDS, story);
}
