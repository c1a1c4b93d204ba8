//! Participants that find each other by peer descriptors, each test in a network namespace of its
//! own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use common::{Plain, SOON, reader, reliable_all, writer};
use dunlin::*;
use namespace::{BARE, LOOPBACK, in_namespace};
use std::time::{Duration as Wait, Instant};

const DOMAIN: u32 = 3;

fn joined(config: ParticipantConfig) -> Result<DomainParticipant> {
    DomainParticipant::with_config(
        DOMAIN,
        ParticipantConfig {
            announce_period: Duration::from_millis(300),
            ..config
        },
    )
}

fn with(peers: &[&str], transports: Transports, multicast: bool) -> DomainParticipant {
    let peers = peers.iter().map(ToString::to_string).collect();
    joined(ParticipantConfig {
        peers,
        multicast,
        transports,
        ..Default::default()
    })
    .unwrap()
}

fn alone() -> DomainParticipant {
    with(&[], Transports::UDP, false)
}

fn find_each_other(a: &DomainParticipant, b: &DomainParticipant, topic: &str) {
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(a, topic, wqos);
    let reader = reader::<Plain>(b, topic, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
}

/// Waits until the peers of `p` are as `wanted` says.
fn await_peers(p: &DomainParticipant, wanted: impl Fn(&[PeerStatus]) -> bool) {
    let end = Instant::now() + Wait::from_secs(300);
    while !wanted(&p.peers()) {
        assert!(Instant::now() < end, "{:?}", p.peers());
        std::thread::sleep(Wait::from_millis(10));
    }
}

fn groups(p: &DomainParticipant) -> Vec<Locator> {
    let receivers = p.receivers().into_iter();
    let all = receivers.flat_map(|receiver| receiver.locators);
    all.filter(Locator::is_multicast).collect()
}

#[test]
fn peers_come_and_go_while_participants_live() {
    let name = "peers_come_and_go_while_participants_live";
    in_namespace(name, BARE, || {
        let (a, b) = (alone(), alone());
        assert!(a.peers().is_empty());
        let mistake = a.add_peer("x@127.0.0.1").unwrap_err().to_string();
        assert!(mistake.contains("\n  ^\n"), "{mistake}");
        a.add_peer("[1]@127.0.0.1").unwrap();
        a.add_peer("[9]@udpv4://127.0.0.1").unwrap();
        find_each_other(&a, &b, "T");
        await_peers(&a, |peers| {
            peers.first().is_some_and(|p| p.participants == [b.guid()])
        });
        let peers = a.peers();
        assert_eq!(
            peers[0].places,
            [Locator::udp_v4([127, 0, 0, 1].into(), 8162)]
        );
        assert_eq!(peers[1].participants, []);
        a.remove_peer("[1]@127.0.0.1").unwrap();
        a.remove_peer("[1]@127.0.0.1").unwrap();
        assert_eq!(a.peers().len(), 1);
        find_each_other(&a, &b, "U");
    });
}

#[test]
fn a_peer_that_comes_later_is_found_also_by_name() {
    let name = "a_peer_that_comes_later_is_found_also_by_name";
    in_namespace(name, BARE, || {
        let asks = with(
            &["3@udpv4://localhost", "no-such-host.invalid"],
            Transports::UDP,
            false,
        );
        await_peers(&asks, |peers| peers[0].places.len() == 4);
        let later = alone();
        find_each_other(&asks, &later, "T");
        await_peers(&asks, |peers| {
            peers[0].participants == [later.guid()]
                && peers[1]
                    .trouble
                    .as_ref()
                    .is_some_and(|why| why.contains("no-such-host.invalid"))
        });
    });
}

#[test]
fn the_variable_is_a_list_of_peers() {
    let setup = format!(
        "{LOOPBACK}; export NDDS_DISCOVERY_PEERS='1@builtin.udpv4://127.0.0.1, [7]@127.0.0.1'"
    );
    in_namespace("the_variable_is_a_list_of_peers", &setup, || {
        let udp = || {
            joined(ParticipantConfig {
                transports: Transports::UDP,
                ..Default::default()
            })
            .unwrap()
        };
        let (a, b) = (udp(), udp());
        assert_eq!(groups(&a), [], "no group in the list, no multicast");
        assert_eq!(a.peers().len(), 2);
        find_each_other(&a, &b, "T");
        let own = with(&["127.0.0.1"], Transports::UDP, true);
        assert_eq!((own.peers().len(), groups(&own).len()), (1, 1));
    });
}

#[test]
fn a_list_with_a_group_is_for_multicast() {
    let setup = format!("{LOOPBACK}; export NDDS_DISCOVERY_PEERS=udpv4://239.255.0.7");
    in_namespace("a_list_with_a_group_is_for_multicast", &setup, || {
        let [a, b] = [(), ()].map(|()| {
            let transports = Transports::UDP;
            joined(ParticipantConfig {
                transports,
                ..Default::default()
            })
            .unwrap()
        });
        assert_eq!(groups(&a), [Locator::udp_v4([239, 255, 0, 7].into(), 8150)]);
        find_each_other(&a, &b, "T");
        let later = alone_without_variable();
        later.add_peer("239.255.0.7").unwrap();
        find_each_other(&later, &a, "U");
        assert_eq!(groups(&later).len(), 1);
    });
}

/// The application's own list goes before the variable.
fn alone_without_variable() -> DomainParticipant {
    with(&["[100]@127.0.0.1"], Transports::UDP, false)
}

#[test]
fn the_file_is_a_list_of_peers() {
    let setup = format!(
        "{BARE}; cd \"$(mktemp -d)\"; printf '; peers\\n[3]@127.0.0.1 ; one\\n\\n1@127.0.0.1,[5]@127.0.0.1\\n' > NDDS_DISCOVERY_PEERS"
    );
    in_namespace("the_file_is_a_list_of_peers", &setup, || {
        let config = || ParticipantConfig {
            transports: Transports::UDP,
            ..Default::default()
        };
        let (a, b) = (joined(config()).unwrap(), joined(config()).unwrap());
        let peers = a.peers();
        let peers: Vec<_> = peers.iter().map(|p| p.peer.to_string()).collect();
        assert_eq!(peers, ["[3]@127.0.0.1", "1@127.0.0.1", "[5]@127.0.0.1"]);
        find_each_other(&a, &b, "T");
        std::fs::remove_dir_all(std::env::current_dir().unwrap()).unwrap();
    });
}

#[test]
fn shared_memory_is_a_place_too() {
    in_namespace("shared_memory_is_a_place_too", BARE, || {
        let both = Transports {
            local: false,
            ..Transports::default()
        };
        let (waits, asks) = (
            with(&["[100]@127.0.0.1"], both, false),
            with(&["5@shmem://"], both, false),
        );
        find_each_other(&asks, &waits, "T");
        await_peers(&asks, |peers| peers[0].participants == [waits.guid()]);
        assert_eq!(waits.peers()[0].participants, []);
    });
}

#[test]
fn two_that_know_a_third_find_each_other() {
    let name = "two_that_know_a_third_find_each_other";
    in_namespace(name, BARE, || {
        let third = alone();
        let [a, b] = [(), ()].map(|()| with(&["0@127.0.0.1"], Transports::UDP, false));
        find_each_other(&a, &b, "T");
        find_each_other(&b, &a, "U");
        let known = third.describe_discovery();
        let is_participant = |line: &&String| line.starts_with("participant");
        assert_eq!(known.iter().filter(is_participant).count(), 2);
    });
}

#[test]
fn a_transport_that_is_off_is_named_with_those_that_are_on() {
    let name = "a_transport_that_is_off_is_named_with_those_that_are_on";
    in_namespace(name, BARE, || {
        let config = |peer: &str| ParticipantConfig {
            peers: vec![peer.into()],
            transports: Transports::UDP,
            ..Default::default()
        };
        for peer in ["shmem://", "0@tlsv4_lan://172.16.0.1:7400"] {
            let error = joined(config(peer)).err().unwrap().to_string();
            assert!(
                error.contains(peer) && error.contains("it has udpv4"),
                "{error}"
            );
        }
    });
}
