//! Many points of time, the earliest of which matters.
use crate::Time;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Where infinite durations end.
const NEVER: Time = Time(i64::MAX);

/// A point of time for each key. Moving one costs a map access; the earliest is only known as a
/// lower bound, so that a lease that is renewed often is looked at once per lease.
#[derive(Debug)]
pub(super) struct RenewableTimers<K> {
    at: BTreeMap<K, Time>,
    bound: Option<Time>,
}

impl<K> Default for RenewableTimers<K> {
    fn default() -> Self {
        Self {
            at: BTreeMap::new(),
            bound: None,
        }
    }
}

impl<K: Ord + Copy> RenewableTimers<K> {
    /// Sets or moves the point of time of `key`; one that lies beyond all time is forgotten.
    pub(super) fn set(&mut self, key: K, at: Time) {
        if at == NEVER {
            self.remove(&key);
            return;
        }
        self.at.insert(key, at);
        self.bound = Some(self.bound.map_or(at, |bound| bound.min(at)));
    }

    /// As `set`, unless it is later already.
    pub(super) fn put_off(&mut self, key: K, at: Time) {
        if self.at.get(&key).is_none_or(|known| *known < at) {
            self.set(key, at);
        }
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.at.remove(key);
        if self.at.is_empty() {
            self.bound = None;
        }
    }

    pub(super) fn contains(&self, key: &K) -> bool {
        self.at.contains_key(key)
    }

    /// Not later than the earliest point of time.
    pub(super) fn next(&self) -> Option<Time> {
        self.bound
    }

    /// Takes out what is due.
    pub(super) fn expired(&mut self, now: Time) -> Vec<K> {
        if self.bound.is_none_or(|bound| now < bound) {
            return Vec::new();
        }
        let mut due = Vec::new();
        self.at.retain(|key, at| {
            let keep = now < *at;
            if !keep {
                due.push(*key);
            }
            keep
        });
        self.bound = self.at.values().min().copied();
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_renewed_does_not_expire() {
        let mut d = RenewableTimers::default();
        d.set('a', Time(10));
        d.set('b', Time(20));
        d.set('a', Time(30));
        assert_eq!(d.next(), Some(Time(10)));
        assert_eq!(d.expired(Time(9)), []);
        assert_eq!(d.expired(Time(10)), []);
        assert_eq!(d.next(), Some(Time(20)));
        assert_eq!(d.expired(Time(25)), ['b']);
        d.remove(&'a');
        assert_eq!(d.next(), None);
        assert_eq!(d.expired(Time(100)), []);
    }

    #[test]
    fn never_is_no_deadline() {
        let mut d = RenewableTimers::default();
        d.set('a', Time(10));
        d.set('a', NEVER);
        assert_eq!(d.next(), None);
    }
}
