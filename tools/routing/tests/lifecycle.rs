//! The ends of instances and of their sources.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::{EndpointQos, Writers};
use std::collections::HashMap;
use std::process::{Child, Command};
use std::time::Instant;

/// A reader, and the names of the instances that it has had.
struct Watch {
    reader: DataReader<Keyed>,
    names: HashMap<InstanceHandle, String>,
    /// How each instance was when it was seen last.
    states: HashMap<String, InstanceState>,
}

impl Watch {
    fn new(reader: DataReader<Keyed>) -> Self {
        Self {
            reader,
            names: HashMap::new(),
            states: HashMap::new(),
        }
    }

    /// What has come: the names of instances, and their states.
    fn take(&mut self) -> Vec<(String, InstanceState)> {
        let samples = self.reader.take();
        let named = samples.iter().map(|sample| {
            if let Some(data) = sample.data() {
                self.names.insert(sample.info.instance, data.name.clone());
            }
            let name = self.names.get(&sample.info.instance).cloned();
            (name.unwrap_or_default(), sample.info.instance_state)
        });
        named.collect()
    }

    /// Waits until an instance is in one of these states. On a busy machine a source may be lost
    /// and found again beside what the test does to it, so what counts is how it is in the end.
    fn wait_until(&mut self, name: &str, states: &[InstanceState]) {
        let begun = Instant::now();
        while !self.states.get(name).is_some_and(|is| states.contains(is)) {
            let waited = begun.elapsed().as_secs();
            assert!(waited < 120, "{name} is {:?}", self.states.get(name));
            let _ = self.reader.wait_for_data(Duration::from_secs(1));
            let taken = self.take();
            self.states.extend(taken);
        }
    }

    /// Waits until each of these instances has been in this state.
    fn wait_for(&mut self, ends: &[(&str, InstanceState)]) {
        let (begun, mut seen) = (Instant::now(), Vec::new());
        let is_seen = |seen: &[(String, InstanceState)], (name, state): &(&str, InstanceState)| {
            seen.iter().any(|(n, s)| n == name && s == state)
        };
        while !ends.iter().all(|end| is_seen(&seen, end)) {
            assert!(begun.elapsed().as_secs() < 120, "{seen:?}");
            let _ = self.reader.wait_for_data(Duration::from_secs(1));
            seen.extend(self.take());
        }
    }
}

#[test]
fn an_instance_ends_with_the_last_of_its_sources() {
    let name = "an_instance_ends_with_the_last_of_its_sources";
    in_namespace(name, LOOPBACK, || {
        use InstanceState::{Alive, NotAliveNoWriters};
        let routes = vec![route::<Keyed>("T", 0)];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (mut wqos, rqos) = reliable();
        wqos.writer_data_lifecycle
            .autodispose_unregistered_instances = false;
        let mut watch = Watch::new(reader::<Keyed>(&far, "T", rqos));
        let first = writer::<Keyed>(&near, "T", wqos.clone());
        let second = writer::<Keyed>(&near, "T", wqos);
        let path = route_path("T");
        wait_for(&service, &format!("{path}/inputs/in"), |node| {
            node.matched == 2
        });
        wait_for(&service, &format!("{path}/outputs/out"), |node| {
            node.matched == 1
        });
        for name in ["both", "unregistered", "first"] {
            first.write(&keyed(name, 1)).unwrap();
        }
        for name in ["both", "unregistered"] {
            second.write(&keyed(name, 2)).unwrap();
        }
        watch.wait_for(&[("both", Alive), ("first", Alive), ("unregistered", Alive)]);
        // One of two that unregister is not the last.
        first
            .unregister_instance(&keyed("unregistered", 0))
            .unwrap();
        second
            .unregister_instance(&keyed("unregistered", 0))
            .unwrap();
        watch.wait_for(&[("unregistered", NotAliveNoWriters)]);
        // What a writer leaves alone ends with it.
        drop(first);
        watch.wait_for(&[("first", NotAliveNoWriters)]);
        wait_for(&service, &format!("{path}/inputs/in"), |n| n.matched == 1);
        assert!(watch.take().is_empty(), "the other one has an owner still");
        drop(second);
        watch.wait_for(&[("both", NotAliveNoWriters)]);
        service.stop();
    });
}

#[test]
fn the_deletion_of_a_source_disposes_beyond_what_it_disposes_here() {
    let name = "the_deletion_of_a_source_disposes_beyond_what_it_disposes_here";
    in_namespace(name, LOOPBACK, || {
        use InstanceState::{Alive, NotAliveDisposed, NotAliveNoWriters};
        // One output for all sources, and one for each.
        let mut routes = vec![route::<Keyed>("T", 0), route::<Keyed>("U", 0)];
        routes[1].outputs[0].writers = Writers::Mirror;
        let (mut output, rqos) = reliable();
        output
            .writer_data_lifecycle
            .autodispose_unregistered_instances = false;
        routes[1].outputs[0].qos = EndpointQos::Explicit(Box::new(output.clone()));
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (disposing, leaving) = (reliable().0, output);
        for (topic, outputs) in [("T", 1), ("U", 2)] {
            let first = writer::<Keyed>(&near, topic, disposing.clone());
            let second = writer::<Keyed>(&near, topic, leaving.clone());
            let mut watch = Watch::new(reader::<Keyed>(&far, topic, rqos.clone()));
            let path = route_path(topic);
            wait_for(&service, &format!("{path}/inputs/in"), |node| {
                node.matched == 2
            });
            wait_for(&service, &format!("{path}/outputs/out"), |node| {
                node.matched == outputs
            });
            first.write(&keyed("first", 1)).unwrap();
            first.write(&keyed("both", 1)).unwrap();
            second.write(&keyed("both", 2)).unwrap();
            second.write(&keyed("second", 2)).unwrap();
            watch.wait_for(&[("first", Alive), ("both", Alive), ("second", Alive)]);
            drop(first);
            // Whoever else writes an instance does not keep it from being disposed.
            watch.wait_for(&[("first", NotAliveDisposed), ("both", NotAliveDisposed)]);
            drop(second);
            watch.wait_for(&[("second", NotAliveNoWriters)]);
        }
        service.stop();
    });
}

const CHILD: &str = "DUNLIN_ROUTING_TEST_WRITER";

/// Writes until it is killed, or a minute has passed.
fn write_on(first: u32) {
    let config = ParticipantConfig {
        transports: Transports::UDP,
        lease_duration: Duration::from_secs(1),
        announce_period: Duration::from_millis(300),
        ..Default::default()
    };
    let near = DomainParticipant::with_config(NEAR, config).unwrap();
    let writer = near.writer_with::<Keyed>("T", reliable().0).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    let begun = Instant::now();
    for number in first.. {
        if begun.elapsed().as_secs() > 60 {
            break;
        }
        // Fails when the test is over.
        let _ = writer.write(&keyed("a", number));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(test: &str, first: u32) -> Killed {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--include-ignored", "--exact", test, "--nocapture"])
        .env(CHILD, first.to_string())
        .spawn();
    Killed(child.unwrap())
}

#[test]
fn a_writer_that_is_killed_and_started_again_is_heard() {
    let name = "a_writer_that_is_killed_and_started_again_is_heard";
    in_namespace(name, LOOPBACK, || {
        if let Ok(first) = std::env::var(CHILD) {
            return write_on(first.parse().unwrap());
        }
        let routes = vec![route::<Keyed>("T", 0)];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let far = participant(FAR, Transports::UDP);
        let mut watch = Watch::new(reader::<Keyed>(&far, "T", reliable().1));
        for round in 0..3 {
            let first = round * 1_000_000;
            let child = spawn(name, first);
            let mut heard = 0;
            while heard < 50 {
                watch.reader.wait_for_data(SOON).unwrap();
                for sample in watch.reader.take() {
                    if let Some(data) = sample.data() {
                        let name = data.name.clone();
                        watch.names.insert(sample.info.instance, name);
                        heard += usize::from(data.number >= first);
                    }
                }
            }
            drop(child);
            watch.wait_for(&[("a", InstanceState::NotAliveNoWriters)]);
        }
        let node = service.state();
        assert!(is_running(node.at(&route_path("T")).unwrap()));
        service.stop();
    });
}

/// Writes one sample of two topics and keeps silent from then on.
fn write_once() {
    let config = ParticipantConfig {
        transports: Transports::UDP,
        lease_duration: Duration::from_secs(1),
        announce_period: Duration::from_millis(300),
        ..Default::default()
    };
    let near = DomainParticipant::with_config(NEAR, config).unwrap();
    let writers = ["T", "U"].map(|topic| writer::<Keyed>(&near, topic, reliable().0));
    for writer in &writers {
        writer.write(&keyed("a", 7)).unwrap();
    }
    std::thread::sleep(std::time::Duration::from_secs(300));
}

fn signal(child: &Killed, name: &str) {
    let id = child.0.id().to_string();
    let done = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(done.success());
}

#[test]
fn what_is_reasserted_lives_again_when_its_source_returns() {
    let name = "what_is_reasserted_lives_again_when_its_source_returns";
    in_namespace(name, LOOPBACK, || {
        if std::env::var(CHILD).is_ok() {
            return write_once();
        }
        use InstanceState::{Alive, NotAliveNoWriters};
        let mut routes = vec![route::<Keyed>("T", 0), route::<Keyed>("U", 0)];
        routes[0].settings.reassert = true;
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let far = participant(FAR, Transports::UDP);
        let mut watches =
            ["T", "U"].map(|topic| Watch::new(reader::<Keyed>(&far, topic, reliable().1)));
        for topic in ["T", "U"] {
            let output = format!("{}/outputs/out", route_path(topic));
            wait_for(&service, &output, |node| node.matched == 1);
        }
        let source = spawn(name, 0);
        let [again, other] = &mut watches;
        other.wait_until("a", &[Alive, NotAliveNoWriters]);
        for _ in 0..2 {
            again.wait_until("a", &[Alive]);
            signal(&source, "-STOP");
            again.wait_until("a", &[NotAliveNoWriters]);
            other.wait_until("a", &[NotAliveNoWriters]);
            signal(&source, "-CONT");
        }
        again.wait_until("a", &[Alive]);
        let input = format!("{}/inputs/in", route_path("U"));
        wait_for(&service, &input, |node| node.matched == 1);
        assert_eq!(other.take(), [], "nobody has asked for that");
        service.stop();
    });
}
