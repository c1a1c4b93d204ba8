//! Services between networks that know no way to each other, on hosts made of network namespaces.
mod common;

use common::{Shape, reader, writer};
use dunlin::*;
use dunlin_robustness_tests::{Host, Place, in_namespace};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration as Span;

/// What a process of a test does: a domain, the topic that it writes and the one that it reads.
const ROLE: &str = "DUNLIN_SITE_ROLE";
/// Samples that each writes.
const COUNT: i32 = 300;
/// Longer than anything takes on a machine that has much else to do.
const SOON: Span = Span::from_secs(120);

/// A process; it is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An application, and the lines that it prints.
struct App {
    _process: Running,
    lines: Receiver<String>,
}

impl App {
    fn start(host: Place, test: &str, role: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut command = host.command(program.to_str().unwrap());
        command
            .args(["--include-ignored", "--exact", test, "--nocapture"])
            .env(ROLE, role)
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(|line| line.ok()) {
                let _ = sender.send(line);
            }
        });
        let _process = Running(child);
        Self { _process, lines }
    }

    /// Waits until it has read all that the other one writes.
    fn wait(&self) {
        loop {
            let line = self.lines.recv_timeout(SOON).expect("not all came");
            if line.ends_with("all came") {
                return;
            }
        }
    }
}

/// Writes numbers to one topic and reads those of another, which have to come in order and once.
fn play(role: &str) {
    let mut words = role.split(' ');
    let mut next = || words.next().unwrap();
    let domain = next().parse().unwrap();
    let participant = DomainParticipant::new(domain).unwrap();
    let (history, durability) = (History::KeepAll, Durability::TransientLocal);
    let wqos = DataWriterQos {
        history,
        durability,
        ..Default::default()
    };
    let rqos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history,
        durability,
        ..Default::default()
    };
    let writer = writer::<Shape>(&participant, next(), wqos, Default::default());
    let reader = reader::<Shape>(&participant, next(), rqos, Default::default());
    for x in 0..COUNT {
        let color = "RED".into();
        writer.write(&Shape { color, x }).unwrap();
    }
    let mut seen = 0;
    while seen < COUNT {
        let _ = reader.wait_for_data(Duration::from_secs(1));
        reader.take_each(|sample| {
            if let Some(Shape { x, .. }) = sample.into_data() {
                assert_eq!(x, seen);
                seen += 1;
            }
        });
    }
    println!("all came");
    std::thread::sleep(10 * SOON);
}

/// Runs a service on a host.
fn route(host: &Host, arguments: &str) -> Running {
    let mut command = host.place().command(env!("CARGO_BIN_EXE_dunlin"));
    command.args(["route", "run", "-verbosity", "1", "-stopAfter", "600"]);
    Running(command.args(arguments.split(' ')).spawn().unwrap())
}

#[test]
fn two_networks_are_joined_by_a_host_that_is_in_both() {
    let test = "two_networks_are_joined_by_a_host_that_is_in_both";
    if let Ok(role) = std::env::var(ROLE) {
        return play(&role);
    }
    in_namespace(test, || {
        let [near, middle, far] = [(); 3].map(|()| Host::new());
        middle.join(&near, ["eth0", "eth0"], ["10.1.0.1", "10.1.0.2"]);
        middle.join(&far, ["eth1", "eth0"], ["10.2.0.1", "10.2.0.2"]);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("yard.toml");
        let text = "\
[participants.near]
domain = 0
interfaces = [\"eth0\"]
[participants.far]
domain = 1
interfaces = [\"eth1\"]
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"Up\"]
[[routes]]
from = \"far\"
to = \"near\"
topics = [\"Down\"]
";
        std::fs::write(&file, text).unwrap();
        let _service = route(&middle, file.to_str().unwrap());
        // One of those in the far domain is on the host of the service, which it reaches by shared
        // memory.
        let apps = [
            App::start(near.place(), test, "0 Up Down"),
            App::start(far.place(), test, "1 Down Up"),
            App::start(middle.place(), test, "1 Other Up"),
        ];
        apps.iter().for_each(App::wait);
    });
}

/// The variables by which both services show a certificate and want one of the same authority.
fn certificates(directory: &Path) -> String {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let pair = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["site".into()]).unwrap();
    let own = params.signed_by(&pair, &issuer).unwrap();
    let files = [
        ("TLS_CA", issuer.pem()),
        ("TLS_CERTIFICATE", own.pem()),
        ("TLS_KEY", pair.serialize_pem()),
    ];
    let variables = files.map(|(name, text)| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        format!(" -D{name}={}", path.display())
    });
    variables.concat()
}

/// The second site is behind a translator, and the first knows no way to it.
fn join_sites(test: &str, secured: bool) {
    if let Ok(role) = std::env::var(ROLE) {
        return play(&role);
    }
    in_namespace(test, || {
        let [inside, translator, outside] = [(); 3].map(|()| Host::new());
        inside.join(&translator, ["eth0", "eth0"], ["10.1.0.2", "10.1.0.1"]);
        inside.place().shell("ip route add default via 10.1.0.1");
        translator.join(&outside, ["eth1", "eth0"], ["10.9.0.1", "10.9.0.2"]);
        if !translator.translate("eth1", None) {
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let (tls, scheme) = match secured {
            true => (certificates(directory.path()), "tlsv4_wan"),
            false => (String::new(), "tcpv4_wan"),
        };
        let relay = format!("-cfgName RelayWAN -DDOMAIN_A=3{tls}");
        let _services = [
            route(&outside, &relay),
            route(
                &inside,
                &format!("{relay} -DPEERS={scheme}://10.9.0.2:7400"),
            ),
        ];
        let apps = [
            App::start(inside.place(), test, "3 Up Down"),
            App::start(outside.place(), test, "3 Down Up"),
        ];
        apps.iter().for_each(App::wait);
    });
}

#[test]
fn two_sites_are_joined_by_tcp_through_an_address_translator() {
    let test = "two_sites_are_joined_by_tcp_through_an_address_translator";
    join_sites(test, false);
}

#[test]
fn two_sites_are_joined_by_tls_through_an_address_translator() {
    let test = "two_sites_are_joined_by_tls_through_an_address_translator";
    join_sites(test, true);
}
