//! The limit of length, and samples of 100 MB by each transport, each test in a network namespace
//! of its own.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use namespace::in_namespace;

const MB: usize = 1_000_000;

fn large(number: u32, length: usize) -> Plain {
    let pattern: Vec<u8> = (0..=250).collect();
    let data = pattern.repeat(length / pattern.len() + 1);
    Plain {
        number,
        data: Bytes::from(data).slice(..length),
    }
}

/// As much of the process as was ever in memory at once, in bytes.
fn most_in_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    kib.parse::<usize>().unwrap() * 1024
}

fn in_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    kib.parse::<usize>().unwrap() * 1024
}

/// One goes from one participant to another, and then small ones.
fn exchange(a: &DomainParticipant, b: &DomainParticipant, topic: &str, length: usize) {
    let (wqos, rqos) = reliable_all();
    let (writer, reader) = (
        writer::<Plain>(a, topic, wqos),
        reader::<Plain>(b, topic, rqos),
    );
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    for (number, length) in [(1, 10), (2, length), (3, 10)] {
        let sample = large(number, length);
        writer.write(&sample).unwrap();
        let taken = take(&reader, 1);
        let data = taken.first().and_then(Sample::data);
        assert!(data == Some(&sample), "{number} of {length}");
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(reader.sample_lost_status().total_count, 0);
}

fn by(transports: Transports) -> [DomainParticipant; 2] {
    let at = |port, peers: &[&str]| {
        let config = ParticipantConfig {
            transports,
            tcp: TcpSettings {
                port,
                ..TcpSettings::default()
            },
            peers: peers.iter().map(|p| (*p).to_owned()).collect(),
            ..ParticipantConfig::default()
        };
        DomainParticipant::with_config(3, config).unwrap()
    };
    match transports.tcp {
        true => [at(7400, &[]), at(0, &["tcpv4_lan://127.0.0.1:7400"])],
        false => [at(0, &[]), at(0, &[])],
    }
}

#[test]
fn a_sample_of_100_mb_by_udp() {
    in_namespace("a_sample_of_100_mb_by_udp", namespace::LOOPBACK, || {
        let [a, b] = by(Transports::UDP);
        exchange(&a, &b, "T", 100 * MB);
        assert_eq!(b.counters().reassembly_dropped, 0);
    });
}

#[test]
fn a_sample_of_100_mb_by_tcp() {
    in_namespace("a_sample_of_100_mb_by_tcp", namespace::LOOPBACK, || {
        let [a, b] = by(Transports::TCP);
        exchange(&a, &b, "T", 100 * MB);
    });
}

#[test]
fn a_sample_of_100_mb_by_shared_memory() {
    in_namespace(
        "a_sample_of_100_mb_by_shared_memory",
        namespace::LOOPBACK,
        || {
            let [a, b] = by(Transports::SHMEM);
            exchange(&a, &b, "T", 100 * MB);
        },
    );
}

#[test]
fn what_the_only_reader_does_not_take_is_refused_with_both_values() {
    let net = Net::new(0.0);
    let (a, b) = (
        net.participant(),
        net.configured(ParticipantConfig {
            max_sample_size: 100_000,
            ..ParticipantConfig::default()
        }),
    );
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(&a, "T", wqos.clone());
    let small = reader::<Plain>(&b, "T", rqos.clone());
    writer.wait_for_matched(1, SOON).unwrap();
    let refused = writer.write(&large(1, 100_000)).unwrap_err();
    let text = refused.to_string();
    for word in ["100012", "100000", "DUNLIN_MAX_SAMPLE_SIZE"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(text.contains(&small.guid().to_string()), "{text}");
    assert!(matches!(
        refused,
        Error::SampleTooLarge { limit: 100_000, .. }
    ));
    writer.write(&large(2, 90_000)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(take(&small, 1)[0].data(), Some(&large(2, 90_000)));
    assert_eq!(small.sample_lost_status().total_count, 0);

    // Another reader takes it: it is written, and who does not take it loses exactly it.
    let c = net.participant();
    let reader = reader::<Plain>(&c, "T", rqos);
    writer.wait_for_matched(2, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.write(&large(3, 100_000)).unwrap();
    writer.write(&large(4, 10)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let taken = take(&reader, 2);
    assert_eq!(taken[0].data(), Some(&large(3, 100_000)));
    assert_eq!(take(&small, 1)[0].data(), Some(&large(4, 10)));
    assert_eq!(small.sample_lost_status().total_count, 1);
    assert_eq!(reader.sample_lost_status().total_count, 0);
}

#[test]
fn a_reader_of_the_same_process_refuses_as_others_do() {
    let net = Net::new(0.0);
    let config = |max_sample_size| ParticipantConfig {
        max_sample_size,
        ..ParticipantConfig::default()
    };
    let (a, b) = (net.within(config(1 << 20)), net.within(config(1000)));
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(&a, "T", wqos);
    let here = reader::<Plain>(&b, "T", rqos.clone());
    writer.wait_for_matched(1, SOON).unwrap();
    assert!(matches!(
        writer.write(&large(1, 1000)),
        Err(Error::SampleTooLarge { limit: 1000, .. })
    ));
    let own = reader::<Plain>(&a, "T", rqos);
    writer.wait_for_matched(2, SOON).unwrap();
    writer.write(&large(2, 1000)).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(take(&own, 1).len(), 1);
    assert_eq!(here.sample_lost_status().total_count, 1);
}

/// Both ends are in this process: what the application has, what the writer keeps, the chunk, and
/// what the reader has.
#[test]
fn a_sample_of_50_mb_by_shared_memory_takes_little_more_than_itself() {
    let name = "a_sample_of_50_mb_by_shared_memory_takes_little_more_than_itself";
    in_namespace(name, namespace::LOOPBACK, || {
        let [a, b] = by(Transports::SHMEM);
        let before = in_memory();
        for topic in ["T", "U"] {
            exchange(&a, &b, topic, 50 * MB);
        }
        let most = most_in_memory() - before;
        assert!(most < 450 * MB, "{} MB", most / MB);
        let left = in_memory() - before;
        // Two chunks, each of which both ends have mapped.
        assert!(left < 260 * MB, "{} MB", left / MB);
    });
}
