//! Two campaigns side by side: which cells became slower, and whether that is more than chance.
//!
//! A cell counts as changed if its median (of throughput: its rate) moved by more than the
//! threshold *and* the repetitions differ by more than chance, after correction for the number of
//! cells. Where so few repetitions were made that no difference could be told from chance, a change
//! beyond the threshold is undecided: that is said, and is neither a regression nor a pass.

use std::fmt::Write;

use crate::record::{Cell, Host};
use crate::report::names;
use crate::stats::{Estimate, adjusted, rank_test, smallest_p};
use crate::summary::{CellSummary, Summary};
use crate::terminal;

/// A difference is chance where it comes this often or more without a cause.
const CHANCE: f64 = 0.05;

/// What came of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// Cells that both have measured, in the order of the first.
    pub rows: Vec<Row>,
    /// Cells that the first has measured and the second tried in vain, with its reason.
    pub broken: Vec<(Cell, String)>,
    /// Measured by one of both only.
    pub alone: usize,
    /// Why the figures may differ although the program does not: other machines, other settings.
    pub warnings: Vec<String>,
}

/// One cell in both campaigns.
#[derive(Debug)]
pub struct Row {
    /// Which one.
    pub cell: Cell,
    /// Medians over the repetitions: nanoseconds, or samples per second.
    pub before: f64,
    /// Likewise.
    pub after: f64,
    /// Second by first, with limits.
    pub ratio: Estimate,
    /// The probability of such a difference by chance, corrected for the number of cells.
    pub chance: f64,
    /// What to think of it.
    pub verdict: Verdict,
}

/// What to think of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the threshold, or no more than chance.
    Same,
    /// Slower by more than the threshold, and not by chance.
    Worse,
    /// Faster likewise.
    Better,
    /// Slower by more than the threshold, and too few repetitions to tell.
    Undecided,
}

/// What a program that called us has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing became slower.
    NoRegression,
    /// Something did.
    Regression,
    /// It cannot be told.
    Unknown,
}

impl Comparison {
    /// Compares `after` with `before`; `threshold` is a share: 0.05 for 5 %.
    pub fn new(before: &Summary, after: &Summary, threshold: f64) -> Self {
        let mut pairs = vec![];
        let mut broken = vec![];
        let mut alone = 0;
        for old in before.cells.iter().filter(|old| old.measured > 0) {
            match after.cells.iter().find(|new| new.cell == old.cell) {
                Some(new) if new.measured > 0 => pairs.push((old, new)),
                Some(new) if !new.failed.is_empty() => {
                    let reason = new.failed.first().map(|(_, reason)| reason.clone());
                    broken.push((old.cell.clone(), reason.unwrap_or_default()));
                }
                _ => alone += 1,
            }
        }
        let measured = after.cells.iter().filter(|new| new.measured > 0).count();
        alone += measured.saturating_sub(pairs.len());
        Self {
            rows: rows(&pairs, threshold),
            broken,
            alone,
            warnings: warnings(before, after),
        }
    }

    /// The answer in a word.
    pub fn outcome(&self) -> Outcome {
        let any = |verdict| self.rows.iter().any(|row| row.verdict == verdict);
        match () {
            () if any(Verdict::Worse) => Outcome::Regression,
            () if self.rows.is_empty() || !self.broken.is_empty() => Outcome::Unknown,
            () if any(Verdict::Undecided) => Outcome::Unknown,
            () => Outcome::NoRegression,
        }
    }

    /// The table for a terminal, and what it means.
    pub fn text(&self, threshold: f64) -> String {
        let mut text = String::new();
        for warning in &self.warnings {
            let _ = writeln!(text, "Note: {}.", terminal::line(warning));
        }
        let wide = self
            .rows
            .iter()
            .map(|row| names::cell(&row.cell).chars().count());
        let wide = wide.max().unwrap_or(0).max(4);
        let _ = writeln!(
            text,
            "{:<wide$} {:>12} {:>12} {:>7} {:>15} {:>8}",
            "Cell", "before", "after", "ratio", "95 % limits", "chance"
        );
        for row in &self.rows {
            let _ = writeln!(text, "{}", terminal::line(&line(row, wide)));
        }
        for (cell, reason) in &self.broken {
            let failed = format!("{}: failed: {reason}", names::cell(cell));
            let _ = writeln!(text, "{}", terminal::line(&failed));
        }
        text.push_str(&self.conclusion(threshold));
        text
    }

    fn conclusion(&self, threshold: f64) -> String {
        let count = |verdict| {
            self.rows
                .iter()
                .filter(|row| row.verdict == verdict)
                .count()
        };
        let mut text = format!(
            "\n{} cells compared at a threshold of {} %: {} worse, {} better, {} undecided, {} the same; {} failed, {} in one campaign only.\n",
            self.rows.len(),
            names::digits(threshold * 100.0),
            count(Verdict::Worse),
            count(Verdict::Better),
            count(Verdict::Undecided),
            count(Verdict::Same),
            self.broken.len(),
            self.alone
        );
        if self.rows.is_empty() {
            text.push_str("No cell was measured in both campaigns: compare two that were made from the same plan.\n");
        }
        if count(Verdict::Undecided) > 0 {
            let _ = writeln!(
                text,
                "Too few repetitions to tell from chance: measure both with {} repetitions or more.",
                self.enough()
            );
        }
        text
    }

    /// Repetitions that could decide if the cells that are undecided now were all that differ.
    fn enough(&self) -> usize {
        let moved = self
            .rows
            .iter()
            .filter(|row| row.verdict != Verdict::Same)
            .count();
        let needed = limit(moved, self.rows.len());
        (2..40).find(|n| smallest_p(*n, *n) <= needed).unwrap_or(40)
    }
}

/// The uncorrected probability that must not be passed for `moved` of `all` cells to be more than
/// chance.
fn limit(moved: usize, all: usize) -> f64 {
    CHANCE * moved.max(1) as f64 / all.max(1) as f64
}

fn rows(pairs: &[(&CellSummary, &CellSummary)], threshold: f64) -> Vec<Row> {
    struct Pair<'a> {
        cell: &'a Cell,
        sides: (&'a [f64], &'a [f64]),
        more_is_better: bool,
        medians: (f64, f64),
        ratio: Estimate,
        chance: f64,
    }
    let pair = |(old, new): &(&'_ CellSummary, &'_ CellSummary)| {
        let (before, more_is_better) = old.repetitions();
        let (after, _) = new.repetitions();
        Some((
            Estimate::of_median(before)?.value,
            Estimate::of_median(after)?.value,
            Estimate::of_ratio(before, after)?,
            rank_test(before, after)?,
            more_is_better,
        ))
    };
    let found: Vec<Pair<'_>> = pairs
        .iter()
        .filter_map(|both| {
            let (before, after, ratio, chance, more_is_better) = pair(both)?;
            Some(Pair {
                cell: &both.0.cell,
                sides: (both.0.repetitions().0, both.1.repetitions().0),
                more_is_better,
                medians: (before, after),
                ratio,
                chance,
            })
        })
        .collect();
    let corrected = adjusted(&found.iter().map(|pair| pair.chance).collect::<Vec<_>>());
    let moved = |pair: &Pair<'_>| beyond(pair.ratio.value, threshold).is_some();
    let limit = limit(found.iter().filter(|pair| moved(pair)).count(), found.len());
    let verdict = |pair: &Pair<'_>, chance: f64| {
        let worse = match beyond(pair.ratio.value, threshold) {
            None => return Verdict::Same,
            Some(more) => more != pair.more_is_better,
        };
        let decidable = smallest_p(pair.sides.0.len(), pair.sides.1.len()) <= limit;
        match (chance < CHANCE, worse, decidable) {
            (true, true, _) => Verdict::Worse,
            (true, false, _) => Verdict::Better,
            (false, true, false) => Verdict::Undecided,
            (false, ..) => Verdict::Same,
        }
    };
    found
        .iter()
        .zip(corrected)
        .map(|(pair, chance)| Row {
            cell: pair.cell.clone(),
            before: pair.medians.0,
            after: pair.medians.1,
            ratio: pair.ratio,
            chance,
            verdict: verdict(pair, chance),
        })
        .collect()
}

/// Whether the ratio has left the threshold, and if so whether upwards. Twice is as far as half.
fn beyond(ratio: f64, threshold: f64) -> Option<bool> {
    match ratio {
        ratio if ratio > 1.0 + threshold => Some(true),
        ratio if ratio < 1.0 / (1.0 + threshold) => Some(false),
        _ => None,
    }
}

fn line(row: &Row, wide: usize) -> String {
    let value = |value: f64| match row.cell.mode {
        crate::record::Mode::Throughput { .. } => format!("{value:.0}/s"),
        _ => format!("{} us", names::micros(value)),
    };
    let limits = row.ratio.limits;
    let limits = limits.map_or(String::new(), |(low, high)| {
        format!("{low:.3} to {high:.3}")
    });
    let verdict = match row.verdict {
        Verdict::Same => "",
        Verdict::Worse => "  WORSE",
        Verdict::Better => "  better",
        Verdict::Undecided => "  undecided",
    };
    format!(
        "{:<wide$} {:>12} {:>12} {:>7.3} {:>15} {:>8.4}{verdict}",
        names::cell(&row.cell),
        value(row.before),
        value(row.after),
        row.ratio.value,
        limits,
        row.chance
    )
}

fn warnings(before: &Summary, after: &Summary) -> Vec<String> {
    let mut warnings = vec![];
    let (old, new) = (&before.campaign, &after.campaign);
    if old.seconds != new.seconds {
        warnings.push(format!(
            "runs of {} s are compared with runs of {} s",
            old.seconds, new.seconds
        ));
    }
    if old.network != new.network {
        warnings.push(format!("{} is compared with {}", old.network, new.network));
    }
    let known = |hosts: &[Host]| -> Vec<(String, String)> {
        hosts.iter().flat_map(|host| host.facts.clone()).collect()
    };
    let (old, new) = (known(&old.hosts), known(&new.hosts));
    for (label, was) in &old {
        if let Some((_, is)) = new.iter().find(|(other, is)| other == label && is != was) {
            warnings.push(format!("{label} was \"{was}\" and is \"{is}\""));
        }
    }
    warnings
}
