//! A lock for what is held for a moment: one atomic operation to take it, none to let it go.
//!
//! A lock that wakes who waits has to ask, with a second atomic operation, whether anybody does. On
//! the way of a sample there are ten locks that nobody waits for, so here whoever does wait looks
//! again by itself: at once, then letting others run, then after naps, which also lets a holder of
//! lower priority come to its end. Who has napped for long is let in before those who come later.
use spin::mutex::{SpinMutex, SpinMutexGuard};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Looks in a row while the holder is likely to run on another processor: some microseconds.
const LOOKS: u32 = 100;
/// Looks between which others run.
const YIELDS: u32 = 10;
/// Between two looks from then on.
const NAP: Duration = Duration::from_micros(50);
/// After so many naps others let one go first.
const NAPS: u32 = 20;
/// For so long: in that time who has waited looks again.
const COURTESY: Duration = Duration::from_micros(200);

/// Holds a value that one thread has at a time.
#[derive(Default)]
pub struct Lock<T> {
    inner: SpinMutex<T>,
    /// How many have waited for long. A hint: nothing goes wrong if somebody sees it late.
    starving: AtomicU32,
}

/// The lock is held while this lives.
pub type Guard<'a, T> = SpinMutexGuard<'a, T>;

impl<T> Lock<T> {
    /// One that is free.
    pub const fn new(value: T) -> Self {
        Self {
            inner: SpinMutex::new(value),
            starving: AtomicU32::new(0),
        }
    }

    /// Waits for the lock. If a holder panics, the lock is free again, and the next one finds the
    /// value as it was left.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        if self.starving.load(Relaxed) == 0
            && let Some(guard) = self.inner.try_lock()
        {
            return guard;
        }
        self.wait()
    }

    /// The value, which nobody else has any more.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.inner.try_lock()
    }

    #[cold]
    fn wait(&self) -> Guard<'_, T> {
        const RESTLESS: u32 = LOOKS + YIELDS;
        const LONG: u32 = RESTLESS + NAPS;
        if self.starving.load(Relaxed) > 0 {
            std::thread::sleep(COURTESY);
        }
        let mut looks = 0;
        loop {
            if !self.inner.is_locked()
                && let Some(guard) = self.inner.try_lock()
            {
                if looks == LONG {
                    self.starving.fetch_sub(1, Relaxed);
                }
                return guard;
            }
            if looks < LONG {
                looks += 1;
                if looks == LONG {
                    self.starving.fetch_add(1, Relaxed);
                }
            }
            match looks {
                0..LOOKS => std::hint::spin_loop(),
                LOOKS..RESTLESS => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
        }
    }
}

// What a panic leaves half done is seen by the next one who takes the lock, as `lock` says, and by
// nobody else.
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
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::Instant;

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
    fn who_takes_it_again_and_again_lets_others_have_it() {
        const TURNS: u64 = 50;
        let (lock, done) = (Lock::new(0_u64), AtomicBool::new(false));
        let taken = thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    let mut taken = lock.lock();
                    *taken += 1;
                    let until = Instant::now() + Duration::from_micros(200);
                    while Instant::now() < until {}
                }
            });
            while *lock.lock() == 0 {}
            (0..TURNS).for_each(|_| drop(lock.lock()));
            done.store(true, Relaxed);
            *lock.lock()
        });
        assert!(taken / TURNS < 500, "{taken} times in {TURNS} turns");
        assert_eq!(lock.starving.load(Relaxed), 0);
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
