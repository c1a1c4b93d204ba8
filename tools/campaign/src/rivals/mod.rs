//! Rivals on the same work: programs of ours against their public libraries.
//!
//! The programs are those of `make bench` (`benches/peers`), built when a campaign asks for them.
//! They play the part of perftest: one sample in flight, or as many as go through; same sizes, same
//! processors, the same figures from every single latency. Each is set up for speed, and what it
//! waits by is said beside its figures (`docs/rivals.md`).

mod awake;
mod build;
mod figures;

use std::path::PathBuf;

use crate::bench::{Network, PUBLISHER, SUBSCRIBER};
use crate::calls::{self, Length};
use crate::record::{Cell, Measured, Mode};
use crate::side::{Program, Task};
use crate::systems::{System, Trouble, Turn};
use awake::Awake;
pub use build::build;

/// Seconds of the stream and of the ping-pong before they are measured.
const WARM_UP: &str = "0.2";

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

    /// As [`Cell::system`] and `--with` name it.
    pub fn name(self) -> &'static str {
        match self {
            Rival::Cyclone => "cyclone",
            Rival::FastDds => "fastdds",
            Rival::Iceoryx2 => "iceoryx2",
            Rival::Zenoh => "zenoh",
        }
    }

    fn transports(self) -> &'static [&'static str] {
        match self {
            Rival::Cyclone => &["UDPv4"],
            Rival::FastDds => &["UDPv4", "SHMEM", "TCP"],
            Rival::Iceoryx2 => &["SHMEM"],
            Rival::Zenoh => &["UDPv4", "SHMEM", "TCP"],
        }
    }

    fn batches(self) -> bool {
        matches!(self, Rival::Cyclone | Rival::Zenoh)
    }

    fn waiting(self) -> &'static str {
        match self {
            Rival::Cyclone | Rival::FastDds => {
                "listener in a thread that sleeps for data; processors kept awake"
            }
            Rival::Iceoryx2 => "polls without pause",
            Rival::Zenoh => "callback in a thread that sleeps for data; processors kept awake",
        }
    }

    fn sleeps(self) -> bool {
        self != Rival::Iceoryx2
    }

    /// What reliability its library has over that transport, where it has only one.
    fn only(self, transport: &str) -> Option<bool> {
        match (self, transport) {
            (Rival::Iceoryx2, _) => Some(true),
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
            program: build::place().join(rival.name()),
        }
    }

    fn task(&self, turn: &Turn<'_>, role: &str, side: usize, more: &[String]) -> Task {
        let mut words = vec![
            role.to_string(),
            "--size".into(),
            turn.cell.size.to_string(),
        ];
        let seconds = turn.bench.seconds.to_string();
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
            words.extend((self.rival == Rival::Zenoh).then(|| "60000".into()));
        }
        words.extend_from_slice(more);
        self.pinned(turn.bench.pins[side], words, &turn.cell.transport)
    }

    /// Bound to its processor before it has any thread.
    fn pinned(&self, cpu: Option<usize>, words: Vec<String>, transport: &str) -> Task {
        let environment = self.environment(transport);
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

    fn environment(&self, transport: &str) -> Vec<(String, String)> {
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
            figures::write_log(&log, &latencies, turn.bench.seconds)?;
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
        let seconds = match length {
            Length::Short => "0.3",
            Length::Long => "1.2",
        };
        // The last ones count.
        let more = ["--seconds", seconds, "--warm-up", "0"].map(String::from);
        [
            self.task(turn, "ping", PUBLISHER, &more),
            self.task(turn, "pong", SUBSCRIBER, &[]),
        ]
    }

    fn throughput(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let tasks = [
            self.task(turn, "send", PUBLISHER, &[]),
            self.task(turn, "receive", SUBSCRIBER, &[]),
        ];
        let printed = turn.bench.both(tasks)?;
        Ok(figures::of_stream(turn.cell.size, &printed)?)
    }
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
        if cell.keyed {
            return Err(format!("{name} is measured without keys"));
        }
        if cell.size < LEAST {
            return Err(format!("{name} is measured from {LEAST} bytes on"));
        }
        if cell.blocking {
            return Err(format!("{name} is measured as it waits by itself"));
        }
        if cell.zero_copy && rival != Rival::Iceoryx2 {
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
        match cell.mode {
            Mode::Latency | Mode::Throughput { batched: false } => Ok(()),
            Mode::Throughput { batched: true } if rival.batches() => Ok(()),
            Mode::Throughput { batched: true } => Err(format!("{name} has no batches")),
            Mode::Loaded { .. } => Err(format!("{name} is not measured at a fixed rate")),
        }
    }

    fn prepare(&mut self) -> Result<(), String> {
        build(self.rival.name(), &build::place())
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
            Mode::Latency | Mode::Loaded { .. } => self.latency(turn),
        }?;
        Ok(Measured {
            waiting: self.rival.waiting().into(),
            ..measured
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(transport: &str, reliable: bool, size: u64) -> Cell {
        Cell {
            system: String::new(),
            transport: transport.into(),
            mode: Mode::Latency,
            reliable,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size,
            chapter: String::new(),
        }
    }

    fn has(rival: Rival, cell: &Cell) -> bool {
        Peer::new(rival).has(cell).is_ok()
    }

    #[test]
    fn each_rival_is_asked_for_what_it_has() {
        use Rival::*;
        let with = |rivals: &[Rival], cell: &Cell| {
            let here: Vec<_> = Rival::ALL
                .into_iter()
                .filter(|rival| has(*rival, cell))
                .collect();
            assert_eq!(here, rivals, "{cell:?}");
        };
        with(&[Cyclone, FastDds], &cell("UDPv4", true, 32));
        with(&[Cyclone, FastDds, Zenoh], &cell("UDPv4", false, 32));
        with(&[FastDds, Iceoryx2], &cell("SHMEM", true, 32));
        with(&[FastDds, Iceoryx2, Zenoh], &cell("SHMEM", true, 1 << 20));
        with(&[FastDds], &cell("SHMEM", false, 1 << 20));
        with(&[FastDds, Zenoh], &cell("TCP", true, 32));
        with(&[], &cell("TLS", true, 32));
        let mut keyed = cell("UDPv4", true, 32);
        keyed.keyed = true;
        with(&[], &keyed);
        let mut copies = cell("SHMEM", true, 1 << 20);
        copies.zero_copy = true;
        with(&[Iceoryx2], &copies);
        let mut stream = cell("UDPv4", true, 32);
        stream.mode = Mode::Throughput { batched: true };
        with(&[Cyclone], &stream);
        stream.mode = Mode::Loaded { rate: 10.0 };
        with(&[], &stream);
    }

    #[test]
    fn a_side_is_bound_to_its_processor_and_told_its_transport() {
        let peer = Peer {
            rival: Rival::Zenoh,
            program: "/p/zenoh".into(),
        };
        let task = peer.pinned(Some(3), vec!["pong".into()], "SHMEM");
        assert_eq!(task.program, Program::Other("taskset".into()));
        assert_eq!(task.arguments, ["-c", "3", "/p/zenoh", "pong"]);
        assert_eq!(task.environment, [("BENCH_ZENOH".into(), "shm".into())]);
        let free = peer.pinned(None, vec![], "TCP");
        assert_eq!(free.program, Program::Other("/p/zenoh".into()));
    }
}
