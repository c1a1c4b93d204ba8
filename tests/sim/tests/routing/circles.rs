//! Services in rings and in a mesh: samples go round once, discovery falls silent, and what the
//! services made for each other goes with the applications.
use crate::plans;
use crate::readers::of_each_way;
use crate::sample::{Keyed, Load, Shape};
use crate::world::{MS, Nature, SECOND, World};
use bytes::Bytes;
use dunlin::untyped::UntypedReader;
use dunlin::{DataReader, DataReaderQos, DataWriterQos, Durability, History, Reliability, Select};
use dunlin_routing::plan::Plan;
use std::collections::HashSet;

const SAMPLES: u32 = 50;
/// An endpoint that nobody needs stays for so long.
const LINGER: i64 = 2 * SECOND;
/// A changed way to a real endpoint is announced after this time at most.
const VIA: i64 = 250 * MS;

fn sample(number: u32) -> Keyed {
    Keyed::of(Load {
        instance: number % 3,
        writer: 0,
        number,
        rest: Bytes::new(),
    })
}

fn take(reader: &DataReader<Keyed>) -> Vec<u32> {
    let samples = reader.take().into_iter();
    let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
    loads.map(|load| load.number).collect()
}

/// A service of this name between two domains, both ways.
type Planned = fn(&str, u32, u32) -> Plan;

/// Services between these domains, an application with a reader in each domain, and one with a
/// writer in domain 0. From one domain to any other there are at most `most` hops on a way without
/// a detour.
fn circle(seed: u64, domains: u32, pairs: &[(u32, u32)], most: i64, plan: Planned) {
    let world = World::new(Nature::quiet(seed));
    for (at, (one, two)) in pairs.iter().enumerate() {
        world.start(plan(&format!("service {at}"), *one, *two));
        world.run_for(37 * MS);
    }
    let reliability = Reliability::RELIABLE;
    let history = History::KeepAll;
    let rqos = DataReaderQos {
        reliability,
        history,
        ..DataReaderQos::default()
    };
    let wqos = DataWriterQos {
        reliability,
        history,
        ..DataWriterQos::default()
    };
    let sinks: Vec<_> = (0..domains)
        .map(|domain| {
            let participant = world.join(domain);
            let reader = participant.reader_with::<Keyed>("Square", rqos.clone());
            (reader.unwrap(), participant)
        })
        .collect();
    let source = world.join(0);
    let writer = source.writer_with::<Keyed>("Square", wqos).unwrap();
    // Five seconds after the last change discovery is silent.
    world.run_for(5 * SECOND);
    world.listen();
    world.run_for(10 * SECOND);
    let said = world.heard();
    assert_eq!(said.of_endpoints, 0, "discovery goes on: {said:?}");
    for (reader, _) in &sinks {
        assert!(reader.matched_count() > 0, "a reader is not matched");
    }
    for number in 0..SAMPLES {
        writer.write(&sample(number)).unwrap();
        world.run_for(10 * MS);
    }
    world.run_for(2 * SECOND);
    let passed = world.heard();
    // Each service passes a sample in each direction at most once.
    let bound = u64::from(SAMPLES) * (1 + 2 * pairs.len() as u64) * u64::from(domains);
    assert!(passed.samples <= bound, "{passed:?}, {bound}");
    world.run_for(5 * SECOND);
    let said = world.heard();
    assert_eq!(said.samples, 0, "samples go on: {said:?}");
    assert_eq!(said.of_endpoints, 0, "samples move endpoints: {said:?}");
    let wanted: Vec<u32> = (0..SAMPLES).collect();
    for (domain, (reader, _)) in sinks.iter().enumerate() {
        let mut taken = take(reader);
        // Each once, by however many ways.
        taken.sort_unstable();
        assert_eq!(taken, wanted, "domain {domain}");
    }
    assert_eq!(world.losses(), [""; 0]);
    // What the services made for each other does not keep itself alive.
    drop(writer);
    world.leave(&source);
    for (reader, participant) in sinks {
        drop(reader);
        world.leave(&participant);
    }
    let begun = world.now();
    let gone = world.run_until(60 * SECOND, || world.routes() == 0);
    let took = world.now() - begun;
    assert!(gone, "{} routes stay", world.routes());
    let longest = most * VIA + LINGER + SECOND;
    assert!(took <= longest, "{took} ns, {longest}");
    world.run_for(5 * SECOND);
    world.heard();
    world.run_for(10 * SECOND);
    let said = world.heard();
    assert_eq!((said.samples, said.of_endpoints), (0, 0));
}

fn pairs_of_ring(domains: u32) -> Vec<(u32, u32)> {
    (0..domains).map(|at| (at, (at + 1) % domains)).collect()
}

fn pairs_of_mesh(domains: u32) -> Vec<(u32, u32)> {
    let of = |one| (one + 1..domains).map(move |two| (one, two));
    (0..domains).flat_map(of).collect()
}

fn ring(domains: u32, plan: Planned) {
    for seed in 1..=3 {
        let pairs = pairs_of_ring(domains);
        circle(seed, domains, &pairs, i64::from(domains), plan);
    }
}

#[test]
fn a_ring_of_three_comes_to_rest() {
    ring(3, plans::both_ways);
}

#[test]
fn a_ring_of_four_comes_to_rest() {
    ring(4, plans::both_ways);
}

#[test]
fn rings_with_endpoints_on_demand_come_to_rest() {
    ring(3, plans::on_demand);
    ring(4, plans::on_demand);
}

/// One reader, and no source: the services ask each other, and not for ever.
#[test]
fn what_a_ring_asks_for_goes_with_the_reader_that_wanted_it() {
    for domains in [2, 3, 4] {
        let world = World::new(Nature::quiet(u64::from(domains)));
        for (at, (one, two)) in pairs_of_ring(domains).into_iter().enumerate() {
            let name = format!("service {at}");
            world.start(plans::on_demand(&name, one, two));
        }
        world.run_for(5 * SECOND);
        let participant = world.join(0);
        let rqos = DataReaderQos::default();
        let reader = participant.reader_with::<Keyed>("Square", rqos).unwrap();
        world.run_for(5 * SECOND);
        assert!(world.routes() > 0);
        world.listen();
        world.run_for(10 * SECOND);
        let said = world.heard();
        assert_eq!(said.of_endpoints, 0, "discovery goes on: {said:?}");
        drop(reader);
        world.leave(&participant);
        let longest = i64::from(domains) * VIA + LINGER + SECOND;
        let gone = world.run_until(longest, || world.routes() == 0);
        assert!(gone, "{} routes stay of {domains}", world.routes());
        world.run_for(5 * SECOND);
        world.heard();
        world.run_for(10 * SECOND);
        assert_eq!(world.heard().of_endpoints, 0);
    }
}

fn taken_of_each_way(reader: &UntypedReader) -> Vec<u32> {
    let mut samples = Vec::new();
    reader.take(&Select::default(), &mut samples);
    samples.retain(|sample| sample.info.valid_data);
    // Numbers begin with 0, those of a writer with 1.
    let numbers = samples
        .iter()
        .map(|sample| sample.info.identity().sequence.0 - 1);
    numbers
        .map(|number| u32::try_from(number).unwrap())
        .collect()
}

/// A source that keeps everything for late joiners, in a circle of services between these domains,
/// from which it comes to each domain by so many ways.
fn durable(seed: u64, pairs: &[(u32, u32)], ways: &[usize], plan: Planned) {
    let world = World::new(Nature::quiet(seed));
    for (at, (one, two)) in pairs.iter().enumerate() {
        world.start(plan(&format!("service {at}"), *one, *two));
        world.run_for(37 * MS);
    }
    let (reliability, history) = (Reliability::RELIABLE, History::KeepAll);
    let durability = Durability::TransientLocal;
    let rqos = DataReaderQos {
        reliability,
        durability,
        history,
        ..DataReaderQos::default()
    };
    let wqos = DataWriterQos {
        reliability,
        durability,
        history,
        ..DataWriterQos::default()
    };
    let join = |domain: usize| {
        let participant = world.join(u32::try_from(domain).unwrap());
        let reader = participant.reader_with::<Keyed>("Square", rqos.clone());
        let plain = of_each_way(&participant, &rqos);
        (reader.unwrap(), plain, participant)
    };
    let early: Vec<_> = (0..ways.len()).map(join).collect();
    let source = world.join(0);
    let writer = source.writer_with::<Keyed>("Square", wqos).unwrap();
    for number in 0..SAMPLES {
        writer.write(&sample(number)).unwrap();
        world.run_for(10 * MS);
    }
    world.run_for(5 * SECOND);
    let late: Vec<_> = (0..ways.len()).map(join).collect();
    world.run_for(5 * SECOND);
    world.listen();
    world.run_for(10 * SECOND);
    let said = world.heard();
    assert_eq!((said.samples, said.of_endpoints), (0, 0), "{said:?}");
    // Of each instance in the order of its source.
    let mut wanted: Vec<u32> = (0..SAMPLES).collect();
    wanted.sort_by_key(|number| number % 3);
    for (when, readers) in [("early", &early), ("late", &late)] {
        for (domain, (reader, plain, _)) in readers.iter().enumerate() {
            let why = format!("seed {seed}, {pairs:?}, domain {domain}, {when}");
            assert_eq!(take(reader), wanted, "{why}");
            assert_eq!(plain.matched_count(), ways[domain], "{why}");
            let mut all = taken_of_each_way(plain);
            assert_eq!(all.len(), SAMPLES as usize * ways[domain], "{why}");
            // What is new comes in order, by whichever way.
            let mut seen = HashSet::new();
            all.retain(|number| seen.insert(*number));
            all.sort_by_key(|number| number % 3);
            assert_eq!(all, wanted, "{why}");
        }
    }
    // With the source all goes that stands for it, and nothing of it comes back.
    drop(writer);
    world.leave(&source);
    world.run_for(10 * SECOND);
    for (domain, (reader, plain, _)) in early.iter().chain(&late).enumerate() {
        assert_eq!(plain.matched_count(), 0);
        assert_eq!(
            (take(reader), taken_of_each_way(plain)),
            (vec![], vec![]),
            "{domain}"
        );
    }
    for (reader, plain, participant) in early.into_iter().chain(late) {
        drop((reader, plain));
        world.leave(&participant);
    }
    assert!(world.run_until(60 * SECOND, || world.routes() == 0));
    world.run_for(5 * SECOND);
    world.heard();
    world.run_for(10 * SECOND);
    let said = world.heard();
    assert_eq!((said.samples, said.of_endpoints), (0, 0));
    assert_eq!(world.losses(), [""; 0]);
}

#[test]
fn a_durable_source_comes_to_late_joiners_of_a_ring_and_not_back_to_itself() {
    for plan in [plans::both_ways, plans::on_demand] {
        for seed in 1..=3 {
            durable(seed, &pairs_of_ring(3), &[1, 2, 2], plan);
            durable(seed, &pairs_of_ring(4), &[1, 2, 2, 2], plan);
        }
    }
}

/// All ways that have no service and no domain twice.
#[test]
fn a_durable_source_comes_by_each_way_through_a_mesh() {
    durable(1, &pairs_of_mesh(4), &[1, 5, 5, 5], plans::both_ways);
}

#[test]
fn a_mesh_of_four_comes_to_rest() {
    for seed in 1..=2 {
        circle(seed, 4, &pairs_of_mesh(4), 4, plans::both_ways);
    }
}
