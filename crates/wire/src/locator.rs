//! Where an endpoint can be reached (RTPS 2.5 8.2.4.4, 9.3.2).
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A transport kind, a port and a 16-byte address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator {
    /// One of the `KIND_` constants, or a vendor's own.
    pub kind: i32,
    /// Port, 0 is invalid for UDP.
    pub port: u32,
    /// IPv4 addresses stand in the last four bytes.
    pub address: [u8; 16],
}

impl Locator {
    /// Not a transport.
    pub const KIND_INVALID: i32 = -1;
    /// UDP over IPv4.
    pub const KIND_UDP_V4: i32 = 1;
    /// UDP over IPv6.
    pub const KIND_UDP_V6: i32 = 2;
    /// TCP over IPv4, as other products number it. Addresses look like those of UDPv4; the port is
    /// the one that a server listens to.
    pub const KIND_TCP_V4: i32 = 4;
    /// Datagrams between participants of one process or one test: Dunlin's own. Addresses look like
    /// those of UDPv4.
    pub const KIND_MEMORY: i32 = 0x444c_0001;

    /// Shared memory between processes of one host: Dunlin's own. The first twelve bytes of an
    /// address are drawn at random by each participant, the others are zero.
    pub const KIND_SHMEM: i32 = 0x444c_0002;
    /// A participant that cannot be dialled by TCP, but dials: Dunlin's own. The first twelve bytes
    /// of the address are the prefix of its GUIDs, the others are zero.
    pub const KIND_TCP_CALLER: i32 = 0x444c_0003;
    /// All participants with which memory is shared; as in a UDP group, those that listen to the
    /// port.
    pub const SHMEM_NEIGHBOURS: Self = Self {
        kind: Self::KIND_SHMEM,
        port: 0,
        address: [0; 16],
    };

    /// A UDPv4 locator.
    pub fn udp_v4(address: Ipv4Addr, port: u16) -> Self {
        let [a, b, c, d] = address.octets();
        Self {
            kind: Self::KIND_UDP_V4,
            port: u32::from(port),
            address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d],
        }
    }

    /// A TCPv4 locator.
    pub fn tcp_v4(address: Ipv4Addr, port: u16) -> Self {
        Self {
            kind: Self::KIND_TCP_V4,
            ..Self::udp_v4(address, port)
        }
    }

    /// The locator of a participant that dials and cannot be dialled.
    pub fn tcp_caller(name: [u8; 12]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = name;
        Self {
            kind: Self::KIND_TCP_CALLER,
            port: 1,
            address: [a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 0],
        }
    }

    /// Where something came from by a connection that a participant has made: its name, the address
    /// that the connection comes from, and the port at which the participant says to listen, or, if
    /// it listens nowhere, that of the connection.
    pub fn tcp_called(name: [u8; 12], address: Ipv4Addr, port: u16) -> Self {
        let mut locator = Self::tcp_caller(name);
        let [.., a, b, c, d] = &mut locator.address;
        [*a, *b, *c, *d] = address.octets();
        locator.port = u32::from(port);
        locator
    }

    /// The two halves of what [`Self::tcp_called`] has made: the name, and where its participant
    /// would listen.
    pub fn parts_of_called(&self) -> Option<([u8; 12], Self)> {
        let ([name @ .., a, b, c, d], port) = (self.address, u16::try_from(self.port).ok()?);
        let address = Ipv4Addr::new(a, b, c, d);
        let is_called = self.kind == Self::KIND_TCP_CALLER && !address.is_unspecified();
        is_called.then(|| (name, Self::tcp_v4(address, port)))
    }

    /// The socket address that a UDP or TCP locator names; `None` for other kinds and for port 0 or
    /// above 65535.
    pub fn socket_addr(&self) -> Option<SocketAddr> {
        let port = u16::try_from(self.port).ok().filter(|p| *p != 0)?;
        let ip = match self.kind {
            Self::KIND_UDP_V4 | Self::KIND_TCP_V4 => {
                let [.., a, b, c, d] = self.address;
                IpAddr::V4(Ipv4Addr::new(a, b, c, d))
            }
            Self::KIND_UDP_V6 => IpAddr::V6(Ipv6Addr::from(self.address)),
            _ => return None,
        };
        Some(SocketAddr::new(ip, port))
    }

    /// True if both have the same address, whatever their ports.
    pub fn is_same_host(&self, other: &Self) -> bool {
        (self.kind, self.address) == (other.kind, other.address)
    }

    /// True if what came from `from` may be of a participant at this place. A connection can only
    /// come from the address that it seems to come from, so it may also be made by whoever is at
    /// this address for datagrams; the reverse is not so.
    pub fn may_have_sent(&self, from: &Self) -> bool {
        let by_connection = (self.kind, from.kind) == (Self::KIND_UDP_V4, Self::KIND_TCP_V4);
        self.is_same_host(from) || (by_connection && self.address == from.address)
    }

    /// True for a UDP or TCP address that every host has for itself.
    pub fn is_loopback(&self) -> bool {
        self.socket_addr().is_some_and(|a| a.ip().is_loopback())
    }

    /// True for multicast groups, of UDP and of [`Self::KIND_MEMORY`], and for
    /// [`Self::SHMEM_NEIGHBOURS`].
    pub fn is_multicast(&self) -> bool {
        let [.., a, b, c, d] = self.address;
        match self.kind {
            Self::KIND_MEMORY => Ipv4Addr::new(a, b, c, d).is_multicast(),
            Self::KIND_SHMEM => self.address.starts_with(&[0; 12]),
            _ => self.socket_addr().is_some_and(|a| a.ip().is_multicast()),
        }
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.socket_addr()) {
            (Self::KIND_UDP_V4 | Self::KIND_UDP_V6, Some(addr)) => write!(f, "udp/{addr}"),
            (Self::KIND_TCP_V4, Some(addr)) => write!(f, "tcp/{addr}"),
            (Self::KIND_TCP_CALLER, _) => {
                let [.., a, b, c, d, _, _, _, _] = self.address;
                write!(f, "tcp/caller {a:02x}{b:02x}{c:02x}{d:02x}")
            }
            (Self::KIND_SHMEM, _) => {
                let [.., a, b, c, d, _, _, _, _] = self.address;
                write!(f, "shmem/{a:02x}{b:02x}{c:02x}{d:02x}:{}", self.port)
            }
            _ => write!(f, "kind {:#x} port {}", self.kind, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tcp_locator_names_a_server() {
        let locator = Locator::tcp_v4([10, 0, 0, 1].into(), 7400);
        assert_eq!((locator.kind, locator.port), (4, 7400));
        assert_eq!(locator.address[..12], [0; 12]);
        assert_eq!(locator.socket_addr(), Some(([10, 0, 0, 1], 7400).into()));
        assert_eq!(alloc::format!("{locator:?}"), "tcp/10.0.0.1:7400");
        assert_ne!(locator, Locator::udp_v4([10, 0, 0, 1].into(), 7400));
    }

    #[test]
    fn what_a_caller_is_and_where_it_seems_to_be_are_told_apart() {
        let called = Locator::tcp_called([7; 12], [10, 0, 0, 1].into(), 7400);
        let seems = Locator::tcp_v4([10, 0, 0, 1].into(), 7400);
        assert_eq!(called.parts_of_called(), Some(([7; 12], seems)));
        let datagrams = |last| Locator::udp_v4([10, 0, 0, last].into(), 7411);
        assert!(datagrams(1).may_have_sent(&seems) && seems.may_have_sent(&seems));
        assert!(!datagrams(2).may_have_sent(&seems));
        assert!(!seems.may_have_sent(&datagrams(1)), "it may be forged");
        assert_eq!(Locator::tcp_caller([7; 12]).parts_of_called(), None);
        assert_eq!(seems.parts_of_called(), None);
    }
}
