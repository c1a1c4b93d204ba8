//! The caller's clock.
use dunlin_qos::Duration;

/// Monotonic nanoseconds of the caller's clock; only differences mean anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub i64);

impl Time {
    /// Long ago: a timer set to it is due at once.
    pub const PAST: Self = Self(i64::MIN);
    /// The end of time: what is due then is never due.
    pub const NEVER: Self = Self(i64::MAX);

    /// The time `duration` later; the end of time if that is beyond it.
    pub const fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.as_nanos()))
    }

    /// How long ago `earlier` was; zero if it is yet to come.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}
