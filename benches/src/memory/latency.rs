//! Latency through shared memory: ping-pong, one way is half of the round trip.
use std::fmt::{self, Display};

use super::{pair, peer};
use crate::demand::{Demand, Evidence, limits, verdict};
use crate::host::Host;
use crate::options::Options;
use crate::process::{Awake, words};
use crate::reading::{self, Latency, Repetitions, difference, failures, ratio, rounds, typical};
use crate::system::{System, bench_peer};
use crate::table::{Table, Verdict, large, short};

/// Instances of a keyed topic.
const INSTANCES: &str = "100000";

const TITLE: &str = "Shared memory: latency, one way, microseconds";

/// How a sample passes from one private memory to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Copied in and copied out; the receiver spins.
    Copy,
    /// Built and looked at where it lies; the receiver spins.
    ZeroCopy,
    /// Copied; the receiver sleeps in the kernel.
    Block,
}

/// What Dunlin promises meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Reliable,
    BestEffort,
    /// Reliable, 100,000 instances.
    Keyed,
}

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    system: System,
    size: usize,
    way: Way,
    kind: Kind,
    demands: Vec<Demand>,
}

impl Work {
    fn case(&self) -> String {
        let kind = match (self.system, self.kind) {
            (System::Dunlin, Kind::Reliable) => " reliable",
            (System::Dunlin, Kind::BestEffort) => " best effort",
            (System::Dunlin, Kind::Keyed) => " reliable, 100,000 instances",
            _ => "",
        };
        let way = match (self.system, self.way) {
            (_, Way::Copy) => "copy",
            (System::RawMemory, Way::ZeroCopy) => "pointer",
            (_, Way::ZeroCopy) => "zero copy",
            (System::RawMemory, Way::Block) => "copy, futex",
            (_, Way::Block) => "copy, blocking",
        };
        format!("{} B {way}{kind}", self.size)
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shm, {}: {}", self.system.name(), self.case())
    }
}

/// The groups: within one, all take turns, and the first row is the floor.
fn groups() -> Vec<Vec<Work>> {
    use Demand::*;
    let group = |size, way, ours: &[(Kind, &[Demand])]| -> Vec<Work> {
        let work = |system, kind, demands: &[Demand]| Work {
            system,
            size,
            way,
            kind,
            demands: demands.to_vec(),
        };
        let mut group = vec![work(System::RawMemory, Kind::Reliable, &[])];
        // It blocks by events, which carry no data.
        if way != Way::Block {
            group.push(work(System::Iceoryx, Kind::Reliable, &[]));
        }
        let ours = ours
            .iter()
            .map(|(kind, demands)| work(System::Dunlin, *kind, demands));
        group.extend(ours);
        group
    };
    let reliable = Kind::Reliable;
    let mut groups = vec![group(
        32,
        Way::Copy,
        &[
            (reliable, &[Most(0.5), BelowIceoryx]),
            (Kind::BestEffort, &[Beyond(0.15)]),
            (Kind::Keyed, &[Beyond(0.15)]),
        ],
    )];
    for (size, limit) in [(1024, 1.6), (63_000, 1.1), (10 << 20, 1.15)] {
        groups.push(group(size, Way::Copy, &[(reliable, &[TimesRaw(limit)])]));
    }
    for size in [32, 1024, 63_000, 1 << 20, 10 << 20] {
        let demands = &[Most(0.6), BelowIceoryx];
        groups.push(group(size, Way::ZeroCopy, &[(reliable, demands)]));
    }
    groups.push(group(32, Way::Block, &[(reliable, &[TimesRaw(1.1)])]));
    groups
}

/// Measures all groups.
pub(crate) fn run(host: &Host, options: &Options) -> Table {
    let mut table = Table::new(
        TITLE,
        &[
            "case",
            "system",
            "p50",
            "p99",
            "of raw",
            "of iceoryx2",
            "at most",
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
        "p50 and p99 are medians over the repetitions, ratios and differences medians of those within a repetition. CPU: user and system time of \
         one side per round trip, microseconds. All are measured by programs that do the same with the same sizes; Dunlin's listener answers. \
         Receivers spin; futex and blocking sleep, with processors kept awake. Of 100,000 instances each is written once before the measurement.",
    );
    table
}

fn row(
    host: &Host,
    group: &[Work],
    results: &[Repetitions<Latency>],
    index: usize,
) -> (Vec<String>, Verdict) {
    let (work, own) = (&group[index], &results[index]);
    let other = |system: System| {
        let other = group.iter().position(|work| work.system == system)?;
        (other != index).then(|| &results[other])
    };
    let against = |system: System| ratio(own, other(system)?, |l| l.p50);
    let p50 = typical(own, |l| l.p50);
    let evidence = Evidence {
        own: p50,
        of_raw: against(System::RawMemory),
        of_iceoryx: against(System::Iceoryx),
        beyond: other(System::Dunlin).and_then(|first| difference(own, first, |l| l.p50)),
        iceoryx: host.has(System::Iceoryx),
        ..Evidence::default()
    };
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| short(Some(value)));
    let cells = vec![
        work.case(),
        work.system.name().into(),
        short(p50),
        short(typical(own, |l| l.p99)),
        optional(evidence.of_raw),
        optional(evidence.of_iceoryx),
        limits(&work.demands, " us"),
        short(typical(own, |l| l.cpu[0])),
        short(typical(own, |l| l.cpu[1])),
        samples(own),
    ];
    (cells, verdict(&work.demands, &evidence))
}

fn samples(runs: &Repetitions<Latency>) -> String {
    let all: f64 = runs.iter().flatten().map(|l| l.samples).sum();
    // A sum of nothing is a negative zero.
    large(all + 0.0) + &failures(runs)
}

fn measure(host: &Host, options: &Options, work: &Work) -> Result<Latency, String> {
    let _awake = if work.way == Way::Block {
        Some(Awake::start(&bench_peer(host), host.cpus)?)
    } else {
        None
    };
    let side = |role: &str| {
        let mut command = peer(host, options, work.system, role, work.size);
        if work.way == Way::ZeroCopy {
            command.arg("--zero-copy");
        }
        match work.system {
            // The main thread receives.
            System::RawMemory => {
                command.arg("--waitset");
                if work.way == Way::Block {
                    command.arg("--blocking");
                }
            }
            System::Dunlin => {
                if work.kind != Kind::BestEffort {
                    command.arg("--reliable");
                }
                if work.kind == Kind::Keyed {
                    command.args(["--instances", INSTANCES]);
                }
                if work.way == Way::Block {
                    command.env("DUNLIN_WAITING", "block");
                }
            }
            _ => {}
        }
        command
    };
    let file = host.scratch.join("latencies");
    let mut publisher = side("ping");
    publisher.arg("--out").arg(&file);
    let (ping, pong) = pair(host, publisher, side("pong")).run(options)?;
    reading::of_peers(&words(&ping), &words(&pong), &file)
}
