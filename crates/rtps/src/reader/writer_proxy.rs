//! What a reader knows of one writer (RTPS 2.5 8.4.10.4): how far it has come, and what waits or is
//! missing.
mod asking;
mod belief;

use super::coherent_sets::CoherentSets;
use super::departed::Had;
use super::intervals::Intervals;
use super::nack_pacing::NackPacing;
use super::reassembly::Reassembly;
use crate::budget::Share;
use crate::counter::Counter;
use crate::proxies::Named;
use crate::{ChangeKind, InstanceHandle, Payload, Time};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
pub(super) use belief::{Belief, CONFIRM};
use belief::{Claim, Leap, NEAR};
use dunlin_qos::Duration;
use dunlin_wire::{Gap, Guid, SampleOrigin, SetMembership, Timestamp, VendorId};

/// What a change that waits costs beside its payload.
const WAITING_COST: usize = 128;

/// A change in full that waits for its turn.
#[derive(Clone)]
pub(super) struct Waiting {
    pub(super) sort: NumberKind,
    pub(super) set: SetMembership,
    pub(super) kind: ChangeKind,
    pub(super) instance: InstanceHandle,
    pub(super) name: Option<InstanceHandle>,
    pub(super) foreign_key_hash: bool,
    pub(super) origin: Option<Box<SampleOrigin>>,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) expires: Time,
    pub(super) payload: Payload,
}

impl Waiting {
    fn cost(&self) -> usize {
        let origin = self
            .origin
            .as_ref()
            .map_or(0, |_| size_of::<SampleOrigin>());
        self.payload.len() + origin + WAITING_COST
    }
}

/// What a number stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Change,
    /// Nothing but the end of a set.
    Mark,
    /// A change that nothing can be made of.
    Void,
    /// A sample that does not pass the reader's filter.
    Unwanted,
}

/// Who wrote a change.
#[derive(Clone, Copy)]
pub(super) struct WriterIdentity {
    pub(super) id: u32,
    pub(super) guid: Guid,
    pub(super) strength: i32,
}

/// Where a change stands among its writer's.
pub(super) enum Ordering {
    /// It was had before, or is settled.
    Past,
    /// It is the next one; so many before it are lost for good.
    Now { lost: u32 },
    /// Others must come first.
    Early,
}

pub(super) struct WriterProxy {
    pub(super) author: WriterIdentity,
    pub(super) reliable: bool,
    /// It is one of our own.
    is_ours: bool,
    pub(super) lifespan: Duration,
    history: bool,
    /// All below is settled: delivered, lost or irrelevant.
    pub(super) next: i64,
    /// All below was settled in an earlier match: what comes again of it is not delivered again.
    pub(super) had: i64,
    /// How far the writer is, as it said or showed last.
    last: i64,
    /// The furthest that it ever said or showed to be.
    reach: i64,
    /// It is known where to begin.
    pub(super) started: bool,
    /// Nothing is let in before the writer has told this very reader where to begin. Meanwhile it
    /// may hear what is meant for others at its place, which was never promised to it. Our own
    /// writers tell; of others a heartbeat to all will do.
    waits_for_start: bool,
    /// What its first HEARTBEAT shows to be missing is asked for a little later: a GAP that comes
    /// with it may say that it is history, and not for a volatile reader.
    pub(super) may_hear_gap: bool,
    /// The first HEARTBEAT is still to be answered.
    pub(super) owes_answer: bool,
    /// What is skipped from here on is lost; `None` while that is not known. A heartbeat to all
    /// readers does not tell: to a late joiner it names changes from before its time.
    owed_from: Option<i64>,
    /// A GAP said that the reader begins here; a HEARTBEAT or a change has to show that the writer
    /// has got so far.
    begins: Option<i64>,
    /// The number of the last change that came too early to be kept.
    glimpsed: i64,
    /// The highest of such numbers that followed another one at once.
    followed: i64,
    /// What a HEARTBEAT said that has to be said again before it counts.
    claim: Option<Claim>,
    /// The reader's limits do not let `next` in.
    pub(super) blocked: bool,
    pub(super) waiting: BTreeMap<i64, Waiting>,
    pub(super) waiting_bytes: usize,
    pub(super) gaps: Intervals,
    pub(super) partials: Reassembly,
    /// The sample that is handed out before it is whole.
    pub(super) handed_out: Option<i64>,
    /// What it has of the participant's memory for all that waits.
    pub(super) share: Share,
    pub(super) heartbeats: Counter,
    pub(super) heartbeat_frags: Counter,
    pub(super) questions: NackPacing,
    /// The writer said that it has got so far, so all up to here has been on its way; negative
    /// before it said anything.
    announced: i64,
    /// `next` went far ahead at once, or somebody said that the writer is.
    leap: Option<Leap>,
    /// The count of a HEARTBEAT that was no news, and came from a writer that is far behind.
    behind: Option<u32>,
    pub(super) due: Option<Time>,
    /// What comes in sets, if the reader wants these whole.
    pub(super) sets: Option<Box<CoherentSets>>,
}

impl Named for WriterProxy {
    fn guid(&self) -> Guid {
        self.author.guid
    }
}

impl WriterProxy {
    /// `history`: the writer gives late joiners what it had before.
    pub(super) fn new(
        author: WriterIdentity,
        vendor: VendorId,
        reliable: bool,
        history: bool,
        share: Share,
    ) -> Self {
        let is_ours = vendor == VendorId::DUNLIN;
        Self {
            author,
            reliable,
            is_ours,
            lifespan: Duration::INFINITE,
            history,
            next: 1,
            had: 1,
            last: 0,
            reach: 0,
            started: false,
            waits_for_start: reliable && is_ours,
            may_hear_gap: false,
            owes_answer: false,
            owed_from: None,
            begins: None,
            glimpsed: 0,
            followed: 0,
            claim: None,
            blocked: false,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            gaps: Intervals::default(),
            partials: Reassembly::default(),
            handed_out: None,
            share,
            heartbeats: Counter::default(),
            heartbeat_frags: Counter::default(),
            questions: NackPacing::default(),
            announced: -1,
            leap: None,
            behind: None,
            due: None,
            sets: None,
        }
    }

    /// The writer is known from an earlier match.
    pub(super) fn resume(&mut self, had: Had) {
        self.had = had.below;
        self.owed_from = had.owed_from.map(|from| from.max(had.below));
        // Those who do not tell a volatile reader where it begins go on where they were.
        if self.reliable && !self.waits_for_start && !self.history {
            self.next = self.had;
        }
    }

    /// Is nothing missing of what it said that it has? Nothing can be of a best-effort writer, nor
    /// of one without history that nothing was heard of, and that is not asked.
    pub(super) fn is_complete(&self) -> bool {
        let lacks = || self.blocked || self.lacks() || self.has_backlog();
        let is_told_later = self.must_wait() && !self.history && self.due.is_none();
        !self.reliable || is_told_later || self.started && !lacks()
    }

    /// What is to be remembered of the writer, should it come back; `None` if nothing came of it.
    /// Best-effort writers of other vendors do not tell that they have begun anew: `None`, too.
    pub(super) fn leaves(&self) -> Option<Had> {
        let below = match self.started || !self.reliable {
            true => self.next.max(self.had),
            false => self.had,
        };
        let known = below > 1 || self.owed_from.is_some();
        let known = known && (self.is_ours() || self.reliable);
        known.then_some(Had {
            below,
            owed_from: self.owed_from,
        })
    }

    /// The names of our own are never given twice. Of others some are, by devices that begin anew.
    #[inline]
    pub(super) fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// The writer says how far it is. One that is not as far as it was is another one.
    pub(super) fn check_identity(&mut self, last: i64) {
        if !self.started && !self.is_ours() && self.had > last.saturating_add(1) {
            (self.next, self.had, self.owed_from) = (1, 1, None);
        }
    }

    /// The writer gives this reader what it had before.
    pub(super) fn has_history(&self) -> bool {
        self.history
    }

    /// Where the reader begins is known from an earlier match, and the writer has not spoken yet.
    pub(super) fn is_resuming(&self) -> bool {
        self.must_wait() && self.owed_from.is_some()
    }

    /// Where a change stands that comes now, and whether that contradicts what was said of numbers
    /// far ahead of it.
    #[inline]
    pub(super) fn turn_on_arrival(&mut self, sequence: i64) -> (Ordering, bool) {
        let implausible = self.reach_change(sequence);
        match self.turn(sequence) {
            Ordering::Past if !self.reliable && self.fall_back(sequence) => {
                (self.turn(sequence), true)
            }
            turn => (turn, implausible),
        }
    }

    #[inline]
    pub(super) fn turn(&self, sequence: i64) -> Ordering {
        let is_next = sequence == self.next && sequence != i64::MAX;
        match is_next && !self.blocked && !self.must_wait() {
            true => Ordering::Now { lost: 0 },
            false => self.turn_of_another(sequence),
        }
    }

    /// As `turn`, of a change that is not simply the next one. Not inlined, since it is rare.
    #[inline(never)]
    fn turn_of_another(&self, sequence: i64) -> Ordering {
        if sequence < self.next || sequence == i64::MAX {
            Ordering::Past
        } else if sequence == self.next && !self.must_wait() {
            match self.blocked && self.waiting.contains_key(&sequence) {
                true => Ordering::Past,
                false => Ordering::Now { lost: 0 },
            }
        } else if !self.reliable {
            let from = self.next.max(self.had);
            let skipped = match from < sequence {
                true => self.gaps.count_within(from, sequence),
                false => 0,
            };
            let lost = sequence.saturating_sub(from).max(0) - skipped;
            let lost = if self.owed_from.is_some() { lost } else { 0 };
            Ordering::Now {
                lost: u32::try_from(lost).unwrap_or(u32::MAX),
            }
        } else if self.waiting.contains_key(&sequence) || self.gaps.end_of(sequence).is_some() {
            Ordering::Past
        } else {
            Ordering::Early
        }
    }

    /// Nothing can be let in yet, since it is not known where to begin.
    #[inline]
    pub(super) fn must_wait(&self) -> bool {
        self.waits_for_start && !self.started
    }

    /// The writer told this very reader that it has `first` to `last` for it. Others than ours also
    /// name changes from before the reader's time, so what a volatile reader misses of these counts
    /// for nothing.
    pub(super) fn begin(&mut self, first: i64, last: i64) {
        let resumes = self.is_resuming();
        if self.owed_from.is_none() {
            let exact = self.waits_for_start || self.history;
            self.owed_from = Some(if exact { first } else { last + 1 });
        }
        if self.must_wait() {
            let start = match resumes {
                true => first.min(self.had),
                false => first,
            };
            let wanted = self.waiting.split_off(&start);
            let early = core::mem::replace(&mut self.waiting, wanted);
            let bytes: usize = early.values().map(|w| w.payload.len()).sum();
            self.waiting_bytes -= bytes;
            early.values().for_each(|w| self.share.give(w.cost()));
            self.note_leap(start);
            self.skip_to(start);
        }
    }

    /// A GAP said where the reader begins, and a HEARTBEAT shows that the writer has got so far;
    /// false if it has not.
    pub(super) fn begin_after_gap(&mut self, last: i64) -> bool {
        let Some(begins) = self.begins.take() else {
            return true;
        };
        let possible = begins <= last.saturating_add(1);
        if possible {
            self.begin(begins, begins - 1);
        }
        possible
    }

    /// All up to `sequence` is settled, the change itself by its arrival.
    #[inline]
    pub(super) fn settle(&mut self, sequence: i64) {
        if !self.reliable {
            self.owed_from = Some(sequence);
        }
        self.skip_to(sequence.saturating_add(1));
    }

    /// Nothing below `next` matters any more.
    #[inline]
    fn skip_to(&mut self, next: i64) {
        self.next = next;
        self.started = true;
        self.blocked = false;
        if !self.partials.is_empty() {
            self.partials.forget_below(self.next, &mut self.share);
        }
    }

    /// Changes that wait for the end of their set, and the bytes of their payloads.
    pub(super) fn in_sets(&self) -> (usize, usize) {
        self.sets.as_ref().map_or((0, 0), |sets| sets.held())
    }

    /// Something waits behind `next`.
    #[inline]
    pub(super) fn has_backlog(&self) -> bool {
        !self.waiting.is_empty() || !self.gaps.is_empty()
    }

    /// A change waits whose turn has come: a later one showed that none before it will come.
    pub(super) fn has_due(&self) -> bool {
        let waiting = self.waiting.first_key_value();
        waiting.is_some_and(|(n, _)| *n <= self.next) && !self.blocked && !self.must_wait()
    }

    /// Skips what will never come and takes out the change whose turn it is.
    pub(super) fn take_next(&mut self) -> Option<(i64, Waiting)> {
        if self.must_wait() {
            return None;
        }
        loop {
            let waiting = self.waiting.first_key_value().map(|(n, _)| *n);
            if waiting.is_some_and(|n| n <= self.next) {
                let (sequence, change) = self.waiting.pop_first()?;
                self.waiting_bytes -= change.payload.len();
                self.share.give(change.cost());
                if self.waits_for_start && self.waiting.is_empty() {
                    // A map that was emptied keeps a node, and of such readers most have something
                    // to put in order at the start alone.
                    self.waiting = BTreeMap::new();
                }
                return Some((sequence, change));
            }
            // A GAP that reaches beyond all that the writer announced waits as a whole: it may be
            // that of somebody else, and cover what was lost on its way.
            let end = self.gaps.end_of(self.next);
            let Some(end) = end.filter(|end| *end <= self.reach() + 1) else {
                self.gaps.forget_below(self.next);
                return None;
            };
            self.pass_over(waiting.map_or(end, |n| n.min(end)));
        }
    }

    /// Nothing from `next` to before `end` will ever come.
    pub(super) fn pass_over(&mut self, end: i64) {
        if end > self.next
            && let Some(sets) = &mut self.sets
        {
            sets.skip();
        }
        self.note_leap(end);
        self.skip_to(end);
    }

    /// Keeps a change until its turn comes; false if the bounds are met, or if the participant has
    /// no memory for it. Without a bound for its bytes it is kept in any case.
    pub(super) fn hold(
        &mut self,
        now: Time,
        sequence: i64,
        change: Waiting,
        most: usize,
        most_bytes: usize,
    ) -> bool {
        let here = self.waiting.get(&sequence).map_or(0, |w| w.payload.len());
        let bytes = (self.waiting_bytes - here).saturating_add(change.payload.len());
        if self.waiting.len() >= most || bytes > most_bytes {
            return false;
        }
        match most_bytes {
            usize::MAX => self.share.take_anyway(change.cost()),
            _ if !self.share.take_early(now, change.cost()) => {
                self.share.note_dropped();
                return false;
            }
            _ => {}
        }
        self.waiting_bytes = bytes;
        if let Some(before) = self.waiting.insert(sequence, change) {
            self.share.give(before.cost());
        }
        self.partials.forget(sequence, &mut self.share);
        true
    }

    /// Nothing below `first` will come any more; says how much of it is lost.
    pub(super) fn starts_at(&mut self, first: i64) -> u32 {
        if first <= self.next {
            return 0;
        }
        let owed = self.next.max(self.owed_from.unwrap_or(first)).min(first);
        let here = i64::try_from(self.waiting.range(owed..first).count()).unwrap_or(0);
        let lost = first - owed - here - self.gaps.count_within(owed, first);
        self.gaps.add(self.next, first);
        u32::try_from(lost.max(0)).unwrap_or(u32::MAX)
    }

    /// The writer said or showed that it has got so far.
    fn reach(&self) -> i64 {
        self.reach.max(self.next - 1)
    }

    /// Numbers will never come. Those beyond all that the writer announced are passed over when it
    /// has announced them. A GAP that is said to this very reader, from the first number on, shows
    /// where the reader begins; of others' writers it shows that they speak to us.
    pub(super) fn hear_gap(&mut self, gap: &Gap, addressed: bool) {
        let (start, end) = (gap.start.0, gap.list.base().0);
        self.started |= self.reliable && !self.waits_for_start;
        let is_placed = self.owed_from.is_some() && !self.must_wait();
        if addressed && start <= self.next && !is_placed {
            self.begins = Some(end);
        }
        self.gaps.add(start.max(self.next), end);
        for number in gap.list.iter().map(|n| n.0) {
            if number >= self.next && number < i64::MAX {
                self.gaps.add(number, number + 1);
            }
        }
    }

    /// A change comes: passes over what GAPs said of the numbers before it. If it is the first to
    /// show that the writer has got so far, the GAPs that reach to it or beyond it were wrong, or
    /// are said again, and so was a HEARTBEAT that named numbers far ahead. True if a GAP reached
    /// far ahead.
    #[inline]
    fn reach_change(&mut self, sequence: i64) -> bool {
        (!self.gaps.is_empty() || self.begins.is_some() || self.is_claimed())
            && !self.must_wait()
            && self.reach_change_after_gap(sequence)
    }

    #[inline(never)]
    fn reach_change_after_gap(&mut self, sequence: i64) -> bool {
        if sequence <= self.reach() {
            return false;
        }
        // Who writes its next change here is not as far as was said.
        let far = sequence.saturating_add(NEAR);
        self.contradict_claims_beyond(far);
        let cut = self.gaps.forget_reaching(sequence);
        if let Some(begins) = self.begins.take_if(|begins| *begins <= sequence) {
            self.begin(begins, begins - 1);
            if !self.reliable && begins > self.next {
                self.note_leap(begins);
                self.skip_to(begins);
            }
        }
        if self.reliable
            && !self.blocked
            && let Some(end) = self.gaps.end_of(self.next)
        {
            let waiting = self.waiting.first_key_value().map(|(n, _)| *n);
            let near = sequence.saturating_sub(self.next) <= NEAR;
            if end == sequence || near {
                self.pass_over(waiting.map_or(end, |n| n.min(end)));
            }
        }
        self.gaps.forget_below(self.next);
        cut.is_some_and(|end| end.saturating_sub(sequence) > NEAR)
    }

    /// A change was too early to be kept. One alone says nothing of how far the writer is.
    pub(super) fn glimpse(&mut self, sequence: i64) {
        let ahead = sequence.saturating_sub(self.glimpsed);
        if self.glimpsed > 0 && ahead > 0 && ahead <= NEAR {
            self.followed = self.followed.max(sequence);
        }
        self.glimpsed = sequence;
    }

    /// A heartbeat said how far the writer is. GAPs that reach beyond that were wrong, or are said
    /// again; true if one reached far ahead.
    pub(super) fn announce(&mut self, last: i64) -> bool {
        self.reach = self.reach.max(last);
        let reach = self.reach();
        let cut = self.gaps.forget_reaching(reach.saturating_add(1));
        self.announced = self.announced.max(last);
        self.last = self
            .waiting
            .last_key_value()
            .map_or(last, |(n, _)| last.max(*n));
        self.started = true;
        cut.is_some_and(|end| end.saturating_sub(reach) > NEAR)
    }

    /// A change showed how far the writer is.
    pub(super) fn saw(&mut self, sequence: i64) {
        self.last = self.last.max(sequence);
        self.reach = self.reach.max(sequence);
    }
}
