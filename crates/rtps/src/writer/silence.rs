//! Reliable readers that have never said anything.
//!
//! Anybody who is known may announce a reliable reader that never acknowledges; so may an honest
//! one whose answers are dropped on the way. It holds up a writer with limits only for
//! `WriterConfig::silent_after`, counted from the first change that it was asked for. After that it
//! is sent what is written, is asked seldom, and nothing is kept for it. If it speaks after all, it
//! is as one that joins then.
use super::Writer;
use super::reader_proxy::ReaderProxy;
use crate::{Outbox, Time};
use alloc::vec::Vec;
use dunlin_qos::{Durability, Duration};

/// A reader that is not waited for is asked at most so often, and only while something is written.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// The readers that are not waited for.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// There are some.
    pub(super) any: bool,
    /// They were last asked then.
    asked: Option<Time>,
}

impl ReaderProxy {
    /// Nothing is let go before it has acknowledged it.
    pub(super) fn is_waited_for(&self) -> bool {
        self.config.reliable && !self.silent
    }
}

impl Writer {
    /// Waits no more for readers that have been silent for too long; true if that makes room.
    pub(super) fn pass_over_silent(&mut self, now: Time) -> bool {
        let after = self.config.silent_after;
        if after.is_infinite() {
            return false;
        }
        let mut passed = false;
        for proxy in self.readers.iter_mut().filter(|r| r.is_waited_for()) {
            let waited = proxy.progress.waits_for_first_word(now);
            proxy.silent = waited.is_some_and(|waited| waited >= after);
            passed |= proxy.silent;
        }
        if !passed {
            return false;
        }
        self.silence.asked = Some(now);
        self.readers_changed();
        self.settle()
    }

    /// A reader that was passed over speaks: it is waited for again, from what is still there on.
    pub(super) fn heed(&mut self, index: usize) {
        let Some(proxy) = self.readers.get(index) else {
            return;
        };
        let first = match proxy.config.durability {
            durability if self.is_transient() && durability != Durability::Volatile => {
                self.first_for(durability)
            }
            // What others lack is kept, and so is there for it.
            _ => self.acknowledged.saturating_add(1),
        };
        if let Some(proxy) = self.readers.get_mut(index) {
            proxy.silent = false;
            proxy.start = proxy.start.max(first);
            proxy.acknowledged = proxy.acknowledged.max(proxy.start - 1);
        }
        self.readers_changed();
        self.settle();
    }

    /// Something was written: whoever is silent may be asked again.
    #[cold]
    pub(super) fn ask_silent(&mut self, now: Time, out: &mut impl Outbox) {
        let asked = self.silence.asked;
        if asked.is_some_and(|at| now.since(at) < ASK_AGAIN) {
            return;
        }
        self.silence.asked = Some(now);
        let silent = self.readers.iter().filter(|r| r.silent);
        let to: Vec<_> = silent.map(|r| (r.config.guid, r.wanted_from())).collect();
        for only in to {
            self.push_heartbeat(Some(only), false, false, out);
        }
    }
}
