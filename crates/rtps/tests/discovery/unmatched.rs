//! Endpoints of topics that nobody here has are kept in little room, and nobody notices.
use crate::network::{MS, Network, SECOND, locator, prefix};
use dunlin_qos::{Duration, LivelinessKind, Partition, Reliability};
use dunlin_rtps::discovery::{Event, Explanation, UnmatchReason};
use dunlin_wire::{EncodedTypeInformation, Endianness, Guid, ReaderData, WriterData};

/// Says all that one can say.
fn talkative(index: usize) -> impl Fn(&mut WriterData) {
    move |w| {
        w.topic = format!("topic {}", index % 7);
        w.type_name = format!("type {}", index % 3);
        w.qos.entity_name = format!("writer {}", index % 5);
        w.qos.reliability.max_blocking_time = Duration::from_millis(100 + index as u32 % 4);
        w.qos.user_data = vec![index as u8 % 2; 5];
        w.qos.liveliness.lease_duration = Duration::from_secs(1 + index as u32 % 2);
        w.qos.liveliness.kind = LivelinessKind::ManualByTopic;
        w.publisher.partition = Partition(vec!["a".into(), "b*".into()]);
        w.topic_data = vec![1, 2, 3];
        w.layout = Some(index as u64 % 6);
        w.autodispose = index.is_multiple_of(2);
        if index.is_multiple_of(3) {
            w.unicast = vec![locator(500 + index % 2), locator(600)];
            w.type_information = Some(EncodedTypeInformation {
                bytes: vec![7; 16].into(),
                endianness: Endianness::Little,
                for_dunlin: true,
            });
        }
    }
}

/// What participant 1 knows of the writers of participant 0.
fn known(network: &Network) -> Vec<WriterData> {
    let writers = network.nodes[1].discovery.writers();
    let others = writers.filter(|writer| writer.guid.prefix == prefix(0));
    others.map(|writer| writer.into_owned()).collect()
}

fn told(network: &Network) -> Vec<WriterData> {
    let writers = network.nodes[0].discovery.writers();
    writers.map(|writer| writer.into_owned()).collect()
}

#[test]
fn they_are_known_as_they_were_told_whether_somebody_has_the_topic_or_not() {
    let mut network = Network::of(2);
    let writers: Vec<Guid> = (0..50).map(|i| network.writer(0, talkative(i))).collect();
    network.run(SECOND);
    assert_eq!(known(&network), told(&network));
    let reader = network.reader(1, |r| r.topic = "topic 4".into());
    assert_eq!(known(&network).len(), 50);
    for writer in &writers {
        let one = network.nodes[1].discovery.writer(*writer);
        assert_eq!(one, network.nodes[0].discovery.writer(*writer));
        assert!(network.nodes[1].discovery.reader(*writer).is_none());
    }
    network.act(1, |d, now, out, events| {
        d.remove_reader(now, reader, out, events);
    });
    assert_eq!(known(&network), told(&network));
    assert_eq!(network.nodes[1].discovery.endpoint_count(), 50);
    for writer in &writers[..49] {
        network.act(0, |d, now, out, events| {
            d.remove_writer(now, *writer, out, events);
        });
    }
    network.run(SECOND);
    assert_eq!(known(&network), told(&network));
    assert_eq!(network.nodes[1].discovery.endpoint_count(), 1);
    network.act(0, |d, now, out, _| d.goodbye(now, out));
    network.run(SECOND);
    assert_eq!(network.nodes[1].discovery.endpoint_count(), 0);
}

#[test]
fn a_new_endpoint_of_the_topic_matches_them_at_once() {
    let mut network = Network::of(2);
    let [one, two] = [(); 2].map(|()| network.writer(0, |w| w.topic = "A".into()));
    network.writer(0, |w| w.topic = "B".into());
    network.run(SECOND);
    let before = network.nodes[1].news().len();
    let reader = network.reader(1, |r| r.topic = "A".into());
    assert_eq!(network.nodes[1].matched(reader), [one, two], "{before}");
    network.run(MS);
    assert_eq!(network.nodes[0].matched(one), [reader]);
    let writer = network.writer(1, |w| w.topic = "A".into());
    assert_eq!(network.nodes[1].matched(writer), [reader]);
    network.act(1, |d, now, out, events| {
        d.remove_reader(now, reader, out, events);
        d.remove_writer(now, writer, out, events);
    });
    assert!(network.nodes[1].matched(reader).is_empty());
    let again = network.reader(1, |r| r.topic = "A".into());
    assert_eq!(network.nodes[1].matched(again), [one, two]);
    network.act(0, |d, now, out, events| {
        d.remove_writer(now, one, out, events)
    });
    network.run(SECOND);
    assert_eq!(network.nodes[1].matched(again), [two]);
}

/// Each change is heard, also from one topic to another and from one that is kept in little room to
/// one that is not.
#[test]
fn their_changes_are_heard() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |w| w.topic = "A".into());
    network.run(SECOND);
    let reader = network.reader(1, |r| r.topic = "B".into());
    network.act(1, |d, _, _, _| d.watch_endpoints(true));
    let news = |network: &mut Network| network.act(1, |d, _, _, _| d.take_endpoint_news());
    assert_eq!(news(&mut network).into_iter().collect::<Vec<_>>(), [writer]);
    let mut data = WriterData::new(writer, "A", "Shape");
    let steps: [(&str, bool); 4] = [("A", false), ("B", true), ("C", false), ("B", true)];
    for (step, (topic, matches)) in steps.into_iter().enumerate() {
        data.topic = topic.into();
        data.qos.user_data = vec![step as u8];
        network.put_writer(0, data.clone());
        network.run(SECOND);
        assert_eq!(known(&network), [data.clone()]);
        assert_eq!(network.nodes[1].matched(reader) == [writer], matches);
        assert_eq!(news(&mut network).into_iter().collect::<Vec<_>>(), [writer]);
        assert_eq!(network.nodes[1].discovery.endpoint_count(), 2);
    }
    network.put_writer(0, data.clone());
    network.run(SECOND);
    assert!(news(&mut network).is_empty(), "it says the same");
    network.act(1, |d, _, _, events| d.ignore_endpoint(writer, events));
    assert!(known(&network).is_empty());
    let unmatched = |event: &Event| {
        let reason = UnmatchReason::Ignored;
        *event
            == Event::WriterUnmatched {
                reader,
                writer,
                reason,
            }
    };
    assert!(network.nodes[1].events.iter().any(unmatched));
}

#[test]
fn ignored_topics_similar_names_and_addresses_are_as_they_were() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |w| {
        w.topic = "square".into();
        w.unicast = vec![locator(700)];
    });
    let other = network.writer(0, |w| w.topic = "Circle".into());
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    let explained = network.nodes[1]
        .discovery
        .explain(reader, str::eq_ignore_ascii_case);
    let similar = Explanation::SimilarTopic {
        remote: writer,
        topic: "square".into(),
    };
    assert_eq!(explained, [similar]);
    let addresses = |network: &Network| network.nodes[1].discovery.source_addresses(prefix(0));
    let before = addresses(&network);
    let near: ReaderData = ReaderData::new(reader, "square", "Shape");
    network.put_reader(1, near);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
    assert_eq!(addresses(&network), before);
    network.act(1, |d, now, out, events| {
        d.remove_reader(now, reader, out, events)
    });
    network.act(0, |d, now, out, events| {
        d.remove_writer(now, writer, out, events)
    });
    network.run(SECOND);
    assert_ne!(addresses(&network), before, "nobody is there any more");
    network.act(1, |d, _, _, events| d.ignore_topic("Circle", events));
    assert!(network.nodes[1].discovery.writer(other).is_none());
    assert_eq!(network.nodes[1].discovery.endpoint_count(), 0);
}

/// Bytes that a participant keeps of so many endpoints of each of ten others.
fn held(endpoints: usize) -> i64 {
    let mut made = None;
    let memory = allocation_counter::measure(|| {
        let mut network = Network::new();
        network.join(|c| c.lease_duration = Duration::INFINITE);
        network.run(SECOND);
        for index in 1..11 {
            network.join(|c| c.lease_duration = Duration::INFINITE);
            for place in 0..endpoints {
                // Ten of a topic, spread over the participants.
                let name = format!("vehicle/sensors/{place}");
                let best_effort = place.is_multiple_of(2);
                match index < 3 {
                    true => network.writer(index, |w| w.topic = name),
                    false => network.reader(index, |r| {
                        r.topic = name;
                        if best_effort {
                            r.qos.reliability = Reliability::BEST_EFFORT;
                        }
                    }),
                };
            }
            network.run(SECOND);
            network.nodes[0].news();
            network.bury(index);
        }
        assert_eq!(network.nodes[0].discovery.endpoint_count(), 10 * endpoints);
        made = Some(network);
    });
    drop(made);
    memory.bytes_current
}

#[test]
fn one_costs_a_hundred_bytes() {
    let (few, many) = (20, 420);
    let each = (held(many) - held(few)) / (10 * (many - few) as i64);
    println!("FIGURE discovery: {each} bytes for each endpoint that nobody here can match");
    assert!(each <= 100, "{each} bytes");
}
