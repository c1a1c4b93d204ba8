//! TCP sockets as the transport wants them: none of these calls waits.
use crate::panics::log;
use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use dunlin_udp::Buffers;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, SocketAddrAny, SocketFlags,
    SocketType, acceptfrom_with, bind, connect, getsockname, listen as start_listening, recv,
    sendmsg, shutdown, socket_with, sockopt,
};

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// Data that nobody acknowledges for so long ends a connection: its way is down, or its peer is
/// gone.
const UNACKNOWLEDGED: Duration = Duration::from_millis(1500);
/// A connection on which nothing travels is probed after this time, and so often.
const IDLE: Duration = Duration::from_secs(10);
const PROBES: Duration = Duration::from_secs(3);

/// Congestion control within a host. There is no network to share, and an algorithm that paces what
/// it sends, as BBR does, takes 1.6 times as long for 1 MiB. Every Linux has this one, for anybody.
const LOCAL_CONGESTION: &str = "reno";

/// A socket that listens, and its port.
pub(super) fn listen(
    at: SocketAddrV4,
    buffers: Option<Buffers>,
) -> io::Result<(OwnedFd, u16, usize)> {
    let socket = new()?;
    // Connections that are long closed do not keep the port.
    sockopt::set_socket_reuseaddr(&socket, true)?;
    // Before anybody connects, so that the window is large from the beginning.
    enlarge(&socket, buffers);
    bind(&socket, &at)?;
    start_listening(&socket, BACKLOG)?;
    let port = local(&socket)?.port();
    let granted = sockopt::socket_recv_buffer_size(&socket)?;
    Ok((socket, port, granted))
}

/// A connection that somebody has dialled; `None` if there is none at present.
pub(super) fn accept(
    listener: BorrowedFd<'_>,
    buffers: Option<Buffers>,
) -> io::Result<Option<(OwnedFd, SocketAddrV4)>> {
    match acceptfrom_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
        Ok((socket, Some(from))) => {
            let from = v4(from)?;
            prepare(&socket, buffers)?;
            hasten(&socket, from);
            Ok(Some((socket, from)))
        }
        Ok((_, None)) => Err(io::ErrorKind::AddrNotAvailable.into()),
        // It was closed before it was accepted.
        Err(Errno::AGAIN | Errno::CONNABORTED | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A connection that is being made: it is writable once it is, or has failed.
pub(super) fn dial(
    from: Ipv4Addr,
    to: SocketAddrV4,
    buffers: Option<Buffers>,
) -> io::Result<OwnedFd> {
    let socket = new()?;
    prepare(&socket, buffers)?;
    if !from.is_unspecified() {
        bind(&socket, &SocketAddrV4::new(from, 0))?;
    }
    match connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => {
            hasten(&socket, to);
            Ok(socket)
        }
        Err(error) => Err(error.into()),
    }
}

/// Does without pacing on a connection that stays within this host.
fn hasten(socket: &OwnedFd, remote: SocketAddrV4) {
    let stays = local(socket).is_ok_and(|own| own.ip() == remote.ip());
    if (stays || remote.ip().is_loopback())
        && let Err(error) = sockopt::set_tcp_congestion(socket, LOCAL_CONGESTION)
    {
        log::debug!(%error, "a TCP connection keeps the congestion control that it has");
    }
}

/// Whether a connection was made that was dialled.
pub(super) fn outcome(socket: &OwnedFd) -> io::Result<()> {
    Ok(sockopt::socket_error(socket)??)
}

/// The address of this host that a connection or a listener has.
pub(super) fn local(socket: &OwnedFd) -> io::Result<SocketAddrV4> {
    v4(getsockname(socket)?)
}

/// Sends as much as there is room for; 0 if there is none.
#[inline]
pub(super) fn send(socket: &OwnedFd, parts: &[IoSlice<'_>]) -> io::Result<usize> {
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    loop {
        match sendmsg(socket, parts, &mut SendAncillaryBuffer::default(), flags) {
            Ok(sent) => return Ok(sent),
            Err(Errno::AGAIN) => return Ok(0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The same for what is in one piece, which costs the system less.
#[inline]
pub(super) fn send_piece(socket: &OwnedFd, piece: &[u8]) -> io::Result<usize> {
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    loop {
        match rustix::net::send(socket, piece, flags) {
            Ok(sent) => return Ok(sent),
            Err(Errno::AGAIN) => return Ok(0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Receives what there is, 0 bytes at the end of the stream.
#[inline]
pub(super) fn receive(socket: &OwnedFd, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match recv(socket, &mut *room, RecvFlags::DONTWAIT) {
            Ok((received, _)) => return Ok(received),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until there is room to send, for so long at most.
pub(super) fn await_room(socket: &OwnedFd, limit: Duration) {
    let limit = Timespec::try_from(limit).ok();
    let mut fds = [PollFd::new(socket, PollFlags::OUT)];
    // A signal ends it early: then the caller sees that there is no room.
    let _ = poll(&mut fds, limit.as_ref());
}

/// What is sent from now on has this DiffServ code point.
#[cold]
pub(super) fn mark(socket: &OwnedFd, dscp: u8) {
    if let Err(error) = sockopt::set_ip_tos(socket, dscp.wrapping_shl(2)) {
        log::debug!(%error, dscp, "a TCP connection keeps the code point that it has");
    }
}

/// Nothing more is sent; the peer hears of it after all that was.
pub(super) fn finish(socket: &OwnedFd) {
    let _ = shutdown(socket, Shutdown::Write);
}

/// Whoever reads or writes hears of the end at once.
pub(super) fn close(socket: &OwnedFd) {
    let _ = shutdown(socket, Shutdown::Both);
}

fn new() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        flags,
        None,
    )?)
}

fn prepare(socket: &OwnedFd, buffers: Option<Buffers>) -> io::Result<()> {
    sockopt::set_tcp_nodelay(socket, true)?;
    sockopt::set_tcp_user_timeout(socket, millis(UNACKNOWLEDGED))?;
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, IDLE)?;
    sockopt::set_tcp_keepintvl(socket, PROBES)?;
    enlarge(socket, buffers);
    Ok(())
}

/// Asks for the sizes; what was granted can be read back.
fn enlarge(socket: &OwnedFd, buffers: Option<Buffers>) {
    let Some(Buffers { receive, send }) = buffers else {
        return;
    };
    let received = sockopt::set_socket_recv_buffer_size_force(socket, receive)
        .or_else(|_| sockopt::set_socket_recv_buffer_size(socket, receive));
    let sent = sockopt::set_socket_send_buffer_size_force(socket, send)
        .or_else(|_| sockopt::set_socket_send_buffer_size(socket, send));
    if let Err(error) = received.and(sent) {
        log::debug!(%error, "a TCP socket keeps its buffers as the system makes them");
    }
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

fn v4(address: SocketAddrAny) -> io::Result<SocketAddrV4> {
    match SocketAddr::try_from(address) {
        Ok(SocketAddr::V4(address)) => Ok(address),
        _ => Err(io::ErrorKind::AddrNotAvailable.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_connection_within_the_host_is_not_paced() {
        let home = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
        let (listener, port, _) = listen(home, None).unwrap();
        let to = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let dialled = dial(Ipv4Addr::UNSPECIFIED, to, None).unwrap();
        let accepted = loop {
            if let Some((accepted, _)) = accept(listener.as_fd(), None).unwrap() {
                break accepted;
            }
            await_room(&dialled, Duration::from_millis(10));
        };
        for socket in [dialled, accepted] {
            let algorithm = sockopt::tcp_congestion(&socket).unwrap();
            assert_eq!(algorithm, LOCAL_CONGESTION);
        }
    }
}
