//! The floor of UDP: one socket, and who is at the other end.

use std::io::IoSlice;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{
    RecvFlags, SendAncillaryBuffer, SendFlags, recv, recvfrom, send, sendmsg, sendmsg_addr,
};

use super::address::{bind_address, peer_address};
use super::datagram::{Assembly, PIECE, PIECE_HEAD, Piece, encode, pieces};
use super::floor::Floor;
use super::relay::Tally;
use crate::messaging::{OVERHEAD, Sample, Topic, WriteError};
use crate::options::{Options, Role, TransportOptions};

/// Ids that fit between the ports of two domains.
const IDS: u16 = 120;

/// Room for a burst of large samples.
const BUFFER: usize = 16 << 20;

/// A bound socket and the addresses that it talks to.
pub(crate) struct Udp {
    socket: UdpSocket,
    local: SocketAddrV4,
    remotes: Vec<SocketAddrV4>,
    /// With a single remote the socket is connected: cheaper, and the kernel tells when the other
    /// process is gone.
    connected: bool,
    /// Sleep in the kernel for data.
    blocking: bool,
    heard: AtomicU64,
    gone: AtomicBool,
}

impl Floor for Udp {
    type ReceiveState = Assembly;

    const POLLS: u32 = 16;

    /// Binds the port of this side and finds out about the other side.
    fn open(options: &Options, blocking: bool) -> Result<Self, String> {
        let (mine, theirs) = ports(options)?;
        let remotes = remotes(&options.transport, &theirs)?;
        let local = SocketAddrV4::new(
            bind_address(
                &options.transport,
                remotes.iter().map(|remote| *remote.ip()),
            )?,
            mine,
        );
        let fault = |what: &str, error: &dyn std::fmt::Display| {
            format!("raw socket {local}: {what}: {error}")
        };
        let socket = UdpSocket::bind(local).map_err(|error| fault("bind", &error))?;
        set_buffers(&socket, &options.transport);
        if blocking {
            sockopt::set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_millis(2)))
                .map_err(|error| fault("time-out", &error))?;
        }
        let connected = remotes.len() == 1;
        if connected {
            socket
                .connect(remotes[0])
                .map_err(|error| fault("connect", &error))?;
        }
        Ok(Self {
            socket,
            local,
            remotes,
            connected,
            blocking,
            heard: AtomicU64::new(0),
            gone: AtomicBool::new(false),
        })
    }

    fn receive_state(&self) -> Assembly {
        Assembly::new()
    }

    fn receive(
        &self,
        state: &mut Assembly,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        let Some(length) = self.datagram(state.room()) else {
            return Ok(false);
        };
        if let Some((topic, header, data)) = state.take(length) {
            let sample = Sample {
                header,
                data,
                shared: None,
            };
            sink(topic, &sample);
        }
        Ok(true)
    }

    /// Sends a sample to all remotes, in as many datagrams as it takes.
    fn send(&self, topic: Topic, sample: &Sample<'_>) -> Result<(), WriteError> {
        let total = pieces(sample.data.len());
        if total == 1 {
            let whole = Piece {
                topic,
                index: 0,
                total,
            };
            return self.send_piece(whole, sample, sample.data);
        }
        for (index, data) in (0u32..).zip(sample.data.chunks(PIECE)) {
            let piece = Piece {
                topic,
                index,
                total,
            };
            self.send_piece(piece, sample, data)?;
        }
        Ok(())
    }

    /// Datagrams go on as they are, pieces of a large sample among them.
    #[inline]
    fn pass(&self, state: &mut Assembly, to: &Self, tally: &Tally) -> Result<bool, String> {
        let Some(length) = self.datagram(state.room()) else {
            return Ok(false);
        };
        let datagram = state.datagram(length);
        // An empty one only asks whether we are here.
        if !datagram.is_empty() {
            match to.pass_on(datagram) {
                Ok(()) => tally.passed(length),
                Err(Errno::CONNREFUSED | Errno::AGAIN | Errno::NOBUFS) => tally.dropped(),
                Err(error) => return Err(format!("raw socket {}: send: {error}", to.local)),
            }
        }
        Ok(true)
    }

    /// Who is not there any more refuses the empty datagram.
    fn probe(&self) {
        // Whatever else fails is for the next datagram to tell.
        let _ = self.pass_on(&[]);
    }

    fn partners(&self) -> usize {
        if self.gone.load(Ordering::Relaxed) {
            0
        } else {
            self.remotes.len()
        }
    }

    fn describe(&self) -> String {
        let remotes: Vec<_> = self.remotes.iter().map(SocketAddrV4::to_string).collect();
        let heard = match self.heard.load(Ordering::Relaxed) {
            0 => "nothing has come from there".to_string(),
            count => format!("{count} datagrams have come from there"),
        };
        format!(
            "Raw sockets do not discover: {} talks to {} and {heard}. The other side needs the same -domain, the matching -peer and its own id.",
            self.local,
            remotes.join(", ")
        )
    }
}

impl Udp {
    /// Receives one datagram of a remote into `buffer`; sleeps a little for it if the link is
    /// blocking.
    fn datagram(&self, buffer: &mut [u8]) -> Option<usize> {
        let flags = if self.blocking {
            RecvFlags::empty()
        } else {
            RecvFlags::DONTWAIT
        };
        let received = if self.connected {
            recv(&self.socket, buffer, flags).map(|(length, _)| (length, true))
        } else {
            recvfrom(&self.socket, buffer, flags).map(|(length, _, from)| {
                let from = from.and_then(|from| SocketAddr::try_from(from).ok());
                (length, from.is_some_and(|from| self.knows(from)))
            })
        };
        match received {
            Ok((length, true)) => {
                self.note_heard();
                Some(length)
            }
            Ok((_, false)) => None,
            Err(error) => {
                self.note_error(error);
                None
            }
        }
    }

    fn knows(&self, from: SocketAddr) -> bool {
        self.remotes
            .iter()
            .any(|remote| SocketAddr::V4(*remote) == from)
    }

    fn note_heard(&self) {
        if self.heard.fetch_add(1, Ordering::Relaxed) == 0 || self.gone.load(Ordering::Relaxed) {
            self.gone.store(false, Ordering::Relaxed);
        }
    }

    /// A refused port means that the other process has died, if it ever lived.
    fn note_error(&self, error: Errno) {
        if error == Errno::CONNREFUSED && self.heard.load(Ordering::Relaxed) > 0 {
            self.gone.store(true, Ordering::Relaxed);
        }
    }

    fn send_piece(&self, piece: Piece, sample: &Sample<'_>, data: &[u8]) -> Result<(), WriteError> {
        let mut head = [0; PIECE_HEAD];
        head[..OVERHEAD].copy_from_slice(&encode(&sample.header, piece));
        let head = if piece.total > 1 {
            &head
        } else {
            &head[..OVERHEAD]
        };
        let parts = [IoSlice::new(head), IoSlice::new(data)];
        let mut none = SendAncillaryBuffer::default();
        let none_set = SendFlags::empty();
        if self.connected {
            return self.sent(|| sendmsg(&self.socket, &parts, &mut none, none_set));
        }
        for remote in &self.remotes {
            self.sent(|| sendmsg_addr(&self.socket, remote, &parts, &mut none, none_set))?;
        }
        Ok(())
    }

    /// What was refused before is told now, and only then; so the datagram is offered once more.
    fn pass_on(&self, datagram: &[u8]) -> rustix::io::Result<()> {
        let try_send =
            || rustix::io::retry_on_intr(|| send(&self.socket, datagram, SendFlags::empty()));
        match try_send() {
            Err(error @ Errno::CONNREFUSED) => {
                self.note_error(error);
                try_send().map(|_| ())
            }
            sent => sent.map(|_| ()),
        }
    }

    fn sent(&self, mut send: impl FnMut() -> rustix::io::Result<usize>) -> Result<(), WriteError> {
        match rustix::io::retry_on_intr(&mut send) {
            Ok(_) => Ok(()),
            Err(error @ Errno::CONNREFUSED) => {
                // What is lost with nobody at the other end is lost; that is what best effort
                // means.
                self.note_error(error);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::NOBUFS) => Err(WriteError::Timeout),
            Err(error) => Err(WriteError::Failed(error.to_string())),
        }
    }
}

/// The port of this side, and those of the other side by id. Publishers have even offsets,
/// subscribers odd ones.
fn ports(options: &Options) -> Result<(u16, Vec<u16>), String> {
    let (id, count, mine, theirs) = match &options.role {
        Role::Publisher(publisher) => (publisher.id, publisher.subscribers, 0, 1),
        Role::Subscriber(subscriber) => (subscriber.id, subscriber.publishers, 1, 0),
    };
    if id >= u32::from(IDS) || count > u32::from(IDS) {
        return Err(format!(
            "-rawTransport has ports for ids up to {} only",
            IDS - 1
        ));
    }
    let base = 7_410 + 250 * options.domain;
    let port = |id: u32, side: u32| u16::try_from(base + 2 * id + side);
    let wrong = |_| {
        format!(
            "-rawTransport: the ports of {} ids in domain {} are beyond 65535; use a smaller domain",
            count.max(id + 1),
            options.domain
        )
    };
    let theirs: Result<_, _> = (0..count).map(|id| port(id, theirs)).collect();
    Ok((port(id, mine).map_err(wrong)?, theirs.map_err(wrong)?))
}

/// Where the other side is: the ids of each peer in turn, or all on this host.
fn remotes(transport: &TransportOptions, ports: &[u16]) -> Result<Vec<SocketAddrV4>, String> {
    if transport.peers.is_empty() {
        let local = |port: &u16| SocketAddrV4::new(Ipv4Addr::LOCALHOST, *port);
        return Ok(ports.iter().map(local).collect());
    }
    let mut found = Vec::new();
    for (place, peer) in transport.peers.iter().enumerate() {
        let address = peer_address(peer)?;
        let all = (0, ports.len().saturating_sub(1) as u16);
        let (first, last) = match peer.ids {
            Some(ids) => ids,
            None if transport.peers.len() == 1 => all,
            None => (place as u16, place as u16),
        };
        for id in first..=last {
            let port = ports.get(usize::from(id)).ok_or_else(|| {
                format!(
                    "-peer {}:{id}: with -rawTransport the number is an id below -numSubscribers or -numPublishers ({})",
                    address,
                    ports.len()
                )
            })?;
            found.push(SocketAddrV4::new(address, *port));
        }
    }
    Ok(found)
}

/// Large buffers: forced where we may, else what the system allows.
fn set_buffers(socket: &UdpSocket, transport: &TransportOptions) {
    let receive = transport.receive_buffer.unwrap_or(BUFFER);
    if sockopt::set_socket_recv_buffer_size_force(socket, receive).is_err() {
        let _ = sockopt::set_socket_recv_buffer_size(socket, receive);
    }
    let send = transport.send_buffer.unwrap_or(BUFFER);
    if sockopt::set_socket_send_buffer_size_force(socket, send).is_err() {
        let _ = sockopt::set_socket_send_buffer_size(socket, send);
    }
}
