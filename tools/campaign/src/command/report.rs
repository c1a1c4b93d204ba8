//! `perftest report`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use super::{parse, print, status};
use crate::host::VERSION;
use crate::record::Directory;
use crate::report;

/// Writes report.html, report.md and csv/ into a campaign's directory.
#[derive(Parser)]
#[command(name = "perftest report", version = VERSION)]
struct Options {
    /// The campaign's directory.
    directory: PathBuf,
    /// An earlier campaign, whose Dunlin is laid over; may be repeated.
    #[arg(long, value_name = "DIRECTORY")]
    overlay: Vec<PathBuf>,
    /// Write the tables to this file too, below machine, build and date.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
}

/// Runs `perftest report` with these arguments.
pub fn report(arguments: &[String]) -> ExitCode {
    match parse::<Options>("perftest report", arguments) {
        Ok(options) => status(written(&options)),
        Err(status) => status,
    }
}

fn written(options: &Options) -> Result<ExitCode, String> {
    let earlier: Vec<_> = options.overlay.iter().map(Directory::at).collect();
    let directory = Directory::at(&options.directory);
    let failed = |error: report::ReportError| error.to_string();
    let mut files = report::write_over(&directory, &earlier).map_err(failed)?;
    if let Some(file) = &options.results {
        files.push(report::write_results(&directory, file).map_err(failed)?);
    }
    let lines = files.iter().map(|file| format!("{}\n", file.display()));
    print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}
