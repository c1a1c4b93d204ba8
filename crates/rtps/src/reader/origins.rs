//! What has come of each original writer, whoever forwarded it: redundant routers, or a direct
//! and a routed way, give a reader each sample once.
use super::config::OriginBounds;
use super::intervals::Intervals;
use crate::Time;
use core::fmt;
use dunlin_wire::{Guid, SampleIdentity};
use hashbrown::HashMap;

/// Of what came of one origin, so many ranges of numbers are told apart. Of more, the gap between
/// the lowest two counts as had: nobody is likely to bring that still.
const RANGES: usize = 128;

/// What came of the original writers that were heard of lately.
///
/// A reader that takes samples once has one of its own ([`OriginBounds`]); others are for those who
/// pass on what readers took.
// Origins are in one of two generations: those that were heard of since the last turn, and those
// that were so before it. A turn forgets the elder ones, so nothing is ever searched for the origin
// that was silent for longest.
pub struct Origins {
    bounds: OriginBounds,
    recent: HashMap<Guid, Intervals>,
    elder: HashMap<Guid, Intervals>,
    /// When the next turn is due.
    turn: Time,
}

impl Origins {
    /// Nothing has come.
    pub fn new(bounds: OriginBounds) -> Self {
        Self {
            bounds,
            recent: HashMap::new(),
            elder: HashMap::new(),
            turn: Time::PAST,
        }
    }

    /// Has this sample come already?
    pub fn have(&mut self, now: Time, sample: &SampleIdentity) -> bool {
        self.turn(now);
        let known = self.recent.get(&sample.writer);
        let came = known.or_else(|| self.elder.get(&sample.writer));
        came.is_some_and(|came| came.end_of(sample.sequence.0).is_some())
    }

    /// It has now.
    pub fn note(&mut self, now: Time, sample: &SampleIdentity) {
        let number = sample.sequence.0;
        self.note_all(now, sample.writer, number, number.saturating_add(1));
    }

    /// All from `first` on and below `end` has come of a writer.
    pub(super) fn note_all(&mut self, now: Time, writer: Guid, first: i64, end: i64) {
        self.turn(now);
        if let Some(came) = self.recent.get_mut(&writer) {
            return add(came, first, end);
        }
        let mut came = self.elder.remove(&writer).unwrap_or_default();
        if self.recent.len() >= (self.bounds.max_origins / 2).max(1) {
            self.forget_elder(now);
        }
        add(&mut came, first, end);
        self.recent.insert(writer, came);
    }

    fn turn(&mut self, now: Time) {
        if now < self.turn {
            return;
        }
        // Nothing came for so long that the recent ones are as old.
        let all = now.since(self.turn) >= self.bounds.forget_after;
        self.forget_elder(now);
        if all {
            self.elder.clear();
        }
    }

    fn forget_elder(&mut self, now: Time) {
        self.elder.clear();
        core::mem::swap(&mut self.recent, &mut self.elder);
        self.turn = now.after(self.bounds.forget_after);
    }
}

impl fmt::Debug for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.recent.len() + self.elder.len();
        f.debug_struct("Origins")
            .field("count", &count)
            .finish_non_exhaustive()
    }
}

fn add(came: &mut Intervals, first: i64, end: i64) {
    if came.extend(first, end) {
        return;
    }
    came.add(first, end);
    if came.len() > RANGES {
        came.close_lowest_gap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use dunlin_qos::Duration;
    use dunlin_wire::{EntityId, GuidPrefix, SequenceNumber};
    use proptest::prelude::*;

    fn sample(writer: u16, number: i64) -> SampleIdentity {
        let mut prefix = [0; 12];
        prefix[..2].copy_from_slice(&writer.to_be_bytes());
        SampleIdentity {
            writer: Guid::new(GuidPrefix(prefix), EntityId([0, 0, 1, 2])),
            sequence: SequenceNumber(number),
        }
    }

    proptest! {
        #[test]
        fn what_came_is_known_and_nothing_else(
            steps in prop::collection::vec((0..3u16, -1500..1500i64), 1..400),
        ) {
            let mut origins = Origins::new(OriginBounds::default());
            let mut model = [const { BTreeSet::<i64>::new() }; 3];
            let mut at = [2000i64; 3];
            for (writer, step) in steps {
                let which = usize::from(writer);
                let number = (at[which] + step / 30).max(1);
                at[which] = number.max(at[which] - 500);
                let expected = model[which].contains(&number);
                prop_assert_eq!(origins.have(Time(5), &sample(writer, number)), expected);
                origins.note(Time(5), &sample(writer, number));
                model[which].insert(number);
            }
        }
    }

    #[test]
    fn of_more_gaps_than_are_told_apart_the_lowest_count_as_had() {
        let mut origins = Origins::new(OriginBounds::default());
        let now = Time(1);
        let numbers = (0..1000).map(|n| 10 + 2 * n);
        numbers
            .clone()
            .for_each(|n| origins.note(now, &sample(1, n)));
        let ranges = origins.recent.values().next().map(Intervals::len);
        assert_eq!(ranges, Some(RANGES));
        let gaps: Vec<_> = numbers.map(|n| n + 1).collect();
        let mut had = |n: &i64| origins.have(now, &sample(1, *n));
        assert!(!had(&9), "nothing below the first is taken for had");
        assert!(gaps.iter().take(1000 - RANGES).all(&mut had));
        assert!(!gaps.iter().skip(1000 - RANGES).any(&mut had));
    }

    #[test]
    fn origins_are_bounded_and_forgotten_when_silent() {
        let bounds = OriginBounds {
            max_origins: 8,
            forget_after: Duration::from_secs(60),
        };
        let mut origins = Origins::new(bounds);
        let start = Time(1);
        for writer in 0..1000 {
            origins.note(start, &sample(writer, 7));
            origins.note(start, &sample(5000, 1));
            assert!(origins.recent.len() + origins.elder.len() <= 8);
            assert!(origins.have(start, &sample(writer, 7)));
            assert!(origins.have(start, &sample(5000, 1)));
        }
        assert!(!origins.have(start, &sample(3, 7)));
        let later = |seconds| start.after(Duration::from_secs(seconds));
        assert!(origins.have(later(59), &sample(999, 7)));
        assert!(!origins.have(later(130), &sample(999, 7)));
        assert!(!origins.have(later(200), &sample(999, 7)));
    }
}
