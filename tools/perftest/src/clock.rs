//! The two clocks of a measurement: monotonic time and the CPU time of this process.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds on `CLOCK_MONOTONIC`.
pub(crate) type Nanos = u64;

/// Nanoseconds in a second.
pub(crate) const SECOND: Nanos = 1_000_000_000;

/// Nanoseconds in a millisecond.
pub(crate) const MILLISECOND: Nanos = 1_000_000;

/// A moment that never comes.
pub(crate) const NEVER: Nanos = Nanos::MAX;

/// Now, in nanoseconds of `CLOCK_MONOTONIC` (no steps, so a latency is never negative).
#[inline]
pub(crate) fn monotonic() -> Nanos {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// The same clock to the last tick of the kernel, some milliseconds at most, for a fraction of the
/// cost.
#[inline]
pub(crate) fn coarse() -> Nanos {
    nanos(clock_gettime(ClockId::MonotonicCoarse))
}

/// Time that all threads of this process have spent on a processor.
pub(crate) fn processor_time() -> Nanos {
    nanos(clock_gettime(ClockId::ProcessCPUTime))
}

fn nanos(time: Timespec) -> Nanos {
    (time.tv_sec as u64) * SECOND + time.tv_nsec as u64
}

/// Measures the share of the machine's CPU time that this process used.
pub(crate) struct CpuMeter {
    since: Nanos,
    used: Nanos,
    processors: f64,
}

impl CpuMeter {
    /// Starts a measurement now.
    pub(crate) fn start() -> Self {
        let processors = std::fs::read_to_string("/proc/cpuinfo")
            .map(|text| {
                text.lines()
                    .filter(|line| line.starts_with("processor"))
                    .count()
            })
            .ok()
            .filter(|count| *count > 0)
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1);
        Self {
            since: monotonic(),
            used: processor_time(),
            processors: processors as f64,
        }
    }

    /// Percent of all processors used since the last call (100 means that every core was busy).
    pub(crate) fn lap(&mut self) -> f64 {
        let (now, used) = (monotonic(), processor_time());
        let wall = now.saturating_sub(self.since).max(1) as f64;
        let spent = used.saturating_sub(self.used) as f64;
        (self.since, self.used) = (now, used);
        spent / wall / self.processors * 100.0
    }
}
