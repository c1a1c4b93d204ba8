//! What a writer can say of itself to who wonders why nothing arrives, or why it takes no more.
use super::WriterCore;
use crate::error::Error;
use dunlin_wire::{DiagnosticFact, Guid};

impl WriterCore {
    /// A limit that waiting does not help against, by the name that the protocol's writer gives it.
    pub(super) fn exhausted(&self, limit: &str) -> Error {
        let limit = match (limit, self.fixed().resource_limits.max_instances) {
            ("max_instances", Some(most)) => format!(
                "RESOURCE_LIMITS max_instances {most}; unregister instances that are written no longer, or allow more"
            ),
            ("sample size", _) => format!("a sample has at most {} bytes", u32::MAX),
            (other, _) => other.into(),
        };
        Error::OutOfResources {
            entity: self.describe(),
            limit,
        }
    }

    /// What it counts, and how far one reader is behind. No status counts as read by this.
    pub(crate) fn facts(&self, reader: Guid) -> Vec<(DiagnosticFact, i64)> {
        let state = self.state.lock();
        let (written, kept) = (state.last_sequence().0, state.kept());
        let acknowledged = state.acknowledged_by(reader);
        let given_up = state.has_given_up_filter(reader);
        drop(state);
        let wide = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        // One leaf lock after the other.
        let leases_lost = self.liveliness_lost.lock().total_count;
        let missed = self.deadline_missed.lock().total_count;
        let mut facts = vec![
            (DiagnosticFact::Matched, wide(self.matched_count())),
            (DiagnosticFact::Written, written),
            (DiagnosticFact::Held, wide(kept)),
            (DiagnosticFact::LeasesLost, leases_lost.into()),
            (DiagnosticFact::DeadlinesMissed, missed.into()),
        ];
        let behind = acknowledged.map(|up_to| written.saturating_sub(up_to.0));
        facts.extend(behind.map(|behind| (DiagnosticFact::Unacknowledged, behind)));
        facts.extend(given_up.then_some((DiagnosticFact::FilterGivenUp, 1)));
        facts
    }
}

/// For tests that judge every sample.
#[cfg(feature = "simulation")]
impl WriterCore {
    pub(crate) fn inspect<R>(&self, look: impl FnOnce(&dunlin_rtps::Writer) -> R) -> R {
        look(&self.state.lock())
    }

    pub(crate) fn room_epoch(&self) -> u64 {
        self.room_epoch.load(std::sync::atomic::Ordering::SeqCst)
    }
}
