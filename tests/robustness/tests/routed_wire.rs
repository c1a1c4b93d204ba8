//! Large samples through a service between two wires with a rate, beside the same samples on one
//! such wire without a service.
use dunlin_robustness_tests::{Host, Place, Process, in_namespace};
use dunlin_routing::Service;
use dunlin_routing::config::{self, Input, Options};
use dunlin_routing::state::EntityKind;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::Read;
use std::process::{Child, Stdio};

const WIRE: &str = env!("CARGO_BIN_EXE_lossy_wire");
const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// Set in the process that runs the service.
const ROLE: &str = "DUNLIN_WIRE_ROLE";

const TOML: &str = "\
name = \"wire\"
[participants.near]
domain = 0
interfaces = [\"eth0\"]
[participants.far]
domain = 1
interfaces = [\"eth1\"]
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"T\"]
";

/// Samples before those that are measured.
const WARM: u32 = 3;

/// What the service says before how many samples passed as they came.
const CUT_THROUGH: &str = "cut through: ";

/// A process; it is killed when it is dropped.
struct Running(Child);

impl Running {
    /// Ends the service; how many samples it passed on before they were whole.
    fn end(mut self) -> u64 {
        drop(self.0.stdin.take());
        let mut said = String::new();
        let output = self.0.stdout.as_mut().expect("a pipe");
        output.read_to_string(&mut said).expect("UTF-8");
        let number = said.lines().find_map(|line| line.strip_prefix(CUT_THROUGH));
        let number = number.unwrap_or_else(|| panic!("it says nothing of it: {said}"));
        number.parse().expect("a number")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the service until its input ends.
fn route() {
    let (name, text) = ("wire.toml".to_owned(), TOML.to_owned());
    let loaded = config::load(&[Input::Text { name, text }], &Options::default());
    let service = Service::start(loaded.plan.expect("it is right")).expect("it starts");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    let tree = service.state();
    let outputs = tree
        .walk()
        .into_iter()
        .filter(|n| n.kind == EntityKind::Output);
    let passed: u64 = outputs.map(|output| output.counters.cut_through).sum();
    // The test's name stands before it in the same line.
    println!("\n{CUT_THROUGH}{passed}");
    service.stop();
}

fn service(test: &str, host: Place) -> Running {
    let program = std::env::current_exe().expect("a program knows its path");
    let mut command = host.command(program.to_str().expect("a path in UTF-8"));
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(ROLE, "service")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Running(command.spawn().expect("it starts"))
}

/// One for the wires, which never sleep, and the others for the hosts. The scheduler gives a slice
/// of some milliseconds, so a wire that shares a processor with a host stands still for hundreds of
/// frames, or has the host wait for as long. With one processor there is nothing to choose.
fn processors() -> [CpuSet; 2] {
    let all = sched_getaffinity(None).expect("this process has processors");
    let last = (0..CpuSet::MAX_CPU)
        .rfind(|cpu| all.is_set(*cpu))
        .expect("one");
    let (mut wires, mut hosts) = (CpuSet::new(), all);
    wires.set(last);
    if all.count() > 1 {
        hosts.unset(last);
    }
    [wires, hosts]
}

/// Processes that this thread starts from now on run there.
fn stay_on(processors: &CpuSet) {
    sched_setaffinity(None, processors).expect("a process may choose among its processors");
}

/// Writes samples and returns how long they took, in microseconds: p50 and p99.
fn measure(near: Place, reader: (Place, u32), size: usize, count: u32, rate: f64) -> [i64; 2] {
    let (host, domain) = reader;
    let start = |place: Place, options: String| -> Process { place.start(PEER, &options) };
    let mut reading = start(host, format!("domain={domain} read=T transports=udp"));
    let mut writing = start(near, format!("write=T size={size} transports=udp"));
    writing.wait("matched");
    reading.wait("matched");
    // Links and buffers are warm after some samples.
    writing.ask(&format!("write {WARM} {rate}"));
    writing.ask("join");
    reading.wait(&format!("received {WARM}"));
    reading.ask("forget");
    writing.ask(&format!("write {count} {rate}"));
    writing.ask("join");
    reading.wait(&format!("received {count}"));
    let report = reading.ask("report");
    for fault in ["doubled", "disordered", "damaged", "lost"] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
    [report.number("p50"), report.number("p99")]
}

/// `DUNLIN_WIRE_MBIT` is the rate of the wires [1000].
#[test]
#[ignore = "measures, for half a minute"]
fn large_samples_pass_a_service_on_a_wire_with_a_rate() {
    let test = "large_samples_pass_a_service_on_a_wire_with_a_rate";
    if std::env::var_os(ROLE).is_some() {
        return route();
    }
    in_namespace(test, || {
        let rate = std::env::var("DUNLIN_WIRE_MBIT").ok();
        let rate: f64 = rate.map_or(1000.0, |rate| rate.parse().expect("a number"));
        let [near, middle, far] = [(); 3].map(|()| Host::new());
        let lay = |other: &Host, name, cable, net| {
            let addresses = [format!("10.{net}.0.1"), format!("10.{net}.0.2")];
            let [own, others] = addresses.each_ref().map(|a| &**a);
            middle.lay(other, [name, "eth0"], [own, others], cable)
        };
        let ends = [lay(&near, "eth0", 'n', 1), lay(&far, "eth1", 'f', 2)].join(" ");
        let [wires_own, hosts] = processors();
        stay_on(&wires_own);
        let _wires = Place::HERE.start(WIRE, &format!("{ends} rate={rate}"));
        stay_on(&hosts);
        for (size, count) in [(63_000_usize, 100), (10 << 20, 5)] {
            // By the time that it takes on the wire alone.
            let pace = f64::min(20.0, rate * 1e6 / (size as f64 * 8.0) / 3.0);
            for turn in 1..=2 {
                let [direct, late] = measure(near.place(), (middle.place(), 0), size, count, pace);
                let running = service(test, middle.place());
                let [routed, routed_late] =
                    measure(near.place(), (far.place(), 1), size, count, pace);
                let passed = running.end();
                println!(
                    "FIGURE {size} bytes at {rate} Mb/s, turn {turn}: direct p50 {direct} us, \
                     p99 {late} us; routed p50 {routed} us, p99 {routed_late} us; \
                     ratio {:.3}, hop {} us; {passed} of {} cut through",
                    routed as f64 / direct as f64,
                    routed - direct,
                    count + WARM
                );
                assert!(
                    passed * 2 > u64::from(count + WARM),
                    "most wait until they are whole"
                );
            }
        }
    });
}
