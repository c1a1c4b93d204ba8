//! Samples that a reader has handed out, until they are given back.
//!
//! A sample has a token: the number of its place and how often that was used. Places are used
//! again, so nothing is allocated once there are enough. Samples outlive their reader: they are
//! found by the number of its handle until the last has come back.
use crate::error::{Failure, Outcome};
use crate::reader::{DUNLIN_SAMPLE_COPIED, dunlin_sample};
use arrayvec::ArrayVec;
use dunlin::untyped::{SamplePayload, UntypedSample};
use dunlin_lock::Lock;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Samples of a reader that may be out at a time.
pub(crate) const MOST: usize = 65_536;
/// Bits of a token that name the place. More than `MOST` never are out.
const PLACE: u32 = 17;
/// In the number of samples that are out: the reader is gone, and lends no more.
const ORPHANED: usize = 1 << (usize::BITS - 1);
/// Samples that come back under one lock.
const TOGETHER: usize = 16;

/// The samples of a reader that are out.
#[derive(Default)]
pub(crate) struct Samples {
    places: Lock<Places>,
    /// How many, and `ORPHANED`. Whoever brings it to `ORPHANED` alone forgets the samples.
    out: AtomicUsize,
}

#[derive(Default)]
struct Places {
    places: Vec<Place>,
    free: Vec<u32>,
    /// The handle of the reader; 0 if it has another one, and lends nothing itself.
    reader: u64,
}

struct Place {
    used: u64,
    lent: Option<SamplePayload>,
}

/// Those of each reader, by its handle, until it is gone and all have come back.
static LENDERS: Mutex<Lenders> = Mutex::new(BTreeMap::new());

pub(crate) type Lenders = BTreeMap<u64, Arc<Samples>>;

/// The lock that is held around a fork.
pub(crate) fn lenders() -> MutexGuard<'static, Lenders> {
    LENDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The samples of a reader, which may be closed.
pub(crate) fn lender(reader: u64) -> Option<Arc<Samples>> {
    lenders().get(&reader).cloned()
}

/// How many samples of all readers are out.
pub(crate) fn out() -> u64 {
    let lenders = lenders();
    let counts = lenders
        .values()
        .map(|samples| samples.out.load(Relaxed) & !ORPHANED);
    counts.sum::<usize>() as u64
}

impl Samples {
    /// Room for some of `wanted` samples; what is not needed is given back by `unreserve`.
    pub(crate) fn reserve(&self, wanted: usize) -> Outcome<usize> {
        let out = self.out.fetch_add(wanted, Relaxed);
        let room = MOST.saturating_sub(out).min(wanted);
        self.unreserve(wanted - room);
        match room {
            0 => Err(too_many(out)),
            room => Ok(room),
        }
    }

    /// Whether another sample may be out, which nearly always is not needed.
    #[inline]
    pub(crate) fn check_room(&self) -> Outcome {
        match self.out.load(Relaxed) {
            out if out >= MOST => Err(too_many(out)),
            _ => Ok(()),
        }
    }

    /// Takes charge of one sample for which `check_room` found room. As many threads as do this at
    /// a time may go over the most, for which tokens have places enough.
    #[cold]
    pub(crate) fn lend_one(&self, payload: SamplePayload, sample: &mut dunlin_sample) {
        self.out.fetch_add(1, Relaxed);
        self.lend(std::iter::once((payload, sample)));
    }

    pub(crate) fn unreserve(&self, count: usize) {
        // Either this or `orphan` finds the last sample back and the reader gone, never both.
        if count > 0 && self.out.fetch_sub(count, AcqRel) - count == ORPHANED {
            self.forget();
        }
    }

    /// Takes charge of samples for which there is room, and puts their tokens beside them.
    pub(crate) fn lend<'s>(
        &self,
        samples: impl Iterator<Item = (SamplePayload, &'s mut dunlin_sample)>,
    ) {
        let mut places = self.places.lock();
        for (payload, sample) in samples {
            sample.token = places.put(payload);
            debug_assert_ne!(sample.token, 0);
        }
    }

    /// Samples are given back; those behind the first that is wrong are not. Tokens become 0.
    pub(crate) fn give_back(&self, samples: &mut [dunlin_sample]) -> Outcome {
        for some in samples.chunks_mut(TOGETHER) {
            self.give_some_back(some, false)?;
        }
        Ok(())
    }

    /// As `give_back`, of those that are samples.
    pub(crate) fn give_back_any(&self, samples: &mut [dunlin_sample]) -> Outcome {
        for some in samples.chunks_mut(TOGETHER) {
            if some.iter().any(|sample| sample.token != 0) {
                self.give_some_back(some, true)?;
            }
        }
        Ok(())
    }

    fn give_some_back(&self, samples: &mut [dunlin_sample], skips_none: bool) -> Outcome {
        let mut back = ArrayVec::<_, TOGETHER>::new();
        let mut places = self.places.lock();
        let mut wrong = false;
        for sample in samples {
            let is_copied = sample.flags & DUNLIN_SAMPLE_COPIED != 0;
            if sample.token == 0 && (skips_none || is_copied) {
                continue;
            }
            let Some(payload) = places.take(sample.token) else {
                wrong = true;
                break;
            };
            sample.token = 0;
            back.push(payload);
        }
        drop(places);
        let count = back.len();
        // Memory of peers goes back here, without the lock.
        back.clear();
        self.unreserve(count);
        match wrong {
            false => Ok(()),
            true => Err(Failure::precondition(
                "a sample was given back before, or is of another reader",
            )),
        }
    }

    /// Looks at a sample that is out.
    pub(crate) fn with<R>(&self, token: u64, look: impl FnOnce(&SamplePayload) -> R) -> Outcome<R> {
        let mut places = self.places.lock();
        match places.find(token).and_then(|place| place.lent.as_ref()) {
            Some(lent) => Ok(look(lent)),
            None => Err(Failure::precondition(
                "the sample was given back, or is of another reader",
            )),
        }
    }

    /// What is out is found by this handle of its reader from now on.
    pub(crate) fn enter(self: &Arc<Self>, reader: u64) {
        self.places.lock().reader = reader;
        lenders().insert(reader, Arc::clone(self));
    }

    /// The reader is gone, and lends no more.
    pub(crate) fn orphan(&self) {
        if self.out.fetch_or(ORPHANED, AcqRel) == 0 {
            self.forget();
        }
    }

    /// All have come back, and no more will be lent.
    #[cold]
    fn forget(&self) {
        let reader = self.places.lock().reader;
        if reader != 0 {
            let last = lenders().remove(&reader);
            drop(last);
        }
    }
}

#[cold]
fn too_many(out: usize) -> Failure {
    Failure::resources(format!(
        "{out} samples of the reader are out: give some of them back (dunlin_give_back)"
    ))
}

impl Places {
    #[inline]
    fn put(&mut self, lent: SamplePayload) -> u64 {
        let at = match self.free.pop() {
            Some(at) => at,
            None => self.add(),
        };
        let Some(place) = self.places.get_mut(at as usize) else {
            return 0;
        };
        place.used += 1;
        place.lent = Some(lent);
        place.used << PLACE | u64::from(at)
    }

    /// Another place.
    #[cold]
    fn add(&mut self) -> u32 {
        // The first use of each place is another number, so that tokens of other readers are
        // unlikely to fit.
        let at = self.places.len();
        let nonce = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), at);
        self.places.push(Place {
            used: nonce >> (PLACE + 1),
            lent: None,
        });
        at as u32
    }

    fn find(&mut self, token: u64) -> Option<&mut Place> {
        let at = token as usize & ((1 << PLACE) - 1);
        let place = self.places.get_mut(at)?;
        (place.used == token >> PLACE).then_some(place)
    }

    fn take(&mut self, token: u64) -> Option<SamplePayload> {
        let lent = self.find(token)?.lent.take()?;
        self.free.push(token as u32 & ((1 << PLACE) - 1));
        Some(lent)
    }
}

thread_local! {
    static TAKEN: Cell<Vec<UntypedSample>> = const { Cell::new(Vec::new()) };
}

/// A list for samples that are being taken, with memory that the thread has used before.
pub(crate) fn taken() -> Vec<UntypedSample> {
    TAKEN.try_with(Cell::take).unwrap_or_default()
}

/// It is empty again, and is used again. It may be that what came to its end used one of its own
/// meanwhile.
pub(crate) fn keep_taken(list: Vec<UntypedSample>) {
    let _ = TAKEN.try_with(|kept| kept.set(list));
}
