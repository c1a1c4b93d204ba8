//! What a reader has is looked at, or taken (DDS 1.4 2.2.2.5.3).
use super::ReaderCore;
use crate::runtime::lock::{Guard, READER};
use arrayvec::ArrayVec;
use dunlin_rtps::{ContentFilter, Payload, Reader, Sample, SampleInfo, Select};
use std::sync::Arc;

impl ReaderCore {
    /// The cache without samples that are not valid any more.
    #[inline]
    fn current(&self) -> Guard<'_, Reader, READER> {
        let mut state = self.state.lock();
        if state.is_timed() {
            state.expire(self.shared.clock.now());
        }
        state
    }

    /// Moves samples out; deserialization happens after this has returned.
    pub(crate) fn take(self: &Arc<Self>, select: &Select, sink: impl FnMut(Sample)) -> usize {
        if self.is_bare() {
            return 0;
        }
        let mut state = self.current();
        self.clear_data();
        let count = state.take(select, sink);
        self.taken(state);
        count
    }

    /// As `take`, but takes nothing if there are several samples: then it returns false.
    #[inline]
    pub(crate) fn take_sole(self: &Arc<Self>, select: &Select, sink: impl FnMut(Sample)) -> bool {
        if self.is_bare() {
            return true;
        }
        let mut state = self.current();
        if state.has_several() {
            return false;
        }
        self.clear_data();
        state.take(select, sink);
        self.taken(state);
        true
    }

    /// As `take` of the oldest sample in one of these states. What is said about it is put where it
    /// is to stay: it is large.
    #[inline]
    pub(crate) fn take_oldest(
        self: &Arc<Self>,
        sample_states: u32,
        info: &mut SampleInfo,
    ) -> Option<Payload> {
        if self.is_bare() {
            return None;
        }
        let mut state = self.current();
        self.clear_data();
        let payload = state.take_oldest(sample_states, info);
        self.taken(state);
        payload
    }

    /// Samples have left the cache.
    #[inline]
    fn taken(self: &Arc<Self>, state: Guard<'_, Reader, READER>) {
        self.note_next(&state);
        drop(state);
        // Room may have come for samples that were refused: the timer asks for them, since their
        // listener may be our caller.
        self.schedule();
        self.group.group_access.open();
    }

    /// As `take`, one after the other as often as the selection finds one, until `into` is full.
    pub(crate) fn take_repeatedly<const N: usize>(
        self: &Arc<Self>,
        one: &Select,
        into: &mut ArrayVec<Sample, N>,
    ) {
        if self.is_bare() {
            return;
        }
        let mut state = self.current();
        self.clear_data();
        while !into.is_full() && state.take(one, |sample| into.push(sample)) > 0 {}
        self.taken(state);
    }

    /// As `take`, of what passes the filter, if there is one.
    pub(crate) fn take_matching(
        self: &Arc<Self>,
        select: &Select,
        filter: Option<ContentFilter>,
        sink: impl FnMut(Sample),
    ) {
        let mut state = self.current();
        self.clear_data();
        state.set_query(filter);
        state.take(select, sink);
        state.set_query(None);
        self.taken(state);
    }

    /// Drops all samples, which ends their loans.
    pub(crate) fn clear(&self) {
        let mut all = Vec::new();
        let any = Select::default();
        self.state.lock().take(&any, |sample| all.push(sample));
    }

    /// Copies samples out (counted bytes) and leaves them, now read.
    pub(crate) fn read(&self, select: &Select, sink: impl FnMut(Sample)) -> usize {
        let mut state = self.current();
        self.clear_data();
        state.read(select, sink)
    }

    /// As `read`, of what passes the filter, if there is one.
    pub(crate) fn read_matching(
        &self,
        select: &Select,
        filter: Option<ContentFilter>,
        sink: impl FnMut(Sample),
    ) {
        let mut state = self.current();
        self.clear_data();
        state.set_query(filter);
        state.read(select, sink);
        state.set_query(None);
    }

    /// Is there a sample with these states that passes the filter?
    pub(crate) fn has_matching(&self, select: &Select, filter: ContentFilter) -> bool {
        let mut state = self.current();
        state.set_query(Some(filter));
        let has = state.has_data(
            select.sample_states,
            select.view_states,
            select.instance_states,
        );
        state.set_query(None);
        has
    }

    pub(crate) fn has_data(&self, select: &Select) -> bool {
        self.current().has_data(
            select.sample_states,
            select.view_states,
            select.instance_states,
        )
    }

    /// In which turns the selected samples are to be taken.
    pub(crate) fn places(&self, select: &Select) -> Vec<(u64, i64)> {
        let mut places = Vec::new();
        self.current().places(select, |place| places.push(place));
        places
    }
}
