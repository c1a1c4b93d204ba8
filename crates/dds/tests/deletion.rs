//! Entities that are deleted while handles of them remain.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration as Span, Instant};

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

#[track_caller]
fn soon(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(300));
        std::thread::sleep(Span::from_millis(5));
    }
}

#[track_caller]
fn deleted<T: std::fmt::Debug>(result: Result<T>) {
    assert!(
        matches!(result, Err(Error::AlreadyDeleted { .. })),
        "{result:?}"
    );
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, why: &str) {
    assert!(
        matches!(&result, Err(Error::PreconditionNotMet(text)) if text.contains(why)),
        "{result:?}"
    );
}

#[test]
fn a_deleted_writer_writes_no_more_and_its_readers_know() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos.clone());
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    let other = writer.clone();
    writer.write(&bird("dunlin", 1)).unwrap();
    let publisher = writer.publisher().unwrap();
    let stranger = a.create_publisher(Default::default());
    refused(stranger.delete_datawriter(&writer), "another publisher");
    publisher.delete_datawriter(&writer).unwrap();
    // What was written before came.
    assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
    soon(|| reader.matched_count() == 0);
    for handle in [&writer, &other] {
        deleted(handle.write(&bird("dunlin", 2)));
        deleted(handle.dispose(&bird("dunlin", 2)));
        deleted(handle.register_instance(&bird("dunlin", 2)));
        deleted(handle.wait_for_acknowledgments(SOON));
        deleted(handle.set_qos(wqos.clone()));
        deleted(handle.enable());
    }
    deleted(publisher.delete_datawriter(&writer));
    assert!(publisher.lookup_datawriter("T").is_none());
    assert!(!a.contains_entity(writer.instance_handle()));
    assert_eq!(writer.backlog_status().kept, 0);
    // The publisher makes others.
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let next = publisher.create_datawriter(&topic, wqos).unwrap();
    next.wait_for_matched(1, SOON).unwrap();
    drop((writer, other));
    next.write(&bird("dunlin", 3)).unwrap();
    soon(|| {
        let samples = reader.take();
        samples
            .iter()
            .any(|s| s.data().is_some_and(|d| d.number == 3))
    });
}

/// How a writer can end.
const WAYS: [fn(DomainParticipant, Publisher, DataWriter<Keyed>); 4] = [
    |_, _, writer| drop(writer),
    |_, publisher, writer| publisher.delete_datawriter(&writer).unwrap(),
    |_, publisher, _writer| publisher.delete_contained_entities(),
    |participant, _, _writer| participant.delete_contained_entities(),
];

#[test]
fn the_instances_of_a_deleted_writer_are_disposed_if_unregistering_disposes() {
    const INSTANCES: usize = 50;
    let net = Net::new(0.0);
    let local = || net.within(ParticipantConfig::default());
    let places = [(net.participant(), net.participant()), (local(), local())];
    for (autodispose, state) in [
        (true, InstanceState::NotAliveDisposed),
        (false, InstanceState::NotAliveNoWriters),
    ] {
        for (place, (a, b)) in places.iter().enumerate() {
            for (n, end) in WAYS.into_iter().enumerate() {
                let (mut wqos, rqos) = reliable_all();
                wqos.writer_data_lifecycle
                    .autodispose_unregistered_instances = autodispose;
                let topic = format!("T {place} {n} {autodispose}");
                let writer = writer::<Keyed>(a, &topic, wqos);
                let reader = reader::<Keyed>(b, &topic, rqos);
                writer.wait_for_matched(1, SOON).unwrap();
                reader.wait_for_matched(1, SOON).unwrap();
                for n in 0..INSTANCES {
                    writer.write(&bird(&n.to_string(), 0)).unwrap();
                }
                writer.unregister_instance(&bird("0", 0)).unwrap();
                assert_eq!(take(&reader, INSTANCES + 1).len(), INSTANCES + 1);
                let publisher = writer.publisher().unwrap();
                end(a.clone(), publisher, writer);
                let ends = take(&reader, INSTANCES - 1);
                assert!(ends.iter().all(|end| end.info.instance_state == state));
                assert!(ends.iter().all(|end| end.key().is_some()));
                assert_eq!(
                    ends.len(),
                    INSTANCES - 1,
                    "those that it left before are left out"
                );
            }
        }
    }
}

#[test]
fn who_leaves_with_all_that_it_has_disposes_too() {
    let test = "who_leaves_with_all_that_it_has_disposes_too";
    namespace::in_namespace(test, namespace::LOOPBACK, || {
        for transports in [Transports::default(), Transports::UDP, Transports::SHMEM] {
            let join = || {
                let config = ParticipantConfig {
                    transports: Transports {
                        local: false,
                        ..transports
                    },
                    ..Default::default()
                };
                DomainParticipant::with_config(0, config).unwrap()
            };
            let b = join();
            let (wqos, rqos) = reliable_all();
            let reader = reader::<Keyed>(&b, "T", rqos);
            for _ in 0..20 {
                let a = join();
                let writer = writer::<Keyed>(&a, "T", wqos.clone());
                writer.wait_for_matched(1, SOON).unwrap();
                reader.wait_for_matched(1, SOON).unwrap();
                writer.write(&bird("dunlin", 1)).unwrap();
                assert_eq!(take(&reader, 1).len(), 1);
                drop((writer, a));
                let end = take(&reader, 1);
                assert_eq!(end[0].info.instance_state, InstanceState::NotAliveDisposed);
                soon(|| reader.matched_count() == 0);
            }
        }
    });
}

#[test]
fn a_writer_that_is_lost_disposes_nothing() {
    let net = Net::new(0.0);
    let lease = ParticipantConfig {
        lease_duration: Duration::from_millis(300),
        announce_period: Duration::from_millis(50),
        ..Default::default()
    };
    let (a, b) = (net.configured(lease), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird("dunlin", 1)).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
    net.set_drop(1.0);
    let end = take(&reader, 1);
    assert_eq!(end[0].info.instance_state, InstanceState::NotAliveNoWriters);
    net.set_drop(0.0);
}

#[test]
fn a_write_that_waits_for_room_ends_when_its_writer_is_deleted() {
    let net = Net::new(0.0);
    let config = || ParticipantConfig {
        linger: Duration::ZERO,
        ..Default::default()
    };
    let (a, b) = (net.configured(config()), net.configured(config()));
    let (mut wqos, rqos) = reliable_all();
    wqos.resource_limits.max_samples = Some(1);
    wqos.reliability.max_blocking_time = Duration::INFINITE;
    let writer = writer::<Keyed>(&a, "T", wqos);
    let _reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    net.set_drop(1.0);
    writer.write(&bird("dunlin", 1)).unwrap();
    let publisher = writer.publisher().unwrap();
    let other = writer.clone();
    let waiting = std::thread::spawn(move || other.write(&bird("dunlin", 2)));
    publisher.delete_datawriter(&writer).unwrap();
    deleted(waiting.join().unwrap());
    net.set_drop(0.0);
}

#[test]
fn a_deleted_reader_has_no_samples_and_is_told_nothing() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos.clone());
    writer.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird("dunlin", 1)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let condition = reader.read_condition(Select::default());
    assert!(condition.trigger_value());
    let subscriber = reader.subscriber().unwrap();
    let stranger = b.create_subscriber(Default::default());
    refused(stranger.delete_datareader(&reader), "another subscriber");
    subscriber.delete_datareader(&reader).unwrap();
    soon(|| writer.matched_count() == 0);
    assert!(reader.take().is_empty() && !condition.trigger_value());
    let told = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&told);
    let listener = move |_: &DataReader<Keyed>| {
        counter.fetch_add(1, SeqCst);
    };
    reader.set_listener(listener, StatusMask::ALL);
    writer.write(&bird("dunlin", 2)).unwrap();
    deleted(reader.wait_for_historical_data(SOON));
    deleted(reader.set_qos(rqos.clone()));
    deleted(reader.enable());
    deleted(subscriber.delete_datareader(&reader));
    assert!(subscriber.lookup_datareader("T").is_none());
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let next = subscriber.create_datareader(&topic, rqos).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird("dunlin", 3)).unwrap();
    assert_eq!(take(&next, 1)[0].data().unwrap().number, 3);
    assert!(reader.read().is_empty());
    assert_eq!(told.load(SeqCst), 0);
}

#[test]
fn what_still_contains_something_is_not_deleted() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let subscriber = a.create_subscriber(Default::default());
    let writer = publisher.create_datawriter(&topic, wqos.clone()).unwrap();
    let reader = subscriber.create_datareader(&topic, rqos.clone()).unwrap();
    refused(b.delete_publisher(&publisher), "another participant");
    refused(b.delete_subscriber(&subscriber), "another participant");
    refused(b.delete_topic(&topic), "another participant");
    refused(a.delete_publisher(&publisher), "writer");
    refused(a.delete_subscriber(&subscriber), "reader");
    refused(a.delete_topic(&topic), "writer");
    // One whose handles are gone is gone.
    drop(writer);
    refused(a.delete_topic(&topic), "reader");
    subscriber.delete_datareader(&reader).unwrap();
    a.delete_publisher(&publisher).unwrap();
    a.delete_subscriber(&subscriber).unwrap();
    a.delete_topic(&topic).unwrap();
    deleted(a.delete_publisher(&publisher));
    deleted(a.delete_subscriber(&subscriber));
    deleted(a.delete_topic(&topic));
    assert!(a.lookup_topic("T").is_none());
    for handle in [
        publisher.instance_handle(),
        subscriber.instance_handle(),
        topic.instance_handle(),
    ] {
        assert!(!a.contains_entity(handle));
    }
    let other = a.create_publisher(Default::default());
    deleted(other.create_datawriter(&topic, wqos.clone()).map(|_| ()));
    // The name is free, for another type as well.
    let plain = a.create_topic::<Plain>("T", Default::default()).unwrap();
    deleted(publisher.create_datawriter(&plain, wqos).map(|_| ()));
    deleted(subscriber.create_datareader(&plain, rqos).map(|_| ()));
}

#[test]
fn all_that_a_participant_contains_is_deleted_at_once() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let builtin = a.builtin_subscriber();
    let theirs = (
        writer::<Keyed>(&b, "T", wqos.clone()),
        reader::<Keyed>(&b, "T", rqos.clone()),
    );
    let ours = (
        writer::<Keyed>(&a, "T", wqos.clone()),
        reader::<Keyed>(&a, "T", rqos.clone()),
    );
    theirs.0.wait_for_matched(1, SOON).unwrap();
    theirs.1.wait_for_matched(1, SOON).unwrap();
    ours.0.wait_for_matched(2, SOON).unwrap();
    a.delete_contained_entities();
    soon(|| theirs.0.matched_count() == 1 && theirs.1.matched_count() == 1);
    deleted(ours.0.write(&bird("dunlin", 1)));
    assert!(ours.1.take().is_empty());
    deleted(ours.0.publisher().unwrap().enable());
    deleted(ours.1.subscriber().unwrap().enable());
    assert!(a.lookup_topic("T").is_none());
    // The participant lives on, and so do its eyes.
    let late = writer::<Plain>(&b, "U", wqos.clone());
    soon(|| {
        let seen = builtin.publications().read();
        seen.iter()
            .any(|s| s.data().is_some_and(|p| p.guid() == late.guid()))
    });
    let again = reader::<Plain>(&a, "U", rqos);
    late.wait_for_matched(1, SOON).unwrap();
    let data = Default::default();
    late.write(&Plain { number: 1, data }).unwrap();
    assert_eq!(take(&again, 1).len(), 1);
    a.delete_contained_entities();
    a.delete_contained_entities();
}

#[test]
fn a_wait_ends_once_when_all_that_it_waits_for_is_gone() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let set_on = |participant: &DomainParticipant| {
        let reader = reader::<Keyed>(participant, "T", rqos.clone());
        let set = WaitSet::new();
        set.attach(reader.read_condition(Select::default()));
        set.attach(reader.status_condition());
        reader
            .status_condition()
            .set_enabled_statuses(StatusMask::NONE);
        (set, reader)
    };
    // By the end of the reader, and by that of the participant too.
    for ends in [false, true] {
        for timeout in [Duration::INFINITE, Duration::from_secs(300)] {
            let participant = net.participant();
            let (set, reader) = set_on(&participant);
            let waiting = std::thread::spawn(move || {
                deleted(set.wait(timeout));
                // It is not said again and again.
                let begun = Instant::now();
                deleted(set.wait(Duration::from_millis(300)));
                assert!(begun.elapsed() >= Span::from_millis(300));
                set
            });
            std::thread::sleep(Span::from_millis(20));
            drop(reader);
            let kept = (!ends).then_some(participant);
            let set = waiting.join().unwrap();
            drop(kept);
            // What lives is waited for, and nothing else ends the wait.
            let guard = GuardCondition::new();
            set.attach(guard.clone());
            let late = set.wait(Duration::from_millis(100));
            assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
            guard.set_trigger_value(true);
            set.wait(SOON).unwrap();
            guard.set_trigger_value(false);
            let (a, b) = (net.participant(), net.participant());
            let writer = writer::<Keyed>(&a, "T", wqos.clone());
            let living = common::reader::<Keyed>(&b, "T", rqos.clone());
            writer.wait_for_matched(1, SOON).unwrap();
            set.attach(living.read_condition(Select::default()));
            writer.write(&bird("dunlin", 1)).unwrap();
            set.wait(SOON).unwrap();
            assert_eq!(living.take().len(), 1);
        }
    }
}

#[test]
fn all_waits_end_when_their_entity_does() {
    let net = Net::new(0.0);
    let config = || ParticipantConfig {
        linger: Duration::ZERO,
        ..Default::default()
    };
    let (a, b) = (net.configured(config()), net.configured(config()));
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    net.set_drop(1.0);
    writer.write(&bird("dunlin", 1)).unwrap();
    let (w, r) = (&writer, &reader);
    std::thread::scope(|scope| {
        let waits = [
            scope.spawn(|| w.wait_for_matched(2, Duration::INFINITE)),
            scope.spawn(|| w.wait_for_acknowledgments(Duration::INFINITE)),
            scope.spawn(|| r.wait_for_matched(2, Duration::INFINITE)),
        ];
        std::thread::sleep(Span::from_millis(50));
        w.publisher().unwrap().delete_datawriter(w).unwrap();
        r.subscriber().unwrap().delete_datareader(r).unwrap();
        for wait in waits {
            deleted(wait.join().unwrap());
        }
    });
    net.set_drop(0.0);
}
