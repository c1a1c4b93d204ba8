//! What a datagram brought, to be told when its thread holds no lock.
use crate::receive::deferred;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::{
    AnsweredWriter, Endpoints, ReceivingParticipant, ReceivingReader,
};
use std::sync::Arc;

/// Readers that keep fewer samples than this hear of each datagram before the next is looked at.
const ROOM: u32 = 256;

/// Whom datagrams brought something.
pub(crate) struct Arrivals<P: Endpoints> {
    pub(super) ready: Vec<Arc<P::Reader>>,
    pub(super) acknowledged: Vec<Arc<P::Writer>>,
    /// Writers that showed that they live, of which discovery should hear.
    pub(super) alive: Vec<Arc<LivelinessAssertion>>,
    /// The reader that was told of last, which mostly is the next one, too: kept, it need not be
    /// counted.
    last: Option<Arc<P::Reader>>,
}

impl<P: Endpoints> Default for Arrivals<P> {
    fn default() -> Self {
        Self {
            ready: Vec::new(),
            acknowledged: Vec::new(),
            alive: Vec::new(),
            last: None,
        }
    }
}

impl<P: Endpoints> Arrivals<P> {
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.acknowledged.is_empty() && self.alive.is_empty()
    }

    /// More may come before anybody hears of this: no reader would lose a sample.
    pub(super) fn may_wait(&self) -> bool {
        self.ready.iter().all(|reader| reader.keeps(ROOM))
    }

    /// What there is to tell, to be filled.
    pub(super) fn of(arrivals: &mut Option<Box<Self>>) -> &mut Self {
        arrivals.get_or_insert_default()
    }

    /// Tells those who wait or listen; user code runs here.
    pub(crate) fn deliver(&mut self, shared: &Arc<P>)
    where
        P: ReceivingParticipant,
    {
        if !self.alive.is_empty() {
            for sign in self.alive.drain(..) {
                shared.tell_alive(&sign);
            }
        }
        if !self.acknowledged.is_empty() {
            // Listeners that are told of room.
            let _deferred = deferred::scope();
            for writer in self.acknowledged.drain(..) {
                writer.announce_room();
            }
        }
        if self.ready.is_empty() {
            return;
        }
        shared.note_arrival();
        let calling = deferred::hold();
        for reader in self.ready.drain(..) {
            reader.announce_data();
            self.last = Some(reader);
        }
        drop(calling);
        // What listeners wrote and is held back.
        shared.send_held_back();
    }

    /// Keeps nobody alive.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    pub(super) fn add_ready(&mut self, reader: &Arc<P::Reader>) {
        if !self.ready.iter().any(|r| Arc::ptr_eq(r, reader)) {
            let known = self.last.take_if(|last| Arc::ptr_eq(last, reader));
            self.ready.push(known.unwrap_or_else(|| Arc::clone(reader)));
        }
    }

    pub(super) fn add_acknowledged(&mut self, writer: &Arc<P::Writer>) {
        if !self.acknowledged.iter().any(|w| Arc::ptr_eq(w, writer)) {
            self.acknowledged.push(Arc::clone(writer));
        }
    }
}
