//! A benchmark with the command lines and tables of RTI Perftest, for Dunlin and for the plain
//! sockets beneath it.
//!
//! The library is one function, so that the command `dunlin` can offer it too. `options` reads the
//! command line, `protocol` runs one side of a test over a `messaging` back end, `stats` and
//! `output` turn it into tables. A first word without a dash is a command of `dunlin_campaign`,
//! which runs both sides by starting this program again.

mod clock;
mod cost;
mod dds;
pub mod driver;
#[cfg(test)]
mod loopback;
mod messaging;
mod options;
mod output;
mod protocol;
mod raw;
mod stats;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use dds::Dds;
use driver::{Driven, Driver};
use dunlin_campaign::spelling;
use messaging::Messaging;
use options::{Carrier, Options, RelayOptions, Role};
use output::{Log, Report, Written};
use protocol::{Bounds, Session, publish, subscribe};

/// Counts allocations, of which a sample should cost none: so this costs nothing, either.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The commands for people.
const COMMANDS: [&str; 5] = ["campaign", "agent", "report", "compare", "doctor"];

/// The version of Dunlin, and how this program was built.
pub use dunlin_campaign::host::VERSION;

/// Exit status when a test was cut short.
const FAILED: u8 = 1;

/// Exit status when an option is wrong.
const WRONG_OPTION: u8 = 255;

/// Runs the benchmark with these arguments, the name of the program not among them.
///
/// Tables go to stdout, everything else to stderr. The status is 0 when the test ran to its end, 1
/// when it was cut short, 255 when an option is wrong. Without arguments it is the campaign
/// `quick`.
pub fn main(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    ExitCode::from(main_with(arguments, None))
}

/// The same, with a program in another language instead of Dunlin's Rust API; returns the status.
pub fn main_with(
    arguments: impl IntoIterator<Item = String>,
    driver: Option<Arc<dyn Driver>>,
) -> u8 {
    let arguments: Vec<String> = arguments.into_iter().collect();
    if let Some(command) = command(&arguments, &driver) {
        return command;
    }
    let log = Log::stderr();
    let mut parsed = options::parse(&arguments);
    if parsed.has("help") {
        return printed(&options::help());
    }
    if parsed.has("version") {
        return printed(&format!("Dunlin perftest {VERSION}\n"));
    }
    let part = match parsed.has("relay") {
        true => Part::Relay(Box::new(options::relay(&mut parsed))),
        false => Part::Side(Box::new(options::options(&mut parsed))),
    };
    parsed
        .notes
        .iter()
        .for_each(|note| log.line(format!("Note: {note}.")));
    if !parsed.errors.is_empty() {
        parsed
            .errors
            .iter()
            .for_each(|error| log.line(format!("Error: {}", sentence(error))));
        return WRONG_OPTION;
    }
    match run(&part, &log, driver) {
        Ok(()) => 0,
        Err(reason) => {
            log.line(format!("Error: {reason}"));
            FAILED
        }
    }
}

/// With a full stop, unless it ends with another sign.
fn sentence(text: &str) -> String {
    match text.ends_with('?') {
        true => text.into(),
        false => format!("{text}."),
    }
}

/// Ends with text on stdout.
fn printed(text: &str) -> u8 {
    match dunlin_campaign::command::print(text) {
        Ok(()) => 0,
        Err(reason) => {
            Log::stderr().line(format!("Error: {reason}"));
            FAILED
        }
    }
}

/// What the first word asks for, if it is a command; no word at all is one too.
fn command(arguments: &[String], driver: &Option<Arc<dyn Driver>>) -> Option<u8> {
    let quick = ["campaign".to_string(), "quick".to_string()];
    let (first, rest) = arguments.split_first().or(quick.split_first())?;
    let first = first.as_str();
    let status = |code| match code {
        ExitCode::SUCCESS => 0,
        ExitCode::FAILURE => FAILED,
        _ => WRONG_OPTION,
    };
    if first == "perftest" {
        // How a program of another name, which may have perftest among others, calls itself.
        return Some(main_with(rest.to_vec(), driver.clone()));
    }
    campaign_command(first, rest)
        .map(status)
        .or_else(|| unknown_command(first))
}

fn campaign_command(first: &str, rest: &[String]) -> Option<ExitCode> {
    match first {
        "campaign" => Some(dunlin_campaign::command::campaign(rest)),
        "agent" => Some(dunlin_campaign::command::agent(rest)),
        "report" => Some(dunlin_campaign::command::report(rest)),
        "compare" => Some(dunlin_campaign::command::compare(rest)),
        "side" => Some(dunlin_campaign::command::side(rest)),
        "doctor" => Some(dunlin_campaign::host::command(rest)),
        _ => None,
    }
}

/// Refuses a first word that looks like one of the commands for people; others may be options.
fn unknown_command(word: &str) -> Option<u8> {
    if word.starts_with('-') {
        return None;
    }
    let similar = spelling::similar(word, COMMANDS);
    if similar.is_empty() {
        return None;
    }
    let hint = spelling::hint(&similar, "perftest ");
    Log::stderr().line(format!("Error: perftest {word} is no command; {hint}"));
    Some(WRONG_OPTION)
}

/// What this process is in a test.
enum Part {
    Side(Box<Options>),
    Relay(Box<RelayOptions>),
}

/// Takes its part in a test.
fn run(part: &Part, log: &Log, driver: Option<Arc<dyn Driver>>) -> Result<(), String> {
    let options = match part {
        Part::Side(options) => options.as_ref(),
        Part::Relay(relay) => &relay.input,
    };
    if let Some(cpu) = options.pin {
        pin(cpu)?;
    }
    log_middleware(options.verbosity);
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A second one ends the process at once, should the first one not.
        signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| format!("signal handler: {error}"))?;
    }
    match part {
        Part::Side(options) => run_side(options, log, &stop, driver),
        Part::Relay(relay) => run_relay(relay, log, &stop),
    }
}

/// Runs what is between the sides of a test.
fn run_relay(options: &RelayOptions, log: &Log, stop: &AtomicBool) -> Result<(), String> {
    log.line(format!(
        "Dunlin perftest {VERSION}\n{}",
        options::relay_summary(options).trim_end()
    ));
    match options.input.transport.carrier {
        Carrier::Shmem => raw::relay::<raw::Shm>(options, log, stop),
        Carrier::Tcp => raw::relay::<raw::Tcp>(options, log, stop),
        _ => raw::relay::<raw::Udp>(options, log, stop),
    }
}

/// Runs one side of a test.
fn run_side(
    options: &Options,
    log: &Log,
    stop: &Arc<AtomicBool>,
    driver: Option<Arc<dyn Driver>>,
) -> Result<(), String> {
    let language = driver
        .as_ref()
        .map_or(String::new(), |driver| format!(" in {}", driver.language()));
    log.line(format!(
        "Dunlin perftest{language} {VERSION}\n{}",
        options::summary(options).trim_end()
    ));
    let session = Session {
        options,
        log,
        stop,
        bounds: Bounds::default(),
    };
    match (options.transport.raw, options.transport.carrier) {
        (true, Carrier::Shmem) => {
            return run_over(&mut raw::Raw::<raw::Shm>::open(options)?, &session);
        }
        (true, Carrier::Tcp) => {
            return run_over(&mut raw::Raw::<raw::Tcp>::open(options)?, &session);
        }
        (true, _) => return run_over(&mut raw::Raw::<raw::Udp>::open(options)?, &session),
        (false, _) => {}
    }
    if let Some(driver) = driver {
        if options.xml.is_some() {
            log.line("Note: -qosFile is ignored: in other languages the built-in QoS is used.");
        }
        cost::count_allocations_by(&driver);
        return run_over(&mut Driven::open(driver, options, log)?, &session);
    }
    match (options.keyed, options.large()) {
        (false, false) => run_over(&mut Dds::<dds::Plain>::open(options, log)?, &session),
        (true, false) => run_over(&mut Dds::<dds::Keyed>::open(options, log)?, &session),
        (false, true) => run_over(&mut Dds::<dds::Large>::open(options, log)?, &session),
        (true, true) => run_over(&mut Dds::<dds::KeyedLarge>::open(options, log)?, &session),
    }
}

fn run_over<M: Messaging>(messaging: &mut M, session: &Session<'_>) -> Result<(), String> {
    let mut report = Report::open(&session.options.output, session.stop)?;
    let outcome = match &session.options.role {
        Role::Publisher(publisher) => publish(messaging, session, publisher, &mut report),
        Role::Subscriber(subscriber) => subscribe(messaging, session, subscriber, &mut report),
    };
    if let Some(losses) = messaging.losses() {
        session.log.line(format!("Warning: {losses}."));
    }
    match report.finish()? {
        Written::All => outcome,
        Written::Unwanted => Ok(()),
    }
}

/// Messages of the middleware go to stderr, as many as `-verbosity` asks for.
fn log_middleware(verbosity: u64) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbosity {
        0 => return,
        1 => LevelFilter::ERROR,
        2 => LevelFilter::WARN,
        _ => LevelFilter::TRACE,
    };
    // Fails only if the program that calls us has done so itself.
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .try_init();
}

/// Binds the process, and so all threads to come, to one processor.
fn pin(cpu: usize) -> Result<(), String> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    rustix::thread::sched_setaffinity(None, &set).map_err(|error| format!("-pin {cpu}: {error}"))
}
