//! The thread that makes connections and looks after them.
use crate::panics::{catch, log};
use crate::threads;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddrV4;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dunlin_wire::VendorId;
use dunlin_wire::stream::{Hello, StreamHead};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use super::connection::{Connection, Peer};
use super::connection_table::{BELL, ConnectionTable, Known, Stage, State};
use super::receive_channel::Fault;
use super::socket;
use super::tls::Tls;

/// Events that are taken at once.
const AT_ONCE: usize = 64;
/// Whoever has dialled has so long for a first whole message, and for each that it has begun.
const PATIENCE: Duration = Duration::from_secs(10);
/// Callers that have sent no whole message yet. The oldest makes room for the next.
const UNPROVEN: usize = 256;
/// How long nothing is accepted when the system has no more room for it.
const PAUSE: Duration = Duration::from_millis(100);
/// How often connections are looked at.
const ROUND: Duration = Duration::from_secs(1);
/// A link that nobody wants is forgotten after this time, in milliseconds.
const FORGET: u64 = 10_000;
/// Bytes that are read of what a peer says first; a HELLO is much shorter.
pub(super) const FIRST: usize = 256;
/// What is not sent by then is lost when the participant ends.
const FAREWELL: Duration = Duration::from_millis(100);

/// Starts the porter of an exchange. It ends when the exchange is stopped.
pub(super) fn start(table: &Arc<ConnectionTable>) -> io::Result<JoinHandle<()>> {
    let table = Arc::clone(table);
    threads::spawn("dunlin-porter", 256 * 1024, move || {
        let mut manager = ConnectionManager {
            table: &table,
            greetings: HashMap::new(),
            round: Instant::now(),
        };
        if let Err(why) = catch(|| manager.run()) {
            table.fail(&why);
        }
    })
}

struct ConnectionManager<'a> {
    table: &'a ConnectionTable,
    /// What peers have begun to say.
    greetings: HashMap<u64, Vec<u8>>,
    /// When all connections are looked at next.
    round: Instant,
}

impl ConnectionManager<'_> {
    fn run(&mut self) {
        let table = self.table;
        let mut events: Vec<epoll::Event> = Vec::with_capacity(AT_ONCE);
        let mut next = None;
        while !table.stopped.load(SeqCst) {
            events.clear();
            let left = next.map(|at: Instant| at.saturating_duration_since(Instant::now()));
            let limit = left.and_then(|left| Timespec::try_from(left).ok());
            let room = spare_capacity(&mut events);
            match epoll::wait(&*table.events, room, limit.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => {
                    log::error!(%error, "no TCP connections are made any more");
                    return;
                }
            }
            for event in &events {
                match event.data.u64() {
                    BELL => table.bell.clear(),
                    id => self.serve(id, event.flags),
                }
            }
            next = self.tend();
        }
        table.say_farewell();
    }

    fn serve(&mut self, id: u64, flags: epoll::EventFlags) {
        let state = self.table.state();
        let known = state.connections.get(&id);
        let Some(known) = known else {
            drop(state);
            return self.table.accept(id);
        };
        let (connection, stage) = (Arc::clone(&known.connection), known.stage);
        let read_by_us = known.inbox.strong_count() == 0;
        drop(state);
        let broken = epoll::EventFlags::ERR | epoll::EventFlags::HUP;
        let served = match stage {
            Stage::Connecting => self.table.note_outcome(&connection),
            _ if flags.intersects(epoll::EventFlags::OUT | broken) => connection
                .flush_queue()
                .map_err(|refused| Fault::Ended(Some(refused.to_error()))),
            _ => Ok(()),
        };
        let served = served.and_then(
            |()| match flags.intersects(epoll::EventFlags::IN | broken) {
                true if stage == Stage::Greeting => self.hear(&connection),
                true if read_by_us && stage != Stage::Connecting => throw_away(&connection),
                _ => Ok(()),
            },
        );
        if let Err(fault) = served {
            self.table.end(&connection, &fault);
        }
    }

    /// Reads what a peer says first, until it is known who it is.
    fn hear(&mut self, connection: &Arc<Connection>) -> Result<(), Fault> {
        let bytes = self.greetings.entry(connection.id).or_default();
        let mut room = [0; FIRST];
        let room = room.get_mut(bytes.len()..).unwrap_or_default();
        let length = match connection.read(room) {
            Ok(0) => return Err(Fault::Ended(None)),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(Fault::Ended(Some(error))),
        };
        bytes.extend_from_slice(room.get(..length).unwrap_or_default());
        let Some((peer, length)) = identify(bytes)? else {
            return Ok(());
        };
        let mut bytes = self.greetings.remove(&connection.id).unwrap_or_default();
        bytes.drain(..length.min(bytes.len()));
        self.table.welcome(connection, peer, bytes);
        Ok(())
    }

    /// Does what is due; returns when something is due next.
    fn tend(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let table = self.table;
        let mut state = table.state();
        let mut late = Vec::new();
        let look = now >= self.round;
        for known in state.connections.values_mut() {
            late.extend(known.lateness(now, look));
        }
        if look {
            self.round = now + ROUND;
            let connections = &state.connections;
            self.greetings.retain(|id, _| connections.contains_key(id));
        }
        table.tend_links(&mut state);
        table.reopen(&mut state, now);
        let next = state.next_due(table.now());
        let watches = !state.connections.is_empty();
        drop(state);
        for (connection, fault) in late {
            table.end(&connection, &fault);
        }
        next.into_iter().chain(watches.then_some(self.round)).min()
    }
}

/// Who sends such a first message, and how much of it is not for a receiver; `None` if more has to
/// come.
pub(super) fn identify(bytes: &[u8]) -> Result<Option<(Peer, usize)>, Fault> {
    let head = StreamHead::parse(bytes).map_err(Fault::Stream)?;
    let Some(head) = head else { return Ok(None) };
    let length = usize::try_from(head.length).unwrap_or(usize::MAX);
    if head.vendor != VendorId::DUNLIN || length > FIRST {
        return Ok(Some((Peer::Stranger, 0)));
    }
    let Some(message) = bytes.get(..length) else {
        return Ok(None);
    };
    Ok(Some(match Hello::parse(message) {
        Some(hello) => (Peer::Own(hello), length),
        None => (Peer::Stranger, 0),
    }))
}

/// Nobody receives here.
fn throw_away(connection: &Connection) -> Result<(), Fault> {
    let mut room = [0; 16 * 1024];
    match connection.read(&mut room) {
        Ok(0) => Err(Fault::Ended(None)),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        Err(error) => Err(Fault::Ended(Some(error))),
    }
}

impl Known {
    /// Why the connection is to be ended now, if it is; with `look`, also if nothing has come for
    /// long.
    fn lateness(&mut self, now: Instant, look: bool) -> Option<(Arc<Connection>, Fault)> {
        let over = self.until.is_some_and(|until| until <= now);
        let fault = match self.stage {
            Stage::Connecting if over => Fault::Ended(Some(io::ErrorKind::TimedOut.into())),
            Stage::Retiring if over => Fault::Ended(None),
            Stage::Greeting
                if over && self.connection.dialled.is_some() && self.connection.is_open() =>
            {
                self.until = None;
                return None;
            }
            Stage::Greeting if over => Fault::Silent,
            Stage::Running if over && self.connection.is_proven() => {
                self.until = None;
                return None;
            }
            Stage::Running if over => Fault::Silent,
            Stage::Running if look => match self.is_stuck(now) {
                true => Fault::Silent,
                false => return None,
            },
            _ => return None,
        };
        Some((Arc::clone(&self.connection), fault))
    }

    /// A message has begun, and there is no more of it than long ago.
    fn is_stuck(&mut self, now: Instant) -> bool {
        let pending = self.connection.pending.load(Relaxed);
        let (before, since) = self.pending;
        if pending == 0 || pending != before {
            self.pending = (pending, now);
            return false;
        }
        now >= since + PATIENCE
    }
}

impl State {
    fn next_due(&self, clock: u64) -> Option<Instant> {
        let connections = self.connections.values().filter_map(|known| known.until);
        let links = self.links.values();
        let waiting = links.filter(|held| held.is_to_be_dialled(clock));
        let links = waiting.filter_map(|held| held.next);
        let gates = self.gates.iter().filter_map(|gate| gate.paused);
        connections.chain(links).chain(gates).min()
    }

    /// A caller that has sent nothing whole, the one that has been here longest.
    fn oldest_unproven(&self, least: usize) -> Option<Arc<Connection>> {
        let unproven = || {
            let all = self.connections.values();
            all.filter(|known| known.connection.dialled.is_none() && !known.connection.is_proven())
        };
        if unproven().count() < least {
            return None;
        }
        let oldest = unproven().min_by_key(|known| known.since);
        oldest.map(|known| Arc::clone(&known.connection))
    }

    fn count_from(&self, address: SocketAddrV4) -> usize {
        let all = self.connections.values();
        all.filter(|known| known.connection.remote.ip() == address.ip())
            .count()
    }
}

impl ConnectionTable {
    /// A dialled connection has been made, or has not.
    fn note_outcome(&self, connection: &Arc<Connection>) -> Result<(), Fault> {
        let ended = |error| Fault::Ended(Some(error));
        socket::outcome(&connection.fd).map_err(ended)?;
        let mut state = self.state();
        let Some(known) = state.connections.get_mut(&connection.id) else {
            return Ok(());
        };
        known.stage = Stage::Greeting;
        known.since = Instant::now();
        // Keys have to be agreed in time; another product need say nothing after that.
        known.until = connection.is_secret().then(|| known.since + PATIENCE);
        drop(state);
        connection
            .open()
            .map_err(|refused| ended(refused.to_error()))?;
        connection.let_porter_read(true);
        Ok(())
    }

    /// Takes in whoever has dialled.
    fn accept(&self, gate: u64) {
        for _ in 0..AT_ONCE {
            let mut state = self.state();
            let found = state.gates.iter_mut().find(|known| known.id == gate);
            let Some(gate) = found else { return };
            let Some(listener) = &gate.listener else {
                return;
            };
            match socket::accept(listener.as_fd(), self.buffers) {
                Ok(Some(accepted)) => {
                    let id = gate.id;
                    self.admit(state, accepted, id);
                }
                Ok(None) => return,
                Err(error) => {
                    // The caller is still in the queue, and would wake us again and again.
                    let _ = epoll::delete(&*self.events, listener);
                    gate.paused = Some(Instant::now() + PAUSE);
                    drop(state);
                    let nobody = SocketAddrV4::new([0, 0, 0, 0].into(), 0);
                    return self.complain(nobody, &format!("cannot accept: {error}"));
                }
            }
        }
    }

    fn admit(
        &self,
        mut state: std::sync::MutexGuard<'_, State>,
        (fd, remote): (OwnedFd, SocketAddrV4),
        gate: u64,
    ) {
        let allowed = self.selection.accepted().is_none_or(|allowed| {
            socket::local(&fd).is_ok_and(|local| allowed.contains(local.ip()))
        });
        if !allowed {
            return;
        }
        let full = state.connections.len() >= self.most;
        let least = if full { 1 } else { UNPROVEN };
        let evicted = state.oldest_unproven(least);
        if (full && evicted.is_none()) || state.count_from(remote) > self.most / 2 {
            drop(state);
            return self.complain(remote, &"there are too many connections");
        }
        let id = state.next_id();
        let now = Instant::now();
        let session = self.tls.as_ref().map(Tls::accept).transpose();
        let session = match session {
            Ok(session) => session,
            Err(error) => {
                drop(state);
                return self.complain(remote, &error);
            }
        };
        let connection = Connection::new(
            id,
            (fd, remote),
            session,
            None,
            &[],
            self.queue,
            &self.events,
        );
        let known = Known::new(&connection, Stage::Greeting, gate, now, PATIENCE);
        state.connections.insert(id, known);
        drop(state);
        connection.let_porter_read(true);
        if let Some(evicted) = evicted {
            self.end(&evicted, &Fault::Silent);
        }
    }

    /// Listens again where nothing could be accepted for a while.
    fn reopen(&self, state: &mut State, now: Instant) {
        for gate in &mut state.gates {
            if gate.paused.is_some_and(|until| until <= now)
                && let Some(listener) = &gate.listener
            {
                gate.paused = match self.await_callers(listener, gate.id) {
                    Ok(()) => None,
                    Err(_) => Some(now + PAUSE),
                };
            }
        }
    }

    /// Dials where somebody wants to send, and forgets where nobody does.
    fn tend_links(&self, state: &mut State) {
        let clock = self.now();
        state.links.retain(|_, held| {
            let idle = clock.saturating_sub(held.link.wanted.load(Relaxed)) > FORGET;
            Arc::strong_count(&held.link) > 1 || !idle || held.link.current().is_some()
        });
        let links = state.links.values();
        let open = links.filter(|held| held.is_to_be_dialled(clock));
        let open: Vec<_> = open.map(|held| Arc::clone(&held.link)).collect();
        for link in open {
            self.lead(state, &link);
        }
    }

    /// Sends what waits, and closes everything.
    fn say_farewell(&self) {
        let state = self.state();
        let all: Vec<_> = state
            .connections
            .values()
            .map(|k| Arc::clone(&k.connection))
            .collect();
        drop(state);
        let until = Instant::now() + FAREWELL;
        for connection in &all {
            connection.retire();
            while connection.is_behind() && Instant::now() < until {
                socket::await_room(
                    &connection.fd,
                    until.saturating_duration_since(Instant::now()),
                );
                if connection.flush_queue().is_err() {
                    break;
                }
            }
        }
        for connection in all {
            // What has come and was not read would make the peer lose what is under way to it.
            let _ = throw_away(&connection);
            connection.close();
        }
    }
}
