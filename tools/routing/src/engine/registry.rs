//! Which sources have which instance, so that an output that stands for several sources unregisters
//! an instance when the last of them does, or vanishes.
use dunlin::{ChangeKind, Guid, InstanceHandle};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

/// Instances of a route that are known; of further ones each source's word passes as it comes.
const MOST: usize = 100_000;

/// Which reader: the place of its input, and the number of its group.
type Lane = (usize, u64);

/// An instance as one output sees it: with the number of its group of sources, or 0.
type Key = (u64, InstanceHandle);

/// See the module.
#[derive(Debug)]
pub(crate) struct Registry {
    instances: HashMap<Key, Holders>,
    /// Source writers by number, each with its reader; those without are free.
    sources: Vec<Option<(Lane, Guid)>>,
    /// The source that spoke last, which mostly speaks again.
    latest: Option<(Guid, u32)>,
    /// Sources that vanished, and until when they may return.
    leaving: Vec<(Duration, u32)>,
    delay: Duration,
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

    fn number(&mut self, lane: Lane, source: Guid) -> u32 {
        if let Some((guid, number)) = self.latest
            && guid == source
        {
            return number;
        }
        let wanted = Some((lane, source));
        let known = self.sources.iter().position(|known| *known == wanted);
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
        self.leaving.retain(|(_, leaving)| *leaving != number);
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

    /// Only these sources of a reader are there. The others are forgotten after the delay.
    pub(crate) fn keep(&mut self, now: Duration, lane: Lane, there: &[Guid]) {
        for (at, source) in self.sources.iter().enumerate() {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            let is_gone = source.is_some_and(|(of, guid)| of == lane && !there.contains(&guid));
            let is_told = self.leaving.iter().any(|(_, leaving)| *leaving == number);
            if is_gone && !is_told {
                self.latest = None;
                self.leaving.push((now + self.delay, number));
            }
        }
    }

    /// When the next source is forgotten.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.leaving.iter().map(|(at, _)| *at).min()
    }

    /// Forgets the sources that are due; the instances that nobody has any more are appended.
    pub(crate) fn forget(&mut self, now: Duration, orphans: &mut Vec<Key>) {
        let leaving = &mut self.leaving;
        let due: Vec<u32> = leaving
            .iter()
            .filter(|(at, _)| *at <= now)
            .map(|(_, s)| *s)
            .collect();
        if due.is_empty() {
            return;
        }
        leaving.retain(|(at, _)| *at > now);
        self.instances.retain(|key, holders| {
            let is_orphan = due.iter().any(|source| holders.remove(*source));
            if is_orphan {
                orphans.push(*key);
            }
            !is_orphan
        });
        for source in due {
            if let Some(place) = self.sources.get_mut(source as usize) {
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
        assert_eq!((orphans, registry.due()), (vec![key(1)], None));
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
        assert_eq!(orphans, [key(2)]);
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
