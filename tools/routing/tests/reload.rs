//! Services that take over another plan while they run.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;

const UDP: Transports = Transports::UDP;

fn routes(topics: &[&str]) -> Vec<Route> {
    topics
        .iter()
        .map(|topic| route::<Keyless>(topic, 0))
        .collect()
}

fn route_of<'p>(plan: &'p mut Plan, name: &str) -> &'p mut Route {
    let routes = &mut plan.domain_routes[0].sessions[0].routes;
    routes.iter_mut().find(|route| route.name == name).unwrap()
}

/// A writer and a reader of a topic of a route that runs.
struct Ends {
    writer: DataWriter<Keyless>,
    reader: DataReader<Keyless>,
    sent: u32,
}

impl Ends {
    fn new(
        service: &Service,
        near: &DomainParticipant,
        far: &DomainParticipant,
        topic: &str,
    ) -> Self {
        let (wqos, rqos) = reliable();
        let reader = reader::<Keyless>(far, topic, rqos);
        let writer = writer::<Keyless>(near, topic, wqos);
        wait_until_joined(service, &route_path(topic));
        Self {
            writer,
            reader,
            sent: 0,
        }
    }

    fn write(&mut self, count: u32) {
        for _ in 0..count {
            self.writer.write(&keyless(self.sent, 100)).unwrap();
            self.sent += 1;
        }
    }

    /// Everything that was written came, once and in order.
    fn all_came(&self, from: u32) {
        let taken = take(&self.reader, (self.sent - from) as usize);
        let numbers = taken.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(from..self.sent));
    }

    /// Who reads and who writes for it in the service.
    fn peers(&self) -> (Vec<Guid>, Vec<Guid>) {
        (
            self.writer.matched_subscriptions(),
            self.reader.matched_publications(),
        )
    }
}

#[test]
fn what_stays_loses_nothing_and_keeps_its_endpoints() {
    in_namespace(
        "what_stays_loses_nothing_and_keeps_its_endpoints",
        LOOPBACK,
        || {
            let service = Service::start(plan(UDP, routes(&["Stays", "Goes"]))).unwrap();
            let (near, far) = (participant(NEAR, UDP), participant(FAR, UDP));
            let mut stays = Ends::new(&service, &near, &far, "Stays");
            let goes = Ends::new(&service, &near, &far, "Goes");
            let before = stays.peers();
            stays.write(500);
            // Others come before it, so that its place in the plan is another one.
            let mut next = plan(UDP, routes(&["Comes", "Stays"]));
            let mut elsewhere = auto(0);
            elsewhere.topics.allow = vec![Pattern::parse("elsewhere/*").unwrap()];
            let other = with_auto(vec![elsewhere]).domain_routes.remove(0);
            next.domain_routes.insert(
                0,
                DomainRoute {
                    name: "other".into(),
                    ..other
                },
            );
            let differences = service.reload(next.clone()).unwrap();
            stays.write(500);
            let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
            let marks = |mark: &str| lines.iter().filter(|line| line.starts_with(mark)).count();
            assert!(
                lines.contains(&format!("+ {}", route_path("Comes"))),
                "{lines:#?}"
            );
            assert!(
                lines.contains(&format!("- {}", route_path("Goes"))),
                "{lines:#?}"
            );
            assert_eq!((marks("~"), marks("-")), (0, 1), "{lines:#?}");
            assert!(service.state().at(&route_path("Goes")).is_none());
            stays.all_came(0);
            assert_eq!(stays.peers(), before);
            // The endpoints of what went are gone.
            let begun = std::time::Instant::now();
            while goes.peers() != (Vec::new(), Vec::new()) {
                assert!(begun.elapsed().as_secs() < 120);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let mut comes = Ends::new(&service, &near, &far, "Comes");
            comes.write(10);
            comes.all_came(0);
            assert!(service.reload(next).unwrap().is_empty());
            assert_eq!(stays.peers(), before);
            service.stop();
        },
    );
}

#[test]
fn what_may_change_is_set_on_what_runs() {
    in_namespace("what_may_change_is_set_on_what_runs", LOOPBACK, || {
        let first = plan(UDP, routes(&["T"]));
        let service = Service::start(first.clone()).unwrap();
        let (near, far) = (participant(NEAR, UDP), participant(FAR, UDP));
        let mut ends = Ends::new(&service, &near, &far, "T");
        let before = ends.peers();
        ends.write(5);
        ends.all_came(0);
        // One a second of what comes at once: the first of them passes.
        let mut slow = first.clone();
        route_of(&mut slow, "T").inputs[0].max_rate = Some(0.001);
        let lines = service.reload(slow).unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!(
            lines[0].to_string(),
            format!("~ {}: set max_rate", route_path("T"))
        );
        ends.write(100);
        let path = format!("{}/inputs/in", route_path("T"));
        wait_for(&service, &path, |node| node.counters.samples == 105);
        let passed = take(&ends.reader, 1);
        assert_eq!(passed[0].data().unwrap().number, 5);
        // And back: what comes now passes.
        service.reload(first.clone()).unwrap();
        let from = ends.sent;
        ends.write(100);
        ends.all_came(from);
        assert_eq!(ends.peers(), before);
        // Another partition: they do not match any more, and do again.
        let mut apart = first.clone();
        apart.domain_routes[0].sessions[0].publisher.partition.0 = vec!["elsewhere".into()];
        service.reload(apart).unwrap();
        let out = format!("{}/outputs/out", route_path("T"));
        wait_for(&service, &out, |node| node.matched == 0);
        service.reload(first).unwrap();
        wait_for(&service, &out, |node| node.matched == 1);
        service.stop();
    });
}

#[test]
fn what_cannot_change_is_made_anew() {
    in_namespace("what_cannot_change_is_made_anew", LOOPBACK, || {
        let first = plan(UDP, routes(&["T", "U"]));
        let service = Service::start(first.clone()).unwrap();
        let (near, far) = (participant(NEAR, UDP), participant(FAR, UDP));
        let mut t = Ends::new(&service, &near, &far, "T");
        let u = Ends::new(&service, &near, &far, "U");
        let (t_before, u_before) = (t.peers(), u.peers());
        let mut next = first.clone();
        route_of(&mut next, "T").settings.original_info = true;
        let lines = service.reload(next.clone()).unwrap();
        assert_eq!(
            lines[0].to_string(),
            format!("~ {}: made anew, original_info", route_path("T"))
        );
        let begun = std::time::Instant::now();
        let is_new = |t: &Ends| {
            let (readers, writers) = t.peers();
            readers.len() == 1
                && writers.len() == 1
                && readers != t_before.0
                && writers != t_before.1
        };
        while !is_new(&t) {
            assert!(begun.elapsed().as_secs() < 120);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        wait_until_joined(&service, &route_path("T"));
        t.write(10);
        t.all_came(0);
        assert_eq!(u.peers(), u_before);
        // Another participant takes all routes of its connection along.
        let ConnectionKind::Participant(participant) =
            &mut next.domain_routes[0].connections[1].kind
        else {
            unreachable!()
        };
        participant.peers = vec!["127.0.0.1".into()];
        let lines = service.reload(next.clone()).unwrap();
        assert_eq!(lines.len(), 3, "{lines:#?}");
        for topic in ["T", "U"] {
            wait_until_joined(&service, &route_path(topic));
        }
        let mut other = next;
        other.name = "another".into();
        let why = service.reload(other).unwrap_err().to_string();
        assert!(
            why.contains("\"test\"") && why.contains("\"another\""),
            "{why}"
        );
        service.stop();
    });
}

#[test]
fn auto_routes_keep_the_routes_that_still_pass() {
    in_namespace(
        "auto_routes_keep_the_routes_that_still_pass",
        LOOPBACK,
        || {
            let first = with_auto(vec![auto(0)]);
            let service = Service::start(first.clone()).unwrap();
            let (near, far) = (participant(NEAR, UDP), participant(FAR, UDP));
            let (wqos, rqos) = reliable();
            let ends = |topic: &str| {
                let writer = near.writer_with::<Keyless>(topic, wqos.clone()).unwrap();
                let reader = far.reader_with::<Keyless>(topic, rqos.clone()).unwrap();
                let ends = Ends {
                    writer,
                    reader,
                    sent: 0,
                };
                let begun = std::time::Instant::now();
                while ends.peers().0.is_empty() || ends.peers().1.is_empty() {
                    assert!(begun.elapsed().as_secs() < 120);
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                ends
            };
            let (a, b) = (ends("a/1"), ends("b/1"));
            let before = a.peers();
            let mut next = first;
            let auto = &mut next.domain_routes[0].sessions[0].auto_routes[0];
            auto.topics.deny = vec![Pattern::parse("b/*").unwrap()];
            let lines = service.reload(next.clone()).unwrap();
            assert_eq!(lines.len(), 1, "{lines:#?}");
            assert!(lines[0].to_string().ends_with(": set topics"), "{lines:#?}");
            let begun = std::time::Instant::now();
            while b.peers() != (Vec::new(), Vec::new()) {
                assert!(begun.elapsed().as_secs() < 120);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            assert_eq!(a.peers(), before);
            // What is known already is offered to what passes now.
            next.domain_routes[0].sessions[0].auto_routes[0]
                .topics
                .deny
                .clear();
            service.reload(next).unwrap();
            while b.peers().0.is_empty() || b.peers().1.is_empty() {
                assert!(begun.elapsed().as_secs() < 120);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            assert_eq!(a.peers(), before);
            service.stop();
        },
    );
}
