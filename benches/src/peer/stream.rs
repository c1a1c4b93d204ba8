//! The course of a stream: the sender writes as fast as it may, the receiver counts within a window
//! of time.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::figures::{Usage, now};
use crate::options::Options;

/// Longest wait for the first sample, nanoseconds.
const PATIENCE: u64 = 20_000_000_000;
/// The sender goes on for so long after the receiver's window.
const MARGIN: Duration = Duration::from_millis(200);
/// No sample for so long means that the stream has ended.
const QUIET: Duration = Duration::from_millis(300);

/// Calls `write` with ascending numbers until the time is over, then `finish`, and reports.
pub(crate) fn send<E>(
    options: &Options,
    mut write: impl FnMut(u64) -> Result<(), E>,
    finish: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    // The other side may still be about to match.
    std::thread::sleep(MARGIN);
    let (begin, before) = (now(), Usage::now());
    let length = options.warm_up + options.seconds + MARGIN;
    let end = begin + length.as_nanos() as u64;
    // So many samples between two looks at the clock.
    let stride = if options.size > 8192 { 1 } else { 64 };
    let mut sent = 0;
    while now() < end {
        for _ in 0..stride {
            write(sent)?;
            sent += 1;
        }
    }
    let (took, spent) = (now() - begin, before.since_then());
    finish()?;
    println!("samples={sent} ns={took} {spent}");
    Ok(())
}

/// What has arrived; written by the thread that receives.
#[derive(Default)]
pub(crate) struct Tally {
    count: AtomicU64,
    first: AtomicU64,
    next: AtomicU64,
    gaps: AtomicU64,
}

impl Tally {
    /// The only writer is the calling thread.
    pub(crate) fn received(&self, number: u64) {
        let count = self.count.load(Relaxed);
        if count == 0 {
            self.first.store(number, Relaxed);
        } else if number != self.next.load(Relaxed) {
            self.gaps.store(self.gaps.load(Relaxed) + 1, Relaxed);
        }
        self.next.store(number + 1, Relaxed);
        self.count.store(count + 1, Relaxed);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Watches from another thread until the stream has ended, and reports.
    pub(crate) fn watch(&self, options: &Options) {
        let patience = now() + PATIENCE;
        while self.count() == 0 && now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(options.warm_up);
        let (begin, from, usage) = (now(), self.count(), Usage::now());
        std::thread::sleep(options.seconds);
        let (took, counted, spent) = (now() - begin, self.count() - from, usage.since_then());
        let mut before = u64::MAX;
        while before != self.count() {
            before = self.count();
            std::thread::sleep(QUIET);
        }
        let (first, gaps) = (self.first.load(Relaxed), self.gaps.load(Relaxed));
        println!("samples={counted} ns={took} {spent} total={before} first={first} gaps={gaps}");
    }
}
