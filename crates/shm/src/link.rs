//! The layout of a link: the segment that one process makes for one peer.
//!
//! | words | what its owner writes there |
//! |---|---|
//! | 0..4 | magic, version, slots of the ring, loans of the board; never changed |
//! | 4 | what the owner understands beyond the version, a bit each; never changed |
//! | 8 | cursor: how far the owner has read the peer's ring |
//! | 9 | places of the board that the owner has ever used, from the first on |
//! | 16 | sleep: whether the owner wants to be woken, and how |
//! | 24 | bell: counted up before the peer is woken |
//! | 32.. | board: the chunks of the peer that the owner holds |
//! | then | the ring: what the owner sends |
//!
//! Each part begins a cache line of its own.
use crate::memory::{LINE, Ordering, Owner, View, WORD};
use crate::{Error, Violation};

const MAGIC: u64 = u64::from_le_bytes(*b"dunlink\0");

/// Changes whenever the meaning of a word in shared memory does.
pub(crate) const VERSION: u64 = 3;

/// In word 4: the owner, as a reader, forgets a pool when its peer withdraws it. Who does not say
/// so would take the message for a violation.
const WITHDRAWALS: u64 = 1;

/// Bytes of a slot, and words.
pub(crate) const SLOT: usize = 256;
const SLOT_WORDS: usize = SLOT / WORD;

pub(crate) const CURSOR: usize = LINE;
/// In the line of the cursor, since who looks at one looks at both.
pub(crate) const PLACES: usize = CURSOR + 1;
pub(crate) const SLEEP: usize = 2 * LINE;
pub(crate) const BELL: usize = 3 * LINE;
const BOARD: usize = 4 * LINE;

/// How large the ring to a peer is, and how many of its chunks may be held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSize {
    /// Slots of 256 bytes, of which 248 carry messages: a power of two from 2 to 65,536. The
    /// longest message takes half of them.
    pub slots: u32,
    /// Chunks of the peer that may be held at once: at most 64.
    pub loans: u32,
}

impl Default for LinkSize {
    /// 64 KiB, which fit into a processor's own cache, and 32 loans.
    fn default() -> Self {
        Self {
            slots: 256,
            loans: 32,
        }
    }
}

impl LinkSize {
    /// Of a link whose owner only reads: nearly no ring, and as many loans as by default.
    pub const READER: Self = Self {
        slots: 2,
        loans: 32,
    };

    /// Of a link to one of many: 20 KiB, and what is usually copied into a ring fits into half.
    pub const CROWDED: Self = Self {
        slots: 64,
        loans: 32,
    };

    pub(crate) fn is_valid(self) -> bool {
        self.slots.is_power_of_two() && (2..=1 << 16).contains(&self.slots) && self.loans <= 64
    }

    /// The first word of the ring, which begins a slot's worth of lines.
    fn ring(self) -> usize {
        (BOARD + self.loans as usize).next_multiple_of(SLOT_WORDS)
    }

    pub(crate) fn bytes(self) -> usize {
        self.ring() * WORD + self.slots as usize * SLOT
    }
}

/// Where the parts of one link are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) size: LinkSize,
    /// The owner forgets pools that are withdrawn.
    pub(crate) heeds_withdrawals: bool,
    ring: usize,
}

impl Layout {
    /// Lays out a link in memory that its owner has just made.
    pub(crate) fn create(owner: &Owner, size: LinkSize) -> Result<Self, Error> {
        if !size.is_valid() || owner.len() < size.bytes() {
            return Err(Error::Argument(
                "a ring has a power of two of slots, a board at most 64 loans",
            ));
        }
        owner.store(0, MAGIC, Ordering::Relaxed);
        owner.store(1, VERSION, Ordering::Relaxed);
        owner.store(2, u64::from(size.slots), Ordering::Relaxed);
        owner.store(3, u64::from(size.loans), Ordering::Relaxed);
        owner.store(4, WITHDRAWALS, Ordering::Relaxed);
        Ok(Self {
            size,
            heeds_withdrawals: true,
            ring: size.ring(),
        })
    }

    /// Reads the layout of a peer's link.
    pub(crate) fn open(view: &View) -> Result<Self, Violation> {
        if view.len() < BOARD * WORD {
            return Err(Violation::Header);
        }
        let [magic, version, slots, loans] = [0, 1, 2, 3].map(|index| view.load(index));
        let size = LinkSize {
            slots: u32::try_from(slots).map_err(|_| Violation::Header)?,
            loans: u32::try_from(loans).map_err(|_| Violation::Header)?,
        };
        if magic != MAGIC || version != VERSION || !size.is_valid() || size.bytes() > view.len() {
            return Err(Violation::Header);
        }
        Ok(Self {
            size,
            heeds_withdrawals: view.load(4) & WITHDRAWALS != 0,
            ring: size.ring(),
        })
    }

    /// The word that begins the slot at `position`.
    #[inline]
    pub(crate) fn slot(&self, position: u64) -> usize {
        self.ring + (position as usize & (self.size.slots as usize - 1)) * SLOT_WORDS
    }

    /// The word that begins a cache line of the slots from `position` on.
    #[inline]
    pub(crate) fn line(&self, position: u64, nth: usize) -> usize {
        let lines = SLOT_WORDS / LINE;
        self.slot(position + (nth / lines) as u64) + nth % lines * LINE
    }

    /// The word of a loan.
    pub(crate) fn loan(&self, index: u32) -> usize {
        BOARD + index as usize
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_read_as_it_was_written_and_nothing_else_is() {
        let size = LinkSize { slots: 8, loans: 3 };
        let owner = Owner::heap(size.bytes());
        assert!(Layout::open(&owner).is_err());
        Layout::create(&owner, size).unwrap();
        assert_eq!(Layout::open(&owner).unwrap().size, size);
        assert!(Layout::open(&owner).unwrap().heeds_withdrawals);
        for (word, heeds) in [(0, false), (2, false), (u64::MAX, true)] {
            // Those of before leave the word as it was; those to come may say more.
            owner.store(4, word, Ordering::Relaxed);
            assert_eq!(Layout::open(&owner).unwrap().heeds_withdrawals, heeds);
        }
        for (word, bad) in [
            (0, 1),
            (1, 1),
            (2, 16),
            (2, 3),
            (2, 0),
            (2, 1 << 40),
            (3, 65),
            (3, u64::MAX),
        ] {
            let good = owner.load(word);
            owner.store(word, bad, Ordering::Relaxed);
            assert_eq!(Layout::open(&owner).unwrap_err(), Violation::Header);
            owner.store(word, good, Ordering::Relaxed);
        }
        assert!(Layout::open(&Owner::heap(64)).is_err());
    }
}
