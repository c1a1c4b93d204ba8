//! QoS that time acts on, as an application sees it: DEADLINE, LIFESPAN, TIME_BASED_FILTER,
//! READER_DATA_LIFECYCLE. That they are exact is tested with a virtual clock
//! (`crates/rtps/tests/time.rs`); here only the order of things counts.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::mpsc;
use std::time::{Duration as Span, Instant};

const MOMENT: Duration = Duration::from_millis(50);
const LONG: Span = Span::from_secs(300);

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

fn soon(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < LONG {
        if condition() {
            return true;
        }
        std::thread::sleep(Span::from_millis(5));
    }
    false
}

/// A writer and a reader in different processes, as far as they know, and those who keep them
/// alive.
fn pair(
    change: impl Fn(&mut DataWriterQos, &mut DataReaderQos),
) -> (DataWriter<Keyed>, DataReader<Keyed>, [DomainParticipant; 2]) {
    let net = Net::new(0.0);
    let both = [net.participant(), net.participant()];
    let (mut wqos, mut rqos) = reliable_all();
    change(&mut wqos, &mut rqos);
    let writer = writer::<Keyed>(&both[0], "T", wqos);
    let reader = reader::<Keyed>(&both[1], "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    (writer, reader, both)
}

struct Told(mpsc::Sender<DeadlineMissedStatus>);

impl DataWriterListener<Keyed> for Told {
    fn on_offered_deadline_missed(&self, _: &DataWriter<Keyed>, status: &DeadlineMissedStatus) {
        let _ = self.0.send(*status);
    }
}

impl DataReaderListener<Keyed> for Told {
    fn on_requested_deadline_missed(&self, _: &DataReader<Keyed>, status: &DeadlineMissedStatus) {
        let _ = self.0.send(*status);
    }
}

#[test]
fn a_missed_deadline_is_told_to_conditions_of_both_sides() {
    let (writer, reader, _both) = pair(|w, r| (w.deadline, r.deadline) = (MOMENT, MOMENT));
    assert_eq!(writer.offered_deadline_missed_status().total_count, 0);
    writer.write(&bird("dunlin", 1)).unwrap();
    let conditions = [
        (writer.status_condition(), StatusKind::OfferedDeadlineMissed),
        (
            reader.status_condition(),
            StatusKind::RequestedDeadlineMissed,
        ),
    ];
    for (condition, kind) in conditions {
        condition.set_enabled_statuses(kind.into());
        let set = WaitSet::new();
        set.attach(condition);
        set.wait(SOON).unwrap();
    }
    let instance = take(&reader, 1)[0].info.instance;
    let offered = writer.offered_deadline_missed_status();
    let requested = reader.requested_deadline_missed_status();
    for status in [offered, requested] {
        assert!(status.total_count >= 1);
        assert_eq!(status.total_count, status.total_count_change);
        assert_eq!(status.last_instance, instance);
    }
    writer.unregister_instance(&bird("dunlin", 1)).unwrap();
    let before = writer.offered_deadline_missed_status().total_count;
    std::thread::sleep(Span::from_millis(200));
    let after = writer.offered_deadline_missed_status();
    assert_eq!((after.total_count, after.total_count_change), (before, 0));
}

#[test]
fn a_missed_deadline_is_told_to_listeners_of_both_sides() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.deadline, rqos.deadline) = (MOMENT, MOMENT);
    let (tell, offered) = mpsc::channel();
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let writer = a
        .create_publisher(Default::default())
        .create_datawriter_with_listener(&topic, wqos, Told(tell))
        .unwrap();
    let (tell, requested) = mpsc::channel();
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let reader = b
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, Told(tell))
        .unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird("dunlin", 1)).unwrap();
    for told in [offered, requested] {
        assert!(told.recv_timeout(LONG).unwrap().total_count_change >= 1);
        assert!(told.recv_timeout(LONG).unwrap().total_count >= 2);
    }
}

#[test]
fn a_sample_goes_when_its_lifespan_is_over_whether_somebody_waits_or_not() {
    let (writer, reader, _both) = pair(|w, _| w.lifespan = MOMENT);
    let start = Instant::now();
    writer.write(&bird("dunlin", 1)).unwrap();
    let set = {
        let set = WaitSet::new();
        set.attach(reader.read_condition(Select::default()));
        set
    };
    // On a machine that is busy it may be over before anybody looks.
    let seen = set.wait(SOON).is_ok() && !reader.read().is_empty();
    assert!(seen || start.elapsed() >= Span::from_millis(50));
    assert!(soon(|| reader.read().is_empty()));
    assert!(start.elapsed() >= Span::from_millis(50), "not before");
    assert_eq!(reader.sample_lost_status().total_count, 0);
}

#[test]
fn late_joiners_get_what_is_still_valid() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    wqos.lifespan = MOMENT;
    (wqos.durability, rqos.durability) = (Durability::TransientLocal, Durability::TransientLocal);
    let passing = writer::<Keyed>(&a, "T", wqos.clone());
    passing.write(&bird("dunlin", 1)).unwrap();
    wqos.lifespan = Duration::INFINITE;
    let staying = writer::<Keyed>(&a, "T", wqos);
    staying.write(&bird("dunlin", 2)).unwrap();
    assert!(soon(|| passing.backlog_status().kept == 0));
    let reader = reader::<Keyed>(&b, "T", rqos);
    reader.wait_for_matched(2, SOON).unwrap();
    assert_eq!(take(&reader, 1)[0].data(), Some(&bird("dunlin", 2)));
    std::thread::sleep(Span::from_millis(100));
    assert!(reader.take().is_empty());
}

#[test]
fn a_writer_that_waits_for_room_goes_on_when_its_samples_are_over() {
    let (writer, _reader, both) = pair(|w, r| {
        w.lifespan = MOMENT;
        w.resource_limits.max_samples = Some(1);
        r.resource_limits.max_samples = Some(1);
    });
    // The reader takes nothing, so the second sample stays with the writer, and the third finds no
    // room.
    for number in 0..5 {
        writer.write(&bird("dunlin", number)).unwrap();
    }
    drop(both);
}

#[test]
fn a_filter_by_time_shows_the_first_and_in_the_end_the_last() {
    let second = Duration::from_secs(1);
    let (writer, reader, _both) = pair(|_, r| r.time_based_filter = second);
    let start = Instant::now();
    for number in 0..100 {
        writer.write(&bird("dunlin", number)).unwrap();
    }
    let mut numbers = Vec::new();
    let seen = soon(|| {
        let samples = reader.take();
        numbers.extend(samples.iter().filter_map(|s| Some(s.data()?.number)));
        numbers.last() == Some(&99)
    });
    assert!(seen, "{numbers:?}");
    assert_eq!(numbers[0], 0);
    let periods = start.elapsed().as_secs() as usize;
    assert!((2..=2 + periods).contains(&numbers.len()), "{numbers:?}");
}

#[test]
fn samples_of_a_dead_instance_go_by_themselves() {
    let (writer, reader, _both) = pair(|_, r| {
        r.reader_data_lifecycle.autopurge_disposed_samples_delay = MOMENT;
    });
    writer.write(&bird("knot", 1)).unwrap();
    writer.write(&bird("dunlin", 1)).unwrap();
    writer.dispose(&bird("dunlin", 1)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert!(soon(|| reader.read().len() == 1));
    assert_eq!(reader.take()[0].data(), Some(&bird("knot", 1)));
}
