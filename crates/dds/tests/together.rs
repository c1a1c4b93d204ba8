//! Participants with several transports, each test in a network namespace of its own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use namespace::{LOOPBACK, in_namespace};

const DOMAIN: u32 = 5;
/// Samples go by transports, also within this process.
const ALL: Transports = Transports {
    udp: true,
    shmem: true,
    tcp: true,
    local: false,
};

fn with(transports: Transports, port: u16, peers: &[&str]) -> DomainParticipant {
    try_with(transports, port, peers, true).unwrap()
}

fn try_with(
    transports: Transports,
    port: u16,
    peers: &[&str],
    multicast: bool,
) -> Result<DomainParticipant> {
    DomainParticipant::with_config(
        DOMAIN,
        ParticipantConfig {
            transports,
            peers: peers.iter().map(ToString::to_string).collect(),
            multicast,
            tcp: TcpSettings {
                port,
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

/// What is sent: in one datagram, in several, and more than a buffer of sockets takes.
const LENGTHS: [usize; 6] = [0, 32, 1_000, 70_000, 2 << 20, 3];

/// Endpoints that stay matched as long as they are kept.
type Matched = (DataWriter<Plain>, Vec<DataReader<Plain>>);

/// `from` writes to each of `to` at once: all samples, in order.
fn sends(from: &DomainParticipant, to: &[&DomainParticipant], topic: &str) -> Matched {
    let (wqos, rqos) = reliable_all();
    let readers: Vec<_> = to
        .iter()
        .map(|to| reader::<Plain>(to, topic, rqos.clone()))
        .collect();
    let writer = writer::<Plain>(from, topic, wqos);
    writer.wait_for_matched(to.len(), SOON).unwrap();
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    for (number, length) in (0..).zip(LENGTHS) {
        writer.write(&sample(number, length)).unwrap();
    }
    for reader in &readers {
        let got = take(reader, LENGTHS.len());
        for ((number, length), got) in (0..).zip(LENGTHS).zip(got) {
            assert!(got.data() == Some(&sample(number, length)), "{number}");
        }
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    (writer, readers)
}

/// By which kinds of transport a participant reaches its peers.
fn ways(participant: &DomainParticipant) -> Vec<&'static str> {
    let peers = participant.domain().participants.into_iter();
    let mut all: Vec<_> = peers
        .map(|peer| match peer.way.map(|way| way.kind) {
            Some(Locator::KIND_UDP_V4) => "udp",
            Some(Locator::KIND_SHMEM) => "shmem",
            Some(Locator::KIND_TCP_V4 | Locator::KIND_TCP_CALLER) => "tcp",
            other => panic!("{other:?}"),
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn peers_with_one_transport_each_are_reached_at_once() {
    let test = "peers_with_one_transport_each_are_reached_at_once";
    in_namespace(test, LOOPBACK, || {
        let hub = with(ALL, 7400, &[]);
        let udp = with(Transports::UDP, 0, &[]);
        let shm = with(Transports::SHMEM, 0, &[]);
        let tcp = with(Transports::TCP, 7500, &["tcpv4_lan://127.0.0.1:7400"]);
        let _matched = sends(&hub, &[&udp, &shm, &tcp], "there");
        for (topic, peer) in [("by udp", &udp), ("by shm", &shm), ("by tcp", &tcp)] {
            sends(peer, &[&hub], topic);
        }
        assert_eq!(ways(&hub), ["shmem", "tcp", "udp"]);
    });
}

#[test]
fn who_listens_nowhere_is_answered_by_its_connections() {
    let test = "who_listens_nowhere_is_answered_by_its_connections";
    in_namespace(test, LOOPBACK, || {
        let hub = with(ALL, 7400, &[]);
        let client = with(Transports::TCP, 0, &["tcpv4_wan://127.0.0.1:7400"]);
        let neighbour = with(ALL, 0, &[]);
        let _matched = sends(&hub, &[&client, &neighbour], "down");
        sends(&client, &[&hub], "up");
        sends(&neighbour, &[&hub], "beside");
        assert_eq!(ways(&hub), ["shmem", "tcp"]);
    });
}

#[test]
fn two_that_meet_by_a_connection_keep_to_it() {
    let test = "two_that_meet_by_a_connection_keep_to_it";
    in_namespace(test, LOOPBACK, || {
        let both = Transports {
            shmem: false,
            ..ALL
        };
        let server = try_with(both, 7400, &[], false).unwrap();
        let here = ["tcpv4_wan://127.0.0.1:7400"];
        let client = try_with(both, 0, &here, false).unwrap();
        sends(&server, &[&client], "down");
        sends(&client, &[&server], "up");
        assert_eq!((ways(&server), ways(&client)), (vec!["tcp"], vec!["tcp"]));
    });
}

#[test]
fn two_that_have_all_share_memory() {
    in_namespace("two_that_have_all_share_memory", LOOPBACK, || {
        let one = with(ALL, 7400, &[]);
        let other = with(ALL, 7500, &["tcpv4_lan://127.0.0.1:7400"]);
        let _matched = sends(&one, &[&other], "there");
        sends(&other, &[&one], "back");
        assert_eq!((ways(&one), ways(&other)), (vec!["shmem"], vec!["shmem"]));
    });
}

/// Pieces of shared memory that this process has mapped.
fn segments() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains("memfd:")).count()
}

/// Until each of them has heard all that the others say of themselves.
fn acquainted(all: &[&DomainParticipant]) {
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let know = |one: &&DomainParticipant| {
        let others = one.domain().participants;
        others.len() + 1 == all.len() && others.iter().all(|other| other.is_complete)
    };
    while !all.iter().all(know) {
        assert!(std::time::Instant::now() < limit, "they do not meet");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn memory_is_shared_by_those_that_match_and_not_for_discovery() {
    let test = "memory_is_shared_by_those_that_match_and_not_for_discovery";
    in_namespace(test, LOOPBACK, || {
        let both = Transports { tcp: false, ..ALL };
        let [one, other, third] = [(); 3].map(|()| with(both, 0, &[]));
        let _apart = [(&one, "A"), (&other, "B"), (&third, "C")]
            .map(|(participant, topic)| writer::<Plain>(participant, topic, reliable_all().0));
        acquainted(&[&one, &other, &third]);
        assert_eq!(segments(), 0, "nothing matches");
        let matched = sends(&one, &[&other], "T");
        assert!(segments() > 0);
        assert_eq!(ways(&other), ["shmem", "udp"], "the third is not matched");
        drop(matched);
    });
}

#[test]
fn of_a_crowd_those_that_are_told_something_share_memory() {
    const CROWD: usize = 40;
    let test = "of_a_crowd_those_that_are_told_something_share_memory";
    in_namespace(test, LOOPBACK, || {
        let both = Transports { tcp: false, ..ALL };
        let one = with(both, 0, &[]);
        let crowd: Vec<_> = (0..CROWD).map(|_| with(both, 0, &[])).collect();
        let (wqos, rqos) = reliable_all();
        let readers = crowd
            .iter()
            .map(|of| reader::<Plain>(of, "T", rqos.clone()));
        let readers: Vec<_> = readers.collect();
        let writer = writer::<Plain>(&one, "T", wqos);
        writer.wait_for_matched(CROWD, SOON).unwrap();
        for reader in &readers {
            reader.wait_for_matched(1, SOON).unwrap();
        }
        let by_memory = || ways(&one).iter().filter(|way| **way == "shmem").count();
        for (number, length) in (0..).zip(LENGTHS) {
            writer.write(&sample(number, length)).unwrap();
        }
        for reader in &readers {
            let got = take(reader, LENGTHS.len());
            let written = (0..)
                .zip(LENGTHS)
                .map(|(number, length)| sample(number, length));
            assert!(
                got.iter()
                    .map(|got| got.data().unwrap())
                    .eq(&written.collect::<Vec<_>>())
            );
        }
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while by_memory() < CROWD {
            assert!(
                std::time::Instant::now() < limit,
                "{} in the end",
                by_memory()
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    });
}

#[test]
fn without_multicast_neighbours_meet_by_memory() {
    let test = "without_multicast_neighbours_meet_by_memory";
    in_namespace(test, namespace::BARE, || {
        let both = Transports { tcp: false, ..ALL };
        let [one, other] = [(); 2].map(|()| with(both, 0, &[]));
        sends(&one, &[&other], "T");
        sends(&other, &[&one], "U");
        let deaf = try_with(both, 0, &[], false).unwrap();
        sends(&one, &[&deaf], "V");
        let near = with(Transports::SHMEM, 0, &[]);
        sends(&other, &[&near], "W");
    });
}
