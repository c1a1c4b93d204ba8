//! What a side spends on its samples.

use std::sync::{Arc, OnceLock};

use nix::sys::resource::{UsageWho, getrusage};
use serde::Serialize;

use crate::clock::{Nanos, processor_time};
use crate::driver::Driver;

/// Who knows how much was allocated, if it is not this program's allocator: a process runs one test.
static COUNTS: OnceLock<Arc<dyn Driver>> = OnceLock::new();

/// Allocations are those that the driver counts.
pub(crate) fn count_allocations_by(driver: &Arc<dyn Driver>) {
    // A second one would be that of the same program.
    let _ = COUNTS.set(Arc::clone(driver));
}

/// What this process has spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    cpu: Nanos,
    context_switches: u64,
    page_faults: u64,
    allocations: Option<u64>,
}

/// What one sample cost; in a latency test, one round trip. `None` could not be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Cost {
    /// Nanoseconds of processor time, of all threads.
    pub(crate) cpu: f64,
    /// Voluntary and involuntary.
    pub(crate) context_switches: f64,
    /// Minor and major.
    pub(crate) page_faults: f64,
    pub(crate) system_calls: Option<f64>,
    pub(crate) allocations: Option<f64>,
}

impl Usage {
    /// Up to now: two system calls.
    pub(crate) fn now() -> Self {
        // The kernel refuses only what is no process.
        let counted = getrusage(UsageWho::RUSAGE_SELF).ok();
        let sum = |pair: [i64; 2]| pair.iter().map(|count| count.unsigned_abs()).sum();
        Self {
            cpu: processor_time(),
            context_switches: counted.map_or(0, |usage| {
                sum([
                    usage.voluntary_context_switches(),
                    usage.involuntary_context_switches(),
                ])
            }),
            page_faults: counted.map_or(0, |usage| {
                sum([usage.minor_page_faults(), usage.major_page_faults()])
            }),
            allocations: allocations(),
        }
    }

    /// What was spent since then.
    pub(crate) fn since(self, then: Usage) -> Usage {
        Usage {
            cpu: self.cpu.saturating_sub(then.cpu),
            context_switches: self.context_switches.saturating_sub(then.context_switches),
            page_faults: self.page_faults.saturating_sub(then.page_faults),
            allocations: self
                .allocations
                .zip(then.allocations)
                .map(|(now, before)| now.saturating_sub(before)),
        }
    }

    /// The share of each of so many samples; `None` if there were none.
    pub(crate) fn per_sample(self, samples: u64) -> Option<Cost> {
        let share = |count: u64| count as f64 / samples as f64;
        (samples > 0).then(|| Cost {
            cpu: share(self.cpu),
            context_switches: share(self.context_switches),
            page_faults: share(self.page_faults),
            // Only a run of its own could count them.
            system_calls: None,
            allocations: self.allocations.map(share),
        })
    }
}

/// Blocks that were allocated or made larger so far.
fn allocations() -> Option<u64> {
    if let Some(driver) = COUNTS.get() {
        return driver.allocations();
    }
    let counted = crate::ALLOCATOR.stats();
    Some((counted.allocations + counted.reallocations) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_processor_time_and_new_memory_faults() {
        let before = Usage::now();
        let mut memory = vec![0u8; 8 << 20];
        memory.iter_mut().step_by(512).for_each(|byte| *byte = 1);
        std::hint::black_box(&memory);
        let spent = Usage::now().since(before);
        let cost = spent.per_sample(2).unwrap();
        assert!(cost.cpu > 0.0 && cost.page_faults > 0.0, "{cost:?}");
        assert!(cost.allocations >= Some(0.5), "{cost:?}");
        assert_eq!(cost.cpu, spent.cpu as f64 / 2.0);
        assert_eq!(spent.per_sample(0), None);
    }
}
