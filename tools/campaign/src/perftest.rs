//! Dunlin, also by its interfaces for other languages, and the floors beneath it: all measured by
//! perftest.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use serde_json::Value;

use crate::bench::{Bench, Network, PUBLISHER, SUBSCRIBER};
use crate::calls::{self, Length};
use crate::certificates;
use crate::command::this_program;
use crate::record::{Cell, Cost, Latency, Measured, Mode, Throughput};
use crate::rows::How;
use crate::side::{Program, Task};
use crate::systems::{System, Trouble, Turn};

/// Instances of the keyed type, as in the published runs.
const INSTANCES: &str = "100000";

/// What `-dataLen` takes.
const SIZES: std::ops::RangeInclusive<u64> = 28..=2_147_482_620;

/// Perftest, over Dunlin or over what is beneath it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perftest {
    /// Over Dunlin.
    Dunlin,
    /// Without DDS.
    Raw,
    /// Over Dunlin, by the program in C.
    C,
    /// Over Dunlin, by the program in C++98.
    Cpp98,
    /// Over Dunlin, by the program in Java.
    Java,
    /// Over Dunlin, by the program in C#.
    Csharp,
}

impl System for Perftest {
    fn name(&self) -> &'static str {
        match self {
            Perftest::Dunlin => "dunlin",
            Perftest::Raw => "raw",
            Perftest::C => "dunlin-c",
            Perftest::Cpp98 => "dunlin-cpp98",
            Perftest::Java => "dunlin-java",
            Perftest::Csharp => "dunlin-cs",
        }
    }

    fn has(&self, cell: &Cell) -> Result<(), String> {
        let (name, transport) = (self.name(), cell.transport.as_str());
        let refuse = |what: &str| Err(format!("{name} has no {what}"));
        if !SIZES.contains(&cell.size) {
            return Err(format!(
                "{name} has sizes from {} to {}",
                SIZES.start(),
                SIZES.end()
            ));
        }
        match (transport, cell.mode) {
            ("UDPv4" | "SHMEM" | "TCP", _) => {}
            ("TLS", _) if *self == Perftest::Dunlin => {}
            _ => return refuse(&format!("{transport} in a campaign")),
        }
        if cell.zero_copy && transport != "SHMEM" {
            return refuse(&format!("zero copy by {transport}"));
        }
        if cell.variant.readers > 1 || cell.variant.multicast {
            return refuse("several readers");
        }
        if cell.variant.how != How::Own && *self != Perftest::Dunlin {
            return refuse(cell.variant.how.name());
        }
        match (self, cell.mode) {
            (_, Mode::Footprint) => refuse("footprint"),
            (_, Mode::Calls { stream: true }) => refuse("calls of a stream"),
            (Perftest::Raw, Mode::Throughput { batched: true }) => refuse("batches"),
            (_, Mode::Throughput { batched: true }) if cell.zero_copy => {
                refuse("batches without copies")
            }
            (_, Mode::Loaded { .. }) if self.program_name().is_some() => refuse("fixed rates"),
            _ => Ok(()),
        }
    }

    fn prepare(&mut self) -> Result<(), String> {
        match self.program()? {
            Program::Other(program) if !program.exists() => Err(format!(
                "{} is not there: `make languages` makes it",
                program.display()
            )),
            _ => Ok(()),
        }
    }

    fn is_perftest(&self) -> bool {
        self.program_name().is_none()
    }

    fn run(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let program = self.program().map_err(Trouble::Failed)?;
        if turn.cell.transport == "TLS" {
            certificates::make(turn.directory).map_err(Trouble::Failed)?;
        }
        if let Mode::Calls { .. } = turn.cell.mode {
            return calls::only(turn, |length| self.counted(turn, &program, length), trips);
        }
        let outputs = turn.bench.both(self.sides(turn, &program, None))?;
        let mut measured = self.measured(turn, outputs)?;
        if turn.cell.mode == Mode::Latency {
            calls::add(
                &mut measured,
                turn,
                |length| self.counted(turn, &program, length),
                trips,
            )?;
        }
        Ok(measured)
    }
}

impl Perftest {
    /// Largest sample of the types whose payload is bounded, as `-dataLen` counts it.
    pub(crate) const BOUNDED: u64 = 65_470;

    /// Both sides with something between them, each in the domain of its end of that.
    ///
    /// # Errors
    /// Where this program is cannot be told.
    pub(crate) fn routed(&self, turn: &Turn<'_>, domains: [u32; 2]) -> Result<[Task; 2], String> {
        Ok(self.sides(turn, &self.program()?, Some(domains)))
    }

    fn sides(&self, turn: &Turn<'_>, program: &Program, domains: Option<[u32; 2]>) -> [Task; 2] {
        [PUBLISHER, SUBSCRIBER].map(|side| {
            let task = Task {
                program: program.clone(),
                arguments: self.arguments(turn, side, domains),
                environment: self.environment(turn.cell),
                log: None,
            };
            match turn.bench.pins[side] {
                Some(cpu) if turn.cell.variant.how.by_taskset() => by_taskset(task, cpu),
                _ => task,
            }
        })
    }

    fn environment(&self, cell: &Cell) -> Vec<(String, String)> {
        match (self, cell.blocking) {
            (Perftest::Raw, _) | (_, false) => vec![],
            (_, true) => vec![("DUNLIN_WAITING".into(), "block".into())],
        }
    }

    /// The figures of a run, from what both sides printed.
    pub(crate) fn measured(
        &self,
        turn: &Turn<'_>,
        outputs: [String; 2],
    ) -> Result<Measured, Trouble> {
        let [publisher, subscriber] = outputs.map(|text| summary(&text));
        let figures = self.figures(turn, &publisher?, &subscriber?);
        figures.map_err(Trouble::Failed)
    }

    /// The file of the program in another language.
    fn program_name(&self) -> Option<&'static str> {
        match self {
            Perftest::Dunlin | Perftest::Raw => None,
            Perftest::C => Some("perftest_c"),
            Perftest::Cpp98 => Some("perftest_cpp"),
            Perftest::Java => Some("perftest_java.sh"),
            Perftest::Csharp => Some("perftest_cs"),
        }
    }

    /// What both sides run: this program, or the one in another language, where `make languages`
    /// puts it beside this one.
    fn program(&self) -> Result<Program, String> {
        let Some(name) = self.program_name() else {
            return Ok(Program::Perftest);
        };
        let own = std::env::current_exe();
        let own = own.map_err(|error| format!("where this program is: {error}"))?;
        // What a runtime runs is the same for all machines.
        let machine = match self {
            Perftest::Java | Perftest::Csharp => "",
            _ => std::env::consts::ARCH,
        };
        let built: PathBuf = ["languages", "bin", machine, "release"].iter().collect();
        let beside = own.with_file_name(name);
        let target = own.parent().and_then(|profile| profile.parent());
        let there = target.map(|target| target.join(built).join(name));
        Ok(Program::Other(match there {
            Some(there) if !beside.exists() => there,
            _ => beside,
        }))
    }

    /// Both sides of a run whose system calls are counted.
    fn counted(&self, turn: &Turn<'_>, program: &Program, length: Length) -> [Task; 2] {
        let count = match length {
            Length::Short => "500",
            Length::Long => "2500",
        };
        // The last ones count: as many samples, however long that takes, and no histogram.
        let more = ["-numIter", count, "-executionTime", "30"];
        let more = more.into_iter().chain(["-histogramFile", "/dev/null"]);
        let mut sides = self.sides(turn, program, None);
        sides[PUBLISHER].arguments.extend(more.map(String::from));
        sides
    }

    fn arguments(&self, turn: &Turn<'_>, side: usize, domains: Option<[u32; 2]>) -> Vec<String> {
        let (cell, bench) = (turn.cell, turn.bench);
        let mut words = self.common(cell);
        if cell.transport == "TLS" {
            words.extend(certificates::options(turn.directory));
        }
        if side == PUBLISHER {
            words.extend(self.of_publisher(turn));
        } else {
            words.push("-sub".into());
        }
        let by_itself = !cell.variant.how.by_taskset();
        if let Some(cpu) = bench.pins[side].filter(|_| by_itself) {
            words.extend(["-pin".into(), cpu.to_string()]);
        }
        if let Some(domains) = domains {
            words.extend(["-domain".into(), domains[side].to_string()]);
        }
        words.extend(self.network(cell, bench, side, domains.is_some()));
        words
    }

    fn common(&self, cell: &Cell) -> Vec<String> {
        let size = cell.size.to_string();
        let mut words = vec!["-transport", &cell.transport, "-dataLen", &size];
        words.extend(["-discoveryTimeout", "20", "-noPrint", "-cpu"]);
        words.extend(["-nsResolution", "-outputFormat", "json"]);
        let raw = *self == Perftest::Raw;
        words.extend(raw.then_some("-rawTransport"));
        words.extend((raw && cell.blocking).then_some("-rawBlocking"));
        words.extend((!raw && !cell.reliable).then_some("-bestEffort"));
        words.extend(cell.zero_copy.then_some("-zeroCopy"));
        words.extend(cell.variant.how.waits_by_set().then_some("-useReadThread"));
        if cell.keyed {
            words.extend(["-keyed", "-instances", INSTANCES]);
        }
        words.into_iter().map(String::from).collect()
    }

    fn of_publisher(&self, turn: &Turn<'_>) -> Vec<String> {
        let seconds = turn.seconds.to_string();
        let mut words = vec!["-pub".into(), "-executionTime".into(), seconds];
        match turn.cell.mode {
            Mode::Latency | Mode::Footprint | Mode::Calls { .. } => {
                let (_, path) = turn.histogram("latency");
                words.extend(["-latencyTest".into(), "-histogramFile".into()]);
                words.push(path.to_string_lossy().into_owned());
            }
            Mode::Throughput { batched: false } if *self != Perftest::Raw => {
                words.extend(["-batchSize".into(), "0".into()]);
            }
            Mode::Throughput { batched: true } if turn.cell.variant.batch > 0 => {
                let bytes = turn.cell.variant.batch.to_string();
                words.extend(["-batchSize".into(), bytes]);
            }
            Mode::Throughput { .. } => {}
            Mode::Loaded { rate } => {
                let (_, path) = turn.histogram("latency");
                words.extend(["-openLoop".into(), rate.to_string()]);
                words.extend(["-histogramFile".into(), path.to_string_lossy().into_owned()]);
                let (_, path) = turn.histogram("response");
                words.push("-responseHistogramFile".into());
                words.push(path.to_string_lossy().into_owned());
            }
        }
        words
    }

    /// Where the other side is, where it does not find out by itself.
    fn network(&self, cell: &Cell, bench: &Bench, side: usize, routed: bool) -> Vec<String> {
        let raw = *self == Perftest::Raw;
        let network = match bench.network {
            Network::Switch(hosts) => Network::Hosts(ends(hosts, side, routed)),
            network => network,
        };
        match (network, cell.transport.as_str()) {
            (_, "SHMEM") => vec![],
            (Network::Hosts(hosts), "TCP") if hosts[0] == hosts[1] => here(raw, side),
            (Network::Hosts(hosts), "TCP") => tcp(hosts, [7400, 7400], raw, side),
            (Network::Hosts(hosts), _) => udp(hosts, side),
            (_, "TCP") if raw => vec![],
            (_, "TCP" | "TLS") => here(raw, side),
            (Network::Loopback, _) if !raw => udp([Ipv4Addr::LOCALHOST; 2], side),
            _ => vec![],
        }
    }

    fn figures(
        &self,
        turn: &Turn<'_>,
        publisher: &Value,
        subscriber: &Value,
    ) -> Result<Measured, String> {
        let mut measured = Measured {
            warm_up: number(publisher, "warm_up_samples")? as u64,
            waiting: self.waiting(turn.cell).into(),
            cost: [cost(publisher), cost(subscriber)],
            ..Measured::default()
        };
        match turn.cell.mode {
            Mode::Throughput { .. } => {
                measured.throughput = Some(throughput(publisher, subscriber)?);
            }
            Mode::Footprint | Mode::Calls { .. } => {}
            Mode::Latency | Mode::Loaded { .. } => {
                let histogram = turn.histogram("latency").0;
                measured.latency = Some(latency(publisher, histogram)?);
            }
        }
        if let Mode::Loaded { .. } = turn.cell.mode {
            measured.response = Some(response(publisher, turn.histogram("response").0)?);
        }
        Ok(measured)
    }

    fn waiting(&self, cell: &Cell) -> &'static str {
        match (self, cell.blocking) {
            (Perftest::Raw, false) => "spin",
            (Perftest::Raw, true) => "block",
            (_, false) if cell.variant.how.waits_by_set() => "wait set, spin, then block",
            (_, false) => "listener, spin, then block",
            (_, true) => "listener, block",
        }
    }
}

/// The same, started by `taskset` and not bound by itself.
fn by_taskset(task: Task, cpu: usize) -> Task {
    let program = match &task.program {
        // Where this program is was told when the campaign began.
        Program::Perftest => this_program().unwrap_or_default(),
        Program::Other(path) => vec![path.to_string_lossy().into_owned()],
    };
    let words = ["-c".to_string(), cpu.to_string()].into_iter();
    Task {
        program: Program::Other("taskset".into()),
        arguments: words.chain(program).chain(task.arguments).collect(),
        ..task
    }
}

/// On one host two ports are needed.
fn here(raw: bool, side: usize) -> Vec<String> {
    tcp([Ipv4Addr::LOCALHOST; 2], [7401, 7400], raw, side)
}

/// The hosts at both ends of what a side sees: with something between the sides, that is the other
/// one.
fn ends(
    [publisher, subscriber, middle]: [Ipv4Addr; 3],
    side: usize,
    routed: bool,
) -> [Ipv4Addr; 2] {
    match (routed, side) {
        (false, _) => [publisher, subscriber],
        (true, PUBLISHER) => [publisher, middle],
        (true, _) => [middle, subscriber],
    }
}

fn udp(hosts: [Ipv4Addr; 2], side: usize) -> Vec<String> {
    let [own, other] = own_and_other(hosts, side);
    vec!["-nic".into(), own, "-peer".into(), other]
}

/// Each side listens at its port and calls the other one; without DDS only the subscriber calls.
fn tcp(hosts: [Ipv4Addr; 2], ports: [u16; 2], raw: bool, side: usize) -> Vec<String> {
    let [own, other] = own_and_other(hosts, side);
    let [port, other_port] = own_and_other(ports, side);
    let mut words = vec!["-nic".into(), own, "-transportServerBindPort".into(), port];
    if !raw || side == SUBSCRIBER {
        words.extend(["-peer".into(), format!("{other}:{other_port}")]);
    }
    words
}

fn own_and_other<T: ToString>([publisher, subscriber]: [T; 2], side: usize) -> [String; 2] {
    let both = [publisher.to_string(), subscriber.to_string()];
    let [publisher, subscriber] = both;
    match side {
        PUBLISHER => [publisher, subscriber],
        _ => [subscriber, publisher],
    }
}

/// Round trips of a run, warm-up and all.
fn trips([publisher, _]: &[String; 2]) -> Option<f64> {
    let summary = summary(publisher).ok()?;
    let number = |name| number(&summary, name).ok();
    Some(number("samples")? + number("warm_up_samples")?)
}

/// The summary in the table of a side.
fn summary(text: &str) -> Result<Value, Trouble> {
    let table: Value = serde_json::from_str(text)
        .map_err(|error| Trouble::Failed(format!("a table is no JSON: {error}")))?;
    Ok(table["perftest"][0]["summary"].clone())
}

fn number(summary: &Value, name: &str) -> Result<f64, String> {
    let number = summary[name].as_f64();
    number.ok_or_else(|| format!("a table has no {name}"))
}

/// Of a schedule: what was never sent was never answered either.
fn response(summary: &Value, histogram: String) -> Result<Latency, String> {
    let mut figures = summary["response"].clone();
    if let Some(figures) = figures.as_object_mut() {
        for name in ["lost_pings", "late_pongs"] {
            figures.insert(name.into(), summary[name].clone());
        }
    }
    let mut response = latency(&figures, histogram)?;
    response.lost += number(summary, "unsent")? as u64;
    Ok(response)
}

fn latency(summary: &Value, histogram: String) -> Result<Latency, String> {
    let nanoseconds = |name: &str| Ok::<_, String>(number(summary, name)? * 1_000.0);
    let whole = |name: &str| Ok::<_, String>(nanoseconds(name)?.round() as u64);
    let samples = number(summary, "samples")? as u64;
    if samples == 0 {
        return Err("no echo came back within the measurement".into());
    }
    Ok(Latency {
        samples,
        lost: number(summary, "lost_pings")? as u64,
        late: number(summary, "late_pongs")? as u64,
        average: nanoseconds("latency_ave")?,
        deviation: nanoseconds("latency_std")?,
        min: whole("latency_min")?,
        max: whole("latency_max")?,
        percentiles: [
            whole("latency_50")?,
            whole("latency_90")?,
            whole("latency_99")?,
            whole("latency_99.99")?,
            whole("latency_99.9999")?,
        ],
        histogram: Some(histogram),
    })
}

fn throughput(publisher: &Value, summary: &Value) -> Result<Throughput, String> {
    Ok(Throughput {
        sent: publisher["sent"].as_u64(),
        received: summary["packets"].as_u64(),
        dropped: None,
        samples: number(summary, "packets")? as u64,
        samples_per_second: number(summary, "packets/sAve")?,
        mbps: number(summary, "mbpsAve")?,
        lost: number(summary, "lost")? as u64,
    })
}

/// What a side spent, where its table says so.
fn cost(summary: &Value) -> Option<Cost> {
    serde_json::from_value(summary["cost"].clone()).ok()
}

#[cfg(test)]
mod tests;
