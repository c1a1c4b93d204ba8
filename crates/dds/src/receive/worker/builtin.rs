//! What comes for built-in endpoints. Not inlined, for the sake of the path that samples take.
use super::{Context, Worker};
use crate::receive::participant::ReceivingParticipant;
use dunlin_rtps::discovery::Source;
use dunlin_transport::Wait;
use dunlin_wire::{Locator, Submessage};
use std::sync::Arc;

/// Datagrams that are worked through before discovery answers the first.
const IN_A_ROW: usize = 64;

impl<P: ReceivingParticipant> Worker<P> {
    /// Has discovery answer all that was handed to it.
    #[cold]
    pub(super) fn settle(&mut self, shared: &Arc<P>) {
        self.unsettled = false;
        let pause = shared.settle_discovery();
        if std::mem::take(&mut self.by_group) && !pause.is_zero() {
            self.receiver.rest_groups(pause);
        }
    }

    /// What discovery has heard counts for user data behind it.
    #[inline]
    pub(super) fn settle_before_user(&mut self, shared: &Arc<P>) {
        if self.unsettled {
            self.settle(shared);
            self.refresh(shared);
        }
    }

    /// Takes in what else is there for discovery, which then answers all of it: in a crowd it says
    /// less so, and its answers share datagrams.
    #[inline]
    pub(super) fn gather_discovery(&mut self, shared: &Arc<P>) {
        if self.unsettled {
            self.gather_more_discovery(shared);
        }
    }

    #[cold]
    fn gather_more_discovery(&mut self, shared: &Arc<P>) {
        self.by_group |= self.receiver.was_multicast();
        for _ in 1..IN_A_ROW {
            let Some(from) = self.receive(Wait::Poll) else {
                break;
            };
            self.by_group |= self.receiver.was_multicast();
            let now = self.clock.now();
            self.take_in(shared, now, from);
        }
        self.settle(shared);
    }

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
