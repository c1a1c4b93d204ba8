//! The fan-out table: one writer, and readers in processes of their own.
use std::fmt::{self, Display};
use std::process::Command;
use std::time::Duration;

use crate::host::{Host, kernel_drops};
use crate::options::Options;
use crate::process::{Process, Words, words};
use crate::reading::{self, OVERTIME, Repetitions, Stream, ratio, rounds, typical};
use crate::system::System;
use crate::table::{Table, Verdict, large, short};

const SIZE: &str = "1024";
const MANY: usize = 10;
const GROUP: &str = "239.255.7.1";

/// Ten readers are slow to start and to measure.
const MOST_REPETITIONS: usize = 2;

/// A reader costs the writer at most so much of what a single one does.
const MOST_PER_READER: f64 = 1.0;

/// One row.
#[derive(Clone, Copy, Debug)]
struct Work {
    system: System,
    readers: usize,
    /// The readers ask for their samples by multicast. Cyclone sends so by itself if there is more
    /// than one reader.
    multicast: bool,
    /// The row of this system with one reader.
    single: usize,
}

impl Work {
    fn case(&self) -> String {
        match (self.readers, self.multicast) {
            (1, _) => "1 reader".into(),
            (many, false) => format!("{many} readers, unicast"),
            (many, true) => format!("{many} readers, multicast"),
        }
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fan-out, {}: {}", self.system.name(), self.case())
    }
}

fn rows(host: &Host) -> Vec<Work> {
    use System::{Cyclone, Dunlin};
    let work = |system, readers, multicast, single| Work {
        system,
        readers,
        multicast,
        single,
    };
    let all = [
        work(Dunlin, 1, false, 0),
        work(Dunlin, MANY, false, 0),
        work(Dunlin, MANY, true, 0),
        work(Cyclone, 1, false, 3),
        work(Cyclone, MANY, true, 3),
    ];
    all.into_iter().filter(|w| host.has(w.system)).collect()
}

/// Measures all rows.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "Fan-out, reliable KEEP_ALL, 1024 B, each reader in a process of its own",
        &[
            "case",
            "system",
            "samples/s",
            "to all/s",
            "lost",
            "kernel drops",
            "CPU pub",
            "CPU pub per reader",
            "of a single one's",
            "at most",
            "CPU sub",
        ],
    );
    let rows = rows(host);
    if !rows.iter().any(|work| options.names(&work.to_string())) {
        return vec![];
    }
    eprintln!("fan-out");
    let repeat = options.repeat.min(MOST_REPETITIONS);
    let results = rounds(repeat, &rows, |work| measure(host, options, work));
    for (work, own) in rows.iter().zip(&results) {
        let (cells, verdict) = row(work, own, &results[work.single]);
        table.push(cells, verdict);
    }
    table.note(
        "Samples per second: what the slowest reader counted. CPU: user and system time per sample, nanoseconds; of the readers the mean. \
         The readers share one processor.",
    );
    vec![table]
}

fn row(
    work: &Work,
    own: &Repetitions<Stream>,
    single: &Repetitions<Stream>,
) -> (Vec<String>, Verdict) {
    let readers = work.readers as f64;
    let rate = typical(own, |s| s.rate);
    let per_reader = ratio(own, single, |s| s.cpu[0]).map(|times| times / readers);
    let missing: f64 = own.iter().flatten().map(|s| s.sent - s.received).sum();
    let failed = own.iter().filter(|run| run.is_err()).count();
    let complete = missing == 0.0 && failed == 0;
    let judged = work.system == System::Dunlin && work.readers > 1;
    let cheap = per_reader.is_some_and(|share| share <= MOST_PER_READER);
    let cells = vec![
        work.case(),
        work.system.name().into(),
        rate.map_or("-".into(), large),
        rate.map_or("-".into(), |rate| large(rate * readers)),
        match failed {
            0 => large(missing),
            failed => format!("{failed} runs failed"),
        },
        large(own.iter().flatten().map(|s| s.dropped).sum()),
        short(typical(own, |s| s.cpu[0])),
        short(typical(own, |s| s.cpu[0] / readers)),
        short(per_reader),
        if judged {
            short(Some(MOST_PER_READER))
        } else {
            String::new()
        },
        short(typical(own, |s| s.cpu[1])),
    ];
    let verdict = match work.system {
        System::Dunlin if judged || !complete => Verdict::of(complete && cheap),
        _ => Verdict::None,
    };
    (cells, verdict)
}

fn side(host: &Host, options: &Options, work: &Work, role: &str) -> Command {
    let mut command = work.system.peer(host, role);
    command.args(["--reliable", "--size", SIZE]);
    command.args(["--seconds", &options.seconds.to_string()]);
    command.args(["--readers", &work.readers.to_string()]);
    if work.multicast && work.system == System::Dunlin {
        command.args(["--group", GROUP]);
    }
    command
}

fn measure(host: &Host, options: &Options, work: &Work) -> Result<Stream, String> {
    let patience = Duration::from_secs(u64::from(options.seconds)) + OVERTIME;
    let [first, second] = host.cpus;
    let before = kernel_drops();
    let mut readers = Vec::new();
    for _ in 0..work.readers {
        let command = side(host, options, work, "receive");
        readers.push(Process::start(command, Some(second))?);
    }
    let mut writer = Process::start(side(host, options, work, "send"), Some(first))?;
    let sent = words(&writer.output(patience)?);
    let received: Vec<Words> = readers
        .iter_mut()
        .map(|reader| reader.output(OVERTIME).map(|text| words(&text)))
        .collect::<Result<_, _>>()?;
    let stream = all(&sent, &received)?;
    let dropped = kernel_drops() - before;
    Ok(Stream { dropped, ..stream })
}

/// The stream as its slowest reader saw it; received is what the one with least has in the end.
fn all(sent: &Words, received: &[Words]) -> Result<Stream, String> {
    let streams = received.iter().map(|r| reading::of_stream(sent, r));
    let streams = streams.collect::<Result<Vec<_>, _>>()?;
    let least =
        |figure: fn(&Stream) -> f64| streams.iter().map(figure).fold(f64::INFINITY, f64::min);
    let first = streams.first().ok_or("no reader")?;
    let cpu = streams.iter().map(|s| s.cpu[1]).sum::<f64>() / streams.len() as f64;
    Ok(Stream {
        rate: least(|s| s.rate),
        received: least(|s| s.received),
        sent: first.sent,
        dropped: 0.0,
        cpu: [first.cpu[0], cpu],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_reader_counts() {
        let sent = words("samples=100 ns=1000000000 cpu_ns=5000");
        let quick = words("samples=100 ns=1000000000 cpu_ns=1000 total=100");
        let slow = words("samples=50 ns=1000000000 cpu_ns=1500 total=99");
        let stream = all(&sent, &[quick, slow]).unwrap();
        assert_eq!((stream.rate, stream.received), (50.0, 99.0));
        assert_eq!(stream.cpu, [50.0, 20.0]);
        assert!(all(&sent, &[]).is_err());
    }
}
