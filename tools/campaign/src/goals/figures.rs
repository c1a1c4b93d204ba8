//! What the runs of a row gave, and the figures that are asked for.

use std::collections::{BTreeMap, HashMap};

use super::grid::short;
use crate::calls::Calls;
use crate::record::{Campaign, Cell, Measured, Outcome, Run, Throughput};
use crate::rows::{Figure, Row};
use crate::stats::median;

/// System calls that send, and those that receive.
pub(super) const SENDS: [&str; 5] = ["sendto", "sendmsg", "sendmmsg", "write", "writev"];
pub(super) const RECEIVES: [&str; 5] = ["recvfrom", "recvmsg", "recvmmsg", "read", "readv"];

/// What the runs of a row gave.
pub(super) struct Figures<'a> {
    pub(super) row: &'a Row,
    /// Whether it was to be measured.
    pub(super) planned: bool,
    /// By repetition; what was measured again counts once.
    pub(super) runs: BTreeMap<u32, &'a Measured>,
    pub(super) failed: usize,
}

impl<'a> Figures<'a> {
    pub(super) fn of(row: &'a Row, campaign: &Campaign, runs: &'a [Run]) -> Self {
        let own = runs.iter().filter(|run| run.cell == row.cell);
        let last: HashMap<u32, &Run> = own.map(|run| (run.repetition, run)).collect();
        let measured = last.values().filter_map(|run| match &run.outcome {
            Outcome::Measured(measured) => Some((run.repetition, measured.as_ref())),
            Outcome::Failed(_) => None,
        });
        let measured: BTreeMap<_, _> = measured.collect();
        Self {
            row,
            planned: campaign.cells.contains(&row.cell),
            failed: last.len() - measured.len(),
            runs: measured,
        }
    }

    pub(super) fn cell(&self) -> &Cell {
        &self.row.cell
    }

    pub(super) fn typical(&self, figure: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
        let mut all: Vec<f64> = self.runs.values().filter_map(|run| figure(run)).collect();
        median(&mut all)
    }

    pub(super) fn sum(&self, figure: impl Fn(&Measured) -> Option<u64>) -> f64 {
        let all = self.runs.values().filter_map(|run| figure(run));
        all.map(|count| count as f64).sum::<f64>() + 0.0
    }

    /// The median over the repetitions of what is made of both figures of one.
    pub(super) fn with(
        &self,
        other: &Figures<'_>,
        figure: impl Fn(&Figures<'_>, &Measured) -> Option<f64>,
        both: impl Fn(f64, f64) -> f64,
    ) -> Option<f64> {
        let pairs = self.runs.iter().filter_map(|(repetition, own)| {
            let theirs = figure(other, other.runs.get(repetition)?)?;
            Some(both(figure(self, own)?, theirs))
        });
        let mut all: Vec<f64> = pairs.filter(|value| value.is_finite()).collect();
        median(&mut all)
    }

    pub(super) fn ratio(&self, other: &Figures<'_>, figure: Figure) -> Option<f64> {
        self.with(
            other,
            |one, run| one.value(figure, run, 0),
            |own, theirs| own / theirs,
        )
    }

    /// A figure of one run, in the unit of the table; `side` is that of the publisher or of the
    /// subscriber.
    pub(super) fn value(&self, figure: Figure, run: &Measured, side: usize) -> Option<f64> {
        let latency = run.latency.as_ref();
        let footprint = run.footprint.as_ref();
        let calls = || Some(&run.calls.as_ref()?[side]);
        match figure {
            Figure::Main => {
                let rate = run
                    .throughput
                    .as_ref()
                    .map(|stream| stream.samples_per_second);
                latency.map(|one| one.percentiles[0] as f64 / 1e3).or(rate)
            }
            Figure::P99 => latency.map(|one| one.percentiles[2] as f64 / 1e3),
            Figure::CpuPerReader => {
                let readers = f64::from(self.cell().variant.readers.max(1));
                run.cost[0].as_ref().map(|cost| cost.cpu / readers)
            }
            Figure::Match => footprint.map(|one| one.match_ms),
            Figure::Memory => footprint.map(|one| one.memory as f64 / MIB),
            Figure::Idle => footprint.map(|one| one.idle * 100.0),
            Figure::Sends => calls().map(|calls| sum(calls, &SENDS)),
            Figure::Receives => calls().map(|calls| sum(calls, &RECEIVES)),
            Figure::OtherCalls => calls().map(others),
            Figure::Calls => calls().map(|calls| calls.values().sum()),
        }
    }

    /// What is not in a figure, behind it.
    pub(super) fn failures(&self) -> String {
        match self.failed {
            0 => String::new(),
            failed => format!(", {failed} runs failed"),
        }
    }

    /// Sent and never received.
    pub(super) fn missing(&self) -> f64 {
        let stream =
            |of: fn(&Throughput) -> Option<u64>| self.sum(|run| of(run.throughput.as_ref()?));
        let known = self.runs.values().filter_map(|run| run.throughput.as_ref());
        match known.clone().all(|one| one.sent.is_some()) {
            true => stream(|one| one.sent) - stream(|one| one.received),
            false => stream(|one| Some(one.lost)),
        }
    }

    pub(super) fn cpu(&self, side: usize, unit: f64) -> String {
        short(self.typical(|run| run.cost[side].as_ref().map(|cost| cost.cpu / unit)))
    }
}

/// Bytes of what tables call MB.
const MIB: f64 = 1_048_576.0;

fn sum(calls: &Calls, names: &[&str]) -> f64 {
    names.iter().filter_map(|name| calls.get(*name)).sum()
}

fn others(calls: &Calls) -> f64 {
    let known = sum(calls, &SENDS) + sum(calls, &RECEIVES);
    (calls.values().sum::<f64>() - known).max(0.0)
}
