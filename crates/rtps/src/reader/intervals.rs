//! Numbers kept as ranges: those of a GAP from 1 to 2^63 that will never come cost as much as one,
//! and so does all that came in order.
use alloc::vec::Vec;

/// Beyond so many ranges, new ones are not remembered; the writer will say them again when asked.
const MOST: usize = 256;

/// Disjoint ranges `start .. end`, ascending.
#[derive(Default)]
pub(super) struct Intervals(Vec<(i64, i64)>);

impl Intervals {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each `start .. end`, ascending.
    pub(super) fn ranges(&self) -> impl DoubleEndedIterator<Item = (i64, i64)> {
        self.0.iter().copied()
    }

    pub(super) fn add(&mut self, start: i64, end: i64) {
        if start >= end {
            return;
        }
        let from = self.0.partition_point(|r| r.1 < start);
        let to = self.0.partition_point(|r| r.0 <= end);
        let touched = self.0.get(from..to).unwrap_or_default();
        let merged = match (touched.first(), touched.last()) {
            (Some(first), Some(last)) => (first.0.min(start), last.1.max(end)),
            _ if self.0.len() >= MOST => return,
            _ => (start, end),
        };
        self.0.splice(from..to.max(from), [merged]);
    }

    /// Adds what follows the highest range at once; false if this does not.
    #[inline]
    pub(super) fn extend(&mut self, start: i64, end: i64) -> bool {
        match self.0.last_mut() {
            Some(last) if last.1 == start => {
                last.1 = end.max(start);
                true
            }
            _ => false,
        }
    }

    /// Takes what is between the two lowest ranges for one of them.
    pub(super) fn close_lowest_gap(&mut self) {
        if let [first, second, ..] = &mut self.0[..] {
            second.0 = first.0;
            self.0.remove(0);
        }
    }

    /// How many numbers from `start` on and below `end` are in.
    pub(super) fn count_within(&self, start: i64, end: i64) -> i64 {
        let from = self.0.partition_point(|r| r.1 <= start);
        let ranges = self.0.iter().skip(from).take_while(|r| r.0 < end);
        ranges.map(|r| r.1.min(end) - r.0.max(start)).sum()
    }

    /// The end of the range that holds `number`.
    pub(super) fn end_of(&self, number: i64) -> Option<i64> {
        let index = self.0.partition_point(|r| r.1 <= number);
        let range = self.0.get(index)?;
        (range.0 <= number).then_some(range.1)
    }

    /// Forgets all below `number`.
    pub(super) fn forget_below(&mut self, number: i64) {
        let gone = self.0.partition_point(|r| r.1 <= number);
        self.0.drain(..gone);
    }

    /// Forgets the ranges that hold `number` or one above it; says where the highest of them ended,
    /// if there were any.
    pub(super) fn forget_reaching(&mut self, number: i64) -> Option<i64> {
        let kept = self.0.partition_point(|r| r.1 <= number);
        let end = self.0.last().map(|r| r.1);
        let cut = kept < self.0.len();
        self.0.truncate(kept);
        end.filter(|_| cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge() {
        let mut ranges = Intervals::default();
        for (start, end) in [(5, 7), (10, 12), (1, 2), (7, 8), (20, i64::MAX), (9, 9)] {
            ranges.add(start, end);
        }
        assert_eq!(ranges.0, [(1, 2), (5, 8), (10, 12), (20, i64::MAX)]);
        ranges.add(2, 11);
        assert_eq!(ranges.0, [(1, 12), (20, i64::MAX)]);
        assert_eq!(ranges.end_of(1), Some(12));
        assert_eq!(ranges.end_of(11), Some(12));
        assert_eq!(ranges.end_of(12), None);
        ranges.forget_below(12);
        assert_eq!(ranges.0, [(20, i64::MAX)]);
        ranges.add(14, 16);
        assert_eq!(ranges.forget_reaching(30), Some(i64::MAX));
        assert_eq!(ranges.forget_reaching(16), None);
        assert_eq!(ranges.0, [(14, 16)]);
        assert_eq!(ranges.forget_reaching(15), Some(16));
        assert!(ranges.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn they_hold_what_was_added(ranges in proptest::collection::vec((0..60_i64, 0..12_i64), 0..30)) {
            let mut intervals = Intervals::default();
            let mut model = alloc::collections::BTreeSet::new();
            for (start, length) in ranges {
                intervals.add(start, start + length);
                model.extend(start..start + length);
            }
            for number in 0..80 {
                let end = (number..).find(|n| !model.contains(n));
                let end = end.filter(|_| model.contains(&number));
                proptest::prop_assert_eq!(intervals.end_of(number), end);
            }
        }
    }

    #[test]
    fn they_grow_at_the_end_and_lose_the_lowest_gap() {
        let mut ranges = Intervals::default();
        ranges.close_lowest_gap();
        assert!(!ranges.extend(5, 6));
        ranges.add(5, 6);
        assert!(ranges.extend(6, 7) && !ranges.extend(8, 9));
        ranges.add(9, 10);
        ranges.add(20, 21);
        ranges.close_lowest_gap();
        assert_eq!(ranges.0, [(5, 10), (20, 21)]);
    }

    #[test]
    fn their_number_is_bounded() {
        let mut ranges = Intervals::default();
        for n in 0..10_000 {
            ranges.add(2 * n, 2 * n + 1);
        }
        assert_eq!(ranges.0.len(), MOST);
    }
}
