//! What discovery says to one participant in one turn leaves in as few datagrams as it fits in.
//!
//! Discovery speaks of one built-in topic after the other, and of each to all participants, so what
//! is for one participant does not follow each other, and has several endpoints. A receiver is
//! woken for each datagram: where hundreds meet, that is what costs.
use super::{Datagrams, INFO_TS, Piece};
use bytes::{Bytes, BytesMut};
use dunlin_rtps::To;
use dunlin_wire::{GuidPrefix, Submessage};
use hashbrown::HashMap;

/// Bytes of a datagram before what it says: those of its header and of INFO_DST (RTPS 2.5 9.4.4,
/// 9.4.5.9).
const HEADERS: usize = 20 + 16;

/// Where datagrams are put together; kept for its memory.
#[derive(Default)]
pub(crate) struct Joining {
    /// The first datagram for each participant.
    firsts: HashMap<GuidPrefix, usize>,
    /// Of each datagram the one that it may follow, and itself; sorted.
    order: Vec<(usize, usize)>,
    arena: BytesMut,
    pieces: Vec<Piece>,
}

impl Datagrams {
    /// Puts together what goes to built-in endpoints of the same participant. It stays in order,
    /// and goes where the first of it went; a datagram with a large payload stays alone.
    pub(crate) fn join_builtin(&mut self, joining: &mut Joining) {
        if self.pieces.len() < 2 || !joining.find_order(&self.pieces) {
            return;
        }
        let order = std::mem::take(&mut joining.order);
        let mut last = None;
        for (first, at) in &order {
            let Some(piece) = self.pieces.get_mut(*at) else {
                break;
            };
            let payload = std::mem::take(&mut piece.payload);
            let follows = last == Some(first) && payload.is_empty();
            if !follows || !joining.append(piece, &self.arena, self.limit) {
                joining.begin(piece, payload, &self.arena);
            }
            last = Some(first);
        }
        joining.order = order;
        std::mem::swap(&mut self.arena, &mut joining.arena);
        std::mem::swap(&mut self.pieces, &mut joining.pieces);
        self.bytes = self.pieces.iter().map(Piece::len).sum();
        joining.arena.clear();
        joining.pieces.clear();
    }
}

impl Joining {
    /// Brings what may share a datagram together; false if nothing may.
    fn find_order(&mut self, pieces: &[Piece]) -> bool {
        self.firsts.clear();
        self.order.clear();
        for (at, piece) in pieces.iter().enumerate() {
            let first = match piece.to {
                To::Endpoint(guid) if guid.entity.is_builtin() => {
                    *self.firsts.entry(guid.prefix).or_insert(at)
                }
                _ => at,
            };
            self.order.push((first, at));
        }
        self.order.sort_unstable();
        self.order.iter().any(|(first, at)| first != at)
    }

    /// Copies a datagram, but for its payload.
    fn begin(&mut self, piece: &Piece, payload: Bytes, arena: &[u8]) {
        let [head, _, tail] = piece.parts(arena);
        let start = self.arena.len();
        self.arena.extend_from_slice(head);
        let middle = self.arena.len();
        self.arena.extend_from_slice(tail);
        self.pieces.push(Piece {
            head: start..middle,
            payload,
            tail: middle..self.arena.len(),
            ..*piece
        });
    }

    /// Appends what a datagram says to the last one; false if it does not fit there.
    fn append(&mut self, piece: &Piece, arena: &[u8], limit: usize) -> bool {
        let Some(last) = self.pieces.last_mut() else {
            return false;
        };
        let [head, ..] = piece.parts(arena);
        let said = head.get(HEADERS..).unwrap_or_default();
        let whole = last.payload.is_empty() && !last.closed && !piece.closed;
        if !whole || last.len() + INFO_TS + said.len() > limit {
            return false;
        }
        // A time holds up to the next one in the same datagram.
        if piece.samples > 0 && piece.timestamp.is_none() && last.timestamp.is_some() {
            Submessage::InfoTimestamp(None).encode(&mut self.arena);
            last.timestamp = None;
        }
        self.arena.extend_from_slice(said);
        let end = self.arena.len();
        last.head.end = end;
        last.tail = end..end;
        last.timestamp = piece.timestamp.or(last.timestamp);
        last.samples += piece.samples;
        last.bare &= piece.bare;
        true
    }
}
