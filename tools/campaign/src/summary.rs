//! What a campaign says of each of its cells: the runs of a cell become one set of figures.

use std::collections::HashMap;

use serde::Serialize;

use crate::goals::{Grid, grids};
use crate::hop::{Hop, hops};
use crate::knee::knees;
use crate::record::{
    Campaign, Cell, Cost, Directory, Latency, Measured, Middle, Mode, Outcome, RecordError, Run,
};
use crate::stats::{Distribution, Estimate, Percentile, is_certain, median, read_hlog};

/// A campaign with the figures of all its cells.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What was planned.
    pub campaign: Campaign,
    /// In the order of the plan.
    pub cells: Vec<CellSummary>,
    /// Of each sweep of rates its name, and its last good rate with the 99 % response time there.
    pub knees: Vec<(String, Option<(f64, u64)>)>,
    /// What a router adds, of each kind of samples that went through one.
    pub hops: Vec<Hop>,
    /// What could not be read: figures that depend on it come from the runs' own summaries.
    pub notes: Vec<String>,
    /// The tables of chapters with goals, by the titles of these.
    pub(crate) goals: Vec<(String, Grid)>,
}

/// What the runs of a cell say together.
#[derive(Debug, Serialize)]
pub struct CellSummary {
    /// Which one.
    #[serde(flatten)]
    pub cell: Cell,
    /// Repetitions with figures.
    pub measured: usize,
    /// Repetitions without: number and reason.
    pub failed: Vec<(u32, String)>,
    /// Half of a round trip; at a fixed rate the service time.
    pub latency: Option<LatencySummary>,
    /// At a fixed rate: from the moment when the sample should have been sent.
    pub response: Option<LatencySummary>,
    /// What the receiver counted.
    pub throughput: Option<ThroughputSummary>,
    /// Fewest and most samples before the measurement.
    pub warm_up: Option<(u64, u64)>,
    /// How the sides wait.
    pub waiting: String,
    /// Of the publisher and of the subscriber: medians over the repetitions.
    pub cost: [Option<Cost>; 2],
    /// Of what is between them: medians over the repetitions.
    pub middle: Option<Middle>,
    /// The median, or the rate, as a multiple of that of the raw floor of the same transport and
    /// size: the median of the ratios within each repetition, in which both were neighbours.
    pub floor: Option<f64>,
    /// The number of each repetition with figures, and its median or rate.
    #[serde(skip)]
    turns: Vec<(u32, f64)>,
}

/// Latencies of a cell, in nanoseconds.
#[derive(Debug, Serialize)]
pub struct LatencySummary {
    /// Of all repetitions.
    pub samples: u64,
    /// Never answered.
    pub lost: u64,
    /// Answered too late.
    pub late: u64,
    /// Mean of all samples.
    pub average: f64,
    /// Standard deviation of all samples.
    pub deviation: f64,
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Of all samples of all repetitions.
    pub percentiles: [Percentile; 5],
    /// Over the repetitions' medians.
    pub median: Estimate,
    /// The median of each repetition, in order.
    pub medians: Vec<f64>,
    /// One in how many samples is longer than how many nanoseconds; absent where a histogram is.
    pub curve: Vec<(f64, u64)>,
}

/// Throughput of a cell.
#[derive(Debug, Serialize)]
pub struct ThroughputSummary {
    /// Of all repetitions.
    pub samples: u64,
    /// Samples per second, over the repetitions.
    pub rate: Estimate,
    /// The rate of each repetition, in order.
    pub rates: Vec<f64>,
    /// 10^6 bits per second, median over the repetitions.
    pub mbps: f64,
    /// Sent and never received, of all repetitions.
    pub lost: u64,
}

impl Summary {
    /// Reads the directory.
    pub fn read(directory: &Directory) -> Result<Self, RecordError> {
        let (directory, campaign) = Directory::open(directory.path())?;
        let runs = directory.runs()?;
        let mut notes = vec![];
        let mut cells: Vec<_> = campaign
            .cells
            .iter()
            .map(|cell| summarized(cell, &runs, &directory, &mut notes))
            .collect();
        compare_with_floor(&mut cells);
        let knees = knees(&campaign, &runs).into_iter();
        let knees = knees.map(|(name, knee)| (name, knee.map(|step| (step.rate, step.p99))));
        Ok(Self {
            knees: knees.collect(),
            hops: hops(&campaign, &runs),
            goals: grids(&campaign, &runs),
            campaign,
            cells,
            notes,
        })
    }
}

impl CellSummary {
    /// What to compare over repetitions, and whether more of it is better: medians of latency (at a
    /// fixed rate those of the response time), or rates.
    pub fn repetitions(&self) -> (&[f64], bool) {
        match (&self.throughput, &self.response, &self.latency) {
            (_, Some(response), _) => (&response.medians, false),
            (_, None, Some(latency)) => (&latency.medians, false),
            (Some(throughput), None, None) => (&throughput.rates, true),
            (None, None, None) => (&[], false),
        }
    }
}

fn summarized(
    cell: &Cell,
    runs: &[Run],
    directory: &Directory,
    notes: &mut Vec<String>,
) -> CellSummary {
    // What was measured again counts once: the last line of a repetition.
    let mut last: HashMap<u32, &Run> = HashMap::new();
    for run in runs.iter().filter(|run| run.cell == *cell) {
        last.insert(run.repetition, run);
    }
    let mut last: Vec<_> = last.into_values().collect();
    last.sort_by_key(|run| run.repetition);
    let mut measured = vec![];
    let mut failed = vec![];
    let mut turns = vec![];
    for run in last {
        match &run.outcome {
            Outcome::Measured(figures) => {
                turns.extend(typical(figures).map(|value| (run.repetition, value)));
                measured.push(figures.as_ref());
            }
            Outcome::Failed(reason) => failed.push((run.repetition, reason.clone())),
        }
    }
    let latencies = |of: fn(&Measured) -> Option<&Latency>| -> Vec<&Latency> {
        measured.iter().filter_map(|run| of(run)).collect()
    };
    let warm_up = measured.iter().map(|run| run.warm_up);
    CellSummary {
        cell: cell.clone(),
        latency: latency(&latencies(|run| run.latency.as_ref()), directory, notes),
        response: latency(&latencies(|run| run.response.as_ref()), directory, notes),
        throughput: throughput(&measured),
        warm_up: warm_up.clone().min().zip(warm_up.max()),
        waiting: waiting(&measured),
        cost: [0, 1].map(|side| cost(&measured, side)),
        middle: middle(&measured),
        floor: None,
        turns,
        measured: measured.len(),
        failed,
    }
}

fn latency(
    runs: &[&Latency],
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Option<LatencySummary> {
    let samples: u64 = runs.iter().map(|run| run.samples).sum();
    let medians: Vec<f64> = runs.iter().map(|run| run.percentiles[0] as f64).collect();
    let median = Estimate::of_median(&medians)?;
    let (average, deviation) = pooled(runs);
    let together = together(runs, directory, notes);
    Some(LatencySummary {
        samples,
        lost: runs.iter().map(|run| run.lost).sum(),
        late: runs.iter().map(|run| run.late).sum(),
        average,
        deviation,
        min: runs.iter().map(|run| run.min).min()?,
        max: runs.iter().map(|run| run.max).max()?,
        percentiles: together.as_ref().map_or_else(
            || typical_percentiles(runs),
            |together| together.percentiles(),
        ),
        median,
        medians,
        curve: together.map_or_else(Vec::new, |together| together.curve()),
    })
}

/// All samples of all runs; none if a run's histogram is missing.
fn together(
    runs: &[&Latency],
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Option<Distribution> {
    let mut sum: Option<Distribution> = None;
    for run in runs {
        let path = directory.histogram(run.histogram.as_deref()?);
        match read_hlog(&path) {
            Err(error) => {
                notes.push(error.to_string());
                return None;
            }
            Ok(histogram) => {
                let next = Distribution::new(histogram, run.min, run.max);
                match &mut sum {
                    None => sum = Some(next),
                    Some(sum) => sum.add(&next),
                }
            }
        }
    }
    sum
}

/// Without histograms: of each percentile the median over the runs, as certain as that of the
/// shortest run.
fn typical_percentiles(runs: &[&Latency]) -> [Percentile; 5] {
    let fewest = runs.iter().map(|run| run.samples).min().unwrap_or(0);
    let mut which = 0;
    crate::record::PERCENTILES.map(|percent| {
        let mut values: Vec<_> = runs
            .iter()
            .filter_map(|run| run.percentiles.get(which))
            .map(|nanos| *nanos as f64)
            .collect();
        which += 1;
        Percentile {
            nanos: median(&mut values).unwrap_or(0.0) as u64,
            certain: is_certain(fewest, percent),
        }
    })
}

/// Mean and deviation of the samples of all runs.
fn pooled(runs: &[&Latency]) -> (f64, f64) {
    let samples: f64 = runs.iter().map(|run| run.samples as f64).sum();
    if samples == 0.0 {
        return (0.0, 0.0);
    }
    let sum = |of: &dyn Fn(&Latency) -> f64| -> f64 {
        runs.iter().map(|run| run.samples as f64 * of(run)).sum()
    };
    let mean = sum(&|run| run.average) / samples;
    let spread = sum(&|run| run.deviation.powi(2) + (run.average - mean).powi(2)) / samples;
    (mean, spread.sqrt())
}

fn throughput(runs: &[&Measured]) -> Option<ThroughputSummary> {
    let counted: Vec<_> = runs
        .iter()
        .filter_map(|run| run.throughput.as_ref())
        .collect();
    let rates: Vec<_> = counted.iter().map(|run| run.samples_per_second).collect();
    let mut mbps: Vec<_> = counted.iter().map(|run| run.mbps).collect();
    Some(ThroughputSummary {
        samples: counted.iter().map(|run| run.samples).sum(),
        rate: Estimate::of_median(&rates)?,
        mbps: median(&mut mbps)?,
        lost: counted.iter().map(|run| run.lost).sum(),
        rates,
    })
}

/// The strategy; all of them should runs differ.
fn waiting(runs: &[&Measured]) -> String {
    let mut all: Vec<_> = runs.iter().map(|run| run.waiting.as_str()).collect();
    all.dedup();
    all.join(" / ")
}

fn cost(runs: &[&Measured], side: usize) -> Option<Cost> {
    let costs: Vec<_> = runs
        .iter()
        .filter_map(|run| run.cost.get(side)?.as_ref())
        .collect();
    let typical = |of: &dyn Fn(&Cost) -> Option<f64>| {
        median(&mut costs.iter().filter_map(|cost| of(cost)).collect::<Vec<_>>())
    };
    Some(Cost {
        cpu: typical(&|cost| Some(cost.cpu))?,
        context_switches: typical(&|cost| Some(cost.context_switches))?,
        page_faults: typical(&|cost| Some(cost.page_faults))?,
        system_calls: typical(&|cost| cost.system_calls),
        allocations: typical(&|cost| cost.allocations),
    })
}

fn middle(runs: &[&Measured]) -> Option<Middle> {
    let all: Vec<_> = runs.iter().filter_map(|run| run.middle).collect();
    let typical = |of: fn(&Middle) -> f64| median(&mut all.iter().map(of).collect::<Vec<_>>());
    Some(Middle {
        processes: all.first()?.processes,
        cpu: typical(|middle| middle.cpu)?,
        load: typical(|middle| middle.load)?,
        memory: typical(|middle| middle.memory as f64)? as u64,
    })
}

/// What a run is judged by: its median, or its rate.
fn typical(run: &Measured) -> Option<f64> {
    let latency = run.response.as_ref().or(run.latency.as_ref());
    let median = latency.map(|latency| latency.percentiles[0] as f64);
    median.or(run.throughput.as_ref().map(|run| run.samples_per_second))
}

fn compare_with_floor(cells: &mut [CellSummary]) {
    let floors: Vec<_> = cells
        .iter()
        .filter(|summary| summary.cell.system == "raw" && !summary.turns.is_empty())
        .map(|summary| (summary.cell.clone(), summary.turns.clone()))
        .collect();
    for summary in cells {
        let cell = &summary.cell;
        // The floor has neither keys nor repairs, so what is not there in the same form is taken in
        // another.
        let likeness = |floor: &Cell| {
            let same_copies = floor.zero_copy == cell.zero_copy;
            (
                same_copies,
                floor.reliable == cell.reliable,
                floor.keyed == cell.keyed,
            )
        };
        let floor = floors
            .iter()
            .filter(|(floor, _)| same_work(floor, cell))
            .max_by_key(|(floor, _)| likeness(floor));
        summary.floor = floor.and_then(|(_, floor)| ratio_by_turn(floor, &summary.turns));
    }
}

/// The median of the ratios within the repetitions that both have.
fn ratio_by_turn(floor: &[(u32, f64)], turns: &[(u32, f64)]) -> Option<f64> {
    let ratios = turns.iter().filter_map(|(turn, value)| {
        let (_, floor) = floor
            .iter()
            .find(|(other, floor)| other == turn && *floor > 0.0)?;
        Some(value / floor)
    });
    median(&mut ratios.collect::<Vec<_>>())
}

fn same_work(floor: &Cell, cell: &Cell) -> bool {
    let mode = match (floor.mode, cell.mode) {
        (Mode::Throughput { .. }, Mode::Throughput { .. }) => true,
        (floor, mode) => floor == mode,
    };
    let place = |cell: &Cell| (cell.chapter.clone(), cell.transport.clone());
    mode && place(floor) == place(cell)
        && (floor.size, floor.blocking) == (cell.size, cell.blocking)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(samples: u64, average: f64, deviation: f64) -> Latency {
        Latency {
            samples,
            average,
            deviation,
            min: 1,
            max: 100,
            percentiles: [average as u64, 50, 60, 70, 80],
            ..Latency::default()
        }
    }

    #[test]
    fn deviation_of_runs_together_is_that_of_all_samples() {
        // 2, 4 and 4, 4, 4, 5, 5, 7, 9 ... split: {2, 4, 4, 4} and {5, 5, 7, 9}.
        let a = run(4, 3.5, 0.75f64.sqrt());
        let b = run(4, 6.5, 2.75f64.sqrt());
        assert_eq!(pooled(&[&a, &b]), (5.0, 2.0));
        assert_eq!(pooled(&[]), (0.0, 0.0));
    }

    #[test]
    fn a_ratio_is_that_of_neighbours() {
        let floor = [(0, 10.0), (1, 20.0), (2, 0.0), (3, 30.0)];
        let turns = [(0, 20.0), (1, 60.0), (2, 5.0), (3, 120.0), (4, 1.0)];
        assert_eq!(ratio_by_turn(&floor, &turns), Some(3.0));
        assert_eq!(ratio_by_turn(&floor, &[(4, 1.0)]), None);
    }

    #[test]
    fn without_histograms_percentiles_are_typical_ones() {
        let runs = [
            run(100_000, 10.0, 1.0),
            run(90_000, 30.0, 1.0),
            run(99_999, 20.0, 1.0),
        ];
        let percentiles = typical_percentiles(&runs.each_ref());
        assert_eq!(percentiles.map(|p| p.nanos), [20, 50, 60, 70, 80]);
        assert_eq!(
            percentiles.map(|p| p.certain),
            [true, true, true, false, false]
        );
    }
}
