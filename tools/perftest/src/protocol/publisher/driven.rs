//! The measured part of a run whose loop is that of a driver: it is called for a part of a segment
//! at a time. What takes time in between, such as statistics, lies between two pings.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::control::Kind;
use super::super::pacer::Pacer;
use super::Publisher;
use super::measure::{Printed, Segment};
use crate::clock::{MILLISECOND, NEVER, Nanos, SECOND, monotonic};
use crate::driver::{Driver, Plan, Progress};
use crate::messaging::{Messaging, OVERHEAD, Publish};
use crate::options::{Options, Pace};
use crate::output::Report;

/// Round trips that wait for their place in the statistics, at most.
const RING: usize = 1 << 20;

/// Longest time that a driver works without our having a look.
const LOOK: Nanos = 100 * MILLISECOND;

/// Pings of a round of practice.
const ROUND: u64 = 1_000;

/// How long a driver practises that becomes faster, at least and at most.
const SETTLING: Nanos = SECOND;
const SETTLED_BY: Nanos = 10 * SECOND;

/// A driver that measures.
pub(super) struct Measuring {
    driver: Arc<dyn Driver>,
    /// It lives as long as the process: a late echo comes until the driver is closed, which may be after a run that was
    /// ended by a signal.
    ring: &'static [AtomicU64],
    /// What the segment under way has done.
    progress: Progress,
    /// Answers that the statistics have.
    taken: u64,
}

impl Measuring {
    pub(super) fn by(driver: Arc<dyn Driver>) -> Self {
        // Not zero, so that each page is there.
        let ring: Box<[AtomicU64]> = (0..RING).map(|_| AtomicU64::new(1)).collect();
        Self {
            driver,
            ring: Box::leak(ring),
            progress: Progress::default(),
            taken: 0,
        }
    }

    /// Answers that the statistics do not have yet.
    fn answers(&mut self) -> impl Iterator<Item = Nanos> + '_ {
        let from = std::mem::replace(&mut self.taken, self.progress.answers);
        let answer = |number| {
            let place = self.ring.get(number as usize & (RING - 1));
            place.map_or(0, |place| place.load(Ordering::Relaxed))
        };
        (from..self.taken).map(answer)
    }
}

/// How a part of a segment is done.
#[derive(Clone, Copy)]
struct Manner {
    begins: bool,
    one_at_a_time: bool,
    practice: bool,
}

/// Whether the last round was no faster than those before, but for 5 %.
fn is_settled(medians: &[Nanos]) -> bool {
    let Some((last, before)) = medians.split_last() else {
        return false;
    };
    let best = before.iter().rev().take(3).min();
    before.len() >= 3 && best.is_some_and(|best| last.saturating_mul(20) >= best.saturating_mul(19))
}

/// When what last happened.
struct Moves {
    sent: (u64, Nanos),
    answered: (u64, Nanos),
}

impl<M: Messaging> Publisher<'_, M> {
    /// Has a segment measured.
    pub(super) fn measure_by_driver(
        &mut self,
        report: &mut Report,
        size: usize,
        counts: &mut Segment,
    ) -> Result<(), String> {
        let start = monotonic();
        self.pongs.begin(start);
        let outcome = self.drive(report, size, start);
        if let Some(measuring) = &self.measuring {
            let progress = measuring.progress;
            self.seq = self.seq.wrapping_add(progress.sent as u32);
            counts.sent = progress.sent;
            counts.pings = progress.pings;
            counts.timeouts = progress.lost;
            counts.cut = progress.waiting.into();
        }
        self.writer.flush();
        outcome
    }

    fn drive(&mut self, report: &mut Report, size: usize, start: Nanos) -> Result<(), String> {
        let end = self
            .options
            .execution_time
            .map_or(NEVER, |time| start + time);
        let mut pacer = Pacer::new(self.options.pace, start);
        let is_paced = self.options.pace != Pace::Unlimited;
        let mut cpu = self.interval_cpu(report);
        let mut printed = Printed::new(start);
        let mut moves = Moves {
            sent: (0, start),
            answered: (0, start),
        };
        let mut check_at = start;
        let mut progress = self.part(size, true, 0, 0)?;
        while progress.sent < self.options.iterations || progress.waiting {
            let mut now = monotonic();
            if !progress.waiting && !progress.blocked {
                let due;
                (due, now) = pacer.wait(now, end.min(now + self.session.bounds.alive));
                if now < end && !due {
                    self.check_partners(now)?;
                    self.control(Kind::Alive, &self.note(size))?;
                    continue;
                }
            }
            if now >= end {
                break;
            }
            if now >= check_at {
                self.check_partners(now)?;
                check_at = now + LOOK;
            }
            let samples = match is_paced {
                true => progress.sent + u64::from(!progress.waiting),
                false => self.options.iterations,
            };
            progress = self.part(size, false, samples, end.min(now + LOOK))?;
            self.check_progress(&progress, &mut moves)?;
            if report.intervals() && self.options.id == 0 && printed.is_due() {
                self.record();
                self.print_interval(report, size, &mut printed, cpu.as_mut());
            }
        }
        Ok(())
    }

    /// Has a part of the segment done.
    fn part(
        &mut self,
        size: usize,
        begins: bool,
        samples: u64,
        until: Nanos,
    ) -> Result<Progress, String> {
        let manner = Manner {
            begins,
            one_at_a_time: self.options.latency_test,
            practice: false,
        };
        let progress = self.part_of(manner, size, samples, until)?;
        let taken = self
            .measuring
            .as_ref()
            .map_or(0, |measuring| measuring.taken);
        if progress.answers - taken > RING as u64 / 2 {
            self.record();
        }
        Ok(progress)
    }

    fn part_of(
        &mut self,
        manner: Manner,
        size: usize,
        samples: u64,
        until: Nanos,
    ) -> Result<Progress, String> {
        let Some(measuring) = &mut self.measuring else {
            return Ok(Progress::default());
        };
        if manner.begins {
            measuring.taken = 0;
        }
        let plan = Plan {
            begins: manner.begins,
            one_at_a_time: manner.one_at_a_time,
            pings: self.options.id == 0,
            practice: manner.practice,
            payload: Options::payload(size),
            samples,
            until,
            ping_timeout: match self.session.options.reliable {
                true => NEVER,
                false => self.session.bounds.ping,
            },
            entity_id: self.tag.entity_id(),
            first_seq: self.seq,
            instance: self.options.write_instance,
            subscribers: self.options.subscribers,
            per_batch: self.session.options.samples_per_batch(),
            ping_every: self.options.latency_count,
            ring: measuring.ring,
            taken: measuring.taken,
        };
        measuring.progress = measuring.driver.measure(&plan)?;
        Ok(measuring.progress)
    }

    /// Pings of a latency test, until the driver no longer becomes faster. Nothing of it is counted.
    pub(super) fn practise_by_driver(&mut self) -> Result<(), String> {
        let practises = self.options.latency_test && self.options.id == 0;
        let Some(measuring) = self.measuring.as_ref().filter(|_| practises) else {
            return Ok(());
        };
        let settles = measuring.driver.settles();
        let bounds = self.session.bounds;
        let most = if settles { SETTLED_BY } else { bounds.practice };
        let size = self.payload.len() + OVERHEAD;
        let started = monotonic();
        let end = started + most;
        let mut medians = Vec::new();
        loop {
            self.check_partners(monotonic())?;
            let median = self.practise(size, end)?;
            medians.extend(median);
            let passed = monotonic() - started;
            if passed >= most {
                break;
            }
            if !settles || (passed >= SETTLING && is_settled(&medians)) {
                return Ok(());
            }
        }
        if settles {
            self.session.log.line(format!(
                "The program was still becoming faster after {} s of practice",
                most / SECOND
            ));
        }
        Ok(())
    }

    /// A round of practice; the median of its round trips.
    fn practise(&mut self, size: usize, end: Nanos) -> Result<Option<Nanos>, String> {
        let mut manner = Manner {
            begins: true,
            one_at_a_time: true,
            practice: true,
        };
        loop {
            let until = end.min(monotonic() + LOOK);
            let progress = self.part_of(manner, size, ROUND, until)?;
            manner.begins = false;
            if (progress.sent >= ROUND && !progress.waiting) || monotonic() >= end {
                self.warm_up += progress.sent;
                break;
            }
            self.check_partners(monotonic())?;
        }
        let mut trips: Vec<_> = (self.measuring.iter_mut())
            .flat_map(Measuring::answers)
            .collect();
        trips.sort_unstable();
        Ok(trips.get(trips.len() / 2).copied())
    }

    /// Puts what was measured into the statistics.
    fn record(&mut self) {
        let Some(measuring) = &mut self.measuring else {
            return;
        };
        self.pongs.with(|measured| {
            let answers = measuring.answers();
            answers.for_each(|round_trip| measured.record(round_trip / 2));
        });
    }

    /// Takes what came by the end of a segment.
    pub(super) fn collect(&mut self, size: usize, counts: &mut Segment) -> Result<(), String> {
        if self.measuring.is_none() {
            return Ok(());
        }
        let outcome = self.part(size, false, 0, 0);
        self.record();
        counts.late = outcome?.late;
        Ok(())
    }

    fn check_progress(&self, progress: &Progress, moves: &mut Moves) -> Result<(), String> {
        let (now, silence) = (monotonic(), self.session.bounds.silence);
        if progress.sent != moves.sent.0 || !progress.blocked {
            moves.sent = (progress.sent, now);
        }
        if progress.answers != moves.answered.0 || !self.options.latency_test {
            moves.answered = (progress.answers, now);
        }
        let is_over = |since: Nanos| now > since + silence;
        if is_over(moves.sent.1) {
            return Err(self.stays_full());
        }
        // A pause between two pings is no silence.
        if is_over(moves.answered.1) && (progress.waiting || progress.lost > 0) {
            return Err(format!(
                "no pong for {} s, though the subscriber is still there",
                silence / SECOND
            ));
        }
        Ok(())
    }
}

const _: () = assert!(RING.is_power_of_two());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_settled_when_the_last_is_no_longer_faster() {
        assert!(!is_settled(&[]) && !is_settled(&[9, 9, 9]));
        assert!(is_settled(&[400, 100, 100, 100, 98]));
        assert!(!is_settled(&[400, 300, 200, 100]));
        // What was long ago does not count, and a slow round is no reason to go on.
        assert!(is_settled(&[50, 100, 100, 100, 100]));
        assert!(is_settled(&[100, 100, 100, 500]));
    }
}
