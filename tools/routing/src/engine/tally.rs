//! Counters of an input or output.
use super::lock;
use crate::clock::Clock;
use crate::state::Counters;
use dunlin::ChangeKind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Counted by the thread that works the route, read by any.
#[derive(Debug)]
pub(crate) struct Tally {
    samples: AtomicU64,
    bytes: AtomicU64,
    disposes: AtomicU64,
    unregisters: AtomicU64,
    pub(crate) duplicates: AtomicU64,
    pub(crate) held_back: AtomicU64,
    pub(crate) dropped_full: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) cut_through: AtomicU64,
    pub(crate) cut_short: AtomicU64,
    pub(crate) backlog: AtomicU64,
    pub(crate) backlog_bytes: AtomicU64,
    /// Since when nothing has passed although something waits.
    still: Mutex<Option<Duration>>,
    clock: Clock,
}

/// Adds without the cost of an atomic addition: nobody else writes.
pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(count), Relaxed);
}

impl Tally {
    /// Nothing has passed yet.
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            samples: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            disposes: AtomicU64::new(0),
            unregisters: AtomicU64::new(0),
            duplicates: AtomicU64::new(0),
            held_back: AtomicU64::new(0),
            dropped_full: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            cut_through: AtomicU64::new(0),
            cut_short: AtomicU64::new(0),
            backlog: AtomicU64::new(0),
            backlog_bytes: AtomicU64::new(0),
            still: Mutex::default(),
            clock,
        }
    }

    /// A change passed.
    pub(crate) fn note(&self, kind: ChangeKind, bytes: usize) {
        match kind {
            ChangeKind::Alive => add(&self.samples, 1),
            ChangeKind::Disposed => add(&self.disposes, 1),
            ChangeKind::Unregistered | ChangeKind::DisposedUnregistered => {
                add(&self.unregisters, 1);
            }
        }
        add(&self.bytes, bytes as u64);
    }

    /// All changes that passed.
    pub(crate) fn passed(&self) -> u64 {
        let all = [&self.samples, &self.disposes, &self.unregisters];
        all.iter().map(|counter| counter.load(Relaxed)).sum()
    }

    /// Something waits since now, or something of what waits has passed just now.
    #[cold]
    pub(crate) fn note_still(&self, waits: bool) {
        *lock(&self.still) = waits.then(|| self.clock.now());
    }

    /// For how long nothing has passed although something waits.
    pub(crate) fn still(&self) -> Option<Duration> {
        lock(&self.still).map(|since| self.clock.now().saturating_sub(since))
    }

    /// As they are now.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            samples: self.samples.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            disposes: self.disposes.load(Relaxed),
            unregisters: self.unregisters.load(Relaxed),
            duplicates: self.duplicates.load(Relaxed),
            held_back: self.held_back.load(Relaxed),
            dropped_full: self.dropped_full.load(Relaxed),
            failed: self.failed.load(Relaxed),
            cut_through: self.cut_through.load(Relaxed),
            cut_short: self.cut_short.load(Relaxed),
            backlog: self.backlog.load(Relaxed),
            backlog_bytes: self.backlog_bytes.load(Relaxed),
            given_up: 0,
        }
    }
}
