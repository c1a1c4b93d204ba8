//! Hosts whose addresses and interfaces change while participants run.
use dunlin_robustness_tests::{Answer, Host, Process, in_namespace};
use std::time::{Duration, Instant};

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
const FAULTS: [&str; 4] = ["missing", "doubled", "disordered", "damaged"];
/// Nobody is lost and found again meanwhile.
const ROLE: &str = "lease=3600 size=200 transports=udp";
/// A machine with much else to do takes longer than the two seconds that it takes.
const SECONDS: Duration = Duration::from_secs(20);

fn start(host: &Host, role: &str, interfaces: Option<&str>) -> Process {
    let mut command = host.place().command(PEER);
    command.args(format!("{role} {ROLE}").split_whitespace());
    if let Some(interfaces) = interfaces {
        command.env("DUNLIN_INTERFACES", interfaces);
    }
    Process::start(role, command)
}

/// Waits until the reader has what is written now; returns how long that took.
fn resumed(writer: &mut Process, reader: &mut Process) -> Duration {
    let begin = Instant::now();
    // What was on its way before says nothing.
    std::thread::sleep(Duration::from_millis(300));
    let next = writer.ask("next").number("next");
    let received = reader.ask(&format!("received {next} 25"));
    assert!(!received.text.starts_with("timeout"), "{}", received.text);
    begin.elapsed()
}

/// All that was written has come, once and in order.
fn all_there(writer: &mut Process, reader: &mut Process) -> Answer {
    let wrote = writer.ask("stop");
    assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
    let count = wrote.number("wrote");
    let received = reader.ask(&format!("received {count} 60"));
    assert!(!received.text.starts_with("timeout"), "{}", received.text);
    let report = reader.ask("report");
    for fault in FAULTS {
        assert_eq!(report.number(fault), 0, "{fault}: {}", report.text);
    }
    assert_eq!(report.number("received"), count, "{}", report.text);
    report
}

fn renumber(host: &Host, interface: &str, address: &str) {
    host.place().shell(&format!(
        "ip addr flush dev {interface}; ip addr add {address}/24 dev {interface}"
    ));
}

/// Two hosts with a cable between them, `eth0` at both ends.
fn pair() -> (Host, Host) {
    let (near, far) = (Host::new(), Host::new());
    near.join(&far, ["eth0", "eth0"], ["10.1.0.1", "10.1.0.2"]);
    (near, far)
}

#[test]
fn a_stream_follows_hosts_that_are_renumbered() {
    in_namespace("a_stream_follows_hosts_that_are_renumbered", || {
        let (near, far) = pair();
        let mut writer = start(&near, "write=T", None);
        let mut reader = start(&far, "read=T", None);
        writer.wait("matched");
        reader.wait("matched");
        writer.ask("write 1000000 100");
        resumed(&mut writer, &mut reader);
        let moves: [(&str, &[(&Host, &str)]); 4] = [
            ("writer", &[(&near, "10.1.0.11")]),
            ("reader", &[(&far, "10.1.0.12")]),
            ("both", &[(&near, "10.1.0.21"), (&far, "10.1.0.22")]),
            ("back", &[(&near, "10.1.0.1"), (&far, "10.1.0.2")]),
        ];
        for (who, changes) in moves {
            for (host, address) in changes {
                renumber(host, "eth0", address);
            }
            let after = resumed(&mut writer, &mut reader);
            println!("FIGURE 100 Hz, {who} renumbered: resumed after {after:.1?}");
            assert!(after < SECONDS, "{who}: {after:?}");
        }
        let report = all_there(&mut writer, &mut reader);
        println!("FIGURE renumbered four times: {}", report.text);
    });
}

#[test]
fn interfaces_come_and_go_while_participants_run() {
    in_namespace("interfaces_come_and_go_while_participants_run", || {
        let (near, far) = (Host::new(), Host::new());
        let mut writer = start(&near, "write=T", None);
        let mut reader = start(&far, "read=T", None);
        near.join(&far, ["eth0", "eth0"], ["10.1.0.1", "10.1.0.2"]);
        writer.wait("matched");
        reader.wait("matched");
        writer.ask("write 1000000 100");
        resumed(&mut writer, &mut reader);
        near.place().shell("ip link del eth0");
        near.join(&far, ["wlan0", "wlan0"], ["10.2.0.1", "10.2.0.2"]);
        let after = resumed(&mut writer, &mut reader);
        println!("FIGURE 100 Hz, another cable: resumed after {after:.1?}");
        assert!(after < SECONDS, "{after:?}");
        far.place().shell("ip link set wlan0 down");
        std::thread::sleep(Duration::from_secs(1));
        far.place().shell("ip link set wlan0 up");
        let after = resumed(&mut writer, &mut reader);
        println!("FIGURE 100 Hz, down for 1 s and up: resumed after {after:.1?}");
        assert!(after < SECONDS, "{after:?}");
        all_there(&mut writer, &mut reader);
    });
}

#[test]
fn a_list_of_interfaces_holds_for_those_that_come_later() {
    in_namespace(
        "a_list_of_interfaces_holds_for_those_that_come_later",
        || {
            let (near, far) = pair();
            let stranger = Host::new();
            let mut writer = start(&near, "write=T", Some("lo,eth0"));
            let mut reader = start(&far, "read=T", None);
            writer.wait("matched");
            writer.ask("write 1000000 100");
            let mut other = start(&stranger, "read=T", None);
            near.join(&stranger, ["eth1", "eth0"], ["10.2.0.1", "10.2.0.2"]);
            renumber(&near, "eth0", "10.1.0.11");
            let after = resumed(&mut writer, &mut reader);
            assert!(after < SECONDS, "{after:?}");
            // It would have met us within a second.
            let met = other.ask("partners 1 3");
            assert!(met.text.starts_with("timeout"), "{}", met.text);
            all_there(&mut writer, &mut reader);
        },
    );
}

#[test]
fn sockets_that_are_bound_to_an_interface_follow_it() {
    in_namespace("sockets_that_are_bound_to_an_interface_follow_it", || {
        let (near, far) = pair();
        let mut writer = start(&near, "write=T", Some("eth0"));
        let mut reader = start(&far, "read=T", Some("eth0"));
        writer.wait("matched");
        reader.wait("matched");
        writer.ask("write 1000000 100");
        for (host, address) in [(&near, "10.1.0.11"), (&far, "10.1.0.12")] {
            renumber(host, "eth0", address);
            let after = resumed(&mut writer, &mut reader);
            println!("FIGURE 100 Hz, bound to eth0, renumbered: resumed after {after:.1?}");
            assert!(after < SECONDS, "{after:?}");
        }
        all_there(&mut writer, &mut reader);
    });
}
