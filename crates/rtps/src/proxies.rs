//! What an endpoint knows of its matched ones, found by their names.
//!
//! Proxies are large, and in a crowd one comes after the other: so they stay where they are, and
//! what is kept in order is small.
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use dunlin_wire::Guid;

/// A proxy of an endpoint.
pub(crate) trait Named {
    fn guid(&self) -> Guid;
}

/// Proxies in places that change only when one is removed.
pub(crate) struct Proxies<T> {
    all: Vec<T>,
    /// Ascending by GUID: where each is.
    places: Vec<(Guid, usize)>,
}

impl<T: Named> Proxies<T> {
    pub(crate) const fn new() -> Self {
        Self {
            all: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Where the endpoint's proxy is.
    #[inline]
    pub(crate) fn index(&self, guid: Guid) -> Option<usize> {
        let (_, at) = self.places.get(self.search(guid).ok()?)?;
        Some(*at)
    }

    /// Takes in a proxy; says where it is. One of that name must not be there.
    pub(crate) fn insert(&mut self, proxy: T) -> usize {
        let (guid, at) = (proxy.guid(), self.all.len());
        let (Ok(place) | Err(place)) = self.search(guid);
        self.places.insert(place, (guid, at));
        self.all.push(proxy);
        at
    }

    /// Takes out a proxy; the last one gets its place.
    pub(crate) fn remove(&mut self, guid: Guid) -> Option<T> {
        let place = self.search(guid).ok()?;
        let (_, at) = self.places.remove(place);
        let proxy = (at < self.all.len()).then(|| self.all.swap_remove(at))?;
        if let Some(moved) = self.all.get(at).map(T::guid)
            && let Ok(place) = self.search(moved)
            && let Some((_, known)) = self.places.get_mut(place)
        {
            *known = at;
        }
        Some(proxy)
    }

    fn search(&self, guid: Guid) -> Result<usize, usize> {
        self.places.binary_search_by(|(known, _)| known.cmp(&guid))
    }
}

impl<T> Deref for Proxies<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.all
    }
}

impl<T> DerefMut for Proxies<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{EntityId, GuidPrefix};

    struct Proxy(Guid, u8);

    impl Named for Proxy {
        fn guid(&self) -> Guid {
            self.0
        }
    }

    fn name(n: u8) -> Guid {
        Guid::new(GuidPrefix([n; 12]), EntityId([0, 0, 1, 4]))
    }

    #[test]
    fn each_is_found_whichever_came_first_and_whichever_went() {
        let mut proxies = Proxies::new();
        for n in [5, 1, 9, 3, 7] {
            proxies.insert(Proxy(name(n), n));
        }
        for gone in [9, 5, 7, 1, 3] {
            assert!(proxies.index(name(2)).is_none());
            assert_eq!(proxies.remove(name(gone)).map(|p| p.1), Some(gone));
            assert!(proxies.remove(name(gone)).is_none());
            for n in [5, 1, 9, 3, 7] {
                let at = proxies.index(name(n));
                let found = at.and_then(|at| proxies.get(at)).map(|proxy| proxy.1);
                assert!(found.is_none_or(|found| found == n));
                assert_eq!(found.is_some(), proxies.iter().any(|p| p.1 == n));
            }
        }
        assert!(proxies.is_empty());
    }
}
