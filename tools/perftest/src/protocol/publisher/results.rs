//! What a publisher leaves: its row, what stands beside it on stderr, and the raw latencies.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::Publisher;
use super::measure::Segment;
use crate::messaging::Messaging;
use crate::output::{LatencyRow, Loaded, Report};
use crate::stats::Latencies;

impl<M: Messaging> Publisher<'_, M> {
    pub(super) fn write_results(
        &self,
        report: &mut Report,
        size: usize,
        counts: &Segment,
        cpu: f64,
        complete: bool,
    ) {
        if self.options.id != 0 {
            return;
        }
        let summary = self.pongs.with(|measured| measured.summary());
        let lost = if self.options.latency_test {
            counts.timeouts.saturating_sub(counts.late)
        } else {
            counts.pings.saturating_sub(summary.count)
        };
        let row = LatencyRow {
            size,
            summary,
            cpu: self.session.options.output.cpu.then_some(cpu),
            sent: counts.sent,
            lost,
            late: counts.late,
            warm_up: self.warm_up,
            loaded: self.loaded(counts),
            cost: counts.spent.per_sample(counts.sent),
            complete,
        };
        report.latency_summary(&row);
        self.session.log.line(remarks(&row, counts.cut));
        if let Some(path) = &self.options.latency_file
            && let Err(error) = self.append_history(path)
        {
            self.session
                .log
                .line(format!("-latencyFile {}: {error}", path.display()));
        }
    }

    fn loaded(&self, counts: &Segment) -> Option<Loaded> {
        Some(Loaded {
            rate: self.options.open_loop?,
            response: self.pongs.responses()?,
            unsent: counts.unsent,
        })
    }

    /// Adds the latencies of this size to the logs that were asked for; what is then not there is an error.
    pub(super) fn log_histograms(&mut self, size: usize) -> Result<(), String> {
        if let Some(log) = &mut self.histograms {
            self.pongs
                .with(|measured| log.add(size, measured.histogram()))?;
        }
        let Some(log) = &mut self.response_histograms else {
            return Ok(());
        };
        let responses = |responses: &Latencies| log.add(size, responses.histogram());
        self.pongs.with_responses(responses).unwrap_or(Ok(()))
    }

    fn append_history(&self, path: &Path) -> std::io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let mut file = BufWriter::new(file);
        let nanoseconds = self.session.options.output.nanoseconds;
        self.pongs.history(|latencies| {
            writeln!(file, "Index, Latency (μs)")?;
            for (index, latency) in latencies.iter().enumerate() {
                if nanoseconds {
                    writeln!(file, "{index}, {:.3}", *latency as f64 / 1_000.0)?;
                } else {
                    writeln!(file, "{index}, {}", latency / 1_000)?;
                }
            }
            writeln!(file)
        })?;
        file.flush()
    }
}

/// What stands beside the row, on stderr.
fn remarks(row: &LatencyRow, cut: u64) -> String {
    let count = row.summary.count;
    if count == 0 {
        return format!(
            "No pong was measured for {} bytes ({} samples sent, {} pings lost, {} late): the row shows zeros.",
            row.size, row.sent, row.lost, row.late
        );
    }
    let thin: Vec<_> = [("99", 100), ("99.99", 10_000), ("99.9999", 1_000_000)]
        .into_iter()
        .filter(|(_, one_in)| count / one_in < 10)
        .map(|(name, _)| format!("{name} %"))
        .collect();
    let thin = if thin.is_empty() {
        String::new()
    } else {
        format!(" Fewer than 10 latencies lie beyond {}.", thin.join(", "))
    };
    let cut = if cut > 0 {
        " The last ping was cut off by the end."
    } else {
        ""
    };
    let behind = match &row.loaded {
        Some(loaded) if loaded.unsent > 0 => format!(
            " {} pings of the schedule could not be sent even after its end: the rate is more than what goes through.",
            loaded.unsent
        ),
        _ => String::new(),
    };
    format!(
        "{} bytes: {count} latencies of {} samples sent after {} of warm-up; {} pings lost, {} pongs late.{behind}{cut}{thin}",
        row.size, row.sent, row.warm_up, row.lost, row.late
    )
}
