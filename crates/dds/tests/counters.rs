//! What a participant counts and who is behind: nothing is lost in silence.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::{Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::transport::{Buffers, UdpConfig, UdpTransport};
use dunlin::*;
use namespace::in_namespace;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

const SMALL: usize = 64 << 10;
const FLOOD: u64 = 2_000;

fn plain(number: u32) -> Plain {
    let data = Bytes::from_static(b"x");
    Plain { number, data }
}

fn soon(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !condition() && start.elapsed().as_secs() < 300 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    condition()
}

/// A participant that may queue little.
fn tight() -> DomainParticipant {
    let buffers = Buffers {
        receive: SMALL,
        send: SMALL,
    };
    let udp = UdpTransport::new(&UdpConfig {
        buffers,
        ..UdpConfig::default()
    });
    let config = ParticipantConfig {
        transport: Some(Arc::new(udp.unwrap())),
        transports: Transports::UDP,
        ..Default::default()
    };
    DomainParticipant::with_config(3, config).unwrap()
}

/// A reader whose listener, and so the thread that receives, hangs in its first sample until
/// something is sent. It says so before.
fn hanging(
    p: &DomainParticipant,
    qos: DataReaderQos,
    hangs: &Arc<AtomicBool>,
    go: Receiver<()>,
) -> DataReader<Plain> {
    let hangs = Arc::clone(hangs);
    let topic = p.create_topic::<Plain>("T", Default::default()).unwrap();
    let go = Mutex::new(go);
    let listener = move |reader: &DataReader<Plain>| {
        if !reader.take().is_empty() {
            hangs.store(true, SeqCst);
            // Its end is a sign, too.
            let _ = go.lock().unwrap().recv();
        }
    };
    p.create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, qos, listener)
        .unwrap()
}

#[test]
fn what_the_kernel_drops_is_counted_to_the_last_datagram() {
    let name = "what_the_kernel_drops_is_counted_to_the_last_datagram";
    in_namespace(name, namespace::LOOPBACK, || {
        let (b, a) = (tight(), tight());
        let (go, hang) = channel();
        let (wqos, rqos) = reliable_all();
        let reader = hanging(&b, rqos, &Arc::default(), hang);
        let writer = writer::<Plain>(&a, "T", wqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let user = &b.receivers()[0];
        assert_eq!(user.reception.asked, SMALL);
        assert_eq!(user.reception.granted, SMALL);
        assert_eq!(b.counters().dropped, 0);

        writer.write(&plain(0)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = u16::try_from(user.locators[0].port).unwrap();
        for _ in 0..FLOOD {
            stranger.send_to(&[0; 100], ("127.0.0.1", port)).unwrap();
        }
        let dropped = b.receivers()[0].reception.dropped;
        assert!((1..FLOOD).contains(&dropped), "{dropped}");
        drop(go);
        let counted = || b.counters().malformed + b.counters().dropped >= FLOOD;
        assert!(soon(counted), "{:?}", b.counters());
        // The writer's own questions may have been dropped among them.
        let others = b.counters().malformed + b.counters().dropped - FLOOD;
        assert!(others < 50, "{:?}", b.counters());
        assert_eq!((a.counters().dropped, a.counters().unsent), (0, 0));
    });
}

#[test]
fn a_writer_names_the_reader_that_is_behind() {
    let net = Net::new(0.0);
    let [a, b, c] = [(); 3].map(|()| net.participant());
    let (wqos, rqos) = reliable_all();
    let (go, hang) = channel();
    let quick = reader::<Plain>(&b, "T", rqos.clone());
    let hangs = Arc::default();
    let slow = hanging(&c, rqos, &hangs, hang);
    let writer = writer::<Plain>(&a, "T", wqos);
    writer.wait_for_matched(2, SOON).unwrap();
    for reader in [&quick, &slow] {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    assert_eq!(writer.backlog_status(), BacklogStatus::default());
    // A reader that does not know yet where it begins would get all at once, and acknowledge it.
    writer.write(&plain(0)).unwrap();
    assert!(soon(|| hangs.load(SeqCst)));
    for number in 1..100 {
        writer.write(&plain(number)).unwrap();
    }
    assert_eq!(take(&quick, 100).len(), 100);
    let behind = || writer.backlog_status().slowest == Some(slow.guid());
    assert!(soon(behind), "{:?}", writer.backlog_status());
    let backlog = writer.backlog_status();
    assert!((1..=100).contains(&backlog.unacknowledged), "{backlog:?}");
    assert!(backlog.kept > 0);
    drop(go);
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(writer.backlog_status(), BacklogStatus::default());
}
