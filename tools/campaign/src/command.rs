//! `perftest campaign`, `agent`, `report` and `compare`: their command lines.

mod agent;
mod campaign;
mod compare;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use clap::error::ErrorKind;

pub use agent::agent;
pub use campaign::campaign;
pub use compare::compare;
pub use report::report;

use crate::terminal;

/// Exit status when an option is wrong, as of perftest itself.
const WRONG_OPTION: u8 = 255;

/// How this program is started: itself, and the words that make it perftest.
pub fn this_program() -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| format!("who am I: {error}"))?;
    let own = program.file_stem().is_some_and(|stem| stem == "perftest");
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend((!own).then(|| "perftest".to_string()));
    Ok(words)
}

/// The words before a command that end it together with this process; [`side`] is behind them.
fn guard(perftest: &[String]) -> Vec<String> {
    let own = [String::from("side"), std::process::id().to_string()];
    perftest.iter().cloned().chain(own).collect()
}

/// `perftest side PARENT COMMAND...`: becomes the command, which ends when its parent does, however
/// that ends.
pub fn side(arguments: &[String]) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let [parent, program, rest @ ..] = arguments else {
        say("Error: `side` is for perftest's own use");
        return ExitCode::from(WRONG_OPTION);
    };
    let signal = rustix::process::Signal::KILL;
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(signal)) {
        say(&format!("Error: {program}: {error}"));
        return ExitCode::FAILURE;
    }
    let here = rustix::process::getppid();
    let here = here.map(|process| process.as_raw_nonzero().to_string());
    if here.as_deref() != Some(parent) {
        say(&format!("Error: {program}: the campaign has ended"));
        return ExitCode::FAILURE;
    }
    let error = std::process::Command::new(program).args(rest).exec();
    say(&format!("Error: {program}: {error}"));
    ExitCode::FAILURE
}

/// Set when the user or the system wants this program to end.
fn stop_signal() -> Result<Arc<AtomicBool>, String> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| format!("signal handler: {error}"))?;
    }
    Ok(stop)
}

/// Reads a command line; the error is the status to end with, all being said.
pub(crate) fn parse<T: Parser>(name: &str, arguments: &[String]) -> Result<T, ExitCode> {
    let words = std::iter::once(name.to_string()).chain(arguments.iter().cloned());
    T::try_parse_from(words).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            status(print(&error.to_string()).map(|()| ExitCode::SUCCESS))
        }
        _ => {
            // Where that cannot be printed nothing else can.
            let _ = error.print();
            ExitCode::from(WRONG_OPTION)
        }
    })
}

/// Writes text to stdout. Whoever has closed the other end of a pipe wants no more of it, which is
/// no error.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("stdout: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr. A closed stderr stops nothing.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", terminal::line(line));
}

/// Writes what went wrong to stderr, which may take several lines.
pub(crate) fn say_error(error: &str) {
    let _ = writeln!(
        std::io::stderr(),
        "{}",
        terminal::lines(&format!("Error: {error}"))
    );
}

/// What to end with.
pub(crate) fn status(outcome: Result<ExitCode, String>) -> ExitCode {
    outcome.unwrap_or_else(|reason| {
        say_error(&reason);
        ExitCode::FAILURE
    })
}

/// A file that was named on the command line; the error says which option is missing.
fn needed(file: Option<PathBuf>, option: &str, why: &str) -> Result<PathBuf, String> {
    file.ok_or_else(|| format!("{option} is missing: {why}"))
}
