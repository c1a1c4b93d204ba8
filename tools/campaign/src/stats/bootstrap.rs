//! The median over repetitions, and the limits between which it lies: percentile bootstrap.
//!
//! The repetitions are drawn again with replacement, many times; 95 % of the medians of such draws
//! lie between the limits. With few repetitions the limits are the shortest and the longest of
//! them, and one repetition has none.

use super::chance::Chance;

/// How sure the limits are.
pub const CONFIDENCE: f64 = 0.95;

const DRAWS: usize = 4_000;
const SEED: u64 = 0x6475_6e6c_696e;

/// A median, and its limits where there are two repetitions or more.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The median of what was measured.
    pub value: f64,
    /// Lower and upper limit at [`CONFIDENCE`].
    pub limits: Option<(f64, f64)>,
}

impl Estimate {
    /// Of the median of these repetitions; none of no repetitions.
    pub fn of_median(values: &[f64]) -> Option<Self> {
        let value = median(&mut values.to_vec())?;
        let limits = (values.len() > 1)
            .then(|| limits(|chance| drawn_median(values, chance).unwrap_or(value)));
        Some(Self { value, limits })
    }

    /// Of the median of `b` as a multiple of that of `a`, drawn independently.
    pub fn of_ratio(a: &[f64], b: &[f64]) -> Option<Self> {
        let value = ratio(median(&mut a.to_vec()), median(&mut b.to_vec()))?;
        let limits = (a.len() > 1 && b.len() > 1).then(|| {
            limits(|chance| {
                let below = drawn_median(a, chance);
                ratio(below, drawn_median(b, chance)).unwrap_or(value)
            })
        });
        Some(Self { value, limits })
    }
}

/// The middle value, or the mean of the middle two. Sorts.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    match values.len() % 2 {
        0 => Some((values.get(values.len() / 2 - 1)? + upper) / 2.0),
        _ => Some(upper),
    }
}

fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).filter(|(a, _)| *a > 0.0).map(|(a, b)| b / a)
}

fn drawn_median(values: &[f64], chance: &mut Chance) -> Option<f64> {
    let drawn = values
        .iter()
        .map(|_| values.get(chance.below(values.len())));
    median(&mut drawn.flatten().copied().collect::<Vec<_>>())
}

fn limits(mut draw: impl FnMut(&mut Chance) -> f64) -> (f64, f64) {
    let mut chance = Chance::new(SEED);
    let mut draws: Vec<_> = (0..DRAWS).map(|_| draw(&mut chance)).collect();
    draws.sort_by(f64::total_cmp);
    let outside = (DRAWS as f64 * (1.0 - CONFIDENCE) / 2.0) as usize;
    (draws[outside], draws[DRAWS - 1 - outside])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn three_repetitions_are_their_own_limits() {
        // The median of a draw is the longest with probability 7/27, so both ends are within 95 %.
        let estimate = Estimate::of_median(&[10.0, 12.0, 11.0]).unwrap();
        assert_eq!(estimate.value, 11.0);
        assert_eq!(estimate.limits, Some((10.0, 12.0)));
    }

    #[test]
    fn the_limits_of_many_repetitions_are_those_of_the_binomial() {
        // Of 1..=101, the exact 95 % limits of the median are the order statistics 41 and 61.
        let values: Vec<_> = (1..=101).map(f64::from).collect();
        let (low, high) = Estimate::of_median(&values).unwrap().limits.unwrap();
        assert!((40.0..=43.0).contains(&low), "{low}");
        assert!((59.0..=62.0).contains(&high), "{high}");
    }

    #[test]
    fn the_limits_hold_the_truth_about_as_often_as_they_say() {
        let mut chance = Chance::new(7);
        let held = (0..50).filter(|_| {
            let sample: Vec<_> = (0..11).map(|_| chance.below(10_001) as f64).collect();
            let (low, high) = Estimate::of_median(&sample).unwrap().limits.unwrap();
            low <= 5_000.0 && 5_000.0 <= high
        });
        let held = held.count();
        assert!((43..=50).contains(&held), "{held} of 50");
    }

    #[test]
    fn one_repetition_has_no_limits_and_none_no_estimate() {
        let one = Estimate::of_median(&[5.0]).unwrap();
        assert_eq!((one.value, one.limits), (5.0, None));
        assert_eq!(Estimate::of_median(&[]), None);
    }

    #[test]
    fn a_ratio_has_the_limits_of_both_sides() {
        let ratio = Estimate::of_ratio(&[10.0, 10.0, 10.0], &[20.0, 21.0, 22.0]).unwrap();
        assert_eq!(ratio.value, 2.1);
        assert_eq!(ratio.limits, Some((2.0, 2.2)));
        assert_eq!(Estimate::of_ratio(&[0.0], &[1.0]), None);
    }

    #[test]
    fn the_same_repetitions_give_the_same_limits() {
        let values = [3.1, 2.9, 3.0, 3.4, 2.8];
        assert_eq!(Estimate::of_median(&values), Estimate::of_median(&values));
    }
}
