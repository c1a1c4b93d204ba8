//! Into how large fragments each change is split (RTPS 2.5 8.4.14.1), if at all.
//!
//! The size follows the readers: none where memory is shared, large on this host, otherwise what
//! the network takes in one piece. A change keeps the size that it was first split with, since
//! readers may have parts of it.
use alloc::vec::Vec;

pub(super) struct FragmentSizes {
    /// Of changes beyond `since`; `None` while all changes go whole, earlier ones too.
    current: Option<usize>,
    since: i64,
    /// Earlier sizes, each with the last change that has it, ascending.
    earlier: Vec<(i64, usize)>,
}

impl FragmentSizes {
    pub(super) fn new(size: Option<u16>) -> Self {
        Self {
            current: size.map(at_least_one),
            since: 0,
            earlier: Vec::new(),
        }
    }

    /// Whether changes go whole now.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.current.is_none()
    }

    /// The size for a change, at least 1; `None` if it goes whole.
    #[inline]
    pub(super) fn of(&self, sequence: i64) -> Option<usize> {
        if sequence > self.since {
            return self.current;
        }
        let current = self.current?;
        let earlier = self.earlier.iter().find(|(last, _)| sequence <= *last);
        Some(earlier.map_or(current, |(_, size)| *size))
    }

    /// Changes after `last` have another size, and those before it that no size was ever used for.
    /// Those before `kept_from` will not be said again.
    pub(super) fn set(&mut self, last: i64, kept_from: i64, size: Option<u16>) {
        let size = size.map(at_least_one);
        if size == self.current {
            return;
        }
        if let Some(before) = self.current
            && last > self.since
        {
            self.earlier.push((last, before));
            self.since = last;
        }
        self.earlier.retain(|(until, _)| *until >= kept_from);
        self.current = size;
    }
}

fn at_least_one(size: u16) -> usize {
    usize::from(size.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_keeps_its_size() {
        let mut sizes = FragmentSizes::new(Some(60_000));
        sizes.set(0, 0, Some(1000));
        assert_eq!(sizes.of(1), Some(1000));
        sizes.set(10, 1, Some(60_000));
        sizes.set(10, 1, Some(2000));
        sizes.set(20, 1, Some(3000));
        let of = |n| sizes.of(n).unwrap_or(0);
        assert_eq!([1, 10, 11, 20, 21].map(of), [1000, 1000, 2000, 2000, 3000]);
    }

    #[test]
    fn all_go_whole_for_a_while_and_then_have_the_size_that_readers_know() {
        let mut sizes = FragmentSizes::new(Some(1000));
        sizes.set(10, 1, None);
        assert_eq!([1, 10, 11].map(|n| sizes.of(n)), [None; 3]);
        sizes.set(20, 1, Some(2000));
        let of = |n| sizes.of(n).unwrap_or(0);
        assert_eq!([1, 10, 11, 20, 21].map(of), [1000, 1000, 2000, 2000, 2000]);
    }

    #[test]
    fn sizes_that_nobody_needs_are_forgotten() {
        let mut sizes = FragmentSizes::new(Some(0));
        for last in 1..1000 {
            let size = (last % 7) as u16;
            sizes.set(last, last - 5, (size > 0).then_some(size));
        }
        assert!(sizes.earlier.len() <= 7, "{}", sizes.earlier.len());
    }
}
