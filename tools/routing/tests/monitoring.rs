//! What a service publishes of itself.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::monitoring::*;
use dunlin_routing::plan::*;
use std::time::Instant;

const UDP: Transports = Transports::UDP;
/// The domain of monitoring.
const SEEN: u32 = 2;

fn monitored(routes: Vec<Route>, domain: u32) -> Plan {
    let monitoring = Monitoring {
        domain,
        participant: Box::default(),
        publication_period: Duration::from_millis(500),
        sampling_period: Duration::from_millis(250),
    };
    Plan {
        monitoring: Some(monitoring),
        ..plan(UDP, routes)
    }
}

/// Subscribes as somebody does who comes late and wants all.
fn subscriber<T: TopicData>(participant: &DomainParticipant, topic: &str) -> DataReader<T> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        durability: Durability::TransientLocal,
        history: History::KeepAll,
        ..Default::default()
    };
    participant.reader_with(topic, qos).unwrap()
}

/// Takes samples until one is as wanted.
fn wait_for<T: TopicData>(reader: &DataReader<T>, wanted: impl Fn(&Sample<T>) -> bool) {
    let begun = Instant::now();
    let mut is_there = false;
    while !is_there {
        assert!(begun.elapsed().as_secs() < 120, "no such sample");
        let _ = reader.wait_for_data(Duration::from_millis(100));
        reader.take_each(|sample| is_there |= wanted(&sample));
    }
}

#[test]
fn states_statistics_and_events_are_published() {
    in_namespace(
        "states_statistics_and_events_are_published",
        LOOPBACK,
        || {
            let routes = vec![route::<Keyless>("Square", 0), route::<Keyless>("Goes", 0)];
            let service = Service::start(monitored(routes, SEEN)).unwrap();
            let (near, far) = (participant(NEAR, UDP), participant(FAR, UDP));
            let (wqos, rqos) = reliable();
            let reader = reader::<Keyless>(&far, "Square", rqos);
            let writer = writer::<Keyless>(&near, "Square", wqos);
            wait_until_joined(&service, &route_path("Square"));
            for number in 0..10 {
                writer.write(&keyless(number, 100)).unwrap();
            }
            assert_eq!(take(&reader, 10).len(), 10);
            let seen = participant(SEEN, UDP);
            let states = subscriber::<EntityState>(&seen, STATE_TOPIC);
            let statistics = subscriber::<EntityStatistics>(&seen, STATISTICS_TOPIC);
            let events = subscriber::<EntityEvent>(&seen, EVENTS_TOPIC);
            let path = route_path("Square");
            wait_for(&states, |sample| {
                sample.data().is_some_and(|state| {
                    (&*state.path, &*state.kind, &*state.state) == (&*path, "route", "running")
                        && state.since > 0
                })
            });
            let output = format!("{path}/outputs/out");
            wait_for(&statistics, |sample| {
                sample.data().is_some_and(|of| {
                    of.path == output && of.samples == 10 && of.matched == 1 && of.bytes >= 1000
                })
            });
            wait_for(&statistics, |sample| {
                sample.data().is_some_and(|of| {
                    let process = of.process.unwrap_or_default();
                    of.path == "/routing_services/test" && process.resident_bytes > 1 << 20
                })
            });
            // A route that goes is told as such.
            let next = monitored(vec![route::<Keyless>("Square", 0)], SEEN);
            service.reload(next).unwrap();
            let gone = route_path("Goes");
            wait_for(&events, |sample| {
                let event = sample.data();
                event.is_some_and(|event| event.path == gone && event.after == "gone")
            });
            wait_for(&states, |sample| {
                sample.data().is_none() && sample.info.instance_state != InstanceState::Alive
            });
            // What is not wanted any more ends.
            service
                .reload(plan(UDP, vec![route::<Keyless>("Square", 0)]))
                .unwrap();
            let begun = Instant::now();
            while !states.matched_publications().is_empty() {
                assert!(begun.elapsed().as_secs() < 120);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        },
    );
}

#[test]
fn a_service_does_not_route_what_it_publishes() {
    in_namespace(
        "a_service_does_not_route_what_it_publishes",
        LOOPBACK,
        || {
            let mut auto = auto(0);
            auto.topics.allow = vec![Pattern::parse("*").unwrap()];
            let with_all = with_auto(vec![auto]);
            let plan = Plan {
                domain_routes: with_all.domain_routes,
                ..monitored(Vec::new(), NEAR)
            };
            let service = Service::start(plan).unwrap();
            let near = participant(NEAR, UDP);
            let states = subscriber::<EntityState>(&near, STATE_TOPIC);
            wait_for(&states, |sample| sample.data().is_some());
            // A topic that came after those of monitoring is routed, and these are not.
            let (wqos, rqos) = reliable();
            let _writer = near.writer_with::<Keyless>("Square", wqos).unwrap();
            let far = participant(FAR, UDP);
            let _reader = reader::<Keyless>(&far, "Square", rqos);
            let tree = service.state();
            let is_of_monitoring = |node: &&dunlin_routing::state::Node| {
                let end = node.end.as_ref();
                end.is_some_and(|end| end.topic.starts_with("dunlin/"))
            };
            assert_eq!(tree.walk().iter().copied().find(is_of_monitoring), None);
        },
    );
}

#[test]
fn a_domain_that_cannot_be_joined_is_the_note_of_the_service() {
    let test = "a_domain_that_cannot_be_joined_is_the_note_of_the_service";
    in_namespace(test, LOOPBACK, || {
        let service = Service::start(monitored(Vec::new(), 70_000)).unwrap();
        let note = service.state().note.unwrap();
        assert!(
            note.starts_with("monitoring: domain 70000 cannot be joined: "),
            "{note}"
        );
    });
}

#[test]
fn the_idl_of_what_is_published_is_that_of_the_types() {
    let all = [
        dunlin::idl::to_string::<EntityState>().unwrap(),
        dunlin::idl::to_string::<EntityStatistics>().unwrap(),
        dunlin::idl::to_string::<EntityEvent>().unwrap(),
    ];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/idl/monitoring.idl");
    let text = all.join("\n");
    if std::env::var_os("DUNLIN_UPDATE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}
