//! The results of a campaign as plain text: one table for each transport and question.

use std::fmt::Write;

use crate::hop;
use crate::knee::{self, Step};
use crate::record::{Campaign, Cell, Latency, Measured, Mode, Outcome, Run, Throughput};
use crate::systems::is_floor;
use crate::terminal;

/// Where fewer latencies than this lie beyond a percentile, it is chance.
const BEYOND: u64 = 10;

/// All tables. Of several repetitions the median counts, extremes are those of all, counts are
/// sums.
pub(crate) fn tables(campaign: &Campaign, runs: &[Run]) -> String {
    let mut text = String::new();
    fn of(cell: &Cell) -> (&str, &str, Mode) {
        (&cell.chapter, &cell.transport, cell.mode)
    }
    let mut titles: Vec<(&str, &str, Mode)> = Vec::new();
    for cell in &campaign.cells {
        let has_goals =
            |one: &crate::record::Chapter| one.title == cell.chapter && one.goals.is_some();
        // Those have tables of their own.
        if campaign.chapters.iter().any(has_goals) {
            continue;
        }
        if !titles.contains(&of(cell)) {
            titles.push(of(cell));
        }
    }
    for one in titles {
        let (chapter, transport, mode) = one;
        let cells: Vec<_> = campaign
            .cells
            .iter()
            .filter(|cell| of(cell) == one)
            .collect();
        if !chapter.is_empty() {
            let _ = writeln!(text, "\n{}", terminal::line(chapter));
        }
        let _ = writeln!(
            text,
            "\n{}\n\n{}",
            terminal::line(&title(transport, mode)),
            columns(mode, width(&cells))
        );
        let width = width(&cells);
        for cell in cells {
            let _ = writeln!(text, "{}", terminal::line(&row(runs, cell, width)));
        }
    }
    text.push_str(&knees(campaign, runs));
    text.push_str(&hop::table(&hop::hops(campaign, runs)));
    text
}

/// Of the column that says who, so that the figures are below their headings.
fn width(cells: &[&Cell]) -> usize {
    cells
        .iter()
        .map(|cell| who(cell).len())
        .fold(28, usize::max)
}

/// Up to which rate each sweep goes well.
fn knees(campaign: &Campaign, runs: &[Run]) -> String {
    let line = |(name, knee): (String, Option<Step>)| {
        knee::words(&name, knee.map(|step| (step.rate, step.p99))) + "\n"
    };
    let lines: Vec<_> = knee::knees(campaign, runs).into_iter().map(line).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("\nLatency under load\n\n{}", lines.concat()),
    }
}

fn title(transport: &str, mode: Mode) -> String {
    match mode {
        Mode::Latency => {
            format!("Latency by {transport}: half of the round trip in μs, from process to process")
        }
        Mode::Loaded { .. } => {
            format!(
                "Latency by {transport}, {mode}: half of the round trip in μs, and the wait before it"
            )
        }
        Mode::Throughput { .. } => format!("Throughput by {transport}, {mode}"),
        Mode::Footprint | Mode::Calls { .. } => format!("{mode} by {transport}"),
    }
}

fn columns(mode: Mode, width: usize) -> String {
    match mode {
        Mode::Footprint | Mode::Calls { .. } => String::new(),
        Mode::Throughput { .. } => format!(
            "{:>12} {:<width$} {:>12} {:>12} {:>12} {:>8} {:>7}",
            "Size (Bytes)", "", "Samples/s", "Mbit/s", "Samples", "Lost", "x floor"
        ),
        Mode::Latency | Mode::Loaded { .. } => format!(
            "{:>12} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>9} {:>5} {:>5} {:>7}",
            "Size (Bytes)",
            "",
            "Min",
            "50%",
            "90%",
            "99%",
            "99.99%",
            "Max",
            "Samples",
            "Lost",
            "Late",
            "x floor"
        ),
    }
}

fn row(runs: &[Run], cell: &Cell, width: usize) -> String {
    let head = format!("{:>12} {:<width$} ", cell.size, who(cell));
    let own: Vec<&Run> = runs.iter().filter(|run| run.cell == *cell).collect();
    let measured: Vec<(u32, &Measured)> = own.iter().filter_map(|run| figures(run)).collect();
    let failed = own.len() - measured.len();
    let reason = own.iter().rev().find_map(|run| match &run.outcome {
        Outcome::Failed(reason) => Some(reason.as_str()),
        Outcome::Measured(_) => None,
    });
    let what = match (measured.is_empty(), reason) {
        (true, Some(reason)) => return format!("{head}failed: {reason}"),
        (true, None) => return format!("{head}not measured"),
        (false, Some(reason)) => format!("  ({failed} failed: {reason})"),
        (false, None) => String::new(),
    };
    let ratio = ratio(runs, cell, &measured);
    let ratio = ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
    let figures = match cell.mode {
        Mode::Footprint | Mode::Calls { .. } => String::new(),
        Mode::Throughput { .. } => throughput(&measured),
        Mode::Latency | Mode::Loaded { .. } => latency(&measured),
    };
    format!("{head}{figures} {ratio:>7}{what}")
}

fn who(cell: &Cell) -> String {
    let mut words = vec![];
    if cell.system != "dunlin" {
        words.push(cell.system.as_str());
    }
    if !is_floor(&cell.system) {
        words.push(if cell.reliable {
            "reliable"
        } else {
            "best effort"
        });
    }
    words.extend(cell.keyed.then_some("keyed"));
    words.extend(cell.zero_copy.then_some("zero copy"));
    words.extend(cell.blocking.then_some("blocking"));
    words.join(", ")
}

fn figures(run: &Run) -> Option<(u32, &Measured)> {
    match &run.outcome {
        Outcome::Measured(measured) => Some((run.repetition, measured)),
        Outcome::Failed(_) => None,
    }
}

fn latency(measured: &[(u32, &Measured)]) -> String {
    let all: Vec<&Latency> = measured
        .iter()
        .filter_map(|(_, one)| seen_by_user(one))
        .collect();
    let us = |value: Option<f64>| value.map_or(f64::NAN, |value| value / 1_000.0);
    let of = |index: usize| us(median(all.iter().map(|one| one.percentiles[index] as f64)));
    let sum = |of: fn(&Latency) -> u64| all.iter().map(|one| of(one)).sum::<u64>();
    let least = all.iter().map(|one| one.samples).min().unwrap_or_default();
    let p9999 = match least / 10_000 < BEYOND {
        true => format!("({:.3})", of(3)),
        false => format!("{:.3}", of(3)),
    };
    let min = us(all.iter().map(|one| one.min as f64).reduce(f64::min));
    let max = us(all.iter().map(|one| one.max as f64).reduce(f64::max));
    format!(
        "{min:>10.3} {:>10.3} {:>10.3} {:>10.3} {p9999:>12} {max:>10.3} {:>9} {:>5} {:>5}",
        of(0),
        of(1),
        of(2),
        sum(|one| one.samples),
        sum(|one| one.lost),
        sum(|one| one.late),
    )
}

fn throughput(measured: &[(u32, &Measured)]) -> String {
    let all: Vec<&Throughput> = measured
        .iter()
        .filter_map(|(_, one)| one.throughput.as_ref())
        .collect();
    let rate = median(all.iter().map(|one| one.samples_per_second)).unwrap_or(f64::NAN);
    let mbps = median(all.iter().map(|one| one.mbps)).unwrap_or(f64::NAN);
    let samples: u64 = all.iter().map(|one| one.samples).sum();
    let lost: u64 = all.iter().map(|one| one.lost).sum();
    format!("{rate:>12.0} {mbps:>12.1} {samples:>12} {lost:>8}")
}

/// The figure of a cell as a multiple of its floor's: the median of the ratios within one
/// repetition each.
fn ratio(runs: &[Run], cell: &Cell, measured: &[(u32, &Measured)]) -> Option<f64> {
    let floor = Cell {
        system: "raw".into(),
        reliable: false,
        keyed: false,
        ..cell.clone()
    };
    let ratios = measured.iter().filter_map(|(repetition, own)| {
        let same = |run: &&Run| run.repetition == *repetition && run.cell == floor;
        let (_, below) = figures(runs.iter().find(same)?)?;
        let ratio = main_figure(own)? / main_figure(below)?;
        ratio.is_finite().then_some(ratio)
    });
    median(ratios)
}

/// At a fixed rate the response time, which counts the waiting before the send; else the latency.
fn seen_by_user(measured: &Measured) -> Option<&Latency> {
    measured.response.as_ref().or(measured.latency.as_ref())
}

fn main_figure(measured: &Measured) -> Option<f64> {
    match (seen_by_user(measured), &measured.throughput) {
        (Some(latency), _) => Some(latency.percentiles[0] as f64),
        (None, Some(throughput)) => Some(throughput.samples_per_second),
        (None, None) => None,
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some((lower + upper) / 2.0)
}

/// What the figures rest on, below the tables.
pub(crate) fn remarks(campaign: &Campaign, runs: &[Run]) -> String {
    let measured = || runs.iter().filter_map(|run| Some(figures(run)?.1));
    let warm_up = measured().map(|one| one.warm_up);
    let warm_up = match (warm_up.clone().min(), warm_up.max()) {
        (Some(least), Some(most)) => format!("{least} to {most} samples"),
        _ => "no samples".into(),
    };
    let mut waiting: Vec<String> = runs
        .iter()
        .filter_map(|run| Some((run, figures(run)?.1)))
        // Where only calls are counted, nobody says it.
        .filter(|(_, one)| !one.waiting.is_empty())
        .map(|(run, one)| format!("{}: {}", run.cell.system, one.waiting))
        .collect();
    waiting.sort();
    waiting.dedup();
    let (seconds, repetitions) = (campaign.seconds, campaign.repetitions);
    let mut text = format!(
        "{repetitions} runs of {seconds} s per row, after a warm-up of {warm_up} that is not in the figures; medians of the runs.\n\
         Waiting for data: {}. Keyed: 100000 instances. Zero copy: built where it is read.\n\
         x floor: the figure as a multiple of raw's, which is measured next to it. ( ): fewer than ten latencies lie beyond.\n\
         Network: {}.\n",
        waiting.join("; "),
        terminal::line(&campaign.networks().join(" and "))
    );
    for line in &campaign.skipped {
        let _ = writeln!(text, "Left out: {}.", terminal::line(line));
    }
    for chapter in campaign.chapters.iter().filter(|one| one.missing.is_some()) {
        let _ = writeln!(
            text,
            "Chapter left out: {}.",
            terminal::line(&chapter.title)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FORMAT;

    fn cell(system: &str, reliable: bool) -> Cell {
        Cell {
            system: system.into(),
            transport: "SHMEM".into(),
            mode: Mode::Latency,
            reliable,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        }
    }

    fn run(cell: Cell, repetition: u32, median: u64) -> Run {
        let latency = Latency {
            samples: 200_000,
            min: median / 2,
            max: median * 9,
            percentiles: [median, median, median, median, median],
            ..Latency::default()
        };
        let measured = Measured {
            latency: Some(latency),
            waiting: "spin".into(),
            ..Measured::default()
        };
        Run {
            cell,
            repetition,
            started: String::new(),
            outcome: Outcome::Measured(Box::new(measured)),
        }
    }

    #[test]
    fn each_row_shows_its_medians_and_its_ratio_to_its_neighbour() {
        let campaign = Campaign {
            format: FORMAT,
            name: "test".into(),
            started: String::new(),
            version: String::new(),
            seconds: 1.0,
            repetitions: 2,
            cells: vec![
                cell("raw", false),
                cell("dunlin", true),
                cell("dunlin", false),
            ],
            skipped: vec!["zenoh is not there".into()],
            network: "one network namespace".into(),
            hosts: vec![],
            chapters: vec![],
        };
        let mut runs = vec![
            run(cell("raw", false), 0, 1_000),
            run(cell("raw", false), 1, 3_000),
            run(cell("dunlin", true), 0, 2_000),
            run(cell("dunlin", true), 1, 6_000),
        ];
        runs.push(Run {
            outcome: Outcome::Failed("publisher: lost".into()),
            ..run(cell("dunlin", false), 0, 1)
        });
        let text = tables(&campaign, &runs);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].starts_with("Latency by SHMEM"), "{text}");
        assert!(
            lines[4].contains(" 2.000 ") && lines[4].ends_with("1.00"),
            "{text}"
        );
        assert!(
            lines[5].contains("reliable") && lines[5].ends_with("2.00"),
            "{text}"
        );
        assert!(
            lines[5].contains(" 400000 ") && lines[5].contains(" 1.000 "),
            "{text}"
        );
        assert!(lines[6].ends_with("failed: publisher: lost"), "{text}");
        let remarks = remarks(&campaign, &runs);
        assert!(remarks.contains("dunlin: spin; raw: spin"), "{remarks}");
        assert!(
            remarks.contains("Left out: zenoh is not there."),
            "{remarks}"
        );
    }

    #[test]
    fn a_median_of_two_lies_between_them() {
        assert_eq!(median([3.0, 1.0].into_iter()), Some(2.0));
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median(std::iter::empty()), None);
    }
}
