//! Connected sockets, one for each peer that somebody sends to often.
//!
//! Only for peers of this host: there the price of looking up the way, a quarter of a microsecond,
//! counts, and the way never changes. To other hosts the kernel looks for each datagram, so that a
//! change of routes or addresses needs no care here.
use crate::panics::log;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use dunlin_udp::{Buffers, Socket};

use crate::send_path::{SendPath, Way};

/// Peers on this host that can have a socket of their own; those beyond share one.
const MOST: usize = 64;

/// The lanes in use: who asks for the same peer gets the same socket.
#[derive(Debug, Default)]
pub(super) struct SendPaths(Mutex<HashMap<SocketAddrV4, Weak<Socket>>>);

impl SendPaths {
    /// A socket that sends to `peer` from the address `from`; `None` if there is none to be had.
    pub(super) fn to(
        &self,
        from: Ipv4Addr,
        peer: SocketAddrV4,
        buffers: Buffers,
    ) -> Option<SendPath> {
        let mut send_paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = send_paths.get(&peer).and_then(Weak::upgrade) {
            return Some(SendPath(Way::Udp(known)));
        }
        send_paths.retain(|_, socket| socket.strong_count() > 0);
        if send_paths.len() >= MOST {
            return None;
        }
        match Socket::connected(from, peer, buffers) {
            Ok(socket) => {
                let socket = Arc::new(socket);
                send_paths.insert(peer, Arc::downgrade(&socket));
                Some(SendPath(Way::Udp(socket)))
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

    fn ask(send_paths: &SendPaths, port: u16) -> Option<SendPath> {
        let small = Buffers {
            receive: 0,
            send: 4096,
        };
        send_paths.to(Ipv4Addr::UNSPECIFIED, peer(port), small)
    }

    #[test]
    fn one_socket_for_each_peer_as_long_as_it_is_used() {
        let send_paths = SendPaths::default();
        let first = ask(&send_paths, 1000).unwrap();
        let again = ask(&send_paths, 1000).unwrap();
        assert!(first.is(&again));
        drop((first, again));
        assert!(ask(&send_paths, 1001).is_some());
        assert_eq!(send_paths.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn their_number_is_bounded() {
        let send_paths = SendPaths::default();
        let held: Vec<_> = (1..=100)
            .filter_map(|port| ask(&send_paths, port))
            .collect();
        assert_eq!(held.len(), MOST);
    }
}
