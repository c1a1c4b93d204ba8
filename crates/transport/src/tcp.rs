//! TCP over IPv4, also through address translators, and optionally under TLS.
//!
//! # On the wire
//! RTPS messages one after the other, as `dunlin_wire::stream` describes: Cyclone DDS's framing, so
//! that its participants are peers like ours. A connection of our own kind begins with a HELLO in
//! each direction, which other products skip, and which says who speaks, what the connection is
//! for, and where the speaker can be dialled.
//!
//! # Connections
//! Of each pair of participants there are two: one for discovery and one for user data, so that
//! samples do not hold discovery up. Both lead to the same port, since locators have no room for a
//! second one that other products would accept: *the sender decides*. What goes by a [`SendPath`]
//! takes the connection for user data; what goes by its locator alone the other. At the receiving
//! end one receiver opens the port, and a second one [beside](Listen::Beside) it gets the user
//! data.
//!
//! Connections are used in both directions: who has been dialled by a peer does not dial it. If
//! both dial at once, the connection that the smaller name has dialled is the one to send by; the
//! other is emptied and closed by whoever has dialled it. A participant that cannot be dialled is
//! known by its name: its locator ([`Locator::KIND_TCP_CALLER`]) leads back through the connections
//! that it has made, and nowhere while it has none. So does one that listens and may be behind an
//! address translator all the same: its participant is reached by its name wherever nobody, or
//! somebody else, is at the addresses that it tells ([`Transport::leads_to`]), and what comes by
//! its connections says whose they are ([`Locator::tcp_called`]).
//!
//! Another product says no HELLO. What comes from it is user data to us, since every receiver can
//! work on every message, and what it takes in one message is bounded. It is answered by dialling
//! it, or through its connection by the address it comes from.
//!
//! # Who does what
//! Whoever sends writes to the socket, whoever receives reads from it. One thread, the porter,
//! accepts, dials, waits for the first message of a connection, dials again when one has ended, and
//! empties queues. It never touches what travels otherwise.
//!
//! No send waits for a peer that does not read, but for a few milliseconds at first: what the
//! socket has no room for is queued, and refused when the queue is full.
//!
//! # Choices
//! The port to listen at is the receiver's ([`Listen::Unicast`]), as with every transport; that a
//! participant listens nowhere is a choice of its own ([`TcpConfig::client_only`]), since port 0
//! already means any free one.
mod acceptor;
mod connection;
mod connection_manager;
mod connection_table;
mod duplicate_resolution;
mod frame;
#[cfg(any(test, feature = "fuzzing"))]
#[cfg_attr(
    not(feature = "fuzzing"),
    allow(dead_code, unreachable_pub, reason = "for the fuzz targets")
)]
pub mod isolated_receiver;
mod large;
mod peer_link;
mod read_predictor;
mod receive_channel;
mod receiver;
mod record;
mod send_channel;
mod session;
mod socket;
mod tls;

use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use dunlin_udp::Buffers;
use dunlin_wire::stream::{Channel, OPAQUE_HEAD};
use dunlin_wire::{GuidPrefix, Locator};

use crate::properties::{self, TransportProperties};
use crate::send_path::{SendPath, Way};
use crate::traits::{Listen, Outgoing, Reach, Receiver, Sent, Transport, Watcher};
use connection::{Peer, STRANGERS_MOST};
use connection_table::ConnectionTable;
pub(crate) use peer_link::PeerLink;
use peer_link::Target;
pub(crate) use receiver::TcpReceiver;
pub use tls::TlsConfig;

/// The longest datagram between two of our own kind.
const MAX_DATAGRAM: usize = 256 << 20;
/// ... as it stands in a stream.
const MAX_FRAME: usize = MAX_DATAGRAM + OPAQUE_HEAD;

/// Choices for [`TcpTransport::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpConfig {
    /// Nobody else's: the prefix of the participant's GUIDs.
    pub name: [u8; 12],
    /// Names or IPv4 addresses of the interfaces to use; `None` means all that are up, loopback
    /// included.
    pub interfaces: Option<Vec<String>>,
    /// Listen nowhere: peers answer through the connections that this participant makes.
    pub client_only: bool,
    /// Where peers find this participant behind an address translator that forwards a port:
    /// announced instead of the addresses of the interfaces.
    pub public: Option<SocketAddrV4>,
    /// What to ask of the system for each connection; `None` leaves it to the system, which adapts
    /// to the way.
    pub buffers: Option<Buffers>,
    /// Encrypt, and have nothing to do with those who have no certificate.
    pub tls: Option<TlsConfig>,
    /// Bytes that may wait for each peer.
    pub queue: usize,
    /// Connections in all.
    pub connections: usize,
}

impl TcpConfig {
    /// The port that participants listen at unless they are told otherwise.
    pub const PORT: u16 = 7400;

    /// All interfaces, and limits that do for most.
    pub fn new(name: [u8; 12]) -> Self {
        Self {
            name,
            interfaces: None,
            client_only: false,
            public: None,
            buffers: None,
            tls: None,
            queue: 16 << 20,
            connections: 1024,
        }
    }
}

/// TCP of one participant.
#[derive(Debug)]
pub struct TcpTransport {
    table: Arc<ConnectionTable>,
    manager: Option<JoinHandle<()>>,
}

impl TcpTransport {
    /// Fails if a chosen interface does not exist or is down, naming those that there are, or if a
    /// file for TLS is not what it should be.
    pub fn new(config: &TcpConfig) -> io::Result<Self> {
        let table = Arc::new(ConnectionTable::new(config)?);
        let manager = connection_manager::start(&table)?;
        Ok(Self {
            table,
            manager: Some(manager),
        })
    }

    /// What opens ports of this transport.
    pub(crate) fn connections(&self) -> Connections {
        Connections(Arc::clone(&self.table))
    }

    /// Sends what goes to one peer.
    fn send_run(&self, run: &[Outgoing<'_>], sent: &mut Sent) {
        let Some(first) = run.first() else { return };
        match first.lane {
            Some(SendPath(Way::Tcp(link))) => self.table.send(link, run, sent),
            _ => match Target::of(&first.to) {
                Some(target) => {
                    let link = self.table.link(target, Channel::Meta);
                    self.table.send(&link, run, sent);
                }
                None => run
                    .iter()
                    .for_each(|_| sent.fail(io::ErrorKind::NetworkUnreachable.into())),
            },
        }
    }

    /// Whether another product is at the other end, or nobody has said yet who is.
    fn may_be_strange(&self, target: Target) -> bool {
        let found = self.table.find(target);
        !matches!(found.and_then(|c| c.peer()), Some(Peer::Own(_)))
    }
}

/// Opens ports for connections.
pub(crate) struct Connections(Arc<ConnectionTable>);

impl Connections {
    pub(crate) fn listen(&self, place: Listen) -> io::Result<TcpReceiver> {
        self.0.listen(&[place])
    }
}

impl Drop for TcpTransport {
    fn drop(&mut self) {
        self.table.stop();
        // The porter itself may be the last who has the transport: it tells watchers, which may
        // come to their end meanwhile.
        let own = std::thread::current().id();
        if let Some(manager) = self
            .manager
            .take()
            .filter(|manager| manager.thread().id() != own)
        {
            // A panic in it has been printed already.
            let _ = manager.join();
        }
    }
}

impl Transport for TcpTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        const { &[properties::TCP, properties::TCP_CALLER] }
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for run in datagrams.chunk_by(is_same_way) {
            self.send_run(run, &mut sent);
        }
        if sent.failed > 0 {
            let failed = u64::try_from(sent.failed).unwrap_or(u64::MAX);
            self.table.failed.fetch_add(failed, Relaxed);
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        Ok(Box::new(self.table.listen(listen)?))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        match Target::of(to) {
            Some(target @ Target::At(at)) => match self.table.selection.reaches(*at.ip()) {
                Reach::No => Reach::No,
                // Of a peer's addresses one that is known to lead to it is better than all that
                // might.
                near if self.table.has_met(target) => near.max(Reach::Host),
                near => near,
            },
            // Only through the connection that it has made.
            Some(caller) => self.table.find(caller).map_or(Reach::No, |connection| {
                let near = self.table.selection.reaches(*connection.remote.ip());
                near.max(Reach::Far)
            }),
            None => Reach::No,
        }
    }

    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        self.table.is_there(Target::of(to)?, GuidPrefix(peer))
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        let target = Target::of(to).filter(|_| self.reaches(to) != Reach::No)?;
        let link = self.table.link(target, Channel::User);
        Some(SendPath(Way::Tcp(link)))
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.table.watch(watcher);
    }

    fn failed(&self) -> u64 {
        self.table.failed.load(Relaxed)
    }

    fn refused_connections(&self) -> u64 {
        self.table.refusals.load(Relaxed)
    }

    fn hints(&self) -> Vec<String> {
        self.table.hints()
    }

    fn max_datagram(&self) -> usize {
        MAX_DATAGRAM
    }

    /// What another product takes, unless the peer has said that it is of our own kind.
    fn max_whole_datagram(&self, to: &Locator) -> usize {
        match Target::of(to) {
            Some(target) if !self.may_be_strange(target) => MAX_DATAGRAM,
            _ => STRANGERS_MOST - OPAQUE_HEAD,
        }
    }
}

fn is_same_way(a: &Outgoing<'_>, b: &Outgoing<'_>) -> bool {
    match (a.lane, b.lane) {
        (Some(a), Some(b)) => a.is(b),
        (None, None) => a.to == b.to,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
