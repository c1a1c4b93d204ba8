//! What a publisher leaves: its row, what stands beside it on stderr, and the raw latencies.

use std::path::Path;

use dunlin_campaign::whole;

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
    }

    /// Adds the latencies of this size to the files that were asked for; what is then not there is
    /// an error.
    pub(super) fn write_files(&mut self, size: usize) -> Result<(), String> {
        let latencies = match &self.options.latency_file {
            Some(path) if self.options.id == 0 => self
                .append_history(path)
                .map_err(|error| format!("-latencyFile {}: {error}", path.display())),
            _ => Ok(()),
        };
        // One that cannot be written is no reason to leave out the others.
        latencies.and(self.log_histograms(size))
    }

    fn loaded(&self, counts: &Segment) -> Option<Loaded> {
        Some(Loaded {
            rate: self.options.open_loop?,
            response: self.pongs.responses()?,
            unsent: counts.unsent,
        })
    }

    fn log_histograms(&mut self, size: usize) -> Result<(), String> {
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
        let nanoseconds = self.session.options.output.nanoseconds;
        whole::append(path, |out| {
            self.pongs.history(|latencies| {
                writeln!(out, "Index, Latency (μs)")?;
                for (index, latency) in latencies.iter().enumerate() {
                    if nanoseconds {
                        writeln!(out, "{index}, {:.3}", *latency as f64 / 1_000.0)?;
                    } else {
                        writeln!(out, "{index}, {}", latency / 1_000)?;
                    }
                }
                writeln!(out)
            })
        })
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
