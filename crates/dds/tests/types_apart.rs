//! Types of programs in two processes: what each asks the other for decides about matches.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use common::*;
use dunlin::*;
use std::process::{Child, Command};
use std::time::Instant;

/// A reading of a weather station, as one program has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Weather")]
struct Weather {
    temperature: f32,
    pressure: f32,
}

/// As another has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Weather")]
struct Turned {
    pressure: f32,
    temperature: f32,
}

/// The first one, of another name and with a member more at the end.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Station")]
struct Grown {
    temperature: f32,
    pressure: f32,
    humidity: f32,
}

const ROLE: &str = "DUNLIN_TEST_ROLE";
const SAMPLE: Grown = Grown {
    temperature: 21.5,
    pressure: 1013.0,
    humidity: 0.4,
};

fn participant() -> DomainParticipant {
    DomainParticipant::with_config(0, ParticipantConfig::default()).unwrap()
}

/// Waits until this is said.
fn hear(words: &[&str], mut ask: impl FnMut() -> String) {
    let begin = Instant::now();
    loop {
        let said = ask();
        if words.iter().all(|word| said.contains(word)) {
            break;
        }
        assert!(begin.elapsed().as_secs() < 60, "{said}");
        std::thread::yield_now();
    }
}

/// What is said of two types whose members have another order.
const WORDS: [&str; 3] = [
    "Weather.pressure",
    "pressure with id 0",
    "temperature with id 0",
];

/// The other process; it ends by itself.
struct Other(Child);

impl Other {
    fn start(test: &str) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(ROLE, "writer")
            .spawn();
        Self(child.unwrap())
    }

    fn join(mut self) {
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn apart(test: &str, other: impl FnOnce(), look: impl FnOnce(Other)) {
    match std::env::var(ROLE) {
        Ok(_) => other(),
        Err(_) => {
            namespace::in_namespace(test, namespace::LOOPBACK, || look(Other::start(test)));
        }
    }
}

#[test]
fn members_in_another_order_are_refused_by_name() {
    let write = || {
        let p = participant();
        let (wqos, _) = reliable_all();
        let air = writer::<Weather>(&p, "Air", wqos);
        hear(&WORDS, || air.explain_matching().concat());
        assert_eq!(air.matched_count(), 0);
        // As long as the reader's process looks.
        let done = reader::<Weather>(&p, "Done", reliable_all().1);
        take(&done, 1);
    };
    let read = |other: Other| {
        let p = participant();
        let (wqos, rqos) = reliable_all();
        let air = reader::<Turned>(&p, "Air", rqos);
        let topic = p.create_topic::<Turned>("Air", Default::default());
        let topic = topic.unwrap();
        let set = WaitSet::new();
        set.attach(topic.status_condition());
        set.wait(SOON).unwrap();
        hear(&WORDS, || air.explain_matching().concat());
        assert_eq!(topic.inconsistent_topic_status().total_count, 1);
        assert_eq!(air.subscription_matched_status().total_count, 0);
        // Somebody who has neither of them finds out as well.
        let observer = participant();
        hear(&WORDS, || {
            let findings = observer.why("Air", Duration::from_secs(5));
            let said = findings.iter().map(ToString::to_string);
            said.collect()
        });
        let done = writer::<Weather>(&p, "Done", wqos);
        done.wait_for_matched(1, SOON).unwrap();
        done.write(&Weather::default()).unwrap();
        other.join();
    };
    apart("members_in_another_order_are_refused_by_name", write, read);
}

#[test]
fn a_type_that_has_grown_matches_and_loses_nothing() {
    let write = || {
        let p = participant();
        let air = writer::<Grown>(&p, "Air", reliable_all().0);
        air.wait_for_matched(1, SOON).unwrap();
        air.write(&SAMPLE).unwrap();
        air.wait_for_acknowledgments(SOON).unwrap();
    };
    let read = |other: Other| {
        let p = participant();
        let air = reader::<Weather>(&p, "Air", reliable_all().1);
        let expected = Weather {
            temperature: SAMPLE.temperature,
            pressure: SAMPLE.pressure,
        };
        assert_eq!(take(&air, 1)[0].data(), Some(&expected));
        other.join();
    };
    apart(
        "a_type_that_has_grown_matches_and_loses_nothing",
        write,
        read,
    );
}
