//! Unix sockets in the abstract namespace: packets, file descriptors, and who is at the other end.
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    recvmsg, send, sendmsg, socket_with,
};

use crate::{Error, Violation};

/// File descriptors that come with one packet at most.
pub(crate) const MAX_FDS: usize = 17;

/// The byte that wakes a reader which polls.
pub(crate) const RING: u8 = 1;

/// Wakes a peer that polls its end. If the socket is full of such bytes, it is awake.
pub(crate) fn ring(socket: &OwnedFd) {
    let _ = send(socket, &[RING], SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
}

/// A socket for packets that never blocks.
pub(crate) fn packets() -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
}

/// Listens under a name that is in no directory.
pub(crate) fn listen(name: &str) -> Result<OwnedFd, Errno> {
    let socket = packets()?;
    rustix::net::bind(
        &socket,
        &SocketAddrUnix::new_abstract_name(name.as_bytes())?,
    )?;
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Connects to a name at once or not at all.
pub(crate) fn connect(name: &str) -> Result<OwnedFd, Errno> {
    let socket = packets()?;
    rustix::net::connect(
        &socket,
        &SocketAddrUnix::new_abstract_name(name.as_bytes())?,
    )?;
    Ok(socket)
}

/// Refuses a peer that is another user: the kernel says who connected, or who listened.
pub(crate) fn check_user(socket: &OwnedFd) -> Result<u32, Error> {
    let credentials = rustix::net::sockopt::socket_peercred(socket)?;
    if credentials.uid != rustix::process::geteuid() {
        return Err(Violation::User.into());
    }
    Ok(credentials.pid.as_raw_nonzero().get().unsigned_abs())
}

/// Refuses a connection when half of the descriptors that this process may have are in use: the
/// others are not ours.
pub(crate) fn check_plenty(socket: &OwnedFd) -> Result<(), Error> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let number = u64::try_from(socket.as_raw_fd()).unwrap_or(0);
    if limit.is_some_and(|limit| number >= limit / 2) {
        return Err(Error::Limit("this process has few file descriptors left"));
    }
    Ok(())
}

/// Sends one packet with file descriptors; at once or not at all.
pub(crate) fn send_packet(
    socket: &OwnedFd,
    bytes: &[u8],
    fds: &[BorrowedFd<'_>],
) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::INVAL);
    }
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, flags).map(|_| ())
}

/// What a socket has brought.
#[derive(Debug)]
pub(crate) enum Packet {
    Nothing,
    End,
    Bytes(usize, Vec<OwnedFd>),
}

/// Takes one packet. One that does not fit, or comes with too many file descriptors, is a
/// violation.
pub(crate) fn receive_packet(socket: impl AsFd, into: &mut [u8]) -> Result<Packet, Error> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = match recvmsg(socket, &mut [IoSliceMut::new(into)], &mut control, flags) {
        Ok(received) => received,
        Err(Errno::AGAIN | Errno::INTR) => return Ok(Packet::Nothing),
        Err(Errno::CONNRESET | Errno::PIPE) => return Ok(Packet::End),
        Err(errno) => return Err(errno.into()),
    };
    // Taken before any check, so that those of a refused packet are closed.
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if received
        .flags
        .intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC)
    {
        return Err(Violation::Header.into());
    }
    // A packet without bytes is what the end looks like, and nobody sends one.
    if received.bytes == 0 {
        return Ok(Packet::End);
    }
    Ok(Packet::Bytes(received.bytes, fds))
}
