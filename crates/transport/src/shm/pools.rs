//! The chunks of one participant. Memory is taken when it is first needed, by sizes, and kept; that
//! of large chunks is given back when nobody uses it (`withdrawal`).
use crate::panics::log;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dunlin_shm::{Chunk, Class, Pool, Published, Withdrawal};

use super::send_channel::SendChannel;
use super::withdrawal::Forgetting;

/// As many as a peer accepts.
pub(super) const MOST: usize = 16;
/// Chunks are not smaller than this.
const SMALLEST: usize = 64 * 1024;
/// A pool has about so many bytes, but at least `FEWEST` chunks.
const POOL: usize = 4 * 1024 * 1024;
const FEWEST: usize = 4;
/// ... and of chunks that are larger than this, half of which are left to others if a reader stops,
/// exactly so many.
const LARGE: usize = 16 * 1024 * 1024;
const FEWEST_LARGE: usize = 2;
/// Pools of one size that are made by themselves.
const FEW: usize = 2;
/// Pools of chunks that are larger than this are given back.
const KEPT: usize = 1024 * 1024;
/// All pools together.
const LARGEST: usize = 1024 * 1024 * 1024;

/// Called with each new pool before any of its chunks is given out.
type Announce = dyn Fn(&Pool) + Send + Sync;

/// Pools, each of chunks of one size. They are only ever added, so readers need no lock: one that
/// is withdrawn keeps its place, its number and its addresses, for when that size is needed again.
pub(super) struct Pools {
    made: [OnceLock<(usize, Pool)>; MOST],
    count: AtomicUsize,
    growing: Mutex<Growth>,
    announce: OnceLock<Box<Announce>>,
}

#[derive(Default)]
struct Growth {
    bytes: usize,
    /// The system has refused: it is not asked again for so much.
    refused: Option<usize>,
    forgetting: Forgetting,
}

impl Pools {
    pub(super) fn new() -> Self {
        Self {
            made: [const { OnceLock::new() }; MOST],
            count: AtomicUsize::new(0),
            growing: Mutex::default(),
            announce: OnceLock::new(),
        }
    }

    pub(super) fn on_new(&self, announce: impl Fn(&Pool) + Send + Sync + 'static) {
        let _ = self.announce.set(Box::new(announce));
    }

    fn all(&self) -> impl Iterator<Item = &(usize, Pool)> {
        // Pairs with the Release in `grow`.
        let count = self.count.load(Ordering::Acquire);
        self.made.iter().take(count).filter_map(OnceLock::get)
    }

    /// A chunk of at least `length` bytes; if none is free, of memory that is taken for it, though
    /// not without end: whoever sends faster than others read has to wait.
    pub(super) fn allocate(&self, length: usize) -> Option<Chunk> {
        let capacity = capacity(length)?;
        self.take(length, capacity).or_else(|| {
            let present = self.of(capacity).filter(|pool| !pool.is_withdrawn());
            let more = present.count() < FEW;
            (more && self.grow(capacity))
                .then(|| self.take(length, capacity))
                .flatten()
        })
    }

    /// The same for an application that fills it itself.
    pub(super) fn lend(&self, length: usize, reclaim: impl FnOnce()) -> Option<Chunk> {
        let capacity = capacity(length)?;
        self.take(length, capacity).or_else(|| {
            reclaim();
            let found = self.take(length, capacity);
            found.or_else(|| {
                self.grow(capacity)
                    .then(|| self.take(length, capacity))
                    .flatten()
            })
        })
    }

    /// Whether there is memory for messages of this length, be it in use.
    pub(super) fn has(&self, length: usize) -> bool {
        let pools = || capacity(length).into_iter().flat_map(|of| self.of(of));
        pools().any(|pool| !pool.is_withdrawn()) || {
            let growth = self.growth();
            pools().any(|pool| growth.forgetting.concerns(pool.number()))
        }
    }

    /// How many there are, with those that are withdrawn.
    #[cfg(test)]
    pub(super) fn made(&self) -> usize {
        self.all().count()
    }

    fn of(&self, capacity: usize) -> impl Iterator<Item = &Pool> {
        self.all()
            .filter(move |(size, _)| *size == capacity)
            .map(|(_, pool)| pool)
    }

    fn take(&self, length: usize, capacity: usize) -> Option<Chunk> {
        self.of(capacity)
            .find_map(|pool| pool.allocate(length).ok())
    }

    /// Whether these bytes lie in one of the pools.
    pub(super) fn contains(&self, bytes: &[u8]) -> bool {
        !bytes.is_empty() && self.all().any(|(_, pool)| pool.contains(bytes))
    }

    /// The chunk that these bytes lie in, and where in it.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8]) -> Option<(Published, Range<usize>)> {
        let (chunk, offset) = self.all().find_map(|(_, pool)| pool.find(bytes))?;
        Some((chunk, offset..offset + bytes.len()))
    }

    fn growth(&self) -> MutexGuard<'_, Growth> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes another pool of this size, or gives one that was withdrawn memory again; false if
    /// there cannot be one.
    #[cold]
    fn grow(&self, capacity: usize) -> bool {
        let mut growth = self.growth();
        let bytes = bytes(capacity);
        let allowed = growth.bytes.saturating_add(bytes) <= LARGEST
            && growth.refused.is_none_or(|least| bytes < least);
        if !allowed {
            return false;
        }
        let can_come_again =
            |pool: &&Pool| pool.is_withdrawn() && !growth.forgetting.concerns(pool.number());
        let made = match self.of(capacity).find(can_come_again) {
            Some(pool) => pool.renew(|| self.announce(pool)),
            None => match self.make(capacity) {
                Some(made) => made,
                None => return false,
            },
        };
        match made {
            Ok(()) => growth.bytes += bytes,
            Err(ref error) => {
                log::warn!(%error, bytes, "no shared memory for large messages");
                growth.refused = Some(bytes);
            }
        }
        made.is_ok()
    }

    /// Makes another pool; `None` if there are as many as there can be.
    fn make(&self, capacity: usize) -> Option<Result<(), dunlin_shm::Error>> {
        let number = self.count.load(Ordering::Acquire);
        let (slot, tag) = (self.made.get(number)?, u8::try_from(number).ok()?);
        let class = Class {
            capacity,
            count: count(capacity) as u32,
        };
        let made = Pool::new(tag, &[class]).map(|pool| {
            self.announce(&pool);
            let _ = slot.set((capacity, pool));
            self.count.store(number + 1, Ordering::Release);
        });
        Some(made)
    }

    fn announce(&self, pool: &Pool) {
        if let Some(announce) = self.announce.get() {
            announce(pool);
        }
    }

    /// The pools of large chunks that have memory.
    pub(super) fn large(&self) -> impl Iterator<Item = &Pool> {
        let large = self.all().filter(|(capacity, _)| *capacity > KEPT);
        large
            .map(|(_, pool)| pool)
            .filter(|pool| !pool.is_withdrawn())
    }

    /// Whether some pool may have to be withdrawn, or some reader has not forgotten the last one.
    pub(super) fn are_looked_after(&self) -> bool {
        // Who makes a pool has this until the pool is there.
        let mut growth = self.growth();
        let forgotten = growth.forgetting.is_over();
        if forgotten {
            growth.forgetting = Forgetting::default();
        }
        !forgotten || self.large().next().is_some()
    }

    /// Withdraws a pool and gives its memory back, unless that cannot be now. `leave_out` takes it
    /// out of use and says who has to be told.
    pub(super) fn withdraw(
        &self,
        pool: &Pool,
        leave_out: impl FnOnce() -> Option<Vec<Arc<SendChannel>>>,
    ) -> bool {
        let mut growth = self.growth();
        let found = self.all().find(|(_, of)| of.number() == pool.number());
        let (Some((capacity, _)), true) = (found, growth.forgetting.is_over()) else {
            return false;
        };
        let Some(who) = leave_out() else { return false };
        growth.forgetting = Forgetting::new(pool.number(), who);
        growth.bytes = growth.bytes.saturating_sub(bytes(*capacity));
        growth.refused = None;
        if let Err(error) = pool.give_back() {
            log::warn!(%error, "the memory for large messages cannot be given back");
        }
        true
    }

    /// Who has not been told yet of the pool that was withdrawn last.
    pub(super) fn untold(&self) -> Option<(u8, Vec<Arc<SendChannel>>)> {
        self.growth().forgetting.untold()
    }

    /// These were told, the others were not.
    pub(super) fn note_told(&self, told: Vec<Withdrawal>, untold: Vec<Arc<SendChannel>>) {
        self.growth().forgetting.note(told, untold);
    }
}

impl std::fmt::Debug for Pools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

/// Bytes of a pool of chunks of this size.
fn bytes(capacity: usize) -> usize {
    capacity.saturating_mul(count(capacity))
}

/// How many chunks of this size a pool has: memory is made at once and kept, so few if they are
/// large.
fn count(capacity: usize) -> usize {
    match capacity > LARGE {
        true => FEWEST_LARGE,
        false => (POOL / capacity).max(FEWEST),
    }
}

/// The size of the chunks for messages of this length: a quarter more than the last one, from 64
/// KiB on.
fn capacity(length: usize) -> Option<usize> {
    let rough = length.max(SMALLEST);
    let step = rough.checked_next_power_of_two()? / 8;
    // A power of two.
    Some(rough.checked_add(step - 1)? & !(step - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_waste_little_and_come_in_few_sizes() {
        assert_eq!(capacity(1), Some(SMALLEST));
        assert_eq!(capacity(SMALLEST + 1), Some(80 * 1024));
        assert_eq!(capacity(1 << 20), Some(1 << 20));
        assert_eq!(capacity((10 << 20) + 100), Some(12 << 20));
        assert_eq!(capacity(usize::MAX), None);
    }

    #[test]
    fn pools_of_large_chunks_have_few() {
        let mib = |n: usize| count(n << 20);
        assert_eq!([1, 4, 12, 16, 20, 56, 256].map(mib), [4, 4, 4, 4, 2, 2, 2]);
    }

    #[test]
    fn memory_is_taken_when_it_is_needed_and_bytes_are_found_in_it() {
        let pools = Pools::new();
        assert_eq!(pools.all().count(), 0);
        let mut held: Vec<_> = (0..65).map(|_| pools.allocate(100).unwrap()).collect();
        assert_eq!(pools.all().count(), 2);
        let chunk = held.remove(64).publish();
        let bytes = &chunk.as_ref()[10..20];
        let (found, range) = pools.find(bytes).unwrap();
        assert_eq!(
            (found.as_ref().as_ptr(), range),
            (chunk.as_ref().as_ptr(), 10..20)
        );
        assert!(pools.find(&[1, 2, 3]).is_none());
        assert!(pools.allocate(MAX).is_none());
        const MAX: usize = usize::MAX / 2;
    }
}
