//! What a reader has to ask a writer for, and when.
use super::WriterProxy;
use crate::Time;
use dunlin_wire::{SequenceNumber, SequenceNumberSet};

impl WriterProxy {
    /// Something is missing that the writer has.
    pub(in crate::reader) fn lacks(&self) -> bool {
        self.must_wait() || (self.next <= self.last && !self.waiting.contains_key(&self.next))
    }

    /// All up to the base is had; at most `changes` whole ones that are missing (RTPS 2.5 8.3.8.1),
    /// among the next `most`.
    pub(in crate::reader) fn state(&self, most: u32, changes: usize) -> SequenceNumberSet {
        let mut set = SequenceNumberSet::new(SequenceNumber(self.next));
        let mut left = changes;
        if self.blocked {
            return set;
        }
        let mut waiting = self.waiting.range(self.next..).map(|(n, _)| *n).peekable();
        let mut number = self.next;
        let end = self.last.min(i64::MAX - 1);
        let furthest = self.next.saturating_add(255);
        // What lies beyond a gap needs no more room than what lies before it.
        let mut end_of_room = self.next.saturating_add(i64::from(most) - 1);
        while left > 0 && number <= end.min(end_of_room).min(furthest) {
            if waiting.next_if_eq(&number).is_some() || self.partials.contains(number) {
                number += 1;
            } else if let Some(gap) = self.gaps.end_of(number) {
                end_of_room = end_of_room.saturating_add(gap - number);
                number = gap;
                while waiting.next_if(|n| *n < gap).is_some() {}
            } else {
                set.insert(SequenceNumber(number));
                number += 1;
                left -= 1;
            }
        }
        set
    }

    /// Whole changes that are asked for at a time: all while they are small, otherwise as many as
    /// make a portion. The one that others wait for is asked for in any case.
    pub(in crate::reader) fn changes_to_ask(&self) -> usize {
        match self.questions.portion().checked_div(self.questions.usual()) {
            None => usize::MAX,
            Some(0) => usize::from(!self.partials.contains(self.next)),
            Some(several) => several,
        }
    }

    /// The writer is still saying it for the first time, so what lies beyond what came is not
    /// missing yet.
    pub(in crate::reader) fn is_on_its_way(&self, now: Time, sequence: i64) -> bool {
        sequence >= self.last && sequence > self.announced && self.partials.is_fresh(now, sequence)
    }

    /// Incomplete changes that `state` left out.
    pub(in crate::reader) fn incomplete(&self) -> impl Iterator<Item = SequenceNumber> {
        let end = self.last.min(self.next.saturating_add(255));
        self.partials.sequences(end)
    }

    /// May the writer be asked now? If not, `due` says when.
    pub(in crate::reader) fn may_ask(&mut self, now: Time) -> bool {
        let then = self.questions.open_from(self.next);
        if now < then {
            self.due = Some(self.due.map_or(then, |due| due.min(then)));
        }
        now >= then
    }

    /// The writer was asked, for so many bytes of large samples in so many messages.
    pub(in crate::reader) fn asked(&mut self, now: Time, wanted: usize, messages: usize) {
        let (next, until) = (self.next, self.last);
        self.due = Some(self.questions.asked(now, next, until, wanted, messages));
    }

    /// Nothing is to be asked.
    pub(in crate::reader) fn rest(&mut self) {
        self.questions.rest();
        // Room may have come for what was refused; that is still to be looked at.
        if !self.blocked {
            self.due = None;
        }
    }
}
