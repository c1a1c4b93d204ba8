//! Auto routes whose endpoints are as the sources are, between two domains.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::state::State;

/// A service that passes all topics from near to far.
fn all() -> Service {
    Service::start(with_auto(vec![auto(0)])).unwrap()
}

const AUTO: &str = "/routing_services/test/domain_routes/d/sessions/s/auto_routes/all 0";

fn apps() -> (DomainParticipant, DomainParticipant) {
    let udp = Transports::UDP;
    (participant(NEAR, udp), participant(FAR, udp))
}

/// Waits until the service has matched so many writers and readers of the topic T.
fn join(service: &Service, writers: usize, readers: usize) {
    let path = format!("{AUTO}/routes/T");
    for (end, count) in [("inputs/in", writers), ("outputs/out", readers)] {
        wait_for(service, &format!("{path}/{end}"), |node| {
            node.matched == count
        });
    }
}

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 120, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn each_reliability_has_a_way_of_its_own() {
    in_namespace("each_reliability_has_a_way_of_its_own", LOOPBACK, || {
        let (service, (near, far)) = (all(), apps());
        let (wqos, rqos) = reliable();
        let lossy = DataWriterQos {
            reliability: Reliability::BEST_EFFORT,
            ..Default::default()
        };
        let any = DataReaderQos {
            history: History::KeepAll,
            ..Default::default()
        };
        let strict = far.reader_with::<Keyless>("T", rqos).unwrap();
        let easy = far.reader_with::<Keyless>("T", any).unwrap();
        let lossy = near.writer_with::<Keyless>("T", lossy).unwrap();
        let kept = near.writer_with::<Keyless>("T", wqos).unwrap();
        strict.wait_for_matched(1, SOON).unwrap();
        easy.wait_for_matched(2, SOON).unwrap();
        lossy.wait_for_matched(1, SOON).unwrap();
        // The service has a reader for each reliability, and both match this writer.
        kept.wait_for_matched(2, SOON).unwrap();
        join(&service, 2, 3);
        assert_eq!(strict.matched_count(), 1);
        // What is best effort may be lost now and then.
        let numbers = |reader: &DataReader<Keyless>| -> Vec<u32> {
            let samples = reader.take();
            samples
                .iter()
                .filter_map(|s| s.data().map(|d| d.number))
                .collect()
        };
        let (mut both, mut one) = (Vec::new(), Vec::new());
        until("not both come", || {
            lossy.write(&keyless(1, 1)).unwrap();
            kept.write(&keyless(2, 1)).unwrap();
            both.extend(numbers(&easy));
            one.extend(numbers(&strict));
            both.contains(&1) && both.contains(&2) && one.contains(&2)
        });
        assert!(!one.contains(&1));
        let auto = wait_for(&service, AUTO, |node| node.children.len() == 1);
        assert!(is_running(&auto.children[0]));
        // Nothing is left when nobody is.
        drop((strict, easy, lossy, kept));
        wait_for(&service, AUTO, |node| node.children.is_empty());
    });
}

#[test]
fn who_comes_late_beyond_gets_what_each_source_keeps() {
    let name = "who_comes_late_beyond_gets_what_each_source_keeps";
    in_namespace(name, LOOPBACK, || {
        let (_service, (near, far)) = (all(), apps());
        let wqos = DataWriterQos {
            durability: Durability::TransientLocal,
            history: History::KeepLast(2),
            ..Default::default()
        };
        let rqos = DataReaderQos {
            durability: Durability::TransientLocal,
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        };
        let first = near.writer_with::<Keyed>("T", wqos.clone()).unwrap();
        let second = near.writer_with::<Keyed>("T", wqos).unwrap();
        for n in 0..5 {
            first.write(&keyed("one", n)).unwrap();
            second.write(&keyed("two", n)).unwrap();
        }
        let reader = far.reader_with::<Keyed>("T", rqos).unwrap();
        reader.wait_for_matched(2, SOON).unwrap();
        let mut taken: Vec<Keyed> = Vec::new();
        while taken.len() < 4 {
            reader.wait_for_data(SOON).unwrap();
            taken.extend(reader.take().iter().filter_map(|s| s.data().cloned()));
        }
        taken.sort_by(|a, b| (&a.name, a.number).cmp(&(&b.name, b.number)));
        let kept = ["one", "two"].map(|name| [keyed(name, 3), keyed(name, 4)]);
        assert_eq!(taken, kept.concat());
    });
}

#[test]
fn who_waits_for_historical_data_beyond_has_all_that_a_source_keeps() {
    let name = "who_waits_for_historical_data_beyond_has_all_that_a_source_keeps";
    in_namespace(name, LOOPBACK, || {
        let (near, far) = apps();
        let wqos = DataWriterQos {
            durability: Durability::TransientLocal,
            history: History::KeepAll,
            ..Default::default()
        };
        let rqos = DataReaderQos {
            durability: Durability::TransientLocal,
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        };
        let writer = near.writer_with::<Keyless>("T", wqos).unwrap();
        for number in 0..3000 {
            writer.write(&keyless(number, 100)).unwrap();
        }
        let reader = far.reader_with::<Keyless>("T", rqos).unwrap();
        // A service that comes late, as after a restart.
        let _service = all();
        reader.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_historical_data(SOON).unwrap();
        let numbers = reader.take().into_iter();
        let numbers: Vec<u32> = numbers.filter_map(|s| Some(s.data()?.number)).collect();
        assert_eq!(numbers, Vec::from_iter(0..3000));
        writer.write(&keyless(3000, 1)).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, 3000);
    });
}

#[test]
fn what_a_source_that_is_gone_has_left_arrives_beyond() {
    let name = "what_a_source_that_is_gone_has_left_arrives_beyond";
    in_namespace(name, LOOPBACK, || {
        let (near, far) = apps();
        let mut passes = auto(0);
        // The output is gone before the longest time that it waits for what its source keeps.
        passes.settings.linger = Duration::from_secs(4);
        let _service = Service::start(with_auto(vec![passes])).unwrap();
        let (wqos, rqos) = reliable();
        let wqos = DataWriterQos {
            durability: Durability::TransientLocal,
            ..wqos
        };
        let rqos = DataReaderQos {
            durability: Durability::TransientLocal,
            ..rqos
        };
        let reader = far.reader_with::<Keyless>("T", rqos).unwrap();
        let writer = near.writer_with::<Keyless>("T", wqos).unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..3 {
            writer.write(&keyless(number, 100)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        drop(writer);
        let numbers = take(&reader, 3);
        let numbers = numbers.iter().filter_map(|s| Some(s.data()?.number));
        assert_eq!(Vec::from_iter(numbers), [0, 1, 2]);
    });
}

#[test]
fn the_strongest_source_owns_an_instance_beyond() {
    in_namespace(
        "the_strongest_source_owns_an_instance_beyond",
        LOOPBACK,
        || {
            let (service, (near, far)) = (all(), apps());
            let (wqos, rqos) = reliable();
            let with = |ownership_strength| DataWriterQos {
                ownership: Ownership::Exclusive,
                ownership_strength,
                ..wqos.clone()
            };
            let rqos = DataReaderQos {
                ownership: Ownership::Exclusive,
                ..rqos
            };
            let reader = far.reader_with::<Keyed>("T", rqos).unwrap();
            let weak = near.writer_with::<Keyed>("T", with(1)).unwrap();
            let strong = near.writer_with::<Keyed>("T", with(2)).unwrap();
            reader.wait_for_matched(2, SOON).unwrap();
            // The service has a reader for each strength, which match both writers.
            for writer in [&weak, &strong] {
                writer.wait_for_matched(2, SOON).unwrap();
            }
            join(&service, 2, 2);
            strong.write(&keyed("a", 1)).unwrap();
            let number = |sample: &Sample<Keyed>| sample.data().map(|data| data.number);
            assert_eq!(number(&take(&reader, 1)[0]), Some(1));
            weak.write(&keyed("a", 2)).unwrap();
            weak.wait_for_acknowledgments(SOON).unwrap();
            strong.write(&keyed("a", 3)).unwrap();
            assert_eq!(number(&take(&reader, 1)[0]), Some(3));
            // When the owner is gone the other one takes over.
            drop(strong);
            reader.wait_for_matched(1, SOON).unwrap();
            until("the mirror of the strong writer stays", || {
                reader.matched_count() == 1
            });
            weak.write(&keyed("a", 4)).unwrap();
            let mut seen = Vec::new();
            until("nothing of the weak writer comes", || {
                seen.extend(reader.take().iter().filter_map(number));
                seen.contains(&4)
            });
            assert_eq!(seen, [4]);
        },
    );
}

#[test]
fn partitions_and_types_are_those_of_the_source() {
    in_namespace(
        "partitions_and_types_are_those_of_the_source",
        LOOPBACK,
        || {
            let (service, (near, far)) = (all(), apps());
            let (wqos, rqos) = reliable();
            let topic = near.create_topic::<Keyed>("T", Default::default()).unwrap();
            let within = |name: &str| PublisherQos {
                partition: Partition(vec![name.into()]),
                ..Default::default()
            };
            let publisher = near.create_publisher(within("north"));
            let writer = publisher.create_datawriter(&topic, wqos).unwrap();
            let topic = far.create_topic::<Keyed>("T", Default::default()).unwrap();
            let subscriber = far.create_subscriber(SubscriberQos {
                partition: Partition(vec!["south".into()]),
                ..Default::default()
            });
            let reader = subscriber.create_datareader(&topic, rqos).unwrap();
            let beyond = || far.domain().writers.into_iter().find(|w| w.topic == "T");
            until("there is no writer beyond", || beyond().is_some());
            let announced = beyond().unwrap();
            assert_eq!(announced.publisher.partition, within("north").partition);
            let source = near.domain().writers;
            let source = source.iter().find(|w| w.guid == writer.guid()).unwrap();
            assert!(source.type_information.is_some());
            assert_eq!(announced.type_information, source.type_information);
            assert_eq!(reader.matched_count(), 0);
            publisher.set_qos(within("south")).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            writer.wait_for_matched(1, SOON).unwrap();
            join(&service, 1, 1);
            writer.write(&keyed("a", 1)).unwrap();
            assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
        },
    );
}

#[test]
fn reserved_topics_and_other_types_stay_where_they_are() {
    let name = "reserved_topics_and_other_types_stay_where_they_are";
    in_namespace(name, LOOPBACK, || {
        let mut auto = auto(0);
        auto.types.deny = vec![Pattern::parse("Keyed").unwrap()];
        let service = Service::start(with_auto(vec![auto])).unwrap();
        let (near, _far) = apps();
        let (wqos, _) = reliable();
        let _keyed = near.writer_with::<Keyed>("T", wqos.clone()).unwrap();
        let _own = near
            .writer_with::<Keyless>("dunlin/x", wqos.clone())
            .unwrap();
        let _other = near.writer_with::<Keyless>("Other", wqos).unwrap();
        let auto = wait_for(&service, AUTO, |node| !node.children.is_empty());
        let names: Vec<_> = auto.children.iter().map(|n| n.path.0.clone()).collect();
        assert_eq!(names, [format!("{AUTO}/routes/Other")]);
        assert_eq!(auto.state, State::Running);
    });
}

#[test]
fn a_source_that_joins_its_group_late_loses_nothing() {
    let name = "a_source_that_joins_its_group_late_loses_nothing";
    in_namespace(name, LOOPBACK, || {
        let (_service, (near, far)) = (all(), apps());
        let wqos = DataWriterQos {
            durability: Durability::TransientLocal,
            history: History::KeepAll,
            ..Default::default()
        };
        let rqos = DataReaderQos {
            durability: Durability::TransientLocal,
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        };
        let reader = far.reader_with::<Keyless>("T", rqos).unwrap();
        // Each has a writer of its own beyond, which is made when it is discovered.
        let mut writers = Vec::new();
        for number in 0..10 {
            let writer = near.writer_with::<Keyless>("T", wqos.clone()).unwrap();
            writer.write(&keyless(number, 1)).unwrap();
            let valid = |reader: &DataReader<Keyless>| -> Vec<u32> {
                let all = reader.take();
                all.iter()
                    .filter_map(|s| s.data().map(|d| d.number))
                    .collect()
            };
            let mut seen = Vec::new();
            until("a sample of a new source is lost", || {
                seen.extend(valid(&reader));
                seen.contains(&number)
            });
            writers.push(writer);
        }
    });
}

/// A source that has to show that it lives, seen by a reader beyond.
struct Shown {
    source: DataWriter<Keyed>,
    reader: DataReader<Keyed>,
    _service: Service,
    _apps: (DomainParticipant, DomainParticipant),
}

const LEASE_MILLIS: u32 = 600;

impl Shown {
    fn of(ownership: Ownership) -> Self {
        let (service, (near, far)) = (all(), apps());
        let (wqos, rqos) = reliable();
        let liveliness = |lease: u32| Liveliness {
            kind: LivelinessKind::ManualByTopic,
            lease_duration: Duration::from_millis(lease),
        };
        let rqos = DataReaderQos {
            liveliness: liveliness(2 * LEASE_MILLIS),
            ownership,
            ..rqos
        };
        let wqos = DataWriterQos {
            liveliness: liveliness(LEASE_MILLIS),
            ownership,
            ..wqos
        };
        let reader = far.reader_with("T", rqos).unwrap();
        let source = near.writer_with("T", wqos).unwrap();
        source.assert_liveliness();
        reader.wait_for_matched(1, SOON).unwrap();
        Self {
            source,
            reader,
            _service: service,
            _apps: (near, far),
        }
    }

    /// The source shows for three leases that it lives; false if it was held up itself.
    fn lives(&self) -> bool {
        let begun = std::time::Instant::now();
        let mut last = begun;
        while begun.elapsed().as_millis() < u128::from(3 * LEASE_MILLIS) {
            self.source.assert_liveliness();
            std::thread::sleep(std::time::Duration::from_millis(20));
            if last.elapsed().as_millis() > u128::from(LEASE_MILLIS / 6) {
                return false;
            }
            last = std::time::Instant::now();
        }
        true
    }
}

/// The life of a source is what a reader beyond sees, no more and no less.
fn life_is_seen_beyond(ownership: Ownership) {
    // A machine that stands still for a while makes every lease short.
    let shown = (0..20).map(|_| Shown::of(ownership));
    let shown = shown.filter(Shown::lives).find(|shown| {
        let status = shown.reader.liveliness_changed_status();
        (status.alive_count, status.alive_count_change) == (1, 1)
    });
    let shown = shown.expect("a source that lives is taken for lost beyond");
    let status = || shown.reader.liveliness_changed_status();
    until("the loss is not seen beyond", || {
        status().not_alive_count == 1
    });
    until("the return is not seen beyond", || {
        shown.source.assert_liveliness();
        status().alive_count == 1
    });
}

#[test]
fn the_life_of_a_source_with_a_writer_of_its_own_is_seen_beyond() {
    in_namespace(
        "the_life_of_a_source_with_a_writer_of_its_own_is_seen_beyond",
        LOOPBACK,
        || life_is_seen_beyond(Ownership::Exclusive),
    );
}

#[test]
fn the_life_of_a_group_of_sources_is_seen_beyond() {
    in_namespace(
        "the_life_of_a_group_of_sources_is_seen_beyond",
        LOOPBACK,
        || life_is_seen_beyond(Ownership::Shared),
    );
}
