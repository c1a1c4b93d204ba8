//! What is written: a number, when, a digest of both, and bytes that follow from the number.
use bytes::Bytes;
use dunlin::Topic;
use rustix::time::{ClockId, clock_gettime};
use std::hash::{DefaultHasher, Hash, Hasher};

/// No test takes longer, in nanoseconds.
const LONGEST: i64 = 3_600_000_000_000;
/// What the clock shows when the machine starts. Forged samples have times near 0, which must be
/// impossible ones even on a machine that has just been started.
const ORIGIN: i64 = 0x2b5c_9d3e_0000_0000;

#[derive(Topic, Clone, Debug)]
#[topic(extensibility = "final")]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    /// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share, from `ORIGIN` on.
    pub(crate) written_at: i64,
    /// What nobody gets right by changing bits of a sample.
    digest: u64,
    pub(crate) data: Bytes,
}

impl Numbered {
    pub(crate) fn new(number: u32, size: usize) -> Self {
        let mut data = vec![pattern(number); size];
        // The number stands at the end as well, so that a sample put together from two is noticed.
        if let Some(end) = data.last_chunk_mut() {
            *end = number.to_le_bytes();
        }
        let written_at = now();
        Self {
            number,
            written_at,
            digest: digest(number, written_at),
            data: data.into(),
        }
    }

    /// Whether no peer wrote this: plain RTPS takes samples in a writer's name from all processes
    /// of its host. One that was damaged on its way has a time at which it could have been written.
    pub(crate) fn is_forged(&self) -> bool {
        let age = now().saturating_sub(self.written_at);
        self.digest != digest(self.number, self.written_at) && !(0..LONGEST).contains(&age)
    }

    pub(crate) fn is_intact(&self) -> bool {
        let (body, end) = self.data.split_at(self.data.len().saturating_sub(4));
        self.digest == digest(self.number, self.written_at)
            && body.iter().all(|byte| *byte == pattern(self.number))
            && (end.len() < 4 || end == self.number.to_le_bytes())
    }
}

fn digest(number: u32, written_at: i64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (number, written_at).hash(&mut hasher);
    hasher.finish()
}

fn pattern(number: u32) -> u8 {
    (number % 251) as u8
}

pub(crate) fn now() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    ORIGIN + now.tv_sec * 1_000_000_000 + now.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_sample_is_told_from_a_damaged_one() {
        let sample = Numbered::new(7, 64);
        assert!(sample.is_intact() && !sample.is_forged());
        let damaged = Numbered {
            digest: 1,
            ..sample.clone()
        };
        assert!(!damaged.is_intact() && !damaged.is_forged());
        for written_at in [0, 1 << 20, 600_000_000_000] {
            let forged = Numbered {
                written_at,
                ..damaged.clone()
            };
            assert!(forged.is_forged(), "{written_at}");
        }
    }
}
