//! Submessages become datagrams: the production side of `rtps::Outbox`.
//!
//! Headers and small payloads are encoded one after the other into one arena; a large payload stays
//! where it is and is referred to by a counted slice, so that `sendmsg` gathers it. A payload in
//! memory that peers can read stays there whatever its size, so that the transport can leave it
//! there too. Nothing is allocated once the arena has its size.
mod joining;
#[cfg(test)]
mod tests;

use crate::runtime::pool::Pool;
use crate::send::destination::Destination;
use crate::send::local_queue::{self, LocalQueue};
use crate::send::seal::{GROWTH, Leaving, seal};
use bytes::{BufMut, Bytes, BytesMut};
use dunlin_rtps::{Outbox, Piece as Part, To};
use dunlin_transport::Transport;
use dunlin_wire::{Data, GuidPrefix, Header, Submessage, Timestamp};
pub(crate) use joining::Joining;
use std::ops::Range;
use std::sync::Arc;

/// Payloads up to this size are copied behind their header; larger ones are gathered by the kernel,
/// which costs as much as a copy of 16 KiB and the room for samples to share a datagram.
pub(crate) const COPY_LIMIT: usize = 16 * 1024;
/// Submessages share a datagram of at most this length, whatever the transport carries.
const SHARED_LIMIT: usize = 64 * 1024;
/// Bytes of submessages around a sample, if it is nothing special.
const SAMPLE_OVERHEAD: usize = 96;
/// Bytes of an INFO_TS.
const INFO_TS: usize = 12;
/// Datagrams under construction for one writer, one receiver or discovery.
pub(crate) struct Datagrams {
    header: Header,
    transport: Arc<dyn Transport>,
    /// What is for endpoints of this process.
    local_queue: LocalQueue,
    limit: usize,
    arena: BytesMut,
    pieces: Vec<Piece>,
    bytes: usize,
    /// There is a heartbeat that wants an answer.
    asks: bool,
    /// Heads of datagrams as they are sealed, while these are sent.
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
    /// There is nothing in it but what concerns submessages to come.
    bare: bool,
    /// Its last submessage goes on to the end of the datagram.
    closed: bool,
}

impl Piece {
    fn len(&self) -> usize {
        self.head.len() + self.payload.len() + self.tail.len()
    }

    /// What it consists of, in order; what was encoded lies in `arena`.
    #[inline]
    fn parts<'a>(&'a self, arena: &'a [u8]) -> [&'a [u8]; 3] {
        let [head, tail] =
            [&self.head, &self.tail].map(|range| arena.get(range.clone()).unwrap_or_default());
        [head, &self.payload, tail]
    }
}

impl Datagrams {
    /// An empty set of datagrams from `prefix`, none longer than `limit` bytes, unless a single
    /// submessage is.
    pub(crate) fn new(prefix: GuidPrefix, limit: usize, transport: Arc<dyn Transport>) -> Self {
        Self {
            header: Header::new(prefix),
            transport,
            local_queue: LocalQueue::new(prefix),
            limit: shared_limit(limit),
            arena: BytesMut::new(),
            pieces: Vec::new(),
            bytes: 0,
            asks: false,
            sealed: BytesMut::new(),
        }
    }

    /// What is for endpoints of this process is handed over to them, beside the datagrams.
    pub(crate) fn local_queue(&mut self) -> &mut LocalQueue {
        &mut self.local_queue
    }

    /// Hands over what is for endpoints of this process: filled caches, freed histories. What is
    /// left to do then is noted in `receive/deferred.rs`.
    #[inline]
    pub(crate) fn hand_over(&mut self) {
        if !self.local_queue.is_empty() {
            local_queue::hand_over(self);
        }
    }

    /// Datagrams begun from now on are not longer than this, unless a single submessage is.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = shared_limit(limit);
    }

    /// Bytes waiting to be sent, or to be handed over, if these are more.
    pub(crate) fn len(&self) -> usize {
        self.bytes.max(self.local_queue.waiting_bytes())
    }

    /// Is there room for one more sample of this size in the one datagram that waits, and does
    /// nothing in it ask for an answer, which should not be later than need be?
    pub(crate) fn has_room(&self, size: usize) -> bool {
        match self.pieces.as_slice() {
            [only] => {
                let least = size.saturating_add(SAMPLE_OVERHEAD);
                !self.asks
                    && !only.closed
                    && only.payload.is_empty()
                    && only.len() + least <= self.limit
            }
            _ => false,
        }
    }

    /// Nothing waits, neither to be sent nor to be handed over.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.local_queue.is_empty()
    }

    /// Whom the waiting datagrams address.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = To> {
        self.pieces.iter().map(|piece| piece.to)
    }

    /// Hands over what is for endpoints of this process, sends everything else to where
    /// `destinations` says, in order, and starts afresh.
    pub(crate) fn flush<'r>(
        &mut self,
        transport: &dyn Transport,
        destinations: impl Fn(To) -> &'r [Destination],
    ) {
        self.flush_as(0, transport, destinations);
    }

    /// The same, with a DiffServ code point.
    pub(crate) fn flush_as<'r>(
        &mut self,
        dscp: u8,
        transport: &dyn Transport,
        destinations: impl Fn(To) -> &'r [Destination],
    ) {
        self.hand_over();
        match self.pieces.as_slice() {
            [piece] if let [destination] = destinations(piece.to) => {
                // What nearly every write sends.
                let parts = piece.parts(&self.arena);
                if destination.wants(piece.to) && !destination.put(&parts) {
                    let plain = destination.outgoing(dscp, parts);
                    transport.send(&[seal(destination, plain, &mut self.sealed)]);
                }
            }
            _ => self.send_all(dscp, transport, destinations),
        }
        self.pieces.clear();
        self.arena.clear();
        self.bytes = 0;
        self.asks = false;
    }

    #[inline(never)]
    fn send_all<'r>(
        &mut self,
        dscp: u8,
        transport: &dyn Transport,
        destinations: impl Fn(To) -> &'r [Destination],
    ) {
        let Self {
            arena,
            pieces,
            sealed,
            ..
        } = self;
        let mut leaving = Leaving::new(transport, sealed);
        for piece in pieces.iter() {
            let all = destinations(piece.to).iter();
            for destination in all.filter(|destination| destination.wants(piece.to)) {
                leaving.add(destination, destination.outgoing(dscp, piece.parts(arena)));
            }
        }
        leaving.send();
    }

    /// Makes the last piece one that can take `size` more bytes for `to`.
    fn open(&mut self, to: To, size: usize, gathers: bool) {
        let fits = self.pieces.last().is_some_and(|piece| {
            piece.to == to
                && !piece.closed
                && (piece.bare || piece.len() + size <= self.limit)
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

    /// A question to the readers does not travel with a single small sample: they answer a sample
    /// that has no question with it sooner, and the question in the time that they would wait. For
    /// a large one a datagram more is the greater loss, unless nothing can follow it anyway.
    fn let_sample_go_ahead(&mut self, to: To) {
        let single = |piece: &Piece| piece.samples == 1 && piece.payload.is_empty();
        let alone = |piece: &Piece| piece.to == to && (piece.closed || single(piece));
        if self.pieces.last().is_some_and(alone) {
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
            bare: true,
            closed: false,
        });
    }

    /// Appends a submessage to the open piece: what `encode` writes, `gathered`, `rest`, and as
    /// much padding as `encode` says.
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

    /// Opens a datagram with a sample, or appends it to the one that is open; false if it is
    /// neither so simple nor so small.
    #[inline]
    fn put_sample(&mut self, to: To, timestamp: Timestamp, data: &Data<'_>) -> bool {
        let start = self.arena.len();
        match self.pieces.last_mut() {
            None => {
                data.encode_alone(&self.header, timestamp, &mut self.arena);
                let end = self.arena.len();
                self.pieces.push(Piece {
                    to,
                    head: start..end,
                    payload: Bytes::new(),
                    tail: end..end,
                    timestamp: Some(timestamp),
                    samples: 1,
                    bare: false,
                    closed: false,
                });
            }
            Some(piece) => {
                let fits = piece.len() + INFO_TS + data.encoded_len() <= self.limit;
                let plain = !piece.bare && !piece.closed && piece.payload.is_empty();
                if !fits || !plain || piece.to != to {
                    return false;
                }
                match piece.timestamp.replace(timestamp) == Some(timestamp) {
                    true => data.encode(&mut self.arena),
                    false => data.encode_timed(timestamp, &mut self.arena),
                }
                let end = self.arena.len();
                piece.head.end = end;
                piece.tail = end..end;
                piece.samples += 1;
            }
        }
        self.bytes += self.arena.len() - start;
        true
    }

    /// Opens a datagram with a sample of which the piece in the middle stays where it is, since
    /// peers can read it there, or since it is large; false if that is not so, or not so simple.
    #[inline]
    fn put_sample_around(
        &mut self,
        to: To,
        timestamp: Timestamp,
        data: &Data<'_>,
        [before, middle, after]: &[Part<'_>; 3],
    ) -> bool {
        if middle.bytes.is_empty() || !self.pieces.is_empty() {
            return false;
        }
        let length = before.bytes.len() + middle.bytes.len() + after.bytes.len();
        let way = self.way_of_sample(
            data.encoded_len() + length.next_multiple_of(4),
            middle.bytes,
        );
        if !way.gathers {
            return false;
        }
        let start = self.arena.len();
        let more = (length, way.to_end);
        let padding = data.encode_head_alone(&self.header, timestamp, more, &mut self.arena);
        dunlin_copy::append(&mut self.arena, before.bytes);
        let behind = self.arena.len();
        dunlin_copy::append(&mut self.arena, after.bytes);
        self.arena.put_bytes(0, padding);
        let end = self.arena.len();
        self.bytes += end - start + middle.bytes.len();
        self.pieces.push(Piece {
            to,
            head: start..behind,
            payload: middle.share(),
            tail: behind..end,
            timestamp: Some(timestamp),
            samples: 1,
            bare: false,
            closed: way.to_end,
        });
        true
    }

    /// Notes what the submessage that was just appended means for its datagram.
    fn appended(&mut self, message: &Submessage<'_>, to_end: bool) {
        let Some(piece) = self.pieces.last_mut() else {
            return;
        };
        match message {
            Submessage::InfoTimestamp(timestamp) => {
                piece.timestamp = *timestamp;
                return;
            }
            Submessage::Data(_) | Submessage::DataFrag(_) => piece.samples += 1,
            _ => {}
        }
        piece.bare = false;
        piece.closed = to_end;
    }

    /// What becomes of the longest piece of a payload, `carried`, in a submessage of `length`
    /// bytes.
    fn way(&self, message: &Submessage<'_>, length: usize, carried: &[u8]) -> Way {
        match message {
            // Its length is said in it, so nothing of it may be left where it is: it would not be
            // whole.
            Submessage::DataFrag(_) if carried.len() > COPY_LIMIT => Way {
                gathers: !self.transport.holds(carried),
                to_end: false,
            },
            Submessage::Data(_) => self.way_of_sample(length, carried),
            _ => Way::COPIED,
        }
    }

    #[inline]
    fn way_of_sample(&self, length: usize, carried: &[u8]) -> Way {
        let held = self.transport.holds(carried);
        Way {
            gathers: held || carried.len() > COPY_LIMIT,
            to_end: held || length > LONGEST,
        }
    }
}

/// How a submessage goes into its datagram.
#[derive(Clone, Copy)]
struct Way {
    /// The longest piece of its payload stays where it is.
    gathers: bool,
    /// It says that it goes on to the end of the datagram: it is too long to say how long, or
    /// somebody has to find that out who gets the payload by another way.
    to_end: bool,
}

impl Way {
    const COPIED: Self = Self {
        gathers: false,
        to_end: false,
    };

    /// Appends all of `message` but its payload, of which `more` bytes are not in it; returns the
    /// padding.
    fn encode_head(self, message: &Submessage<'_>, more: usize, arena: &mut BytesMut) -> usize {
        match self.to_end {
            true => message.encode_head_to_end(more, arena),
            false => message.encode_head_before(more, arena),
        }
    }
}

/// The longest submessage that says its length, its header included.
const LONGEST: usize = 4 + 65_535;

fn shared_limit(limit: usize) -> usize {
    limit.min(SHARED_LIMIT).saturating_sub(GROWTH)
}

fn put(parts: &[Part<'_>], arena: &mut BytesMut) {
    for part in parts {
        dunlin_copy::append(arena, part.bytes);
    }
}

/// The parts in one piece; not copied if there is only one.
fn in_one(parts: &[Part<'_>], pool: &mut Pool) -> Bytes {
    let mut present = parts.iter().filter(|part| !part.bytes.is_empty());
    if let (Some(only), None) = (present.next(), present.next()) {
        return only.share();
    }
    let length = parts.iter().map(|part| part.bytes.len()).sum();
    let mut bytes = pool.take(length);
    put(parts, &mut bytes);
    bytes.freeze()
}

impl Outbox for Datagrams {
    /// What nearly every write does, in one go; whatever is special goes the long way.
    #[inline]
    fn push_sample(&mut self, to: To, timestamp: Timestamp, data: Data<'_>, payload: &Bytes) {
        let small = data.payload.bytes().len() <= COPY_LIMIT;
        if small && self.local_queue.leaves(to) && self.put_sample(to, timestamp, &data) {
            return;
        }
        let message = Submessage::InfoTimestamp(Some(timestamp));
        self.push(to, message, &Bytes::new());
        self.push(to, Submessage::Data(data), payload);
    }

    /// What writes of lent samples do, in one go.
    #[inline]
    fn push_sample_pieces(
        &mut self,
        to: To,
        timestamp: Timestamp,
        data: Data<'_>,
        parts: &[Part<'_>; 3],
    ) {
        if self.local_queue.leaves(to) && self.put_sample_around(to, timestamp, &data, parts) {
            return;
        }
        let message = Submessage::InfoTimestamp(Some(timestamp));
        self.push(to, message, &Bytes::new());
        self.push_pieces(to, Submessage::Data(data), parts);
    }

    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        let counted = |_: &mut Pool| payload.slice_ref(message.payload());
        if !self.local_queue.write(to, &message, counted) {
            return;
        }
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
        let length = message.encoded_len();
        // A small payload in one piece is one of ours, and is copied wherever it lies.
        let way = match carried.len() > COPY_LIMIT {
            true => self.way(&message, length, carried),
            false => Way::COPIED,
        };
        self.open(to, length, way.gathers);
        if way.gathers {
            let head = |arena: &mut BytesMut| way.encode_head(&message, 0, arena);
            self.append(head, payload.slice_ref(carried), &[]);
        } else {
            let whole = |arena: &mut BytesMut| {
                message.encode(arena);
                0
            };
            self.append(whole, Bytes::new(), &[]);
        }
        self.appended(&message, way.to_end);
    }

    fn push_whole(
        &mut self,
        to: To,
        timestamp: Timestamp,
        message: Submessage<'_>,
        parts: &[Part<'_>],
    ) {
        let in_one = |pool: &mut Pool| in_one(parts, pool);
        self.local_queue
            .write_whole(to, timestamp, &message, in_one);
    }

    fn push_pieces(&mut self, to: To, message: Submessage<'_>, parts: &[Part<'_>]) {
        let length: usize = parts.iter().map(|part| part.bytes.len()).sum();
        if !self
            .local_queue
            .write(to, &message, |pool| in_one(parts, pool))
        {
            return;
        }
        // What peers can read stays where it is, else the longest; what is around it is copied into
        // the arena.
        let seen = |part: &Part<'_>| !part.bytes.is_empty() && self.transport.holds(part.bytes);
        let stays = parts.iter().position(seen);
        let longest = || (0..parts.len()).max_by_key(|at| parts.get(*at).map(|p| p.bytes.len()));
        let (before, rest) = parts
            .split_at_checked(stays.or_else(longest).unwrap_or(0))
            .unwrap_or_default();
        let Some((gathered, after)) = rest.split_first() else {
            return;
        };
        let all = message.encoded_len() + length.next_multiple_of(4);
        let way = self.way(&message, all, gathered.bytes);
        self.open(to, all, way.gathers);
        let head = |arena: &mut BytesMut| {
            let padding = way.encode_head(&message, length, arena);
            put(before, arena);
            if !way.gathers {
                put(&[*gathered], arena);
            }
            padding
        };
        let shared = if way.gathers {
            gathered.share()
        } else {
            Bytes::new()
        };
        self.append(head, shared, after);
        self.appended(&message, way.to_end);
    }
}
