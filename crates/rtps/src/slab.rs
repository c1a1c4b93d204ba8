//! Numbered places that are used again: no allocation once the high-water mark is reached.
use alloc::vec::Vec;

/// Stands for "no place" in links.
pub(crate) const NONE: u32 = u32::MAX;

enum Place<T> {
    Free(u32),
    Taken(T),
}

/// Values under stable numbers.
pub(crate) struct Slab<T> {
    places: Vec<Place<T>>,
    free: u32,
    len: usize,
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self {
            places: Vec::new(),
            free: NONE,
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts a value somewhere; `NONE` and no effect if all 2^32 - 1 places are taken.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if self.free == NONE {
            self.grow();
        }
        let key = self.free;
        // The only use of the value, so it is made where it is to be.
        let Some(place @ &mut Place::Free(next)) = self.places.get_mut(key as usize) else {
            return NONE;
        };
        *place = Place::Taken(value);
        self.free = next;
        self.len += 1;
        key
    }

    /// Makes one more place, if there may be one.
    #[cold]
    fn grow(&mut self) {
        if let Ok(key) = u32::try_from(self.places.len())
            && key != NONE
        {
            self.places.push(Place::Free(NONE));
            self.free = key;
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, key: u32) -> Option<T> {
        let place = self.places.get_mut(key as usize)?;
        if matches!(place, Place::Free(_)) {
            return None;
        }
        let old = core::mem::replace(place, Place::Free(self.free));
        self.free = key;
        self.len -= 1;
        match old {
            Place::Taken(value) => Some(value),
            Place::Free(_) => None,
        }
    }

    /// As `remove`, for large values: it is looked at where it is, and ends there.
    #[inline]
    pub(crate) fn remove_in_place<R>(
        &mut self,
        key: u32,
        look: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let place = self.places.get_mut(key as usize)?;
        let Place::Taken(value) = place else {
            return None;
        };
        let seen = look(value);
        *place = Place::Free(self.free);
        self.free = key;
        self.len -= 1;
        Some(seen)
    }

    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        match self.places.get(key as usize) {
            Some(Place::Taken(value)) => Some(value),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        match self.places.get_mut(key as usize) {
            Some(Place::Taken(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> + use<T> {
        0..self.places.len() as u32
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..)
            .zip(&self.places)
            .filter_map(|(key, place)| match place {
                Place::Taken(value) => Some((key, value)),
                Place::Free(_) => None,
            })
    }
}
