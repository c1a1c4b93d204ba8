//! Seeded chance.

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// At least `low`, at most `high`.
    pub(crate) fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll() % (high - low + 1)
    }

    pub(crate) fn up_to(&mut self, high: usize) -> usize {
        usize::try_from(self.within(0, high as u64)).unwrap()
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.within(0, 99) < chance
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.up_to(all.len() - 1)]
    }
}
