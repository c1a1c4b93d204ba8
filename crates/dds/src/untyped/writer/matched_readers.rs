//! A writer as matching sees it: what its readers want, and where samples for them go.
use super::WriterCore;
use crate::discovery::matching::{MatchedEndpoint, MatchedWriter};
use crate::entity::shared::fragment_size;
use crate::receive::liveliness::LivelinessAssertion;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReader;
use crate::status::{LivelinessLostStatus, MatchedStatus};
use dunlin_qos::{History, Incompatibility};
use dunlin_rtps::{ReaderProxyConfig, Time};
use dunlin_wire::{DiagnosticFact, Guid, Locator, ParticipantData, ReaderData, WriterData};
use dunlin_xtypes::{DynamicType, LocalType};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

impl MatchedEndpoint for WriterCore {
    fn dynamic_type(&self) -> Option<&DynamicType> {
        self.type_support.dynamic_type()
    }

    fn local_type(&self) -> Option<&LocalType> {
        self.type_support.local_type()
    }

    fn is_local(&self) -> bool {
        self.shared.config.transports.local
    }

    fn facts(&self, other: Guid) -> Vec<(DiagnosticFact, i64)> {
        WriterCore::facts(self, other)
    }

    fn count_matched(&self, other: Guid, change: i32) -> Option<MatchedStatus> {
        WriterCore::count_matched(self, other, change)
    }

    fn tell_matched(self: &Arc<Self>, status: Option<MatchedStatus>) {
        WriterCore::tell_matched(self, status);
    }

    fn note_incompatible(self: &Arc<Self>, other: Guid, mismatches: &[Incompatibility]) {
        WriterCore::note_incompatible(self, other, mismatches);
    }
}

impl MatchedWriter for WriterCore {
    fn data(&self) -> WriterData {
        WriterCore::data(self)
    }

    fn liveliness_assertion(&self) -> Option<&Arc<LivelinessAssertion>> {
        self.sign.get()
    }

    fn settle_filters(&self) {
        self.filters.lock().settle();
    }

    fn wanted(&self, reader: &Guid) -> u64 {
        self.filters.lock().wanted(reader)
    }

    fn note_product(&self, reader: Guid, participant: &ParticipantData) {
        self.dialects.add(reader, participant);
    }

    fn count_liveliness_lost(&self) -> Option<LivelinessLostStatus> {
        WriterCore::count_liveliness_lost(self)
    }

    fn tell_liveliness_lost(self: &Arc<Self>, status: Option<LivelinessLostStatus>) {
        WriterCore::tell_liveliness_lost(self, status);
    }

    fn note_filter(&self, reader: &ReaderData) {
        let mut filters = self.filters.lock();
        filters.note(reader, &self.type_support);
        self.has_filters.store(!filters.is_empty(), Relaxed);
    }

    fn change_filter(&self, reader: Guid) {
        let filter = self.filters.lock().of(&reader);
        self.state.lock().set_reader_filter(reader, filter);
        self.filters.lock().settle();
    }

    fn add_reader(
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

    fn remove_reader(self: &Arc<Self>, reader: Guid) {
        self.filters.lock().forget(&reader);
        self.state.lock().remove_reader(reader);
        self.dialects.remove(reader);
        self.announce_room();
    }

    fn is_patient(&self) -> bool {
        self.fixed().reliability.is_reliable() && self.fixed().history == History::KeepAll
    }

    fn set_destinations(
        &self,
        to: Vec<Destination>,
        put_off: Vec<Locator>,
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
        *self.put_off.lock() = put_off;
        self.has_near.store(!local_readers.is_empty(), Relaxed);
        *self.local_readers.lock() = local_readers.into();
        self.destinations_generation.fetch_add(1, SeqCst);
        if limit > before {
            self.set_limit(limit);
        }
    }
}

impl WriterCore {
    /// Readers that are sent everything since their filters take too many steps.
    pub(crate) fn given_up_filters(&self) -> usize {
        self.state.lock().given_up_filters()
    }

    fn set_limit(&self, limit: usize) {
        self.datagram_limit.store(limit, SeqCst);
        self.state.lock().set_fragment_size(fragment_size(limit));
    }
}
