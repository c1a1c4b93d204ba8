//! How the participants of one host, one user and one network namespace find each other.
//!
//! Each listens on a Unix socket in the abstract namespace, whose name says user, group and identity: there is no file to leave
//! behind, and the kernel lists the names in `/proc/net/unix`. The names are a hint: anybody can take one, so the kernel is asked who
//! is at the other end, and only our own user gets a segment. Who starts dials all that are there; each side sends one hello.
//!
//! If two dial each other at once, the call of the smaller identity counts. A [`Rendezvous`] has no thread: [`Rendezvous::poll`]
//! does what can be done now, and everything in it is bounded in number and time.
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

use crate::connection::{Connection, assemble};
use crate::hello::{Announcement, LONGEST};
use crate::link::{Layout, LinkSize};
use crate::socket::{self, Packet};
use crate::{Error, Pool, Segment, Violation};

pub use crate::hello::Identity;

const SILENT: Error = Error::Limit("the peer has said nothing in time");

/// How much at once, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Peers that are connected at once.
    pub peers: usize,
    /// Conversations that have not come to an end yet, in each direction.
    pub handshakes: usize,
    /// How long one may take.
    pub patience: Duration,
    /// The links to peers.
    pub link: LinkSize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            peers: 512,
            handshakes: 64,
            patience: Duration::from_secs(1),
            link: LinkSize::default(),
        }
    }
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
    listener: OwnedFd,
    pools: Vec<Pool>,
    /// Have connected, and have not sent their hello.
    callers: Vec<Caller>,
    /// Have our hello, and have not answered.
    dialled: HashMap<Identity, Dialled>,
    connected: HashMap<Identity, Weak<OwnedFd>>,
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
    since: Instant,
}

impl Rendezvous {
    /// Makes this process known to the others of its group.
    ///
    /// # Errors
    /// `System` if the identity is taken, or there is no file descriptor left.
    pub fn new(group: u32, identity: Identity, limits: Limits) -> Result<Self, Error> {
        if !limits.link.is_valid() {
            return Err(Error::Argument(
                "a ring has a power of two of slots, a board at most 64 loans",
            ));
        }
        let listener = socket::listen(&name(group, &identity))?;
        Ok(Self {
            group,
            identity,
            limits,
            listener,
            pools: Vec::new(),
            callers: Vec::new(),
            dialled: HashMap::new(),
            connected: HashMap::new(),
        })
    }

    /// From now on peers get the pool with the hello; those that are connected get it by [`crate::connection::Line::announce`].
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

    /// Begins a conversation with a peer, if there is none and it is not connected.
    ///
    /// # Errors
    /// `Limit` if there are too many peers or conversations, `Gone` if nobody listens there, `Violation::User` for somebody else's.
    pub fn dial(&mut self, peer: Identity, now: Instant) -> Result<(), Error> {
        if peer == self.identity || self.dialled.contains_key(&peer) || self.is_connected(&peer) {
            return Ok(());
        }
        if self.dialled.len() >= self.limits.handshakes || !self.has_room() {
            return Err(Error::Limit("too many peers or conversations"));
        }
        let socket = match socket::connect(&name(self.group, &peer)) {
            Err(Errno::CONNREFUSED | Errno::NOENT) => return Err(Error::Gone),
            other => other?,
        };
        let process = socket::check_user(&socket)?;
        let link = self.greet(&socket)?;
        let since = now;
        let dialled = Dialled {
            socket,
            process,
            link,
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
            match socket::check_user(&socket) {
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
                Err(error) => events.push(Event::Failed(None, error)),
            }
        }
    }

    /// Answers a call; nothing comes of one that crosses a better one.
    fn answer(
        &mut self,
        caller: Caller,
        hello: &Announcement,
        fds: &[OwnedFd],
    ) -> Result<Option<Connection>, Error> {
        let peer = hello.identity;
        let ours_counts = self.dialled.contains_key(&peer) && self.identity < peer;
        if ours_counts || peer == self.identity || self.is_connected(&peer) {
            return Ok(None);
        }
        if !self.has_room() {
            return Err(Error::Limit("too many peers"));
        }
        let link = self.greet(&caller.socket)?;
        let connection = assemble(hello, fds, link, caller.socket, caller.process)?;
        self.dialled.remove(&peer);
        Ok(Some(self.joined(connection)))
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
                    let connection =
                        assemble(&hello, &fds, dialled.link, dialled.socket, dialled.process);
                    let connection = connection.map(|connection| self.joined(connection));
                    events.push(outcome(peer, connection));
                }
                // Our call crossed theirs, which counts, and comes.
                Err(Error::Gone) if peer < self.identity => {}
                Err(error) => events.push(Event::Failed(Some(peer), error)),
            }
        }
    }

    fn joined(&mut self, connection: Connection) -> Connection {
        let alive = Arc::downgrade(&connection.line.shared());
        self.connected.insert(connection.peer, alive);
        connection
    }

    fn is_connected(&self, peer: &Identity) -> bool {
        self.connected
            .get(peer)
            .is_some_and(|alive| alive.strong_count() > 0)
    }

    fn has_room(&mut self) -> bool {
        self.connected.retain(|_, alive| alive.strong_count() > 0);
        self.connected.len() < self.limits.peers
    }

    /// Makes a link, and sends it with our hello and pools.
    fn greet(&self, socket: &OwnedFd) -> Result<Segment, Error> {
        let link = Segment::new(self.limits.link.bytes())?;
        Layout::create(&link.owner(), self.limits.link)?;
        let segments: Vec<&Segment> = std::iter::once(&link)
            .chain(self.pools.iter().filter_map(Pool::segment))
            .collect();
        let hello = Announcement {
            group: self.group,
            identity: self.identity,
            sizes: segments.iter().map(|segment| segment.len()).collect(),
        };
        let fds: Vec<_> = segments.iter().map(|segment| segment.as_fd()).collect();
        socket::send_packet(socket, &hello.to_bytes(), &fds)?;
        Ok(link)
    }
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

/// What all names of our user's participants in a group begin with.
fn prefix(group: u32) -> String {
    let user = rustix::process::geteuid().as_raw();
    format!("dunlin-shm-1.{user}.{group:08x}.")
}

fn name(group: u32, identity: &Identity) -> String {
    format!("{}{:032x}", prefix(group), u128::from_be_bytes(*identity))
}

/// The identities that listen in a group, in the network namespace of this process; at most 4096. A hint: any process can take a name.
///
/// # Errors
/// `System` if `/proc` cannot be read.
pub fn neighbours(group: u32) -> Result<Vec<Identity>, Error> {
    let prefix = format!("@{}", prefix(group));
    let table = std::fs::read("/proc/net/unix")?;
    let names = table.split(|&byte| byte == b'\n').filter_map(|line| {
        let name = line
            .rsplit(|&byte| byte == b' ')
            .next()?
            .strip_prefix(prefix.as_bytes())?;
        let digits = std::str::from_utf8(name)
            .ok()
            .filter(|digits| digits.len() == 32)?;
        Some(u128::from_str_radix(digits, 16).ok()?.to_be_bytes())
    });
    let mut found: Vec<Identity> = names.take(4096).collect();
    // Each connection that was accepted has the listener's name, too.
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
#[path = "rendezvous_tests.rs"]
mod tests;
