//! Submessages become datagrams: the production side of `rtps::Outbox`.
//!
//! Headers and small payloads are encoded one after the other into one arena; a large payload stays where it is and is
//! referred to by a counted slice, so that `sendmsg` gathers it. Nothing is allocated once the arena has its size.
use crate::checksum::{self, SEAL};
use crate::place::Place;
use arrayvec::ArrayVec;
use bytes::{BufMut, Bytes, BytesMut};
use dunlin_rtps::{Outbox, Piece as Part, To};
use dunlin_transport::{Outgoing, Transport};
use dunlin_wire::{GuidPrefix, Header, Submessage, Timestamp};
use std::ops::Range;

/// Payloads up to this size are copied behind their header; larger ones are gathered by the kernel, which costs as much as
/// a copy of 16 KiB and the room for samples to share a datagram.
pub(crate) const COPY_LIMIT: usize = 16 * 1024;
/// Bytes of submessages around a sample, if it is nothing special.
const SAMPLE_OVERHEAD: usize = 96;
/// Datagrams handed to the transport at once.
const AT_ONCE: usize = 32;

/// Datagrams under construction for one writer, one receiver or discovery.
pub(crate) struct Datagrams {
    header: Header,
    limit: usize,
    arena: BytesMut,
    pieces: Vec<Piece>,
    bytes: usize,
    /// There is a heartbeat that wants an answer.
    asks: bool,
    /// Heads with a seal, while they are sent.
    sealed: BytesMut,
}

/// One datagram: `head`, then `payload`, then `tail`.
struct Piece {
    to: To,
    head: Range<usize>,
    payload: Bytes,
    tail: Range<usize>,
    timestamp: Option<Timestamp>,
    /// DATA and DATA_FRAG in it.
    samples: u32,
}

impl Piece {
    fn len(&self) -> usize {
        self.head.len() + self.payload.len() + self.tail.len()
    }
}

impl Datagrams {
    /// An empty set of datagrams from `prefix`, none longer than `limit` bytes.
    pub(crate) fn new(prefix: GuidPrefix, limit: usize) -> Self {
        Self {
            header: Header::new(prefix),
            limit: limit.saturating_sub(SEAL),
            arena: BytesMut::new(),
            pieces: Vec::new(),
            bytes: 0,
            asks: false,
            sealed: BytesMut::new(),
        }
    }

    /// Datagrams begun from now on are not longer than this, unless a single submessage is.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit.saturating_sub(SEAL);
    }

    /// Bytes waiting to be sent.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Is there room for one more sample of this size in the one datagram that waits, and does nothing in it ask for an
    /// answer, which should not be later than need be?
    pub(crate) fn has_room(&self, size: usize) -> bool {
        match self.pieces.as_slice() {
            [only] => {
                let least = size.saturating_add(SAMPLE_OVERHEAD);
                !self.asks && only.payload.is_empty() && only.len() + least <= self.limit
            }
            _ => false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whom the waiting datagrams address.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = To> {
        self.pieces.iter().map(|piece| piece.to)
    }

    /// Sends everything to where `places` says, in order, and starts afresh.
    pub(crate) fn flush<'r>(
        &mut self,
        transport: &dyn Transport,
        places: impl Fn(To) -> &'r [Place],
    ) {
        let Self {
            arena,
            pieces,
            sealed,
            ..
        } = self;
        let mut batch = ArrayVec::<Outgoing<'_>, AT_ONCE>::new();
        for piece in pieces.iter() {
            for place in places(piece.to) {
                if batch.is_full() || place.sealed {
                    send(transport, &mut batch);
                }
                let plain = place.outgoing([
                    arena.get(piece.head.clone()).unwrap_or_default(),
                    &piece.payload,
                    arena.get(piece.tail.clone()).unwrap_or_default(),
                ]);
                if place.sealed {
                    sealed.clear();
                    checksum::seal(plain.head, [plain.payload, plain.tail], sealed);
                    transport.send(&[Outgoing {
                        head: sealed,
                        ..plain
                    }]);
                } else {
                    batch.push(plain);
                }
            }
        }
        send(transport, &mut batch);
        drop(batch);
        self.pieces.clear();
        self.arena.clear();
        self.bytes = 0;
        self.asks = false;
    }

    /// Makes the last piece one that can take `size` more bytes for `to`.
    fn open(&mut self, to: To, size: usize, gathers: bool) {
        let fits = self.pieces.last().is_some_and(|piece| {
            piece.to == to
                && piece.len() + size <= self.limit
                && (!gathers || piece.payload.is_empty())
        });
        if fits {
            return;
        }
        let timestamp = self
            .pieces
            .last()
            .filter(|p| p.to == to)
            .and_then(|p| p.timestamp);
        self.begin(to, timestamp);
    }

    /// A question to the readers does not travel with a single small sample: they answer a sample that has no question with it
    /// sooner, and the question in the time that they would wait. For a large one a datagram more is the greater loss.
    fn let_sample_go_ahead(&mut self, to: To) {
        let single =
            |piece: &Piece| piece.to == to && piece.samples == 1 && piece.payload.is_empty();
        if self.pieces.last().is_some_and(single) {
            self.begin(to, None);
        }
    }

    fn begin(&mut self, to: To, timestamp: Option<Timestamp>) {
        let start = self.arena.len();
        self.header.encode(&mut self.arena);
        if let To::Endpoint(guid) = to {
            Submessage::InfoDestination(guid.prefix).encode(&mut self.arena);
        }
        if timestamp.is_some() {
            Submessage::InfoTimestamp(timestamp).encode(&mut self.arena);
        }
        let end = self.arena.len();
        self.bytes += end - start;
        let payload = Bytes::new();
        self.pieces.push(Piece {
            to,
            head: start..end,
            payload,
            tail: end..end,
            timestamp,
            samples: 0,
        });
    }

    /// Appends a submessage to the open piece: what `encode` writes, `gathered`, `rest`, and as much padding as `encode`
    /// says.
    fn append(
        &mut self,
        encode: impl FnOnce(&mut BytesMut) -> usize,
        gathered: Bytes,
        rest: &[Part<'_>],
    ) {
        let Some(piece) = self.pieces.last_mut() else {
            return;
        };
        let before = self.arena.len();
        let padding = encode(&mut self.arena);
        let middle = self.arena.len();
        put(rest, &mut self.arena);
        self.arena.put_bytes(0, padding);
        let end = self.arena.len();
        self.bytes += end - before + gathered.len();
        if !gathered.is_empty() {
            piece.head.end = middle;
            piece.tail = middle..end;
            piece.payload = gathered;
        } else if piece.payload.is_empty() {
            piece.head.end = end;
            piece.tail = end..end;
        } else {
            piece.tail.end = end;
        }
    }
}

fn put(parts: &[Part<'_>], arena: &mut BytesMut) {
    for part in parts {
        arena.extend_from_slice(part.bytes);
    }
}

fn send(transport: &dyn Transport, batch: &mut ArrayVec<Outgoing<'_>, AT_ONCE>) {
    if !batch.is_empty() {
        transport.send(batch);
        batch.clear();
    }
}

impl Outbox for Datagrams {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        if let Submessage::InfoTimestamp(timestamp) = message
            && self
                .pieces
                .last()
                .is_some_and(|p| p.to == to && p.timestamp == timestamp)
        {
            return;
        }
        self.asks |= matches!(&message, Submessage::Heartbeat(heartbeat) if !heartbeat.is_final);
        if let Submessage::Heartbeat(_) = message {
            self.let_sample_go_ahead(to);
        }
        let carried = message.payload();
        let gathers = carried.len() > COPY_LIMIT;
        self.open(to, message.encoded_len(), gathers);
        if gathers {
            let head = |arena: &mut BytesMut| message.encode_head(arena);
            self.append(head, payload.slice_ref(carried), &[]);
        } else {
            let whole = |arena: &mut BytesMut| {
                message.encode(arena);
                0
            };
            self.append(whole, Bytes::new(), &[]);
        }
        match (message, self.pieces.last_mut()) {
            (Submessage::InfoTimestamp(timestamp), Some(piece)) => piece.timestamp = timestamp,
            (Submessage::Data(_) | Submessage::DataFrag(_), Some(piece)) => piece.samples += 1,
            _ => {}
        }
    }

    fn push_pieces(&mut self, to: To, message: Submessage<'_>, parts: &[Part<'_>]) {
        let length: usize = parts.iter().map(|part| part.bytes.len()).sum();
        // The longest stays where it is; what is around it is copied into the arena.
        let longest = (0..parts.len()).max_by_key(|at| parts.get(*at).map(|p| p.bytes.len()));
        let (before, rest) = parts
            .split_at_checked(longest.unwrap_or(0))
            .unwrap_or_default();
        let Some((gathered, after)) = rest.split_first() else {
            return;
        };
        let gathers = gathered.bytes.len() > COPY_LIMIT;
        self.open(
            to,
            message.encoded_len() + length.next_multiple_of(4),
            gathers,
        );
        let head = |arena: &mut BytesMut| {
            let padding = message.encode_head_before(length, arena);
            put(before, arena);
            if !gathers {
                put(&[*gathered], arena);
            }
            padding
        };
        let shared = if gathers {
            gathered.share()
        } else {
            Bytes::new()
        };
        self.append(head, shared, after);
        if let Some(piece) = self.pieces.last_mut() {
            piece.samples += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{
        Data, DataFrag, EntityId, FragmentNumber, Parameters, Payload, SequenceNumber,
    };

    fn datagrams() -> Datagrams {
        Datagrams::new(GuidPrefix([7; 12]), 65_000)
    }

    fn whole(datagrams: &Datagrams) -> Vec<Vec<u8>> {
        let bytes = |piece: &Piece| {
            let part = |range: &Range<usize>| &datagrams.arena[range.clone()];
            [part(&piece.head), &piece.payload, part(&piece.tail)].concat()
        };
        let all: Vec<_> = datagrams.pieces.iter().map(bytes).collect();
        assert_eq!(datagrams.len(), all.iter().map(Vec::len).sum());
        all
    }

    fn fragment(payload: &[u8]) -> Submessage<'_> {
        Submessage::DataFrag(DataFrag {
            reader: EntityId::UNKNOWN,
            writer: EntityId::UNKNOWN,
            sequence: SequenceNumber(1),
            first: FragmentNumber(1),
            count: 1,
            fragment_size: u16::MAX,
            sample_size: 1 << 20,
            inline_qos: Parameters::NONE,
            key: false,
            payload,
        })
    }

    fn data(payload: &[u8]) -> Submessage<'_> {
        Submessage::Data(Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId::UNKNOWN,
            sequence: SequenceNumber(1),
            inline_qos: Parameters::NONE,
            payload: Payload::Data(payload),
        })
    }

    /// Three pieces of these lengths, each with an owner that has more.
    fn pieces(lengths: [usize; 3]) -> [Bytes; 3] {
        let mut next = 0u32;
        lengths.map(|length| {
            let bytes = (0..length + 9).map(|_| {
                next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (next >> 24) as u8
            });
            bytes.collect()
        })
    }

    fn parts<'a>(owners: &'a [Bytes; 3], lengths: [usize; 3]) -> Vec<Part<'a>> {
        let parts = owners.iter().zip(lengths).map(|(owner, length)| Part {
            owner,
            bytes: &owner[5..5 + length],
        });
        parts.collect()
    }

    #[test]
    fn pieces_make_the_datagrams_that_one_piece_makes() {
        let all = [
            [36, 60_000, 3],
            [0, 60_000, 1],
            [1, 5_000, 0],
            [30_000, 20_000, 9_001],
            [40, 100, 2],
            [9_000, 9_000, 9_000],
            [0, 3, 50_000],
            [0, 0, 0],
        ];
        for make in [data, fragment] {
            let (mut gathered, mut copied) = (datagrams(), datagrams());
            for lengths in all {
                let owners = pieces(lengths);
                let parts = parts(&owners, lengths);
                let one: Bytes = parts.iter().flat_map(|p| p.bytes).copied().collect();
                gathered.push_pieces(To::Matched, make(&[]), &parts);
                copied.push(To::Matched, make(&one), &one);
                for out in [&mut gathered, &mut copied] {
                    out.push(To::Matched, Submessage::Pad, &Bytes::new());
                }
            }
            assert_eq!(whole(&gathered), whole(&copied));
            assert!(whole(&gathered).iter().all(|d| d.len() <= 65_000));
        }
    }

    #[test]
    fn the_longest_piece_stays_where_it_is() {
        let lengths = [36, 60_000, 3];
        let owners = pieces(lengths);
        let mut out = datagrams();
        out.push_pieces(To::Matched, data(&[]), &parts(&owners, lengths));
        let [piece] = &out.pieces[..] else {
            panic!("one datagram")
        };
        assert_eq!(piece.payload.as_ptr(), owners[1][5..].as_ptr());
        assert!(out.arena.len() < 200, "{} bytes copied", out.arena.len());
        let shared = owners[1].clone();
        out.pieces.clear();
        drop(owners);
        assert!(shared.is_unique());
    }
}
