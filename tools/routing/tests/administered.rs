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
const AUTO: &str = "/routing_services/test/domain_routes/d/sessions/s/auto_routes/all 0";

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
fn a_service_that_waits_starts_when_its_configuration_says_so() {
    let name = "a_service_that_waits_starts_when_its_configuration_says_so";
    in_namespace(name, LOOPBACK, || {
        let waits = disabled(&["A"]);
        let starts = Plan {
            enabled: true,
            ..waits.clone()
        };
        let service = Service::start(waits).unwrap();
        service.reload(starts).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        passes(&service, &near, &far, "A");
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
        let (wqos, rqos) = reliable();
        service.act(SESSION, Action::Pause).unwrap();
        let paused = service.state().at(AUTO).unwrap().state.clone();
        assert_eq!(paused, State::Paused);
        let reader = reader_of(&far, "Later", &rqos);
        let writer = writer::<Keyless>(&near, "Later", wqos.clone());
        writer.write(&keyless(1, 1)).unwrap();
        let later = format!("{AUTO}/routes/Later");
        wait_for(&service, &later, |node| node.state == State::Paused);
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert!(reader.take().is_empty());
        service.act(SESSION, Action::Resume).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
        service.act(SESSION, Action::Disable).unwrap();
        let _reader = reader_of(&far, "Latest", &rqos);
        let _writer = near.writer_with::<Keyless>("Latest", wqos).unwrap();
        let latest = format!("{AUTO}/routes/Latest");
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

/// Longer than a service needs for a sample.
const WHILE: std::time::Duration = std::time::Duration::from_millis(700);

fn all() -> Plan {
    with_auto(vec![auto(0)])
}

struct Apps {
    writer: DataWriter<Keyless>,
    reader: DataReader<Keyless>,
    _participants: [DomainParticipant; 2],
}

impl Apps {
    fn new() -> Self {
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        Self {
            reader: far.reader_with("T", rqos).unwrap(),
            writer: near.writer_with("T", wqos).unwrap(),
            _participants: [near, far],
        }
    }

    /// A sample passes.
    fn flows(&self) {
        self.reader.wait_for_matched(1, SOON).unwrap();
        self.writer.wait_for_matched(1, SOON).unwrap();
        self.writer.write(&keyless(7, 1)).unwrap();
        assert_eq!(take(&self.reader, 1)[0].data().unwrap().number, 7);
    }

    /// None does.
    fn stands(&self) {
        self.writer.write(&keyless(1, 1)).unwrap();
        std::thread::sleep(WHILE);
        assert_eq!(self.reader.take().len(), 0);
    }
}

#[test]
fn what_is_disabled_routes_no_topic_that_comes_later() {
    let name = "what_is_disabled_routes_no_topic_that_comes_later";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(all()).unwrap();
        service.act(SERVICE, Action::Disable).unwrap();
        let apps = Apps::new();
        apps.stands();
        assert_eq!(apps.reader.matched_count(), 0);
        service.act(SERVICE, Action::Enable).unwrap();
        apps.flows();
    });
}

#[test]
fn what_is_paused_takes_nothing_of_topics_that_come_later() {
    let name = "what_is_paused_takes_nothing_of_topics_that_come_later";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(all()).unwrap();
        service.act(SERVICE, Action::Pause).unwrap();
        wait_for(&service, AUTO, |node| node.state == State::Paused);
        let apps = Apps::new();
        apps.reader.wait_for_matched(1, SOON).unwrap();
        apps.writer.wait_for_matched(1, SOON).unwrap();
        apps.stands();
        service.act(SERVICE, Action::Resume).unwrap();
        assert_eq!(take(&apps.reader, 1)[0].data().unwrap().number, 1);
        apps.flows();
    });
}

/// The route that an auto route has made for `Apps`, of which this was said. It is over.
fn said_of_one_that_is_over(service: &Service, action: Action) -> String {
    let route = format!("{AUTO}/routes/T");
    let apps = Apps::new();
    apps.flows();
    service.act(&route, action).unwrap();
    drop(apps);
    route
}

#[test]
fn a_paused_route_stays_so_when_its_source_returns() {
    let name = "a_paused_route_stays_so_when_its_source_returns";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(all()).unwrap();
        let route = said_of_one_that_is_over(&service, Action::Pause);
        wait_for(&service, AUTO, |node| node.children.is_empty());
        let apps = Apps::new();
        apps.reader.wait_for_matched(1, SOON).unwrap();
        apps.writer.wait_for_matched(1, SOON).unwrap();
        apps.stands();
        service.act(&route, Action::Resume).unwrap();
        assert_eq!(take(&apps.reader, 1)[0].data().unwrap().number, 1);
        apps.flows();
    });
}

#[test]
fn a_paused_route_that_is_over_goes_on_when_it_returns() {
    let name = "a_paused_route_that_is_over_goes_on_when_it_returns";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(all()).unwrap();
        let route = said_of_one_that_is_over(&service, Action::Pause);
        wait_for(&service, AUTO, |node| node.children.is_empty());
        service.act(&route, Action::Resume).unwrap();
        assert!(service.act(&route, Action::Resume).is_err());
        Apps::new().flows();
    });
}

#[test]
fn a_disabled_route_stays_so_when_its_source_returns() {
    let name = "a_disabled_route_stays_so_when_its_source_returns";
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(all()).unwrap();
        let route = said_of_one_that_is_over(&service, Action::Disable);
        // Longer than it takes for endpoints that are gone.
        std::thread::sleep(2 * WHILE);
        let apps = Apps::new();
        apps.stands();
        assert_eq!(apps.reader.matched_count(), 0);
        service.act(&route, Action::Enable).unwrap();
        apps.flows();
    });
}

#[test]
fn a_service_that_waits_for_an_administrator_starts_when_it_is_told() {
    let name = "a_service_that_waits_for_an_administrator_starts_when_it_is_told";
    in_namespace(name, LOOPBACK, || {
        let waits = Plan {
            enabled: false,
            ..all()
        };
        let service = Service::start(waits.clone()).unwrap();
        assert_eq!(service.state().state, State::Disabled);
        service.act(SERVICE, Action::Enable).unwrap();
        let apps = Apps::new();
        apps.flows();
        assert_eq!(service.state().state, State::Running);
        // The file that it was started by says what it has always said.
        assert!(service.reload(waits).unwrap().is_empty());
        apps.flows();
    });
}
