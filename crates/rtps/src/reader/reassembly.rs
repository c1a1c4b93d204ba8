//! Fragments on their way to become samples again (RTPS 2.5 8.4.14.1), within bounds per writer.
//!
//! A buffer grows with what arrived, not with what was announced: a sample of 64 MiB that never comes costs
//! address space only.
use super::ReaderConfig;
use crate::{Intake, Time};
use alloc::vec::Vec;
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_wire::{
    DataFrag, FragmentNumber, FragmentNumberSet, InlineQos, SequenceNumber, SetMembership,
    Timestamp,
};

/// Incomplete samples of one writer at a time.
const MOST_SAMPLES: usize = 64;
/// Fragments of one sample.
const MOST_FRAGMENTS: u32 = 1 << 20;
/// A fragment may lie so many bytes beyond what is here, and further the more has come: the hole is filled with zeros.
const HOLE: usize = 2 << 20;
/// Best effort: an incomplete sample that got nothing for so long will not be completed.
pub(super) const STALE: Duration = Duration::from_secs(1);
/// A sample of which a fragment came so recently may still be on its way.
const FRESH: Duration = Duration::from_millis(5);

struct Partial {
    sequence: i64,
    timestamp: Option<Timestamp>,
    inline: InlineQos,
    key: bool,
    size: usize,
    fragment_size: usize,
    fragments: u32,
    arrived: u32,
    bitmap: Vec<u64>,
    buffer: BytesMut,
    touched: Time,
}

/// A sample of which every fragment came.
pub(super) struct Assembled {
    pub(super) timestamp: Option<Timestamp>,
    pub(super) inline: InlineQos,
    pub(super) key: bool,
    pub(super) payload: Bytes,
}

/// What a fragment led to.
pub(super) enum Progress {
    /// Nothing: impossible, repeated, or beyond the bounds.
    Ignored,
    /// One more piece; `last` if it was the sample's last one, so that the others are missing.
    Piece { last: bool },
    /// The whole sample.
    Whole(Assembled),
}

#[derive(Default)]
pub(super) struct Reassembly {
    /// Ascending by number.
    partials: Vec<Partial>,
    bytes: usize,
    spare: Vec<Vec<u64>>,
}

impl Reassembly {
    /// Takes in a fragment of a change that is still wanted. `keep_oldest` says which sample yields when the
    /// bounds are met: the newest, because the older ones are needed first, or the oldest.
    #[allow(
        clippy::too_many_arguments,
        reason = "one call site, a flat list of facts"
    )]
    pub(super) fn add(
        &mut self,
        now: Time,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        config: &ReaderConfig,
        keep_oldest: bool,
        intake: &mut impl Intake,
    ) -> Progress {
        let Some(shape) = Shape::of(frag, config.max_sample_size) else {
            return Progress::Ignored;
        };
        let sequence = frag.sequence.0;
        let index = match self.index(sequence) {
            Ok(index) => index,
            Err(_) => {
                if !self.make_room(sequence, shape.size, config, keep_oldest) {
                    return Progress::Ignored;
                }
                let partial = Partial {
                    sequence,
                    timestamp,
                    inline: *inline,
                    key: frag.key,
                    size: shape.size,
                    fragment_size: shape.fragment_size,
                    fragments: shape.fragments,
                    arrived: 0,
                    bitmap: self.spare.pop().unwrap_or_default(),
                    buffer: intake.assemble(shape.size),
                    touched: now,
                };
                self.bytes += shape.size;
                let (Ok(index) | Err(index)) = self.index(sequence);
                self.partials.insert(index, partial);
                index
            }
        };
        let Some(partial) = self.partials.get_mut(index) else {
            return Progress::Ignored;
        };
        if !partial.take_in(now, frag, &shape) {
            return Progress::Ignored;
        }
        partial.timestamp = partial.timestamp.or(timestamp);
        partial.inline.key_hash = partial.inline.key_hash.or(inline.key_hash);
        partial.inline.status_info = partial.inline.status_info.or(inline.status_info);
        if partial.inline.set == SetMembership::NONE {
            partial.inline.set = inline.set;
        }
        if partial.arrived < partial.fragments {
            return Progress::Piece {
                last: shape.end == partial.fragments,
            };
        }
        self.finish(index)
    }

    /// Is some of this change here?
    pub(super) fn contains(&self, sequence: i64) -> bool {
        self.index(sequence).is_ok()
    }

    /// Drops incomplete samples that are not wanted any more.
    pub(super) fn forget_below(&mut self, sequence: i64) {
        while self.partials.first().is_some_and(|p| p.sequence < sequence) {
            self.remove(0);
        }
    }

    /// Drops what is here of a change that came whole.
    pub(super) fn forget(&mut self, sequence: i64) {
        if let Ok(index) = self.index(sequence) {
            self.remove(index);
        }
    }

    /// Drops incomplete samples that got nothing for `STALE`.
    pub(super) fn forget_stale(&mut self, now: Time) {
        for index in (0..self.partials.len()).rev() {
            let touched = self.partials.get(index).map_or(now, |p| p.touched);
            if now.since(touched) >= STALE {
                self.remove(index);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.partials.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.partials.len()
    }

    /// Up to `most` fragments that the change lacks, 256 at most, from `from` to `to`; `None` if it lacks none of these or is not here.
    pub(super) fn missing(
        &self,
        sequence: i64,
        from: u32,
        to: u32,
        most: usize,
    ) -> Option<FragmentNumberSet> {
        let partial = self.get(sequence)?;
        let to = to.min(partial.fragments);
        let first = partial.first_missing(from.max(1), to)?;
        let mut set = FragmentNumberSet::new(FragmentNumber(first));
        let numbers = first..=to.min(first.saturating_add(255));
        for number in numbers.filter(|n| !partial.has(*n)).take(most) {
            set.insert(FragmentNumber(number));
        }
        Some(set)
    }

    /// The size of the change's fragments, and the number of the furthest one that came.
    pub(super) fn extent(&self, sequence: i64) -> Option<(usize, u32)> {
        let partial = self.get(sequence)?;
        let reach = partial.buffer.len().div_ceil(partial.fragment_size);
        Some((partial.fragment_size, u32::try_from(reach).ok()?))
    }

    /// Something of the change came within the last milliseconds.
    pub(super) fn is_fresh(&self, now: Time, sequence: i64) -> bool {
        self.get(sequence)
            .is_some_and(|partial| now.since(partial.touched) < FRESH)
    }

    /// The incomplete samples up to `last`, lowest first.
    pub(super) fn sequences(&self, last: i64) -> impl Iterator<Item = SequenceNumber> {
        let all = self.partials.iter().map(|p| SequenceNumber(p.sequence));
        all.take_while(move |s| s.0 <= last)
    }

    fn get(&self, sequence: i64) -> Option<&Partial> {
        self.partials.get(self.index(sequence).ok()?)
    }

    fn index(&self, sequence: i64) -> Result<usize, usize> {
        self.partials
            .binary_search_by_key(&sequence, |p| p.sequence)
    }

    fn make_room(
        &mut self,
        sequence: i64,
        size: usize,
        config: &ReaderConfig,
        keep_oldest: bool,
    ) -> bool {
        if size > config.max_reassembly_bytes {
            return false;
        }
        while self.partials.len() >= MOST_SAMPLES
            || self.bytes.saturating_add(size) > config.max_reassembly_bytes
        {
            let victim = if keep_oldest {
                self.partials.len().saturating_sub(1)
            } else {
                0
            };
            let newer = |p: &Partial| p.sequence > sequence;
            let yields = self.partials.get(victim).map(newer) == Some(keep_oldest);
            if !yields {
                return false;
            }
            self.remove(victim);
        }
        true
    }

    fn finish(&mut self, index: usize) -> Progress {
        let Some(partial) = self.remove(index) else {
            return Progress::Ignored;
        };
        Progress::Whole(Assembled {
            timestamp: partial.timestamp,
            inline: partial.inline,
            key: partial.key,
            payload: partial.buffer.freeze(),
        })
    }

    fn remove(&mut self, index: usize) -> Option<Partial> {
        if index >= self.partials.len() {
            return None;
        }
        let mut partial = self.partials.remove(index);
        self.bytes -= partial.size;
        if self.spare.is_empty() {
            let mut bitmap = core::mem::take(&mut partial.bitmap);
            bitmap.clear();
            self.spare.push(bitmap);
        }
        Some(partial)
    }
}

/// A fragment submessage whose numbers agree with each other.
struct Shape {
    size: usize,
    fragment_size: usize,
    fragments: u32,
    /// The last fragment in the submessage.
    end: u32,
    offset: usize,
    length: usize,
}

impl Shape {
    fn of(frag: &DataFrag<'_>, max_sample_size: u32) -> Option<Self> {
        let fragment_size = u32::from(frag.fragment_size);
        if fragment_size == 0 || frag.sample_size == 0 || frag.sample_size > max_sample_size {
            return None;
        }
        let fragments = frag.sample_size.div_ceil(fragment_size);
        let end = frag
            .first
            .0
            .checked_add(u32::from(frag.count))?
            .checked_sub(1)?;
        if fragments > MOST_FRAGMENTS || frag.first.0 == 0 || frag.count == 0 || end > fragments {
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
            offset: usize::try_from(offset).ok()?,
            length,
        })
    }
}

impl Partial {
    /// False if the fragment says nothing new or contradicts the sample's first one.
    fn take_in(&mut self, now: Time, frag: &DataFrag<'_>, shape: &Shape) -> bool {
        if (self.size, self.fragment_size, self.key) != (shape.size, shape.fragment_size, frag.key)
        {
            return false;
        }
        let arrived = (self.arrived as usize).saturating_mul(self.fragment_size);
        let reach = HOLE.saturating_add(arrived.saturating_mul(16));
        if shape.offset > self.buffer.len().saturating_add(reach) {
            return false;
        }
        let news = (frag.first.0..=shape.end).filter(|n| self.mark(*n)).count();
        if news == 0 {
            return false;
        }
        self.arrived += news as u32;
        self.touched = now;
        self.copy(
            shape.offset,
            frag.payload.get(..shape.length).unwrap_or_default(),
        );
        true
    }

    fn copy(&mut self, offset: usize, bytes: &[u8]) {
        let here = self.buffer.len();
        if offset == here {
            self.buffer.extend_from_slice(bytes);
            return;
        }
        let end = offset + bytes.len();
        if end > here {
            self.buffer.resize(end, 0);
        }
        if let Some(place) = self.buffer.get_mut(offset..end) {
            place.copy_from_slice(bytes);
        }
    }

    /// Notes that a fragment is here; false if it was.
    fn mark(&mut self, number: u32) -> bool {
        let word = (number / 64) as usize;
        if word >= self.bitmap.len() {
            self.bitmap.resize(word + 1, 0);
        }
        let bit = 1 << (number % 64);
        match self.bitmap.get_mut(word) {
            Some(bits) if *bits & bit == 0 => {
                *bits |= bit;
                true
            }
            _ => false,
        }
    }

    fn has(&self, number: u32) -> bool {
        let bits = self.bitmap.get((number / 64) as usize);
        bits.is_some_and(|b| b & (1 << (number % 64)) != 0)
    }

    fn first_missing(&self, from: u32, to: u32) -> Option<u32> {
        let mut number = from;
        while number <= to {
            let full = number.is_multiple_of(64)
                && self.bitmap.get((number / 64) as usize) == Some(&u64::MAX);
            if full {
                number += 64;
            } else if self.has(number) {
                number += 1;
            } else {
                return Some(number);
            }
        }
        None
    }
}
