//! Latency under load: pings on a schedule that waits for no answer.
//!
//! Each ping carries the moment when it should have been sent. One that is late goes out at once,
//! none is left out, and what it waited for counts. So a stall is seen by all pings that fall into
//! it, not by the one that was in flight.

use bytes::Bytes;

use super::super::control::{Kind, header};
use super::Publisher;
use super::measure::Segment;
use crate::clock::{MILLISECOND, Nanos, SECOND, monotonic};
use crate::messaging::{Header, Messaging, Publish};

/// A sleep ends this much before the next ping is due, because wake-ups come late.
const AWAKE: Nanos = MILLISECOND / 5;

/// How long to wait at a time so close to the next ping: less than a receiver polls before it
/// sleeps.
const SLICE: Nanos = 20_000;

/// What late pings leave for receiving between two of them.
const BREATH: Nanos = 1_000;

/// When each ping is due.
struct Schedule {
    start: Nanos,
    rate: f64,
    /// How many pings there are.
    pings: u64,
}

impl Schedule {
    fn new(start: Nanos, rate: f64, time: Option<Nanos>, most: u64) -> Self {
        let within = time.map(|time| (time as f64 / SECOND as f64 * rate).ceil() as u64);
        Self {
            start,
            rate,
            pings: within.unwrap_or(most).min(most).max(1),
        }
    }

    fn due(&self, ping: u64) -> Nanos {
        // The whole seconds first: a sum of periods would drift.
        let seconds = ping as f64 / self.rate;
        self.start
            .saturating_add((seconds * SECOND as f64) as Nanos)
    }

    fn end(&self) -> Nanos {
        self.due(self.pings)
    }
}

impl<M: Messaging> Publisher<'_, M> {
    /// Sends the pings of one segment and takes their pongs.
    pub(super) fn measure_open_loop(
        &mut self,
        payload: &Bytes,
        rate: f64,
        counts: &mut Segment,
    ) -> Result<(), String> {
        let options = self.options;
        let start = monotonic();
        self.pongs.begin(start);
        let schedule = Schedule::new(start, rate, options.execution_time, options.iterations);
        counts.unsent = schedule.pings;
        let give_up = schedule.end() + self.session.bounds.drain;
        let mut check_at = start;
        for ping in 0..schedule.pings {
            let due = schedule.due(ping);
            let now = self.await_due(due, &mut check_at, payload.len())?;
            if now > due + BREATH && self.pongs.answers() < counts.sent {
                // Who is late all the time must still take what comes back.
                let all = || self.pongs.answers() >= counts.sent;
                self.messaging.wait(all, now + BREATH);
            }
            if now >= give_up || !self.send_scheduled(payload, due, give_up)? {
                break;
            }
            counts.sent += 1;
            counts.pings += 1;
            counts.unsent -= 1;
        }
        self.writer.flush();
        self.await_pongs(counts.sent, payload.len())
    }

    /// Receives until a ping is due; returns the time.
    fn await_due(
        &mut self,
        due: Nanos,
        check_at: &mut Nanos,
        payload: usize,
    ) -> Result<Nanos, String> {
        loop {
            let now = monotonic();
            if now >= *check_at {
                self.check_partners(now)?;
                if now + self.session.bounds.alive < due {
                    self.control(Kind::Alive, &self.note(payload))?;
                }
                *check_at = now + 100 * MILLISECOND;
            }
            if now >= due {
                return Ok(now);
            }
            let nap = due.saturating_sub(AWAKE);
            let until = if now < nap {
                nap.min(*check_at)
            } else {
                due.min(now + SLICE)
            };
            self.messaging.wait(|| false, until);
        }
    }

    fn send_scheduled(
        &mut self,
        payload: &Bytes,
        due: Nanos,
        give_up: Nanos,
    ) -> Result<bool, String> {
        let subscriber = (self.pings % u64::from(self.options.subscribers)) as u32;
        let mut header = Header {
            key: self.keys.next(),
            seq_num: self.seq,
            ..header(self.tag, Kind::Data(Some(subscriber)))
        };
        header.stamp(due);
        let seq = self.seq;
        // Said anew each time that a full queue has held it up: service begins when the sample is
        // let in.
        let offer = || self.pongs.scheduled(seq, due, monotonic());
        let written = self.write(header, payload, give_up, offer)?;
        self.seq = self.seq.wrapping_add(u32::from(written));
        self.pings += u64::from(written);
        Ok(written)
    }

    /// Waits for the pongs that are still under way, as long as they come.
    fn await_pongs(&self, sent: u64, payload: usize) -> Result<(), String> {
        let bounds = self.session.bounds;
        let all = || self.pongs.answers() >= sent;
        let (mut seen, mut since) = (self.pongs.answers(), monotonic());
        loop {
            let limit = since + bounds.drain;
            let until = limit.min(monotonic() + bounds.alive);
            if self.messaging.wait(all, until) {
                return Ok(());
            }
            let (now, answers) = (monotonic(), self.pongs.answers());
            if answers > seen {
                (seen, since) = (answers, now);
            } else if now >= limit {
                return Ok(());
            }
            self.check_partners(now)?;
            self.control(Kind::Alive, &self.note(payload))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_does_not_drift_and_knows_its_length() {
        let schedule = Schedule::new(5, 3.0, Some(10 * SECOND), u64::MAX);
        assert_eq!(schedule.pings, 30);
        assert_eq!(
            (schedule.due(0), schedule.due(3), schedule.end()),
            (5, 5 + SECOND, 5 + 10 * SECOND)
        );
        let million = Schedule::new(0, 1e6, None, 3_600_000_000);
        assert_eq!(million.due(3_599_999_999), 3_599_999_999_000);
        assert_eq!(Schedule::new(0, 0.1, Some(SECOND), 7).pings, 1);
        assert_eq!(Schedule::new(0, 1e7, Some(SECOND), 7).pings, 7);
    }
}
