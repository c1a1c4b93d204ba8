//! Listeners of one process that write to each other: each sample brings one call, none runs within
//! another, and no `write` is kept for ever.
use crate::dice::Dice;
use crate::domain::{DELAY, Domain, SECOND, of_instance, reliable};
use crate::sample::{Keyed, Shape};
use dunlin::{DataReader, DataWriter, DomainParticipant, StatusKind};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });

/// What a topic's listener does with a sample that has so many to come.
type Answer = fn(topic: usize, left: u32) -> Vec<(usize, u32)>;

struct Ring {
    writers: Vec<DataWriter<Keyed>>,
    readers: Vec<DataReader<Keyed>>,
    /// Topic, writer and number of each that came.
    came: Arc<Mutex<Vec<(usize, i64)>>>,
    calls: Arc<AtomicUsize>,
}

const TOPICS: [&str; 3] = ["Square", "Circle", "Triangle"];

impl Ring {
    /// A writer and a reader of each topic, each with any of the participants.
    fn new(domain: &Domain, all: &[DomainParticipant], dice: &mut Dice, answer: Answer) -> Self {
        let (writes, reads) = reliable();
        let make = |topic: &&str| {
            let participant = &all[dice.up_to(all.len() - 1)];
            participant
                .writer_with::<Keyed>(topic, writes.clone())
                .unwrap()
        };
        let writers: Vec<_> = TOPICS.iter().map(make).collect();
        let make = |topic: &&str| {
            let participant = &all[dice.up_to(all.len() - 1)];
            participant
                .reader_with::<Keyed>(topic, reads.clone())
                .unwrap()
        };
        let readers: Vec<_> = TOPICS.iter().map(make).collect();
        let ring = Self {
            writers,
            readers,
            came: Arc::default(),
            calls: Arc::default(),
        };
        domain.run_for(5 * SECOND);
        for (topic, reader) in ring.readers.iter().enumerate() {
            let (came, calls) = (Arc::clone(&ring.came), Arc::clone(&ring.calls));
            let writers = ring.writers.clone();
            let listener = move |reader: &DataReader<Keyed>| {
                DEPTH.set(DEPTH.get() + 1);
                assert_eq!(DEPTH.get(), 1, "a listener runs within another");
                calls.fetch_add(1, SeqCst);
                while let Some(sample) = reader.take_next_sample() {
                    came.lock().unwrap().push((topic, sample.info.sequence.0));
                    let left = sample.into_data().unwrap().load().number;
                    for (to, left) in answer(topic, left) {
                        writers[to].write(&of_instance(0, left)).unwrap();
                    }
                }
                DEPTH.set(0);
            };
            reader.set_listener(listener, StatusKind::DataAvailable.into());
        }
        ring
    }

    /// How often a topic's listener is to be called for a sample, in all.
    fn expected(answer: Answer, topic: usize, left: u32) -> usize {
        let more = answer(topic, left).into_iter();
        1 + more
            .map(|(to, left)| Self::expected(answer, to, left))
            .sum::<usize>()
    }

    /// Each came once, and in the order of its topic's writer.
    fn check(&self, expected: usize) {
        let came = std::mem::take(&mut *self.came.lock().unwrap());
        assert_eq!(came.len(), expected);
        for topic in 0..TOPICS.len() {
            let of_topic = came.iter().filter(|(t, _)| *t == topic);
            let numbers: Vec<_> = of_topic.map(|(_, number)| *number).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        }
        // None is called for nothing.
        assert!(self.calls.swap(0, SeqCst) <= expected);
        assert!(self.readers.iter().all(|reader| reader.take().is_empty()));
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // Listeners own writers.
        self.readers
            .iter()
            .for_each(|reader| reader.clear_listener());
    }
}

/// One after the other, and now and then two.
fn answer(topic: usize, left: u32) -> Vec<(usize, u32)> {
    match left {
        0 => Vec::new(),
        n if n % 7 == 0 => vec![((topic + 1) % 3, n - 1), ((topic + 2) % 3, n / 2)],
        n => vec![((topic + 1) % 3, n - 1)],
    }
}

#[test]
fn each_deferred_call_is_made_once_and_none_within_another() {
    for seed in 0..60 {
        let dice = &mut Dice(seed);
        let domain = Domain::new(DELAY);
        // Some of them speak directly to each other, some by the network.
        let all: Vec<_> = (0..3).map(|_| domain.join(dice.percent(70))).collect();
        let ring = Ring::new(&domain, &all, dice, answer);
        for _ in 0..10 {
            let (topic, left) = (dice.up_to(2), u32::try_from(dice.up_to(60)).unwrap());
            ring.writers[topic].write(&of_instance(0, left)).unwrap();
            domain.run_for(SECOND);
            ring.check(Ring::expected(answer, topic, left));
            assert_eq!(domain.unsettled(), None, "{seed}");
        }
    }
}

#[test]
fn a_write_ends_although_listeners_answer_each_other_for_ever() {
    let domain = Domain::new(DELAY);
    let all = [domain.join(true)];
    let ring = Ring::new(&domain, &all, &mut Dice(1), answer_in_line);
    ring.writers[0].write(&of_instance(0, 10_000)).unwrap();
    let during = ring.calls.load(SeqCst);
    assert!((1..=64).contains(&during), "{during} calls within a write");
    // The rest is for who receives, all of it at this very time.
    let now = domain.now();
    domain.step();
    assert_eq!(domain.now(), now);
    ring.check(10_001);
    assert_eq!(domain.unsettled(), None);
}

fn answer_in_line(topic: usize, left: u32) -> Vec<(usize, u32)> {
    match left {
        0 => Vec::new(),
        left => vec![((topic + 1) % 3, left - 1)],
    }
}
