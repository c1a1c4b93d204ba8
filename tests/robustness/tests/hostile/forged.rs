//! Somebody on a third host speaks for a peer, with an address of its own: it knows GUIDs, which go
//! round by multicast, and forges nothing else.
use super::packet::{Entity, PUBLICATIONS, Packet, Prefix, SPDP_WRITER, SUBSCRIPTIONS};
use super::{PEER, guid};
use dunlin_robustness_tests::{Host, Process, in_namespace};
use std::time::Duration;

/// Ports of the first participant of domain 0 on a host.
const META: u16 = 7410;
const USER: u16 = 7411;
const FAR: i64 = 1 << 40;

/// Three hosts at one switch: 10.78.0.1 to 10.78.0.3.
fn three_hosts(switch: &Host) -> [Host; 3] {
    switch
        .place()
        .shell("ip link add br0 type bridge; ip link set br0 up");
    [1, 2, 3].map(|number| {
        let host = Host::new();
        let port = format!("port{number}");
        let address = format!("10.78.0.{number}");
        switch.join(
            &host,
            [&port, "eth0"],
            [&format!("10.79.{number}.1"), &address],
        );
        switch.place().shell(&format!(
            "ip addr flush dev {port}; ip link set {port} master br0"
        ));
        host.place().shell("ip route add 239.255.0.0/16 dev eth0");
        host
    })
}

/// INFO_SRC says whose a message is. Dunlin's participants expect a checksum where the header names
/// one of them, which anybody can make, too.
fn in_the_name_of(prefix: Prefix) -> Packet {
    let says = [&[0; 4][..], &[2, 5, 0x44, 0x4c], &prefix].concat();
    Packet::from(*b"mallory lies").sub(0x0c, 1, &says)
}

fn whole(prefix: Prefix, entity: Entity) -> [u8; 16] {
    [prefix.as_slice(), &entity].concat().try_into().unwrap()
}

fn peers(hosts: &[Host; 3]) -> (Process, Process) {
    let mut writing = hosts[0].place().start(PEER, "write=A");
    let mut reading = hosts[1].place().start(PEER, "read=A");
    for peer in [&mut writing, &mut reading] {
        peer.wait("matched 30");
    }
    (writing, reading)
}

#[test]
fn another_host_does_not_speak_for_a_peer() {
    let name = "forged::another_host_does_not_speak_for_a_peer";
    in_namespace(name, || {
        let switch = Host::new();
        let hosts = three_hosts(&switch);
        let (mut writing, mut reading) = peers(&hosts);
        let (one, writer) = guid(&writing.greeting, "writer");
        let (other, reader) = guid(&reading.greeting, "reader");
        writing.ask("write 500 100");
        std::thread::sleep(Duration::from_millis(500));
        let enemy = hosts[2].place().socket("0.0.0.0");
        let as_writer = || in_the_name_of(one).to(other);
        let as_reader = || in_the_name_of(other).to(one);
        let gone = whole(one, [0, 0, 1, 0xc1]);
        let to_reader = [
            as_writer().gap(writer, 1, FAR, 0, &[]),
            as_writer().heartbeat(writer, FAR, FAR, 1 << 30),
            as_writer().data(writer, FAR, &[0, 1, 0, 0, 1, 2, 3, 4]),
            as_writer().gap(PUBLICATIONS, 1, FAR, 0, &[]),
            as_writer().farewell(PUBLICATIONS, 1, Some(whole(one, writer)), None),
            as_writer().farewell(PUBLICATIONS, 2, Some(whole(one, writer)), None),
            as_writer().farewell(SPDP_WRITER, 99, Some(gone), Some(gone)),
        ];
        let to_writer = [
            as_reader().ack_nack(reader, writer, 400, 0, &[], 1 << 30),
            as_reader().ack_nack(reader, writer, FAR, 0, &[], (1 << 30) + 1),
            as_reader().nack_frag(reader, writer, 1, 1, 1, &[1 << 31]),
            as_reader().farewell(SUBSCRIPTIONS, 1, Some(whole(other, reader)), None),
        ];
        for port in [META, USER] {
            for packet in &to_reader {
                enemy.send_to(&packet.0, ("10.78.0.2", port)).unwrap();
            }
            for packet in &to_writer {
                enemy.send_to(&packet.0, ("10.78.0.1", port)).unwrap();
            }
        }
        let wrote = writing.ask("join");
        assert_eq!(wrote.number("wrote"), 500, "{}", wrote.text);
        reading.wait("received 500 30");
        let report = reading.ask("report");
        for fault in ["missing", "doubled", "disordered", "damaged", "lost"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
        // Seven messages to each of two ports; that a goodbye is looked into already is not counted
        // again.
        let misplaced = report.number("misplaced");
        assert!((13..=14).contains(&misplaced), "{}", report.text);
        let report = writing.ask("report");
        assert_eq!(report.number("misplaced"), 8, "{}", report.text);
        assert_eq!(reading.ask("unmatched 0").text, "timeout");
    });
}

/// Which of a host's addresses a datagram has depends on its ways, not on what was announced first.
#[test]
fn a_peer_with_two_interfaces_speaks_from_both() {
    let name = "forged::a_peer_with_two_interfaces_speaks_from_both";
    in_namespace(name, || {
        let [one, other] = [(); 2].map(|()| Host::new());
        one.join(&other, ["eth0", "eth0"], ["10.78.0.1", "10.78.0.2"]);
        one.join(&other, ["eth1", "eth1"], ["10.79.0.1", "10.79.0.2"]);
        for host in [&one, &other] {
            host.place().shell("ip route add 239.255.0.0/16 dev eth0");
        }
        let mut writing = one.place().start(PEER, "write=A");
        let mut reading = other.place().start(PEER, "read=A");
        for peer in [&mut writing, &mut reading] {
            peer.wait("matched 30");
        }
        writing.ask("write 20 100");
        let (prefix, writer) = guid(&writing.greeting, "writer");
        let mut misplaced_from = |address: &str| {
            let socket = one.place().socket(address);
            let nothing = in_the_name_of(prefix).heartbeat(writer, 1, 0, 1);
            socket.send_to(&nothing.0, ("10.79.0.2", USER)).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            reading.ask("report").number("misplaced")
        };
        for address in ["10.78.0.1", "10.79.0.1"] {
            assert_eq!(misplaced_from(address), 0, "{address}");
        }
        // An address that comes later is announced soon.
        one.place().shell("ip addr add 10.79.0.3/24 dev eth1");
        let mut before = 0;
        let settles = (0..100).any(|_| {
            let now = misplaced_from("10.79.0.3");
            std::mem::replace(&mut before, now) == now
        });
        assert!(settles, "{before} misplaced");
        reading.wait("received 20 30");
        assert_eq!(reading.ask("report").number("lost"), 0);
    });
}
