//! `poll_once`: a thread of the application receives without waiting.
mod common;

use common::*;
use dunlin::*;
use std::sync::{Arc, Mutex};
use std::thread::{ThreadId, current};
use std::time::Instant;

fn sample(number: u32) -> Keyed {
    Keyed {
        name: "a".into(),
        number,
    }
}

/// A reader that notes which thread calls its listener, and what it takes then.
type Calls = Arc<Mutex<Vec<(ThreadId, u32)>>>;

fn listening(participant: &DomainParticipant) -> (DataReader<Keyed>, Calls) {
    let calls = Calls::default();
    let noted = Arc::clone(&calls);
    let (_, reads) = reliable_all();
    let topic = participant.create_topic::<Keyed>("T", Default::default());
    let subscriber = participant.create_subscriber(Default::default());
    let listener = move |reader: &DataReader<Keyed>| {
        reader.take_each(|sample| {
            let number = sample.data().unwrap().number;
            noted.lock().unwrap().push((current().id(), number));
        });
    };
    let reader = subscriber.create_datareader_with_listener(&topic.unwrap(), reads, listener);
    (reader.unwrap(), calls)
}

fn writing(participant: &DomainParticipant, readers: usize) -> DataWriter<Keyed> {
    let (writes, _) = reliable_all();
    let writer = participant.writer_with::<Keyed>("T", writes).unwrap();
    writer.wait_for_matched(readers, SOON).unwrap();
    writer
}

fn limit() -> Instant {
    Instant::now() + std::time::Duration::try_from(SOON).unwrap()
}

#[test]
fn a_thread_that_polls_receives_by_itself_and_loses_nothing_when_it_stops() {
    let net = Net::new(0.0);
    let (here, there) = (net.participant(), net.participant());
    let (_reader, calls) = listening(&there);
    let writer = writing(&here, 1);
    let (mut number, limit) = (0, limit());
    let mut worked = false;
    // At first the participant's own thread has the role, which it leaves to who polls.
    while !calls
        .lock()
        .unwrap()
        .iter()
        .any(|(by, _)| *by == current().id())
    {
        assert!(Instant::now() < limit, "another thread receives for ever");
        number += 1;
        writer.write(&sample(number)).unwrap();
        for _ in 0..1000 {
            worked |= there.poll_once();
        }
    }
    assert!(worked, "it has received, and says that it has not");
    // It polls no longer.
    number += 1;
    writer.write(&sample(number)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let taken = || -> Vec<u32> { calls.lock().unwrap().iter().map(|call| call.1).collect() };
    // A sample is acknowledged before its listener is called.
    while taken().last() != Some(&number) {
        assert!(Instant::now() < limit, "the last sample is not told");
        std::thread::yield_now();
    }
    assert_eq!(taken(), (1..=number).collect::<Vec<_>>());
}

#[test]
fn one_thread_polls_several_participants() {
    let net = Net::new(0.0);
    let (here, many) = (net.participant(), [net.participant(), net.participant()]);
    let all = many.each_ref().map(listening);
    let writer = writing(&here, 2);
    let limit = limit();
    for number in 1..=100 {
        writer.write(&sample(number)).unwrap();
        let has_it = |calls: &Calls| calls.lock().unwrap().iter().any(|call| call.1 == number);
        while !all.iter().all(|(_, calls)| has_it(calls)) {
            assert!(Instant::now() < limit, "{number} does not come");
            for participant in &many {
                participant.poll_once();
            }
        }
    }
}

#[test]
fn there_is_nothing_to_do_where_nothing_comes() {
    let net = Net::new(0.0);
    let alone = net.configured(ParticipantConfig {
        multicast: false,
        ..ParticipantConfig::default()
    });
    assert!((0..1000).all(|_| !alone.poll_once()));
}
