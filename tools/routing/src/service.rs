//! A running service: its participants, its routes and the thread that attends to them.
mod ends;
mod execution;
mod qos;
mod site;
mod snapshot;

use crate::engine::lock;
use crate::plan::Plan;
use crate::state::Tree;
use dunlin::{GuardCondition, WaitSet};
use execution::Execution;
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
    /// Starts it, if it is disabled.
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
        write!(f, "{:?} contains no route of this service", self.0)
    }
}

impl std::error::Error for UnknownPath {}

impl Service {
    /// Joins the domains of a plan and begins to route. What cannot start is tried again.
    ///
    /// # Errors
    /// See [`StartError`]. A plan that joins no domain starts.
    pub fn start(plan: Plan) -> Result<Self, StartError> {
        let execution = Execution::start(plan)?;
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
        Ok(Self {
            shared,
            thread: Some(thread),
        })
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
    /// `UnknownPath` if there is no route.
    pub fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
        let ended = lock(&self.shared.execution).act(path, action)?;
        drop(ended);
        self.shared.wake.set_trigger_value(true);
        Ok(())
    }

    fn end(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
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
            let mut execution = lock(&self.execution);
            let ended = execution.turn(&waits);
            let wait = execution.next_timeout().unwrap_or(LOOK).min(LOOK);
            drop(execution);
            // A writer may wait for its readers as it ends; nobody waits for that.
            drop(ended);
            // Conditions of participants that have ended say so once; there are others.
            let _ = waits.wait_for(wait);
            self.wake.set_trigger_value(false);
        }
    }
}
