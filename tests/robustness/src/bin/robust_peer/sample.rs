//! What is written: a number, when, and bytes that follow from the number.
use bytes::Bytes;
use dunlin::Topic;
use rustix::time::{ClockId, clock_gettime};

#[derive(Topic, Clone, Debug)]
#[topic(extensibility = "final")]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    /// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
    pub(crate) written_at: i64,
    pub(crate) data: Bytes,
}

impl Numbered {
    pub(crate) fn new(number: u32, size: usize) -> Self {
        let mut data = vec![pattern(number); size];
        // The number stands at the end as well, so that a sample put together from two is noticed.
        if let Some(end) = data.last_chunk_mut() {
            *end = number.to_le_bytes();
        }
        Self {
            number,
            written_at: now(),
            data: data.into(),
        }
    }

    pub(crate) fn is_intact(&self) -> bool {
        let (body, end) = self.data.split_at(self.data.len().saturating_sub(4));
        body.iter().all(|byte| *byte == pattern(self.number))
            && (end.len() < 4 || end == self.number.to_le_bytes())
    }
}

fn pattern(number: u32) -> u8 {
    (number % 251) as u8
}

pub(crate) fn now() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
