//! The receiving end: reads slots, checks everything in them, and moves the cursor.
use std::mem::MaybeUninit;
use std::sync::Arc;

use super::{
    AHEAD, CHUNK, DESCRIPTOR, Incoming, LENGTH_BITS, MESSAGE, MORE, ROOM, Sleep, WITHDRAWAL,
    header, lines, slots, stamp,
};
#[cfg(not(loom))]
use crate::link::BELL;
use crate::link::{CURSOR, Layout, SLEEP};
use crate::memory::{Ordering, Owner, View, WORD, fence, room};
use crate::pool::{Holding, Loan, LoanSlots, MAX_POOLS, PoolView, Token};
use crate::{Error, Violation};

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    pub(crate) own: Owner,
    peer: View,
    peer_layout: Layout,
    pub(super) tail: u64,
    pending: Option<Pending>,
    pools: Vec<Arc<Holding>>,
    loan_slots: Arc<LoanSlots>,
    sleeps: u64,
    dead: Option<Violation>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    token: Token,
    /// In the inline bytes.
    at: usize,
    inline: usize,
    /// In the chunk.
    offset: usize,
    length: usize,
    slots: u64,
    /// Which of the pools it is of, and where in it the chunk's header is, as soon as that is known
    /// and found in order.
    place: Option<(usize, usize)>,
}

impl Receiver {
    pub(crate) fn new(own: Owner, layout: Layout, peer: View, peer_layout: Layout) -> Self {
        Self {
            loan_slots: Arc::new(LoanSlots::new(own.clone(), layout)),
            own,
            peer,
            peer_layout,
            tail: 0,
            pending: None,
            pools: Vec::new(),
            sleeps: 0,
            dead: None,
        }
    }

    /// The longest message in bytes that the peer's ring has room for.
    pub fn longest(&self) -> usize {
        self.peer_layout.size.slots as usize / 2 * ROOM
    }

    /// Makes the chunks of one of the peer's pools known.
    ///
    /// # Errors
    /// `Violation::Chunk` if the peer has another pool of that number.
    pub fn add_pool(&mut self, pool: PoolView) -> Result<(), Error> {
        if self
            .pools
            .iter()
            .any(|known| known.pool.number() == pool.number())
        {
            return self.kill(Violation::Chunk);
        }
        let loan_slots = Arc::clone(&self.loan_slots);
        self.pools.push(Arc::new(Holding { pool, loan_slots }));
        Ok(())
    }

    /// Forgets the pool that the peer withdraws, as `try_recv` has announced, and passes that
    /// message; loans of it stay as they are. False if the pool is not known: it was announced
    /// before that, so its announcement is still under way, or never comes.
    ///
    /// # Errors
    /// `Argument` if no pool is withdrawn; `Violation` for good.
    #[cold]
    pub fn forget_pool(&mut self) -> Result<bool, Error> {
        const NONE: Error = Error::Argument("no pool is withdrawn");
        if let Some(violation) = self.dead {
            return Err(violation.into());
        }
        let next = self.look().or_else(|violation| self.kill(violation))?;
        let (Some((WITHDRAWAL, length)), None) = (next, self.pending) else {
            return Err(NONE);
        };
        if length != WORD {
            return self.kill(Violation::Length);
        }
        let number = self.peer.load(self.peer_layout.slot(self.tail) + 1);
        if number >= MAX_POOLS.into() {
            return self.kill(Violation::Pool);
        }
        let known = |known: &Arc<Holding>| u64::from(known.pool.number()) == number;
        let Some(index) = self.pools.iter().position(known) else {
            return Ok(false);
        };
        self.pools.remove(index);
        self.pass(1);
        Ok(true)
    }

    /// Takes the next message into `buffer`, if there is one; one with a chunk stays next until
    /// that is copied, held or skipped.
    ///
    /// # Errors
    /// `Argument` if the buffer is too small, and the message stays; `Violation` for good.
    #[inline]
    pub fn try_recv(&mut self, buffer: &mut [u8]) -> Result<Option<Incoming>, Error> {
        self.receive(room(buffer))
    }

    /// As [`Self::try_recv`]; the bytes that it tells of were written.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Option<Incoming>, Error> {
        if let Some(violation) = self.dead {
            return Err(violation.into());
        }
        if let Some(pending) = self.pending {
            return self.inline(pending, buffer);
        }
        let Some((kind, length)) = self.look().or_else(|violation| self.kill(violation))? else {
            return Ok(None);
        };
        if length > self.longest() {
            return self.kill(Violation::Length);
        }
        match kind {
            MESSAGE => self.take(length, buffer),
            CHUNK => self.attached(length, buffer),
            WITHDRAWAL => Ok(Some(Incoming::Withdrawal)),
            _ => self.kill(Violation::Kind),
        }
    }

    /// Whether there is something to receive.
    #[inline]
    pub fn is_ready(&self) -> bool {
        // Of a message of more than one line the second comes with the first then, not after it.
        self.peer.fetch(self.peer_layout.line(self.tail, 1));
        // A violation is something to receive, too.
        self.pending.is_some() || self.dead.is_some() || !matches!(self.look(), Ok(None))
    }

    /// Whether the memory of the chunk that is next is known. Its owner announces a pool before it
    /// sends chunks of it.
    ///
    /// # Errors
    /// `Argument` if no chunk is next; `Violation` for good.
    #[inline]
    pub fn has_pool(&mut self) -> Result<bool, Error> {
        if self.dead.is_none() && matches!(self.pending, Some(Pending { place: Some(_), .. })) {
            return Ok(true);
        }
        match self.place() {
            Ok(_) => Ok(true),
            Err(Error::Limit(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Copies the chunk that is next, which `try_recv` has announced, and passes it.
    ///
    /// # Errors
    /// `Argument` if there is none, or `buffer` is shorter; `Limit` if its pool is still under way;
    /// `Violation` for good.
    pub fn copy_chunk(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        self.take_chunk(room(buffer))
    }

    /// As [`Self::copy_chunk`]; the bytes that it tells of were written.
    pub(crate) fn take_chunk(&mut self, buffer: &mut [MaybeUninit<u8>]) -> Result<usize, Error> {
        let (holding, head, pending) = self.place()?;
        let Some(into) = buffer.get_mut(..pending.length) else {
            return Err(Error::Argument("the chunk is longer than the buffer"));
        };
        let copied = holding
            .pool
            .copy((pending.token, head), pending.offset, into);
        if let Err(violation) = copied {
            return self.kill(violation);
        }
        self.pass(pending.slots);
        Ok(pending.length)
    }

    /// Holds the chunk that is next, which `try_recv` has announced, and passes it.
    ///
    /// # Errors
    /// `Limit` if the board is full (copy it, then) or its pool is still under way; `Violation` for
    /// good.
    pub fn hold_chunk(&mut self) -> Result<Loan, Error> {
        let (holding, head, pending) = self.place()?;
        let Pending {
            token,
            offset,
            length,
            ..
        } = pending;
        // On the board before the cursor passes it, so there is no moment in which the owner thinks
        // it free.
        let loan = LoanSlots::hold(holding, (token, head), offset, length)?;
        if !loan.is_valid() {
            return self.kill(Violation::Generation);
        }
        self.pass(pending.slots);
        Ok(loan)
    }

    /// Passes the chunk that is next without looking at it.
    ///
    /// # Errors
    /// `Argument` if there is none.
    pub fn skip_chunk(&mut self) -> Result<(), Error> {
        let pending = self.pending()?;
        self.pass(pending.slots);
        Ok(())
    }

    /// Tells the sender that it has to wake us from now on; returns whether there already is
    /// something, so that nobody must sleep.
    ///
    /// The fence pairs with the one in [`Sender::sleeper`].
    pub fn fall_asleep(&mut self, how: Sleep) -> bool {
        self.sleeps = self.sleeps.wrapping_add(1);
        let how = match how {
            Sleep::Futex => 1,
            Sleep::Socket => 2,
        };
        self.own
            .store(SLEEP, self.sleeps << 2 | how, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.is_ready()
    }

    /// Tells the sender that nobody has to be woken.
    pub fn wake_up(&mut self) {
        self.own.store(SLEEP, self.sleeps << 2, Ordering::Relaxed);
    }

    /// The peer's bell, and where it is. Asked before we say that we sleep.
    ///
    /// Pairs with the Release in `Sender::sleeper`: a bell that rings since the peer sees us sleep
    /// is not the one that is told here.
    #[cfg(not(loom))]
    pub(crate) fn bell(&self) -> (u32, *mut u32) {
        let value = self.peer.load_acquire(BELL) as u32;
        (value, self.peer.futex(BELL))
    }

    /// The kind and length of the next message, if it is published.
    #[inline]
    fn look(&self) -> Result<Option<(u8, usize)>, Violation> {
        // Pairs with the Release in `Sender::publish`.
        let word = self.peer.load_acquire(self.peer_layout.slot(self.tail));
        let next = stamp(self.tail);
        let stamp = (word >> 32) as u32;
        if stamp == next {
            let length = word & ((1 << LENGTH_BITS) - 1);
            return Ok(Some(((word >> LENGTH_BITS) as u8, length as usize)));
        }
        let slots = self.peer_layout.size.slots;
        let last = if self.tail < u64::from(slots) {
            word == 0
        } else {
            stamp == next.wrapping_sub(slots)
        };
        if last {
            Ok(None)
        } else {
            Err(Violation::Sequence)
        }
    }

    #[inline]
    fn take(
        &mut self,
        length: usize,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Option<Incoming>, Error> {
        let Some(into) = buffer.get_mut(..length) else {
            return Err(Error::Argument("the message is longer than the buffer"));
        };
        if let Err(violation) = self.gather(0, into) {
            return self.kill(violation);
        }
        self.pass(slots(length));
        Ok(Some(Incoming::Message(length)))
    }

    /// Copies payload of the next message, from byte `from` of its first slot on. Each further slot
    /// has to say that it is one.
    #[inline]
    fn gather(&self, from: usize, into: &mut [MaybeUninit<u8>]) -> Result<(), Violation> {
        let length = from + into.len();
        let (first, rest) = into.split_at_mut(into.len().min(ROOM - from));
        if !rest.is_empty() {
            for nth in 1..lines(length, slots(length)).min(AHEAD) {
                self.peer.fetch(self.peer_layout.line(self.tail, nth));
            }
        }
        let slot = self.peer_layout.slot(self.tail);
        self.peer.read((slot + 1) * WORD + from, first);
        for (position, piece) in (self.tail + 1..).zip(rest.chunks_mut(ROOM)) {
            let slot = self.peer_layout.slot(position);
            if self.peer.load(slot) != header(position, MORE, 0) {
                return Err(Violation::Sequence);
            }
            self.peer.read((slot + 1) * WORD, piece);
        }
        Ok(())
    }

    /// Reads a descriptor, once, and the inline bytes after it.
    fn attached(
        &mut self,
        length: usize,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Option<Incoming>, Error> {
        let Some(inline) = length.checked_sub(DESCRIPTOR) else {
            return self.kill(Violation::Length);
        };
        let slot = self.peer_layout.slot(self.tail);
        let [token, at, offset, bytes] = [1, 2, 3, 4].map(|word| self.peer.load(slot + word));
        let [Ok(at), Ok(offset), Ok(bytes)] = [at, offset, bytes].map(usize::try_from) else {
            return self.kill(Violation::Length);
        };
        if at > inline {
            return self.kill(Violation::Length);
        }
        let pending = Pending {
            token: Token::from_bits(token),
            at,
            inline,
            offset,
            length: bytes,
            slots: slots(length),
            place: None,
        };
        match self.locate(pending) {
            Ok(pending) => self.inline(pending, buffer),
            Err(violation) => self.kill(violation),
        }
    }

    /// Finds out where the chunk is, unless its pool is still under way.
    fn locate(&self, pending: Pending) -> Result<Pending, Violation> {
        let Pending {
            token,
            offset,
            length,
            ..
        } = pending;
        let known = |known: &Arc<Holding>| known.pool.number() == token.pool();
        let place = match self.pools.iter().position(known) {
            None => None,
            Some(index) => Some((index, self.pools[index].pool.check(token, offset, length)?)),
        };
        Ok(Pending { place, ..pending })
    }

    /// Copies the inline bytes of a message whose chunk waits.
    fn inline(
        &mut self,
        pending: Pending,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Option<Incoming>, Error> {
        let Some(into) = buffer.get_mut(..pending.inline) else {
            return Err(Error::Argument("the message is longer than the buffer"));
        };
        if let Err(violation) = self.gather(DESCRIPTOR, into) {
            return self.kill(violation);
        }
        self.pending = Some(pending);
        let Pending {
            inline, at, length, ..
        } = pending;
        Ok(Some(Incoming::Attached { inline, at, length }))
    }

    fn pending(&self) -> Result<Pending, Error> {
        match self.dead {
            Some(violation) => Err(violation.into()),
            None => self.pending.ok_or(Error::Argument("there is no chunk")),
        }
    }

    /// The pool of the chunk that is next, and where in it the chunk's header is.
    fn place(&mut self) -> Result<(&Arc<Holding>, usize, Pending), Error> {
        let mut pending = self.pending()?;
        if pending.place.is_none() {
            pending = self
                .locate(pending)
                .or_else(|violation| self.kill(violation))?;
            self.pending = Some(pending);
        }
        let place = pending.place;
        match place.and_then(|(index, at)| Some((self.pools.get(index)?, at))) {
            Some((holding, head)) => Ok((holding, head, pending)),
            None => Err(Error::Limit("the chunk's pool is still under way")),
        }
    }

    /// Lets the sender use the slots again.
    #[inline]
    fn pass(&mut self, slots: u64) {
        self.pending = None;
        self.tail += slots;
        // Pairs with the Acquire in `Sender::read_cursor`.
        self.own.store(CURSOR, self.tail, Ordering::Release);
    }

    #[cold]
    fn kill<T>(&mut self, violation: Violation) -> Result<T, Error> {
        self.dead = Some(violation);
        Err(violation.into())
    }
}
