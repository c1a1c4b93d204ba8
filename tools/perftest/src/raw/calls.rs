//! How the two sides of a raw run over TCP find each other: publishers listen, subscribers call,
//! and each says who it is.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, connect, recv, send,
    socket_with, sockopt,
};

use super::address::{bind_address, peer_address};
use super::gathering::Meet;
use super::line::Line;
use crate::clock::{MILLISECOND, Nanos, SECOND, monotonic};
use crate::options::{DEFAULT_PORT, Options, Role, TransportOptions};

const MAGIC: u32 = u32::from_le_bytes(*b"dlt1");

/// Bytes of a hello: magic, domain, side, id.
const HELLO: usize = 16;

/// Connections on which nothing has been said yet, and how long that may last.
const CALLERS: usize = 16;
const SILENCE: Nanos = 2 * SECOND;

/// Between two calls to one address.
const REDIAL: Nanos = 20 * MILLISECOND;

/// Longest sleep in the kernel for data.
const SLEEP: Duration = Duration::from_millis(2);

/// Who we are and who is being talked to.
pub(super) struct Calls {
    domain: u32,
    id: u32,
    publisher: bool,
    /// Ids of the other side.
    partners: u32,
    /// Of a publisher.
    listener: Option<(TcpListener, SocketAddrV4)>,
    /// Of a subscriber.
    from: Ipv4Addr,
    servers: Vec<Server>,
    waiting: Vec<WaitStrategy>,
    buffers: Buffers,
    /// The last one that did not belong here.
    stranger: Option<String>,
}

/// `-sendBufferSize`, `-receiveBufferSize`; otherwise the kernel lets buffers grow.
#[derive(Clone, Copy)]
struct Buffers {
    send: Option<usize>,
    receive: Option<usize>,
}

/// Where a publisher may be.
struct Server {
    at: SocketAddrV4,
    /// Who was there.
    id: Option<u32>,
    next: Nanos,
}

/// A connection on which the other side has not said all.
struct WaitStrategy {
    stream: TcpStream,
    /// The server that was called.
    called: Option<usize>,
    said: bool,
    heard: [u8; HELLO],
    length: usize,
    until: Nanos,
}

impl Calls {
    /// Listens, as a publisher.
    pub(super) fn open(options: &Options) -> Result<Self, String> {
        let (id, publisher, partners) = match &options.role {
            Role::Publisher(publisher) => (publisher.id, true, publisher.subscribers),
            Role::Subscriber(subscriber) => (subscriber.id, false, subscriber.publishers),
        };
        let transport = &options.transport;
        let servers = servers(transport, partners)?;
        let from = bind_address(transport, servers.iter().map(|at| *at.ip()))?;
        let buffers = Buffers {
            send: transport.send_buffer,
            receive: transport.receive_buffer,
        };
        Ok(Self {
            domain: options.domain,
            id,
            publisher,
            partners,
            listener: match publisher {
                true => Some(listen(SocketAddrV4::new(from, own_port(transport, id)?))?),
                false => None,
            },
            from,
            servers: servers.into_iter().map(Server::new).collect(),
            waiting: Vec::new(),
            buffers,
            stranger: None,
        })
    }

    fn accept(&mut self) {
        let Some((listener, _)) = &self.listener else {
            return;
        };
        while self.waiting.len() < CALLERS
            && let Ok((stream, _)) = listener.accept()
        {
            self.waiting.push(WaitStrategy::new(stream, None));
        }
    }

    fn call(&mut self, present: &[u32]) {
        let now = monotonic();
        for (index, server) in self.servers.iter_mut().enumerate() {
            let called = self.waiting.iter().any(|one| one.called == Some(index));
            let there = server.id.is_some_and(|id| present.contains(&id));
            if called || there || now < server.next {
                continue;
            }
            server.next = now + REDIAL;
            // What fails here is tried again.
            if let Ok(stream) = dial(self.from, server.at) {
                self.waiting.push(WaitStrategy::new(stream, Some(index)));
            }
        }
    }

    /// Who has said hello is ours if all is as expected.
    fn join(&mut self, waiting: WaitStrategy) -> Option<Line> {
        let mut words = waiting.heard.chunks_exact(4);
        let mut word = || Some(u32::from_le_bytes(words.next()?.try_into().ok()?));
        let (magic, domain, side_of, id) = (word()?, word()?, word()?, word()?);
        if magic != MAGIC || side_of == u32::from(self.publisher) || id >= self.partners {
            return None;
        }
        if domain != self.domain {
            let other = side(!self.publisher);
            self.stranger = Some(format!("{other} {id} is in domain {domain}"));
            return None;
        }
        if let Some(server) = waiting.called.and_then(|index| self.servers.get_mut(index)) {
            server.id = Some(id);
        }
        prepare(&waiting.stream, self.buffers).ok()?;
        Some(Line::new(waiting.stream, id))
    }

    fn hello(&self) -> [u8; HELLO] {
        let words = [MAGIC, self.domain, u32::from(self.publisher), self.id];
        let mut hello = [0; HELLO];
        for (place, word) in hello.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        hello
    }
}

impl Meet for Calls {
    type Way = Line;

    fn poll(&mut self, present: &[u32]) -> Vec<Line> {
        if self.publisher {
            self.accept();
        } else {
            self.call(present);
        }
        let (hello, now) = (self.hello(), monotonic());
        let mut came = Vec::new();
        for mut waiting in std::mem::take(&mut self.waiting) {
            match waiting.talk(&hello) {
                Ok(true) => came.extend(self.join(waiting)),
                Ok(false) if now < waiting.until => self.waiting.push(waiting),
                // Gone again, or none of ours: it may call anew.
                Ok(false) | Err(_) => {}
            }
        }
        came
    }

    fn describe(&self, present: usize) -> String {
        let at = match &self.listener {
            Some((_, at)) => format!("listens at {at}"),
            None => {
                let servers: Vec<_> = self.servers.iter().map(|s| s.at.to_string()).collect();
                format!("calls {}", servers.join(", "))
            }
        };
        let stranger = self.stranger.as_deref().unwrap_or("nobody else called");
        format!(
            "Raw TCP: {} {} in domain {} {at} and has met {present} of {} {}(s); {stranger}. Subscribers call: their -peer names address and port of the publisher, and both sides need the same -domain.",
            side(self.publisher),
            self.id,
            self.domain,
            self.partners,
            side(!self.publisher)
        )
    }
}

impl Server {
    fn new(at: SocketAddrV4) -> Self {
        Self {
            at,
            id: None,
            next: 0,
        }
    }
}

impl WaitStrategy {
    fn new(stream: TcpStream, called: Option<usize>) -> Self {
        Self {
            stream,
            called,
            said: false,
            heard: [0; HELLO],
            length: 0,
            until: monotonic() + SILENCE,
        }
    }

    /// Says who we are as soon as that goes, and hears who is there; true: it has all been said.
    fn talk(&mut self, hello: &[u8; HELLO]) -> rustix::io::Result<bool> {
        if !self.said {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            // So few bytes go out as a whole.
            match send(&self.stream, hello, flags) {
                Ok(_) => self.said = true,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        let room = self.heard.get_mut(self.length..).unwrap_or_default();
        match recv(&self.stream, room, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Err(Errno::CONNRESET),
            Ok((received, _)) => self.length += received,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        Ok(self.length == HELLO)
    }
}

fn side(publisher: bool) -> &'static str {
    if publisher { "publisher" } else { "subscriber" }
}

/// The port that a publisher listens at.
fn own_port(transport: &TransportOptions, id: u32) -> Result<u16, String> {
    match transport.stream.port {
        Some(0) => Err("-rawTransport -transport TCP: a publisher listens, so that -transportServerBindPort cannot be 0".into()),
        Some(port) => Ok(port),
        None => port_of(id),
    }
}

fn port_of(id: u32) -> Result<u16, String> {
    u16::try_from(u32::from(DEFAULT_PORT).saturating_add(id))
        .map_err(|_| format!("-rawTransport -transport TCP has no port for publisher {id}"))
}

/// Where publishers may be: the ports of each peer, or all ids on this host.
fn servers(transport: &TransportOptions, partners: u32) -> Result<Vec<SocketAddrV4>, String> {
    let mut addresses = Vec::new();
    for peer in &transport.peers {
        addresses.push((peer_address(peer)?, peer.descriptor.port));
    }
    if addresses.is_empty() {
        addresses.push((Ipv4Addr::LOCALHOST, None));
    }
    let mut servers = Vec::new();
    for (address, port) in addresses {
        match port {
            Some(port) => servers.push(SocketAddrV4::new(address, port)),
            None => {
                for id in 0..partners {
                    servers.push(SocketAddrV4::new(address, port_of(id)?));
                }
            }
        }
    }
    Ok(servers)
}

fn listen(at: SocketAddrV4) -> Result<(TcpListener, SocketAddrV4), String> {
    let listener = TcpListener::bind(at);
    let listener = listener.and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    match listener {
        Ok(listener) => Ok((listener, at)),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(format!(
            "raw TCP: port {} of {} is taken by another process; choose another one with -transportServerBindPort, and name it in -peer of the subscribers",
            at.port(),
            at.ip()
        )),
        Err(error) => Err(format!("raw TCP: listening at {at}: {error}")),
    }
}

/// A connection that is being made.
fn dial(from: Ipv4Addr, to: SocketAddrV4) -> rustix::io::Result<TcpStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    if !from.is_unspecified() {
        bind(&socket, &SocketAddrV4::new(from, 0))?;
    }
    match connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket.into()),
        Err(error) => Err(error),
    }
}

/// No waiting for more to send; sleep is bounded where there is any.
fn prepare(stream: &TcpStream, buffers: Buffers) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(SLEEP))?;
    if stream.local_addr()?.ip() == stream.peer_addr()?.ip() {
        // Within a host there is no network to share, and pacing, as BBR does it, nearly doubles the
        // time of 1 MiB. Where this one is not to be had, the system's choice has to do.
        let _ = sockopt::set_tcp_congestion(stream, "reno");
    }
    if let Some(bytes) = buffers.send {
        sockopt::set_socket_send_buffer_size(stream, bytes)?;
    }
    if let Some(bytes) = buffers.receive {
        sockopt::set_socket_recv_buffer_size(stream, bytes)?;
    }
    Ok(())
}
