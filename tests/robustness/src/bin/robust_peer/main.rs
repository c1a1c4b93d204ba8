//! A participant that writes or reads numbered samples and says how that went: the subject of the
//! robustness tests.
//!
//! Arguments are `name=value` words (see `options.rs`), commands are lines on the standard input
//! (see `command.rs`), each answered with one line. It ends with its input.
#![forbid(unsafe_code)]

mod command;
mod journal;
mod options;
mod sample;
mod writing;

use command::Peer;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    let options = options::Options::parse(std::env::args().skip(1))?;
    let mut peer = Peer::new(&options)?;
    say(&peer.introduction());
    for line in std::io::stdin().lock().lines() {
        say(&peer.obey(&line?));
    }
    Ok(())
}

fn say(line: &str) {
    println!("{line}");
    // A test that has gone hears nothing any more; the input ends next.
    let _ = std::io::stdout().flush();
}
