//! Several transports in one.
use std::thread;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_transport::{
    CompositeTransport, Listen, Receiver, TcpTransport, Transport, UdpConfig, UdpTransport, Wait,
};
use dunlin_wire::Locator;

use crate::namespace::{LOOPBACK, in_namespace};
use crate::shm::shm;
use crate::suite::{conforms, next, outgoing, poll, rests_its_groups};
use crate::tcp::config;

/// Longer than UDP takes, and than the buffers that the suite begins with.
const LARGE: usize = 1 << 20;

fn udp() -> UdpTransport {
    UdpTransport::new(&UdpConfig::default()).unwrap()
}

fn tcp() -> TcpTransport {
    TcpTransport::new(&config()).unwrap()
}

fn all() -> CompositeTransport {
    CompositeTransport::new(Some(udp()), Some(shm()), Some(tcp()))
}

#[test]
fn udp_with_shm_beside_it_conforms() {
    in_namespace(
        "together::udp_with_shm_beside_it_conforms",
        LOOPBACK,
        || {
            conforms(&|| Box::new(CompositeTransport::new(Some(udp()), Some(shm()), None)));
        },
    );
}

#[test]
fn groups_rest_beside_others() {
    in_namespace("together::groups_rest_beside_others", LOOPBACK, || {
        rests_its_groups(&CompositeTransport::new(Some(udp()), Some(shm()), None));
        rests_its_groups(&all());
    });
}

#[test]
fn all_three_conform() {
    in_namespace("together::all_three_conform", LOOPBACK, || {
        conforms(&|| Box::new(all()));
    });
}

#[test]
fn udp_with_tcp_beside_it_conforms() {
    in_namespace(
        "together::udp_with_tcp_beside_it_conforms",
        LOOPBACK,
        || {
            conforms(&|| Box::new(CompositeTransport::new(Some(udp()), None, Some(tcp()))));
        },
    );
}

#[test]
fn shm_with_tcp_beside_it_conforms() {
    in_namespace(
        "together::shm_with_tcp_beside_it_conforms",
        LOOPBACK,
        || {
            conforms(&|| Box::new(CompositeTransport::new(None, Some(shm()), Some(tcp()))));
        },
    );
}

/// A receiver of all three.
fn listen(transport: &dyn Transport) -> Box<dyn Receiver> {
    let port = Listen::Unicast { port: 0 };
    let mut receiver = transport.open(&[port]).unwrap();
    receiver.listen_at(port).unwrap();
    receiver
}

fn at(receiver: &dyn Receiver, kind: i32) -> Locator {
    let all = receiver.locators();
    *all.iter().find(|locator| locator.kind == kind).unwrap()
}

/// Sends until it arrives: a way may have to be made first.
fn meets(from: &dyn Transport, receiver: &mut dyn Receiver, kind: i32) {
    let to = at(receiver, kind);
    let limit = Instant::now() + Duration::from_secs(300);
    while poll(receiver).is_none() {
        assert!(Instant::now() < limit, "nothing came by kind {kind}");
        from.send(&[outgoing(to, b"first")]);
        thread::sleep(Duration::from_millis(5));
    }
    while poll(receiver).is_some() {}
}

const KINDS: [i32; 3] = [
    Locator::KIND_UDP_V4,
    Locator::KIND_SHMEM,
    Locator::KIND_TCP_V4,
];

/// Peers with one transport each, all of which a receiver has heard.
fn alone(receiver: &mut dyn Receiver) -> [(i32, Box<dyn Transport>); 3] {
    let peers: [Box<dyn Transport>; 3] = [Box::new(udp()), Box::new(shm()), Box::new(tcp())];
    for (kind, peer) in KINDS.iter().zip(&peers) {
        meets(&**peer, receiver, *kind);
    }
    let mut kinds = KINDS.into_iter();
    peers.map(|peer| (kinds.next().unwrap(), peer))
}

#[test]
fn one_receiver_hears_peers_that_have_one_transport_each() {
    let test = "together::one_receiver_hears_peers_that_have_one_transport_each";
    in_namespace(test, LOOPBACK, || {
        let transport = all();
        let mut receiver = listen(&transport);
        let peers = alone(&mut *receiver);
        for (kind, peer) in &peers {
            let to = at(&*receiver, *kind);
            thread::scope(|scope| {
                scope.spawn(move || {
                    // It blocks by then.
                    thread::sleep(Duration::from_millis(20));
                    peer.send(&[outgoing(to, b"late")]);
                });
                assert_eq!(next(&mut *receiver), b"late", "kind {kind}");
            });
        }
        let large = vec![7; LARGE];
        let (_, tcp) = &peers[2];
        tcp.send(&[outgoing(at(&*receiver, Locator::KIND_TCP_V4), &large)]);
        assert_eq!(next(&mut *receiver), large);
    });
}

#[test]
fn a_waker_ends_a_wait_at_all_of_them_once() {
    let test = "together::a_waker_ends_a_wait_at_all_of_them_once";
    in_namespace(test, LOOPBACK, || {
        for with_udp in [true, false] {
            let udp = with_udp.then(udp);
            let transport = CompositeTransport::new(udp, Some(shm()), Some(tcp()));
            let mut receiver = listen(&transport);
            meets(&tcp(), &mut *receiver, Locator::KIND_TCP_V4);
            let waker = receiver.waker();
            thread::scope(|scope| {
                scope.spawn(move || {
                    thread::sleep(Duration::from_millis(20));
                    waker.wake();
                });
                let mut buffer = BytesMut::with_capacity(1 << 16);
                let received = receiver.receive(&mut buffer, Wait::Until(None)).unwrap();
                assert_eq!(received, None);
            });
        }
    });
}

#[test]
fn none_hides_the_others() {
    in_namespace("together::none_hides_the_others", LOOPBACK, || {
        let transport = all();
        let mut receiver = listen(&transport);
        let peers = alone(&mut *receiver);
        for (busy, peer) in &peers {
            let to = at(&*receiver, *busy);
            for (other, quiet) in peers.iter().filter(|(kind, _)| kind != busy) {
                quiet.send(&[outgoing(at(&*receiver, *other), b"quiet")]);
                let limit = Instant::now() + Duration::from_secs(300);
                // There is always more of the busy one.
                let mut heard = false;
                while !heard {
                    assert!(Instant::now() < limit, "{other} is not heard beside {busy}");
                    peer.send(&[outgoing(to, b"busy"); 2]);
                    heard = poll(&mut *receiver).is_some_and(|bytes| bytes == b"quiet");
                }
                while poll(&mut *receiver).is_some() {}
            }
        }
    });
}

#[test]
fn nobody_listens_twice_for_connections() {
    let test = "together::nobody_listens_twice_for_connections";
    in_namespace(test, LOOPBACK, || {
        let transport = all();
        let mut receiver = listen(&transport);
        let port = Listen::Unicast { port: 0 };
        assert!(receiver.listen_at(port).is_err());
        // Datagrams alone have no second kind of port.
        let datagrams = CompositeTransport::new(Some(udp()), Some(shm()), None);
        let mut receiver = datagrams.open(&[port]).unwrap();
        let error = receiver.listen_at(port).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
    });
}
