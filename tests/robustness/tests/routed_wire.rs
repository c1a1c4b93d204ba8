//! Large samples through a service between two wires with a rate, beside the same samples on one
//! such wire without a service.
use dunlin_robustness_tests::{Host, Place, Process, in_namespace};
use dunlin_routing::Service;
use dunlin_routing::config::{self, Input, Options};
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

/// A process; it is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the service until it is killed.
fn route() {
    let (name, text) = ("wire.toml".to_owned(), TOML.to_owned());
    let loaded = config::load(&[Input::Text { name, text }], &Options::default());
    let service = Service::start(loaded.plan.expect("it is right")).expect("it starts");
    std::thread::sleep(std::time::Duration::from_secs(3600));
    service.stop();
}

fn service(test: &str, host: Place) -> Running {
    let program = std::env::current_exe().expect("a program knows its path");
    let mut command = host.command(program.to_str().expect("a path in UTF-8"));
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(ROLE, "service")
        .stdout(Stdio::null());
    Running(command.spawn().expect("it starts"))
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
    writing.ask(&format!("write 3 {rate}"));
    writing.ask("join");
    reading.wait("received 3");
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

/// `DUNLIN_WIRE_MBIT` is the rate of the wires [100].
#[test]
#[ignore = "measures, for a minute"]
fn large_samples_pass_a_service_on_a_wire_with_a_rate() {
    let test = "large_samples_pass_a_service_on_a_wire_with_a_rate";
    if std::env::var_os(ROLE).is_some() {
        return route();
    }
    in_namespace(test, || {
        let rate = std::env::var("DUNLIN_WIRE_MBIT").ok();
        let rate: f64 = rate.map_or(100.0, |rate| rate.parse().expect("a number"));
        let [near, middle, far] = [(); 3].map(|()| Host::new());
        let faults = format!("rate={rate}");
        let wire = |other: &Host, name, cable, net| {
            let addresses = [format!("10.{net}.0.1"), format!("10.{net}.0.2")];
            let [own, others] = addresses.each_ref().map(|a| &**a);
            middle.join_by(other, [name, "eth0"], [own, others], (WIRE, cable, &faults))
        };
        let _wires = [wire(&near, "eth0", 'n', 1), wire(&far, "eth1", 'f', 2)];
        for (size, count, pace) in [(63_000_usize, 100, 20.0), (10 << 20, 5, 0.2)] {
            // By the time that it takes on the wire alone.
            let pace = f64::min(pace, rate * 1e6 / (size as f64 * 8.0) / 3.0);
            for turn in 1..=2 {
                let [direct, late] = measure(near.place(), (middle.place(), 0), size, count, pace);
                let running = service(test, middle.place());
                let [routed, routed_late] =
                    measure(near.place(), (far.place(), 1), size, count, pace);
                drop(running);
                println!(
                    "FIGURE {size} bytes at {rate} Mb/s, turn {turn}: direct p50 {direct} us, p99 {late} us; routed p50 {routed} \
                     us, p99 {routed_late} us; ratio {:.3}",
                    routed as f64 / direct as f64
                );
            }
        }
    });
}
