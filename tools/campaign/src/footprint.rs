//! What a participant costs that does nothing, and how soon it finds a peer that is up already.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::record::Footprint;
use crate::side::{Program, Task};
use crate::stats::median;

/// The peer has its announcements behind it.
const SETTLE: Duration = Duration::from_millis(700);

/// Longest time that a process takes to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Long enough for several announcements.
const IDLE: Duration = Duration::from_secs(5);

/// Starts that are timed in each repetition.
const STARTS: usize = 3;

/// Measures who takes the role `match`, with a peer in the role `pong`; each task is bound to no
/// processor by itself.
pub(crate) fn measure(
    peer: &Task,
    own: &Task,
    [first, second]: [Option<usize>; 2],
) -> Result<Footprint, String> {
    let _peer = Process::start(peer, second)?;
    thread::sleep(SETTLE);
    let mut times = Vec::new();
    let mut last: Option<Process> = None;
    for _ in 0..STARTS {
        if let Some(before) = last.take() {
            before.part();
        }
        let begin = now();
        let mut process = Process::start(own, first)?;
        times.push((process.matched_at()? - begin) / 1e6);
        last = Some(process);
    }
    let process = last.ok_or("nothing was started")?;
    thread::sleep(2 * SETTLE);
    let id = process.child.id();
    let (cpu, begin) = (cpu_time(id), now());
    thread::sleep(IDLE);
    let (cpu, took) = (cpu_time(id) - cpu, now() - begin);
    Ok(Footprint {
        match_ms: median(&mut times).unwrap_or_default(),
        memory: status(id, "VmRSS:") * 1024,
        threads: status(id, "Threads:"),
        idle: cpu / took,
    })
}

/// A program that runs until its standard input is closed. It ends with this process by itself, so
/// that nothing else is between its start and its match.
struct Process {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
    name: String,
}

impl Process {
    fn start(task: &Task, cpu: Option<usize>) -> Result<Self, String> {
        let Program::Other(program) = &task.program else {
            return Err("perftest has no footprint".into());
        };
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        let mut command = Command::new(program);
        command
            .args(&task.arguments)
            .envs(task.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let child = on(cpu, || command.spawn());
        let mut child = child.map_err(|error| format!("{name}: {error}"))?;
        let output = child.stdout.take().map(BufReader::new);
        Ok(Self {
            child,
            output,
            name,
        })
    }

    /// When it was matched, in nanoseconds of `CLOCK_MONOTONIC`. Waits until it says so or ends,
    /// which all programs do in time.
    fn matched_at(&mut self) -> Result<f64, String> {
        let mut line = String::new();
        // What cannot be read was not said.
        let _ = self
            .output
            .as_mut()
            .map(|output| output.read_line(&mut line));
        let words = line.split_whitespace();
        let mut at = words.filter_map(|word| word.strip_prefix("matched_at=")?.parse().ok());
        at.next()
            .ok_or_else(|| format!("{}: it found no peer", self.name))
    }

    /// Lets it say goodbye. Killed, it would haunt its successor for a lease: that has its port,
    /// and is sent what the peer has for the dead one.
    fn part(mut self) {
        drop(self.child.stdin.take());
        let until = Instant::now() + PATIENCE;
        while let (Ok(None), true) = (self.child.try_wait(), Instant::now() < until) {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing happens to one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `start` on one processor; what it starts stays there.
fn on<T>(cpu: Option<usize>, start: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let Some(cpu) = cpu else { return start() };
    let before = sched_getaffinity(None)?;
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only)?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// Nanoseconds of `CLOCK_MONOTONIC`, as the programs count.
fn now() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds that all threads of a process have run so far.
fn cpu_time(id: u32) -> f64 {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{id}/task")) else {
        return 0.0;
    };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .sum()
}

fn status(id: u32, field: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let value = |line: &str| {
        let value = line.strip_prefix(field)?.split_whitespace().next()?;
        value.parse().ok()
    };
    text.lines().find_map(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Task {
        Task {
            program: Program::Other("sh".into()),
            arguments: vec!["-c".into(), script.into()],
            environment: vec![],
            log: None,
        }
    }

    #[test]
    fn a_process_says_when_it_is_matched_and_ends_when_it_may() {
        let mut process = Process::start(&shell("echo matched_at=5; read line"), None).unwrap();
        assert_eq!(process.matched_at(), Ok(5.0));
        let id = process.child.id();
        assert!(status(id, "VmRSS:") > 0 && status(id, "Threads:") == 1);
        process.part();
        let mut silent = Process::start(&shell("exit 1"), None).unwrap();
        assert_eq!(silent.matched_at(), Err("sh: it found no peer".into()));
    }
}
