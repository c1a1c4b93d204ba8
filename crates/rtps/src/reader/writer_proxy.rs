//! What a reader knows of one writer (RTPS 2.5 8.4.10.4): how far it has come, and what waits or is missing.
use super::intervals::Intervals;
use super::reassembly::Reassembly;
use crate::counter::Counter;
use crate::{ChangeKind, InstanceHandle, Time};
use alloc::collections::BTreeMap;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{Guid, SequenceNumber, SequenceNumberSet, Timestamp};

/// A missing change is asked for again at most this often while nothing comes.
const ASK_INTERVAL: Duration = Duration::from_millis(5);
/// And at most this often while some does.
const ASK_INTERVAL_MOVING: Duration = Duration::from_millis(1);
/// The first wait before an unanswered question is repeated; it doubles each time.
const RETRY: Duration = Duration::from_millis(10);
/// After so many repetitions only the writer's heartbeat wakes the question again; a writer that was never heard is
/// asked on, since one that has nothing to send has no reason to speak first.
const MOST_TRIES: u32 = 5;
/// The wait does not double more often than this.
const LONGEST_PAUSE: u32 = 7;

/// A change in full that waits for its turn.
pub(super) struct Waiting {
    pub(super) kind: ChangeKind,
    pub(super) instance: InstanceHandle,
    pub(super) name: Option<InstanceHandle>,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) payload: Bytes,
}

/// Who wrote a change.
#[derive(Clone, Copy)]
pub(super) struct Author {
    pub(super) id: u32,
    pub(super) guid: Guid,
    pub(super) strength: i32,
}

/// Where a change stands among its writer's.
pub(super) enum Turn {
    /// It was had before, or is settled.
    Past,
    /// It is the next one; so many before it are lost for good.
    Now { lost: u32 },
    /// Others must come first.
    Early,
}

pub(super) struct WriterProxy {
    pub(super) author: Author,
    pub(super) reliable: bool,
    /// All below is settled: delivered, lost or irrelevant.
    pub(super) next: i64,
    /// The writer said or showed that it has got so far.
    last: i64,
    /// Something was heard.
    pub(super) started: bool,
    /// It is known which changes concern this reader, so that what is skipped from now on is lost. A heartbeat to all
    /// readers does not tell: to a late joiner it names changes from before its time.
    pub(super) joined: bool,
    /// The reader's limits do not let `next` in.
    pub(super) blocked: bool,
    pub(super) waiting: BTreeMap<i64, Waiting>,
    pub(super) waiting_bytes: usize,
    pub(super) gaps: Intervals,
    pub(super) partials: Reassembly,
    pub(super) heartbeats: Counter,
    pub(super) heartbeat_frags: Counter,
    asked: Option<(Time, i64)>,
    tries: u32,
    pub(super) due: Option<Time>,
}

impl WriterProxy {
    pub(super) fn new(author: Author, reliable: bool) -> Self {
        Self {
            author,
            reliable,
            next: 1,
            last: 0,
            started: false,
            joined: false,
            blocked: false,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            gaps: Intervals::default(),
            partials: Reassembly::default(),
            heartbeats: Counter::default(),
            heartbeat_frags: Counter::default(),
            asked: None,
            tries: 0,
            due: None,
        }
    }

    #[inline]
    pub(super) fn turn(&self, sequence: i64) -> Turn {
        if sequence < self.next || sequence == i64::MAX {
            Turn::Past
        } else if sequence == self.next {
            Turn::Now { lost: 0 }
        } else if !self.reliable {
            let lost = sequence.saturating_sub(self.next);
            let lost = if self.joined { lost } else { 0 };
            Turn::Now {
                lost: u32::try_from(lost).unwrap_or(u32::MAX),
            }
        } else if self.waiting.contains_key(&sequence) || self.gaps.end_of(sequence).is_some() {
            Turn::Past
        } else {
            Turn::Early
        }
    }

    /// All up to `sequence` is settled, the change itself by its arrival.
    #[inline]
    pub(super) fn settle(&mut self, sequence: i64) {
        self.joined = true;
        self.skip_to(sequence.saturating_add(1));
    }

    /// Nothing below `next` matters any more.
    #[inline]
    fn skip_to(&mut self, next: i64) {
        self.next = next;
        self.started = true;
        self.blocked = false;
        if !self.partials.is_empty() {
            self.partials.forget_below(self.next);
        }
    }

    /// Something waits behind `next`.
    #[inline]
    pub(super) fn has_backlog(&self) -> bool {
        !self.waiting.is_empty() || !self.gaps.is_empty()
    }

    /// Skips what will never come and takes out the change whose turn it is.
    pub(super) fn take_next(&mut self) -> Option<(i64, Waiting)> {
        loop {
            let waiting = self.waiting.first_key_value().map(|(n, _)| *n);
            if waiting.is_some_and(|n| n <= self.next) {
                let (sequence, change) = self.waiting.pop_first()?;
                self.waiting_bytes -= change.payload.len();
                return Some((sequence, change));
            }
            let Some(end) = self.gaps.end_of(self.next) else {
                self.gaps.forget_below(self.next);
                return None;
            };
            let end = waiting.map_or(end, |n| n.min(end));
            self.skip_to(end);
        }
    }

    /// Keeps a change until its turn comes; false if the bounds are met.
    pub(super) fn hold(
        &mut self,
        sequence: i64,
        change: Waiting,
        most: usize,
        most_bytes: usize,
    ) -> bool {
        let bytes = self.waiting_bytes.saturating_add(change.payload.len());
        if self.waiting.len() >= most || bytes > most_bytes {
            return false;
        }
        self.waiting_bytes = bytes;
        self.waiting.insert(sequence, change);
        true
    }

    /// Nothing below `first` will come any more; says how much of it is lost.
    pub(super) fn starts_at(&mut self, first: i64) -> u32 {
        if first <= self.next {
            return 0;
        }
        let here = self.waiting.range(self.next..first).count();
        let lost = (first - self.next).saturating_sub(i64::try_from(here).unwrap_or(0));
        self.gaps.add(self.next, first);
        match self.joined {
            true => u32::try_from(lost).unwrap_or(u32::MAX),
            false => 0,
        }
    }

    /// A heartbeat said how far the writer is.
    pub(super) fn announce(&mut self, last: i64) {
        self.last = self
            .waiting
            .last_key_value()
            .map_or(last, |(n, _)| last.max(*n));
        self.started = true;
    }

    /// A change showed how far the writer is.
    pub(super) fn saw(&mut self, sequence: i64) {
        self.last = self.last.max(sequence);
    }

    /// Something is missing that the writer has.
    pub(super) fn lacks(&self) -> bool {
        self.next <= self.last && !self.waiting.contains_key(&self.next)
    }

    /// All up to the base is had; whole changes that are missing (RTPS 2.5 8.3.8.1).
    pub(super) fn state(&self) -> SequenceNumberSet {
        let mut set = SequenceNumberSet::new(SequenceNumber(self.next));
        if self.blocked {
            return set;
        }
        let mut waiting = self.waiting.range(self.next..).map(|(n, _)| *n).peekable();
        let mut number = self.next;
        let end = self
            .last
            .min(self.next.saturating_add(255))
            .min(i64::MAX - 1);
        while number <= end {
            if waiting.next_if_eq(&number).is_some() || self.partials.contains(number) {
                number += 1;
            } else if let Some(gap) = self.gaps.end_of(number) {
                number = gap;
                while waiting.next_if(|n| *n < gap).is_some() {}
            } else {
                set.insert(SequenceNumber(number));
                number += 1;
            }
        }
        set
    }

    /// Incomplete changes that `state` left out.
    pub(super) fn incomplete(&self) -> impl Iterator<Item = SequenceNumber> {
        let end = self.last.min(self.next.saturating_add(255));
        self.partials.sequences(end)
    }

    /// May the writer be asked now? If not, `due` says when.
    pub(super) fn may_ask(&mut self, now: Time) -> bool {
        let Some((at, base)) = self.asked else {
            return true;
        };
        let pause = if self.next > base {
            ASK_INTERVAL_MOVING
        } else {
            ASK_INTERVAL
        };
        let then = at.after(pause);
        if now < then {
            self.due = Some(self.due.map_or(then, |due| due.min(then)));
        }
        now >= then
    }

    /// The writer was asked.
    pub(super) fn asked(&mut self, now: Time) {
        if self.asked.is_some_and(|(_, base)| self.next > base) {
            self.tries = 0;
        }
        self.asked = Some((now, self.next));
        let pause = Duration::from_nanos(RETRY.as_nanos() << self.tries.min(LONGEST_PAUSE));
        let again = self.tries < MOST_TRIES || !self.started;
        self.due = again.then(|| now.after(pause));
        self.tries = self.tries.saturating_add(1);
    }

    /// The writer spoke, so questions may be repeated anew.
    pub(super) fn heard(&mut self) {
        self.tries = 0;
    }

    /// Nothing is to be asked.
    pub(super) fn rest(&mut self) {
        self.asked = None;
        self.tries = 0;
        // Room may have come for what was refused; that is still to be looked at.
        if !self.blocked {
            self.due = None;
        }
    }
}
