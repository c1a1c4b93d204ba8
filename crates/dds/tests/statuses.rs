//! The thirteen statuses (DDS 1.4 2.2.4.1), each in the same way: what counts, what a condition and
//! `status_changes` say, and that reading it, or having a listener told, resets its change and
//! nothing else. Who of several listeners is told is in `listeners.rs`.
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, writer};
use dunlin::*;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration as Span, Instant};

const LONG: Span = Span::from_secs(300);
const MOMENT: Duration = Duration::from_millis(50);

/// Total and change.
type Counts = (i32, i32);

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// A status of an entity, as an application looks at it.
struct Status<'a> {
    kind: StatusKind,
    condition: StatusCondition,
    changes: &'a dyn Fn() -> StatusMask,
    read: &'a dyn Fn() -> Counts,
}

impl Status<'_> {
    /// Nothing has happened yet; then something does, which is seen by all means until it is read.
    /// What may go on happening meanwhile (deadlines, lost leases) `goes_on`.
    #[track_caller]
    fn happens(&self, goes_on: bool, cause: impl FnOnce()) {
        let kind = self.kind;
        self.condition.set_enabled_statuses(kind.into());
        assert!(!self.condition.trigger_value(), "{kind:?} at first");
        assert!(!(self.changes)().contains(kind), "{kind:?} at first");
        assert_eq!((self.read)(), (0, 0), "{kind:?} at first");
        cause();
        let set = WaitSet::new();
        set.attach(self.condition.clone());
        set.wait(SOON)
            .unwrap_or_else(|_| panic!("{kind:?} did not happen"));
        assert!((self.changes)().contains(kind), "{kind:?}");
        // Who cares for another one is not woken.
        self.condition.set_enabled_statuses(StatusMask::NONE);
        assert!(!self.condition.trigger_value(), "{kind:?}");
        let (total, change) = (self.read)();
        assert!(total >= 1 && change == total, "{kind:?}: {total} {change}");
        let (later, again) = (self.read)();
        assert_eq!(later - again, total, "{kind:?} is reset when it is read");
        if !goes_on {
            assert_eq!(again, 0, "{kind:?}");
            assert!(!(self.changes)().contains(kind), "{kind:?} was read");
        }
        self.condition.set_enabled_statuses(StatusMask::ALL);
    }
}

macro_rules! status {
    ($kind:ident, $entity:expr, $read:expr) => {
        Status {
            kind: StatusKind::$kind,
            condition: $entity.status_condition(),
            changes: &|| $entity.status_changes(),
            read: &$read,
        }
    };
}

fn matched(status: MatchedStatus) -> Counts {
    (status.total_count, status.total_count_change)
}

fn incompatible(status: &IncompatibleQosStatus) -> Counts {
    (status.total_count, status.total_count_change)
}

#[test]
fn matches_are_counted_as_they_come_and_go() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let ours = status!(PublicationMatched, writer, || matched(
        writer.publication_matched_status()
    ));
    let mut theirs = None;
    ours.happens(false, || {
        theirs = Some(reader::<Keyed>(&b, "T", rqos.clone()))
    });
    let theirs = theirs.unwrap();
    assert_eq!(
        writer.publication_matched_status().last_endpoint,
        theirs.guid()
    );
    soon("the reader knows", || theirs.matched_count() == 1);
    let status = theirs.subscription_matched_status();
    assert_eq!((status.current_count, status.current_count_change), (1, 1));
    assert_eq!(status.last_endpoint, writer.guid());
    let second = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(2, SOON).unwrap();
    drop(theirs);
    soon("one is gone", || writer.matched_count() == 1);
    let status = writer.publication_matched_status();
    assert_eq!((status.total_count, status.total_count_change), (2, 1));
    assert_eq!((status.current_count, status.current_count_change), (1, 0));
    assert_eq!(writer.matched_subscriptions(), [second.guid()]);
    let reader = reader::<Keyed>(&b, "U", Default::default());
    let status = status!(SubscriptionMatched, reader, || matched(
        reader.subscription_matched_status()
    ));
    let mut other = None;
    status.happens(false, || {
        other = Some(common::writer::<Keyed>(&a, "U", Default::default()))
    });
}

#[test]
fn policies_that_do_not_suit_are_counted_each_and_named_with_both_values() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = (
        DataWriterQos {
            reliability: Reliability::BEST_EFFORT,
            ..Default::default()
        },
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            durability: Durability::TransientLocal,
            ..Default::default()
        },
    );
    let writer = writer::<Keyed>(&a, "T", wqos.clone());
    let offered = status!(OfferedIncompatibleQos, writer, || incompatible(
        &writer.offered_incompatible_qos_status()
    ));
    let mut theirs = None;
    offered.happens(false, || {
        theirs = Some(reader::<Keyed>(&b, "T", rqos.clone()))
    });
    let theirs = theirs.unwrap();
    let status = writer.offered_incompatible_qos_status();
    assert_eq!(status.last_endpoint, theirs.guid());
    assert!(status.last_policy.is_some());
    let counted: Vec<_> = status.policies.iter().map(|(_, count)| *count).collect();
    assert_eq!(counted, [1, 1]);
    let reasons = status.last_reasons.join(" ");
    for word in [
        "RELIABILITY",
        "BEST_EFFORT",
        "DURABILITY",
        "TRANSIENT_LOCAL",
    ] {
        assert!(reasons.contains(word), "{reasons}");
    }
    let reader = reader::<Keyed>(&b, "U", rqos);
    let requested = status!(RequestedIncompatibleQos, reader, || incompatible(
        &reader.requested_incompatible_qos_status()
    ));
    let mut ours = None;
    requested.happens(false, || {
        ours = Some(common::writer::<Keyed>(&a, "U", wqos))
    });
    let status = reader.requested_incompatible_qos_status();
    assert_eq!(status.last_endpoint, ours.unwrap().guid());
    assert_eq!(status.policies.len(), 2);
}

/// A writer and a reader that match, and those who keep them alive.
fn pair(
    net: &Net,
    change: impl Fn(&mut DataWriterQos, &mut DataReaderQos),
) -> (DataWriter<Keyed>, DataReader<Keyed>, [DomainParticipant; 2]) {
    let both = [net.participant(), net.participant()];
    let (mut wqos, mut rqos) = reliable_all();
    change(&mut wqos, &mut rqos);
    let writer = writer::<Keyed>(&both[0], "T", wqos);
    let reader = reader::<Keyed>(&both[1], "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    (writer, reader, both)
}

#[test]
fn missed_deadlines_are_counted_on_both_sides_with_the_instance() {
    let net = Net::new(0.0);
    let (writer, reader, _both) = pair(&net, |w, r| (w.deadline, r.deadline) = (MOMENT, MOMENT));
    let counts = |s: DeadlineMissedStatus| (s.total_count, s.total_count_change);
    let offered = status!(OfferedDeadlineMissed, writer, || counts(
        writer.offered_deadline_missed_status()
    ));
    let requested = status!(RequestedDeadlineMissed, reader, || counts(
        reader.requested_deadline_missed_status()
    ));
    offered.happens(true, || {
        writer.write(&bird(1)).unwrap();
    });
    let instance = writer.lookup_instance(&bird(1));
    let instance = instance.unwrap_or_else(|| writer.register_instance(&bird(1)).unwrap());
    let status = writer.offered_deadline_missed_status();
    assert_eq!(status.last_instance, instance);
    soon("the reader misses it too", || {
        reader.status_changes().contains(requested.kind)
    });
    let status = reader.requested_deadline_missed_status();
    assert_eq!(status.total_count, status.total_count_change);
    assert_eq!(status.last_instance, instance);
    // Where nothing is expected any more nothing is missed, on either side.
    writer.unregister_instance(&bird(1)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    // One that was found before may be counted still.
    soon("no more deadlines are missed", || {
        writer.offered_deadline_missed_status();
        reader.requested_deadline_missed_status();
        std::thread::sleep(Span::from_millis(150));
        let missed = |status: &Status<'_>| (status.changes)().contains(status.kind);
        !missed(&offered) && !missed(&requested)
    });
}

#[test]
fn a_lease_that_is_lost_is_counted_by_the_writer_and_seen_by_the_reader() {
    let net = Net::new(0.0);
    let liveliness = Liveliness {
        kind: LivelinessKind::ManualByTopic,
        lease_duration: MOMENT,
    };
    let (writer, reader, _both) = pair(&net, |w, r| {
        (w.liveliness, r.liveliness) = (liveliness, liveliness)
    });
    let counts = |s: LivelinessLostStatus| (s.total_count, s.total_count_change);
    // The lease may have run out before anything was written.
    soon("the writer is silent", || {
        writer.status_changes().contains(StatusKind::LivelinessLost)
    });
    let (total, change) = counts(writer.liveliness_lost_status());
    assert!(total >= 1 && change == total);
    assert_eq!(counts(writer.liveliness_lost_status()), (total, 0));
    assert!(!writer.status_changes().contains(StatusKind::LivelinessLost));
    soon("the reader knows", || {
        reader.liveliness_changed_status().not_alive_count == 1
    });
    let status = reader.liveliness_changed_status();
    assert_eq!((status.alive_count, status.last_writer), (0, writer.guid()));
    assert_eq!(
        (status.alive_count_change, status.not_alive_count_change),
        (0, 0)
    );
    assert!(
        !reader
            .status_changes()
            .contains(StatusKind::LivelinessChanged)
    );
    let condition = reader.status_condition();
    condition.set_enabled_statuses(StatusKind::LivelinessChanged.into());
    let set = WaitSet::new();
    set.attach(condition);
    writer.write(&bird(1)).unwrap();
    set.wait(SOON).unwrap();
    drop(writer);
    soon("it is gone", || {
        let status = reader.liveliness_changed_status();
        (status.alive_count, status.not_alive_count) == (0, 0)
    });
}

#[test]
fn samples_that_never_come_are_counted_as_lost() {
    let net = Net::new(0.0);
    let (writer, reader, _both) = pair(&net, |w, _| w.history = History::KeepLast(1));
    let counts = |s: SampleCountStatus| (s.total_count, s.total_count_change);
    writer.write(&bird(0)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let lost = status!(SampleLost, reader, || counts(reader.sample_lost_status()));
    lost.happens(true, || {
        net.set_drop(1.0);
        for number in 1..5 {
            writer.write(&bird(number)).unwrap();
        }
        net.set_drop(0.0);
    });
    soon("all that was lost is counted", || {
        reader.sample_lost_status().total_count == 3
    });
}

#[test]
fn samples_for_which_there_is_no_room_are_counted_as_rejected_with_limit_and_instance() {
    let net = Net::new(0.0);
    let (writer, reader, _both) = pair(&net, |_, r| r.resource_limits.max_samples = Some(1));
    let counts = |s: SampleRejectedStatus| (s.total_count, s.total_count_change);
    let rejected = status!(SampleRejected, reader, || counts(
        reader.sample_rejected_status()
    ));
    rejected.happens(true, || {
        writer.write(&bird(1)).unwrap();
        writer.write(&bird(2)).unwrap();
    });
    let status = reader.sample_rejected_status();
    assert_eq!(status.last_reason, Some(RejectionReason::Samples));
    assert_eq!(
        status.last_instance,
        writer.register_instance(&bird(2)).unwrap()
    );
}

#[test]
fn topics_of_another_type_are_counted() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let _writer = writer::<Keyed>(&a, "T", Default::default());
    let counts = |s: InconsistentTopicStatus| (s.total_count, s.total_count_change);
    let inconsistent = status!(InconsistentTopic, topic, || counts(
        topic.inconsistent_topic_status()
    ));
    let mut theirs = None;
    inconsistent.happens(false, || {
        theirs = Some(reader::<Plain>(&b, "T", Default::default()))
    });
    let status = topic.inconsistent_topic_status();
    assert_eq!(status.last_endpoint, theirs.unwrap().guid());
    assert!(status.last_difference.contains("Plain"));
}

#[test]
fn data_is_news_until_somebody_looks() {
    let net = Net::new(0.0);
    let (writer, reader, _both) = pair(&net, |_, _| {});
    let subscriber = reader.subscriber().unwrap();
    let conditions = [
        (reader.status_condition(), StatusKind::DataAvailable),
        (subscriber.status_condition(), StatusKind::DataOnReaders),
    ];
    for round in 0..4 {
        for (condition, kind) in &conditions {
            condition.set_enabled_statuses((*kind).into());
            assert!(!condition.trigger_value(), "{kind:?}");
        }
        writer.write(&bird(round)).unwrap();
        for (condition, kind) in &conditions {
            let set = WaitSet::new();
            set.attach(condition.clone());
            set.wait(SOON).unwrap_or_else(|_| panic!("{kind:?}"));
        }
        assert!(reader.status_changes().contains(StatusKind::DataAvailable));
        assert!(
            subscriber
                .status_changes()
                .contains(StatusKind::DataOnReaders)
        );
        // Reading is looking, and so is taking.
        match round % 2 {
            0 => drop(reader.read()),
            _ => drop(reader.take()),
        }
        assert!(!reader.status_changes().contains(StatusKind::DataAvailable));
        assert!(
            !subscriber
                .status_changes()
                .contains(StatusKind::DataOnReaders)
        );
    }
}

/// Tells which status it was told, and its counts.
#[derive(Clone)]
struct Ear(Sender<(StatusKind, Counts)>);

impl Ear {
    fn hear(&self, kind: StatusKind, counts: Counts) {
        let _ = self.0.send((kind, counts));
    }
}

impl DataWriterListener<Keyed> for Ear {
    fn on_publication_matched(&self, _: &DataWriter<Keyed>, s: &MatchedStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::PublicationMatched, counts);
    }
    fn on_offered_incompatible_qos(&self, _: &DataWriter<Keyed>, s: &IncompatibleQosStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::OfferedIncompatibleQos, counts);
    }
    fn on_offered_deadline_missed(&self, _: &DataWriter<Keyed>, s: &DeadlineMissedStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::OfferedDeadlineMissed, counts);
    }
    fn on_liveliness_lost(&self, _: &DataWriter<Keyed>, s: &LivelinessLostStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::LivelinessLost, counts);
    }
}

impl DataReaderListener<Keyed> for Ear {
    fn on_data_available(&self, _: &DataReader<Keyed>) {
        self.hear(StatusKind::DataAvailable, (0, 0));
    }
    fn on_subscription_matched(&self, _: &DataReader<Keyed>, s: &MatchedStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::SubscriptionMatched, counts);
    }
    fn on_requested_incompatible_qos(&self, _: &DataReader<Keyed>, s: &IncompatibleQosStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::RequestedIncompatibleQos, counts);
    }
    fn on_liveliness_changed(&self, _: &DataReader<Keyed>, s: &LivelinessChangedStatus) {
        let counts = (s.alive_count, s.alive_count_change);
        self.hear(StatusKind::LivelinessChanged, counts);
    }
    fn on_requested_deadline_missed(&self, _: &DataReader<Keyed>, s: &DeadlineMissedStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::RequestedDeadlineMissed, counts);
    }
    fn on_sample_lost(&self, _: &DataReader<Keyed>, s: &SampleCountStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::SampleLost, counts);
    }
    fn on_sample_rejected(&self, _: &DataReader<Keyed>, s: &SampleRejectedStatus) {
        let counts = (s.total_count, s.total_count_change);
        self.hear(StatusKind::SampleRejected, counts);
    }
}

/// What a listener was told, and how its changes add up.
struct Told(Receiver<(StatusKind, Counts)>, BTreeMap<u32, i32>);

impl Told {
    fn by_ear() -> (Ear, Self) {
        let (tell, told) = channel();
        (Ear(tell), Self(told, BTreeMap::new()))
    }

    /// Waits until the listener was told of this. Whatever it is told, the changes add up to the
    /// total.
    #[track_caller]
    fn expect(&mut self, kind: StatusKind) {
        let start = Instant::now();
        while start.elapsed() < LONG {
            let Ok((what, (total, change))) = self.0.recv_timeout(LONG) else {
                break;
            };
            let sum = self.1.entry(what as u32).or_default();
            *sum += change;
            assert_eq!(total, *sum, "{what:?}");
            if what == kind {
                return;
            }
        }
        panic!("{kind:?} was not told");
    }
}

type Heard = (
    (DataWriter<Keyed>, Told),
    (DataReader<Keyed>, Told),
    [DomainParticipant; 2],
);

/// As `pair`, with listeners that are told everything.
fn heard(net: &Net, change: impl Fn(&mut DataWriterQos, &mut DataReaderQos)) -> Heard {
    let (writer, reader, both) = pair(net, change);
    let ((ear, of_writer), (other, of_reader)) = (Told::by_ear(), Told::by_ear());
    writer.set_listener(ear, StatusMask::ALL);
    reader.set_listener(other, StatusMask::ALL);
    ((writer, of_writer), (reader, of_reader), both)
}

#[test]
fn listeners_that_are_told_of_matches_and_policies_reset_the_change_as_reading_does() {
    let net = Net::new(0.0);
    let ((writer, mut of_writer), (reader, mut of_reader), [a, b]) = heard(&net, |w, r| {
        (w.reliability, r.reliability) = (Reliability::BEST_EFFORT, Reliability::BEST_EFFORT);
    });
    // What had happened before is in the first change that is told.
    let second = common::reader::<Keyed>(&b, "T", Default::default());
    of_writer.expect(StatusKind::PublicationMatched);
    let status = writer.publication_matched_status();
    assert_eq!((status.total_count, status.total_count_change), (2, 0));
    let (_, reliable) = reliable_all();
    let third = common::reader::<Keyed>(&b, "T", reliable.clone());
    of_writer.expect(StatusKind::OfferedIncompatibleQos);
    let status = writer.offered_incompatible_qos_status();
    assert_eq!((status.total_count, status.total_count_change), (1, 0));
    let fourth = common::writer::<Keyed>(&a, "T", Default::default());
    of_reader.expect(StatusKind::SubscriptionMatched);
    let status = reader.subscription_matched_status();
    assert_eq!((status.total_count, status.total_count_change), (2, 0));
    of_reader.expect(StatusKind::LivelinessChanged);
    let silent = DataWriterQos {
        ownership: Ownership::Exclusive,
        ..Default::default()
    };
    let fifth = common::writer::<Keyed>(&a, "T", silent);
    of_reader.expect(StatusKind::RequestedIncompatibleQos);
    let status = reader.requested_incompatible_qos_status();
    assert_eq!((status.total_count, status.total_count_change), (1, 0));
    drop((second, third, fourth, fifth));
}

#[test]
fn listeners_that_are_told_of_time_reset_the_change_as_reading_does() {
    let ((writer, mut of_writer), (_reader, mut of_reader), _both) =
        heard(&Net::new(0.0), |w, r| {
            (w.deadline, r.deadline) = (MOMENT, MOMENT);
        });
    writer.write(&bird(1)).unwrap();
    of_writer.expect(StatusKind::OfferedDeadlineMissed);
    of_reader.expect(StatusKind::RequestedDeadlineMissed);
    // Not at once: of an instance without a living writer nothing is expected.
    let liveliness = Liveliness {
        kind: LivelinessKind::ManualByTopic,
        lease_duration: MOMENT,
    };
    let ((writer, mut of_writer), (_reader, mut of_reader), _both) =
        heard(&Net::new(0.0), |w, r| {
            (w.liveliness, r.liveliness) = (liveliness, liveliness);
        });
    writer.write(&bird(1)).unwrap();
    of_writer.expect(StatusKind::LivelinessLost);
    of_reader.expect(StatusKind::LivelinessChanged);
}

#[test]
fn listeners_that_are_told_of_samples_reset_the_change_as_reading_does() {
    let net = Net::new(0.0);
    let ((writer, _), (reader, mut of_reader), _both) =
        heard(&net, |w, _| w.history = History::KeepLast(1));
    writer.write(&bird(0)).unwrap();
    of_reader.expect(StatusKind::DataAvailable);
    writer.wait_for_acknowledgments(SOON).unwrap();
    net.set_drop(1.0);
    for number in 1..5 {
        writer.write(&bird(number)).unwrap();
    }
    net.set_drop(0.0);
    of_reader.expect(StatusKind::SampleLost);
    drop(reader);
    let net = Net::new(0.0);
    let ((writer, _), (_reader, mut of_reader), _both) =
        heard(&net, |_, r| r.resource_limits.max_samples = Some(1));
    writer.write(&bird(1)).unwrap();
    writer.write(&bird(2)).unwrap();
    of_reader.expect(StatusKind::SampleRejected);
}
