//! Services in rings and in a mesh: samples go round once, discovery falls silent, and what the
//! services made for each other goes with the applications.
use crate::plans;
use crate::sample::{Keyed, Load, Shape};
use crate::world::{MS, Nature, SECOND, World};
use bytes::Bytes;
use dunlin::{DataReader, DataReaderQos, DataWriterQos, History, Reliability};
use dunlin_routing::plan::Plan;

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
        taken.sort_unstable();
        // It comes by as many ways as there are writers for it in the domain.
        let ways = reader.matched_count();
        assert!(taken.len() <= SAMPLES as usize * ways, "domain {domain}");
        taken.dedup();
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

#[test]
fn a_mesh_of_four_comes_to_rest() {
    let pairs: Vec<_> = (0..4)
        .flat_map(|one| (one + 1..4).map(move |two| (one, two)))
        .collect();
    for seed in 1..=2 {
        circle(seed, 4, &pairs, 4, plans::both_ways);
    }
}
