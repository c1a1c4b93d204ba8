//! A participant as its receivers see it.
use super::Shared;
use crate::receive::counters::Counters;
use crate::receive::deferred;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::{ReceivingParticipant, ReceivingReader};
use crate::receive::routes::Routes;
use crate::send::datagram::Datagrams;
use dunlin_rtps::discovery::Source;
use dunlin_transport::Transport;
use dunlin_wire::{GuidPrefix, Submessage, Timestamp};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Weak};
use std::time::Duration;

impl ReceivingParticipant for Shared {
    #[inline]
    fn prefix(&self) -> GuidPrefix {
        self.prefix
    }

    #[inline]
    fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn datagrams(&self) -> Datagrams {
        Shared::datagrams(self)
    }

    #[inline]
    fn refresh(&self, routes: &mut Arc<Routes<Self>>, generation: &mut u64) {
        let current = self.generation.load(SeqCst);
        if current != *generation {
            *routes = self.routes();
            *generation = current;
        }
    }

    fn discover(
        self: &Arc<Self>,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    ) {
        let _deferred = deferred::scope();
        let mut matching = self.matching.lock();
        matching.handle(self.clock.now(), source, timestamp, message);
    }

    fn settle_discovery(self: &Arc<Self>) -> Duration {
        Shared::discover(self, |matching, _| matching.pause_of_groups())
    }

    fn note_own_multicast(&self) {
        self.hears_itself.store(true, Relaxed);
    }

    fn tell_alive(self: &Arc<Self>, sign: &LivelinessAssertion) {
        Shared::discover(self, |matching, _| matching.tell(sign));
    }

    /// Said by the thread that received, before it tells anybody. Two of several receivers may
    /// count one: who looks wants to know whether there is any news.
    #[inline]
    fn note_arrival(&self) {
        let arrivals = self.arrivals.load(Relaxed);
        self.arrivals.store(arrivals.wrapping_add(1), Relaxed);
    }

    #[inline]
    fn send_held_back(&self) {
        Shared::send_held_back(self);
    }

    #[inline]
    fn has_deferred(&self) -> bool {
        Shared::has_deferred(self)
    }

    #[inline]
    fn run_deferred(&self) {
        if self.has_deferred() {
            self.call_deferred();
        }
    }

    #[inline]
    fn is_ended(&self) -> bool {
        Shared::is_ended(self)
    }

    fn fail(self: &Arc<Self>, why: &str) {
        Shared::fail(self, why);
    }
}

impl Shared {
    /// Calls listeners that could not be called where their news came from.
    #[inline(never)]
    fn call_deferred(&self) {
        if self.has_deferred.swap(false, SeqCst) {
            let mut readers = std::mem::take(&mut *self.deferred.lock());
            let calling = deferred::hold();
            for reader in readers.iter().filter_map(Weak::upgrade) {
                ReceivingReader::announce_data(&reader);
            }
            drop(calling);
            readers.clear();
            // Its memory is used again, unless somebody needed some meanwhile.
            let mut deferred = self.deferred.lock();
            if deferred.capacity() == 0 {
                *deferred = readers;
            }
        }
    }
}
