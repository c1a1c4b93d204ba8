//! Operations of entities that no other file is about: what a writer knows of its instances,
//! samples one by one and instance by instance, conditions that come and go, what a process and a
//! participant know of themselves.
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

fn plain(number: u32) -> Plain {
    let data = Default::default();
    Plain { number, data }
}

#[track_caller]
fn soon(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(300));
        std::thread::sleep(Span::from_millis(5));
    }
}

/// A writer and a reader in different processes, as far as they know, and those who keep them
/// alive.
fn pair() -> (DataWriter<Keyed>, DataReader<Keyed>, [DomainParticipant; 2]) {
    let net = Net::new(0.0);
    let both = [net.participant(), net.participant()];
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&both[0], "T", wqos);
    let reader = reader::<Keyed>(&both[1], "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    (writer, reader, both)
}

#[test]
fn a_writer_knows_the_instances_that_were_registered() {
    let (writer, _reader, _both) = pair();
    let (dunlin, knot) = (bird("dunlin", 7), bird("knot", 8));
    assert_eq!(writer.lookup_instance(&dunlin), None);
    let handle = writer.register_instance(&dunlin).unwrap();
    let now = Timestamp(1);
    let again = writer.register_instance_with_timestamp(&dunlin, now);
    assert_eq!(again.unwrap(), handle);
    assert_eq!(writer.lookup_instance(&bird("dunlin", 0)), Some(handle));
    assert_eq!(writer.lookup_instance(&knot), None);
    let key = writer.key_value(handle).unwrap();
    assert_eq!((&key.name[..], key.number), ("dunlin", 0));
    assert!(writer.key_value(InstanceHandle([1; 16])).is_none());
    writer.write_instance(handle, &dunlin).unwrap();
    let wrong = writer.write_instance(handle, &knot);
    assert!(matches!(wrong, Err(Error::PreconditionNotMet(_))));
    writer.unregister_instance(&dunlin).unwrap();
    assert_eq!(writer.lookup_instance(&dunlin), None);
}

#[test]
fn a_writer_knows_the_instances_of_which_its_history_keeps_something() {
    let net = Net::new(0.0);
    let participant = net.participant();
    let qos = DataWriterQos {
        durability: Durability::TransientLocal,
        ..Default::default()
    };
    let keyed = writer::<Keyed>(&participant, "T", qos.clone());
    for bird in [bird("dunlin", 1), bird("knot", 2)] {
        keyed.write(&bird).unwrap();
        let handle = keyed.lookup_instance(&bird).unwrap();
        assert_eq!(keyed.key_value(handle).unwrap().name, bird.name);
    }
    let knot = bird("knot", 0);
    keyed.dispose(&knot).unwrap();
    let handle = keyed.lookup_instance(&knot).unwrap();
    assert_eq!(keyed.key_value(handle).unwrap().name, "knot");
    keyed.unregister_instance(&knot).unwrap();
    assert_eq!(keyed.lookup_instance(&knot), None);
    // Without a key there are no instances to look up.
    let unkeyed = writer::<Plain>(&participant, "U", qos);
    unkeyed.write(&plain(1)).unwrap();
    assert_eq!(unkeyed.lookup_instance(&plain(1)), None);
    assert!(unkeyed.key_value(InstanceHandle::NIL).is_none());
}

#[test]
fn samples_that_were_not_read_come_one_by_one() {
    let (writer, reader, _both) = pair();
    for number in 0..3 {
        writer.write(&bird("dunlin", number)).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    let next = || Some(reader.read_next_sample()?.into_data()?.number);
    assert_eq!([next(), next()], [Some(0), Some(1)]);
    assert_eq!(reader.read().len(), 3);
    assert_eq!(next(), None);
    writer.write(&bird("dunlin", 3)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!([next(), next()], [Some(3), None]);
    assert_eq!(reader.take().len(), 4);
}

/// DDS 1.4 2.2.2.5.3.11.
#[test]
fn the_next_sample_to_take_is_one_that_was_not_read() {
    let (writer, reader, _both) = pair();
    for number in 0..3 {
        writer.write(&bird("dunlin", number)).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    let next = || Some(reader.take_next_sample()?.into_data()?.number);
    assert_eq!(reader.read_next_sample().unwrap().data().unwrap().number, 0);
    assert_eq!([next(), next(), next()], [Some(1), Some(2), None]);
    writer.write(&bird("dunlin", 3)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!([next(), next()], [Some(3), None]);
    let numbers = |s: Sample<Keyed>| s.into_data().map(|bird| bird.number);
    let left: Vec<_> = reader.take().into_iter().filter_map(numbers).collect();
    assert_eq!(left, [0], "it was read, and is still there");
}

#[test]
fn a_condition_is_gone_through_instance_by_instance() {
    let (writer, reader, _both) = pair();
    for number in 0..4 {
        for name in ["dunlin", "knot", "stint"] {
            writer.write(&bird(name, number)).unwrap();
        }
    }
    writer.write(&bird("ruff", 0)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let states = reader.read_condition(Select::default());
    let query = reader
        .query_condition(Select::default(), "number >= %0", &["2"])
        .unwrap();
    let mut after = InstanceHandle::NIL;
    let mut seen = Vec::new();
    loop {
        let samples = reader
            .read_next_instance_with_condition(after, &query)
            .unwrap();
        let Some(first) = samples.first() else { break };
        after = first.info.instance;
        seen.push(first.data().unwrap().name.clone());
        let numbers = samples.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(2..4));
    }
    seen.sort();
    // One has no sample that passes.
    assert_eq!(seen, ["dunlin", "knot", "stint"]);
    let mut taken = Vec::new();
    after = InstanceHandle::NIL;
    loop {
        let samples = reader
            .take_next_instance_with_condition(after, &states)
            .unwrap();
        let Some(first) = samples.first() else { break };
        after = first.info.instance;
        taken.push(samples.len());
    }
    taken.sort_unstable();
    assert_eq!(taken, [1, 4, 4, 4]);
    let (_, other, _others) = pair();
    let foreign = other.take_next_instance_with_condition(after, &states);
    assert!(matches!(foreign, Err(Error::PreconditionNotMet(_))));
}

#[test]
fn conditions_leave_a_wait_set_and_say_whose_they_are() {
    let (writer, reader, _both) = pair();
    let guard = GuardCondition::new();
    let read = reader.read_condition(Select::default());
    let status = writer.status_condition();
    let matched = StatusMask::from(StatusKind::PublicationMatched);
    assert_eq!(status.enabled_statuses(), StatusMask::ALL);
    status.set_enabled_statuses(matched);
    assert_eq!(status.enabled_statuses(), matched);
    assert_eq!(status.entity(), writer.instance_handle());
    assert_eq!(read.datareader().guid(), reader.guid());
    let set = WaitSet::new();
    set.attach(guard.clone());
    set.attach(read.clone());
    set.attach(status.clone());
    // One that is there already is not there twice.
    set.attach(guard.clone());
    assert_eq!(set.conditions().len(), 3);
    set.wait(SOON).unwrap();
    assert_eq!(set.active().len(), 1);
    set.detach(status.clone()).unwrap();
    assert!(matches!(
        set.detach(status),
        Err(Error::PreconditionNotMet(_))
    ));
    let moment = Duration::from_millis(1);
    assert!(matches!(set.wait(moment), Err(Error::Timeout { .. })));
    set.detach(read).unwrap();
    writer.write(&bird("dunlin", 1)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert!(matches!(set.wait(moment), Err(Error::Timeout { .. })));
    guard.set_trigger_value(true);
    set.wait(SOON).unwrap();
    set.detach(guard).unwrap();
    assert!(set.conditions().is_empty());
}

#[test]
fn a_publisher_waits_for_the_acknowledgements_of_all_its_writers() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let publisher = a.create_publisher(Default::default());
    let writers = ["T", "U"].map(|name| {
        let topic = a.create_topic::<Keyed>(name, Default::default()).unwrap();
        publisher.create_datawriter(&topic, wqos.clone()).unwrap()
    });
    let readers = ["T", "U"].map(|name| reader::<Keyed>(&b, name, rqos.clone()));
    for writer in &writers {
        writer.wait_for_matched(1, SOON).unwrap();
    }
    for number in 0..100 {
        for writer in &writers {
            writer.write(&bird("dunlin", number)).unwrap();
        }
    }
    publisher.wait_for_acknowledgments(SOON).unwrap();
    publisher
        .wait_for_acknowledgments(Duration::INFINITE)
        .unwrap();
    assert!(readers.iter().all(|reader| reader.read().len() == 100));
    net.set_drop(1.0);
    writers[1].write(&bird("dunlin", 100)).unwrap();
    let waited = publisher.wait_for_acknowledgments(Duration::from_millis(50));
    assert!(matches!(waited, Err(Error::Timeout { entity, .. }) if entity.contains("\"U\"")));
}

#[test]
fn a_process_finds_its_participants_by_their_domain() {
    const DOMAIN: u32 = 87;
    assert!(DomainParticipant::lookup(DOMAIN).is_none());
    let net = dunlin::transport::MemoryNetwork::new(1, Default::default());
    let config = || ParticipantConfig {
        transport: Some(std::sync::Arc::new(net.host())),
        ..Default::default()
    };
    let first = DomainParticipant::with_config(DOMAIN, config()).unwrap();
    let second = DomainParticipant::with_config(DOMAIN, config()).unwrap();
    let found = || DomainParticipant::lookup(DOMAIN).map(|found| found.guid());
    assert_eq!(found(), Some(first.guid()));
    drop(first);
    assert_eq!(found(), Some(second.guid()));
    drop(second);
    assert_eq!(found(), None);
}

#[test]
fn the_time_is_that_of_samples_and_topics_of_others_say_what_they_are() {
    let (writer, reader, [a, b]) = pair();
    let before = a.current_time();
    writer.write(&bird("dunlin", 1)).unwrap();
    let after = a.current_time();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let stamp = reader.take()[0].info.source_timestamp.unwrap();
    // What is on the wire is as exact as a fraction of 32 bits.
    assert!(stamp.0 + 1 >= before.0 && stamp.0 <= after.0 + 1);
    let topic = reader.topic();
    let data = |name: &str| b.discovered_topic_data(name, topic.type_name());
    assert_eq!(data("T").unwrap().topic_data, b"");
    assert!(data("U").is_none());
    let own = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    own.set_qos(TopicQos {
        topic_data: b"birds".to_vec(),
        ..own.qos()
    })
    .unwrap();
    soon(|| data("T").unwrap().topic_data == b"birds");
}
