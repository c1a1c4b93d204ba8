//! `dunlin qos`: shows, checks and compares QoS profiles.

mod diff;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use dunlin_profiles::{Loader, Profiles};

/// Works on QoS profiles in XML.
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists profiles, or prints what one of them comes to: each value, and the line that says so;
    /// `=` is a default.
    Show(show::Options),
    /// Reports what is wrong in files, what has no effect here, and what may surprise. Exit status
    /// 0: nothing is wrong; 1: something is, or cannot be read; 2: with --strict, there are
    /// remarks.
    Lint {
        /// Files of profiles.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Remarks make the exit status 2.
        #[arg(long)]
        strict: bool,
    },
    /// Compares two profiles, or two files, and says what keeps writers of the one and readers of
    /// the other apart. Exit status 0: they are the same; 1: they are not; 2: wrong usage.
    Diff(diff::Options),
}

/// The files that a command reads.
#[derive(Args)]
struct Files {
    /// A file of profiles; may be given several times. Without it, those that applications read:
    /// NDDS_QOS_PROFILES, and NDDS_QOS_PROFILES.xml and USER_QOS_PROFILES.xml in this directory.
    #[arg(long = "qos-file", visible_alias = "qosFile", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Files {
    /// What they say; errors are printed.
    fn load(&self) -> Option<Profiles> {
        let loader = match self.files.is_empty() {
            true => Loader::new().default_files(),
            false => self.files.iter().fold(Loader::new(), Loader::file),
        };
        match loader.load() {
            Ok(profiles) => Some(profiles),
            Err(error) => {
                eprintln!("{error}");
                None
            }
        }
    }
}

/// Runs the command.
pub(crate) fn main(options: &Options) -> ExitCode {
    match &options.command {
        Command::Show(options) => show::main(options),
        Command::Lint { files, strict } => lint(files, *strict),
        Command::Diff(options) => diff::main(options),
    }
}

fn lint(files: &[PathBuf], strict: bool) -> ExitCode {
    let profiles = files.iter().fold(Loader::new(), Loader::file).inspect();
    let (problems, remarks) = (profiles.problems(), profiles.lint());
    let text = problems.render(profiles.sources()) + &remarks.render(profiles.sources());
    let errors = problems.errors();
    let warnings = problems.warnings() + remarks.warnings();
    print(&format!(
        "{text}{}: {errors} error(s), {warnings} remark(s)\n",
        profiles.summary()
    ));
    match (errors, warnings) {
        (1.., _) => ExitCode::FAILURE,
        (0, 1..) if strict => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Prints to the end, or until nobody reads.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}
