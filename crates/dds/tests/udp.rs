//! Participants over real sockets, each test in a network namespace of its own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Plain, SOON, reader, reliable_all, take, writer};
use dunlin::transport::{
    Listen, Outgoing, Reach, Receiver, Sent, Transport, TransportProperties, UdpTransport,
};
use dunlin::*;
use dunlin_wire::{
    AckNack, Data, Header, Heartbeat, Parameters, ParticipantData, Payload, SequenceNumberSet,
    Submessage,
};
use namespace::in_namespace;
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Instant;

fn configured(config: ParticipantConfig) -> DomainParticipant {
    let config = ParticipantConfig {
        transports: Transports::UDP,
        ..config
    };
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
            waiting: WaitStrategy::Block,
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
        // Each is counted by the thread that receives it, when its turn comes.
        let counts = || [&a, &b].map(|p| p.counters().malformed);
        let limit = Instant::now() + std::time::Duration::from_secs(300);
        while counts().iter().any(|count| *count < 500) && Instant::now() < limit {
            thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(counts().iter().all(|count| *count >= 500), "{:?}", counts());
    });
}

/// Says all that somebody can say who knows all names and forges a source address: it does not hear
/// what is sent there.
fn forged(own: GuidPrefix, place: Locator) -> Vec<Vec<u8>> {
    let ghost = GuidPrefix(*b"\x01\x01 no such\0\0");
    let mut data = ParticipantData::new(ghost);
    data.lease_duration = Duration::INFINITE;
    data.metatraffic_unicast = vec![place];
    data.default_unicast = vec![place];
    let payload = data.encode().unwrap();
    let announcement = Submessage::Data(Data {
        reader: EntityId::SPDP_READER,
        writer: EntityId::SPDP_WRITER,
        sequence: SequenceNumber::FIRST,
        inline_qos: Parameters::NONE,
        payload: Payload::Data(&payload),
    });
    let question = Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber::FIRST,
        last: SequenceNumber(0),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    });
    let answer = Submessage::AckNack(AckNack {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        state: SequenceNumberSet::new(SequenceNumber(101)),
        count: 1,
        is_final: false,
    });
    let named = |message: Submessage<'_>| {
        let mut bytes = Vec::new();
        Header::new(ghost).encode(&mut bytes);
        Submessage::InfoDestination(own).encode(&mut bytes);
        message.encode(&mut bytes);
        bytes
    };
    [announcement, question, answer].map(named).into()
}

#[test]
fn a_forged_address_draws_three_bytes_for_each_that_came() {
    let name = "a_forged_address_draws_three_bytes_for_each_that_came";
    in_namespace(name, namespace::LOOPBACK, || {
        let participant = configured(ParticipantConfig::default());
        let (wqos, _) = reliable_all();
        let of = |number| writer::<Plain>(&participant, &format!("T{number}"), wqos.clone());
        let _writers: Vec<_> = (0..100).map(of).collect();
        let victim = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = victim.local_addr().unwrap().port();
        let place = Locator::udp_v4(Ipv4Addr::LOCALHOST, port);
        let (mut said, mut drawn) = (0, 0);
        for bytes in forged(participant.guid().prefix, place) {
            said += victim.send_to(&bytes, "127.0.0.1:8160").unwrap();
        }
        let pause = std::time::Duration::from_millis(100);
        victim.set_read_timeout(Some(pause)).unwrap();
        let begin = Instant::now();
        while begin.elapsed() < 80 * pause {
            drawn += victim.recv(&mut [0; 65536]).unwrap_or(0);
        }
        assert!(drawn > 0, "it is asked where it is");
        assert!(drawn <= 3 * said, "{drawn} bytes by {said}");
    });
}

const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 1, 1);

/// Remembers where each datagram with user data went, and on which thread: a writer sends in the
/// thread that writes, and repeats in the one that hears what a reader lacks.
#[derive(Clone)]
struct Ledger {
    inner: Arc<UdpTransport>,
    sent: Arc<Mutex<Vec<(ThreadId, Locator)>>>,
}

/// Datagrams with user data.
#[derive(Debug, PartialEq)]
struct Datagrams {
    /// To the group.
    group: usize,
    /// To single readers, sent by the thread that counts.
    alone: usize,
    /// To single readers, because they asked.
    asked: usize,
}

impl Ledger {
    fn new() -> Self {
        Self {
            inner: Arc::new(UdpTransport::new(&Default::default()).unwrap()),
            sent: Arc::default(),
        }
    }

    /// What was sent since the last call.
    fn count(&self) -> Datagrams {
        let sent = std::mem::take(&mut *self.sent.lock().unwrap());
        let (group, single): (Vec<_>, Vec<_>) =
            sent.into_iter().partition(|(_, to)| to.is_multicast());
        let here = thread::current().id();
        let alone = single.iter().filter(|(thread, _)| *thread == here).count();
        Datagrams {
            group: group.len(),
            alone,
            asked: single.len() - alone,
        }
    }
}

/// A DATA or DATA_FRAG of an endpoint that is not built in.
fn carries_user_data(datagram: &[u8]) -> bool {
    let mut rest = datagram.get(20..).unwrap_or_default();
    while let &[id, _, low, high, ..] = rest {
        let length = usize::from(u16::from_le_bytes([low, high]));
        if [0x15, 0x16].contains(&id) && rest.get(15).is_some_and(|kind| kind >> 6 == 0) {
            return true;
        }
        rest = rest.get(4 + length..).unwrap_or_default();
    }
    false
}

impl Transport for Ledger {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let with_data = datagrams.iter().filter(|d| carries_user_data(&d.to_vec()));
        let here = thread::current().id();
        let mut sent = self.sent.lock().unwrap();
        sent.extend(with_data.map(|d| (here, d.to)));
        drop(sent);
        self.inner.send(datagrams)
    }

    fn open(&self, listen: &[Listen]) -> std::io::Result<Box<dyn Receiver>> {
        self.inner.open(listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

fn plain(number: u32) -> Plain {
    Plain {
        number,
        data: Bytes::from_static(b"group"),
    }
}

fn numbers(reader: &DataReader<Plain>, count: usize) -> Vec<u32> {
    let samples = take(reader, count);
    samples.iter().map(|s| s.data().unwrap().number).collect()
}

#[test]
fn readers_on_one_group_cost_one_datagram_and_late_joiners_are_served_alone() {
    let name = "readers_on_one_group_cost_one_datagram_and_late_joiners_are_served_alone";
    in_namespace(name, namespace::LOOPBACK, || {
        for reliable in [true, false] {
            let ledger = Ledger::new();
            let a = configured(ParticipantConfig {
                transport: Some(Arc::new(ledger.clone())),
                ..Default::default()
            });
            let (mut wqos, mut rqos) = reliable_all();
            wqos.durability = Durability::TransientLocal;
            if !reliable {
                wqos.reliability = Reliability::BEST_EFFORT;
                rqos.reliability = Reliability::BEST_EFFORT;
            }
            let in_group = DataReaderQos {
                multicast: vec![GROUP],
                ..rqos.clone()
            };
            let others: Vec<_> = (0..4).map(|_| configured(Default::default())).collect();
            let mut readers: Vec<_> = others[..3]
                .iter()
                .map(|p| reader::<Plain>(p, "T", in_group.clone()))
                .collect();
            let writer = writer::<Plain>(&a, "T", wqos);
            writer.wait_for_matched(3, SOON).unwrap();
            for reader in &readers {
                reader.wait_for_matched(1, SOON).unwrap();
            }
            for number in 0..10 {
                writer.write(&plain(number)).unwrap();
            }
            for reader in &readers {
                assert!(numbers(reader, 10).into_iter().eq(0..10));
            }
            // A reliable reader asks for what it hears of before it comes: the group has a socket
            // of its own.
            let sent = ledger.count();
            assert_eq!((sent.group, sent.alone), (10, 0), "{sent:?}");
            assert!(reliable || sent.asked == 0, "{sent:?}");

            // Beside them one that did not ask for multicast.
            readers.push(reader::<Plain>(&others[3], "T", rqos.clone()));
            writer.wait_for_matched(4, SOON).unwrap();
            readers[3].wait_for_matched(1, SOON).unwrap();
            for number in 10..20 {
                writer.write(&plain(number)).unwrap();
            }
            for reader in &readers {
                assert!(numbers(reader, 10).into_iter().eq(10..20));
            }
            let sent = ledger.count();
            assert_eq!((sent.group, sent.alone), (10, 10), "{sent:?}");
            assert!(reliable || sent.asked == 0, "{sent:?}");

            if reliable {
                let history = DataReaderQos {
                    durability: Durability::TransientLocal,
                    ..in_group
                };
                let late = reader::<Plain>(&others[0], "T", history);
                assert!(numbers(&late, 20).into_iter().eq(0..20));
                let sent = ledger.count();
                assert_eq!(sent.group, 0, "history is for the late joiner alone");
                assert!(sent.alone == 0 && sent.asked > 0, "{sent:?}");
            }
        }
    });
}

fn group_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.trim() == "dunlin-group")
        .count()
}

#[test]
fn a_reader_on_a_group_gets_large_samples_and_follows_its_participant() {
    let name = "a_reader_on_a_group_gets_large_samples_and_follows_its_participant";
    in_namespace(name, namespace::LOOPBACK, || {
        let (a, b) = (
            configured(Default::default()),
            configured(Default::default()),
        );
        let (wqos, mut rqos) = reliable_all();
        rqos.multicast = vec![GROUP, Ipv4Addr::new(239, 255, 1, 2)];
        // A thread gets its name when it first runs.
        let listening = |count: usize| {
            let start = std::time::Instant::now();
            while start.elapsed().as_secs() < 300 && group_threads() != count {
                thread::sleep(std::time::Duration::from_millis(2));
            }
            group_threads() == count
        };
        let first = reader::<Plain>(&b, "T", rqos.clone());
        let second = reader::<Plain>(&b, "T", rqos);
        assert!(listening(2), "one for each group");
        let writer = writer::<Plain>(&a, "T", wqos);
        writer.wait_for_matched(2, SOON).unwrap();
        first.wait_for_matched(1, SOON).unwrap();
        second.wait_for_matched(1, SOON).unwrap();
        let data = Bytes::from(vec![3; 1_000_000]);
        for number in 0..20 {
            let data = data.clone();
            writer.write(&Plain { number, data }).unwrap();
        }
        for reader in [&first, &second] {
            assert!(numbers(reader, 20).into_iter().eq(0..20));
        }
        drop((first, second, b));
        assert!(listening(0));
    });
}

#[test]
fn an_address_that_is_no_group_is_refused() {
    in_namespace(
        "an_address_that_is_no_group_is_refused",
        namespace::LOOPBACK,
        || {
            let p = configured(Default::default());
            let topic = p.create_topic::<Plain>("T", Default::default()).unwrap();
            let qos = DataReaderQos {
                multicast: vec![Ipv4Addr::LOCALHOST],
                ..Default::default()
            };
            let made = p
                .create_subscriber(Default::default())
                .create_datareader(&topic, qos);
            let error = made.err().unwrap().to_string();
            assert!(
                error.contains("TRANSPORT_MULTICAST 127.0.0.1") && error.contains("\"T\""),
                "{error}"
            );
        },
    );
}

#[test]
fn a_port_that_another_program_keeps_is_named_with_what_to_do() {
    let test = "a_port_that_another_program_keeps_is_named_with_what_to_do";
    in_namespace(test, namespace::LOOPBACK, || {
        // Without SO_REUSEADDR, so that nobody can share it.
        let _kept = UdpSocket::bind(("0.0.0.0", 7400 + 250 * 3)).unwrap();
        let config = ParticipantConfig {
            transports: Transports::UDP,
            ..Default::default()
        };
        let refused = DomainParticipant::with_config(3, config.clone());
        let text = refused.unwrap_err().to_string();
        for words in [
            "domain 3",
            "0 to 119",
            "8150",
            "ss -ulpn",
            "multicast",
            "in use",
        ] {
            assert!(text.contains(words), "{words:?} in {text}");
        }
        assert!(!text.contains("ports 0"), "{text}");
        let config = ParticipantConfig {
            multicast: false,
            ..config
        };
        DomainParticipant::with_config(3, config).unwrap();
    });
}
