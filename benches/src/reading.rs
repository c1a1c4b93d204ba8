//! What one run of two processes measured.
use std::fmt::Display;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::options::Options;
use crate::process::{Process, Words};
use crate::statistics::{median, percentile};

/// Longest time of a run beyond its measurement.
pub(crate) const OVERTIME: Duration = Duration::from_secs(40);

/// Latencies of one run, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) samples: f64,
    /// Processor time per round trip on each side.
    pub(crate) cpu: [f64; 2],
    pub(crate) lost: f64,
}

/// One stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stream {
    /// Samples per second, as the receiver counted.
    pub(crate) rate: f64,
    pub(crate) sent: f64,
    pub(crate) received: f64,
    /// Datagrams that the kernel dropped meanwhile.
    pub(crate) dropped: f64,
    /// Processor time per sample on each side, nanoseconds.
    pub(crate) cpu: [f64; 2],
}

/// How the two sides of a run are called.
pub(crate) struct Pair {
    pub(crate) publisher: Command,
    pub(crate) subscriber: Command,
    pub(crate) cpus: [Option<usize>; 2],
}

impl Pair {
    /// Starts both, waits for the publisher, releases the subscriber; gives what both printed.
    pub(crate) fn run(self, options: &Options) -> Result<(String, String), String> {
        let patience = Duration::from_secs(u64::from(options.seconds)) + OVERTIME;
        let [first, second] = self.cpus;
        let mut subscriber = Process::start(self.subscriber, second)?;
        let mut publisher = Process::start(self.publisher, first)?;
        let published = publisher.output(patience);
        subscriber.release();
        // If one fails, the reason may be the other one's.
        let received = subscriber.output(if published.is_ok() {
            OVERTIME
        } else {
            Duration::from_millis(200)
        });
        match (published, received) {
            (Ok(published), Ok(received)) => Ok((published, received)),
            (Err(a), Err(b)) => Err(format!("{a}; {b}")),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }
}

/// The figures of a ping-pong between two peers.
pub(crate) fn of_peers(ping: &Words, pong: &Words, file: &Path) -> Result<Latency, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut nanos: Vec<u32> = bytes
        .chunks_exact(4)
        .filter_map(|chunk| chunk.try_into().ok().map(u32::from_le_bytes))
        .collect();
    nanos.sort_unstable();
    let samples = nanos.len() as f64;
    if nanos.is_empty() {
        return Err("no round trip in time".into());
    }
    let per_trip = |words: &Words| {
        let count = words.get("samples").copied().unwrap_or_default().max(1.0);
        words.get("cpu_ns").copied().unwrap_or_default() / count / 1e3
    };
    Ok(Latency {
        p50: f64::from(percentile(&nanos, 0.5)) / 1e3,
        p99: f64::from(percentile(&nanos, 0.99)) / 1e3,
        samples,
        cpu: [per_trip(ping), per_trip(pong)],
        lost: ping.get("lost").copied().unwrap_or_default(),
    })
}

/// The figures of perftest's two JSON tables.
pub(crate) fn of_perftest(publisher: &str, subscriber: &str) -> Result<Latency, String> {
    let publisher = summary(publisher)?;
    let subscriber = summary(subscriber)?;
    let number = |table: &Value, name: &str| {
        table[name]
            .as_f64()
            .ok_or_else(|| format!("perftest's table has no {name}"))
    };
    let samples = number(&publisher, "samples")?;
    if samples == 0.0 {
        return Err("no round trip in time".into());
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let rate = number(&subscriber, "packets/sAve")?;
    let cpu =
        |table: &Value| number(table, "CPU").map(|share| share / 100.0 * processors * 1e6 / rate);
    Ok(Latency {
        p50: number(&publisher, "latency_50")?,
        p99: number(&publisher, "latency_99")?,
        samples,
        cpu: [cpu(&publisher)?, cpu(&subscriber)?],
        lost: number(&publisher, "lost_pings")?,
    })
}

/// The summary of the first row.
pub(crate) fn summary(table: &str) -> Result<Value, String> {
    let mut table: Value =
        serde_json::from_str(table).map_err(|error| format!("perftest's table: {error}"))?;
    let summary = table.pointer_mut("/perftest/0/summary").map(Value::take);
    summary.ok_or_else(|| "perftest printed no table".into())
}

/// The figures of a stream between two peers.
pub(crate) fn of_stream(send: &Words, receive: &Words) -> Result<Stream, String> {
    let number = |words: &Words, name: &str| {
        words
            .get(name)
            .copied()
            .ok_or_else(|| format!("a peer did not tell its {name}"))
    };
    let samples = number(receive, "samples")?;
    let sent = number(send, "samples")?;
    if samples == 0.0 || sent == 0.0 {
        return Err("nothing arrived".into());
    }
    Ok(Stream {
        rate: samples / number(receive, "ns")? * 1e9,
        sent,
        received: number(receive, "total")?,
        dropped: 0.0,
        cpu: [
            number(send, "cpu_ns")? / sent,
            number(receive, "cpu_ns")? / samples,
        ],
    })
}

/// What one piece of work gave in each repetition; the reason where it failed.
pub(crate) type Repetitions<T> = Vec<Result<T, String>>;

/// Lets all pieces of work take their turns, round by round; the result has one entry for each
/// piece.
pub(crate) fn rounds<W: Display, T>(
    repeat: usize,
    work: &[W],
    mut run: impl FnMut(&W) -> Result<T, String>,
) -> Vec<Repetitions<T>> {
    let mut results: Vec<Repetitions<T>> = work.iter().map(|_| Vec::new()).collect();
    for _ in 0..repeat {
        for (piece, results) in work.iter().zip(&mut results) {
            let result = run(piece);
            if let Err(reason) = &result {
                eprintln!("  {piece}: {reason}");
            }
            results.push(result);
        }
    }
    results
}

/// The median of a figure over the repetitions that succeeded.
pub(crate) fn typical<T>(runs: &Repetitions<T>, figure: impl Fn(&T) -> f64) -> Option<f64> {
    median(runs.iter().flatten().map(figure))
}

/// The median of the ratio of a figure to that of another piece of work in the same round.
pub(crate) fn ratio<T>(
    runs: &Repetitions<T>,
    reference: &Repetitions<T>,
    figure: impl Fn(&T) -> f64,
) -> Option<f64> {
    let pairs = runs.iter().zip(reference);
    let both = pairs.filter_map(|(run, other)| Some((run.as_ref().ok()?, other.as_ref().ok()?)));
    median(both.map(|(run, other)| figure(run) / figure(other)))
}

/// The median of what a figure is more than that of another piece of work in the same round.
pub(crate) fn difference<T>(
    runs: &Repetitions<T>,
    reference: &Repetitions<T>,
    figure: impl Fn(&T) -> f64,
) -> Option<f64> {
    let pairs = runs.iter().zip(reference);
    let both = pairs.filter_map(|(run, other)| Some((run.as_ref().ok()?, other.as_ref().ok()?)));
    median(both.map(|(run, other)| figure(run) - figure(other)))
}

/// How many runs failed, as an appendix to what the others gave.
pub(crate) fn failures<T>(runs: &Repetitions<T>) -> String {
    match runs.iter().filter(|run| run.is_err()).count() {
        0 => String::new(),
        failed => format!(", {failed} runs failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_compare_within_a_round_and_skip_what_failed() {
        let ours = vec![Ok(2.0), Ok(30.0), Err(String::new())];
        let floor = vec![Ok(1.0), Ok(10.0), Ok(100.0)];
        assert_eq!(ratio(&ours, &floor, |x| *x), Some(2.5));
        assert_eq!(difference(&ours, &floor, |x| *x), Some(10.5));
        assert_eq!(failures(&ours), ", 1 runs failed");
        assert_eq!(typical(&ours, |x| *x), Some(16.0));
        assert_eq!(ratio::<f64>(&vec![], &floor, |x| *x), None);
    }

    #[test]
    fn perftest_is_read_from_its_json() {
        let publisher = r#"{"perftest":[{"summary":{"latency_50":2.5,"latency_99":3.5,"samples":1000,"lost_pings":0,"CPU":50}}]}"#;
        let subscriber = r#"{"perftest":[{"summary":{"packets/sAve":100000,"CPU":50}}]}"#;
        let latency = of_perftest(publisher, subscriber).unwrap();
        assert_eq!(
            (latency.p50, latency.p99, latency.samples),
            (2.5, 3.5, 1000.0)
        );
        assert!(of_perftest("{}", subscriber).is_err());
    }
}
