//! How the two sides of a run find each other, measure and part, over any
//! [`Messaging`](crate::messaging::Messaging).
//!
//! The publisher draws a run number and says hello until enough subscribers have announced
//! themselves for that run. Every sample carries the number, so a side that belongs to an earlier
//! or later run on the same domain is never mistaken for the other half of this one. Then: warm-up,
//! one measured segment per size, and after each an end that every subscriber confirms. No wait is
//! without a bound, and each bound has a reason for stderr.

mod control;
mod flights;
mod keys;
mod pacer;
mod pongs;
mod publisher;
mod receiver;
mod roster;
mod subscriber;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::{MILLISECOND, Nanos, SECOND};
use crate::options::{Options, PublisherOptions};
use crate::output::Log;

pub(crate) use publisher::publish;
pub(crate) use subscriber::subscribe;

/// The times that bound every wait, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Between two greetings, and between two ends, while no answer has come.
    pub(crate) repeat: Nanos,
    /// A lonely side says what it sees after this time, and then each `report_every`.
    pub(crate) report_after: Nanos,
    pub(crate) report_every: Nanos,
    /// A best-effort ping without an answer is lost after this time.
    pub(crate) ping: Nanos,
    /// The other side is taken for dead after this time without a sign of life, which it gives each
    /// `alive`.
    pub(crate) silence: Nanos,
    pub(crate) alive: Nanos,
    /// Longest warm-up, and how long an echo may take to show that both directions work.
    pub(crate) warm_up: Nanos,
    pub(crate) first_echo: Nanos,
    /// Time for pings of full size after the warm-up burst.
    pub(crate) practice: Nanos,
    /// What an open loop gets beyond its schedule for what is late.
    pub(crate) drain: Nanos,
    /// Longest wait for the subscribers to confirm the end.
    pub(crate) end: Nanos,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            repeat: 50 * MILLISECOND,
            report_after: 5 * SECOND,
            report_every: 10 * SECOND,
            ping: 200 * MILLISECOND,
            silence: 5 * SECOND,
            alive: SECOND,
            warm_up: 30 * SECOND,
            first_echo: 10 * SECOND,
            practice: 300 * MILLISECOND,
            drain: SECOND,
            end: 10 * SECOND,
        }
    }
}

/// What both sides of a run have in hand.
pub(crate) struct Session<'a> {
    pub(crate) options: &'a Options,
    pub(crate) log: &'a Log,
    /// Set when the user wants to stop.
    pub(crate) stop: &'a Arc<AtomicBool>,
    pub(crate) bounds: Bounds,
}

impl Session<'_> {
    fn check_stop(&self) -> Result<(), String> {
        if self.stop.load(Ordering::Relaxed) {
            return Err("interrupted".into());
        }
        Ok(())
    }
}

/// Number of warm-up samples: at least one for each instance, so that no measured sample is the
/// first of its key.
pub(crate) fn burst(options: &Options, publisher: &PublisherOptions) -> u64 {
    let queue = u64::from(options.send_queue) * options.samples_per_batch();
    publisher
        .initial_burst
        .unwrap_or(queue)
        .max(u64::from(options.instances))
}
