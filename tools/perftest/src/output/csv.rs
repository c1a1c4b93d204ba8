//! Comma-separated rows, padded so that the columns line up.

use std::io::{self, Write};

use super::{
    LatencyInterval, LatencyRow, Layout, Loaded, Style, TrafficInterval, TrafficRow, lost_percent,
};
use crate::stats::LatencySummary;

/// Names and widths of the columns of one table.
type Columns = [(&'static str, usize)];

const LATENCY_INTERVAL: &Columns = &[
    ("Length (Bytes)", 14),
    ("Latency (μs)", 13),
    ("Ave (μs)", 9),
    ("Std (μs)", 9),
    ("Min (μs)", 9),
    ("Max (μs)", 9),
];

const LATENCY_SUMMARY: &Columns = &[
    ("Sample Size (Bytes)", 19),
    ("Ave (μs)", 9),
    ("Std (μs)", 9),
    ("Min (μs)", 9),
    ("Max (μs)", 9),
    ("50% (μs)", 9),
    ("90% (μs)", 9),
    ("99% (μs)", 9),
    ("99.99% (μs)", 12),
    ("99.9999% (μs)", 14),
];

/// The tables of an open loop have these two columns more, behind the size.
const LOADED: [(&str, usize); 2] = [("Rate (/s)", 11), ("Time", 8)];

const TRAFFIC_INTERVAL: &Columns = &[
    ("Length (Bytes)", 14),
    ("Total Samples", 14),
    ("Samples/s", 11),
    ("Avg Samples/s", 14),
    ("Mbps", 9),
    ("Avg Mbps", 10),
    ("Lost Samples", 13),
    ("Lost Samples (%)", 17),
];

const TRAFFIC_SUMMARY: &Columns = &[
    ("Sample Size (Bytes)", 19),
    ("Total Samples", 14),
    ("Avg Samples/s", 14),
    ("Avg Mbps", 12),
    ("Lost Samples", 13),
    ("Lost Samples (%)", 17),
];

const CPU: (&str, usize) = ("CPU (%)", 8);

/// The default form. Remembers which headers it has printed.
#[derive(Default)]
pub(super) struct Csv {
    summary_header: bool,
    interval_header: bool,
}

impl Layout for Csv {
    fn latency_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()> {
        self.interval_header = false;
        if style.intervals && style.headers {
            writeln!(out, "\nIntervals One-Way Latency for {size} Bytes:")?;
        }
        Ok(())
    }

    fn latency_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyInterval,
    ) -> io::Result<()> {
        self.interval_header(out, style, LATENCY_INTERVAL, row.cpu)?;
        let us = style.micros(&row.summary);
        let decimals = [0, 0, 0, 1, 0, 0];
        let values = [
            row.size as f64,
            us.last,
            us.average,
            us.deviation,
            us.min,
            us.max,
        ];
        line(
            out,
            LATENCY_INTERVAL,
            values.into_iter().zip(decimals_of(style, decimals)),
            row.cpu,
        )
    }

    fn latency_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyRow,
    ) -> io::Result<()> {
        if let Some(loaded) = &row.loaded {
            return self.loaded_summary(out, style, row, loaded);
        }
        self.summary_header(
            out,
            style,
            "One-way Latency Summary:",
            LATENCY_SUMMARY,
            row.cpu,
        )?;
        line(
            out,
            LATENCY_SUMMARY,
            latencies(style, row.size, &row.summary),
            row.cpu,
        )
    }

    fn traffic_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()> {
        self.interval_header = false;
        if style.intervals && style.headers {
            writeln!(out, "\nInterval Throughput for {size} Bytes:")?;
        }
        Ok(())
    }

    fn traffic_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &TrafficInterval,
    ) -> io::Result<()> {
        self.interval_header(out, style, TRAFFIC_INTERVAL, row.cpu)?;
        let values = [
            (row.size as f64, 0),
            (row.packets as f64, 0),
            (row.packets_per_second, 0),
            (row.average_packets, 0),
            (row.mbps, 1),
            (row.average_mbps, 1),
            (row.lost as f64, 0),
            (lost_percent(row.lost, row.packets), 2),
        ];
        line(out, TRAFFIC_INTERVAL, values.into_iter(), row.cpu)
    }

    fn traffic_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &TrafficRow,
    ) -> io::Result<()> {
        self.summary_header(out, style, "Throughput Summary:", TRAFFIC_SUMMARY, row.cpu)?;
        let values = [
            (row.size as f64, 0),
            (row.packets as f64, 0),
            (row.packets_per_second, 0),
            (row.mbps, 1),
            (row.lost as f64, 0),
            (lost_percent(row.lost, row.packets), 2),
        ];
        line(out, TRAFFIC_SUMMARY, values.into_iter(), row.cpu)
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Csv {
    /// Two rows: from the moments of the schedule, and from those of sending.
    fn loaded_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyRow,
        loaded: &Loaded,
    ) -> io::Result<()> {
        let (size, rest) = LATENCY_SUMMARY.split_at(1);
        let columns = [size, &LOADED, rest].concat();
        let title = "One-way Latency under Load Summary:";
        self.summary_header(out, style, title, &columns, row.cpu)?;
        let times = [("response", &loaded.response), ("service", &row.summary)];
        for (time, summary) in times {
            let values = latencies(style, row.size, summary).chain(row.cpu.map(|cpu| (cpu, 2)));
            let shown = columns.iter().filter(|column| !LOADED.contains(column));
            let mut cells: Vec<String> = shown
                .chain(row.cpu.map(|_| &CPU))
                .zip(values)
                .map(|((_, width), (value, decimals))| format!("{value:>width$.decimals$}"))
                .collect();
            let [rate, which] = LOADED.map(|(_, width)| width);
            cells.splice(
                1..1,
                [format!("{:>rate$}", loaded.rate), format!("{time:>which$}")],
            );
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }

    fn interval_header(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        columns: &Columns,
        cpu: Option<f64>,
    ) -> io::Result<()> {
        if std::mem::replace(&mut self.interval_header, true) || !style.headers {
            return Ok(());
        }
        header(out, columns, cpu)
    }

    /// The header stands above the first summary only, unless intervals push the summaries apart.
    fn summary_header(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        title: &str,
        columns: &Columns,
        cpu: Option<f64>,
    ) -> io::Result<()> {
        let seen = std::mem::replace(&mut self.summary_header, true);
        if !style.headers || (seen && !style.intervals) {
            return Ok(());
        }
        if style.intervals {
            writeln!(out, "\n{title}")?;
        }
        header(out, columns, cpu)
    }
}

/// The cells of a latency summary.
fn latencies(
    style: &Style,
    size: usize,
    summary: &LatencySummary,
) -> impl Iterator<Item = (f64, usize)> + use<> {
    let us = style.micros(summary);
    let head = [size as f64, us.average, us.deviation, us.min, us.max];
    let values = head.into_iter().chain(us.percentiles);
    values.zip(decimals_of(style, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]))
}

/// Microseconds get three decimals in place of their own when nanoseconds are shown; the size never
/// does.
fn decimals_of<const N: usize>(
    style: &Style,
    decimals: [usize; N],
) -> impl Iterator<Item = usize> + use<N> {
    let nanoseconds = style.nanoseconds;
    decimals
        .into_iter()
        .enumerate()
        .map(move |(i, own)| if nanoseconds && i > 0 { 3 } else { own })
}

fn header(out: &mut dyn Write, columns: &Columns, cpu: Option<f64>) -> io::Result<()> {
    let all = columns.iter().chain(cpu.map(|_| &CPU));
    let titles: Vec<_> = all
        .map(|(title, width)| format!("{title:>width$}"))
        .collect();
    writeln!(out, "{}", titles.join(","))
}

fn line(
    out: &mut dyn Write,
    columns: &Columns,
    values: impl Iterator<Item = (f64, usize)>,
    cpu: Option<f64>,
) -> io::Result<()> {
    let all = columns.iter().chain(cpu.map(|_| &CPU));
    let values = values.chain(cpu.map(|cpu| (cpu, 2)));
    let cells: Vec<_> = all
        .zip(values)
        .map(|((_, width), (value, decimals))| format!("{value:>width$.decimals$}"))
        .collect();
    writeln!(out, "{}", cells.join(","))
}

#[cfg(test)]
mod tests {
    use crate::options::{Format, OutputOptions};
    use crate::output::tests::{latency_row, loaded_row, plain, traffic_row, written};
    use crate::output::{LatencyInterval, TrafficInterval};

    #[test]
    fn the_latency_summary_has_the_published_columns() {
        let text = written(&plain(Format::Csv), |report| {
            report.latency_title(32);
            report.latency_summary(&latency_row());
            report.latency_summary(&latency_row());
        });
        let row = "                 32,       47,     54.4,        8,      124,        9,      124,      124,         124,           124\n";
        let header = "Sample Size (Bytes), Ave (μs), Std (μs), Min (μs), Max (μs), 50% (μs), 90% (μs), 99% (μs), 99.99% (μs), 99.9999% (μs)\n";
        assert_eq!(text, format!("{header}{row}{row}"));
    }

    #[test]
    fn latency_under_load_has_a_row_for_each_of_its_times() {
        let text = written(&plain(Format::Csv), |report| {
            report.latency_summary(&loaded_row());
        });
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("Sample Size (Bytes),  Rate (/s),    Time, Ave (μs),"));
        assert_eq!(
            lines[1],
            "                 32,     2500.5,response,     5000,      0.0,     5000,     5000,     5000,     5000,     5000,        5000,          5000"
        );
        assert!(lines[2].starts_with("                 32,     2500.5, service,       47,"));
    }

    #[test]
    fn the_throughput_summary_has_the_published_columns() {
        let text = written(&plain(Format::Csv), |report| {
            report.traffic_summary(&traffic_row())
        });
        assert_eq!(
            text,
            "Sample Size (Bytes), Total Samples, Avg Samples/s,    Avg Mbps, Lost Samples, Lost Samples (%)\n\
             \x20                32,            99,            50,         0.0,            1,             1.00\n"
        );
    }

    #[test]
    fn cpu_and_nanoseconds_change_cells_but_not_the_order() {
        let options = OutputOptions {
            headers: false,
            nanoseconds: true,
            ..plain(Format::Csv)
        };
        let text = written(&options, |report| {
            let mut row = latency_row();
            row.cpu = Some(12.345);
            report.latency_summary(&row);
        });
        assert_eq!(
            text,
            "                 32,   47.367,   54.192,    8.200,  124.000,    9.900,  124.000,  124.000,     124.000,       124.000,   12.35\n"
        );
    }

    #[test]
    fn intervals_come_with_a_title_and_one_header_per_size() {
        let options = OutputOptions {
            intervals: true,
            ..plain(Format::Csv)
        };
        let interval = || LatencyInterval {
            size: 32,
            summary: latency_row().summary,
            cpu: None,
        };
        let text = written(&options, |report| {
            report.latency_title(32);
            report.latency_interval(&interval());
            report.latency_interval(&interval());
            report.latency_summary(&latency_row());
        });
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].contains("One-Way Latency") && lines[1].contains("32"));
        assert_eq!(
            lines[2],
            "Length (Bytes), Latency (μs), Ave (μs), Std (μs), Min (μs), Max (μs)"
        );
        assert_eq!(
            lines[3],
            "            32,          124,       47,     54.4,        8,      124"
        );
        assert_eq!((lines[3], lines[5], lines.len()), (lines[4], "", 9));
        assert!(lines[6].starts_with("One-way Latency Summary"));
    }

    #[test]
    fn the_throughput_interval_has_the_published_columns() {
        let options = OutputOptions {
            intervals: true,
            ..plain(Format::Csv)
        };
        let text = written(&options, |report| {
            report.traffic_interval(&TrafficInterval {
                size: 32,
                packets: 300,
                packets_per_second: 100.0,
                average_packets: 150.4,
                mbps: 0.25,
                average_mbps: 0.75,
                lost: 100,
                cpu: Some(50.0),
            });
        });
        assert_eq!(
            text,
            "Length (Bytes), Total Samples,  Samples/s, Avg Samples/s,     Mbps,  Avg Mbps, Lost Samples, Lost Samples (%), CPU (%)\n\
             \x20           32,           300,        100,           150,      0.2,       0.8,          100,            25.00,   50.00\n"
        );
    }
}
