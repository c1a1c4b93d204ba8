//! The subscribing side of a run.

use std::sync::Arc;

use super::control::{Kind, Note, header};
use super::keys::Keys;
use super::receiver::{Place, Receiver, Reception, Traffic};
use super::{Session, control};
use crate::clock::{CpuMeter, MILLISECOND, Nanos, SECOND, monotonic};
use crate::driver::Driver;
use crate::messaging::{Messaging, Publish, Sample, Topic, WriteError};
use crate::options::SubscriberOptions;
use crate::output::{Report, TrafficInterval, TrafficRow};

/// After the end, a publisher that repeats it no more for this time has heard us.
const QUIET: Nanos = 150 * MILLISECOND;

/// Longest stay after the end.
const LINGER: Nanos = 2 * SECOND;

/// Runs the subscribing side to its end. The error is the reason why it was cut short; the row is
/// written anyway, if anything had begun.
pub(crate) fn subscribe<M: Messaging>(
    messaging: &mut M,
    session: &Session<'_>,
    options: &SubscriberOptions,
    report: &mut Report,
) -> Result<(), String> {
    let mut subscriber = Subscriber::create(messaging, session, options)?;
    let outcome = subscriber.run(report);
    if outcome.is_err() {
        subscriber.write_partial(report);
    }
    outcome
}

struct Subscriber<'a, M: Messaging> {
    messaging: &'a M,
    session: &'a Session<'a>,
    options: &'a SubscriberOptions,
    announcement: M::Writer,
    reception: Arc<Reception>,
    /// Who counts, if it is not the receiver.
    driver: Option<Arc<dyn Driver>>,
    nonce: u32,
    said: Nanos,
    cpu: CpuMeter,
    ticker: Ticker,
    /// Some result was cut short on the other side.
    cut: bool,
}

/// The rows of each second.
struct Ticker {
    cpu: CpuMeter,
    /// Counters and time of the last row; `None` before the first sample.
    last: Option<(Nanos, u64, u64)>,
    rows: u64,
    packets: f64,
    mbps: f64,
}

impl Ticker {
    fn new() -> Self {
        Self {
            cpu: CpuMeter::start(),
            last: None,
            rows: 0,
            packets: 0.0,
            mbps: 0.0,
        }
    }

    /// The row of the second that is over, if it is.
    fn tick(&mut self, now: Nanos, traffic: &Traffic) -> Option<TrafficInterval> {
        if traffic.packets == 0 {
            return None;
        }
        let (since, packets, bytes) = *self.last.get_or_insert((traffic.first, 0, 0));
        if now < since + SECOND {
            return None;
        }
        let seconds = (now - since) as f64 / SECOND as f64;
        let packets_per_second = traffic.packets.saturating_sub(packets) as f64 / seconds;
        let mbps = traffic.bytes.saturating_sub(bytes) as f64 * 8e-6 / seconds;
        self.last = Some((now, traffic.packets, traffic.bytes));
        self.rows += 1;
        self.packets += packets_per_second;
        self.mbps += mbps;
        Some(TrafficInterval {
            size: traffic.size,
            packets: traffic.packets,
            packets_per_second,
            average_packets: self.packets / self.rows as f64,
            mbps,
            average_mbps: self.mbps / self.rows as f64,
            lost: traffic.lost,
            cpu: Some(self.cpu.lap()),
        })
    }
}

impl<'a, M: Messaging> Subscriber<'a, M> {
    fn create(
        messaging: &'a mut M,
        session: &'a Session<'a>,
        options: &'a SubscriberOptions,
    ) -> Result<Self, String> {
        let qos = session.options;
        let reception = match options.keys {
            None => Reception::new(options.publishers),
            Some(_) => Reception::behind_filter(options.publishers),
        };
        let reception = Arc::new(reception);
        let echo = messaging.writer(Topic::Latency, &qos.writer_qos(Topic::Latency))?;
        // The first echo must not be the first of its instance either.
        echo.register_instances(qos.instances)
            .map_err(|error| format!("registering the instances: {error}"))?;
        let announcement =
            messaging.writer(Topic::Announcement, &qos.writer_qos(Topic::Announcement))?;
        let keys = Keys::new(qos.instances, None);
        let (waker, driver) = (messaging.waker(), messaging.driver());
        let receiver = Receiver::new(
            options.id,
            options.publishers,
            echo,
            keys,
            Arc::clone(&reception),
            waker,
        );
        let mut receiver = receiver.driven_by(driver.clone());
        let throughput = qos.reader_qos(Topic::Throughput);
        messaging.reader(Topic::Throughput, &throughput, move |sample| {
            receiver.on_sample(sample);
        })?;
        Ok(Self {
            messaging,
            session,
            options,
            announcement,
            reception,
            driver,
            nonce: control::Tag::new_run(0).run(),
            said: monotonic(),
            cpu: CpuMeter::start(),
            ticker: Ticker::new(),
            cut: false,
        })
    }

    fn run(&mut self, report: &mut Report) -> Result<(), String> {
        self.find_publishers()?;
        self.session.log.line("Waiting for data ...");
        self.cpu = CpuMeter::start();
        self.ticker = Ticker::new();
        self.receive(report)?;
        self.linger()?;
        self.session.log.line("Test ended.");
        if self.cut {
            return Err("the publisher was cut short".into());
        }
        Ok(())
    }

    fn find_publishers(&mut self) -> Result<(), String> {
        let (log, bounds) = (self.session.log, self.session.bounds);
        log.line(format!(
            "Waiting to discover {} publisher(s) ...",
            self.options.publishers
        ));
        let started = monotonic();
        let give_up = started.saturating_add(self.session.options.discovery_timeout);
        let mut report_at = started + bounds.report_after;
        loop {
            self.session.check_stop()?;
            self.answer()?;
            self.sync();
            let missing = self.missing();
            if missing == 0 {
                return Ok(());
            }
            let now = monotonic();
            if now >= give_up {
                return Err(self.lonely("gave up", missing));
            }
            if now >= report_at {
                log.line(self.lonely("still waiting", missing));
                report_at = now + bounds.report_every;
            }
            if missing < self.options.publishers as usize {
                self.check_partners(now)?;
            }
            self.wait(now + 2 * bounds.repeat);
        }
    }

    fn missing(&self) -> usize {
        self.reception.with(|state| {
            state
                .places
                .iter()
                .filter(|place| place.tag.is_none())
                .count()
        })
    }

    fn lonely(&self, what: &str, missing: usize) -> String {
        let publishers = self.options.publishers as usize;
        format!(
            "{what}: {} of {publishers} publisher(s) have said hello. {}",
            publishers - missing,
            self.messaging.describe_discovery()
        )
    }

    fn receive(&mut self, report: &mut Report) -> Result<(), String> {
        loop {
            self.session.check_stop()?;
            self.write_results(report);
            self.answer()?;
            if self.over() {
                return Ok(());
            }
            self.sync();
            let now = monotonic();
            self.check_partners(now)?;
            self.give_sign(now)?;
            let next_row = self.tick(report, now);
            // A look takes long in some languages, on a processor where another thread may receive.
            let looks_again = match self.driver {
                Some(_) => 500 * MILLISECOND,
                None => 100 * MILLISECOND,
            };
            self.wait(next_row.min(now + looks_again));
        }
    }

    fn sync(&self) {
        if let Some(driver) = &self.driver {
            self.reception.sync(&**driver);
        }
    }

    fn over(&self) -> bool {
        self.reception
            .with(|state| state.places.iter().all(|place| place.over) && state.results.is_empty())
    }

    /// Sleeps, or receives, until there is something to do.
    fn wait(&self, deadline: Nanos) {
        let matched = self.messaging.matched(Topic::Throughput);
        let due = || {
            self.reception.needs_attention() || self.messaging.matched(Topic::Throughput) != matched
        };
        self.messaging.wait(due, deadline);
    }

    /// Prints the row of the last second, if it is over; returns when the next one is.
    fn tick(&mut self, report: &mut Report, now: Nanos) -> Nanos {
        if !report.intervals() {
            return Nanos::MAX;
        }
        let traffic = self.reception.with(|state| state.traffic);
        if traffic.packets > 0 && self.ticker.last.is_none() {
            report.traffic_title(traffic.size);
        }
        if let Some(mut row) = self.ticker.tick(now, &traffic) {
            row.cpu = row.cpu.filter(|_| self.session.options.output.cpu);
            report.traffic_interval(&row);
        }
        self.ticker
            .last
            .map_or(Nanos::MAX, |(since, ..)| since + SECOND)
    }

    fn write_results(&mut self, report: &mut Report) {
        while let Some(traffic) = self.reception.attend(|state| state.results.pop_front()) {
            self.write_row(report, &traffic);
        }
    }

    fn write_row(&mut self, report: &mut Report, traffic: &Traffic) {
        if self.ticker.last.is_none() {
            report.traffic_title(traffic.size);
        }
        self.ticker = Ticker::new();
        self.cut |= !traffic.complete;
        let used = self.cpu.lap();
        let seconds = traffic.seconds(monotonic()).max(1e-9);
        let empty = traffic.packets == 0;
        if empty {
            self.session
                .log
                .line("No sample was received: the row shows zeros.");
        }
        report.traffic_summary(&TrafficRow {
            size: traffic.size,
            packets: traffic.packets,
            packets_per_second: traffic.packets as f64 / seconds,
            mbps: traffic.bytes as f64 * 8e-6 / seconds,
            lost: traffic.lost,
            cpu: self.session.options.output.cpu.then_some(used),
            cost: traffic.spent.per_sample(traffic.packets),
            complete: traffic.complete,
        });
    }

    /// The row of a run that was cut short, if it had begun.
    fn write_partial(&mut self, report: &mut Report) {
        self.sync();
        self.write_results(report);
        let (begun, mut traffic) = self.reception.with(|state| {
            let begun = state
                .places
                .iter()
                .any(|place| place.tag.is_some() && !place.over);
            (begun, state.traffic)
        });
        if begun {
            if traffic.size == 0 {
                traffic.size = self.session.options.data_len;
            }
            self.write_row(report, &traffic);
        }
    }

    /// Stays until every publisher has heard that we saw its end.
    fn linger(&mut self) -> Result<(), String> {
        let limit = monotonic() + LINGER;
        loop {
            self.answer()?;
            let quiet_at = QUIET
                + self.reception.with(|state| {
                    let heard = state.places.iter().map(|place| place.heard);
                    heard.max().unwrap_or_default()
                });
            let now = monotonic();
            let alone = self.messaging.matched(Topic::Announcement) == 0;
            if alone || now >= quiet_at.min(limit) {
                break;
            }
            let due = || {
                self.reception.needs_attention() || self.messaging.matched(Topic::Announcement) == 0
            };
            self.messaging.wait(due, quiet_at.min(limit));
        }
        let failures = self.reception.with(|state| state.echo_failures);
        if failures > 0 {
            self.session.log.line(format!(
                "{failures} echoes could not be sent: the queue was full"
            ));
        }
        Ok(())
    }

    /// Sends the answers that we owe: here I am, and I have seen the end.
    fn answer(&mut self) -> Result<(), String> {
        let (places, stray): (Vec<Place>, _) = self.reception.attend(|state| {
            let owed = state.places.clone();
            for place in &mut state.places {
                place.owes_hello = false;
                place.owes_end = None;
            }
            (owed, state.stray.take())
        });
        if let Some(id) = stray {
            self.session.log.line(format!(
                "Publisher {id} is not expected; -numPublishers is {}",
                self.options.publishers
            ));
        }
        for place in &places {
            if place.owes_hello {
                self.announce(place, Kind::Hello, 0)?;
            }
            if let Some(segment) = place.owes_end {
                self.announce(place, Kind::End, segment)?;
            }
        }
        Ok(())
    }

    /// A sign of life: each second while data streams, and to a publisher that has become silent.
    fn give_sign(&mut self, now: Nanos) -> Result<(), String> {
        if now < self.said + self.session.bounds.alive {
            return Ok(());
        }
        let silent = |place: &Place| now > place.heard.saturating_add(self.session.bounds.alive);
        let places = self.reception.with(|state| state.places.clone());
        for place in places
            .iter()
            .filter(|place| !place.over && (!place.latency_test || silent(place)))
        {
            self.announce(place, Kind::Alive, 0)?;
        }
        self.said = now;
        Ok(())
    }

    fn announce(&self, place: &Place, kind: Kind, segment: u32) -> Result<(), String> {
        let Some(tag) = place.tag else {
            return Ok(());
        };
        let note = Note {
            segment,
            nonce: self.nonce,
            data_len: self.session.options.data_len as u32,
            ..Note::default()
        };
        let sample = Sample {
            header: header(tag.with_id(self.options.id), kind),
            data: &note.encode(),
            shared: None,
        };
        match self.announcement.write(&sample) {
            Ok(()) | Err(WriteError::Timeout) => {
                self.announcement.flush();
                Ok(())
            }
            Err(error) => Err(format!("writing an announcement: {error}")),
        }
    }

    /// An error when a publisher is gone that has not ended.
    fn check_partners(&self, now: Nanos) -> Result<(), String> {
        let (awaited, quietest) = self.reception.with(|state| {
            let open = state
                .places
                .iter()
                .filter(|place| place.tag.is_some() && !place.over);
            (open.clone().count(), open.map(|place| place.heard).min())
        });
        let matched = self.messaging.matched(Topic::Throughput);
        if matched < awaited {
            return Err(format!(
                "a publisher is gone: {matched} of {} are left, and {awaited} had not finished",
                self.options.publishers
            ));
        }
        let silence = self.session.bounds.silence;
        // Behind a filter there may be nothing to hear for long.
        let listens = self.options.keys.is_none();
        if listens && quietest.is_some_and(|heard| now > heard.saturating_add(silence)) {
            return Err(format!(
                "a publisher has sent nothing for {} s",
                silence / SECOND
            ));
        }
        Ok(())
    }
}
