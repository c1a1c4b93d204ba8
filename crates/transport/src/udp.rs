//! UDP over IPv4.
//!
//! Which interfaces: all that are up, or those that the configuration names by name or address. One
//! socket sends everything; a multicast datagram names its interface, so that neither a route nor
//! the flag MULTICAST is needed and `lo` alone works in a bare network namespace.
//!
//! What peers are told ([`Receiver::locators`]): every allowed address except those of loopback
//! interfaces; loopback addresses only if nothing else is allowed. So no remote peer is ever sent
//! to its own 127.0.0.1, while a peer on this host reaches us by any address of ours, because Linux
//! carries what is sent to a local address over `lo`. This holds for a peer that is restricted to
//! `lo` too: it hears our announcements there, since they go out on `lo` as on every other
//! interface.
//!
//! A participant restricted to a single address binds to it: nothing from elsewhere comes in, and
//! another participant may have the same port at another address. With several of many addresses,
//! what was sent to the others is dropped.
//!
//! Interfaces and addresses are followed ([`interfaces`]); sockets that are bound to an address of
//! an interface get its next one.
mod interfaces;
mod receiver;
pub(crate) mod selection;
mod send_paths;
mod wake;

use crate::panics::log;
use crate::properties::{self, TransportProperties};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use dunlin_udp::{Buffers, Datagram, Egress, Socket};
use dunlin_wire::Locator;

use crate::send_path::{SendPath, Way};
use crate::traits::{Listen, Outgoing, Reach, Receiver, Reception, Sent, Transport, Watcher};
use interfaces::Interfaces;
use receiver::Port;
pub(crate) use receiver::UdpReceiver;
use send_paths::SendPaths;
use wake::Line;

/// What a UDP datagram over IPv4 can hold: 65535 less the headers of IP and UDP.
const MAX_DATAGRAM: usize = 65507;
/// Headers of IP, without options, and UDP.
const HEADERS: usize = 28;
/// However small an interface's MTU, datagrams are not made smaller: 576 bytes is what every host
/// takes in.
const MIN_WHOLE: usize = 576 - HEADERS;
/// Places that one receiver can listen at.
const MAX_LISTEN: usize = 16;

/// Choices for [`UdpTransport::new`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UdpConfig {
    /// Names or IPv4 addresses of the interfaces to use; `None` means all that are up, loopback
    /// included.
    pub interfaces: Option<Vec<String>>,
    /// What to ask of the system for each socket.
    pub buffers: Buffers,
}

/// UDP over IPv4 on the chosen interfaces.
#[derive(Debug)]
pub struct UdpTransport {
    interfaces: Arc<Interfaces>,
    buffers: Buffers,
    /// Sends what has no lane. Its port is nobody's address, so that sender and receiver share no
    /// cache lines.
    socket: Arc<Socket>,
    send_paths: SendPaths,
    /// A datagram from a socket to itself arrives, so that one can wake a blocked receiver.
    hears_itself: bool,
    failed: AtomicU64,
}

impl UdpTransport {
    /// Fails if a chosen interface does not exist or is down, naming those that there are.
    pub fn new(config: &UdpConfig) -> io::Result<Self> {
        let interfaces = Interfaces::new(config.interfaces.as_deref())?;
        let bound_to = interfaces.current().bind_to();
        let sending = Buffers {
            receive: 0,
            send: config.buffers.send,
        };
        let socket = Arc::new(Socket::unicast(SocketAddrV4::new(bound_to, 0), sending)?);
        interfaces.bind(&socket, sending);
        Ok(Self {
            interfaces,
            buffers: config.buffers,
            hears_itself: wake::hears_itself(&socket),
            socket,
            send_paths: SendPaths::default(),
            failed: AtomicU64::new(0),
        })
    }

    /// What its sockets are bound to.
    fn bound_to(&self) -> Ipv4Addr {
        *self.socket.local_addr().ip()
    }

    fn unicast(&self, port: u16) -> io::Result<Port> {
        let local = SocketAddrV4::new(self.bound_to(), port);
        let mut socket = Socket::unicast(local, self.buffers)
            .map_err(|e| explain(&e, format_args!("UDP port {local}")))?;
        let selection = self.interfaces.current();
        let accepted = selection.accepted().map(|_| Arc::clone(&self.interfaces));
        if accepted.is_some() {
            socket.report_destination()?;
        }
        let port = socket.local_addr().port();
        let addresses = selection.announced();
        let locators = addresses.map(|ip| Locator::udp_v4(ip, port)).collect();
        let socket = Arc::new(socket);
        self.interfaces.bind(&socket, self.buffers);
        Ok(Port::new(socket, locators, accepted))
    }

    /// Joins on every interface that can; one is enough.
    fn multicast(&self, group: &Locator) -> io::Result<Port> {
        let to = socket_addr(group)
            .filter(|to| to.ip().is_multicast())
            .ok_or_else(|| invalid(format!("{group:?} is no UDPv4 multicast group")))?;
        let socket = Socket::multicast(to, self.buffers)
            .map_err(|e| explain(&e, format_args!("UDP multicast {to}")))?;
        let socket = Arc::new(socket);
        let (joined, refusal) = self.interfaces.join(&socket, *to.ip());
        if joined > 0 {
            return Ok(Port::new(socket, vec![*group], None));
        }
        let error = refusal.unwrap_or_else(|| io::ErrorKind::NetworkUnreachable.into());
        Err(explain(
            &error,
            format_args!(
                "joining {to} on any of {}; name unicast peers instead",
                self.interfaces.current()
            ),
        ))
    }

    pub(crate) fn listen(&self, listen: &[Listen]) -> io::Result<UdpReceiver> {
        if listen.is_empty() || listen.len() > MAX_LISTEN {
            return Err(invalid(format!(
                "a receiver listens at 1 to {MAX_LISTEN} places, not at {}",
                listen.len()
            )));
        }
        let ports = listen.iter().map(|listen| match listen {
            Listen::Unicast { port } => self.unicast(*port),
            Listen::Multicast { group } => self.multicast(group),
            Listen::Beside { port } => {
                Err(invalid(format!("UDP port {port} is one receiver's alone")))
            }
        });
        let ports = ports.collect::<io::Result<Vec<_>>>()?;
        // A firewall may let the one port through and the other not.
        let ear = ports.iter().find(|port| port.is_unicast());
        let ear = ear.filter(|ear| self.hears_itself && wake::hears_itself(ear.socket()));
        let line = Line::new(ear.map(|port| Arc::clone(port.socket())))?;
        let receiver = UdpReceiver::new(
            ports,
            line,
            self.buffers.receive,
            Arc::clone(&self.interfaces),
        );
        let Reception { asked, granted, .. } = receiver.statistics().read();
        if granted < asked {
            log::info!(
                granted,
                asked,
                "the receive buffer is smaller than asked for; see net.core.rmem_max"
            );
        }
        Ok(receiver)
    }

    fn send_by_locator(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut nowhere = 0;
        let mut groups = datagrams
            .iter()
            .filter(|outgoing| outgoing.to.is_multicast());
        let selection = groups.next().map(|_| self.interfaces.current());
        let by_group = selection.as_ref().map_or(&[][..], |s| s.multicast());
        let copies = datagrams.iter().flat_map(|outgoing| {
            let (to, ways) = ways(&outgoing.to, by_group);
            nowhere += usize::from(ways.is_empty());
            ways.iter().map(move |via| Datagram {
                to,
                via: *via,
                dscp: outgoing.dscp,
                parts: [outgoing.head, outgoing.payload, outgoing.tail],
            })
        });
        let mut sent = self.socket.send(copies);
        for _ in 0..nowhere {
            sent.fail(io::ErrorKind::NetworkUnreachable.into());
        }
        sent
    }

    #[cold]
    fn report(&self, sent: &Sent, datagrams: &[Outgoing<'_>]) {
        let failed = u64::try_from(sent.failed).unwrap_or(u64::MAX);
        let before = self.failed.fetch_add(failed, Ordering::Relaxed);
        let Some(error) = &sent.error else { return };
        let first = datagrams.first().map(|d| d.to);
        if before > 0 {
            log::debug!(%error, failed, ?first, "datagrams could not be sent");
        } else if datagrams.iter().any(|d| d.to.is_multicast()) {
            log::warn!(%error, failed, interfaces = %self.interfaces.current(),
                "multicast does not leave by every interface; peers there must be named as unicast peers");
        } else {
            log::warn!(%error, failed, ?first, "datagrams could not be sent (said once; they are counted)");
        }
    }
}

impl Transport for UdpTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        &[properties::UDP]
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for run in datagrams.chunk_by(same_way) {
            sent.add(match run {
                [
                    Outgoing {
                        lane: Some(SendPath(Way::Udp(socket))),
                        ..
                    },
                    ..,
                ] => send_by_lane(socket, run),
                _ => self.send_by_locator(run),
            });
        }
        if sent.failed > 0 {
            self.report(&sent, datagrams);
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        Ok(Box::new(self.listen(listen)?))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        socket_addr(to).map_or(Reach::No, |to| self.interfaces.current().reaches(*to.ip()))
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        let near = matches!(self.reaches(to), Reach::Host | Reach::Loopback);
        let peer = socket_addr(to).filter(|_| near)?;
        let buffers = Buffers {
            receive: 0,
            send: self.buffers.send,
        };
        self.send_paths.to(self.bound_to(), peer, buffers)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.interfaces.watch(watcher);
    }

    fn follow_addresses(&self) -> bool {
        self.interfaces.follow().unwrap_or_else(|error| {
            log::warn!(%error, "the interfaces cannot be listed; those that were known stay");
            false
        })
    }

    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        let selection = self.interfaces.current();
        let bound_to = self.bound_to();
        let hears = |ip: &Ipv4Addr| bound_to.is_unspecified() || *ip == bound_to;
        let mut ports = Vec::new();
        let places = locators
            .iter()
            .flat_map(|locator| match unicast_port(locator) {
                None => vec![*locator],
                Some(port) if ports.contains(&port) => Vec::new(),
                Some(port) => {
                    ports.push(port);
                    let addresses = selection.announced().filter(hears);
                    addresses.map(|ip| Locator::udp_v4(ip, port)).collect()
                }
            });
        places.collect()
    }

    fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    fn max_datagram(&self) -> usize {
        MAX_DATAGRAM
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        let mtu = socket_addr(to).map_or(0, |to| self.interfaces.current().mtu_to(*to.ip()));
        mtu.saturating_sub(HEADERS).clamp(MIN_WHOLE, MAX_DATAGRAM)
    }
}

/// The ways out for a datagram: one if unicast, one per interface if multicast, none if it cannot
/// be sent.
fn ways<'a>(to: &Locator, by_group: &'a [Option<Egress>]) -> (SocketAddrV4, &'a [Option<Egress>]) {
    const AS_ROUTED: &[Option<Egress>] = &[None];
    match socket_addr(to) {
        Some(to) if to.ip().is_multicast() => (to, by_group),
        Some(to) => (to, AS_ROUTED),
        None => (SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0), &[]),
    }
}

/// The port of a place that is no group.
fn unicast_port(locator: &Locator) -> Option<u16> {
    let place = socket_addr(locator).filter(|to| !to.ip().is_multicast());
    place.map(|to| to.port())
}

fn same_way(a: &Outgoing<'_>, b: &Outgoing<'_>) -> bool {
    match (a.lane, b.lane) {
        (Some(a), Some(b)) => a.is(b),
        (None, None) => true,
        _ => false,
    }
}

/// Two, usually a sample and a question to its readers, go one by one: preparing a call for many
/// would hold the first up.
fn send_by_lane(socket: &Socket, datagrams: &[Outgoing<'_>]) -> Sent {
    let [first, second] = datagrams else {
        return socket.send(datagrams.iter().map(to_peer));
    };
    let mut sent = socket.send([to_peer(first)]);
    sent.add(socket.send([to_peer(second)]));
    sent
}

/// What a connected socket sends: the address is its own.
fn to_peer<'a>(outgoing: &Outgoing<'a>) -> Datagram<'a> {
    Datagram {
        to: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0),
        via: None,
        dscp: outgoing.dscp,
        parts: [outgoing.head, outgoing.payload, outgoing.tail],
    }
}

fn socket_addr(locator: &Locator) -> Option<SocketAddrV4> {
    match (locator.kind, locator.socket_addr()) {
        (Locator::KIND_UDP_V4, Some(SocketAddr::V4(to))) => Some(to),
        _ => None,
    }
}

fn explain(error: &io::Error, what: std::fmt::Arguments<'_>) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
