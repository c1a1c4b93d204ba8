//! Where datagrams leave: what protects a datagram on its way is put on here and nowhere else.
//!
//! What makes datagrams, the ways for the most frequent ones included, knows nothing of it but by
//! how much they may grow.
use crate::send::checksum;
use crate::send::destination::Destination;
use arrayvec::ArrayVec;
use bytes::BytesMut;
use dunlin_transport::{Outgoing, Transport};
use std::ops::Range;

/// A datagram becomes no longer than by so many bytes.
pub(crate) const GROWTH: usize = checksum::SEAL;

/// Datagrams handed to the transport at once.
const AT_ONCE: usize = 64;
/// Bytes of sealed heads that are handed to the transport at once: what the kernel takes as one
/// message.
const SEALED_AT_ONCE: usize = 65_507;

/// The datagram as it is to leave for its destination, alone. What differs from `plain` is put into
/// `buffer`.
#[inline]
pub(crate) fn seal<'a>(
    destination: &Destination,
    plain: Outgoing<'a>,
    buffer: &'a mut BytesMut,
) -> Outgoing<'a> {
    buffer.clear();
    let head = head(destination, &plain, buffer);
    with_head(plain, &head, buffer)
}

/// Datagrams that leave one after the other, and are handed to the transport together.
pub(crate) struct Leaving<'d, 't> {
    transport: &'t dyn Transport,
    waiting: ArrayVec<(Outgoing<'d>, Head), AT_ONCE>,
    /// Their heads, as far as these are sealed.
    buffer: &'t mut BytesMut,
}

impl<'d, 't> Leaving<'d, 't> {
    /// None; the content of `buffer` is of no account.
    pub(crate) fn new(transport: &'t dyn Transport, buffer: &'t mut BytesMut) -> Self {
        buffer.clear();
        Self {
            transport,
            waiting: ArrayVec::new(),
            buffer,
        }
    }

    /// One more; those before it are sent if there are too many.
    pub(crate) fn add(&mut self, destination: &Destination, plain: Outgoing<'d>) {
        let length = self.buffer.len() + plain.head.len() + GROWTH;
        if self.waiting.is_full() || length > SEALED_AT_ONCE {
            self.send();
        }
        let head = head(destination, &plain, self.buffer);
        self.waiting.push((plain, head));
    }

    /// Sends those that wait.
    pub(crate) fn send(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let all = self.waiting.drain(..);
        let all = all.map(|(plain, head)| with_head(plain, &head, self.buffer));
        self.transport.send(&all.collect::<ArrayVec<_, AT_ONCE>>());
        self.buffer.clear();
    }
}

/// Where in a buffer the sealed head of a datagram lies; `None` if the datagram leaves as it is.
type Head = Option<Range<usize>>;

/// Appends what differs from `plain`, as it is to leave for its destination, to `buffer`.
#[inline]
fn head(destination: &Destination, plain: &Outgoing<'_>, buffer: &mut BytesMut) -> Head {
    match destination.is_protected() {
        false => None,
        true => Some(with_checksum(plain, buffer)),
    }
}

#[inline]
fn with_head<'a>(plain: Outgoing<'a>, head: &Head, buffer: &'a [u8]) -> Outgoing<'a> {
    match head {
        None => plain,
        Some(range) => Outgoing {
            head: buffer.get(range.clone()).unwrap_or_default(),
            ..plain
        },
    }
}

#[inline(never)]
fn with_checksum(plain: &Outgoing<'_>, buffer: &mut BytesMut) -> Range<usize> {
    let start = buffer.len();
    checksum::seal(plain.head, [plain.payload, plain.tail], buffer);
    start..buffer.len()
}
