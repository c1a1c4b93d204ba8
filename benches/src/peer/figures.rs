//! Clocks, what was spent, and the latencies of one run.
use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use rustix::time::{ClockId, clock_gettime};

/// Room for so many latencies a second, in runs of a second at least and of a quarter of a minute
/// at most; what has no room is not kept.
const PER_SECOND: f64 = 4e6;
const MOST: f64 = 15.0;

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub(crate) fn now() -> u64 {
    nanos(ClockId::Monotonic)
}

/// What this process has spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// User and system time, nanoseconds.
    cpu: u64,
    context_switches: i64,
    page_faults: i64,
}

impl Usage {
    /// Up to now.
    pub(crate) fn now() -> Self {
        // The kernel refuses only what is no process.
        let counted = getrusage(UsageWho::RUSAGE_SELF).ok();
        Self {
            cpu: nanos(ClockId::ProcessCPUTime),
            context_switches: counted.map_or(0, |usage| {
                usage.voluntary_context_switches() + usage.involuntary_context_switches()
            }),
            page_faults: counted.map_or(0, |usage| {
                usage.minor_page_faults() + usage.major_page_faults()
            }),
        }
    }

    /// What has been spent since then.
    pub(crate) fn since_then(self) -> Self {
        let now = Self::now();
        Self {
            cpu: now.cpu - self.cpu,
            context_switches: now.context_switches - self.context_switches,
            page_faults: now.page_faults - self.page_faults,
        }
    }
}

/// As words of a result.
impl Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (switches, faults) = (self.context_switches, self.page_faults);
        write!(f, "cpu_ns={} switches={switches} faults={faults}", self.cpu)
    }
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Raw latencies in order of arrival.
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    /// Room whose pages are in memory already, so that recording never faults.
    pub(crate) fn new(length: Duration) -> Self {
        let seconds = length.as_secs_f64().clamp(1.0, MOST);
        let mut room = vec![1; (PER_SECOND * seconds) as usize];
        room.clear();
        Self(room)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn record(&mut self, nanos: u64) {
        if self.0.len() < self.0.capacity() {
            self.0.push(u32::try_from(nanos).unwrap_or(u32::MAX));
        }
    }

    /// Nanoseconds, 32-bit little endian each.
    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|l| l.to_le_bytes()).collect();
        std::fs::write(path, bytes)
    }
}
