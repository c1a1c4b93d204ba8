//! `dunlin ls`: participants, topics and endpoints of one or more domains.
use crate::observer::{Observers, Where};
use crate::text;
use crate::view::DomainView;
use clap::Args;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Wrong usage, and what could not be done.
const FAILED: u8 = 2;
/// How often `--watch` looks for changes.
const LOOK: Duration = Duration::from_millis(200);
/// What the others see.
const NAME: &str = "dunlin ls (observer)";

/// What is listed.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    place: Where,
    /// Only these topics: a name, or a pattern with * and ?
    #[arg(long, short, value_name = "PATTERN")]
    topic: Option<String>,
    /// Print JSON, as docs/troubleshooting.md describes it
    #[arg(long)]
    json: bool,
    /// Go on, and print what comes (+) and goes (-) until interrupted; with --json everything anew,
    /// a line for each change
    #[arg(long, short)]
    watch: bool,
}

/// Runs the command.
pub fn main(options: &Options) -> ExitCode {
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprint!("{}", text::lines("dunlin ls: ", &reason));
            ExitCode::from(FAILED)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let place = &options.place;
    let observers = Observers::join(NAME, &place.domain, &place.peer)?;
    let pattern = options.topic.as_deref();
    let views = |domains: Vec<dunlin::observe::Domain>| -> Vec<DomainView> {
        let views = domains.iter().map(|domain| DomainView::of(domain, pattern));
        views.collect()
    };
    let mut shown = views(observers.gather(place.wait));
    let mut out = io::stdout();
    let printed = match options.json {
        true => print_json(&mut out, &shown, !options.watch),
        false => print_text(&mut out, &shown, options),
    };
    if let Some(end) = text::end_of_output(printed) {
        return end;
    }
    if !options.watch {
        return Ok(());
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let registered = signal_hook::flag::register(signal, Arc::clone(&stop));
        registered.map_err(|error| format!("listening to signals: {error}"))?;
    }
    while !stop.load(Relaxed) {
        thread::sleep(LOOK);
        let now = views(observers.look());
        if now == shown {
            continue;
        }
        let printed = match options.json {
            true => print_json(&mut out, &now, false),
            false => print_changes(&mut out, &shown, &now),
        };
        if let Some(end) = text::end_of_output(printed) {
            return end;
        }
        shown = now;
    }
    Ok(())
}

/// One object; in a row of them one line each.
fn print_json(out: &mut dyn Write, views: &[DomainView], pretty: bool) -> io::Result<()> {
    let all = serde_json::json!({ "format": 1, "domains": views });
    let text = match pretty {
        true => serde_json::to_string_pretty(&all)?,
        false => serde_json::to_string(&all)?,
    };
    writeln!(out, "{}", text::json(&text))?;
    out.flush()
}

fn print_text(out: &mut dyn Write, views: &[DomainView], options: &Options) -> io::Result<()> {
    let several = views.len() > 1;
    let shown = views.iter().filter(|view| !several || !view.is_empty());
    for (before, view) in shown.enumerate() {
        if before > 0 {
            writeln!(out)?;
        }
        text::print(out, view, io::stdout().is_terminal())?;
    }
    if views.iter().all(DomainView::is_empty) {
        let domains = &options.place.domain;
        writeln!(
            out,
            "nobody was heard in domain {domains}. `dunlin why` looks for the cause."
        )?;
    }
    out.flush()
}

/// A line for each participant and endpoint that came or went, or is not what it was.
fn print_changes(out: &mut dyn Write, before: &[DomainView], now: &[DomainView]) -> io::Result<()> {
    let (before, now) = (lines(before), lines(now));
    for gone in before.difference(&now) {
        out.write_all(text::line(&format!("- {gone}")).as_bytes())?;
    }
    for new in now.difference(&before) {
        out.write_all(text::line(&format!("+ {new}")).as_bytes())?;
    }
    out.flush()
}

fn lines(views: &[DomainView]) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for view in views {
        let domain = view.domain;
        let join = |cells: Vec<String>| {
            let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
            cells.join(" ")
        };
        for participant in &view.participants {
            let words = join(text::participant(participant));
            lines.insert(format!("domain {domain}: participant {words}"));
        }
        for endpoint in &view.endpoints {
            let words = join(text::endpoint(endpoint));
            lines.insert(format!("domain {domain}: {words}"));
        }
    }
    lines
}
