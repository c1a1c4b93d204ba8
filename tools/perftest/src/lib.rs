//! A benchmark with the command lines and tables of RTI Perftest.

mod clock;
#[cfg(test)]
mod loopback;
mod messaging;
mod options;
mod output;
mod protocol;
mod raw;
mod stats;

use std::process::ExitCode;

/// x
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let _ = arguments.into_iter().count();
    ExitCode::SUCCESS
}
