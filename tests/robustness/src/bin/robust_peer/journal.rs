//! What the reader has seen.
use crate::sample::{Numbered, now};
use std::fmt;

/// Samples whose latency is remembered.
const MOST: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Journal {
    pub(crate) received: u64,
    doubled: u64,
    disordered: u64,
    damaged: u64,
    /// Samples that no peer wrote; they count as nothing else.
    forged: u64,
    /// One bit for each number seen.
    seen: Vec<u64>,
    highest: Option<u32>,
    first: Option<u32>,
    last_arrival: Option<i64>,
    longest_gap: i64,
    latencies: Vec<i64>,
}

impl Journal {
    pub(crate) fn note(&mut self, sample: &Numbered) {
        if sample.is_forged() {
            self.forged += 1;
            return;
        }
        let now = now();
        self.damaged += u64::from(!sample.is_intact());
        let (word, bit) = (sample.number as usize / 64, 1 << (sample.number % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        if self.seen[word] & bit != 0 {
            self.doubled += 1;
            return;
        }
        self.seen[word] |= bit;
        self.received += 1;
        self.first.get_or_insert(sample.number);
        match self.highest {
            Some(highest) if sample.number < highest => self.disordered += 1,
            _ => self.highest = Some(sample.number),
        }
        if let Some(last) = self.last_arrival.replace(now) {
            self.longest_gap = self.longest_gap.max(now - last);
        }
        if self.latencies.len() < MOST {
            self.latencies.push(now - sample.written_at);
        }
    }

    /// Latencies and gaps count from now on; what was received stays.
    pub(crate) fn restart_clock(&mut self) {
        self.latencies.clear();
        self.longest_gap = 0;
        self.last_arrival = None;
    }

    fn percentile(&self, sorted: &[i64], share: f64) -> i64 {
        let place = (sorted.len() as f64 * share) as usize;
        sorted
            .get(place)
            .or(sorted.last())
            .map_or(0, |ns| ns / 1000)
    }
}

/// Times in microseconds. `missing` counts holes between the first and the highest number.
impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let span = match (self.first, self.highest) {
            (Some(first), Some(highest)) => u64::from(highest.saturating_sub(first)) + 1,
            _ => 0,
        };
        write!(
            f,
            "received={} missing={} doubled={} disordered={} damaged={} forged={} first={} highest={} gap={} p50={} p99={}",
            self.received,
            span.saturating_sub(self.received),
            self.doubled,
            self.disordered,
            self.damaged,
            self.forged,
            self.first.map_or(-1, i64::from),
            self.highest.map_or(-1, i64::from),
            self.longest_gap / 1000,
            self.percentile(&sorted, 0.5),
            self.percentile(&sorted, 0.99),
        )
    }
}
