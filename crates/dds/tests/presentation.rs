//! PRESENTATION as an application sees it: coherent sets, over one reader and over many.
mod common;

use common::{Keyed, Net, SOON, reliable_all, take};
use dunlin::*;
use std::sync::mpsc;
use std::time::{Duration as Span, Instant};

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

fn coherent(access_scope: AccessScope) -> Presentation {
    Presentation {
        access_scope,
        coherent_access: true,
        ordered_access: false,
    }
}

/// A publisher with writers and a subscriber with readers of as many topics.
struct Stage {
    publisher: Publisher,
    subscriber: Subscriber,
    writers: Vec<DataWriter<Keyed>>,
    readers: Vec<DataReader<Keyed>>,
    _participants: [DomainParticipant; 2],
    net: Net,
}

impl Stage {
    fn new(presentation: Presentation, topics: usize) -> Self {
        Self::with(presentation, topics, false, |_, _| {})
    }

    /// `local`: both sides speak to each other without the network.
    fn with(
        presentation: Presentation,
        topics: usize,
        local: bool,
        change: impl Fn(&mut DataWriterQos, &mut DataReaderQos),
    ) -> Self {
        let net = Net::new(0.0);
        let participant = || match local {
            true => net.within(ParticipantConfig::default()),
            false => net.participant(),
        };
        let both = [participant(), participant()];
        let publisher = both[0].create_publisher(PublisherQos {
            presentation,
            ..Default::default()
        });
        let subscriber = both[1].create_subscriber(SubscriberQos {
            presentation,
            ..Default::default()
        });
        let (mut wqos, mut rqos) = reliable_all();
        change(&mut wqos, &mut rqos);
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for topic in 0..topics {
            let name = format!("T{topic}");
            let topic = both[0].create_topic(&name, Default::default()).unwrap();
            writers.push(publisher.create_datawriter(&topic, wqos.clone()).unwrap());
            let topic = both[1].create_topic(&name, Default::default()).unwrap();
            readers.push(subscriber.create_datareader(&topic, rqos.clone()).unwrap());
        }
        for (writer, reader) in writers.iter().zip(&readers) {
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_historical_data(SOON).unwrap();
        }
        Self {
            publisher,
            subscriber,
            writers,
            readers,
            _participants: both,
            net,
        }
    }

    fn acknowledged(&self) {
        for writer in &self.writers {
            writer.wait_for_acknowledgments(SOON).unwrap();
        }
    }
}

fn numbers(samples: Vec<Sample<Keyed>>) -> Vec<u32> {
    let data = samples.into_iter().filter_map(Sample::into_data);
    data.map(|bird| bird.number).collect()
}

#[test]
fn a_set_is_seen_when_it_is_complete() {
    for local in [false, true] {
        for scope in [AccessScope::Instance, AccessScope::Topic] {
            let stage = Stage::with(coherent(scope), 1, local, |_, _| {});
            let (writer, reader) = (&stage.writers[0], &stage.readers[0]);
            stage.publisher.begin_coherent_changes();
            for number in 0..6 {
                let name = ["dunlin", "knot"][number as usize % 2];
                writer.write(&bird(name, number)).unwrap();
            }
            // Nested sets are part of the outermost one.
            stage.publisher.begin_coherent_changes();
            writer.write(&bird("ruff", 6)).unwrap();
            stage.publisher.end_coherent_changes().unwrap();
            stage.acknowledged();
            assert_eq!(reader.read().len(), 0);
            stage.publisher.end_coherent_changes().unwrap();
            stage.acknowledged();
            assert!(soon(|| !reader.read().is_empty()));
            assert_eq!(numbers(reader.take()), [0, 2, 4, 1, 3, 5, 6]);
            // What belongs to no set is seen at once.
            writer.write(&bird("ruff", 7)).unwrap();
            assert_eq!(numbers(take(reader, 1)), [7]);
            assert_eq!(reader.sample_lost_status().total_count, 0);
        }
    }
}

#[test]
fn each_end_needs_its_beginning() {
    let stage = Stage::new(coherent(AccessScope::Topic), 1);
    let error = stage.publisher.end_coherent_changes().unwrap_err();
    assert!(matches!(&error, Error::PreconditionNotMet(why) if why.contains("begin_coherent")));
    let error = stage.publisher.resume_publications().unwrap_err();
    assert!(matches!(&error, Error::PreconditionNotMet(why) if why.contains("suspend")));
    stage.publisher.suspend_publications();
    stage.publisher.resume_publications().unwrap();
    stage.publisher.begin_coherent_changes();
    stage.publisher.end_coherent_changes().unwrap();
    assert!(stage.publisher.end_coherent_changes().is_err());
    stage.writers[0].write(&bird("dunlin", 1)).unwrap();
    assert_eq!(numbers(take(&stage.readers[0], 1)), [1]);
}

#[test]
fn a_late_joiner_gets_whole_sets_and_a_set_under_way_when_it_ends() {
    for local in [false, true] {
        let presentation = coherent(AccessScope::Topic);
        let stage = Stage::with(presentation, 1, local, |w, r| {
            w.durability = Durability::TransientLocal;
            r.durability = Durability::TransientLocal;
        });
        let writer = &stage.writers[0];
        for set in 0..3 {
            stage.publisher.begin_coherent_changes();
            for number in 0..3 {
                writer.write(&bird("dunlin", 3 * set + number)).unwrap();
            }
            if set < 2 {
                stage.publisher.end_coherent_changes().unwrap();
            }
        }
        let reader = {
            let participant = &stage._participants[1];
            let topic = participant.create_topic::<Keyed>("T0", Default::default());
            let qos = stage.readers[0].qos().clone();
            stage.subscriber.create_datareader(&topic.unwrap(), qos)
        }
        .unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        assert_eq!(numbers(take(&reader, 6)), [0, 1, 2, 3, 4, 5]);
        reader.wait_for_historical_data(SOON).unwrap();
        assert_eq!(reader.take().len(), 0);
        stage.publisher.end_coherent_changes().unwrap();
        assert_eq!(numbers(take(&reader, 3)), [6, 7, 8]);
    }
}

#[test]
fn a_set_survives_a_network_that_loses() {
    let stage = Stage::new(coherent(AccessScope::Topic), 1);
    stage.net.set_drop(0.3);
    let (writer, reader) = (&stage.writers[0], &stage.readers[0]);
    for set in 0..20 {
        stage.publisher.begin_coherent_changes();
        for number in 0..10 {
            writer.write(&bird("dunlin", 10 * set + number)).unwrap();
        }
        stage.publisher.end_coherent_changes().unwrap();
    }
    let mut all = Vec::new();
    assert!(soon(|| {
        let some = numbers(reader.take());
        assert_eq!(some.len() % 10, 0, "a part of a set");
        all.extend(some);
        all.len() == 200
    }));
    assert!(all.into_iter().eq(0..200));
}

/// Tells of lost samples: how many now, and in all.
struct Losses(mpsc::Sender<(i32, i32)>);

impl DataReaderListener<Keyed> for Losses {
    fn on_sample_lost(&self, _: &DataReader<Keyed>, status: &SampleCountStatus) {
        let told = (status.total_count_change, status.total_count);
        self.0.send(told).unwrap();
    }
}

#[test]
fn a_writer_that_goes_takes_its_open_set_along() {
    let mut stage = Stage::new(coherent(AccessScope::Topic), 1);
    let (losses, told) = mpsc::channel();
    stage.readers[0].set_listener(
        Losses(losses),
        StatusMask::NONE.with(StatusKind::SampleLost),
    );
    stage.publisher.begin_coherent_changes();
    for number in 0..3 {
        stage.writers[0].write(&bird("dunlin", number)).unwrap();
    }
    stage.acknowledged();
    stage.writers.clear();
    let reader = &stage.readers[0];
    assert!(soon(|| reader.matched_count() == 0));
    assert_eq!(reader.take().len(), 0);
    assert_eq!(told.recv_timeout(LONG), Ok((3, 3)));
    assert_eq!(reader.sample_lost_status().total_count, 3);
}

/// Takes from all readers at once: how many samples of each set there are.
fn look(stage: &Stage, sizes: u32) -> std::collections::BTreeMap<u32, u32> {
    let mut counts = std::collections::BTreeMap::new();
    stage.subscriber.begin_access();
    for reader in &stage.readers {
        for number in numbers(reader.take()) {
            *counts.entry(number / sizes).or_insert(0) += 1;
        }
    }
    stage.subscriber.end_access().unwrap();
    counts
}

#[test]
fn a_set_over_several_writers_is_seen_as_one() {
    for (local, drop) in [(false, 0.0), (false, 0.2), (true, 0.0)] {
        let stage = Stage::with(coherent(AccessScope::Group), 3, local, |_, _| {});
        stage.net.set_drop(drop);
        let mut seen = Vec::new();
        let mut check = || {
            let counts = look(&stage, 100);
            let whole = |set: u32| if set % 4 == 3 { 2 } else { 6 };
            assert!(
                counts.iter().all(|(set, count)| *count == whole(*set)),
                "{counts:?}"
            );
            seen.extend(counts.into_keys());
            seen.len() == 30
        };
        for set in 0..30 {
            stage.publisher.begin_coherent_changes();
            for number in 0..2 {
                for (nth, writer) in stage.writers.iter().enumerate() {
                    // To some sets only the second writer has something to say.
                    if nth == 1 || set % 4 != 3 {
                        writer.write(&bird("dunlin", 100 * set + number)).unwrap();
                    }
                }
                check();
            }
            stage.publisher.end_coherent_changes().unwrap();
            check();
        }
        assert!(soon(&mut check), "local {local}, drop {drop}");
        assert!(seen.into_iter().eq(0..30));
        for reader in &stage.readers {
            assert_eq!(reader.sample_lost_status().total_count, 0);
        }
    }
}

#[test]
fn what_is_looked_at_does_not_change() {
    let stage = Stage::new(coherent(AccessScope::Group), 2);
    let write = |set: u32| {
        stage.publisher.begin_coherent_changes();
        for writer in &stage.writers {
            writer.write(&bird("dunlin", set)).unwrap();
        }
        stage.publisher.end_coherent_changes().unwrap();
    };
    write(1);
    assert!(soon(|| stage
        .readers
        .iter()
        .all(|reader| reader.read().len() == 1)));
    stage.subscriber.begin_access();
    write(2);
    stage.acknowledged();
    for reader in &stage.readers {
        assert_eq!(numbers(reader.take()), [1]);
    }
    stage.subscriber.end_access().unwrap();
    assert!(stage.subscriber.end_access().is_err());
    for reader in &stage.readers {
        assert_eq!(numbers(take(reader, 1)), [2]);
    }
}

#[test]
fn writers_that_match_nobody_here_are_not_waited_for() {
    for local in [false, true] {
        let mut stage = Stage::with(coherent(AccessScope::Group), 3, local, |_, _| {});
        let write = |stage: &Stage, set: u32| {
            stage.publisher.begin_coherent_changes();
            for writer in &stage.writers {
                writer.write(&bird("dunlin", set)).unwrap();
            }
            stage.publisher.end_coherent_changes().unwrap();
        };
        stage.readers.pop();
        write(&stage, 1);
        for reader in &stage.readers {
            assert_eq!(numbers(take(reader, 1)), [1]);
        }
        // Nor are those that have gone.
        stage.writers.remove(0);
        let reader = stage.readers.remove(0);
        assert!(soon(|| reader.matched_count() == 0));
        write(&stage, 2);
        assert_eq!(numbers(take(&stage.readers[0], 1)), [2]);
        assert_eq!(reader.take().len(), 1, "the notice that nobody writes");
    }
}

/// A set waits for room at one reader, and behind it one that is too large for another. Once the
/// first reader is gone, the thread that deletes it tells a third of its part of the large set.
#[test]
fn what_the_end_of_a_reader_lets_go_at_another_is_told_at_once() {
    for local in [false, true] {
        let stage = Stage::with(coherent(AccessScope::Group), 3, local, |_, r| {
            r.resource_limits.max_samples = Some(1);
        });
        let (losses, told) = mpsc::channel();
        let mask = StatusMask::NONE.with(StatusKind::SampleLost);
        stage.readers[1].set_listener(Losses(losses), mask);
        stage.writers[0].write(&bird("dunlin", 0)).unwrap();
        assert!(soon(|| stage.readers[0].read().len() == 1));
        for set in [[1, 0, 0], [0, 1, 2]] {
            stage.publisher.begin_coherent_changes();
            for (writer, samples) in stage.writers.iter().zip(set) {
                for number in 0..samples {
                    writer.write(&bird("dunlin", number)).unwrap();
                }
            }
            stage.publisher.end_coherent_changes().unwrap();
        }
        for writer in &stage.writers[1..] {
            writer.wait_for_acknowledgments(SOON).unwrap();
        }
        assert!(told.try_recv().is_err(), "the first set has had its turn");
        stage.readers[0].close();
        assert_eq!(told.try_recv(), Ok((1, 1)), "local {local}");
    }
}

#[test]
fn a_late_joiner_gets_sets_over_several_writers() {
    for local in [false, true] {
        let stage = Stage::with(coherent(AccessScope::Group), 2, local, |w, r| {
            w.durability = Durability::TransientLocal;
            r.durability = Durability::TransientLocal;
        });
        for set in 0..3 {
            stage.publisher.begin_coherent_changes();
            for (nth, writer) in stage.writers.iter().enumerate() {
                if set != 1 || nth == 0 {
                    writer.write(&bird("dunlin", set)).unwrap();
                }
            }
            stage.publisher.end_coherent_changes().unwrap();
        }
        let participant = &stage._participants[1];
        let subscriber = participant.create_subscriber(SubscriberQos {
            presentation: coherent(AccessScope::Group),
            ..Default::default()
        });
        let readers: Vec<DataReader<Keyed>> = ["T0", "T1"]
            .map(|name| {
                let topic = participant.create_topic(name, Default::default()).unwrap();
                let qos = stage.readers[0].qos().clone();
                subscriber.create_datareader(&topic, qos).unwrap()
            })
            .into();
        assert_eq!(numbers(take(&readers[0], 3)), [0, 1, 2]);
        assert_eq!(numbers(take(&readers[1], 2)), [0, 2]);
    }
}

fn ordered(coherent_access: bool) -> Presentation {
    Presentation {
        access_scope: AccessScope::Group,
        coherent_access,
        ordered_access: true,
    }
}

/// Takes one sample after the other from the readers that the subscriber names.
fn take_in_order(stage: &Stage) -> Vec<u32> {
    let any = Select::default();
    stage.subscriber.begin_access();
    let mut all = Vec::new();
    for reader in stage.subscriber.datareaders(&any) {
        let reader = reader.typed::<Keyed>().unwrap();
        let sample = reader.take_next_sample().expect("one sample for each time");
        all.extend(sample.into_data().map(|bird| bird.number));
    }
    assert!(stage.subscriber.datareaders(&any).is_empty());
    stage.subscriber.end_access().unwrap();
    all
}

#[test]
fn samples_of_several_readers_are_taken_in_the_order_in_which_they_were_written() {
    for (local, drop) in [(false, 0.0), (false, 0.2), (true, 0.0)] {
        let mut stage = Stage::with(ordered(false), 4, local, |_, _| {});
        // What is written for others is not waited for.
        stage.readers.remove(2);
        stage.net.set_drop(drop);
        let mut seen = Vec::new();
        let mut expected = Vec::new();
        for number in 0..200 {
            let nth = [0, 1, 1, 3, 0, 2, 3][number as usize % 7];
            stage.writers[nth].write(&bird("dunlin", number)).unwrap();
            expected.extend((nth != 2).then_some(number));
            if number % 9 == 0 {
                seen.extend(take_in_order(&stage));
            }
        }
        let done = soon(|| {
            seen.extend(take_in_order(&stage));
            seen.len() >= expected.len()
        });
        assert!(done, "local {local}, drop {drop}: {seen:?}");
        assert_eq!(seen, expected, "local {local}, drop {drop}");
    }
}

#[test]
fn sets_and_what_is_between_them_keep_their_order_over_several_readers() {
    for (local, drop) in [(false, 0.0), (false, 0.2), (true, 0.0)] {
        let stage = Stage::with(ordered(true), 3, local, |_, _| {});
        stage.net.set_drop(drop);
        let mut number = 0;
        let mut write = |nth: usize| {
            stage.writers[nth].write(&bird("dunlin", number)).unwrap();
            number += 1;
        };
        let mut seen = Vec::new();
        for _ in 0..10 {
            stage.publisher.begin_coherent_changes();
            [2, 0, 1, 0, 2].into_iter().for_each(&mut write);
            stage.publisher.end_coherent_changes().unwrap();
            [1, 2, 0].into_iter().for_each(&mut write);
            seen.extend(take_in_order(&stage));
        }
        let done = soon(|| {
            seen.extend(take_in_order(&stage));
            seen.len() >= 80
        });
        assert!(done, "local {local}, drop {drop}: {seen:?}");
        assert!(seen.iter().copied().eq(0..80), "local {local}: {seen:?}");
    }
}

#[test]
fn an_order_over_several_readers_can_be_read_and_does_not_change_meanwhile() {
    let stage = Stage::new(ordered(false), 2);
    for number in 0..6 {
        let nth = [1, 0, 0, 1, 1, 0][number as usize];
        stage.writers[nth].write(&bird("dunlin", number)).unwrap();
    }
    let unread = Select {
        max: 1,
        sample_states: SampleState::NotRead.mask(),
        ..Select::default()
    };
    let all = Select {
        max: usize::MAX,
        ..unread
    };
    assert!(soon(|| stage.subscriber.datareaders(&all).len() == 6));
    stage.subscriber.begin_access();
    let readers = stage.subscriber.datareaders(&all);
    stage.writers[0].write(&bird("dunlin", 6)).unwrap();
    stage.acknowledged();
    let mut seen = Vec::new();
    for reader in readers {
        let reader = reader.typed::<Keyed>().unwrap();
        seen.extend(numbers(reader.read_with(&unread)));
    }
    assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    assert!(stage.subscriber.datareaders(&all).is_empty());
    stage.subscriber.end_access().unwrap();
    assert!(soon(|| stage.subscriber.datareaders(&all).len() == 1));
}
