//! Services in a circle: data and discovery come to rest, and nothing supports itself.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use std::time::{Duration as Span, Instant};

/// Joins two domains, both ways, with all topics.
fn service(name: &str, one: u32, two: u32) -> Service {
    let mut plan = with_auto(vec![auto(0), auto(1)]);
    plan.name = name.into();
    let domains = [one, two];
    for (connection, domain) in plan.domain_routes[0].connections.iter_mut().zip(domains) {
        let ConnectionKind::Participant(participant) = &mut connection.kind else {
            unreachable!("there are participants only");
        };
        participant.domain = domain;
    }
    Service::start(plan).unwrap()
}

/// Changes that have passed through all of them.
fn passed(services: &[Service]) -> u64 {
    let of = |service: &Service| -> u64 {
        let tree = service.state();
        tree.walk()
            .iter()
            .filter(|n| n.path.0.contains("/routes/") && n.path.0.contains("/inputs/"))
            .map(|n| n.counters.samples + n.counters.duplicates)
            .sum()
    };
    services.iter().map(of).sum()
}

fn routes(services: &[Service]) -> usize {
    let of = |service: &Service| {
        let tree = service.state();
        let all = tree.walk();
        all.iter()
            .filter(|n| n.path.0.contains("/routes/") && !n.path.0.contains("puts/"))
            .count()
    };
    services.iter().map(of).sum()
}

fn matched(services: &[Service]) -> usize {
    let of = |service: &Service| -> usize {
        service.state().walk().iter().map(|node| node.matched).sum()
    };
    services.iter().map(of).sum()
}

/// Waits until nothing has changed for a second.
fn rest<T: PartialEq>(what: &str, look: impl Fn() -> T) -> T {
    let begun = Instant::now();
    let (mut last, mut since) = (look(), Instant::now());
    while since.elapsed() < Span::from_secs(1) {
        assert!(
            begun.elapsed() < Span::from_secs(120),
            "{what} does not come to rest"
        );
        std::thread::sleep(Span::from_millis(20));
        let now = look();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    last
}

/// Domains 0 to `count` - 1 in a ring, a service between each and the next.
fn ring(count: u32) {
    let services: Vec<Service> = (0..count)
        .map(|at| service(&format!("service {at}"), at, (at + 1) % count))
        .collect();
    let (wqos, rqos) = reliable();
    let source = participant(0, Transports::UDP);
    let sink = participant(1, Transports::UDP);
    let reader = sink.reader_with::<Keyless>("T", rqos).unwrap();
    let writer = source.writer_with::<Keyless>("T", wqos).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    rest("discovery", || routes(&services));
    rest("matching", || matched(&services));
    for number in 0..100 {
        writer.write(&keyless(number, 8)).unwrap();
    }
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < 100 {
        reader.wait_for_data(SOON).unwrap();
        seen.extend(
            reader
                .take()
                .iter()
                .filter_map(|s| s.data().map(|d| d.number)),
        );
    }
    // Each sample goes round each way once at most.
    let changes = rest("data", || passed(&services));
    assert!(changes <= 100 * 4 * u64::from(count), "{changes}");
    // What routers made for each other goes with the applications.
    drop((reader, writer));
    let begun = Instant::now();
    while routes(&services) > 0 {
        assert!(
            begun.elapsed() < Span::from_secs(60),
            "{} routes stay",
            routes(&services)
        );
        std::thread::sleep(Span::from_millis(20));
    }
}

#[test]
fn a_ring_of_three_comes_to_rest() {
    in_namespace("a_ring_of_three_comes_to_rest", LOOPBACK, || ring(3));
}

#[test]
fn a_ring_of_four_comes_to_rest() {
    in_namespace("a_ring_of_four_comes_to_rest", LOOPBACK, || ring(4));
}

#[test]
fn two_services_side_by_side_come_to_rest() {
    in_namespace("two_services_side_by_side_come_to_rest", LOOPBACK, || {
        ring(2)
    });
}

#[test]
fn a_router_that_does_not_say_whose_samples_it_passes_back_is_found_out() {
    let name = "a_router_that_does_not_say_whose_samples_it_passes_back_is_found_out";
    in_namespace(name, LOOPBACK, || {
        const SAMPLES: u32 = 500;
        let service = Service::start(with_auto(vec![auto(0)])).unwrap();
        let (wqos, rqos) = reliable();
        let near = participant(NEAR, Transports::UDP);
        let other = ["out", "in"].map(|side| ParticipantConfig {
            transports: Transports::UDP,
            name: format!("other {side}"),
            ..Default::default()
        });
        let [back, forth] = other;
        let back = DomainParticipant::with_config(NEAR, back).unwrap();
        let forth = DomainParticipant::with_config(FAR, forth).unwrap();
        let source = near.writer_with::<Keyless>("T", wqos.clone()).unwrap();
        let input = forth.reader_with::<Keyless>("T", rqos).unwrap();
        let output = back.writer_with::<Keyless>("T", wqos).unwrap();
        source.wait_for_matched(1, SOON).unwrap();
        output.wait_for_matched(1, SOON).unwrap();
        input.wait_for_matched(1, SOON).unwrap();
        let path = format!("{SESSION}/auto_routes/all 0/routes/T");
        wait_for(&service, &format!("{path}/inputs/in"), |n| n.matched == 2);
        wait_for(&service, &format!("{path}/outputs/out"), |n| n.matched == 1);
        for number in 0..SAMPLES {
            source.write(&keyless(number, 8)).unwrap();
        }
        let begun = Instant::now();
        let failed = loop {
            for sample in input.take() {
                let time = sample.info.source_timestamp;
                if let (Some(data), Some(time)) = (sample.data(), time) {
                    output.write_with_timestamp(data, time).unwrap();
                }
            }
            std::thread::sleep(Span::from_millis(20));
            let tree = service.state();
            let route = tree.at(&path).unwrap();
            match &route.state {
                dunlin_routing::state::State::Failed(why) => {
                    // It has let go of them all.
                    assert!(route.children.iter().all(|end| end.matched == 0));
                    break why.clone();
                }
                other => assert!(begun.elapsed() < Span::from_secs(120), "{other:?}"),
            }
        };
        assert!(
            failed.starts_with("echo: ") && failed.contains("\"other out\""),
            "{failed}"
        );
        assert!(failed.contains(&output.guid().to_string()), "{failed}");
        service.stop();
    });
}
