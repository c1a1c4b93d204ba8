//! The way to one peer for one purpose, whichever connection it takes at present.
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dunlin_wire::Locator;
use dunlin_wire::stream::{Channel, Hello};

use super::connection::Connection;

/// Whom a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// Whoever can be dialled there, or has dialled from there.
    At(SocketAddrV4),
    /// A participant that dials, by its name.
    Caller([u8; 12]),
}

impl Target {
    /// `None` if it is no place of TCP.
    pub(super) fn of(locator: &Locator) -> Option<Self> {
        if locator.kind == Locator::KIND_TCP_CALLER {
            let name = locator.address.first_chunk().copied();
            return name.filter(|name| *name != [0; 12]).map(Self::Caller);
        }
        match (locator.kind, locator.socket_addr()) {
            (Locator::KIND_TCP_V4, Some(SocketAddr::V4(to)))
                if !to.ip().is_multicast() && !to.ip().is_unspecified() =>
            {
                Some(Self::At(to))
            }
            _ => None,
        }
    }

    /// Whether what is sent by this connection gets there.
    pub(super) fn is_reached_by(&self, connection: &Connection) -> bool {
        let hello = connection.hello();
        match self {
            Self::Caller(name) => hello.is_some_and(|hello| hello.name.0 == *name),
            // The address of an own kind's connection is nobody's, but for the port that it names;
            // that of another product's is the only one there is.
            Self::At(at) => match (connection.dialled, hello) {
                (Some(_), _) if connection.remote == *at => true,
                (_, Some(Hello { port, .. })) => {
                    port != 0 && *at == SocketAddrV4::new(*connection.remote.ip(), port)
                }
                (_, None) => connection.remote == *at,
            },
        }
    }
}

/// What writers hold as their lane.
#[derive(Debug)]
pub(crate) struct PeerLink {
    pub(super) target: Target,
    pub(super) channel: Channel,
    current: Mutex<Option<Arc<Connection>>>,
    /// When something was last sent without a lane, in milliseconds of the exchange's clock.
    pub(super) wanted: AtomicU64,
}

impl PeerLink {
    pub(super) fn new(target: Target, channel: Channel, now: u64) -> Arc<Self> {
        Arc::new(Self {
            target,
            channel,
            current: Mutex::default(),
            wanted: AtomicU64::new(now),
        })
    }

    fn current_mut(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that leads there, unless it has ended.
    #[inline]
    pub(super) fn current(&self) -> Option<Arc<Connection>> {
        let current = self.current_mut();
        current.as_ref().filter(|c| !c.is_closed()).cloned()
    }

    pub(super) fn is_by(&self, connection: &Connection) -> bool {
        let current = self.current_mut();
        current.as_ref().is_some_and(|c| c.id == connection.id)
    }

    pub(super) fn take(&self, connection: &Arc<Connection>) {
        *self.current_mut() = Some(Arc::clone(connection));
    }

    pub(super) fn let_go(&self) {
        *self.current_mut() = None;
    }

    pub(super) fn want(&self, now: u64) {
        self.wanted.store(now, Relaxed);
    }
}
