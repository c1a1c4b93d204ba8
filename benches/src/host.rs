//! The machine, the programs of the rivals, and the network namespace in which everything happens.
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use dunlin_campaign::rivals::build;

use crate::options::{Options, Section};
use crate::system::System;

/// In the environment of the program that runs inside: what could not be built outside, line by
/// line.
const INSIDE: &str = "DUNLIN_BENCH_INSIDE";

/// Shared memory and files of the rivals, which vanish with the namespace.
const MOUNT: &str = "mount -t tmpfs -o mode=1777 dunlin-bench /dev/shm && exec \"$@\"";

/// Where the benchmark runs and what it can run.
pub(crate) struct Host {
    /// Directory of `bench`, `bench-peer` and `perftest`.
    pub(crate) programs: PathBuf,
    pub(crate) peers: PathBuf,
    /// The processors of publisher and subscriber.
    pub(crate) cpus: [usize; 2],
    pub(crate) systems: Vec<System>,
    /// A line for each system that is not here.
    pub(crate) skipped: Vec<String>,
    /// Results that pass through files.
    pub(crate) scratch: PathBuf,
}

impl Host {
    /// Builds the rivals where what they need is installed, and moves this process into namespaces
    /// of its own.
    pub(crate) fn prepare(options: &Options) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| format!("who am I: {error}"))?;
        let programs = own.parent().unwrap_or(Path::new(".")).to_path_buf();
        for program in ["bench-peer", "perftest"] {
            if !programs.join(program).exists() {
                return Err(format!(
                    "{program} is not beside this program; use `make bench`"
                ));
            }
        }
        let peers = programs.join("bench-peers");
        let Ok(missing) = std::env::var(INSIDE) else {
            return Err(enter(&own, &build_all(options, &peers).join("\n")));
        };
        let absent = |system: &System| missing.lines().any(|line| line.starts_with(system.name()));
        let mut systems = vec![System::Raw, System::RawSealed, System::Dunlin];
        systems.extend(rivals(options).filter(|rival| !absent(rival)));
        let skipped = missing.lines().map(String::from).collect();
        let scratch = std::env::temp_dir().join(format!("dunlin-bench-{}", std::process::id()));
        std::fs::create_dir_all(&scratch)
            .map_err(|error| format!("{}: {error}", scratch.display()))?;
        Ok(Self {
            programs,
            peers,
            cpus: processors()?,
            systems,
            skipped,
            scratch,
        })
    }

    pub(crate) fn has(&self, system: System) -> bool {
        self.systems.contains(&system)
    }

    /// Processor, kernel and what limits the rivals.
    pub(crate) fn describe(&self) -> String {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let kernel = read("/proc/sys/kernel/osrelease");
        let buffer = read("/proc/sys/net/core/rmem_max");
        format!(
            "Machine: {}, {count} processors, Linux {kernel}, net.core.rmem_max {buffer}.",
            processor_model()
        )
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Left behind, it is a few megabytes in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// Datagrams that the kernel has dropped in this namespace since a receive buffer was full,
/// whosever it was.
pub(crate) fn kernel_drops() -> f64 {
    drops_in(&read("/proc/net/snmp")).unwrap_or_default()
}

/// From the two lines on UDP, names above numbers (proc(5)).
fn drops_in(text: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let mut pairs = names.split_whitespace().zip(numbers.split_whitespace());
    let (_, number) = pairs.find(|(name, _)| *name == "RcvbufErrors")?;
    number.parse().ok()
}

/// Starts this program anew in namespaces of its own, in place of this process; returns only if
/// that fails.
fn enter(own: &Path, missing: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/interop/netns.sh");
    let error = Command::new(&script)
        .args(["unshare", "-m", "sh", "-c", MOUNT, "sh"])
        .arg(own)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, missing)
        .exec();
    format!("{}: {error}", script.display())
}

/// Whoever is compared with in the sections that are asked for.
fn rivals(options: &Options) -> impl Iterator<Item = System> {
    let all = [
        System::Cyclone,
        System::FastDds,
        System::RawMemory,
        System::Iceoryx,
    ];
    let udp = options.wants_udp();
    let (memory, tcp) = (options.wants(Section::Memory), options.wants(Section::Tcp));
    all.into_iter().filter(move |rival| match rival {
        System::FastDds => udp || tcp,
        rival if rival.uses_udp() => udp,
        _ => memory,
    })
}

/// Builds the rivals, while there is a network; gives a line for each one that cannot be.
fn build_all(options: &Options, peers: &Path) -> Vec<String> {
    let outcomes = rivals(options).map(|rival| {
        eprintln!("building the peer on {}", rival.name());
        (rival, build(rival.program(), peers))
    });
    outcomes
        .filter_map(|(rival, outcome)| {
            let reason = outcome.err()?;
            Some(format!("{} is skipped: {reason}.", rival.name()))
        })
        .collect()
}

/// The first two processors that this process may use.
fn processors() -> Result<[usize; 2], String> {
    let set = rustix::thread::sched_getaffinity(None).map_err(|error| error.to_string())?;
    let mut allowed = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    match (allowed.next(), allowed.next()) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err("two processors are needed, one for each side".into()),
    }
}

fn processor_model() -> String {
    read("/proc/cpuinfo")
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor".into(), |(_, name)| name.trim().into())
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path)
        .map(|text| text.trim().into())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_found_by_their_name() {
        let text = "Icmp: InMsgs\nIcmp: 3\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
                    Udp: 10 0 7 20 7 1\nUdpLite: RcvbufErrors\nUdpLite: 9\n";
        assert_eq!(drops_in(text), Some(7.0));
        assert_eq!(drops_in(""), None);
    }
}
