//! A sample in datagrams without RTPS: the 28 bytes of members, then payload; above the limit of
//! UDP in pieces.
//!
//! The member that holds the length of the sequence is not needed in a datagram; it carries the
//! topic and the piece.

use crate::messaging::{Header, OVERHEAD, Topic};

/// Largest datagram of UDP over IPv4.
pub(super) const MAX_DATAGRAM: usize = 65_507;

/// Payload of one piece of a sample that does not fit into one datagram.
pub(super) const PIECE: usize = 60 * 1_024 - OVERHEAD;

/// Largest sample, in bytes.
pub(crate) const MAX_DATA_LEN: usize = 32 << 20;

/// Where a datagram belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) topic: Topic,
    pub(super) index: u32,
    pub(super) total: u32,
}

/// How many datagrams a payload takes.
pub(super) fn pieces(payload: usize) -> u32 {
    if payload + OVERHEAD <= MAX_DATAGRAM {
        1
    } else {
        payload.div_ceil(PIECE) as u32
    }
}

/// The members as they travel.
pub(super) fn encode(header: &Header, piece: Piece) -> [u8; OVERHEAD] {
    let words = [
        u32::from_le_bytes(header.key),
        header.entity_id as u32,
        header.seq_num,
        header.timestamp_sec as u32,
        header.timestamp_usec,
        header.latency_ping as u32,
        piece.topic as u32 | piece.index << 2 | piece.total << 17,
    ];
    let mut bytes = [0; OVERHEAD];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The members, the piece and the payload of a datagram; `None` if it is none of ours.
pub(super) fn decode(datagram: &[u8]) -> Option<(Header, Piece, &[u8])> {
    let (head, payload) = datagram.split_first_chunk::<OVERHEAD>()?;
    let mut words = head.chunks_exact(4).filter_map(|word| word.try_into().ok());
    let header = Header {
        key: words.next()?,
        entity_id: i32::from_le_bytes(words.next()?),
        seq_num: u32::from_le_bytes(words.next()?),
        timestamp_sec: i32::from_le_bytes(words.next()?),
        timestamp_usec: u32::from_le_bytes(words.next()?),
        latency_ping: i32::from_le_bytes(words.next()?),
    };
    let word = u32::from_le_bytes(words.next()?);
    let topic = match word & 3 {
        0 => Topic::Throughput,
        1 => Topic::Latency,
        2 => Topic::Announcement,
        _ => return None,
    };
    let piece = Piece {
        topic,
        index: word >> 2 & 0x7fff,
        total: word >> 17,
    };
    (piece.index < piece.total).then_some((header, piece, payload))
}

/// Puts the pieces of one sample together. They arrive in order; a sample with a gap is dropped.
#[derive(Default)]
pub(super) struct Assembly {
    of: Option<(Header, Topic)>,
    next: u32,
    bytes: Vec<u8>,
}

impl Assembly {
    /// Takes a piece; gives the whole payload after the last one.
    pub(super) fn take(&mut self, header: &Header, piece: Piece, payload: &[u8]) -> Option<&[u8]> {
        if piece.index == 0 {
            self.of = Some((*header, piece.topic));
            self.next = 0;
            self.bytes.clear();
        }
        let last = piece.index + 1 == piece.total;
        let fits = payload.len() == PIECE || (last && payload.len() <= PIECE);
        let expected = self.of == Some((*header, piece.topic)) && piece.index == self.next;
        if !expected || !fits || self.bytes.len() + payload.len() > MAX_DATA_LEN {
            self.of = None;
            return None;
        }
        self.bytes.extend_from_slice(payload);
        self.next += 1;
        last.then_some(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(seq_num: u32) -> Header {
        Header {
            key: [1, 2, 3, 4],
            entity_id: -5,
            seq_num,
            timestamp_sec: -7,
            timestamp_usec: 8,
            latency_ping: -1,
        }
    }

    fn piece(index: u32, total: u32) -> Piece {
        Piece {
            topic: Topic::Latency,
            index,
            total,
        }
    }

    #[test]
    fn members_survive_the_wire_and_short_datagrams_do_not() {
        let mut datagram = encode(&header(6), piece(2, 300)).to_vec();
        datagram.extend_from_slice(b"payload");
        let (back, place, payload) = decode(&datagram).unwrap();
        assert_eq!(
            (back, place, payload),
            (header(6), piece(2, 300), &b"payload"[..])
        );
        for length in 0..OVERHEAD {
            assert!(decode(&datagram[..length]).is_none());
        }
        assert!(decode(&encode(&header(6), piece(3, 3))).is_none());
        assert!(decode(&[0xff; OVERHEAD]).is_none());
    }

    #[test]
    fn a_sample_is_one_datagram_as_long_as_it_fits() {
        assert_eq!(pieces(0), 1);
        assert_eq!(pieces(MAX_DATAGRAM - OVERHEAD), 1);
        assert_eq!(pieces(MAX_DATAGRAM - OVERHEAD + 1), 2);
        assert!(pieces(MAX_DATA_LEN) < 0x7fff);
    }

    #[test]
    fn pieces_in_order_become_a_sample_and_a_gap_drops_it() {
        let mut assembly = Assembly::default();
        let full = [7u8; PIECE];
        assert!(assembly.take(&header(1), piece(0, 3), &full).is_none());
        assert!(assembly.take(&header(1), piece(1, 3), &full).is_none());
        let whole = assembly
            .take(&header(1), piece(2, 3), &[7; 5])
            .map(<[u8]>::len);
        assert_eq!(whole, Some(2 * PIECE + 5));
        assert!(assembly.take(&header(2), piece(0, 2), &full).is_none());
        assert!(assembly.take(&header(3), piece(1, 2), &[7; 5]).is_none());
        assert!(assembly.take(&header(2), piece(1, 2), &[7; 5]).is_none());
        assert!(
            assembly.take(&header(4), piece(0, 2), &[7; 5]).is_none(),
            "a short piece in the middle"
        );
        assert!(assembly.take(&header(4), piece(1, 2), &[7; 5]).is_none());
    }
}
