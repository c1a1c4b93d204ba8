//! What the transport, its receivers and its porter share: the connections that there are, and
//! where they lead.
use crate::panics::log;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddrV4;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use dunlin_udp::{Buffers, Event, interfaces};
use dunlin_wire::stream::{Channel, Hello, OPAQUE_HEAD};
use dunlin_wire::{GuidPrefix, Locator};
use rustix::event::epoll;

use super::TcpConfig;
use super::acceptor::Acceptor;
use super::connection::{Connection, STRANGERS_MOST};
use super::large::Budget;
use super::peer_link::{PeerLink, Target};
use super::receive_channel::Fault;
use super::receiver::Inbox;
use super::send_channel::Refused;
use super::socket;
use super::tls::Tls;
use crate::traits::{Outgoing, Sent, Watcher};
use crate::udp::selection::Selection;

/// What the porter's bell is among its events; the others are numbers of gates and connections.
pub(super) const BELL: u64 = 0;
/// A dial that is not answered is given up: the next one comes sooner than the kernel would repeat
/// this one.
const PATIENCE: Duration = Duration::from_millis(500);
/// A large datagram waits so long for the word that the peer takes such.
const WORD: Duration = Duration::from_millis(50);
/// How long after a failed dial the next one comes, doubled each time.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A connection that has lasted for so long was a good one: if it ends, it is made anew at once.
const GOOD: Duration = Duration::from_secs(1);
/// What was sent without a lane is taken to go on for so long.
const WANTED: u64 = 5_000;
/// How far the clock is when a transport is made.
const LONG_AGO: u64 = 1_000_000;
/// What is emptied and closed has this time.
const FAREWELL: Duration = Duration::from_secs(2);
/// Places that are sent to.
const MOST_LINKS: usize = 4096;
/// Memory for large messages under way, all peers together.
const MEMORY: usize = 1 << 30;

pub(super) struct ConnectionTable {
    pub(super) name: GuidPrefix,
    pub(super) client_only: bool,
    pub(super) public: Option<SocketAddrV4>,
    pub(super) buffers: Option<Buffers>,
    pub(super) queue: usize,
    pub(super) most: usize,
    pub(super) selection: Selection,
    pub(super) tls: Option<Tls>,
    pub(super) budget: Arc<Budget>,
    state: Mutex<State>,
    /// Somebody has said who it is.
    told: Condvar,
    /// What the porter waits for.
    pub(super) events: Arc<OwnedFd>,
    pub(super) bell: Event,
    pub(super) stopped: AtomicBool,
    pub(super) failed: AtomicU64,
    pub(super) refusals: AtomicU64,
    /// Why a connection was refused, the last time.
    complaint: Mutex<String>,
    watcher: Mutex<Option<Weak<dyn Watcher>>>,
    start: Instant,
}

pub(super) struct State {
    pub(super) gates: Vec<Acceptor>,
    pub(super) links: HashMap<(Target, Channel), Held>,
    pub(super) connections: HashMap<u64, Known>,
    last_id: u64,
}

/// A link, and when it may be dialled.
pub(super) struct Held {
    pub(super) link: Arc<PeerLink>,
    tries: u32,
    pub(super) next: Option<Instant>,
}

/// A connection, and how far it has come.
pub(super) struct Known {
    pub(super) connection: Arc<Connection>,
    pub(super) stage: Stage,
    /// The gate it belongs to, 0 for none.
    pub(super) gate: u64,
    /// Who reads it, if not the porter.
    pub(super) inbox: Weak<Inbox>,
    /// It may be sent by.
    pub(super) sends: bool,
    pub(super) since: Instant,
    /// When the stage ends at the latest.
    pub(super) until: Option<Instant>,
    /// Bytes of a message that has not come to its end, and since when there are no more.
    pub(super) pending: (u64, Instant),
    /// Kept open as long as this connection is.
    pub(super) companion: Option<Arc<PeerLink>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Dialled.
    Connecting,
    /// Made; the peer has said nothing yet.
    Greeting,
    /// Read by a receiver; or by the porter, who throws away what comes, if there is none.
    Running,
    /// To be closed when both have sent what they had.
    Retiring,
}

impl Known {
    /// One that nobody reads yet; the stage ends after `patience` at the latest.
    pub(super) fn new(
        connection: &Arc<Connection>,
        stage: Stage,
        gate: u64,
        now: Instant,
        patience: Duration,
    ) -> Self {
        Self {
            connection: Arc::clone(connection),
            stage,
            gate,
            inbox: Weak::new(),
            sends: true,
            since: now,
            until: Some(now + patience),
            pending: (0, now),
            companion: None,
        }
    }

    /// Is not to be used any more. `orphan`: nobody reads it, so that the porter has to.
    pub(super) fn retire(&mut self, orphan: bool) -> (Arc<Connection>, bool) {
        let manager = orphan || self.inbox.strong_count() == 0;
        self.stage = Stage::Retiring;
        self.sends = false;
        self.until = Some(Instant::now() + FAREWELL);
        (Arc::clone(&self.connection), manager)
    }
}

impl Held {
    /// A dial has failed, or what came of it has not lasted.
    fn note_failure(&mut self, now: Instant) {
        let pause = PAUSE.saturating_mul(1 << self.tries.min(8));
        self.tries = self.tries.saturating_add(1);
        self.next = Some(now + pause.min(LONGEST_PAUSE));
    }

    fn note_success(&mut self) {
        self.tries = 0;
        self.next = None;
    }

    /// It leads nowhere, somebody wants it to, and dialling may help.
    pub(super) fn is_to_be_dialled(&self, now: u64) -> bool {
        matches!(self.link.target, Target::At(_))
            && self.link.current().is_none()
            && self.is_wanted(now)
    }

    /// Somebody has it as a lane, or has sent by it of late.
    pub(super) fn is_wanted(&self, now: u64) -> bool {
        Arc::strong_count(&self.link) > 1
            || now.saturating_sub(self.link.wanted.load(Relaxed)) < WANTED
    }
}

impl ConnectionTable {
    pub(super) fn new(config: &TcpConfig) -> io::Result<Self> {
        let table = Self {
            name: GuidPrefix(config.name),
            client_only: config.client_only,
            public: config.public,
            buffers: config.buffers,
            queue: config.queue,
            most: config.connections,
            selection: Selection::new(interfaces()?, config.interfaces.as_deref())?,
            tls: config.tls.as_ref().map(Tls::new).transpose()?,
            budget: Budget::new(MEMORY),
            state: Mutex::new(State {
                gates: Vec::new(),
                links: HashMap::new(),
                connections: HashMap::new(),
                last_id: BELL,
            }),
            told: Condvar::new(),
            events: Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?),
            bell: Event::new()?,
            stopped: AtomicBool::new(false),
            failed: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            complaint: Mutex::default(),
            watcher: Mutex::default(),
            start: Instant::now(),
        };
        let data = epoll::EventData::new_u64(BELL);
        epoll::add(&*table.events, &table.bell, data, epoll::EventFlags::IN)?;
        Ok(table)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds, of which 0 is long ago.
    pub(super) fn now(&self) -> u64 {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        elapsed.saturating_add(LONG_AGO)
    }

    /// Has the porter woken by whoever dials.
    pub(super) fn await_callers(&self, listener: &OwnedFd, gate: u64) -> io::Result<()> {
        let data = epoll::EventData::new_u64(gate);
        let flags = epoll::EventFlags::IN;
        Ok(epoll::add(&*self.events, listener, data, flags)?)
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        self.bell.set();
    }

    pub(super) fn watch(&self, watcher: Weak<dyn Watcher>) {
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
    }

    /// Tells the participant that the porter has ended although nobody stopped it.
    pub(super) fn fail(&self, why: &str) {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let watcher = watcher.as_ref().and_then(Weak::upgrade);
        if let Some(watcher) = watcher {
            watcher.failed(&format!("thread dunlin-porter has panicked: {why}"));
        }
    }

    /// Tells the participant that the way to a peer is not as it was.
    pub(super) fn tell(&self, peer: GuidPrefix) {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let watcher = watcher.as_ref().and_then(Weak::upgrade);
        if let Some(watcher) = watcher {
            watcher.changed(&Locator::tcp_caller(peer.0), false);
        }
    }

    /// Why peers may not be found.
    pub(super) fn hints(&self) -> Vec<String> {
        let count = self.refusals.load(SeqCst);
        if count == 0 {
            return Vec::new();
        }
        let why = self.complaint.lock();
        let why = why.unwrap_or_else(PoisonError::into_inner);
        vec![format!(
            "{count} TCP connections were refused or broken off, the last: {why}"
        )]
    }

    /// Counts, and says so now and then.
    pub(super) fn complain(&self, peer: SocketAddrV4, why: &dyn std::fmt::Display) {
        *self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = format!("{peer}: {why}");
        let total = self.refusals.fetch_add(1, SeqCst) + 1;
        if total.is_power_of_two() {
            log::warn!(%peer, %why, total, "a TCP connection was refused");
        }
    }

    /// The link for a place and a purpose, which is dialled if nothing leads there yet.
    pub(super) fn link(&self, target: Target, channel: Channel) -> Arc<PeerLink> {
        let now = self.now();
        let mut state = self.state();
        if let Some(held) = state.links.get(&(target, channel)) {
            held.link.want(now);
            return Arc::clone(&held.link);
        }
        let link = PeerLink::new(target, channel, now);
        if state.links.len() < MOST_LINKS {
            let held = Held {
                link: Arc::clone(&link),
                tries: 0,
                next: None,
            };
            state.links.insert((target, channel), held);
            self.lead(&mut state, &link);
            drop(state);
            // It looks after what has been dialled.
            self.bell.set();
        }
        link
    }

    /// Any connection that leads to a place.
    pub(super) fn find(&self, target: Target) -> Option<Arc<Connection>> {
        let state = self.state();
        state.best(target, Channel::Meta).or_else(|| {
            let mut all = state.connections.values();
            let found = all.find(|known| known.sends && target.is_reached_by(&known.connection));
            found.map(|known| Arc::clone(&known.connection))
        })
    }

    /// Whether one of our own kind has been heard there, and still is.
    pub(super) fn has_met(&self, target: Target) -> bool {
        let state = self.state();
        let mut all = state.connections.values().map(|known| &known.connection);
        all.any(|connection| connection.hello().is_some() && target.is_reached_by(connection))
    }

    /// Whether the participant of this name is at a place; `None` if nobody has said so there.
    pub(super) fn is_there(&self, target: Target, name: GuidPrefix) -> Option<bool> {
        let state = self.state();
        let all = state.connections.values().map(|known| &known.connection);
        let there = all.filter(|connection| target.is_reached_by(connection));
        let names = there.filter_map(|connection| connection.hello().map(|hello| hello.name));
        names.map(|there| there == name).max()
    }

    /// Sends all of these by one link.
    pub(super) fn send(&self, link: &Arc<PeerLink>, datagrams: &[Outgoing<'_>], sent: &mut Sent) {
        let mut rest = datagrams;
        // One that has ended is found to have by sending; then another one is made.
        for _ in 0..2 {
            let connection = link.current().or_else(|| self.revive(link));
            let Some(connection) = connection else { break };
            if connection.peer().is_none() {
                self.await_word(&connection, rest);
            }
            let (done, result) = connection.send(self.name, rest, sent);
            rest = rest.get(done..).unwrap_or_default();
            match result {
                Ok(()) => return,
                Err(Refused::Retired) => {}
                Err(refused) => self.end(&connection, &Fault::Ended(Some(refused.to_error()))),
            }
        }
        for _ in rest {
            sent.fail(io::ErrorKind::NotConnected.into());
        }
    }

    #[cold]
    fn revive(&self, link: &Arc<PeerLink>) -> Option<Arc<Connection>> {
        let mut state = self.state();
        let made = self.lead(&mut state, link);
        drop(state);
        self.bell.set();
        made
    }

    /// If one of them is so large that another product would not take it, waits a little for the
    /// word who the peer is.
    fn await_word(&self, connection: &Connection, datagrams: &[Outgoing<'_>]) {
        let most = STRANGERS_MOST - OPAQUE_HEAD;
        if datagrams.iter().all(|datagram| datagram.length() <= most) {
            return;
        }
        let until = Instant::now() + WORD;
        let mut state = self.state();
        while connection.peer().is_none() && !connection.is_closed() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.told.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn announce_word(&self) {
        self.told.notify_all();
    }

    /// Has a link lead to its target: by a connection that there is, or by a new one.
    pub(super) fn lead(&self, state: &mut State, link: &Arc<PeerLink>) -> Option<Arc<Connection>> {
        if let Some(current) = link.current() {
            return Some(current);
        }
        if let Some(known) = state.best(link.target, link.channel) {
            link.take(&known);
            return Some(known);
        }
        self.dial(state, link)
    }

    fn dial(&self, state: &mut State, link: &Arc<PeerLink>) -> Option<Arc<Connection>> {
        let Target::At(to) = link.target else {
            return None;
        };
        let now = Instant::now();
        let room = state.connections.len() < self.most;
        let (gate, port) = state
            .gates
            .first()
            .map_or((0, 0), |gate| (gate.id, gate.announced));
        let id = state.next_id();
        let held = state.links.get_mut(&(link.target, link.channel))?;
        let due = held.next.is_none_or(|next| next <= now);
        if !due || self.stopped.load(Relaxed) {
            return None;
        }
        if !room {
            held.note_failure(now);
            return None;
        }
        let session = self.tls.as_ref().map(|tls| tls.dial(to)).transpose();
        let dialled = session.and_then(|session| {
            let fd = socket::dial(self.selection.bind_to(), to, self.buffers)?;
            Ok((fd, session))
        });
        let (fd, session) = match dialled {
            Ok(dialled) => dialled,
            Err(error) => {
                log::debug!(%to, %error, "a TCP peer cannot be dialled");
                held.note_failure(now);
                return None;
            }
        };
        let hello = Hello {
            name: self.name,
            channel: link.channel,
            port,
        };
        let connection = Connection::new(
            id,
            (fd, to),
            session,
            Some(link.channel),
            &hello.encode(),
            self.queue,
            &self.events,
        );
        link.take(&connection);
        let known = Known::new(&connection, Stage::Connecting, gate, now, PATIENCE);
        state.connections.insert(id, known);
        connection.await_opening();
        Some(connection)
    }

    /// A connection has ended, or is to end for this reason. Whoever notices says so; only the
    /// first is heard.
    pub(super) fn end(&self, connection: &Arc<Connection>, fault: &Fault) {
        connection.close();
        let mut state = self.state();
        let Some(known) = state.connections.remove(&connection.id) else {
            return;
        };
        if connection.dialled.is_none() && connection.hello().is_none() {
            // Another product's own address is nobody's to dial.
            let back = Target::At(connection.remote);
            state.links.retain(|(target, _), _| *target != back);
        }
        let (now, clock) = (Instant::now(), self.now());
        let lasted = known.stage != Stage::Connecting && now >= known.since + GOOD;
        let mut again = Vec::new();
        for held in state.links.values_mut() {
            if held.link.is_by(connection) {
                held.link.let_go();
                match lasted {
                    true => held.note_success(),
                    false => held.note_failure(now),
                }
                again.extend(held.is_wanted(clock).then(|| Arc::clone(&held.link)));
            }
        }
        for link in &again {
            self.lead(&mut state, link);
        }
        drop(state);
        self.announce_word();
        self.bell.set();
        self.report(&known, fault);
    }

    fn report(&self, known: &Known, fault: &Fault) {
        let connection = &known.connection;
        let waiting = u64::try_from(connection.waiting()).unwrap_or(u64::MAX);
        self.failed.fetch_add(waiting, Relaxed);
        match fault {
            Fault::Ended(Some(error)) if error.kind() == io::ErrorKind::InvalidData => {
                self.complain(connection.remote, error);
            }
            Fault::Ended(error) => {
                log::debug!(remote = %connection.remote, ?error, "a TCP connection has ended");
            }
            fault => self.complain(connection.remote, fault),
        }
        if known.stage == Stage::Running
            && let Some(hello) = connection.hello()
        {
            self.tell(hello.name);
        }
    }

    /// Empties and closes connections; those that nobody reads are read by the porter until their
    /// peers have closed them, too.
    pub(super) fn retire(&self, connections: Vec<(Arc<Connection>, bool)>) {
        for (connection, orphan) in connections {
            connection.retire();
            if orphan {
                connection.let_porter_read(true);
            }
            self.detach(&connection);
        }
        self.bell.set();
    }

    /// No link leads by this connection any more.
    fn detach(&self, connection: &Connection) {
        let state = self.state();
        let links = state.links.values();
        let left: Vec<_> = links
            .filter(|held| held.link.is_by(connection))
            .map(|held| Arc::clone(&held.link))
            .collect();
        for link in left {
            link.let_go();
            // Others may be there; if not, it is dialled when something is sent, or by the porter.
            if let Some(other) = state.best(link.target, link.channel) {
                link.take(&other);
            }
        }
    }
}

impl State {
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The connection to send to a place by, if there is one that has been made.
    pub(super) fn best(&self, target: Target, channel: Channel) -> Option<Arc<Connection>> {
        let usable = self.connections.values().filter(|known| {
            known.sends
                && known.stage != Stage::Connecting
                && !known.connection.is_closed()
                && target.is_reached_by(&known.connection)
        });
        let ranked = usable.filter_map(|known| {
            let same = known.connection.channel() == Some(channel);
            // Who cannot be dialled is reached by what there is; so is another product, whose
            // connection is for everything.
            let any = matches!(target, Target::Caller(_))
                || (known.connection.hello().is_none() && known.connection.dialled.is_none());
            (same || any).then_some((same, known.connection.id, known))
        });
        let best = ranked.max_by_key(|(same, id, _)| (*same, *id));
        best.map(|(_, _, known)| Arc::clone(&known.connection))
    }
}

impl std::fmt::Debug for ConnectionTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
