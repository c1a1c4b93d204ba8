//! Into how large fragments each change is split (RTPS 2.5 8.4.14.1).
//!
//! The size follows the readers: large on this host, what the network takes in one piece otherwise. A change keeps the
//! size that it was first said with.
use alloc::vec::Vec;

pub(super) struct FragmentSizes {
    /// Of changes beyond `since`.
    current: usize,
    since: i64,
    /// Earlier sizes, each with the last change that has it, ascending.
    earlier: Vec<(i64, usize)>,
}

impl FragmentSizes {
    pub(super) fn new(size: u16) -> Self {
        Self {
            current: usize::from(size.max(1)),
            since: 0,
            earlier: Vec::new(),
        }
    }

    /// The size for a change; at least 1.
    #[inline]
    pub(super) fn of(&self, sequence: i64) -> usize {
        if sequence > self.since {
            return self.current;
        }
        let earlier = self.earlier.iter().find(|(last, _)| sequence <= *last);
        earlier.map_or(self.current, |(_, size)| *size)
    }

    /// Changes after `last` have another size. Those before `kept_from` will not be said again.
    pub(super) fn set(&mut self, last: i64, kept_from: i64, size: u16) {
        let size = usize::from(size.max(1));
        if size == self.current {
            return;
        }
        if last > self.since {
            self.earlier.push((last, self.current));
            self.since = last;
        }
        self.earlier.retain(|(until, _)| *until >= kept_from);
        self.current = size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_keeps_its_size() {
        let mut sizes = FragmentSizes::new(60_000);
        sizes.set(0, 0, 1000);
        assert_eq!(sizes.of(1), 1000);
        sizes.set(10, 1, 60_000);
        sizes.set(10, 1, 2000);
        sizes.set(20, 1, 3000);
        let of = |n| sizes.of(n);
        assert_eq!([1, 10, 11, 20, 21].map(of), [1000, 1000, 2000, 2000, 3000]);
    }

    #[test]
    fn sizes_that_nobody_needs_are_forgotten() {
        let mut sizes = FragmentSizes::new(0);
        for last in 1..1000 {
            sizes.set(last, last - 5, (last % 7) as u16);
        }
        assert!(sizes.earlier.len() <= 7, "{}", sizes.earlier.len());
    }
}
