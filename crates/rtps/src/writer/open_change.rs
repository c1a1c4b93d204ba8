//! A change that is written while its bytes still come: who forwards a large sample says each
//! fragment on as soon as it has it (RTPS 2.5 8.4.14.1).
//!
//! Readers cannot tell such a change from one of which the later fragments are late. That holds
//! because nothing names it before it is whole: its number is the next one, heartbeats end before
//! it, and its last fragment is kept back until it is complete. So nobody can acknowledge it too
//! early, and an end without the rest is a GAP.
use super::data_output::{Annotations, Recipients};
use super::{SetState, WriteError, Writer};
use crate::{Body, Change, Outbox, Piece, Time, To};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use core::ops::Range;
use dunlin_qos::{Duration, History};
use dunlin_wire::{
    EntityId, FragmentNumber, Gap, HeartbeatFrag, NackFrag, SampleOrigin, SequenceNumber,
    SequenceNumberSet, Submessage,
};

/// Who asks for all of it gets so many bytes at most, at most this often.
const ANSWER_BYTES: usize = 1 << 20;
const ANSWER_INTERVAL: Duration = Duration::from_millis(1);
/// Places for so many parts are kept for the next change.
const KEPT_PARTS: usize = 256;

/// The change under way.
pub(super) struct OpenChange {
    sequence: i64,
    /// Without its payload.
    pub(super) change: Change,
    origin: Option<SampleOrigin>,
    /// Bytes that it will have.
    pub(super) size: usize,
    parts: Parts,
    /// Fragments that were said to all.
    said: usize,
    /// When readers are told what there is, unless it is whole before.
    due: Time,
}

impl OpenChange {
    /// Fragments that can be said: those of which all is here, but never the last one.
    fn available(&self, fragment_size: usize) -> usize {
        let all = self.size.div_ceil(fragment_size);
        (self.parts.length / fragment_size).min(all.saturating_sub(1))
    }

    pub(super) fn notes(&self) -> Annotations<'_> {
        Annotations {
            set: None,
            origin: self.origin.as_ref(),
        }
    }

    /// Hands these bytes, which are here, to `push`.
    pub(super) fn with_pieces<'s>(&'s self, range: &Range<usize>, push: impl FnOnce(&[Piece<'s>])) {
        self.parts.with_pieces(range, push);
    }
}

/// Bytes that came one after the other.
#[derive(Default)]
struct Parts {
    /// Each with where it begins; none is empty.
    parts: Vec<(usize, Bytes)>,
    length: usize,
}

impl Parts {
    fn add(&mut self, bytes: Bytes) {
        if bytes.is_empty() {
            return;
        }
        let begin = self.length;
        self.length = begin.saturating_add(bytes.len());
        self.parts.push((begin, bytes));
    }

    fn with_pieces<'s>(&'s self, range: &Range<usize>, push: impl FnOnce(&[Piece<'s>])) {
        let behind = self
            .parts
            .partition_point(|(begin, _)| *begin <= range.start);
        let parts = self.parts.get(behind.saturating_sub(1)..);
        let mut pieces = parts
            .unwrap_or_default()
            .iter()
            .take_while(|(begin, _)| *begin < range.end)
            .map(|(begin, owner)| {
                let within = |at: usize| at.saturating_sub(*begin).min(owner.len());
                let range = within(range.start)..within(range.end);
                Piece {
                    owner,
                    bytes: owner.get(range).unwrap_or_default(),
                }
            });
        // Mostly a fragment lies in one part.
        let first = pieces.next();
        match (first, pieces.next()) {
            (None, _) => push(&[]),
            (Some(first), None) => push(&[first]),
            (Some(first), Some(second)) => match pieces.next() {
                None => push(&[first, second]),
                Some(third) => {
                    let first = [first, second, third].into_iter();
                    push(&first.chain(pieces).collect::<Vec<_>>());
                }
            },
        }
    }
}

impl Writer {
    /// Begins a change of `size` bytes whose payload comes by [`extend`](Self::extend) and
    /// [`complete`](Self::complete); `change` has none. Nothing is sent yet. Until it is complete
    /// or abandoned, other writes find no room (`WriteError::Full`).
    ///
    /// `None` if it is to be written whole, and nothing is changed then: it would go in one piece;
    /// it is part of a coherent set or of a group's order; readers filter or do not take so large a
    /// sample; it is the first and readers are still to be told of that; there is no room for it;
    /// or another one is open.
    pub fn open(
        &mut self,
        now: Time,
        change: &Change,
        size: usize,
        origin: Option<&SampleOrigin>,
    ) -> Option<SequenceNumber> {
        self.expire(now);
        let next = self.next_of_length(size).ok()?;
        let fragment_size = self.voice.fragments.of(next)?;
        let whole_only = self.set != SetState::None
            || self.config.group.is_some()
            || self.filters.is_some()
            || self.reader_refusing(size).is_some()
            || size <= fragment_size
            || !change.payload.is_empty()
            || self.readers.iter().any(|r| r.told_by_first);
        if whole_only {
            return None;
        }
        // What KEEP_LAST lets go of for it stays until it is whole: it may never be.
        if self.keeps() && self.config.history == History::KeepAll {
            self.history.admit(change, self.acknowledged).ok()?;
        }
        let mut spare = self.spare.take();
        let parts = spare.as_mut().map(|open| core::mem::take(&mut open.parts));
        let open = OpenChange {
            sequence: next,
            change: change.clone(),
            origin: origin.copied(),
            size,
            parts: parts.unwrap_or_default(),
            said: 0,
            due: now.after(self.config.heartbeat_period),
        };
        self.open = Some(match spare {
            Some(mut spare) => {
                *spare = open;
                spare
            }
            None => Box::new(open),
        });
        Some(SequenceNumber(next))
    }

    /// Is a change open?
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The next bytes of the open change; its fragments that are whole now go to all matched
    /// readers, each once. False if no change is open, or if there would be more bytes than it was
    /// to have: then nothing is changed.
    pub fn extend(&mut self, bytes: Bytes, out: &mut impl Outbox) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if open.parts.length.saturating_add(bytes.len()) > open.size {
            return false;
        }
        open.parts.add(bytes);
        // While all goes whole, it does when it is complete.
        let Some(size) = self.voice.fragments.of(open.sequence) else {
            return true;
        };
        let (from, until) = (open.said + 1, open.available(size));
        if from > until || self.readers.is_empty() {
            return true;
        }
        open.said = until;
        let audience = Recipients {
            to: To::Matched,
            reader: EntityId::UNKNOWN,
            expects_inline_qos: self.expects_inline_qos,
        };
        let sequence = open.sequence;
        self.voice
            .say_open(audience, sequence, open, from..=until, out);
        true
    }

    /// The open change is whole: this is its payload, all of it, in place of the parts. What was
    /// not said yet is said, and from now on it is a change like any other.
    ///
    /// # Errors
    /// `NotOpen` if no change of this length is open; whatever `write` may say of its history. The
    /// open change is abandoned then.
    pub fn complete(
        &mut self,
        now: Time,
        payload: Body,
        out: &mut impl Outbox,
    ) -> Result<SequenceNumber, WriteError> {
        self.expire(now);
        let Some(open) = &self.open else {
            return Err(WriteError::NotOpen);
        };
        let mut change = Change {
            payload,
            ..open.change
        };
        let admitted = match change.payload.len() == open.size {
            true if self.keeps() => self.history.admit(&change, self.acknowledged),
            true => Ok(()),
            false => Err(WriteError::NotOpen),
        };
        if let Err(error) = admitted {
            self.abandon(now, out);
            return Err(error);
        }
        let Some(open) = self.open.take() else {
            return Err(WriteError::NotOpen);
        };
        self.last = open.sequence;
        if !self.readers.is_empty() {
            let audience = Recipients {
                to: To::Matched,
                reader: EntityId::UNKNOWN,
                expects_inline_qos: self.expects_inline_qos,
            };
            let notes = open.notes();
            self.voice
                .say_rest(audience, open.sequence, &change, notes, open.said, out);
        }
        let (sequence, origin) = (open.sequence, open.origin);
        self.retire(open);
        self.wrote(now, sequence, &mut change, None, origin.as_ref(), out);
        Ok(SequenceNumber(sequence))
    }

    /// The open change will never be whole. Readers that got a part of it are told that it will not
    /// come; nobody is shown anything of it, and it does not count as lost. True if there was one.
    pub fn abandon(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        let Some(open) = self.open.take() else {
            return false;
        };
        let (sequence, said) = (open.sequence, open.said);
        self.retire(open);
        // Nobody has heard of its number: the next change has it.
        if said == 0 {
            return true;
        }
        self.last = sequence;
        for proxy in self.readers.iter().filter(|reader| reader.hears_gaps()) {
            let gap = Gap {
                reader: proxy.config.guid.entity,
                writer: self.config.guid.entity,
                start: SequenceNumber(sequence),
                list: SequenceNumberSet::new(SequenceNumber(sequence + 1)),
            };
            let to = To::Endpoint(proxy.config.guid);
            out.push(to, Submessage::Gap(gap), &Bytes::new());
        }
        if self.reliable_readers == 0 {
            self.settle();
        } else {
            self.heartbeat(now, out);
        }
        true
    }

    /// Its parts are not needed any more; their end may run code of the application.
    fn retire(&mut self, mut open: Box<OpenChange>) {
        let parts = open.parts.parts.drain(..);
        self.history.retired().extend(parts.map(|(_, bytes)| bytes));
        open.parts.parts.shrink_to(KEPT_PARTS);
        open.parts.length = 0;
        self.spare = Some(open);
    }

    /// When readers are to be told what there is of an open change.
    pub(super) fn open_due(&self) -> Option<Time> {
        let waits = self.reliable_readers > 0;
        self.open.as_ref().filter(|_| waits).map(|open| open.due)
    }

    /// Tells all readers what there is of the open change, if it is time to.
    pub(super) fn tell_open_if_due(&mut self, now: Time, out: &mut impl Outbox) {
        if self.open_due().is_none_or(|due| due > now) {
            return;
        }
        if let Some(open) = &mut self.open {
            open.due = now.after(self.config.heartbeat_period);
        }
        self.tell_open(To::Matched, EntityId::UNKNOWN, out);
    }

    /// Says up to which fragment all is here of the open change (RTPS 2.5 8.3.8.7): a heartbeat
    /// says nothing of it.
    pub(super) fn tell_open(&mut self, to: To, reader: EntityId, out: &mut impl Outbox) {
        let Some(open) = self.open.as_ref().filter(|open| open.said > 0) else {
            return;
        };
        self.heartbeats = self.heartbeats.wrapping_add(1);
        let heartbeat = HeartbeatFrag {
            reader,
            writer: self.config.guid.entity,
            sequence: SequenceNumber(open.sequence),
            last: FragmentNumber(u32::try_from(open.said).unwrap_or(u32::MAX)),
            count: self.heartbeats,
        };
        out.push(to, Submessage::HeartbeatFrag(heartbeat), &Bytes::new());
    }

    /// Is this the number of the open change?
    pub(super) fn is_open_number(&self, sequence: i64) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| open.sequence == sequence)
    }

    /// Says again which of these fragments of the open change were said before. What comes later
    /// goes to all.
    pub(super) fn repeat_open_fragments(
        &mut self,
        index: usize,
        wanted: &NackFrag,
        out: &mut impl Outbox,
    ) {
        let numbers = wanted.state.iter().map(|number| number.0 as usize);
        self.say_open_again(index, numbers, out);
    }

    /// Says to a reader that asks for all of the open change what there is of it, not too often.
    pub(super) fn repeat_open(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let Some(sequence) = self.open.as_ref().map(|open| open.sequence) else {
            return;
        };
        let Some(proxy) = self.readers.get_mut(index) else {
            return;
        };
        let is_soon = |(n, at): (i64, Time)| n == sequence && now.since(at) < ANSWER_INTERVAL;
        if proxy.whole.is_some_and(is_soon) {
            return;
        }
        proxy.whole = Some((sequence, now));
        self.say_open_again(index, 1.., out);
    }

    fn say_open_again(
        &mut self,
        index: usize,
        numbers: impl Iterator<Item = usize>,
        out: &mut impl Outbox,
    ) {
        let (Some(proxy), Some(open)) = (self.readers.get(index), &self.open) else {
            return;
        };
        let Some(size) = self.voice.fragments.of(open.sequence) else {
            return;
        };
        let audience = proxy.audience();
        let most = (ANSWER_BYTES / size).max(1);
        let numbers = numbers.take_while(|number| *number <= open.said);
        let numbers = numbers.take(most);
        let said = self
            .voice
            .say_open(audience, open.sequence, open, numbers, out);
        if said > 0 {
            self.tell_open(audience.to, audience.reader, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_one_run_of_bytes_would_be(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..9),
            start in 0..50usize,
            length in 0..50usize,
        ) {
            let whole = parts.concat();
            let mut list = Parts::default();
            parts.iter().for_each(|part| list.add(Bytes::copy_from_slice(part)));
            prop_assert_eq!(list.length, whole.len());
            let mut joined = Vec::new();
            list.with_pieces(&(start..start + length), |pieces| {
                pieces.iter().for_each(|piece| joined.extend_from_slice(&piece.share()));
            });
            let cut = whole.iter().copied().skip(start).take(length).collect::<Vec<_>>();
            prop_assert_eq!(joined, cut);
        }
    }
}
