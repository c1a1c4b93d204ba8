//! Samples that a reader's content filter would drop are not sent to it (RTPS 2.5 8.4.7.3
//! `rtps_changes_for_reader`, `is_relevant`).
//!
//! Readers with equal filters share a place, so that each filter is judged once for a sample; the
//! sample goes to those whose filter lets it pass, and to those without one. The others are told by
//! a GAP that its number concerns them not, but only when they are to hear something anyway: before
//! the next sample that they get, and before a heartbeat. So a run of samples costs one GAP.
//!
//! Filters come from strangers, and to judge by them happens while somebody writes. So all of them
//! together may take [`ReaderFilter::STEPS`] for a sample, and the one that takes the most of too
//! many is given up: whoever has it gets everything from then on, and judges by itself.
use super::reader_proxy::ReaderProxy;
use super::{ReaderFilter, Writer};
use crate::{Change, ChangeKind, ContentFilter, Outbox, To};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_wire::{
    EntityId, Gap, Guid, SequenceNumber, SequenceNumberSet, SetMembership, Submessage,
};

/// The bit of readers without a filter.
const UNFILTERED: u64 = 1 << 63;

/// The filters of the matched readers; there is at least one.
pub(super) struct Filters {
    /// By place, each once.
    filters: Vec<ReaderFilter>,
    /// The bits of all readers.
    known: u64,
}

impl ReaderFilter {
    /// At most so many filters are judged for one writer: their places are below this.
    pub const MOST: u8 = 32;

    /// The filters of a writer may take so many steps for a sample that is written, and for an
    /// answer to one reader, all together. A step is what [`ContentFilter::counting`] takes off, a
    /// few nanoseconds at most.
    pub const STEPS: usize = 1 << 18;

    /// What `To::Passing` says of a reader with this filter, or with none.
    pub fn bit(filter: Option<&Self>) -> u64 {
        match filter {
            Some(filter) => 1u64.checked_shl(filter.place.into()).unwrap_or(UNFILTERED),
            None => UNFILTERED,
        }
    }
}

impl Filters {
    pub(super) fn of(readers: &[ReaderProxy]) -> Option<Box<Self>> {
        let mut filters: Vec<ReaderFilter> = Vec::new();
        let mut known = 0;
        for reader in readers {
            let filter = reader.filter.as_ref();
            known |= ReaderFilter::bit(filter);
            if let Some(filter) = filter
                && !filters.iter().any(|known| known.place == filter.place)
            {
                filters.push(filter.clone());
            }
        }
        (!filters.is_empty()).then(|| Box::new(Self { filters, known }))
    }

    /// The bits of those who get the change. Whatever is no sample passes, and so does what belongs
    /// to a coherent set, which would be incomplete otherwise, and what is not in one piece.
    fn passing(&self, change: &Change, set: Option<&SetMembership>) -> u64 {
        let sample = change.payload.whole();
        let Some(sample) = sample.filter(|_| change.kind == ChangeKind::Alive && set.is_none())
        else {
            return self.known;
        };
        let mut passing = self.known & UNFILTERED;
        let mut steps = ReaderFilter::STEPS;
        let mut ran_out = false;
        let mut costliest: Option<(usize, &ContentFilter)> = None;
        for one in &self.filters {
            let before = steps;
            let passes = one.filter.passes_within(sample, &mut steps);
            if passes != Some(false) {
                passing |= ReaderFilter::bit(Some(one));
            }
            ran_out |= passes.is_none();
            let cost = before - steps;
            if costliest.is_none_or(|(most, _)| cost > most) {
                costliest = Some((cost, &one.filter));
            }
        }
        if let Some((_, filter)) = costliest.filter(|_| ran_out) {
            filter.give_up();
        }
        passing
    }
}

/// Judges samples for an answer to one reader.
pub(super) struct Judge<'a> {
    filter: Option<&'a ContentFilter>,
    /// Steps that are left for this answer.
    steps: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn of(reader: &'a ReaderProxy) -> Self {
        Self {
            filter: reader.filter.as_ref().map(|filter| &filter.filter),
            steps: ReaderFilter::STEPS,
        }
    }

    /// The reader has a filter.
    pub(super) fn is_needed(&self) -> bool {
        self.filter.is_some()
    }

    /// Would the reader drop it? As `Filters::passing`; `None` if the answer has cost enough, and
    /// has to end here.
    pub(super) fn is_unwanted(
        &mut self,
        change: &Change,
        set: Option<&SetMembership>,
    ) -> Option<bool> {
        let is_sample = change.kind == ChangeKind::Alive && set.is_none();
        let sample = change.payload.whole().filter(|_| is_sample);
        let (Some(filter), Some(sample)) = (self.filter, sample) else {
            return Some(false);
        };
        let is_first = self.steps == ReaderFilter::STEPS;
        match filter.passes_within(sample, &mut self.steps) {
            None if is_first => {
                filter.give_up();
                Some(false)
            }
            passes => passes.map(|passes| !passes),
        }
    }
}

impl ReaderProxy {
    /// A change is not for it.
    fn skip(&mut self, sequence: i64) {
        if !self.hears_gaps() {
            return;
        }
        self.skipped = match self.skipped {
            Some((start, end)) if end == sequence => Some((start, sequence + 1)),
            _ => Some((sequence, sequence + 1)),
        };
    }

    fn has_given_up_filter(&self) -> bool {
        let filter = self.filter.as_ref();
        filter.is_some_and(|one| one.filter.is_given_up())
    }

    fn tell_skipped(&mut self, writer: EntityId, out: &mut impl Outbox) {
        let Some((start, end)) = self.skipped.take() else {
            return;
        };
        let gap = Gap {
            reader: self.config.guid.entity,
            writer,
            start: SequenceNumber(start),
            list: SequenceNumberSet::new(SequenceNumber(end)),
        };
        let to = To::Endpoint(self.config.guid);
        out.push(to, Submessage::Gap(gap), &Bytes::new());
    }
}

impl Writer {
    /// Another filter, or none, for a matched reader. What it has been told is not for it stays so.
    pub fn set_reader_filter(&mut self, reader: Guid, filter: Option<ReaderFilter>) {
        if let Some(index) = self.index(reader)
            && let Some(proxy) = self.readers.get_mut(index)
        {
            proxy.filter = filter;
        }
        self.filters = Filters::of(&self.readers);
    }

    /// Is this reader sent everything since its filter takes too many steps
    /// ([`ReaderFilter::STEPS`])?
    pub fn has_given_up_filter(&self, reader: Guid) -> bool {
        let index = self.index(reader);
        let proxy = index.and_then(|index| self.readers.get(index));
        proxy.is_some_and(ReaderProxy::has_given_up_filter)
    }

    /// How many readers are.
    pub fn given_up_filters(&self) -> usize {
        let readers = self.readers.iter();
        readers.filter(|proxy| proxy.has_given_up_filter()).count()
    }

    /// The matched readers that `To::Passing` means.
    pub fn readers_passing(&self, passing: u64) -> impl Iterator<Item = Guid> {
        let bit = |reader: &ReaderProxy| ReaderFilter::bit(reader.filter.as_ref());
        let readers = self.readers.iter();
        let readers = readers.filter(move |reader| bit(reader) & passing != 0);
        readers.map(|reader| reader.config.guid)
    }

    /// Who gets a new change, told before of what they did not get; `None` if nobody does.
    pub(super) fn choose(
        &mut self,
        sequence: i64,
        change: &Change,
        set: Option<&SetMembership>,
        out: &mut impl Outbox,
    ) -> Option<To> {
        let Some(filters) = &self.filters else {
            return Some(To::Matched);
        };
        let passing = filters.passing(change, set);
        for proxy in self.readers.iter_mut() {
            match passing & ReaderFilter::bit(proxy.filter.as_ref()) {
                0 => proxy.skip(sequence),
                _ => proxy.tell_skipped(self.config.guid.entity, out),
            }
        }
        match passing {
            0 => None,
            all if all == filters.known => Some(To::Matched),
            some => Some(To::Passing(some)),
        }
    }

    /// Tells one reader, or all, what was not for them: a heartbeat is about to make them ask for
    /// it.
    pub(super) fn tell_skipped(&mut self, only: Option<Guid>, out: &mut impl Outbox) {
        let writer = self.config.guid.entity;
        let told = |proxy: &&mut ReaderProxy| {
            proxy.config.reliable && only.is_none_or(|guid| guid == proxy.config.guid)
        };
        for proxy in self.readers.iter_mut().filter(told) {
            proxy.tell_skipped(writer, out);
        }
    }
}
