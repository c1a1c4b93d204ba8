//! Participants that speak TCP, each test in a network namespace of its own.
#[path = "../../transport/src/tcp/tests/authority.rs"]
mod authority;
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use authority::Authority;
use bytes::Bytes;
use common::{Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use namespace::{BARE, in_namespace};

const DOMAIN: u32 = 4;

fn at(port: u16, peers: &[&str]) -> Result<DomainParticipant> {
    with(port, peers, None)
}

fn with(port: u16, peers: &[&str], tls: Option<transport::TlsConfig>) -> Result<DomainParticipant> {
    DomainParticipant::with_config(
        DOMAIN,
        ParticipantConfig {
            peers: peers.iter().map(ToString::to_string).collect(),
            transports: Transports::TCP,
            tcp: TcpSettings {
                port,
                tls,
                ..Default::default()
            },
            announce_period: Duration::from_millis(300),
            ..Default::default()
        },
    )
}

fn sample(number: u32, length: usize) -> Plain {
    let byte = |n: usize| (n as u32).wrapping_mul(2_654_435_761).wrapping_add(number) as u8;
    Plain {
        number,
        data: (0..length).map(byte).collect::<Bytes>(),
    }
}

/// `a` writes to `b`: small and large samples, all of them, in order.
fn sends(a: &DomainParticipant, b: &DomainParticipant, topic: &str) {
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(a, topic, wqos);
    let reader = reader::<Plain>(b, topic, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let lengths = [0, 32, 1_000, 70_000, 3, 10 << 20, 100];
    for (number, length) in lengths.into_iter().enumerate() {
        writer.write(&sample(number as u32, length)).unwrap();
    }
    let got = take(&reader, lengths.len());
    assert_eq!(got.len(), lengths.len());
    for (number, (length, got)) in lengths.into_iter().zip(got).enumerate() {
        assert!(
            got.data() == Some(&sample(number as u32, length)),
            "{number}"
        );
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
}

#[test]
fn both_name_each_other() {
    in_namespace("both_name_each_other", BARE, || {
        let a = at(7400, &["0@tcpv4_lan://127.0.0.1:7500"]).unwrap();
        let b = at(7500, &["0@tcpv4_lan://127.0.0.1:7400"]).unwrap();
        sends(&a, &b, "there");
        sends(&b, &a, "back");
    });
}

#[test]
fn who_listens_nowhere_is_answered() {
    in_namespace("who_listens_nowhere_is_answered", BARE, || {
        let server = at(7400, &[]).unwrap();
        let why = server.describe_discovery();
        assert!(why[0].contains("name peers"), "{why:?}");
        let client = at(0, &["tcpv4_wan://127.0.0.1:7400"]).unwrap();
        sends(&client, &server, "up");
        sends(&server, &client, "down");
    });
}

#[test]
fn with_tls_only_those_with_a_certificate_come_in() {
    in_namespace(
        "with_tls_only_those_with_a_certificate_come_in",
        BARE,
        || {
            let (ours, theirs) = (Authority::new(), Authority::new());
            let identity = |of: &Authority, trusted: &Authority| {
                let [certificates, key] = of.sign();
                Some(transport::TlsConfig {
                    authorities: trusted.file(),
                    certificates,
                    key,
                })
            };
            let here = "tlsv4_lan://127.0.0.1:7400";
            let server = with(7400, &[], identity(&ours, &ours)).unwrap();
            let stranger = with(7600, &[here], identity(&theirs, &ours)).unwrap();
            let plain = at(7700, &["127.0.0.1:7400"]).unwrap();
            let friend = with(7500, &[here], identity(&ours, &ours)).unwrap();
            sends(&friend, &server, "there");
            sends(&server, &friend, "back");
            let refused = || server.counters().connections_refused;
            let end = std::time::Instant::now() + std::time::Duration::from_secs(300);
            while refused() < 2 && std::time::Instant::now() < end {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            assert!(refused() >= 2);
            for other in [&stranger, &plain] {
                let seen = other.describe_discovery().concat();
                assert!(!seen.contains(&server.guid().to_string()), "{seen}");
            }
            let error = with(7900, &["tcpv4_lan://127.0.0.1"], identity(&ours, &ours)).err();
            let error = error.unwrap().to_string();
            assert!(error.contains("tlsv4_lan"), "{error}");
        },
    );
}

#[test]
fn a_peer_that_returns_is_found_again() {
    in_namespace("a_peer_that_returns_is_found_again", BARE, || {
        let a = at(7400, &["127.0.0.1:7500"]).unwrap();
        for round in 0..3 {
            let b = at(7500, &[]).unwrap();
            sends(&a, &b, &format!("there {round}"));
            sends(&b, &a, &format!("back {round}"));
        }
    });
}

#[test]
fn what_cannot_be_is_explained() {
    in_namespace("what_cannot_be_is_explained", BARE, || {
        let _first = at(7400, &[]).unwrap();
        let error = at(7400, &[]).err().unwrap().to_string();
        assert!(
            error.contains("7400") && error.contains("choose another port"),
            "{error}"
        );
        let beside_udp = ParticipantConfig {
            transports: Transports {
                udp: true,
                ..Transports::TCP
            },
            ..Default::default()
        };
        let error = DomainParticipant::with_config(DOMAIN, beside_udp).err();
        let error = error.unwrap().to_string();
        assert!(error.contains("choose another port"), "{error}");
        let error = at(7500, &["udpv4://127.0.0.1"]).err().unwrap().to_string();
        assert!(error.contains("tcpv4_lan"), "{error}");
    });
}
