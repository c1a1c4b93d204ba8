//! Sequence and fragment numbers and the sets of them that acknowledgements carry (RTPS 2.5
//! 9.4.2.6).

/// Number of a change of one writer, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SequenceNumber(pub i64);

impl SequenceNumber {
    /// The first number that a writer gives.
    pub const FIRST: Self = Self(1);
    /// No number at all.
    pub const UNKNOWN: Self = Self(-(1 << 32));
}

/// Number of a fragment of one sample, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FragmentNumber(pub u32);

/// Up to 256 sequence numbers from `base` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SequenceNumberSet {
    base: SequenceNumber,
    bits: u32,
    bitmap: [u32; 8],
}

/// Up to 256 fragment numbers from `base` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FragmentNumberSet {
    base: FragmentNumber,
    bits: u32,
    bitmap: [u32; 8],
}

fn insert(bitmap: &mut [u32; 8], bits: &mut u32, offset: u32) -> bool {
    let Some(word) = bitmap.get_mut((offset / 32) as usize) else {
        return false;
    };
    *word |= mask(offset);
    *bits = (*bits).max(offset.saturating_add(1));
    true
}

/// The bit of an offset in its word: the first is the most significant.
const fn mask(offset: u32) -> u32 {
    0x8000_0000 >> (offset % 32)
}

/// Clears what stands behind the last of `bits` bits, so that a set has one form only.
fn trim(mut bitmap: [u32; 8], bits: u32) -> [u32; 8] {
    for (word, first) in bitmap.iter_mut().zip((0_u32..).step_by(32)) {
        let valid = bits.saturating_sub(first).min(32);
        *word &= !u32::MAX.checked_shr(valid).unwrap_or(0);
    }
    bitmap
}

fn offsets(bitmap: [u32; 8]) -> impl Iterator<Item = u32> {
    bitmap
        .into_iter()
        .zip((0_u32..).step_by(32))
        .flat_map(|(mut word, first)| {
            core::iter::from_fn(move || {
                let offset = word.leading_zeros();
                (offset < 32).then(|| {
                    word &= !mask(offset);
                    first.saturating_add(offset)
                })
            })
        })
}

impl SequenceNumberSet {
    /// A set that holds nothing yet and says that all below `base` is settled.
    pub fn new(base: SequenceNumber) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// A set as it is on the wire; `None` if the standard forbids it: a base below 1, more than 256
    /// bits, numbers that do not exist.
    pub fn from_bitmap(base: SequenceNumber, bits: u32, bitmap: [u32; 8]) -> Option<Self> {
        base.0.checked_add(i64::from(bits))?;
        (base.0 > 0 && bits <= 256).then(|| Self {
            base,
            bits,
            bitmap: trim(bitmap, bits),
        })
    }

    /// The lowest number that the set could hold.
    pub fn base(&self) -> SequenceNumber {
        self.base
    }

    /// Adds a number; false if it lies outside `base ..= base + 255`.
    pub fn insert(&mut self, number: SequenceNumber) -> bool {
        let offset = number
            .0
            .checked_sub(self.base.0)
            .and_then(|o| u32::try_from(o).ok());
        offset.is_some_and(|o| o < 256 && insert(&mut self.bitmap, &mut self.bits, o))
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = SequenceNumber> + use<> {
        let base = self.base.0;
        offsets(self.bitmap).map(move |o| SequenceNumber(base.saturating_add(i64::from(o))))
    }

    /// True if the set holds no number.
    pub fn is_empty(&self) -> bool {
        self.bitmap == [0; 8]
    }

    /// Number of bits and the bitmap as on the wire.
    pub fn bitmap(&self) -> (u32, &[u32; 8]) {
        (self.bits, &self.bitmap)
    }
}

impl FragmentNumberSet {
    /// An empty set from `base` on.
    pub fn new(base: FragmentNumber) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// A set as it is on the wire; `None` if the standard forbids it: base 0, more than 256 bits,
    /// numbers that do not exist.
    pub fn from_bitmap(base: FragmentNumber, bits: u32, bitmap: [u32; 8]) -> Option<Self> {
        base.0.checked_add(bits)?;
        (base.0 > 0 && bits <= 256).then(|| Self {
            base,
            bits,
            bitmap: trim(bitmap, bits),
        })
    }

    /// The lowest number that the set could hold.
    pub fn base(&self) -> FragmentNumber {
        self.base
    }

    /// Adds a number; false if it lies outside `base ..= base + 255`.
    pub fn insert(&mut self, number: FragmentNumber) -> bool {
        let offset = number.0.checked_sub(self.base.0);
        offset.is_some_and(|o| o < 256 && insert(&mut self.bitmap, &mut self.bits, o))
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = FragmentNumber> + use<> {
        let base = self.base.0;
        offsets(self.bitmap).map(move |o| FragmentNumber(base.saturating_add(o)))
    }

    /// True if the set holds no number.
    pub fn is_empty(&self) -> bool {
        self.bitmap == [0; 8]
    }

    /// Number of bits and the bitmap as on the wire.
    pub fn bitmap(&self) -> (u32, &[u32; 8]) {
        (self.bits, &self.bitmap)
    }
}
