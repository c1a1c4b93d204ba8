//! Changes that wait for room in an output, in order and within bounds.
use crate::plan;
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::{ChangeKind, SetPlace};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A change that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) kind: ChangeKind,
    pub(crate) payload: Bytes,
    pub(crate) options: WriteOptions,
    /// Where it stands in its source's coherent sets.
    pub(crate) set: SetPlace,
    /// Nothing of its set follows.
    pub(crate) ends_set: bool,
}

/// Bytes that wait in all backlogs of a service.
#[derive(Debug)]
pub(crate) struct Budget {
    most: AtomicUsize,
    used: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let most = AtomicUsize::new(most);
        let used = AtomicUsize::new(0);
        Arc::new(Self { most, used })
    }

    /// Has another bound from now on.
    pub(crate) fn resize(&self, most: usize) {
        self.most.store(most, Relaxed);
    }

    fn is_exhausted(&self) -> bool {
        self.used.load(Relaxed) >= self.most.load(Relaxed)
    }
}

/// The backlog of an output.
#[derive(Debug)]
pub(crate) struct Backlog {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    bounds: plan::Backlog,
    budget: Arc<Budget>,
}

impl Backlog {
    pub(crate) fn new(bounds: plan::Backlog, budget: &Arc<Budget>) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            bounds,
            budget: Arc::clone(budget),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The next one.
    pub(crate) fn front(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// The last one.
    pub(crate) fn back_mut(&mut self) -> Option<&mut Waiting> {
        self.waiting.back_mut()
    }

    /// How many more may come: what was taken already is put in even beyond the bound of bytes.
    pub(crate) fn room(&self) -> usize {
        let full = self.bytes >= self.bounds.bytes
            || self.budget.is_exhausted() && !self.waiting.is_empty();
        match full {
            true => 0,
            false => self.bounds.samples.saturating_sub(self.waiting.len()),
        }
    }

    pub(crate) fn push(&mut self, change: Waiting) {
        self.bytes += change.payload.len();
        self.budget.used.fetch_add(change.payload.len(), Relaxed);
        self.waiting.push_back(change);
    }

    /// The first one was written or given up.
    pub(crate) fn pop(&mut self) {
        if let Some(change) = self.waiting.pop_front() {
            self.bytes -= change.payload.len();
            self.budget.used.fetch_sub(change.payload.len(), Relaxed);
        }
    }
}

impl Drop for Backlog {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(length: usize) -> Waiting {
        Waiting {
            kind: ChangeKind::Alive,
            payload: vec![0; length].into(),
            options: WriteOptions::default(),
            set: SetPlace::Outside,
            ends_set: false,
        }
    }

    #[test]
    fn samples_and_bytes_and_the_budget_bound_it() {
        let budget = Budget::new(100);
        let bounds = |samples, bytes| plan::Backlog { samples, bytes };
        let mut one = Backlog::new(bounds(3, 50), &budget);
        assert_eq!(one.room(), 3);
        one.push(waiting(10));
        assert_eq!(one.room(), 2);
        one.push(waiting(40));
        assert_eq!((one.room(), one.bytes(), one.len()), (0, 50, 2));
        one.pop();
        assert_eq!(one.room(), 2);
        let mut two = Backlog::new(bounds(9, 900), &budget);
        two.push(waiting(60));
        // Both together have used the budget; one that is empty takes a sample all the same, so
        // that no route starves.
        assert_eq!((one.room(), two.room()), (0, 0));
        let three = Backlog::new(bounds(9, 900), &budget);
        assert_eq!(three.room(), 9);
        drop(two);
        assert_eq!(one.room(), 2);
        drop(one);
        assert_eq!(budget.used.load(Relaxed), 0);
    }
}
