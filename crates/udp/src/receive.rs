//! Receiving: one system call straight into the caller's buffer.
//!
//! That is `recvfrom`, which costs less than `recvmsg` for an empty poll and for a datagram; only a
//! socket that must tell the destination of each datagram needs `recvmsg`. The kernel's drops are
//! asked for when somebody wants to know them.
use std::io;
use std::mem::{self, MaybeUninit};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsRawFd;
use std::ptr;

use bytes::BytesMut;

use crate::{Socket, call};

/// What is known about a datagram besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Bytes that were appended to the buffer.
    pub length: usize,
    /// The sender, as its datagram claims.
    pub from: SocketAddrV4,
    /// The address it was sent to, if [`Socket::report_destination`] was asked for.
    pub to: Option<Ipv4Addr>,
    /// The datagram was longer than the spare capacity; nothing was appended.
    pub truncated: bool,
}

impl Socket {
    /// Appends one datagram to the spare capacity of `buffer`, which does not grow.
    ///
    /// If none is there, waits for one when `block` is set, else fails with
    /// [`io::ErrorKind::WouldBlock`].
    pub fn receive(&self, buffer: &mut BytesMut, block: bool) -> io::Result<Arrival> {
        let flags = if block { 0 } else { libc::MSG_DONTWAIT };
        loop {
            let arrival = match self.reports_destination() {
                false => receive_from(self.as_raw_fd(), buffer, flags),
                true => receive_message(self.as_raw_fd(), buffer, flags),
            };
            match arrival {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// True if the socket is as good as before the error: an ICMP answer to something that was sent, an
/// interface that went down, memory that was short for a moment.
pub fn is_passing(error: &io::Error) -> bool {
    !matches!(
        error.raw_os_error(),
        Some(libc::EBADF | libc::ENOTSOCK | libc::EFAULT | libc::EINVAL) | None
    )
}

/// Room for the control messages that a socket of this crate can be sent, aligned as `cmsghdr`
/// wants it.
#[repr(C, align(8))]
struct Control([MaybeUninit<u8>; 64]);

#[inline]
fn receive_from(fd: i32, buffer: &mut BytesMut, flags: libc::c_int) -> io::Result<Arrival> {
    let spare = buffer.spare_capacity_mut();
    let room = spare.len();
    // The true length comes back although less may fit.
    let (length, name) = call::receive_from(fd, spare, flags | libc::MSG_TRUNC)?;
    let truncated = length > room;
    let kept = if truncated { 0 } else { length };
    // SAFETY: the kernel wrote `length` bytes at the start of the spare capacity, which holds them.
    unsafe { buffer.set_len(buffer.len() + kept) };
    Ok(Arrival {
        length: kept,
        from: address(&name),
        to: None,
        truncated,
    })
}

fn receive_message(fd: i32, buffer: &mut BytesMut, flags: libc::c_int) -> io::Result<Arrival> {
    let mut name = MaybeUninit::<libc::sockaddr_in>::zeroed();
    let mut control = Control([MaybeUninit::uninit(); 64]);
    let spare = buffer.spare_capacity_mut();
    let mut part = libc::iovec {
        iov_base: spare.as_mut_ptr().cast(),
        iov_len: spare.len(),
    };
    // SAFETY: all zeroes is a `msghdr` with nothing in it.
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    header.msg_name = name.as_mut_ptr().cast();
    header.msg_namelen = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = size_of::<Control>() as _;
    // SAFETY: name, control, part and the spare capacity live in this frame or are borrowed by it,
    // with their lengths.
    let length = unsafe { libc::recvmsg(fd, &mut header, flags) };
    let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
    let truncated = header.msg_flags & libc::MSG_TRUNC != 0;
    let kept = if truncated { 0 } else { length };
    // SAFETY: the kernel wrote `length` bytes at the start of the spare capacity, never more than
    // `iov_len`.
    unsafe { buffer.set_len(buffer.len() + kept) };
    // SAFETY: zeroed above, and every bit pattern is a `sockaddr_in`.
    let name = unsafe { name.assume_init() };
    Ok(Arrival {
        length: kept,
        from: address(&name),
        to: destination(&header),
        truncated,
    })
}

fn address(name: &libc::sockaddr_in) -> SocketAddrV4 {
    let ip = Ipv4Addr::from(name.sin_addr.s_addr.to_ne_bytes());
    SocketAddrV4::new(ip, u16::from_be(name.sin_port))
}

/// Destination out of the control messages that came with a datagram.
fn destination(header: &libc::msghdr) -> Option<Ipv4Addr> {
    let mut to = None;
    // SAFETY: the kernel filled the control buffer and set its length; it outlives `header`'s
    // borrow.
    let mut at = unsafe { libc::CMSG_FIRSTHDR(header) };
    // SAFETY: null, or a control message inside the buffer, as CMSG_FIRSTHDR and CMSG_NXTHDR find
    // them.
    while let Some(message) = unsafe { at.as_ref() } {
        if (message.cmsg_level, message.cmsg_type) == (libc::IPPROTO_IP, libc::IP_PKTINFO) {
            // SAFETY: the kernel gives IP_PKTINFO an `in_pktinfo`.
            let info: libc::in_pktinfo = unsafe { ptr::read_unaligned(libc::CMSG_DATA(at).cast()) };
            to = Some(Ipv4Addr::from(info.ipi_addr.s_addr.to_ne_bytes()));
        }
        // SAFETY: `at` is a message of this header's control buffer.
        at = unsafe { libc::CMSG_NXTHDR(header, at) };
    }
    to
}
