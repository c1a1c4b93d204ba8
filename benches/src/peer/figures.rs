//! Clocks, and the latencies of one run.
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};

/// Room for latencies; a run that is longer keeps the first ones.
const MOST: usize = 4 << 20;

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub(crate) fn now() -> u64 {
    nanos(ClockId::Monotonic)
}

/// User and system time of this process so far, nanoseconds.
pub(crate) fn cpu_time() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Raw latencies in order of arrival.
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    /// Room whose pages are in memory already, so that recording never faults.
    pub(crate) fn new() -> Self {
        let mut room = vec![1; MOST];
        room.clear();
        Self(room)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn record(&mut self, nanos: u64) {
        if self.0.len() < MOST {
            self.0.push(u32::try_from(nanos).unwrap_or(u32::MAX));
        }
    }

    /// Nanoseconds, 32-bit little endian each.
    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|l| l.to_le_bytes()).collect();
        std::fs::write(path, bytes)
    }
}
