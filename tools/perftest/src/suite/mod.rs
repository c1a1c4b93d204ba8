//! Both sides of a standard set of runs over loopback, in child processes of this program, and one table of them.

mod cell;
mod isolate;
mod table;

use std::io::Write;

use crate::output::Log;
use cell::{Bench, Cell, Mode, Placement};
use isolate::Isolation;

/// Sizes of the rows, in bytes.
const SIZES: [usize; 5] = [32, 1_024, 8_192, 63_000, 1_048_576];

/// Seconds of measurement per cell, unless others were asked for.
const SECONDS: u64 = 4;

/// Runs everything and prints the table; `seconds` is the length of one run.
pub(crate) fn run(seconds: Option<u64>, log: &Log) -> Result<(), String> {
    let seconds = seconds.unwrap_or(SECONDS);
    let isolation = isolate::enter(seconds);
    let bench = Bench::new(seconds, isolation, Placement::of_this_process())?;
    log.line(format!(
        "Dunlin perftest: {} runs of {seconds} s. {}",
        SIZES.len() * Mode::ALL.len(),
        isolation.describe()
    ));
    let mut rows: Vec<Cell> = Vec::new();
    for size in SIZES {
        for mode in Mode::ALL {
            let cell = bench.run(mode, size);
            log.line(format!(
                "{:>8} bytes, {:<13} {}",
                size,
                mode.name(),
                cell.short()
            ));
            rows.push(cell);
        }
    }
    print(&table::table(&rows, &bench))?;
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
