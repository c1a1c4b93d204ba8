//! What a service has from outside: its clock, its participants, and the numbers that tell it from
//! others.
use super::StartError;
use crate::clock::Clock;
use dunlin::{DomainParticipant, ParticipantConfig};
use std::io;

/// Joins a domain.
pub(crate) type Join = dyn Fn(u32, ParticipantConfig) -> dunlin::Result<DomainParticipant> + Send;

/// See the module.
pub(crate) struct Platform {
    pub(crate) clock: Clock,
    pub(crate) join: Box<Join>,
    /// By which other routers know the service in the hops of a sample.
    pub(crate) router: u32,
    /// Tells this execution from others.
    pub(crate) execution: u64,
}

impl Platform {
    /// What the machine gives.
    pub(super) fn of_machine() -> Result<Self, StartError> {
        let random =
            || getrandom::u64().map_err(|e| StartError::System(io::Error::other(e.to_string())));
        Ok(Self {
            clock: Clock::start(),
            join: Box::new(DomainParticipant::with_config),
            router: random()? as u32,
            execution: random()?,
        })
    }
}
