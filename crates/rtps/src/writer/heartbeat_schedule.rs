//! When a writer asks its readers what they lack (RTPS 2.5 8.4.9.2 heartbeatPeriod).
//!
//! Nothing is asked while all is acknowledged. Otherwise a timer runs; it slows down gently while
//! nobody answers, and writing fast or much asks sooner.
use crate::Time;
use dunlin_qos::{Duration, History};

use super::WriterConfig;

/// A silent reader is asked at least once in so many periods.
const SLOWEST: i64 = 5;
/// A blocked writer asks so many times in a period.
const BLOCKED: i64 = 10;
/// Where samples go whole, which nothing on the way drops, an answer only frees memory: so many
/// times the bytes go without.
const WHOLE: usize = 4;

pub(super) struct HeartbeatSchedule {
    period: Duration,
    interval: Duration,
    quarter: u32,
    bytes: usize,
    bytes_since: usize,
    changes_since: u32,
    asked: i64,
    due: Option<Time>,
}

impl HeartbeatSchedule {
    pub(super) fn new(config: &WriterConfig) -> Self {
        let window = match (config.history, config.resource_limits.max_samples) {
            (History::KeepAll, Some(limit)) => limit,
            _ => config.heartbeat_window,
        };
        Self {
            period: config.heartbeat_period,
            interval: config.heartbeat_period,
            quarter: window.div_ceil(4).max(1),
            bytes: config.heartbeat_bytes,
            bytes_since: 0,
            changes_since: 0,
            asked: 0,
            due: None,
        }
    }

    /// A change of `bytes` went out, in one piece or in fragments; true if an answer is wanted at
    /// once. Not for every one of large changes in one piece: question and answer cost as much as
    /// the change.
    pub(super) fn wrote(&mut self, now: Time, bytes: usize, whole: bool) -> bool {
        let bytes = match whole {
            true => (bytes / WHOLE).min(self.bytes / 2),
            false => bytes,
        };
        self.changes_since = self.changes_since.saturating_add(1);
        self.bytes_since = self.bytes_since.saturating_add(bytes);
        let due = *self.due.get_or_insert(now.after(self.period));
        self.changes_since >= self.quarter || self.bytes_since >= self.bytes || due <= now
    }

    /// An answer was asked for, about all up to `last`.
    pub(super) fn asked(&mut self, now: Time, last: i64) {
        self.changes_since = 0;
        self.bytes_since = 0;
        self.asked = last;
        self.due = Some(now.after(self.interval));
    }

    /// The last change that an answer was asked about.
    pub(super) fn last_asked(&self) -> i64 {
        self.asked
    }

    /// Nobody answered in time.
    pub(super) fn slow_down(&mut self) {
        let longest = self.period.as_nanos().saturating_mul(SLOWEST);
        let next = self.interval.as_nanos().saturating_mul(3) / 2;
        self.interval = Duration::from_nanos(next.min(longest));
    }

    /// A write found no room.
    pub(super) fn hurry(&mut self, now: Time) {
        let soon = Duration::from_nanos(self.period.as_nanos() / BLOCKED);
        if self.interval > self.period {
            return; // nobody answers: asking more often does not help
        }
        self.interval = soon;
        let soon = now.after(soon);
        self.due = Some(self.due.map_or(soon, |due| due.min(soon)));
    }

    /// Somebody acknowledged; true if nothing is left to acknowledge.
    pub(super) fn answered(&mut self, now: Time, complete: bool) {
        self.interval = self.period;
        let next = now.after(self.period);
        self.due = if complete {
            None
        } else {
            self.due.map(|due| due.min(next))
        };
    }

    pub(super) fn stop(&mut self) {
        self.due = None;
    }

    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }
}
