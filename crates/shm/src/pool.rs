//! Chunks for large messages: written once, referred to by any number of descriptors, read or held
//! by any number of peers.
//!
//! What is free is private knowledge of the owner. A published chunk is counted in the owner's
//! memory only: by the application that keeps it, and by each [`crate::Sender`] from the moment it
//! refers to it until that reader's cursor has passed the descriptor and the chunk is not on its
//! board of loans. A reader puts a chunk on its board before its cursor passes. So a slow reader
//! keeps what it holds, at most as many as its board has places, and keeps nothing from others; a
//! dead one's vanish with the `Sender`.
//!
//! Each use of a chunk has another generation, in the chunk's first word and in its descriptor. It
//! tells when an owner breaks the rules. The invariant of every `unsafe` block here: a chunk that
//! is not published belongs to one `Chunk`, and a published one is not written until its count is
//! zero.
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use dunlin_lock::Lock;

use crate::Error;
use crate::link::VERSION;
use crate::memory::{LINE, Ordering, Owner, WORD, fence};

mod chunk;
mod loan;

pub(crate) use loan::{Holding, LoanSlots};

pub use chunk::{Chunk, Published};
pub use loan::{Loan, PoolView};

const MAGIC: u64 = u64::from_le_bytes(*b"dunpool\0");

/// Pools of one owner have numbers below this.
pub(crate) const MAX_POOLS: u8 = 16;
const MAX_CLASSES: usize = 16;
const MAX_CHUNKS: u64 = 1 << 24;

/// Bytes of the header of a pool, and of a chunk.
const HEAD: usize = 512;
const LINE_BYTES: usize = LINE * WORD;

/// In a chunk's count: its only handle may still write.
const WRITING: usize = 1 << (usize::BITS - 1);

/// Chunks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Bytes that a chunk has room for, a multiple of 64.
    pub capacity: usize,
    /// How many there are.
    pub count: u32,
}

impl Class {
    /// Bytes from one chunk to the next.
    fn each(&self) -> usize {
        self.capacity + LINE_BYTES
    }

    /// The offset of the header of the `nth` chunk, if that of the first is at `offset`.
    fn head(&self, nth: u32, offset: usize) -> usize {
        offset + nth as usize * self.each()
    }
}

/// Which use of which chunk of which pool: 32 bits of generation, 8 of pool, 24 of index. Never
/// zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token(u64);

impl Token {
    fn new(generation: u32, pool: u8, index: u32) -> Self {
        Self(u64::from(generation) << 32 | u64::from(pool) << 24 | u64::from(index))
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    pub(crate) fn pool(self) -> u8 {
        (self.0 >> 24) as u8
    }

    fn index(self) -> u32 {
        self.0 as u32 & 0xff_ffff
    }

    fn generation(self) -> u64 {
        self.0 >> 32
    }
}

/// Where the chunks of a pool are: read once, then private.
#[derive(Clone, Debug)]
struct Table {
    /// Class, index of its first chunk, offset of that.
    classes: Vec<(Class, u32, usize)>,
    bytes: usize,
}

impl Table {
    fn new(classes: &[Class]) -> Option<Self> {
        if classes.is_empty() || classes.len() > MAX_CLASSES {
            return None;
        }
        let (mut first, mut offset) = (0_u64, HEAD);
        let mut table = Vec::with_capacity(classes.len());
        for class in classes {
            if class.capacity == 0 || class.capacity % LINE_BYTES != 0 {
                return None;
            }
            table.push((*class, first as u32, offset));
            first = first
                .checked_add(class.count.into())
                .filter(|&chunks| chunks < MAX_CHUNKS)?;
            let each = class.capacity.checked_add(LINE_BYTES)?;
            offset = each
                .checked_mul(class.count as usize)?
                .checked_add(offset)?;
        }
        Some(Self {
            classes: table,
            bytes: offset,
        })
    }

    /// Writes the header of a pool.
    fn describe(&self, owner: &Owner, number: u8) {
        let head = [MAGIC, VERSION, number.into(), self.classes.len() as u64];
        let sizes = self
            .classes
            .iter()
            .flat_map(|(class, ..)| [class.capacity as u64, class.count.into()]);
        for (index, value) in head.into_iter().chain(sizes).enumerate() {
            owner.store(index, value, Ordering::Relaxed);
        }
    }

    /// The chunks of each class.
    fn all_chunks(&self) -> Vec<Vec<u32>> {
        let lists = self
            .classes
            .iter()
            .map(|(class, first, _)| (*first..first + class.count).rev().collect());
        lists.collect()
    }

    /// Which class a chunk is of.
    fn class(&self, index: u32) -> Option<usize> {
        self.classes
            .iter()
            .rposition(|(_, first, _)| *first <= index)
    }

    /// The offset of a chunk's header, and its capacity.
    fn place(&self, index: u32) -> Option<(usize, usize)> {
        let (class, first, offset) = self
            .classes
            .iter()
            .rev()
            .find(|(_, first, _)| *first <= index)?;
        let nth = index - first;
        (nth < class.count).then(|| (class.head(nth, *offset), class.capacity))
    }

    /// The chunk that an offset lies in: its index, the offset of its header, and its class.
    #[cfg(not(loom))]
    fn chunk_at(&self, place: usize) -> Option<(u32, usize, &Class)> {
        let (class, first, offset) = self
            .classes
            .iter()
            .rev()
            .find(|(_, _, offset)| *offset <= place)?;
        let nth = ((place - offset) / class.each()) as u32;
        (nth < class.count).then(|| (first + nth, class.head(nth, *offset), class))
    }
}

/// The chunks of this process.
#[derive(Clone, Debug)]
pub struct Pool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    number: u8,
    owner: Owner,
    #[cfg(not(loom))]
    memory: Lock<Memory>,
    table: Table,
    /// How often each chunk is referred to; [`WRITING`] is added until it is published. Zero while
    /// it is free, or `WRITING` if it was never published.
    counts: Box<[AtomicUsize]>,
    free: Lock<Free>,
}

#[derive(Debug)]
struct Free {
    /// Free chunks by class, the last used first: it may still be in a cache. None of them while
    /// the pool is withdrawn.
    classes: Vec<Vec<u32>>,
    generations: Box<[u32]>,
    withdrawn: bool,
}

/// Where the memory of a pool is.
#[cfg(not(loom))]
#[derive(Debug)]
enum Memory {
    /// On the heap, for tests, or being replaced, or refused by the system.
    Elsewhere,
    Here(crate::Segment),
    GivenBack(crate::segment::Vacant),
}

impl Pool {
    /// Makes a pool in a segment of its own; `number` is below 16 and distinguishes the pools of
    /// this process.
    ///
    /// # Errors
    /// `Argument` for sizes that make no pool, `Limit` if the memory cgroup or the machine has no
    /// room for it, `System` if the system refuses.
    #[cfg(not(loom))]
    pub fn new(number: u8, classes: &[Class]) -> Result<Self, Error> {
        let table = Table::new(classes).ok_or(Error::Argument(
            "classes have multiples of 64 bytes and some chunks",
        ))?;
        let segment = crate::Segment::new(table.bytes)?;
        let mut pool = Self::on(segment.owner(), number, table)?;
        if let Some(inner) = Arc::get_mut(&mut pool.inner) {
            inner.memory = Lock::new(Memory::Here(segment));
        }
        Ok(pool)
    }

    #[cfg(any(test, loom))]
    pub(crate) fn heap(number: u8, classes: &[Class]) -> Result<Self, Error> {
        let table = Table::new(classes).ok_or(Error::Argument("no table"))?;
        Self::on(Owner::heap(table.bytes), number, table)
    }

    fn on(owner: Owner, number: u8, table: Table) -> Result<Self, Error> {
        if number >= MAX_POOLS {
            return Err(Error::Argument("pools have numbers below 16"));
        }
        table.describe(&owner, number);
        let classes = table.all_chunks();
        let chunks = classes.iter().map(Vec::len).sum();
        let free = Lock::new(Free {
            classes,
            generations: vec![0; chunks].into(),
            withdrawn: false,
        });
        Ok(Self {
            inner: Arc::new(Inner {
                number,
                owner,
                #[cfg(not(loom))]
                memory: Lock::new(Memory::Elsewhere),
                table,
                counts: (0..chunks).map(|_| AtomicUsize::new(0)).collect(),
                free,
            }),
        })
    }

    /// Its number.
    pub fn number(&self) -> u8 {
        self.inner.number
    }

    /// The file of its memory, for a peer, and how long that is.
    #[cfg(not(loom))]
    pub(crate) fn file(&self) -> Option<(Arc<std::os::fd::OwnedFd>, usize)> {
        match &*self.inner.memory.lock() {
            Memory::Here(segment) => Some((segment.file(), segment.len())),
            Memory::Elsewhere | Memory::GivenBack(_) => None,
        }
    }

    #[cfg(any(test, loom))]
    pub(crate) fn view(&self) -> PoolView {
        PoolView::open(self.inner.owner.view()).expect("just made")
    }

    /// Takes the smallest free chunk with room for `length` bytes.
    ///
    /// # Errors
    /// `Limit` if none is free: [`crate::Sender::reclaim`] may return some.
    pub fn allocate(&self, length: usize) -> Result<Chunk, Error> {
        const NONE: Error = Error::Limit("no chunk is free");
        let mut free = self.inner.free.lock();
        let Free {
            classes,
            generations,
            ..
        } = &mut *free;
        let fitting = self.inner.table.classes.iter().zip(classes);
        let ((class, first, offset), list) = fitting
            .filter(|((class, ..), list)| class.capacity >= length && !list.is_empty())
            .min_by_key(|((class, ..), _)| class.capacity)
            .ok_or(NONE)?;
        let index = list.pop().ok_or(NONE)?;
        let head = class.head(index - first, *offset);
        let generation = &mut generations[index as usize];
        *generation = generation.checked_add(1).unwrap_or(1);
        let token = Token::new(*generation, self.inner.number, index);
        drop(free);
        self.inner
            .owner
            .store(head / WORD, token.generation(), Ordering::Relaxed);
        // A reader that holds the chunk against the rules, and sees new bytes, sees the new
        // generation, too.
        fence(Ordering::Release);
        self.inner.counts[index as usize].store(WRITING | 1, std::sync::atomic::Ordering::Relaxed);
        Ok(Chunk(Published {
            pool: self.clone(),
            token,
            offset: head + LINE_BYTES,
            length,
            siblings: class.count,
        }))
    }

    /// Whether bytes lie in the memory of this pool.
    #[cfg(not(loom))]
    pub fn contains(&self, bytes: &[u8]) -> bool {
        let place = self.inner.place_of(bytes);
        place.is_some_and(|place| bytes.len() <= self.inner.table.bytes - place)
    }

    /// Another reference to the published chunk that all of `bytes` lie in, and where in it they
    /// begin. The reference is to the whole room of the chunk.
    ///
    /// `None` for what is not in this pool, not in one chunk, empty, or in a chunk that is still
    /// being written: the handle that writes might do so after `bytes` are forgotten.
    ///
    /// Bytes of a chunk can be borrowed only from its writing handle, which is refused here, or
    /// from a counted reference to it, so the chunk that we count is the one that `bytes` were
    /// taken from, and its count is not zero. Should it be zero all the same, it is not raised
    /// again, so even then nobody gets a chunk that another may write.
    #[cfg(not(loom))]
    pub fn find(&self, bytes: &[u8]) -> Option<(Published, usize)> {
        use std::sync::atomic::Ordering::{Acquire, Relaxed};
        let inner = &self.inner;
        let place = inner.place_of(bytes).filter(|_| !bytes.is_empty())?;
        let (index, head, class) = inner.table.chunk_at(place)?;
        let at = place.checked_sub(head + LINE_BYTES)?;
        if at > class.capacity || bytes.len() > class.capacity - at {
            return None;
        }
        // Pairs with the Release in `Chunk::publish`. While it is counted, its generation does not
        // change.
        inner
            .counts
            .get(index as usize)?
            .fetch_update(Acquire, Relaxed, |count| {
                (count != 0 && count & WRITING == 0).then_some(count + 1)
            })
            .ok()?;
        let generation = inner.owner.load(head / WORD) as u32;
        let chunk = Published {
            pool: self.clone(),
            token: Token::new(generation, inner.number, index),
            offset: head + LINE_BYTES,
            length: class.capacity,
            siblings: class.count,
        };
        Some((chunk, at))
    }

    /// How often chunks were given out: another number than before tells that the pool was used in
    /// between.
    pub fn uses(&self) -> u64 {
        let free = self.inner.free.lock();
        free.generations.iter().map(|&of| u64::from(of)).sum()
    }

    /// Whether its chunks are not given out.
    pub fn is_withdrawn(&self) -> bool {
        self.inner.free.lock().withdrawn
    }

    /// From now on no chunk of it is given out, if none is in use; else false, and all is as it
    /// was. Peers are told by [`crate::Sender::try_withdraw`].
    pub fn withdraw(&self) -> bool {
        let mut free = self.inner.free.lock();
        let unused = free.classes.iter().map(Vec::len).sum::<usize>();
        if !free.withdrawn && unused == self.inner.counts.len() {
            free.classes.iter_mut().for_each(Vec::clear);
            free.withdrawn = true;
        }
        free.withdrawn
    }

    /// Gives the memory of a withdrawn pool back to the system. Peers that were told of the pool
    /// have their part of it until they have read that it is withdrawn.
    ///
    /// # Errors
    /// `Argument` if it is not withdrawn, `System` if the kernel refuses: then it stays so for
    /// good.
    #[cfg(not(loom))]
    pub fn give_back(&self) -> Result<(), Error> {
        if !self.is_withdrawn() {
            return Err(Error::Argument("the pool is in use"));
        }
        let before = std::mem::replace(&mut *self.inner.memory.lock(), Memory::Elsewhere);
        let after = match before {
            Memory::Here(segment) => Memory::GivenBack(segment.vacate()?),
            other => other,
        };
        *self.inner.memory.lock() = after;
        Ok(())
    }

    /// Gives a withdrawn pool memory again. `announce` is called before any chunk is given out:
    /// peers have to know it. Call it when all who knew the pool have [heeded](crate::Withdrawal)
    /// that it was withdrawn.
    ///
    /// # Errors
    /// As [`Self::new`]; it may be tried again.
    #[cfg(not(loom))]
    pub fn renew(&self, announce: impl FnOnce()) -> Result<(), Error> {
        let inner = &self.inner;
        let before = std::mem::replace(&mut *inner.memory.lock(), Memory::Elsewhere);
        let (after, result) = match before {
            Memory::GivenBack(vacant) => match vacant.fill() {
                Ok(segment) => (Memory::Here(segment), Ok(())),
                Err(error) => (Memory::GivenBack(vacant), Err(error)),
            },
            Memory::Here(segment) => (Memory::Here(segment), Ok(())),
            Memory::Elsewhere => (
                Memory::Elsewhere,
                Err(Error::Limit("the pool has no memory")),
            ),
        };
        if result.is_ok() {
            inner.table.describe(&inner.owner, inner.number);
        }
        *inner.memory.lock() = after;
        result?;
        announce();
        let mut free = inner.free.lock();
        if free.withdrawn {
            free.classes = inner.table.all_chunks();
            free.withdrawn = false;
        }
        Ok(())
    }

    /// Chunks that are free, in all classes.
    pub fn free(&self) -> usize {
        self.inner.free.lock().classes.iter().map(Vec::len).sum()
    }
}

impl Inner {
    /// Where in this memory bytes begin, if they do.
    #[cfg(not(loom))]
    fn place_of(&self, bytes: &[u8]) -> Option<usize> {
        let place = bytes
            .as_ptr()
            .addr()
            .checked_sub(self.owner.address(0).addr())?;
        (place < self.table.bytes).then_some(place)
    }

    /// Nobody refers to the chunk of this index, whose bytes begin at `offset`, any more.
    fn release(&self, index: u32, offset: usize) {
        let class = self.table.class(index);
        let mut free = self.free.lock();
        if let Some(list) = class.and_then(|class| free.classes.get_mut(class)) {
            list.push(index);
        }
        drop(free);
        // It is probably the next that is written, and its readers have these lines still.
        self.owner.claim((offset - LINE_BYTES) / WORD);
        self.owner.claim(offset / WORD);
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
