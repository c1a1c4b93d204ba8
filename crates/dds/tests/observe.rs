//! What a participant without endpoints sees of a domain.
mod common;
use common::*;
use dunlin::observe::{host, process, vendor_name};
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
