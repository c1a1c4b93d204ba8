//! What a reader can say of itself to who wonders why nothing arrives.
use super::ReaderCore;
use dunlin_wire::{Fact, Guid};

impl ReaderCore {
    /// What it counts, and how far it has come with one writer. No status counts as read by this.
    pub(crate) fn facts(&self, writer: Guid) -> Vec<(Fact, i64)> {
        let state = self.state.lock();
        let (passed, holdings) = (state.passed_over(), state.holdings());
        let taken_in = state.taken_in();
        let (standing, filtered) = (state.standing(writer), state.filtered());
        drop(state);
        // One leaf lock after the other.
        let lost = self.lost.lock().total_count;
        let rejected = self.rejected.lock().total_count;
        let missed = self.deadline_missed.lock().total_count;
        let mut facts = vec![
            (Fact::Matched, wide(self.matched_count())),
            (Fact::Held, wide(holdings.valid_samples)),
            (Fact::Lost, lost.into()),
            (Fact::Rejected, rejected.into()),
            (Fact::DeadlinesMissed, missed.into()),
            (Fact::NotOwner, passed.not_owner.cast_signed()),
            (Fact::TooSoon, passed.too_soon.cast_signed()),
            (Fact::Outdated, passed.outdated.cast_signed()),
            (Fact::Expired, passed.expired.cast_signed()),
            (Fact::TakenIn, taken_in.cast_signed()),
            (Fact::Filtered, filtered.cast_signed()),
        ];
        if let Some(standing) = standing {
            facts.push((Fact::Settled, standing.settled));
            facts.push((Fact::Blocked, standing.blocked.into()));
        }
        facts
    }
}

fn wide(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
