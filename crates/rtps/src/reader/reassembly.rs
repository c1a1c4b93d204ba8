//! Fragments on their way to become samples again (RTPS 2.5 8.4.14.1), within bounds per writer and
//! per participant.
//!
//! Memory grows with what arrived, not with what was announced: a sample of 64 MiB that never comes
//! costs address space only.
use super::ReaderConfig;
use super::partial::{Partial, Shape, Taken};
use crate::budget::Share;
use crate::{PayloadAllocator, Time};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{DataFrag, FragmentNumberSet, InlineQos, SequenceNumber, Timestamp};

/// Incomplete samples of one writer at a time.
const MOST_SAMPLES: usize = 64;
/// Best effort: an incomplete sample that got nothing for so long will not be completed. Reliable:
/// nor will it while others need its memory.
const STALE: Duration = Duration::from_secs(1);
/// Reliable: what got nothing for so long had better come again, if it ever does.
const ABANDONED: Duration = Duration::from_secs(10);
/// While others need its memory, an incomplete sample of somebody who has more than its share
/// yields if it got nothing for so long.
const IDLE: Duration = Duration::from_millis(100);
/// Between two looks for incomplete samples that got nothing.
pub(super) const LOOK: Duration = Duration::from_millis(250);
/// A sample of which a fragment came so recently may still be on its way.
pub(super) const FRESH: Duration = Duration::from_millis(5);

/// A sample of which every fragment came.
pub(super) struct Assembled {
    pub(super) timestamp: Option<Timestamp>,
    pub(super) inline: InlineQos,
    pub(super) key: bool,
    pub(super) payload: Bytes,
}

/// What a fragment led to.
#[allow(
    clippy::large_enum_variant,
    reason = "a box for each sample would be an allocation for each"
)]
pub(super) enum Progress {
    /// Nothing: impossible, repeated, or beyond the bounds.
    Ignored,
    /// Nothing, since the participant has no memory for it.
    Short,
    /// One more piece; `last` if it was the sample's last one, so that the others are missing.
    Piece { last: bool },
    /// The whole sample.
    Whole(Assembled),
}

#[derive(Default)]
pub(super) struct Reassembly {
    /// Ascending by number.
    partials: Vec<Partial>,
    /// Bytes that all of them will have.
    bytes: usize,
}

impl Reassembly {
    /// Takes in a fragment of a change that is still wanted, paid from `share`. `keep_oldest` says
    /// which sample yields when the bounds are met: the newest, because the older ones are needed
    /// first, or the oldest.
    #[allow(
        clippy::too_many_arguments,
        reason = "two call sites, a flat list of facts"
    )]
    pub(super) fn add(
        &mut self,
        now: Time,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        config: &ReaderConfig,
        keep_oldest: bool,
        share: &mut Share,
        allocator: &mut impl PayloadAllocator,
    ) -> Progress {
        let Some(shape) = Shape::of(frag, config) else {
            return Progress::Ignored;
        };
        let sequence = frag.sequence.0;
        let (index, is_new) = match self.index(sequence) {
            Ok(index) => (index, false),
            Err(_) => {
                if !self.make_room(sequence, shape.size, config, keep_oldest, share) {
                    return Progress::Ignored;
                }
                self.bytes += shape.size;
                let (Ok(index) | Err(index)) = self.index(sequence);
                let partial = Partial::new(now, timestamp, frag, inline, &shape);
                self.partials.insert(index, partial);
                (index, true)
            }
        };
        let Some(partial) = self.partials.get_mut(index) else {
            return Progress::Ignored;
        };
        match partial.take_in(now, frag, &shape, share, allocator) {
            Taken::Nothing => return Progress::Ignored,
            Taken::Short => {
                if is_new {
                    self.remove(index, share);
                }
                return Progress::Short;
            }
            Taken::Some => {}
        }
        partial.learn(timestamp, inline);
        if !partial.is_whole() {
            return Progress::Piece {
                last: partial.is_last(&shape),
            };
        }
        match self.remove(index, share) {
            None => Progress::Ignored,
            Some(whole) => Progress::Whole(Assembled {
                timestamp: whole.timestamp,
                inline: whole.inline,
                key: whole.key,
                payload: whole.into_payload(),
            }),
        }
    }

    /// Is some of this change here?
    pub(super) fn contains(&self, sequence: i64) -> bool {
        self.index(sequence).is_ok()
    }

    /// Drops incomplete samples that are not wanted any more.
    pub(super) fn forget_below(&mut self, sequence: i64, share: &mut Share) {
        while self.partials.first().is_some_and(|p| p.sequence < sequence) {
            self.remove(0, share);
        }
    }

    /// Drops what is here of a change that came whole.
    pub(super) fn forget(&mut self, sequence: i64, share: &mut Share) {
        if let Ok(index) = self.index(sequence) {
            self.remove(index, share);
        }
    }

    /// Drops incomplete samples that got nothing for too long.
    pub(super) fn forget_stale(&mut self, now: Time, reliable: bool, share: &mut Share) {
        let patience = match reliable {
            true => ABANDONED,
            false => STALE,
        };
        for index in (0..self.partials.len()).rev() {
            let touched = self.partials.get(index).map_or(now, |p| p.touched);
            let idle = now.since(touched);
            if idle >= patience {
                self.remove(index, share);
            } else if share.is_short(now) && idle >= yields_after(share) {
                self.remove(index, share);
                share.note_dropped();
            }
        }
    }

    /// When the one that got nothing for longest got something, if it has to yield to others that
    /// need memory.
    pub(super) fn most_idle(&self, now: Time, share: &Share) -> Option<Time> {
        let oldest = self.partials.iter().map(|p| p.touched).min()?;
        (now.since(oldest) >= yields_after(share)).then_some(oldest)
    }

    /// Drops the one that got nothing for longest.
    pub(super) fn drop_most_idle(&mut self, share: &mut Share) {
        let numbered = self.partials.iter().enumerate();
        let oldest = numbered.min_by_key(|(_, p)| p.touched);
        if let Some(index) = oldest.map(|(index, _)| index) {
            self.remove(index, share);
            share.note_dropped();
        }
    }

    /// Drops the newest, if it is newer than this change, which is needed before it.
    pub(super) fn drop_newer(&mut self, sequence: i64, share: &mut Share) -> bool {
        let newer = self.partials.last().is_some_and(|p| p.sequence > sequence);
        if newer {
            self.remove(self.partials.len() - 1, share);
            share.note_dropped();
        }
        newer
    }

    pub(super) fn is_empty(&self) -> bool {
        self.partials.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.partials.len()
    }

    /// Bytes that are here, and what they cost.
    pub(super) fn cost(&self) -> usize {
        self.partials.iter().map(|p| p.cost).sum()
    }

    /// Up to `most` fragments that the change lacks, 256 at most, from `from` to `to`; `None` if it
    /// lacks none of these or is not here.
    pub(super) fn missing(
        &self,
        sequence: i64,
        from: u32,
        to: u32,
        most: usize,
    ) -> Option<FragmentNumberSet> {
        self.get(sequence)?.missing(from, to, most)
    }

    /// The size of the change's fragments, and the number of the furthest one that came.
    pub(super) fn extent(&self, sequence: i64) -> Option<(usize, u32)> {
        let partial = self.get(sequence)?;
        Some((partial.fragment_size, partial.reach()))
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

    /// The incomplete sample with the lowest number.
    pub(super) fn first(&self) -> Option<&Partial> {
        self.partials.first()
    }

    pub(super) fn get(&self, sequence: i64) -> Option<&Partial> {
        self.partials.get(self.index(sequence).ok()?)
    }

    pub(super) fn get_mut(&mut self, sequence: i64) -> Option<&mut Partial> {
        let index = self.index(sequence).ok()?;
        self.partials.get_mut(index)
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
        share: &mut Share,
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
            self.remove(victim, share);
        }
        true
    }

    fn remove(&mut self, index: usize, share: &mut Share) -> Option<Partial> {
        if index >= self.partials.len() {
            return None;
        }
        let partial = self.partials.remove(index);
        self.bytes -= partial.size;
        share.give(partial.cost);
        Some(partial)
    }
}

/// How long an incomplete sample may get nothing while others need its memory.
fn yields_after(share: &Share) -> Duration {
    match share.is_modest(0) {
        true => STALE,
        false => IDLE,
    }
}
