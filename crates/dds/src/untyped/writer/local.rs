//! What readers of the same process answer a writer, and what is deferred for it.
use super::WriterCore;
use crate::receive::deferred::{self, DeferredCall, DeferredWriter};
use crate::send::datagram::Datagrams;
use crate::send::local_queue::LocalWriterEndpoint;
use dunlin_wire::{Guid, Submessage};
use std::sync::Arc;

impl LocalWriterEndpoint for WriterCore {
    fn guid(&self) -> Guid {
        self.guid
    }

    fn receive(self: Arc<Self>, from: Guid, answer: &Submessage<'_>, out: &mut Datagrams) {
        let outcome = self.take_answer(self.shared.clock.now(), from, answer, out);
        if outcome.retired {
            let writer = Arc::clone(&self);
            deferred::add(DeferredCall::Bury(writer));
        }
        if outcome.room {
            deferred::add(DeferredCall::Room(self));
        }
    }
}

impl DeferredWriter for WriterCore {
    fn announce_room(self: Arc<Self>) {
        WriterCore::announce_room(&self);
    }

    fn tell_room(self: Arc<Self>) {
        WriterCore::tell_room(&self);
    }

    fn release_retired(self: Arc<Self>) {
        WriterCore::release_retired(&self);
    }
}
