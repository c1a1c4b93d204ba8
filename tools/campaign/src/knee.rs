//! Where latency under load begins to climb.

use crate::record::{Campaign, Cell, Latency, Mode, Outcome, Run};

/// What one rate of a sweep gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Samples per second.
    pub rate: f64,
    /// The 99 % response time, nanoseconds.
    pub p99: u64,
    /// Samples without an answer, or never sent.
    pub lost: u64,
}

/// A response time is taken for slow from this many times that of the lowest rate on.
pub const SLOW: f64 = 2.0;

/// The highest rate up to which nothing is lost and the 99 % response time stays below [`SLOW`]
/// times that of the lowest rate; `None` without a sweep of two rates, or if even the lowest one
/// loses samples.
///
/// A rate above one that failed does not count, however well it did.
pub fn knee(steps: &[Step]) -> Option<Step> {
    let mut steps = steps.to_vec();
    steps.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let [lowest, _, ..] = steps.as_slice() else {
        return None;
    };
    let limit = lowest.p99 as f64 * SLOW;
    let good = |step: &&Step| step.lost == 0 && (step.p99 as f64) < limit;
    steps.iter().take_while(good).last().copied()
}

/// What to say about the knee of a sweep: its rate, and the 99 % response time there in
/// nanoseconds.
pub fn words(name: &str, knee: Option<(f64, u64)>) -> String {
    match knee {
        Some((rate, p99)) => format!(
            "{name}: up to {rate} samples/s the 99 % response time stays below {SLOW} times that of the lowest rate ({:.3} μs), and nothing is lost",
            p99 as f64 / 1_000.0
        ),
        None => format!("{name}: samples are lost at the lowest rate already"),
    }
}

/// The knee of each sweep of a campaign, with the name of its cells but for the rate.
pub fn knees(campaign: &Campaign, runs: &[Run]) -> Vec<(String, Option<Step>)> {
    let mut sweeps: Vec<(Cell, Vec<Step>)> = Vec::new();
    for cell in &campaign.cells {
        let Mode::Loaded { rate } = cell.mode else {
            continue;
        };
        let sweep = Cell {
            // Of all its rates.
            mode: Mode::Loaded { rate: 0.0 },
            ..cell.clone()
        };
        let step = step(cell, rate, runs);
        match sweeps.iter_mut().find(|(known, _)| *known == sweep) {
            Some((_, steps)) => steps.extend(step),
            None => sweeps.push((sweep, step.into_iter().collect())),
        }
    }
    let measured = sweeps.into_iter().filter(|(_, steps)| steps.len() > 1);
    measured
        .map(|(cell, steps)| {
            (
                cell.to_string().replace("loaded 0/s", "loaded"),
                knee(&steps),
            )
        })
        .collect()
}

/// All repetitions of one rate: the median of their 99 % response times, and everything that was
/// lost.
fn step(cell: &Cell, rate: f64, runs: &[Run]) -> Option<Step> {
    let responses = runs.iter().filter(|run| run.cell == *cell);
    let responses: Vec<&Latency> = responses
        .filter_map(|run| match &run.outcome {
            Outcome::Measured(measured) => measured.response.as_ref(),
            Outcome::Failed(_) => None,
        })
        .collect();
    let mut p99: Vec<u64> = responses.iter().map(|one| one.percentiles[2]).collect();
    p99.sort_unstable();
    Some(Step {
        rate,
        p99: *p99.get(p99.len() / 2)?,
        lost: responses.iter().map(|one| one.lost).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rate: f64, p99: u64, lost: u64) -> Step {
        Step { rate, p99, lost }
    }

    #[test]
    fn the_knee_is_the_last_rate_before_it_becomes_slow_or_loses() {
        let rates = |steps: &[Step]| knee(steps).map(|step| step.rate);
        let sweep = [
            step(1e5, 9_000, 0),
            step(1e3, 5_000, 0),
            step(1e4, 6_000, 0),
            step(1e6, 4_000, 0),
        ];
        assert_eq!(rates(&sweep), Some(1e6));
        assert_eq!(
            rates(&[sweep[1], step(1e4, 10_000, 0), sweep[3]]),
            Some(1e3)
        );
        assert_eq!(rates(&[sweep[1], sweep[2], step(1e5, 5_000, 1)]), Some(1e4));
        assert_eq!(rates(&[step(1e3, 5_000, 1), sweep[2]]), None);
        assert_eq!(rates(&sweep[..1]), None);
        assert_eq!(rates(&[]), None);
    }
}
