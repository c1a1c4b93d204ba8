//! What the owning handles of a reader share.
use super::{ReaderCore, deletion};
use crate::entity::participant::ParticipantGuard;
use std::sync::Arc;

/// Deletes the reader when its last owning handle goes.
pub(crate) struct ReaderGuard {
    core: Arc<ReaderCore>,
    /// Ends after it.
    _participant: Arc<ParticipantGuard>,
}

impl ReaderGuard {
    pub(super) fn new(core: &Arc<ReaderCore>, participant: &Arc<ParticipantGuard>) -> Self {
        Self {
            core: Arc::clone(core),
            _participant: Arc::clone(participant),
        }
    }
}

impl Drop for ReaderGuard {
    fn drop(&mut self) {
        deletion::end(&self.core);
    }
}
