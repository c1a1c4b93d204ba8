//! A service that its owner steps, instead of a thread.
use super::execution::Execution;
use super::platform::Platform;
use super::{Shared, StartError};
use crate::engine::lock;
use crate::plan::Plan;
use crate::state::Tree;
use dunlin::{GuardCondition, WaitSet};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// See the module.
pub struct SteppedService {
    shared: Shared,
    waits: WaitSet,
    /// When the next turn is due though nothing happens, since the start.
    due: Mutex<Duration>,
}

impl SteppedService {
    pub(crate) fn new(plan: Plan, platform: Platform) -> Result<Self, StartError> {
        let shared = Shared {
            execution: Mutex::new(Execution::start(plan, platform)?),
            wake: GuardCondition::new(),
            stops: AtomicBool::new(false),
        };
        let waits = WaitSet::new();
        waits.attach(shared.wake.clone());
        Ok(Self {
            shared,
            waits,
            due: Mutex::new(Duration::ZERO),
        })
    }

    fn due(&self) -> Duration {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Would its thread wake now?
    pub fn is_due(&self) -> bool {
        let has_news = || !self.waits.active().is_empty();
        self.next_due() == Duration::ZERO || has_news()
    }

    /// After which time its thread would wake though nothing happens.
    pub fn next_due(&self) -> Duration {
        self.due()
            .saturating_sub(lock(&self.shared.execution).now())
    }

    /// Does once what its thread does each time it wakes. Endpoints that end may wait for their
    /// readers meanwhile, as they do in that thread.
    pub fn turn(&self) {
        self.shared.wake.set_trigger_value(false);
        let wait = self.shared.turn(&self.waits);
        let due = lock(&self.shared.execution).now() + wait;
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = due;
    }

    /// What there is now, and how it is.
    pub fn state(&self) -> Tree {
        lock(&self.shared.execution).snapshot()
    }

    /// Ends it as [`Service::stop`](crate::Service::stop) does.
    pub fn stop(self) {
        lock(&self.shared.execution).end();
    }
}

impl fmt::Debug for SteppedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteppedService").finish_non_exhaustive()
    }
}
