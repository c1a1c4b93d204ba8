//! Entities as an application uses them: instances, statuses, listeners, conditions, errors.
mod common;
use bytes::Bytes;
use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::{Arc, OnceLock, mpsc};

fn key(name: &str) -> Keyed {
    Keyed {
        name: name.into(),
        ..Default::default()
    }
}

#[test]
fn instances_are_disposed_unregistered_and_come_back() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let lifecycle = WriterDataLifecycle {
        autodispose_unregistered_instances: false,
    };
    let wqos = DataWriterQos {
        writer_data_lifecycle: lifecycle,
        ..wqos
    };
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();

    writer.write(&key("x")).unwrap();
    writer.dispose(&key("x")).unwrap();
    let samples = take(&reader, 2);
    assert_eq!(samples[0].info.view_state, ViewState::New);
    let gone = samples.last().unwrap();
    assert_eq!(gone.info.instance_state, InstanceState::NotAliveDisposed);
    assert!(gone.data().is_none());
    assert_eq!(gone.key().map(|k| &*k.name), Some("x"));

    writer.write(&key("x")).unwrap();
    let back = take(&reader, 1);
    assert_eq!(back[0].info.instance_state, InstanceState::Alive);
    assert_eq!(back[0].info.disposed_generation_count, 1);

    writer.unregister_instance(&key("x")).unwrap();
    assert_eq!(
        take(&reader, 1)[0].info.instance_state,
        InstanceState::NotAliveNoWriters
    );
    writer.write(&key("y")).unwrap();
    assert_eq!(
        take(&reader, 1)[0].info.instance_state,
        InstanceState::Alive
    );
    drop(writer);
    let last = take(&reader, 1);
    assert_eq!(
        last[0].info.instance_state,
        InstanceState::NotAliveNoWriters,
        "deleting a writer that does not dispose what it unregisters disposes nothing"
    );
    assert_eq!(last[0].key().map(|k| &*k.name), Some("y"));
}

#[test]
fn incompatible_qos_is_reported_on_both_sides_with_both_values_and_does_not_match() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let wqos = DataWriterQos {
        reliability: Reliability::BEST_EFFORT,
        ..Default::default()
    };
    let rqos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let writer = writer::<Plain>(&a, "T", wqos);
    let reader = reader::<Plain>(&b, "T", rqos);
    let set = WaitSet::new();
    let (w, r) = (writer.status_condition(), reader.status_condition());
    r.set_enabled_statuses(StatusKind::RequestedIncompatibleQos.into());
    set.attach(r);
    set.wait(SOON).unwrap();
    let status = reader.requested_incompatible_qos_status();
    assert_eq!(
        (status.total_count, status.last_policy),
        (1, Some(PolicyId::Reliability))
    );
    assert!(
        status.last_reasons[0].contains("BEST_EFFORT")
            && status.last_reasons[0].contains("RELIABLE"),
        "{status:?}"
    );
    let other = WaitSet::new();
    w.set_enabled_statuses(StatusKind::OfferedIncompatibleQos.into());
    other.attach(w);
    other.wait(SOON).unwrap();
    assert_eq!(
        writer.offered_incompatible_qos_status().last_policy,
        Some(PolicyId::Reliability)
    );
    assert_eq!((writer.matched_count(), reader.matched_count()), (0, 0));
    let why = reader.explain_matching().join("\n");
    assert!(why.contains("RELIABILITY"), "{why}");
    let error = reader
        .wait_for_matched(1, Duration::from_millis(10))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("RELIABILITY") && error.contains("\"T\""),
        "{error}"
    );
}

#[test]
fn a_writer_and_a_reader_of_one_participant_match() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let participant = net.participant();
    let writer = writer::<Plain>(&participant, "T", wqos);
    let reader = reader::<Plain>(&participant, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    for number in 0..100 {
        writer
            .write(&Plain {
                number,
                data: Bytes::new(),
            })
            .unwrap();
    }
    assert_eq!(take(&reader, 100).len(), 100);
}

#[test]
fn a_listener_runs_on_the_thread_that_waits_and_receives() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "T", wqos);
    let topic = b.create_topic::<Plain>("T", Default::default()).unwrap();
    let (tell, told) = mpsc::channel();
    let guard = GuardCondition::new();
    let heard = guard.clone();
    let listener = move |reader: &DataReader<Plain>| {
        while let Some(sample) = reader.take_next_sample() {
            let number = sample.data().map(|d| d.number);
            tell.send((number, std::thread::current().id())).unwrap();
            heard.set_trigger_value(true);
        }
    };
    let reader = b
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, listener)
        .unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let set = WaitSet::new();
    set.attach(guard.clone());
    set.attach(reader.status_condition());
    reader
        .status_condition()
        .set_enabled_statuses(StatusMask::NONE);
    let mut own = 0;
    for number in 0..200 {
        // The other side writes while this thread waits.
        let other = writer.clone();
        let sender = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(2));
            other
                .write(&Plain {
                    number,
                    data: Bytes::new(),
                })
                .unwrap();
        });
        set.wait(SOON).unwrap();
        guard.set_trigger_value(false);
        sender.join().unwrap();
        let (got, thread) = told.recv().unwrap();
        assert_eq!(got, Some(number));
        own += u32::from(thread == std::thread::current().id());
    }
    assert!(
        own >= 150,
        "the waiting thread received only {own} of 200 samples itself"
    );
}

/// Tells how many writers each of two readers has when it hears of a match.
struct Counts {
    readers: Arc<OnceLock<[DataReader<Plain>; 2]>>,
    told: mpsc::Sender<[usize; 2]>,
}

impl DataReaderListener<Plain> for Counts {
    fn on_subscription_matched(&self, _: &DataReader<Plain>, status: &MatchedStatus) {
        assert_eq!((status.total_count_change, status.current_count), (1, 1));
        let readers = self.readers.get().unwrap();
        let counts = readers.each_ref().map(|one| one.matched_count());
        self.told.send(counts).unwrap();
    }
}

#[test]
fn a_match_is_counted_when_its_samples_can_come_not_when_its_listener_is_called() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let topic = b.create_topic::<Plain>("T", Default::default()).unwrap();
    let (told, heard) = mpsc::channel();
    let readers = Arc::new(OnceLock::new());
    let pair = [(); 2].map(|()| {
        let listener = Counts {
            readers: Arc::clone(&readers),
            told: told.clone(),
        };
        b.create_subscriber(Default::default())
            .create_datareader_with_listener(&topic, rqos.clone(), listener)
            .unwrap()
    });
    readers.set(pair).ok().unwrap();
    // Both match in one step, so while the first listener runs, samples for the other reader may
    // come as well.
    let _writer = writer::<Plain>(&a, "T", wqos);
    for _ in 0..2 {
        let counts = heard.recv_timeout(std::time::Duration::from_secs(300));
        assert_eq!(counts, Ok([1, 1]));
    }
}

#[test]
fn a_participant_that_vanishes_is_missed_after_its_lease_and_one_that_leaves_at_once() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let config = ParticipantConfig {
        lease_duration: Duration::from_millis(300),
        announce_period: Duration::from_millis(100),
        ..Default::default()
    };
    let reader = reader::<Plain>(&net.participant(), "T", rqos);
    let a = net.configured(config);
    let first = writer::<Plain>(&a, "T", wqos.clone());
    reader.wait_for_matched(1, SOON).unwrap();
    net.set_drop(1.0);
    let gone = || {
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(300);
        while reader.matched_count() > 0 && std::time::Instant::now() < limit {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        reader.matched_count() == 0
    };
    assert!(gone(), "the lease ran out");
    drop((a, first));
    net.set_drop(0.0);
    // With a lease that outlasts the test, only a goodbye can tell.
    let a = net.configured(ParticipantConfig {
        lease_duration: Duration::from_secs(1_000),
        ..Default::default()
    });
    let second = writer::<Plain>(&a, "T", wqos);
    reader.wait_for_matched(1, SOON).unwrap();
    drop((a, second));
    assert!(gone(), "goodbye was heard");
}

#[test]
fn errors_name_the_entity_the_policy_and_both_values() {
    let net = Net::new(0.0);
    let p = net.participant();
    let topic = p.create_topic::<Plain>("T", Default::default()).unwrap();
    let text = p
        .create_topic::<Keyed>("T", Default::default())
        .err()
        .unwrap()
        .to_string();
    assert!(text.contains("Plain") && text.contains("Keyed"), "{text}");
    let qos = DataWriterQos {
        history: History::KeepLast(10),
        resource_limits: ResourceLimits {
            max_samples_per_instance: Some(5),
            ..Default::default()
        },
        ..Default::default()
    };
    let error = p
        .create_publisher(Default::default())
        .create_datawriter(&topic, qos)
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(
        text.contains("\"T\"") && text.contains("10") && text.contains('5'),
        "{text}"
    );
    assert!(matches!(
        DomainParticipant::new(233),
        Err(Error::BadParameter(_))
    ));
}

#[test]
fn a_batch_that_is_not_full_goes_out_after_a_heartbeat_period() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    for reliability in [Reliability::BEST_EFFORT, Reliability::RELIABLE] {
        let topic = format!("{:?}", reliability.kind);
        let wqos = DataWriterQos {
            reliability,
            history: History::KeepAll,
            batching: Batching { max_bytes: 8192 },
            ..Default::default()
        };
        let rqos = DataReaderQos {
            reliability,
            history: History::KeepAll,
            ..Default::default()
        };
        let writer = writer::<Plain>(&a, &topic, wqos);
        let reader = reader::<Plain>(&b, &topic, rqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        for number in 0..3 {
            let data = Bytes::new();
            writer.write(&Plain { number, data }).unwrap();
        }
        let numbers: Vec<_> = take(&reader, 3)
            .iter()
            .filter_map(|s| s.data())
            .map(|d| d.number)
            .collect();
        assert_eq!(numbers, [0, 1, 2], "{topic}");
    }
}

#[test]
fn samples_of_a_later_batch_have_later_time_stamps() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = common::reliable_all();
    let batching = Batching { max_bytes: 8192 };
    let writer = writer::<Plain>(&a, "T", DataWriterQos { batching, ..wqos });
    let reader = reader::<Plain>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    let mut last = None;
    for number in 0..3 {
        let data = Bytes::new();
        writer.write(&Plain { number, data }).unwrap();
        writer.flush();
        let stamp = take(&reader, 1)[0].info.source_timestamp;
        assert!(stamp > last, "{stamp:?} after {last:?}");
        last = stamp;
    }
}

#[test]
fn of_two_threads_that_wait_the_one_that_gets_the_data_receives_it() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "T", wqos);
    let mine = reader::<Plain>(&b, "T", rqos.clone());
    let topic = b.create_topic::<Plain>("T", Default::default()).unwrap();
    let (tell, told) = mpsc::channel();
    let listener = move |reader: &DataReader<Plain>| {
        while reader.take_next_sample().is_some() {
            let _ = tell.send(std::thread::current().id());
        }
    };
    let _witness = b
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, listener)
        .unwrap();
    writer.wait_for_matched(2, SOON).unwrap();
    let over = GuardCondition::new();
    let closing = over.clone();
    let status = mine.status_condition();
    status.set_enabled_statuses(StatusMask::NONE);
    // It comes first, so that it has the role, but it waits for nothing that comes from outside.
    let idler = std::thread::spawn(move || {
        let set = WaitSet::new();
        set.attach(closing);
        set.attach(status);
        set.wait(SOON)
    });
    std::thread::sleep(std::time::Duration::from_millis(50));
    let taker = std::thread::spawn(move || {
        let set = WaitSet::new();
        set.attach(mine.read_condition(Select::default()));
        let mut left = 200;
        while left > 0 && set.wait(SOON).is_ok() {
            left -= mine.take().len().min(left);
        }
        left
    });
    let taking = taker.thread().id();
    for number in 0..200 {
        let data = Bytes::new();
        writer.write(&Plain { number, data }).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(taker.join().unwrap(), 0);
    over.set_trigger_value(true);
    idler.join().unwrap().unwrap();
    let own = told.try_iter().filter(|thread| *thread == taking).count();
    // On a busy machine the other one takes the role back now and then.
    assert!(
        own >= 20,
        "the thread that waits for data received only {own} of 200 samples itself"
    );
}

#[test]
fn history_is_waited_for_and_instances_are_known_by_their_keys() {
    let net = Net::new(0.3);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.durability, rqos.durability) = (Durability::TransientLocal, Durability::TransientLocal);
    let bird = |number: u32| Keyed {
        name: format!("dunlin {}", number % 7),
        number,
    };
    let writer = writer::<Keyed>(&a, "T", wqos);
    for number in 0..200 {
        writer.write(&bird(number)).unwrap();
    }
    let reader = reader::<Keyed>(&b, "T", rqos);
    reader.wait_for_historical_data(SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_historical_data(SOON).unwrap();
    assert_eq!(reader.take().len(), 200);
    let instance = reader.lookup_instance(&bird(3)).unwrap();
    assert_eq!(reader.key_value(instance).unwrap().name, "dunlin 3");
    let stranger = Keyed {
        name: "knot".into(),
        number: 0,
    };
    assert_eq!(reader.lookup_instance(&stranger), None);
    assert!(reader.key_value(InstanceHandle([1; 16])).is_none());
    net.set_drop(1.0);
    writer.write(&bird(0)).unwrap();
    reader
        .wait_for_historical_data(Duration::from_millis(20))
        .unwrap();
}

#[test]
fn history_that_finds_no_room_is_waited_for_in_vain() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.durability, rqos.durability) = (Durability::TransientLocal, Durability::TransientLocal);
    rqos.resource_limits.max_samples = Some(3);
    let writer = writer::<Plain>(&a, "T", wqos);
    for number in 0..10 {
        let data = Default::default();
        writer.write(&Plain { number, data }).unwrap();
    }
    let reader = reader::<Plain>(&b, "T", rqos);
    reader.wait_for_matched(1, SOON).unwrap();
    let short = Duration::from_millis(100);
    let error = reader.wait_for_historical_data(short).unwrap_err();
    assert!(matches!(&error, Error::Timeout { why, .. } if why.contains("RESOURCE_LIMITS")));
    assert_eq!(take(&reader, 10).len(), 10);
    reader.wait_for_historical_data(SOON).unwrap();
}

#[test]
fn handles_are_equal_if_they_are_of_the_same_entity() {
    let net = Net::new(0.0);
    let participant = net.participant();
    assert_eq!(participant, participant.clone());
    assert_ne!(participant, net.participant());
    let topic = participant
        .create_topic::<Plain>("T", Default::default())
        .unwrap();
    assert_eq!(topic, topic.clone());
    let publisher = participant.create_publisher(Default::default());
    let subscriber = participant.create_subscriber(Default::default());
    assert_ne!(publisher, participant.create_publisher(Default::default()));
    assert_ne!(
        subscriber,
        participant.create_subscriber(Default::default())
    );
    let writer = || publisher.create_datawriter(&topic, Default::default());
    let reader = || subscriber.create_datareader(&topic, Default::default());
    let (one, other) = (reader().unwrap(), reader().unwrap());
    assert_eq!(one, one.clone());
    assert_ne!(one, other);
    let (first, second) = (writer().unwrap(), writer().unwrap());
    assert_eq!(first, first.clone());
    assert_ne!(first, second);
    #[allow(clippy::mutable_key_type, reason = "the hash is that of the identity")]
    let known: std::collections::HashSet<_> = [one.clone(), one.clone(), other].into();
    assert_eq!(known.len(), 2);
    assert!(
        format!("{one:?}").starts_with("reader of topic \"T\""),
        "{one:?}"
    );
}

#[test]
fn what_a_wait_set_finds_is_compared_with_the_conditions_that_one_has() {
    let net = Net::new(0.0);
    let participant = net.participant();
    let reader = reader::<Plain>(&participant, "T", Default::default());
    let (stop, other) = (GuardCondition::new(), GuardCondition::new());
    let data = reader.read_condition(Select::default());
    let status = reader.status_condition();
    let set = WaitSet::new();
    set.attach(stop.clone());
    set.attach(data.clone());
    set.attach(status.clone());
    stop.set_trigger_value(true);
    // A duration of the standard library does.
    set.wait(std::time::Duration::from_secs(30)).unwrap();
    let active = set.active();
    assert_eq!(active, [Condition::from(stop.clone())]);
    assert!(active[0] == stop && active[0] != other);
    assert!(active[0] != data && active[0] != status);
    assert!(set.conditions()[1] == data && set.conditions()[2] == status);
    assert_eq!(reader.status_condition(), status);
    let fresh = reader.read_condition(Select {
        max: 1,
        ..Select::default()
    });
    assert_ne!(fresh, data);
}

#[test]
fn a_topic_that_is_there_otherwise_is_refused_by_the_policies_that_differ() {
    let participant = Net::new(0.0).participant();
    let make = |qos| participant.create_topic::<Plain>("T", qos);
    let _topic = make(TopicQos::default()).unwrap();
    let refused = make(TopicQos {
        deadline: Duration::from_secs(10),
        ..Default::default()
    });
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("another DEADLINE, infinite; wanted is 10 s:"),
        "{text}"
    );
    let refused = participant.create_topic::<common::Keyed>("T", Default::default());
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("another type, \"Plain\"; wanted is \"Keyed\""),
        "{text}"
    );
}

#[test]
fn a_sample_that_cannot_be_written_is_refused_by_the_member_at_fault() {
    let participant = Net::new(0.0).participant();
    let writer = writer::<Keyed>(&participant, "T", Default::default());
    let long = Keyed {
        name: "x".repeat(65),
        number: 1,
    };
    let words =
        "member name (string<64>) cannot be serialized: its length is 65, at most 64 is allowed";
    for refused in [
        writer.write(&long).map(drop),
        writer.dispose(&long).map(drop),
        writer.register_instance(&long).map(drop),
    ] {
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("\"T\"") && text.ends_with(words), "{text}");
    }
}

#[test]
fn an_instance_too_many_is_refused_with_the_limit_and_what_to_do() {
    let participant = Net::new(0.0).participant();
    let qos = DataWriterQos {
        resource_limits: ResourceLimits {
            max_instances: Some(1),
            ..Default::default()
        },
        // What is written stays, although nobody reads it.
        durability: Durability::TransientLocal,
        ..Default::default()
    };
    let writer = writer::<Keyed>(&participant, "T", qos);
    let named = |name: &str| Keyed {
        name: name.into(),
        number: 1,
    };
    writer.write(&named("one")).unwrap();
    let text = writer.write(&named("two")).unwrap_err().to_string();
    assert!(
        text.contains("\"T\"") && text.contains("RESOURCE_LIMITS max_instances 1; unregister"),
        "{text}"
    );
}
