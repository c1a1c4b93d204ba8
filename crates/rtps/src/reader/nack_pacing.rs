//! When a writer may be asked again, and for how much at a time.
//!
//! Repeating a small question costs little, so it is repeated soon. The answer to one for large
//! samples takes a while, most of all if somebody is busy: asked again meanwhile, the writer says
//! everything twice, and ever later, since questions wait at it faster than it answers. So a large
//! question is repeated only once its answer is over, or nothing of it came for a pause. What comes
//! although it is here shows that questions come too soon: the pause becomes longer. What does not
//! come although it was asked for may have found no room in a buffer: the portion becomes smaller.
use crate::Time;
use dunlin_qos::Duration;

/// A missing change is asked for again at most this often while nothing comes.
const ASK_INTERVAL: Duration = Duration::from_millis(5);
/// And at most this often while some does.
const ASK_INTERVAL_MOVING: Duration = Duration::from_millis(1);
/// The longest pause of a reader whose questions come too soon.
const LONGEST_PAUSE: Duration = Duration::from_millis(320);
/// The longest pause if nothing comes at all: then the question may be lost, not late.
const LONGEST_SILENCE: Duration = Duration::from_millis(40);
/// The first wait before an unanswered question is repeated; it doubles each time.
const RETRY: Duration = Duration::from_millis(10);
/// The wait does not double more often than this. The question is repeated as long as the writer is
/// matched: one that believes that all is had, since it did not notice that the reader forgot it,
/// has no reason to speak first.
const MOST_DOUBLINGS: u32 = 7;
/// A question for no more bytes is small.
const SMALL: usize = 8 << 10;
/// So many bytes may come although they are here: what was late, or doubled on the way.
const SOME: usize = 64 << 10;
/// The least, the first and the most bytes of large samples that are asked for at a time.
const LEAST_PORTION: usize = 16 << 10;
const FIRST_PORTION: usize = 1 << 20;
const MOST_PORTION: usize = 4 << 20;

/// What is known of the last question.
struct LastNack {
    at: Time,
    /// The change that was the next one.
    base: i64,
    /// Bytes of large samples.
    wanted: usize,
    /// Heartbeats that will close its answers.
    open: usize,
    /// When the last part of the answer came.
    moved: Time,
}

pub(super) struct NackPacing {
    last: Option<LastNack>,
    tries: u32,
    /// The last change that was ever asked for.
    until: i64,
    /// Bytes that came since the last question, of changes that were asked for, and whether they
    /// were missing.
    fresh: usize,
    repeated: usize,
    /// The same of earlier questions, which counts less and less: answers overlap.
    before: (usize, usize),
    portion: usize,
    pause: Duration,
    /// About the size of a change that goes in fragments; 0 if they seldom do.
    usual: usize,
}

impl Default for NackPacing {
    fn default() -> Self {
        Self {
            last: None,
            tries: 0,
            until: 0,
            fresh: 0,
            repeated: 0,
            before: (0, 0),
            portion: FIRST_PORTION,
            pause: ASK_INTERVAL,
            usual: 0,
        }
    }
}

impl NackPacing {
    /// From when on the writer may be asked, if `next` is what is missing.
    pub(super) fn open_from(&self, next: i64) -> Time {
        let Some(last) = &self.last else {
            return Time::PAST;
        };
        if last.wanted <= SMALL {
            return last.at.after(match next > last.base {
                true => ASK_INTERVAL_MOVING,
                false => ASK_INTERVAL,
            });
        }
        let over = last.open == 0 && self.fresh > 0;
        if over || self.fresh >= last.wanted / 4 * 3 {
            return last.at.after(ASK_INTERVAL_MOVING);
        }
        let quiet = Duration::from_nanos(self.pause.as_nanos() / 2);
        last.at.after(self.pause).max(last.moved.after(quiet))
    }

    /// How many bytes of large samples to ask for.
    pub(super) fn portion(&self) -> usize {
        self.portion
    }

    /// About so many bytes the answer for a change takes of which nothing is here; 0 if that is
    /// little.
    pub(super) fn usual(&self) -> usize {
        self.usual
    }

    /// The writer was asked for changes from `next` to `until`, among them so many bytes of large
    /// samples; says when to repeat it.
    pub(super) fn asked(
        &mut self,
        now: Time,
        next: i64,
        until: i64,
        wanted: usize,
        messages: usize,
    ) -> Time {
        if self.last.as_ref().is_some_and(|last| next > last.base) {
            self.tries = 0;
        }
        self.until = self.until.max(until);
        self.last = Some(LastNack {
            at: now,
            base: next,
            wanted,
            open: messages,
            moved: now,
        });
        let pause = Duration::from_nanos(RETRY.as_nanos() << self.tries.min(MOST_DOUBLINGS));
        self.tries = self.tries.saturating_add(1);
        now.after(pause)
    }

    /// Learns from what came since the last question, before the next one or when nothing is
    /// missing any more.
    pub(super) fn learn(&mut self) {
        let wanted = self.last.as_ref().map_or(0, |last| last.wanted);
        let (fresh, repeated) = (self.fresh, self.repeated);
        (self.fresh, self.repeated) = (0, 0);
        let of_late = |before: usize, now: usize| (before / 2).saturating_add(now);
        self.before = (
            of_late(self.before.0, fresh),
            of_late(self.before.1, repeated),
        );
        let eager = self.before.1 > self.before.0.saturating_mul(2).saturating_add(SOME);
        if eager {
            if !self.slow_down(LONGEST_PAUSE) {
                self.portion = (self.portion / 2).max(LEAST_PORTION);
            }
        } else if wanted <= SMALL {
            // It says little of large ones.
        } else if fresh < wanted / 4 {
            if fresh > 0 || !self.slow_down(LONGEST_SILENCE) {
                self.portion = (self.portion / 4 * 3).max(LEAST_PORTION);
            }
        } else {
            let shorter = self.pause.as_nanos() / 2;
            self.pause = Duration::from_nanos(shorter).max(ASK_INTERVAL);
            if fresh >= wanted / 4 * 3 {
                self.portion = self.portion.saturating_mul(2).min(MOST_PORTION);
            }
        }
    }

    /// Bytes of a change came, which were missing or not.
    pub(super) fn came(&mut self, now: Time, sequence: i64, bytes: usize, missing: bool) {
        if sequence > self.until {
            return;
        }
        let sum = match missing {
            true => &mut self.fresh,
            false => &mut self.repeated,
        };
        *sum = sum.saturating_add(bytes);
        if let Some(last) = &mut self.last {
            last.moved = now;
        }
    }

    /// A change came together from fragments.
    pub(super) fn assembled(&mut self, size: usize) {
        self.usual = self.usual / 4 * 3 + size / 4;
    }

    /// A change came in one piece.
    #[inline]
    pub(super) fn came_whole(&mut self, now: Time, sequence: i64) {
        if self.usual > 0 {
            self.came(now, sequence, self.usual, true);
            self.usual = self.usual / 4 * 3;
        }
    }

    /// The writer said to this very reader what there is: so it closes its answers.
    pub(super) fn closed(&mut self) {
        if let Some(last) = &mut self.last {
            last.open = last.open.saturating_sub(1);
        }
    }

    /// The writer spoke, so questions may be repeated anew.
    pub(super) fn heard(&mut self) {
        self.tries = 0;
    }

    /// Nothing is to be asked.
    pub(super) fn rest(&mut self) {
        if self.last.is_some() {
            self.learn();
        }
        self.last = None;
        self.tries = 0;
    }

    /// Doubles the pause; false if it is long enough.
    fn slow_down(&mut self, longest: Duration) -> bool {
        let longer = self.pause.as_nanos().saturating_mul(2);
        let longer = Duration::from_nanos(longer).min(longest);
        let slower = longer > self.pause;
        self.pause = self.pause.max(longer);
        slower
    }
}
