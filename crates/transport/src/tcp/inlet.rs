//! The receiving end of one connection: bytes in, messages out.
//!
//! A receiver has one desk for all its connections. What one read brings lands there, usually many whole messages, and is
//! handed out from there; what is left of the last one is kept with its connection. A large message that is not complete
//! gets a buffer of its own, which grows with what has arrived, whatever its head claims, and into which the rest is read
//! directly.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::BytesMut;
use dunlin_wire::Locator;
use dunlin_wire::stream::{Carried, OPAQUE_HEAD, StreamError, StreamHead};

use super::connection::{Connection, STRANGERS_MOST};

/// Longer messages get a buffer of their own if they are not complete.
pub(super) const LARGE: usize = 16 * 1024;
/// Bytes of a desk.
const DESK: usize = 128 * 1024;
/// Where another large message is expected only so much is read to the desk: the rest goes directly to its place.
const GLIMPSE: usize = 128;
/// The first size of a large message's buffer, if there is none to use again; it doubles from there.
const FIRST: usize = 256 * 1024;
/// Buffers that wait to be used again.
const SPARES: usize = 4;

/// Why a connection is not read any longer.
#[derive(Debug)]
pub(super) enum Fault {
    /// What came is no message.
    Stream(StreamError),
    /// A message is longer than the peer may send.
    TooLong(u32),
    /// All memory for large messages is in use.
    NoMemory,
    /// No whole message has come for long.
    Silent,
    /// A peer on another host has the name already.
    Impostor,
    /// The connection has ended, or was reset.
    Ended(Option<io::Error>),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stream(error) => error.fmt(f),
            Self::TooLong(length) => write!(f, "a message claims {length} bytes, more than it may"),
            Self::NoMemory => f.write_str("too many large messages are under way"),
            Self::Silent => {
                f.write_str("it has sent no whole message for 10 s, or others needed its place")
            }
            Self::Impostor => f.write_str("it claims the name of a participant on another host"),
            Self::Ended(Some(error)) => error.fmt(f),
            Self::Ended(None) => f.write_str("the peer has closed it"),
        }
    }
}

/// Memory for messages under way, of all connections of a participant together.
#[derive(Debug)]
pub(super) struct Budget {
    used: AtomicUsize,
    most: usize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            most,
        })
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let before = self.used.fetch_add(bytes, Relaxed);
        let granted = before.saturating_add(bytes) <= self.most;
        if !granted {
            self.give(bytes);
        }
        granted
    }

    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// One connection, as its receiver knows it.
pub(super) struct Inlet {
    pub(super) connection: Arc<Connection>,
    pub(super) from: Locator,
    /// The beginning of a message.
    kept: Vec<u8>,
    large: Option<Large>,
    /// The last message was large, and the next one may be.
    expects_large: bool,
    longest: usize,
}

/// A message that arrives in a buffer of its own.
struct Large {
    /// What is carried, without what the stream needs.
    bytes: BytesMut,
    size: usize,
    budget: Arc<Budget>,
    charged: usize,
}

impl Drop for Large {
    fn drop(&mut self) {
        self.budget.give(self.charged);
    }
}

/// What a look at a connection brought.
pub(super) enum Look {
    /// Nothing, until there is more to read.
    Nothing,
    /// It was appended to the caller's buffer: so many bytes.
    Datagram(usize),
    /// There is one, and the caller has to come with room for so many bytes.
    Larger(usize),
}

impl Inlet {
    /// `kept`: what was read before.
    pub(super) fn new(connection: Arc<Connection>, kept: Vec<u8>) -> Self {
        let longest = match connection.hello() {
            Some(_) => super::MAX_FRAME,
            // Some more than it takes in itself.
            None => 2 * STRANGERS_MOST,
        };
        Self {
            from: connection.from(),
            connection,
            kept,
            large: None,
            expects_large: false,
            longest,
        }
    }

    fn note_pending(&self) {
        let large = self.large.as_ref().map_or(0, |large| large.bytes.len());
        let pending = u64::try_from(self.kept.len().saturating_add(large)).unwrap_or(u64::MAX);
        self.connection.pending.store(pending, Relaxed);
    }
}

/// Where what was read waits to be handed out.
pub(super) struct Desk {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// The inlet whose bytes are there.
    pub(super) of: Option<usize>,
    /// Buffers for the next large messages.
    spares: Shelf,
    /// Something has come since somebody asked.
    arrived: bool,
    budget: Arc<Budget>,
}

impl Desk {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            bytes: vec![0; DESK].into_boxed_slice(),
            start: 0,
            end: 0,
            of: None,
            spares: Shelf::default(),
            arrived: false,
            budget: Arc::clone(budget),
        }
    }

    /// Whether bytes have come since somebody asked whether there are.
    pub(super) fn has_more(&self) -> bool {
        self.arrived
    }

    /// Whether bytes have come since this was asked last.
    pub(super) fn flows(&mut self) -> bool {
        std::mem::take(&mut self.arrived)
    }

    /// The inlet has gone: so does what is left of it.
    pub(super) fn forget(&mut self, place: usize) {
        if self.of == Some(place) {
            self.of = None;
        }
    }

    /// Reads from a connection until it has a datagram for the caller, or nothing more to read. The desk is empty.
    pub(super) fn read(
        &mut self,
        place: usize,
        inlet: &mut Inlet,
        buffer: &mut BytesMut,
    ) -> Result<Look, Fault> {
        loop {
            let look = if inlet.large.is_some() {
                self.read_large(inlet, buffer)?
            } else if self.fill(inlet)? {
                self.of = Some(place);
                self.hand_out(inlet, buffer)?
            } else {
                if !inlet.kept.is_empty() {
                    inlet.note_pending();
                }
                return Ok(Look::Nothing);
            };
            if let Some(look) = look {
                return Ok(look);
            }
        }
    }

    /// Puts what there is to read behind what was kept; false if there is nothing.
    fn fill(&mut self, inlet: &mut Inlet) -> Result<bool, Fault> {
        let kept = inlet.kept.len();
        let end = match inlet.expects_large {
            true => kept.saturating_add(GLIMPSE).min(self.bytes.len()),
            false => self.bytes.len(),
        };
        let room = self.bytes.get_mut(kept..end).unwrap_or_default();
        let Some(length) = read(inlet.connection.read(room))? else {
            return Ok(false);
        };
        self.arrived = true;
        if let Some(before) = self.bytes.get_mut(..kept) {
            before.copy_from_slice(&inlet.kept);
        }
        inlet.kept.clear();
        (self.start, self.end) = (0, kept + length);
        Ok(true)
    }

    /// What was read before the receiver knew the connection is looked at first.
    pub(super) fn take_over(
        &mut self,
        place: usize,
        inlet: &mut Inlet,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let kept = std::mem::take(&mut inlet.kept);
        let Some(room) = self.bytes.get_mut(..kept.len()) else {
            return Err(Fault::NoMemory);
        };
        room.copy_from_slice(&kept);
        (self.start, self.end, self.of) = (0, kept.len(), Some(place));
        self.hand_out(inlet, buffer)
    }

    /// Hands out the next message on the desk; `None` if there is no whole one. Then the desk is empty.
    pub(super) fn hand_out(
        &mut self,
        inlet: &mut Inlet,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let bytes = self.bytes.get(self.start..self.end).unwrap_or_default();
        let head = StreamHead::parse(bytes).map_err(Fault::Stream)?;
        let Some(StreamHead { length, .. }) = head else {
            inlet.kept.extend_from_slice(bytes);
            self.of = None;
            return Ok(None);
        };
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if size > inlet.longest {
            return Err(Fault::TooLong(length));
        }
        inlet.expects_large = size > LARGE;
        if let Some(message) = bytes.get(..size) {
            let carried = Carried::parse(message);
            if buffer.capacity() - buffer.len() < carried.length() {
                return Ok(Some(Look::Larger(carried.length())));
            }
            append(buffer, &carried);
            let look = Look::Datagram(carried.length());
            self.advance(size);
            inlet.connection.prove();
            return Ok(Some(look));
        }
        self.of = None;
        if size <= LARGE || bytes.len() < OPAQUE_HEAD {
            inlet.kept.extend_from_slice(bytes);
            return Ok(None);
        }
        let carried = Carried::parse(bytes);
        let size = size - (bytes.len() - carried.length());
        let mut large = Large {
            bytes: self.spares.take(size),
            size,
            budget: Arc::clone(&self.budget),
            charged: 0,
        };
        large.grow(bytes.len())?;
        append(&mut large.bytes, &carried);
        inlet.large = Some(large);
        Ok(None)
    }

    fn advance(&mut self, length: usize) {
        self.start += length;
        if self.start >= self.end {
            self.of = None;
        }
    }

    /// Drops the next message, which is whole.
    pub(super) fn drop_next(&mut self, inlet: &mut Inlet) {
        if inlet.large.take().is_some() {
            return;
        }
        let bytes = self.bytes.get(self.start..self.end).unwrap_or_default();
        if let Ok(Some(head)) = StreamHead::parse(bytes) {
            self.advance(usize::try_from(head.length).unwrap_or(usize::MAX));
        }
    }

    fn read_large(
        &mut self,
        inlet: &mut Inlet,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let Some(large) = &mut inlet.large else {
            return Ok(None);
        };
        while large.left() > 0 {
            large.grow(0)?;
            let left = large.left();
            if read(inlet.connection.read_behind(&mut large.bytes, left))?.is_none() {
                inlet.note_pending();
                return Ok(Some(Look::Nothing));
            }
            self.arrived = true;
        }
        let size = large.size;
        let spare = if buffer.is_empty() {
            // The caller gets this buffer, and a later large message that of the caller.
            std::mem::replace(buffer, std::mem::take(&mut large.bytes))
        } else if buffer.capacity() - buffer.len() >= size {
            buffer.extend_from_slice(&large.bytes);
            std::mem::take(&mut large.bytes)
        } else {
            return Ok(Some(Look::Larger(size)));
        };
        self.spares.put(spare);
        inlet.large = None;
        inlet.connection.prove();
        Ok(Some(Look::Datagram(size)))
    }
}

/// Buffers that are not in use.
#[derive(Default)]
struct Shelf(Vec<BytesMut>);

impl Shelf {
    /// One that has room for so many bytes, or else one that has yet to grow.
    fn take(&mut self, size: usize) -> BytesMut {
        let fits = |spare: &mut BytesMut| spare.capacity() >= size || spare.try_reclaim(size);
        let found = self.0.iter_mut().position(fits);
        found.map_or_else(BytesMut::new, |place| self.0.swap_remove(place))
    }

    /// Of too many the smallest goes.
    fn put(&mut self, mut spare: BytesMut) {
        spare.clear();
        if self.0.len() < SPARES {
            self.0.push(spare);
        } else if let Some(least) = self.0.iter_mut().min_by_key(|kept| kept.capacity())
            && least.capacity() < spare.capacity()
        {
            *least = spare;
        }
    }
}

impl Large {
    fn left(&self) -> usize {
        self.size.saturating_sub(self.bytes.len())
    }

    /// Makes room for `more` bytes at least, and for as much again as there is, but never for more than the message has.
    fn grow(&mut self, more: usize) -> Result<(), Fault> {
        let length = self.bytes.len();
        if self.bytes.capacity() > length.saturating_add(more) {
            return Ok(());
        }
        let room = length.max(FIRST).max(more).min(self.left());
        if !self.budget.take(room) {
            return Err(Fault::NoMemory);
        }
        self.charged += room;
        // No more than that: what is behind a message would keep its buffer from being used again.
        let mut larger = BytesMut::with_capacity(length.saturating_add(room));
        larger.extend_from_slice(&self.bytes);
        self.bytes = larger;
        Ok(())
    }
}

/// What a read brought; `None` if there is nothing yet.
fn read(result: io::Result<usize>) -> Result<Option<usize>, Fault> {
    match result {
        Ok(0) => Err(Fault::Ended(None)),
        Ok(length) => Ok(Some(length)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(Fault::Ended(Some(error))),
    }
}

fn append(buffer: &mut BytesMut, carried: &Carried<'_>) {
    match carried {
        Carried::Message(header, rest) => {
            buffer.extend_from_slice(header);
            buffer.extend_from_slice(rest);
        }
        Carried::Opaque(bytes) => buffer.extend_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_when_nobody_needs_what_was_in_it() {
        let mut shelf = Shelf::default();
        let mut large = Large {
            bytes: shelf.take(1 << 20),
            size: 1 << 20,
            budget: Budget::new(1 << 20),
            charged: 0,
        };
        while large.left() > 0 {
            large.grow(0).unwrap();
            let room = large.bytes.capacity() - large.bytes.len();
            large.bytes.extend_from_slice(&vec![7; room]);
        }
        let mut bytes = std::mem::take(&mut large.bytes);
        let place = bytes.as_ptr();
        let sample = bytes.split().freeze();
        shelf.put(bytes);
        assert_eq!(shelf.take(1 << 20).capacity(), 0);
        drop(sample);
        assert_eq!(shelf.take(1 << 20).as_ptr(), place);
    }

    #[test]
    fn a_shelf_keeps_the_largest() {
        let mut shelf = Shelf::default();
        for size in [3, 1, 4, 1, 5, 9, 2, 6] {
            shelf.put(BytesMut::with_capacity(size << 16));
        }
        for size in [9, 6, 5, 4] {
            assert!(shelf.take(size << 16).capacity() >= size << 16, "{size}");
        }
        assert_eq!(shelf.take(1).capacity(), 0);
    }
}
