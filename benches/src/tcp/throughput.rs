//! Streams by TCP: one writer, one reader, as fast as they can.
use std::fmt::{self, Display};
use std::path::Path;

use serde_json::Value;

use super::{Bench, Way};
use crate::demand::{Demand, Evidence, limits, verdict};
use crate::reading::{self, Repetitions, failures, ratio, rounds, summary, typical};
use crate::table::{Table, Verdict, large, short};

/// Bytes of a batch.
const BATCH: &str = "60000";

/// What one run gave.
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Samples per second, as the subscriber counted.
    rate: f64,
    sent: f64,
    received: f64,
}

/// One row.
#[derive(Clone, Debug)]
struct Work {
    way: Way,
    size: usize,
    demands: Vec<Demand>,
}

impl Work {
    fn batched(&self) -> bool {
        matches!(self.way, Way::Plain | Way::Tls) && self.size < 1024
    }

    fn case(&self) -> String {
        let kind = match (self.way, self.batched()) {
            (Way::Raw | Way::RawTls, _) => "",
            (_, true) => " reliable, batched",
            (_, false) => " reliable",
        };
        format!("{} B{kind}", self.size)
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tcp stream, {}: {}", self.way.name(), self.case())
    }
}

/// In each group the first row is the floor, and the second one Dunlin without TLS.
fn groups() -> Vec<Vec<Work>> {
    let group = |size, ours: &[(Way, Option<Demand>)]| {
        let work = |way, demand: Option<Demand>| Work {
            way,
            size,
            demands: demand.into_iter().collect(),
        };
        let ours = ours.iter().map(|(way, demand)| work(*way, *demand));
        let rival = work(Way::FastDds, None);
        let raw = [work(Way::Raw, None)];
        raw.into_iter().chain(ours).chain([rival]).collect()
    };
    vec![
        group(32, &[(Way::Plain, Some(Demand::Least(3.5e6)))]),
        group(
            1 << 20,
            &[
                (Way::Plain, Some(Demand::OfRaw(0.9))),
                (Way::RawTls, None),
                (Way::Tls, Some(Demand::OfFirst(0.7))),
            ],
        ),
    ]
}

/// Measures all groups.
pub(super) fn run(bench: &Bench<'_>) -> Table {
    let mut table = Table::new(
        "TCP: throughput, KEEP_ALL, one writer, one reader",
        &[
            "case",
            "system",
            "samples/s",
            "MB/s",
            "of raw",
            "of Dunlin",
            "at least",
            "lost",
            "samples",
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
    table.note("Samples per second from the first sample to the end, as the subscriber counts them, median over the repetitions. Now and then one is echoed.");
    table
}

fn row(
    work: &Work,
    own: &Repetitions<Flow>,
    group: &[Repetitions<Flow>],
) -> (Vec<String>, Verdict) {
    let rate = |flow: &Flow| flow.rate;
    let evidence = Evidence {
        own: typical(own, rate),
        of_raw: group.first().and_then(|raw| ratio(own, raw, rate)),
        of_first: group.get(1).and_then(|first| ratio(own, first, rate)),
        ..Evidence::default()
    };
    let sum = |figure: fn(&Flow) -> f64| own.iter().flatten().map(figure).sum::<f64>() + 0.0;
    let (sent, received) = (sum(|flow| flow.sent), sum(|flow| flow.received));
    let complete = sent == received && own.iter().all(Result::is_ok);
    let verdict = match verdict(&work.demands, &evidence) {
        Verdict::Pass if !complete => Verdict::Miss,
        verdict => verdict,
    };
    let cells = vec![
        work.case(),
        work.way.name().into(),
        evidence.own.map_or("-".into(), large),
        short(evidence.own.map(|rate| rate * work.size as f64 / 1e6)),
        short(evidence.of_raw),
        short(evidence.of_first),
        limits(&work.demands, ""),
        large(sent - received),
        large(received) + &failures(own),
    ];
    (cells, verdict)
}

fn measure(bench: &Bench<'_>, work: &Work) -> Result<Flow, String> {
    if let Some(system) = work.way.peer() {
        let [send, receive] =
            bench.run_peer(system, work.size, true, ["send", "receive"], Path::new(""))?;
        let stream = reading::of_stream(&send, &receive)?;
        return Ok(Flow {
            rate: stream.rate,
            sent: stream.sent,
            received: stream.received,
        });
    }
    let own: &[&str] = match work.batched() {
        true => &["-batchSize", BATCH],
        false => &["-batchSize", "0"],
    };
    let (publisher, subscriber) = bench.run(work.way, work.size, own, &[])?;
    let (publisher, subscriber) = (summary(&publisher)?, summary(&subscriber)?);
    let number = |table: &Value, name: &str| {
        let number = table.get(name).and_then(Value::as_f64);
        number.ok_or_else(|| format!("perftest's table has no {name}"))
    };
    Ok(Flow {
        rate: number(&subscriber, "packets/sAve")?,
        sent: number(&publisher, "sent")?,
        received: number(&subscriber, "packets")?,
    })
}
