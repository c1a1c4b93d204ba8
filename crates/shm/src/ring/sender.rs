//! The sending end: writes slots, and lets go of what the reader has passed and returned.
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Weak};

use super::{
    AHEAD, CHUNK, DESCRIPTOR, FIRST, MESSAGE, MORE, ROOM, SendError, Sleep, WITHDRAWAL, header,
    lines, slots,
};
use crate::Violation;
use crate::link::{BELL, CURSOR, Layout, PLACES, SLEEP};
use crate::memory::{Ordering, Owner, View, WORD, fence};
use crate::pool::{Chunk, Published, Token};

/// So many chunks in flight are worth a look at what the reader has returned, if there are twice as
/// many.
const SOME: usize = 4;

/// The sending end.
#[derive(Debug)]
pub struct Sender {
    pub(super) own: Owner,
    pub(super) layout: Layout,
    peer: View,
    peer_layout: Layout,
    pub(super) head: u64,
    pub(super) cursor: u64,
    in_flight: VecDeque<(u64, Published)>,
    held: Vec<Published>,
    heard: u64,
    bell: u64,
    /// The first line of the next message that was not asked for.
    claimed: usize,
    dead: Option<Violation>,
    /// Tells withdrawals that it is there.
    alive: Arc<()>,
    #[cfg(not(loom))]
    pub(crate) socket: Option<Arc<crate::Lifeline>>,
}

/// That one reader was told of a withdrawn pool.
#[derive(Debug)]
pub struct Withdrawal {
    sender: Weak<()>,
    peer: View,
    /// As far as its cursor is when it knows.
    end: u64,
}

impl Withdrawal {
    /// Whether the reader has forgotten the pool, or its sender is gone: then the pool's number may
    /// be announced again.
    pub fn is_heeded(&self) -> bool {
        // Pairs with the Release in `Receiver::pass`. A cursor that lies is found by the sender.
        self.sender.strong_count() == 0 || self.peer.load_acquire(CURSOR) >= self.end
    }
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
            claimed: 1,
            dead: None,
            alive: Arc::new(()),
            #[cfg(not(loom))]
            socket: None,
        }
    }

    /// The longest message in bytes.
    pub fn longest(&self) -> usize {
        self.layout.size.slots as usize / 2 * ROOM
    }

    /// Publishes a message, whose parts are put together on the way; wakes nobody (see
    /// [`Self::notify`]) and never waits.
    ///
    /// # Errors
    /// `Full` until the reader has read on.
    #[inline]
    pub fn try_send(&mut self, parts: &[&[u8]]) -> Result<(), SendError> {
        if let [part] = parts
            && part.len() <= ROOM
            && self.has_free_slot()
        {
            self.publish_short(MESSAGE, [], [part]);
            return Ok(());
        }
        let length = parts.iter().map(|part| part.len()).sum();
        let slots = self.reserve(length)?;
        self.publish(MESSAGE, length, slots, &[], parts);
        Ok(())
    }

    /// Publishes a reference to a chunk, which stays as it is until the reader has passed and
    /// returned it.
    ///
    /// # Errors
    /// `Full` until the reader has read on: it may leave unread half of the chunks of each size of
    /// a pool.
    pub fn try_send_chunk(&mut self, chunk: &Published) -> Result<(), SendError> {
        self.try_send_attached(&[], 0, chunk.clone(), 0..chunk.len())
    }

    /// Publishes a message of which `range` of a chunk is a part: these bytes belong before byte
    /// `at` of the inline ones, which are put together on the way. The chunk stays as it is until
    /// the reader has passed and returned it.
    ///
    /// # Errors
    /// `Full` until the reader has read on; `TooLong` if the inline bytes and 32 more are longer
    /// than [`Self::longest`]; `OutOfRange`.
    pub fn try_send_attached(
        &mut self,
        inline: &[&[u8]],
        at: usize,
        chunk: Published,
        range: Range<usize>,
    ) -> Result<(), SendError> {
        let length = inline.iter().map(|part| part.len()).sum::<usize>();
        if at > length || range.start > range.end || range.end > chunk.len() {
            return Err(SendError::OutOfRange);
        }
        let length = DESCRIPTOR + length;
        let slots = self.reserve(length)?;
        self.place_for(&chunk)?;
        let [at, offset, bytes] = [at, range.start, range.len()].map(|number| number as u64);
        let descriptor = [chunk.token().bits(), at, offset, bytes];
        self.in_flight.push_back((self.head + slots, chunk));
        match *inline {
            // The most frequent forms, of which the compiler makes something short.
            [head] if slots == 1 => self.publish_short(CHUNK, descriptor, [head]),
            [head, tail] if slots == 1 => self.publish_short(CHUNK, descriptor, [head, tail]),
            _ => self.publish(CHUNK, length, slots, &descriptor, inline),
        }
        Ok(())
    }

    /// Whether the reader understands that pools are withdrawn. One of before would take it for a
    /// violation.
    pub fn heeds_withdrawals(&self) -> bool {
        self.peer_layout.heeds_withdrawals
    }

    /// Tells the reader that a pool was [withdrawn](crate::Pool::withdraw), so that it gives its
    /// part of the memory back. Not for a reader that does not [heed](Self::heeds_withdrawals) it.
    ///
    /// # Errors
    /// `Full` until the reader has read on.
    pub fn try_withdraw(&mut self, pool: u8) -> Result<Withdrawal, SendError> {
        self.reserve(WORD)?;
        self.publish_short(WITHDRAWAL, [u64::from(pool)], []);
        Ok(Withdrawal {
            sender: Arc::downgrade(&self.alive),
            peer: self.peer.clone(),
            end: self.head,
        })
    }

    /// Whether a chunk may be sent now as far as chunks are concerned: worth asking before it is
    /// filled.
    ///
    /// # Errors
    /// `Full` as for [`Self::try_send_chunk`].
    pub fn has_place_for(&mut self, chunk: &Chunk) -> Result<(), SendError> {
        self.place_for(chunk.as_published())
    }

    fn place_for(&mut self, chunk: &Published) -> Result<(), SendError> {
        if !self.is_place_for(chunk) {
            self.reclaim().map_err(SendError::Violation)?;
            if !self.is_place_for(chunk) {
                return Err(SendError::Full);
            }
        }
        Ok(())
    }

    /// Each chunk in flight has a slot. And a reader that has stopped must not keep all chunks from
    /// the others.
    fn is_place_for(&self, chunk: &Published) -> bool {
        let most = chunk.siblings().div_ceil(2);
        let same = |(_, other): &&(u64, Published)| {
            other.is_sibling(chunk) && other.token() != chunk.token()
        };
        // Mostly there are few, and nobody has to look which.
        (self.in_flight.len() < most || self.in_flight.iter().filter(same).count() < most)
            && self.in_flight.len() < self.layout.size.slots as usize
    }

    /// Looks which chunks the reader has passed and returned, and lets go of them.
    ///
    /// # Errors
    /// What the reader did wrong; the connection is dead.
    pub fn reclaim(&mut self) -> Result<(), Violation> {
        self.read_cursor()?;
        let places = self.places();
        let Self {
            peer,
            peer_layout,
            held,
            in_flight,
            cursor,
            ..
        } = self;
        // Pairs with the Releases in `LoanSlots`.
        let at = |index| peer.load_acquire(peer_layout.loan(index));
        let is_held = |token: Token| (0..places).any(|index| at(index) == token.bits());
        held.retain(|chunk| is_held(chunk.token()));
        while let Some((end, chunk)) = in_flight.front()
            && end <= cursor
        {
            let token = chunk.token();
            let known = held.iter().any(|held| held.token() == token);
            let keep = !known && is_held(token);
            // No more than the board has places; if the reader changes it while we look, the rest
            // has to wait.
            if keep && held.len() >= peer_layout.size.loans as usize {
                break;
            }
            if let Some((_, chunk)) = in_flight.pop_front()
                && keep
            {
                held.push(chunk);
            }
        }
        Ok(())
    }

    /// As [`Self::reclaim`], once there are some chunks to look after: looking takes cache lines
    /// from the reader.
    ///
    /// # Errors
    /// As [`Self::reclaim`].
    pub fn reclaim_some(&mut self) -> Result<(), Violation> {
        let last = self.in_flight.back();
        let few = last.map_or(SOME, |(_, chunk)| chunk.siblings().div_ceil(2).min(SOME));
        match self.in_flight.len() < few {
            true => Ok(()),
            false => self.reclaim(),
        }
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
    /// The fence pairs with the one in [`Receiver::fall_asleep`]: either the reader sees the
    /// message, or we see that it sleeps.
    #[inline]
    pub(crate) fn sleeper(&mut self) -> Option<Sleep> {
        fence(Ordering::SeqCst);
        let sleep = self.peer.load(SLEEP);
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
            // Pairs with the Acquire in `Receiver::bell`.
            self.own.store(BELL, self.bell, Ordering::Release);
        }
        Some(how)
    }

    /// Wakes the reader if it says that it sleeps: the only system call here. Call it after one or
    /// several messages.
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

    /// As far as the reader's cursor was seen last.
    #[inline]
    fn has_free_slot(&self) -> bool {
        self.dead.is_none() && self.head - self.cursor < u64::from(self.layout.size.slots)
    }

    /// Room for a message, in slots.
    #[inline]
    pub(super) fn reserve(&mut self, length: usize) -> Result<u64, SendError> {
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
    pub(super) fn write(&self, mut at: usize, mut part: &[u8]) -> usize {
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

    /// Copies a message into its slots, a descriptor first if it has one, and publishes it.
    ///
    /// The reader looks at the cache line of the first header all the time. So that it gets it
    /// once, all else is written before.
    #[inline]
    fn publish(
        &mut self,
        kind: u8,
        length: usize,
        slots: u64,
        descriptor: &[u64],
        parts: &[&[u8]],
    ) {
        self.claim(length, slots);
        let begin = descriptor.len() * WORD;
        let mut at = begin;
        for part in parts {
            let skip = FIRST.saturating_sub(at).min(part.len());
            self.write(at + skip, &part[skip..]);
            at += part.len();
        }
        for position in self.head + 1..self.head + slots {
            let more = header(position, MORE, 0);
            self.own
                .store(self.layout.slot(position), more, Ordering::Relaxed);
        }
        let slot = self.layout.slot(self.head);
        for (word, value) in (slot + 1..).zip(descriptor) {
            self.own.store(word, *value, Ordering::Relaxed);
        }
        let mut at = begin;
        for part in parts {
            let count = part.len().min(FIRST - at);
            at = self.write(at, &part[..count]);
        }
        self.show(kind, length, slots);
    }

    /// As `publish`, of a message that one slot has room for.
    #[inline(always)]
    fn publish_short<const D: usize, const N: usize>(
        &mut self,
        kind: u8,
        descriptor: [u64; D],
        parts: [&[u8]; N],
    ) {
        let length = D * WORD + parts.iter().map(|part| part.len()).sum::<usize>();
        self.claim(length, 1);
        let slot = self.layout.slot(self.head) + 1;
        let begin = slot * WORD;
        let mut at = D * WORD;
        let split = parts.map(|part| {
            let (first, rest) = part.split_at(part.len().min(FIRST.saturating_sub(at)));
            if !rest.is_empty() {
                self.own.write(begin + at + first.len(), rest);
            }
            let place = begin + at;
            at += part.len();
            (place, first)
        });
        for (word, value) in (slot..).zip(descriptor) {
            self.own.store(word, value, Ordering::Relaxed);
        }
        for (place, first) in split {
            self.own.write(place, first);
        }
        self.show(kind, length, 1);
    }

    /// From now on the reader sees what was written into so many slots.
    #[inline]
    fn show(&mut self, kind: u8, length: usize, slots: u64) {
        // Pairs with the Acquire in `Receiver::look`.
        let first = header(self.head, kind, length);
        self.own
            .store(self.layout.slot(self.head), first, Ordering::Release);
        self.head += slots;
        self.claimed = 1;
        // Those of the next message, which is often of the same size, while nobody waits.
        self.claim(length, slots);
    }

    /// Asks for the cache lines of a message all at once: the reader still has them from a lap ago.
    #[inline]
    fn claim(&mut self, length: usize, slots: u64) {
        // Not what the reader may not have read yet, and not the line that it looks at.
        if self.head + slots - self.cursor <= u64::from(self.layout.size.slots) {
            let all = lines(length, slots).min(AHEAD);
            for nth in self.claimed..all {
                self.own.claim(self.layout.line(self.head, nth));
            }
            self.claimed = self.claimed.max(all);
        }
    }

    /// How many places of the reader's board may be taken by what its cursor has passed.
    fn places(&self) -> u32 {
        let loans = self.peer_layout.size.loans;
        let used = self.peer.load(PLACES);
        u32::try_from(used).map_or(loans, |used| used.min(loans))
    }

    fn read_cursor(&mut self) -> Result<(), Violation> {
        if let Some(violation) = self.dead {
            return Err(violation);
        }
        // Pairs with the Release in `Receiver::pass`: what the reader has passed it has copied, or
        // put on its board.
        let cursor = self.peer.load_acquire(CURSOR);
        if cursor < self.cursor || cursor > self.head {
            self.dead = Some(Violation::Cursor);
            return Err(Violation::Cursor);
        }
        self.cursor = cursor;
        Ok(())
    }
}
