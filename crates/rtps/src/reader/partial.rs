//! One sample of which fragments are missing (RTPS 2.5 8.4.14.1).
//!
//! What came without a hole before it lies in one piece, at its final place. What came beyond a
//! hole waits in pieces of its own, so that memory follows what came and not where it belongs.
use super::config::ReaderConfig;
use crate::budget::Share;
use crate::{PayloadAllocator, Time};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use bytes::{Bytes, BytesMut};
use dunlin_wire::{
    DataFrag, FragmentNumber, FragmentNumberSet, InlineQos, SetMembership, Timestamp,
};

/// Fragments of one sample.
pub(super) const MOST_FRAGMENTS: u32 = 1 << 20;
/// What an incomplete sample costs beside its bytes.
const COST: usize = 1024;
/// What a piece beyond a hole costs beside its bytes.
const PIECE_COST: usize = 128;
/// A piece beyond a hole grows up to so many bytes.
const PIECE: usize = 256 << 10;

pub(super) struct Partial {
    pub(super) sequence: i64,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) inline: InlineQos,
    pub(super) key: bool,
    pub(super) size: usize,
    pub(super) fragment_size: usize,
    fragments: u32,
    /// All before the first hole.
    front: BytesMut,
    /// What came beyond it, by the number of its first fragment.
    beyond: BTreeMap<u32, Vec<u8>>,
    /// Bytes that are here.
    held: usize,
    /// The furthest fragment that came.
    reach: u32,
    /// Bytes of the front that were handed out before it is whole.
    pub(super) handed_out: usize,
    /// What it has of its writer's share.
    pub(super) cost: usize,
    pub(super) touched: Time,
}

/// What became of a fragment.
pub(super) enum Taken {
    /// It says nothing new, or contradicts the sample's first one.
    Nothing,
    /// There is no memory for it.
    Short,
    /// It is here.
    Some,
}

impl Partial {
    pub(super) fn new(
        now: Time,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        shape: &Shape,
    ) -> Self {
        Self {
            sequence: frag.sequence.0,
            timestamp,
            inline: *inline,
            key: frag.key,
            size: shape.size,
            fragment_size: shape.fragment_size,
            fragments: shape.fragments,
            front: BytesMut::new(),
            beyond: BTreeMap::new(),
            held: 0,
            reach: 0,
            handed_out: 0,
            cost: 0,
            touched: now,
        }
    }

    /// Takes in a fragment, paid from `share`.
    pub(super) fn take_in(
        &mut self,
        now: Time,
        frag: &DataFrag<'_>,
        shape: &Shape,
        share: &mut Share,
        allocator: &mut impl PayloadAllocator,
    ) -> Taken {
        if (self.size, self.fragment_size, self.key) != (shape.size, shape.fragment_size, frag.key)
        {
            return Taken::Nothing;
        }
        let first = frag.first.0;
        let Some(mut number) = self.first_missing(first, shape.end) else {
            return Taken::Nothing;
        };
        let mut cost = shape.length;
        if self.cost == 0 {
            cost += COST;
        }
        if number != self.in_front() + 1 {
            cost += PIECE_COST;
        }
        if !share.take(now, cost) {
            return Taken::Short;
        }
        self.cost += cost;
        let before = self.held;
        let payload = frag.payload.get(..shape.length).unwrap_or_default();
        loop {
            let until = self.end_of_hole(number, shape.end);
            let place = |number: u32| (number - first) as usize * self.fragment_size;
            let (start, end) = (place(number), place(until + 1).min(payload.len()));
            self.put(
                number,
                payload.get(start..end).unwrap_or_default(),
                allocator,
            );
            match self.first_missing(until + 1, shape.end) {
                Some(next) => number = next,
                None => break,
            }
        }
        self.absorb();
        self.reach = self.reach.max(shape.end);
        self.touched = now;
        // Of what was paid for some was here already.
        let surplus = shape.length.saturating_sub(self.held - before);
        self.cost -= surplus;
        share.give(surplus);
        Taken::Some
    }

    /// Learns from another fragment what the first one did not say.
    pub(super) fn learn(&mut self, timestamp: Option<Timestamp>, inline: &InlineQos) {
        self.timestamp = self.timestamp.or(timestamp);
        self.inline.key_hash = self.inline.key_hash.or(inline.key_hash);
        self.inline.status_info = self.inline.status_info.or(inline.status_info);
        if self.inline.set == SetMembership::NONE {
            self.inline.set = inline.set;
        }
        self.inline.origin = self.inline.origin.or(inline.origin);
    }

    pub(super) fn is_whole(&self) -> bool {
        self.front.len() == self.size
    }

    pub(super) fn is_last(&self, shape: &Shape) -> bool {
        shape.end == self.fragments
    }

    pub(super) fn into_payload(self) -> Bytes {
        self.front.freeze()
    }

    /// All before the first hole.
    pub(super) fn front(&self) -> &[u8] {
        &self.front
    }

    pub(super) fn fragments(&self) -> u32 {
        self.fragments
    }

    /// The furthest fragment that came.
    pub(super) fn reach(&self) -> u32 {
        self.reach
    }

    /// Up to `most` of the fragments from `from` to `to` that are missing, 256 at most.
    pub(super) fn missing(&self, from: u32, to: u32, most: usize) -> Option<FragmentNumberSet> {
        let to = to.min(self.fragments);
        let first = self.first_missing(from.max(1), to)?;
        let mut set = FragmentNumberSet::new(FragmentNumber(first));
        let last = to.min(first.saturating_add(255));
        let mut next = Some(first);
        let mut left = most;
        while let Some(number) = next.filter(|_| left > 0) {
            set.insert(FragmentNumber(number));
            left -= 1;
            next = match number < last {
                true => self.first_missing(number + 1, last),
                false => None,
            };
        }
        Some(set)
    }

    /// Fragments before the first hole.
    fn in_front(&self) -> u32 {
        self.count(self.front.len())
    }

    fn count(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(self.fragment_size)).unwrap_or(u32::MAX)
    }

    /// The last piece beyond the hole that begins at or before a fragment, and where it ends.
    fn piece_at(&self, number: u32) -> Option<(u32, u32)> {
        let (first, piece) = self.beyond.range(..=number).next_back()?;
        Some((*first, first.saturating_add(self.count(piece.len())) - 1))
    }

    fn first_missing(&self, from: u32, to: u32) -> Option<u32> {
        let mut number = from.max(self.in_front().saturating_add(1));
        while number <= to {
            match self.piece_at(number) {
                Some((_, last)) if last >= number => number = last.checked_add(1)?,
                _ => return Some(number),
            }
        }
        None
    }

    /// The last fragment of the hole that begins at `number`, but not beyond `to`.
    fn end_of_hole(&self, number: u32, to: u32) -> u32 {
        let next = self.beyond.range(number..).next();
        next.map_or(to, |(first, _)| to.min(first.saturating_sub(1)))
    }

    fn put(&mut self, number: u32, bytes: &[u8], allocator: &mut impl PayloadAllocator) {
        self.held += bytes.len();
        if number == self.in_front().saturating_add(1) {
            if self.front.is_empty() {
                self.front = allocator.assemble(self.size);
            }
            dunlin_copy::append(&mut self.front, bytes);
            return;
        }
        if let Some((first, last)) = self.piece_at(number)
            && last.checked_add(1) == Some(number)
            && let Some(piece) = self.beyond.get_mut(&first)
            && piece.len() < PIECE
        {
            piece.extend_from_slice(bytes);
            return;
        }
        self.beyond.insert(number, dunlin_copy::to_vec(bytes));
    }

    /// Moves to the front what the hole before it does not separate from it any more.
    fn absorb(&mut self) {
        while let Some(piece) = self.beyond.first_entry() {
            let front = self.front.len().div_ceil(self.fragment_size);
            if *piece.key() as usize != front + 1 {
                return;
            }
            let piece = piece.remove();
            dunlin_copy::append(&mut self.front, &piece);
        }
    }
}

/// A fragment submessage whose numbers agree with each other.
pub(super) struct Shape {
    pub(super) size: usize,
    fragment_size: usize,
    fragments: u32,
    /// The last fragment in the submessage.
    end: u32,
    length: usize,
}

impl Shape {
    pub(super) fn of(frag: &DataFrag<'_>, config: &ReaderConfig) -> Option<Self> {
        let fragment_size = u32::from(frag.fragment_size);
        if fragment_size == 0 || frag.sample_size == 0 || !config.can_assemble(frag) {
            return None;
        }
        let fragments = frag.sample_size.div_ceil(fragment_size);
        let end = frag
            .first
            .0
            .checked_add(u32::from(frag.count))?
            .checked_sub(1)?;
        if frag.first.0 == 0 || frag.count == 0 || end > fragments {
            return None;
        }
        let offset = u64::from(frag.first.0 - 1) * u64::from(fragment_size);
        let until = (u64::from(end) * u64::from(fragment_size)).min(u64::from(frag.sample_size));
        let length = usize::try_from(until.checked_sub(offset)?).ok()?;
        (frag.payload.len() >= length).then_some(Self {
            size: usize::try_from(frag.sample_size).ok()?,
            fragment_size: usize::from(frag.fragment_size),
            fragments,
            end,
            length,
        })
    }
}
