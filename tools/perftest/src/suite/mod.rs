//! Both sides of a standard set of runs over loopback, in child processes of this program, and one table for each transport.

mod cell;
mod isolate;
mod mode;
mod table;

use std::io::Write;

use crate::output::Log;
use cell::{Bench, Cell, Placement};
use isolate::Isolation;
use mode::Carrier;

/// Seconds of measurement per cell, unless others were asked for.
const SECONDS: u64 = 1;

/// Runs everything and prints the tables; `seconds` is the length of one run.
pub(crate) fn run(seconds: Option<u64>, log: &Log) -> Result<(), String> {
    let seconds = seconds.unwrap_or(SECONDS);
    let isolation = isolate::enter(seconds);
    let bench = Bench::new(seconds, isolation, Placement::of_this_process())?;
    log.line(format!(
        "Dunlin perftest: {} runs of {seconds} s. {}",
        Carrier::ALL
            .map(|carrier| carrier.rows().count())
            .iter()
            .sum::<usize>(),
        isolation.describe()
    ));
    let mut rows: Vec<Cell> = Vec::new();
    for carrier in Carrier::ALL {
        for (size, mode) in carrier.rows() {
            let cell = bench.run(carrier, mode, size);
            log.line(format!(
                "{} {size:>8} bytes, {:<13} {}",
                carrier.option(),
                mode.name(),
                cell.short()
            ));
            rows.push(cell);
        }
    }
    print(&table::tables(&rows, &bench))?;
    let failed = rows.iter().filter(|row| row.result.is_err()).count();
    if failed > 0 {
        return Err(format!("{failed} of {} runs failed", rows.len()));
    }
    Ok(())
}

fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| format!("the table could not be written: {error}"))
}

impl Isolation {
    fn describe(self) -> &'static str {
        match self {
            Isolation::Namespace => "Network: a namespace of its own, loopback only.",
            Isolation::Loopback => {
                "Network: no namespace of its own could be made, so both sides use only lo, by unicast."
            }
        }
    }
}
