//! What a reader can say of itself to who wonders why nothing arrives.
use super::ReaderCore;
use dunlin_wire::{DiagnosticFact, Guid};

impl ReaderCore {
    /// What it counts, and how far it has come with one writer. No status counts as read by this.
    pub(crate) fn facts(&self, writer: Guid) -> Vec<(DiagnosticFact, i64)> {
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
            (DiagnosticFact::Matched, wide(self.matched_count())),
            (DiagnosticFact::Held, wide(holdings.valid_samples)),
            (DiagnosticFact::Lost, lost.into()),
            (DiagnosticFact::Rejected, rejected.into()),
            (DiagnosticFact::DeadlinesMissed, missed.into()),
            (DiagnosticFact::NotOwner, passed.not_owner.cast_signed()),
            (DiagnosticFact::TooSoon, passed.too_soon.cast_signed()),
            (DiagnosticFact::Outdated, passed.outdated.cast_signed()),
            (DiagnosticFact::Duplicate, passed.duplicate.cast_signed()),
            (DiagnosticFact::Expired, passed.expired.cast_signed()),
            (DiagnosticFact::TakenIn, taken_in.cast_signed()),
            (DiagnosticFact::Filtered, filtered.cast_signed()),
        ];
        if let Some(takes) = self.calls.usual_time() {
            facts.push((DiagnosticFact::ListenerTakes, takes.as_nanos()));
        }
        if let Some(standing) = standing {
            facts.push((DiagnosticFact::Settled, standing.settled));
            facts.push((DiagnosticFact::Blocked, standing.blocked.into()));
        }
        facts
    }
}

fn wide(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// For tests that judge every sample.
#[cfg(feature = "simulation")]
impl ReaderCore {
    pub(crate) fn inspect<R>(&self, look: impl FnOnce(&dunlin_rtps::Reader) -> R) -> R {
        look(&self.state.lock())
    }

    pub(super) fn count_lost_of(&self, writer: Guid, count: u32) {
        *self.lost_by_writer.lock().entry(writer).or_default() += u64::from(count);
    }

    pub(crate) fn lost_by_writer(&self) -> Vec<(Guid, u64)> {
        let lost = self.lost_by_writer.lock();
        lost.iter()
            .map(|(writer, count)| (*writer, *count))
            .collect()
    }
}
