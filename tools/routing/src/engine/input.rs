//! An input as the thread that works the route has it: a reader, and where its changes go.
use super::admission::{Admission, Latest};
use super::output::{OutputLane, Sources};
use super::registry::Registry;
use super::route::RouteCore;
use super::tally::Tally;
use crate::adapter::AdapterReader;
use crate::table::Slot;
use dunlin::untyped::{Origins, Time, UntypedReader, UntypedReaderListener};
use dunlin::{
    ChangeKind, Guid, MatchedStatus, OriginBounds, SampleInfo, SetPlace, StatusKind, StatusMask,
};
use dunlin_filter::Filter;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Where an input takes its changes from.
pub(crate) enum Source {
    /// A reader in a domain; the handle is one that does not keep it.
    Domain(UntypedReader),
    /// One of an adapter.
    Beyond(Arc<dyn AdapterReader>),
}

impl Source {
    /// The writers that it is matched with.
    pub(crate) fn writers(&self) -> Vec<Guid> {
        match self {
            Self::Domain(reader) => reader.matched_publications(),
            Self::Beyond(reader) => reader.matched(),
        }
    }

    /// The writers that were deleted since this was asked last, which disposes what they leave.
    pub(crate) fn take_deleted(&self) -> Vec<Guid> {
        match self {
            Self::Domain(reader) => reader.take_deleted_writers(),
            // Its sources say of each instance what becomes of it.
            Self::Beyond(_) => Vec::new(),
        }
    }

    /// Takes all again of a writer that was lost, if it returns.
    pub(crate) fn forget(&self, writer: Guid) {
        match self {
            Self::Domain(reader) => reader.forget_lost_writer(writer),
            // An adapter says itself what its sources keep.
            Self::Beyond(_) => {}
        }
    }

    /// Is it matched with one writer?
    pub(crate) fn has_one_writer(&self) -> bool {
        match self {
            Self::Domain(reader) => reader.matched_count() == 1,
            Self::Beyond(reader) => reader.matched().len() == 1,
        }
    }
}

/// An input of a route.
pub(crate) struct InputLane {
    pub(crate) slot: Slot,
    pub(crate) reader: Source,
    /// Its sources may be made to wait; what comes otherwise is dropped if there is no room.
    pub(crate) is_reliable: bool,
    pub(crate) is_keyed: bool,
    pub(crate) tally: Arc<Tally>,
    pub(crate) admission: Arc<Admission>,
    latest: Latest,
    targets: Targets,
    /// For which group of sources the outputs stand that it shares with others: 0 for all. `None`
    /// if it shares none.
    pub(crate) scope: Option<u64>,
    /// What has come for these, so that they take each sample once, whoever passes it on. An output
    /// for one source takes all that this one writes: readers beyond get its samples whole and in
    /// their order, and what another source brought first goes with that one's output.
    came: Option<Origins>,
    /// What the input wants; writers that can judge by it do so, too.
    filter: Option<Filter>,
    /// Coherent sets come whole.
    keeps_sets: bool,
    /// Whose set is being taken. The reader has all of a set in a row, so there is one at most.
    in_set: Option<Guid>,
}

/// Which outputs take the changes of an input, by their place in the route.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    /// Those that take all of them.
    common: Vec<usize>,
    /// Those that take the changes of one writer.
    by_writer: HashMap<Guid, Vec<usize>>,
}

impl InputLane {
    /// An input that goes nowhere yet.
    pub(crate) fn new(
        slot: Slot,
        reader: Source,
        is_reliable: bool,
        is_keyed: bool,
        tally: Arc<Tally>,
        admission: Arc<Admission>,
    ) -> Self {
        Self {
            slot,
            reader,
            is_reliable,
            is_keyed,
            tally,
            admission,
            latest: Latest::default(),
            targets: Targets::default(),
            scope: None,
            came: None,
            filter: None,
            keeps_sets: false,
            in_set: None,
        }
    }

    /// Its reader keeps coherent sets together.
    pub(crate) fn with_sets(self, keeps_sets: bool) -> Self {
        Self { keeps_sets, ..self }
    }

    /// Where a change stands in its writer's sets.
    #[inline]
    pub(crate) fn place_of(&self, info: &SampleInfo) -> SetPlace {
        match self.keeps_sets {
            true => info.set,
            false => SetPlace::Outside,
        }
    }

    /// Samples say which they are, so that outputs for several sources take each of them once.
    pub(crate) fn with_origins(self, are_told: bool) -> Self {
        let bounds = OriginBounds::default();
        Self {
            came: are_told.then(|| Origins::new(bounds)),
            ..self
        }
    }

    /// Did a sample come before for the outputs that it shares with others?
    #[inline]
    pub(crate) fn has_come(&mut self, now: Time, info: &SampleInfo) -> bool {
        match (&mut self.came, self.scope) {
            (Some(came), Some(_)) => came.have(now, &info.identity()),
            _ => false,
        }
    }

    /// As `has_come`. From now on it did.
    #[inline]
    pub(crate) fn comes_again(&mut self, now: Time, info: &SampleInfo) -> bool {
        let (Some(came), Some(_)) = (&mut self.came, self.scope) else {
            return false;
        };
        let identity = info.identity();
        let is_known = came.have(now, &identity);
        if !is_known {
            came.note(now, &identity);
        }
        is_known
    }

    /// Takes note of the next change that is taken, or that nothing is left to take. Returns the
    /// writer whose set is over by that.
    #[inline]
    pub(crate) fn set_over(&mut self, next: Option<&SampleInfo>) -> Option<Guid> {
        if !self.keeps_sets {
            return None;
        }
        match next {
            Some(info) if info.set == SetPlace::Following => None,
            Some(info) => {
                let in_set = (info.set == SetPlace::First).then_some(info.publication);
                std::mem::replace(&mut self.in_set, in_set)
            }
            None => self.in_set.take(),
        }
    }

    /// Lets only those samples through that this filter passes.
    pub(crate) fn with_filter(self, filter: Option<Filter>) -> Self {
        Self { filter, ..self }
    }

    /// The same from now on.
    pub(crate) fn judge_by(&mut self, filter: Option<Filter>) {
        self.filter = filter;
    }

    /// Are there samples that it may not want?
    pub(crate) fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Does its filter let a change through? Only samples have members.
    #[inline]
    pub(crate) fn passes(&self, kind: ChangeKind, payload: &[u8]) -> bool {
        let filter = self.filter.as_ref();
        kind != ChangeKind::Alive || filter.is_none_or(|filter| filter.passes(payload))
    }

    /// Tells it from the other inputs of the route.
    pub(crate) fn lane(&self) -> (usize, u64) {
        (self.slot.index, self.slot.group)
    }

    /// Tells the registry which of its sources are there, and how others went.
    pub(crate) fn thin(&self, registry: &mut Registry, now: Duration, there: &[Guid]) {
        registry.note_deleted(self.lane(), &self.reader.take_deleted());
        registry.keep(now, self.lane(), there);
    }

    /// Does it take the changes of this writer?
    #[inline]
    pub(crate) fn admits(&mut self, writer: &Guid) -> bool {
        self.admission.admits(writer, &mut self.latest)
    }

    /// Finds out where its changes go among the outputs that there are now.
    pub(crate) fn aim(&mut self, outputs: &[OutputLane]) {
        self.targets = Targets::default();
        self.scope = None;
        for (at, output) in outputs.iter().enumerate() {
            match output.sources {
                Sources::All => {
                    self.targets.common.push(at);
                    self.scope = Some(0);
                }
                Sources::Group(group) if group == self.slot.group => {
                    self.targets.common.push(at);
                    self.scope.get_or_insert(group);
                }
                Sources::Group(_) => {}
                Sources::Writer(writer) => {
                    self.targets.by_writer.entry(writer).or_default().push(at);
                }
            }
        }
    }

    /// Where the changes of a writer go.
    pub(crate) fn targets(&self, writer: &Guid) -> impl Iterator<Item = usize> {
        self.shared().iter().chain(self.own(writer)).copied()
    }

    /// Where the changes of all its writers go.
    pub(crate) fn shared(&self) -> &[usize] {
        &self.targets.common
    }

    /// Where the changes of a writer go and no others.
    pub(crate) fn own(&self, writer: &Guid) -> &[usize] {
        let own = match self.targets.by_writer.is_empty() {
            true => None,
            false => self.targets.by_writer.get(writer),
        };
        own.map_or(&[], Vec::as_slice)
    }
}

/// Works the route when there is something to take.
pub(crate) struct DataListener(pub(crate) Arc<RouteCore>);

impl UntypedReaderListener for DataListener {
    fn statuses(&self) -> StatusMask {
        StatusMask::from(StatusKind::DataAvailable).with(StatusKind::SubscriptionMatched)
    }

    fn on_data_available(&self, _: &UntypedReader) {
        self.0.pump();
    }

    fn on_subscription_matched(&self, _: &UntypedReader, status: &MatchedStatus) {
        if status.current_count_change != 0 {
            self.0.look_for_sources();
        }
    }
}
