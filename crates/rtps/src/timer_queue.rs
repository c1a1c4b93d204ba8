//! What is due when.
use crate::Time;
use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

/// Appointments, earliest first.
pub(crate) struct TimerQueue<K>(BinaryHeap<Reverse<(Time, K)>>);

impl<K: Ord> Default for TimerQueue<K> {
    fn default() -> Self {
        Self(BinaryHeap::new())
    }
}

impl<K: Ord + Copy> TimerQueue<K> {
    pub(crate) fn add(&mut self, at: Time, what: K) {
        self.0.push(Reverse((at, what)));
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Time> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// The next one that is due by `now`.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, K)> {
        if self.next()? > now {
            return None;
        }
        self.0.pop().map(|Reverse(appointment)| appointment)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Strikes out what is pointless.
    pub(crate) fn retain(&mut self, keep: impl Fn(Time, K) -> bool) {
        self.0.retain(|Reverse((at, what))| keep(*at, *what));
    }
}
