//! Values that are kept once, however often they are used.
use crate::slab::{NONE, Slab};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;

/// Values under numbers, each with the number of its uses.
pub(super) struct Interned<K: ?Sized> {
    places: BTreeMap<Arc<K>, u32>,
    values: Slab<(Arc<K>, u32)>,
}

impl<K: ?Sized + Ord> Default for Interned<K> {
    fn default() -> Self {
        Self {
            places: BTreeMap::new(),
            values: Slab::new(),
        }
    }
}

impl<K: ?Sized + Ord> Interned<K>
where
    for<'a> Arc<K>: From<&'a K>,
{
    /// One more use of a value: its number. `None` if there are too many values.
    pub(super) fn add(&mut self, value: &K) -> Option<u32> {
        if let Some(place) = self.find(value) {
            let (_, uses) = self.values.get_mut(place)?;
            *uses = uses.saturating_add(1);
            return Some(place);
        }
        let value: Arc<K> = value.into();
        let place = self.values.insert((Arc::clone(&value), 1));
        (place != NONE).then(|| {
            self.places.insert(value, place);
            place
        })
    }

    /// One use less.
    pub(super) fn remove(&mut self, place: u32) {
        let Some((_, uses)) = self.values.get_mut(place) else {
            return;
        };
        *uses = uses.saturating_sub(1);
        if *uses == 0
            && let Some((value, _)) = self.values.remove(place)
        {
            self.places.remove(&value);
        }
    }

    pub(super) fn find(&self, value: &K) -> Option<u32> {
        self.places.get(value).copied()
    }

    pub(super) fn get(&self, place: u32) -> Option<&K> {
        self.values.get(place).map(|(value, _)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_there_once_and_as_long_as_it_is_used() {
        let mut names = Interned::<str>::default();
        let one = names.add("one").unwrap();
        let two = names.add("two").unwrap();
        assert_eq!(names.add("one"), Some(one));
        names.remove(one);
        assert_eq!((names.get(one), names.get(two)), (Some("one"), Some("two")));
        names.remove(one);
        assert_eq!((names.get(one), names.find("one")), (None, None));
        assert_eq!(names.find("two"), Some(two));
        names.remove(one);
        assert_eq!(names.add("three"), Some(one), "places are used again");
    }
}
