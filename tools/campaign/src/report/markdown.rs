//! The figures as Markdown, for a README: what the page shows, without what only a page can.

use std::fmt::Write;

use super::names::{self, digits, micros};
use dunlin::is_printable;

use crate::hop::Hop;
use crate::knee;
use crate::record::{Campaign, Cell, Mode};
use crate::stats::Percentile;
use crate::summary::{CellSummary, LatencySummary, Summary};

/// Columns of latencies, as [`figures`] fills them.
const LATENCY: &str =
    "avg | std | min | max | 50 % | 90 % | 99 % | 99.99 % | 99.9999 % | samples | lost";
const LATENCY_RULE: &str = "---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:";

pub(super) fn text(summary: &Summary) -> String {
    let campaign = &summary.campaign;
    let mut text = format!(
        "# Campaign {}\n\nDunlin {}, begun {}. {} repetitions of {} s for each cell, {}.\n",
        field(&campaign.name),
        field(&campaign.version),
        field(&campaign.started),
        campaign.repetitions,
        campaign.seconds,
        field(&campaign.network)
    );
    tables(&mut text, summary);
    remarks(&mut text);
    machines(&mut text, summary);
    missing(&mut text, summary);
    text
}

fn tables(text: &mut String, summary: &Summary) {
    let campaign = &summary.campaign;
    for name in pages(campaign) {
        let cells = summary.cells.iter().filter(|cell| cell.cell.page() == name);
        page(text, summary, &name, &cells.collect::<Vec<_>>());
        knees(text, &name, summary);
        hops(text, &name, &summary.hops);
    }
}

/// A page of documentation: the same tables below what they depend on, without the names of
/// machines.
pub(super) fn results(summary: &Summary) -> String {
    let campaign = &summary.campaign;
    let mut text = format!(
        "# Results\n\n\
         Made by `perftest campaign {0}` or `perftest report` with `--results`, not edited.\n\n\
         | | |\n|---|---|\n| campaign | {0}, {1} repetitions of {2} s for each cell, {3} |\n| date | {4} |\n| version | {5} |\n",
        field(&campaign.name),
        campaign.repetitions,
        campaign.seconds,
        field(&campaign.networks().join(" and ")),
        field(&campaign.started),
        field(&campaign.version),
    );
    for (side, host) in ["publisher's ", "subscriber's "]
        .iter()
        .zip(&campaign.hosts)
    {
        let side = if campaign.hosts.len() > 1 { side } else { "" };
        for (label, value) in &host.facts {
            let _ = writeln!(text, "| {side}{} | {} |", field(label), field(value));
        }
    }
    tables(&mut text, summary);
    remarks(&mut text);
    let mut absent = String::new();
    missing(&mut absent, summary);
    text.push_str(&without_folders(&absent));
    text
}

/// Files of the machine by their names alone: where they are means nothing elsewhere.
fn without_folders(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.starts_with('/') {
        true => word.rsplit('/').next().unwrap_or(word),
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The chapters, or else the transports, in their order.
fn pages(campaign: &Campaign) -> Vec<String> {
    let chapters = campaign.chapters.iter().map(|one| one.title.as_str());
    let of_cells = campaign.cells.iter().map(Cell::page);
    let mut all: Vec<_> = chapters.chain(of_cells).map(String::from).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|page| seen.insert(page.clone()));
    all
}

fn page(text: &mut String, summary: &Summary, name: &str, cells: &[&CellSummary]) {
    let (campaign, goals) = (&summary.campaign, &summary.goals);
    let _ = writeln!(text, "\n## {}", field(names::transport(name)));
    if let Some(chapter) = campaign.chapters.iter().find(|one| one.title == name) {
        let _ = match &chapter.missing {
            Some(why) => writeln!(text, "\nNot measured: {}.", field(why)),
            None => writeln!(
                text,
                "\nThe sides reach each other by {}.",
                field(&chapter.network)
            ),
        };
    }
    if let Some((_, grid)) = goals.iter().find(|(title, _)| title == name) {
        let _ = write!(text, "\n{}", grid.markdown(field));
        return;
    }
    let of = |wanted: fn(&Mode) -> bool| {
        let cells = cells
            .iter()
            .copied()
            .filter(move |cell| wanted(&cell.cell.mode));
        cells.filter(|cell| cell.measured > 0).collect::<Vec<_>>()
    };
    latency(text, &of(|mode| matches!(mode, Mode::Latency)));
    throughput(text, &of(|mode| matches!(mode, Mode::Throughput { .. })));
    loaded(text, &of(|mode| matches!(mode, Mode::Loaded { .. })));
    cost(text, &of(|mode| matches!(mode, Mode::Latency)));
}

fn latency(text: &mut String, cells: &[&CellSummary]) {
    if cells.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n### Latency: half of the round trip, microseconds\n\n\
         | size (bytes) | | system | {LATENCY} | x floor | waits | warm-up |\n|---:|---|---|{LATENCY_RULE}|---:|---|---:|"
    );
    for cell in cells {
        let Some(latency) = &cell.latency else {
            continue;
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            cell.cell.size,
            names::kind(&cell.cell),
            field(&names::system(&cell.cell)),
            figures(latency),
            multiple(cell.floor),
            field(&cell.waiting),
            names::warm_up(cell)
        );
    }
}

fn throughput(text: &mut String, cells: &[&CellSummary]) {
    if cells.is_empty() {
        return;
    }
    text.push_str(
        "\n### Throughput\n\n| size (bytes) | | system | samples/s | 95 % of such medians | Mbit/s | lost | x floor | waits |\n\
         |---:|---|---|---:|---:|---:|---:|---:|---|\n",
    );
    for cell in cells {
        let Some(throughput) = &cell.throughput else {
            continue;
        };
        let limits = throughput.rate.limits;
        let limits = limits.map(|(low, high)| format!("{low:.0} to {high:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {} | {} | {} | {} | {} |",
            cell.cell.size,
            names::kind(&cell.cell),
            field(&names::system(&cell.cell)),
            throughput.rate.value,
            limits.unwrap_or_default(),
            digits(throughput.mbps),
            throughput.lost,
            multiple(cell.floor),
            field(&cell.waiting)
        );
    }
}

fn loaded(text: &mut String, cells: &[&CellSummary]) {
    if cells.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n### Latency under load, microseconds\n\n\
         | samples/s | size (bytes) | | system | from | {LATENCY} |\n|---:|---:|---|---|---|{LATENCY_RULE}|"
    );
    for cell in cells {
        let Mode::Loaded { rate } = cell.cell.mode else {
            continue;
        };
        for (from, latency) in [("due time", &cell.response), ("send time", &cell.latency)] {
            let Some(latency) = latency else { continue };
            let _ = writeln!(
                text,
                "| {rate} | {} | {} | {} | {from} | {} |",
                cell.cell.size,
                names::kind(&cell.cell),
                field(&names::system(&cell.cell)),
                figures(latency)
            );
        }
    }
}

/// Up to which rate each sweep by this transport goes well.
fn knees(text: &mut String, page: &str, summary: &Summary) {
    let chapters = &summary.campaign.chapters;
    let own = match chapters.iter().any(|one| one.title == page) {
        true => format!("{page}: "),
        false => format!("{page},"),
    };
    let lines = summary
        .knees
        .iter()
        .filter(|(name, _)| name.starts_with(&own))
        .map(|(name, knee)| format!("- {}", field(&knee::words(name, *knee))))
        .collect::<Vec<_>>();
    if !lines.is_empty() {
        let _ = writeln!(text, "\n{}", lines.join("\n"));
    }
}

/// What a router adds, beside what a relay adds to the floor.
fn hops(text: &mut String, page: &str, hops: &[Hop]) {
    let mut hops = hops.iter().filter(|hop| hop.page() == page).peekable();
    if hops.peek().is_none() {
        return;
    }
    text.push_str(
        "\n### What a router adds: half of the round trip, microseconds\n\n\
         | size (bytes) | | direct | routed | hop | second hop | raw | raw relay | its hop | hop / its hop | hop at 99 % | its hop at 99 % | routed / relay | published |\n\
         |---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for hop in hops {
        let (median, p99) = (&hop.median, &hop.p99);
        let us = |value: Option<f64>| value.map_or("-".into(), micros);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            hop.size,
            hop.kind(),
            us(median.direct),
            us(median.routed),
            us(median.hop),
            us(median.second),
            us(median.raw),
            us(median.relayed),
            us(median.floor),
            multiple(median.hop_ratio),
            us(p99.hop),
            us(p99.floor),
            multiple(median.relay_ratio),
            hop.published_micros().unwrap_or_default()
        );
    }
    text.push_str(
        "\nHop: routed - direct, and raw relay - raw, the medians of the differences within each repetition; at 50 % unless it says\n\
         99 %. Published: of Connext through Routing Service, by others on other machines (Core i7 3.33 GHz, 1 GbE), context and\n\
         not a comparison; ( ): known to be wrong.\n",
    );
}

fn cost(text: &mut String, cells: &[&CellSummary]) {
    let counted = |cell: &&&CellSummary| cell.cost.iter().any(Option::is_some);
    let mut cells = cells.iter().filter(counted).peekable();
    if cells.peek().is_none() {
        return;
    }
    text.push_str(
        "\n### Cost of a round trip\n\n| size (bytes) | | system | side | CPU ns | system calls | context switches | page faults | allocations |\n\
         |---:|---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for cell in cells {
        for (side, cost) in ["publisher", "subscriber"].iter().zip(&cell.cost) {
            let Some(cost) = cost else { continue };
            let optional = |value: Option<f64>| value.map_or("-".into(), digits);
            let _ = writeln!(
                text,
                "| {} | {} | {} | {side} | {:.0} | {} | {} | {} | {} |",
                cell.cell.size,
                names::kind(&cell.cell),
                field(&names::system(&cell.cell)),
                cost.cpu,
                optional(cost.system_calls),
                digits(cost.context_switches),
                digits(cost.page_faults),
                optional(cost.allocations)
            );
        }
        if let Some(middle) = &cell.middle {
            let _ = writeln!(
                text,
                "| {} | {} | {} | router | {:.0} | - | - | - | - |",
                cell.cell.size,
                names::kind(&cell.cell),
                field(&names::system(&cell.cell)),
                middle.cpu
            );
        }
    }
}

fn figures(latency: &LatencySummary) -> String {
    let percentiles = latency.percentiles.map(|p: Percentile| match p.certain {
        true => micros(p.nanos as f64),
        false => format!("({})", micros(p.nanos as f64)),
    });
    format!(
        "{} | {} | {} | {} | {} | {} | {}",
        micros(latency.average),
        micros(latency.deviation),
        micros(latency.min as f64),
        micros(latency.max as f64),
        percentiles.join(" | "),
        latency.samples,
        latency.lost
    )
}

fn multiple(floor: Option<f64>) -> String {
    floor.map_or(String::new(), |floor| format!("{floor:.2}"))
}

fn remarks(text: &mut String) {
    text.push_str(
        "\nPercentiles are those of all samples of all repetitions. ( ): fewer than ten samples lie beyond, so it is chance. x floor:\n\
         the median (or the rate) as a multiple of what the same machine does without DDS, the median of the ratios within each\n\
         repetition. Due time: from the moment when the sample should have been sent, so a stall counts for all that had to wait.\n",
    );
}

fn machines(text: &mut String, summary: &Summary) {
    for (side, host) in ["Publisher's machine", "Subscriber's machine"]
        .iter()
        .zip(&summary.campaign.hosts)
    {
        let _ = writeln!(text, "\n## {side}: {}\n", field(&host.name));
        for (label, value) in &host.facts {
            let _ = writeln!(text, "- {}: {}", field(label), field(value));
        }
        for advice in &host.advice {
            let _ = writeln!(text, "- To change: {}", field(advice));
        }
    }
}

fn missing(text: &mut String, summary: &Summary) {
    let mut lines: Vec<String> = summary
        .campaign
        .skipped
        .iter()
        .map(|line| field(line))
        .collect();
    for cell in &summary.cells {
        let name = field(&names::cell(&cell.cell));
        for (repetition, reason) in &cell.failed {
            lines.push(format!(
                "failed: {name}, repetition {}: {}",
                repetition + 1,
                field(reason)
            ));
        }
        if cell.measured == 0 && cell.failed.is_empty() {
            lines.push(format!("not measured: {name}"));
        }
    }
    lines.extend(summary.notes.iter().map(|note| field(note)));
    if !lines.is_empty() {
        let _ = writeln!(text, "\n## Missing\n\n- {}", lines.join("\n- "));
    }
}

/// Text from outside, on one line and without meaning to Markdown or HTML.
fn field(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => safe.push(' '),
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            letter if !is_printable(letter) => safe.extend(letter.escape_debug()),
            '|' | '*' | '_' | '~' | '#' | '`' | '[' | ']' | '\\' => safe.extend(['\\', letter]),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_that_is_missing_only_the_name_is_told() {
        assert_eq!(
            without_folders("- dunlin: /home/me/release/dunlin is not there: 1/2\n- x"),
            "- dunlin: dunlin is not there: 1/2\n- x"
        );
    }

    #[test]
    fn text_from_outside_stays_in_its_field() {
        assert_eq!(field("a|b\n<img> `x`"), "a\\|b &lt;img> \\`x\\`");
        assert_eq!(
            field("a_b &lt; # \u{1b}\u{202e}"),
            r"a\_b &amp;lt; \# \u{1b}\u{202e}"
        );
    }
}
