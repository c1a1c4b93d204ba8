//! Where datagrams leave: what protects a datagram on its way is put on here and nowhere else.
//!
//! What makes datagrams, the ways for the most frequent ones included, knows nothing of it but by
//! how much they may grow.
use crate::send::checksum;
use crate::send::destination::Destination;
use bytes::BytesMut;
use dunlin_transport::Outgoing;

/// A datagram becomes no longer than by so many bytes.
pub(crate) const GROWTH: usize = checksum::SEAL;

/// The datagram as it is to leave for its destination. What differs from `plain` is put into
/// `buffer`.
#[inline]
pub(crate) fn seal<'a>(
    destination: &Destination,
    plain: Outgoing<'a>,
    buffer: &'a mut BytesMut,
) -> Outgoing<'a> {
    match destination.is_protected() {
        false => plain,
        true => with_checksum(plain, buffer),
    }
}

#[inline(never)]
fn with_checksum<'a>(plain: Outgoing<'a>, buffer: &'a mut BytesMut) -> Outgoing<'a> {
    buffer.clear();
    checksum::seal(plain.head, [plain.payload, plain.tail], buffer);
    Outgoing {
        head: buffer,
        ..plain
    }
}
