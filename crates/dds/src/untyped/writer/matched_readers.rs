//! The matched readers of a writer: what they want, and where samples for them go.
use super::WriterCore;
use crate::entity::shared::fragment_size;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReader;
use dunlin_qos::History;
use dunlin_rtps::{ReaderProxyConfig, Time};
use dunlin_wire::{Guid, ReaderData};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

impl WriterCore {
    /// Finds out what a matched reader wants, before samples go where it is.
    pub(crate) fn note_filter(&self, reader: &ReaderData) {
        let mut filters = self.filters.lock();
        filters.note(reader, &self.type_support);
        self.has_filters.store(!filters.is_empty(), Relaxed);
    }

    /// From now on samples are measured by what a matched reader wants now; until this is said it
    /// gets what others get.
    pub(crate) fn change_filter(&self, reader: Guid) {
        let filter = self.filters.lock().of(&reader);
        self.state.lock().set_reader_filter(reader, filter);
        self.filters.lock().settle();
    }

    /// Readers that are sent everything since their filters take too many steps.
    pub(crate) fn given_up_filters(&self) -> usize {
        self.state.lock().given_up_filters()
    }

    /// A remote reader suits: it becomes a proxy, and its locators a destination.
    pub(crate) fn add_reader(
        self: &Arc<Self>,
        now: Time,
        proxy: ReaderProxyConfig,
        limit: Option<u32>,
        out: &mut Datagrams,
    ) {
        let next = {
            let mut state = self.state.lock();
            let filter = self.filters.lock().of(&proxy.guid);
            state.add_filtering_reader(now, proxy, filter, out);
            state.set_reader_limit(proxy.guid, limit);
            state.next_timeout()
        };
        self.schedule(next);
    }

    pub(crate) fn remove_reader(self: &Arc<Self>, reader: Guid) {
        self.filters.lock().forget(&reader);
        self.state.lock().remove_reader(reader);
        self.dialects.remove(reader);
        self.announce_room();
    }

    /// Its samples are kept until all have them, so a slow reader holds it up in any case.
    pub(crate) fn is_patient(&self) -> bool {
        self.fixed().reliability.is_reliable() && self.fixed().history == History::KeepAll
    }

    /// From now on samples go to these places, in datagrams of at most `limit` bytes, and to the
    /// readers in this process.
    pub(crate) fn set_destinations(
        &self,
        to: Vec<Destination>,
        local_readers: Vec<LocalReader>,
        limit: usize,
    ) {
        // Nothing large may be said for places that carry more than those where it will then be
        // sent.
        let before = self.datagram_limit.load(SeqCst);
        if limit <= before {
            self.set_limit(limit);
        }
        *self.destinations.lock() = to.into();
        self.has_near.store(!local_readers.is_empty(), Relaxed);
        *self.local_readers.lock() = local_readers.into();
        self.destinations_generation.fetch_add(1, SeqCst);
        if limit > before {
            self.set_limit(limit);
        }
    }

    fn set_limit(&self, limit: usize) {
        self.datagram_limit.store(limit, SeqCst);
        self.state.lock().set_fragment_size(fragment_size(limit));
    }
}
