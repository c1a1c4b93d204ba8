//! All latencies of a cell: its runs' histograms added up, with the extremes that are known
//! exactly.

use hdrhistogram::Histogram;

use crate::record::PERCENTILES;

/// A percentile rests on this many samples beyond it, or it is chance.
const ENOUGH: u64 = 10;

const WHOLE: u128 = 10_000_000_000;

/// Points of the curve for each decade of rarity (90 to 99 %, 99 to 99.9 % ...).
const POINTS_PER_DECADE: i32 = 10;

/// The decades of a curve end here: one in 10^9.
const DECADES: i32 = 9;

/// Samples in buckets, and what is known of them exactly.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    min: u64,
    max: u64,
}

/// One percentile, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Percentile {
    /// The latency.
    pub nanos: u64,
    /// Whether ten samples or more lie beyond it.
    pub certain: bool,
}

/// Whether the percentile (in percent) of so many samples is more than chance: ten or more are
/// expected beyond it.
pub fn is_certain(samples: u64, percent: f64) -> bool {
    let beyond = u128::from(samples) * (WHOLE - parts(percent));
    beyond >= u128::from(ENOUGH) * WHOLE
}

impl Distribution {
    /// Of one run; the histogram may have cut the extremes.
    pub fn new(histogram: Histogram<u64>, min: u64, max: u64) -> Self {
        let max = max.max(min);
        Self {
            histogram,
            min,
            max,
        }
    }

    /// Adds the samples of another run.
    pub fn add(&mut self, other: &Self) {
        self.histogram.auto(true);
        // Fails only if a value does not fit, and the histogram grows as is needed.
        let _ = self.histogram.add(&other.histogram);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many.
    pub fn samples(&self) -> u64 {
        self.histogram.len()
    }

    /// The shortest and the longest.
    pub fn extremes(&self) -> (u64, u64) {
        (self.min, self.max)
    }

    /// Those of [`PERCENTILES`]: the elements at rank `floor(count * p)` of the sorted samples.
    /// They never descend.
    pub fn percentiles(&self) -> [Percentile; 5] {
        let ranks = PERCENTILES.map(|percent| rank(self.samples(), percent));
        let nanos = self.at(&ranks);
        let mut next = nanos.into_iter();
        PERCENTILES.map(|percent| Percentile {
            nanos: next.next().unwrap_or(self.max),
            certain: is_certain(self.samples(), percent),
        })
    }

    /// The curve from the shortest to the longest: (one in how many samples is longer,
    /// nanoseconds), both never descending.
    pub fn curve(&self) -> Vec<(f64, u64)> {
        let samples = self.samples();
        let rarities = (0..=DECADES * POINTS_PER_DECADE)
            .map(|step| 10f64.powf(f64::from(step) / f64::from(POINTS_PER_DECADE)))
            .map(|rarity| (rarity * 1_000.0).round() / 1_000.0)
            .take_while(|rarity| *rarity < samples as f64);
        let mut rarities: Vec<_> = rarities.collect();
        let ranks: Vec<_> = rarities
            .iter()
            .map(|rarity| rank(samples, 100.0 - 100.0 / rarity))
            .collect();
        let mut nanos = self.at(&ranks);
        if samples > 0 {
            rarities.push(samples as f64);
            nanos.push(self.max);
        }
        rarities.into_iter().zip(nanos).collect()
    }

    /// The values at these ascending ranks, in one pass. First and last are exact.
    fn at(&self, ranks: &[u64]) -> Vec<u64> {
        let mut values = Vec::with_capacity(ranks.len());
        let mut ranks = ranks.iter().peekable();
        let mut seen = 0;
        for bucket in self.histogram.iter_recorded() {
            seen += bucket.count_at_value();
            let lowest = self.histogram.lowest_equivalent(bucket.value_iterated_to());
            while let Some(rank) = ranks.next_if(|rank| **rank < seen) {
                values.push(match *rank {
                    0 => self.min,
                    rank if rank + 1 == self.samples() => self.max,
                    _ => lowest.clamp(self.min, self.max),
                });
            }
        }
        values
    }
}

/// The zero-based rank of a percentile, never past the last sample.
fn rank(samples: u64, percent: f64) -> u64 {
    let rank = u128::from(samples) * parts(percent) / WHOLE;
    (rank as u64).min(samples.saturating_sub(1))
}

/// A percentage in parts of [`WHOLE`]: exact, so that 99.9999 % of a million is its last element
/// and not the one before.
fn parts(percent: f64) -> u128 {
    (percent * 1e8).round() as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut histogram = Histogram::new_with_bounds(1, 60_000_000_000, 4).unwrap();
        let (mut min, mut max) = (u64::MAX, 0);
        for value in values {
            histogram.record(value).unwrap();
            (min, max) = (min.min(value), max.max(value));
        }
        Distribution::new(histogram, min.min(max), max)
    }

    fn nanos(distribution: &Distribution) -> [u64; 5] {
        distribution.percentiles().map(|p| p.nanos)
    }

    #[test]
    fn percentiles_are_the_elements_at_floor_of_count_times_p() {
        for count in [1u64, 2, 10, 9_999, 10_000, 1_000_000] {
            let step = |i: u64| 1_000 + i * 16_000 / count.max(16_000);
            let distribution = of((0..count).map(step));
            let last = count - 1;
            let expected = [
                count / 2,
                count * 9 / 10,
                count * 99 / 100,
                count * 9_999 / 10_000,
                count * 999_999 / 1_000_000,
            ];
            assert_eq!(
                nanos(&distribution),
                expected.map(|rank| step(rank.min(last))),
                "{count} samples"
            );
        }
    }

    #[test]
    fn a_percentile_with_fewer_than_ten_samples_beyond_is_marked() {
        let certain = |count| {
            of((0..count).map(|i| 1_000 + i % 9))
                .percentiles()
                .map(|p| p.certain)
        };
        assert_eq!(certain(20), [true, false, false, false, false]);
        assert_eq!(certain(99), [true, false, false, false, false]);
        assert_eq!(certain(100), [true, true, false, false, false]);
        assert_eq!(certain(99_999), [true, true, true, false, false]);
        assert_eq!(certain(100_000), [true, true, true, true, false]);
        assert!(is_certain(10_000_000, 99.9999) && !is_certain(9_999_999, 99.9999));
    }

    #[test]
    fn runs_add_up() {
        let mut all = of((0..50).map(|i| 2_000 + i));
        all.add(&of((0..50).map(|i| 1_000 + i)));
        all.add(&of([5_000_000_000]));
        assert_eq!(all.samples(), 101);
        assert_eq!(all.extremes(), (1_000, 5_000_000_000));
        assert_eq!(nanos(&all)[..2], [2_000, 2_040]);
        assert_eq!(nanos(&all)[4], 5_000_000_000);
    }

    #[test]
    fn extremes_beyond_the_histogram_stay_exact() {
        let mut histogram = Histogram::new_with_bounds(1, 1_000_000, 3).unwrap();
        histogram.saturating_record(5_000_000);
        histogram.saturating_record(10);
        let distribution = Distribution::new(histogram, 10, 5_000_000);
        assert_eq!(nanos(&distribution), [5_000_000; 5]);
    }

    #[test]
    fn a_curve_ascends_from_the_shortest_to_the_longest() {
        let mut state = 7u64;
        let distribution = of((0..20_000).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            1 + (state >> 33) % 3_000_000_000
        }));
        let curve = distribution.curve();
        assert!(curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        let (min, max) = distribution.extremes();
        assert_eq!(curve.first().copied(), Some((1.0, min)));
        assert_eq!(curve.last().copied(), Some((20_000.0, max)));
        assert!(nanos(&distribution).is_sorted());
    }

    #[test]
    fn nothing_has_no_curve() {
        let nothing = of([]);
        assert!(nothing.curve().is_empty());
        assert_eq!(nanos(&nothing), [0; 5]);
    }
}
