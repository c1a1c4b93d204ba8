//! The network in memory.
use std::time::Duration;

use dunlin_transport::{Faults, Listen, MemoryNetwork, Receiver, Transport};
use dunlin_wire::Locator;

use crate::suite::{conforms, outgoing, poll};

fn open(transport: &impl Transport) -> (Box<dyn Receiver>, Locator) {
    let receiver = transport.open(&[Listen::Unicast { port: 7411 }]).unwrap();
    let locator = receiver.locators()[0];
    (receiver, locator)
}

#[test]
fn memory_conforms() {
    let network = MemoryNetwork::new(1, Faults::default());
    conforms(&|| Box::new(network.host()));
}

#[test]
fn virtual_time_brings_datagrams_when_they_are_due() {
    let faults = Faults {
        delay: Duration::from_millis(5),
        ..Faults::default()
    };
    let network = MemoryNetwork::with_virtual_time(1, faults);
    let (a, b) = (network.host(), network.host());
    let (mut receiver, to) = open(&b);
    a.send(&[outgoing(to, b"x")]);
    assert_eq!(poll(&mut *receiver), None);
    assert_eq!(network.next_arrival(), Some(Duration::from_millis(5)));
    network.advance(Duration::from_micros(4999));
    assert_eq!(poll(&mut *receiver), None);
    network.advance(Duration::from_micros(1));
    assert_eq!(poll(&mut *receiver).unwrap(), b"x");
    assert_eq!(network.next_arrival(), None);
}

/// What arrives of 1000 datagrams, in order of arrival.
fn disturbed(seed: u64) -> Vec<Vec<u8>> {
    let faults = Faults {
        drop: 0.2,
        duplicate: 0.1,
        corrupt: 0.05,
        reorder: 0.1,
        reorder_by: Duration::from_millis(10),
        ..Faults::default()
    };
    let network = MemoryNetwork::with_virtual_time(seed, faults);
    let (a, b) = (network.host(), network.host());
    let (mut receiver, to) = open(&b);
    let mut arrived = Vec::new();
    for n in 0..1000_u32 {
        a.send(&[outgoing(to, &n.to_be_bytes())]);
        network.advance(Duration::from_millis(1));
        arrived.extend(std::iter::from_fn(|| poll(&mut *receiver)));
    }
    network.advance(Duration::from_secs(1));
    arrived.extend(std::iter::from_fn(|| poll(&mut *receiver)));
    arrived
}

#[test]
fn a_seed_can_be_repeated() {
    let run = disturbed(42);
    assert_eq!(run, disturbed(42));
    assert_ne!(run, disturbed(43));
    assert!((780..980).contains(&run.len()), "{}", run.len());
    let sorted = run.is_sorted();
    assert!(!sorted, "nothing was reordered");
}

#[test]
fn a_cut_loses_everything_until_it_heals() {
    let network = MemoryNetwork::with_virtual_time(1, Faults::default());
    let (a, b, c) = (network.host(), network.host(), network.host());
    let ((mut at_b, to_b), (mut at_c, to_c)) = (open(&b), open(&c));
    network.cut(a.address(), b.address());
    a.send(&[outgoing(to_b, b"lost"), outgoing(to_c, b"kept")]);
    network.heal();
    a.send(&[outgoing(to_b, b"healed")]);
    assert_eq!(poll(&mut *at_b).unwrap(), b"healed");
    assert_eq!(poll(&mut *at_c).unwrap(), b"kept");
    assert_eq!(poll(&mut *at_c), None);
}

#[test]
fn a_full_inbox_drops_and_counts() {
    let network = MemoryNetwork::with_virtual_time(1, Faults::default());
    let (a, b) = (network.host(), network.host());
    let (mut receiver, to) = open(&b);
    let large = vec![0; 60_000];
    for _ in 0..200 {
        a.send(&[outgoing(to, &large)]);
    }
    let kept = std::iter::from_fn(|| poll(&mut *receiver)).count();
    assert!((100..200).contains(&kept));
    let dropped = receiver.statistics().read().dropped;
    assert_eq!(dropped, 200 - u64::try_from(kept).unwrap());
    a.send(&[outgoing(to, &large)]);
    assert!(poll(&mut *receiver).is_some());
}
