//! System calls per round trip of a blocking ping-pong, counted by strace in runs of their own.
use std::path::Path;
use std::process::Command;

use dunlin_campaign::calls::parse;
pub(crate) use dunlin_campaign::calls::{Calls, per_sample};

use crate::host::Host;
use crate::latency::{Work, peers, perftest, sleeping};
use crate::options::Options;
use crate::process::words;
use crate::reading::{Pair, summary};
use crate::system::System;
use crate::table::{Table, Verdict, short};

/// Two runs of different length: what starting and stopping costs cancels out.
const LENGTHS: [(&str, &str); 2] = [("500", "0.3"), ("2500", "1.2")];

/// A row is right if it is this close to one.
const TOLERANCE: f64 = 0.02;

/// With fewer calls than this for a sample, samples are not acknowledged one by one.
const NO_ACKNOWLEDGEMENT: f64 = 1.25;

/// Counts for every system, if strace is there.
pub(crate) fn run(host: &Host, options: &Options) -> Option<Table> {
    let mut table = Table::new(
        "System calls per round trip and process, 32 B, blocking",
        &[
            "system", "side", "send", "receive", "others", "which", "at most",
        ],
    );
    if !options.names("system calls") {
        return None;
    }
    eprintln!("system calls");
    let best_effort = host.systems.iter().filter(|system| system.uses_udp());
    let best_effort = best_effort.map(|system| sleeping(*system, false));
    let works = best_effort.chain([sleeping(System::Dunlin, true)]);
    for work in works {
        match per_trip(host, options, &work) {
            Ok(sides) => {
                for (side, calls) in ["publisher", "subscriber"].into_iter().zip(sides) {
                    push(&mut table, &work, side, &calls);
                }
            }
            Err(reason) => eprintln!("  {work}: {reason}"),
        }
    }
    table.note(
        "Counted by strace -f in two runs of different length; what starting costs is not in them. Reliable, the readers are asked once \
         per heartbeat period, which strace lets few round trips into; an acknowledgement for each sample would make it 2 and 2.",
    );
    Some(table)
}

fn push(table: &mut Table, work: &Work, side: &str, calls: &Calls) {
    let sum = |names: &[&str]| -> f64 { names.iter().filter_map(|name| calls.get(*name)).sum() };
    let sends = sum(SENDS);
    let receives = sum(RECEIVES);
    let others = (calls.values().sum::<f64>() - sends - receives).max(0.0);
    let which: Vec<String> = calls
        .iter()
        .filter(|(name, count)| {
            **count >= 0.05 && !SENDS.contains(&name.as_str()) && !RECEIVES.contains(&name.as_str())
        })
        .map(|(name, count)| format!("{name} {}", short(Some(*count))))
        .collect();
    let one = |count: f64| (count - 1.0).abs() <= TOLERANCE;
    let few = |count: f64| count <= NO_ACKNOWLEDGEMENT;
    let (limit, verdict) = match (work.system, work.reliable) {
        (System::Dunlin, false) => {
            let met = one(sends) && one(receives) && others <= TOLERANCE;
            ("1 and 1".to_string(), Verdict::of(met))
        }
        (System::Dunlin, true) => {
            let met = few(sends) && few(receives);
            let limit = format!("{NO_ACKNOWLEDGEMENT} and {NO_ACKNOWLEDGEMENT}");
            (limit, Verdict::of(met))
        }
        _ => (String::new(), Verdict::None),
    };
    let kind = if work.reliable { ", reliable" } else { "" };
    let cells = vec![
        format!("{}{kind}", work.system.name()),
        side.into(),
        short(Some(sends)),
        short(Some(receives)),
        short(Some(others)),
        which.join(", "),
        limit,
    ];
    table.push(cells, verdict);
}

const SENDS: &[&str] = &["sendto", "sendmsg", "sendmmsg", "write", "writev"];
const RECEIVES: &[&str] = &["recvfrom", "recvmsg", "recvmmsg", "read", "readv"];

fn per_trip(host: &Host, options: &Options, work: &Work) -> Result<[Calls; 2], String> {
    per_sample(LENGTHS.map(|length| count(host, options, work, length)))
}

/// Round trips of a run and the calls of both sides.
fn count(
    host: &Host,
    options: &Options,
    work: &Work,
    (number, seconds): (&str, &str),
) -> Result<(f64, [Calls; 2]), String> {
    let system = work.system;
    let mut pair = match system {
        System::Dunlin => perftest(host, work, &["-numIter", number]),
        _ => peers(host, work),
    };
    if system != System::Dunlin {
        pair.publisher
            .args(["--seconds", seconds, "--warm-up", "0"]);
    }
    let (published, calls) = trace(host, options, pair)?;
    let trips = match system {
        System::Dunlin => {
            let table = summary(&published)?;
            let number = |name: &str| table[name].as_f64().unwrap_or_default();
            number("samples") + number("warm_up_samples")
        }
        _ => words(&published)
            .get("samples")
            .copied()
            .unwrap_or_default(),
    };
    Ok((trips, calls))
}

/// Runs a pair under strace: what the publisher printed, and the calls of both sides.
pub(crate) fn trace(
    host: &Host,
    options: &Options,
    pair: Pair,
) -> Result<(String, [Calls; 2]), String> {
    let files = ["publisher", "subscriber"].map(|side| host.scratch.join(side));
    let pair = Pair {
        publisher: traced(&pair.publisher, &files[0]),
        subscriber: traced(&pair.subscriber, &files[1]),
        cpus: pair.cpus,
    };
    let (published, _) = pair.run(options)?;
    Ok((published, [calls(&files[0])?, calls(&files[1])?]))
}

fn traced(command: &Command, file: &Path) -> Command {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-c", "-o"]).arg(file);
    traced.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    traced
}

fn calls(file: &Path) -> Result<Calls, String> {
    let text = std::fs::read_to_string(file).map_err(|_| "strace is not installed".to_string())?;
    Ok(parse(&text))
}
