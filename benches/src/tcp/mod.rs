//! The tables of TCP: Dunlin, plain and through TLS, beside one bare connection, all by `perftest` on two processors.
mod certificates;
mod latency;
mod throughput;

use std::path::PathBuf;
use std::process::Command;

use crate::host::Host;
use crate::options::Options;
use crate::reading::Pair;
use crate::table::Table;
use certificates::Certificates;

/// How the samples travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Without DDS.
    Raw,
    Plain,
    Tls,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Raw => "raw TCP",
            Way::Plain => "Dunlin",
            Way::Tls => "Dunlin, TLS",
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
            Way::Raw => {}
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
