//! Writers whose application has to show that they live (DDS 1.4 2.2.3.11).
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::mpsc;
use std::time::{Duration as StdDuration, Instant};

const LEASE: StdDuration = StdDuration::from_millis(400);

fn liveliness(kind: LivelinessKind) -> Liveliness {
    Liveliness {
        kind,
        lease_duration: Duration::from_millis(400),
    }
}

fn qos(kind: LivelinessKind) -> (DataWriterQos, DataReaderQos) {
    let (mut wqos, rqos) = reliable_all();
    wqos.liveliness = liveliness(kind);
    (wqos, rqos)
}

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

/// Waits until the reader counts so many writers as alive and as silent.
fn counts(reader: &DataReader<Keyed>, alive: i32, silent: i32) -> bool {
    counts_while(reader, alive, silent, || {})
}

fn soon(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < StdDuration::from_secs(300) {
        if condition() {
            return true;
        }
        std::thread::sleep(StdDuration::from_millis(5));
    }
    false
}

/// As `counts`, calling `act` meanwhile.
fn counts_while(
    reader: &DataReader<Keyed>,
    alive: i32,
    silent: i32,
    mut act: impl FnMut(),
) -> bool {
    let start = Instant::now();
    loop {
        act();
        let status = reader.liveliness_changed_status();
        if (status.alive_count, status.not_alive_count) == (alive, silent) {
            return true;
        }
        if start.elapsed() > StdDuration::from_secs(300) {
            return false;
        }
        std::thread::sleep(StdDuration::from_millis(5));
    }
}

/// Calls `act` often for three leases; true if nobody was late, which a busy machine may be.
fn often(mut act: impl FnMut()) -> bool {
    let start = Instant::now();
    let mut last = start;
    let mut in_time = true;
    while start.elapsed() < LEASE * 3 {
        act();
        std::thread::sleep(StdDuration::from_millis(5));
        in_time &= last.elapsed() < LEASE / 2;
        last = Instant::now();
    }
    in_time
}

#[test]
fn a_manual_writer_lives_while_it_writes_or_is_asserted() {
    for kind in [
        LivelinessKind::ManualByTopic,
        LivelinessKind::ManualByParticipant,
    ] {
        for reliability in [Reliability::RELIABLE, Reliability::BEST_EFFORT] {
            let net = Net::new(0.0);
            let (a, b) = (net.participant(), net.participant());
            let (mut wqos, mut rqos) = qos(kind);
            (wqos.reliability, rqos.reliability) = (reliability, reliability);
            (wqos.history, rqos.history) = (History::KeepLast(1), History::KeepLast(1));
            let reader = reader::<Keyed>(&b, "T", rqos);
            let writer = writer::<Keyed>(&a, "T", wqos);
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            assert!(counts(&reader, 1, 0));

            let mut number = 0;
            let mut write = || {
                number += 1;
                writer.write(&bird(number)).unwrap();
            };
            let in_time = often(&mut write);
            let lost = writer.liveliness_lost_status().total_count;
            assert!(lost == 0 || !in_time, "{kind:?}: {lost}");
            assert!(counts_while(&reader, 1, 0, write));
            reader.take();

            assert!(counts(&reader, 0, 1), "{kind:?}: it fell silent");
            let gone = take(&reader, 1);
            assert_eq!(
                gone[0].info.instance_state,
                InstanceState::NotAliveNoWriters
            );
            assert_eq!(gone[0].key().map(|k| &*k.name), Some("dunlin"));
            assert!(
                soon(|| writer.liveliness_lost_status().total_count > lost),
                "{kind:?}: the writer hears of it too"
            );

            let before = writer.liveliness_lost_status().total_count;
            let in_time = often(|| writer.assert_liveliness());
            let alive = counts_while(&reader, 1, 0, || writer.assert_liveliness());
            assert!(alive, "{kind:?}: it is asserted");
            let again = writer.liveliness_lost_status().total_count;
            assert!(again == before || !in_time);
            assert_eq!(reader.take().len(), 0);
            writer.write(&bird(0)).unwrap();
            assert_eq!(
                take(&reader, 1)[0].info.instance_state,
                InstanceState::Alive
            );

            assert!(counts(&reader, 0, 1));
            drop(writer);
            assert!(counts(&reader, 0, 0), "a silent writer is gone");
        }
    }
}

#[test]
fn one_writer_or_the_participant_speaks_for_all_of_the_participant() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = qos(LivelinessKind::ManualByParticipant);
    let own = DataWriterQos {
        liveliness: liveliness(LivelinessKind::ManualByTopic),
        ..wqos.clone()
    };
    let readers = ["Busy", "Idle", "Alone"].map(|topic| reader::<Keyed>(&b, topic, rqos.clone()));
    let busy = writer::<Keyed>(&a, "Busy", wqos.clone());
    let _idle = writer::<Keyed>(&a, "Idle", wqos);
    let _alone = writer::<Keyed>(&a, "Alone", own);
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    let write = || {
        busy.write(&bird(1)).unwrap();
    };
    often(write);
    assert!(counts_while(&readers[0], 1, 0, write) && counts_while(&readers[1], 1, 0, write));
    assert!(counts(&readers[2], 0, 1), "nobody speaks for it");
    assert!(counts(&readers[0], 0, 1) && counts(&readers[1], 0, 1));
    let assert = || a.assert_liveliness();
    often(assert);
    assert!(counts_while(&readers[0], 1, 0, assert) && counts_while(&readers[1], 1, 0, assert));
    assert!(counts(&readers[2], 0, 1));
}

#[test]
fn an_automatic_writer_needs_nothing_but_its_participant() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = qos(LivelinessKind::Automatic);
    let reader = reader::<Keyed>(&b, "T", rqos);
    let writer = writer::<Keyed>(&a, "T", wqos);
    reader.wait_for_matched(1, SOON).unwrap();
    std::thread::sleep(LEASE * 3);
    assert!(counts(&reader, 1, 0));
    assert_eq!(writer.liveliness_lost_status().total_count, 0);
    net.set_drop(1.0);
    assert!(counts(&reader, 0, 1), "nothing is heard of it");
    net.set_drop(0.0);
    assert!(counts(&reader, 1, 0));
}

struct Told(mpsc::Sender<i32>);

impl DataWriterListener<Keyed> for Told {
    fn on_liveliness_lost(&self, _: &DataWriter<Keyed>, status: &LivelinessLostStatus) {
        let _ = self.0.send(status.total_count);
    }
}

#[test]
fn a_lost_lease_is_told_once_to_listener_and_condition() {
    let net = Net::new(0.0);
    let a = net.participant();
    let (wqos, _) = qos(LivelinessKind::ManualByTopic);
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let (tell, told) = mpsc::channel();
    let listened = publisher
        .create_datawriter_with_listener(&topic, wqos.clone(), Told(tell))
        .unwrap();
    let watched = publisher.create_datawriter(&topic, wqos).unwrap();
    let set = WaitSet::new();
    let condition = watched.status_condition();
    condition.set_enabled_statuses(StatusKind::LivelinessLost.into());
    set.attach(condition);
    set.wait(SOON).unwrap();
    assert_eq!(watched.liveliness_lost_status().total_count_change, 1);
    assert_eq!(told.recv_timeout(StdDuration::from_secs(300)), Ok(1));
    std::thread::sleep(LEASE * 2);
    assert_eq!(watched.liveliness_lost_status().total_count_change, 0);
    assert!(told.try_recv().is_err(), "silence is one loss");
    listened.write(&bird(1)).unwrap();
    assert_eq!(told.recv_timeout(StdDuration::from_secs(300)), Ok(2));
}

/// The strongest writer of an exclusive instance gives way when it falls silent (DDS 1.4
/// 2.2.3.9.2).
#[test]
fn a_silent_owner_gives_way() {
    let net = Net::new(0.0);
    let (a, b, c) = (net.participant(), net.participant(), net.participant());
    let (mut wqos, mut rqos) = qos(LivelinessKind::ManualByTopic);
    (wqos.ownership, rqos.ownership) = (Ownership::Exclusive, Ownership::Exclusive);
    let reader = reader::<Keyed>(&c, "T", rqos);
    let strong = DataWriterQos {
        ownership_strength: 10,
        ..wqos.clone()
    };
    let strong = writer::<Keyed>(&a, "T", strong);
    let weak = writer::<Keyed>(&b, "T", wqos);
    reader.wait_for_matched(2, SOON).unwrap();
    for writer in [&strong, &weak] {
        writer.wait_for_matched(1, SOON).unwrap();
    }
    let start = Instant::now();
    strong.write(&bird(1)).unwrap();
    assert_eq!(take(&reader, 1)[0].data(), Some(&bird(1)));
    let mut heard = Vec::new();
    while heard.is_empty() && start.elapsed().as_secs() < 300 {
        weak.write(&bird(2)).unwrap();
        std::thread::sleep(StdDuration::from_millis(5));
        heard = reader.take();
        heard.retain(|s| s.info.valid_data);
    }
    assert_eq!(heard[0].data(), Some(&bird(2)));
    assert!(start.elapsed() >= LEASE, "not before the owner is silent");
}
