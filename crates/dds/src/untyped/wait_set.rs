//! Wait sets (DDS 1.4 2.2.2.1.6).
use crate::error::{Error, Result};
use crate::receive::deferred;
use crate::runtime::clock::Clock;
use crate::runtime::lock::{LEAF, Ranked};
use crate::runtime::signal::Signal;
use crate::untyped::condition::Condition;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Release, SeqCst},
};

/// How often it is said that all conditions are gone to a thread that wants to wait for ever.
const AGAIN: Duration = Duration::from_secs(1);

/// Waits until one of its conditions is true.
///
/// While it waits, the calling thread does the receive work of its participant if nobody else does:
/// data arrives in the thread that waits for it, and listeners may run in it. That is the work on
/// what arrives by unicast: samples that come by a multicast group (`DataReaderQos::multicast`) are
/// received by the group's own thread, which wakes this one. With conditions of several
/// participants it is the work of the first that lives.
///
/// The condition of an entity that is deleted, or whose participant has ended, becomes true no
/// more. When that is so for all of them, `wait` ends and says why; while there is another one,
/// such as a guard condition, it goes on.
///
/// One thread waits in a wait set at a time. Others may attach and detach conditions meanwhile; the
/// thread that waits heeds them at once.
pub struct WaitSet {
    /// Replaced as a whole, so that the thread that waits needs no lock to look at them.
    conditions: Ranked<Arc<[Condition]>, LEAF>,
    /// How often they were replaced.
    replaced: AtomicU64,
    /// A thread is in `wait`.
    occupied: AtomicBool,
    /// `wait` has said that all of them are gone.
    told: AtomicBool,
    signal: Arc<Signal>,
}

impl Default for WaitSet {
    fn default() -> Self {
        Self::new()
    }
}

/// Lets the next thread wait.
struct Occupied<'a>(&'a AtomicBool);

impl Drop for Occupied<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

impl WaitSet {
    /// A wait set without conditions.
    pub fn new() -> Self {
        Self {
            conditions: Ranked::new(Arc::new([])),
            replaced: AtomicU64::new(0),
            occupied: AtomicBool::new(false),
            told: AtomicBool::new(false),
            signal: Signal::new(),
        }
    }

    /// Adds a condition, unless it is there (DDS 1.4 2.2.2.1.6.1). A thread that waits wakes if it
    /// is true.
    pub fn attach(&self, condition: impl Into<Condition>) {
        let condition = condition.into();
        let before = {
            let mut conditions = self.conditions.lock();
            if conditions.contains(&condition) {
                return;
            }
            let all = conditions.iter().cloned();
            let new = all.chain([condition.clone()]).collect();
            std::mem::replace(&mut *conditions, new)
        };
        // What a condition owns may come to its end here.
        drop(before);
        // What becomes true before this is found by looking again.
        condition.waiters().add(&self.signal);
        self.note_replaced();
    }

    /// Takes a condition out again (DDS 1.4 2.2.2.1.6.2).
    ///
    /// # Errors
    /// `PreconditionNotMet` if it is not there.
    pub fn detach(&self, condition: impl Into<Condition>) -> Result<()> {
        let condition = condition.into();
        let before = {
            let mut conditions = self.conditions.lock();
            if !conditions.contains(&condition) {
                let what = "the condition is not attached to this wait set";
                return Err(Error::PreconditionNotMet(what.into()));
            }
            let rest = conditions.iter().filter(|c| **c != condition);
            let rest = rest.cloned().collect();
            std::mem::replace(&mut *conditions, rest)
        };
        condition.waiters().remove(&self.signal);
        drop(before);
        self.note_replaced();
        Ok(())
    }

    fn note_replaced(&self) {
        self.told.store(false, SeqCst);
        self.replaced.fetch_add(1, SeqCst);
        self.signal.raise();
    }

    /// All that are attached, in the order in which they came (DDS 1.4 2.2.2.1.6.4).
    pub fn conditions(&self) -> Arc<[Condition]> {
        Arc::clone(&self.conditions.lock())
    }

    /// The conditions that are true now.
    pub fn active(&self) -> Vec<Condition> {
        let conditions = self.conditions();
        let active = conditions.iter().filter(|c| c.trigger_value());
        active.cloned().collect()
    }

    /// Waits for a condition; at most `timeout`. Allocates nothing, unless it fails.
    ///
    /// # Errors
    /// `Timeout` if none became true. `AlreadyDeleted` or `ParticipantFailed` as soon as none can
    /// become true any more; when that was said once, it is said again after `timeout`, or after a
    /// second if that is infinite, so that nobody waits for nothing in a busy loop.
    /// `PreconditionNotMet` while another thread waits here.
    pub fn wait(&self, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        if self.wait_for(timeout)? {
            return Ok(());
        }
        Err(Error::Timeout {
            entity: "wait set".into(),
            waited: timeout,
            why: format!(
                "none of its {} conditions became true",
                self.conditions().len()
            ),
        })
    }

    /// As [`wait`](Self::wait); false after `timeout`, so that waiting in vain costs nothing.
    ///
    /// # Errors
    /// As [`wait`](Self::wait), but for `Timeout`.
    pub fn wait_for(&self, timeout: impl Into<Duration>) -> Result<bool> {
        if self.occupied.swap(true, Acquire) {
            let what = "another thread waits in this wait set; give each thread one of its own";
            return Err(Error::PreconditionNotMet(what.into()));
        }
        let _occupied = Occupied(&self.occupied);
        let timeout = timeout.into();
        let mut deadline = None;
        loop {
            let replaced = self.replaced.load(SeqCst);
            let conditions = self.conditions();
            let clock = &clock_of(&conditions);
            if !timeout.is_infinite() {
                deadline.get_or_insert_with(|| clock.now().after(timeout));
            }
            let is_gone = || !conditions.is_empty() && conditions.iter().all(Condition::is_gone);
            let triggered = Cell::new(false);
            let over = || {
                triggered.set(conditions.iter().any(Condition::trigger_value));
                triggered.get()
                    || self.replaced.load(SeqCst) != replaced
                    || !self.told.load(SeqCst) && is_gone()
            };
            let until = match self.told.load(SeqCst) && is_gone() {
                true => deadline.or_else(|| Some(clock.now().after(AGAIN))),
                false => deadline,
            };
            let mut living = conditions.iter().filter(|c| !c.is_gone());
            match living.find_map(Condition::shared) {
                Some(shared) => drop(shared.user.wait(shared, &self.signal, until, over)),
                None => self.park(clock, until, over),
            }
            if triggered.get() {
                return Ok(true);
            }
            let late = until.is_some_and(|at| clock.now() >= at);
            if is_gone() && (late || !self.told.swap(true, SeqCst)) {
                let reasons = conditions.iter().map(Condition::check_present);
                return reasons.collect::<Result<()>>().map(|()| false);
            }
            if late {
                return Ok(false);
            }
        }
    }

    fn park(&self, clock: &Clock, deadline: Option<Time>, over: impl Fn() -> bool) {
        let _aside = deferred::aside();
        while !over() && deadline.is_none_or(|at| clock.now() < at) {
            self.signal.park(clock, deadline);
            self.signal.consume();
        }
    }
}

impl Drop for WaitSet {
    fn drop(&mut self) {
        for condition in self.conditions().iter() {
            condition.waiters().remove(&self.signal);
        }
    }
}

/// That of the participant whose conditions they are.
fn clock_of(conditions: &[Condition]) -> Clock {
    let shared = conditions.iter().find_map(Condition::shared);
    shared.map_or_else(Clock::default, |shared| shared.clock.clone())
}
