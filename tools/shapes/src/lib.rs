//! Moving shapes: `shape_main`, the program of the OMG interoperability suite (omg-dds/dds-rtps),
//! and `dunlin shapes`, a view of them on a terminal.
//!
//! The suite's program publishes coloured shapes that move, or prints those that it receives; the
//! suite starts two or three and reads what they print. What is printed is an interface, therefore,
//! and stands in `report.rs` alone. The view ([`view`]) does both at once for people.
mod listen;
mod options;
mod publish;
mod report;
mod shape;
mod subscribe;
mod view;

use clap::Parser;
use dunlin::{DomainParticipant, ParticipantConfig};
use options::{Options, Verbosity};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Arguments that cannot be.
const WRONG_OPTION: u8 = 1;
/// The entities could not be made.
const NOT_READY: u8 = 2;
/// Writing or reading failed.
const FAILED: u8 = 3;

/// How often a process that sleeps looks whether it is to end.
const NAP: Duration = Duration::from_millis(20);

/// What ends the process: a signal, or the wish of its options.
#[derive(Clone)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    fn by_signal() -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop))?;
        }
        Ok(Self(stop))
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Sleeps, but not beyond a signal.
    pub(crate) fn sleep(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.is_asked() && Instant::now() < until {
            thread::sleep(NAP.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// `dunlin shapes`: the suite's program if it is told to publish or to subscribe, else the view.
pub fn main(arguments: Vec<String>) -> ExitCode {
    let roles = ["-P", "-S"];
    match arguments.iter().any(|word| roles.contains(&word.as_str())) {
        true => self::suite(arguments),
        false => view::main(arguments),
    }
}

/// `shape_main` with these arguments.
pub fn suite(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let name = "shape_main".to_owned();
    let options = match Options::try_parse_from(std::iter::once(name).chain(arguments)) {
        Ok(options) => options,
        Err(error) => {
            // Usage goes to stdout, complaints to stderr.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { WRONG_OPTION } else { 0 });
        }
    };
    if let Err(reason) = options.check() {
        println!("error: {reason}");
        return ExitCode::from(WRONG_OPTION);
    }
    for note in options.notes() {
        println!("warning: {note}");
    }
    log(options.verbosity);
    match run(&options) {
        Ok(()) => {
            println!("Done.");
            ExitCode::SUCCESS
        }
        Err((status, reason)) => {
            println!("error: {reason}");
            ExitCode::from(status)
        }
    }
}

fn run(options: &Options) -> Result<(), (u8, String)> {
    let not_ready = |error: &dyn std::fmt::Display| (NOT_READY, error.to_string());
    let stop = Stop::by_signal().map_err(|error| not_ready(&error))?;
    let participant = DomainParticipant::with_config(options.domain, ParticipantConfig::default())
        .map_err(|error| not_ready(&error))?;
    participant.set_listener(listen::Listener, listen::Listener::STATUSES);
    if options.publish {
        let publisher = publish::Publishers::new(&participant, options);
        let mut publisher = publisher.map_err(|error| not_ready(&error))?;
        let ran = publisher.run(options, &stop);
        ran.map_err(|error| (FAILED, error.to_string()))
    } else {
        let subscriber = subscribe::Subscribers::new(&participant, options);
        let mut subscriber = subscriber.map_err(|error| not_ready(&error))?;
        let ran = subscriber.run(options, &stop);
        ran.map_err(|error| (FAILED, error.to_string()))
    }
}

fn log(verbosity: Verbosity) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbosity {
        Verbosity::Error => LevelFilter::ERROR,
        Verbosity::Debug => LevelFilter::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .init();
}
