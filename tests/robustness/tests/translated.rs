//! Participants that speak TCP through address translators, and with addresses that others do not
//! reach.
use dunlin_robustness_tests::{Host, Process, in_namespace};
use std::time::Duration;

/// Whoever has these has UDP and shared memory beside TCP.
const ALL: &str = "udp,shmem,tcp";
const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");

/// Two hosts, of which the first is behind a translator: it is 10.1.0.2, to others 10.9.0.1; the
/// second is 10.9.0.2 and knows no way to the first.
struct Translated {
    inside: Host,
    router: Host,
    outside: Host,
}

impl Translated {
    fn new() -> Self {
        let [inside, router, outside] = [(); 3].map(|()| Host::new());
        hide(&inside, &router);
        router.join(&outside, ["eth1", "eth0"], ["10.9.0.1", "10.9.0.2"]);
        Self {
            inside,
            router,
            outside,
        }
    }
}

/// A host behind a router, which knows no other way.
fn hide(inside: &Host, router: &Host) {
    inside.join(router, ["eth0", "eth0"], ["10.1.0.2", "10.1.0.1"]);
    inside.place().shell("ip route add default via 10.1.0.1");
}

fn start(host: &Host, role: &str) -> Process {
    start_with(host, role, "tcp")
}

fn start_with(host: &Host, role: &str, transports: &str) -> Process {
    let role = format!("{role} transports={transports} size=32,1000,200000");
    host.place().start(PEER, &role)
}

/// Each writes what the other reads; nothing may be missing.
fn converse(peers: &mut [Process; 2]) {
    for peer in &mut *peers {
        peer.wait("matched");
    }
    for peer in &mut *peers {
        peer.ask("write 300 300");
    }
    for peer in &mut *peers {
        let wrote = peer.ask("join");
        assert_eq!(wrote.number("wrote"), 300, "{}", wrote.text);
    }
    for peer in &mut *peers {
        peer.wait("received 300");
        let report = peer.ask("report");
        for fault in ["missing", "doubled", "disordered", "damaged"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
    }
}

#[test]
fn a_client_behind_a_translator_is_answered() {
    in_namespace("a_client_behind_a_translator_is_answered", || {
        let net = Translated::new();
        if !net.router.translate("eth1", None) {
            return;
        }
        // One that listens tells an address at which the server meets nobody. So does one that has
        // UDP.
        for (port, transports) in [(0, "tcp"), (7400, "tcp"), (0, ALL), (7400, ALL)] {
            let server = start_with(&net.outside, "write=B read=A", transports);
            let role = format!("write=A read=B port={port} peers=tcpv4_wan://10.9.0.2:7400");
            let client = start_with(&net.inside, &role, transports);
            converse(&mut [server, client]);
        }
    });
}

#[test]
fn a_client_is_answered_though_a_stranger_has_its_private_address() {
    let name = "a_client_is_answered_though_a_stranger_has_its_private_address";
    in_namespace(name, || {
        let net = Translated::new();
        if !net.router.translate("eth1", None) {
            return;
        }
        let neighbour = Host::new();
        net.outside
            .join(&neighbour, ["eth1", "eth0"], ["10.1.0.1", "10.1.0.2"]);
        for knows in ["", " peers=tcpv4_lan://10.1.0.2:7400"] {
            let stranger = start(&neighbour, "read=A write=C");
            let server = start(&net.outside, &format!("write=B read=A{knows}"));
            let role = "write=A read=B peers=tcpv4_wan://10.9.0.2:7400";
            let client = start(&net.inside, role);
            converse(&mut [server, client]);
            drop(stranger);
        }
    });
}

#[test]
fn a_server_behind_a_translator_is_found_at_the_forwarded_port() {
    in_namespace(
        "a_server_behind_a_translator_is_found_at_the_forwarded_port",
        || {
            let net = Translated::new();
            if !net.router.translate("eth1", Some((7500, "10.1.0.2:7400"))) {
                return;
            }
            for port in [0, 7600] {
                let server = start(&net.inside, "write=B read=A public=10.9.0.1:7500");
                let role = format!("write=A read=B port={port} peers=tcpv4_wan://10.9.0.1:7500");
                let client = start(&net.outside, &role);
                converse(&mut [server, client]);
            }
        },
    );
}

#[test]
fn of_a_servers_addresses_the_one_that_leads_there_is_used() {
    let name = "of_a_servers_addresses_the_one_that_leads_there_is_used";
    in_namespace(name, || {
        let [server, elsewhere, router, client] = [(); 4].map(|()| Host::new());
        server.join(&elsewhere, ["eth0", "eth0"], ["10.8.0.2", "10.8.0.1"]);
        server.join(&router, ["eth1", "eth1"], ["10.9.0.2", "10.9.0.1"]);
        hide(&client, &router);
        router.forward(true);
        server.place().shell("ip route add default via 10.9.0.1");
        let serving = start(&server, "write=B read=A");
        let client = start(&client, "write=A read=B port=0 peers=10.9.0.2:7400");
        converse(&mut [serving, client]);
    });
}

/// Time that may be computed in 3 s by participants that have nothing to do, though they know of
/// others that they do not reach.
const IDLE: Duration = Duration::from_millis(150);

/// Two hosts with one private address, each behind a translator of its own, and one server. The
/// clients hear of each other by it, and do not reach each other.
fn share_a_server(port: u16) {
    let [server, network, routers @ .., one, other] = [(); 6].map(|()| Host::new());
    network.join(&server, ["eth9", "eth0"], ["10.8.0.1", "10.8.0.2"]);
    server.place().shell("ip route add default via 10.8.0.1");
    network.forward(true);
    for (n, (router, inside)) in routers.iter().zip([&one, &other]).enumerate() {
        hide(inside, router);
        let (far, near) = (format!("10.9.{n}.1"), format!("10.9.{n}.2"));
        network.join(router, [&format!("eth{n}"), "eth1"], [&far, &near]);
        router
            .place()
            .shell(&format!("ip route add default via {far}"));
        if !router.translate("eth1", None) {
            return;
        }
    }
    let mut serving = start(&server, "write=T");
    let mut clients = [&one, &other].map(|host| {
        let role = format!("read=T port={port} peers=tcpv4_wan://10.8.0.2:7400");
        start(host, &role)
    });
    serving.wait("partners 2");
    serving.ask("write 300 300");
    for client in &mut clients {
        client.wait("received 300");
    }
    std::thread::sleep(Duration::from_secs(1));
    let [one, other] = &clients;
    let before = [&serving, one, other].map(Process::computed);
    std::thread::sleep(Duration::from_secs(3));
    let after = [&serving, one, other].map(Process::computed);
    let computed = [0, 1, 2].map(|n| after[n] - before[n]);
    println!(
        "FIGURE two clients behind translators: in 3 s the server and they computed {computed:?}"
    );
    assert!(computed.iter().all(|time| *time <= IDLE), "{computed:?}");
}

#[test]
fn clients_behind_translators_share_a_server() {
    in_namespace("clients_behind_translators_share_a_server", || {
        for port in [0, 7400] {
            share_a_server(port);
        }
    });
}
