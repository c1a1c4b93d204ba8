//! Latency by TCP: ping-pong, one way is half of the round trip.
use std::fmt::{self, Display};

use super::{Bench, Way};
use crate::demand::{Demand, Evidence, limits, verdict};
use crate::reading::{self, Latency, Repetitions, difference, failures, ratio, rounds, typical};
use crate::table::{Table, Verdict, large, short};

/// One row.
#[derive(Clone, Debug)]
struct Work {
    way: Way,
    size: usize,
    reliable: bool,
    demands: Vec<Demand>,
}

impl Work {
    fn case(&self) -> String {
        let kind = match (self.way, self.reliable) {
            (Way::Raw, _) => "",
            (_, true) => " reliable",
            (_, false) => " best effort",
        };
        format!("{} B{kind}", self.size)
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tcp, {}: {}", self.way.name(), self.case())
    }
}

/// The groups: within one, all take turns, the first row is the floor, and the second one Dunlin
/// without TLS.
fn groups() -> Vec<Vec<Work>> {
    use Demand::{Beyond, TimesRaw};
    let work = |way, size, reliable, demands: &[Demand]| Work {
        way,
        size,
        reliable,
        demands: demands.to_vec(),
    };
    let group = |size, limit| {
        vec![
            work(Way::Raw, size, true, &[]),
            work(Way::Plain, size, true, &[TimesRaw(limit)]),
            work(Way::FastDds, size, true, &[]),
        ]
    };
    let mut groups: Vec<Vec<Work>> = [(32, 1.4), (63_000, 1.2), (1 << 20, 1.2), (10 << 20, 1.2)]
        .into_iter()
        .map(|(size, limit)| group(size, limit))
        .collect();
    if let Some(small) = groups.first_mut() {
        small.push(work(Way::Plain, 32, false, &[]));
        small.push(work(Way::Tls, 32, true, &[Beyond(1.5)]));
    }
    groups
}

/// Measures all groups.
pub(super) fn run(bench: &Bench<'_>) -> Table {
    let mut table = Table::new(
        "TCP: latency, one way, microseconds",
        &[
            "case", "system", "p50", "p99", "of raw", "at most", "CPU pub", "CPU sub", "samples",
        ],
    );
    for group in groups() {
        let named = |work: &Work| bench.options.names(&work.to_string());
        if !group.iter().any(named) {
            continue;
        }
        group.last().inspect(|work| eprintln!("{work}"));
        let group: Vec<Work> = group.into_iter().filter(|w| bench.has(w.way)).collect();
        let results = rounds(bench.options.repeat, &group, |work| measure(bench, work));
        for (work, own) in group.iter().zip(&results) {
            let (cells, verdict) = row(work, own, &results);
            table.push(cells, verdict);
        }
    }
    table.note(
        "p50 and p99 are medians over the repetitions, ratios and differences medians of those within a repetition. CPU: user and system time of \
         one side per round trip, microseconds. Raw: one connection, both sides spin; Dunlin waits with its default strategy; Fast DDS sleeps, with processors kept awake.",
    );
    table
}

fn row(
    work: &Work,
    own: &Repetitions<Latency>,
    group: &[Repetitions<Latency>],
) -> (Vec<String>, Verdict) {
    let p50 = |latency: &Latency| latency.p50;
    let evidence = Evidence {
        own: typical(own, p50),
        of_raw: group.first().and_then(|raw| ratio(own, raw, p50)),
        beyond: group.get(1).and_then(|first| difference(own, first, p50)),
        ..Evidence::default()
    };
    let samples: f64 = own.iter().flatten().map(|l| l.samples).sum();
    let cells = vec![
        work.case(),
        work.way.name().into(),
        short(evidence.own),
        short(typical(own, |l| l.p99)),
        short(evidence.of_raw),
        limits(&work.demands, " us"),
        short(typical(own, |l| l.cpu[0])),
        short(typical(own, |l| l.cpu[1])),
        // A sum of nothing is a negative zero.
        large(samples + 0.0) + &failures(own),
    ];
    (cells, verdict(&work.demands, &evidence))
}

fn measure(bench: &Bench<'_>, work: &Work) -> Result<Latency, String> {
    if let Some(system) = work.way.peer() {
        let file = bench.host.scratch.join("latencies");
        let roles = ["ping", "pong"];
        let [ping, pong] = bench.run_peer(system, work.size, work.reliable, roles, &file)?;
        return reading::of_peers(&ping, &pong, &file);
    }
    let common: &[&str] = if work.reliable { &[] } else { &["-bestEffort"] };
    let (publisher, subscriber) = bench.run(work.way, work.size, &["-latencyTest"], common)?;
    reading::of_perftest(&publisher, &subscriber)
}
