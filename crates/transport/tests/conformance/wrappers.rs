//! The wrappers: they conform like what they wrap, and do what they are for.
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use dunlin_transport::{
    Fault, Faults, Listen, MemoryNetwork, Tap, Transport, UdpConfig, UdpTransport,
};
use dunlin_wire::Locator;

use crate::namespace::{BARE, in_namespace};
use crate::suite::{conforms, next, outgoing, poll};

/// Nothing comes after so long a silence.
const QUIET: Duration = Duration::from_secs(2);

fn memory() -> MemoryNetwork {
    MemoryNetwork::new(1, Faults::default())
}

fn capture_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("dunlin-{}-{name}.pcap", std::process::id()))
}

fn tapped<T: Transport>(inner: T, name: &str) -> Tap<T> {
    Tap::create(inner, &capture_file(name)).unwrap()
}

#[test]
fn a_tap_conforms() {
    let network = memory();
    conforms(&|| Box::new(tapped(network.host(), "conforms")));
    std::fs::remove_file(capture_file("conforms")).unwrap();
}

#[test]
fn a_fault_wrapper_without_faults_conforms() {
    let network = memory();
    conforms(&|| Box::new(Fault::new(network.host(), 1, Faults::default())));
}

#[test]
fn a_fault_wrapper_that_delays_conforms() {
    let network = memory();
    let faults = Faults {
        delay: Duration::from_millis(1),
        ..Faults::default()
    };
    conforms(&|| {
        let late = Fault::new(network.host(), 1, faults);
        Box::new(late)
    });
}

#[test]
fn wrappers_around_udp_conform() {
    in_namespace("wrappers::wrappers_around_udp_conform", BARE, || {
        let udp = || UdpTransport::new(&UdpConfig::default()).unwrap();
        conforms(&|| Box::new(Fault::new(tapped(udp(), "udp"), 1, Faults::default())));
        std::fs::remove_file(capture_file("udp")).unwrap();
    });
}

/// What arrives of 500 datagrams, sorted.
fn disturbed(seed: u64, faults: Faults) -> Vec<Vec<u8>> {
    let network = memory();
    let a = Fault::new(network.host(), seed, faults);
    let b = network.host();
    let mut receiver = b.open(&[Listen::Unicast { port: 0 }]).unwrap();
    let to = receiver.locators()[0];
    for n in 0..500_u32 {
        assert_eq!(a.send(&[outgoing(to, &n.to_be_bytes())]).datagrams, 1);
    }
    let mut arrived = Vec::new();
    // The delayed ones have a thread of their own, which a busy machine may let wait.
    let mut quiet = Instant::now();
    while quiet.elapsed() < QUIET {
        std::thread::sleep(Duration::from_millis(20));
        while let Some(datagram) = poll(&mut *receiver) {
            arrived.push(datagram);
            quiet = Instant::now();
        }
    }
    arrived.sort();
    arrived
}

#[test]
fn faults_can_be_repeated() {
    let faults = Faults {
        drop: 0.2,
        duplicate: 0.1,
        corrupt: 0.1,
        reorder: 0.2,
        reorder_by: Duration::from_millis(2),
        ..Faults::default()
    };
    let run = disturbed(5, faults);
    assert_eq!(run, disturbed(5, faults));
    assert_ne!(run, disturbed(6, faults));
    assert!((370..510).contains(&run.len()), "{}", run.len());
}

#[test]
fn a_delay_keeps_the_order() {
    let network = memory();
    let faults = Faults {
        delay: Duration::from_millis(20),
        ..Faults::default()
    };
    let a = Fault::new(network.host(), 1, faults);
    let b = network.host();
    let mut receiver = b.open(&[Listen::Unicast { port: 0 }]).unwrap();
    let to = receiver.locators()[0];
    let start = Instant::now();
    a.send(&[outgoing(to, b"one"), outgoing(to, b"two")]);
    assert_eq!(next(&mut *receiver), b"one");
    assert!(start.elapsed() >= Duration::from_millis(20));
    assert_eq!(next(&mut *receiver), b"two");
    a.set_faults(Faults {
        drop: 1.0,
        ..Faults::default()
    });
    a.send(&[outgoing(to, b"lost")]);
    assert_eq!(poll(&mut *receiver), None);
}

/// An RTPS message with one empty INFO_TS: the least that tshark recognises.
const RTPS: &[u8] = &[
    b'R', b'T', b'P', b'S', 2, 5, 1, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 9, 3, 0, 0,
];

#[test]
fn a_capture_is_what_tshark_reads() {
    let network = memory();
    let (a, b) = (tapped(network.host(), "tshark"), network.host());
    let mut at_a = a.open(&[Listen::Unicast { port: 7411 }]).unwrap();
    let at_b = b.open(&[Listen::Unicast { port: 7413 }]).unwrap();
    let group = Locator {
        kind: Locator::KIND_MEMORY,
        ..Locator::udp_v4([239, 255, 0, 1].into(), 7400)
    };
    a.send(&[outgoing(at_b.locators()[0], RTPS), outgoing(group, RTPS)]);
    b.send(&[outgoing(at_a.locators()[0], RTPS)]);
    assert_eq!(next(&mut *at_a), RTPS);
    let file = capture_file("tshark");
    let fields = [
        "ip.src",
        "udp.srcport",
        "ip.dst",
        "udp.dstport",
        "frame.protocols",
        "rtps.sm.id",
    ];
    let tshark = Command::new("tshark")
        .args([
            "-o",
            "ip.check_checksum:TRUE",
            "-T",
            "fields",
            "-E",
            "separator= ",
            "-r",
        ])
        .arg(&file)
        .args(fields.iter().flat_map(|f| ["-e", f]))
        .env("HOME", std::env::temp_dir())
        .output();
    std::fs::remove_file(&file).unwrap();
    let Ok(output) = tshark else {
        println!("SKIPPED a_capture_is_what_tshark_reads: there is no tshark here");
        return;
    };
    let lines = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(
        lines,
        [
            "10.0.0.1 7411 10.0.0.2 7413 ip:udp:rtps 0x09",
            "10.0.0.1 7411 239.255.0.1 7400 ip:udp:rtps 0x09",
            "10.0.0.2 49152 10.0.0.1 7411 ip:udp:rtps 0x09",
        ],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
