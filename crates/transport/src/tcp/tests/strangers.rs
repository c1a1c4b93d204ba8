//! Peers of other products: they frame as Cyclone DDS does and say no HELLO.
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};

use dunlin_wire::Locator;
use dunlin_wire::stream::Hello;

use super::node::{Bare, SOON, foreign, framed, next, node};
use crate::traits::Transport;

#[test]
fn a_stranger_is_heard_by_the_user_receiver_and_answered_through_its_connection() {
    let mut node = node();
    let mut stranger = Bare::dial(&node);
    let messages = [foreign(&[9, 3, 0, 0]), foreign(&[1, 1, 4, 0, 1, 2, 3, 4])];
    stranger.send(&[framed(&messages[0]), framed(&messages[1])].concat());
    for message in &messages {
        let (bytes, received) = next(&mut *node.user);
        assert_eq!(bytes, *message);
        let port = stranger.0.local_addr().unwrap().port();
        assert_eq!(received.from, Locator::tcp_v4(Ipv4Addr::LOCALHOST, port));
        let answer = foreign(&[6, 1, 0, 0]);
        assert_eq!(node.tell(received.from, &answer).datagrams, 1);
        assert_eq!(stranger.next(), answer);
        let lane = node.lane(received.from);
        assert_eq!(node.write(&lane, &answer).datagrams, 1);
        assert_eq!(stranger.next(), answer);
    }
    assert_eq!(node.connections(), (1, 0));
}

#[test]
fn a_stranger_that_sends_byte_by_byte_is_understood() {
    let mut node = node();
    let mut stranger = Bare::dial(&node);
    let message = foreign(&[9, 3, 0, 0]);
    for _ in 0..3 {
        for byte in framed(&message) {
            stranger.send(&[byte]);
        }
        assert_eq!(next(&mut *node.user).0, message);
    }
}

#[test]
fn a_stranger_that_is_dialled_gets_a_hello_that_it_can_skip_and_no_large_messages() {
    let node = node();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = Locator::tcp_v4(Ipv4Addr::LOCALHOST, listener.local_addr().unwrap().port());
    let message = foreign(&[9, 3, 0, 0]);
    node.tell(at, &message);
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let mut hello = [0; Hello::SIZE];
    stream.read_exact(&mut hello).unwrap();
    assert_eq!(Hello::parse(&hello).unwrap().port, node.port());
    assert_eq!(Bare(stream).next(), message);
    assert!(node.transport.max_whole_datagram(&at) < 65_536);
    let long = vec![0; 70_000];
    assert_eq!(node.tell(at, &long).failed, 1);
}
