//! What a participant with shared memory costs that does nothing, and how soon it finds a peer.
use std::fmt::{self, Display};

use crate::footprint::{Footprint, measure};
use crate::host::Host;
use crate::options::Options;
use crate::reading::{Repetitions, rounds, typical};
use crate::system::{System, TRANSPORTS};
use crate::table::{Table, Verdict, short};

const MOST_MATCH_MS: f64 = 10.0;
const MOST_RSS_MB: f64 = 12.0;

/// Several starts are timed in one, and idle memory varies little.
const REPETITIONS: usize = 1;

/// A participant's ways to its peers.
struct Ways(&'static str);

impl Display for Ways {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transports {}", self.0)
    }
}

/// Measures with shared memory alone, and as participants are by default.
pub(crate) fn run(host: &Host, options: &Options) -> Option<Table> {
    let mut table = Table::new(
        "Shared memory: footprint of one participant with a writer and a reader, matched and idle",
        &[
            "transports",
            "system",
            "start to matched ms",
            "RSS MB",
            "threads",
            "idle CPU %",
            "at most",
        ],
    );
    if !options.names("shm footprint") {
        return None;
    }
    eprintln!("shm, footprint");
    let all = [Ways("shmem"), Ways("udp,shmem")];
    let results = rounds(REPETITIONS, &all, |ways| {
        let side = |role: &str| {
            let mut command = System::Dunlin.peer(host, role);
            command.arg("--reliable").env(TRANSPORTS, ways.0);
            command
        };
        measure(host, side)
    });
    for (ways, own) in all.iter().zip(&results) {
        let (cells, verdict) = row(ways, own);
        table.push(cells, verdict);
    }
    Some(table)
}

fn row(ways: &Ways, own: &Repetitions<Footprint>) -> (Vec<String>, Verdict) {
    let matched = typical(own, |f| f.match_ms);
    let rss = typical(own, |f| f.rss_mb);
    let within = |value: Option<f64>, most| value.is_some_and(|value: f64| value <= most);
    let cells = vec![
        ways.0.into(),
        System::Dunlin.name().into(),
        short(matched),
        short(rss),
        typical(own, |f| f.threads).map_or("-".into(), |threads| threads.to_string()),
        typical(own, |f| f.cpu_percent).map_or("-".into(), |cpu| format!("{cpu:.3}")),
        format!("{MOST_MATCH_MS} ms, {MOST_RSS_MB} MB"),
    ];
    let met = within(matched, MOST_MATCH_MS) && within(rss, MOST_RSS_MB);
    (cells, Verdict::of(met))
}
