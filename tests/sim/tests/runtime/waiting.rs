//! Who waits is woken when what it waits for happens, and not a nanosecond later; and gives the
//! receive role back.
use crate::domain::{DELAY, Domain, MS, SECOND, numbers, reliable, sample};
use crate::sample::Keyed;
use dunlin::simulation;
use dunlin::{
    DataReader, Duration, Error, GuardCondition, ResourceLimits, Select, StatusKind, StatusMask,
    WaitSet,
};
use std::sync::{Arc, Mutex};

#[test]
fn a_wait_set_wakes_at_the_moment_when_data_comes_or_when_time_is_up() {
    for local in [false, true] {
        let domain = Domain::new(DELAY);
        let (writer, reader) = domain.pair(local);
        let wait_set = WaitSet::new();
        wait_set.attach(reader.read_condition(Select::default()));
        let begin = domain.now();
        writer.write(&sample(1)).unwrap();
        wait_set.wait(Duration::from_secs(1)).unwrap();
        let took = if local { 0 } else { DELAY };
        assert_eq!(domain.now(), begin + took);
        assert_eq!(numbers(&reader), [1]);
        let waited = wait_set.wait(Duration::from_millis(7));
        assert!(matches!(waited, Err(Error::Timeout { .. })), "{waited:?}");
        assert_eq!(domain.now(), begin + took + 7 * MS);
        assert_eq!(domain.unsettled(), None);
    }
}

#[test]
fn a_wait_set_wakes_for_each_kind_of_condition() {
    let domain = Domain::new(DELAY);
    let (writer, reader) = domain.pair(false);
    let guard = GuardCondition::new();
    let status = reader.status_condition();
    status.set_enabled_statuses(StatusMask::NONE.with(StatusKind::SubscriptionMatched));
    reader.subscription_matched_status();
    let wait_set = WaitSet::new();
    wait_set.attach(guard.clone());
    wait_set.attach(status);
    // The listener runs in the thread that waits, and sets what it waits for.
    let set = guard.clone();
    let listener = move |_: &DataReader<Keyed>| set.set_trigger_value(true);
    reader.set_listener(listener, StatusKind::DataAvailable.into());
    let begin = domain.now();
    writer.write(&sample(1)).unwrap();
    wait_set.wait(Duration::INFINITE).unwrap();
    assert_eq!(domain.now(), begin + DELAY);
    assert!(
        wait_set
            .active()
            .iter()
            .all(|condition| *condition == guard)
    );
    assert_eq!(wait_set.active().len(), 1);
    guard.set_trigger_value(false);
    drop(writer);
    wait_set.wait(Duration::INFINITE).unwrap();
    assert_eq!(domain.now(), begin + 2 * DELAY);
    assert_eq!(domain.unsettled(), None);
}

#[test]
fn a_full_writer_waits_until_there_is_room_and_no_longer_than_it_may() {
    let domain = Domain::new(DELAY);
    let (here, there) = (domain.join(false), domain.join(false));
    let (mut writes, mut reads) = reliable();
    let limits = ResourceLimits {
        max_samples: Some(2),
        ..ResourceLimits::default()
    };
    (writes.resource_limits, reads.resource_limits) = (limits, limits);
    writes.reliability.max_blocking_time = Duration::from_millis(50);
    let writer = here.writer_with::<Keyed>("Square", writes).unwrap();
    let reader = there.reader_with::<Keyed>("Square", reads).unwrap();
    domain.run_for(5 * SECOND);
    for number in 1..=4 {
        writer.write(&sample(number)).unwrap();
    }
    // Two are with the reader, two with the writer.
    let begin = domain.now();
    let full = writer.write(&sample(5));
    assert!(matches!(full, Err(Error::Timeout { .. })), "{full:?}");
    assert_eq!(domain.now(), begin + 50 * MS);
    // What is taken makes room, when the writer asks and is answered.
    assert_eq!(numbers(&reader).len(), 2);
    let begin = domain.now();
    writer.write(&sample(6)).unwrap();
    let took = domain.now() - begin;
    assert!((1..50 * MS).contains(&took), "{took}");
    assert_eq!(domain.unsettled(), None);
}

#[test]
fn acknowledgments_are_waited_for_to_the_nanosecond() {
    let domain = Domain::new(DELAY);
    let (writer, reader) = domain.pair(false);
    let begin = domain.now();
    writer.write(&sample(1)).unwrap();
    writer
        .wait_for_acknowledgments(Duration::from_secs(1))
        .unwrap();
    assert_eq!(domain.now(), begin + 2 * DELAY);
    let link = domain.link(&domain.of(reader.guid()));
    link.go_down();
    writer.write(&sample(2)).unwrap();
    let begin = domain.now();
    let waited = writer.wait_for_acknowledgments(Duration::from_millis(30));
    assert!(matches!(waited, Err(Error::Timeout { .. })), "{waited:?}");
    assert_eq!(domain.now(), begin + 30 * MS);
    assert_eq!(domain.unsettled(), None);
}

#[test]
fn a_listener_may_wait_within_a_wait_and_the_role_comes_back_to_each() {
    let domain = Domain::new(DELAY);
    let (writer, reader) = domain.pair(false);
    let (back, forth) = (domain.of(reader.guid()), domain.of(writer.guid()));
    let (writes, reads) = reliable();
    let answers = back.writer_with::<Keyed>("Circle", writes).unwrap();
    let answered = forth.reader_with::<Keyed>("Circle", reads).unwrap();
    domain.run_for(5 * SECOND);
    let steps = Arc::new(Mutex::new(Vec::new()));
    let (noted, clock) = (Arc::clone(&steps), domain.clone());
    let listener = move |reader: &DataReader<Keyed>| {
        for number in numbers(reader) {
            answers.write(&sample(number)).unwrap();
            // Receives in this thread, which is called by one that receives.
            answers
                .wait_for_acknowledgments(Duration::from_secs(1))
                .unwrap();
            noted.lock().unwrap().push((number, clock.now()));
        }
    };
    reader.set_listener(listener, StatusKind::DataAvailable.into());
    let wait_set = WaitSet::new();
    wait_set.attach(answered.read_condition(Select::default()));
    for number in 1..=20 {
        let begin = domain.now();
        writer.write(&sample(number)).unwrap();
        wait_set.wait(Duration::INFINITE).unwrap();
        assert_eq!(numbers(&answered), [number]);
        // There, back, and the acknowledgement of that, for which the listener waits, on top of
        // this very stack.
        let step = steps.lock().unwrap().pop();
        assert_eq!(step, Some((number, begin + 3 * DELAY)));
        assert_eq!(domain.now(), begin + 3 * DELAY);
        domain.run_for(SECOND);
    }
    reader.clear_listener();
}

#[test]
fn nothing_is_due_twice_at_the_same_time() {
    let domain = Domain::new(DELAY);
    let (writer, reader) = domain.pair(false);
    for number in 0..100 {
        writer.write(&sample(number)).unwrap();
        domain.run_for(37 * MS);
        for participant in [domain.of(writer.guid()), domain.of(reader.guid())] {
            let next = simulation::next_due(&participant);
            assert!(next.is_none_or(|at| at.0 > domain.now()), "{next:?}");
        }
    }
    assert_eq!(numbers(&reader).len(), 100);
}
