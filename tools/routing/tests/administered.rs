//! What an administrator says of entities, and how long it counts; each test in a network namespace
//! of its own.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::{Plan, Plugin, RouteSettings};
use dunlin_routing::service::Action;
use dunlin_routing::state::State;

const SERVICE: &str = "/routing_services/test";

/// It waits for an administrator.
fn disabled(topics: &[&str]) -> Plan {
    let routes = topics.iter().map(|topic| route::<Keyless>(topic, 0));
    Plan {
        enabled: false,
        ..plan(Transports::UDP, routes.collect())
    }
}

/// A sample passes the route of this topic.
fn passes(service: &Service, near: &DomainParticipant, far: &DomainParticipant, topic: &str) {
    let (wqos, rqos) = reliable();
    let reader = reader::<Keyless>(far, topic, rqos);
    let writer = writer::<Keyless>(near, topic, wqos);
    wait_until_joined(service, &route_path(topic));
    writer.write(&keyless(1, 1)).unwrap();
    assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
}

#[test]
fn a_service_that_waits_for_an_administrator_starts_when_enabled() {
    let name = "a_service_that_waits_for_an_administrator_starts_when_enabled";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(disabled(&["A", "B"])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let at = "/routing_services/test/domain_routes/d/connections/near";
        assert_eq!(service.state().at(at).unwrap().state, State::Disabled);
        // One route, with what it needs, and nothing else.
        service.act(&route_path("A"), Action::Enable).unwrap();
        passes(&service, &near, &far, "A");
        let other = service.state().at(&route_path("B")).unwrap().state.clone();
        assert_eq!(other, State::Disabled);
        service.act(SERVICE, Action::Enable).unwrap();
        passes(&service, &near, &far, "B");
        // The configuration is read again, and still says that it waits.
        assert!(service.reload(disabled(&["A", "B"])).unwrap().is_empty());
        assert_eq!(service.state().state, State::Running);
        passes(&service, &near, &far, "A");
        service.act(SERVICE, Action::Disable).unwrap();
        wait_for(&service, &route_path("A"), |n| n.state == State::Disabled);
        assert_eq!(service.state().state, State::Disabled);
        service.stop();
    });
}

#[test]
fn what_is_paused_or_disabled_is_so_for_routes_that_are_made_later() {
    let name = "what_is_paused_or_disabled_is_so_for_routes_that_are_made_later";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(with_auto(vec![auto(0)])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let auto_route = format!("{SESSION}/auto_routes/all 0");
        let (wqos, rqos) = reliable();
        service.act(SESSION, Action::Pause).unwrap();
        let paused = service.state().at(&auto_route).unwrap().state.clone();
        assert_eq!(paused, State::Paused);
        let reader = reader_of(&far, "Later", &rqos);
        let writer = writer::<Keyless>(&near, "Later", wqos.clone());
        writer.write(&keyless(1, 1)).unwrap();
        let later = format!("{auto_route}/routes/Later");
        wait_for(&service, &later, |node| node.state == State::Paused);
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert!(reader.take().is_empty());
        service.act(SESSION, Action::Resume).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
        service.act(SESSION, Action::Disable).unwrap();
        let _reader = reader_of(&far, "Latest", &rqos);
        let _writer = near.writer_with::<Keyless>("Latest", wqos).unwrap();
        let latest = format!("{auto_route}/routes/Latest");
        wait_for(&service, &latest, |node| node.state == State::Disabled);
        service.stop();
    });
}

fn reader_of(far: &DomainParticipant, topic: &str, qos: &DataReaderQos) -> DataReader<Keyless> {
    far.reader_with::<Keyless>(topic, qos.clone()).unwrap()
}

#[test]
fn the_period_of_a_session_is_how_often_the_last_sample_comes() {
    let name = "the_period_of_a_session_is_how_often_the_last_sample_comes";
    in_namespace(name, LOOPBACK, || {
        let mut last = route::<Keyless>("T", 0);
        last.settings = RouteSettings {
            processor: Some(Plugin {
                class: "last".to_owned(),
                properties: [].into(),
            }),
            ..RouteSettings::xml()
        };
        let mut plan = plan(Transports::UDP, vec![last]);
        // The usual one is a second.
        let period = Some(Duration::from_millis(20));
        plan.domain_routes[0].sessions[0].period = period;
        let service = Service::start(plan).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let reader = reader::<Keyless>(&far, "T", rqos);
        let writer = writer::<Keyless>(&near, "T", wqos);
        wait_until_joined(&service, &route_path("T"));
        let begun = std::time::Instant::now();
        writer.write(&keyless(1, 1)).unwrap();
        take(&reader, 11);
        let took = begun.elapsed();
        assert!(took < std::time::Duration::from_secs(9), "{took:?}");
        service.stop();
    });
}
