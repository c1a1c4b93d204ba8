//! Handles: numbers that stand for what the library owns (`docs/decisions/abi.md`).
//!
//! A handle has a kind (8 bits), a generation (24) and a slot (32). A slot's state has the same two
//! in its upper half and in its lower half how many calls are in what it holds. So a call comes in
//! by one addition and one comparison. Whoever closes a handle moves the kind and the generation
//! on, so that nobody comes in any more; whoever leaves last takes the value out.
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What a handle stands for. The numbers are those of `DUNLIN_KIND_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Participant = 1,
    Topic,
    FilteredTopic,
    Publisher,
    Subscriber,
    Writer,
    Reader,
    ReadCondition,
    QueryCondition,
    StatusCondition,
    GuardCondition,
    WaitSet,
    Type,
    Octets,
}

impl Kind {
    const ALL: [Self; 14] = [
        Self::Participant,
        Self::Topic,
        Self::FilteredTopic,
        Self::Publisher,
        Self::Subscriber,
        Self::Writer,
        Self::Reader,
        Self::ReadCondition,
        Self::QueryCondition,
        Self::StatusCondition,
        Self::GuardCondition,
        Self::WaitSet,
        Self::Type,
        Self::Octets,
    ];

    /// That of a handle, if it is one at all.
    pub(crate) fn of(handle: u64) -> Option<Self> {
        // They are numbered from 1 on, in this order.
        let at = usize::from(kind(handle)).wrapping_sub(1);
        Self::ALL.get(at).copied()
    }

    /// For messages to the user.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Participant => "a participant",
            Self::Topic => "a topic",
            Self::FilteredTopic => "a content filtered topic",
            Self::Publisher => "a publisher",
            Self::Subscriber => "a subscriber",
            Self::Writer => "a writer",
            Self::Reader => "a reader",
            Self::ReadCondition => "a read condition",
            Self::QueryCondition => "a query condition",
            Self::StatusCondition => "a status condition",
            Self::GuardCondition => "a guard condition",
            Self::WaitSet => "a wait set",
            Self::Type => "a type",
            Self::Octets => "octets",
        }
    }
}

/// Kinds of slots that no handle has.
const EMPTY: u8 = 0;
/// Of the process that this one was forked from.
const INHERITED: u8 = 0xfd;
/// The value is being taken out.
const LEAVING: u8 = 0xfe;
/// Closed, and somebody is still in it.
const CLOSED: u8 = 0xff;

/// A slot that has reached this generation is used no more.
const LAST_GENERATION: u32 = (1 << 24) - 1;
/// Slots of a segment; the segments come as they are needed.
const SEGMENT: u32 = 1024;
const SEGMENTS: usize = 1024;
/// The most handles at a time.
const MOST: u32 = SEGMENT * SEGMENTS as u32;

fn kind(word: u64) -> u8 {
    (word >> 56) as u8
}

fn generation(word: u64) -> u32 {
    (word >> 32) as u32 & LAST_GENERATION
}

fn word(kind: u8, generation: u32, low: u32) -> u64 {
    u64::from(kind) << 56 | u64::from(generation) << 32 | u64::from(low)
}

/// In a line of its own, so that calls to different entities do not slow each other.
#[repr(align(64))]
struct Slot<T> {
    state: AtomicU64,
    /// The first generation that it had.
    first: u32,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: `value` is written by `create` and taken by `leave` only, each by the one thread that the
// state gave the slot to; all others read it, through pins, between the two.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// Why a handle is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It was closed.
    Closed,
    /// It belongs to the process from which this one was forked.
    BeforeFork,
    /// It was never given out.
    Noise,
}

/// All handles are taken.
#[derive(Debug)]
pub(crate) struct Full;

/// What handles stand for.
pub(crate) struct Table<T> {
    segments: [OnceLock<Box<[Slot<T>]>>; SEGMENTS],
    free: Mutex<Free>,
    most: u32,
    living: AtomicUsize,
    seed: OnceLock<RandomState>,
}

struct Free {
    /// Those that were used, the one that has rested longest first.
    rested: VecDeque<u32>,
    /// How many were ever used.
    used: u32,
}

/// A value that stays as long as this.
pub(crate) struct Pin<'t, T> {
    table: &'t Table<T>,
    slot: &'t Slot<T>,
    handle: u64,
}

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self::with_most(MOST)
    }

    const fn with_most(most: u32) -> Self {
        Self {
            segments: [const { OnceLock::new() }; SEGMENTS],
            free: Mutex::new(Free {
                rested: VecDeque::new(),
                used: 0,
            }),
            most,
            living: AtomicUsize::new(0),
            seed: OnceLock::new(),
        }
    }

    /// Values that are not destroyed yet.
    pub(crate) fn living(&self) -> usize {
        self.living.load(Relaxed)
    }

    /// The lock that is held around a fork.
    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, handle: u64) -> Option<&Slot<T>> {
        let at = handle as u32;
        let segment = self.segments.get((at / SEGMENT) as usize)?.get()?;
        segment.get((at % SEGMENT) as usize)
    }

    /// A handle for a value.
    pub(crate) fn create(&self, kind: Kind, value: T) -> Result<u64, Full> {
        let at = self.take_free()?;
        let Some(slot) = self.slot(at.into()) else {
            return Err(Full);
        };
        // SAFETY: the slot was free, and the queue gives it to one thread only. Nobody reads the
        // value of a slot whose kind is `EMPTY`.
        unsafe { *slot.value.get() = Some(value) };
        self.living.fetch_add(1, Relaxed);
        // Pairs with the addition of `pin`. The kind was 0, and calls by old handles that come and
        // go meanwhile count in the lower half.
        let before = slot.state.fetch_add(word(kind as u8, 0, 0), Release);
        Ok(word(kind as u8, generation(before), at))
    }

    fn take_free(&self) -> Result<u32, Full> {
        let mut free = self.free();
        if let Some(at) = free.rested.pop_front() {
            return Ok(at);
        }
        if free.used >= self.most {
            return Err(Full);
        }
        let at = free.used;
        let segment = self.segments.get((at / SEGMENT) as usize).ok_or(Full)?;
        let slots = at..at + SEGMENT;
        segment.get_or_init(|| slots.map(|at| self.new_slot(at)).collect());
        free.used += 1;
        Ok(at)
    }

    /// Its first generation is random, so that the numbers of other processes are refused.
    fn new_slot(&self, at: u32) -> Slot<T> {
        let seed = self.seed.get_or_init(RandomState::new);
        let first = 1 + seed.hash_one(at) as u32 % (LAST_GENERATION / 2);
        Slot {
            state: AtomicU64::new(word(EMPTY, first, 0)),
            first,
            value: UnsafeCell::new(None),
        }
    }

    /// Holds the value of a handle, whose kind the caller has found to be one of [`Kind`].
    #[inline]
    pub(crate) fn pin(&self, handle: u64) -> Option<Pin<'_, T>> {
        let slot = self.slot(handle)?;
        // Pairs with the additions of `create`, whose value is seen behind it.
        let before = slot.state.fetch_add(1, Acquire);
        let pin = Pin {
            table: self,
            slot,
            handle,
        };
        match before >> 32 == handle >> 32 {
            true => Some(pin),
            // Dropped, so that what closed meanwhile is destroyed.
            false => None,
        }
    }

    /// Why `pin` refused a handle.
    #[cold]
    pub(crate) fn refusal(&self, handle: u64) -> Refused {
        let Some(slot) = self.slot(handle) else {
            return Refused::Noise;
        };
        let state = slot.state.load(Acquire);
        let given = slot.first..generation(state);
        match given.contains(&generation(handle)) {
            true if kind(state) == INHERITED => Refused::BeforeFork,
            true => Refused::Closed,
            false => Refused::Noise,
        }
    }

    /// The value is taken out, if it is closed and nobody is in it.
    #[cold]
    fn leave(&self, slot: &Slot<T>, at: u32) {
        let state = slot.state.load(Relaxed);
        if kind(state) != CLOSED || state as u32 != 0 {
            return;
        }
        let now = generation(state);
        // Pairs with the subtractions of all who were in it.
        let leaving = word(LEAVING, now, 0);
        if slot
            .state
            .compare_exchange(state, leaving, Acquire, Relaxed)
            .is_err()
        {
            // Somebody looks in by an old handle, and will come here.
            return;
        }
        // SAFETY: the exchange gave the slot to this thread: it succeeds once for each closing, and
        // nobody pins what is closed.
        let value = unsafe { (*slot.value.get()).take() };
        slot.state.fetch_sub(word(LEAVING, 0, 0), Release);
        if now < LAST_GENERATION {
            self.free().rested.push_back(at);
        }
        self.living.fetch_sub(1, Relaxed);
        // Whatever it owns ends behind all this.
        drop(value);
    }

    /// In a forked process: nothing that there was is reached any more, nor destroyed. Called with
    /// the lock `free` held and one thread.
    pub(crate) fn disinherit(&self, used: u32) {
        for at in 0..used {
            if let Some(slot) = self.slot(at.into()) {
                let state = slot.state.load(Relaxed);
                if kind(state) != EMPTY {
                    let next = generation(state).saturating_add(1).min(LAST_GENERATION);
                    slot.state.store(word(INHERITED, next, 0), Release);
                }
            }
        }
        self.living.store(0, Relaxed);
    }
}

impl<T> Pin<'_, T> {
    /// Which handle.
    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    /// Nobody comes in by the handle any more; false if somebody else did this before. The value
    /// goes with the last pin.
    pub(crate) fn close(&self) -> bool {
        let mut state = self.slot.state.load(Relaxed);
        loop {
            if state >> 32 != self.handle >> 32 {
                return false;
            }
            let closed = word(CLOSED, generation(state) + 1, state as u32);
            match self
                .slot
                .state
                .compare_exchange_weak(state, closed, Release, Relaxed)
            {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
    }
}

impl<T> std::ops::Deref for Pin<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `pin` found the slot in the generation of the handle and counted us in, so the
        // value was written before, and nobody takes it out before we have left.
        match unsafe { &*self.slot.value.get() } {
            Some(value) => value,
            None => unreachable!("a slot with a kind has a value"),
        }
    }
}

impl<T> Drop for Pin<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Pairs with the exchange of `leave`, behind which nobody of us looks at the value.
        let before = self.slot.state.fetch_sub(1, Release);
        if before as u32 == 1 && kind(before) == CLOSED {
            self.table.leave(self.slot, self.handle as u32);
        }
    }
}

/// The lock of a table, held from before a fork until behind it.
pub(crate) struct Held<'t, T> {
    table: &'t Table<T>,
    free: MutexGuard<'t, Free>,
}

impl<T> Table<T> {
    pub(crate) fn hold(&self) -> Held<'_, T> {
        Held {
            table: self,
            free: self.free(),
        }
    }
}

impl<T> Held<'_, T> {
    /// This is the new process.
    pub(crate) fn disinherit(self) {
        self.table.disinherit(self.free.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::Ordering::SeqCst;

    fn table(most: u32) -> Box<Table<Arc<AtomicUsize>>> {
        Box::new(Table::with_most(most))
    }

    /// Counts how many live.
    fn value() -> Arc<AtomicUsize> {
        Arc::default()
    }

    #[test]
    fn each_kind_is_found_by_its_number() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(word(kind as u8, 1, 2)), Some(kind));
        }
        for none in [EMPTY, Kind::Octets as u8 + 1, INHERITED, LEAVING, CLOSED] {
            assert_eq!(Kind::of(word(none, 1, 2)), None);
        }
    }

    #[test]
    fn a_closed_handle_is_told_from_noise() {
        let table = table(MOST);
        let handle = table.create(Kind::Writer, value()).unwrap();
        assert_eq!(Kind::of(handle), Some(Kind::Writer));
        assert!(table.pin(handle).unwrap().close());
        assert!(table.pin(handle).is_none());
        assert_eq!(table.refusal(handle), Refused::Closed);
        assert_eq!(table.refusal(handle + (1 << 32)), Refused::Noise);
        assert_eq!(table.refusal(handle + 1), Refused::Noise);
        assert_eq!(table.refusal(handle + u64::from(MOST)), Refused::Noise);
        assert_eq!(table.living(), 0);
    }

    #[test]
    fn one_closes_and_the_last_who_leaves_destroys() {
        let table = table(MOST);
        let one = value();
        let handle = table.create(Kind::Reader, Arc::clone(&one)).unwrap();
        let (first, second) = (table.pin(handle).unwrap(), table.pin(handle).unwrap());
        assert!(first.close());
        assert!(!second.close());
        drop(first);
        assert_eq!(Arc::strong_count(&one), 2);
        second.fetch_add(1, SeqCst);
        drop(second);
        assert_eq!(Arc::strong_count(&one), 1);
    }

    #[test]
    fn slots_are_used_again_oldest_first() {
        let table = table(2);
        let a = table.create(Kind::Type, value()).unwrap();
        let b = table.create(Kind::Type, value()).unwrap();
        assert!(table.create(Kind::Type, value()).is_err());
        for handle in [b, a] {
            table.pin(handle).unwrap().close();
        }
        let c = table.create(Kind::Octets, value()).unwrap();
        assert_eq!(c as u32, b as u32);
        assert_ne!(c, b);
        let again = table.pin(c).unwrap();
        assert_eq!(again.handle(), c);
        assert_eq!(table.refusal(b), Refused::Closed);
    }

    #[test]
    fn a_slot_retires_with_its_last_generation() {
        let table = table(1);
        let first = table.create(Kind::Type, value()).unwrap();
        table.pin(first).unwrap().close();
        let slot = table.slot(0).unwrap();
        slot.state
            .store(word(EMPTY, LAST_GENERATION - 1, 0), SeqCst);
        let last = table.create(Kind::Type, value()).unwrap();
        assert_eq!(generation(last), LAST_GENERATION - 1);
        table.pin(last).unwrap().close();
        assert_eq!(table.refusal(last), Refused::Closed);
        assert!(table.create(Kind::Type, value()).is_err());
    }

    #[test]
    fn what_was_before_a_fork_is_told_so() {
        let table = table(MOST);
        let one = value();
        let handle = table.create(Kind::Topic, Arc::clone(&one)).unwrap();
        table.hold().disinherit();
        assert!(table.pin(handle).is_none());
        assert_eq!(table.refusal(handle), Refused::BeforeFork);
        assert_eq!(Arc::strong_count(&one), 2);
        assert_eq!(table.living(), 0);
        assert!(table.create(Kind::Topic, value()).is_ok());
    }

    /// Interpreted, each takes a while.
    const ROUNDS: u32 = if cfg!(miri) { 40 } else { 20_000 };

    #[test]
    fn threads_that_close_and_use_leave_nothing() {
        let table = table(4);
        let one = value();
        let newest = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        if let Ok(handle) = table.create(Kind::Reader, Arc::clone(&one)) {
                            newest.store(handle, SeqCst);
                            if let Some(pin) = table.pin(handle) {
                                pin.close();
                            }
                        }
                        if let Some(pin) = table.pin(newest.load(SeqCst)) {
                            pin.fetch_add(1, SeqCst);
                        }
                    }
                });
            }
        });
        assert_eq!(table.living(), 0);
        assert_eq!(Arc::strong_count(&one), 1);
    }
}
