//! A program whose messages go to a pipe that nobody reads any more.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::transport::{Faults, MemoryNetwork, Outgoing, Transport};
use dunlin::*;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration as Span, Instant};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata};

const CHILD: &str = "DUNLIN_TEST_CLOSED_STDERR";

/// Writes each message to the standard error as the usual subscribers do: it panics if that cannot
/// be written to.
struct ToStderr;

impl tracing::Subscriber for ToStderr {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        eprintln!("{event:?}");
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn messages_that_cannot_be_written_end_no_thread() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "messages_that_cannot_be_written_end_no_thread"])
        .arg("--nocapture")
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    // Not before that does it say anything.
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("still here"),
        "{said}"
    );
}

fn child() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
    tracing::subscriber::set_global_default(ToStderr).unwrap();
    let network = MemoryNetwork::new(7, Faults::default());
    let join = || {
        let config = ParticipantConfig {
            transport: Some(Arc::new(network.host())),
            transports: Transports {
                local: false,
                ..Default::default()
            },
            ..Default::default()
        };
        DomainParticipant::with_config(0, config).unwrap()
    };
    let (a, b) = (join(), join());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos.clone());
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let stranger = network.host();
    let places: Vec<_> = b.receivers().into_iter().flat_map(|r| r.locators).collect();
    for to in places.iter().filter(|to| !to.is_multicast()) {
        for garbage in [
            &[0; 100][..],
            b"RTPS",
            b"RTPS\x02\x05\x01\x99 and so on and so on, until the end",
        ] {
            stranger.send(&[Outgoing {
                to: *to,
                lane: None,
                head: garbage,
                payload: &[],
                tail: &[],
                patient: false,
                dscp: 0,
            }]);
        }
    }
    let begun = Instant::now();
    while b.counters().malformed < 2 && begun.elapsed() < Span::from_secs(20) {
        std::thread::sleep(Span::from_millis(5));
    }
    // Both receivers, for data and for discovery, are there.
    writer.write(&Keyed::default()).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
    let more = common::reader::<Keyed>(&b, "T", rqos);
    more.wait_for_matched(1, SOON).unwrap();
    assert!(b.counters().malformed >= 2 && b.counters().other_panics >= 1);
    let _ = Net::new(0.0);
    println!("still here");
}
