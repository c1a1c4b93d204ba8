//! Where a participant listens: one port, and the one or two receivers behind it.
use std::io;
use std::net::SocketAddrV4;
use std::sync::{Arc, Weak};
use std::time::Instant;

use dunlin_shm::Lifeline;
use dunlin_wire::Locator;
use dunlin_wire::stream::Channel;

use super::connection::{Connection, Peer};
use super::connection_table::ConnectionTable;
use super::receiver::{Inbox, TcpReceiver};
use super::socket;
use crate::traits::Listen;

/// What a system queues for a connection at first, if it is not asked for more.
const USUAL: usize = 128 * 1024;

pub(super) struct Acceptor {
    pub(super) id: u64,
    /// `None` if this participant cannot be dialled.
    pub(super) listener: Option<Lifeline>,
    /// At which this one listens.
    port: u16,
    /// What peers are told, 0 if they cannot dial.
    pub(super) announced: u16,
    meta: Arc<Inbox>,
    user: Option<Arc<Inbox>>,
    locators: Vec<Locator>,
    /// No connections could be accepted; it is tried again then.
    pub(super) paused: Option<Instant>,
}

impl Acceptor {
    /// Who receives what comes by a connection.
    pub(super) fn inbox(&self, connection: &Connection) -> &Arc<Inbox> {
        let meta = connection.channel() == Some(Channel::Meta)
            && connection.peer() != Some(Peer::Stranger);
        match &self.user {
            Some(user) if !meta => user,
            _ => &self.meta,
        }
    }
}

impl ConnectionTable {
    /// Opens a port, or a second receiver beside the first.
    pub(super) fn listen(self: &Arc<Self>, listen: &[Listen]) -> io::Result<TcpReceiver> {
        match listen {
            [Listen::Unicast { port }] => self.open(*port),
            [Listen::Beside { port }] => self.open_beside(*port),
            [] => Err(invalid("a TCP receiver listens at one place, not at none")),
            [Listen::Multicast { group }] if is_group(group) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "TCP has no multicast groups; name unicast peers",
            )),
            _ => {
                let mut ports = Vec::new();
                // So that a port that is taken is found to be, whatever else is asked for.
                for place in listen {
                    let Listen::Unicast { port } = place else {
                        return Err(invalid("a TCP receiver listens at ports only"));
                    };
                    ports.push(socket::listen(self.bind_to(*port), None)?);
                }
                Err(invalid("a TCP receiver listens at one port only"))
            }
        }
    }

    fn bind_to(&self, port: u16) -> SocketAddrV4 {
        SocketAddrV4::new(self.selection.bind_to(), port)
    }

    fn open(self: &Arc<Self>, port: u16) -> io::Result<TcpReceiver> {
        let asked = self.buffers.map_or(USUAL, |buffers| buffers.receive);
        let (listener, port, granted) = match self.client_only {
            true => (None, 0, USUAL),
            false => {
                let at = self.bind_to(port);
                let (listener, port, granted) =
                    socket::listen(at, self.buffers).map_err(|error| {
                        io::Error::new(error.kind(), format!("TCP port {at}: {error}"))
                    })?;
                (Some(Lifeline::new(listener)), port, granted)
            }
        };
        let granted = match self.buffers {
            // The kernel counts its own bookkeeping too, and for that doubles what it is asked for
            // (socket(7)).
            Some(_) => granted / 2,
            None => granted,
        };
        let inbox = Inbox::new(asked, granted)?;
        let (announced, locators) = self.announced(port);
        let mut state = self.state();
        let id = state.next_id();
        if let Some(listener) = &listener {
            self.await_callers(listener, id)?;
        }
        state.gates.push(Acceptor {
            id,
            listener,
            port,
            announced,
            meta: Arc::clone(&inbox),
            user: None,
            locators: locators.clone(),
            paused: None,
        });
        drop(state);
        Ok(TcpReceiver::new(Arc::clone(self), inbox, locators))
    }

    /// What to tell peers.
    fn announced(&self, port: u16) -> (u16, Vec<Locator>) {
        if self.client_only {
            return (0, vec![Locator::tcp_caller(self.name.0)]);
        }
        match self.public {
            Some(at) => (at.port(), vec![Locator::tcp_v4(*at.ip(), at.port())]),
            None => {
                let addresses = self.selection.announced();
                let locators = addresses.map(|ip| Locator::tcp_v4(ip, port));
                (port, locators.collect())
            }
        }
    }

    fn open_beside(self: &Arc<Self>, port: u16) -> io::Result<TcpReceiver> {
        let mut state = self.state();
        let client_only = self.client_only;
        let gate = state
            .gates
            .iter_mut()
            .find(|gate| client_only || gate.port == port || gate.announced == port);
        let Some(gate) = gate else {
            let why = format!("no receiver has TCP port {port}, so none can be beside it");
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        };
        if gate.user.is_some() {
            let why = format!("TCP port {port} has a second receiver already");
            return Err(io::Error::new(io::ErrorKind::AddrInUse, why));
        }
        let inbox = gate.meta.sibling()?;
        gate.user = Some(Arc::clone(&inbox));
        let locators = gate.locators.clone();
        drop(state);
        Ok(TcpReceiver::new(Arc::clone(self), inbox, locators))
    }

    /// A receiver has ended: its connections, too, once what waits is sent.
    pub(super) fn close(&self, inbox: &Arc<Inbox>) {
        let is_it = |other: &Arc<Inbox>| Arc::ptr_eq(other, inbox);
        let mut state = self.state();
        let owner = state.gates.iter_mut();
        for gate in owner {
            if gate.user.as_ref().is_some_and(is_it) {
                gate.user = None;
            }
        }
        state.gates.retain(|gate| !is_it(&gate.meta));
        let inbox = Arc::downgrade(inbox);
        let orphans = state
            .connections
            .values_mut()
            .filter(|known| Weak::ptr_eq(&known.inbox, &inbox));
        let orphans: Vec<_> = orphans.map(|known| known.retire(true)).collect();
        drop(state);
        self.retire(orphans);
    }
}

fn is_group(locator: &Locator) -> bool {
    locator.kind == Locator::KIND_TCP_V4 && locator.is_multicast()
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
