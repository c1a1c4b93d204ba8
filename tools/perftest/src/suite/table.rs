//! The tables of the suite.

use std::fmt::Write;

use super::cell::{Bench, Cell, Measured};
use super::mode::Carrier;

/// All rows, with what the figures rest on above and below them.
pub(super) fn tables(rows: &[Cell], bench: &Bench) -> String {
    let mut text = String::new();
    for carrier in Carrier::ALL {
        table(&mut text, carrier, rows);
    }
    text.push('\n');
    text.push_str(&remarks(rows, bench));
    text
}

fn table(text: &mut String, carrier: Carrier, rows: &[Cell]) {
    let _ = writeln!(
        text,
        "\nLatency over {}: half of the round trip in μs, from process to process\n",
        carrier.name()
    );
    let _ = writeln!(
        text,
        "{:>12} {:<13} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>5} {:>5} {:>6} {:>6} {:>7}",
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
        "CPU p",
        "CPU s",
        "x floor"
    );
    for row in rows.iter().filter(|row| row.carrier == carrier) {
        let _ = write!(text, "{:>12} {:<13} ", row.size, row.mode.name());
        let _ = match &row.result {
            Ok(measured) => writeln!(text, "{}", figures(measured, floor(rows, row))),
            Err(reason) => writeln!(text, "failed: {reason}"),
        };
    }
}

/// The median without DDS at the size of `of`.
fn floor(rows: &[Cell], of: &Cell) -> Option<f64> {
    let what = |row: &Cell| (row.carrier, row.mode, row.size);
    rows.iter()
        .find(|row| what(row) == (of.carrier, of.mode.floor(), of.size))
        .and_then(|row| row.result.as_ref().ok())
        .map(|measured| measured.percentiles[0])
        .filter(|median| *median > 0.0)
}

fn figures(measured: &Measured, floor: Option<f64>) -> String {
    let [median, p90, p99, p9999] = measured.percentiles;
    let ratio = floor.map_or("-".into(), |floor| format!("{:.2}", median / floor));
    // The latency beyond which fewer than ten lie is chance.
    let p9999 = if measured.samples < 100_000 {
        format!("({p9999:.3})")
    } else {
        format!("{p9999:.3}")
    };
    format!(
        "{:>10.3} {:>10.3} {:>10.3} {:>10.3} {:>10} {:>10.3} {:>10} {:>5} {:>5} {:>6.0} {:>6.0} {:>7}",
        measured.min,
        median,
        p90,
        p99,
        p9999,
        measured.max,
        measured.samples,
        measured.lost,
        measured.late,
        measured.cpu.0,
        measured.cpu.1,
        ratio
    )
}

fn remarks(rows: &[Cell], bench: &Bench) -> String {
    let warm_up = rows
        .iter()
        .filter_map(|row| row.result.as_ref().ok())
        .map(|measured| measured.warm_up);
    let warm_up = match (warm_up.clone().min(), warm_up.max()) {
        (Some(least), Some(most)) => format!("{least} to {most} samples"),
        _ => "none".into(),
    };
    let placement = match bench.placement.pins {
        Some((publisher, subscriber)) => {
            format!("publisher on CPU {publisher}, subscriber on CPU {subscriber}")
        }
        None => "both sides on the only CPU there is".into(),
    };
    format!(
        "Ping-pong of one sample for {} s per row, after a warm-up of {warm_up} that is not in the figures.\n\
         {placement} (of {}). {}\n\
         Raw: without DDS, spinning; above 65507 bytes in datagrams of 60 KiB; by TCP, one connection; in shared memory, bare\n\
         slots that are copied in and out, or not copied. Dunlin waits with its default strategy. Keyed: reliable, 100000 instances. Zero copy:\n\
         reliable, each sample is built in shared memory and read there. CPU p, CPU s: publisher and subscriber, percent of one CPU.\n\
         x floor: median as a multiple of the raw one above it. ( ): fewer than ten latencies lie beyond.\n",
        bench.seconds,
        bench.placement.processors,
        bench.isolation.describe()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::cell::Placement;
    use crate::suite::isolate::Isolation;
    use crate::suite::mode::Mode;

    #[test]
    fn each_row_shows_its_ratio_to_the_floor_of_its_size() {
        let cell = |mode, median, samples| Cell {
            carrier: Carrier::Shmem,
            mode,
            size: 32,
            result: Ok(Measured {
                percentiles: [median, 4.0, 5.0, 6.0],
                samples,
                ..Measured::default()
            }),
        };
        let failed = Cell {
            carrier: Carrier::Shmem,
            mode: Mode::Reliable,
            size: 32,
            result: Err("publisher: lost".into()),
        };
        let placement = Placement {
            pins: Some((0, 1)),
            processors: 2,
        };
        let bench = Bench::new(4, Isolation::Namespace, placement).unwrap();
        let rows = [
            cell(Mode::Raw, 2.0, 200_000),
            cell(Mode::BestEffort, 3.0, 99_999),
            failed,
        ];
        let mut text = String::new();
        table(&mut text, Carrier::Shmem, &rows);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[4].ends_with("1.00") && lines[4].contains(" 6.000 "));
        assert!(lines[5].ends_with("1.50") && lines[5].contains("(6.000)"));
        assert!(lines[6].ends_with("failed: publisher: lost"));
        assert!(tables(&rows, &bench).contains("UDPv4"));
    }
}
