//! Calls of listeners: a panic in one ends that call alone, and whoever takes a listener away can
//! wait until none runs.
//!
//! A listener for data is called by whichever thread receives, one call at a time. All other calls
//! are rare, and are noted in a list.
use crate::runtime::clock::Clock;
use crate::runtime::lock::{Guard, LEAF, Ranked, assert_none_held};
use crate::runtime::signal::{PooledSignal, Waiters};
use crate::send::coalescing::this_thread;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_transport::panics::{catch, log, quietly};
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

/// Raised when a call has ended.
static OVER: Waiters = Waiters::new();
/// Which thread waits for the end of a call in which other.
static WAITING: Ranked<Vec<(usize, usize)>, LEAF> = Ranked::new(Vec::new());
/// Who waits for the end of a call looks so often in any case.
const LOOK: Duration = Duration::from_millis(10);
/// Entities whose panics were told; those of further ones are only counted.
const MOST_TOLD: usize = 1024;

/// A listener as it was given to an entity. Clones are the same.
pub(crate) struct Listener<L: ?Sized> {
    /// There until it is dropped.
    code: Option<Arc<L>>,
    /// Tells it from those before and after it.
    id: u64,
}

impl<L: ?Sized> Listener<L> {
    pub(crate) fn new(code: Arc<L>) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            code: Some(code),
            id: LAST.fetch_add(1, Relaxed) + 1,
        }
    }

    /// A part of the listener with this id.
    pub(crate) fn as_part_of(id: u64, code: Arc<L>) -> Self {
        let code = Some(code);
        Self { code, id }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The same one, called in another way.
    pub(crate) fn map<M: ?Sized>(self, wrap: impl FnOnce(Arc<L>) -> Arc<M>) -> Option<Listener<M>> {
        let mut this = self;
        let id = this.id;
        let code = this.code.take()?;
        Some(Listener {
            code: Some(wrap(code)),
            id,
        })
    }

    pub(crate) fn code(&self) -> Option<&L> {
        self.code.as_deref()
    }
}

impl<L: ?Sized> Clone for Listener<L> {
    fn clone(&self) -> Self {
        Self {
            code: self.code.clone(),
            id: self.id,
        }
    }
}

impl<L: ?Sized> Drop for Listener<L> {
    fn drop(&mut self) {
        // What it owns is the application's.
        if let Some(code) = self.code.take() {
            quietly(|| drop(code));
        }
    }
}

/// Whose turn it is to call a listener for data.
pub(crate) struct Dispatch<L: ?Sized>(Ranked<State<L>, LEAF>);

struct State<L: ?Sized> {
    /// It is away while it is called: taken and brought back, it need not be counted.
    listener: Option<Listener<L>>,
    /// How often it was replaced: one that was meanwhile is not brought back.
    replaced: u64,
    /// Which listener is called, and in which thread.
    calling: Option<(u64, usize)>,
    /// Another call is due.
    again: bool,
    times: Times,
}

/// One call in so many is timed, the first one among them: a clock that is read for each would cost
/// more than many a listener.
const TIMED: u32 = 16;
/// A call that takes longer is slow. The clock that is read ticks each 4 ms or more often.
pub(crate) const SLOW: Duration = Duration::from_millis(10);

/// How long some of the calls took.
#[derive(Default)]
struct Times {
    calls: u32,
    /// What they take: the newest counts a quarter.
    usual: Option<Duration>,
}

impl Times {
    /// When the call begins that is about to be made, if it is timed.
    fn begin(&mut self) -> Option<Time> {
        let timed = self.calls.is_multiple_of(TIMED);
        self.calls = self.calls.wrapping_add(1);
        timed.then(|| Clock::System.coarse())
    }

    fn end(&mut self, took: Duration) {
        let usual = match self.usual {
            None => took.as_nanos(),
            Some(usual) => usual.as_nanos() / 4 * 3 + took.as_nanos() / 4,
        };
        self.usual = Some(Duration::from_nanos(usual));
    }
}

/// The listener is called while this lives; a panic that nobody has caught brings it back, too.
struct Calling<'a, L: ?Sized> {
    calls: &'a Dispatch<L>,
    listener: Option<Listener<L>>,
    replaced: u64,
    /// When it began, if it is timed.
    began: Option<Time>,
}

impl<L: ?Sized> Default for Dispatch<L> {
    fn default() -> Self {
        Self(Ranked::new(State {
            listener: None,
            replaced: 0,
            calling: None,
            again: false,
            times: Times::default(),
        }))
    }
}

impl<L: ?Sized> Dispatch<L> {
    /// From now on this one is called; the old one is given back, for what it owns may be an
    /// entity, unless it is away.
    #[must_use]
    pub(crate) fn replace(&self, listener: Option<Listener<L>>) -> Option<Listener<L>> {
        let mut state = self.0.lock();
        state.replaced += 1;
        state.times = Times::default();
        std::mem::replace(&mut state.listener, listener)
    }

    #[cfg(test)]
    fn call(&self, call: impl Fn(&L)) {
        self.call_up_to(u32::MAX, &AtomicU64::new(0), call);
    }

    /// How long a call of the listener takes; `None` before the first.
    pub(crate) fn usual_time(&self) -> Option<Duration> {
        self.0.lock().times.usual
    }

    /// As often as need be, but not more often than `most`; false if another call is due then.
    /// Calls the listener, if there is one, without any lock. If another thread is in it, or this
    /// one further up its stack, that call is followed by another instead.
    ///
    /// `slow` counts calls that were timed and found to be slow.
    pub(crate) fn call_up_to(&self, most: u32, slow: &AtomicU64, call: impl Fn(&L)) -> bool {
        for _ in 0..most {
            let Some(mut calling) = self.begin() else {
                return true;
            };
            if let Some(code) = calling.listener.as_ref().and_then(Listener::code) {
                call(code);
            }
            if let Some(began) = calling.began {
                calling.time(began, slow);
            }
            if !calling.end() {
                return true;
            }
        }
        false
    }

    #[inline]
    fn begin(&self) -> Option<Calling<'_, L>> {
        let mut state = self.0.lock();
        if state.calling.is_some() {
            state.again = true;
            return None;
        }
        let listener = state.listener.take()?;
        state.calling = Some((listener.id, this_thread()));
        let began = state.times.begin();
        Some(Calling {
            began,
            calls: self,
            listener: Some(listener),
            replaced: state.replaced,
        })
    }

    /// Another thread than `but` that calls the listener with this id, or any.
    pub(crate) fn thread_in(&self, id: Option<u64>, but: usize) -> Option<usize> {
        let (listener, thread) = self.0.lock().calling?;
        (thread != but && id.is_none_or(|id| id == listener)).then_some(thread)
    }
}

impl<L: ?Sized> Calling<'_, L> {
    /// The call that began then is over.
    #[cold]
    fn time(&self, began: Time, slow: &AtomicU64) {
        let took = Clock::System.coarse().since(began);
        self.calls.0.lock().times.end(took);
        if took >= SLOW {
            slow.fetch_add(1, Relaxed);
        }
    }

    /// True if another call is due.
    #[inline]
    fn end(&mut self) -> bool {
        let Some(listener) = self.listener.take() else {
            return false;
        };
        let mut state = self.calls.0.lock();
        let again = std::mem::take(&mut state.again);
        if state.replaced == self.replaced {
            state.listener = Some(listener);
        } else {
            state = self.drop_replaced(listener, state);
        }
        state.calling = None;
        drop(state);
        OVER.raise_all();
        again
    }
}

impl<'a, L: ?Sized> Calling<'a, L> {
    /// The end of a listener that was replaced may run code of the application, which is part of
    /// the call.
    #[cold]
    fn drop_replaced(
        &self,
        listener: Listener<L>,
        state: Guard<'a, State<L>, LEAF>,
    ) -> Guard<'a, State<L>, LEAF> {
        drop(state);
        drop(listener);
        self.calls.0.lock()
    }
}

impl<L: ?Sized> Drop for Calling<'_, L> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The calls of listeners that run in a participant, beside those for data.
#[derive(Default)]
pub(crate) struct Running(Ranked<Vec<Call>, LEAF>);

struct Call {
    number: u64,
    entity: Guid,
    /// The listener's id; 0 while it is still looked for.
    listener: u64,
    thread: usize,
}

/// Which calls somebody waits for.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Those of the listener with this id.
    Listener(u64),
    /// Those that are about this entity.
    Entity(Guid),
}

/// A call runs while this lives. It begins before its listener is looked for: who takes the
/// listener away sees either the call, or that it does not find the listener.
pub(crate) struct Run<'a> {
    running: &'a Running,
    number: u64,
}

impl Running {
    /// A call about an entity begins.
    pub(crate) fn begin(&self, entity: Guid) -> Run<'_> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Relaxed) + 1;
        self.0.lock().push(Call {
            number,
            entity,
            listener: 0,
            thread: this_thread(),
        });
        Run {
            running: self,
            number,
        }
    }

    /// Another thread than `but` that is in such a call.
    pub(crate) fn thread_in(&self, of: Of, but: usize) -> Option<usize> {
        let is_one = |call: &&Call| {
            call.thread != but
                && match of {
                    Of::Listener(id) => call.listener == id || call.listener == 0,
                    Of::Entity(entity) => call.entity == entity,
                }
        };
        let calls = self.0.lock();
        calls.iter().find(is_one).map(|call| call.thread)
    }
}

impl Run<'_> {
    /// It is this listener that is called.
    pub(crate) fn calls(&self, listener: u64) {
        let mut calls = self.running.0.lock();
        let call = calls.iter_mut().find(|call| call.number == self.number);
        call.into_iter().for_each(|call| call.listener = listener);
        drop(calls);
        OVER.raise_all();
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.running
            .0
            .lock()
            .retain(|call| call.number != self.number);
        OVER.raise_all();
    }
}

/// Waits until `other`, which is given the calling thread, finds no other thread in a call. Not for
/// a thread that waits here for the calling one, or for one that does: of two listeners that take
/// each other away, one does not wait. A thread that ends by a panic does not wait either.
pub(crate) fn wait_until_over(other: impl Fn(usize) -> Option<usize>) {
    assert_none_held();
    let this = this_thread();
    if other(this).is_none() || std::thread::panicking() {
        return;
    }
    let signal = PooledSignal::new();
    OVER.add(&signal);
    while let Some(thread) = other(this)
        && let Some(_wait) = Wait::new(this, thread)
    {
        let clock = Clock::System;
        signal.park(&clock, Some(clock.now().after(LOOK)));
        signal.consume();
    }
    OVER.remove(&signal);
}

/// A thread waits for another while this lives.
struct Wait(usize);

impl Wait {
    /// `None` if the other one waits for this one already.
    fn new(this: usize, thread: usize) -> Option<Self> {
        let mut waiting = WAITING.lock();
        let mut last = thread;
        // Each thread waits for one other, and never in a circle.
        while let Some((_, next)) = waiting.iter().find(|(waits, _)| *waits == last) {
            last = *next;
            if last == this {
                return None;
            }
        }
        waiting.push((this, thread));
        Some(Self(this))
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        WAITING.lock().retain(|(waits, _)| *waits != self.0);
    }
}

/// Panics of callbacks that were caught.
#[derive(Default)]
pub(crate) struct Panics {
    count: AtomicU64,
    /// Of which entities they were told.
    told: Ranked<Vec<Guid>, LEAF>,
}

impl Panics {
    pub(crate) fn count(&self) -> u64 {
        self.count.load(SeqCst)
    }

    /// Makes a call of the application's code; `callback` is what it is called, `describe` names
    /// the entity that it is about.
    #[inline]
    pub(crate) fn call(
        &self,
        entity: Guid,
        describe: impl FnOnce() -> String,
        callback: &str,
        code: impl FnOnce(),
    ) {
        if let Err(message) = catch(code) {
            self.note(entity, describe, callback, &message);
        }
    }

    #[cold]
    fn note(&self, entity: Guid, describe: impl FnOnce() -> String, callback: &str, message: &str) {
        self.count.fetch_add(1, SeqCst);
        if self.is_first(entity) {
            let entity = describe();
            log::error!(
                entity,
                callback,
                message,
                "a listener has panicked: that call has ended, and later ones are made (said once for each entity)"
            );
        }
    }

    fn is_first(&self, entity: Guid) -> bool {
        let mut told = self.told.lock();
        let first = told.len() < MOST_TOLD && !told.contains(&entity);
        if first {
            told.push(entity);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    fn listener<L: ?Sized>(code: impl Into<Arc<L>>) -> Option<Listener<L>> {
        Some(Listener::new(code.into()))
    }

    #[test]
    fn a_call_within_a_call_follows_it() {
        let calls = Dispatch::<Mutex<u32>>::default();
        calls.call(|_| unreachable!("there is no listener"));
        assert!(calls.replace(listener(Mutex::default())).is_none());
        for _ in 0..2 {
            calls.call(|count| {
                let count = {
                    let mut count = count.lock().unwrap();
                    *count += 1;
                    *count
                };
                if count % 3 != 0 {
                    calls.call(|_| unreachable!("calls overlap"));
                }
            });
        }
        let listener = calls.replace(None).unwrap();
        assert_eq!(*listener.code().unwrap().lock().unwrap(), 6);
    }

    #[test]
    fn who_has_something_else_to_do_calls_not_for_ever() {
        let calls = Dispatch::<()>::default();
        assert!(calls.replace(listener(())).is_none());
        let again = |()| calls.call(|()| unreachable!("calls overlap"));
        let slow = AtomicU64::new(0);
        assert!(!calls.call_up_to(3, &slow, |&l| again(l)));
        assert!(calls.call_up_to(3, &slow, |()| {}));
    }

    #[test]
    fn a_listener_that_is_replaced_in_its_call_goes_with_it() {
        let calls = Dispatch::<str>::default();
        let old: Arc<str> = Arc::from("old");
        let known = Arc::downgrade(&old);
        assert!(calls.replace(listener(old)).is_none());
        let seen = Mutex::new(Vec::new());
        calls.call(|name| {
            seen.lock().unwrap().push(name.to_owned());
            if name == "old" {
                assert!(calls.replace(listener("new")).is_none());
                calls.call(|_| unreachable!("calls overlap"));
                assert!(known.upgrade().is_some());
            }
        });
        assert!(known.upgrade().is_none());
        assert_eq!(*seen.lock().unwrap(), ["old", "new"]);
    }

    #[test]
    fn the_first_call_and_one_in_some_others_are_timed() {
        let calls = Dispatch::<()>::default();
        let slow = AtomicU64::new(0);
        assert!(calls.replace(listener(())).is_none());
        assert_eq!(calls.usual_time(), None);
        let naps = std::cell::Cell::new(0_u32);
        for _ in 0..=TIMED {
            calls.call_up_to(1, &slow, |()| {
                if naps.replace(naps.get() + 1).is_multiple_of(TIMED) {
                    std::thread::sleep(std::time::Duration::from_millis(30));
                }
            });
        }
        assert_eq!(slow.load(SeqCst), 2);
        assert!(calls.usual_time().is_some_and(|usual| usual >= SLOW));
        // Another listener is another matter.
        drop(calls.replace(listener(())));
        assert_eq!(calls.usual_time(), None);
    }

    #[test]
    fn a_panic_leaves_the_listener_where_it_was() {
        let calls = Dispatch::<str>::default();
        assert!(calls.replace(listener("it")).is_none());
        let panics = catch_unwind(AssertUnwindSafe(|| calls.call(|_| panic!("in a call"))));
        assert!(panics.is_err());
        let called = AtomicBool::new(false);
        calls.call(|_| called.store(true, SeqCst));
        assert!(called.load(SeqCst) && calls.thread_in(None, 0).is_none());
    }

    #[test]
    fn of_threads_that_wait_for_each_other_one_does_not() {
        let one = Wait::new(1, 2).unwrap();
        let two = Wait::new(2, 3).unwrap();
        assert!(Wait::new(3, 1).is_none() && Wait::new(3, 2).is_none());
        drop(two);
        drop((Wait::new(3, 1).unwrap(), one));
        assert!(WAITING.lock().iter().all(|(waits, _)| *waits > 3));
    }

    #[test]
    fn who_takes_a_listener_away_waits_for_its_call_in_another_thread() {
        let running = Running::default();
        let own = running.begin(Guid::UNKNOWN);
        own.calls(7);
        // It is in the call itself.
        wait_until_over(|this| running.thread_in(Of::Listener(7), this));
        let left = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (begun, begins) = std::sync::mpsc::channel();
            let (running, left) = (&running, &left);
            scope.spawn(move || {
                let call = running.begin(Guid::UNKNOWN);
                call.calls(7);
                begun.send(()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
                left.store(true, SeqCst);
                drop(call);
            });
            begins.recv().unwrap();
            wait_until_over(|this| running.thread_in(Of::Listener(8), this));
            wait_until_over(|this| running.thread_in(Of::Listener(7), this));
            assert!(left.load(SeqCst));
        });
    }
}
