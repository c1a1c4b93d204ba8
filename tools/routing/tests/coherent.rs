//! Coherent sets across a service: what comes as one leaves as one.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;

/// More than a route takes at once.
const LARGE: u32 = 100;

fn presentation(access_scope: AccessScope) -> Presentation {
    Presentation {
        access_scope,
        coherent_access: true,
        ordered_access: false,
    }
}

/// A service that passes all topics both ways.
fn both_ways() -> Service {
    Service::start(with_auto(vec![auto(0), auto(1)])).unwrap()
}

/// A publisher of sets on one side, and readers that keep them together on the other.
struct Line {
    publisher: Publisher,
    writers: Vec<DataWriter<Keyless>>,
    readers: Vec<DataReader<Keyless>>,
    /// What is outside of all sets.
    single: (DataWriter<Keyless>, DataReader<Keyless>),
}

/// How the endpoints of a line differ from others.
#[derive(Clone, Copy)]
struct Kind {
    offered: AccessScope,
    durability: Durability,
}

const OF_TOPICS: Kind = Kind {
    offered: AccessScope::Topic,
    durability: Durability::Volatile,
};

fn publish(
    from: &DomainParticipant,
    kind: Kind,
    topic: &str,
    count: usize,
) -> (Publisher, Vec<DataWriter<Keyless>>) {
    let publisher = from.create_publisher(PublisherQos {
        presentation: presentation(kind.offered),
        ..Default::default()
    });
    let qos = DataWriterQos {
        durability: kind.durability,
        ..reliable().0
    };
    let writers = (0..count).map(|at| {
        let topic = from.create_topic(&format!("{topic}{at}"), Default::default());
        publisher
            .create_datawriter(&topic.unwrap(), qos.clone())
            .unwrap()
    });
    let writers = writers.collect();
    (publisher, writers)
}

fn subscribe(to: &DomainParticipant, kind: Kind, topic: &str) -> DataReader<Keyless> {
    let subscriber = to.create_subscriber(SubscriberQos {
        presentation: presentation(AccessScope::Topic),
        ..Default::default()
    });
    let qos = DataReaderQos {
        durability: kind.durability,
        ..reliable().1
    };
    let topic = to.create_topic(topic, Default::default()).unwrap();
    subscriber.create_datareader(&topic, qos).unwrap()
}

impl Line {
    /// With sets of so many topics.
    fn new(from: &DomainParticipant, to: &DomainParticipant, kind: Kind, count: usize) -> Self {
        let name = format!("from {} ", from.domain_id());
        let (publisher, writers) = publish(from, kind, &name, count);
        let readers = (0..count).map(|at| subscribe(to, kind, &format!("{name}{at}")));
        let readers: Vec<_> = readers.collect();
        let (wqos, rqos) = reliable();
        let single = format!("{name}single");
        let single = (
            from.writer_with(&single, wqos).unwrap(),
            to.reader_with(&single, rqos).unwrap(),
        );
        for writer in writers.iter().chain([&single.0]) {
            writer.wait_for_matched(1, SOON).unwrap();
        }
        for reader in readers.iter().chain([&single.1]) {
            reader.wait_for_matched(1, SOON).unwrap();
        }
        Self {
            publisher,
            writers,
            readers,
            single,
        }
    }

    /// A sample that is written now has come to the other side: what was written before and may
    /// cross has crossed as well.
    fn pass_by(&self, number: u32) {
        let writers = self.writers.iter();
        writers.for_each(|writer| writer.wait_for_acknowledgments(SOON).unwrap());
        loop {
            self.single.0.write(&keyless(number, 1)).unwrap();
            let wait = Duration::from_millis(200);
            if self.single.1.wait_for_data(wait).is_ok() {
                let seen = self.single.1.take();
                if seen
                    .iter()
                    .any(|s| s.data().is_some_and(|d| d.number == number))
                {
                    return;
                }
            }
        }
    }
}

fn numbers(reader: &DataReader<Keyless>) -> Vec<u32> {
    let samples = reader.take().into_iter();
    samples.filter_map(|s| Some(s.data()?.number)).collect()
}

/// The next samples, all of which are there at once.
fn next(reader: &DataReader<Keyless>) -> Vec<u32> {
    reader.wait_for_data(SOON).unwrap();
    numbers(reader)
}

/// The service has matched all endpoints of the line.
fn join(service: &Service, lines: &[&Line]) {
    for (at, line) in lines.iter().enumerate() {
        for writer in line.writers.iter().chain([&line.single.0]) {
            let topic = writer.topic();
            let route = format!("{SESSION}/auto_routes/all {at}/routes/{}", topic.name());
            wait_until_joined(service, &route);
        }
    }
}

#[test]
fn a_set_is_seen_whole_beyond_in_both_directions() {
    let name = "a_set_is_seen_whole_beyond_in_both_directions";
    in_namespace(name, LOOPBACK, || {
        let service = both_ways();
        let udp = Transports::UDP;
        let (near, far) = (participant(NEAR, udp), participant(FAR, udp));
        let lines = [
            Line::new(&near, &far, OF_TOPICS, 1),
            Line::new(&far, &near, OF_TOPICS, 1),
        ];
        join(&service, &[&lines[0], &lines[1]]);
        for line in &lines {
            let (writer, reader) = (&line.writers[0], &line.readers[0]);
            line.publisher.begin_coherent_changes();
            for number in 0..LARGE {
                writer.write(&keyless(number, 10)).unwrap();
            }
            line.pass_by(1);
            assert_eq!(
                numbers(reader),
                [0_u32; 0],
                "a set that is not complete is seen"
            );
            line.publisher.end_coherent_changes().unwrap();
            assert_eq!(next(reader), Vec::from_iter(0..LARGE));
            // What is outside of sets is seen at once, and two sets in a row are two.
            writer.write(&keyless(1000, 10)).unwrap();
            assert_eq!(next(reader), [1000]);
            for set in 0..2 {
                line.publisher.begin_coherent_changes();
                writer.write(&keyless(2000 + set, 10)).unwrap();
                writer.write(&keyless(3000 + set, 10)).unwrap();
                line.publisher.end_coherent_changes().unwrap();
            }
            let mut seen = Vec::new();
            while seen.len() < 4 {
                let more = next(reader);
                assert_eq!(more.len() % 2, 0, "{more:?}");
                seen.extend(more);
            }
            assert_eq!(seen, [2000, 3000, 2001, 3001]);
        }
    });
}

#[test]
fn a_set_that_never_ends_is_never_seen_beyond_and_holds_up_nobody() {
    let name = "a_set_that_never_ends_is_never_seen_beyond_and_holds_up_nobody";
    in_namespace(name, LOOPBACK, || {
        let service = both_ways();
        let udp = Transports::UDP;
        let (near, far) = (participant(NEAR, udp), participant(FAR, udp));
        let lines = [
            Line::new(&near, &far, OF_TOPICS, 1),
            Line::new(&far, &near, OF_TOPICS, 1),
        ];
        join(&service, &[&lines[0], &lines[1]]);
        for (at, mut line) in lines.into_iter().enumerate() {
            line.publisher.begin_coherent_changes();
            for number in 0..LARGE {
                line.writers[0].write(&keyless(number, 10)).unwrap();
            }
            line.pass_by(1);
            // Another source of the topic is not held up by it.
            let from = [&near, &far][at];
            let name = format!("from {} ", from.domain_id());
            let (publisher, other) = publish(from, OF_TOPICS, &name, 1);
            other[0].wait_for_matched(1, SOON).unwrap();
            line.readers[0].wait_for_matched(2, SOON).unwrap();
            let route = format!("{SESSION}/auto_routes/all {at}/routes/{name}0");
            for end in ["inputs/in", "outputs/out"] {
                wait_for(&service, &format!("{route}/{end}"), |node| {
                    node.matched == 2
                });
            }
            publisher.begin_coherent_changes();
            other[0].write(&keyless(500, 10)).unwrap();
            other[0].write(&keyless(501, 10)).unwrap();
            publisher.end_coherent_changes().unwrap();
            assert_eq!(next(&line.readers[0]), [500, 501]);
            // The source goes without having ended its set.
            line.writers.clear();
            line.pass_by(2);
            other[0].write(&keyless(502, 10)).unwrap();
            assert_eq!(next(&line.readers[0]), [502]);
        }
    });
}

#[test]
fn who_comes_late_beyond_sees_whole_sets() {
    let name = "who_comes_late_beyond_sees_whole_sets";
    in_namespace(name, LOOPBACK, || {
        let _service = both_ways();
        let udp = Transports::UDP;
        let (near, far) = (participant(NEAR, udp), participant(FAR, udp));
        let kind = Kind {
            durability: Durability::TransientLocal,
            ..OF_TOPICS
        };
        let (publisher, writers) = publish(&near, kind, "T", 1);
        publisher.begin_coherent_changes();
        for number in 0..LARGE {
            writers[0].write(&keyless(number, 10)).unwrap();
        }
        publisher.end_coherent_changes().unwrap();
        publisher.begin_coherent_changes();
        writers[0].write(&keyless(1000, 10)).unwrap();
        let reader = subscribe(&far, kind, "T0");
        assert_eq!(next(&reader), Vec::from_iter(0..LARGE));
        publisher.end_coherent_changes().unwrap();
        assert_eq!(next(&reader), [1000]);
    });
}

#[test]
fn a_set_of_several_topics_is_one_of_each_topic_beyond() {
    let name = "a_set_of_several_topics_is_one_of_each_topic_beyond";
    in_namespace(name, LOOPBACK, || {
        let service = both_ways();
        let udp = Transports::UDP;
        let (near, far) = (participant(NEAR, udp), participant(FAR, udp));
        let kind = Kind {
            offered: AccessScope::Group,
            ..OF_TOPICS
        };
        let line = Line::new(&near, &far, kind, 2);
        join(&service, &[&line]);
        line.publisher.begin_coherent_changes();
        for number in 0..LARGE {
            for writer in &line.writers {
                writer.write(&keyless(number, 10)).unwrap();
            }
        }
        line.pass_by(1);
        for reader in &line.readers {
            assert_eq!(numbers(reader), [0_u32; 0]);
        }
        line.publisher.end_coherent_changes().unwrap();
        for reader in &line.readers {
            assert_eq!(next(reader), Vec::from_iter(0..LARGE));
        }
    });
}
