//! Latencies of one run: exact sums, a nanosecond histogram, and the percentiles that Perftest
//! prints.

use hdrhistogram::Histogram;

use crate::clock::{Nanos, SECOND};

/// The percentiles of the summary table, as (numerator, denominator).
const PERCENTILES: [(u128, u128); 5] = [
    (50, 100),
    (90, 100),
    (99, 100),
    (9_999, 10_000),
    (999_999, 1_000_000),
];

/// Longest latency that the histogram tells apart; longer ones are counted at this value (minimum
/// and maximum stay exact).
const LONGEST: Nanos = 60 * SECOND;

/// Significant decimal digits of the histogram: below 32 us every nanosecond has its own bucket.
const DIGITS: u8 = 4;

/// All latencies of one run. Recording neither allocates nor loops over the history.
pub(crate) struct Latencies {
    histogram: Histogram<u64>,
    nanos: Moments,
    micros: Moments,
    last: Nanos,
    history: Option<Vec<Nanos>>,
}

/// Count, sum and sum of squares of integers: mean and deviation without rounding on the way.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: u64,
    sum: u128,
    squares: u128,
    min: u64,
    max: u64,
}

/// The figures of one table row, in one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) average: f64,
    pub(crate) deviation: f64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    /// 50, 90, 99, 99.99 and 99.9999 %.
    pub(crate) percentiles: [u64; 5],
}

/// What a run measured, in nanoseconds and, as the original counts, in whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LatencySummary {
    pub(crate) count: u64,
    pub(crate) nanos: Figures,
    /// Each latency cut to whole microseconds first (half of 17.9 us round trip is 8), then
    /// averaged.
    pub(crate) micros: Figures,
    /// The latest latency, nanoseconds.
    pub(crate) last: Nanos,
}

impl Latencies {
    /// An empty record; with `history`, room for that many raw latencies is reserved and touched
    /// now.
    pub(crate) fn new(history: Option<usize>) -> Self {
        Self {
            histogram: Histogram::new_with_bounds(1, LONGEST, DIGITS)
                .expect("constant bounds are valid"),
            nanos: Moments::default(),
            micros: Moments::default(),
            last: 0,
            history: history.map(touched),
        }
    }

    /// Records one latency (half of a round trip).
    pub(crate) fn record(&mut self, latency: Nanos) {
        self.histogram.saturating_record(latency.max(1));
        self.nanos.add(latency);
        self.micros.add(latency / 1_000);
        self.last = latency;
        if let Some(history) = &mut self.history
            && history.len() < history.capacity()
        {
            history.push(latency);
        }
    }

    /// How many latencies were recorded.
    pub(crate) fn count(&self) -> u64 {
        self.nanos.count
    }

    /// Every latency, in nanoseconds.
    pub(crate) fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// The raw latencies in order of arrival, if they were asked for.
    pub(crate) fn history(&self) -> &[Nanos] {
        self.history.as_deref().unwrap_or_default()
    }

    /// Forgets everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
        self.nanos = Moments::default();
        self.micros = Moments::default();
        self.last = 0;
        if let Some(history) = &mut self.history {
            history.clear();
        }
    }

    /// Average, deviation, extremes and the latest value, without the percentiles: cheap enough for
    /// rows while it is measured.
    pub(crate) fn progress(&self) -> LatencySummary {
        LatencySummary {
            count: self.count(),
            nanos: self.nanos.figures(),
            micros: self.micros.figures(),
            last: self.last,
        }
    }

    /// Everything that the summary row shows.
    pub(crate) fn summary(&self) -> LatencySummary {
        let mut summary = self.progress();
        summary.nanos.percentiles = self.percentiles();
        summary.micros.percentiles = summary.nanos.percentiles.map(|value| value / 1_000);
        summary
    }

    /// The elements at index `floor(count * p)` of the sorted latencies, in one pass over the
    /// buckets.
    fn percentiles(&self) -> [u64; 5] {
        let mut values = [self.nanos.max; 5];
        let count = self.count();
        let mut wanted = PERCENTILES.iter().map(|p| index(count, *p)).enumerate();
        let mut next = wanted.next();
        let mut seen = 0u64;
        for bucket in self.histogram.iter_recorded() {
            seen += bucket.count_at_value();
            while let Some((which, index)) = next
                && index < seen
            {
                let lowest = self.histogram.lowest_equivalent(bucket.value_iterated_to());
                // The last element is known exactly, and so are the extremes.
                if index + 1 < count {
                    values[which] = lowest.clamp(self.nanos.min, self.nanos.max);
                }
                next = wanted.next();
            }
        }
        values
    }
}

/// The zero-based rank of a percentile, never past the last element.
fn index(count: u64, (numerator, denominator): (u128, u128)) -> u64 {
    let index = u128::from(count) * numerator / denominator;
    (index as u64).min(count.saturating_sub(1))
}

/// A vector whose pages are already in memory, so that recording into it never faults.
fn touched(capacity: usize) -> Vec<Nanos> {
    let mut history = vec![1; capacity];
    history.clear();
    history
}

impl Moments {
    fn add(&mut self, value: u64) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        self.squares += u128::from(value) * u128::from(value);
    }

    fn figures(&self) -> Figures {
        if self.count == 0 {
            return Figures::default();
        }
        let count = u128::from(self.count);
        // n * sum(x^2) - sum(x)^2 is exact in integers, so equal values have a deviation of exactly
        // zero.
        let spread = (count * self.squares).saturating_sub(self.sum * self.sum);
        Figures {
            average: self.sum as f64 / count as f64,
            deviation: (spread as f64).sqrt() / count as f64,
            min: self.min,
            max: self.max,
            percentiles: [0; 5],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(values: impl IntoIterator<Item = u64>) -> Latencies {
        let mut latencies = Latencies::new(None);
        values.into_iter().for_each(|value| latencies.record(value));
        latencies
    }

    #[test]
    fn one_latency_fills_every_column() {
        let figures = recorded([8_700]).summary();
        assert_eq!(figures.nanos.percentiles, [8_700; 5]);
        assert_eq!((figures.nanos.min, figures.nanos.max), (8_700, 8_700));
        assert_eq!(figures.micros.average, 8.0);
        assert_eq!(figures.micros.percentiles, [8; 5]);
        assert_eq!(figures.nanos.deviation, 0.0);
    }

    #[test]
    fn percentiles_are_the_elements_at_floor_of_count_times_p() {
        for count in [1u64, 2, 10, 9_999, 10_000] {
            // Values 1000..: distinct and within the exact part of the histogram.
            let summary = recorded((0..count).map(|i| 1_000 + i)).summary();
            let at = |p: f64| 1_000 + ((count as f64 * p) as u64).min(count - 1);
            let expected = [0.5, 0.9, 0.99, 0.9999, 0.999999].map(at);
            assert_eq!(summary.nanos.percentiles, expected, "{count} samples");
        }
    }

    #[test]
    fn a_million_samples_tell_the_last_percentile_from_the_maximum() {
        for (count, last) in [(999_999u64, 1_007), (1_000_000, 1_007), (1_000_001, 1_007)] {
            let mut latencies = recorded((0..count - 1).map(|i| 1_000 + i % 8));
            latencies.record(30_000);
            let summary = latencies.summary();
            let rank = (count as u128 * 999_999 / 1_000_000) as u64;
            let expected = if rank == count - 1 { 30_000 } else { last };
            assert_eq!(summary.nanos.percentiles[4], expected, "{count} samples");
            assert_eq!(summary.nanos.max, 30_000);
        }
    }

    #[test]
    fn mean_and_deviation_are_exact() {
        let summary = recorded([2_000, 4_000, 4_000, 4_000, 5_000, 5_000, 7_000, 9_000]).summary();
        assert_eq!(summary.nanos.average, 5_000.0);
        assert_eq!(summary.nanos.deviation, 2_000.0);
        assert_eq!(summary.micros.deviation, 2.0);
    }

    #[test]
    fn a_row_is_monotone_also_above_the_exact_buckets() {
        let mut state = 7u64;
        let summary = recorded((0..5_000).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            1 + (state >> 33) % 3_000_000_000
        }))
        .summary();
        let row = [summary.nanos.min]
            .into_iter()
            .chain(summary.nanos.percentiles)
            .chain([summary.nanos.max]);
        assert!(row.is_sorted());
    }

    #[test]
    fn a_percentile_that_is_the_last_element_is_the_maximum_exactly() {
        let summary = recorded([3_361_999, 26_195_777]).summary();
        assert_eq!(summary.nanos.percentiles, [26_195_777; 5]);
    }

    #[test]
    fn extremes_beyond_the_histogram_stay_exact() {
        let summary = recorded([0, 200 * SECOND]).summary();
        assert_eq!((summary.nanos.min, summary.nanos.max), (0, 200 * SECOND));
    }

    #[test]
    fn nothing_recorded_is_a_row_of_zeros() {
        assert_eq!(recorded([]).summary(), LatencySummary::default());
    }

    #[test]
    fn the_history_keeps_arrival_order_and_its_bound() {
        let mut latencies = Latencies::new(Some(2));
        [30, 10, 20]
            .into_iter()
            .for_each(|value| latencies.record(value));
        assert_eq!(latencies.history(), [30, 10]);
        latencies.clear();
        assert_eq!((latencies.count(), latencies.history().len()), (0, 0));
    }
}
