//! `perftest agent`.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Parser;

use super::{guard, parse, say, status, stop_signal, this_program};
use crate::agent::secret::Secret;
use crate::agent::serve::Agent;
use crate::host::VERSION;
use crate::side::Local;

/// Serves campaigns of another host: runs their subscribers, and nothing else.
#[derive(Parser)]
#[command(name = "perftest agent", version = VERSION, allow_negative_numbers = true)]
struct Arguments {
    /// Where campaigns reach it, for instance 10.0.0.2:7450
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: String,
    /// The secret that campaigns have too, 16 octets at least, readable by its owner only
    #[arg(long, value_name = "FILE")]
    secret_file: PathBuf,
    /// Longest run in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3_700, value_parser = clap::value_parser!(u32).range(1..))]
    longest: u32,
}

/// Runs until it is told to end.
pub fn agent(arguments: &[String]) -> ExitCode {
    match parse::<Arguments>("perftest agent", arguments) {
        Ok(arguments) => status(serve(&arguments)),
        Err(code) => code,
    }
}

fn serve(arguments: &Arguments) -> Result<ExitCode, String> {
    let secret = Secret::read(&arguments.secret_file)?;
    let listener = TcpListener::bind(&arguments.listen)
        .map_err(|error| format!("--listen {}: {error}", arguments.listen))?;
    let perftest = this_program()?;
    let agent = Agent {
        secret,
        local: Local {
            before: guard(&perftest),
            perftest,
        },
        host: crate::host::this(),
        longest: Duration::from_secs(arguments.longest.into()),
        stop: stop_signal()?,
        busy: AtomicBool::new(false),
    };
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    say(&format!("perftest agent at {address}"));
    agent
        .serve(&listener, &|line| say(&line))
        .map_err(|error| format!("--listen {}: {error}", arguments.listen))?;
    Ok(ExitCode::SUCCESS)
}
