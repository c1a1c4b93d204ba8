//! What a writer can say of itself to who wonders why nothing arrives.
use super::WriterCore;
use dunlin_wire::{Fact, Guid};

impl WriterCore {
    /// What it counts, and how far one reader is behind. No status counts as read by this.
    pub(crate) fn facts(&self, reader: Guid) -> Vec<(Fact, i64)> {
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
            (Fact::Matched, wide(self.matched_count())),
            (Fact::Written, written),
            (Fact::Held, wide(kept)),
            (Fact::LeasesLost, leases_lost.into()),
            (Fact::DeadlinesMissed, missed.into()),
        ];
        let behind = acknowledged.map(|up_to| written.saturating_sub(up_to.0));
        facts.extend(behind.map(|behind| (Fact::Unacknowledged, behind)));
        facts.extend(given_up.then_some((Fact::FilterGivenUp, 1)));
        facts
    }
}
