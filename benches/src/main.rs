//! `bench`: Dunlin beside the raw floors, Cyclone DDS, Fast DDS and iceoryx2 on the same work in
//! the same run.
//!
//! Every figure is the median over the repetitions; in each repetition all systems take their turn
//! at a piece of work before the next one begins, and a ratio compares figures of the same turn.
mod demand;
mod fan_out;
mod footprint;
mod host;
mod latency;
mod memory;
mod options;
mod process;
mod reading;
mod statistics;
mod syscalls;
mod system;
mod table;
mod tcp;
mod throughput;

use std::process::ExitCode;

use host::Host;
use options::{Options, Section};
use table::Table;

fn main() -> ExitCode {
    match Options::from_process().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Measures a section.
type Measure = fn(&Host, &Options) -> Vec<Table>;

fn run(options: &Options) -> Result<(), String> {
    let host = Host::prepare(options)?;
    let mut tables: Vec<Table> = Vec::new();
    let sections: [(Section, Measure); 6] = [
        (Section::Latency, latency::run),
        (Section::Throughput, throughput::run),
        (Section::FanOut, fan_out::run),
        (Section::Footprint, footprint::run),
        (Section::Memory, memory::run),
        (Section::Tcp, tcp::run),
    ];
    for (section, measure) in sections {
        if options.wants(section) {
            tables.extend(measure(&host, options));
        }
    }
    tables.retain(|table| !table.is_empty());
    let notes = notes(&host, options);
    print!("{}", notes.join("\n"));
    println!();
    tables.iter().for_each(|table| print!("{}", table.text()));
    let met = tables.iter().map(Table::met).sum::<usize>();
    let missed = tables.iter().map(Table::missed).sum::<usize>();
    println!("\n{met} targets met, {missed} missed");
    if let Some(path) = &options.markdown {
        let parts: Vec<String> = tables.iter().map(Table::markdown).collect();
        let text = format!("{}\n\n{}", notes.join("  \n"), parts.join("\n"));
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn notes(host: &Host, options: &Options) -> Vec<String> {
    let mut notes = vec![
        host.describe(),
        format!(
            "{} repetitions of {} s each; publisher on processor {}, subscriber on processor {}; one network namespace with loopback only.",
            options.repeat, options.seconds, host.cpus[0], host.cpus[1]
        ),
    ];
    notes.extend(host.skipped.iter().cloned());
    notes
}
