//! What has come of each original writer, whoever forwarded it: redundant routers, or a direct
//! and a routed way, give a reader each sample once.
use super::config::OriginBounds;
use crate::Time;
use core::fmt;
use dunlin_wire::{Guid, SampleIdentity};
use hashbrown::HashMap;

/// Numbers of one origin that are told apart, up to the highest that came. What is below counts as
/// had.
const WINDOW: i64 = 1024;
const WORDS: usize = WINDOW as usize / 64;

/// What came of the original writers that were heard of lately.
///
/// A reader that takes samples once has one of its own ([`OriginBounds`]); others are for those who
/// pass on what readers took.
// Origins are in one of two generations: those that were heard of since the last turn, and those
// that were so before it. A turn forgets the elder ones, so nothing is ever searched for the origin
// that was silent for longest.
#[derive(Clone)]
pub struct Origins {
    bounds: OriginBounds,
    recent: HashMap<Guid, Window>,
    elder: HashMap<Guid, Window>,
    /// When the next turn is due.
    turn: Time,
}

#[derive(Clone)]
struct Window {
    highest: i64,
    /// By number modulo `WINDOW`.
    had: [u64; WORDS],
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
        let window = known.or_else(|| self.elder.get(&sample.writer));
        window.is_some_and(|window| window.has(sample.sequence.0))
    }

    /// It has now.
    pub fn note(&mut self, now: Time, sample: &SampleIdentity) {
        self.turn(now);
        let number = sample.sequence.0;
        if let Some(window) = self.recent.get_mut(&sample.writer) {
            return window.note(number);
        }
        let mut window = self.elder.remove(&sample.writer);
        if self.recent.len() >= (self.bounds.max_origins / 2).max(1) {
            self.forget_elder(now);
        }
        let window = window.get_or_insert_with(|| Window::new(number));
        window.note(number);
        self.recent.insert(sample.writer, window.clone());
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

impl Window {
    fn new(number: i64) -> Self {
        Self {
            highest: number,
            had: [0; WORDS],
        }
    }

    fn has(&self, number: i64) -> bool {
        if number > self.highest {
            return false;
        }
        if number <= self.highest.saturating_sub(WINDOW) {
            return true;
        }
        let (word, bit) = place(number);
        self.had.get(word).is_some_and(|word| word & bit != 0)
    }

    fn note(&mut self, number: i64) {
        if number <= self.highest.saturating_sub(WINDOW) {
            return;
        }
        let passed = number.saturating_sub(self.highest);
        if passed >= WINDOW {
            self.had = [0; WORDS];
        } else {
            // What had these places is out of the window now.
            (self.highest.saturating_add(1)..=number).for_each(|number| self.mark(number, false));
        }
        self.highest = self.highest.max(number);
        self.mark(number, true);
    }

    fn mark(&mut self, number: i64, had: bool) {
        let (word, bit) = place(number);
        if let Some(word) = self.had.get_mut(word) {
            *word = match had {
                true => *word | bit,
                false => *word & !bit,
            };
        }
    }
}

/// The word and the bit in it that stand for a number.
fn place(number: i64) -> (usize, u64) {
    let at = number.rem_euclid(WINDOW) as usize;
    (at / 64, 1 << (at % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
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
        fn what_came_is_known_and_nothing_else_above_the_window(
            steps in prop::collection::vec((0..3u16, -1500..1500i64), 1..400),
        ) {
            let mut origins = Origins::new(OriginBounds::default());
            let mut model = [const { BTreeSet::<i64>::new() }; 3];
            let mut at = [2000i64; 3];
            for (writer, step) in steps {
                let which = usize::from(writer);
                let number = (at[which] + step / 3).max(1);
                at[which] = number.max(at[which] - 500);
                let low = model[which].last().map_or(i64::MIN, |last| last - WINDOW);
                let expected = model[which].contains(&number) || number <= low;
                prop_assert_eq!(origins.have(Time(5), &sample(writer, number)), expected);
                origins.note(Time(5), &sample(writer, number));
                model[which].insert(number);
            }
        }
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
