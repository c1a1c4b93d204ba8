//! What a writer can say of itself to who wonders why nothing arrives, or why it takes no more.
use super::WriterCore;
use crate::error::Error;
use dunlin_rtps::ReaderProgress;
use dunlin_wire::{DiagnosticFact, DiagnosticReply, Guid};

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

    /// What it counts, and how far one reader is behind: the slowest, if none is named. No status
    /// counts as read by this.
    pub(crate) fn facts(&self, reader: Guid) -> Vec<(DiagnosticFact, i64)> {
        let now = self.shared.clock.now();
        let state = self.state.lock();
        let (written, kept) = (state.last_sequence().0, state.kept());
        let progress = match reader {
            Guid::UNKNOWN => state.slowest_progress(now),
            reader => state.progress_of(now, reader),
        };
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
        if let Some(progress) = progress {
            facts.extend(facts_of(&progress, written));
            if reader == Guid::UNKNOWN {
                facts.extend(DiagnosticReply::name_slowest(progress.reader));
            }
        }
        facts.extend(given_up.then_some((DiagnosticFact::FilterGivenUp, 1)));
        facts
    }
}

/// How far a reader has come of `written` changes.
fn facts_of(progress: &ReaderProgress, written: i64) -> Vec<(DiagnosticFact, i64)> {
    let behind = written.saturating_sub(progress.acknowledged.0);
    let heard = progress.heard_ago.map(|ago| ago.as_nanos());
    let mut facts = vec![
        (DiagnosticFact::Unacknowledged, behind),
        (DiagnosticFact::BehindFor, progress.behind_for.as_nanos()),
        (DiagnosticFact::AskedFor, progress.asked_for.into()),
    ];
    let passed_over = !progress.waited_for;
    facts.extend(passed_over.then_some((DiagnosticFact::NotWaitedFor, 1)));
    facts.extend(heard.map(|ago| (DiagnosticFact::HeardAgo, ago)));
    facts
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
