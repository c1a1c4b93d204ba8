//! Outputs that cannot be made: nothing is taken for them, and the service says why, each test in a
//! network namespace of its own.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::state::State;

const UDP: Transports = Transports::UDP;

/// Of a source that keeps everything for late joiners, and of readers that want it.
fn durable() -> (DataWriterQos, DataReaderQos) {
    let (mut writer, mut reader) = reliable();
    writer.durability = Durability::TransientLocal;
    reader.durability = Durability::TransientLocal;
    (writer, reader)
}

/// A route whose output offers this history within a limit of five samples an instance.
fn route_with(history: History) -> Route {
    let (mut wqos, rqos) = durable();
    wqos.history = history;
    wqos.resource_limits.max_samples_per_instance = Some(5);
    let mut route = route::<Keyed>("Square", 0);
    route.outputs[0].qos = EndpointQos::Explicit(Box::new(wqos));
    route.inputs[0].qos = EndpointQos::Explicit(Box::new(rqos));
    route
}

#[test]
fn an_output_with_wrong_qos_takes_nothing_until_it_is_right() {
    let name = "an_output_with_wrong_qos_takes_nothing_until_it_is_right";
    in_namespace(name, LOOPBACK, || {
        let wrong = route_with(History::KeepLast(10));
        let service = Service::start(plan(UDP, vec![wrong])).unwrap();
        let path = route_path("Square");
        let output = format!("{path}/outputs/out");
        let failed = wait_for(&service, &output, |n| matches!(n.state, State::Failed(_)));
        let reason = failed.state.to_string();
        for word in ["HISTORY", "10", "max_samples_per_instance 5"] {
            assert!(reason.contains(word), "{reason}");
        }
        assert!(failed.note.unwrap().contains("tried again"));
        let near = participant(NEAR, UDP);
        let (wqos, rqos) = durable();
        let writer = near.writer_with::<Keyed>("Square", wqos).unwrap();
        for number in 0..3 {
            writer.write(&keyed("one", number)).unwrap();
        }
        // It tries again, and the source has been discovered meanwhile.
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert_eq!(writer.matched_count(), 0, "the input takes what is lost");
        let tree = service.state();
        let input = tree.at(&format!("{path}/inputs/in")).unwrap();
        assert_eq!((&input.state, input.counters.samples), (&State::Started, 0));
        let route = tree.at(&path).unwrap();
        assert_eq!(route.state, State::Started);
        let note = route.note.clone().unwrap();
        assert!(note.starts_with("takes nothing: output \"out\""), "{note}");
        assert!(note.contains("HISTORY"), "{note}");
        // Nothing was lost: it comes as soon as the configuration is right.
        let right = route_with(History::KeepLast(5));
        service.reload(plan(UDP, vec![right])).unwrap();
        let running = wait_for(&service, &path, is_running);
        assert_eq!(running.note, None);
        let far = participant(FAR, UDP);
        let reader = reader::<Keyed>(&far, "Square", rqos);
        let taken = take(&reader, 3);
        let numbers = taken.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(0..3));
        service.stop();
    });
}

/// A participant has one type for a topic, whichever route came first.
#[test]
fn a_topic_that_has_another_type_already_is_told_with_both() {
    let name = "a_topic_that_has_another_type_already_is_told_with_both";
    in_namespace(name, LOOPBACK, || {
        let first = route::<Keyed>("Square", 0);
        let mut second = route::<Keyless>("Circle", 0);
        second.outputs[0].topic = "Square".into();
        let service = Service::start(plan(UDP, vec![first, second])).unwrap();
        wait_for(&service, &route_path("Square"), is_running);
        let path = route_path("Circle");
        let circle = wait_for(&service, &path, |node| node.note.is_some());
        assert_eq!(circle.state, State::Started);
        let note = circle.note.unwrap();
        for word in [
            "output \"out\"",
            "\"Square\"",
            Keyed::TYPE_NAME,
            Keyless::TYPE_NAME,
        ] {
            assert!(note.contains(word), "{note}");
        }
        let input = wait_for(&service, &format!("{path}/inputs/in"), |_| true);
        assert_eq!(input.state, State::Started);
        service.stop();
    });
}

/// What the service adds by itself to the limits of an input does not contradict them.
#[test]
fn an_input_keeps_as_many_samples_of_an_instance_as_its_qos_says() {
    let name = "an_input_keeps_as_many_samples_of_an_instance_as_its_qos_says";
    in_namespace(name, LOOPBACK, || {
        let mut route = route::<Keyed>("Square", 0);
        let (_, mut rqos) = reliable();
        rqos.resource_limits.max_samples_per_instance = Some(5000);
        route.inputs[0].qos = EndpointQos::Explicit(Box::new(rqos));
        let service = Service::start(plan(UDP, vec![route])).unwrap();
        let path = format!("{}/inputs/in", route_path("Square"));
        let input = wait_for(&service, &path, |node| node.state != State::Started);
        assert_eq!(input.state, State::Running);
        service.stop();
    });
}
