//! A running service: its participants, its routes and the thread that attends to them.
mod affinity;
mod asks;
mod beyond;
mod ends;
mod execution;
mod gate;
mod life;
pub(crate) mod platform;
mod poller;
mod qos;
mod site;
mod snapshot;
mod stall;
#[cfg(feature = "simulation")]
pub(crate) mod stepped;
mod types;
mod words;

use crate::engine::lock;
use crate::monitoring::Monitor;
use crate::plan::{Administration, Difference, OtherService, Plan};
use crate::state::Tree;
use dunlin::{GuardCondition, ParticipantConfig, WaitSet};
use execution::Execution;
use platform::Platform;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The thread looks again after this time in any case.
const LOOK: Duration = Duration::from_secs(1);

/// One execution of a plan. It ends when it is dropped.
pub struct Service {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Publishes what there is, if the plan wants it. Not to be dropped under the lock of the
    /// execution, which its thread takes.
    monitor: Mutex<Option<Monitor>>,
}

struct Shared {
    execution: Mutex<Execution>,
    wake: GuardCondition,
    stops: AtomicBool,
}

/// Why a service did not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// None of its participants could start: the name of each connection, and why.
    NoParticipant(Vec<(String, dunlin::Error)>),
    /// The system gives no thread, or no random numbers.
    System(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParticipant(reasons) => {
                f.write_str("no participant could start")?;
                let mut reasons = reasons.iter();
                reasons.try_for_each(|(name, reason)| write!(f, "\n  {name}: {reason}"))
            }
            Self::System(error) => write!(f, "the system refuses what a service needs: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

/// What an administrator may do to an entity and all that it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts it, if it is disabled, and what contains it.
    Enable,
    /// Ends its endpoints.
    Disable,
    /// Takes nothing more; the readers stay matched, so reliable sources feel it.
    Pause,
    /// Goes on after `Pause`.
    Resume,
}

/// There is no such entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPath(pub String);

impl fmt::Display for UnknownPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is nothing of this service that can be paused or disabled",
            self.0
        )
    }
}

impl std::error::Error for UnknownPath {}

impl Service {
    /// Joins the domains of a plan and begins to route. What cannot start is tried again.
    ///
    /// # Errors
    /// See [`StartError`]. A plan that joins no domain starts.
    pub fn start(plan: Plan) -> Result<Self, StartError> {
        let execution = Execution::start(plan, Platform::of_machine()?)?;
        let shared = Arc::new(Shared {
            execution: Mutex::new(execution),
            wake: GuardCondition::new(),
            stops: AtomicBool::new(false),
        });
        let attended = Arc::clone(&shared);
        let thread = Builder::new()
            .name("dunlin-route".into())
            .spawn(move || attended.attend())
            .map_err(StartError::System)?;
        let service = Self {
            shared,
            thread: Some(thread),
            monitor: Mutex::new(None),
        };
        service.monitor();
        Ok(service)
    }

    /// Publishes what there is as the plan says now. Why that cannot be is the note of the service.
    fn monitor(&self) {
        let mut monitor = lock(&self.monitor);
        // The one before ends first: there is one participant of a service in a domain of it.
        drop(monitor.take());
        let Some((plan, config)) = lock(&self.shared.execution).monitoring() else {
            return;
        };
        let shared = Arc::clone(&self.shared);
        let look = move || lock(&shared.execution).snapshot();
        let failure = match Monitor::start(&plan, config, look) {
            Ok(started) => {
                *monitor = Some(started);
                None
            }
            Err(error) => Some(format!(
                "monitoring: domain {} cannot be joined: {error}",
                plan.domain
            )),
        };
        lock(&self.shared.execution).unmonitored = failure;
    }

    /// Ends it: outputs get a second to be acknowledged.
    pub fn stop(mut self) {
        self.end();
    }

    /// What there is now, and how it is. Not to be called by listeners of this process's own
    /// readers and writers: the thread of the service may be in one, and waits for nobody then.
    pub fn state(&self) -> Tree {
        lock(&self.shared.execution).snapshot()
    }

    /// Does something to the entity at `path`, such as
    /// `/routing_services/S/domain_routes/D/sessions/X/routes/R`, and to all that it contains.
    ///
    /// # Errors
    /// `UnknownPath` if there is no such entity.
    pub fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
        let ended = lock(&self.shared.execution).act(path, action)?;
        drop(ended);
        self.shared.wake.set_trigger_value(true);
        Ok(())
    }

    /// Takes over another plan of the same service while it runs, and returns what that does. What
    /// both plans have alike is not touched; see [`crate::plan::diff`](mod@crate::plan::diff).
    ///
    /// # Errors
    /// `OtherService` if it is the plan of another one; nothing changes.
    pub fn reload(&self, plan: Plan) -> Result<Vec<Difference>, OtherService> {
        let mut execution = lock(&self.shared.execution);
        let before = execution.monitoring();
        let (differences, ended) = execution.reload(plan)?;
        let is_monitored_anew = before.map(|(plan, _)| plan) != execution.monitoring().map(|m| m.0);
        drop(execution);
        // Writers may wait for their readers as they end; nobody waits for that.
        drop(ended);
        self.shared.wake.set_trigger_value(true);
        if is_monitored_anew {
            self.monitor();
        }
        Ok(differences)
    }

    /// By whom requests over DDS are answered, if the plan wants it, and by which participant.
    pub(crate) fn administration(&self) -> Option<(Administration, ParticipantConfig)> {
        lock(&self.shared.execution).administration()
    }

    /// The plan that it goes by now, without what an administrator has said.
    pub fn plan(&self) -> Plan {
        lock(&self.shared.execution).configured.clone()
    }

    /// What [`reload`](Self::reload) would do.
    ///
    /// # Errors
    /// As [`reload`](Self::reload).
    pub fn compare(&self, plan: &Plan) -> Result<Vec<Difference>, OtherService> {
        lock(&self.shared.execution).compare(plan)
    }

    fn end(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        drop(lock(&self.monitor).take());
        self.shared.stops.store(true, SeqCst);
        self.shared.wake.set_trigger_value(true);
        // A panic of that thread was told when it happened.
        let _ = thread.join();
        lock(&self.shared.execution).end();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Shared {
    /// Listens to discovery, and makes and removes endpoints, until the service ends. No sample
    /// passes through this thread.
    fn attend(&self) {
        let waits = WaitSet::new();
        waits.attach(self.wake.clone());
        while !self.stops.load(SeqCst) {
            let wait = self.turn(&waits);
            // Conditions of participants that have ended say so once; there are others.
            let _ = waits.wait_for(wait);
            self.wake.set_trigger_value(false);
        }
    }

    /// One turn; returns after which time the next one is due though nothing happens.
    fn turn(&self, waits: &WaitSet) -> Duration {
        let mut execution = lock(&self.execution);
        let ended = execution.turn(waits);
        let wait = execution.next_timeout().unwrap_or(LOOK).min(LOOK);
        drop(execution);
        // A writer may wait for its readers as it ends; nobody waits for that.
        drop(ended);
        wait
    }
}
