//! Participants over real sockets, each test in a network namespace of its own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use namespace::in_namespace;
use std::net::UdpSocket;

fn configured(config: ParticipantConfig) -> DomainParticipant {
    DomainParticipant::with_config(3, config).unwrap()
}

fn exchange(a: &DomainParticipant, b: &DomainParticipant, topic: &str) {
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(a, topic, wqos);
    let reader = reader::<Plain>(b, topic, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let data = Bytes::from(vec![1; 200_000]);
    writer
        .write(&Plain {
            number: 1,
            data: data.clone(),
        })
        .unwrap();
    assert_eq!(take(&reader, 1)[0].data(), Some(&Plain { number: 1, data }));
}

#[test]
fn the_loopback_interface_alone_is_enough() {
    in_namespace(
        "the_loopback_interface_alone_is_enough",
        namespace::BARE,
        || {
            let lo = || {
                configured(ParticipantConfig {
                    interfaces: vec!["lo".into()],
                    ..Default::default()
                })
            };
            exchange(&lo(), &lo(), "T");
        },
    );
}

#[test]
fn peers_find_each_other_without_multicast() {
    in_namespace(
        "peers_find_each_other_without_multicast",
        namespace::BARE,
        || {
            let alone = configured(ParticipantConfig {
                multicast: false,
                ..Default::default()
            });
            let peers = vec!["2@udpv4://127.0.0.1".into()];
            let asks = configured(ParticipantConfig {
                multicast: false,
                peers,
                ..Default::default()
            });
            exchange(&alone, &asks, "T");
            exchange(&asks, &alone, "U");
        },
    );
}

#[test]
fn a_host_has_room_for_more_participants_than_there_are_well_known_ports() {
    let name = "a_host_has_room_for_more_participants_than_there_are_well_known_ports";
    in_namespace(name, namespace::LOOPBACK, || {
        let quiet = || ParticipantConfig {
            waiting: Waiting::Block,
            ..Default::default()
        };
        let first = configured(quiet());
        let crowd: Vec<_> = (0..123).map(|_| configured(quiet())).collect();
        exchange(&first, crowd.last().unwrap(), "T");
        exchange(crowd.last().unwrap(), &first, "U");
    });
}

#[test]
fn malformed_datagrams_are_counted_and_disturb_nobody() {
    let name = "malformed_datagrams_are_counted_and_disturb_nobody";
    in_namespace(name, namespace::LOOPBACK, || {
        let (a, b) = (
            configured(ParticipantConfig::default()),
            configured(ParticipantConfig::default()),
        );
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Plain>(&a, "T", wqos);
        let reader = reader::<Plain>(&b, "T", rqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let enemy = UdpSocket::bind("127.0.0.1:0").unwrap();
        let header = b"RTPS\x02\x05\x01\x01bad prefix!".to_vec();
        let with = |rest: &[u8]| [header.clone(), rest.to_vec()].concat();
        let garbage: Vec<Vec<u8>> = vec![
            vec![],
            b"RTPS".to_vec(),
            vec![0xff; 1400],
            with(&[0x15, 5, 0xff, 0xff, 1, 2, 3]),
            with(&[0x15, 5, 4, 0, 0, 0, 0, 0]),
            with(&[
                0x16, 5, 32, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 255, 255, 255, 255,
            ]),
            with(&[0x06, 1, 8, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
        ];
        for number in 0..500u32 {
            for port in [8160, 8161, 8162, 8163] {
                let bad = &garbage[number as usize % garbage.len()];
                enemy.send_to(bad, ("127.0.0.1", port)).unwrap();
            }
            writer
                .write(&Plain {
                    number,
                    data: Bytes::new(),
                })
                .unwrap();
        }
        let numbers: Vec<_> = take(&reader, 500)
            .iter()
            .filter_map(|s| s.data())
            .map(|d| d.number)
            .collect();
        assert!(
            numbers.iter().copied().eq(0..500),
            "{} samples",
            numbers.len()
        );
        assert!(
            a.counters().malformed >= 500 && b.counters().malformed >= 500,
            "{:?}",
            b.counters()
        );
    });
}
