//! UDP, each test in a network namespace of its own.
use std::net::Ipv4Addr;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use dunlin_transport::{Buffers, Listen, Reach, Receiver, Transport, UdpConfig, UdpTransport};
use dunlin_wire::Locator;

use crate::namespace::{BARE, DARK, ETHERNET, LOOPBACK, in_namespace};
use crate::suite::{
    conforms, hears_a_group_beside_a_stream, next, outgoing, poll, rests_its_groups,
};

const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);

fn udp(interfaces: &[&str]) -> UdpTransport {
    let names = interfaces.iter().map(|n| (*n).into()).collect();
    UdpTransport::new(&UdpConfig {
        interfaces: Some(names),
        ..UdpConfig::default()
    })
    .unwrap()
}

fn udp_everywhere() -> UdpTransport {
    UdpTransport::new(&UdpConfig::default()).unwrap()
}

fn open(transport: &UdpTransport, port: u16) -> Box<dyn Receiver> {
    transport.open(&[Listen::Unicast { port }]).unwrap()
}

fn join(transport: &UdpTransport) -> Box<dyn Receiver> {
    let group = Locator::udp_v4(GROUP, 7400);
    transport.open(&[Listen::Multicast { group }]).unwrap()
}

fn addresses(receiver: &dyn Receiver) -> Vec<String> {
    let all = receiver.locators().into_iter();
    all.map(|l| l.socket_addr().unwrap().ip().to_string())
        .collect()
}

#[test]
fn udp_conforms_on_a_bare_loopback() {
    in_namespace("udp::udp_conforms_on_a_bare_loopback", BARE, || {
        conforms(&|| Box::new(udp_everywhere()));
        conforms(&|| Box::new(udp(&["lo"])));
    });
}

#[test]
fn udp_conforms_on_a_loopback_with_multicast() {
    let name = "udp::udp_conforms_on_a_loopback_with_multicast";
    in_namespace(name, LOOPBACK, || {
        conforms(&|| Box::new(udp_everywhere()));
        conforms(&|| Box::new(udp(&["127.0.0.1"])));
    });
}

#[test]
fn udp_looks_at_groups_after_their_rest_and_beside_a_stream() {
    let name = "udp::udp_looks_at_groups_after_their_rest_and_beside_a_stream";
    in_namespace(name, LOOPBACK, || {
        rests_its_groups(&udp_everywhere());
        hears_a_group_beside_a_stream(&udp_everywhere());
    });
}

#[test]
fn udp_conforms_on_an_ethernet() {
    in_namespace("udp::udp_conforms_on_an_ethernet", ETHERNET, || {
        conforms(&|| Box::new(udp_everywhere()));
        conforms(&|| Box::new(udp(&["va"])));
        conforms(&|| Box::new(udp(&["lo"])));
        conforms(&|| Box::new(udp(&["lo", "va"])));
    });
}

#[test]
fn udp_is_refused_where_nothing_is_up() {
    in_namespace("udp::udp_is_refused_where_nothing_is_up", DARK, || {
        let error = UdpTransport::new(&UdpConfig::default()).unwrap_err();
        assert!(error.to_string().contains("there are: none"), "{error}");
    });
}

#[test]
fn udp_on_one_interface_does_not_hear_the_others() {
    let name = "udp::udp_on_one_interface_does_not_hear_the_others";
    in_namespace(name, ETHERNET, || {
        let (lo, va) = (udp(&["lo"]), udp(&["va"]));
        let (mut at_lo, mut at_va) = (join(&lo), join(&va));
        let group = Locator::udp_v4(GROUP, 7400);
        lo.send(&[outgoing(group, b"from lo")]);
        va.send(&[outgoing(group, b"from va")]);
        assert_eq!(next(&mut *at_lo), b"from lo");
        assert_eq!(next(&mut *at_va), b"from va");
        assert_eq!((poll(&mut *at_lo), poll(&mut *at_va)), (None, None));
        // The same port at two addresses.
        let (mut at_lo, mut at_va) = (open(&lo, 7410), open(&va, 7410));
        assert_eq!(addresses(&*at_lo), ["127.0.0.1"]);
        assert_eq!(addresses(&*at_va), ["10.9.0.1"]);
        // A participant on all interfaces reaches both, each at its own address, and is reached by
        // both.
        let all = udp_everywhere();
        let mut at_all = open(&all, 0);
        assert_eq!(addresses(&*at_all), ["10.9.0.1"]);
        all.send(&[outgoing(at_lo.locators()[0], b"to lo")]);
        all.send(&[outgoing(at_va.locators()[0], b"to va")]);
        assert_eq!(next(&mut *at_lo), b"to lo");
        assert_eq!(next(&mut *at_va), b"to va");
        for transport in [&lo, &va] {
            let to = at_all.locators()[0];
            assert_eq!(transport.reaches(&to), Reach::Host);
            transport.send(&[outgoing(to, b"to all")]);
            assert_eq!(next(&mut *at_all), b"to all");
        }
    });
}

#[test]
fn udp_on_some_of_many_addresses_drops_what_was_sent_to_others() {
    let name = "udp::udp_on_some_of_many_addresses_drops_what_was_sent_to_others";
    let setup =
        format!("{ETHERNET}; ip addr add 10.9.0.2/24 dev va; ip addr add 10.9.1.1/24 dev vb");
    in_namespace(name, &setup, || {
        let some = udp(&["lo", "10.9.0.2"]);
        let mut receiver = open(&some, 7410);
        assert_eq!(addresses(&*receiver), ["10.9.0.2"]);
        let all = udp_everywhere();
        for ip in [[10, 9, 1, 1], [10, 9, 0, 1], [10, 9, 0, 2], [127, 0, 0, 1]] {
            let to = Locator::udp_v4(Ipv4Addr::from(ip), 7410);
            all.send(&[outgoing(to, &ip)]);
        }
        assert_eq!(next(&mut *receiver), [10, 9, 0, 2]);
        assert_eq!(next(&mut *receiver), [127, 0, 0, 1]);
        assert_eq!(
            some.reaches(&Locator::udp_v4(Ipv4Addr::new(10, 9, 0, 77), 1)),
            Reach::Subnet
        );
        assert_eq!(
            some.reaches(&Locator::udp_v4(Ipv4Addr::new(10, 9, 1, 77), 1)),
            Reach::No
        );
        assert_eq!(
            some.reaches(&Locator::udp_v4(Ipv4Addr::new(8, 8, 8, 8), 1)),
            Reach::No
        );
        assert_eq!(
            all.reaches(&Locator::udp_v4(Ipv4Addr::new(10, 9, 1, 77), 1)),
            Reach::Subnet
        );
    });
}

#[test]
fn udp_without_a_loopback_interface_still_wakes() {
    let name = "udp::udp_without_a_loopback_interface_still_wakes";
    let setup = ETHERNET.replace("ip link set lo up; ", "");
    in_namespace(name, &setup, || {
        let mut receiver = open(&udp_everywhere(), 0);
        let waker = receiver.waker();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(30));
                waker.wake();
            });
            let mut buffer = bytes::BytesMut::with_capacity(65536);
            let wait = dunlin_transport::Wait::Until(None);
            assert_eq!(receiver.receive(&mut buffer, wait).unwrap(), None);
        });
    });
}

#[test]
fn udp_gives_up_on_a_full_queue_in_time() {
    let name = "udp::udp_gives_up_on_a_full_queue_in_time";
    in_namespace(name, ETHERNET, || {
        let slow = "tc qdisc add dev va root tbf rate 8kbit burst 2kb limit 10mb";
        let neighbour = "ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev va";
        if !run_quietly(&format!("{slow}; {neighbour}")) {
            println!("SKIPPED {name}: this kernel cannot slow an interface down");
            return;
        }
        let transport = UdpTransport::new(&UdpConfig {
            buffers: Buffers {
                send: 20_000,
                ..Buffers::default()
            },
            ..UdpConfig::default()
        });
        let transport = transport.unwrap();
        let far = outgoing(
            Locator::udp_v4(Ipv4Addr::new(10, 9, 0, 2), 7410),
            &[0; 1000],
        );
        let start = Instant::now();
        let sent = transport.send(&[far; 2_000]);
        let took = start.elapsed();
        assert!(sent.datagrams > 0 && sent.failed > 0, "{sent:?}");
        assert_eq!(sent.datagrams + sent.failed, 2_000);
        let error = sent.error.unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
        assert!(took >= Duration::from_millis(10), "{took:?}");
        // Had each of them waited so long it would be 20 s.
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert_eq!(transport.failed(), u64::try_from(sent.failed).unwrap());
        let single = transport.send(&[far]);
        assert_eq!((single.datagrams, single.failed), (0, 1));
    });
}

/// Set in the process that plays the remote host.
const REMOTE: &str = "DUNLIN_TEST_REMOTE";

#[test]
fn udp_reaches_another_host() {
    let name = "udp::udp_reaches_another_host";
    if std::env::var_os(REMOTE).is_some() {
        return answer_from_another_host();
    }
    in_namespace(name, ETHERNET, || {
        let child = Command::new("unshare")
            .args([
                "-n",
                "sh",
                "-c",
                "ip link set lo up; exec \"$0\" --exact \"$1\"",
            ])
            .arg(std::env::current_exe().unwrap())
            .arg(name)
            .env(REMOTE, "1")
            .spawn();
        let mut remote = Remote(child.unwrap());
        give_interface(remote.0.id());
        let local = udp_everywhere();
        let mut receiver = open(&local, 7410);
        assert_eq!(addresses(&*receiver), ["10.9.0.1"]);
        // Announced until answered, as discovery does.
        let deadline = Instant::now() + Duration::from_secs(300);
        let answer = loop {
            assert!(Instant::now() < deadline, "no answer from the other host");
            local.send(&[outgoing(Locator::udp_v4(GROUP, 7400), b"hello")]);
            std::thread::sleep(Duration::from_millis(20));
            if let Some(answer) = poll(&mut *receiver) {
                break answer;
            }
        };
        assert_eq!(answer, b"10.9.0.2");
        assert!(remote.0.wait().unwrap().success());
    });
}

struct Remote(Child);

impl Drop for Remote {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Moves the far end of the Ethernet to the namespace of the process, once it has one.
fn give_interface(process: u32) {
    let namespace = |of: &str| std::fs::read_link(format!("/proc/{of}/ns/net")).ok();
    let deadline = Instant::now() + Duration::from_secs(300);
    while namespace(&process.to_string()) == namespace("self") {
        assert!(Instant::now() < deadline, "no second namespace");
        std::thread::sleep(Duration::from_millis(5));
    }
    run(&format!("ip link set vb netns {process}"));
}

fn answer_from_another_host() {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !run_quietly("ip link show vb") {
        assert!(Instant::now() < deadline, "no interface came");
        std::thread::sleep(Duration::from_millis(5));
    }
    run("ip addr add 10.9.0.2/24 dev vb; ip link set vb up");
    let remote = udp_everywhere();
    let (mut group, own) = (join(&remote), open(&remote, 7410));
    assert_eq!(next(&mut *group), b"hello");
    let peer = Locator::udp_v4(Ipv4Addr::new(10, 9, 0, 1), 7410);
    assert_eq!(remote.reaches(&peer), Reach::Subnet);
    let sent = remote.send(&[outgoing(peer, addresses(&*own)[0].as_bytes())]);
    assert_eq!(sent.datagrams, 1, "{sent:?}");
}

fn run(script: &str) {
    assert!(run_quietly(script), "{script}");
}

fn run_quietly(script: &str) -> bool {
    let output = Command::new("sh").args(["-ec", script]).output();
    output.is_ok_and(|output| output.status.success())
}
