//! A UDP socket over IPv4 with the options that RTPS traffic needs.
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use socket2::{Domain, InterfaceIndexOrAddress, Protocol, SockAddr, Type};

/// How much a socket may queue in the kernel, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Asked with SO_RCVBUFFORCE first, which only a privileged process may use, then with
    /// SO_RCVBUF.
    pub receive: usize,
    /// Likewise for sending.
    pub send: usize,
}

impl Default for Buffers {
    /// 8 MiB each way: Linux's own default holds 256 small datagrams and then drops in silence.
    fn default() -> Self {
        const EIGHT_MIB: usize = 8 << 20;
        Self {
            receive: EIGHT_MIB,
            send: EIGHT_MIB,
        }
    }
}

/// A bound UDP socket; threads may send and receive on it at the same time.
#[derive(Debug)]
pub struct Socket {
    inner: socket2::Socket,
    /// Its address, which [`Self::rebind`] changes, and its port.
    ip: AtomicU32,
    port: u16,
    /// The only one it sends to.
    peer: Option<SocketAddrV4>,
    reports_destination: bool,
    /// False once the kernel has refused to cut a message into datagrams.
    segments: AtomicBool,
}

impl Socket {
    /// A socket for datagrams to `local` alone. Port 0 asks for any free one.
    ///
    /// Fails with [`io::ErrorKind::AddrInUse`] if another socket has the port.
    pub fn unicast(local: SocketAddrV4, buffers: Buffers) -> io::Result<Self> {
        Self::bind(local, buffers, |_| Ok(()))
    }

    /// A socket that sends to `peer` alone, from `from` (or, if that is unspecified, from the
    /// address that the kernel chooses now). Sending costs less than on a socket for all, which
    /// looks its way up for each datagram.
    pub fn connected(from: Ipv4Addr, peer: SocketAddrV4, buffers: Buffers) -> io::Result<Self> {
        let mut socket = Self::bind(SocketAddrV4::new(from, 0), buffers, |_| Ok(()))?;
        socket.inner.connect(&SockAddr::from(peer))?;
        socket.peer = Some(peer);
        Ok(socket)
    }

    /// The only one it sends to, if it is connected.
    pub fn peer(&self) -> Option<SocketAddrV4> {
        self.peer
    }

    /// A socket for datagrams to the group and port of `group`, once it has joined on some
    /// interface.
    ///
    /// Any number of sockets may have the same group and port, also those of other products, and
    /// each gets its own copy of a datagram. What other sockets of this host have joined does not
    /// reach this one.
    pub fn multicast(group: SocketAddrV4, buffers: Buffers) -> io::Result<Self> {
        let shared = |port_too: bool| {
            move |socket: &socket2::Socket| {
                socket.set_reuse_address(true)?;
                socket.set_reuse_port(port_too)?;
                socket.set_multicast_all_v4(false)
            }
        };
        // A product that asked for SO_REUSEPORT alone shares the port only with those who ask for
        // it too. It divides unicast datagrams among sockets, not multicast ones, and this socket
        // is bound to a group.
        Self::bind(group, buffers, shared(false)).or_else(|error| match error.kind() {
            io::ErrorKind::AddrInUse => Self::bind(group, buffers, shared(true)),
            _ => Err(error),
        })
    }

    /// Receives what arrives for `group` on the interface with this index.
    pub fn join(&self, group: Ipv4Addr, interface: u32) -> io::Result<()> {
        self.inner
            .join_multicast_v4_n(&group, &InterfaceIndexOrAddress::Index(interface))
    }

    /// Receives no longer what arrives for `group` on this interface.
    pub fn leave(&self, group: Ipv4Addr, interface: u32) -> io::Result<()> {
        self.inner
            .leave_multicast_v4_n(&group, &InterfaceIndexOrAddress::Index(interface))
    }

    /// Makes each [`Arrival`](crate::Arrival) say which address it was sent to, at a small cost for
    /// each.
    pub fn report_destination(&mut self) -> io::Result<()> {
        set_option(self.as_raw_fd(), libc::IPPROTO_IP, libc::IP_PKTINFO, 1)?;
        self.reports_destination = true;
        Ok(())
    }

    /// Ends a blocking [`receive`](Self::receive) after this time (`None`: never) with
    /// [`io::ErrorKind::WouldBlock`]. The kernel rounds it up to its own ticks, 10 ms at most.
    pub fn limit_receive(&self, time: Option<Duration>) -> io::Result<()> {
        self.inner.set_read_timeout(time)
    }

    pub(crate) fn reports_destination(&self) -> bool {
        self.reports_destination
    }

    /// True if the kernel can be given several datagrams as one message (UDP_SEGMENT).
    #[inline]
    pub(crate) fn segments(&self) -> bool {
        self.segments.load(Ordering::Relaxed)
    }

    /// Each datagram is a message of its own from now on.
    pub(crate) fn send_no_segments(&self) {
        self.segments.store(false, Ordering::Relaxed);
    }

    /// Datagrams that came and that the kernel dropped for want of room, modulo 2^32 (SO_MEMINFO,
    /// the same counter as SO_RXQ_OVFL without its cost for each datagram).
    pub fn dropped(&self) -> io::Result<u32> {
        const SK_MEMINFO_DROPS: usize = 8;
        const SK_MEMINFO_VARS: usize = 9;
        let mut values = [0u32; SK_MEMINFO_VARS];
        let mut length = size_of_val(&values) as libc::socklen_t;
        // SAFETY: `values` and `length` live in this frame, and `length` is that of `values`.
        let result = unsafe {
            libc::getsockopt(
                self.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_MEMINFO,
                values.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        match result {
            0 => Ok(values[SK_MEMINFO_DROPS]),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The address and port that it is bound to.
    pub fn local_addr(&self) -> SocketAddrV4 {
        let ip = Ipv4Addr::from_bits(self.ip.load(Ordering::Relaxed));
        SocketAddrV4::new(ip, self.port)
    }

    /// Has the same port at another address of this host from now on. Whoever blocks in a receive
    /// hears what comes there after that receive; what was queued is lost, as is whatever else was
    /// sent to an address that is no more.
    ///
    /// For sockets of [`Self::unicast`]. Fails, and changes nothing, if the port is taken there.
    pub fn rebind(&self, ip: Ipv4Addr, buffers: Buffers) -> io::Result<()> {
        let fresh = Self::unicast(SocketAddrV4::new(ip, self.port), buffers)?;
        fresh.inner.set_read_timeout(self.inner.read_timeout()?)?;
        // SAFETY: both are open files of this process, owned by values that are borrowed here; the
        // number of this one stays open and stays ours.
        let result = unsafe { libc::dup3(fresh.as_raw_fd(), self.as_raw_fd(), libc::O_CLOEXEC) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        self.ip.store(ip.to_bits(), Ordering::Relaxed);
        Ok(())
    }

    /// Bytes that the kernel lets the receive queue hold, its own bookkeeping included (SO_RCVBUF
    /// as read back).
    pub fn receive_buffer(&self) -> io::Result<usize> {
        self.inner.recv_buffer_size()
    }

    /// Bytes that the kernel lets the send queue hold, its own bookkeeping included (SO_SNDBUF as
    /// read back).
    pub fn send_buffer(&self) -> io::Result<usize> {
        self.inner.send_buffer_size()
    }

    fn bind(
        local: SocketAddrV4,
        buffers: Buffers,
        prepare: impl FnOnce(&socket2::Socket) -> io::Result<()>,
    ) -> io::Result<Self> {
        const SAME_LINK: u32 = 1;
        let inner = socket2::Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        prepare(&inner)?;
        enlarge(&inner, buffers)?;
        inner.set_multicast_ttl_v4(SAME_LINK)?;
        inner.set_multicast_loop_v4(true)?;
        inner.bind(&SockAddr::from(local))?;
        match inner.local_addr()?.as_socket() {
            Some(SocketAddr::V4(local)) => Ok(Self {
                segments: AtomicBool::new(knows_segments(&inner)),
                inner,
                ip: AtomicU32::new(local.ip().to_bits()),
                port: local.port(),
                peer: None,
                reports_destination: false,
            }),
            _ => Err(io::ErrorKind::AddrNotAvailable.into()),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl AsRawFd for Socket {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

/// Asks for the sizes; what was granted can be read back and is the caller's to judge.
fn enlarge(socket: &socket2::Socket, buffers: Buffers) -> io::Result<()> {
    let fd = socket.as_raw_fd();
    let bytes = |size| libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
    let (receive, send) = (bytes(buffers.receive), bytes(buffers.send));
    set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, receive)
        .or_else(|_| set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, receive))?;
    set_option(fd, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, send)
        .or_else(|_| set_option(fd, libc::SOL_SOCKET, libc::SO_SNDBUF, send))
}

/// A kernel before 4.18 does not, and would pass over the control message in silence.
fn knows_segments(socket: &socket2::Socket) -> bool {
    set_option(socket.as_raw_fd(), libc::SOL_UDP, libc::UDP_SEGMENT, 0).is_ok()
}

pub(crate) fn set_option(
    fd: RawFd,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    // SAFETY: the value is an int of this frame, and the length is that of an int.
    let result = unsafe {
        libc::setsockopt(
            fd,
            level,
            name,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(port: u16) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
    }

    #[test]
    fn a_taken_unicast_port_is_refused() {
        let first = Socket::unicast(home(0), Buffers::default()).unwrap();
        let second = Socket::unicast(first.local_addr(), Buffers::default());
        assert_eq!(second.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn a_socket_moves_to_another_address_with_its_port() {
        let small = Buffers {
            receive: 4096,
            send: 4096,
        };
        let moving = Socket::unicast(home(0), small).unwrap();
        let port = moving.local_addr().port();
        let elsewhere = SocketAddrV4::new([127, 0, 0, 2].into(), port);
        moving.rebind(*elsewhere.ip(), small).unwrap();
        assert_eq!(moving.local_addr(), elsewhere);
        let sender = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.send_to(b"there", elsewhere).unwrap();
        let mut buffer = bytes::BytesMut::with_capacity(64);
        assert_eq!(moving.receive(&mut buffer, true).unwrap().length, 5);
        // The port is free where it was.
        let other = Socket::unicast(home(port), small).unwrap();
        let taken = other.rebind(*elsewhere.ip(), small).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        assert_eq!(other.local_addr(), home(port));
    }

    #[test]
    fn buffers_grow_as_far_as_the_system_allows() {
        let small = Buffers {
            receive: 4096,
            send: 4096,
        };
        let small = Socket::unicast(home(0), small).unwrap();
        let large = Socket::unicast(home(0), Buffers::default()).unwrap();
        assert!(large.receive_buffer().unwrap() > small.receive_buffer().unwrap());
        assert!(large.send_buffer().unwrap() > small.send_buffer().unwrap());
    }
}
