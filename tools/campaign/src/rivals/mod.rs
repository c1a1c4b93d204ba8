//! Rivals on the same work: programs of ours against their public libraries; and programs that do
//! the same over Dunlin's public interface, and over nothing at all.
//!
//! Those of rivals (`benches/peers`) are built when a campaign asks for them, ours (`benches/src`)
//! by `make bench`.
//! They play the part of perftest: one sample in flight, or as many as go through; same sizes, same
//! processors, the same figures from every single latency. Each is set up for speed, and what it
//! waits by is said beside its figures (`docs/rivals.md`).

mod awake;
mod build;
mod figures;

use std::path::PathBuf;

use crate::bench::{Network, PUBLISHER, SUBSCRIBER};
use crate::calls::{self, Length};
use crate::footprint;
use crate::record::{Cell, Measured, Mode};
use crate::side::{Program, Task};
use crate::systems::{System, Trouble, Turn};
pub(crate) use awake::Awake;
pub use build::build;

/// Seconds of the stream and of the ping-pong before they are measured.
const WARM_UP: &str = "0.2";

/// Bytes of a batch, where nothing else is asked.
const BATCH: &str = "60000";

/// Instances of a topic with a key.
const INSTANCES: &str = "100000";

/// Where readers get their samples by multicast.
const GROUP: &str = "239.255.7.1";

/// The program with our parts, beside this one.
const OWN_PROGRAM: &str = "bench-peer";

/// As `benches/peers/build.sh` calls it.
const PLAIN_SHM: &str = "raw_shm";

/// Bytes of a sample that its number and its length take.
const LEAST: u64 = 16;

/// Zenoh puts what is shorter into messages, also where memory is shared.
const ZENOH_SHARES_FROM: u64 = 3_072;

/// Whose library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// Eclipse Cyclone DDS.
    Cyclone,
    /// eProsima Fast DDS.
    FastDds,
    /// Eclipse iceoryx2.
    Iceoryx2,
    /// Eclipse Zenoh.
    Zenoh,
    /// None: Dunlin by its public interface, to compare like with like.
    Api,
    /// None: plain connected UDP sockets.
    PlainUdp,
    /// None: bare slots in shared memory.
    PlainShm,
    /// None: a TCP connection with the seals of TLS.
    SealedTcp,
}

/// A rival and its program.
#[derive(Clone, Debug)]
pub struct Peer {
    rival: Rival,
    program: PathBuf,
}

impl Rival {
    /// All of them, as a report has them.
    pub const ALL: [Rival; 4] = [
        Rival::Cyclone,
        Rival::FastDds,
        Rival::Iceoryx2,
        Rival::Zenoh,
    ];

    /// Those that are nobody's but ours.
    pub const OWN: [Rival; 4] = [
        Rival::Api,
        Rival::PlainUdp,
        Rival::PlainShm,
        Rival::SealedTcp,
    ];

    /// As [`Cell::system`] and `--with` name it.
    pub fn name(self) -> &'static str {
        match self {
            Rival::Cyclone => "cyclone",
            Rival::FastDds => "fastdds",
            Rival::Iceoryx2 => "iceoryx2",
            Rival::Zenoh => "zenoh",
            Rival::Api => "dunlin-api",
            Rival::PlainUdp => "plain-udp",
            Rival::PlainShm => "plain-shm",
            Rival::SealedTcp => "sealed-tcp",
        }
    }

    /// The part of the program of ours that has several.
    fn part(self) -> Option<&'static str> {
        match self {
            Rival::Api => Some("dunlin"),
            Rival::PlainUdp => Some("raw"),
            Rival::SealedTcp => Some("sealed"),
            _ => None,
        }
    }

    /// The file of its program.
    fn program(self) -> PathBuf {
        match (self, self.part()) {
            // Without a name of its own it runs from somewhere near.
            (_, Some(_)) => std::env::current_exe()
                .unwrap_or_default()
                .with_file_name(OWN_PROGRAM),
            (Rival::PlainShm, None) => build::place().join(PLAIN_SHM),
            (_, None) => build::place().join(self.name()),
        }
    }

    fn transports(self) -> &'static [&'static str] {
        match self {
            Rival::Cyclone => &["UDPv4"],
            Rival::FastDds => &["UDPv4", "SHMEM", "TCP"],
            Rival::Iceoryx2 | Rival::PlainShm => &["SHMEM"],
            Rival::PlainUdp => &["UDPv4"],
            Rival::SealedTcp => &["TCP"],
            Rival::Api => &["UDPv4", "SHMEM", "UDPv4+SHMEM"],
            Rival::Zenoh => &["UDPv4", "SHMEM", "TCP"],
        }
    }

    fn batches(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::Zenoh | Rival::Api)
    }

    fn has_keys(self) -> bool {
        self == Rival::Api
    }

    /// Whether it can be told to sleep in the kernel.
    fn blocks(self) -> bool {
        matches!(self, Rival::Api | Rival::PlainUdp | Rival::PlainShm)
    }

    fn has_zero_copy(self) -> bool {
        matches!(self, Rival::Iceoryx2 | Rival::PlainShm | Rival::Api)
    }

    fn has_wait_sets(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::FastDds | Rival::Api)
    }

    /// Whether one writer is measured with several readers.
    fn fans_out(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::Api)
    }

    /// Whether there is a participant that finds another one.
    fn discovers(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::FastDds | Rival::Api)
    }

    fn waiting(self, blocking: bool) -> &'static str {
        match self {
            Rival::PlainUdp | Rival::PlainShm | Rival::Api if blocking => "block",
            Rival::PlainUdp | Rival::PlainShm | Rival::SealedTcp => "spin",
            Rival::Api => "listener, spin, then block",
            Rival::Cyclone | Rival::FastDds => {
                "listener in a thread that sleeps for data; processors kept awake"
            }
            Rival::Iceoryx2 => "polls without pause",
            Rival::Zenoh => "callback in a thread that sleeps for data; processors kept awake",
        }
    }

    fn sleeps(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::FastDds | Rival::Zenoh)
    }

    /// What reliability its library has over that transport, where it has only one.
    fn only(self, transport: &str) -> Option<bool> {
        match (self, transport) {
            (Rival::Iceoryx2, _) => Some(true),
            (Rival::PlainUdp | Rival::PlainShm | Rival::SealedTcp, _) => Some(false),
            // Nothing is repeated; over TCP there is no need to.
            (Rival::Zenoh, transport) => Some(transport != "UDPv4"),
            _ => None,
        }
    }
}

impl Peer {
    /// Its program is where [`System::prepare`] puts it, maybe in a process before this one.
    pub fn new(rival: Rival) -> Self {
        Self {
            rival,
            program: rival.program(),
        }
    }

    fn task(&self, turn: &Turn<'_>, role: &str, side: usize, more: &[String]) -> Task {
        let (rival, cell) = (self.rival, turn.cell);
        let mut words: Vec<String> = rival.part().map(String::from).into_iter().collect();
        words.extend([role.into(), "--size".into(), cell.size.to_string()]);
        let seconds = turn.seconds.to_string();
        words.extend([
            "--seconds".into(),
            seconds,
            "--warm-up".into(),
            WARM_UP.into(),
        ]);
        words.extend(turn.cell.reliable.then(|| "--reliable".into()));
        words.extend(turn.cell.zero_copy.then(|| "--zero-copy".into()));
        if let Mode::Throughput { batched: true } = turn.cell.mode {
            words.push("--batch".into());
            // Those in Rust are told how many bytes.
            let bytes = match turn.cell.variant.batch {
                0 => BATCH.into(),
                bytes => bytes.to_string(),
            };
            words.extend(matches!(self.rival, Rival::Zenoh | Rival::Api).then_some(bytes));
        }
        words.extend(self.of_variant(cell, role));
        words.extend_from_slice(more);
        // Who may run on one processor only yields it now and then; strace makes that slow, and so
        // more frequent.
        let free = cell.transport == "SHMEM" && matches!(cell.mode, Mode::Calls { .. });
        let cpu = turn.bench.pins[side].filter(|_| !free && cell.mode != Mode::Footprint);
        self.pinned(cpu, words, cell)
    }

    /// What only some programs know.
    fn of_variant(&self, cell: &Cell, role: &str) -> Vec<String> {
        let (rival, variant) = (self.rival, &cell.variant);
        let plays = matches!(role, "ping" | "pong");
        // The main thread of the floor receives.
        let waits_by_set = variant.how.waits_by_set() || rival == Rival::PlainShm && plays;
        let mut words: Vec<String> = vec![];
        words.extend(waits_by_set.then(|| "--waitset".into()));
        let told = cell.blocking && matches!(rival, Rival::PlainUdp | Rival::PlainShm);
        words.extend(told.then(|| "--blocking".into()));
        if cell.keyed {
            words.extend(["--instances".into(), INSTANCES.into()]);
        }
        if variant.readers > 0 {
            words.extend(["--readers".into(), variant.readers.to_string()]);
        }
        // Cyclone DDS sends so by itself if there is more than one reader.
        if variant.multicast && rival == Rival::Api {
            words.extend(["--group".into(), GROUP.into()]);
        }
        words
    }

    /// Bound to its processor before it has any thread.
    fn pinned(&self, cpu: Option<usize>, words: Vec<String>, cell: &Cell) -> Task {
        let environment = self.environment(cell);
        let Some(cpu) = cpu else {
            return Task {
                program: Program::Other(self.program.clone()),
                arguments: words,
                environment,
                log: None,
            };
        };
        let program = self.program.to_string_lossy().into_owned();
        let mut arguments = vec!["-c".into(), cpu.to_string(), program];
        arguments.extend(words);
        Task {
            program: Program::Other("taskset".into()),
            arguments,
            environment,
            log: None,
        }
    }

    fn environment(&self, cell: &Cell) -> Vec<(String, String)> {
        let transport = cell.transport.as_str();
        if self.rival == Rival::Api {
            let ways = match transport {
                "SHMEM" => "shmem",
                "UDPv4" => "udp",
                _ => "udp,shmem",
            };
            let block = cell.blocking.then_some(("DUNLIN_WAITING", "block"));
            let all = [("DUNLIN_TRANSPORTS", ways)].into_iter().chain(block);
            return all
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
        }
        let word = match (self.rival, transport) {
            (Rival::FastDds, "TCP") => ("BENCH_TCP", "1"),
            (Rival::FastDds, "SHMEM") => ("BENCH_SHM", "1"),
            (Rival::Zenoh, "UDPv4") => ("BENCH_ZENOH", "udp"),
            (Rival::Zenoh, "SHMEM") => ("BENCH_ZENOH", "shm"),
            (Rival::Zenoh, _) => ("BENCH_ZENOH", "tcp"),
            _ => return vec![],
        };
        vec![(word.0.into(), word.1.into())]
    }

    fn latency(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let (name, log) = turn.histogram("latency");
        // Every latency, until the figures have been taken from them.
        let raw = log.with_extension("raw");
        let out = ["--out".into(), raw.to_string_lossy().into_owned()];
        let tasks = [
            self.task(turn, "ping", PUBLISHER, &out),
            self.task(turn, "pong", SUBSCRIBER, &[]),
        ];
        let printed = turn.bench.both(tasks);
        let figures = printed.and_then(|printed| {
            let latencies = figures::latencies(&raw).map_err(Trouble::Failed)?;
            let mut measured = figures::of_ping(&latencies, &printed)?;
            figures::write_log(&log, &latencies, turn.seconds)?;
            if let Some(latency) = &mut measured.latency {
                latency.histogram = Some(name);
            }
            Ok(measured)
        });
        // What is not there need not go.
        let _ = std::fs::remove_file(&raw);
        let mut measured = figures?;
        calls::add(
            &mut measured,
            turn,
            |length| self.counted(turn, length),
            figures::trips,
        )?;
        Ok(measured)
    }

    /// Both sides of a run whose system calls are counted.
    fn counted(&self, turn: &Turn<'_>, length: Length) -> [Task; 2] {
        let seconds = match (length, turn.cell.transport == "SHMEM") {
            (Length::Short, false) => "0.3",
            (Length::Long, false) => "1.2",
            (Length::Short, true) => "0.2",
            (Length::Long, true) => "1",
        };
        let roles = match turn.cell.mode {
            Mode::Calls { stream: true } => ["send", "receive"],
            _ => ["ping", "pong"],
        };
        // The last ones count.
        let more = ["--seconds", seconds, "--warm-up", "0"].map(String::from);
        [
            self.task(turn, roles[PUBLISHER], PUBLISHER, &more),
            self.task(turn, roles[SUBSCRIBER], SUBSCRIBER, &more),
        ]
    }

    fn throughput(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let tasks = [
            self.task(turn, "send", PUBLISHER, &[]),
            self.task(turn, "receive", SUBSCRIBER, &[]),
        ];
        let (cell, before) = (turn.cell, kernel_drops());
        let mut measured = match cell.variant.readers {
            0 => figures::of_stream(cell.size, &turn.bench.both(tasks)?)?,
            readers => {
                let [publisher, subscriber] = tasks;
                let subscribers = vec![subscriber; readers as usize];
                let (sent, received) = turn.bench.many(&publisher, &subscribers)?;
                figures::of_fan_out(cell.size, &sent, &received)?
            }
        };
        let dropped = kernel_drops()
            .zip(before)
            .map(|(after, before)| after - before);
        if let Some(throughput) = &mut measured.throughput {
            throughput.dropped = dropped.filter(|_| cell.transport == "UDPv4");
        }
        Ok(measured)
    }

    fn footprint(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let peer = self.task(turn, "pong", SUBSCRIBER, &[]);
        let own = self.task(turn, "match", PUBLISHER, &[]);
        let footprint = footprint::measure(&peer, &own, turn.bench.pins)?;
        Ok(Measured {
            footprint: Some(footprint),
            ..Measured::default()
        })
    }
}

/// Datagrams that the kernel of this network has dropped since a receive buffer was full, whosever
/// it was.
fn kernel_drops() -> Option<u64> {
    drops_in(&std::fs::read_to_string("/proc/net/snmp").ok()?)
}

/// From the two lines on UDP, names above numbers (proc(5)).
fn drops_in(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let mut pairs = names.split_whitespace().zip(numbers.split_whitespace());
    let (_, number) = pairs.find(|(name, _)| *name == "RcvbufErrors")?;
    number.parse().ok()
}

impl System for Peer {
    fn name(&self) -> &'static str {
        self.rival.name()
    }

    fn has(&self, cell: &Cell) -> Result<(), String> {
        let (rival, name) = (self.rival, self.name());
        let transport = cell.transport.as_str();
        if !rival.transports().contains(&transport) {
            return Err(format!("{name} is not measured over {transport}"));
        }
        if cell.keyed && !rival.has_keys() {
            return Err(format!("{name} is measured without keys"));
        }
        if cell.size < LEAST {
            return Err(format!("{name} is measured from {LEAST} bytes on"));
        }
        if cell.blocking && !rival.blocks() {
            return Err(format!("{name} is measured as it waits by itself"));
        }
        if cell.zero_copy && !(rival.has_zero_copy() && transport == "SHMEM") {
            return Err(format!("{name} is not measured without copies"));
        }
        match (rival.only(transport), cell.reliable) {
            (Some(true), false) => {
                return Err(format!(
                    "{name} loses nothing over {transport}: it is among the reliable"
                ));
            }
            (Some(false), true) => {
                return Err(format!(
                    "{name} repeats nothing over {transport}: it is among the best effort"
                ));
            }
            _ => {}
        }
        if rival == Rival::Zenoh && transport == "SHMEM" && cell.size < ZENOH_SHARES_FROM {
            return Err(format!(
                "zenoh shares memory from {ZENOH_SHARES_FROM} bytes on"
            ));
        }
        let how = cell.variant.how;
        if how.by_taskset() || how.waits_by_set() && !rival.has_wait_sets() {
            return Err(format!("{name} has no {}", how.name()));
        }
        if (cell.variant.readers > 1 || cell.variant.multicast) && !rival.fans_out() {
            return Err(format!("{name} is measured with one reader"));
        }
        match cell.mode {
            Mode::Footprint if !rival.discovers() => Err(format!("{name} has no participants")),
            Mode::Footprint => Ok(()),
            _ if transport == "UDPv4+SHMEM" => {
                Err(format!("{name} is measured over one transport"))
            }
            Mode::Latency | Mode::Calls { stream: false } if rival == Rival::SealedTcp => {
                Err(format!("{name} is measured as a stream only"))
            }
            Mode::Calls { .. } => Ok(()),
            Mode::Latency | Mode::Throughput { batched: false } => Ok(()),
            Mode::Throughput { batched: true } if rival.batches() => Ok(()),
            Mode::Throughput { batched: true } => Err(format!("{name} has no batches")),
            Mode::Loaded { .. } => Err(format!("{name} is not measured at a fixed rate")),
        }
    }

    fn prepare(&mut self) -> Result<(), String> {
        match self.rival {
            Rival::PlainShm => build(PLAIN_SHM, &build::place()),
            _ if self.rival.part().is_none() => build(self.rival.name(), &build::place()),
            _ if self.program.exists() => Ok(()),
            _ => Err(format!(
                "{} is not there: `make bench` makes it",
                self.program.display()
            )),
        }
    }

    fn run(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        if let Network::Hosts(_) | Network::Switch(_) = turn.bench.network {
            let reason = format!("{} is measured on one host only", self.name());
            return Err(Trouble::Failed(reason));
        }
        // They sleep at each sample: at their best while the processors do not.
        let _awake = self.rival.sleeps().then(|| Awake::start(turn.bench.pins));
        let measured = match turn.cell.mode {
            Mode::Throughput { .. } => self.throughput(turn),
            Mode::Footprint => self.footprint(turn),
            Mode::Calls { .. } => {
                calls::only(turn, |length| self.counted(turn, length), figures::trips)
            }
            Mode::Latency | Mode::Loaded { .. } => self.latency(turn),
        }?;
        Ok(Measured {
            waiting: self.rival.waiting(turn.cell.blocking).into(),
            ..measured
        })
    }
}

#[cfg(test)]
mod tests;
