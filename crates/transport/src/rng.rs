//! What a disturbed network does to a datagram, decided by a seed.
use std::time::Duration;

/// How a network misbehaves. Probabilities are between 0 and 1; the default is a perfect network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Datagrams that are lost.
    pub drop: f64,
    /// Datagrams that arrive twice.
    pub duplicate: f64,
    /// Datagrams in which up to four bytes are changed.
    pub corrupt: f64,
    /// Datagrams that are held back by up to `reorder_by`, so that later ones pass them.
    pub reorder: f64,
    /// The longest that a reordered datagram is held back.
    pub reorder_by: Duration,
    /// How long each datagram takes.
    pub delay: Duration,
    /// Up to this much more, for each its own.
    pub jitter: Duration,
}

/// What becomes of one datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fate {
    /// After how long each copy arrives.
    pub(crate) copies: [Option<Duration>; 2],
    /// What to change, if anything.
    pub(crate) corruption: Option<u64>,
}

/// A seeded source of fates: the same seed and the same order of datagrams give the same fates.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Takes as many numbers for each datagram, whatever happens to it, so that one kind of fault
    /// does not shift others.
    pub(crate) fn fate(&mut self, faults: &Faults) -> Fate {
        let dropped = self.chance(faults.drop);
        let doubled = self.chance(faults.duplicate);
        let corrupted = self.chance(faults.corrupt);
        let corruption = self.next();
        let (first, second) = (self.lateness(faults), self.lateness(faults));
        Fate {
            copies: [
                (!dropped).then_some(first),
                (!dropped && doubled).then_some(second),
            ],
            corruption: corrupted.then_some(corruption),
        }
    }

    fn lateness(&mut self, faults: &Faults) -> Duration {
        let jitter = self.up_to(faults.jitter);
        let reordered = self.chance(faults.reorder);
        let held = self.up_to(faults.reorder_by);
        let held = if reordered { held } else { Duration::ZERO };
        faults.delay.saturating_add(jitter).saturating_add(held)
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.unit())
    }

    /// At least 0, less than 1.
    fn unit(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.next() >> 11) as f64 / STEPS
    }

    /// SplitMix64: small, quick, and good enough to throw dice.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Changes one to four bytes.
pub(crate) fn corrupt(bytes: &mut [u8], corruption: u64) {
    let mut dice = Rng::new(corruption);
    for _ in 0..=corruption % 4 {
        let [value, ..] = dice.next().to_le_bytes();
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let place = dice.next().checked_rem(length).unwrap_or(0);
        let byte = usize::try_from(place).ok().and_then(|p| bytes.get_mut(p));
        if let Some(byte) = byte {
            *byte ^= value | 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Faults = Faults {
        drop: 0.2,
        duplicate: 0.1,
        corrupt: 0.05,
        reorder: 0.3,
        reorder_by: Duration::from_millis(10),
        delay: Duration::from_millis(1),
        jitter: Duration::from_millis(1),
    };

    #[test]
    fn a_seed_decides_everything() {
        let fates = |seed| {
            let mut dice = Rng::new(seed);
            (0..100).map(|_| dice.fate(&BAD)).collect::<Vec<_>>()
        };
        assert_eq!(fates(7), fates(7));
        assert_ne!(fates(7), fates(8));
    }

    #[test]
    fn probabilities_are_kept() {
        let mut dice = Rng::new(1);
        let fates: Vec<Fate> = (0..10_000).map(|_| dice.fate(&BAD)).collect();
        let count = |test: fn(&Fate) -> bool| fates.iter().filter(|f| test(f)).count();
        assert!((1800..2200).contains(&count(|f| f.copies[0].is_none())));
        assert!((700..900).contains(&count(|f| f.copies[1].is_some())));
        assert!((400..600).contains(&count(|f| f.corruption.is_some())));
        let late = |f: &Fate| f.copies[0].is_some_and(|d| d > Duration::from_millis(2));
        assert!((1900..2500).contains(&count(late)));
    }

    #[test]
    fn a_perfect_network_does_nothing() {
        let mut dice = Rng::new(1);
        let fate = dice.fate(&Faults::default());
        assert_eq!(fate.copies, [Some(Duration::ZERO), None]);
        assert_eq!(fate.corruption, None);
    }

    #[test]
    fn corruption_changes_bytes_and_survives_an_empty_datagram() {
        for seed in 0..100 {
            let mut bytes = [0; 1000];
            corrupt(&mut bytes, seed);
            let changed = bytes.iter().filter(|b| **b != 0).count();
            assert!((1..=4).contains(&changed));
            corrupt(&mut [], seed);
        }
    }
}
