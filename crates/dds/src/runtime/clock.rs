//! The clocks of a participant: monotonic for protocol timing, wall clock for source timestamps.
#[cfg(feature = "simulation")]
mod simulated;

use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_wire::Timestamp;
use rustix::time::{ClockId, clock_gettime};
#[cfg(feature = "simulation")]
pub use simulated::SimulatedClock;
#[cfg(feature = "simulation")]
use std::sync::Arc;
use std::time::Instant;

/// Where a participant reads the time, and how its threads let time pass. Everything that it does
/// depends on these clocks alone, so whoever moves them decides what happens when.
///
/// Without the feature `simulation` there is one variant: no byte, no branch.
#[derive(Clone, Debug, Default)]
pub(crate) enum Clock {
    /// The clocks of the machine.
    #[default]
    System,
    /// Clocks that a test moves.
    #[cfg(feature = "simulation")]
    Simulated(Arc<SimulatedClock>),
}

impl Clock {
    /// Monotonic nanoseconds.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        match self {
            Self::System => Time(nanos(ClockId::Monotonic)),
            #[cfg(feature = "simulation")]
            Self::Simulated(clock) => clock.time(),
        }
    }

    /// Monotonic nanoseconds to the kernel's last tick, some milliseconds behind at most, for a
    /// quarter of the cost.
    #[inline]
    pub(crate) fn coarse(&self) -> Time {
        match self {
            Self::System => Time(nanos(ClockId::MonotonicCoarse)),
            #[cfg(feature = "simulation")]
            Self::Simulated(clock) => clock.time(),
        }
    }

    /// Nanoseconds since 1970.
    #[inline]
    pub(crate) fn wall(&self) -> Timestamp {
        match self {
            Self::System => Timestamp(nanos(ClockId::Realtime)),
            #[cfg(feature = "simulation")]
            Self::Simulated(clock) => clock.wall(),
        }
    }

    /// How long ago that was by the wall clock; `None` if it is yet to come, so the clocks do not
    /// agree.
    #[inline]
    pub(crate) fn age(&self, written: Timestamp) -> Option<Duration> {
        let age = self.wall().0.checked_sub(written.0)?;
        (age >= 0).then(|| Duration::from_nanos(age))
    }

    /// The `Instant` of a monotonic time, for receivers that wait.
    pub(crate) fn instant(&self, at: Time) -> Instant {
        Instant::now() + self.until(at)
    }

    /// Parks the thread until it is unparked or until the deadline; may return early. On a
    /// simulated clock the simulation goes on meanwhile.
    pub(crate) fn park(&self, deadline: Option<Time>) {
        match (self, deadline) {
            (Self::System, None) => std::thread::park(),
            (Self::System, Some(at)) => std::thread::park_timeout(self.until(at)),
            #[cfg(feature = "simulation")]
            (Self::Simulated(clock), deadline) => clock.pass(deadline.unwrap_or(Time::NEVER)),
        }
    }

    /// Lets so much time pass.
    pub(crate) fn sleep(&self, span: std::time::Duration) {
        match self {
            Self::System => std::thread::sleep(span),
            #[cfg(feature = "simulation")]
            Self::Simulated(clock) => clock.pass(self.now().after(span.into())),
        }
    }

    /// Nothing happens by itself: the participant has no threads, and is stepped.
    pub(crate) fn is_stepped(&self) -> bool {
        match self {
            Self::System => false,
            #[cfg(feature = "simulation")]
            Self::Simulated(_) => true,
        }
    }

    fn until(&self, at: Time) -> std::time::Duration {
        let ahead = at.0.saturating_sub(self.now().0).max(0);
        std::time::Duration::from_nanos(ahead.unsigned_abs())
    }
}

fn nanos(clock: ClockId) -> i64 {
    let t = clock_gettime(clock);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(feature = "simulation"))]
    fn a_clock_costs_nothing_where_nothing_is_simulated() {
        assert_eq!(size_of::<Clock>(), 0);
    }

    #[test]
    fn a_wait_that_is_over_does_not_wait() {
        let clock = Clock::System;
        let before = clock.now();
        clock.park(Some(before));
        assert!(clock.now() >= before && clock.instant(before) <= Instant::now());
        assert_eq!(clock.age(Timestamp(i64::MAX)), None);
        assert!(clock.age(clock.wall()).is_some() && !clock.is_stepped());
    }
}
