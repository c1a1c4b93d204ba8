//! When the next sample is due.

use std::time::Duration;

use crate::clock::{MILLISECOND, Nanos, SECOND, monotonic};
use crate::options::Pace;

/// A sleep is ended this much early and the rest spun away, because wake-ups come late.
const OVERSLEEP: Nanos = 60_000;

/// After a stall longer than this the schedule begins anew instead of catching up in one burst.
const CATCH_UP: Nanos = SECOND;

/// Keeps the pace of one segment.
pub(super) struct Pacer {
    pace: Pace,
    start: Nanos,
    samples: u64,
    /// End of the pause under way.
    paused_until: Option<Nanos>,
}

impl Pacer {
    /// A schedule that begins at `start`.
    pub(super) fn new(pace: Pace, start: Nanos) -> Self {
        Self {
            pace,
            start,
            samples: 0,
            paused_until: None,
        }
    }

    /// Waits from `now` until the next sample is due, at most until `limit`; returns the time.
    /// False: it is not due yet.
    pub(super) fn wait(&mut self, now: Nanos, limit: Nanos) -> (bool, Nanos) {
        match self.pace {
            Pace::Unlimited => (true, now),
            Pace::Rate { per_second, spin } => self.keep_rate(per_second, spin, now, limit),
            Pace::Pause { sleep_ms, spins } => {
                let pause = sleep_ms * MILLISECOND;
                let until = *self.paused_until.get_or_insert(now.saturating_add(pause));
                sleep_until(until.min(limit));
                if until > limit {
                    return (false, monotonic());
                }
                self.paused_until = None;
                for _ in 0..spins {
                    std::hint::spin_loop();
                }
                (true, monotonic())
            }
        }
    }

    fn keep_rate(
        &mut self,
        per_second: f64,
        spin: bool,
        now: Nanos,
        limit: Nanos,
    ) -> (bool, Nanos) {
        let due = self.start + (self.samples as f64 * SECOND as f64 / per_second) as Nanos;
        if now > due.saturating_add(CATCH_UP) {
            (self.start, self.samples) = (now, 0);
        }
        let until = due.min(limit);
        if !spin {
            sleep_until(until.saturating_sub(OVERSLEEP));
        }
        while monotonic() < until {
            std::hint::spin_loop();
        }
        let reached = due <= limit;
        self.samples += u64::from(reached);
        (reached, monotonic())
    }
}

fn sleep_until(until: Nanos) {
    let now = monotonic();
    if until > now {
        std::thread::sleep(Duration::from_nanos(until - now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_on_the_whole_and_a_limit_cuts_the_wait() {
        for spin in [true, false] {
            let start = monotonic();
            let pace = Pace::Rate {
                per_second: 1_000.0,
                spin,
            };
            let mut pacer = Pacer::new(pace, start);
            while pacer.samples < 21 {
                pacer.wait(monotonic(), Nanos::MAX);
            }
            assert!(monotonic() - start >= 20 * MILLISECOND);
            let (due, _) = pacer.wait(monotonic(), start);
            assert!(!due);
        }
    }

    #[test]
    fn a_long_pause_ends_at_the_limit() {
        let start = monotonic();
        let pace = Pace::Pause {
            sleep_ms: 100_000,
            spins: 1,
        };
        let (due, _) = Pacer::new(pace, start).wait(monotonic(), start + MILLISECOND);
        assert!(!due && monotonic() - start < SECOND);
    }

    #[test]
    fn a_pause_that_was_cut_goes_on() {
        let start = monotonic();
        let pace = Pace::Pause {
            sleep_ms: 20,
            spins: 1,
        };
        let mut pacer = Pacer::new(pace, start);
        let mut waits = 1;
        while {
            let now = monotonic();
            !pacer.wait(now, now + 5 * MILLISECOND).0
        } {
            waits += 1;
        }
        assert!((2..=5).contains(&waits) && monotonic() - start >= 20 * MILLISECOND);
    }
}
