//! Perftest with something between its sides: a relay of the raw floor, a router of Dunlin, or two
//! routers in a row.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::Network;
use crate::middle;
use crate::perftest::Perftest;
use crate::record::{Cell, Measured};
use crate::side::{Program, Task};
use crate::systems::{System, Trouble, Turn};

/// The publisher's domain; each router leads to the next one.
pub(crate) const FIRST_DOMAIN: u32 = 1;

/// What the routers route.
const CONFIGURATION: &str = include_str!("../data/perftest-routing.xml");

/// Its name in the campaign's directory.
const FILE: &str = "perftest-routing.xml";

/// Of the service in it.
const SERVICE: &str = "perftest";

/// A router that the campaign has lost ends by itself after this many seconds more than the
/// measurement.
const OVERTIME: f64 = 120.0;

/// A side of a run spins on a processor of its own.
const SIDES: usize = 2;

/// What is between the sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `perftest -relay`.
    Relay,
    /// `dunlin route run`.
    Router,
    /// The same twice in a row.
    TwoRouters,
    /// One, and sides by the interface for C++98.
    Cpp98Router,
}

/// Perftest and what is between its sides.
#[derive(Clone, Debug)]
pub struct Routed {
    way: Way,
    /// Of this machine, for this process.
    processors: usize,
}

impl Routed {
    /// On this machine.
    pub fn new(way: Way) -> Self {
        let processors = std::thread::available_parallelism();
        Self {
            way,
            processors: processors.map_or(1, usize::from),
        }
    }

    fn ends(&self) -> Perftest {
        match self.way {
            Way::Relay => Perftest::Raw,
            Way::Router | Way::TwoRouters => Perftest::Dunlin,
            Way::Cpp98Router => Perftest::Cpp98,
        }
    }

    fn count(&self) -> usize {
        match self.way {
            Way::Relay | Way::Router | Way::Cpp98Router => 1,
            Way::TwoRouters => 2,
        }
    }

    /// Both sides, each in its domain.
    fn sides(&self, turn: &Turn<'_>) -> Result<[Task; 2], String> {
        let last = FIRST_DOMAIN + self.count() as u32;
        self.ends().routed(turn, [FIRST_DOMAIN, last])
    }

    fn middle(&self, turn: &Turn<'_>, index: usize) -> Result<Task, String> {
        let pin = turn
            .bench
            .between
            .as_ref()
            .and_then(|between| *between.pins.get(index)?);
        let task = match self.way {
            Way::Relay => relay(turn, pin),
            Way::Router | Way::TwoRouters | Way::Cpp98Router => router(turn, index, pin)?,
        };
        let cell = turn.cell.file_name();
        let name = format!("{cell}-router-{}-{}.log", index + 1, turn.repetition);
        let log = turn
            .directory
            .log(&name)
            .map_err(|error| error.to_string())?;
        Ok(Task {
            log: Some(std::path::absolute(&log).unwrap_or(log)),
            ..task
        })
    }
}

impl System for Routed {
    fn name(&self) -> &'static str {
        match self.way {
            Way::Relay => "raw-relay",
            Way::Router => "dunlin-routed",
            Way::TwoRouters => "dunlin-routed-twice",
            Way::Cpp98Router => "dunlin-cpp98-routed",
        }
    }

    fn has(&self, cell: &Cell) -> Result<(), String> {
        let name = self.name();
        if cell.transport != "UDPv4" {
            return Err(format!("{name} is measured over UDPv4 only"));
        }
        self.ends()
            .has(cell)
            .map_err(|reason| reason.replace(self.ends().name(), name))?;
        let needed = SIDES + self.count();
        if !cell.blocking && self.processors < needed {
            return Err(format!(
                "{name}: {needed} processes that spin need {needed} processors, and there are {}",
                self.processors
            ));
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), String> {
        match self.way {
            Way::Relay => Ok(()),
            Way::Router | Way::TwoRouters | Way::Cpp98Router => {
                self.ends().prepare()?;
                route_program().and_then(|words| has_route(&words))
            }
        }
    }

    fn is_routed(&self) -> bool {
        true
    }

    fn run(&self, turn: &Turn<'_>) -> Result<Measured, Trouble> {
        let middle: Result<Vec<_>, _> = (0..self.count().min(middle::MOST))
            .map(|index| self.middle(turn, index))
            .collect();
        let (outputs, middle) = turn.bench.all(self.sides(turn)?, &middle?)?;
        let mut measured = self.ends().measured(turn, outputs)?;
        measured.middle = middle.map(|mut middle| {
            let trips = match (&measured.latency, &measured.throughput) {
                (Some(latency), _) => latency.samples,
                (None, Some(throughput)) => throughput.samples,
                (None, None) => 0,
            };
            middle.cpu = middle.load * turn.seconds * 1e9 / trips.max(1) as f64;
            middle
        });
        Ok(measured)
    }
}

/// The relay of the raw floor.
fn relay(turn: &Turn<'_>, pin: Option<usize>) -> Task {
    let domains = [FIRST_DOMAIN, FIRST_DOMAIN + 1].map(|domain| domain.to_string());
    let mut words = vec![
        "-relay",
        "-domain",
        &domains[0],
        "-outputDomain",
        &domains[1],
    ];
    words.extend([
        "-transport",
        &turn.cell.transport,
        "-discoveryTimeout",
        "30",
    ]);
    words.extend(["-outputFormat", "json"]);
    words.extend(turn.cell.blocking.then_some("-rawBlocking"));
    let mut words: Vec<String> = words.into_iter().map(String::from).collect();
    if let Some(cpu) = pin {
        words.extend(["-pin".into(), cpu.to_string()]);
    }
    if let Network::Switch([publisher, subscriber, own]) = turn.bench.network {
        words.extend(["-nic".into(), own.to_string()]);
        words.extend(["-peer".into(), publisher.to_string()]);
        words.extend(["-outputPeer".into(), subscriber.to_string()]);
    }
    Task {
        program: Program::Perftest,
        arguments: words,
        environment: vec![],
        log: None,
    }
}

/// The router at this place of the row.
fn router(turn: &Turn<'_>, index: usize, pin: Option<usize>) -> Result<Task, String> {
    let cell = turn.cell;
    let file = configuration(turn.directory.path())?;
    let seconds = (turn.seconds + OVERTIME).ceil();
    let mut words = match pin {
        Some(cpu) => vec!["taskset".into(), "-c".into(), cpu.to_string()],
        None => vec![],
    };
    words.extend(route_program()?);
    words.extend([
        "run".into(),
        "-cfgFile".into(),
        file.to_string_lossy().into_owned(),
    ]);
    words.extend(["-cfgName".into(), SERVICE.into()]);
    words.extend(["-domainIdBase".into(), index.to_string()]);
    words.extend(["-stopAfter".into(), seconds.to_string()]);
    words.push(format!("-DTYPE={}", type_name(cell)));
    words.push(format!("-DRELIABILITY={}", reliability(cell)));
    let mut environment = vec![("DUNLIN_TRANSPORTS".to_string(), "udp".to_string())];
    if cell.blocking {
        environment.push(("DUNLIN_WAITING".into(), "block".into()));
    }
    match turn.bench.network {
        Network::Loopback => environment.push(("DUNLIN_INTERFACES".into(), "lo".into())),
        Network::Switch([_, _, own]) => {
            environment.push(("DUNLIN_INTERFACES".into(), format!("lo,{own}")));
        }
        Network::Namespace | Network::Hosts(_) => {}
    }
    let program = words.remove(0);
    Ok(Task {
        program: Program::Other(program.into()),
        arguments: words,
        environment,
        log: None,
    })
}

/// As perftest registers it.
fn type_name(cell: &Cell) -> &'static str {
    match (cell.keyed, cell.size > Perftest::BOUNDED) {
        (false, false) => "TestData_t",
        (true, false) => "TestDataKeyed_t",
        (false, true) => "TestDataLarge_t",
        (true, true) => "TestDataKeyedLarge_t",
    }
}

fn reliability(cell: &Cell) -> &'static str {
    match cell.reliable {
        true => "RELIABLE_RELIABILITY_QOS",
        false => "BEST_EFFORT_RELIABILITY_QOS",
    }
}

/// The file that the routers read, beside the figures that it leads to.
fn configuration(directory: &Path) -> Result<PathBuf, String> {
    let path = std::path::absolute(directory.join(FILE)).unwrap_or_else(|_| directory.join(FILE));
    if !path.exists() {
        crate::whole::write(&path, CONFIGURATION.as_bytes())
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(path)
}

/// The words that begin a command of the router: this program if it is `dunlin`, else the `dunlin`
/// beside it.
fn route_program() -> Result<Vec<String>, String> {
    let own = std::env::current_exe();
    let own = own.map_err(|error| format!("where this program is: {error}"))?;
    let program = match own.file_stem() {
        Some(stem) if stem == "dunlin" => own,
        _ => own.with_file_name("dunlin"),
    };
    match program.exists() {
        true => Ok(vec![program.to_string_lossy().into_owned(), "route".into()]),
        false => Err(format!(
            "{} is not there: `make build` makes it",
            program.display()
        )),
    }
}

/// A `dunlin` of another version may not route.
fn has_route(words: &[String]) -> Result<(), String> {
    let (program, rest) = words.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.args(rest).arg("--help").stdin(Stdio::null());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(format!(
            "{program} has no `route`: `make build` makes it anew"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Mode;

    fn latency(blocking: bool) -> Cell {
        Cell {
            system: String::new(),
            transport: "UDPv4".into(),
            mode: Mode::Latency,
            reliable: true,
            keyed: true,
            zero_copy: false,
            blocking,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        }
    }

    fn on(way: Way, processors: usize) -> Routed {
        Routed { way, processors }
    }

    #[test]
    fn three_that_spin_need_three_processors_and_sleepers_do_not() {
        let refused = on(Way::Router, 2).has(&latency(false));
        let reason = "dunlin-routed: 3 processes that spin need 3 processors, and there are 2";
        assert_eq!(refused, Err(reason.into()));
        assert_eq!(on(Way::Router, 3).has(&latency(false)), Ok(()));
        assert!(on(Way::TwoRouters, 3).has(&latency(false)).is_err());
        assert_eq!(on(Way::TwoRouters, 2).has(&latency(true)), Ok(()));
    }

    #[test]
    fn what_the_ends_do_not_have_is_told_of_the_whole() {
        let batched = Cell {
            mode: Mode::Throughput { batched: true },
            ..latency(true)
        };
        let reason = on(Way::Relay, 4).has(&batched);
        assert_eq!(reason, Err("raw-relay has no batches".into()));
        let shared = Cell {
            transport: "SHMEM".into(),
            ..latency(true)
        };
        assert!(on(Way::Router, 4).has(&shared).is_err());
    }

    #[test]
    fn the_type_is_that_of_the_cell() {
        assert_eq!(type_name(&latency(true)), "TestDataKeyed_t");
        let large = Cell {
            size: 65_471,
            keyed: false,
            ..latency(true)
        };
        assert_eq!(type_name(&large), "TestDataLarge_t");
    }
}
