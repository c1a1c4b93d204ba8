//! Participants with certificates, and others.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use super::node::{Bare, Node, config, foreign, framed, next, node, poll, until};
use crate::tcp::tls::Tls;
use crate::tcp::{TcpConfig, TcpTransport, TlsConfig};
use crate::traits::Transport;

#[path = "authority.rs"]
mod authority;

use authority::Authority;

impl Authority {
    /// A participant's identity; it trusts whom `trusted` has signed.
    fn identity(&self, trusted: &Self) -> TlsConfig {
        let [certificates, key] = self.sign();
        TlsConfig {
            authorities: trusted.file(),
            certificates,
            key,
        }
    }

    fn node(&self, trusted: &Self) -> Node {
        Node::new(&with(self.identity(trusted)), 0)
    }
}

impl Node {
    /// All its keys have served long enough.
    fn wear_keys(&self) {
        let state = self.transport.table.state();
        let all = state.connections.values();
        all.for_each(|known| known.connection.wear_keys());
    }
}

fn with(tls: TlsConfig) -> TcpConfig {
    TcpConfig {
        tls: Some(tls),
        ..config()
    }
}

fn is_refused(node: &mut Node, why: &str) {
    until(&format!("refused: {why}"), || {
        assert_eq!(poll(&mut *node.meta), None);
        assert_eq!(poll(&mut *node.user), None);
        node.transport.refused_connections() > 0
    });
    let hints = node.transport.hints().concat();
    assert!(hints.contains(why), "{hints}");
}

#[test]
fn those_with_certificates_talk() {
    let authority = Authority::new();
    let mut a = authority.node(&authority);
    let mut b = authority.node(&authority);
    let send_paths = [a.lane(b.at), b.lane(a.at)];
    for round in 0..20_u8 {
        a.tell(b.at, &[round; 30]);
        assert_eq!(next(&mut *b.meta).0, [round; 30]);
        b.write(&send_paths[1], &[round; 3000]);
        assert_eq!(next(&mut *a.user).0, [round; 3000]);
        a.write(&send_paths[0], &[round; 300]);
        assert_eq!(next(&mut *b.user).0, [round; 300]);
    }
    a.await_connections(2);
    b.await_connections(2);
    let large: Vec<u8> = (0..5_u32 << 20).map(|n| (n / 7) as u8).collect();
    std::thread::scope(|scope| {
        let (a, lane, large) = (&a.voice, &send_paths[0], &large);
        scope.spawn(move || {
            until("it is sent", || a.write(lane, large).failed == 0);
            until("it is sent", || a.write(lane, b"small").failed == 0);
        });
        assert!(next(&mut *b.user).0 == *large);
        assert_eq!(next(&mut *b.user).0, b"small");
    });
}

#[test]
fn many_talk_to_one() {
    let authority = Authority::new();
    let mut one = authority.node(&authority);
    let many: Vec<_> = (0..6).map(|_| authority.node(&authority)).collect();
    let send_paths: Vec<_> = many.iter().map(|node| node.lane(one.at)).collect();
    for round in 0..20_u8 {
        for (node, lane) in many.iter().zip(&send_paths) {
            // Several messages in one record, and what is longer than one.
            for length in [10, 20, 30_000, 40] {
                assert_eq!(node.write(lane, &vec![round; length]).failed, 0);
            }
        }
        let mut lengths: Vec<_> = (0..24).map(|_| next(&mut *one.user).0.len()).collect();
        lengths.sort_unstable();
        assert_eq!((lengths[0], lengths[23]), (10, 30_000));
    }
}

#[test]
fn dialling_at_once_loses_nothing() {
    let authority = Authority::new();
    for _ in 0..10 {
        let mut a = authority.node(&authority);
        let mut b = authority.node(&authority);
        std::thread::scope(|scope| {
            for (from, to) in [(&a.voice, b.at), (&b.voice, a.at)] {
                scope.spawn(move || {
                    for number in 0..20_u8 {
                        assert_eq!(from.tell(to, &[number]).failed, 0);
                    }
                });
            }
        });
        for receiver in [&mut a.meta, &mut b.meta] {
            let mut arrived: Vec<_> = (0..20).map(|_| next(&mut **receiver).0).collect();
            arrived.sort();
            assert!(arrived.into_iter().eq((0..20).map(|number| vec![number])));
        }
        a.await_connections(1);
        b.await_connections(1);
    }
}

/// The other end of a connection, as rustls makes it by itself.
fn rustls_peer(authority: &Authority, node: &Node) -> StreamOwned<ClientConnection, TcpStream> {
    let tls = Tls::new(&authority.identity(authority)).unwrap();
    let name = ServerName::try_from("anybody").unwrap();
    let client = ClientConnection::new(tls.for_clients(), name).unwrap();
    StreamOwned::new(client, Bare::dial(node).0)
}

#[test]
fn records_are_those_of_other_implementations_also_with_new_keys() {
    let authority = Authority::new();
    let mut node = authority.node(&authority);
    let mut peer = rustls_peer(&authority, &node);
    let message = |length: usize| {
        let body = [[1, 1, 0, 0].as_slice(), &vec![7; length]].concat();
        foreign(&body)
    };
    for round in 0..6_usize {
        for length in [0, 100, 16_380, 16_384, 60_000] {
            let message = message(length);
            peer.write_all(&framed(&message)).unwrap();
            let (heard, received) = next(&mut *node.user);
            assert!(heard == message);
            assert_eq!(node.tell(received.from, &message).failed, 0);
            let mut answer = vec![0; framed(&message).len()];
            peer.read_exact(&mut answer).unwrap();
            assert!(answer == framed(&message));
        }
        // Either end may take new keys, and the first one asks the other to.
        match round % 3 {
            0 => peer.conn.refresh_traffic_keys().unwrap(),
            1 => node.wear_keys(),
            _ => {}
        }
    }
}

#[test]
fn a_certificate_of_another_authority_is_refused_at_either_end() {
    let (good, other) = (Authority::new(), Authority::new());
    let mut server = good.node(&good);
    // It trusts the server, which does not trust it.
    let mut stranger = other.node(&good);
    stranger.tell(server.at, b"let me in");
    is_refused(&mut server, "UnknownIssuer");
    is_refused(&mut stranger, "UnknownCA");
    // The other way round.
    let mut client = good.node(&other);
    client.tell(server.at, b"who are you?");
    is_refused(&mut client, "UnknownIssuer");
    assert_eq!(poll(&mut *server.meta), None);
}

#[test]
fn without_tls_nothing_is_said_to_those_with_it() {
    let authority = Authority::new();
    let mut server = authority.node(&authority);
    let mut plain = node();
    plain.tell(server.at, b"in the clear");
    is_refused(&mut server, "TLS");
    server.tell(plain.at, b"secret");
    is_refused(&mut plain, "no RTPS message");
    let mut bare = Bare::dial(&server);
    bare.send(&framed(&foreign(&[9, 3, 0, 0])));
    assert!(bare.is_closed());
    // Others are served all the same.
    let peer = authority.node(&authority);
    peer.tell(server.at, b"good day");
    assert_eq!(next(&mut *server.meta).0, b"good day");
}

#[test]
fn a_file_that_is_wrong_is_named() {
    let authority = Authority::new();
    let good = authority.identity(&authority);
    let nowhere = Path::new("/nowhere/ca.pem").to_owned();
    let pipe = good.key.with_file_name("pipe.pem");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for (config, file) in [
        (
            TlsConfig {
                authorities: pipe.clone(),
                ..good.clone()
            },
            "pipe.pem: not a regular file",
        ),
        (
            TlsConfig {
                key: pipe,
                ..good.clone()
            },
            "pipe.pem: not a regular file",
        ),
        (
            TlsConfig {
                authorities: nowhere.clone(),
                ..good.clone()
            },
            "/nowhere/ca.pem",
        ),
        (
            TlsConfig {
                key: good.certificates.clone(),
                ..good.clone()
            },
            "chain.pem",
        ),
        (
            TlsConfig {
                certificates: good.key.clone(),
                ..good.clone()
            },
            "key.pem",
        ),
    ] {
        let error = TcpTransport::new(&with(config)).unwrap_err().to_string();
        assert!(error.contains(file), "{error}");
    }
}
