//! `perftest report`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use super::{parse, status};
use crate::record::Directory;
use crate::report;

/// Writes report.html, report.md and csv/ into a campaign's directory.
#[derive(Parser)]
struct Options {
    /// The campaign's directory.
    directory: PathBuf,
    /// An earlier campaign, whose Dunlin is laid over; may be repeated.
    #[arg(long, value_name = "DIRECTORY")]
    overlay: Vec<PathBuf>,
}

/// Runs `perftest report` with these arguments.
pub fn report(arguments: &[String]) -> ExitCode {
    match parse::<Options>("perftest report", arguments) {
        Ok(options) => status(written(&options).map_err(|error| error.to_string())),
        Err(status) => status,
    }
}

fn written(options: &Options) -> Result<ExitCode, report::ReportError> {
    let earlier: Vec<_> = options.overlay.iter().map(Directory::at).collect();
    let files = report::write_over(&Directory::at(&options.directory), &earlier)?;
    files.iter().for_each(|file| println!("{}", file.display()));
    Ok(ExitCode::SUCCESS)
}
