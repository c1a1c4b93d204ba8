//! Callers of our own kind that listen somewhere, but not where they can be dialled.
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};

use dunlin_wire::stream::{Channel, Hello};
use dunlin_wire::{GuidPrefix, Locator};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

use super::node::{Bare, Node, SOON, foreign, framed, name, next, node, until};
use crate::traits::{Reach, Transport};

/// Dials from an address of this host, and says hello.
fn call(node: &Node, from: Ipv4Addr, name: [u8; 12], port: u16) -> Bare {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddrV4::new(from, 0)).unwrap();
    connect(&socket, &node.address()).unwrap();
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let mut bare = Bare(stream);
    let hello = Hello {
        name: GuidPrefix(name),
        channel: Channel::Meta,
        port,
    };
    bare.send(&hello.encode());
    bare
}

#[test]
fn a_caller_is_reached_by_its_name_wherever_it_says_to_be() {
    let mut node = node();
    let name = name();
    let by_name = Locator::tcp_caller(name);
    assert_eq!(node.transport.reaches(&by_name), Reach::No);
    let mut caller = call(&node, Ipv4Addr::LOCALHOST, name, 7401);
    let message = foreign(&[9, 3, 0, 0]);
    caller.send(&framed(&message));
    let (bytes, received) = next(&mut *node.meta);
    assert_eq!(bytes, message);
    let seems = Locator::tcp_v4(Ipv4Addr::LOCALHOST, 7401);
    assert_eq!(received.from.parts_of_called(), Some((name, seems)));
    // Its HELLO is answered first.
    caller.next();
    for to in [by_name, received.from] {
        assert!(node.transport.reaches(&to) != Reach::No);
        node.tell(to, &message);
        assert_eq!(caller.next(), message);
    }
    let elsewhere = Locator::tcp_v4([10, 1, 0, 2].into(), 7401);
    for (at, who, there) in [
        (seems, name, Some(true)),
        (seems, [9; 12], Some(false)),
        (by_name, name, Some(true)),
        (elsewhere, name, None),
    ] {
        assert_eq!(node.transport.leads_to(&at, who), there, "{at:?}");
    }
    drop(caller);
    until("it has gone", || {
        assert_eq!(super::node::poll(&mut *node.meta), None);
        node.transport.reaches(&by_name) == Reach::No
    });
}

#[test]
fn a_callers_name_is_refused_to_another_host_whatever_port_it_says() {
    let mut node = node();
    let name = name();
    let mut caller = call(&node, Ipv4Addr::LOCALHOST, name, 7401);
    caller.next();
    for port in [7401, 7402, 0] {
        let mut other = call(&node, Ipv4Addr::new(127, 0, 0, 2), name, port);
        assert!(other.is_closed());
    }
    until("all are counted", || {
        node.transport.refused_connections() == 3
    });
    let message = foreign(&[9, 3, 0, 0]);
    node.tell(Locator::tcp_caller(name), &message);
    assert_eq!(caller.next(), message);
    caller.send(&framed(&message));
    assert_eq!(next(&mut *node.meta).0, message);
}

/// Whoever begins with anything else would be taken for another product, with messages that are
/// short and all of one kind.
#[test]
fn a_caller_hears_hello_first_however_soon_somebody_sends() {
    let mut node = node();
    let message = foreign(&[9, 3, 0, 0]);
    for _ in 0..200 {
        let name = name();
        std::thread::scope(|scope| {
            let told = scope.spawn(|| {
                until("it is sent to", || {
                    std::iter::repeat_n(Locator::tcp_caller(name), 1000)
                        .any(|to| node.voice.tell(to, &message).failed == 0)
                });
            });
            let mut caller = call(&node, Ipv4Addr::LOCALHOST, name, 0);
            assert!(Hello::parse(&framed(&caller.next())).is_some());
            assert_eq!(caller.next(), message);
            told.join().unwrap();
        });
        // The receiver finds that it has gone.
        assert_eq!(super::node::poll(&mut *node.meta), None);
    }
}
