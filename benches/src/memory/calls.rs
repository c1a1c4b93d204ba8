//! System calls for a sample while the receivers spin, counted by strace in runs of their own.
use super::peer;
use crate::host::Host;
use crate::options::Options;
use crate::process::words;
use crate::reading::Pair;
use crate::syscalls::{Calls, per_sample, trace};
use crate::system::System;
use crate::table::{Table, Verdict};

/// Seconds of the short run and of the long one.
const LENGTHS: [&str; 2] = ["0.2", "1"];

/// A call in so many samples is none for each.
const MOST: f64 = 0.01;

/// Counts for a ping-pong and for a stream.
pub(crate) fn run(host: &Host, options: &Options) -> Option<Table> {
    let mut table = Table::new(
        "Shared memory: system calls per sample and process, 32 B reliable, copy",
        &["case", "system", "side", "calls", "which", "at most"],
    );
    if !options.names("shm system calls") {
        return None;
    }
    eprintln!("shm, system calls");
    for (case, roles) in [
        ("ping-pong", ["ping", "pong"]),
        ("stream", ["send", "receive"]),
    ] {
        match count(host, options, roles) {
            Ok(sides) => {
                for (side, calls) in ["publisher", "subscriber"].into_iter().zip(sides) {
                    push(&mut table, case, side, &calls);
                }
            }
            Err(reason) => eprintln!("  {case}: {reason}"),
        }
    }
    table.note(
        "Counted by strace -f in two runs of different length; what starting costs is not in them. Both processes may run on all processors.",
    );
    Some(table)
}

fn push(table: &mut Table, case: &str, side: &str, calls: &Calls) {
    let all: f64 = calls.values().sum();
    let mut most: Vec<(&String, &f64)> = calls.iter().filter(|(_, n)| **n >= MOST / 10.0).collect();
    most.sort_by(|a, b| b.1.total_cmp(a.1));
    let which: Vec<String> = most
        .iter()
        .map(|(name, n)| format!("{name} {n:.4}"))
        .collect();
    let cells = vec![
        case.into(),
        System::Dunlin.name().into(),
        side.into(),
        format!("{all:.4}"),
        which.join(", "),
        MOST.to_string(),
    ];
    table.push(cells, Verdict::of(all <= MOST));
}

fn count(host: &Host, options: &Options, roles: [&str; 2]) -> Result<[Calls; 2], String> {
    let runs = LENGTHS.map(|seconds| {
        let sides = roles.map(|role| {
            let mut command = peer(host, options, System::Dunlin, role, 32);
            command.args(["--reliable", "--seconds", seconds, "--warm-up", "0"]);
            command
        });
        let [publisher, subscriber] = sides;
        // Who may run on one processor only yields it now and then; strace makes that slow, and so
        // more frequent.
        let pair = Pair {
            publisher,
            subscriber,
            cpus: [None, None],
        };
        let (published, calls) = trace(host, options, pair)?;
        let samples = words(&published).get("samples").copied();
        Ok((samples.unwrap_or_default(), calls))
    });
    per_sample(runs)
}
