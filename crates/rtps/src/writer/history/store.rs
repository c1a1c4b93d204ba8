//! What a writer with DURABILITY TRANSIENT or PERSISTENT keeps for late joiners (DDS 1.4 2.2.3.4,
//! 2.2.3.5 DURABILITY_SERVICE).
//!
//! The writer is its own service: one cache holds both what readers have not acknowledged yet, as
//! HISTORY says, and what they all have, as DURABILITY_SERVICE says. A change stays while either
//! wants it, so of each instance the newest `depth` stay in any case. What exceeds a limit of the
//! service goes, oldest first: late joiners want what is new. RESOURCE_LIMITS bound the whole.
use super::{HistoryCache, Instance};
use crate::slab::NONE;
use crate::{ChangeKind, InstanceHandle};
use alloc::vec::Vec;
use dunlin_qos::{DurabilityService, Duration, History};

pub(super) struct Store {
    /// Samples of each instance.
    depth: u32,
    max_samples: Option<usize>,
    max_instances: Option<usize>,
    /// When an instance goes that the writer has disposed and left.
    cleanup: Duration,
    /// All matched readers had everything up to here, once.
    through: i64,
}

impl Store {
    fn new(service: &DurabilityService) -> Self {
        let limits = service.resource_limits;
        let most = limits.max_samples_per_instance.unwrap_or(u32::MAX);
        let depth = match service.history {
            History::KeepLast(depth) => depth.min(most),
            History::KeepAll => most,
        };
        let size = |limit: Option<u32>| limit.and_then(|n| usize::try_from(n).ok());
        Self {
            depth: depth.max(1),
            max_samples: size(limits.max_samples),
            max_instances: size(limits.max_instances),
            cleanup: service.service_cleanup_delay,
            through: 0,
        }
    }

    /// Does an instance go that its writer leaves, as soon as all know that?
    pub(super) fn ends_at_once(store: Option<&Self>, instance: &Instance) -> bool {
        store.is_none_or(|store| store.cleanup == Duration::ZERO && instance.disposed)
    }
}

impl Instance {
    /// A change has come.
    pub(super) fn note(&mut self, kind: ChangeKind) {
        match kind {
            ChangeKind::Alive => self.disposed = false,
            ChangeKind::Unregistered => self.leaves = self.leaves.saturating_add(1),
            ChangeKind::Disposed | ChangeKind::DisposedUnregistered => self.disposed = true,
        }
    }

    /// A change is gone.
    pub(super) fn let_go(&mut self, kind: ChangeKind) {
        if kind == ChangeKind::Unregistered {
            self.leaves = self.leaves.saturating_sub(1);
        }
    }

    /// Changes that tell late joiners something. That the writer has left the instance does not
    /// take the place of what it had.
    fn worth(&self) -> u32 {
        self.count.saturating_sub(self.leaves.into())
    }
}

impl HistoryCache {
    /// From its beginning this cache keeps things for late joiners in another measure than for
    /// matched readers.
    pub(in super::super) fn storing(self, service: Option<DurabilityService>) -> Self {
        let store = service.map(|service| Store::new(&service));
        Self { store, ..self }
    }

    /// Does one more change of the instance take the place of its oldest, by KEEP_LAST of so many?
    pub(super) fn displaces(&self, kind: ChangeKind, instance: &Instance, depth: u32) -> bool {
        match &self.store {
            None => instance.count >= depth,
            Some(store) => {
                kind != ChangeKind::Unregistered && instance.worth() >= depth.max(store.depth)
            }
        }
    }

    /// Lets go of what all have and the service does not want any more of an instance.
    #[inline]
    pub(super) fn displace(&mut self, instance: u32) {
        if let Some(store) = &self.store {
            let (depth, through) = (store.depth, store.through);
            self.shorten(instance, depth, through);
        }
    }

    #[cold]
    fn shorten(&mut self, place: u32, depth: u32, through: i64) {
        while let Some(instance) = self.instances.get(place)
            && instance.worth() > depth
            && let Some(oldest) = self.kept.get(instance.oldest)
            && oldest.sequence <= through
        {
            let oldest = instance.oldest;
            self.remove(oldest);
        }
    }

    /// All matched readers have what comes up to `acknowledged`: from now on the service decides on
    /// it.
    #[inline]
    pub(in super::super) fn store(&mut self, acknowledged: i64) {
        if let Some(store) = &mut self.store
            && acknowledged > store.through
        {
            let before = core::mem::replace(&mut store.through, acknowledged);
            self.take_over(before, acknowledged);
        }
    }

    #[cold]
    fn take_over(&mut self, before: i64, through: i64) {
        let mut next = before + 1;
        while let Some((sequence, instance)) = self.first_from(next)
            && sequence <= through
        {
            next = sequence + 1;
            self.displace(instance);
        }
        self.observe_limits(through);
    }

    /// The first change from `sequence` on, and where its instance is.
    fn first_from(&self, sequence: i64) -> Option<(i64, u32)> {
        let (found, kept) = self.from(sequence).next()?;
        Some((found, kept.instance))
    }

    fn observe_limits(&mut self, through: i64) {
        let Some(store) = &self.store else { return };
        let (max_samples, max_instances) = (store.max_samples, store.max_instances);
        let exceeds = |most: Option<usize>, count| most.is_some_and(|most| count > most);
        while exceeds(max_samples, self.samples())
            && let Some(place) = self.oldest_through(through)
        {
            self.remove(place);
        }
        while exceeds(max_instances, self.instances.len() - self.empty)
            && let Some(place) = self.oldest_through(through)
        {
            let instance = self.kept.get(place).map_or(NONE, |kept| kept.instance);
            self.shorten(instance, 0, through);
            self.remove(place);
        }
    }

    /// Where the oldest sample is, if all have it.
    fn oldest_through(&self, through: i64) -> Option<u32> {
        let oldest = self.oldest_sample()?;
        (oldest.sequence <= through).then_some(oldest.place)
    }

    /// The time of an instance is over since the change with this number said that the writer
    /// leaves it.
    pub(in super::super) fn end(
        &mut self,
        sequence: i64,
        instance: InstanceHandle,
        acknowledged: i64,
    ) {
        let left = self.find(instance).and_then(|p| self.instances.get(p));
        if left.is_some_and(|i| i.unregistered && i.disposed) {
            self.farewells.push_back((sequence, instance));
            self.release_unregistered(acknowledged);
        }
    }

    /// Makes room for another instance by forgetting one that is only kept for late joiners; false
    /// if there is none.
    #[cold]
    pub(super) fn forget_one_that_was_left(&mut self, acknowledged: i64) -> bool {
        if self.store.is_none() {
            return false;
        }
        let left = self.order.iter().find_map(|line| {
            let kept = self.kept.get(line.place);
            let place = kept.filter(|k| k.sequence == line.sequence)?.instance;
            let instance = self.instances.get(place)?;
            let newest = self.kept.get(instance.newest)?;
            (instance.unregistered && newest.sequence <= acknowledged).then_some(place)
        });
        let Some(place) = left else { return false };
        let changes: Vec<u32> = self.changes_of(place).collect();
        for change in changes {
            self.remove(change);
        }
        true
    }

    /// Where the changes of an instance are, oldest first.
    fn changes_of(&self, instance: u32) -> impl Iterator<Item = u32> {
        let oldest = self.instances.get(instance).map(|i| i.oldest);
        core::iter::successors(oldest, |place| self.kept.get(*place).map(|k| k.newer))
            .take_while(|place| *place != NONE)
    }
}
