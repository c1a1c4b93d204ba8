//! The numbers of a campaign's file, each within its bounds.
use serde::Deserialize;

/// Of one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(pub f64);

/// Of the seconds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Share(pub f64);

/// At least one.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "u32")]
pub struct Repetitions(pub u32);

/// Bytes of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "u64")]
pub struct Size(pub u64);

/// Samples a second.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Rate(pub f64);

/// Rates from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The lowest.
    pub from: Rate,
    /// The highest.
    pub to: Rate,
    /// How many, both included.
    pub steps: u32,
}

/// Of a sweep.
pub(super) const STEPS: std::ops::RangeInclusive<u32> = 2..=100;

impl Sweep {
    /// Its rates in whole samples a second, so that their names can be read.
    pub(super) fn rates(self) -> impl Iterator<Item = f64> {
        let (from, factor) = (self.from.0, self.to.0 / self.from.0);
        let last = self.steps.saturating_sub(1).max(1);
        (0..self.steps)
            .map(move |step| (from * factor.powf(f64::from(step) / f64::from(last))).round())
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        let within = (0.01..=3_600.0).contains(&seconds);
        let wrong = || format!("{seconds} seconds are not from 0.01 to 3600");
        within.then_some(Self(seconds)).ok_or_else(wrong)
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        let within = (0.01..=1.0).contains(&share);
        let wrong = || format!("a share of {share} is not from 0.01 to 1");
        within.then_some(Self(share)).ok_or_else(wrong)
    }
}

impl TryFrom<u32> for Repetitions {
    type Error = String;

    fn try_from(count: u32) -> Result<Self, String> {
        let wrong = || format!("{count} repetitions are not from 1 to 1000");
        let within = (1..=1_000).contains(&count);
        within.then_some(Self(count)).ok_or_else(wrong)
    }
}

impl TryFrom<u64> for Size {
    type Error = String;

    fn try_from(bytes: u64) -> Result<Self, String> {
        let wrong =
            || format!("a sample of {bytes} bytes is not from 28 (its header) to 2147482620");
        let within = (28..=2_147_482_620).contains(&bytes);
        within.then_some(Self(bytes)).ok_or_else(wrong)
    }
}

impl TryFrom<f64> for Rate {
    type Error = String;

    fn try_from(rate: f64) -> Result<Self, String> {
        let wrong = || format!("a rate of {rate} samples a second is not from 1 to 10000000");
        let within = (1.0..=1e7).contains(&rate);
        within.then_some(Self(rate)).ok_or_else(wrong)
    }
}

impl Default for Seconds {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Default for Repetitions {
    fn default() -> Self {
        Self(5)
    }
}
