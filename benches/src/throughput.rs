//! The throughput table: one writer, one reader, as fast as they can.
use std::fmt::{self, Display};

use crate::host::{Host, kernel_drops};
use crate::options::Options;
use crate::process::words;
use crate::reading::{self, Pair, Repetitions, Stream, ratio, rounds, typical};
use crate::system::System;
use crate::table::{Table, Verdict, large, short};

/// Bytes of a batch: a datagram that is nearly full.
const BATCH: &str = "60000";

#[derive(Clone, Copy, Debug)]
enum Target {
    /// Samples per second.
    Rate(f64),
    /// Of what raw sockets deliver.
    OfRaw(f64),
    None,
}

/// One row.
#[derive(Clone, Copy, Debug)]
struct Work {
    system: System,
    size: usize,
    batched: bool,
    target: Target,
}

impl Work {
    fn case(&self) -> String {
        let kind = match (self.system, self.batched) {
            (System::Raw, _) => "one datagram a sample",
            (_, true) => "reliable, batched",
            (_, false) => "reliable, unbatched",
        };
        format!("{} B {kind}", self.size)
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.system.name(), self.case())
    }
}

/// In each group the first row is raw.
fn groups() -> Vec<Vec<Work>> {
    use System::*;
    use Target::{OfRaw, Rate};
    let work = |system, size, batched, target| Work {
        system,
        size,
        batched,
        target,
    };
    let small = |size, batched_target, plain_target| {
        vec![
            work(Raw, size, false, Target::None),
            work(Dunlin, size, true, batched_target),
            work(Dunlin, size, false, plain_target),
            work(Cyclone, size, true, Target::None),
            work(Cyclone, size, false, Target::None),
            work(FastDds, size, false, Target::None),
        ]
    };
    vec![
        small(32, Rate(3.5e6), OfRaw(0.8)),
        small(1024, Rate(1.4e6), Target::None),
        vec![
            work(Raw, 63_000, false, Target::None),
            work(Dunlin, 63_000, false, OfRaw(0.9)),
            work(Cyclone, 63_000, false, Target::None),
            work(FastDds, 63_000, false, Target::None),
        ],
    ]
}

/// Measures all groups.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "Throughput, KEEP_ALL, one writer, one reader",
        &[
            "case",
            "system",
            "samples/s",
            "MB/s",
            "of raw",
            "at least",
            "lost",
            "kernel drops",
            "CPU pub",
            "CPU sub",
            "samples",
        ],
    );
    for group in groups() {
        if !group.iter().any(|work| options.names(&work.to_string())) {
            continue;
        }
        let here: Vec<Work> = group.into_iter().filter(|w| host.has(w.system)).collect();
        eprintln!("throughput, {} B", here[0].size);
        let results = rounds(options.repeat, &here, |work| measure(host, options, work));
        for (work, own) in here.iter().zip(&results) {
            let (cells, verdict) = row(work, own, &results[0]);
            table.push(cells, verdict);
        }
    }
    table.note(
        "Samples per second as the receiver counts them in its window, median over the repetitions; lost is what was sent and \
         never arrived; kernel drops are datagrams for which a receive buffer had no room, in all repetitions. CPU: user and system time of one side per sample, nanoseconds.",
    );
    vec![table]
}

fn row(
    work: &Work,
    own: &Repetitions<Stream>,
    raw: &Repetitions<Stream>,
) -> (Vec<String>, Verdict) {
    let rate = typical(own, |s| s.rate);
    let of_raw = ratio(own, raw, |s| s.rate);
    let sent: f64 = own.iter().flatten().map(|s| s.sent).sum();
    let received: f64 = own.iter().flatten().map(|s| s.received).sum();
    let failed = own.iter().filter(|run| run.is_err()).count();
    let complete = sent == received && failed == 0;
    let (target, reached) = match work.target {
        Target::Rate(least) => (large(least), rate.is_some_and(|rate| rate >= least)),
        Target::OfRaw(least) => (
            format!("{least} x raw"),
            of_raw.is_some_and(|share| share >= least),
        ),
        Target::None => (String::new(), true),
    };
    let verdict = match (work.system, target.is_empty()) {
        (System::Dunlin, false) => Verdict::of(reached && complete),
        // Nothing may be lost even where no speed is asked for.
        (System::Dunlin, true) if !complete => Verdict::Miss,
        _ => Verdict::None,
    };
    let lost = match (sent - received, failed) {
        (0.0, 0) => "0".into(),
        (_, failed) if failed > 0 => format!("{failed} runs failed"),
        (lost, _) => format!("{:.1} %", lost / sent * 100.0),
    };
    let cells = vec![
        work.case(),
        work.system.name().into(),
        rate.map_or("-".into(), large),
        short(rate.map(|rate| rate * work.size as f64 / 1e6)),
        short(of_raw),
        target,
        lost,
        large(own.iter().flatten().map(|s| s.dropped).sum()),
        short(typical(own, |s| s.cpu[0])),
        short(typical(own, |s| s.cpu[1])),
        large(received),
    ];
    (cells, verdict)
}

fn measure(host: &Host, options: &Options, work: &Work) -> Result<Stream, String> {
    let side = |role: &str| {
        let mut command = work.system.peer(host, role);
        command.args(["--reliable", "--size", &work.size.to_string()]);
        command.args(["--seconds", &options.seconds.to_string()]);
        match (work.batched, work.system) {
            (true, System::Dunlin) => drop(command.args(["--batch", BATCH])),
            (true, _) => drop(command.arg("--batch")),
            _ => {}
        }
        command
    };
    let pair = Pair {
        publisher: side("send"),
        subscriber: side("receive"),
        cpus: host.cpus.map(Some),
    };
    let before = kernel_drops();
    let (send, receive) = pair.run(options)?;
    let stream = reading::of_stream(&words(&send), &words(&receive))?;
    let dropped = kernel_drops() - before;
    Ok(Stream { dropped, ..stream })
}
