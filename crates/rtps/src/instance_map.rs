//! Instances at places that stay, found by their handles.
//!
//! Where there are many, what an access costs is the memory it touches. So the table has 8 bytes
//! for an instance, of which 4 are part of the hash: the handle is compared where the instance
//! itself is, which is looked at anyway. And those that are written in turn are found where they
//! lie, one behind the other, so that the processor has fetched the next one already.
use crate::InstanceHandle;
use crate::slab::{NONE, Slab};
use core::hash::BuildHasher;
use hashbrown::{DefaultHashBuilder, HashTable};

/// What has a handle, always the same one.
pub(crate) trait HasHandle {
    fn handle(&self) -> InstanceHandle;
}

/// A place, and the hash of the handle that is there.
struct Entry {
    hash: u32,
    place: u32,
}

impl Entry {
    /// The table takes bits from both ends.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

pub(crate) struct InstanceMap<T> {
    instances: Slab<T>,
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
    /// It is at most half full, so that instances that come and go never make it grow.
    room: usize,
    /// The one that was found last.
    recent: u32,
    /// It was the one behind the one found before: if they are written in turn, the next one is
    /// found without the table.
    in_turn: bool,
}

impl<T: HasHandle> InstanceMap<T> {
    pub(crate) fn new() -> Self {
        Self {
            instances: Slab::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            room: 0,
            recent: NONE,
            in_turn: false,
        }
    }

    /// Where it is; the next time it is found at once.
    #[inline]
    pub(crate) fn find(&mut self, handle: InstanceHandle) -> Option<u32> {
        if self.is_at(self.recent, handle) {
            return Some(self.recent);
        }
        let next = self.recent.wrapping_add(1);
        let place = match self.in_turn && self.is_at(next, handle) {
            true => next,
            false => self.place_of(handle)?,
        };
        self.in_turn = place == next;
        self.recent = place;
        Some(place)
    }

    pub(crate) fn place_of(&self, handle: InstanceHandle) -> Option<u32> {
        let hash = self.hash(handle);
        let is_it = |entry: &Entry| entry.hash == hash && self.is_at(entry.place, handle);
        let found = self.table.find(Entry::spread(hash), is_it);
        found.map(|entry| entry.place)
    }

    fn hash(&self, handle: InstanceHandle) -> u32 {
        self.hasher.hash_one(handle.0) as u32
    }

    #[inline]
    fn is_at(&self, place: u32, handle: InstanceHandle) -> bool {
        let there = self.instances.get(place);
        there.is_some_and(|there| there.handle() == handle)
    }

    /// Takes in one whose handle is not here yet; it counts as found.
    pub(crate) fn insert(&mut self, instance: T) -> u32 {
        let hash = self.hash(instance.handle());
        let len = self.table.len();
        if len >= self.room {
            self.room = (2 * len).max(8);
            self.table
                .reserve(2 * self.room - len, |entry| Entry::spread(entry.hash));
        }
        let place = self.instances.insert(instance);
        self.table
            .insert_unique(Entry::spread(hash), Entry { hash, place }, |entry| {
                Entry::spread(entry.hash)
            });
        self.recent = place;
        place
    }

    pub(crate) fn remove(&mut self, place: u32) -> Option<T> {
        let instance = self.instances.remove(place)?;
        let hash = self.hash(instance.handle());
        let entry = self
            .table
            .find_entry(Entry::spread(hash), |entry| entry.place == place);
        if let Ok(entry) = entry {
            entry.remove();
        }
        Some(instance)
    }

    #[inline]
    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.instances.get(place)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.instances.get_mut(place)
    }

    pub(crate) fn len(&self) -> usize {
        self.instances.len()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> + use<T> {
        self.instances.keys()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.instances.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    impl HasHandle for InstanceHandle {
        fn handle(&self) -> InstanceHandle {
            *self
        }
    }

    fn handle(number: u16) -> InstanceHandle {
        let mut handle = [0; 16];
        handle[14..].copy_from_slice(&number.to_be_bytes());
        InstanceHandle(handle)
    }

    proptest! {
        #[test]
        fn finds_what_is_there_where_it_was_put(steps in prop::collection::vec((0..40_u16, any::<bool>()), 1..400)) {
            let mut roster = InstanceMap::new();
            let mut model = BTreeMap::new();
            for (number, comes) in steps {
                let handle = handle(number);
                prop_assert_eq!(roster.place_of(handle), model.get(&number).copied());
                prop_assert_eq!(roster.find(handle), model.get(&number).copied());
                match (comes, model.get(&number)) {
                    (true, None) => {
                        model.insert(number, roster.insert(handle));
                    }
                    (false, Some(place)) => {
                        prop_assert_eq!(roster.remove(*place), Some(handle));
                        prop_assert_eq!(roster.remove(*place), None);
                        model.remove(&number);
                    }
                    _ => {}
                }
                prop_assert_eq!(roster.len(), model.len());
            }
            for (number, place) in model {
                prop_assert_eq!(roster.get(place), Some(&handle(number)));
            }
        }
    }

    #[test]
    fn those_in_turn_are_found_and_others_too() {
        let mut roster = InstanceMap::new();
        for number in 0..100 {
            roster.insert(handle(number));
        }
        // Round and round, then by leaps, then one that is not there, then what took a place that
        // was free.
        let numbers = (0..300)
            .map(|n| n % 100)
            .chain((0..100).map(|n| n * 7 % 100));
        for number in numbers {
            assert_eq!(roster.find(handle(number)), Some(number.into()));
        }
        assert!(roster.find(handle(0)).is_some() && roster.find(handle(1)).is_some());
        assert!(roster.in_turn);
        assert_eq!(roster.find(handle(100)), None);
        assert!(roster.remove(2).is_some());
        assert_eq!(roster.find(handle(2)), None);
        assert_eq!(roster.insert(handle(200)), 2);
        assert_eq!(roster.find(handle(1)), Some(1));
        assert_eq!(roster.find(handle(200)), Some(2));
        assert_eq!(roster.find(handle(3)), Some(3));
    }

    #[test]
    fn those_that_come_and_go_need_no_more_memory() {
        let mut roster = InstanceMap::new();
        for number in 0..100 {
            roster.insert(handle(number));
        }
        let room = roster.table.capacity();
        for number in 100..10_000 {
            let gone = roster.place_of(handle(number - 100));
            assert!(gone.and_then(|place| roster.remove(place)).is_some());
            roster.insert(handle(number));
        }
        assert_eq!(roster.table.capacity(), room);
    }
}
