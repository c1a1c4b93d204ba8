//! Peers that mean harm, or cannot help it.
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_wire::GuidPrefix;
use dunlin_wire::stream::{Channel, Hello, opaque_head};
use rustix::net::sockopt::set_socket_linger;

use super::node::{Bare, Node, config, foreign, framed, name, next, node, poll, until};
use crate::tcp::{MAX_FRAME, TcpConfig};
use crate::traits::{Transport, Wait};

/// Discovery and user data still get through in both directions.
fn works(node: &mut Node) {
    let mut peer = super::node::node();
    peer.tell(node.at, b"meta");
    assert_eq!(next(&mut *node.meta).0, b"meta");
    let lane = node.lane(peer.at);
    node.write(&lane, b"user");
    assert_eq!(next(&mut *peer.user).0, b"user");
}

fn hello(channel: Channel) -> [u8; Hello::SIZE] {
    let name = GuidPrefix(name());
    let hello = Hello {
        name,
        channel,
        port: 0,
    };
    hello.encode()
}

#[test]
fn what_is_no_message_ends_its_connection_and_is_counted() {
    let mut node = node();
    let too_long = {
        let mut bytes = framed(&foreign(&[9, 3, 0, 0]));
        bytes[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes
    };
    let mut count = 0;
    for garbage in [
        &b"GET / HTTP/1.1\r\n"[..],
        &foreign(&[9, 3, 0, 0, 0, 0, 0, 0]),
        &too_long,
    ] {
        for greeted in [false, true] {
            let mut stranger = Bare::dial(&node);
            if greeted {
                stranger.send(&framed(&foreign(&[9, 3, 0, 0])));
                next(&mut *node.user);
            }
            stranger.send(garbage);
            count += 1;
            until("it is refused", || {
                assert_eq!(poll(&mut *node.user), None);
                node.transport.refused_connections() == count
            });
            assert!(stranger.is_closed());
        }
    }
    assert_eq!(node.connections(), (0, 0));
    assert_eq!(node.transport.hints().len(), 1);
}

#[test]
fn a_thousand_that_say_nothing_keep_nobody_out() {
    let mut node = node();
    let silent: Vec<_> = (0..1000)
        .map(|_| TcpStream::connect(node.address()).unwrap())
        .collect();
    until("most of them have made room", || {
        node.transport.refused_connections() >= 1000 - 256
    });
    works(&mut node);
    drop(silent);
    until("all are gone", || {
        poll(&mut *node.meta);
        poll(&mut *node.user);
        let (used, others) = node.connections();
        used + others == 0
    });
}

#[test]
fn connections_are_not_without_number_even_if_they_speak() {
    let mut node = Node::new(
        &TcpConfig {
            connections: 64,
            ..config()
        },
        0,
    );
    let mut all = Vec::new();
    for _ in 0..100 {
        let mut one = Bare::dial(&node);
        // It may be closed already.
        let _ = one.0.write_all(&hello(Channel::User));
        all.push(one);
    }
    until("those beyond are refused", || {
        poll(&mut *node.user);
        node.transport.refused_connections() >= 60
    });
    let (used, others) = node.connections();
    assert!(used + others <= 64);
    drop(all);
    until("there is room again", || {
        poll(&mut *node.user);
        node.connections() == (0, 0)
    });
    works(&mut node);
}

/// Only the time is cut short: the connection has been here for long, as far as the porter knows.
fn age(node: &Node, by: Duration) {
    let mut state = node.transport.table.state();
    for known in state.connections.values_mut() {
        known.until = known.until.map(|until| until - by);
        known.pending.1 -= by;
    }
    drop(state);
    node.transport.table.bell.set();
}

#[test]
fn a_first_message_has_to_come_to_its_end() {
    let node = node();
    let mut slow = Bare::dial(&node);
    slow.send(b"RTPS");
    let mut half = Bare::dial(&node);
    half.send(&framed(&foreign(&[0; 100]))[..60]);
    until("both are there", || {
        let (used, others) = node.connections();
        used + others == 2
    });
    assert_eq!(node.transport.refused_connections(), 0);
    age(&node, Duration::from_secs(11));
    assert!(slow.is_closed());
    assert!(half.is_closed());
    until("both are counted", || {
        node.transport.refused_connections() == 2
    });
}

#[test]
fn a_message_that_has_begun_has_to_go_on() {
    let mut node = node();
    let mut peer = Bare::dial(&node);
    peer.send(&hello(Channel::User));
    peer.send(&framed(&foreign(&[1; 100])));
    next(&mut *node.user);
    let large = opaque_head(GuidPrefix(name()), 100 << 20);
    peer.send(&large);
    peer.send(&[7; 1000]);
    until("it has begun", || {
        assert_eq!(poll(&mut *node.user), None);
        let state = node.transport.table.state();
        let mut all = state.connections.values();
        all.any(|known| known.pending.0 >= 1000)
    });
    age(&node, Duration::from_secs(11));
    assert!(peer.is_closed());
    works(&mut node);
}

#[test]
fn memory_is_taken_for_what_has_come_not_for_what_is_claimed() {
    let mut node = node();
    let claims: Vec<_> = (0..40)
        .map(|_| {
            let mut peer = Bare::dial(&node);
            peer.send(&hello(Channel::User));
            let length = u32::try_from(MAX_FRAME).unwrap() - 100;
            peer.send(&opaque_head(GuidPrefix(name()), length));
            peer.send(&[7; 100_000]);
            peer
        })
        .collect();
    until("all have begun", || {
        assert_eq!(poll(&mut *node.user), None);
        node.connections() == (40, 0)
    });
    // 40 times 256 MiB would be far beyond the budget.
    let budget = std::sync::Arc::clone(&node.transport.table.budget);
    until("memory is taken", || {
        assert_eq!(poll(&mut *node.user), None);
        budget.used() > 30 * 100_000
    });
    assert!(budget.used() <= 40 << 20, "{}", budget.used());
    drop(claims);
    until("it is given back", || {
        assert_eq!(poll(&mut *node.user), None);
        budget.used() == 0
    });
    assert_eq!(node.transport.refused_connections(), 0);
}

/// A receiver that does not come with more room loses those messages, and none behind them, also
/// while more of them wait.
#[test]
fn what_there_is_no_room_for_takes_nothing_else_with_it() {
    const COUNT: usize = 40;
    let mut node = node();
    let mut peer = Bare::dial(&node);
    let [large, small] = [10_000, 10].map(|length| framed(&foreign(&vec![5; length])));
    peer.send(&[&hello(Channel::User)[..], &small].concat());
    next(&mut *node.user);
    let sender = std::thread::spawn(move || {
        (0..COUNT).for_each(|_| peer.send(&[&large[..], &small].concat()));
        peer
    });
    let mut heard = 0;
    until("the others are there", || {
        let mut buffer = BytesMut::with_capacity(64);
        let received = node.user.receive(&mut buffer, Wait::Poll).unwrap();
        heard += usize::from(received.is_some_and(|received| received.length == 30));
        heard == COUNT
    });
    assert_eq!(node.user.statistics().read().oversized, 40);
    assert_eq!(node.transport.refused_connections(), 0);
    drop(sender.join());
}

#[test]
fn resets_do_no_harm() {
    let mut node = node();
    for round in 0..100_usize {
        let mut peer = Bare::dial(&node);
        let message = [&hello(Channel::User)[..], &framed(&foreign(&[9, 3, 0, 0]))].concat();
        peer.send(&message[..round % message.len()]);
        set_socket_linger(&peer.0, Some(Duration::ZERO)).unwrap();
        if round % 3 == 0 {
            let _ = peer.0.shutdown(Shutdown::Write);
        }
        drop(peer);
        poll(&mut *node.user);
    }
    works(&mut node);
}

#[test]
fn a_name_on_its_own_address_is_taken_over_by_the_newer() {
    let mut node = node();
    let greeting = hello(Channel::Meta);
    let mut old = Bare::dial(&node);
    old.send(&greeting);
    old.next();
    let mut new = Bare::dial(&node);
    new.send(&greeting);
    new.next();
    let caller = Hello::parse(&greeting).unwrap().name.0;
    let at = dunlin_wire::Locator::tcp_caller(caller);
    node.tell(at, &foreign(&[9, 3, 0, 0]));
    assert_eq!(new.next(), foreign(&[9, 3, 0, 0]));
    assert!(old.is_closed());
    let begin = Instant::now();
    works(&mut node);
    assert!(begin.elapsed() < super::node::SOON);
}
