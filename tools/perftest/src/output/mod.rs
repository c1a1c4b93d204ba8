//! The tables: what goes to stdout or `-outputFile`, and nothing else.

mod csv;
mod json;
mod legacy;

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use dunlin_campaign::whole;

use crate::cost::Cost;
use crate::options::{Format, OutputOptions};
use crate::stats::{Figures, LatencySummary};

/// One measured latency and what has come together so far.
pub(crate) struct LatencyInterval {
    pub(crate) size: usize,
    pub(crate) summary: LatencySummary,
    pub(crate) cpu: Option<f64>,
}

/// The result of a latency measurement.
pub(crate) struct LatencyRow {
    pub(crate) size: usize,
    pub(crate) summary: LatencySummary,
    pub(crate) cpu: Option<f64>,
    /// Samples written, pings among them.
    pub(crate) sent: u64,
    /// Pings that were never answered.
    pub(crate) lost: u64,
    /// Pongs that came after their time-out; they are not in the summary.
    pub(crate) late: u64,
    /// Warm-up samples before the clock started.
    pub(crate) warm_up: u64,
    /// Of an open loop; the summary is then that of service times.
    pub(crate) loaded: Option<Loaded>,
    pub(crate) cost: Option<Cost>,
    /// False when the run was cut short.
    pub(crate) complete: bool,
}

/// What an open loop measured beside service times.
pub(crate) struct Loaded {
    /// Pings per second of the schedule.
    pub(crate) rate: f64,
    /// Latencies from the moments of the schedule.
    pub(crate) response: LatencySummary,
    /// Pings whose moment came and went.
    pub(crate) unsent: u64,
}

/// Traffic of one second.
pub(crate) struct TrafficInterval {
    pub(crate) size: usize,
    pub(crate) packets: u64,
    pub(crate) packets_per_second: f64,
    pub(crate) average_packets: f64,
    pub(crate) mbps: f64,
    pub(crate) average_mbps: f64,
    pub(crate) lost: u64,
    pub(crate) cpu: Option<f64>,
}

/// The result of counting traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrafficRow {
    pub(crate) size: usize,
    pub(crate) packets: u64,
    pub(crate) packets_per_second: f64,
    pub(crate) mbps: f64,
    pub(crate) lost: u64,
    pub(crate) cpu: Option<f64>,
    pub(crate) cost: Option<Cost>,
    pub(crate) complete: bool,
}

/// Percentage of lost samples among all that were sent.
pub(crate) fn lost_percent(lost: u64, packets: u64) -> f64 {
    let sent = lost + packets;
    if sent == 0 {
        return 0.0;
    }
    lost as f64 / sent as f64 * 100.0
}

/// How a form of output writes its rows. `Report` decides whether a row is written at all.
trait Layout: Send {
    fn latency_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()>;
    fn latency_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyInterval,
    ) -> io::Result<()>;
    fn latency_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyRow,
    ) -> io::Result<()>;
    fn traffic_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()>;
    fn traffic_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &TrafficInterval,
    ) -> io::Result<()>;
    fn traffic_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &TrafficRow,
    ) -> io::Result<()>;
    /// Closes what is open; also called after a run that was cut short.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// What the user asked for.
#[derive(Clone, Copy)]
struct Style {
    headers: bool,
    intervals: bool,
    nanoseconds: bool,
}

impl Style {
    /// The average, extremes and percentiles in microseconds, with the decimals to show.
    fn micros(&self, summary: &LatencySummary) -> Micros {
        if self.nanoseconds {
            Micros::from(&summary.nanos, summary.last as f64, 1_000.0)
        } else {
            Micros::from(&summary.micros, (summary.last / 1_000) as f64, 1.0)
        }
    }
}

/// Microseconds ready to print.
struct Micros {
    last: f64,
    average: f64,
    deviation: f64,
    min: f64,
    max: f64,
    percentiles: [f64; 5],
}

impl Micros {
    fn from(figures: &Figures, last: f64, unit: f64) -> Self {
        Self {
            last: last / unit,
            average: figures.average / unit,
            deviation: figures.deviation / unit,
            min: figures.min as f64 / unit,
            max: figures.max as f64 / unit,
            percentiles: figures.percentiles.map(|value| value as f64 / unit),
        }
    }
}

/// The sink of all tables of a process. Rows are flushed one by one, so a killed process leaves
/// whole rows.
pub(crate) struct Report {
    out: Box<dyn Write + Send>,
    layout: Box<dyn Layout>,
    style: Style,
    failure: Option<io::Error>,
    /// Ends the test.
    stop: Arc<AtomicBool>,
}

/// A file that rows are added to as a whole or not at all.
struct Rows(File);

impl Write for Rows {
    fn write(&mut self, row: &[u8]) -> io::Result<usize> {
        whole::append_to(&self.0, |out| out.write_all(row))?;
        Ok(row.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How the tables ended.
#[derive(Debug)]
pub(crate) enum Written {
    /// All rows are where they should be.
    All,
    /// Whoever read them wants no more: the other end of a pipe is closed.
    Unwanted,
}

impl Report {
    /// Writes to stdout, or appends to the file that was asked for. When that fails, `stop` is set:
    /// a test without a result is of no use to anybody.
    pub(crate) fn open(options: &OutputOptions, stop: &Arc<AtomicBool>) -> Result<Self, String> {
        let out: Box<dyn Write + Send> = match &options.file {
            None => Box::new(io::stdout()),
            Some(path) => Box::new(Rows(
                File::options()
                    .create(true)
                    .append(true)
                    .open(path)
                    .map_err(|error| format!("-outputFile {}: {error}", path.display()))?,
            )),
        };
        Ok(Self {
            stop: Arc::clone(stop),
            ..Self::to(out, options)
        })
    }

    /// Writes to `out`.
    pub(crate) fn to(out: Box<dyn Write + Send>, options: &OutputOptions) -> Self {
        Self {
            out,
            stop: Arc::default(),
            layout: match options.format {
                Format::Csv => Box::new(csv::Csv::default()),
                Format::Json => Box::new(json::Json::default()),
                Format::Legacy => Box::new(legacy::Legacy),
            },
            style: Style {
                headers: options.headers,
                intervals: options.intervals,
                nanoseconds: options.nanoseconds,
            },
            failure: None,
        }
    }

    /// Whether rows before the summary are wanted.
    pub(crate) fn intervals(&self) -> bool {
        self.style.intervals
    }

    /// Begins the rows of one size on the publisher.
    pub(crate) fn latency_title(&mut self, size: usize) {
        self.row(|layout, out, style| layout.latency_title(out, style, size));
    }

    /// A row per second, for the latest pong.
    pub(crate) fn latency_interval(&mut self, row: &LatencyInterval) {
        if self.style.intervals {
            self.row(|layout, out, style| layout.latency_interval(out, style, row));
        }
    }

    /// The publisher's result.
    pub(crate) fn latency_summary(&mut self, row: &LatencyRow) {
        self.row(|layout, out, style| layout.latency_summary(out, style, row));
    }

    /// Begins the rows of one size on the subscriber.
    pub(crate) fn traffic_title(&mut self, size: usize) {
        self.row(|layout, out, style| layout.traffic_title(out, style, size));
    }

    /// A row per second.
    pub(crate) fn traffic_interval(&mut self, row: &TrafficInterval) {
        if self.style.intervals {
            self.row(|layout, out, style| layout.traffic_interval(out, style, row));
        }
    }

    /// The subscriber's result.
    pub(crate) fn traffic_summary(&mut self, row: &TrafficRow) {
        self.row(|layout, out, style| layout.traffic_summary(out, style, row));
    }

    /// Closes the document. The error is the first one of all rows.
    pub(crate) fn finish(mut self) -> Result<Written, String> {
        self.row(|layout, out, _| layout.finish(out));
        match self.failure {
            None => Ok(Written::All),
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Written::Unwanted),
            Some(error) => Err(format!("the results could not be written: {error}")),
        }
    }

    fn row(
        &mut self,
        write: impl FnOnce(&mut dyn Layout, &mut dyn Write, &Style) -> io::Result<()>,
    ) {
        if self.failure.is_some() {
            return;
        }
        // One write call per row, so that rows of both sides into one file do not mix.
        let mut text = Vec::new();
        let written = write(self.layout.as_mut(), &mut text, &self.style)
            .and_then(|()| self.out.write_all(&text))
            .and_then(|()| self.out.flush());
        if let Err(error) = written {
            self.stop.store(true, Ordering::Relaxed);
            self.failure = Some(error);
        }
    }
}

/// Progress and reasons, for stderr.
pub(crate) struct Log {
    out: Mutex<Box<dyn Write + Send>>,
}

impl Log {
    /// Writes to stderr.
    pub(crate) fn stderr() -> Self {
        Self::to(Box::new(io::stderr()))
    }

    /// Writes to `out`.
    pub(crate) fn to(out: Box<dyn Write + Send>) -> Self {
        Self {
            out: Mutex::new(out),
        }
    }

    /// One line. A closed stderr does not stop a test.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if let Ok(mut out) = self.out.lock() {
            let _ = out.write_all(format!("{}\n", text.as_ref()).as_bytes());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::stats::Latencies;

    /// Memory to write tables into.
    #[derive(Clone, Default)]
    pub(crate) struct Page(Arc<Mutex<Vec<u8>>>);

    impl Page {
        /// Everything written so far.
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(crate) fn plain(format: Format) -> OutputOptions {
        OutputOptions {
            format,
            intervals: false,
            headers: true,
            cpu: false,
            nanoseconds: false,
            file: None,
        }
    }

    pub(crate) fn latency_row() -> LatencyRow {
        let mut latencies = Latencies::new(None);
        [8_200, 9_900, 124_000]
            .into_iter()
            .for_each(|value| latencies.record(value));
        LatencyRow {
            size: 32,
            summary: latencies.summary(),
            cpu: None,
            sent: 4,
            lost: 1,
            late: 0,
            warm_up: 50,
            loaded: None,
            cost: None,
            complete: true,
        }
    }

    pub(crate) fn loaded_row() -> LatencyRow {
        let mut latencies = Latencies::new(None);
        latencies.record(5_000_000);
        let loaded = Loaded {
            rate: 2_500.5,
            response: latencies.summary(),
            unsent: 2,
        };
        LatencyRow {
            loaded: Some(loaded),
            ..latency_row()
        }
    }

    pub(crate) fn traffic_row() -> TrafficRow {
        TrafficRow {
            size: 32,
            packets: 99,
            packets_per_second: 49.5,
            mbps: 0.0127,
            lost: 1,
            cpu: None,
            cost: None,
            complete: true,
        }
    }

    pub(crate) fn written(options: &OutputOptions, rows: impl FnOnce(&mut Report)) -> String {
        let page = Page::default();
        let mut report = Report::to(Box::new(page.clone()), options);
        rows(&mut report);
        report.finish().unwrap();
        page.text()
    }

    #[test]
    fn without_intervals_and_headers_each_side_writes_one_row() {
        for format in [Format::Csv, Format::Legacy] {
            let options = OutputOptions {
                headers: false,
                ..plain(format)
            };
            let publisher = written(&options, |report| {
                report.latency_title(32);
                report.latency_summary(&latency_row());
            });
            let subscriber = written(&options, |report| {
                report.traffic_title(32);
                report.traffic_summary(&traffic_row());
            });
            assert_eq!(
                (publisher.lines().count(), subscriber.lines().count()),
                (1, 1)
            );
        }
    }

    #[test]
    fn a_row_that_cannot_be_written_ends_the_test() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let finish = |kind| {
            let mut report = Report::to(Box::new(Broken(kind)), &plain(Format::Csv));
            let stop = Arc::clone(&report.stop);
            assert!(!stop.load(Ordering::Relaxed));
            report.latency_summary(&latency_row());
            assert!(stop.load(Ordering::Relaxed), "{kind}");
            report.finish()
        };
        assert!(finish(io::ErrorKind::StorageFull).is_err());
        assert!(matches!(
            finish(io::ErrorKind::BrokenPipe),
            Ok(Written::Unwanted)
        ));
    }
}
