//! One sentence per line, as before the tables.

use std::io::{self, Write};

use super::{
    LatencyInterval, LatencyRow, Layout, Style, TrafficInterval, TrafficRow, lost_percent,
};
use crate::stats::LatencySummary;

/// The form without state.
pub(super) struct Legacy;

impl Layout for Legacy {
    fn latency_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()> {
        title(out, style, size)
    }

    fn latency_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyInterval,
    ) -> io::Result<()> {
        let (us, digits) = (style.micros(&row.summary), digits(style));
        write!(
            out,
            "One-Way Latency: {:6.digits$} μs Ave {:6.digits$} μs Std {:6.1} μs Min {:6.digits$} μs Max {:6.digits$} μs",
            us.last, us.average, us.deviation, us.min, us.max
        )?;
        end(out, row.cpu)
    }

    fn latency_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyRow,
    ) -> io::Result<()> {
        let Some(loaded) = &row.loaded else {
            return latency(out, style, row, "Latency", &row.summary);
        };
        latency(out, style, row, "Response", &loaded.response)?;
        latency(out, style, row, "Service", &row.summary)
    }

    fn traffic_title(&mut self, out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()> {
        title(out, style, size)
    }

    fn traffic_interval(
        &mut self,
        out: &mut dyn Write,
        _: &Style,
        row: &TrafficInterval,
    ) -> io::Result<()> {
        write!(
            out,
            "Packets: {:8} Packets/s: {:7.0} Packets/s(ave): {:7.0} Mbps: {:7.1} Mbps(ave): {:7.1} Lost: {:5} ({:4.2}%)",
            row.packets,
            row.packets_per_second,
            row.average_packets,
            row.mbps,
            row.average_mbps,
            row.lost,
            lost_percent(row.lost, row.packets)
        )?;
        end(out, row.cpu)
    }

    fn traffic_summary(
        &mut self,
        out: &mut dyn Write,
        _: &Style,
        row: &TrafficRow,
    ) -> io::Result<()> {
        write!(
            out,
            "Length: {:5} Packets: {:8} Packets/s(ave): {:7.0} Mbps(ave): {:7.1} Lost: {:5} ({:4.2}%)",
            row.size,
            row.packets,
            row.packets_per_second,
            row.mbps,
            row.lost,
            lost_percent(row.lost, row.packets)
        )?;
        end(out, row.cpu)
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn latency(
    out: &mut dyn Write,
    style: &Style,
    row: &LatencyRow,
    name: &str,
    summary: &LatencySummary,
) -> io::Result<()> {
    let (us, digits) = (style.micros(summary), digits(style));
    write!(
        out,
        "Length: {:5} {name}: Ave {:6.digits$} μs Std {:6.1} μs Min {:6.digits$} μs Max {:6.digits$} μs",
        row.size, us.average, us.deviation, us.min, us.max
    )?;
    let names = ["50", "90", "99", "99.99", "99.9999"];
    for (name, value) in names.iter().zip(us.percentiles) {
        write!(out, " {name}% {value:6.digits$} μs")?;
    }
    end(out, row.cpu)
}

fn title(out: &mut dyn Write, style: &Style, size: usize) -> io::Result<()> {
    if style.headers && style.intervals {
        let stars = "*".repeat(12);
        writeln!(out, "\n{stars} New data length is {size} {stars}")?;
    }
    Ok(())
}

fn digits(style: &Style) -> usize {
    if style.nanoseconds { 3 } else { 0 }
}

fn end(out: &mut dyn Write, cpu: Option<f64>) -> io::Result<()> {
    match cpu {
        Some(cpu) => writeln!(out, " CPU: {cpu:.2} (%)"),
        None => writeln!(out),
    }
}

#[cfg(test)]
mod tests {
    use crate::options::Format;
    use crate::output::tests::{latency_row, loaded_row, plain, traffic_row, written};

    #[test]
    fn results_are_sentences() {
        let text = written(&plain(Format::Legacy), |report| {
            report.latency_summary(&latency_row());
            report.traffic_summary(&traffic_row());
        });
        assert_eq!(
            text,
            "Length:    32 Latency: Ave     47 μs Std   54.4 μs Min      8 μs Max    124 μs 50%      9 μs 90%    124 μs 99%    124 μs 99.99%    124 μs 99.9999%    124 μs\n\
             Length:    32 Packets:       99 Packets/s(ave):      50 Mbps(ave):     0.0 Lost:     1 (1.00%)\n"
        );
    }

    #[test]
    fn latency_under_load_is_two_sentences() {
        let text = written(&plain(Format::Legacy), |report| {
            report.latency_summary(&loaded_row());
        });
        assert!(text.contains("Response: Ave   5000 μs"), "{text}");
        assert!(text.contains("Service: Ave     47 μs"), "{text}");
    }
}
