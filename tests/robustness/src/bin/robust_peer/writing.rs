//! Writing at a steady rate in a thread of its own.
use crate::sample::Numbered;
use dunlin::DataWriter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the matches are looked at.
const LOOK: Duration = Duration::from_micros(200);

pub(crate) struct Writing {
    thread: JoinHandle<Outcome>,
    stop: Arc<AtomicBool>,
}

#[derive(Default)]
struct Outcome {
    wrote: u32,
    longest: Duration,
    error: Option<String>,
}

impl Writing {
    /// Writes `count` samples, `rate` each second, the first one with the number `next`, which
    /// moves on; if readers are awaited, not before there is one.
    pub(crate) fn start(
        writer: DataWriter<Numbered>,
        next: Arc<AtomicU32>,
        sizes: &[usize],
        count: u32,
        rate: f64,
        awaited: bool,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let sizes = sizes.to_vec();
        let thread = std::thread::spawn(move || {
            while awaited && writer.matched_count() == 0 && !stopped.load(SeqCst) {
                std::thread::sleep(LOOK);
            }
            let (start, mut outcome) = (Instant::now(), Outcome::default());
            while outcome.wrote < count && !stopped.load(SeqCst) {
                let due = start + Duration::from_secs_f64(f64::from(outcome.wrote) / rate);
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let number = next.load(SeqCst);
                let size = sizes.get(number as usize % sizes.len().max(1)).copied();
                let sample = Numbered::new(number, size.unwrap_or(0));
                let before = Instant::now();
                if let Err(error) = writer.write(&sample) {
                    outcome.error = Some(error.to_string());
                    break;
                }
                outcome.longest = outcome.longest.max(before.elapsed());
                next.fetch_add(1, SeqCst);
                outcome.wrote += 1;
            }
            outcome
        });
        Self { thread, stop }
    }

    /// Stops early.
    pub(crate) fn stop(&self) {
        self.stop.store(true, SeqCst);
    }

    /// Waits for the end and tells how it went; the longest write in microseconds.
    pub(crate) fn join(self) -> String {
        match self.thread.join() {
            Ok(outcome) => format!(
                "wrote={} longest={} error={}",
                outcome.wrote,
                outcome.longest.as_micros(),
                outcome.error.as_deref().unwrap_or("none")
            ),
            Err(_) => "error=panicked".into(),
        }
    }
}
