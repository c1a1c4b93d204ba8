//! Services without a thread, on clocks that a test moves: only with the feature `simulation`, and
//! only for tests.
//!
//! Samples pass a service in whoever receives them, so stepping its participants
//! ([`dunlin::simulation`]) forwards them. What the thread of a service does besides, which is all
//! about endpoints, its owner has it do by [`SteppedService::turn`]. Administration and monitoring
//! are left out, and `@age` and `@now` go by the clock of the machine.
use crate::StartError;
use crate::clock::Clock;
use crate::plan::Plan;
use crate::service::platform::Platform;
pub use crate::service::stepped::SteppedService;
use dunlin::simulation::SimulatedClock;
use dunlin::{DomainParticipant, ParticipantConfig};
use std::sync::Arc;

/// What a service does not get from the machine.
pub struct Simulation {
    /// Its clock.
    pub clock: Arc<SimulatedClock>,
    /// Makes its participants.
    #[allow(clippy::type_complexity, reason = "it is said once")]
    pub join: Box<dyn Fn(u32, ParticipantConfig) -> dunlin::Result<DomainParticipant> + Send>,
    /// By which other routers know it; not 0.
    pub router: u32,
    /// Tells this execution from others.
    pub execution: u64,
}

/// Starts a service as [`Service::start`](crate::Service::start) does, but without a thread.
///
/// # Errors
/// As there.
pub fn start(plan: Plan, simulation: Simulation) -> Result<SteppedService, StartError> {
    let started = simulation.clock.time().0;
    let platform = Platform {
        clock: Clock::Simulated(simulation.clock, started),
        join: simulation.join,
        router: simulation.router,
        execution: simulation.execution,
    };
    SteppedService::new(plan, platform)
}
