//! What a service says of mistakes that only show when it runs, each test in a network namespace of
//! its own.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::Pattern;
use dunlin_routing::state::State;

#[test]
fn patterns_that_fit_nothing_say_what_nearly_did() {
    in_namespace(
        "patterns_that_fit_nothing_say_what_nearly_did",
        LOOPBACK,
        || {
            let mut all = auto(0);
            all.topics.allow = vec![Pattern::parse("Sqare").unwrap()];
            let service = Service::start(with_auto(vec![all])).unwrap();
            let near = participant(NEAR, Transports::UDP);
            let _writer = near.writer::<Keyed>("Square").unwrap();
            let path = format!("{SESSION}/auto_routes/all 0");
            let auto = wait_for(&service, &path, |node| node.note.is_some());
            let note = auto.note.unwrap();
            assert!(note.contains("\"Square\" is not \"Sqare\""), "{note}");
            service.stop();
        },
    );
}

#[test]
fn a_reliable_input_names_its_best_effort_source() {
    in_namespace(
        "a_reliable_input_names_its_best_effort_source",
        LOOPBACK,
        || {
            let routes = vec![route::<Keyed>("Square", 0)];
            let service = Service::start(plan(Transports::UDP, routes)).unwrap();
            let near = participant(NEAR, Transports::UDP);
            let qos = DataWriterQos {
                reliability: Reliability::BEST_EFFORT,
                ..Default::default()
            };
            let writer = near.writer_with::<Keyed>("Square", qos).unwrap();
            let path = format!("{}/inputs/in", route_path("Square"));
            let input = wait_for(&service, &path, |node| node.note.is_some());
            let note = input.note.unwrap();
            let both = note.contains("RELIABLE") && note.contains("BEST_EFFORT");
            assert!(both && note.contains(&writer.guid().to_string()), "{note}");
            service.stop();
        },
    );
}

#[test]
fn a_route_that_knows_only_the_name_of_its_type_says_what_it_waits_for() {
    let name = "a_route_that_knows_only_the_name_of_its_type_says_what_it_waits_for";
    in_namespace(name, LOOPBACK, || {
        let mut route = route::<Keyed>("Square", 0);
        route.inputs[0].keyed = None;
        let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
        let path = route_path("Square");
        let waiting = wait_for(&service, &path, |node| node.note.is_some());
        assert_eq!(waiting.state, State::Enabled);
        let note = waiting.note.unwrap();
        assert!(
            note.contains("waits for an endpoint of \"Square\""),
            "{note}"
        );
        assert!(note.contains("<register_type>"), "{note}");
        let near = participant(NEAR, Transports::UDP);
        let (qos, _) = reliable();
        let _writer = near.writer_with::<Keyed>("Square", qos).unwrap();
        wait_for(&service, &path, is_running);
        service.stop();
    });
}
