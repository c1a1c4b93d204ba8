//! `perftest campaign`.

mod preparation;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use self::preparation::{NO_GOALS, Prepared, prepare};
use super::{parse, print, say, status};
use crate::drive::{Course, Stopped, View};
use crate::host::VERSION;
use crate::lines::Lines;
use crate::live::Live;
use crate::record::{Campaign, Directory, Outcome, Run};
use crate::{builtin, file, goals, table};

/// Measures many cells, each several times and turn by turn, and reports on them.
#[derive(Parser)]
#[command(
    name = "perftest campaign",
    version = VERSION,
    arg_required_else_help = true,
    allow_negative_numbers = true
)]
pub(crate) struct Arguments {
    /// A built-in campaign (see --list) or a file (see docs/campaigns.md)
    #[arg(value_name = "NAME|FILE.toml", required_unless_present_any = ["list", "resume"])]
    campaign: Option<String>,
    /// Where the results go [default: perftest-report, or with a number]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write the tables to this file too, below machine, build and date, once all is measured
    #[arg(long, visible_alias = "markdown", value_name = "FILE")]
    results: Option<PathBuf>,
    /// Go on with an interrupted campaign: measure what is missing
    #[arg(long, conflicts_with_all = ["seconds", "repetitions", "with", "only", "hosts"])]
    resume: bool,
    /// Of each measurement, also parts of a second
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// How often each cell is measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: Option<u32>,
    /// Who is measured beside Dunlin, for instance raw,cyclone; "" for nobody
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    with: Option<Vec<String>>,
    /// Count system calls too, by strace, in two more short runs of each cell of latency
    #[arg(long)]
    system_calls: bool,
    /// Only cells whose name contains this; given twice, both
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Run the sides on virtual hosts: two with a cable between them, or with a router three at a
    /// switch
    #[arg(long, conflicts_with = "agent")]
    hosts: bool,
    /// Run the subscribers at this agent
    #[arg(long, value_name = "ADDRESS:PORT", requires = "secret_file")]
    agent: Option<String>,
    /// The secret that the agent has too
    #[arg(long, value_name = "FILE", requires = "agent")]
    secret_file: Option<PathBuf>,
    /// End with status 1 if a goal of the campaign was missed
    #[arg(long)]
    check: bool,
    /// Lines instead of a live view, also on a terminal
    #[arg(long)]
    plain: bool,
    /// List the built-in campaigns
    #[arg(long)]
    list: bool,
    /// Print the file of the campaign instead of measuring
    #[arg(long)]
    show: bool,
}

/// Runs a campaign, or goes on with one.
pub fn campaign(arguments: &[String]) -> ExitCode {
    match parse::<Arguments>("perftest campaign", arguments) {
        Ok(arguments) => status(run(&arguments)),
        Err(code) => code,
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if arguments.list {
        return print(&list()).map(|()| ExitCode::SUCCESS);
    }
    if arguments.show {
        let name = arguments.campaign.as_deref().unwrap_or_default();
        let text = match builtin::text(name) {
            Some(text) => text.to_owned(),
            None => file::text(name.as_ref())?,
        };
        return print(&text).map(|()| ExitCode::SUCCESS);
    }
    let prepared = prepare(arguments)?;
    introduce(&prepared);
    let outcome = measure(&prepared, arguments.plain);
    let runs = prepared
        .directory
        .runs()
        .map_err(|error| error.to_string())?;
    print(&table::tables(&prepared.campaign, &runs))?;
    let goals = goals::text(&prepared.campaign, &runs);
    if let Some((text, _)) = &goals {
        print(text)?;
    }
    print(&format!("\n{}", table::remarks(&prepared.campaign, &runs)))?;
    let measured = outcome.is_ok();
    let status = finish(&prepared, outcome, &runs);
    if let (true, Some(file)) = (measured, &arguments.results) {
        let written = crate::report::write_results(&prepared.directory, file);
        let file = written.map_err(|error| format!("results: {error}"))?;
        say(&format!("Results: {}", file.display()));
    }
    match arguments.check {
        true => status.and_then(|code| checked(goals.map(|(_, count)| count), code)),
        false => status,
    }
}

/// What `--check` makes of the goals.
fn checked(goals: Option<goals::Count>, code: ExitCode) -> Result<ExitCode, String> {
    match goals {
        None => Err(NO_GOALS.into()),
        Some(count) if count.missed > 0 => Err(format!("--check: {count}; the tables say which")),
        Some(_) => Ok(code),
    }
}

fn measure(prepared: &Prepared, plain: bool) -> Result<(), Stopped> {
    let runs = prepared.directory.runs().map_err(crate::drive::stopped)?;
    let terminal = std::io::stderr().is_terminal() && !plain;
    let live = terminal.then(|| Live::open(&prepared.campaign, &runs).ok());
    let mut view: Box<dyn View> = match live.flatten() {
        Some(live) => Box::new(live),
        None => Box::new(Lines(std::io::stderr())),
    };
    let course = Course {
        campaign: &prepared.campaign,
        directory: &prepared.directory,
        systems: &prepared.systems,
        benches: &prepared.benches,
    };
    course.run(view.as_mut())
}

/// Says what will happen.
fn introduce(prepared: &Prepared) {
    let campaign = &prepared.campaign;
    let (cells, repetitions) = (campaign.cells.len(), campaign.repetitions);
    say(&format!(
        "Campaign {}: {cells} cells, {repetitions} runs of {} s each, into {}. Network: {}.",
        campaign.name,
        campaign.seconds,
        prepared.directory.path().display(),
        campaign.networks().join(" and ")
    ));
    for line in prepared.notes.iter().chain(&campaign.skipped) {
        say(&format!("Note: {line}."));
    }
}

fn finish(
    prepared: &Prepared,
    outcome: Result<(), Stopped>,
    runs: &[Run],
) -> Result<ExitCode, String> {
    let path = prepared.directory.path();
    if let Err(stopped) = outcome {
        // Of what there is; without room or figures the campaign itself is what matters.
        if let (false, Ok(files)) = (runs.is_empty(), report(&prepared.directory)) {
            say_where(&files);
        }
        let done = runs.len();
        let total = total(&prepared.campaign);
        return Err(format!(
            "{stopped}. {done} of {total} runs are in {0}; perftest campaign --resume --output {0} goes on{1}",
            path.display(),
            prepared.how_to_reach
        ));
    }
    say_where(&report(&prepared.directory)?);
    let failed = |run: &&Run| matches!(run.outcome, Outcome::Failed(_));
    match runs.iter().filter(failed).count() {
        0 => Ok(ExitCode::SUCCESS),
        failed => Err(format!(
            "{failed} of {} runs failed; the tables and {} say why",
            runs.len(),
            Path::new(path).join("runs.jsonl").display()
        )),
    }
}

fn say_where(files: &[PathBuf]) {
    if let Some(file) = files.first() {
        say(&format!("Report: {}", file.display()));
    }
}

fn report(directory: &Directory) -> Result<Vec<PathBuf>, String> {
    crate::report::write(directory).map_err(|error| format!("report: {error}"))
}

fn total(campaign: &Campaign) -> usize {
    campaign.total()
}

fn list() -> String {
    let line = |(name, text)| {
        let about = file::parse(name, text).map_or(String::new(), |file| file.about);
        format!("{name:<18} {about}\n")
    };
    builtin::ALL.into_iter().map(line).collect()
}
