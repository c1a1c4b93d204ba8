//! Who is there, where partners come and go while a raw run lives: each thread that sends or
//! receives has a list of its own, which it reads anew only when somebody has come or gone.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::lock;
use crate::clock::{MILLISECOND, Nanos, monotonic};

/// While all partners are there, how often it is checked that they still are.
const CHECK: Nanos = 50 * MILLISECOND;

/// How the two sides of a raw run find each other.
pub(super) trait Meet: Send {
    /// A way to one partner.
    type Way: Way;

    /// Does what can be done without waiting; returns those who have come. `present`: who need not
    /// be called.
    fn poll(&mut self, present: &[u32]) -> Vec<Self::Way>;

    /// One line for a user who waits in vain.
    fn describe(&self, present: usize) -> String;
}

/// A way to one partner.
pub(super) trait Way: Send + Sync {
    /// Who is there.
    fn id(&self) -> u32;

    /// Whether the other process still runs.
    fn lives(&self) -> bool;
}

/// All partners.
pub(super) struct Gathering<M: Meet> {
    expected: usize,
    encounter: Mutex<Encounter<M>>,
    /// Counts the changes of who is there.
    generation: AtomicU32,
    present: AtomicUsize,
}

struct Encounter<M: Meet> {
    meeting: M,
    ways: Vec<Arc<M::Way>>,
    next: Nanos,
}

/// Those who are there, as one thread knows them, with what it remembers about each.
pub(crate) struct Ways<W, T> {
    generation: u32,
    pub(super) list: Vec<(Arc<W>, T)>,
}

impl<W, T> Ways<W, T> {
    pub(super) fn none() -> Self {
        Self {
            generation: 0,
            list: Vec::new(),
        }
    }
}

impl<M: Meet> Gathering<M> {
    /// Nobody yet.
    pub(super) fn new(meeting: M, expected: usize) -> Self {
        Self {
            expected,
            encounter: Mutex::new(Encounter {
                meeting,
                ways: Vec::new(),
                next: 0,
            }),
            generation: AtomicU32::new(0),
            present: AtomicUsize::new(0),
        }
    }

    /// Brings a thread's knowledge up to date.
    #[inline]
    pub(super) fn refresh<T>(&self, ways: &mut Ways<M::Way, T>, fresh: impl Fn(&M::Way) -> T) {
        let generation = self.generation.load(Ordering::Acquire);
        if ways.generation == generation {
            return;
        }
        let mut known = std::mem::take(&mut ways.list);
        for way in &lock(&self.encounter).ways {
            let place = known.iter().position(|(one, _)| Arc::ptr_eq(one, way));
            ways.list.push(match place {
                Some(place) => known.swap_remove(place),
                None => (Arc::clone(way), fresh(way)),
            });
        }
        ways.generation = generation;
    }

    /// Finds partners, and notices those that are gone.
    pub(super) fn tend(&self) {
        // Whoever holds it tends.
        let Ok(mut encounter) = self.encounter.try_lock() else {
            return;
        };
        let Encounter {
            meeting,
            ways,
            next,
        } = &mut *encounter;
        let now = monotonic();
        if now < *next {
            return;
        }
        let before = ways.len();
        ways.retain(|way| way.lives());
        let present: Vec<u32> = ways.iter().map(|way| way.id()).collect();
        let came = meeting.poll(&present);
        if before == ways.len() && came.is_empty() {
            *next = now + if before < self.expected { 0 } else { CHECK };
            return;
        }
        for way in came {
            // A new process with the same id takes the place of the one before.
            ways.retain(|one| one.id() != way.id());
            ways.push(Arc::new(way));
        }
        self.present.store(ways.len(), Ordering::Relaxed);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// How many are there.
    pub(super) fn present(&self) -> usize {
        self.present.load(Ordering::Relaxed)
    }

    /// One line for a user who waits in vain.
    pub(super) fn describe(&self) -> String {
        lock(&self.encounter).meeting.describe(self.present())
    }
}
