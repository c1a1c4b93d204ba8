//! One ring from one process to another: slots in the sender's link, the cursor in the reader's.
//!
//! A slot is four cache lines: a header word and 248 bytes. A message takes as many slots in a row
//! as it needs, and each has a header of its own, so whatever the payload is, it is never where a
//! reader looks for a header. The header of the first slot is written last (Release): it carries
//! the position of the slot, which differs from lap to lap, so the reader, which looks at exactly
//! one word (Acquire), learns in one cache line that there is a message, and has a small one with
//! it. A sender that dies in between has published nothing.
//!
//! The sender writes a slot again only when the reader's cursor (Release by the reader, Acquire
//! here) has passed it. A cursor that goes back or ahead of the head is a [`Violation`], so is a
//! header that is neither new nor of the last lap.
#[cfg(any(test, loom))]
use crate::LinkSize;
use crate::Violation;
#[cfg(any(test, loom))]
use crate::link::Layout;
use crate::link::SLOT;
#[cfg(any(test, loom))]
use crate::memory::Owner;
use crate::memory::{LINE, WORD};

mod receiver;
mod sender;

pub use receiver::Receiver;
pub use sender::{Sender, Withdrawal};

/// Bytes of a slot that carry payload.
const ROOM: usize = SLOT - WORD;

/// Bytes of a message that lie in the cache line of its first header.
const FIRST: usize = LINE * WORD - WORD;

/// Cache lines that are asked for before they are needed, at most.
const AHEAD: usize = 64;

const LENGTH_BITS: u32 = 24;
const MESSAGE: u8 = 1;
const CHUNK: u8 = 2;
const MORE: u8 = 3;
const WITHDRAWAL: u8 = 4;

/// Bytes of a descriptor, before the inline bytes: token, where the chunk's bytes belong, where in
/// the chunk they begin, how many.
const DESCRIPTOR: usize = 4 * WORD;

/// The header of a slot: 32 bits of its position, 8 of kind, 24 of length.
#[inline]
fn header(position: u64, kind: u8, length: usize) -> u64 {
    u64::from(stamp(position)) << 32 | u64::from(kind) << LENGTH_BITS | length as u64
}

/// What distinguishes a position from the same slot a lap ago, and the first lap from zeroed
/// memory.
#[inline]
fn stamp(position: u64) -> u32 {
    (position as u32).wrapping_add(1)
}

/// Up to about this many bytes a message that has to be copied is faster in the ring than in a
/// chunk; a chunk costs two more cache lines to look at, and the ring more instructions for each
/// byte.
pub const BEST_INLINE: usize = 4096;

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
    /// The caller's fault: the range is not inside the chunk, or its place not inside the inline
    /// bytes.
    #[error("the attachment is out of range")]
    OutOfRange,
    /// The reader broke the rules; the connection is dead.
    #[error("the reader broke the rules: {0}")]
    Violation(Violation),
}

/// What has come from the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A message of this many bytes, now at the beginning of the buffer.
    Message(usize),
    /// A message of which a part lies in a chunk, which waits for [`Receiver::copy_chunk`],
    /// [`Receiver::hold_chunk`] or [`Receiver::skip_chunk`]. A chunk alone is all attachment:
    /// nothing is inline.
    Attached {
        /// Bytes that came in the ring, now at the beginning of the buffer.
        inline: usize,
        /// Before which of these the chunk's belong, at most `inline`.
        at: usize,
        /// Bytes in the chunk.
        length: usize,
    },
    /// The peer sends no chunk of one of its pools any more, which waits for
    /// [`Receiver::forget_pool`].
    Withdrawal,
}

/// Slots for a message; an empty one takes one, too.
#[inline]
fn slots(length: usize) -> u64 {
    length.div_ceil(ROOM).max(1) as u64
}

/// Cache lines of a message with its headers.
#[inline]
fn lines(length: usize, slots: u64) -> usize {
    (length + slots as usize * WORD).div_ceil(LINE * WORD)
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
mod tests;
