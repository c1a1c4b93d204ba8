//! Locks with a rank: a thread may only lock upward, and debug builds panic when it does not.
//!
//! The table of ranks and what each lock guards is `docs/locks.md`.
use dunlin_lock::Lock;
use std::ops::{Deref, DerefMut};

/// Rank of the lock over known peers, matching and the entity tree.
pub(crate) const DISCOVERY: u8 = 1;
/// Rank of a writer's turn to publish.
pub(crate) const PUBLISH: u8 = 2;
/// Rank of a writer's protocol state.
pub(crate) const WRITER: u8 = 3;
/// Rank of what a subscriber's readers have in common.
pub(crate) const GATE: u8 = 4;
/// Rank of a reader's protocol state.
pub(crate) const READER: u8 = 5;
/// Rank of leaves: statuses, wait sets, snapshots, the timer's heap.
pub(crate) const LEAF: u8 = 6;

/// A lock of rank `RANK`.
pub(crate) struct Ranked<T, const RANK: u8>(Lock<T>);

impl<T, const RANK: u8> Ranked<T, RANK> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Lock::new(value))
    }

    /// Waits for the lock. A panic of an earlier holder does not spread: user code never runs under
    /// these locks.
    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, T, RANK> {
        held::check::<RANK>();
        let guard = self.0.lock();
        held::enter::<RANK>();
        Guard(guard)
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T, RANK>> {
        held::check::<RANK>();
        let guard = self.0.try_lock()?;
        held::enter::<RANK>();
        Some(Guard(guard))
    }
}

/// The lock is held while this lives.
pub(crate) struct Guard<'a, T, const RANK: u8>(dunlin_lock::Guard<'a, T>);

impl<T, const RANK: u8> Deref for Guard<'_, T, RANK> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T, const RANK: u8> DerefMut for Guard<'_, T, RANK> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T, const RANK: u8> Drop for Guard<'_, T, RANK> {
    fn drop(&mut self) {
        held::leave::<RANK>();
    }
}

#[cfg(debug_assertions)]
mod held {
    use std::cell::Cell;
    thread_local!(static RANKS: Cell<u32> = const { Cell::new(0) });

    pub(super) fn check<const RANK: u8>() {
        let ranks = RANKS.get();
        assert!(
            ranks >> RANK == 0,
            "lock of rank {RANK} wanted while holding ranks {ranks:#b}"
        );
    }

    pub(super) fn enter<const RANK: u8>() {
        RANKS.set(RANKS.get() | 1 << RANK);
    }

    pub(super) fn leave<const RANK: u8>() {
        RANKS.set(RANKS.get() & !(1 << RANK));
    }

    /// True while this thread holds any ranked lock: user code must not run then.
    pub(crate) fn any() -> bool {
        RANKS.get() != 0
    }
}

#[cfg(not(debug_assertions))]
mod held {
    pub(super) fn check<const RANK: u8>() {}
    pub(super) fn enter<const RANK: u8>() {}
    pub(super) fn leave<const RANK: u8>() {}
    pub(crate) fn any() -> bool {
        false
    }
}

/// Panics in debug builds if this thread holds a lock; called right before user code runs.
pub(crate) fn assert_none_held() {
    debug_assert!(!held::any(), "user code must not run under a lock");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_upward_only() {
        let low = Ranked::<_, DISCOVERY>::new(1);
        let high = Ranked::<_, LEAF>::new(2);
        {
            let a = low.lock();
            let b = high.lock();
            assert_eq!(*a + *b, 3);
        }
        let outcome = std::panic::catch_unwind(|| {
            let _b = high.lock();
            let _a = low.lock();
        });
        assert_eq!(outcome.is_err(), cfg!(debug_assertions));
    }
}
