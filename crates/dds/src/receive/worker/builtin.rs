//! What comes for built-in endpoints. Not inlined, for the sake of the path that samples take.
use super::{Context, Worker};
use crate::receive::participant::ReceivingParticipant;
use dunlin_rtps::discovery::Source;
use dunlin_wire::{Locator, Submessage};
use std::sync::Arc;

/// All of a datagram was handed to discovery.
#[cold]
pub(super) fn settle<P: ReceivingParticipant>(shared: &Arc<P>) {
    shared.settle_discovery();
}

impl<P: ReceivingParticipant> Worker<P> {
    /// Hands a submessage of a built-in endpoint to discovery.
    #[cold]
    pub(super) fn discover(
        &self,
        shared: &Arc<P>,
        context: &mut Context<'_>,
        message: &Submessage<'_>,
    ) {
        context.discovers = true;
        context.source.multicast = self.is_multicast(&context.source);
        shared.discover(&context.source, context.timestamp, message);
    }

    /// Our own announcement has come back.
    #[cold]
    pub(super) fn note_own(&self, shared: &Arc<P>, source: &Source) {
        if self.is_multicast(source) {
            shared.note_own_multicast();
        }
    }

    /// Whether what is at hand, which came from there, was sent to a group.
    fn is_multicast(&self, source: &Source) -> bool {
        let by_datagram = matches!(
            source.from.kind,
            Locator::KIND_UDP_V4 | Locator::KIND_MEMORY
        );
        by_datagram && !source.called && self.receiver.was_multicast()
    }
}
