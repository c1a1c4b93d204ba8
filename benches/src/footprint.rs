//! What a participant costs that does nothing, and how soon it finds a peer that is up already.
use std::process::Command;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::host::Host;
use crate::options::Options;
use crate::process::Process;
use crate::reading::{Repetitions, rounds, typical};
use crate::system::System;
use crate::table::{Table, Verdict, short};

/// The peer has its announcements behind it.
const SETTLE: Duration = Duration::from_millis(700);

/// Longest time that a process takes to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts that are timed in each repetition.
const STARTS: usize = 3;

/// Idle time is slow to measure and varies little.
const MOST_REPETITIONS: usize = 2;

const MOST_MATCH_MS: f64 = 10.0;
const MOST_RSS_MB: f64 = 8.0;
const MOST_CPU_PERCENT: f64 = 0.02;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Footprint {
    pub(crate) match_ms: f64,
    pub(crate) rss_mb: f64,
    pub(crate) threads: f64,
    pub(crate) cpu_percent: f64,
}

/// Measures all systems that discover.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let systems: Vec<System> = host
        .systems
        .iter()
        .copied()
        .filter(|s| s.uses_udp() && *s != System::Raw)
        .collect();
    let named: Vec<Named> = systems.into_iter().map(Named).collect();
    let mut table = Table::new(
        "Footprint of one participant with a writer and a reader, matched and idle",
        &[
            "",
            "system",
            "start to matched ms",
            "RSS MB",
            "threads",
            "idle CPU %",
            "at most",
        ],
    );
    if !options.names("footprint") {
        return vec![];
    }
    eprintln!("footprint");
    let repeat = options.repeat.min(MOST_REPETITIONS);
    let results = rounds(repeat, &named, |Named(system)| {
        measure(host, |role| {
            let mut command = system.peer(host, role);
            command.arg("--reliable");
            command
        })
    });
    for (Named(system), own) in named.iter().zip(&results) {
        let (cells, verdict) = row(*system, own);
        table.push(cells, verdict);
    }
    table.note(
        "Start to matched: from before the process is started until its writer and its reader are matched, with the peer up already. \
         Idle CPU: share of one processor over the idle time of all threads.",
    );
    vec![table]
}

struct Named(System);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

fn row(system: System, own: &Repetitions<Footprint>) -> (Vec<String>, Verdict) {
    let figures = [
        typical(own, |f| f.match_ms),
        typical(own, |f| f.rss_mb),
        typical(own, |f| f.threads),
        typical(own, |f| f.cpu_percent),
    ];
    let [matched, rss, _, cpu] = figures;
    let (limit, verdict) = if system == System::Dunlin {
        let within = |value: Option<f64>, most| value.is_some_and(|value: f64| value <= most);
        let met = within(matched, MOST_MATCH_MS)
            && within(rss, MOST_RSS_MB)
            && within(cpu, MOST_CPU_PERCENT);
        let limit = format!("{MOST_MATCH_MS} ms, {MOST_RSS_MB} MB, {MOST_CPU_PERCENT} %");
        (limit, Verdict::of(met))
    } else {
        (String::new(), Verdict::None)
    };
    let [matched, rss, threads, cpu] = [
        short(matched),
        short(rss),
        figures[2].map_or("-".into(), |threads| threads.to_string()),
        cpu.map_or("-".into(), |cpu| format!("{cpu:.3}")),
    ];
    let cells = vec![
        String::new(),
        system.name().into(),
        matched,
        rss,
        threads,
        cpu,
        limit,
    ];
    (cells, verdict)
}

/// Measures what takes the role `match`, with a peer in the role `pong`.
pub(crate) fn measure(host: &Host, peer: impl Fn(&str) -> Command) -> Result<Footprint, String> {
    let [first, second] = host.cpus;
    let _peer = Process::start(peer("pong"), Some(second))?;
    std::thread::sleep(SETTLE);
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..STARTS {
        if let Some(before) = last.take() {
            part(before)?;
        }
        let command = peer("match");
        let begin = now();
        let mut process = Process::start(command, Some(first))?;
        let at = process
            .line()?
            .get("matched_at")
            .copied()
            .unwrap_or_default();
        times.push((at - begin) / 1e6);
        last = Some(process);
    }
    let process = last.ok_or("nothing was started")?;
    std::thread::sleep(2 * SETTLE);
    let id = process.id();
    let (cpu, begin) = (cpu_time(id), now());
    std::thread::sleep(IDLE);
    let (cpu, took) = (cpu_time(id) - cpu, now() - begin);
    Ok(Footprint {
        match_ms: crate::statistics::median(times).unwrap_or_default(),
        rss_mb: status(id, "VmRSS:") / 1024.0,
        threads: status(id, "Threads:"),
        cpu_percent: cpu / took * 100.0,
    })
}

/// Lets a process say goodbye. Killed, it would haunt its successor for a lease: that has its port,
/// and is sent what the peer has for the dead one.
fn part(mut process: Process) -> Result<(), String> {
    process.release();
    process.output(PATIENCE).map(drop)
}

/// Long enough for several announcements.
const IDLE: Duration = Duration::from_secs(5);

/// Nanoseconds of `CLOCK_MONOTONIC`, as the peers count.
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

fn status(id: u32, field: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    text.lines()
        .find_map(|line| {
            line.strip_prefix(field)?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or_default()
}
