//! Peers that do not read, and connections that end.
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use dunlin_udp::Buffers;
use dunlin_wire::Locator;

use super::node::{Bare, Node, config, foreign, next, node, outgoing, poll, quiet_port, until};
use crate::tcp::TcpConfig;
use crate::traits::{Outgoing, Transport};

/// With small buffers in the system, so that queues fill soon.
fn small() -> TcpConfig {
    TcpConfig {
        queue: 1 << 20,
        buffers: Some(Buffers {
            receive: 64 << 10,
            send: 64 << 10,
        }),
        ..config()
    }
}

#[test]
fn one_that_does_not_read_holds_nobody_up_and_takes_no_memory() {
    let mut node = Node::new(&small(), 0);
    let mut reader = super::node::node();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let stuck = node.lane(Locator::tcp_v4(Ipv4Addr::LOCALHOST, port));
    let (stream, _) = listener.accept().unwrap();
    let good = node.lane(reader.at);
    node.write(&good, b"first");
    assert_eq!(next(&mut *reader.user).0, b"first");

    let payload = vec![7; 50_000];
    let to = reader.at;
    let mut refused = 0;
    let mut took = Vec::new();
    for round in 0..400_u32 {
        let number = round.to_be_bytes();
        let both = [
            Outgoing {
                patient: round % 2 == 0,
                ..outgoing(to, Some(&stuck), &payload)
            },
            outgoing(to, Some(&good), &number),
        ];
        let start = Instant::now();
        let sent = node.transport.send(&both);
        took.push(start.elapsed());
        refused += sent.failed;
        assert_eq!(next(&mut *reader.user).0, number);
        let state = node.transport.table.state();
        let queues = state
            .connections
            .values()
            .map(|known| known.connection.queued());
        assert!(queues.max() <= Some((1 << 20) + payload.len()));
    }
    assert!(refused > 100, "{refused}");
    assert!(node.transport.failed() >= refused as u64);
    // One that is held up waits each time; on a busy machine some wait for a processor.
    took.sort_unstable();
    let median = took[took.len() / 2];
    assert!(median < Duration::from_millis(100), "{took:?}");
    assert_eq!(poll(&mut *node.user), None);
    drop(stream);
}

#[test]
fn what_waits_is_sent_in_order_when_the_peer_reads_again() {
    let mut node = Node::new(&small(), 0);
    let mut peer = Bare::dial(&node);
    let message = |number: u16| {
        let [a, b] = number.to_le_bytes();
        let body = [[1, 1, 0x10, 0x27, a, b], [0; 6]].concat();
        foreign(&[&body[..], &[0; 9_992]].concat())
    };
    peer.send(&super::node::framed(&message(0)));
    let (_, received) = next(&mut *node.user);
    let sent: Vec<u16> = (0..200)
        .filter(|number| node.tell(received.from, &message(*number)).failed == 0)
        .collect();
    assert!((50..200).contains(&sent.len()), "{}", sent.len());
    for number in sent {
        assert!(peer.next() == message(number));
    }
    node.tell(received.from, &message(1000));
    assert!(peer.next() == message(1000));
}

#[test]
fn a_peer_that_is_not_there_yet_is_dialled_until_it_is() {
    let node = node();
    let port = quiet_port();
    let lane = node.lane(Locator::tcp_v4(Ipv4Addr::LOCALHOST, port));
    std::thread::sleep(Duration::from_millis(300));
    let mut late = Node::new(&config(), port);
    until("it is found", || {
        node.write(&lane, b"there");
        poll(&mut *late.user).is_some()
    });
}

#[test]
fn nobody_is_dialled_whom_nobody_wants() {
    let node = node();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let lane = node.lane(Locator::tcp_v4(Ipv4Addr::LOCALHOST, port));
    drop(listener.accept().unwrap());
    // It is made anew while the lane is held...
    let (stream, _) = listener.accept().unwrap();
    drop(lane);
    let state = node.transport.table.state();
    for held in state.links.values() {
        held.link.want(0);
    }
    drop(state);
    listener.set_nonblocking(true).unwrap();
    drop(stream);
    until("the end is noticed", || {
        let (used, others) = node.connections();
        used + others == 0
    });
    std::thread::sleep(Duration::from_millis(200));
    // ... and not any more after that.
    assert!(listener.accept().is_err());
    let links = || node.transport.table.state().links.len();
    until("it is forgotten", || links() == 0);
}
