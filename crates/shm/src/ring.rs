//! One ring from one process to another: slots in the sender's link, the cursor in the reader's.
//!
//! A slot is four cache lines: a header word and 248 bytes. A message takes as many slots in a row as it needs, and each has
//! a header of its own, so whatever the payload is, it is never where a reader looks for a header. The header of the first
//! slot is written last (Release): it carries the position of the slot, which differs from lap to lap, so the reader, which
//! looks at exactly one word (Acquire), learns in one cache line that there is a message, and has a small one with it.
//! A sender that dies in between has published nothing.
//!
//! The sender writes a slot again only when the reader's cursor (Release by the reader, Acquire here) has passed it.
//! A cursor that goes back or ahead of the head is a [`Violation`], so is a header that is neither new nor of the last lap.
use std::collections::VecDeque;
use std::sync::Arc;

#[cfg(any(test, loom))]
use crate::LinkSize;
use crate::link::{BELL, CURSOR, Layout, SLEEP, SLOT};
use crate::memory::{Ordering, Owner, View, WORD, fence};
use crate::pool::{Board, Loan, PoolView, Published, Token};
use crate::{Error, Violation};

/// Bytes of a slot that carry payload.
const ROOM: usize = SLOT - WORD;

const LENGTH_BITS: u32 = 24;
const MESSAGE: u8 = 1;
const CHUNK: u8 = 2;
const MORE: u8 = 3;

/// The header of a slot: 32 bits of its position, 8 of kind, 24 of length.
#[inline]
fn header(position: u64, kind: u8, length: usize) -> u64 {
    u64::from(stamp(position)) << 32 | u64::from(kind) << LENGTH_BITS | length as u64
}

/// What distinguishes a position from the same slot a lap ago, and the first lap from zeroed memory.
#[inline]
fn stamp(position: u64) -> u32 {
    (position as u32).wrapping_add(1)
}

/// How a reader wants to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// It waits in the kernel for the sender's bell.
    Futex,
    /// It polls the connection's socket.
    Socket,
}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The reader has not yet read what is in the ring.
    #[error("the ring is full")]
    Full,
    /// The message is longer than half the ring; it travels in a chunk.
    #[error("the message is too long for the ring")]
    TooLong,
    /// The reader broke the rules; the connection is dead.
    #[error("the reader broke the rules: {0}")]
    Violation(Violation),
}

/// What has come from the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A message of this many bytes, now at the beginning of the buffer.
    Message(usize),
    /// A chunk of this many bytes, which waits for [`Receiver::copy_chunk`], [`Receiver::hold_chunk`] or [`Receiver::skip_chunk`].
    Chunk(usize),
}

/// The sending end.
#[derive(Debug)]
pub struct Sender {
    own: Owner,
    layout: Layout,
    peer: View,
    peer_layout: Layout,
    head: u64,
    cursor: u64,
    in_flight: VecDeque<(u64, Published)>,
    held: Vec<Published>,
    heard: u64,
    bell: u64,
    dead: Option<Violation>,
    #[cfg(not(loom))]
    pub(crate) socket: Option<Arc<std::os::fd::OwnedFd>>,
}

impl Sender {
    pub(crate) fn new(own: Owner, layout: Layout, peer: View, peer_layout: Layout) -> Self {
        Self {
            own,
            layout,
            peer,
            peer_layout,
            head: 0,
            cursor: 0,
            in_flight: VecDeque::with_capacity(layout.size.slots as usize),
            held: Vec::with_capacity(peer_layout.size.loans as usize),
            heard: 0,
            bell: 0,
            dead: None,
            #[cfg(not(loom))]
            socket: None,
        }
    }

    /// The longest message in bytes.
    pub fn longest(&self) -> usize {
        self.layout.size.slots as usize / 2 * ROOM
    }

    /// Publishes a message, whose parts are put together on the way; wakes nobody (see [`Self::notify`]) and never waits.
    ///
    /// # Errors
    /// `Full` until the reader has read on.
    #[inline]
    pub fn try_send(&mut self, parts: &[&[u8]]) -> Result<(), SendError> {
        let length = parts.iter().map(|part| part.len()).sum();
        let slots = self.reserve(length)?;
        let mut at = 0;
        for part in parts {
            at = self.write(at, part);
        }
        self.publish(MESSAGE, length, slots);
        Ok(())
    }

    /// Publishes a reference to a chunk, which stays as it is until the reader has passed and returned it.
    ///
    /// # Errors
    /// `Full` until the reader has read on.
    pub fn try_send_chunk(&mut self, chunk: &Published) -> Result<(), SendError> {
        let slots = self.reserve(2 * WORD)?;
        // Each chunk before the cursor leaves the list; the others have a slot each.
        if self.in_flight.len() >= self.layout.size.slots as usize {
            self.reclaim().map_err(SendError::Violation)?;
            if self.in_flight.len() >= self.layout.size.slots as usize {
                return Err(SendError::Full);
            }
        }
        self.write(0, &chunk.token().bits().to_le_bytes());
        self.write(WORD, &(chunk.len() as u64).to_le_bytes());
        self.in_flight.push_back((self.head + slots, chunk.clone()));
        self.publish(CHUNK, 2 * WORD, slots);
        Ok(())
    }

    /// Looks which chunks the reader has passed and returned, and lets go of them.
    ///
    /// # Errors
    /// What the reader did wrong; the connection is dead.
    pub fn reclaim(&mut self) -> Result<(), Violation> {
        self.read_cursor()?;
        self.held
            .retain(|chunk| is_held(&self.peer, &self.peer_layout, chunk.token()));
        while let Some((end, chunk)) = self.in_flight.front()
            && *end <= self.cursor
        {
            let token = chunk.token();
            let known = self.held.iter().any(|held| held.token() == token);
            let keep = !known && is_held(&self.peer, &self.peer_layout, token);
            // No more than the board has places; if the reader changes it while we look, the rest has to wait.
            if keep && self.held.len() >= self.peer_layout.size.loans as usize {
                break;
            }
            if let Some((_, chunk)) = self.in_flight.pop_front()
                && keep
            {
                self.held.push(chunk);
            }
        }
        Ok(())
    }

    /// Whether the reader has read everything.
    ///
    /// # Errors
    /// What the reader did wrong; the connection is dead.
    pub fn is_drained(&mut self) -> Result<bool, Violation> {
        self.read_cursor()?;
        Ok(self.cursor == self.head)
    }

    /// Whether and how the reader wants to be woken since it was last: called after publishing.
    ///
    /// The fence pairs with the one in [`Receiver::fall_asleep`]: either the reader sees the message, or we see that it sleeps.
    #[inline]
    pub(crate) fn sleeper(&mut self) -> Option<Sleep> {
        fence(Ordering::SeqCst);
        let sleep = self.peer.load(SLEEP, Ordering::Relaxed);
        if sleep == self.heard {
            return None;
        }
        // Each sleep has another number, so it is ended once.
        self.heard = sleep;
        let how = match sleep & 3 {
            1 => Sleep::Futex,
            2 => Sleep::Socket,
            _ => return None,
        };
        if how == Sleep::Futex {
            self.bell = self.bell.wrapping_add(1);
            self.own.store(BELL, self.bell, Ordering::SeqCst);
        }
        Some(how)
    }

    /// Wakes the reader if it says that it sleeps: the only system call here. Call it after one or several messages.
    #[cfg(not(loom))]
    #[inline]
    pub fn notify(&mut self) {
        match self.sleeper() {
            None => {}
            Some(Sleep::Futex) => crate::doorbell::wake_shared(self.own.futex(BELL)),
            Some(Sleep::Socket) => {
                if let Some(socket) = &self.socket {
                    crate::socket::ring(socket);
                }
            }
        }
    }

    /// Room for a message, in slots.
    #[inline]
    fn reserve(&mut self, length: usize) -> Result<u64, SendError> {
        if let Some(violation) = self.dead {
            return Err(SendError::Violation(violation));
        }
        if length > self.longest() {
            return Err(SendError::TooLong);
        }
        let slots = slots(length);
        if self.head + slots - self.cursor > u64::from(self.layout.size.slots) {
            self.read_cursor().map_err(SendError::Violation)?;
            if self.head + slots - self.cursor > u64::from(self.layout.size.slots) {
                return Err(SendError::Full);
            }
        }
        Ok(slots)
    }

    /// Copies a part of the message from byte `at` on, returns where the next begins.
    #[inline]
    fn write(&self, mut at: usize, mut part: &[u8]) -> usize {
        while !part.is_empty() {
            let within = at % ROOM;
            let (now, rest) = part.split_at(part.len().min(ROOM - within));
            let slot = self.layout.slot(self.head + (at / ROOM) as u64);
            self.own.write((slot + 1) * WORD + within, now);
            at += now.len();
            part = rest;
        }
        at
    }

    #[inline]
    fn publish(&mut self, kind: u8, length: usize, slots: u64) {
        for position in self.head + 1..self.head + slots {
            let more = header(position, MORE, 0);
            self.own
                .store(self.layout.slot(position), more, Ordering::Relaxed);
        }
        // Pairs with the Acquire in `Receiver::look`.
        let first = header(self.head, kind, length);
        self.own
            .store(self.layout.slot(self.head), first, Ordering::Release);
        self.head += slots;
    }

    fn read_cursor(&mut self) -> Result<(), Violation> {
        if let Some(violation) = self.dead {
            return Err(violation);
        }
        // Pairs with the Release in `Receiver::pass`: what the reader has passed it has copied, or put on its board.
        let cursor = self.peer.load(CURSOR, Ordering::Acquire);
        if cursor < self.cursor || cursor > self.head {
            self.dead = Some(Violation::Cursor);
            return Err(Violation::Cursor);
        }
        self.cursor = cursor;
        Ok(())
    }
}

/// Whether the reader holds a chunk. Pairs with the Releases in `Board`.
fn is_held(peer: &View, layout: &Layout, token: Token) -> bool {
    (0..layout.size.loans)
        .any(|index| peer.load(layout.loan(index), Ordering::Acquire) == token.bits())
}

/// Slots for a message; an empty one takes one, too.
#[inline]
fn slots(length: usize) -> u64 {
    length.div_ceil(ROOM).max(1) as u64
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    own: Owner,
    peer: View,
    peer_layout: Layout,
    tail: u64,
    pending: Option<Pending>,
    pools: Vec<PoolView>,
    board: Arc<Board>,
    sleeps: u64,
    dead: Option<Violation>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    token: Token,
    length: usize,
}

impl Receiver {
    pub(crate) fn new(own: Owner, layout: Layout, peer: View, peer_layout: Layout) -> Self {
        Self {
            board: Arc::new(Board::new(own.clone(), layout)),
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
            .any(|known| known.number() == pool.number())
        {
            return self.kill(Violation::Chunk);
        }
        self.pools.push(pool);
        Ok(())
    }

    /// Takes the next message into `buffer`, if there is one; a chunk stays next until it is copied, held or skipped.
    ///
    /// # Errors
    /// `Argument` if the buffer is too small, and the message stays; `Violation` for good.
    #[inline]
    pub fn try_recv(&mut self, buffer: &mut [u8]) -> Result<Option<Incoming>, Error> {
        if let Some(violation) = self.dead {
            return Err(violation.into());
        }
        if let Some(pending) = self.pending {
            return Ok(Some(Incoming::Chunk(pending.length)));
        }
        let Some((kind, length)) = self.look().or_else(|violation| self.kill(violation))? else {
            return Ok(None);
        };
        if length > self.longest() {
            return self.kill(Violation::Length);
        }
        match kind {
            MESSAGE => self.take(length, buffer),
            CHUNK => self.chunk(length),
            _ => self.kill(Violation::Kind),
        }
    }

    /// Whether there is something to receive.
    #[inline]
    pub fn is_ready(&self) -> bool {
        // A violation is something to receive, too.
        self.pending.is_some() || self.dead.is_some() || !matches!(self.look(), Ok(None))
    }

    /// Copies the chunk that is next, which `try_recv` has announced, and passes it.
    ///
    /// # Errors
    /// `Argument` if there is none, or `buffer` is shorter; `Limit` if its pool is still under way; `Violation` for good.
    pub fn copy_chunk(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let pending = self.pending()?;
        let Some(into) = buffer.get_mut(..pending.length) else {
            return Err(Error::Argument("the chunk is longer than the buffer"));
        };
        let pool = self.pool(pending)?;
        let copied = pool.copy(pending.token, into);
        if let Err(violation) = copied {
            return self.kill(violation);
        }
        self.pass(1);
        Ok(pending.length)
    }

    /// Holds the chunk that is next, which `try_recv` has announced, and passes it.
    ///
    /// # Errors
    /// `Limit` if the board is full (copy it, then) or its pool is still under way; `Violation` for good.
    pub fn hold_chunk(&mut self) -> Result<Loan, Error> {
        let pending = self.pending()?;
        let pool = self.pool(pending)?.clone();
        // On the board before the cursor passes it, so there is no moment in which the owner thinks it free.
        let loan = Board::hold(&self.board, pool, pending.token, pending.length)?;
        if !loan.is_valid() {
            return self.kill(Violation::Generation);
        }
        self.pass(1);
        Ok(loan)
    }

    /// Passes the chunk that is next without looking at it.
    ///
    /// # Errors
    /// `Argument` if there is none.
    pub fn skip_chunk(&mut self) -> Result<(), Error> {
        self.pending()?;
        self.pass(1);
        Ok(())
    }

    /// Tells the sender that it has to wake us from now on; returns whether there already is something, so that nobody must sleep.
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

    /// The peer's bell, and where it is.
    #[cfg(not(loom))]
    pub(crate) fn bell(&self) -> (u32, *mut u32) {
        let value = self.peer.load(BELL, Ordering::SeqCst) as u32;
        (value, self.peer.futex(BELL))
    }

    /// The kind and length of the next message, if it is published.
    #[inline]
    fn look(&self) -> Result<Option<(u8, usize)>, Violation> {
        // Pairs with the Release in `Sender::publish`.
        let word = self
            .peer
            .load(self.peer_layout.slot(self.tail), Ordering::Acquire);
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
    fn take(&mut self, length: usize, buffer: &mut [u8]) -> Result<Option<Incoming>, Error> {
        let Some(into) = buffer.get_mut(..length) else {
            return Err(Error::Argument("the message is longer than the buffer"));
        };
        let slots = slots(length);
        for (index, piece) in into.chunks_mut(ROOM).enumerate() {
            let position = self.tail + index as u64;
            let slot = self.peer_layout.slot(position);
            if index > 0 && self.peer.load(slot, Ordering::Relaxed) != header(position, MORE, 0) {
                return self.kill(Violation::Sequence);
            }
            self.peer.read((slot + 1) * WORD, piece);
        }
        self.pass(slots);
        Ok(Some(Incoming::Message(length)))
    }

    fn chunk(&mut self, length: usize) -> Result<Option<Incoming>, Error> {
        if length != 2 * WORD {
            return self.kill(Violation::Length);
        }
        let slot = self.peer_layout.slot(self.tail);
        let token = Token::from_bits(self.peer.load(slot + 1, Ordering::Relaxed));
        let length = self.peer.load(slot + 2, Ordering::Relaxed);
        let Ok(length) = usize::try_from(length) else {
            return self.kill(Violation::Length);
        };
        let pending = Pending { token, length };
        if let Some(pool) = self.find(token)
            && let Err(violation) = pool.check(token, length)
        {
            return self.kill(violation);
        }
        self.pending = Some(pending);
        Ok(Some(Incoming::Chunk(length)))
    }

    fn pending(&self) -> Result<Pending, Error> {
        match self.dead {
            Some(violation) => Err(violation.into()),
            None => self.pending.ok_or(Error::Argument("there is no chunk")),
        }
    }

    fn find(&self, token: Token) -> Option<&PoolView> {
        self.pools.iter().find(|pool| pool.number() == token.pool())
    }

    fn pool(&mut self, pending: Pending) -> Result<&PoolView, Error> {
        let found = self
            .pools
            .iter()
            .position(|pool| pool.number() == pending.token.pool());
        let Some(index) = found else {
            return Err(Error::Limit("the chunk's pool is still under way"));
        };
        if let Err(violation) = self.pools[index].check(pending.token, pending.length) {
            return self.kill(violation);
        }
        Ok(&self.pools[index])
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

/// Two links on the heap, and both directions between them.
#[cfg(any(test, loom))]
pub(crate) fn pair(size: LinkSize) -> [(Sender, Receiver); 2] {
    let a = Owner::heap(size.bytes());
    let b = Owner::heap(size.bytes());
    let of = |owner: &Owner| {
        Layout::create(owner, size).expect("a valid size");
        Layout::open(owner).expect("just made")
    };
    let (of_a, of_b) = (of(&a), of(&b));
    let ends = |own: &Owner, of_own, peer: &Owner, of_peer| {
        let sender = Sender::new(own.clone(), of_own, peer.view(), of_peer);
        (
            sender,
            Receiver::new(own.clone(), of_own, peer.view(), of_peer),
        )
    };
    [ends(&a, of_a, &b, of_b), ends(&b, of_b, &a, of_a)]
}

#[cfg(all(test, not(loom)))]
#[path = "ring_tests.rs"]
mod tests;
