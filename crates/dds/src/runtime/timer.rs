//! A queue of what is due, and the thread that waits for it.
//!
//! Something is scheduled only if its next time-out is earlier than what it is already scheduled
//! for, so steady traffic neither locks nor wakes anything here: at most once per heartbeat period
//! does the timer look at an endpoint.
use crate::runtime::clock::Clock;
use crate::runtime::lock::{LEAF, Ranked};
use dunlin_rtps::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use std::thread::Thread;

struct Entry<D>(Time, D);

impl<D> PartialEq for Entry<D> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<D> Eq for Entry<D> {}
impl<D> PartialOrd for Entry<D> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<D> Ord for Entry<D> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

/// One thread per participant, which does each `D` when it is due.
pub(crate) struct Timer<D> {
    heap: Ranked<BinaryHeap<Reverse<Entry<D>>>, LEAF>,
    /// When the thread will wake by itself.
    wakes: AtomicI64,
    thread: OnceLock<Thread>,
    stopped: AtomicBool,
}

impl<D> Default for Timer<D> {
    fn default() -> Self {
        Self {
            heap: Ranked::default(),
            wakes: AtomicI64::new(0),
            thread: OnceLock::new(),
            stopped: AtomicBool::new(false),
        }
    }
}

impl<D> Timer<D> {
    /// Has `due` looked at by `at`, unless `scheduled` says that this happens anyway, as it mostly
    /// does: whoever asks pays for nothing else then.
    #[inline]
    pub(crate) fn schedule(&self, at: Time, scheduled: &AtomicI64, due: impl FnOnce() -> D) {
        if at.0 < scheduled.load(SeqCst) {
            self.schedule_earlier(at, scheduled, due);
        }
    }

    #[inline(never)]
    fn schedule_earlier(&self, at: Time, scheduled: &AtomicI64, due: impl FnOnce() -> D) {
        let earlier = |current| (at.0 < current).then_some(at.0);
        if scheduled.fetch_update(SeqCst, SeqCst, earlier).is_err() {
            return;
        }
        self.heap.lock().push(Reverse(Entry(at, due())));
        if at.0 < self.wakes.load(SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// The body of the timer's thread. `run_next` does what is due first, if anything is; otherwise
    /// it says when to come again at the latest.
    pub(crate) fn serve(&self, clock: &Clock, mut run_next: impl FnMut() -> Result<(), Time>) {
        let _ = self.thread.set(std::thread::current());
        while !self.stopped.load(SeqCst) {
            if let Err(next) = run_next() {
                clock.park(Some(next));
            }
        }
    }

    /// When something is due next.
    #[cfg(feature = "simulation")]
    pub(crate) fn next_due(&self) -> Option<Time> {
        self.heap.lock().peek().map(|entry| entry.0.0)
    }

    /// What is due and since when, or when the next is.
    pub(crate) fn pop(&self, now: Time) -> Result<(Time, D), Time> {
        let mut heap = self.heap.lock();
        let next = heap
            .peek()
            .map_or(now.0.saturating_add(1_000_000_000), |e| e.0.0.0);
        self.wakes.store(next, SeqCst);
        if next > now.0 {
            return Err(Time(next));
        }
        let Reverse(Entry(at, due)) = heap.pop().ok_or(Time(next))?;
        Ok((at, due))
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}
