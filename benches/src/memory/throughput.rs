//! Streams through shared memory: one writer, one reader, as fast as they can.
use std::fmt::{self, Display};

use super::{pair, peer};
use crate::demand::{Demand, Evidence, limits, verdict};
use crate::host::Host;
use crate::options::Options;
use crate::process::words;
use crate::reading::{self, Repetitions, Stream, failures, ratio, rounds, typical};
use crate::system::System;
use crate::table::{Table, Verdict, large, short};

/// Bytes of a batch.
const BATCH: &str = "30000";

/// One row.
#[derive(Clone, Debug)]
struct Work {
    system: System,
    size: usize,
    zero_copy: bool,
    batched: bool,
    demands: Vec<Demand>,
}

impl Work {
    fn case(&self) -> String {
        let way = match (self.system, self.zero_copy) {
            (_, false) => "copy",
            (System::RawMemory, true) => "pointer",
            (_, true) => "zero copy",
        };
        let kind = match (self.system, self.batched) {
            (System::Dunlin, false) => " reliable",
            (System::Dunlin, true) => " reliable, batched",
            _ => "",
        };
        format!("{} B {way}{kind}", self.size)
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shm stream, {}: {}", self.system.name(), self.case())
    }
}

/// In each group the first row is the floor.
fn groups() -> Vec<Vec<Work>> {
    let group = |size, zero_copy, demand, batches: &[bool]| -> Vec<Work> {
        let work = |system, batched, demands| Work {
            system,
            size,
            zero_copy,
            batched,
            demands,
        };
        let rivals = [System::RawMemory, System::Iceoryx];
        let rivals = rivals.map(|system| work(system, false, vec![]));
        let ours = batches
            .iter()
            .map(|batched| work(System::Dunlin, *batched, vec![demand]));
        rivals.into_iter().chain(ours).collect()
    };
    vec![
        group(32, false, Demand::Least(5e6), &[false, true]),
        group(1024, false, Demand::Least(3e6), &[false, true]),
        group(63_000, true, Demand::Least(1.5e6), &[false]),
        group(63_000, false, Demand::OfRaw(0.85), &[false]),
    ]
}

/// Measures all groups.
pub(crate) fn run(host: &Host, options: &Options) -> Table {
    let mut table = Table::new(
        "Shared memory: throughput, KEEP_ALL, one writer, one reader",
        &[
            "case",
            "system",
            "samples/s",
            "MB/s",
            "of raw",
            "of iceoryx2",
            "at least",
            "lost",
            "CPU pub",
            "CPU sub",
            "samples",
        ],
    );
    for group in groups() {
        if !group.iter().any(|work| options.names(&work.to_string())) {
            continue;
        }
        let group: Vec<Work> = group.into_iter().filter(|w| host.has(w.system)).collect();
        group.last().inspect(|work| eprintln!("{work}"));
        let results = rounds(options.repeat, &group, |work| measure(host, options, work));
        for index in 0..group.len() {
            let (cells, verdict) = row(host, &group, &results, index);
            table.push(cells, verdict);
        }
    }
    table.note(
        "Samples per second as the receiver counts them in its window, median over the repetitions. Bare slots and iceoryx2: a queue of 64. \
         Zero copy: the sample gets its number and is not filled. CPU: user and system time of one side per sample, nanoseconds.",
    );
    table
}

fn row(
    host: &Host,
    group: &[Work],
    results: &[Repetitions<Stream>],
    index: usize,
) -> (Vec<String>, Verdict) {
    let (work, own) = (&group[index], &results[index]);
    let against = |system: System| {
        let other = group.iter().position(|work| work.system == system)?;
        (other != index).then(|| ratio(own, &results[other], |s| s.rate))?
    };
    let rate = typical(own, |s| s.rate);
    let evidence = Evidence {
        own: rate,
        of_raw: against(System::RawMemory),
        of_iceoryx: against(System::Iceoryx),
        iceoryx: host.has(System::Iceoryx),
        ..Evidence::default()
    };
    let sum = |figure: fn(&Stream) -> f64| own.iter().flatten().map(figure).sum::<f64>();
    let (sent, received) = (sum(|s| s.sent), sum(|s| s.received));
    let complete = sent == received && own.iter().all(Result::is_ok);
    let verdict = match verdict(&work.demands, &evidence) {
        Verdict::Pass if !complete => Verdict::Miss,
        verdict => verdict,
    };
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| short(Some(value)));
    let cells = vec![
        work.case(),
        work.system.name().into(),
        rate.map_or("-".into(), large),
        short(rate.map(|rate| rate * work.size as f64 / 1e6)),
        optional(evidence.of_raw),
        optional(evidence.of_iceoryx),
        limits(&work.demands, ""),
        large(sent - received),
        short(typical(own, |s| s.cpu[0])),
        short(typical(own, |s| s.cpu[1])),
        large(received + 0.0) + &failures(own),
    ];
    (cells, verdict)
}

fn measure(host: &Host, options: &Options, work: &Work) -> Result<Stream, String> {
    let side = |role: &str| {
        let mut command = peer(host, options, work.system, role, work.size);
        command.arg("--reliable");
        if work.zero_copy {
            command.arg("--zero-copy");
        }
        if work.batched {
            command.args(["--batch", BATCH]);
        }
        command
    };
    let (send, receive) = pair(host, side("send"), side("receive")).run(options)?;
    reading::of_stream(&words(&send), &words(&receive))
}
