//! A line with a rate, one for each direction: a frame waits until those before it have left.
use std::time::{Duration, Instant};

/// What goes round a frame on the wire: preamble, checksum and the gap behind it (IEEE 802.3).
const AROUND: usize = 24;
/// Shorter frames are filled up.
const SHORTEST: usize = 60;

/// See the module.
#[derive(Debug)]
pub(crate) struct Line {
    /// When the last bit of all that was sent has left.
    free: Instant,
}

impl Line {
    pub(crate) fn new(now: Instant) -> Self {
        Self { free: now }
    }

    /// How long it takes until a frame of `length` bytes has left, at `rate` bits a second; `None`
    /// if more than `queue` bytes are before it.
    pub(crate) fn send(
        &mut self,
        now: Instant,
        length: usize,
        rate: f64,
        queue: usize,
    ) -> Option<Duration> {
        let begin = self.free.max(now);
        let waits = begin - now;
        if waits.as_secs_f64() * rate > queue as f64 * 8.0 {
            return None;
        }
        let bits = (length.max(SHORTEST) + AROUND) * 8;
        let took = Duration::from_secs_f64(bits as f64 / rate);
        self.free = begin + took;
        Some(waits + took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 100e6;
    const QUEUE: usize = 15_100;
    /// Of 1,476 bytes and what goes round them.
    const FRAME: Duration = Duration::from_micros(120);

    #[test]
    fn frames_leave_one_after_the_other() {
        let now = Instant::now();
        let mut line = Line::new(now);
        for nth in 1..=5 {
            assert_eq!(line.send(now, 1_476, RATE, QUEUE), Some(FRAME * nth));
        }
        // Two of them have left.
        let later = now + FRAME * 2;
        assert_eq!(line.send(later, 1_476, RATE, QUEUE), Some(FRAME * 4));
        // All have, and the shortest frame takes 84 bytes.
        let later = now + Duration::from_secs(1);
        let took = line.send(later, 1, RATE, QUEUE);
        assert_eq!(took, Some(Duration::from_nanos(6_720)));
    }

    #[test]
    fn what_finds_the_queue_full_is_lost() {
        let now = Instant::now();
        let mut line = Line::new(now);
        let sent = (0..100).filter(|_| line.send(now, 1_476, RATE, QUEUE).is_some());
        assert_eq!(sent.count(), 11);
        assert!(line.send(now + FRAME, 1_476, RATE, QUEUE).is_some());
    }
}
