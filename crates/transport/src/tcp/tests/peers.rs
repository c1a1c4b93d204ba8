//! Two of our own kind.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use dunlin_wire::Locator;

use super::node::{Node, SOON, config, name, next, node, poll, quiet_port, until};
use crate::send_path::SendPath;
use crate::tcp::TcpConfig;
use crate::traits::{Listen, Reach, Transport, Watcher};

/// Each sends to the other, both ways, until all has arrived.
fn converse(a: &mut Node, b: &mut Node) -> [SendPath; 2] {
    let send_paths = [a.lane(b.at), b.lane(a.at)];
    a.tell(b.at, b"meta to b");
    assert_eq!(next(&mut *b.meta).0, b"meta to b");
    b.tell(a.at, b"meta to a");
    assert_eq!(next(&mut *a.meta).0, b"meta to a");
    a.write(&send_paths[0], b"user to b");
    assert_eq!(next(&mut *b.user).0, b"user to b");
    b.write(&send_paths[1], b"user to a");
    assert_eq!(next(&mut *a.user).0, b"user to a");
    send_paths
}

#[test]
fn two_connections_serve_both_directions() {
    let (mut a, mut b) = (node(), node());
    let _lanes = converse(&mut a, &mut b);
    a.await_connections(2);
    b.await_connections(2);
    assert_eq!(poll(&mut *a.meta), None);
    assert_eq!(poll(&mut *b.user), None);
}

#[test]
fn whoever_dials_first_is_not_dialled_back() {
    let (mut a, mut b) = (node(), node());
    a.tell(b.at, b"one");
    let (_, received) = next(&mut *b.meta);
    let (_, seems) = received.from.parts_of_called().unwrap();
    assert_eq!(seems, a.at);
    b.tell(received.from, b"two");
    assert_eq!(next(&mut *a.meta).1.from, b.at);
    assert_eq!(a.connections(), (1, 0));
    assert_eq!(b.connections(), (1, 0));
}

#[test]
fn dialling_at_once_leaves_two_connections() {
    for round in 0..30 {
        let (mut a, mut b) = (node(), node());
        if round % 2 == 0 {
            std::mem::swap(&mut a, &mut b);
        }
        let texts: Vec<Vec<u8>> = (0..20_u8).map(|n| vec![n; 40]).collect();
        std::thread::scope(|scope| {
            for (from, to) in [(&a.voice, b.at), (&b.voice, a.at)] {
                let texts = &texts;
                scope.spawn(move || {
                    let lane = from.lane(to);
                    for text in texts {
                        assert_eq!(from.write(&lane, text).failed, 0);
                        assert_eq!(from.tell(to, text).failed, 0);
                    }
                });
            }
        });
        for receiver in [&mut a.meta, &mut a.user, &mut b.meta, &mut b.user] {
            let mut arrived: Vec<_> = (0..20).map(|_| next(&mut **receiver).0).collect();
            arrived.sort();
            assert_eq!(arrived, texts);
        }
        until("two connections", || {
            // Receivers find the ends of connections that are left over.
            let all = [&mut a.meta, &mut a.user, &mut b.meta, &mut b.user];
            for receiver in all {
                assert_eq!(poll(&mut **receiver), None);
            }
            a.connections() == (2, 0) && b.connections() == (2, 0)
        });
        // They do for both directions.
        let _lanes = converse(&mut a, &mut b);
        assert_eq!((a.connections(), b.connections()), ((2, 0), (2, 0)));
    }
}

#[test]
fn one_that_cannot_be_dialled_is_answered() {
    let mut server = node();
    let caller = TcpConfig {
        client_only: true,
        ..config()
    };
    let mut client = Node::new(&caller, 0);
    assert_eq!(client.at, Locator::tcp_caller(caller.name));
    assert_eq!(server.transport.reaches(&client.at), Reach::No);
    assert_eq!(server.tell(client.at, b"too early").failed, 1);

    client.tell(server.at, b"here I am");
    let (_, received) = next(&mut *server.meta);
    let (name, seems) = received.from.parts_of_called().unwrap();
    assert_eq!(name, caller.name);
    assert!(seems.is_loopback(), "{seems:?}");
    assert!(server.transport.reaches(&client.at) > Reach::Loopback);
    server.tell(client.at, b"welcome");
    assert_eq!(next(&mut *client.meta).0, b"welcome");

    // It has dialled for user data by itself.
    server.await_connections(2);
    let lane = server.lane(client.at);
    server.write(&lane, b"sample");
    assert_eq!(next(&mut *client.user).0, b"sample");
    let lane = client.lane(server.at);
    client.write(&lane, b"acknowledgement");
    assert_eq!(next(&mut *server.user).0, b"acknowledgement");
    assert_eq!(client.connections(), (2, 0));
    drop(client);
    until("the client is gone", || {
        poll(&mut *server.meta);
        poll(&mut *server.user);
        server.transport.reaches(&Locator::tcp_caller(caller.name)) == Reach::No
    });
}

#[test]
fn a_public_address_is_announced() {
    let public = "203.0.113.7:7777".parse().unwrap();
    let config = TcpConfig {
        public: Some(public),
        ..config()
    };
    let node = Node::new(&config, 0);
    assert_eq!(node.meta.locators(), [Locator::tcp_v4(*public.ip(), 7777)]);
    assert_eq!(node.user.locators(), node.meta.locators());
}

#[test]
fn a_second_receiver_needs_a_first_one() {
    let a = node();
    let port = a.port();
    let beside = |port| a.transport.open(&[Listen::Beside { port }]);
    let taken = beside(port).map(drop).unwrap_err();
    assert_eq!(taken.kind(), std::io::ErrorKind::AddrInUse);
    let nobody = beside(1).map(drop).unwrap_err();
    assert_eq!(nobody.kind(), std::io::ErrorKind::NotFound);
    let Node {
        voice, user, meta, ..
    } = a;
    drop(user);
    let transport = voice.transport;
    transport.open(&[Listen::Beside { port }]).unwrap();
    drop(meta);
}

#[test]
fn a_message_of_10_mib_is_not_cut_between_our_own_kind() {
    let (mut a, mut b) = (node(), node());
    assert!(a.transport.max_whole_datagram(&b.at) < 65_536);
    let send_paths = converse(&mut a, &mut b);
    assert_eq!(
        a.transport.max_whole_datagram(&b.at),
        a.transport.max_datagram()
    );
    let large: Vec<u8> = (0..10_u32 << 20).map(|n| (n / 7) as u8).collect();
    std::thread::scope(|scope| {
        let (a, lane, large) = (&a.voice, &send_paths[0], &large);
        scope.spawn(move || {
            for _ in 0..5 {
                // Until there is room in the queue.
                until("it is sent", || a.write(lane, large).failed == 0);
                assert_eq!(a.write(lane, b"small").failed, 0);
            }
        });
        for _ in 0..5 {
            assert!(next(&mut *b.user).0 == *large);
            assert_eq!(next(&mut *b.user).0, b"small");
        }
    });
}

#[test]
fn a_peer_that_comes_back_is_sent_to_again() {
    let a = node();
    let name = name();
    let again = |port| {
        let config = TcpConfig { name, ..config() };
        Node::new(&config, port)
    };
    let port = quiet_port();
    let mut b = again(port);
    let at = b.at;
    let lane = a.lane(at);
    for _ in 0..3 {
        // Whatever was sent meanwhile may be lost.
        let (mut user, mut meta) = (false, false);
        until("the peer hears", || {
            a.write(&lane, b"sample");
            a.tell(at, b"discovery");
            user |= poll(&mut *b.user).is_some();
            meta |= poll(&mut *b.meta).is_some();
            user && meta
        });
        drop(b);
        std::thread::sleep(Duration::from_millis(20));
        b = again(port);
    }
}

/// Notes whom it hears of.
#[derive(Default)]
struct IsolatedReceiver(Mutex<Vec<Locator>>);

impl Watcher for IsolatedReceiver {
    fn changed(&self, peer: &Locator, ended: bool) {
        assert!(!ended);
        self.0.lock().unwrap().push(*peer);
    }

    fn failed(&self, why: &str) {
        unreachable!("{why}");
    }
}

#[test]
fn a_participant_hears_by_name_when_a_peer_comes_and_goes() {
    let (mut a, mut b) = (node(), node());
    let ear = Arc::new(IsolatedReceiver::default());
    a.transport.watch(Arc::downgrade(&ear) as Weak<dyn Watcher>);
    let heard = || ear.0.lock().unwrap().len();
    a.tell(b.at, b"hello");
    next(&mut *b.meta);
    until("the peer has come", || heard() == 1);
    let name = b.transport.table.name.0;
    drop(b);
    until("the peer has gone", || {
        poll(&mut *a.meta);
        heard() == 2
    });
    assert_eq!(*ear.0.lock().unwrap(), [Locator::tcp_caller(name); 2]);
}

#[test]
fn of_many_peers_one_that_never_stops_starves_nobody() {
    let mut node = node();
    let flood = super::node::node();
    let others: Vec<Node> = (0..3).map(|_| super::node::node()).collect();
    let send_paths: Vec<SendPath> = others.iter().map(|other| other.lane(node.at)).collect();
    for (other, lane) in others.iter().zip(&send_paths) {
        other.write(lane, b"here");
        assert_eq!(next(&mut *node.user).0, b"here");
    }
    let (over, limit) = (AtomicBool::new(false), Instant::now() + 2 * SOON);
    std::thread::scope(|scope| {
        let (voice, to, over) = (&flood.voice, node.at, &over);
        scope.spawn(move || {
            let lane = voice.lane(to);
            while !over.load(Relaxed) && Instant::now() < limit {
                voice.write(&lane, &[7; 10_000]);
            }
        });
        let quiet_ones = others.iter().zip(&send_paths).cycle();
        for (turn, (other, lane)) in quiet_ones.take(30).enumerate() {
            let word = [turn as u8];
            other.write(lane, &word);
            while next(&mut *node.user).0 != word {}
        }
        over.store(true, Relaxed);
    });
}
