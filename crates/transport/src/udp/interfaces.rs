//! The interfaces that a transport uses, as they change.
//!
//! A receiver that was asked to hears of changes from the kernel and tells whoever watches the
//! transport. That has them followed when it suits: nothing is looked up where samples travel but
//! the list that stands.
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use dunlin_udp::{Buffers, Egress, Socket, interfaces};

use super::selection::Selection;
use crate::panics::log;
use crate::traits::Watcher;

/// The interfaces of one transport.
pub(crate) struct Interfaces {
    /// Names or addresses; `None` for all that are up.
    named: Option<Vec<String>>,
    /// Replaced as a whole.
    current: RwLock<Arc<Selection>>,
    memberships: Mutex<Vec<Membership>>,
    /// Sockets that are bound to the only address, and what to ask of the system for them.
    bound: Mutex<Vec<(Weak<Socket>, Buffers)>>,
    watcher: Mutex<Option<Weak<dyn Watcher>>>,
    /// Something has changed while nobody watched.
    missed: AtomicBool,
}

/// A socket that is to hear a group on every interface.
struct Membership {
    socket: Weak<Socket>,
    group: Ipv4Addr,
}

impl Interfaces {
    /// As they are now. Fails if one that is named does not exist or is down.
    pub(super) fn new(named: Option<&[String]>) -> io::Result<Arc<Self>> {
        let selection = Selection::new(interfaces()?, named)?;
        Ok(Arc::new(Self {
            named: named.map(<[String]>::to_vec),
            current: RwLock::new(Arc::new(selection)),
            memberships: Mutex::default(),
            bound: Mutex::default(),
            watcher: Mutex::default(),
            missed: AtomicBool::new(false),
        }))
    }

    pub(super) fn current(&self) -> Arc<Selection> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on this socket hears a group wherever it can, also on interfaces that come later.
    /// Returns on how many it hears it now, and why not on another one.
    pub(super) fn join(&self, socket: &Arc<Socket>, group: Ipv4Addr) -> (usize, Option<io::Error>) {
        let mut memberships = held(&self.memberships);
        memberships.retain(|membership| membership.socket.strong_count() > 0);
        memberships.push(Membership {
            socket: Arc::downgrade(socket),
            group,
        });
        let current = self.current();
        let refused = current.multicast().iter().flatten();
        let refused: Vec<_> = refused
            .filter_map(|egress| join(socket, group, egress).err())
            .collect();
        let joined = current.multicast().len() - refused.len();
        (joined, refused.into_iter().next())
    }

    /// From now on this socket is bound to the only address that is allowed, whichever it is.
    pub(super) fn bind(&self, socket: &Arc<Socket>, buffers: Buffers) {
        if !socket.local_addr().ip().is_unspecified() {
            let mut bound = held(&self.bound);
            bound.retain(|(socket, _)| socket.strong_count() > 0);
            bound.push((Arc::downgrade(socket), buffers));
        }
    }

    /// Looks what there is now, and joins groups on what has come. True if anything is not as it
    /// was.
    pub(super) fn follow(&self) -> io::Result<bool> {
        let before = self.current();
        let now = Selection::of(interfaces()?, self.named.as_deref());
        if now == *before {
            return Ok(false);
        }
        log::info!(%before, %now, "the interfaces have changed");
        let is_new = |egress: &&Egress| !before.multicast().iter().flatten().any(|e| e == *egress);
        for membership in held(&self.memberships).iter() {
            let Some(socket) = membership.socket.upgrade() else {
                continue;
            };
            for egress in now.multicast().iter().flatten().filter(is_new) {
                // The kernel may have forgotten what the socket still counts as joined.
                let _ = socket.leave(membership.group, egress.index);
                let _ = join(&socket, membership.group, egress);
            }
        }
        if let Some(only) = now.first_allowed() {
            self.rebind(only, &now);
        }
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
        Ok(true)
    }

    /// Sockets that are bound to an address which is no more get this one.
    fn rebind(&self, ip: Ipv4Addr, now: &Selection) {
        for (socket, buffers) in held(&self.bound).iter() {
            let Some(socket) = socket.upgrade() else {
                continue;
            };
            let local = socket.local_addr();
            if now.allows(*local.ip()) {
                continue;
            }
            if let Err(error) = socket.rebind(ip, *buffers) {
                log::warn!(%local, to = %ip, %error, "a socket cannot follow its interface");
            }
        }
    }

    pub(super) fn watch(&self, watcher: Weak<dyn Watcher>) {
        *held(&self.watcher) = Some(watcher);
        if self.missed.swap(false, SeqCst) {
            self.tell();
        }
    }

    /// Something may have changed.
    pub(super) fn tell(&self) {
        let watcher = held(&self.watcher).clone();
        match watcher {
            Some(watcher) => {
                if let Some(watcher) = watcher.upgrade() {
                    watcher.addresses_changed();
                }
            }
            None => self.missed.store(true, SeqCst),
        }
    }
}

impl std::fmt::Debug for Interfaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interfaces({})", self.current())
    }
}

fn join(socket: &Socket, group: Ipv4Addr, egress: &Egress) -> io::Result<()> {
    socket.join(group, egress.index).inspect_err(|error| {
        log::warn!(%group, via = %egress.source, %error, "cannot join the group on this interface");
    })
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
