//! The chunks of a peer: looked at, copied out, or held on our board.
use std::mem::MaybeUninit;
use std::sync::Arc;

use super::{Class, HEAD, LINE_BYTES, MAGIC, MAX_CLASSES, MAX_POOLS, Table, Token};
use crate::link::{Layout, PLACES, VERSION};
use crate::memory::{AtomicU64, Ordering, Owner, View, WORD, fence, room};
use crate::{Error, Violation};

/// The chunks of a peer.
#[derive(Clone, Debug)]
pub struct PoolView(Arc<Seen>);

#[derive(Debug)]
struct Seen {
    view: View,
    table: Table,
    number: u8,
}

impl PoolView {
    /// Reads and checks the header of a peer's pool.
    ///
    /// # Errors
    /// `Violation::Header` if it is not what this version writes, or names chunks outside of the
    /// memory.
    pub fn open(view: View) -> Result<Self, Violation> {
        if view.len() < HEAD {
            return Err(Violation::Header);
        }
        let word = |index| view.load(index);
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
        Ok(Self(Arc::new(Seen {
            view,
            table,
            number: number as u8,
        })))
    }

    /// Its number, among those of its owner.
    pub fn number(&self) -> u8 {
        self.0.number
    }

    /// Whether a descriptor names bytes of a chunk; where that chunk's header is.
    #[inline]
    pub(crate) fn check(&self, token: Token, at: usize, length: usize) -> Result<usize, Violation> {
        let (head, capacity) = self.0.table.place(token.index()).ok_or(Violation::Chunk)?;
        // The generation is looked at last: it tells then what has become of the bytes. Until then
        // it is on its way, and so are the first bytes.
        self.0.view.fetch(head / WORD);
        self.0.view.fetch((head + LINE_BYTES) / WORD);
        if at > capacity || length > capacity - at {
            return Err(Violation::Length);
        }
        Ok(head)
    }

    /// Copies bytes of a chunk, from `at` on, that `check` has found in order, and where its header
    /// is.
    pub(crate) fn copy(
        &self,
        (token, head): (Token, usize),
        at: usize,
        into: &mut [MaybeUninit<u8>],
    ) -> Result<(), Violation> {
        self.0.view.read(head + LINE_BYTES + at, into);
        fence(Ordering::Acquire);
        if self.is_current(token, head) {
            Ok(())
        } else {
            Err(Violation::Generation)
        }
    }

    #[inline]
    fn is_current(&self, token: Token, head: usize) -> bool {
        let current = self.0.view.load(head / WORD);
        current == token.generation() && current != 0
    }
}

/// The chunks that this process holds, where their owner sees it.
#[derive(Debug)]
pub(crate) struct LoanSlots {
    own: Owner,
    layout: Layout,
    /// How many were ever taken, from the first on, as the owner of the chunks sees it; changed by
    /// the receiver alone.
    places: AtomicU64,
}

impl LoanSlots {
    pub(crate) fn new(own: Owner, layout: Layout) -> Self {
        Self {
            own,
            layout,
            places: AtomicU64::new(0),
        }
    }

    /// Puts a chunk of a peer's pool on the board, of which `length` bytes from `at` on are read,
    /// as `check` has found them in order, and where its header is. The caller's cursor has not
    /// passed it yet. Only for the receiver, from one thread at a time.
    pub(crate) fn hold(
        held: &Arc<Holding>,
        (token, head): (Token, usize),
        at: usize,
        length: usize,
    ) -> Result<Loan, Error> {
        let loan_slots = &held.loan_slots;
        let place = loan_slots.place().ok_or(Error::Limit(
            "as many chunks are held as the board has places",
        ))?;
        loan_slots.show(u64::from(place) + 1);
        // Seen by the owner before the cursor, which is written after it with Release.
        loan_slots.own.store(
            loan_slots.layout.loan(place),
            token.bits(),
            Ordering::Release,
        );
        Ok(Loan {
            held: held.clone(),
            place,
            token,
            head,
            offset: head + LINE_BYTES + at,
            length,
        })
    }

    /// Has the owner look at so many places from now on.
    fn show(&self, places: u64) {
        if self.places.load(Ordering::Relaxed) < places {
            self.places.store(places, Ordering::Relaxed);
            // Seen before the cursor, too.
            self.own.store(PLACES, places, Ordering::Release);
        }
    }

    /// The first that is empty. The receiver alone takes places, so nobody else takes that one.
    fn place(&self) -> Option<u32> {
        // Pairs with the Release in `Loan::drop`: its reads are over.
        let word = |place| self.own.load_acquire(self.layout.loan(place));
        (0..self.layout.size.loans).find(|&place| word(place) == 0)
    }
}

/// What loans of one pool have in common.
#[derive(Debug)]
pub(crate) struct Holding {
    pub(crate) pool: PoolView,
    pub(crate) loan_slots: Arc<LoanSlots>,
}

/// A chunk of a peer, or a range of one, that stays as it is until this is dropped, if the peer
/// keeps to the rules.
#[derive(Debug)]
pub struct Loan {
    held: Arc<Holding>,
    place: u32,
    token: Token,
    /// Where the chunk's header is.
    head: usize,
    /// Where the bytes are.
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
    /// `Argument` if they are not all inside; `Violation` if the owner has used the chunk again
    /// meanwhile.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Error> {
        self.copy_to(offset, room(into))
    }

    /// As [`Self::read`]; all of `into` was written.
    pub(crate) fn copy_to(&self, offset: usize, into: &mut [MaybeUninit<u8>]) -> Result<(), Error> {
        let end = offset.checked_add(into.len());
        if end.is_none_or(|end| end > self.length) {
            return Err(Error::Argument("beyond the end of the chunk"));
        }
        self.held.pool.0.view.read(self.offset + offset, into);
        fence(Ordering::Acquire);
        if self.is_valid() {
            Ok(())
        } else {
            Err(Violation::Generation.into())
        }
    }

    /// Whether the owner has left the chunk alone so far, as far as the generation tells.
    pub fn is_valid(&self) -> bool {
        self.held.pool.is_current(self.token, self.head)
    }

    /// The first byte; that of a whole chunk is aligned to 64. What is there may change at any time
    /// if the peer breaks the rules.
    #[cfg(not(loom))]
    pub fn as_ptr(&self) -> *const u8 {
        self.held.pool.0.view.address(self.offset)
    }

    /// The bytes, without a copy.
    ///
    /// # Safety
    /// The caller trusts the peer's process not to write the chunk while the slice is in use: its
    /// program, and whoever else may write that process's memory.
    #[cfg(not(loom))]
    pub unsafe fn trusted(&self) -> &[u8] {
        // SAFETY: `check` and `place` have found the range inside the view, which lives as long as
        // we do; that nobody writes is the caller's promise.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.length) }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // Our reads are over before the owner of the chunk, or who takes the place again, sees it.
        let loan_slots = &self.held.loan_slots;
        loan_slots
            .own
            .store(loan_slots.layout.loan(self.place), 0, Ordering::Release);
    }
}
