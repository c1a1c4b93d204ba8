//! The publishing side of a run.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use super::control::{Kind, Note, SPECIAL_KEY, Tag, header};
use super::keys::Keys;
use super::pacer::Pacer;
use super::pongs::Pongs;
use super::roster::Roster;
use super::{Session, burst};
use crate::clock::{CpuMeter, MILLISECOND, NEVER, Nanos, SECOND, monotonic};
use crate::messaging::{Header, Messaging, Publish, Sample, Topic, Wake, WriteError};
use crate::options::{Options, PublisherOptions};
use crate::output::{LatencyInterval, LatencyRow, Report};
use crate::stats::{Latencies, LatencySummary};

/// Warm-up samples under way at a time.
const WINDOW: u64 = 32;

/// Payload of the warm-up burst, which is about instances, not about size.
const BURST_PAYLOAD: usize = 1_024;

/// Most raw latencies kept for `-latencyFile`.
const HISTORY: u64 = 20_000_000;

/// Runs the publishing side to its end. The error is the reason why it was cut short; the rows are written anyway.
pub(crate) fn publish<M: Messaging>(
    messaging: &mut M,
    session: &Session<'_>,
    options: &PublisherOptions,
    report: &mut Report,
) -> Result<(), String> {
    let mut publisher = Publisher::create(messaging, session, options)?;
    publisher.find_subscribers()?;
    publisher.warm_up()?;
    publisher.run_segments(report)
}

struct Publisher<'a, M: Messaging> {
    messaging: &'a M,
    session: &'a Session<'a>,
    options: &'a PublisherOptions,
    tag: Tag,
    writer: M::Writer,
    roster: Arc<Roster>,
    pongs: Arc<Pongs>,
    keys: Keys,
    payload: Bytes,
    /// Next sequence number: counts through all segments.
    seq: u32,
    pings: u64,
    warm_up: u64,
}

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
struct Segment {
    sent: u64,
    pings: u64,
    timeouts: u64,
    cut: u64,
    /// Pongs that came after their time-out but before the end.
    late: u64,
    last_pong: Nanos,
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

impl<'a, M: Messaging> Publisher<'a, M> {
    fn create(
        messaging: &'a mut M,
        session: &'a Session<'a>,
        options: &'a PublisherOptions,
    ) -> Result<Self, String> {
        let tag = Tag::new_run(options.id);
        let history = options
            .latency_file
            .as_ref()
            .map(|_| (options.iterations / options.latency_count).min(HISTORY) as usize);
        let pongs = Arc::new(Pongs::new(
            tag,
            options.latency_test,
            Latencies::new(history),
        ));
        let roster = Arc::new(Roster::new(tag));
        let qos = session.options;
        let writer = messaging.writer(Topic::Throughput, &qos.writer_qos(Topic::Throughput))?;
        if options.id == 0 {
            let (pongs, waker) = (Arc::clone(&pongs), messaging.waker());
            messaging.reader(
                Topic::Latency,
                &qos.reader_qos(Topic::Latency),
                move |sample| {
                    pongs.on_pong(sample);
                    waker.wake();
                },
            )?;
        }
        let (members, waker) = (Arc::clone(&roster), messaging.waker());
        let announcement = qos.reader_qos(Topic::Announcement);
        messaging.reader(Topic::Announcement, &announcement, move |sample| {
            members.on_announcement(sample);
            waker.wake();
        })?;
        let largest = options.sizes.iter().copied().max().unwrap_or_default();
        Ok(Self {
            messaging,
            session,
            options,
            tag,
            writer,
            roster,
            pongs,
            keys: Keys::new(qos.instances, options.write_instance),
            payload: Bytes::from(vec![0; Options::payload(largest)]),
            seq: 0,
            pings: 0,
            warm_up: 0,
        })
    }

    fn subscribers(&self) -> usize {
        self.options.subscribers as usize
    }

    // ---- finding the other side

    fn find_subscribers(&mut self) -> Result<(), String> {
        let (log, bounds) = (self.session.log, self.session.bounds);
        log.line(format!(
            "Waiting to discover {} subscriber(s) ...",
            self.subscribers()
        ));
        let started = monotonic();
        let give_up = started.saturating_add(self.session.options.discovery_timeout);
        let mut report_at = started + bounds.report_after;
        while !self.found() {
            self.session.check_stop()?;
            let now = monotonic();
            if now >= give_up {
                return Err(self.lonely("gave up"));
            }
            if now >= report_at {
                log.line(self.lonely("still waiting"));
                report_at = now + bounds.report_every;
            }
            // Also when nothing is matched: raw sockets find out in no other way.
            self.control(Kind::Hello, &self.note(self.session.options.data_len))?;
            let seen = self.seen();
            self.messaging
                .wait(|| self.seen() != seen || self.found(), now + bounds.repeat);
        }
        if let Some(id) = self.roster.take_twice() {
            log.line(format!(
                "Two subscribers have the id {id}; give each its own with -sidMultiSubTest"
            ));
        }
        self.roster.refresh();
        Ok(())
    }

    fn seen(&self) -> (usize, usize, usize) {
        (
            self.messaging.matched(Topic::Throughput),
            self.messaging.matched(Topic::Latency),
            self.roster.present(),
        )
    }

    fn found(&self) -> bool {
        let wanted = self.subscribers();
        let (data, echoes, present) = self.seen();
        present >= wanted && data >= wanted && (self.options.id != 0 || echoes >= wanted)
    }

    fn lonely(&self, what: &str) -> String {
        format!(
            "{what}: {} of {} subscriber(s) have announced themselves. {}",
            self.roster.present(),
            self.subscribers(),
            self.messaging.describe_discovery()
        )
    }

    // ---- warm-up

    /// Touches every instance in both directions, then sends pings of full size. Nothing of it is measured.
    fn warm_up(&mut self) -> Result<(), String> {
        self.writer
            .register_instances(self.session.options.instances)
            .map_err(|error| format!("registering the instances: {error}"))?;
        let burst = burst(self.session.options, self.options);
        self.session
            .log
            .line(format!("Sending {burst} initialization pings ..."));
        let give_up = monotonic() + self.session.bounds.warm_up;
        let mut keys = Keys::new(self.session.options.instances, None);
        let payload = self.payload.slice(..self.payload.len().min(BURST_PAYLOAD));
        let mut left = burst;
        while left > 0 && monotonic() < give_up {
            let window = left.min(WINDOW);
            self.warm_up_window(&mut keys, window, &payload)?;
            left -= window;
        }
        if left > 0 {
            self.session.log.line(format!(
                "The warm-up took too long; {left} samples of it are left out"
            ));
        }
        self.practice()
    }

    /// Some samples at once; waits for their echoes, but in best effort some may be lost.
    fn warm_up_window(
        &mut self,
        keys: &mut Keys,
        window: u64,
        payload: &Bytes,
    ) -> Result<bool, String> {
        self.check_partners(monotonic())?;
        let expected = self.pongs.echoes() + window * self.subscribers() as u64;
        for _ in 0..window {
            let mut header = header(self.tag, Kind::WarmUp);
            header.key = keys.next();
            self.write(header, payload, NEVER)?;
        }
        self.writer.flush();
        self.warm_up += window;
        if self.options.id != 0 {
            return Ok(true);
        }
        let patience = if self.session.options.reliable || window == 1 {
            self.session.bounds.ping
        } else {
            20 * MILLISECOND
        };
        let deadline = monotonic() + patience;
        Ok(self
            .messaging
            .wait(|| self.pongs.echoes() >= expected, deadline))
    }

    /// Pings of full size until the caches are warm and an echo has shown that both directions work.
    fn practice(&mut self) -> Result<(), String> {
        if self.options.id != 0 {
            return Ok(());
        }
        let started = monotonic();
        let payload = self.payload.clone();
        let mut keys = Keys::new(self.session.options.instances, None);
        let mut proven = false;
        for round in 0u64.. {
            let passed = monotonic() - started;
            if proven && (round >= 1_000 || passed > self.session.bounds.practice) {
                break;
            }
            if !proven && passed > self.session.bounds.first_echo {
                return Err(format!(
                    "no echo of a {}-byte sample came back within {} s. {}",
                    payload.len() + crate::messaging::OVERHEAD,
                    self.session.bounds.first_echo / SECOND,
                    self.messaging.describe_discovery()
                ));
            }
            proven |= self.warm_up_window(&mut keys, 1, &payload)?;
        }
        Ok(())
    }

    // ---- measuring

    fn run_segments(&mut self, report: &mut Report) -> Result<(), String> {
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
        let measured = self.measure(report, size, &mut counts);
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
            // The subscriber need not wait for its own bound; whether it hears this does not matter any more.
            let _ = self.control(Kind::End, &note);
        }
        self.write_results(report, size, &counts, used, outcome.is_ok());
        outcome
    }

    fn measure(
        &mut self,
        report: &mut Report,
        size: usize,
        counts: &mut Segment,
    ) -> Result<(), String> {
        let payload = self.payload.slice(..Options::payload(size));
        let start = monotonic();
        let end = self
            .options
            .execution_time
            .map_or(NEVER, |time| start + time);
        let mut pacer = Pacer::new(self.options.pace, start);
        let per_batch = self.session.options.samples_per_batch();
        let mut plan = PingPlan::new(per_batch, self.options.latency_count);
        let mut cpu = self.interval_cpu(report);
        let mut printed = 0;
        let mut check_at = start;
        counts.last_pong = start;
        self.pongs.begin(start);
        while counts.sent < self.options.iterations {
            let (due, now) = pacer.wait(end.min(monotonic() + self.session.bounds.alive));
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

    fn interval_cpu(&self, report: &Report) -> Option<CpuMeter> {
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
        let written = self.write(header, payload, end)?;
        self.seq = self.seq.wrapping_add(u32::from(written));
        Ok(written)
    }

    fn await_pong(&self, end: Nanos, counts: &mut Segment) -> Result<Ping, String> {
        loop {
            let deadline = (monotonic() + self.session.bounds.ping).min(end);
            let answered = self.messaging.wait(|| self.pongs.answered(), deadline);
            if answered || self.pongs.answered() {
                counts.last_pong = monotonic();
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

    /// A row for the latest pong, if there is a new one.
    fn print_interval(
        &self,
        report: &mut Report,
        size: usize,
        printed: &mut u64,
        cpu: Option<&mut CpuMeter>,
    ) {
        let summary = self.pongs.with(|measured| measured.progress());
        if summary.count == *printed {
            return;
        }
        *printed = summary.count;
        report.latency_interval(&LatencyInterval {
            size,
            summary,
            cpu: cpu.map(CpuMeter::lap),
        });
    }

    // ---- the end

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

    fn write_results(
        &self,
        report: &mut Report,
        size: usize,
        counts: &Segment,
        cpu: f64,
        complete: bool,
    ) {
        if self.options.id != 0 {
            return;
        }
        let summary = self.pongs.with(|measured| measured.summary());
        let lost = if self.options.latency_test {
            counts.timeouts.saturating_sub(counts.late)
        } else {
            counts.pings.saturating_sub(summary.count)
        };
        let row = LatencyRow {
            size,
            summary,
            cpu: self.session.options.output.cpu.then_some(cpu),
            sent: counts.sent,
            lost,
            late: counts.late,
            warm_up: self.warm_up,
            complete,
        };
        report.latency_summary(&row);
        self.session.log.line(remarks(&row, counts.cut));
        if let Some(path) = &self.options.latency_file
            && let Err(error) = self.append_history(path)
        {
            self.session
                .log
                .line(format!("-latencyFile {}: {error}", path.display()));
        }
    }

    fn append_history(&self, path: &Path) -> std::io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let mut file = BufWriter::new(file);
        let nanoseconds = self.session.options.output.nanoseconds;
        self.pongs.with(|measured| {
            writeln!(file, "Index, Latency (μs)")?;
            for (index, latency) in measured.history().iter().enumerate() {
                if nanoseconds {
                    writeln!(file, "{index}, {:.3}", *latency as f64 / 1_000.0)?;
                } else {
                    writeln!(file, "{index}, {}", latency / 1_000)?;
                }
            }
            writeln!(file)
        })?;
        file.flush()
    }

    // ---- writing and watching

    fn note(&self, size: usize) -> Note {
        Note {
            next_seq: self.seq,
            data_len: size as u32,
            latency_test: self.options.latency_test,
            ..Note::default()
        }
    }

    /// Offers a control sample once; a full queue is no reason to wait, for it is said again.
    fn control(&self, kind: Kind, note: &Note) -> Result<(), String> {
        let bytes = note.encode();
        let sample = Sample {
            header: Header {
                key: SPECIAL_KEY,
                ..header(self.tag, kind)
            },
            data: &bytes,
            shared: None,
        };
        match self.writer.write(&sample) {
            Ok(()) | Err(WriteError::Timeout) => {
                self.writer.flush();
                Ok(())
            }
            Err(error) => Err(format!("writing a control sample: {error}")),
        }
    }

    /// Writes a sample, offering it again while the queue is full; false when the end comes first.
    fn write(&mut self, header: Header, payload: &Bytes, end: Nanos) -> Result<bool, String> {
        let sample = Sample::of(header, payload);
        let mut since = None;
        loop {
            match self.writer.write(&sample) {
                Ok(()) => return Ok(true),
                Err(WriteError::Failed(reason)) => return Err(format!("writing: {reason}")),
                Err(WriteError::Timeout) => {}
            }
            let now = monotonic();
            if now >= end {
                return Ok(false);
            }
            self.check_partners(now)?;
            if now > *since.get_or_insert(now) + self.session.bounds.silence {
                return Err(format!(
                    "the send queue has been full for {} s: a subscriber does not acknowledge",
                    self.session.bounds.silence / SECOND
                ));
            }
        }
    }

    /// An error when the user wants to stop or a subscriber is gone.
    fn check_partners(&self, now: Nanos) -> Result<(), String> {
        self.session.check_stop()?;
        let matched = self.messaging.matched(Topic::Throughput);
        if matched < self.subscribers() {
            return Err(format!(
                "a subscriber is gone: {matched} of {} are left",
                self.subscribers()
            ));
        }
        let silence = self.session.bounds.silence;
        if !self.options.latency_test && now > self.roster.quietest().saturating_add(silence) {
            return Err(format!(
                "a subscriber has given no sign of life for {} s",
                silence / SECOND
            ));
        }
        Ok(())
    }
}

/// What stands beside the row, on stderr.
fn remarks(row: &LatencyRow, cut: u64) -> String {
    let LatencySummary { count, .. } = row.summary;
    if count == 0 {
        return format!(
            "No pong was measured for {} bytes ({} samples sent, {} pings lost, {} late): the row shows zeros.",
            row.size, row.sent, row.lost, row.late
        );
    }
    let thin: Vec<_> = [("99", 100), ("99.99", 10_000), ("99.9999", 1_000_000)]
        .into_iter()
        .filter(|(_, one_in)| count / one_in < 10)
        .map(|(name, _)| format!("{name} %"))
        .collect();
    let thin = if thin.is_empty() {
        String::new()
    } else {
        format!(" Fewer than 10 latencies lie beyond {}.", thin.join(", "))
    };
    let cut = if cut > 0 {
        " The last ping was cut off by the end."
    } else {
        ""
    };
    format!(
        "{} bytes: {count} latencies of {} samples sent after {} of warm-up; {} pings lost, {} pongs late.{cut}{thin}",
        row.size, row.sent, row.warm_up, row.lost, row.late
    )
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
