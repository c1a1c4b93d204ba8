//! QoS that changes while entities live, and what follows from it (DDS 1.4 2.2.3): matches that
//! come and go, times that hold from then on, what others are told.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(300), "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// Participants of different hosts, and those of one process.
fn nets() -> [[DomainParticipant; 2]; 2] {
    let net = Net::new(0.0);
    let apart = [net.participant(), net.participant()];
    let near = Net::new(0.0);
    let config = || ParticipantConfig {
        heartbeat_period: Duration::from_millis(10),
        ..ParticipantConfig::default()
    };
    [apart, [near.within(config()), near.within(config())]]
}

#[test]
fn partitions_that_change_make_and_end_matches() {
    for [a, b] in nets() {
        let (wqos, rqos) = reliable_all();
        let partition = |name: &str| Partition(vec![name.into()]);
        let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
        let publisher = a.create_publisher(PublisherQos {
            partition: partition("north"),
            ..Default::default()
        });
        let writer = publisher.create_datawriter(&topic, wqos).unwrap();
        let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
        let subscriber = b.create_subscriber(Default::default());
        let reader = subscriber.create_datareader(&topic, rqos).unwrap();
        for round in 1..=3 {
            let mut qos = subscriber.qos();
            qos.partition = partition("no*");
            subscriber.set_qos(qos.clone()).unwrap();
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            // The end of the match before has left a notice. The writer may have matched what the
            // reader asked for until just now: a sample of that moment is for nobody.
            soon("a sample comes", || {
                writer.write(&bird(round)).unwrap();
                let samples = reader.take();
                samples.iter().any(|s| s.data() == Some(&bird(round)))
            });
            assert_eq!(
                reader.subscription_matched_status().total_count,
                round as i32
            );
            let mut offered = publisher.qos();
            offered.partition = partition("south");
            publisher.set_qos(offered.clone()).unwrap();
            soon("the match ends at the reader", || {
                reader.matched_count() == 0
            });
            soon("the match ends at the writer", || {
                writer.matched_count() == 0
            });
            let status = reader.subscription_matched_status();
            assert_eq!((status.current_count, status.current_count_change), (0, -1));
            offered.partition = partition("north");
            qos.partition = partition("west");
            subscriber.set_qos(qos).unwrap();
            publisher.set_qos(offered).unwrap();
        }
    }
}

#[test]
fn a_deadline_that_does_not_fit_any_more_ends_the_match_and_says_why() {
    for [a, b] in nets() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos.clone());
        let reader = reader::<Keyed>(&b, "T", rqos.clone());
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let second = Duration::from_secs(1);
        let strict = DataReaderQos {
            deadline: second,
            ..rqos.clone()
        };
        reader.set_qos(strict.clone()).unwrap();
        assert_eq!(reader.qos(), strict);
        soon("the match ends at the writer", || {
            writer.matched_count() == 0
        });
        soon("the match ends at the reader", || {
            reader.matched_count() == 0
        });
        soon("the writer is told", || {
            let status = writer.offered_incompatible_qos_status();
            status.last_policy == Some(PolicyId::Deadline)
        });
        writer
            .set_qos(DataWriterQos {
                deadline: second,
                ..wqos
            })
            .unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        writer.write(&bird(1)).unwrap();
        assert_eq!(take(&reader, 1).len(), 1);
        soon("the deadline is watched by both", || {
            writer.offered_deadline_missed_status().total_count > 0
                && reader.requested_deadline_missed_status().total_count > 0
        });
    }
}

#[test]
fn strength_decides_from_when_it_has_changed() {
    for [a, b] in nets() {
        let (mut wqos, mut rqos) = reliable_all();
        (wqos.ownership, rqos.ownership) = (Ownership::Exclusive, Ownership::Exclusive);
        let reader = reader::<Keyed>(&b, "T", rqos);
        let with = |ownership_strength| DataWriterQos {
            ownership_strength,
            ..wqos.clone()
        };
        let [strong, weak] = [5, 1].map(|strength| writer::<Keyed>(&a, "T", with(strength)));
        for writer in [&strong, &weak] {
            writer.wait_for_matched(1, SOON).unwrap();
        }
        reader.wait_for_matched(2, SOON).unwrap();
        strong.write(&bird(1)).unwrap();
        assert_eq!(take(&reader, 1)[0].data(), Some(&bird(1)));
        weak.write(&bird(2)).unwrap();
        weak.wait_for_acknowledgments(SOON).unwrap();
        assert!(reader.take().is_empty());
        weak.set_qos(with(9)).unwrap();
        // Discovery and data go different ways.
        let mut number = 2;
        soon("the stronger one is heard", || {
            number += 1;
            weak.write(&bird(number)).unwrap();
            weak.wait_for_acknowledgments(SOON).unwrap();
            !reader.take().is_empty()
        });
        strong.write(&bird(3)).unwrap();
        strong.wait_for_acknowledgments(SOON).unwrap();
        assert!(reader.take().is_empty());
    }
}

#[test]
fn what_cannot_change_is_refused_with_the_policy_and_both_values() {
    let net = Net::new(0.0);
    let a = net.participant();
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos.clone());
    let reader = reader::<Keyed>(&a, "T", rqos.clone());
    let refused = |error: Error, words: &[&str]| {
        assert!(matches!(error, Error::ImmutablePolicy { .. }), "{error}");
        let error = error.to_string();
        for word in words {
            assert!(error.contains(word), "{error}");
        }
    };
    let mut other = wqos.clone();
    other.history = History::KeepLast(7);
    let words = ["HISTORY", "KEEP_ALL", "KEEP_LAST 7", "before `enable`"];
    refused(writer.set_qos(other).unwrap_err(), &words);
    let mut other = wqos.clone();
    other.durability = Durability::TransientLocal;
    refused(writer.set_qos(other).unwrap_err(), &["DURABILITY"]);
    let mut other = rqos.clone();
    other.reliability = Reliability::BEST_EFFORT;
    refused(reader.set_qos(other).unwrap_err(), &["RELIABILITY"]);
    let mut other = rqos.clone();
    (other.deadline, other.time_based_filter) =
        (Duration::from_millis(1), Duration::from_millis(2));
    let error = reader.set_qos(other).unwrap_err();
    assert!(matches!(error, Error::InconsistentPolicy { .. }), "{error}");
    let publisher = writer.publisher().unwrap();
    let mut other = publisher.qos();
    other.presentation.ordered_access = true;
    refused(
        publisher.set_qos(other).unwrap_err(),
        &["PRESENTATION", "publisher"],
    );
    let mut other = writer.qos();
    other.user_data = vec![1; 100_000];
    assert!(matches!(
        writer.set_qos(other).unwrap_err(),
        Error::BadParameter(_)
    ));
    assert_eq!((writer.qos(), reader.qos()), (wqos, rqos));
}

#[test]
fn what_is_said_for_others_to_read_reaches_them_when_it_changes() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let writer = publisher.create_datawriter(&topic, wqos.clone()).unwrap();
    let reader = reader::<Keyed>(&b, "T", rqos);
    reader.wait_for_matched(1, SOON).unwrap();
    let bytes = |text: &str| text.as_bytes().to_vec();
    topic
        .set_qos(TopicQos {
            topic_data: bytes("topic"),
            ..topic.qos()
        })
        .unwrap();
    publisher
        .set_qos(PublisherQos {
            group_data: bytes("group"),
            ..publisher.qos()
        })
        .unwrap();
    writer
        .set_qos(DataWriterQos {
            user_data: bytes("user"),
            ..writer.qos()
        })
        .unwrap();
    a.set_qos(DomainParticipantQos {
        user_data: bytes("participant"),
        ..a.qos()
    })
    .unwrap();
    let heard = |found: &dyn Fn(&observe::Domain) -> bool| found(&b.domain());
    soon("the writer says it anew", || {
        heard(&|domain| {
            domain.writers.iter().any(|w| {
                w.guid == writer.guid()
                    && w.qos.user_data == b"user"
                    && w.publisher.group_data == b"group"
                    && w.topic_data == b"topic"
            })
        })
    });
    soon("the participant says it anew", || {
        heard(&|domain| {
            let mut others = domain.participants.iter();
            others.any(|p| p.data.guid == a.guid() && p.data.user_data == b"participant")
        })
    });
    assert_eq!(reader.subscription_matched_status().total_count, 1);
    writer.write(&bird(1)).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
}

#[test]
fn times_hold_from_when_they_have_changed() {
    for [a, b] in nets() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos.clone());
        let reader = reader::<Keyed>(&b, "T", rqos.clone());
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        // A filter so long that only what comes first is seen.
        let filtered = DataReaderQos {
            time_based_filter: Duration::from_secs(10_000),
            ..rqos.clone()
        };
        reader.set_qos(filtered).unwrap();
        for number in 0..10 {
            writer.write(&bird(number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(take(&reader, 1)[0].data(), Some(&bird(0)));
        assert!(reader.take().is_empty());
        reader.set_qos(rqos).unwrap();
        assert_eq!(take(&reader, 1)[0].data(), Some(&bird(9)));
        // What lives for a moment only is not seen for long.
        writer
            .set_qos(DataWriterQos {
                lifespan: Duration::from_millis(50),
                writer_data_lifecycle: WriterDataLifecycle {
                    autodispose_unregistered_instances: false,
                },
                ..wqos
            })
            .unwrap();
        let knows = || {
            let domain = b.domain();
            let mut writers = domain.writers.iter();
            writers.any(|w| w.guid == writer.guid() && !w.qos.lifespan.is_infinite())
        };
        soon("the lifespan is known", knows);
        writer.write(&bird(10)).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
        soon("the sample goes", || reader.read().is_empty());
        writer.unregister_instance(&bird(0)).unwrap();
        let end = take(&reader, 1);
        assert_eq!(end[0].info.instance_state, InstanceState::NotAliveNoWriters);
    }
}

#[test]
fn default_qos_is_what_the_application_says_and_a_topic_lends_its_own() {
    let net = Net::new(0.0);
    let a = net.participant();
    let publisher = a.create_publisher(a.default_publisher_qos());
    let subscriber = a.create_subscriber(a.default_subscriber_qos());
    let (wqos, rqos) = reliable_all();
    publisher.set_default_datawriter_qos(wqos.clone()).unwrap();
    subscriber.set_default_datareader_qos(rqos.clone()).unwrap();
    assert_eq!(publisher.default_datawriter_qos(), wqos);
    assert_eq!(subscriber.default_datareader_qos(), rqos);
    let wrong = DataWriterQos {
        history: History::KeepLast(0),
        ..wqos
    };
    assert!(publisher.set_default_datawriter_qos(wrong).is_err());
    let qos = TopicQos {
        durability: Durability::TransientLocal,
        deadline: Duration::from_secs(9),
        ownership: Ownership::Exclusive,
        history: History::KeepLast(3),
        reliability: Reliability::RELIABLE,
        ..a.default_topic_qos()
    };
    a.set_default_topic_qos(qos.clone()).unwrap();
    let topic = a.create_topic::<Keyed>("T", a.default_topic_qos()).unwrap();
    let (mut wqos, mut rqos) = reliable_all();
    wqos.copy_from_topic(&topic.qos());
    rqos.copy_from_topic(&topic.qos());
    assert_eq!(
        (wqos.durability, rqos.durability),
        (qos.durability, qos.durability)
    );
    assert_eq!((wqos.deadline, rqos.deadline), (qos.deadline, qos.deadline));
    assert_eq!((wqos.history, rqos.history), (qos.history, qos.history));
    let writer = publisher.create_datawriter(&topic, wqos).unwrap();
    subscriber.create_datareader(&topic, rqos).unwrap();
    assert_eq!(writer.topic().name(), "T");
    let wrong = TopicQos {
        history: History::KeepAll,
        ..qos
    };
    assert!(matches!(
        topic.set_qos(wrong),
        Err(Error::ImmutablePolicy { .. })
    ));
}
