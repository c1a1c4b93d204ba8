//! Listening to the multicast group of a domain beside the observer: only a socket of its own tells
//! what came by multicast.
use dunlin::why::Group;
use dunlin::{DomainParticipant, GuidPrefix};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::Duration;

/// Where participants announce themselves, and the port for domain 0 and from one to the next (RTPS
/// 2.5 9.6.2.3, 9.6.2.4).
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);
const PORT: u32 = 7400;
const PORTS_PER_DOMAIN: u32 = 250;
/// Bytes of a message up to the end of its sender's prefix.
const HEADER: usize = 20;

/// Collects what comes from when it was made on; the kernel keeps it until it is asked for.
pub(crate) struct Listener(UdpSocket);

impl Listener {
    /// Listens where the participant does.
    pub(crate) fn beside(participant: &DomainParticipant) -> io::Result<Self> {
        let port = PORT + PORTS_PER_DOMAIN * participant.domain_id();
        let port = u16::try_from(port).map_err(io::Error::other)?;
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_reuse_address(true)?;
        // Bound to the group itself, so that nothing else comes.
        socket.bind(&SocketAddr::from(SocketAddrV4::new(GROUP, port)).into())?;
        let mut joined = false;
        for locator in participant.domain().own.metatraffic_unicast {
            if let Some(SocketAddr::V4(own)) = locator.socket_addr() {
                joined |= socket.join_multicast_v4(&GROUP, own.ip()).is_ok();
            }
        }
        if !joined {
            return Err(io::Error::other("no interface lets us join the group"));
        }
        socket.set_read_timeout(Some(Duration::from_millis(1)))?;
        Ok(Self(socket.into()))
    }

    /// Whose messages have come so far.
    pub(crate) fn heard(&self, own: GuidPrefix) -> Group {
        let mut group = Group::default();
        let mut buffer = [0; HEADER];
        // What is longer than the buffer is cut off by the system.
        while let Ok((length, _)) = self.0.recv_from(&mut buffer) {
            let Some(sender) = buffer.get(..length).and_then(sender) else {
                continue;
            };
            match sender == own {
                true => group.own = true,
                false => drop(group.heard.insert(sender)),
            }
        }
        group
    }
}

fn sender(message: &[u8]) -> Option<GuidPrefix> {
    let prefix = message.strip_prefix(b"RTPS")?.get(4..16)?;
    prefix.try_into().ok().map(GuidPrefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_of_a_message_stands_in_its_header() {
        let message = *b"RTPS\x02\x05DLabcdefghijkl";
        assert_eq!(sender(&message), Some(GuidPrefix(*b"abcdefghijkl")));
        assert_eq!(sender(&message[..19]), None);
        assert_eq!(sender(b"RTPX\x02\x05DLabcdefghijkl"), None);
    }
}
