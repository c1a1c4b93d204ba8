//! What the owning handles of a writer share.
use super::{WriterCore, deletion};
use crate::entity::participant::ParticipantGuard;
use std::sync::Arc;

/// Deletes the writer when its last owning handle goes.
pub(crate) struct WriterGuard {
    core: Arc<WriterCore>,
    /// Ends after it.
    _participant: Arc<ParticipantGuard>,
}

impl WriterGuard {
    pub(super) fn new(core: &Arc<WriterCore>, participant: &Arc<ParticipantGuard>) -> Self {
        Self {
            core: Arc::clone(core),
            _participant: Arc::clone(participant),
        }
    }
}

impl Drop for WriterGuard {
    fn drop(&mut self) {
        deletion::end(&self.core);
    }
}
