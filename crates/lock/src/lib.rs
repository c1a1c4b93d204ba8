//! A lock for what is held for a moment: one atomic operation to take it, none to let it go.
//!
//! A lock that wakes who waits has to ask, with a second atomic operation, whether anybody does. On the way of a sample there are ten
//! locks that nobody waits for, so here whoever does wait looks again by itself: at once, then letting others run, then after
//! naps, which also lets a holder of lower priority come to its end.
use spin::mutex::{SpinMutex, SpinMutexGuard};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

/// Looks in a row while the holder is likely to run on another processor: some microseconds.
const LOOKS: u32 = 100;
/// Looks between which others run.
const YIELDS: u32 = 10;
/// Between two looks from then on.
const NAP: Duration = Duration::from_micros(50);

/// Holds a value that one thread has at a time.
#[derive(Default)]
pub struct Lock<T>(SpinMutex<T>);

/// The lock is held while this lives.
pub type Guard<'a, T> = SpinMutexGuard<'a, T>;

impl<T> Lock<T> {
    /// One that is free.
    pub const fn new(value: T) -> Self {
        Self(SpinMutex::new(value))
    }

    /// Waits for the lock. If a holder panics, the lock is free again, and the next one finds the value as it was left.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        match self.0.try_lock() {
            Some(guard) => guard,
            None => self.wait(),
        }
    }

    /// The value, which nobody else has any more.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.0.try_lock()
    }

    #[cold]
    fn wait(&self) -> Guard<'_, T> {
        let mut looks = 0;
        loop {
            if !self.0.is_locked()
                && let Some(guard) = self.0.try_lock()
            {
                return guard;
            }
            looks = (looks + 1).min(LOOKS + YIELDS);
            if looks < LOOKS {
                std::hint::spin_loop();
            } else if looks < LOOKS + YIELDS {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }
}

// What a panic leaves half done is seen by the next one who takes the lock, as `lock` says, and by nobody else.
impl<T> UnwindSafe for Lock<T> {}
impl<T> RefUnwindSafe for Lock<T> {}

impl<T> fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_thread_at_a_time() {
        let lock = Lock::new((0, 0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let mut pair = lock.lock();
                        pair.0 += 1;
                        assert_eq!(pair.0, pair.1 + 1);
                        pair.1 += 1;
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), (40_000, 40_000));
    }

    #[test]
    fn who_waits_long_gets_it() {
        let lock = Lock::new(0);
        let held = lock.lock();
        assert!(lock.try_lock().is_none());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| *lock.lock());
            thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            drop(held);
            assert_eq!(waiting.join().ok(), Some(0));
        });
    }

    #[test]
    fn a_panic_lets_it_go() {
        let lock = Lock::new(1);
        let outcome = std::panic::catch_unwind(|| {
            let mut value = lock.lock();
            *value = 2;
            panic!("on purpose");
        });
        assert!(outcome.is_err());
        assert_eq!(lock.try_lock().map(|value| *value), Some(2));
    }
}
