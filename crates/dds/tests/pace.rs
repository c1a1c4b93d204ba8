//! A writer without batching that is ahead of the network fills its datagrams, and nothing stays
//! behind.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::watching::Watching;
use common::{Plain, SOON, reader, take, writer};
use dunlin::transport::{Outgoing, UdpConfig, UdpTransport};
use dunlin::*;
use namespace::{LOOPBACK, in_namespace};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A participant whose timers would send nothing within the time of a test, and its count of
/// datagrams.
fn participant() -> (DomainParticipant, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let transport = Watching {
        inner: UdpTransport::new(&UdpConfig::default()).unwrap(),
        // What is not discovery's goes to an odd port (RTPS 2.5 9.6.2.3).
        sees: move |datagram: &Outgoing<'_>| {
            counted.fetch_add(usize::from(datagram.to.port % 2 == 1), SeqCst);
        },
    };
    let config = ParticipantConfig {
        heartbeat_period: Duration::from_secs(60),
        transport: Some(Arc::new(transport)),
        transports: Transports::UDP,
        ..Default::default()
    };
    (DomainParticipant::with_config(0, config).unwrap(), sent)
}

fn qos(reliability: Reliability) -> (DataWriterQos, DataReaderQos) {
    let wqos = DataWriterQos {
        reliability,
        history: History::KeepAll,
        ..Default::default()
    };
    let rqos = DataReaderQos {
        reliability,
        history: History::KeepAll,
        ..Default::default()
    };
    (wqos, rqos)
}

fn plain(number: u32) -> Plain {
    let data = Bytes::from_static(&[7; 20]);
    Plain { number, data }
}

fn burst(writer: &DataWriter<Plain>, count: u32) {
    for number in 0..count {
        writer.write(&plain(number)).unwrap();
    }
}

fn numbers(reader: &DataReader<Plain>, count: u32) -> Vec<u32> {
    let samples = take(reader, count as usize);
    let data = samples.iter().filter_map(Sample::data);
    data.map(|d| d.number).collect()
}

#[test]
fn a_burst_arrives_whole_although_its_writer_says_nothing_more() {
    let name = "a_burst_arrives_whole_although_its_writer_says_nothing_more";
    in_namespace(name, LOOPBACK, || {
        let ((a, sent), (b, _)) = (participant(), participant());
        for reliability in [Reliability::BEST_EFFORT, Reliability::RELIABLE] {
            let (wqos, rqos) = qos(reliability);
            let topic = format!("{:?}", reliability.kind);
            let writer = writer::<Plain>(&a, &topic, wqos);
            let reader = reader::<Plain>(&b, &topic, rqos);
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            for count in (1..200).step_by(7) {
                let before = sent.load(SeqCst);
                burst(&writer, count);
                let all: Vec<u32> = (0..count).collect();
                assert_eq!(numbers(&reader, count), all, "{topic}, {count}");
                let datagrams = sent.load(SeqCst) - before;
                assert!(datagrams <= count as usize + 8, "{datagrams} of {count}");
            }
        }
    });
}

#[test]
fn a_deleted_writer_sends_the_batch_that_waits() {
    let name = "a_deleted_writer_sends_the_batch_that_waits";
    in_namespace(name, LOOPBACK, || {
        let ((a, sent), (b, _)) = (participant(), participant());
        let (wqos, rqos) = qos(Reliability::BEST_EFFORT);
        let batching = Batching { max_bytes: 60_000 };
        let writer = writer::<Plain>(&a, "T", DataWriterQos { batching, ..wqos });
        let _reader = reader::<Plain>(&b, "T", rqos);
        writer.wait_for_matched(1, SOON).unwrap();
        let before = sent.load(SeqCst);
        burst(&writer, 100);
        assert_eq!(sent.load(SeqCst), before);
        drop(writer);
        assert_eq!(sent.load(SeqCst), before + 1);
    });
}

#[test]
fn a_writer_that_is_ahead_fills_its_datagrams() {
    let name = "a_writer_that_is_ahead_fills_its_datagrams";
    in_namespace(name, LOOPBACK, || {
        let ((a, sent), (b, _)) = (participant(), participant());
        let (wqos, rqos) = qos(Reliability::RELIABLE);
        let writer = writer::<Plain>(&a, "T", wqos);
        let reader = reader::<Plain>(&b, "T", rqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let before = sent.load(SeqCst);
        burst(&writer, 20_000);
        let all: Vec<u32> = (0..20_000).collect();
        assert_eq!(numbers(&reader, 20_000), all);
        let datagrams = sent.load(SeqCst) - before;
        // Without optimization a write may take as long as a send.
        let most = if cfg!(debug_assertions) {
            21_000
        } else {
            10_000
        };
        assert!(datagrams < most, "{datagrams} datagrams");
    });
}

#[test]
fn each_ball_of_a_ping_pong_is_a_datagram() {
    let name = "each_ball_of_a_ping_pong_is_a_datagram";
    in_namespace(name, LOOPBACK, || {
        let ((a, sent), (b, back)) = (participant(), participant());
        let (wqos, rqos) = qos(Reliability::BEST_EFFORT);
        let ping = writer::<Plain>(&a, "Ping", wqos.clone());
        let pong = writer::<Plain>(&b, "Pong", wqos);
        let topic = b.create_topic::<Plain>("Ping", Default::default()).unwrap();
        let echo = pong.clone();
        let listener = move |reader: &DataReader<Plain>| {
            while let Some(sample) = reader.take_next_sample() {
                if let Some(ball) = sample.data() {
                    echo.write(ball).unwrap();
                }
            }
        };
        let subscriber = b.create_subscriber(Default::default());
        let heard = subscriber
            .create_datareader_with_listener(&topic, rqos.clone(), listener)
            .unwrap();
        let reader = reader::<Plain>(&a, "Pong", rqos);
        for matched in [
            ping.wait_for_matched(1, SOON),
            pong.wait_for_matched(1, SOON),
            heard.wait_for_matched(1, SOON),
            reader.wait_for_matched(1, SOON),
        ] {
            matched.unwrap();
        }
        // A burst first, so that both sides have been ahead of the network.
        burst(&ping, 1_000);
        assert_eq!(numbers(&reader, 1_000).len(), 1_000);
        let before = [sent.load(SeqCst), back.load(SeqCst)];
        for number in 0..1_000 {
            ping.write(&plain(number)).unwrap();
            assert_eq!(numbers(&reader, 1), [number]);
        }
        let after = [sent.load(SeqCst), back.load(SeqCst)];
        assert_eq!(after, before.map(|count| count + 1_000));
    });
}
