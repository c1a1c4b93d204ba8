//! The pings of an open loop that are under way: how late each one was sent, in memory that does
//! not grow.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Nanos;

/// Pings under way that are told apart; the answer to one that so many newer ones have followed
/// counts as late.
const MOST: usize = 1 << 16;

/// Bits of an entry that say how late a ping was: three days in nanoseconds.
const LAG_BITS: u32 = 48;
const LAG_MASK: u64 = (1 << LAG_BITS) - 1;

/// One word for each ping: how late it was and which one it is, so that neither is ever seen
/// without the other.
pub(super) struct Flights(Box<[AtomicU64]>);

impl Flights {
    /// Nothing under way.
    pub(super) fn new() -> Self {
        Self((0..MOST).map(|_| AtomicU64::new(0)).collect())
    }

    /// A ping is sent, so long after it was due.
    pub(super) fn begin(&self, seq: u32, lag: Nanos) {
        let word = mark(seq) << LAG_BITS | lag.min(LAG_MASK);
        self.place(seq).store(word, Ordering::Release);
    }

    /// Its answer is here: how late it was, once.
    pub(super) fn end(&self, seq: u32) -> Option<Nanos> {
        let place = self.place(seq);
        let word = place.load(Ordering::Acquire);
        if word >> LAG_BITS != mark(seq) {
            return None;
        }
        // A newer ping may take the place right now; then that one stays.
        place
            .compare_exchange(word, 0, Ordering::AcqRel, Ordering::Relaxed)
            .ok()
            .map(|word| word & LAG_MASK)
    }

    /// Nothing is under way any more.
    pub(super) fn clear(&self) {
        self.0
            .iter()
            .for_each(|place| place.store(0, Ordering::Relaxed));
    }

    fn place(&self, seq: u32) -> &AtomicU64 {
        &self.0[seq as usize % MOST]
    }
}

/// What tells the pings of one place apart; never 0, which is nobody.
fn mark(seq: u32) -> u64 {
    u64::from(seq >> MOST.trailing_zeros()) % u64::from(u16::MAX) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ping_is_answered_once() {
        let flights = Flights::new();
        assert_eq!(flights.end(0), None);
        for seq in [0, 7, u32::MAX] {
            flights.begin(seq, u64::from(seq));
        }
        for seq in [u32::MAX, 0, 7] {
            assert_eq!(flights.end(seq), Some(u64::from(seq)));
            assert_eq!(flights.end(seq), None);
        }
    }

    #[test]
    fn a_ping_that_many_have_followed_is_forgotten() {
        let flights = Flights::new();
        let newer = MOST as u32 + 3;
        flights.begin(3, 1);
        flights.begin(newer, u64::MAX);
        assert_eq!(flights.end(3), None);
        assert_eq!(flights.end(newer), Some(LAG_MASK));
        flights.begin(4, 1);
        flights.clear();
        assert_eq!(flights.end(4), None);
    }
}
