//! What a participant without endpoints sees of a domain.
mod common;
use common::*;
use dunlin::observe::{DiscoveryEvent, EntityChange, WriterData, host, process, vendor_name};
use dunlin::*;
use std::time::{Duration as Span, Instant};

#[test]
fn an_observer_sees_participants_with_their_processes_and_endpoints_with_their_qos() {
    let net = Net::new(0.0);
    let config = ParticipantConfig {
        name: "flock".into(),
        ..Default::default()
    };
    let (a, b) = (net.configured(config), net.participant());
    let qos = DataWriterQos {
        deadline: Duration::from_secs(3),
        ..Default::default()
    };
    let _writer = writer::<Keyed>(&a, "Positions", qos);
    let _reader = reader::<Keyed>(&b, "Positions", DataReaderQos::default());
    let observer = net.participant();
    let until = Instant::now() + Span::from_secs(300);
    let seen = loop {
        let seen = observer.domain();
        if (seen.writers.len(), seen.readers.len()) == (1, 1) {
            break seen;
        }
        assert!(Instant::now() < until, "{seen:?}");
        std::thread::sleep(Span::from_millis(10));
    };
    assert_eq!((seen.id, seen.own.guid), (0, observer.guid()));
    assert_eq!(seen.participants.len(), 2);
    assert!(
        seen.participants
            .iter()
            .all(|p| p.answers && p.way.is_some())
    );
    let flock = seen.participant(a.guid().prefix).unwrap();
    assert_eq!(flock.entity_name, "flock");
    assert_eq!(vendor_name(flock.vendor), Some("Dunlin"));
    assert_eq!(process(flock), Some(&*std::process::id().to_string()));
    assert!(host(flock).is_some());
    assert_eq!(seen.writers[0].qos.deadline, Duration::from_secs(3));
    assert_eq!(seen.readers[0].participant, b.guid());
    assert_eq!(seen.writers[0].topic, "Positions");
}

#[test]
fn who_does_not_want_to_tell_of_its_process_does_not() {
    let net = Net::new(0.0);
    let quiet = net.configured(ParticipantConfig {
        announces_process: false,
        ..Default::default()
    });
    let own = quiet.domain().own;
    assert_eq!((host(&own), process(&own)), (None, None));
}

/// Takes events until one is what is looked for.
fn wait_for(
    events: &DiscoveryEvents,
    mut found: impl FnMut(&DiscoveryEvent) -> bool,
) -> Vec<DiscoveryEvent> {
    let waits = WaitSet::new();
    waits.attach(events.condition());
    let mut all = Vec::new();
    loop {
        waits.wait(SOON).unwrap();
        let from = all.len();
        all.extend(events.take());
        if all[from..].iter().any(&mut found) {
            return all;
        }
    }
}

/// A participant of this name is there.
fn is_added(event: &DiscoveryEvent, guid: Guid) -> bool {
    let DiscoveryEvent::Participant(EntityChange::Added(data)) = event else {
        return false;
    };
    data.guid == guid
}

#[test]
fn events_tell_what_comes_changes_and_goes_with_all_that_is_announced() {
    let net = Net::new(0.0);
    let observer = net.participant();
    let events = observer.discovery_events();
    let a = net.participant();
    let w = writer::<Keyed>(&a, "Positions", DataWriterQos::default());
    let guid = w.guid();
    let came = wait_for(&events, |event| matches!(event, DiscoveryEvent::Writer(_)));
    let seen = observer.domain();
    let added =
        |data: &WriterData| DiscoveryEvent::Writer(EntityChange::Added(Box::new(data.clone())));
    assert_eq!(came.last(), Some(&added(&seen.writers[0])));
    assert!(is_added(&came[0], a.guid()), "{came:?}");

    // A late watcher is told of all that is there, once.
    let late = observer.discovery_events();
    assert!(late.condition().trigger_value());
    assert_eq!(late.take().len(), 2);
    assert_eq!(late.take(), []);

    w.set_qos(DataWriterQos {
        user_data: vec![7],
        ..w.qos()
    })
    .unwrap();
    let changed = wait_for(&events, |event| matches!(event, DiscoveryEvent::Writer(_)));
    let [DiscoveryEvent::Writer(EntityChange::Changed(data))] = &changed[..] else {
        panic!("{changed:?}");
    };
    assert_eq!(data.qos.user_data, vec![7]);

    drop(w);
    a.close();
    let is_gone = |event: &DiscoveryEvent| {
        *event == DiscoveryEvent::Participant(EntityChange::Gone(a.guid()))
    };
    let went = wait_for(&events, is_gone);
    let gone = DiscoveryEvent::Writer(EntityChange::Gone(guid));
    assert!(
        went.contains(&gone) && went.last().is_some_and(is_gone),
        "{went:?}"
    );
}

#[test]
fn participants_with_an_ignored_property_are_not_there() {
    let net = Net::new(0.0);
    let router = ("router.group".to_owned(), "north".to_owned());
    let config = |ignored_properties| {
        let mut config = ParticipantConfig {
            ignored_properties,
            ..Default::default()
        };
        config.qos.property = Properties::default().with(&router.0, &router.1);
        net.configured(config)
    };
    let (a, b) = (config(vec![router.clone()]), config(vec![router.clone()]));
    let c = net.participant();
    let events = [a.discovery_events(), b.discovery_events()];
    for events in &events {
        wait_for(events, |event| is_added(event, c.guid()));
    }
    let d = config(vec![]);
    wait_for(&c.discovery_events(), |event| is_added(event, d.guid()));
    assert_eq!(a.discovered_participants(), [c.guid()]);
    assert_eq!(b.discovered_participants(), [c.guid()]);
    let ignored = |by: &DomainParticipant| -> Vec<Guid> {
        by.ignored_participants().iter().map(|p| p.guid).collect()
    };
    // A had announced itself before B was there, and does so again by and by.
    let until = Instant::now() + Span::from_secs(300);
    while !(ignored(&a).contains(&b.guid()) && ignored(&b).contains(&a.guid())) {
        assert!(
            Instant::now() < until,
            "{:?} {:?}",
            ignored(&a),
            ignored(&b)
        );
        std::thread::sleep(Span::from_millis(10));
    }
    assert!(!ignored(&a).contains(&c.guid()) && ignored(&d).is_empty());
}
