//! The two clocks: monotonic for protocol timing, wall clock for source timestamps.
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_wire::Timestamp;
use rustix::time::{ClockId, clock_gettime};

fn nanos(clock: ClockId) -> i64 {
    let t = clock_gettime(clock);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// Monotonic nanoseconds.
pub(crate) fn now() -> Time {
    Time(nanos(ClockId::Monotonic))
}

/// Monotonic nanoseconds to the kernel's last tick, some milliseconds behind at most, for a quarter
/// of the cost.
pub(crate) fn coarse() -> Time {
    Time(nanos(ClockId::MonotonicCoarse))
}

/// Nanoseconds since 1970.
pub(crate) fn wall() -> Timestamp {
    Timestamp(nanos(ClockId::Realtime))
}

/// How long ago that was by the wall clock; `None` if it is yet to come, so the clocks do not
/// agree.
pub(crate) fn age(written: Timestamp) -> Option<Duration> {
    let age = wall().0.checked_sub(written.0)?;
    (age >= 0).then(|| Duration::from_nanos(age))
}

/// The `Instant` of a monotonic time, for waits.
pub(crate) fn instant(at: Time) -> std::time::Instant {
    let ahead = at.0.saturating_sub(now().0).max(0);
    std::time::Instant::now() + std::time::Duration::from_nanos(ahead.unsigned_abs())
}
