//! A datagram as it stands in a stream, without a copy of what it carries.
use std::io::IoSlice;

use dunlin_wire::stream::{HEAD, LENGTH, OPAQUE_HEAD, head, opaque_head};
use dunlin_wire::{GuidPrefix, Header};

use crate::traits::Outgoing;

/// Pieces of memory that a message is gathered from.
pub(super) const SLICES: usize = 4;

/// A message that is not longer is put together before it is sent: one piece costs the system less
/// than four.
pub(super) const SHORT: usize = 1024;

/// One message: a head of its own, and what follows it in the datagram.
pub(super) struct Frame<'a> {
    head: [u8; OPAQUE_HEAD],
    head_length: usize,
    parts: [&'a [u8]; SLICES - 1],
    length: usize,
}

impl<'a> Frame<'a> {
    /// `None` if the datagram is empty or longer than any may be.
    #[inline]
    pub(super) fn new(name: GuidPrefix, datagram: &Outgoing<'a>) -> Option<Self> {
        let carried = datagram.length();
        if carried == 0 || carried > super::MAX_DATAGRAM {
            return None;
        }
        let length = u32::try_from(carried).ok()?;
        let mut parts = [datagram.head, datagram.payload, datagram.tail];
        let mut start = [0; OPAQUE_HEAD];
        match header(&parts) {
            Some(header) => {
                start
                    .first_chunk_mut::<HEAD>()?
                    .copy_from_slice(&head(&header, length));
                skip(&mut parts, Header::SIZE);
                Some(Self {
                    head: start,
                    head_length: HEAD,
                    parts,
                    length: carried + LENGTH,
                })
            }
            None => Some(Self {
                head: opaque_head(name, length),
                head_length: OPAQUE_HEAD,
                parts,
                length: carried + OPAQUE_HEAD,
            }),
        }
    }

    /// Bytes in the stream.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The whole message in one piece, if it is short.
    #[inline]
    pub(super) fn gather<'r>(&self, room: &'r mut [u8; SHORT]) -> Option<&'r [u8]> {
        let mut end = 0;
        for slice in self.slices(0) {
            let start = end;
            end += slice.len();
            room.get_mut(start..end)?.copy_from_slice(&slice);
        }
        room.get(..end)
    }

    /// All but the first `done` bytes.
    #[inline]
    pub(super) fn slices(&self, done: usize) -> [IoSlice<'_>; SLICES] {
        let [a, b, c] = self.parts;
        let mut all = [
            self.head.get(..self.head_length).unwrap_or_default(),
            a,
            b,
            c,
        ];
        skip(&mut all, done);
        all.map(IoSlice::new)
    }
}

/// The header, if the datagram is an RTPS message.
#[inline]
fn header(parts: &[&[u8]; 3]) -> Option<[u8; Header::SIZE]> {
    let [first, ..] = parts;
    let header = match first.first_chunk::<{ Header::SIZE }>() {
        Some(header) => *header,
        None => gathered(parts)?,
    };
    header.starts_with(b"RTPS").then_some(header)
}

#[cold]
fn gathered(parts: &[&[u8]; 3]) -> Option<[u8; Header::SIZE]> {
    let mut header = [0; Header::SIZE];
    let mut bytes = parts.iter().flat_map(|part| part.iter());
    for place in &mut header {
        *place = *bytes.next()?;
    }
    Some(header)
}

/// Cuts off the first bytes.
#[inline]
fn skip(parts: &mut [&[u8]], mut count: usize) {
    for part in parts {
        if count == 0 {
            return;
        }
        let cut = count.min(part.len());
        *part = part.get(cut..).unwrap_or_default();
        count -= cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::Locator;
    use dunlin_wire::stream::{Carried, StreamHead};

    const NAME: GuidPrefix = GuidPrefix([7; 12]);

    fn outgoing<'a>([head, payload, tail]: [&'a [u8]; 3]) -> Outgoing<'a> {
        Outgoing {
            to: Locator::tcp_v4([127, 0, 0, 1].into(), 1),
            lane: None,
            head,
            payload,
            tail,
            patient: false,
            dscp: 0,
        }
    }

    fn carried(parts: [&[u8]; 3]) -> Vec<u8> {
        let frame = Frame::new(NAME, &outgoing(parts)).unwrap();
        let bytes: Vec<u8> = frame.slices(0).iter().flat_map(|s| s.to_vec()).collect();
        for done in 0..=bytes.len() {
            let rest: Vec<u8> = frame.slices(done).iter().flat_map(|s| s.to_vec()).collect();
            assert_eq!(rest, bytes[done..]);
        }
        let length = StreamHead::parse(&bytes).unwrap().unwrap().length;
        assert_eq!(length as usize, bytes.len());
        assert_eq!(frame.length(), bytes.len());
        assert_eq!(frame.gather(&mut [0; SHORT]), Some(&bytes[..]));
        match Carried::parse(&bytes) {
            Carried::Message(header, rest) => [header, rest].concat(),
            Carried::Opaque(bytes) => bytes.to_vec(),
        }
    }

    #[test]
    fn a_datagram_is_carried_however_it_is_divided() {
        let message = b"RTPS\x02\x05\x44\x4c____________submessages";
        for a in 0..message.len() {
            for b in a..message.len() {
                let (first, rest) = message.split_at(a);
                let (second, third) = rest.split_at(b - a);
                assert_eq!(carried([first, second, third]), message);
                assert_eq!(carried([third, first, b"x"]), [third, first, b"x"].concat());
            }
        }
        assert_eq!(carried([&message[..20], b"", b""]), &message[..20]);
    }

    #[test]
    fn what_is_not_short_stays_in_pieces() {
        for (carried, whole) in [
            (SHORT - OPAQUE_HEAD, true),
            (SHORT - OPAQUE_HEAD + 1, false),
        ] {
            let payload = vec![7; carried];
            let frame = Frame::new(NAME, &outgoing([b"", &payload, b""])).unwrap();
            assert_eq!(frame.gather(&mut [0; SHORT]).is_some(), whole);
        }
    }

    #[test]
    fn nothing_is_no_message() {
        assert!(Frame::new(NAME, &outgoing([b"", b"", b""])).is_none());
    }
}
