//! One run of the suite: two child processes and what the JSON of the publisher says.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::isolate::Isolation;
use super::mode::{Carrier, Mode};

/// Longest time of a run beyond its measurement.
const OVERTIME: Duration = Duration::from_secs(30);

/// Which processors the two sides run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// Of publisher and subscriber; `None` where this process may use one processor only.
    pub(super) pins: Option<(usize, usize)>,
    pub(super) processors: usize,
}

impl Placement {
    /// The first two processors that this process may use.
    pub(super) fn of_this_process() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let allowed: Vec<usize> = rustix::thread::sched_getaffinity(None)
            .map(|set| (0..1_024).filter(|cpu| set.is_set(*cpu)).take(2).collect())
            .unwrap_or_default();
        let pins = match allowed.as_slice() {
            [publisher, subscriber] => Some((*publisher, *subscriber)),
            _ => None,
        };
        Self { pins, processors }
    }
}

/// What one run measured, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Measured {
    pub(super) average: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// 50, 90, 99 and 99.99 %.
    pub(super) percentiles: [f64; 4],
    pub(super) samples: u64,
    pub(super) lost: u64,
    pub(super) late: u64,
    pub(super) warm_up: u64,
    /// Percent of one processor.
    pub(super) cpu: (f64, f64),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) carrier: Carrier,
    pub(super) mode: Mode,
    pub(super) size: usize,
    pub(super) result: Result<Measured, String>,
}

impl Cell {
    /// For the line of progress.
    pub(super) fn short(&self) -> String {
        match &self.result {
            Ok(measured) => format!(
                "50 % {:.3} μs, 99 % {:.3} μs, {} samples",
                measured.percentiles[0], measured.percentiles[2], measured.samples
            ),
            Err(reason) => format!("failed: {reason}"),
        }
    }
}

/// Everything that the runs have in common.
pub(super) struct Bench {
    program: PathBuf,
    prefix: Vec<String>,
    pub(super) seconds: u64,
    pub(super) isolation: Isolation,
    pub(super) placement: Placement,
}

/// This program, and the words that make it perftest.
pub(super) fn this_program() -> Result<(PathBuf, Vec<String>), String> {
    let program = std::env::current_exe().map_err(|error| format!("who am I: {error}"))?;
    let own = program.file_stem().is_some_and(|stem| stem == "perftest");
    let prefix = if own {
        vec![]
    } else {
        vec!["perftest".to_string()]
    };
    Ok((program, prefix))
}

impl Bench {
    /// Ready to run.
    pub(super) fn new(
        seconds: u64,
        isolation: Isolation,
        placement: Placement,
    ) -> Result<Self, String> {
        let (program, prefix) = this_program()?;
        Ok(Self {
            program,
            prefix,
            seconds,
            isolation,
            placement,
        })
    }

    /// Runs both sides once.
    pub(super) fn run(&self, carrier: Carrier, mode: Mode, size: usize) -> Cell {
        Cell {
            carrier,
            mode,
            size,
            result: self.both(carrier, mode, size),
        }
    }

    fn both(&self, carrier: Carrier, mode: Mode, size: usize) -> Result<Measured, String> {
        let until = Instant::now() + Duration::from_secs(self.seconds) + OVERTIME;
        let seconds = self.seconds.to_string();
        let publisher = ["-pub", "-latencyTest", "-executionTime", &seconds];
        let pins = self.placement.pins;
        let start = |side: &[&str], cpu: Option<usize>| {
            let mut command = self.command(carrier, mode, side, cpu);
            command.args(["-dataLen", &size.to_string()]);
            Side::start(command)
        };
        let subscriber = start(&["-sub"], pins.map(|p| p.1));
        let publisher = start(&publisher, pins.map(|p| p.0));
        // Both are waited for whatever happens to the other one.
        let publisher = publisher.and_then(|side| side.finish(until));
        let subscriber = subscriber.and_then(|side| side.finish(until));
        let (publisher, subscriber) = both_succeed(publisher, subscriber)?;
        measured(&publisher, &subscriber, self.placement.processors)
    }

    fn command(&self, carrier: Carrier, mode: Mode, side: &[&str], cpu: Option<usize>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.prefix).args(side).args(mode.options());
        command.args(["-transport", carrier.option(), "-discoveryTimeout", "20"]);
        command.args(["-noPrint", "-cpu", "-nsResolution", "-outputFormat", "json"]);
        if let Some(cpu) = cpu {
            command.args(["-pin", &cpu.to_string()]);
        }
        let by_network = carrier == Carrier::Udp && !mode.is_raw();
        if self.isolation == Isolation::Loopback && by_network {
            command.args(["-nic", "lo", "-peer", "127.0.0.1"]);
        }
        if carrier == Carrier::Tcp && !mode.is_raw() {
            command.args(["-nic", "lo"]).args(ports(side));
        }
        command
    }
}

/// The subscriber listens at the usual port, and each side knows where the other one is.
fn ports(side: &[&str]) -> [&'static str; 4] {
    let port = "-transportServerBindPort";
    match side.contains(&"-pub") {
        true => [port, "7401", "-peer", "127.0.0.1:7400"],
        false => [port, "7400", "-peer", "127.0.0.1:7401"],
    }
}

/// A child process.
struct Side(Child);

impl Side {
    fn start(mut command: Command) -> Result<Self, String> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map(Side)
            .map_err(|error| error.to_string())
    }

    /// Its table, or the last line that it complained with. What it prints fits into a pipe, so it is read afterwards.
    fn finish(mut self, until: Instant) -> Result<Value, String> {
        let status = self.wait(until)?;
        let table = text(self.0.stdout.take());
        let complaints = text(self.0.stderr.take());
        if !status.success() {
            let last = complaints.lines().last().unwrap_or("no reason given");
            return Err(last.trim_start_matches("Error: ").to_string());
        }
        serde_json::from_str(&table).map_err(|error| format!("its table is no JSON: {error}"))
    }

    fn wait(&mut self, until: Instant) -> Result<ExitStatus, String> {
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
                Ok(None) => return Err("it did not end in time".into()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // Nothing happens to a child that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What cannot be read is missed by the parser.
        let _ = pipe.take(1 << 20).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Both tables, or every reason: that of one side is often only that the other one is gone.
fn both_succeed<T>(
    publisher: Result<T, String>,
    subscriber: Result<T, String>,
) -> Result<(T, T), String> {
    match (publisher, subscriber) {
        (Ok(publisher), Ok(subscriber)) => Ok((publisher, subscriber)),
        (Err(reason), Ok(_)) => Err(format!("publisher: {reason}")),
        (Ok(_), Err(reason)) => Err(format!("subscriber: {reason}")),
        (Err(one), Err(other)) => Err(format!("publisher: {one}; subscriber: {other}")),
    }
}

/// The figures of both sides.
fn measured(publisher: &Value, subscriber: &Value, processors: usize) -> Result<Measured, String> {
    let summary = &publisher["perftest"][0]["summary"];
    let number = |name: &str| {
        summary[name]
            .as_f64()
            .ok_or_else(|| format!("the table has no {name}"))
    };
    let percentile = |name: &str| number(&format!("latency_{name}"));
    let of_one = |cpu: &Value| cpu.as_f64().unwrap_or_default() * processors as f64;
    Ok(Measured {
        average: number("latency_ave")?,
        min: number("latency_min")?,
        max: number("latency_max")?,
        percentiles: [
            percentile("50")?,
            percentile("90")?,
            percentile("99")?,
            percentile("99.99")?,
        ],
        samples: number("samples")? as u64,
        lost: number("lost_pings")? as u64,
        late: number("late_pongs")? as u64,
        warm_up: number("warm_up_samples")? as u64,
        cpu: (
            of_one(&summary["CPU"]),
            of_one(&subscriber["perftest"][0]["summary"]["CPU"]),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_reason_of_neither_side_is_kept_back() {
        let failed = |reason: &str| Err::<(), _>(reason.to_string());
        let both = both_succeed(failed("gone"), failed("silent"));
        assert_eq!(both, Err("publisher: gone; subscriber: silent".into()));
        assert_eq!(
            both_succeed(Ok(()), failed("silent")),
            Err("subscriber: silent".into())
        );
        assert_eq!(both_succeed(Ok(()), Ok(())), Ok(((), ())));
    }

    #[test]
    fn the_figures_come_out_of_the_tables() {
        let publisher = json!({"perftest": [{"summary": {
            "latency_ave": 3.5, "latency_min": 3, "latency_max": 90, "latency_50": 3.2, "latency_90": 4,
            "latency_99": 5, "latency_99.99": 80, "samples": 1000, "lost_pings": 1, "late_pongs": 2,
            "warm_up_samples": 50, "CPU": 49.5,
        }}]});
        let subscriber = json!({"perftest": [{"summary": {"CPU": 25}}]});
        let measured = measured(&publisher, &subscriber, 2).unwrap();
        assert_eq!(measured.percentiles, [3.2, 4.0, 5.0, 80.0]);
        assert_eq!(
            (measured.samples, measured.lost, measured.late),
            (1000, 1, 2)
        );
        assert_eq!(measured.cpu, (99.0, 50.0));
        assert!(super::measured(&json!({}), &subscriber, 2).is_err());
    }

    #[test]
    fn a_side_that_fails_says_why_and_one_that_hangs_is_ended() {
        let run = |script: &str, seconds| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let until = Instant::now() + Duration::from_secs(seconds);
            Side::start(command).and_then(|side| side.finish(until))
        };
        assert_eq!(
            run("echo note >&2; echo Error: lost >&2; exit 1", 10),
            Err("lost".into())
        );
        assert_eq!(
            run("exec sleep 60", 0),
            Err("it did not end in time".into())
        );
        assert_eq!(run("echo '{}'", 10), Ok(json!({})));
        assert!(run("echo nonsense", 10).is_err());
    }
}
