//! What is believed of what is said in a writer's name: messages on plain RTPS may be anybody's.
use super::WriterProxy;
use crate::Time;
use crate::counter::Counter;
use crate::reader::intervals::Intervals;
use crate::reader::nack_pacing::NackPacing;
use dunlin_qos::Duration;

/// What a HEARTBEAT said that lies far beyond all that the writer ever announced.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    last: i64,
    count: u32,
    at: Time,
    /// How often the writer has said so since it was asked; `None` if it said otherwise.
    confirmed: Option<u32>,
}

/// Numbers that were passed over, maybe since somebody else spoke in the writer's name.
#[derive(Default)]
pub(super) struct Leap {
    /// Where this began.
    from: i64,
    /// What was passed over since.
    passed: Intervals,
}

impl Leap {
    /// What was delivered from there on and before `end`.
    fn delivered(&self, end: i64) -> Intervals {
        let mut delivered = Intervals::default();
        let mut number = self.from;
        for (start, past) in self.passed.ranges() {
            delivered.add(number, start.min(end));
            number = number.max(past);
        }
        delivered.add(number, end);
        delivered
    }
}

/// Numbers so far beyond what a writer announced or showed are not implausible.
pub(super) const NEAR: i64 = 8192;
/// Changes of best-effort writers do not overtake so many others.
const NEVER_OVERTAKEN: i64 = 1 << 20;

/// A writer that is asked has mostly answered by then, and contradicts what was said in its name.
pub(in crate::reader) const CONFIRM: Duration = Duration::from_millis(50);
/// It is asked so often, since a busy machine may keep it from answering for longer.
const CONFIRMATIONS: u32 = 40;
/// It is asked for so long; a claim that is neither repeated nor contradicted waits.
const ASK_FOR: Duration = Duration::from_secs(2);

/// How far a HEARTBEAT is believed.
pub(in crate::reader) enum Belief {
    Plausible,
    /// Nothing is new in it.
    Repeated,
    /// The writer has to be asked.
    Ask,
    /// It was asked just now.
    Wait,
}

impl WriterProxy {
    /// Can the writer have got as far as a HEARTBEAT says beyond what it announced or showed? What
    /// lies further counts if the writer says so again when it is asked: one that answers
    /// contradicts what was said in its name.
    pub(in crate::reader) fn believes(&mut self, now: Time, last: i64, count: u32) -> Belief {
        let knows_nothing = self.announced < 0 && self.next == 1;
        let shown = self.announced.max(self.reach()).max(self.followed);
        if knows_nothing || last <= shown.saturating_add(NEAR) {
            self.contradict_claims_beyond(last);
            return Belief::Plausible;
        }
        let claim = match self.claim {
            // Asked more often, a busy writer would only be busier.
            Some(claim) if now.since(claim.at) < CONFIRM => return Belief::Wait,
            Some(claim) if claim.last <= last && claim.count != count => Claim {
                count,
                at: now,
                confirmed: claim.confirmed.map(|times| times + 1),
                ..claim
            },
            _ => Claim {
                last,
                count,
                at: now,
                confirmed: None,
            },
        };
        if claim.confirmed == Some(CONFIRMATIONS) {
            self.claim = None;
            self.leap.get_or_insert_with(|| Leap {
                from: self.next,
                ..Leap::default()
            });
            return Belief::Plausible;
        }
        let confirmed = claim.confirmed.or(Some(0));
        self.claim = Some(Claim { confirmed, ..claim });
        Belief::Ask
    }

    pub(super) fn contradict_claims_beyond(&mut self, number: i64) {
        if let Some(claim) = self.claim.as_mut().filter(|claim| claim.last > number) {
            claim.confirmed = None;
        }
    }

    /// Something is to be confirmed, and the writer has not been asked in vain for long.
    pub(in crate::reader) fn has_claim(&self, now: Time) -> bool {
        let asked = self.claim.filter(|_| self.is_claimed());
        asked.is_some_and(|claim| now.since(claim.at) < ASK_FOR)
    }

    /// Something that lies far ahead was said, and nothing that contradicts it since.
    #[inline]
    pub(super) fn is_claimed(&self) -> bool {
        self.claim.is_some_and(|claim| claim.confirmed.is_some())
    }

    /// Is a HEARTBEAT with this count heard, which says that the writer is before `to`? Whoever
    /// spoke in its name may have counted higher, so one that is far behind what was said then is
    /// heard if it says so twice.
    pub(in crate::reader) fn hears(&mut self, now: Time, to: i64, count: u32) -> Belief {
        if self.heartbeats.accept(count, now) {
            return Belief::Plausible;
        }
        if self.place_behind(to).is_none() {
            return Belief::Repeated;
        }
        match self.behind.replace(count) {
            Some(before) if count.wrapping_sub(before).cast_signed() > 0 => Belief::Plausible,
            Some(before) if before == count => Belief::Wait,
            _ => Belief::Ask,
        }
    }

    /// Where a writer that is before `to` was left, if that is far behind.
    fn place_behind(&self, to: i64) -> Option<i64> {
        let far_behind = to.saturating_add(self.far()) < self.next - 1;
        let from = self.leap.as_ref().map(|leap| leap.from);
        let from = from.filter(|from| *from <= to);
        from.filter(|_| far_behind && self.sets.is_none())
    }

    /// A writer that is far behind what was said in its name goes on from where that was said: `to`
    /// is where it is. True if so.
    #[cold]
    pub(in crate::reader) fn fall_back(&mut self, to: i64) -> bool {
        let Some(from) = self.place_behind(to) else {
            return false;
        };
        // What was delivered meanwhile does not come again.
        let leap = self.leap.take().filter(|_| self.reliable);
        let delivered = leap.map(|leap| leap.delivered(to.min(self.next)));
        self.gaps = delivered.unwrap_or_default();
        self.reach = self.gaps.ranges().last().map_or(from, |range| range.1) - 1;
        self.next = from;
        self.last = self.reach;
        self.announced = self.reach;
        (self.claim, self.begins) = (None, None);
        (self.behind, self.glimpsed, self.followed) = (None, 0, 0);
        let waiting = core::mem::take(&mut self.waiting);
        waiting.values().for_each(|w| self.share.give(w.cost()));
        self.waiting_bytes = 0;
        self.partials.forget_below(i64::MAX, &mut self.share);
        self.questions = NackPacing::default();
        // Whoever led the reader away counted as it liked.
        self.heartbeats = Counter::default();
        self.blocked = false;
        if self.reliable {
            self.owed_from = None;
        }
        true
    }

    /// Numbers up to `to` are about to be passed over.
    #[inline]
    pub(in crate::reader) fn note_leap(&mut self, to: i64) {
        let (from, far) = (self.next, self.far());
        if to <= from {
            return;
        }
        match &mut self.leap {
            Some(leap) => leap.passed.add(from, to),
            None if to.saturating_sub(from) > far => {
                let mut leap = Leap {
                    from,
                    ..Leap::default()
                };
                leap.passed.add(from, to);
                self.leap = Some(leap);
            }
            None => {}
        }
    }

    /// How far is far. A best-effort writer's history may come after its newest changes.
    fn far(&self) -> i64 {
        match self.reliable {
            true => NEAR,
            false => NEVER_OVERTAKEN,
        }
    }
}
