//! How the participants of one host, one user and one network namespace find each other.
//!
//! Each listens on a Unix socket in the abstract namespace, whose name says user, group and
//! identity: there is no file to leave behind, and the kernel lists the names (`names.rs`). The
//! names are a hint: anybody can take one, so the kernel is asked who is at the other end, and only
//! our own user gets a segment. Who has something to send dials; each side sends one hello.
//!
//! Who dials sends, and who accepts reads: two that dial each other have two connections. The links
//! may be large enough for both directions on one. A [`Rendezvous`] has no thread:
//! [`Rendezvous::poll`] does what can be done now, and everything in it is bounded in number and
//! time.
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

use crate::connection::{Connection, assemble};
use crate::hello::{Announcement, LONGEST};
use crate::inherited::Lifeline;
use crate::link::{Layout, LinkSize};
use crate::names::name;
use crate::socket::{self, Packet};
use crate::{Error, Pool, Segment, Violation};

pub use crate::hello::Identity;

const SILENT: Error = Error::Limit("the peer has said nothing in time");

/// How much at once, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Peers that are connected at once, as many again that have dialled us, and as many again that
    /// we have dialled for [`Traffic::Sparse`].
    pub peers: usize,
    /// Conversations that have not come to an end yet, in each direction.
    pub handshakes: usize,
    /// How long one may take.
    pub patience: Duration,
    /// Our links to peers that we dial.
    pub dialled: LinkSize,
    /// ... while these are not more than so many.
    pub roomy: usize,
    /// Our links to further peers that we dial, and to all that we dial for [`Traffic::Sparse`].
    pub crowded: LinkSize,
    /// Our links to peers that dial us. Pools come with the hello only if this has a ring of more
    /// than 2 slots, the least.
    pub accepted: LinkSize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            peers: 512,
            handshakes: 64,
            patience: Duration::from_secs(1),
            dialled: LinkSize::default(),
            roomy: 32,
            crowded: LinkSize::CROWDED,
            accepted: LinkSize::READER,
        }
    }
}

/// What a peer is dialled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Whatever may come: the link is large while there are few.
    Data,
    /// Few short messages: the link is small, and takes no place among those for data.
    Sparse,
}

/// What has come of a conversation.
#[derive(Debug)]
pub enum Event {
    /// A peer is connected.
    Joined(Box<Connection>),
    /// A conversation has failed; whose, if that is known.
    Failed(Option<Identity>, Error),
}

/// Where this process is found, and whom it is talking to about a connection.
#[derive(Debug)]
pub struct Rendezvous {
    group: u32,
    identity: Identity,
    limits: Limits,
    listener: Lifeline,
    pools: Vec<Pool>,
    /// Have connected, and have not sent their hello.
    callers: Vec<Caller>,
    /// Have our hello, and have not answered.
    dialled: HashMap<Identity, Dialled>,
    /// Those who dialled us.
    accepted: HashMap<Identity, Weak<Lifeline>>,
    /// Those whom we dialled, and what for.
    joined: HashMap<Identity, (Weak<Lifeline>, Traffic)>,
}

#[derive(Debug)]
struct Caller {
    socket: OwnedFd,
    process: u32,
    since: Instant,
}

#[derive(Debug)]
struct Dialled {
    socket: OwnedFd,
    process: u32,
    link: Segment,
    traffic: Traffic,
    since: Instant,
}

impl Rendezvous {
    /// Makes this process known to the others of its group.
    ///
    /// # Errors
    /// `System` if the identity is taken, or there is no file descriptor left.
    pub fn new(group: u32, identity: Identity, limits: Limits) -> Result<Self, Error> {
        let sizes = [limits.dialled, limits.crowded, limits.accepted];
        if !sizes.iter().all(|size| size.is_valid()) {
            return Err(Error::Argument(
                "a ring has a power of two of slots, a board at most 64 loans",
            ));
        }
        let listener = Lifeline::new(socket::listen(&name(group, &identity))?);
        socket::check_plenty(&listener)?;
        Ok(Self {
            group,
            identity,
            limits,
            listener,
            pools: Vec::new(),
            callers: Vec::new(),
            dialled: HashMap::new(),
            accepted: HashMap::new(),
            joined: HashMap::new(),
        })
    }

    /// As whom it is known.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// From now on peers get the pool with the hello; those that are connected get it by
    /// [`crate::ControlSocket::announce`].
    ///
    /// # Errors
    /// `Limit` for more than 16 pools.
    pub fn add_pool(&mut self, pool: Pool) -> Result<(), Error> {
        if self.pools.len() + 1 >= socket::MAX_FDS {
            return Err(Error::Limit("a process has 16 pools"));
        }
        self.pools.push(pool);
        Ok(())
    }

    /// Peers to come do not get the pool of this number any more.
    pub fn remove_pool(&mut self, number: u8) {
        self.pools.retain(|pool| pool.number() != number);
    }

    /// Whether a peer is still there: a connection may end before the process does. One that is
    /// just dying may listen a moment longer.
    ///
    /// # Errors
    /// `System` if there is no file descriptor left.
    pub fn is_listening(&self, peer: &Identity) -> Result<bool, Error> {
        match socket::connect(&name(self.group, peer)) {
            Ok(socket) => Ok(socket::check_user(&socket).is_ok()),
            Err(Errno::CONNREFUSED | Errno::NOENT) => Ok(false),
            // So many want to talk to it that there is a queue.
            Err(Errno::AGAIN) => Ok(true),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Begins a conversation with a peer, for data, if there is none and we have not dialled it
    /// before.
    ///
    /// # Errors
    /// As `dial_for`.
    pub fn dial(&mut self, peer: Identity, now: Instant) -> Result<(), Error> {
        self.dial_for(peer, Traffic::Data, now)
    }

    /// Begins a conversation with a peer, if there is none and we have not dialled it before.
    ///
    /// # Errors
    /// `Limit` if there are too many peers or conversations, `Gone` if nobody listens there,
    /// `Violation::User` for somebody else's.
    pub fn dial_for(
        &mut self,
        peer: Identity,
        traffic: Traffic,
        now: Instant,
    ) -> Result<(), Error> {
        self.joined.retain(|_, (alive, _)| is_alive(alive));
        if peer == self.identity
            || self.dialled.contains_key(&peer)
            || self.joined.contains_key(&peer)
        {
            return Ok(());
        }
        let callees = self.callees(traffic);
        if self.dialled.len() >= self.limits.handshakes || callees >= self.limits.peers {
            return Err(Error::Limit("too many peers or conversations"));
        }
        let socket = match socket::connect(&name(self.group, &peer)) {
            Err(Errno::CONNREFUSED | Errno::NOENT) => return Err(Error::Gone),
            other => other?,
        };
        socket::check_plenty(&socket)?;
        let process = socket::check_user(&socket)?;
        let roomy = traffic == Traffic::Data && callees < self.limits.roomy;
        let size = match roomy {
            true => self.limits.dialled,
            false => self.limits.crowded,
        };
        let link = self.greet(&socket, size, true)?;
        let since = now;
        let dialled = Dialled {
            socket,
            process,
            link,
            traffic,
            since,
        };
        self.dialled.insert(peer, dialled);
        Ok(())
    }

    /// Does what can be done without waiting.
    pub fn poll(&mut self, now: Instant) -> Vec<Event> {
        let mut events = Vec::new();
        self.accept(now, &mut events);
        self.hear_callers(now, &mut events);
        self.hear_dialled(now, &mut events);
        events
    }

    /// When `poll` has to be called even if no socket is readable.
    pub fn next_timeout(&self) -> Option<Instant> {
        let callers = self.callers.iter().map(|caller| caller.since);
        let dialled = self.dialled.values().map(|dialled| dialled.since);
        callers
            .chain(dialled)
            .min()
            .map(|since| since + self.limits.patience)
    }

    /// The sockets that say by being readable that `poll` has something to do.
    pub fn sockets(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let callers = self.callers.iter().map(|caller| caller.socket.as_fd());
        let dialled = self.dialled.values().map(|dialled| dialled.socket.as_fd());
        std::iter::once(self.listener.as_fd())
            .chain(callers)
            .chain(dialled)
    }

    fn accept(&mut self, since: Instant, events: &mut Vec<Event>) {
        for _ in 0..self.limits.handshakes {
            let socket =
                match accept_with(&self.listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                    Ok(socket) => socket,
                    Err(Errno::AGAIN | Errno::INTR | Errno::CONNABORTED) => return,
                    Err(errno) => return events.push(Event::Failed(None, errno.into())),
                };
            match socket::check_plenty(&socket).and_then(|()| socket::check_user(&socket)) {
                Ok(process) => self.callers.push(Caller {
                    socket,
                    process,
                    since,
                }),
                Err(error) => events.push(Event::Failed(None, error)),
            }
            // Who has said nothing for the longest makes room.
            if self.callers.len() > self.limits.handshakes {
                self.callers.remove(0);
                events.push(Event::Failed(None, Error::Limit("too many conversations")));
            }
        }
    }

    fn hear_callers(&mut self, now: Instant, events: &mut Vec<Event>) {
        for caller in std::mem::take(&mut self.callers) {
            match hear(&caller.socket, self.group) {
                Ok(None) if now.saturating_duration_since(caller.since) < self.limits.patience => {
                    self.callers.push(caller)
                }
                Ok(None) => events.push(Event::Failed(None, SILENT)),
                Ok(Some((hello, fds))) => {
                    let peer = hello.identity;
                    let event = self.answer(caller, &hello, &fds).transpose();
                    events.extend(event.map(|result| outcome(peer, result)));
                }
                // It wanted to know whether we are here.
                Err(Error::Gone) => {}
                Err(error) => events.push(Event::Failed(None, error)),
            }
        }
    }

    /// Answers a call; nothing comes of the second of one peer.
    fn answer(
        &mut self,
        caller: Caller,
        hello: &Announcement,
        fds: &[OwnedFd],
    ) -> Result<Option<Connection>, Error> {
        let peer = hello.identity;
        if peer == self.identity {
            return Err(Violation::Header.into());
        }
        self.accepted.retain(|_, alive| is_alive(alive));
        if self.accepted.contains_key(&peer) {
            return Ok(None);
        }
        if self.accepted.len() >= self.limits.peers {
            return Err(Error::Limit("too many peers"));
        }
        let link = self.greet(&caller.socket, self.limits.accepted, false)?;
        let connection = assemble(hello, fds, link, caller.socket, caller.process, false)?;
        let alive = Arc::downgrade(&connection.line.shared());
        self.accepted.insert(connection.peer, alive);
        Ok(Some(connection))
    }

    fn hear_dialled(&mut self, now: Instant, events: &mut Vec<Event>) {
        for (peer, dialled) in std::mem::take(&mut self.dialled) {
            let late = now.saturating_duration_since(dialled.since) >= self.limits.patience;
            match hear(&dialled.socket, self.group) {
                Ok(None) if !late => {
                    self.dialled.insert(peer, dialled);
                }
                Ok(None) => events.push(Event::Failed(Some(peer), SILENT)),
                Ok(Some((hello, _))) if hello.identity != peer => {
                    events.push(Event::Failed(Some(peer), Violation::Header.into()));
                }
                Ok(Some((hello, fds))) => {
                    let Dialled {
                        socket,
                        process,
                        link,
                        traffic,
                        ..
                    } = dialled;
                    let connection = assemble(&hello, &fds, link, socket, process, true);
                    if let Ok(connection) = &connection {
                        let alive = Arc::downgrade(&connection.line.shared());
                        self.joined.insert(connection.peer, (alive, traffic));
                    }
                    events.push(outcome(peer, connection));
                }
                Err(error) => events.push(Event::Failed(Some(peer), error)),
            }
        }
    }

    /// How many we have dialled for this, those included that have not answered.
    fn callees(&self, traffic: Traffic) -> usize {
        let joined = self.joined.values().map(|(_, of)| *of);
        let dialled = self.dialled.values().map(|dialled| dialled.traffic);
        joined.chain(dialled).filter(|of| *of == traffic).count()
    }

    /// Makes a link, and sends it with our hello and pools.
    fn greet(&self, socket: &OwnedFd, size: LinkSize, dialled: bool) -> Result<Segment, Error> {
        let link = Segment::new(size.bytes())?;
        Layout::create(&link.owner(), size)?;
        // Who only reads has nothing to send.
        let pools = self.pools.iter().filter(|_| dialled || size.slots > 2);
        let files: Vec<_> = std::iter::once((link.file(), link.len()))
            .chain(pools.filter_map(Pool::file))
            .collect();
        let hello = Announcement {
            group: self.group,
            identity: self.identity,
            sizes: files.iter().map(|(_, length)| *length).collect(),
        };
        let fds: Vec<_> = files.iter().map(|(file, _)| file.as_fd()).collect();
        socket::send_packet(socket, &hello.to_bytes(), &fds)?;
        Ok(link)
    }
}

fn is_alive(connection: &Weak<Lifeline>) -> bool {
    connection.strong_count() > 0
}

fn outcome(peer: Identity, result: Result<Connection, Error>) -> Event {
    match result {
        Ok(connection) => Event::Joined(Box::new(connection)),
        Err(error) => Event::Failed(Some(peer), error),
    }
}

/// A hello with as many file descriptors as it has sizes, if there is one.
fn hear(socket: &OwnedFd, group: u32) -> Result<Option<(Announcement, Vec<OwnedFd>)>, Error> {
    let mut bytes = [0; LONGEST];
    match socket::receive_packet(socket, &mut bytes)? {
        Packet::Nothing => Ok(None),
        Packet::End => Err(Error::Gone),
        Packet::Bytes(length, fds) => {
            let hello = Announcement::from_bytes(&bytes[..length])?;
            if hello.group != group || hello.sizes.len() != fds.len() {
                return Err(Violation::Header.into());
            }
            Ok(Some((hello, fds)))
        }
    }
}

#[cfg(test)]
#[path = "rendezvous_tests.rs"]
mod tests;
