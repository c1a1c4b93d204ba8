//! Samples that a reader has handed out, until they are given back.
//!
//! A sample has a token: the number of its place and how often that was used. Places are used
//! again, so nothing is allocated once there are enough. Samples outlive their reader: they are
//! found by the number of its handle until the last has come back.
use crate::error::{Failure, Outcome};
use crate::library::count_samples;
use bytes::Bytes;
use dunlin::untyped::UntypedSample;
use dunlin_lock::Lock;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Samples of a reader that may be out at a time.
pub(crate) const MOST: usize = 65_536;
/// Bits of a token that name the place. More than `MOST` never are out.
const PLACE: u32 = 17;

/// A sample that is out.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would be an allocation for each sample"
)]
pub(crate) enum Lent {
    /// As it was taken.
    Sample(UntypedSample),
    /// Copied from where its writer had it.
    Copied(Bytes),
}

impl Lent {
    /// All of it, in private memory.
    pub(crate) fn bytes(&self) -> Outcome<Bytes> {
        match self {
            Self::Sample(sample) => Ok(sample.payload()?),
            Self::Copied(bytes) => Ok(bytes.clone()),
        }
    }

    pub(crate) fn copy_to(&self, offset: u64, into: &mut [u8]) -> Outcome {
        match self {
            Self::Sample(sample) => {
                let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                Ok(sample.copy_to(offset, into)?)
            }
            Self::Copied(bytes) => {
                let part = crate::octets::part(bytes, offset, into.len() as u64)?;
                into.copy_from_slice(&part);
                Ok(())
            }
        }
    }

    pub(crate) fn is_valid(&self) -> bool {
        match self {
            Self::Sample(sample) => sample.is_valid(),
            Self::Copied(_) => true,
        }
    }
}

/// The samples of a reader that are out.
#[derive(Default)]
pub(crate) struct Samples {
    places: Lock<Places>,
    out: AtomicUsize,
}

#[derive(Default)]
struct Places {
    places: Vec<Place>,
    free: Vec<u32>,
    /// The handle of the reader; 0 if it has another one, and lends nothing itself.
    reader: u64,
    /// The reader is gone, and had this handle.
    orphaned: Option<u64>,
}

struct Place {
    used: u64,
    lent: Option<Lent>,
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

impl Samples {
    /// Room for some of `wanted` samples; what is not needed is given back by `unreserve`.
    pub(crate) fn reserve(&self, wanted: usize) -> Outcome<usize> {
        let out = self.out.fetch_add(wanted, Relaxed);
        let room = MOST.saturating_sub(out).min(wanted);
        self.unreserve(wanted - room);
        match room {
            0 => Err(Failure::resources(format!(
                "{out} samples of the reader are out: give some of them back (dunlin_give_back)"
            ))),
            room => Ok(room),
        }
    }

    pub(crate) fn unreserve(&self, count: usize) {
        if count > 0 {
            self.out.fetch_sub(count, Relaxed);
        }
    }

    /// Takes charge of samples for which there is room; `told` learns the token of each.
    pub(crate) fn lend<T>(
        &self,
        samples: impl Iterator<Item = (Lent, T)>,
        mut told: impl FnMut(&Lent, u64, T),
    ) {
        let mut places = self.places.lock();
        let mut count = 0;
        for (lent, about) in samples {
            let token = places.put(lent, |lent, token| told(lent, token, about));
            debug_assert_ne!(token, 0);
            count += 1;
        }
        drop(places);
        count_samples(count);
    }

    /// Samples are given back; those behind the first that is wrong are not. Tokens become 0.
    pub(crate) fn give_back<'t>(
        &self,
        tokens: impl Iterator<Item = &'t mut u64>,
        skips_none: bool,
    ) -> Outcome {
        let mut back = scratch(&LENT);
        let mut result = Ok(());
        let mut places = self.places.lock();
        for token in tokens {
            if *token == 0 && skips_none {
                continue;
            }
            match places.take(*token) {
                Some(lent) => back.push(lent),
                None => {
                    result = Err(Failure::precondition(
                        "a sample was given back before, or is of another reader",
                    ));
                    break;
                }
            }
            *token = 0;
        }
        drop(places);
        let count = back.len();
        // Memory of peers goes back here, without the lock.
        back.clear();
        keep(&LENT, back);
        self.unreserve(count);
        count_samples(-i64::try_from(count).unwrap_or(0));
        self.forget_if_empty();
        result
    }

    fn forget_if_empty(&self) {
        if self.out.load(Relaxed) == 0
            && let Some(reader) = self.places.lock().orphaned.take()
        {
            let last = lenders().remove(&reader);
            drop(last);
        }
    }

    /// Looks at a sample that is out.
    pub(crate) fn with<R>(&self, token: u64, look: impl FnOnce(&Lent) -> R) -> Outcome<R> {
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
        let mut places = self.places.lock();
        places.orphaned = Some(places.reader).filter(|reader| *reader != 0);
        drop(places);
        self.forget_if_empty();
    }
}

impl Places {
    fn put(&mut self, lent: Lent, told: impl FnOnce(&Lent, u64)) -> u64 {
        let at = self.free.pop().unwrap_or_else(|| {
            // The first use of each place is another number, so that tokens of other readers are
            // unlikely to fit.
            let nonce =
                std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), self.places.len());
            self.places.push(Place {
                used: nonce >> (PLACE + 1),
                lent: None,
            });
            self.places.len() as u32 - 1
        });
        let Some(place) = self.places.get_mut(at as usize) else {
            return 0;
        };
        place.used += 1;
        let token = place.used << PLACE | u64::from(at);
        told(place.lent.insert(lent), token);
        token
    }

    fn find(&mut self, token: u64) -> Option<&mut Place> {
        let at = token as usize & ((1 << PLACE) - 1);
        let place = self.places.get_mut(at)?;
        (place.used == token >> PLACE).then_some(place)
    }

    fn take(&mut self, token: u64) -> Option<Lent> {
        let lent = self.find(token)?.lent.take()?;
        self.free.push(token as u32 & ((1 << PLACE) - 1));
        Some(lent)
    }
}

thread_local! {
    static LENT: Cell<Vec<Lent>> = const { Cell::new(Vec::new()) };
    static TAKEN: Cell<Vec<UntypedSample>> = const { Cell::new(Vec::new()) };
}

/// An empty list with memory that the thread has used before.
fn scratch<T>(of: &'static std::thread::LocalKey<Cell<Vec<T>>>) -> Vec<T> {
    of.try_with(Cell::take).unwrap_or_default()
}

/// The list is used again. It may be that what came to its end used one of its own meanwhile.
fn keep<T>(of: &'static std::thread::LocalKey<Cell<Vec<T>>>, list: Vec<T>) {
    let _ = of.try_with(|kept| kept.set(list));
}

/// A list for samples that are being taken.
pub(crate) fn taken() -> Vec<UntypedSample> {
    scratch(&TAKEN)
}

/// It is empty again.
pub(crate) fn keep_taken(list: Vec<UntypedSample>) {
    keep(&TAKEN, list);
}

/// A list for samples that are being handed out.
pub(crate) fn lending() -> Vec<Lent> {
    scratch(&LENT)
}

/// It is empty again.
pub(crate) fn keep_lending(list: Vec<Lent>) {
    keep(&LENT, list);
}
