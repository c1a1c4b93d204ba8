//! The publishing side of a run: finding the subscribers, then warming up, measuring and writing
//! results.

mod driven;
mod histograms;
mod measure;
mod open_loop;
mod results;
mod warm_up;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use self::driven::Measuring;
use self::histograms::Histograms;
use super::Session;
use super::control::{Kind, Note, SPECIAL_KEY, Tag, header};
use super::keys::Keys;
use super::pongs::{Manner, Pongs};
use super::roster::Roster;
use crate::clock::{Nanos, SECOND, monotonic};
use crate::messaging::{Header, Messaging, Publish, Sample, Topic, Wake, WriteError};
use crate::options::{Options, PublisherOptions};
use crate::output::Report;
use crate::raw::Lines;
use crate::stats::Latencies;

/// Most raw latencies kept for `-latencyFile`.
const HISTORY: u64 = 20_000_000;

/// Runs the publishing side to its end. The error is the reason why it was cut short; the rows are
/// written anyway.
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
    histograms: Option<Histograms>,
    response_histograms: Option<Histograms>,
    /// Who runs the measured loop, if it is a driver.
    measuring: Option<Measuring>,
    /// Next sequence number: counts through all segments.
    seq: u32,
    pings: u64,
    warm_up: u64,
}

impl<'a, M: Messaging> Publisher<'a, M> {
    fn create(
        messaging: &'a mut M,
        session: &'a Session<'a>,
        options: &'a PublisherOptions,
    ) -> Result<Self, String> {
        let tag = Tag::new_run(options.id);
        let log = |path: &Option<PathBuf>| path.as_deref().map(Histograms::create).transpose();
        let history = options
            .latency_file
            .as_ref()
            .map(|_| (options.iterations / options.latency_count).min(HISTORY) as usize);
        let latencies = Latencies::new(history);
        let (manner, latencies) = match (options.open_loop, options.latency_test) {
            (Some(_), _) => (Manner::scheduled(latencies), Latencies::new(None)),
            (None, true) => (Manner::OneAtATime, latencies),
            (None, false) => (Manner::Streaming, latencies),
        };
        let pongs = Arc::new(Pongs::new(tag, manner, latencies));
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
        let mut payload = Lines::new(Options::payload(largest));
        // Touched, or all of it would be the one page of zeroes that the kernel has, and copies too
        // cheap.
        std::hint::black_box(&mut payload[..]).fill(0);
        Ok(Self {
            measuring: messaging.driver().map(Measuring::by),
            messaging,
            session,
            options,
            tag,
            writer,
            roster,
            pongs,
            keys: Keys::new(qos.instances, options.write_instance),
            payload: payload.into_bytes(),
            histograms: log(&options.histogram_file)?,
            response_histograms: log(&options.response_histogram_file)?,
            seq: 0,
            pings: 0,
            warm_up: 0,
        })
    }

    fn subscribers(&self) -> usize {
        self.options.subscribers as usize
    }

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
    /// `offer` hears of each time before it.
    fn write(
        &self,
        header: Header,
        payload: &Bytes,
        end: Nanos,
        offer: impl Fn(),
    ) -> Result<bool, String> {
        let sample = Sample::of(header, payload);
        let mut since = None;
        loop {
            offer();
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
                return Err(self.stays_full());
            }
        }
    }

    fn stays_full(&self) -> String {
        format!(
            "the send queue has been full for {} s: a subscriber does not acknowledge",
            self.session.bounds.silence / SECOND
        )
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
