//! Connected sockets, one for each peer that somebody sends to often.
//!
//! Only for peers of this host: there the price of looking up the way, a quarter of a microsecond, counts, and the way never
//! changes. To other hosts the kernel looks for each datagram, so that a change of routes or addresses needs no care here.
use crate::panics::log;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use dunlin_udp::{Buffers, Socket};

use crate::traits::{Lane, Way};

/// Peers on this host that can have a socket of their own; those beyond share one.
const MOST: usize = 64;

/// The lanes in use: who asks for the same peer gets the same socket.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<HashMap<SocketAddrV4, Weak<Socket>>>);

impl Lanes {
    /// A socket that sends to `peer` from the address `from`; `None` if there is none to be had.
    pub(super) fn to(&self, from: Ipv4Addr, peer: SocketAddrV4, buffers: Buffers) -> Option<Lane> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lanes.get(&peer).and_then(Weak::upgrade) {
            return Some(Lane(Way::Udp(known)));
        }
        lanes.retain(|_, socket| socket.strong_count() > 0);
        if lanes.len() >= MOST {
            return None;
        }
        match Socket::connected(from, peer, buffers) {
            Ok(socket) => {
                let socket = Arc::new(socket);
                lanes.insert(peer, Arc::downgrade(&socket));
                Some(Lane(Way::Udp(socket)))
            }
            Err(error) => {
                log::debug!(%peer, %error, "no socket for this peer alone; it is sent to by the one for all");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(port: u16) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
    }

    fn ask(lanes: &Lanes, port: u16) -> Option<Lane> {
        let small = Buffers {
            receive: 0,
            send: 4096,
        };
        lanes.to(Ipv4Addr::UNSPECIFIED, peer(port), small)
    }

    #[test]
    fn one_socket_for_each_peer_as_long_as_it_is_used() {
        let lanes = Lanes::default();
        let first = ask(&lanes, 1000).unwrap();
        let again = ask(&lanes, 1000).unwrap();
        assert!(first.is(&again));
        drop((first, again));
        assert!(ask(&lanes, 1001).is_some());
        assert_eq!(lanes.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn their_number_is_bounded() {
        let lanes = Lanes::default();
        let held: Vec<_> = (1..=100).filter_map(|port| ask(&lanes, port)).collect();
        assert_eq!(held.len(), MOST);
    }
}
