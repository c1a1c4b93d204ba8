//! TRANSPORT_PRIORITY as it stands in the IP headers of what writers send, each test in a network
//! namespace of its own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Plain, SOON, reader, reliable_all, take, writer};
use dunlin::transport::{Fault, Faults, UdpTransport};
use dunlin::*;
use dunlin_udp::{Link, interfaces};
use dunlin_wire::{Message, Submessage};
use namespace::{BARE, in_namespace};
use std::collections::HashSet;
use std::net::Ipv4Addr;
use std::sync::Arc;

/// Expedited forwarding and, of less worth, the first class of assured forwarding (RFC 3246, RFC
/// 2597).
const URGENT: i32 = 46;
const ASSURED: i32 = 10;

const UDP: u8 = 17;
const TCP: u8 = 6;

/// Everything that travels on `lo`, headers included.
struct Wire(Link);

/// A packet: its DiffServ code point, protocol, and what the transport's header carries.
struct Packet {
    dscp: i32,
    protocol: u8,
    carried: Vec<u8>,
}

impl Wire {
    fn tap() -> Self {
        let all = interfaces().unwrap();
        let lo = all.iter().find(|interface| interface.loopback).unwrap();
        Self(Link::open(lo.index, 64 << 20).unwrap())
    }

    /// What has travelled since this was asked last.
    fn packets(&self) -> Vec<Packet> {
        const ETHERNET: usize = 14;
        let mut frame = vec![0; 1 << 17];
        let mut packets = Vec::new();
        while let Some(length) = self.0.receive(&mut frame).unwrap() {
            let ip = &frame[ETHERNET..length];
            if ip[0] >> 4 != 4 {
                continue;
            }
            let rest = &ip[usize::from(ip[0] & 15) * 4..];
            let head = match ip[9] {
                UDP => 8,
                TCP => usize::from(rest[12] >> 4) * 4,
                _ => continue,
            };
            packets.push(Packet {
                dscp: i32::from(ip[1] >> 2),
                protocol: ip[9],
                carried: rest[head..].to_vec(),
            });
        }
        packets
    }

    /// The code points of datagrams with samples of a writer, and how many samples there were.
    /// Heartbeats are not counted: one of the timer's may be on its way since before a change.
    fn of(packets: &[Packet], writer: Guid) -> (HashSet<i32>, usize) {
        let (mut points, mut samples) = (HashSet::new(), 0);
        for packet in packets.iter().filter(|packet| packet.protocol == UDP) {
            let Ok(message) = Message::parse(&packet.carried) else {
                continue;
            };
            if message.header.prefix != writer.prefix {
                continue;
            }
            for submessage in message.into_iter().flatten() {
                let from = match &submessage {
                    Submessage::Data(data) => data.writer,
                    Submessage::DataFrag(data) => data.writer,
                    _ => continue,
                };
                if from == writer.entity {
                    points.insert(packet.dscp);
                    samples += 1;
                }
            }
        }
        (points, samples)
    }
}

fn participant(transport: Option<Arc<dyn transport::Transport>>) -> DomainParticipant {
    let config = ParticipantConfig {
        transport,
        transports: Transports::UDP,
        heartbeat_period: Duration::from_millis(10),
        ..Default::default()
    };
    DomainParticipant::with_config(5, config).unwrap()
}

fn with_priority(transport_priority: i32) -> DataWriterQos {
    DataWriterQos {
        transport_priority,
        ..reliable_all().0
    }
}

/// Samples of all sizes: copied, gathered, in fragments.
fn send(writer: &DataWriter<Plain>, reader: &DataReader<Plain>) {
    let lengths = [0, 100, 20_000, 60_000, 200_000];
    for number in 0..50 {
        let data = Bytes::from(vec![number as u8; lengths[number as usize % lengths.len()]]);
        writer.write(&Plain { number, data }).unwrap();
    }
    assert_eq!(take(reader, 50).len(), 50);
    writer.wait_for_acknowledgments(SOON).unwrap();
}

/// Two writers of `a`, of which one is urgent for a while.
fn speak(a: &DomainParticipant, b: &DomainParticipant, multicast: Vec<Ipv4Addr>) {
    let rqos = DataReaderQos {
        multicast,
        ..reliable_all().1
    };
    let urgent = writer::<Plain>(a, "Urgent", with_priority(URGENT));
    let usual = writer::<Plain>(a, "Usual", with_priority(0));
    let readers = ["Urgent", "Usual"].map(|topic| reader::<Plain>(b, topic, rqos.clone()));
    for writer in [&urgent, &usual] {
        writer.wait_for_matched(1, SOON).unwrap();
    }
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    let wire = Wire::tap();
    for priority in [URGENT, ASSURED, 0, URGENT] {
        urgent.set_qos(with_priority(priority)).unwrap();
        // What a timer of the time before has begun is under way no longer.
        urgent.wait_for_acknowledgments(SOON).unwrap();
        wire.packets();
        send(&urgent, &readers[0]);
        send(&usual, &readers[1]);
        let packets = wire.packets();
        let (points, samples) = Wire::of(&packets, urgent.guid());
        assert_eq!(points, HashSet::from([priority]));
        assert!(samples >= 50);
        let (points, _) = Wire::of(&packets, usual.guid());
        assert_eq!(points, HashSet::from([0]));
        // Nobody else is urgent: neither discovery nor the reader's answers.
        let of_reader = |packet: &&Packet| packet.carried.get(8..20) == Some(&b.guid().prefix.0);
        assert!(packets.iter().filter(of_reader).all(|p| p.dscp == 0));
    }
}

#[test]
fn a_writers_datagrams_carry_its_priority_and_no_others_do() {
    let name = "a_writers_datagrams_carry_its_priority_and_no_others_do";
    in_namespace(name, BARE, || {
        speak(&participant(None), &participant(None), Vec::new());
    });
}

#[test]
fn what_goes_to_a_group_carries_the_priority_and_names_its_interface() {
    let name = "what_goes_to_a_group_carries_the_priority_and_names_its_interface";
    in_namespace(name, BARE, || {
        let group = Ipv4Addr::new(239, 255, 7, 7);
        speak(&participant(None), &participant(None), vec![group]);
    });
}

#[test]
fn repairs_carry_the_priority_too() {
    in_namespace("repairs_carry_the_priority_too", BARE, || {
        // What is lost here never comes by, so every sample that the reader lacks is seen as a
        // repair.
        let udp = UdpTransport::new(&Default::default()).unwrap();
        let faults = Faults {
            drop: 0.2,
            ..Faults::default()
        };
        let lossy = Arc::new(Fault::new(udp, 11, faults));
        speak(&participant(Some(lossy)), &participant(None), Vec::new());
    });
}

/// A program that was written for a product with other numbers just runs.
#[test]
fn what_is_no_code_point_is_sent_with_the_nearest() {
    let name = "what_is_no_code_point_is_sent_with_the_nearest";
    in_namespace(name, BARE, || {
        let (a, b) = (participant(None), participant(None));
        let writer = writer::<Plain>(&a, "T", with_priority(100));
        let reader = reader::<Plain>(&b, "T", reliable_all().1);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let wire = Wire::tap();
        for (value, code_point) in [(100, 63), (i32::MAX, 63), (-1, 0), (64, 63), (i32::MIN, 0)] {
            writer.set_qos(with_priority(value)).unwrap();
            assert_eq!(writer.qos().transport_priority, value);
            writer.wait_for_acknowledgments(SOON).unwrap();
            wire.packets();
            send(&writer, &reader);
            let (points, _) = Wire::of(&wire.packets(), writer.guid());
            assert_eq!(points, HashSet::from([code_point]), "{value}");
        }
    });
}

#[test]
fn a_connection_carries_the_highest_priority_that_was_sent_by_it() {
    let name = "a_connection_carries_the_highest_priority_that_was_sent_by_it";
    in_namespace(name, BARE, || {
        let at = |port: u16, peers: &[&str]| {
            let config = ParticipantConfig {
                peers: peers.iter().map(ToString::to_string).collect(),
                transports: Transports::TCP,
                tcp: TcpSettings {
                    port,
                    ..Default::default()
                },
                ..Default::default()
            };
            DomainParticipant::with_config(5, config).unwrap()
        };
        let (b, a) = (at(7400, &[]), at(7401, &["tcpv4_lan://127.0.0.1:7400"]));
        let writer = writer::<Plain>(&a, "T", with_priority(0));
        let reader = reader::<Plain>(&b, "T", reliable_all().1);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let wire = Wire::tap();
        for (priority, highest) in [(0, 0), (ASSURED, ASSURED), (URGENT, URGENT), (0, URGENT)] {
            writer.set_qos(with_priority(priority)).unwrap();
            wire.packets();
            send(&writer, &reader);
            let packets = wire.packets();
            let large = packets.iter().filter(|packet| packet.carried.len() > 2_000);
            let points: HashSet<i32> = large.map(|packet| packet.dscp).collect();
            assert_eq!(points, HashSet::from([highest]));
        }
    });
}
