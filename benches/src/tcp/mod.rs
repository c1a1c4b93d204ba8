//! The tables of TCP on two processors: Dunlin, plain and through TLS, beside one bare connection,
//! all by `perftest`, and beside Fast DDS by a program that does the same.
mod certificates;
mod latency;
mod throughput;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::Host;
use crate::options::Options;
use crate::process::{Awake, Words, words};
use crate::reading::Pair;
use crate::system::{System, bench_peer};
use crate::table::Table;
use certificates::Certificates;

/// How the samples travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Without DDS.
    Raw,
    Plain,
    Tls,
    /// What TLS does with each byte, without DDS.
    RawTls,
    FastDds,
}

impl Way {
    /// Whose program of its own does the work; `None` where `perftest` does.
    fn peer(self) -> Option<System> {
        match self {
            Way::RawTls => Some(System::RawSealed),
            Way::FastDds => Some(System::FastDds),
            Way::Raw | Way::Plain | Way::Tls => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Way::Raw => "raw TCP",
            Way::Plain => "Dunlin",
            Way::Tls => "Dunlin, TLS",
            Way::RawTls | Way::FastDds => self.peer().map_or("", System::name),
        }
    }
}

/// What all runs need.
struct Bench<'a> {
    host: &'a Host,
    options: &'a Options,
    certificates: Certificates,
}

/// Measures both tables.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let certificates = match Certificates::new(&host.scratch) {
        Ok(certificates) => certificates,
        Err(reason) => {
            eprintln!("tcp: certificates: {reason}");
            return Vec::new();
        }
    };
    let bench = Bench {
        host,
        options,
        certificates,
    };
    vec![latency::run(&bench), throughput::run(&bench)]
}

impl Bench<'_> {
    fn has(&self, way: Way) -> bool {
        way.peer().is_none_or(|peer| self.host.has(peer))
    }

    /// Both sides of a system with a program of its own, in their roles; Fast DDS sleeps for data,
    /// so that the processors are kept awake.
    fn run_peer(
        &self,
        system: System,
        size: usize,
        reliable: bool,
        [first, second]: [&str; 2],
        out: &Path,
    ) -> Result<[Words; 2], String> {
        let _awake = Awake::start(&bench_peer(self.host), self.host.cpus)?;
        let side = |role: &str| {
            let mut command = system.peer(self.host, role);
            command.env("BENCH_TCP", "1");
            command.args(["--size", &size.to_string()]);
            command.args(["--seconds", &self.options.seconds.to_string()]);
            if reliable {
                command.arg("--reliable");
            }
            command
        };
        let mut publisher = side(first);
        if first == "ping" {
            publisher.arg("--out").arg(out);
        }
        let pair = Pair {
            publisher,
            subscriber: side(second),
            cpus: self.host.cpus.map(Some),
        };
        let (published, received) = pair.run(self.options)?;
        Ok([words(&published), words(&received)])
    }

    /// Both sides, with options of the publisher and of both.
    fn run(
        &self,
        way: Way,
        size: usize,
        own: &[&str],
        common: &[&str],
    ) -> Result<(String, String), String> {
        let seconds = self.options.seconds.to_string();
        let mut publisher = self.side(way, size, "-pub", ["7401", "127.0.0.1:7400"]);
        publisher
            .args(["-executionTime", &seconds])
            .args(own)
            .args(common);
        let mut subscriber = self.side(way, size, "-sub", ["7400", "127.0.0.1:7401"]);
        subscriber.args(common);
        let pair = Pair {
            publisher,
            subscriber,
            cpus: self.host.cpus.map(Some),
        };
        pair.run(self.options)
    }

    fn side(&self, way: Way, size: usize, role: &str, [port, peer]: [&str; 2]) -> Command {
        let mut command = Command::new(self.host.programs.join("perftest"));
        command.args([role, "-dataLen", &size.to_string()]);
        command.args(["-noPrint", "-cpu", "-nsResolution", "-outputFormat", "json"]);
        command.args(["-discoveryTimeout", "20"]);
        match way {
            Way::Raw => command.args(["-rawTransport", "-transport", "TCP"]),
            _ => command.args(["-transportServerBindPort", port, "-peer", peer]),
        };
        match way {
            Way::Raw | Way::RawTls | Way::FastDds => {}
            Way::Plain => drop(command.args(["-transport", "TCP"])),
            Way::Tls => {
                let files: [(&str, &PathBuf); 3] = self.certificates.options();
                command.args(["-transport", "TLS"]);
                for (option, file) in files {
                    command.arg(option).arg(file);
                }
            }
        }
        command
    }
}
