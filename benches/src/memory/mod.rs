//! The tables of shared memory: Dunlin beside bare slots and iceoryx2, all between two processes on
//! two processors.
//!
//! Runs are short and take turns often: whether the two processors of a virtual machine share a
//! core changes by the minute, and with it the cost of handing over a cache line, by a factor of
//! five.
mod calls;
mod latency;
mod presence;
mod throughput;

use std::process::Command;

use crate::host::Host;
use crate::options::Options;
use crate::reading::Pair;
use crate::system::{System, TRANSPORTS};
use crate::table::Table;

/// Share of the time of other tables that one run measures here: they have far more samples than
/// they need.
const SHARE: f64 = 0.3;

const WARM_UP: &str = "0.1";

/// Measures all of them.
pub(crate) fn run(host: &Host, options: &Options) -> Vec<Table> {
    let mut tables = vec![latency::run(host, options), throughput::run(host, options)];
    tables.extend(calls::run(host, options));
    tables.extend(presence::run(host, options));
    tables
}

/// A peer in a role, with shared memory only and the times of these tables.
fn peer(host: &Host, options: &Options, system: System, role: &str, size: usize) -> Command {
    let mut command = system.peer(host, role);
    let seconds = (f64::from(options.seconds) * SHARE).to_string();
    command.args(["--size", &size.to_string(), "--seconds", &seconds]);
    command.args(["--warm-up", WARM_UP]);
    if system == System::Dunlin {
        command.env(TRANSPORTS, "shmem");
    }
    command
}

/// Both sides, each on its processor.
fn pair(host: &Host, publisher: Command, subscriber: Command) -> Pair {
    Pair {
        publisher,
        subscriber,
        cpus: host.cpus.map(Some),
    }
}
