//! A sample in datagrams without RTPS: the 28 bytes of members, then payload; above the limit of
//! UDP in pieces.
//!
//! The member that holds the length of the sequence is not needed in a datagram; it carries the
//! topic and the piece.

use super::lines::Lines;
use crate::messaging::{Header, OVERHEAD, Topic};

/// Largest datagram of UDP over IPv4.
pub(super) const MAX_DATAGRAM: usize = 65_507;

/// Payload of one piece of a sample that does not fit into one datagram.
pub(super) const PIECE: usize = 60 * 1_024;

/// Bytes before it: the members and a gap, so that payload keeps its place within a cache line.
pub(super) const PIECE_HEAD: usize = OVERHEAD.next_multiple_of(32);

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

/// Receives datagrams, and puts the pieces of one sample together where they arrive: each is
/// received behind the one before, with its head over the end of that, which is kept meanwhile.
/// Pieces arrive in order; a sample with a gap is dropped.
pub(crate) struct Assembly {
    bytes: Lines,
    of: Option<(Header, Topic)>,
    next: u32,
    /// Where the next datagram is received.
    place: usize,
    /// What is at that place.
    kept: [u8; PIECE_HEAD],
}

impl Assembly {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            bytes: Lines::new(MAX_DATAGRAM),
            of: None,
            next: 0,
            place: 0,
            kept: [0; PIECE_HEAD],
        }
    }

    /// Where a datagram is to be received.
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [u8] {
        let end = self.place + MAX_DATAGRAM;
        self.bytes.get_mut(self.place..end).unwrap_or_default()
    }

    /// The datagram that has been received last.
    pub(crate) fn datagram(&self, length: usize) -> &[u8] {
        let end = self.place + length;
        self.bytes.get(self.place..end).unwrap_or_default()
    }

    /// Takes the datagram that has been received; gives a sample that is whole: a datagram, or all
    /// pieces.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Option<(Topic, Header, &[u8])> {
        let (header, piece, payload) = decode(self.datagram(length))?;
        if piece.total > 1 {
            let payload = (OVERHEAD + payload.len()).checked_sub(PIECE_HEAD)?;
            return self.add(header, piece, payload);
        }
        if self.next == 0 {
            return Some((piece.topic, header, self.datagram(length).get(OVERHEAD..)?));
        }
        self.take_between(header, piece.topic, length)
    }

    /// A whole sample between the pieces of another one.
    #[cold]
    fn take_between(
        &mut self,
        header: Header,
        topic: Topic,
        length: usize,
    ) -> Option<(Topic, Header, &[u8])> {
        let (from, to) = (self.place, self.place + PIECE_HEAD);
        // It goes on behind what is kept, which takes its place again.
        self.bytes.copy_within(from..from + length, to);
        self.restore();
        let sample = self.bytes.get(to + OVERHEAD..to + length)?;
        Some((topic, header, sample))
    }

    /// Puts back what a head has overwritten.
    fn restore(&mut self) {
        let end = self.place + PIECE_HEAD;
        if let Some(place) = self.bytes.get_mut(self.place..end) {
            place.copy_from_slice(&self.kept);
        }
    }

    fn add(
        &mut self,
        header: Header,
        piece: Piece,
        payload: usize,
    ) -> Option<(Topic, Header, &[u8])> {
        if piece.index == 0 {
            self.begin(header, piece, payload);
        }
        let last = piece.index + 1 == piece.total;
        let fits = payload == PIECE || (last && payload <= PIECE);
        let expected = self.of == Some((header, piece.topic)) && piece.index == self.next;
        if !expected || !fits {
            (self.of, self.next, self.place) = (None, 0, 0);
            return None;
        }
        if self.next > 0 {
            self.restore();
        }
        let end = self.place + PIECE_HEAD + payload;
        if last {
            (self.of, self.next, self.place) = (None, 0, 0);
            let sample = self.bytes.get(PIECE_HEAD..end)?;
            return Some((piece.topic, header, sample));
        }
        self.next += 1;
        self.place += PIECE;
        let kept = self.bytes.get(self.place..)?.first_chunk::<PIECE_HEAD>()?;
        self.kept = *kept;
        None
    }

    /// The first piece moves to the front, if it is not there.
    fn begin(&mut self, header: Header, piece: Piece, payload: usize) {
        let whole = piece.total as usize * PIECE;
        if whole >= MAX_DATA_LEN + PIECE {
            self.of = None;
            return;
        }
        self.bytes
            .copy_within(self.place..self.place + PIECE_HEAD + payload, 0);
        (self.of, self.next, self.place) = (Some((header, piece.topic)), 0, 0);
        // Each datagram finds room behind those before it, and a whole one behind its own head.
        self.bytes.grow(whole + MAX_DATAGRAM + PIECE_HEAD);
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

    /// Receives a datagram with this payload; the payload that is whole then.
    fn receive(
        assembly: &mut Assembly,
        header: &Header,
        piece: Piece,
        payload: &[u8],
    ) -> Option<(Header, Vec<u8>)> {
        let mut datagram = encode(header, piece).to_vec();
        datagram.resize(
            if piece.total > 1 {
                PIECE_HEAD
            } else {
                OVERHEAD
            },
            0,
        );
        datagram.extend_from_slice(payload);
        assembly.room()[..datagram.len()].copy_from_slice(&datagram);
        let whole = assembly.take(datagram.len());
        whole.map(|(_, header, payload)| (header, payload.to_vec()))
    }

    fn pieces_of(payload: &[u8]) -> impl Iterator<Item = (Piece, &[u8])> {
        let total = payload.len().div_ceil(PIECE) as u32;
        (0..)
            .zip(payload.chunks(PIECE))
            .map(move |(index, data)| (piece(index, total), data))
    }

    #[test]
    fn pieces_in_order_become_a_sample_and_a_gap_drops_it() {
        let mut assembly = Assembly::new();
        let full = vec![7u8; PIECE];
        let mut take = |number, place, payload: &[u8]| {
            let whole = receive(&mut assembly, &header(number), place, payload);
            whole.map(|(_, payload)| payload.len())
        };
        assert_eq!(take(1, piece(0, 3), &full), None);
        assert_eq!(take(1, piece(1, 3), &full), None);
        assert_eq!(take(1, piece(2, 3), &[7; 5]), Some(2 * PIECE + 5));
        assert_eq!(take(2, piece(0, 2), &full), None);
        assert_eq!(take(3, piece(1, 2), &[7; 5]), None);
        assert_eq!(take(2, piece(1, 2), &[7; 5]), None);
        assert_eq!(take(4, piece(0, 2), &full[..PIECE - 1]), None, "too short");
        assert_eq!(take(4, piece(1, 2), &[7; 5]), None);
        assert_eq!(take(5, piece(0, 0x7fff), &full), None, "too long");
        assert_eq!(take(5, piece(1, 0x7fff), &full), None);
        assert_eq!(take(6, piece(0, 2), &full), None);
        assert_eq!(take(6, piece(1, 2), &[]), Some(PIECE));
    }

    #[test]
    fn pieces_arrive_where_they_belong_whatever_comes_between() {
        for length in [PIECE + 1, 2 * PIECE, 3 * PIECE - 40, 40 * PIECE + 9] {
            let payload: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            for between in [false, true] {
                let mut assembly = Assembly::new();
                // One that is cut short is no obstacle for the next one.
                receive(&mut assembly, &header(1), piece(0, 2), &payload[..PIECE]);
                let mut whole = None;
                for (place, data) in pieces_of(&payload) {
                    whole = receive(&mut assembly, &header(2), place, data);
                    if between && whole.is_none() {
                        let small = receive(&mut assembly, &header(3), piece(0, 1), &payload[..99]);
                        assert_eq!(small, Some((header(3), payload[..99].to_vec())));
                    }
                }
                assert!(
                    whole == Some((header(2), payload.clone())),
                    "{length} {between}"
                );
            }
        }
    }

    #[test]
    fn a_datagram_in_the_middle_of_a_sample_may_be_of_full_length() {
        let mut assembly = Assembly::new();
        let full = vec![9; MAX_DATAGRAM - OVERHEAD];
        for (place, data) in pieces_of(&[7; 3 * PIECE]) {
            let whole = receive(&mut assembly, &header(1), place, data);
            let longest = receive(&mut assembly, &header(2), piece(0, 1), &full);
            assert!(longest == Some((header(2), full.clone())));
            let complete = place.index + 1 == place.total;
            assert!(whole == complete.then(|| (header(1), vec![7; 3 * PIECE])));
        }
    }
}
