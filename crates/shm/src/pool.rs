//! Chunks for large messages: written once, referred to by any number of descriptors, read or held by any number of peers.
//!
//! What is free is private knowledge of the owner. A published chunk is counted in the owner's memory only: by the
//! application that keeps it, and by each [`crate::Sender`] from the moment it refers to it until that reader's cursor has
//! passed the descriptor and the chunk is not on its board of loans. A reader puts a chunk on its board before its cursor
//! passes. So a slow reader keeps what it holds, at most as many as its board has places, and keeps nothing from others;
//! a dead one's vanish with the `Sender`.
//!
//! Each use of a chunk has another generation, in the chunk's first word and in its descriptor. It tells when an owner
//! breaks the rules. The invariant of every `unsafe` block here: a chunk that is not published belongs to one `Chunk`, and a
//! published one is not written until its count is zero.
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::link::{Layout, VERSION};
use crate::memory::{AtomicU64, LINE, Ordering, Owner, View, WORD, fence};
use crate::{Error, Violation};

const MAGIC: u64 = u64::from_le_bytes(*b"dunpool\0");

/// Pools of one owner have numbers below this.
pub(crate) const MAX_POOLS: u8 = 16;
const MAX_CLASSES: usize = 16;
const MAX_CHUNKS: u64 = 1 << 24;

/// Bytes of the header of a pool, and of a chunk.
const HEAD: usize = 512;
const LINE_BYTES: usize = LINE * WORD;

/// Chunks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Bytes that a chunk has room for, a multiple of 64.
    pub capacity: usize,
    /// How many there are.
    pub count: u32,
}

/// Which use of which chunk of which pool: 32 bits of generation, 8 of pool, 24 of index. Never zero.
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

    /// The offset of a chunk's header, and its capacity.
    fn place(&self, index: u32) -> Option<(usize, usize)> {
        let (class, first, offset) = self
            .classes
            .iter()
            .rev()
            .find(|(_, first, _)| *first <= index)?;
        let nth = index - first;
        let each = class.capacity + LINE_BYTES;
        (nth < class.count).then(|| (offset + nth as usize * each, class.capacity))
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
    segment: Option<crate::Segment>,
    table: Table,
    /// How often each chunk is referred to; zero while it is free.
    counts: Box<[AtomicUsize]>,
    free: Mutex<Free>,
}

#[derive(Debug)]
struct Free {
    /// Free chunks by class, the last used first: it may still be in a cache.
    classes: Vec<Vec<u32>>,
    generations: Box<[u32]>,
}

impl Pool {
    /// Makes a pool in a segment of its own; `number` is below 16 and distinguishes the pools of this process.
    ///
    /// # Errors
    /// `Argument` for sizes that make no pool, `System` if there is no memory.
    #[cfg(not(loom))]
    pub fn new(number: u8, classes: &[Class]) -> Result<Self, Error> {
        let table = Table::new(classes).ok_or(Error::Argument(
            "classes have multiples of 64 bytes and some chunks",
        ))?;
        let segment = crate::Segment::new(table.bytes)?;
        let mut pool = Self::on(segment.owner(), number, table)?;
        if let Some(inner) = Arc::get_mut(&mut pool.inner) {
            inner.segment = Some(segment);
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
        let head = [MAGIC, VERSION, number.into(), table.classes.len() as u64];
        let sizes = table
            .classes
            .iter()
            .flat_map(|(class, ..)| [class.capacity as u64, class.count.into()]);
        for (index, value) in head.into_iter().chain(sizes).enumerate() {
            owner.store(index, value, Ordering::Relaxed);
        }
        let lists = table
            .classes
            .iter()
            .map(|(class, first, _)| (*first..first + class.count).rev().collect());
        let classes: Vec<Vec<u32>> = lists.collect();
        let chunks = classes.iter().map(Vec::len).sum();
        let free = Mutex::new(Free {
            classes,
            generations: vec![0; chunks].into(),
        });
        Ok(Self {
            inner: Arc::new(Inner {
                number,
                owner,
                #[cfg(not(loom))]
                segment: None,
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

    #[cfg(not(loom))]
    pub(crate) fn segment(&self) -> Option<&crate::Segment> {
        self.inner.segment.as_ref()
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
        let mut free = self.inner.lock();
        let Free {
            classes,
            generations,
        } = &mut *free;
        let fitting = self.inner.table.classes.iter().zip(classes);
        let (_, list) = fitting
            .filter(|((class, ..), list)| class.capacity >= length && !list.is_empty())
            .min_by_key(|((class, ..), _)| class.capacity)
            .ok_or(Error::Limit("no chunk is free"))?;
        let index = list.pop().ok_or(Error::Limit("no chunk is free"))?;
        let generation = &mut generations[index as usize];
        *generation = generation.checked_add(1).unwrap_or(1);
        let token = Token::new(*generation, self.inner.number, index);
        drop(free);
        let (head, _) = self
            .inner
            .table
            .place(index)
            .ok_or(Error::Limit("no chunk is free"))?;
        self.inner
            .owner
            .store(head / WORD, token.generation(), Ordering::Relaxed);
        // A reader that holds the chunk against the rules, and sees new bytes, sees the new generation, too.
        fence(Ordering::Release);
        self.inner.counts[index as usize].store(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Chunk(Published {
            pool: self.clone(),
            token,
            offset: head + LINE_BYTES,
            length,
        }))
    }

    /// Chunks that are free, in all classes.
    pub fn free(&self) -> usize {
        self.inner.lock().classes.iter().map(Vec::len).sum()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, index: u32) {
        let class = self
            .table
            .classes
            .iter()
            .rposition(|(_, first, _)| *first <= index);
        let mut free = self.lock();
        if let Some(list) = class.and_then(|class| free.classes.get_mut(class)) {
            list.push(index);
        }
    }
}

/// A chunk that is being written.
#[derive(Debug)]
pub struct Chunk(Published);

impl Chunk {
    /// Bytes.
    pub fn len(&self) -> usize {
        self.0.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.length == 0
    }

    /// Makes it shorter, if it is longer.
    pub fn truncate(&mut self, length: usize) {
        self.0.length = self.0.length.min(length);
    }

    /// Copies bytes into it.
    ///
    /// # Errors
    /// `Argument` if they do not fit.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let end = offset.checked_add(bytes.len());
        if end.is_none_or(|end| end > self.0.length) {
            return Err(Error::Argument("beyond the end of the chunk"));
        }
        self.0.pool.inner.owner.write(self.0.offset + offset, bytes);
        Ok(())
    }

    /// The bytes, for writing in place. They hold whatever was there before. Aligned to 64.
    #[cfg(not(loom))]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let base = self.0.pool.inner.owner.address(self.0.offset).cast_mut();
        // SAFETY: the pool placed the chunk inside its memory; it belongs to this `Chunk` alone, no other process can write it,
        // and no reader of this process has its token before it is published.
        unsafe { std::slice::from_raw_parts_mut(base, self.0.length) }
    }

    /// Makes it immutable, to be sent.
    pub fn publish(self) -> Published {
        self.0
    }
}

/// A chunk that may be read by others, and is not changed until nobody refers to it any more.
#[derive(Debug)]
pub struct Published {
    pool: Pool,
    token: Token,
    offset: usize,
    length: usize,
}

impl Published {
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn count(&self) -> &AtomicUsize {
        &self.pool.inner.counts[self.token.index() as usize]
    }
}

#[cfg(not(loom))]
impl AsRef<[u8]> for Published {
    fn as_ref(&self) -> &[u8] {
        let base = self.pool.inner.owner.address(self.offset);
        // SAFETY: inside the pool's memory, which this process alone can write, and does not while this reference is counted.
        unsafe { std::slice::from_raw_parts(base, self.length) }
    }
}

impl Clone for Published {
    fn clone(&self) -> Self {
        self.count()
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Self {
            pool: self.pool.clone(),
            ..*self
        }
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        // As with any counted reference: what others did with the chunk happened before the last one gives it back.
        if self
            .count()
            .fetch_sub(1, std::sync::atomic::Ordering::AcqRel)
            == 1
        {
            self.pool.inner.give_back(self.token.index());
        }
    }
}

/// The chunks of a peer.
#[derive(Clone, Debug)]
pub struct PoolView {
    view: View,
    table: Arc<Table>,
    number: u8,
}

impl PoolView {
    /// Reads and checks the header of a peer's pool.
    ///
    /// # Errors
    /// `Violation::Header` if it is not what this version writes, or names chunks outside of the memory.
    pub fn open(view: View) -> Result<Self, Violation> {
        if view.len() < HEAD {
            return Err(Violation::Header);
        }
        let word = |index| view.load(index, Ordering::Relaxed);
        let [magic, version, number, count] = [0, 1, 2, 3].map(word);
        if magic != MAGIC
            || version != VERSION
            || number >= MAX_POOLS.into()
            || count > MAX_CLASSES as u64
        {
            return Err(Violation::Header);
        }
        let class = |index: usize| {
            let capacity = usize::try_from(word(4 + 2 * index)).ok()?;
            let count = u32::try_from(word(5 + 2 * index)).ok()?;
            Some(Class { capacity, count })
        };
        let classes: Option<Vec<_>> = (0..count as usize).map(class).collect();
        let table = classes
            .and_then(|classes| Table::new(&classes))
            .ok_or(Violation::Header)?;
        if table.bytes > view.len() {
            return Err(Violation::Header);
        }
        Ok(Self {
            view,
            table: Arc::new(table),
            number: number as u8,
        })
    }

    /// Its number, among those of its owner.
    pub fn number(&self) -> u8 {
        self.number
    }

    pub(crate) fn check(&self, token: Token, length: usize) -> Result<(), Violation> {
        let (_, capacity) = self.table.place(token.index()).ok_or(Violation::Chunk)?;
        if length > capacity {
            return Err(Violation::Length);
        }
        if !self.is_current(token) {
            return Err(Violation::Generation);
        }
        Ok(())
    }

    /// Copies the first bytes of a chunk that `check` has found in order.
    pub(crate) fn copy(&self, token: Token, into: &mut [u8]) -> Result<(), Violation> {
        let (head, _) = self.table.place(token.index()).ok_or(Violation::Chunk)?;
        self.view.read(head + LINE_BYTES, into);
        fence(Ordering::Acquire);
        if self.is_current(token) {
            Ok(())
        } else {
            Err(Violation::Generation)
        }
    }

    fn is_current(&self, token: Token) -> bool {
        let head = self.table.place(token.index()).map(|(head, _)| head);
        let current = head.map(|head| self.view.load(head / WORD, Ordering::Relaxed));
        current == Some(token.generation()) && token.generation() != 0
    }
}

/// The chunks that this process holds, where their owner sees it.
#[derive(Debug)]
pub(crate) struct Board {
    own: Owner,
    layout: Layout,
    /// Which places are taken, one bit each; private.
    used: AtomicU64,
}

impl Board {
    pub(crate) fn new(own: Owner, layout: Layout) -> Self {
        Self {
            own,
            layout,
            used: AtomicU64::new(0),
        }
    }

    /// Puts a chunk on the board. The caller's cursor has not passed it yet.
    pub(crate) fn hold(
        board: &Arc<Self>,
        pool: PoolView,
        token: Token,
        length: usize,
    ) -> Result<Loan, Error> {
        let (head, _) = pool.table.place(token.index()).ok_or(Violation::Chunk)?;
        let place = board.place().ok_or(Error::Limit(
            "as many chunks are held as the board has places",
        ))?;
        // Seen by the owner before the cursor, which is written after it with Release.
        board
            .own
            .store(board.layout.loan(place), token.bits(), Ordering::Release);
        Ok(Loan {
            board: board.clone(),
            place,
            pool,
            token,
            offset: head + LINE_BYTES,
            length,
        })
    }

    fn place(&self) -> Option<u32> {
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let place = used.trailing_ones();
            if place >= self.layout.size.loans {
                return None;
            }
            // Pairs with the Release in `Loan::drop`: the place was cleared before it is taken again.
            let taken = used | 1 << place;
            match self
                .used
                .compare_exchange(used, taken, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return Some(place),
                Err(now) => used = now,
            }
        }
    }
}

/// A chunk of a peer that stays as it is until this is dropped, if the peer keeps to the rules.
#[derive(Debug)]
pub struct Loan {
    board: Arc<Board>,
    place: u32,
    pool: PoolView,
    token: Token,
    offset: usize,
    length: usize,
}

impl Loan {
    /// Bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// `Argument` if they are not all inside; `Violation` if the owner has used the chunk again meanwhile.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Error> {
        let end = offset.checked_add(into.len());
        if end.is_none_or(|end| end > self.length) {
            return Err(Error::Argument("beyond the end of the chunk"));
        }
        self.pool.view.read(self.offset + offset, into);
        fence(Ordering::Acquire);
        if self.is_valid() {
            Ok(())
        } else {
            Err(Violation::Generation.into())
        }
    }

    /// Whether the owner has left the chunk alone so far, as far as the generation tells.
    pub fn is_valid(&self) -> bool {
        self.pool.is_current(self.token)
    }

    /// The first byte, aligned to 64. What is there may change at any time if the peer breaks the rules.
    #[cfg(not(loom))]
    pub fn as_ptr(&self) -> *const u8 {
        self.pool.view.address(self.offset)
    }

    /// The bytes, without a copy.
    ///
    /// # Safety
    /// The caller trusts the peer's process not to write the chunk while the slice is in use: its program, and
    /// whoever else may write that process's memory.
    #[cfg(not(loom))]
    pub unsafe fn trusted(&self) -> &[u8] {
        // SAFETY: `check` and `place` have found the range inside the view, which lives as long as we do; that nobody
        // writes is the caller's promise.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.length) }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // Our reads are over before the owner sees it. Then the place may be taken again.
        self.board
            .own
            .store(self.board.layout.loan(self.place), 0, Ordering::Release);
        self.board
            .used
            .fetch_and(!(1 << self.place), Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "pool_tests.rs"]
mod tests;
