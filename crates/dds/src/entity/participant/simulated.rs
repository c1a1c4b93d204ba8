//! A participant whose owner does what its threads would do.
use super::DomainParticipant;
use crate::WaitStrategy;
use crate::entity::config::ParticipantConfig;
use crate::error::Result;
use crate::runtime::clock::Clock;
use crate::runtime::simulated::Simulation;

impl DomainParticipant {
    pub(crate) fn simulated(
        domain: u32,
        config: ParticipantConfig,
        simulation: Simulation,
    ) -> Result<Self> {
        // Time stands still while a thread spins.
        let config = ParticipantConfig {
            waiting: WaitStrategy::Block,
            ..config
        };
        let clock = Clock::Simulated(simulation.clock);
        Self::join(domain, config, simulation.prefix, clock, |shared| {
            *shared.tuning.lock() = simulation.tuning;
            shared
                .matching
                .lock()
                .count_entities_from(simulation.entities);
        })
    }
}
