//! Threads of services: which participant has which topic, that order is kept, and where they run.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::observe::Domain;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::Waiting;
use std::collections::{BTreeMap, BTreeSet};

const TOPICS: [&str; 8] = ["T0", "T1", "T2", "T3", "T4", "T5", "T6", "T7"];

/// The participants by which a service has endpoints, each with its topics, as others see it.
fn lanes(domain: &Domain) -> BTreeMap<[u8; 12], BTreeSet<String>> {
    let mut lanes = BTreeMap::<_, BTreeSet<String>>::new();
    for writer in &domain.writers {
        let own = lanes.entry(writer.guid.prefix.0).or_default();
        own.insert(writer.topic.clone());
    }
    lanes
}

/// Of the next sample with data: the ends of writers are told, too.
fn next_number(reader: &DataReader<Keyed>) -> u32 {
    loop {
        reader.wait_for_data(SOON).unwrap();
        let taken = reader.take();
        if let Some(number) = taken.iter().find_map(|s| Some(s.data()?.number)) {
            return number;
        }
    }
}

#[test]
fn each_topic_has_one_of_the_threads_and_keeps_its_order() {
    let name = "each_topic_has_one_of_the_threads_and_keeps_its_order";
    in_namespace(name, LOOPBACK, || {
        let routes = TOPICS.map(|topic| route::<Keyed>(topic, 0));
        let mut plan = plan(Transports::UDP, routes.to_vec());
        plan.domain_routes[0].sessions[0].threads.size = 3;
        let service = Service::start(plan.clone()).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let readers = TOPICS.map(|topic| reader::<Keyed>(&far, topic, rqos.clone()));
        let writers = TOPICS.map(|topic| writer::<Keyed>(&near, topic, wqos.clone()));
        for topic in TOPICS {
            wait_until_joined(&service, &route_path(topic));
        }
        let count = 200;
        let names = ["a", "b", "c"];
        std::thread::scope(|scope| {
            for writer in &writers {
                scope.spawn(move || {
                    for number in 0..count {
                        for name in names {
                            writer.write(&keyed(name, number)).unwrap();
                        }
                    }
                });
            }
        });
        for reader in &readers {
            let samples = take(reader, count as usize * names.len());
            for name in names {
                let own = samples.iter().filter_map(|s| s.data());
                let own = own.filter(|data| data.name == name);
                let numbers: Vec<u32> = own.map(|data| data.number).collect();
                assert_eq!(numbers, Vec::from_iter(0..count), "{name}");
            }
        }
        let before = lanes(&far.domain());
        assert_eq!(before.len(), 3, "{before:?}");
        assert_eq!(
            before.values().map(BTreeSet::len).sum::<usize>(),
            TOPICS.len()
        );

        // Another number of threads is another number of participants.
        plan.domain_routes[0].sessions[0].threads.size = 1;
        let differences = service.reload(plan).unwrap();
        let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
        let anew = |line: &&String| line.contains("/connections/") && line.contains("threads");
        assert_eq!(lines.iter().filter(anew).count(), 2, "{lines:#?}");
        for topic in TOPICS {
            wait_until_joined(&service, &route_path(topic));
        }
        writers[0].write(&keyed("a", 7)).unwrap();
        assert_eq!(next_number(&readers[0]), 7);
        service.stop();
    });
}

/// The threads of this process by name, each with the processors that it may use.
fn threads() -> Vec<(String, String)> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let tasks = tasks.map(|task| task.unwrap().path());
    let known = tasks.map(|task| {
        let status = read(task.join("status"));
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix("Cpus_allowed_list:"));
        let processors = line.unwrap_or_default().trim().to_owned();
        (read(task.join("comm")).trim().to_owned(), processors)
    });
    known.collect()
}

/// Those that this thread may use.
fn own_processors() -> String {
    let known = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = known
        .lines()
        .find_map(|l| l.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

/// Waits until threads have this name on these processors, or until none have it: a thread gives
/// itself its name.
fn wait_for_threads(name: &str, processors: Option<&str>) {
    let begun = std::time::Instant::now();
    loop {
        let known = threads();
        let mut own = known.iter().filter(|(known, _)| known == name);
        let as_wanted = match processors {
            None => own.next().is_none(),
            Some(wanted) => own.any(|(_, on)| on == wanted),
        };
        if as_wanted {
            return;
        }
        assert!(begun.elapsed().as_secs() < 60, "{name}: {known:?}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn one_thread_receives_for_all_participants_where_that_is_wanted() {
    let name = "one_thread_receives_for_all_participants_where_that_is_wanted";
    in_namespace(name, LOOPBACK, || {
        let mut plan = plan(Transports::UDP, vec![route::<Keyed>("T", 0)]);
        let wait = |plan: &mut dunlin_routing::plan::Plan, waiting| {
            for connection in &mut plan.domain_routes[0].connections {
                connection.kind.participant_mut().unwrap().waiting = Some(waiting);
            }
        };
        wait(&mut plan, Waiting::Shared);
        let service = Service::start(plan.clone()).unwrap();
        let all = own_processors();
        wait_for_threads("dunlin-poll", Some(&all));
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let reader = reader::<Keyed>(&far, "T", rqos);
        let writer = writer::<Keyed>(&near, "T", wqos);
        wait_until_joined(&service, &route_path("T"));
        for number in 0..200 {
            writer.write(&keyed("a", number)).unwrap();
        }
        let taken = take(&reader, 200);
        let numbers = taken.iter().map(|s| s.data().unwrap().number);
        assert!(numbers.eq(0..200));

        // Each by itself again: nothing is lost on the way.
        wait(&mut plan, Waiting::Each(WaitStrategy::Block));
        service.reload(plan).unwrap();
        wait_for_threads("dunlin-poll", None);
        wait_until_joined(&service, &route_path("T"));
        writer.write(&keyed("a", 200)).unwrap();
        assert_eq!(next_number(&reader), 200);
        service.stop();
    });
}

#[test]
fn participants_run_on_the_processors_of_their_sessions() {
    let name = "participants_run_on_the_processors_of_their_sessions";
    in_namespace(name, LOOPBACK, || {
        let mut plan = plan(Transports::default(), vec![route::<Keyed>("T", 0)]);
        plan.domain_routes[0].sessions[0].threads.processors = vec![0];
        let service = Service::start(plan.clone()).unwrap();
        for name in ["dunlin-user", "dunlin-meta"] {
            wait_for_threads(name, Some("0"));
        }
        // It goes on trying, and says what there is.
        plan.domain_routes[0].sessions[0].threads.processors = vec![1023];
        service.reload(plan).unwrap();
        let near = "/routing_services/test/domain_routes/d/connections/near";
        wait_for(&service, near, |node| {
            format!("{node:?}").contains("[1023]")
        });
        service.stop();
    });
}
