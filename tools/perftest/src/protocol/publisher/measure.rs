//! The measured part of a run, one segment per size.

use bytes::Bytes;

use super::super::control::{Kind, Note};
use super::super::pacer::Pacer;
use super::Publisher;
use crate::clock::{CpuMeter, MILLISECOND, NEVER, Nanos, SECOND, coarse, monotonic};
use crate::cost::Usage;
use crate::messaging::{Header, Messaging, Publish};
use crate::options::{Options, Pace};
use crate::output::{LatencyInterval, Report};

/// Unpaced samples between two looks at the clock, which would cost more than a batched write.
const LOOK: u64 = 16;

/// What happened to one ping.
#[derive(PartialEq)]
enum Ping {
    Answered,
    Lost,
    /// The end of the test came first.
    Cut,
}

/// Counters of one segment.
#[derive(Default)]
pub(super) struct Segment {
    pub(super) sent: u64,
    pub(super) pings: u64,
    pub(super) timeouts: u64,
    pub(super) cut: u64,
    /// Pongs that came after their time-out but before the end.
    pub(super) late: u64,
    pub(super) last_pong: Nanos,
    /// Of an open loop: pings whose time came and went.
    pub(super) unsent: u64,
    pub(super) spent: Usage,
}

/// What of a segment has been printed.
pub(super) struct Printed {
    /// Latencies by then.
    count: u64,
    /// When the next row is due.
    next: Nanos,
}

impl Printed {
    pub(super) fn new(start: Nanos) -> Self {
        Self {
            count: 0,
            next: start + SECOND,
        }
    }

    pub(super) fn is_due(&self) -> bool {
        coarse() >= self.next
    }
}

/// Where in a batch the pings are: one each so many batches, each time one place further.
struct PingPlan {
    per_batch: u64,
    every: u64,
    place: u64,
    /// The batch from which on a ping is allowed again.
    next_batch: u64,
}

impl PingPlan {
    fn new(per_batch: u64, every: u64) -> Self {
        Self {
            per_batch,
            every,
            place: 0,
            next_batch: 0,
        }
    }

    fn is_due(&mut self, sample: u64) -> bool {
        let batch = sample / self.per_batch;
        let due = batch >= self.next_batch && sample % self.per_batch == self.place;
        if due {
            self.place = (self.place + 1) % self.per_batch;
            self.next_batch = batch + self.every;
        }
        due
    }
}

impl<M: Messaging> Publisher<'_, M> {
    pub(super) fn run_segments(&mut self, report: &mut Report) -> Result<(), String> {
        let sizes = &self.options.sizes;
        for (segment, size) in sizes.iter().enumerate() {
            let last = segment + 1 == sizes.len();
            self.run_segment(report, *size, segment as u32, last)?;
        }
        Ok(())
    }

    fn run_segment(
        &mut self,
        report: &mut Report,
        size: usize,
        segment: u32,
        last: bool,
    ) -> Result<(), String> {
        self.session
            .log
            .line(format!("Sending data of {size} bytes ..."));
        report.latency_title(size);
        self.roster.refresh();
        let mut cpu = CpuMeter::start();
        let mut counts = Segment::default();
        let before = Usage::now();
        let measured = match self.measuring.is_some() {
            true => self.measure_by_driver(report, size, &mut counts),
            false => self.measure(report, size, &mut counts),
        };
        counts.spent = Usage::now().since(before);
        counts.late = self.pongs.late();
        let used = cpu.lap();
        let note = Note {
            segment,
            last: last || measured.is_err(),
            complete: measured.is_ok(),
            ..self.note(size)
        };
        let outcome = measured.and_then(|()| self.end(&note));
        if outcome.is_err() && !note.complete {
            // The subscriber need not wait for its own bound; whether it hears this does not matter
            // any more.
            let _ = self.control(Kind::End, &note);
        }
        let outcome = outcome.and(self.collect(size, &mut counts));
        self.write_results(report, size, &counts, used, outcome.is_ok());
        outcome.and(self.write_files(size))
    }

    fn measure(
        &mut self,
        report: &mut Report,
        size: usize,
        counts: &mut Segment,
    ) -> Result<(), String> {
        let payload = self.payload.slice(..Options::payload(size));
        if let Some(rate) = self.options.open_loop {
            return self.measure_open_loop(&payload, rate, counts);
        }
        let start = monotonic();
        let end = self
            .options
            .execution_time
            .map_or(NEVER, |time| start + time);
        let mut pacer = Pacer::new(self.options.pace, start);
        let per_batch = self.session.options.samples_per_batch();
        let mut plan = PingPlan::new(per_batch, self.options.latency_count);
        let mut cpu = self.interval_cpu(report);
        let mut printed = Printed::new(start);
        let mut check_at = start;
        counts.last_pong = start;
        self.pongs.begin(start);
        let watches = self.options.latency_test || self.options.pace != Pace::Unlimited;
        while counts.sent < self.options.iterations {
            if watches || counts.sent.is_multiple_of(LOOK) {
                let now = monotonic();
                let (due, now) = pacer.wait(now, end.min(now + self.session.bounds.alive));
                if now >= end {
                    break;
                }
                if now >= check_at {
                    self.check_partners(now)?;
                    check_at = now + 100 * MILLISECOND;
                }
                if !due {
                    self.control(Kind::Alive, &self.note(size))?;
                    continue;
                }
            }
            let ping = self.options.id == 0 && plan.is_due(counts.sent);
            if !self.send(&payload, ping, end)? {
                break;
            }
            counts.sent += 1;
            counts.pings += u64::from(ping);
            if ping && self.options.latency_test {
                match self.await_pong(end, counts)? {
                    Ping::Answered => {}
                    Ping::Lost => counts.timeouts += 1,
                    Ping::Cut => {
                        counts.cut += 1;
                        break;
                    }
                }
            }
            if report.intervals() && self.options.id == 0 {
                self.print_interval(report, size, &mut printed, cpu.as_mut());
            }
        }
        self.writer.flush();
        Ok(())
    }

    pub(super) fn interval_cpu(&self, report: &Report) -> Option<CpuMeter> {
        (report.intervals() && self.session.options.output.cpu).then(CpuMeter::start)
    }

    /// Writes one sample of data; false when the end came while the queue was full.
    fn send(&mut self, payload: &Bytes, ping: bool, end: Nanos) -> Result<bool, String> {
        let mut header = Header {
            key: self.keys.next(),
            entity_id: self.tag.entity_id(),
            seq_num: self.seq,
            latency_ping: Kind::Data(None).latency_ping(),
            ..Header::default()
        };
        if ping {
            let subscriber = (self.pings % u64::from(self.options.subscribers)) as u32;
            header.latency_ping = Kind::Data(Some(subscriber)).latency_ping();
            self.pings += 1;
            let now = monotonic();
            header.stamp(now);
            self.pongs.sent(self.seq, now);
        }
        let written = self.write(header, payload, end, || ())?;
        self.seq = self.seq.wrapping_add(u32::from(written));
        Ok(written)
    }

    fn await_pong(&self, end: Nanos, counts: &mut Segment) -> Result<Ping, String> {
        loop {
            let deadline = (monotonic() + self.session.bounds.ping).min(end);
            let answered = self.messaging.wait(|| self.pongs.answered(), deadline);
            if answered || self.pongs.answered() {
                // Only looked at for seconds, and nobody is pinged meanwhile.
                counts.last_pong = coarse();
                return Ok(Ping::Answered);
            }
            let now = monotonic();
            if now >= end {
                self.pongs.give_up();
                return Ok(Ping::Cut);
            }
            self.check_partners(now)?;
            if now > counts.last_pong + self.session.bounds.silence {
                counts.timeouts += u64::from(self.pongs.give_up());
                return Err(format!(
                    "no pong for {} s, though the subscriber is still there",
                    self.session.bounds.silence / SECOND
                ));
            }
            if !self.session.options.reliable && self.pongs.give_up() {
                return Ok(Ping::Lost);
            }
        }
    }

    /// A row each second, for the latest pong, if there is a new one. A row for each would be tens
    /// of thousands a second, which nobody can read and which takes longer than what is measured.
    pub(super) fn print_interval(
        &self,
        report: &mut Report,
        size: usize,
        printed: &mut Printed,
        cpu: Option<&mut CpuMeter>,
    ) {
        let now = coarse();
        if now < printed.next {
            return;
        }
        printed.next = (printed.next + SECOND).max(now);
        let summary = self.pongs.with(|measured| measured.progress());
        if summary.count == printed.count {
            return;
        }
        printed.count = summary.count;
        report.latency_interval(&LatencyInterval {
            size,
            summary,
            cpu: cpu.map(CpuMeter::lap),
        });
    }

    /// Says that the segment is over until every subscriber has confirmed it.
    fn end(&mut self, note: &Note) -> Result<(), String> {
        if note.last {
            self.session.log.line(match self.options.execution_time {
                Some(_) => "Finishing test due to timer...",
                None => "Finishing test...",
            });
        }
        let bounds = self.session.bounds;
        let give_up = monotonic() + bounds.end;
        loop {
            self.control(Kind::End, note)?;
            let deadline = monotonic() + bounds.repeat;
            let confirmed = || self.roster.all_ended(note.segment);
            if self.messaging.wait(confirmed, deadline) {
                return Ok(());
            }
            let now = monotonic();
            self.check_partners(now)
                .map_err(|reason| format!("{reason}, before the end was confirmed"))?;
            if now > give_up {
                return Err(format!(
                    "the end was not confirmed within {} s",
                    bounds.end / SECOND
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pings_take_turns_within_the_batches() {
        let mut plan = PingPlan::new(4, 2);
        let due: Vec<_> = (0..24).filter(|sample| plan.is_due(*sample)).collect();
        assert_eq!(due, [0, 9, 18]);
        let mut each = PingPlan::new(1, 1);
        assert!((0..9).all(|sample| each.is_due(sample)));
    }
}
