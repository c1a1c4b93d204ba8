//! Submessages become datagrams: the production side of `rtps::Outbox`.
//!
//! Headers and small payloads are encoded one after the other into one arena; a large payload stays where it is and is
//! referred to by a counted slice, so that `sendmsg` gathers it. Nothing is allocated once the arena has its size.
use crate::checksum::{self, SEAL};
use crate::place::Place;
use arrayvec::ArrayVec;
use bytes::{BufMut, Bytes, BytesMut};
use dunlin_rtps::{Outbox, To};
use dunlin_transport::{Outgoing, Transport};
use dunlin_wire::{GuidPrefix, Header, Submessage, Timestamp};
use std::ops::Range;

/// Payloads up to this size are copied behind their header; larger ones are gathered by the kernel.
const COPY_LIMIT: usize = 4096;
/// Datagrams handed to the transport at once.
const AT_ONCE: usize = 32;

/// Datagrams under construction for one writer, one receiver or discovery.
pub(crate) struct Datagrams {
    header: Header,
    limit: usize,
    arena: BytesMut,
    pieces: Vec<Piece>,
    bytes: usize,
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
        });
    }

    /// Appends a submessage to the open piece: what `encode` writes, then `gathered`, then as much padding as it says.
    fn append(&mut self, gathered: Bytes, encode: impl FnOnce(&mut BytesMut) -> usize) {
        let Some(piece) = self.pieces.last_mut() else {
            return;
        };
        let before = self.arena.len();
        let padding = encode(&mut self.arena);
        let end = self.arena.len();
        if piece.payload.is_empty() {
            piece.head.end = end;
            piece.tail = end..end;
        } else {
            piece.tail.end = end;
        }
        if !gathered.is_empty() {
            self.bytes += gathered.len();
            piece.payload = gathered;
            self.arena.put_bytes(0, padding);
            piece.tail.end += padding;
        }
        self.bytes += self.arena.len() - before;
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
        let carried = message.payload();
        let gathers = carried.len() > COPY_LIMIT;
        self.open(to, message.encoded_len(), gathers);
        if gathers {
            self.append(payload.slice_ref(carried), |arena| {
                message.encode_head(arena)
            });
        } else {
            self.append(Bytes::new(), |arena| {
                message.encode(arena);
                0
            });
        }
        if let (Submessage::InfoTimestamp(timestamp), Some(piece)) =
            (message, self.pieces.last_mut())
        {
            piece.timestamp = timestamp;
        }
    }
}
