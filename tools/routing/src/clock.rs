//! The time of a service.
#[cfg(feature = "simulation")]
use dunlin::simulation::SimulatedClock;
#[cfg(feature = "simulation")]
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a service runs. All that it does by time depends on this clock alone.
///
/// Without the feature `simulation` it is an `Instant`: no byte more, no branch.
#[derive(Clone, Debug)]
pub(crate) enum Clock {
    /// The clock of the machine, and when the service started.
    System(Instant),
    /// A clock that a test moves, and what it showed when the service started.
    #[cfg(feature = "simulation")]
    Simulated(Arc<SimulatedClock>, i64),
}

impl Clock {
    /// The clock of the machine, of a service that starts now.
    pub(crate) fn start() -> Self {
        Self::System(Instant::now())
    }

    /// The time since the start.
    #[inline]
    pub(crate) fn now(&self) -> Duration {
        match self {
            Self::System(started) => started.elapsed(),
            #[cfg(feature = "simulation")]
            Self::Simulated(clock, started) => {
                let nanos = clock.time().0.saturating_sub(*started);
                Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(feature = "simulation"))]
    fn a_clock_is_an_instant_where_nothing_is_simulated() {
        assert_eq!(size_of::<Clock>(), size_of::<Instant>());
    }

    #[test]
    fn it_goes_on() {
        let clock = Clock::start();
        let before = clock.now();
        assert!(clock.now() >= before);
    }
}
