//! The course of a ping-pong, as the side that pings sees it.
use crate::Outcome;
use crate::figures::{Latencies, Usage, now};
use crate::options::Options;

/// A ping without answer for so long is lost, nanoseconds.
pub(crate) const PATIENCE: u64 = 500_000_000;

/// What to do after a pong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Ping(u64),
    /// The pong was not the one that is waited for.
    Nothing,
    Done,
}

/// Numbers pings and measures them.
pub(crate) struct Rally {
    expected: u64,
    sent_at: u64,
    start: u64,
    /// Each instance has been written once before the measurement.
    lap: u64,
    length: u64,
    end: u64,
    before: Usage,
    spent: Option<Usage>,
    /// Pongs that came before the measurement.
    warm_up: u64,
    lost: u64,
    late: u64,
    latencies: Latencies,
}

impl Rally {
    pub(crate) fn new(options: &Options) -> Self {
        let latencies = Latencies::new(options.seconds);
        let start = now() + options.warm_up.as_nanos() as u64;
        let length = options.seconds.as_nanos() as u64;
        Self {
            expected: 0,
            sent_at: 0,
            start,
            lap: options.instances.into(),
            length,
            end: start + length,
            before: Usage::default(),
            spent: None,
            warm_up: 0,
            lost: 0,
            late: 0,
            latencies,
        }
    }

    /// Number of the ping that is to be written right now.
    pub(crate) fn serve(&mut self) -> u64 {
        self.expected += 1;
        self.sent_at = now();
        self.expected
    }

    /// A pong has come.
    pub(crate) fn pong(&mut self, number: u64) -> Next {
        let arrived = now();
        if number != self.expected || self.is_over() {
            self.late += 1;
            return Next::Nothing;
        }
        if arrived < self.start || number <= self.lap {
            self.warm_up += 1;
            return Next::Ping(self.serve());
        }
        if self.latencies.len() == 0 {
            self.before = Usage::now();
            self.end = arrived + self.length;
        }
        self.latencies.record((arrived - self.sent_at) / 2);
        if arrived >= self.end {
            self.spent = Some(self.before.since_then());
            return Next::Done;
        }
        Next::Ping(self.serve())
    }

    /// The number of the ping to write in place of one that got lost.
    pub(crate) fn repeat(&mut self) -> Option<u64> {
        if self.is_over() || now() < self.sent_at + PATIENCE {
            return None;
        }
        self.lost += 1;
        Some(self.serve())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.spent.is_some()
    }

    /// Long past its end without a pong.
    pub(crate) fn is_hopeless(&self) -> bool {
        now() > self.end + 20 * PATIENCE
    }

    pub(crate) fn report(&self, options: &Options) -> Outcome<()> {
        self.latencies.write(&options.out)?;
        println!(
            "samples={} lost={} late={} warm_up={} {}",
            self.latencies.len(),
            self.lost,
            self.late,
            self.warm_up,
            self.spent.unwrap_or_default()
        );
        Ok(())
    }
}
