//! The floor of shared memory: bare slots and copies by the C library, between processes of one user that trust each other.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::floor::Floor;
use super::lock;
use super::meeting::Meeting;
use super::pair::{End, Inlet, Outlet, Pair, Shape};
use crate::clock::{MILLISECOND, Nanos, monotonic};
use crate::messaging::{Sample, Topic, WriteError};
use crate::options::Options;

/// While all partners are there, how often it is checked that they still are.
const CHECK: Nanos = 50 * MILLISECOND;

/// Longest sleep for a message, and of those who cannot sleep for it.
const SLEEP: Duration = Duration::from_millis(2);
const NAP: Duration = Duration::from_micros(50);

/// A participant.
pub(crate) struct Shm {
    /// Sleep in the kernel for messages.
    sleeps: bool,
    expected: usize,
    encounter: Mutex<Encounter>,
    /// Counts the changes of who is there.
    generation: AtomicU32,
    present: AtomicUsize,
    sending: Mutex<Ways<Outlet>>,
}

struct Encounter {
    meeting: Meeting,
    pairs: Vec<Arc<Pair>>,
    next: Nanos,
}

/// Those who are there, as one thread knows them, with what it remembers about each.
pub(crate) struct Ways<T> {
    generation: u32,
    list: Vec<(Arc<Pair>, T)>,
}

impl<T> Ways<T> {
    fn none() -> Self {
        Self {
            generation: 0,
            list: Vec::new(),
        }
    }
}

impl Shm {
    /// Brings a thread's knowledge up to date.
    fn refresh<T>(&self, ways: &mut Ways<T>, fresh: impl Fn(&Pair) -> T) {
        let generation = self.generation.load(Ordering::Acquire);
        if ways.generation == generation {
            return;
        }
        let mut known = std::mem::take(&mut ways.list);
        for pair in &lock(&self.encounter).pairs {
            let place = known.iter().position(|(one, _)| Arc::ptr_eq(one, pair));
            ways.list.push(match place {
                Some(place) => known.swap_remove(place),
                None => (Arc::clone(pair), fresh(pair)),
            });
        }
        ways.generation = generation;
    }
}

impl Floor for Shm {
    type Intake = Ways<Inlet>;

    const POLLS: u32 = 128;

    fn open(options: &Options, blocking: bool) -> Result<Self, String> {
        let end = End {
            shape: Shape::of(Options::payload(options.data_len)),
            sleeps: blocking,
        };
        Ok(Self {
            sleeps: blocking,
            expected: options.partners(),
            encounter: Mutex::new(Encounter {
                meeting: Meeting::open(options, end)?,
                pairs: Vec::new(),
                next: 0,
            }),
            generation: AtomicU32::new(0),
            present: AtomicUsize::new(0),
            sending: Mutex::new(Ways::none()),
        })
    }

    fn intake(&self) -> Ways<Inlet> {
        Ways::none()
    }

    fn receive(
        &self,
        intake: &mut Ways<Inlet>,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        self.refresh(intake, Pair::inlet);
        let mut any = false;
        for (pair, inlet) in &mut intake.list {
            any |= pair.receive(inlet, &mut sink)?;
        }
        if !any && self.sleeps {
            match intake.list.as_slice() {
                [(pair, inlet)] => pair.rest(inlet, SLEEP)?,
                // One thread cannot sleep on the words of several.
                _ => thread::sleep(NAP),
            }
        }
        Ok(any)
    }

    fn send(&self, topic: Topic, sample: &Sample<'_>) -> Result<(), WriteError> {
        let mut sending = lock(&self.sending);
        self.refresh(&mut sending, Pair::outlet);
        let length = sample.data.len();
        let mut ways = sending.list.iter();
        if !ways.all(|(pair, outlet)| pair.has_room(outlet, length)) {
            return Err(WriteError::Timeout);
        }
        for (pair, outlet) in &mut sending.list {
            pair.send(outlet, topic, sample);
        }
        Ok(())
    }

    fn tend(&self) {
        // Whoever holds it tends.
        let Ok(mut encounter) = self.encounter.try_lock() else {
            return;
        };
        let Encounter {
            meeting,
            pairs,
            next,
        } = &mut *encounter;
        let now = monotonic();
        if now < *next {
            return;
        }
        let before = pairs.len();
        pairs.retain(|pair| pair.lives());
        let present: Vec<u32> = pairs.iter().map(|pair| pair.id).collect();
        let came = meeting.poll(&present);
        if before == pairs.len() && came.is_empty() {
            *next = now + if before < self.expected { 0 } else { CHECK };
            return;
        }
        for pair in came {
            // A new process with the same id takes the place of the one before.
            pairs.retain(|one| one.id != pair.id);
            pairs.push(Arc::new(pair));
        }
        self.present.store(pairs.len(), Ordering::Relaxed);
        self.generation.fetch_add(1, Ordering::Release);
    }

    fn partners(&self) -> usize {
        self.present.load(Ordering::Relaxed)
    }

    fn describe(&self) -> String {
        lock(&self.encounter).meeting.describe(self.partners())
    }
}
