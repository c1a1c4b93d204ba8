//! What became of a writer's changes in a reader: for people who wonder where they are.
use super::{Holdings, Reader};
use dunlin_wire::Guid;

/// Changes that a reader received in full and did not show, by reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PassedOver {
    /// A stronger writer owns the instance (OWNERSHIP EXCLUSIVE).
    pub not_owner: u64,
    /// They came too soon after another (TIME_BASED_FILTER); the last of them may be shown later.
    pub too_soon: u64,
    /// A later one was there already (DESTINATION_ORDER BY_SOURCE_TIMESTAMP).
    pub outdated: u64,
    /// They were no longer valid before anybody saw them (LIFESPAN).
    pub expired: u64,
    /// The same sample had come already, from its original writer or through another that forwards
    /// it (`ReaderConfig::duplicates`).
    pub duplicate: u64,
}

/// How far a reader has come with one writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// It has all up to this number, or knows that it will not get it.
    pub settled: i64,
    /// Its limits do not let the next change in.
    pub blocked: bool,
    /// The writer has said anything at all.
    pub heard: bool,
    /// Nothing is missing of what the writer has said that it has.
    pub complete: bool,
}

impl Reader {
    /// What was received and not shown, ever.
    pub fn passed_over(&self) -> PassedOver {
        self.cache.passed_over
    }

    /// Samples that were there to be taken, ever.
    pub fn taken_in(&self) -> u64 {
        self.cache.taken_in
    }

    /// How far it has come with a matched writer.
    pub fn standing(&self, writer: Guid) -> Option<Standing> {
        let proxy = self.writers.get(self.index(writer)?)?;
        Some(Standing {
            settled: proxy.next.saturating_sub(1),
            blocked: proxy.blocked,
            heard: proxy.started,
            complete: proxy.started && !proxy.lacks() && proxy.waiting.is_empty(),
        })
    }

    /// How much it holds, for statistics and for tests of its bounds.
    pub fn holdings(&self) -> Holdings {
        let writers = self.writers.iter();
        Holdings {
            samples: self.cache.samples.len(),
            valid_samples: self.cache.valid(),
            instances: self.cache.instances.len(),
            names: self.cache.names.len(),
            early: writers.clone().map(|w| w.waiting.len()).sum(),
            early_bytes: writers.clone().map(|w| w.waiting_bytes).sum(),
            in_sets: writers.clone().map(|w| w.in_sets().0).sum(),
            in_sets_bytes: writers.clone().map(|w| w.in_sets().1).sum(),
            incomplete: writers.clone().map(|w| w.partials.len()).sum(),
            incomplete_bytes: writers.clone().map(|w| w.partials.cost()).sum(),
            gaps: writers.map(|w| w.gaps.len()).sum(),
            departed: self.departed.len(),
        }
    }
}
