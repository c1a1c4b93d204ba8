//! The latency table: ping-pong between two processes, one way is half of the round trip.
use std::fmt::{self, Display};
use std::process::Command;

use crate::host::Host;
use crate::options::Options;
use crate::process::Awake;
use crate::reading::{self, Latency, Pair, Repetitions, ratio, rounds, typical};
use crate::syscalls;
use crate::system::{System, bench_peer};
use crate::table::{Table, Verdict, short};

/// How the samples are waited for, beyond the plain listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// What the system does by itself; raw sockets and Dunlin spin for a while, the others sleep.
    Default,
    WaitSet,
    /// 100,000 instances.
    Keyed,
    /// Both processes started by `taskset`.
    Taskset,
    /// Likewise, with a wait set.
    TasksetWaitSet,
    /// Sleep in the kernel.
    Block,
    /// Dunlin by its API alone, with the program that has its like for every rival.
    Api,
}

/// What is asked of a row, in comparison with another row of its group.
#[derive(Clone, Copy, Debug)]
struct Target {
    /// Index in the group.
    reference: usize,
    limit: Limit,
    /// Largest ratio of the 99 % values, judged in a row of its own.
    p99: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Times(f64),
    /// Microseconds more.
    Plus(f64),
    /// Only shown.
    Free,
}

/// One row: who does what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) system: System,
    pub(crate) size: usize,
    pub(crate) reliable: bool,
    pub(crate) how: How,
    target: Option<Target>,
}

impl Work {
    const fn new(system: System, size: usize, reliable: bool, how: How) -> Self {
        Self {
            system,
            size,
            reliable,
            how,
            target: None,
        }
    }

    const fn against(self, reference: usize, limit: Limit) -> Self {
        let target = Some(Target {
            reference,
            limit,
            p99: None,
        });
        Self { target, ..self }
    }

    fn case(&self) -> String {
        let kind = match (self.system, self.reliable) {
            (System::Raw, _) => "",
            (_, true) => " reliable",
            (_, false) => " best effort",
        };
        let how = match self.how {
            How::Default => "",
            How::WaitSet => ", wait set",
            How::Keyed => ", 100,000 instances",
            How::Taskset => ", started by taskset",
            How::TasksetWaitSet => ", wait set, started by taskset",
            How::Block => ", blocking",
            How::Api => ", API",
        };
        format!("{} B{kind}{how}", self.size)
    }

    /// Sleeping processes are at the mercy of processors that halt.
    fn needs_awake(&self) -> bool {
        self.how == How::Block || matches!(self.system, System::Cyclone | System::FastDds)
    }

    fn waits(&self) -> &'static str {
        match (self.system, self.how) {
            (_, How::Block) | (System::Cyclone | System::FastDds, _) => "block",
            (System::Dunlin, _) => "spin, then block",
            _ => "spin",
        }
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.system.name(), self.case())
    }
}

/// The groups: within one, all take turns, and the first row is the floor.
fn groups(options: &Options) -> Vec<Vec<Work>> {
    use How::*;
    use Limit::{Free, Plus, Times};
    use System::*;
    let mut small = vec![
        Work::new(Raw, 32, false, Default),
        Work::new(Dunlin, 32, false, Default).against(0, Times(1.5)),
        Work::new(Dunlin, 32, true, Default).against(1, Times(1.1)),
        Work::new(Dunlin, 32, false, Keyed).against(1, Plus(0.3)),
        Work::new(Dunlin, 32, false, WaitSet).against(1, Times(1.15)),
        Work::new(Dunlin, 32, false, Taskset).against(0, Times(1.5)),
        Work::new(Dunlin, 32, false, TasksetWaitSet).against(5, Times(1.15)),
        Work::new(Dunlin, 32, false, Api).against(0, Free),
    ];
    small.iter_mut().for_each(|work| {
        if let Some(target) = &mut work.target
            && work.how == Default
            && target.reference == 0
        {
            target.p99 = Some(1.5);
        }
    });
    let mut asleep = vec![
        Work::new(Raw, 32, false, Block),
        Work::new(Dunlin, 32, false, Block).against(0, Times(1.1)),
    ];
    for rival in [Cyclone, FastDds] {
        asleep.extend([
            Work::new(rival, 32, false, Default).against(0, Free),
            Work::new(rival, 32, true, Default).against(0, Free),
            Work::new(rival, 32, false, WaitSet).against(0, Free),
        ]);
    }
    let mut groups = vec![small, asleep];
    let mut sizes = vec![
        (8192, false, Times(1.3)),
        (63_000, false, Times(1.2)),
        (1 << 20, true, Times(1.3)),
        (10 << 20, true, Times(1.4)),
    ];
    if options.full {
        sizes.extend([
            (1024, false, Free),
            (1024, true, Free),
            (8192, true, Free),
            (63_000, true, Free),
            (1 << 20, false, Free),
            (10 << 20, false, Free),
        ]);
    }
    for (size, reliable, limit) in sizes {
        groups.push(vec![
            Work::new(Raw, size, reliable, Default),
            Work::new(Dunlin, size, reliable, Default).against(0, limit),
            Work::new(Cyclone, size, reliable, Default).against(0, Free),
            Work::new(FastDds, size, reliable, Default).against(0, Free),
        ]);
    }
    groups
}

/// Measures all groups.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "Latency, one way, microseconds",
        &[
            "case",
            "system",
            "waits",
            "p50",
            "p99",
            "compared with",
            "its p50",
            "ratio",
            "p99 ratio",
            "at most",
            "CPU pub",
            "CPU sub",
            "samples",
        ],
    );
    for group in groups(options) {
        let wanted = group.iter().any(|work| options.names(&work.to_string()));
        if !wanted {
            continue;
        }
        let here: Vec<Work> = group.into_iter().filter(|w| host.has(w.system)).collect();
        if let Some(first) = here.first() {
            eprintln!("latency, {}", first.case());
        }
        let results = rounds(options.repeat, &here, |work| measure(host, options, work));
        for (index, work) in here.iter().enumerate() {
            let (cells, verdict) = row(&here, &results, index, work);
            table.push(cells, verdict);
            if let Some((cells, verdict)) = tail_row(&here, &results, index, work) {
                table.push(cells, verdict);
            }
        }
    }
    table.note(
        "p50 and p99 are medians over the repetitions, ratios medians of the ratios within a repetition. Warm-up is not counted. \
         CPU: user and system time of one side per round trip, microseconds. Dunlin is measured by perftest -latencyTest.",
    );
    table.note(
        "The processors are kept awake for whoever sleeps (one SCHED_IDLE spinner on each): their best case.",
    );
    let calls = syscalls::run(host, options);
    [table].into_iter().chain(calls).collect()
}

fn row(
    group: &[Work],
    results: &[Repetitions<Latency>],
    index: usize,
    work: &Work,
) -> (Vec<String>, Verdict) {
    let own = &results[index];
    let p50 = typical(own, |l| l.p50);
    let mut cells = vec![
        work.case(),
        work.system.name().into(),
        work.waits().into(),
        short(p50),
        short(typical(own, |l| l.p99)),
    ];
    let mut verdict = Verdict::None;
    if let Some(target) = work.target {
        let other = &results[target.reference];
        let times = ratio(own, other, |l| l.p50);
        let tail = ratio(own, other, |l| l.p99);
        verdict = judge(&target, times, own, other);
        let limit = match target.limit {
            Limit::Times(limit) => short(Some(limit)),
            Limit::Plus(limit) => format!("+{limit} us"),
            Limit::Free => String::new(),
        };
        cells.extend([
            name_of(&group[target.reference]),
            short(typical(other, |l| l.p50)),
            short(times),
            short(tail),
            limit,
        ]);
    } else {
        cells.extend(std::iter::repeat_n(String::new(), 5));
    }
    cells.extend([
        short(typical(own, |l| l.cpu[0])),
        short(typical(own, |l| l.cpu[1])),
        samples(own),
    ]);
    (cells, verdict)
}

/// The 99 % value, where something is asked of it.
fn tail_row(
    group: &[Work],
    results: &[Repetitions<Latency>],
    index: usize,
    work: &Work,
) -> Option<(Vec<String>, Verdict)> {
    let target = work.target?;
    let most = target.p99?;
    let (own, other) = (&results[index], &results[target.reference]);
    let tail = ratio(own, other, |l| l.p99);
    let mut cells = vec![
        format!("{}, p99", work.case()),
        work.system.name().into(),
        work.waits().into(),
        String::new(),
        short(typical(own, |l| l.p99)),
        name_of(&group[target.reference]),
        format!("p99 {}", short(typical(other, |l| l.p99))),
        String::new(),
        short(tail),
        short(Some(most)),
    ];
    cells.extend(std::iter::repeat_n(String::new(), 3));
    Some((cells, Verdict::of(tail.is_some_and(|tail| tail <= most))))
}

fn name_of(work: &Work) -> String {
    match work.system {
        System::Raw => format!("raw, {}", work.waits()),
        _ => work.case(),
    }
}

fn samples(runs: &Repetitions<Latency>) -> String {
    let all: f64 = runs.iter().flatten().map(|l| l.samples).sum();
    let lost: f64 = runs.iter().flatten().map(|l| l.lost).sum();
    let failed = runs.iter().filter(|run| run.is_err()).count();
    let mut text = crate::table::large(all);
    if lost > 0.0 {
        text.push_str(&format!(", {lost} lost"));
    }
    if failed > 0 {
        text.push_str(&format!(", {failed} runs failed"));
    }
    text
}

fn judge(
    target: &Target,
    times: Option<f64>,
    own: &Repetitions<Latency>,
    other: &Repetitions<Latency>,
) -> Verdict {
    let within = |value: Option<f64>, limit: f64| value.is_some_and(|value| value <= limit);
    let met = match target.limit {
        Limit::Free => return Verdict::None,
        Limit::Times(limit) => within(times, limit),
        Limit::Plus(limit) => {
            let more = typical(own, |l| l.p50).zip(typical(other, |l| l.p50));
            within(more.map(|(own, other)| own - other), limit)
        }
    };
    Verdict::of(met)
}

fn measure(host: &Host, options: &Options, work: &Work) -> Result<Latency, String> {
    let _awake = if work.needs_awake() {
        Some(Awake::start(&bench_peer(host), host.cpus)?)
    } else {
        None
    };
    if work.system == System::Dunlin && work.how != How::Api {
        let seconds = options.seconds.to_string();
        let pair = perftest(host, work, &["-executionTime", &seconds]);
        let (publisher, subscriber) = pair.run(options)?;
        return reading::of_perftest(&publisher, &subscriber);
    }
    let file = host.scratch.join("latencies");
    let mut pair = peers(host, work);
    pair.publisher
        .args(["--seconds", &options.seconds.to_string()])
        .arg("--out")
        .arg(&file);
    let (ping, pong) = pair.run(options)?;
    reading::of_peers(
        &crate::process::words(&ping),
        &crate::process::words(&pong),
        &file,
    )
}

/// Both sides of `perftest`.
pub(crate) fn perftest(host: &Host, work: &Work, length: &[&str]) -> Pair {
    let side = |role: &[&str], cpu: usize| {
        let program = host.programs.join("perftest");
        let mut command = match work.how {
            How::Taskset | How::TasksetWaitSet => {
                let mut command = Command::new("taskset");
                command.args(["-c", &cpu.to_string()]).arg(program);
                command
            }
            _ => Command::new(program),
        };
        command
            .args(role)
            .args(["-dataLen", &work.size.to_string()]);
        command.args(["-noPrint", "-cpu", "-nsResolution", "-outputFormat", "json"]);
        command.args(["-discoveryTimeout", "20", "-transport", "UDPv4"]);
        if !work.reliable {
            command.arg("-bestEffort");
        }
        match work.how {
            How::Keyed => drop(command.args(["-keyed", "-instances", "100000"])),
            How::WaitSet | How::TasksetWaitSet => drop(command.arg("-useReadThread")),
            How::Block => drop(command.env("DUNLIN_WAITING", "block")),
            _ => {}
        }
        command
    };
    let publisher = [&["-pub", "-latencyTest"], length].concat();
    Pair {
        publisher: side(&publisher, host.cpus[0]),
        subscriber: side(&["-sub"], host.cpus[1]),
        cpus: match work.how {
            How::Taskset | How::TasksetWaitSet => [None, None],
            _ => host.cpus.map(Some),
        },
    }
}

/// Both sides of a ping-pong between the peers of the benchmark.
pub(crate) fn peers(host: &Host, work: &Work) -> Pair {
    let side = |role: &str| {
        let mut command = work.system.peer(host, role);
        command.args(["--size", &work.size.to_string()]);
        if work.reliable {
            command.arg("--reliable");
        }
        match work.how {
            How::WaitSet => drop(command.arg("--waitset")),
            How::Block if work.system == System::Raw => drop(command.arg("--blocking")),
            How::Block => drop(command.env("DUNLIN_WAITING", "block")),
            _ => {}
        }
        command
    };
    Pair {
        publisher: side("ping"),
        subscriber: side("pong"),
        cpus: host.cpus.map(Some),
    }
}

/// The work whose system calls are counted: one small sample in flight, everybody asleep in
/// between.
pub(crate) fn sleeping(system: System, reliable: bool) -> Work {
    Work::new(system, 32, reliable, How::Block)
}
