//! What readers answer a writer, those of the same process and others, and what is deferred for it.
use super::WriterCore;
use crate::receive::deferred::{self, DeferredCall, DeferredWriter};
use crate::receive::participant::AnsweredWriter;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalWriterEndpoint;
use dunlin_rtps::Time;
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

impl AnsweredWriter for WriterCore {
    fn handle_answer(
        &self,
        now: Time,
        from: Guid,
        message: &Submessage<'_>,
        out: &mut Datagrams,
    ) -> bool {
        let outcome = self.take_answer(now, from, message, out);
        if outcome.retired {
            self.release_retired();
        }
        outcome.room
    }

    fn send<'r>(&self, out: &mut Datagrams, destination: impl Fn(&Guid) -> &'r [Destination]) {
        self.send_by(out, destination);
    }

    fn announce_room(self: &Arc<Self>) {
        WriterCore::announce_room(self);
    }
}
