//! How a waiting thread learns that something it waits for may have happened.
//!
//! A `Signal` belongs to a wait set or to a thread that waits for room. Raising it costs one store
//! and one load while the waiter runs (it may be spinning, or be the very thread that raises it);
//! only a sleeping waiter is woken.
use crate::runtime::clock::Clock;
use crate::runtime::lock::{LEAF, Ranked};
use dunlin_rtps::Time;
use dunlin_transport::Waker;
use dunlin_transport::panics::quietly;
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::Thread;

enum Sleeper {
    Parked(Thread),
    Receiving(Arc<dyn Waker>),
    /// A function of the application.
    Call(Box<dyn FnOnce() + Send>),
    /// A task of some executor.
    #[cfg(feature = "async")]
    Task(std::task::Waker),
}

/// Raised by whoever changes something, waited for by one thread.
pub(crate) struct Signal {
    /// SeqCst together with `asleep`: either the raiser sees the sleeper, or the sleeper sees the
    /// signal.
    pending: AtomicBool,
    asleep: AtomicBool,
    sleeper: Ranked<Option<Sleeper>, LEAF>,
}

impl Signal {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            pending: AtomicBool::new(false),
            asleep: AtomicBool::new(false),
            sleeper: Ranked::new(None),
        })
    }

    /// Says that something changed.
    pub(crate) fn raise(&self) {
        if self.mark() {
            self.rouse();
        }
    }

    /// As `raise`, but whoever sleeps is left to `rouse`; true if somebody does.
    fn mark(&self) -> bool {
        self.pending.store(true, SeqCst);
        self.asleep.load(SeqCst)
    }

    /// Wakes whoever sleeps.
    #[cold]
    fn rouse(&self) {
        let sleeper = self.sleeper.lock().take();
        match sleeper {
            Some(Sleeper::Parked(thread)) => thread.unpark(),
            Some(Sleeper::Receiving(waker)) => waker.wake(),
            Some(Sleeper::Call(call)) => drop(quietly(call)),
            #[cfg(feature = "async")]
            // What it does is the executor's.
            Some(Sleeper::Task(waker)) => drop(quietly(|| waker.wake())),
            None => {}
        }
    }

    /// True once after each `raise`.
    pub(crate) fn consume(&self) -> bool {
        self.pending.load(SeqCst) && self.pending.swap(false, SeqCst)
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.pending.load(SeqCst)
    }

    /// Sleeps until raised or until the deadline; may return early.
    pub(crate) fn park(&self, clock: &Clock, deadline: Option<Time>) {
        *self.sleeper.lock() = Some(Sleeper::Parked(std::thread::current()));
        self.asleep.store(true, SeqCst);
        if !self.pending.load(SeqCst) {
            clock.park(deadline);
        }
        self.awake();
    }

    /// Runs `receive`, which blocks in a receiver that `waker` can interrupt, unless already
    /// raised.
    pub(crate) fn while_receiving<R>(
        &self,
        waker: Arc<dyn Waker>,
        receive: impl FnOnce() -> Option<R>,
    ) -> Option<R> {
        *self.sleeper.lock() = Some(Sleeper::Receiving(waker));
        self.asleep.store(true, SeqCst);
        let result = if self.pending.load(SeqCst) {
            None
        } else {
            receive()
        };
        self.awake();
        result
    }

    /// Has the task woken when the signal is raised, once; true if it is raised already. The task
    /// looks again afterwards at what it waits for: either it sees the change, or whoever makes it
    /// sees the task.
    #[cfg(feature = "async")]
    pub(crate) fn sleep_task(&self, waker: &std::task::Waker) -> bool {
        let sleeper = Sleeper::Task(waker.clone());
        let old = self.sleeper.lock().replace(sleeper);
        drop(old);
        self.asleep.store(true, SeqCst);
        self.consume()
    }

    /// Has a function called when the signal is raised, once. Whoever asks for it looks again
    /// afterwards at what it waits for, and raises the signal if that is so.
    pub(crate) fn sleep_call(&self, call: Box<dyn FnOnce() + Send>) {
        *self.sleeper.lock() = Some(Sleeper::Call(call));
        self.asleep.store(true, SeqCst);
    }

    fn awake(&self) {
        self.asleep.store(false, SeqCst);
        self.sleeper.lock().take();
    }
}

/// A signal for one wait that is not a wait set's. Signals are used again, but never by two waits
/// at once: a listener that runs within a wait may wait itself.
pub(crate) struct PooledSignal(Arc<Signal>);

thread_local!(static UNUSED: RefCell<Vec<Arc<Signal>>> = const { RefCell::new(Vec::new()) });

impl PooledSignal {
    pub(crate) fn new() -> Self {
        Self(UNUSED.with_borrow_mut(Vec::pop).unwrap_or_else(Signal::new))
    }
}

impl Deref for PooledSignal {
    type Target = Arc<Signal>;
    fn deref(&self) -> &Arc<Signal> {
        &self.0
    }
}

impl Drop for PooledSignal {
    fn drop(&mut self) {
        self.0.consume();
        UNUSED.with_borrow_mut(|unused| unused.push(Arc::clone(&self.0)));
    }
}

/// Those who want to hear of a change.
pub(crate) struct Waiters {
    count: AtomicUsize,
    signals: Ranked<Vec<Arc<Signal>>, LEAF>,
}

impl<T: Default, const RANK: u8> Default for Ranked<T, RANK> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl Default for Waiters {
    fn default() -> Self {
        Self::new()
    }
}

impl Waiters {
    pub(crate) const fn new() -> Self {
        Self {
            count: AtomicUsize::new(0),
            signals: Ranked::new(Vec::new()),
        }
    }

    pub(crate) fn add(&self, signal: &Arc<Signal>) {
        self.signals.lock().push(Arc::clone(signal));
        self.count.fetch_add(1, SeqCst);
    }

    pub(crate) fn remove(&self, signal: &Arc<Signal>) {
        let mut signals = self.signals.lock();
        if let Some(index) = signals.iter().position(|s| Arc::ptr_eq(s, signal)) {
            signals.swap_remove(index);
            self.count.fetch_sub(1, SeqCst);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(SeqCst) == 0
    }

    /// Raises every signal.
    pub(crate) fn raise_all(&self) {
        if self.is_empty() {
            return;
        }
        let signals = self.signals.lock();
        let mut asleep = false;
        for signal in signals.iter() {
            asleep |= signal.mark();
        }
        drop(signals);
        if asleep {
            self.rouse_all();
        }
    }

    /// Wakes those who sleep: outside the list's lock, which has the same rank as a signal's own,
    /// so others may leave meanwhile. `remove` puts the last one into their place, which is still
    /// ahead when the way is downward.
    #[cold]
    fn rouse_all(&self) {
        let count = self.signals.lock().len();
        for index in (0..count).rev() {
            let signal = self.signals.lock().get(index).cloned();
            if let Some(signal) = signal {
                signal.rouse();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_qos::Duration;

    #[test]
    fn a_raised_signal_wakes_a_parked_thread() {
        let signal = Signal::new();
        let other = Arc::clone(&signal);
        let thread = std::thread::spawn(move || {
            let clock = Clock::System;
            let deadline = clock.now().after(Duration::from_secs(10));
            while !other.consume() && clock.now() < deadline {
                other.park(&clock, Some(deadline));
            }
            clock.now() < deadline
        });
        signal.raise();
        assert!(thread.join().unwrap());
    }

    #[test]
    fn waiters_hear_of_a_change_until_they_leave() {
        let waiters = Waiters::default();
        let (a, b) = (Signal::new(), Signal::new());
        waiters.add(&a);
        waiters.add(&b);
        waiters.raise_all();
        assert!(a.consume() && b.consume() && !a.consume());
        waiters.remove(&a);
        waiters.raise_all();
        assert!(!a.consume() && b.consume());
    }

    #[test]
    fn one_who_leaves_at_once_makes_nobody_miss_a_change() {
        struct Leaver(Arc<Waiters>, Arc<Signal>);
        impl Waker for Leaver {
            fn wake(&self) {
                self.0.remove(&self.1);
            }
        }
        for place in 0..3 {
            let waiters = Arc::new(Waiters::default());
            let signals = [Signal::new(), Signal::new(), Signal::new()];
            signals.iter().for_each(|signal| waiters.add(signal));
            let leaver = &signals[place];
            let waker: Arc<dyn Waker> = Arc::new(Leaver(Arc::clone(&waiters), Arc::clone(leaver)));
            leaver.while_receiving(waker, || {
                waiters.raise_all();
                None::<()>
            });
            assert!(signals.iter().all(|signal| signal.consume()), "{place}");
        }
    }
}
