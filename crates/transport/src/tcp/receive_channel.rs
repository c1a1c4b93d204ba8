//! The receiving end of one connection: bytes in, messages out.
//!
//! A receiver has one read buffer for all its connections. What one read brings lands there,
//! usually many whole messages, and is handed out from there; what is left of the last one is kept
//! with its connection. A large message that is not complete gets a buffer of its own, which grows
//! with what has arrived, whatever its head claims, and into which the rest is read directly. Where
//! another one like the last is expected, it is read directly to where the caller wants it.
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use bytes::{Buf, BytesMut};
use dunlin_wire::Locator;
use dunlin_wire::stream::{Carried, StreamError, StreamHead};

use super::connection::{Connection, STRANGERS_MOST};
use super::large::{Budget, Large, Shelf, append, strip};
use super::read_predictor::{LARGE, ReadPredictor};

/// Bytes of a read buffer.
const READ_BUFFER: usize = 128 * 1024;
/// Where another large message may come, but the caller has no place for it, only so much is read
/// into the read buffer: the rest goes directly to a buffer of its own.
const GLIMPSE: usize = 128;

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

/// One connection, as its receiver knows it.
pub(super) struct ReceiveChannel {
    pub(super) connection: Arc<Connection>,
    pub(super) from: Locator,
    /// The beginning of a message.
    kept: Vec<u8>,
    large: Option<Large>,
    forecast: ReadPredictor,
    longest: usize,
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

impl ReceiveChannel {
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
            forecast: ReadPredictor::default(),
            longest,
        }
    }

    /// How much is to be read directly to the caller's buffer, if that has room for the message
    /// that is expected.
    #[inline]
    fn goes_straight_to(&self, buffer: &BytesMut) -> Option<usize> {
        let size = self.forecast.size()?;
        let fits = self.kept.is_empty() && buffer.is_empty() && buffer.capacity() >= size;
        // What belongs elsewhere must fit into the read buffer.
        fits.then_some(size.min(READ_BUFFER))
    }

    /// The bytes of the message that begins with these, if it is large; `None` leaves the judgement
    /// to the read buffer.
    fn large_size(&self, bytes: &[u8]) -> Option<usize> {
        let head = StreamHead::parse(bytes).ok()??;
        let size = usize::try_from(head.length).ok()?;
        (size > LARGE && size <= self.longest).then_some(size)
    }

    /// Bytes of the whole small messages that these begin with.
    fn small_ones(&self, bytes: &[u8]) -> usize {
        let mut end = 0;
        while let Some(rest) = bytes.get(end..)
            && let Ok(Some(head)) = StreamHead::parse(rest)
            && let Ok(size) = usize::try_from(head.length)
            && size <= LARGE.min(rest.len())
        {
            end = end.saturating_add(size);
        }
        end
    }

    fn note_pending(&self) {
        let large = self.large.as_ref().map_or(0, |large| large.bytes.len());
        let pending = u64::try_from(self.kept.len().saturating_add(large)).unwrap_or(u64::MAX);
        self.connection.pending.store(pending, Relaxed);
    }
}

/// Where what was read waits to be handed out.
pub(super) struct ReadBuffer {
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

impl ReadBuffer {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            bytes: vec![0; READ_BUFFER].into_boxed_slice(),
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

    /// Reads from a connection until it has a datagram for the caller, or nothing more to read. The
    /// read buffer is empty.
    pub(super) fn read(
        &mut self,
        place: usize,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
    ) -> Result<Look, Fault> {
        loop {
            let look = if receive_channel.large.is_some() {
                self.read_large(receive_channel, buffer)?
            } else if let Some(most) = receive_channel.goes_straight_to(buffer) {
                self.read_straight(place, receive_channel, buffer, most)?
            } else if self.fill(receive_channel)? {
                self.of = Some(place);
                self.hand_out(receive_channel, buffer)?
            } else {
                if !receive_channel.kept.is_empty() {
                    receive_channel.note_pending();
                }
                return Ok(Look::Nothing);
            };
            if let Some(look) = look {
                return Ok(look);
            }
        }
    }

    /// Puts what there is to read behind what was kept; false if there is nothing.
    fn fill(&mut self, receive_channel: &mut ReceiveChannel) -> Result<bool, Fault> {
        let kept = receive_channel.kept.len();
        let end = match receive_channel.forecast.may_be_large() {
            true => kept.saturating_add(GLIMPSE).min(self.bytes.len()),
            false => self.bytes.len(),
        };
        let room = self.bytes.get_mut(kept..end).unwrap_or_default();
        let Some(length) = read(receive_channel.connection.read(room))? else {
            return Ok(false);
        };
        self.arrived = true;
        if let Some(before) = self.bytes.get_mut(..kept) {
            before.copy_from_slice(&receive_channel.kept);
        }
        receive_channel.kept.clear();
        (self.start, self.end) = (0, kept + length);
        Ok(true)
    }

    /// Reads a message that is likely to be large to the caller's empty buffer, where it stays.
    /// Whatever else has come goes the usual way.
    fn read_straight(
        &mut self,
        place: usize,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
        most: usize,
    ) -> Result<Option<Look>, Fault> {
        if read(receive_channel.connection.read_behind(buffer, most))?.is_none() {
            return Ok(Some(Look::Nothing));
        }
        self.arrived = true;
        // What was sent before it, such as an acknowledgement.
        let front = receive_channel.small_ones(buffer);
        let come = buffer.len().saturating_sub(front);
        let room = buffer.capacity().saturating_sub(front);
        match receive_channel.large_size(buffer.get(front..).unwrap_or_default()) {
            Some(size) if front == 0 && size <= come => {
                Ok(Some(self.keep(place, receive_channel, buffer, size)))
            }
            Some(size) if size >= come && size <= room => {
                self.begin(place, receive_channel, buffer, (front, size))?;
                match self.of {
                    Some(_) => self.hand_out(receive_channel, buffer),
                    None => Ok(None),
                }
            }
            _ => {
                self.lay(place, buffer);
                buffer.clear();
                let look = self.hand_out(receive_channel, buffer);
                if self.of.is_some() {
                    receive_channel.forecast.failed();
                }
                look
            }
        }
    }

    /// The caller's buffer begins with a whole message of `size` bytes, which stays there; what is
    /// behind it goes to the read buffer.
    fn keep(
        &mut self,
        place: usize,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
        size: usize,
    ) -> Look {
        let behind = buffer.get(size..).unwrap_or_default();
        self.lay(place, behind);
        receive_channel.forecast.note(size);
        if behind.len() > LARGE {
            receive_channel.forecast.failed();
        }
        buffer.truncate(size);
        strip(buffer);
        receive_channel.connection.prove();
        Look::Datagram(buffer.len())
    }

    /// The caller's buffer holds `front` bytes of small messages, which go to the read buffer and
    /// are handed out first, and the beginning of one of `size` bytes, which stays there; the
    /// caller gets another buffer that is as large.
    fn begin(
        &mut self,
        place: usize,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
        (front, size): (usize, usize),
    ) -> Result<(), Fault> {
        let room = buffer.capacity();
        let mut begun = std::mem::replace(buffer, self.spares.take(room));
        buffer.reserve(room);
        self.lay(place, begun.get(..front).unwrap_or_default());
        begun.advance(front);
        receive_channel.large = Some(Large::new(begun, size, &self.budget)?);
        Ok(())
    }

    /// Puts what was read elsewhere into the read buffer, which is empty; no more than it has room
    /// for was read.
    fn lay(&mut self, place: usize, bytes: &[u8]) {
        if let Some(room) = self.bytes.get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
            (self.start, self.end) = (0, bytes.len());
            self.of = (!bytes.is_empty()).then_some(place);
        }
    }

    /// What was read before the receiver knew the connection is looked at first.
    pub(super) fn take_over(
        &mut self,
        place: usize,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let kept = std::mem::take(&mut receive_channel.kept);
        if kept.len() > self.bytes.len() {
            return Err(Fault::NoMemory);
        }
        self.lay(place, &kept);
        self.hand_out(receive_channel, buffer)
    }

    /// Hands out the next message of the read buffer; `None` if there is no whole one. Then the
    /// buffer is empty.
    pub(super) fn hand_out(
        &mut self,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let bytes = self.bytes.get(self.start..self.end).unwrap_or_default();
        let head = StreamHead::parse(bytes).map_err(Fault::Stream)?;
        let Some(StreamHead { length, .. }) = head else {
            receive_channel.kept.extend_from_slice(bytes);
            self.of = None;
            return Ok(None);
        };
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if size > receive_channel.longest {
            return Err(Fault::TooLong(length));
        }
        if let Some(message) = bytes.get(..size) {
            receive_channel.forecast.note(size);
            let carried = Carried::parse(message);
            if buffer.capacity() - buffer.len() < carried.length() {
                return Ok(Some(Look::Larger(carried.length())));
            }
            append(buffer, &carried);
            let look = Look::Datagram(carried.length());
            self.advance(size);
            receive_channel.connection.prove();
            return Ok(Some(look));
        }
        self.of = None;
        if size <= LARGE {
            receive_channel.kept.extend_from_slice(bytes);
            return Ok(None);
        }
        let mut large = Large::new(self.spares.take(size), size, &self.budget)?;
        large.grow(bytes.len())?;
        dunlin_copy::append(&mut large.bytes, bytes);
        receive_channel.large = Some(large);
        Ok(None)
    }

    fn advance(&mut self, length: usize) {
        self.start += length;
        if self.start >= self.end {
            self.of = None;
        }
    }

    /// Drops the next message, which is whole.
    pub(super) fn drop_next(&mut self, receive_channel: &mut ReceiveChannel) {
        if self.of.is_none() {
            receive_channel.large = None;
            return;
        }
        let bytes = self.bytes.get(self.start..self.end).unwrap_or_default();
        if let Ok(Some(head)) = StreamHead::parse(bytes) {
            self.advance(usize::try_from(head.length).unwrap_or(usize::MAX));
        }
    }

    fn read_large(
        &mut self,
        receive_channel: &mut ReceiveChannel,
        buffer: &mut BytesMut,
    ) -> Result<Option<Look>, Fault> {
        let Some(large) = &mut receive_channel.large else {
            return Ok(None);
        };
        while large.left() > 0 {
            large.grow(0)?;
            let left = large.left();
            if read(
                receive_channel
                    .connection
                    .read_behind(&mut large.bytes, left),
            )?
            .is_none()
            {
                receive_channel.note_pending();
                return Ok(Some(Look::Nothing));
            }
            self.arrived = true;
        }
        let length = Carried::parse(&large.bytes).length();
        let spare = if buffer.is_empty() {
            strip(&mut large.bytes);
            // The caller gets this buffer, and a later large message that of the caller.
            std::mem::replace(buffer, std::mem::take(&mut large.bytes))
        } else if buffer.capacity() - buffer.len() >= length {
            append(buffer, &Carried::parse(&large.bytes));
            std::mem::take(&mut large.bytes)
        } else {
            return Ok(Some(Look::Larger(length)));
        };
        self.spares.put(spare);
        receive_channel.forecast.note(large.size);
        receive_channel.large = None;
        receive_channel.connection.prove();
        Ok(Some(Look::Datagram(length)))
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
