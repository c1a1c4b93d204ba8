//! Waiting that no busy machine cuts short.
use std::time::{Duration, Instant};

/// So long nothing at all may happen: with twenty others for each processor, every process gets its
/// turn within a second.
const STALLED: Duration = Duration::from_secs(60);

/// So long it may take altogether.
const TOTAL: Duration = Duration::from_secs(500);

/// Bounds a wait by what happens meanwhile, not by the time that it takes.
pub struct Patience<T> {
    begun: Instant,
    /// What was seen last, and since when.
    seen: Option<(T, Instant)>,
}

impl<T: PartialEq> Patience<T> {
    /// From now on.
    pub fn begin() -> Self {
        Self {
            begun: Instant::now(),
            seen: None,
        }
    }

    /// Whether it is worth to wait on: what is seen now changed within the last minute, and this
    /// has not gone on for many.
    pub fn lasts(&mut self, now: T) -> bool {
        let since = match self.seen.take() {
            Some((before, since)) if before == now => since,
            _ => Instant::now(),
        };
        let lasts = since.elapsed() < STALLED && self.begun.elapsed() < TOTAL;
        self.seen = Some((now, since));
        lasts
    }
}
