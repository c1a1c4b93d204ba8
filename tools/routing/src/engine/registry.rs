//! Which sources have which instance, so that an output that stands for several sources unregisters
//! an instance when the last of them does, or vanishes, and that what a source leaves is disposed
//! beyond if its deletion disposes it here.
use dunlin::{ChangeKind, Guid, InstanceHandle};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

/// Instances of a route that are known; of further ones each source's word passes as it comes.
const MOST: usize = 100_000;

/// Which reader: the place of its input, and the number of its group.
pub(crate) type Lane = (usize, u64);

/// An instance as one output sees it: with the number of its group of sources, or 0.
type Key = (u64, InstanceHandle);

/// In the place of a group's number: the rest is the number of the source whose own outputs write
/// the instance. Groups never have that many numbers.
const OWN: u64 = 1 << 63;

/// See the module.
#[derive(Debug)]
pub(crate) struct Registry {
    instances: HashMap<Key, Holders>,
    /// Source writers by number; places without one are free.
    sources: Vec<Option<Source>>,
    /// The source that spoke last, which mostly speaks again.
    latest: Option<(Guid, u32)>,
    leaving: Vec<Leaving>,
    delay: Duration,
}

/// A source writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    lane: Lane,
    guid: Guid,
    /// It was deleted, which disposes what it leaves.
    disposes: bool,
}

/// A source that is gone.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    source: u32,
    /// Until then it may return.
    until: Duration,
    disposes: bool,
}

/// What is to be said of an instance that a source has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orphan {
    pub(crate) kind: ChangeKind,
    pub(crate) instance: InstanceHandle,
    pub(crate) to: Heirs,
}

/// The outputs that say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heirs {
    /// Those for several sources that stand for this group.
    Shared(u64),
    /// Those for this source alone, of this input.
    Own(Lane, Guid),
}

/// Who has an instance.
#[derive(Debug)]
enum Holders {
    One(u32),
    Several(Vec<u32>),
}

impl Registry {
    /// An instance is kept for `delay` after its last source has vanished.
    pub(crate) fn new(delay: Duration) -> Self {
        Self {
            instances: HashMap::new(),
            sources: Vec::new(),
            latest: None,
            leaving: Vec::new(),
            delay,
        }
    }

    /// A source of a reader says something of an instance. As what it passes; `None`
    /// if others have the instance still, so that nothing is to be said of it.
    pub(crate) fn note(
        &mut self,
        (lane, source): (Lane, Guid),
        key: Key,
        kind: ChangeKind,
    ) -> Option<ChangeKind> {
        match kind {
            ChangeKind::Alive => {
                let source = self.number(lane, source);
                self.add(key, source);
                Some(kind)
            }
            // It is still its instance.
            ChangeKind::Disposed => Some(kind),
            ChangeKind::Unregistered | ChangeKind::DisposedUnregistered => {
                let source = self.number(lane, source);
                match (self.remove(key, source), kind) {
                    (true, _) => Some(kind),
                    (false, ChangeKind::DisposedUnregistered) => Some(ChangeKind::Disposed),
                    (false, _) => None,
                }
            }
        }
    }

    /// As `note`, of a change that has passed already, by another source that passes on the same
    /// ones: that this source has the instance as well, or has it no more. As what it passes still.
    pub(crate) fn note_again(
        &mut self,
        (lane, source): (Lane, Guid),
        key: Key,
        kind: ChangeKind,
    ) -> Option<ChangeKind> {
        match kind {
            ChangeKind::Alive => {
                let source = self.number(lane, source);
                self.add(key, source);
                None
            }
            ChangeKind::Disposed => None,
            ChangeKind::Unregistered | ChangeKind::DisposedUnregistered => {
                let is_known = self.instances.contains_key(&key);
                let source = self.number(lane, source);
                let is_last = is_known && self.remove(key, source);
                is_last.then_some(ChangeKind::Unregistered)
            }
        }
    }

    /// As `note`, of outputs for this source alone: these say what it says.
    pub(crate) fn note_own(
        &mut self,
        (lane, source): (Lane, Guid),
        instance: InstanceHandle,
        kind: ChangeKind,
    ) {
        let source = self.number(lane, source);
        let key = (OWN | u64::from(source), instance);
        match kind {
            ChangeKind::Alive => self.add(key, source),
            ChangeKind::Disposed => {}
            ChangeKind::Unregistered | ChangeKind::DisposedUnregistered => {
                self.remove(key, source);
            }
        }
    }

    fn number(&mut self, lane: Lane, source: Guid) -> u32 {
        if let Some((guid, number)) = self.latest
            && guid == source
        {
            return number;
        }
        let is_it = |known: &Source| (known.lane, known.guid) == (lane, source);
        let mut all = self.sources.iter();
        let known = all.position(|known| known.as_ref().is_some_and(is_it));
        let wanted = Some(Source {
            lane,
            guid: source,
            disposes: false,
        });
        let at = known.unwrap_or_else(|| {
            let free = self.sources.iter().position(Option::is_none);
            let at = free.unwrap_or(self.sources.len());
            match self.sources.get_mut(at) {
                Some(place) => *place = wanted,
                None => self.sources.push(wanted),
            }
            at
        });
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        self.leaving.retain(|leaving| leaving.source != number);
        self.latest = Some((source, number));
        number
    }

    fn add(&mut self, key: Key, source: u32) {
        let is_full = self.instances.len() >= MOST;
        match self.instances.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().add(source),
            Entry::Vacant(_) if is_full => {}
            Entry::Vacant(place) => {
                place.insert(Holders::One(source));
            }
        }
    }

    /// True if nobody has it any more, or it is not known who does.
    fn remove(&mut self, key: Key, source: u32) -> bool {
        match self.instances.entry(key) {
            Entry::Vacant(_) => true,
            Entry::Occupied(mut known) => {
                let is_last = known.get_mut().remove(source);
                if is_last {
                    known.remove();
                }
                is_last
            }
        }
    }

    /// These sources of a reader were deleted, which disposes what they leave. They may be matched
    /// for a moment longer.
    pub(crate) fn note_deleted(&mut self, lane: Lane, deleted: &[Guid]) {
        let own = self.sources.iter_mut().flatten();
        let own = own.filter(|source| source.lane == lane && deleted.contains(&source.guid));
        own.for_each(|source| source.disposes = true);
    }

    /// Only these sources of a reader are there. The others are forgotten after the delay, unless
    /// they were deleted: those do not return.
    pub(crate) fn keep(&mut self, now: Duration, lane: Lane, there: &[Guid]) {
        for (at, source) in self.sources.iter().enumerate() {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            let is_gone = |source: &&Source| source.lane == lane && !there.contains(&source.guid);
            let Some(source) = source.as_ref().filter(is_gone) else {
                continue;
            };
            if self.leaving.iter().any(|leaving| leaving.source == number) {
                continue;
            }
            self.latest = None;
            self.leaving.push(Leaving {
                source: number,
                until: match source.disposes {
                    true => now,
                    false => now + self.delay,
                },
                disposes: source.disposes,
            });
        }
    }

    /// When the next source is forgotten.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.leaving.iter().map(|leaving| leaving.until).min()
    }

    /// Forgets the sources that are due; what is to be said of their instances is appended.
    pub(crate) fn forget(&mut self, now: Duration, orphans: &mut Vec<Orphan>) {
        let is_due = |leaving: &Leaving| leaving.until <= now;
        let due: Vec<Leaving> = self.leaving.iter().copied().filter(is_due).collect();
        if due.is_empty() {
            return;
        }
        self.leaving.retain(|leaving| !is_due(leaving));
        let sources = &self.sources;
        self.instances.retain(|key, holders| {
            let (kind, is_left) = holders.leave(&due);
            let (scope, instance) = *key;
            let own = (scope & OWN != 0).then(|| sources.get((scope & !OWN) as usize));
            let to = match own.flatten() {
                Some(Some(source)) => Heirs::Own(source.lane, source.guid),
                _ => Heirs::Shared(scope),
            };
            // The end of an output for one source says that this one is gone.
            let is_told = |kind: &ChangeKind| kind.is_dispose() || scope & OWN == 0;
            orphans.extend(
                kind.filter(is_told)
                    .map(|kind| Orphan { kind, instance, to }),
            );
            !is_left
        });
        for leaving in due {
            if let Some(place) = self.sources.get_mut(leaving.source as usize) {
                *place = None;
            }
        }
        self.latest = None;
    }
}

impl Holders {
    fn add(&mut self, source: u32) {
        match self {
            Self::One(own) if *own == source => {}
            Self::One(own) => *self = Self::Several(vec![*own, source]),
            Self::Several(all) if all.contains(&source) => {}
            Self::Several(all) => all.push(source),
        }
    }

    fn has(&self, source: u32) -> bool {
        match self {
            Self::One(own) => *own == source,
            Self::Several(all) => all.contains(&source),
        }
    }

    /// These sources go. What that does to the instance, and whether nobody has it any more.
    fn leave(&mut self, due: &[Leaving]) -> (Option<ChangeKind>, bool) {
        let (mut disposes, mut is_left) = (false, false);
        for leaving in due {
            if !is_left && self.has(leaving.source) {
                disposes |= leaving.disposes;
                is_left = self.remove(leaving.source);
            }
        }
        let kind = match (disposes, is_left) {
            (true, true) => Some(ChangeKind::DisposedUnregistered),
            (true, false) => Some(ChangeKind::Disposed),
            (false, true) => Some(ChangeKind::Unregistered),
            (false, false) => None,
        };
        (kind, is_left)
    }

    /// True if nobody is left.
    fn remove(&mut self, source: u32) -> bool {
        match self {
            Self::One(own) => *own == source,
            Self::Several(all) => {
                all.retain(|own| *own != source);
                if let [one] = all[..] {
                    *self = Self::One(one);
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::{EntityId, EntityKind, GuidPrefix};

    fn source(number: u8) -> (Lane, Guid) {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        ((0, 0), Guid::new(GuidPrefix([number; 12]), entity))
    }

    const fn key(number: u8) -> Key {
        (0, InstanceHandle([number; 16]))
    }

    const fn orphan(number: u8, kind: ChangeKind) -> Orphan {
        let (group, instance) = key(number);
        Orphan {
            kind,
            instance,
            to: Heirs::Shared(group),
        }
    }

    const fn unregistered(number: u8) -> Orphan {
        orphan(number, ChangeKind::Unregistered)
    }

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn the_last_source_unregisters() {
        use ChangeKind::*;
        let mut registry = Registry::new(Duration::ZERO);
        let (a, b) = (source(1), source(2));
        for source in [a, b, a] {
            assert_eq!(registry.note(source, key(1), Alive), Some(Alive));
        }
        assert_eq!(registry.note(a, key(1), Disposed), Some(Disposed));
        assert_eq!(registry.note(a, key(1), Unregistered), None);
        assert_eq!(registry.note(b, key(1), Unregistered), Some(Unregistered));
        // One that never wrote it may dispose and unregister it, too.
        registry.note(a, key(2), Alive);
        assert_eq!(
            registry.note(b, key(2), DisposedUnregistered),
            Some(Disposed)
        );
        let passed = registry.note(a, key(2), DisposedUnregistered);
        assert_eq!(passed, Some(DisposedUnregistered));
        assert_eq!(registry.note(a, key(3), Unregistered), Some(Unregistered));
        assert!(registry.instances.is_empty());
    }

    #[test]
    fn sources_that_pass_on_the_same_changes_hold_an_instance_together() {
        use ChangeKind::*;
        let mut registry = Registry::new(Duration::ZERO);
        let (a, b) = (source(1), source(2));
        assert_eq!(registry.note(a, key(1), Alive), Some(Alive));
        assert_eq!(registry.note_again(b, key(1), Alive), None);
        let mut orphans = Vec::new();
        registry.keep(NOW, (0, 0), &[b.1]);
        registry.forget(NOW, &mut orphans);
        assert!(orphans.is_empty(), "the other one has it still");
        assert_eq!(registry.note(a, key(1), Alive), Some(Alive));
        // It ends when both have said so, and once.
        assert_eq!(registry.note(a, key(1), Unregistered), None);
        assert_eq!(registry.note_again(b, key(1), Disposed), None);
        let passed = registry.note_again(b, key(1), DisposedUnregistered);
        assert_eq!(passed, Some(Unregistered));
        assert_eq!(registry.note_again(a, key(1), Unregistered), None);
        // One that comes after it says nothing new.
        assert_eq!(registry.note(a, key(2), Alive), Some(Alive));
        let passed = registry.note(a, key(2), Unregistered);
        assert_eq!(passed, Some(Unregistered));
        assert_eq!(registry.note_again(b, key(2), Unregistered), None);
    }

    #[test]
    fn what_a_vanished_source_leaves_alone_is_orphaned_after_the_delay() {
        let second = Duration::from_secs(1);
        let mut registry = Registry::new(second);
        let (a, b) = (source(1), source(2));
        for (source, number) in [(a, 1), (a, 2), (b, 2), (a, 3)] {
            registry.note(source, key(number), ChangeKind::Alive);
        }
        let mut orphans = Vec::new();
        registry.keep(NOW, (0, 0), &[b.1]);
        registry.keep(NOW, (1, 0), &[]);
        assert_eq!(registry.due(), Some(second));
        registry.forget(second / 2, &mut orphans);
        assert!(orphans.is_empty());
        // Another source takes one of them over meanwhile.
        registry.note(source(3), key(3), ChangeKind::Alive);
        registry.forget(second, &mut orphans);
        assert_eq!((orphans, registry.due()), (vec![unregistered(1)], None));
        assert_eq!(registry.instances.len(), 2);
        // Its number is free again.
        registry.note(source(4), key(4), ChangeKind::Alive);
        assert_eq!(registry.sources.len(), 3);
    }

    #[test]
    fn a_source_that_returns_is_not_forgotten() {
        let mut registry = Registry::new(Duration::from_secs(1));
        registry.note(source(1), key(1), ChangeKind::Alive);
        registry.note(source(2), key(2), ChangeKind::Alive);
        registry.keep(NOW, (0, 0), &[]);
        registry.note(source(1), key(1), ChangeKind::Alive);
        let mut orphans = Vec::new();
        registry.forget(Duration::from_secs(9), &mut orphans);
        assert_eq!(orphans, [unregistered(2)]);
    }

    #[test]
    fn what_a_deleted_source_leaves_is_disposed_at_once() {
        use ChangeKind::{Alive, Disposed, DisposedUnregistered, Unregistered};
        let mut registry = Registry::new(Duration::from_secs(1));
        let (a, b) = (source(1), source(2));
        for (source, number) in [(a, 1), (a, 2), (b, 2), (b, 3), (a, 4)] {
            registry.note(source, key(number), Alive);
        }
        // What it has given up itself is not disposed by its deletion.
        registry.note(a, key(4), Unregistered);
        registry.note_own(a, InstanceHandle([1; 16]), Alive);
        registry.note_own(b, InstanceHandle([1; 16]), Alive);
        // It is matched for a moment longer.
        registry.note_deleted((0, 0), &[a.1]);
        let mut orphans = Vec::new();
        registry.keep(NOW, (0, 0), &[a.1, b.1]);
        registry.forget(NOW, &mut orphans);
        assert_eq!(orphans, []);
        registry.keep(NOW, (0, 0), &[b.1]);
        registry.forget(NOW, &mut orphans);
        orphans.sort_by_key(|orphan| (orphan.instance.0, orphan.to != Heirs::Shared(0)));
        let own = Orphan {
            to: Heirs::Own(a.0, a.1),
            ..orphan(1, DisposedUnregistered)
        };
        let shared = [orphan(1, DisposedUnregistered), own, orphan(2, Disposed)];
        assert_eq!(orphans, shared);
        // One that vanishes only disposes nothing, and has the delay.
        orphans.clear();
        registry.keep(NOW, (0, 0), &[]);
        registry.forget(NOW, &mut orphans);
        assert_eq!(orphans, []);
        registry.forget(Duration::from_secs(1), &mut orphans);
        orphans.sort_by_key(|orphan| orphan.instance.0);
        assert_eq!(orphans, [unregistered(2), unregistered(3)]);
        assert!(registry.instances.is_empty());
    }

    #[test]
    fn too_many_instances_pass_as_they_come() {
        let mut registry = Registry::new(Duration::ZERO);
        for number in 0..MOST as u128 + 10 {
            let key = (0, InstanceHandle(number.to_be_bytes()));
            registry.note(source(1), key, ChangeKind::Alive);
        }
        assert_eq!(registry.instances.len(), MOST);
        let beyond = (0, InstanceHandle((MOST as u128 + 1).to_be_bytes()));
        let kind = ChangeKind::Unregistered;
        assert_eq!(registry.note(source(2), beyond, kind), Some(kind));
    }
}
