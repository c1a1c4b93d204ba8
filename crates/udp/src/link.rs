//! Ethernet frames in and out of one interface, for programs that play the cable between two
//! network namespaces.
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use socket2::{Domain, SockAddr, Type};

/// Every protocol, as the kernel wants it: big endian.
const ALL_PROTOCOLS: u16 = (libc::ETH_P_ALL as u16).to_be();

/// A packet socket on one interface: it hears every frame that arrives there, and none that leaves.
///
/// It needs the capability CAP_NET_RAW in the namespace of the interface.
#[derive(Debug)]
pub struct Link {
    inner: socket2::Socket,
}

impl Link {
    /// Opens the interface with this number (see [`crate::interfaces`]); it hears what arrives from
    /// now on. `queue` bytes of frames may wait.
    pub fn open(interface: u32, queue: usize) -> io::Result<Self> {
        // Without a protocol nothing is heard until the socket is bound to the interface.
        let inner = socket2::Socket::new(Domain::PACKET, Type::RAW, None)?;
        set(&inner, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, queue)
            .or_else(|_| set(&inner, libc::SOL_SOCKET, libc::SO_RCVBUF, queue))?;
        set(&inner, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
        inner.bind(&address(interface)?)?;
        inner.set_nonblocking(true)?;
        Ok(Self { inner })
    }

    /// Reads one frame, Ethernet header included; `None` if none waits.
    pub fn receive(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        match io::Read::read(&mut &self.inner, frame) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends one frame, Ethernet header included.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        self.inner.send(frame).map(drop)
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

fn address(interface: u32) -> io::Result<SockAddr> {
    let index = libc::c_int::try_from(interface).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the closure writes one whole `sockaddr_ll`, which the storage has room for, and
    // states its size.
    let (_, address) = unsafe {
        SockAddr::try_init(|storage, length| {
            storage
                .cast::<libc::sockaddr_ll>()
                .write(libc::sockaddr_ll {
                    sll_family: libc::AF_PACKET as u16,
                    sll_protocol: ALL_PROTOCOLS,
                    sll_ifindex: index,
                    sll_hatype: 0,
                    sll_pkttype: 0,
                    sll_halen: 0,
                    sll_addr: [0; 8],
                });
            *length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            Ok(())
        })?
    };
    Ok(address)
}

fn set(socket: &socket2::Socket, level: i32, name: i32, value: usize) -> io::Result<()> {
    let value = libc::c_int::try_from(value).unwrap_or(libc::c_int::MAX);
    crate::socket::set_option(socket.as_raw_fd(), level, name, value)
}
