//! The peers of the campaign `bench` in Rust: `bench-peer raw|sealed|dunlin ROLE ...` with the
//! roles and options of `peers/peer.h`.
//!
//! Results are `name=value` words on one line of stdout.
mod dunlin;
mod figures;
mod lifeline;
mod options;
mod ping;
mod raw;
mod samples;
mod sealed;
mod stream;

use std::process::ExitCode;

use options::Options;

/// Why a peer could not do its work.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    lifeline::die_with_parent();
    let outcome = match words.first().map(String::as_str) {
        Some("raw") => Options::parse(&words[1..]).and_then(|options| raw::run(&options)),
        Some("sealed") => Options::parse(&words[1..]).and_then(|options| sealed::run(&options)),
        Some("dunlin") => Options::parse(&words[1..]).and_then(|options| dunlin::run(&options)),
        _ => Err("usage: bench-peer raw|sealed|dunlin ROLE [OPTION]...".into()),
    };
    match outcome {
        // Not through the clean-up of the peer: the other side has what it needs.
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
