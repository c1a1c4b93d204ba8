//! The figures as CSV: nanoseconds and samples per second, nothing rounded, a row for each cell.

use dunlin::Printable;

use crate::hop::{Figures, Hop};
use crate::record::{Cell, Cost, Mode};
use crate::summary::{CellSummary, LatencySummary, Summary};

const CELL: &str = "chapter,system,transport,reliable,keyed,zero_copy,blocking,size_bytes";
const HOP: &str = "chapter,transport,reliable,keyed,blocking,size_bytes,percentile,direct_ns,routed_ns,two_routers_ns,hop_ns,second_hop_ns,\
                   raw_ns,relay_ns,relay_hop_ns,hop_x_relay_hop,routed_x_relay";
const LATENCY: &str = "samples,lost,late,average_ns,std_ns,min_ns,max_ns,p50_ns,p90_ns,p99_ns,p99_99_ns,p99_9999_ns,\
                       p90_certain,p99_certain,p99_99_certain,p99_9999_certain,median_of_runs_ns,median_low_ns,median_high_ns";
const HOW: &str = "runs,failed,warm_up,waiting";
const COST: &str = "cpu_ns,context_switches,page_faults,system_calls,allocations,memory_bytes";

/// Name below the campaign's directory, and text; only those that have rows.
pub(super) fn files(summary: &Summary) -> Vec<(String, String)> {
    let of = |rows: fn(&CellSummary) -> Vec<String>, name: &str, head: String| {
        let rows: Vec<_> = summary.cells.iter().flat_map(rows).collect();
        let text = format!("{head}\n{}\n", rows.join("\n"));
        (!rows.is_empty()).then(|| (format!("csv/{name}.csv"), text))
    };
    let cost: fn(&CellSummary) -> Vec<String> = cost;
    let mut files: Vec<_> = [
        of(latency, "latency", format!("{CELL},{LATENCY},{HOW}")),
        of(
            throughput,
            "throughput",
            format!("{CELL},batched,samples,samples_per_second,low,high,mbps,lost,{HOW}"),
        ),
        of(
            loaded,
            "loaded",
            format!("{CELL},rate,time,{LATENCY},{HOW}"),
        ),
        of(cost, "cost", format!("{CELL},mode,side,{COST}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    files.extend(hops(summary));
    files
}

/// What a router adds.
fn hops(summary: &Summary) -> Option<(String, String)> {
    let row = |hop: &Hop, percentile: &str, figures: &Figures| {
        let values = [
            figures.direct,
            figures.routed,
            figures.twice,
            figures.hop,
            figures.second,
            figures.raw,
            figures.relayed,
            figures.floor,
            figures.hop_ratio,
            figures.relay_ratio,
        ];
        let values = values.map(|value| value.map_or(String::new(), |value| format!("{value:.3}")));
        format!(
            "{},{},{},{},{},{},{percentile},{}",
            quoted(&hop.chapter),
            quoted(&hop.transport),
            hop.reliable,
            hop.keyed,
            hop.blocking,
            hop.size,
            values.join(",")
        )
    };
    let rows: Vec<_> = summary
        .hops
        .iter()
        .flat_map(|hop| [row(hop, "50", &hop.median), row(hop, "99", &hop.p99)])
        .collect();
    let text = format!("{HOP}\n{}\n", rows.join("\n"));
    (!rows.is_empty()).then(|| ("csv/hop.csv".into(), text))
}

fn latency(summary: &CellSummary) -> Vec<String> {
    match (summary.cell.mode, &summary.latency) {
        (Mode::Latency, Some(latency)) => vec![line(summary, &figures(latency))],
        _ => vec![],
    }
}

fn throughput(summary: &CellSummary) -> Vec<String> {
    let Mode::Throughput { batched } = summary.cell.mode else {
        return vec![];
    };
    let rows = summary.throughput.iter().map(|throughput| {
        let (low, high) = limits(throughput.rate.limits);
        let figures = format!(
            "{batched},{},{:.1},{low},{high},{:.3},{}",
            throughput.samples, throughput.rate.value, throughput.mbps, throughput.lost
        );
        line(summary, &figures)
    });
    rows.collect()
}

fn loaded(summary: &CellSummary) -> Vec<String> {
    let Mode::Loaded { rate } = summary.cell.mode else {
        return vec![];
    };
    [
        ("response", &summary.response),
        ("service", &summary.latency),
    ]
    .into_iter()
    .filter_map(|(name, latency)| Some((name, latency.as_ref()?)))
    .map(|(name, latency)| line(summary, &format!("{rate},{name},{}", figures(latency))))
    .collect()
}

fn cost(summary: &CellSummary) -> Vec<String> {
    let mode = match summary.cell.mode {
        Mode::Latency => "latency".into(),
        Mode::Throughput { batched: true } => "throughput batched".into(),
        Mode::Throughput { batched: false } => "throughput".into(),
        Mode::Loaded { rate } => format!("loaded {rate}"),
        mode @ (Mode::Footprint | Mode::Calls { .. }) => mode.to_string(),
    };
    let side = |(name, cost): (&str, &Option<Cost>)| {
        let cost = cost.as_ref()?;
        let counted = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        Some(format!(
            "{},{mode},{name},{},{},{},{},{},",
            cell(&summary.cell),
            cost.cpu,
            cost.context_switches,
            cost.page_faults,
            counted(cost.system_calls),
            counted(cost.allocations)
        ))
    };
    let [publisher, subscriber] = &summary.cost;
    let mut rows: Vec<_> = [("publisher", publisher), ("subscriber", subscriber)]
        .into_iter()
        .filter_map(side)
        .collect();
    rows.extend(summary.middle.as_ref().map(|middle| {
        format!(
            "{},{mode},router,{},,,,,{}",
            cell(&summary.cell),
            middle.cpu,
            middle.memory
        )
    }));
    rows
}

fn line(summary: &CellSummary, figures: &str) -> String {
    format!(
        "{},{figures},{},{},{},{}",
        cell(&summary.cell),
        summary.measured,
        summary.failed.len(),
        quoted(&super::names::warm_up(summary)),
        quoted(&summary.waiting)
    )
}

fn cell(cell: &Cell) -> String {
    format!(
        "{},{},{},{},{},{},{},{}",
        quoted(&cell.chapter),
        quoted(&cell.system),
        quoted(&cell.transport),
        cell.reliable,
        cell.keyed,
        cell.zero_copy,
        cell.blocking,
        cell.size
    )
}

fn figures(latency: &LatencySummary) -> String {
    let percentiles = latency.percentiles.map(|p| p.nanos.to_string()).join(",");
    let [_, certain @ ..] = latency.percentiles.map(|p| p.certain.to_string());
    let (low, high) = limits(latency.median.limits);
    format!(
        "{},{},{},{:.1},{:.1},{},{},{percentiles},{},{:.1},{low},{high}",
        latency.samples,
        latency.lost,
        latency.late,
        latency.average,
        latency.deviation,
        latency.min,
        latency.max,
        certain.join(","),
        latency.median.value
    )
}

fn limits(limits: Option<(f64, f64)>) -> (String, String) {
    limits.map_or_else(Default::default, |(low, high)| {
        (format!("{low:.1}"), format!("{high:.1}"))
    })
}

/// A field that may hold anything. What a spreadsheet would take for a formula is made text.
fn quoted(field: &str) -> String {
    let field = Printable(field).to_string();
    let formula = field.starts_with(['=', '+', '-', '@']);
    let field = if formula { format!("'{field}") } else { field };
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_and_quotes_stay_one_field() {
        let printed = [
            "plain",
            "spin, then block",
            "a \"b\"",
            "=1+1",
            "a\r\nb\t\u{1b}",
        ]
        .map(quoted);
        assert_eq!(
            printed,
            [
                "plain",
                "\"spin, then block\"",
                "\"a \"\"b\"\"\"",
                "'=1+1",
                r"a\r\nb\t\u{1b}"
            ]
        );
    }
}
