//! Sessions with several threads: which participant has which topic, and that order is kept.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::observe::Domain;
use dunlin::*;
use dunlin_routing::Service;
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
        // The ends of the writers before are told, too.
        let mut number = None;
        while number.is_none() {
            readers[0].wait_for_data(SOON).unwrap();
            let taken = readers[0].take();
            number = taken.iter().find_map(|s| Some(s.data()?.number));
        }
        assert_eq!(number, Some(7));
        service.stop();
    });
}
