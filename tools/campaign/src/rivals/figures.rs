//! The figures of a run, out of what the programs printed and of every single latency.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;

use crate::record::{Cost, Latency, Measured, PERCENTILES, Throughput};
use crate::stats::write_hlog;

/// As perftest's: each nanosecond of its own below 32 us, four digits above.
const DIGITS: u8 = 4;

/// What a latency is at most, nanoseconds.
const LONGEST: u64 = 60_000_000_000;

/// The `name=value` words of a program.
struct Words<'a>(HashMap<&'a str, f64>);

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        let pairs = text.split_whitespace().filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            Some((name, value.parse().ok()?))
        });
        Self(pairs.collect())
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        let number = self.0.get(name).copied();
        number.ok_or_else(|| format!("a program did not tell its {name}"))
    }

    fn count(&self, name: &str) -> u64 {
        self.0.get(name).map_or(0, |count| *count as u64)
    }

    /// Of one of so many samples.
    fn cost(&self) -> Option<Cost> {
        let samples = self.0.get("samples").filter(|samples| **samples > 0.0)?;
        let share = |name: &str| self.0.get(name).map(|spent| spent / samples);
        Some(Cost {
            cpu: share("cpu_ns")?,
            context_switches: share("switches").unwrap_or_default(),
            page_faults: share("faults").unwrap_or_default(),
            system_calls: None,
            allocations: None,
        })
    }
}

/// All latencies in ascending order, nanoseconds.
pub(super) fn latencies(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut nanos: Vec<u32> = bytes
        .chunks_exact(4)
        .filter_map(|chunk| chunk.try_into().ok().map(u32::from_le_bytes))
        .collect();
    nanos.sort_unstable();
    match nanos.is_empty() {
        true => Err("no echo came back within the measurement".into()),
        false => Ok(nanos),
    }
}

/// What a ping-pong gave.
pub(super) fn of_ping(nanos: &[u32], printed: &[String; 2]) -> Result<Measured, String> {
    let [ping, pong] = printed.each_ref().map(|text| Words::of(text));
    let latency = Latency {
        lost: ping.count("lost"),
        late: ping.count("late"),
        ..latency(nanos)
    };
    Ok(Measured {
        latency: Some(latency),
        warm_up: ping.count("warm_up"),
        cost: [ping.cost(), pong.cost()],
        ..Measured::default()
    })
}

/// Round trips of a run.
pub(super) fn trips([ping, _]: &[String; 2]) -> Option<f64> {
    Words::of(ping).number("samples").ok()
}

/// The figures of latencies in ascending order.
fn latency(nanos: &[u32]) -> Latency {
    let count = nanos.len() as u128;
    let sum: u128 = nanos.iter().map(|nanos| u128::from(*nanos)).sum();
    let squares: u128 = nanos.iter().map(|nanos| u128::from(*nanos).pow(2)).sum();
    // n * sum(x^2) - sum(x)^2 is exact in integers.
    let spread = (count * squares).saturating_sub(sum * sum);
    Latency {
        samples: nanos.len() as u64,
        average: sum as f64 / count as f64,
        deviation: (spread as f64).sqrt() / count as f64,
        min: nanos.first().copied().map_or(0, u64::from),
        max: nanos.last().copied().map_or(0, u64::from),
        percentiles: PERCENTILES.map(|percent| percentile(nanos, percent)),
        ..Latency::default()
    }
}

/// The element at index `floor(count * p)`, as in perftest.
fn percentile(nanos: &[u32], percent: f64) -> u64 {
    // Exact in integers: no percentile has more than four decimals.
    let parts = (percent * 10_000.0).round() as u128;
    let index = nanos.len() as u128 * parts / 1_000_000;
    let last = nanos.len().saturating_sub(1);
    let value = nanos.get((index as usize).min(last));
    value.copied().map_or(0, u64::from)
}

/// Leaves the histogram of the run.
pub(super) fn write_log(path: &Path, nanos: &[u32], seconds: f64) -> Result<(), String> {
    let mut histogram =
        Histogram::new_with_bounds(1, LONGEST, DIGITS).map_err(|error| error.to_string())?;
    for nanos in nanos {
        histogram.saturating_record(u64::from(*nanos).max(1));
    }
    let length = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let started = SystemTime::now().checked_sub(length);
    let started = started.unwrap_or(SystemTime::UNIX_EPOCH);
    write_hlog(path, &histogram, started, length).map_err(|error| error.to_string())
}

/// What a stream gave.
pub(super) fn of_stream(size: u64, printed: &[String; 2]) -> Result<Measured, String> {
    let [send, receive] = printed.each_ref().map(|text| Words::of(text));
    let (samples, took) = (receive.number("samples")?, receive.number("ns")?);
    if samples == 0.0 {
        return Err("nothing arrived".into());
    }
    let rate = samples / took.max(1.0) * 1e9;
    let sent = send.number("samples")?;
    let total = receive.number("total")?;
    let lost = (sent - total).max(0.0);
    Ok(Measured {
        throughput: Some(Throughput {
            samples: samples as u64,
            samples_per_second: rate,
            mbps: rate * size as f64 * 8.0 / 1e6,
            lost: lost as u64,
            sent: Some(sent as u64),
            received: Some(total as u64),
            dropped: None,
        }),
        cost: [send.cost(), receive.cost()],
        ..Measured::default()
    })
}

/// What one stream to many gave, as its slowest reader saw it; received is what the one with least
/// has in the end.
pub(super) fn of_fan_out(size: u64, sent: &str, received: &[String]) -> Result<Measured, String> {
    let streams = received
        .iter()
        .map(|printed| of_stream(size, &[sent.to_owned(), printed.clone()]));
    let streams = streams.collect::<Result<Vec<_>, _>>()?;
    let flow = |run: &Measured| run.throughput.clone().unwrap_or_default();
    let slowest = streams.iter().min_by(|a, b| {
        let [a, b] = [a, b].map(|run| flow(run).samples_per_second);
        a.total_cmp(&b)
    });
    let mut all = slowest.cloned().ok_or("no reader")?;
    let least = streams.iter().filter_map(|run| flow(run).received).min();
    if let Some(throughput) = &mut all.throughput {
        throughput.received = least;
        throughput.lost = throughput
            .sent
            .unwrap_or(0)
            .saturating_sub(least.unwrap_or(0));
    }
    let costs = streams.iter().filter_map(|run| run.cost[1].as_ref());
    let spent: f64 = costs.clone().map(|cost| cost.cpu).sum();
    if let Some(cost) = &mut all.cost[1] {
        cost.cpu = spent / costs.count().max(1) as f64;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::read_hlog;

    #[test]
    fn known_latencies_have_known_figures() {
        let known = [2_000, 4_000, 4_000, 4_000, 5_000, 5_000, 7_000, 9_000];
        let figures = latency(&known);
        assert_eq!((figures.average, figures.deviation), (5_000.0, 2_000.0));
        assert_eq!(
            (figures.min, figures.max, figures.samples),
            (2_000, 9_000, 8)
        );
        assert_eq!(figures.percentiles, [5_000, 9_000, 9_000, 9_000, 9_000]);
        let many: Vec<u32> = (0..1_000_001)
            .map(|i| if i < 999_999 { 7 } else { 8 })
            .collect();
        assert_eq!(latency(&many).percentiles, [7, 7, 7, 7, 8]);
    }

    #[test]
    fn every_latency_counts_and_is_in_the_log() {
        let place = tempfile::tempdir().unwrap();
        let (raw, log) = (place.path().join("raw"), place.path().join("a.hlog"));
        let bytes: Vec<u8> = [900u32, 100, 500]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        std::fs::write(&raw, bytes).unwrap();
        let sorted = latencies(&raw).unwrap();
        assert_eq!(sorted, [100, 500, 900]);
        write_log(&log, &sorted, 1.0).unwrap();
        let histogram = read_hlog(&log).unwrap();
        assert_eq!(
            (histogram.len(), histogram.min(), histogram.max()),
            (3, 100, 900)
        );
        std::fs::write(&raw, []).unwrap();
        assert!(latencies(&raw).unwrap_err().contains("no echo"));
    }

    #[test]
    fn of_many_readers_the_slowest_one_counts() {
        let sent = "samples=100 ns=1000000000 cpu_ns=5000";
        let quick = "samples=100 ns=1000000000 cpu_ns=1000 total=100".to_string();
        let slow = "samples=50 ns=1000000000 cpu_ns=1500 total=99".to_string();
        let all = of_fan_out(32, sent, &[quick, slow]).unwrap();
        let stream = all.throughput.unwrap();
        assert_eq!((stream.samples_per_second, stream.lost), (50.0, 1));
        assert_eq!(all.cost.map(|cost| cost.unwrap().cpu), [50.0, 20.0]);
        assert!(of_fan_out(32, sent, &[]).is_err());
    }

    #[test]
    fn what_programs_print_is_read() {
        let ping =
            "samples=10 lost=1 late=2 cpu_ns=5000 switches=5 faults=1 warm_up=3\n".to_string();
        let pong = "samples=20 cpu_ns=5000\n".to_string();
        let measured = of_ping(&[100], &[ping, pong]).unwrap();
        let latency = measured.latency.unwrap();
        assert_eq!((latency.lost, latency.late, measured.warm_up), (1, 2, 3));
        let [first, second] = measured.cost.map(Option::unwrap);
        assert_eq!((first.cpu, first.context_switches), (500.0, 0.5));
        assert_eq!((second.cpu, second.allocations), (250.0, None));
        let send = "samples=1000 ns=5 cpu_ns=9".to_string();
        let receive = "samples=500 ns=500000000 total=990 cpu_ns=9".to_string();
        let stream = of_stream(1_000, &[send, receive])
            .unwrap()
            .throughput
            .unwrap();
        assert_eq!(
            (stream.samples_per_second, stream.mbps, stream.lost),
            (1_000.0, 8.0, 10)
        );
        assert!(of_stream(1, &["".into(), "samples=0 ns=1".into()]).is_err());
    }
}
