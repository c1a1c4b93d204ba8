//! What a writer keeps (RTPS 2.5 8.2.2 HistoryCache): changes by number, and per instance from
//! oldest to newest.
//!
//! Changes live in a slab; `order` lists their places by ascending number. A change that goes from
//! the middle leaves its line in `order` behind, stale, until such lines are the majority and are
//! swept.
mod store;

use super::data_output::Annotations;
use super::{WriteError, coherent_sets};
use crate::instance_map::{HasHandle, InstanceMap};
use crate::slab::{NONE, Slab};
use crate::{Change, ChangeKind, InstanceHandle, SpareParts};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{History, ResourceLimits};
use dunlin_wire::{SampleOrigin, SetMembership};
use store::Store;

/// Instances without changes that are remembered in any case: they are likely to be written again.
const EMPTY_SLACK: usize = 16_384;
/// Stale lines that are tolerated however few changes there are.
const STALE_SLACK: usize = 64;

pub(super) struct Kept {
    sequence: i64,
    pub(super) change: Change,
    /// What it says about the sets that it belongs to or ends.
    pub(super) set: Option<Box<SetMembership>>,
    /// Where `HistoryCache::origins` has its origin; `NONE` if it says nothing of it.
    origin: u32,
    instance: u32,
    newer: u32,
}

// Each change is moved here from where it was made. Up to so many bytes that is done in place, and
// beyond it is a call. What few changes have is boxed, or has a slab of its own.
const _: () = assert!(size_of::<Kept>() <= 128);

impl Kept {
    fn is_mark(&self) -> bool {
        self.set.as_deref().is_some_and(coherent_sets::is_mark)
    }
}

struct Instance {
    handle: InstanceHandle,
    oldest: u32,
    newest: u32,
    count: u32,
    unregistered: bool,
    disposed: bool,
    /// How many of its changes only say that the writer leaves it.
    leaves: u16,
}

impl HasHandle for Instance {
    #[inline]
    fn handle(&self) -> InstanceHandle {
        self.handle
    }
}

struct Line {
    sequence: i64,
    place: u32,
}

pub(super) struct HistoryCache {
    history: History,
    limits: ResourceLimits,
    /// Nothing asks about instances if all is kept and only the total is limited.
    by_instance: bool,
    kept: Slab<Kept>,
    order: VecDeque<Line>,
    instances: InstanceMap<Instance>,
    /// Instances without changes.
    empty: usize,
    /// Instances that their writer left, by the number of the change that says so.
    farewells: VecDeque<(i64, InstanceHandle)>,
    /// Numbers and places of those that only mark the end of a set; some may be gone. They are no
    /// samples, so no limit counts them.
    marks: VecDeque<Line>,
    /// How many of them are not.
    marked: usize,
    /// Bytes of the application that are not needed any more.
    retired: Vec<Bytes>,
    /// In which changes had them.
    spares: SpareParts,
    /// What changes say of their origin. Most say nothing, so it is not in the changes.
    origins: Slab<SampleOrigin>,
    /// What late joiners get, if that is another matter than what matched readers do.
    store: Option<Store>,
}

impl HistoryCache {
    pub(super) fn new(history: History, limits: ResourceLimits, transient: bool) -> Self {
        Self {
            history,
            limits,
            by_instance: transient
                || matches!(history, History::KeepLast(_))
                || limits.max_instances.is_some()
                || limits.max_samples_per_instance.is_some(),
            kept: Slab::new(),
            order: VecDeque::new(),
            instances: InstanceMap::new(),
            empty: 0,
            farewells: VecDeque::new(),
            marks: VecDeque::new(),
            marked: 0,
            retired: Vec::new(),
            spares: SpareParts::default(),
            origins: Slab::new(),
            store: None,
        }
    }

    pub(super) fn retired(&mut self) -> &mut Vec<Bytes> {
        &mut self.retired
    }

    pub(super) fn spares(&mut self) -> &mut SpareParts {
        &mut self.spares
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// What a change says about others.
    pub(super) fn annotations<'a>(&'a self, kept: &'a Kept) -> Annotations<'a> {
        Annotations {
            set: kept.set.as_deref(),
            origin: self.origins.get(kept.origin),
        }
    }

    /// The lowest number kept.
    pub(super) fn first(&self) -> Option<i64> {
        // The front line is never stale: whatever removes a change also trims.
        self.order.front().map(|line| line.sequence)
    }

    /// The newest change of an instance.
    pub(super) fn newest(&self, instance: InstanceHandle) -> Option<&Change> {
        let newest = self
            .instances
            .get(self.instances.place_of(instance)?)?
            .newest;
        Some(&self.kept.get(newest)?.change)
    }

    /// The instances that have changes.
    pub(super) fn instances(&self) -> impl Iterator<Item = InstanceHandle> {
        let instances = self.instances.iter().map(|(_, instance)| instance);
        let filled = instances.filter(|instance| instance.count > 0);
        filled.map(|instance| instance.handle)
    }

    /// Makes room for one more change of the instance. What is `acknowledged` may go for it, and
    /// KEEP_LAST lets go of the oldest in any case. Nothing is changed on error.
    pub(super) fn admit(&mut self, change: &Change, acknowledged: i64) -> Result<(), WriteError> {
        let place = self.find(change.instance);
        let victim = self.victim_in_instance(place, change.kind, acknowledged)?;
        if place.is_none()
            && self.reached(self.limits.max_instances, self.instances.len())
            && !self.forget_one_that_was_left(acknowledged)
        {
            return Err(WriteError::OutOfResources("max_instances"));
        }
        let victim = match victim {
            None if self.reached(self.limits.max_samples, self.samples()) => {
                let oldest = self.oldest_sample().ok_or(WriteError::Full)?;
                (oldest.sequence <= acknowledged)
                    .then_some(oldest.place)
                    .ok_or(WriteError::Full)
                    .map(Some)?
            }
            other => other,
        };
        if let Some(victim) = victim {
            self.remove(victim);
        }
        Ok(())
    }

    fn samples(&self) -> usize {
        self.kept.len() - self.marked
    }

    fn oldest_sample(&self) -> Option<&Line> {
        let mut lines = self.order.iter();
        lines.find(|line| !self.is_stale(line) && !self.is_mark(line))
    }

    fn is_mark(&self, line: &Line) -> bool {
        self.kept.get(line.place).is_some_and(Kept::is_mark)
    }

    fn reached(&self, limit: Option<u32>, count: usize) -> bool {
        self.by_limit(limit).is_some_and(|limit| count >= limit)
    }

    fn by_limit(&self, limit: Option<u32>) -> Option<usize> {
        limit.and_then(|l| usize::try_from(l).ok())
    }

    /// The change that goes so that the instance can have another one.
    fn victim_in_instance(
        &self,
        place: Option<u32>,
        kind: ChangeKind,
        acknowledged: i64,
    ) -> Result<Option<u32>, WriteError> {
        let Some(instance) = place.and_then(|p| self.instances.get(p)) else {
            return Ok(None);
        };
        match (self.history, self.limits.max_samples_per_instance) {
            (History::KeepLast(depth), _) if self.displaces(kind, instance, depth.max(1)) => {
                Ok(Some(instance.oldest))
            }
            (History::KeepAll, Some(max)) if instance.count >= max.max(1) => {
                let oldest = self.kept.get(instance.oldest).map_or(0, |k| k.sequence);
                if oldest <= acknowledged {
                    Ok(Some(instance.oldest))
                } else {
                    Err(WriteError::Full)
                }
            }
            _ => Ok(None),
        }
    }

    /// Keeps a change, whose payload is moved here; numbers only grow.
    pub(super) fn insert(
        &mut self,
        sequence: i64,
        change: &mut Change,
        set: Option<Box<SetMembership>>,
        origin: Option<&SampleOrigin>,
    ) {
        let (handle, kind) = (change.instance, change.kind);
        let is_mark = set.as_deref().is_some_and(coherent_sets::is_mark);
        let instance = if self.by_instance && !is_mark {
            self.instance(handle)
        } else {
            NONE
        };
        let origin = match origin {
            None => NONE,
            Some(origin) => self.origins.insert(*origin),
        };
        let place = self.kept.insert(Kept {
            sequence,
            change: Change {
                payload: core::mem::take(&mut change.payload),
                ..*change
            },
            set,
            origin,
            instance,
            newer: NONE,
        });
        self.order.push_back(Line { sequence, place });
        if is_mark {
            self.marks.push_back(Line { sequence, place });
            self.marked += 1;
        }
        if let Some(instance) = self.instances.get_mut(instance) {
            let before = core::mem::replace(&mut instance.newest, place);
            self.empty -= usize::from(instance.count == 0);
            instance.count += 1;
            instance.unregistered = kind.is_unregister();
            instance.note(kind);
            if instance.unregistered && Store::ends_at_once(self.store.as_ref(), instance) {
                self.farewells.push_back((sequence, handle));
            }
            match self.kept.get_mut(before) {
                Some(before) => before.newer = place,
                None => instance.oldest = place,
            }
        }
        self.displace(instance);
    }

    /// Lets go of all up to `acknowledged`.
    pub(super) fn release(&mut self, acknowledged: i64) {
        while let Some(line) = self.order.front()
            && line.sequence <= acknowledged
        {
            let place = line.place;
            self.remove(place);
        }
        self.farewells_until(acknowledged, |_, _, _| {});
    }

    /// Lets go of instances that were unregistered by a change that is `acknowledged`.
    pub(super) fn release_unregistered(&mut self, acknowledged: i64) {
        self.farewells_until(acknowledged, |history, instance, farewell| {
            // The instance may have come back and gone again since: what came later is not
            // acknowledged yet.
            while let Some(oldest) = history.instances.get(instance).map(|i| i.oldest)
                && let Some(kept) = history.kept.get(oldest)
                && kept.sequence <= farewell
            {
                history.remove(oldest);
            }
        });
    }

    fn farewells_until(&mut self, acknowledged: i64, gone: impl Fn(&mut Self, u32, i64)) {
        while let Some(&(sequence, handle)) = self.farewells.front()
            && sequence <= acknowledged
        {
            self.farewells.pop_front();
            let Some(place) = self.find(handle) else {
                continue;
            };
            if self.instances.get(place).is_some_and(|i| i.unregistered) {
                gone(self, place, sequence);
                self.forget_if_left(place);
            }
        }
    }

    /// Lets go of a change, and with it of what its instance had before: that is older still.
    pub(super) fn expire(&mut self, sequence: i64) {
        let at = self.position(sequence);
        let line = self.order.get(at).filter(|line| line.sequence == sequence);
        let Some(place) = line.map(|line| line.place) else {
            return;
        };
        let Some(kept) = self.kept.get(place).filter(|k| k.sequence == sequence) else {
            return;
        };
        let instance = kept.instance;
        while let Some(oldest) = self.instances.get(instance).map(|i| i.oldest)
            && oldest != place
            && self.kept.get(oldest).is_some()
        {
            self.remove(oldest);
        }
        self.remove(place);
    }

    /// The changes from `sequence` on, with their numbers.
    pub(super) fn from(&self, sequence: i64) -> impl Iterator<Item = (i64, &Kept)> {
        self.order
            .range(self.position(sequence)..)
            .filter_map(|line| {
                let kept = self.kept.get(line.place)?;
                (kept.sequence == line.sequence).then_some((kept.sequence, kept))
            })
    }

    pub(super) fn get(&self, sequence: i64) -> Option<&Kept> {
        let (found, kept) = self.from(sequence).next()?;
        (found == sequence).then_some(kept)
    }

    /// Lets go of marks that are of no use: whose sets have lost their last sample. Where all have
    /// that sample already, the mark behind it is still to come.
    pub(super) fn prune(&mut self, acknowledged: i64) {
        let is_useless = |history: &Self, mark: &Line| {
            history.is_stale(mark)
                || (mark.sequence != acknowledged + 1 && history.get(mark.sequence - 1).is_none())
        };
        let all = self.marks.len() > 2 * self.samples() + STALE_SLACK;
        for _ in 0..self.marks.len() {
            let Some(mark) = self.marks.pop_front() else {
                return;
            };
            if is_useless(self, &mark) {
                if !self.is_stale(&mark) {
                    self.remove(mark.place);
                }
            } else if all {
                self.marks.push_back(mark);
            } else {
                return self.marks.push_front(mark);
            }
        }
    }

    /// Where in `order` the first number not below `sequence` stands.
    fn position(&self, sequence: i64) -> usize {
        let first = self.order.front().map_or(0, |l| l.sequence);
        let guess = usize::try_from(sequence.saturating_sub(first)).unwrap_or(0);
        match self.order.get(guess) {
            Some(line) if line.sequence == sequence => guess,
            _ => self.order.partition_point(|l| l.sequence < sequence),
        }
    }

    fn find(&mut self, handle: InstanceHandle) -> Option<u32> {
        if !self.by_instance {
            return None;
        }
        self.instances.find(handle)
    }

    fn instance(&mut self, handle: InstanceHandle) -> u32 {
        if let Some(place) = self.find(handle) {
            return place;
        }
        let place = self.instances.insert(Instance {
            handle,
            oldest: NONE,
            newest: NONE,
            count: 0,
            unregistered: false,
            disposed: false,
            leaves: 0,
        });
        self.empty += 1;
        place
    }

    /// Changes of one instance go oldest first, always.
    fn remove(&mut self, place: u32) {
        let Self {
            kept,
            retired,
            spares,
            origins,
            ..
        } = self;
        let gone = kept.remove_in_place(place, |kept| {
            if let Some(bytes) = kept.change.payload.take_loaned(spares) {
                retired.push(bytes);
            }
            if kept.origin != NONE {
                origins.remove_in_place(kept.origin, |_| ());
            }
            (kept.is_mark(), kept.instance, kept.newer, kept.change.kind)
        });
        let Some((is_mark, of, newer, kind)) = gone else {
            return;
        };
        self.marked -= usize::from(is_mark);
        if let Some(instance) = self.instances.get_mut(of) {
            instance.oldest = newer;
            instance.count -= 1;
            instance.let_go(kind);
            if instance.count == 0 {
                instance.newest = NONE;
                self.empty += 1;
                self.forget_if_left(of);
                self.sweep();
            }
        }
        self.trim();
    }

    /// An instance without changes that its writer left is forgotten at once.
    fn forget_if_left(&mut self, place: u32) {
        if let Some(instance) = self.instances.get(place)
            && instance.count == 0
            && instance.unregistered
        {
            self.forget(place);
        }
    }

    /// Others stay for `max_instances` to count, or until there are many.
    fn sweep(&mut self) {
        let written = self.instances.len() - self.empty;
        if self.limits.max_instances.is_some() || self.empty <= 2 * written + EMPTY_SLACK {
            return;
        }
        for place in self.instances.keys() {
            if self.instances.get(place).is_some_and(|i| i.count == 0) {
                self.forget(place);
            }
        }
    }

    fn forget(&mut self, place: u32) {
        if self.instances.remove(place).is_some() {
            self.empty -= 1;
        }
    }

    fn trim(&mut self) {
        while let Some(line) = self.order.front()
            && self.is_stale(line)
        {
            self.order.pop_front();
        }
        if self.order.len() > 2 * self.kept.len() + STALE_SLACK {
            let kept = &self.kept;
            self.order
                .retain(|l| kept.get(l.place).is_some_and(|k| k.sequence == l.sequence));
        }
    }

    fn is_stale(&self, line: &Line) -> bool {
        self.kept
            .get(line.place)
            .is_none_or(|k| k.sequence != line.sequence)
    }
}

#[cfg(test)]
mod tests;
