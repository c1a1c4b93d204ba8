//! Policies about who meets whom, and what those get who come late or look at several readers.
use crate::looking::{number_of, reliable, seconds};
use crate::stage::{MS, SECOND, Stage};
use dunlin::simulation::Discovery;
use dunlin_qos::{
    AccessScope, Durability, EntityFactory, History, Partition, Presentation, PublisherQos,
    SubscriberQos,
};
use dunlin_rtps::ChangeKind;
use dunlin_wire::Guid;

#[test]
fn durability_gives_late_joiners_what_was_written_before_or_not() {
    for (durability, seen) in [
        (Durability::Volatile, vec![5]),
        (Durability::TransientLocal, vec![0, 1, 2, 3, 4, 5]),
        (Durability::Transient, vec![0, 1, 2, 3, 4, 5]),
        (Durability::Persistent, vec![0, 1, 2, 3, 4, 5]),
    ] {
        let (mut stage, writer, reader) = Stage::pair(|w, r| {
            w.durability = durability;
            w.durability_service.history = History::KeepAll;
            r.durability = durability;
        });
        for number in 0..5 {
            stage.sample(writer, 1, number);
            stage.run_for(MS);
        }
        let qos = stage.of(reader).reader_qos(reader.entity);
        let late = stage.reader(1, qos);
        stage.run_for(SECOND);
        stage.sample(writer, 1, 5);
        stage.run_for(SECOND);
        assert_eq!(stage.numbers(late), seen, "{durability}");
    }
}

#[test]
fn durability_service_keeps_for_late_joiners_and_cleans_up_to_the_nanosecond() {
    let (mut stage, writer, reader) = Stage::pair(|w, r| {
        w.durability = Durability::Transient;
        w.durability_service.history = History::KeepLast(2);
        w.durability_service.service_cleanup_delay = seconds(5);
        r.durability = Durability::Transient;
    });
    let qos = stage.of(reader).reader_qos(reader.entity);
    for number in 0..5 {
        stage.sample(writer, 1, number);
    }
    stage.run_for(SECOND);
    let late = stage.reader(1, qos.clone());
    stage.run_for(SECOND);
    assert_eq!(stage.numbers(late), [3, 4]);
    let ended = stage.now;
    stage.end(writer, ChangeKind::DisposedUnregistered, 1);
    stage.run_until(ended + 5 * SECOND - 1);
    assert!(stage.kept(writer) > 0);
    stage.run_until(ended + 5 * SECOND);
    assert_eq!(stage.kept(writer), 0);
    let late = stage.reader(1, qos);
    stage.run_for(SECOND);
    assert!(stage.take(late).is_empty());
}

#[test]
fn partition_decides_who_matches_and_may_change() {
    let partition = |name: &str| Partition(vec![name.into()]);
    let (wqos, rqos) = reliable();
    let mut stage = Stage::new(2);
    let publisher = PublisherQos {
        partition: partition("north"),
        ..PublisherQos::default()
    };
    let writer = stage.writer_of(0, "Square", wqos, publisher);
    let subscriber = |name| SubscriberQos {
        partition: partition(name),
        ..SubscriberQos::default()
    };
    let pattern = stage.reader_of(1, "Square", rqos.clone(), subscriber("n?r*"));
    let other = stage.reader_of(1, "Square", rqos, subscriber("south"));
    stage.run_for(SECOND);
    stage.sample(writer, 1, 1);
    stage.run_for(MS);
    assert_eq!(
        (stage.numbers(pattern), stage.numbers(other)),
        (vec![1], vec![])
    );
    let publisher = PublisherQos {
        partition: partition("south"),
        ..PublisherQos::default()
    };
    stage.participant(0).publishers()[0]
        .set_qos(publisher)
        .unwrap();
    stage.run_for(SECOND);
    assert!(stage.is_matched(writer, other) && !stage.is_matched(writer, pattern));
    stage.sample(writer, 1, 2);
    stage.run_for(MS);
    assert_eq!(
        (stage.numbers(pattern), stage.numbers(other)),
        (vec![], vec![2])
    );
    stage.participant(1).subscribers()[1]
        .set_qos(subscriber("west"))
        .unwrap();
    stage.run_for(SECOND);
    assert!(!stage.is_matched(writer, other));
}

#[test]
fn entity_factory_decides_whether_others_hear_of_an_entity_at_once() {
    for autoenable_created_entities in [true, false] {
        let factory = EntityFactory {
            autoenable_created_entities,
        };
        // Nothing is enabled before what it belongs to.
        assert!(!factory.enables(false));
        let (wqos, rqos) = reliable();
        let mut stage = Stage::new(2);
        let reader = stage.reader(1, rqos);
        let publisher = PublisherQos {
            entity_factory: factory,
            ..PublisherQos::default()
        };
        let guid = stage.writer_of(0, "Square", wqos, publisher);
        stage.run_for(10 * SECOND);
        assert_eq!(stage.is_matched(guid, reader), autoenable_created_entities);
        let known = |known: &Discovery| known.writer(guid).is_some();
        let known = stage.participant(1).discovery(known);
        assert_eq!(known, autoenable_created_entities);
        if !autoenable_created_entities {
            stage.participant(0).enable_writer(guid.entity);
            stage.run_for(SECOND);
        }
        assert!(stage.is_matched(guid, reader));
    }
}

/// A publisher with writers of two topics and a subscriber with a reader of each.
fn group(presentation: Presentation) -> (Stage, [Guid; 2], [Guid; 2]) {
    let (wqos, rqos) = reliable();
    let mut stage = Stage::new(2);
    let publisher = PublisherQos {
        presentation,
        ..PublisherQos::default()
    };
    let subscriber = SubscriberQos {
        presentation,
        ..SubscriberQos::default()
    };
    let topics = ["Square", "Circle"];
    let writers = topics.map(|t| stage.writer_of(0, t, wqos.clone(), publisher.clone()));
    let readers = topics.map(|t| stage.reader_of(1, t, rqos.clone(), subscriber.clone()));
    stage.run_for(SECOND);
    (stage, writers, readers)
}

#[test]
fn presentation_coherent_shows_a_set_when_all_of_it_is_here() {
    for access_scope in [
        AccessScope::Instance,
        AccessScope::Topic,
        AccessScope::Group,
    ] {
        let presentation = Presentation {
            access_scope,
            coherent_access: true,
            ordered_access: false,
        };
        let (mut stage, writers, readers) = group(presentation);
        for set in 0..5 {
            stage.participant(0).begin_set();
            for number in 0..4 {
                stage.sample(writers[number as usize % 2], 1, 10 * set + number);
                stage.run_for(10 * MS);
                assert_eq!(readers.map(|reader| stage.held(reader)), [0, 0]);
            }
            // The last word of one writer alone does not come.
            stage.cut(1);
            stage.participant(0).end_set();
            stage.run_for(10 * MS);
            assert_eq!(readers.map(|reader| stage.held(reader)), [0, 0]);
            stage.network.heal();
            stage.run_for(SECOND);
            let seen = readers.map(|reader| stage.numbers(reader));
            let numbers = [[0, 2], [1, 3]].map(|n| n.map(|n| 10 * set + n).to_vec());
            assert_eq!(seen, numbers, "{access_scope}");
        }
    }
}

#[test]
fn presentation_ordered_is_of_an_instance_a_topic_or_a_group() {
    for access_scope in [
        AccessScope::Instance,
        AccessScope::Topic,
        AccessScope::Group,
    ] {
        let presentation = Presentation {
            access_scope,
            coherent_access: false,
            ordered_access: true,
        };
        let (mut stage, writers, readers) = group(presentation);
        for number in 0..12 {
            let nth = [0, 1, 1, 0][number as usize % 4];
            stage.sample(writers[nth], number % 3, number);
            stage.run_for(MS);
        }
        stage.run_for(SECOND);
        if access_scope == AccessScope::Group {
            let participant = stage.participant(1);
            participant.begin_access();
            let order = participant.readers_in_order();
            let one = |entity| participant.take(entity, 1).first().map(number_of);
            let seen: Vec<_> = order.into_iter().filter_map(one).collect();
            assert!(seen.into_iter().eq(0..12));
        } else {
            let by_topic = [vec![0, 3, 4, 7, 8, 11], vec![1, 2, 5, 6, 9, 10]];
            let by_instance = [vec![0, 3, 4, 7, 8, 11], vec![1, 10, 4, 7, 2, 5]];
            let seen = readers.map(|reader| stage.numbers(reader));
            match access_scope {
                AccessScope::Topic => assert_eq!(seen, by_topic),
                _ => {
                    // Those of an instance are together, and in order.
                    let numbers = seen.concat();
                    assert_eq!(numbers.len(), by_instance.concat().len());
                    for instance in 0..3 {
                        let of_one = |n: &[u32]| -> Vec<u32> {
                            n.iter().copied().filter(|n| n % 3 == instance).collect()
                        };
                        assert!(seen.iter().all(|seen| of_one(seen).is_sorted()));
                        let places = seen.each_ref().map(|seen| {
                            let is_one = |n: &u32| n % 3 == instance;
                            let first = seen.iter().position(is_one).unwrap();
                            let last = seen.iter().rposition(is_one).unwrap();
                            last - first + 1 == of_one(seen).len()
                        });
                        assert_eq!(places, [true, true], "{seen:?}");
                    }
                }
            }
        }
    }
}
