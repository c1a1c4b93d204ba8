//! One thread per participant that touches endpoints when time, not data, asks for it.
//!
//! An endpoint is scheduled only if its next time-out is earlier than what it is already scheduled
//! for, so steady traffic neither locks nor wakes anything here: at most once per heartbeat period
//! does the timer look at an endpoint.
use crate::entity::shared::Shared;
use crate::receive::deferred;
use crate::runtime::lock::{LEAF, Ranked};
use crate::send::datagram::Datagrams;
use crate::untyped::reader::ReaderCore;
use crate::untyped::writer::WriterCore;
use dunlin_rtps::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::Thread;

/// Whom a time-out concerns.
pub(crate) enum Due {
    Discovery,
    Writer(Weak<WriterCore>),
    /// Samples that a writer holds back while it is ahead of the network.
    Watch(Weak<WriterCore>),
    Reader(Weak<ReaderCore>),
}

struct Entry(Time, Due);

impl Entry {
    /// Does what is due. An endpoint that was scheduled for an earlier time since has another entry
    /// for it: then this one is void, so that each has one that counts.
    fn look(self, now: Time, shared: &Arc<Shared>, out: &mut Datagrams) {
        let Self(at, due) = self;
        let counts = |scheduled: &AtomicI64| {
            scheduled
                .compare_exchange(at.0, i64::MAX, SeqCst, SeqCst)
                .is_ok()
        };
        match due {
            Due::Discovery if counts(&shared.discovery_scheduled) => shared.discovery_timeout(),
            Due::Writer(writer) => {
                if let Some(writer) = writer.upgrade().filter(|w| counts(&w.scheduled)) {
                    writer.handle_timeout(now, out);
                }
            }
            Due::Watch(writer) => {
                if let Some(writer) = writer.upgrade().filter(|w| counts(&w.watched)) {
                    writer.look();
                }
            }
            Due::Reader(reader) => {
                if let Some(reader) = reader.upgrade().filter(|r| counts(&r.scheduled)) {
                    reader.handle_timeout(now, out);
                }
            }
            Due::Discovery => {}
        }
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

#[derive(Default)]
pub(crate) struct Timer {
    heap: Ranked<BinaryHeap<Reverse<Entry>>, LEAF>,
    /// When the thread will wake by itself.
    wakes: AtomicI64,
    thread: OnceLock<Thread>,
    stopped: AtomicBool,
}

impl Timer {
    /// Has `due` looked at by `at`, unless `scheduled` says that this happens anyway.
    pub(crate) fn schedule(&self, at: Time, scheduled: &AtomicI64, due: impl FnOnce() -> Due) {
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

    /// The body of the timer's thread.
    pub(crate) fn run(&self, shared: &Arc<Shared>) {
        let _ = self.thread.set(std::thread::current());
        let mut out = shared.datagrams();
        while !self.stopped.load(SeqCst) {
            if let Err(next) = self.run_next(shared, &mut out) {
                shared.clock.park(Some(next));
            }
        }
    }

    /// Does what is due first, if anything is; otherwise says when to come again at the latest.
    pub(crate) fn run_next(&self, shared: &Arc<Shared>, out: &mut Datagrams) -> Result<(), Time> {
        let now = shared.clock.now();
        self.pop(now)?.look(now, shared, out);
        // Listeners could hold up other endpoints.
        deferred::leave();
        Ok(())
    }

    /// When something is due next.
    #[cfg(feature = "simulation")]
    pub(crate) fn next_due(&self) -> Option<Time> {
        self.heap.lock().peek().map(|entry| entry.0.0)
    }

    /// What is due, or when the next is.
    fn pop(&self, now: Time) -> Result<Entry, Time> {
        let mut heap = self.heap.lock();
        let next = heap
            .peek()
            .map_or(now.0.saturating_add(1_000_000_000), |e| e.0.0.0);
        self.wakes.store(next, SeqCst);
        if next > now.0 {
            return Err(Time(next));
        }
        heap.pop().map(|e| e.0).ok_or(Time(next))
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}
