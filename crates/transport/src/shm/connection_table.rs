//! What the transport, its receivers and its porter share: who is connected, and who cannot be.
mod dialling;
mod lines;

use crate::panics::log;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use dunlin_shm::{Chunk, ControlSocket, Error, Identity, Limits, Pool, Rendezvous};
use dunlin_wire::Locator;
use rustix::event::epoll;
use rustix::event::{EventfdFlags, eventfd};

use super::pools::Pools;
use super::receiver::{Inbox, ShmReceiver};
use super::send_channel::{ATTACHED, SendChannel, announce};
use super::{Port, ShmConfig, identity, io_error, locator, name, port};
use crate::traits::{Listen, Watcher};
use dialling::Dialling;

/// What an event of the porter's is about, if it is no connection.
pub(super) const RENDEZVOUS: u64 = 0;
pub(super) const BELL: u64 = 1;
const FIRST_LINE: u64 = 2;

pub(super) struct ConnectionTable {
    pub(super) name: [u8; 12],
    group: u32,
    pub(super) pools: Arc<Pools>,
    state: Mutex<State>,
    /// Some conversation has come to an end.
    settled: Condvar,
    /// What the porter waits for.
    pub(super) events: OwnedFd,
    pub(super) bell: OwnedFd,
    pub(super) stopped: AtomicBool,
    pub(super) failed: AtomicU64,
    pub(super) refusals: AtomicU64,
    /// Why memory was not shared with a peer, the last time.
    complaint: Mutex<String>,
    /// It was logged that there are others whom we do not share memory with.
    told_of_strangers: AtomicBool,
    watcher: Mutex<Option<Weak<dyn Watcher>>>,
}

pub(super) struct State {
    /// Dials.
    caller: Rendezvous,
    /// Are dialled.
    ports: Vec<(Rendezvous, Arc<Inbox>)>,
    outlets: HashMap<Identity, Arc<SendChannel>>,
    /// When the kernel's list was read last.
    looked: Option<Instant>,
    /// Ports that were asked for without a number.
    given: usize,
    /// Connections whose end the porter waits for.
    lines: HashMap<u64, Watched>,
    next_line: u64,
    /// All pools, in the order in which peers hear of them.
    pools: Vec<Pool>,
    /// Whom we have greeted, or shall.
    dialling: Dialling,
    /// Peers whose connections have ended, and who may have.
    pub(super) suspects: Vec<Suspect>,
}

struct Watched {
    line: ControlSocket,
    end: Ended,
}

enum Ended {
    SendChannel(Identity),
    ReceiveChannel(Weak<Inbox>, Identity),
}

/// A peer with whom a connection has ended.
pub(super) struct Suspect {
    pub(super) name: [u8; 12],
    pub(super) since: Instant,
    pub(super) next: Instant,
    /// It was taken to live on, and is reached some other way.
    pub(super) relocated: bool,
}

impl ConnectionTable {
    pub(super) fn new(config: &ShmConfig) -> io::Result<Self> {
        let own = identity(config.name, Port::CALLER);
        let caller = Rendezvous::new(config.group, own, Limits::default()).map_err(io_error)?;
        let table = Self {
            name: config.name,
            group: config.group,
            pools: Arc::new(Pools::new()),
            state: Mutex::new(State {
                caller,
                ports: Vec::new(),
                outlets: HashMap::new(),
                looked: None,
                given: 0,
                lines: HashMap::new(),
                next_line: FIRST_LINE,
                pools: Vec::new(),
                dialling: Dialling::default(),
                suspects: Vec::new(),
            }),
            settled: Condvar::new(),
            events: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            stopped: AtomicBool::new(false),
            failed: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            complaint: Mutex::default(),
            told_of_strangers: AtomicBool::new(false),
            watcher: Mutex::default(),
        };
        table.await_data(table.bell.as_fd(), BELL)?;
        table.state().await_sockets(&table.events);
        Ok(table)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn await_data(&self, fd: BorrowedFd<'_>, about: u64) -> io::Result<()> {
        let data = epoll::EventData::new_u64(about);
        Ok(epoll::add(&self.events, fd, data, epoll::EventFlags::IN)?)
    }

    /// Has the porter look at everything.
    pub(super) fn ring(&self) {
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        self.ring();
    }

    pub(super) fn watch(&self, watcher: Weak<dyn Watcher>) {
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
    }

    /// Tells the participant that the porter has ended although nobody stopped it.
    pub(super) fn fail(&self, why: &str) {
        if let Some(watcher) = self.watcher() {
            watcher.failed(&format!("thread dunlin-porter has panicked: {why}"));
        }
    }

    fn watcher(&self) -> Option<Arc<dyn Watcher>> {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        watcher.as_ref().and_then(Weak::upgrade)
    }

    /// Tells the participant that a peer has answered, or does not.
    fn tell_answered(&self, peer: [u8; 12]) {
        if let Some(watcher) = self.watcher() {
            watcher.answered(&locator(&identity(peer, Port::CALLER)));
        }
    }

    /// Tells the participant that the way to a peer is not as it was.
    pub(super) fn tell(&self, peer: [u8; 12], ended: bool) {
        if let Some(watcher) = self.watcher() {
            watcher.changed(&locator(&identity(peer, Port::CALLER)), ended);
        }
    }

    /// Makes the ports for these places; a unicast place and a group share one.
    pub(super) fn listen(self: &Arc<Self>, listen: &[Listen]) -> io::Result<ShmReceiver> {
        let ports = wanted(listen)?;
        let groups = listen.iter().filter_map(|listen| match listen {
            Listen::Multicast { group } => Some(*group),
            Listen::Unicast { .. } | Listen::Beside { .. } => None,
        });
        let inbox = Inbox::new();
        let mut receiver = ShmReceiver::new(Arc::clone(self), Arc::clone(&inbox))?;
        let mut state = self.state();
        for (port, listed) in ports {
            let own = identity(
                self.name,
                Port {
                    number: state.free(port.number)?,
                    ..port
                },
            );
            let rendezvous =
                Rendezvous::new(self.group, own, Limits::default()).map_err(io_error)?;
            state.ports.push((rendezvous, Arc::clone(&inbox)));
            receiver.locators.extend(listed.then(|| locator(&own)));
        }
        receiver.locators.extend(groups);
        state.await_sockets(&self.events);
        Ok(receiver)
    }

    /// A receiver has ended.
    pub(super) fn close(&self, inbox: &Arc<Inbox>) {
        self.state().close(inbox);
    }

    /// Participants of other users in this domain.
    fn strangers(&self) -> usize {
        let mut names: Vec<_> = dunlin_shm::strangers(self.group)
            .unwrap_or_default()
            .iter()
            .map(name)
            .collect();
        // Each has several ports.
        names.dedup();
        names.len()
    }

    fn tell_of_strangers(&self) {
        if !self.told_of_strangers.load(SeqCst)
            && let count @ 1.. = self.strangers()
            && !self.told_of_strangers.swap(true, SeqCst)
        {
            log::warn!(
                count,
                "memory is not shared with participants of another user; another transport has to do"
            );
        }
    }

    /// Why peers may not be found.
    pub(super) fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        if let count @ 1.. = self.strangers() {
            hints.push(format!(
                "memory is not shared with {count} participants of another user"
            ));
        }
        if let count @ 1.. = self.refusals.load(SeqCst) {
            let why = self.complaint.lock();
            let why = why.unwrap_or_else(PoisonError::into_inner);
            hints.push(format!(
                "memory could not be shared {count} times, the last time: {why}"
            ));
        }
        hints
    }

    /// Counts; returns the count if it is worth a line in the log.
    fn count_refusal(&self, why: &dyn std::fmt::Display) -> Option<u64> {
        *self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = why.to_string();
        let total = self.refusals.fetch_add(1, SeqCst) + 1;
        total.is_power_of_two().then_some(total)
    }

    /// Memory that peers can read, for the application.
    pub(super) fn lend(&self, length: usize) -> Option<Chunk> {
        if length < ATTACHED {
            return None;
        }
        self.pools.lend(length, || self.reclaim_all())
    }

    pub(super) fn send_channels(&self) -> Vec<Arc<SendChannel>> {
        self.state().outlets.values().cloned().collect()
    }

    #[cfg(test)]
    pub(super) fn change_send_channel(
        &self,
        peer: &Identity,
        change: impl FnOnce(&mut SendChannel),
    ) {
        let limit = Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let mut state = self.state();
            if let Some(channel) = state.outlets.get_mut(peer).and_then(Arc::get_mut) {
                return change(channel);
            }
            drop(state);
            // The porter has it for a moment.
            assert!(Instant::now() < limit, "somebody else has it for good");
            std::thread::yield_now();
        }
    }

    /// Takes a pool out of use, unless a chunk of it is in use, or some reader would not understand
    /// that, or was just greeted with it; whoever comes does not hear of it. Returns who knows it.
    pub(super) fn leave_out(&self, pool: &Pool) -> Option<Vec<Arc<SendChannel>>> {
        let mut state = self.state();
        let all = || state.outlets.values();
        let possible = state.dialling.is_over() && all().all(|of| of.heeds_withdrawals);
        if !possible || !pool.withdraw() {
            return None;
        }
        let who = all().cloned().collect();
        state.caller.remove_pool(pool.number());
        state.pools.retain(|of| of.number() != pool.number());
        Some(who)
    }

    /// Makes a new pool known to all peers, present and future.
    pub(super) fn announce(&self, pool: &Pool) {
        let mut state = self.state();
        if let Err(error) = state.caller.add_pool(pool.clone()) {
            log::debug!(%error, "peers to come do not hear of new memory");
        }
        state.pools.push(pool.clone());
        let lines = state.lines.values();
        for watched in lines.filter(|watched| matches!(watched.end, Ended::SendChannel(_))) {
            announce(&watched.line, pool);
        }
    }

    /// Never sends to a peer by shared memory again. Several threads may find out at once; it is
    /// said once.
    pub(super) fn break_with(&self, send_channel: &SendChannel, why: &str) {
        let was_open = send_channel.close();
        {
            let mut state = self.state();
            state.outlets.remove(&send_channel.identity);
            state.lines.retain(|_, watched| !matches!(&watched.end, Ended::SendChannel(peer) if *peer == send_channel.identity));
            state.dialling.note_refused(send_channel.identity, None);
        }
        if !was_open {
            return;
        }
        self.count_refusal(&why);
        log::warn!(peer = ?send_channel.locator, why, "shared memory with this peer has ended; another transport has to do");
        self.tell(name(&send_channel.identity), false);
    }

    /// A peer that sends to us has broken the rules: its connection is closed, which tells it to
    /// send some other way.
    pub(super) fn note_violation(&self, inbox: &Arc<Inbox>, peer: Identity, error: &Error) {
        let is_it = |end: &Ended| matches!(end, Ended::ReceiveChannel(of, from) if *from == peer && of.as_ptr() == Arc::as_ptr(inbox));
        self.state().lines.retain(|_, watched| !is_it(&watched.end));
        self.count_refusal(error);
        let peer = locator(&peer);
        log::warn!(?peer, %error, "shared memory from this peer has ended; another transport has to do");
    }

    /// Whether a participant is still there; one that has ended does not listen.
    pub(super) fn is_there(&self, peer: [u8; 12]) -> bool {
        let peer = identity(peer, Port::CALLER);
        self.state().caller.is_listening(&peer).unwrap_or(true)
    }
}

impl State {
    /// This port, or any one for 0.
    fn free(&mut self, number: u16) -> io::Result<u16> {
        let taken = |number| {
            let mut taken = self
                .ports
                .iter()
                .map(|(rendezvous, _)| port(&rendezvous.identity()));
            taken.any(|port| port.number == number)
        };
        let free = match number {
            // Not the one that was free last: peers may not have heard yet that it is not what it
            // was.
            0 => (FIRST_FREE..u16::MAX)
                .cycle()
                .skip(self.given)
                .take(usize::from(u16::MAX))
                .find(|number| !taken(*number)),
            number => Some(number).filter(|number| !taken(*number)),
        };
        self.given = (self.given + 1) % usize::from(u16::MAX - FIRST_FREE);
        free.ok_or_else(|| io::ErrorKind::AddrInUse.into())
    }

    /// Forgets a receiver's ports.
    fn close(&mut self, inbox: &Arc<Inbox>) {
        self.ports.retain(|(_, other)| !Arc::ptr_eq(inbox, other));
    }

    /// Has the porter woken by what peers say at the rendezvous.
    fn await_sockets(&self, events: &OwnedFd) {
        let ports = self.ports.iter().map(|(rendezvous, _)| rendezvous);
        let all = ports.chain([&self.caller]);
        for socket in all.flat_map(Rendezvous::sockets) {
            let data = epoll::EventData::new_u64(RENDEZVOUS);
            // It is known already, or there is no room; its answer is then taken at the next
            // occasion.
            let _ = epoll::add(events, socket, data, epoll::EventFlags::IN);
        }
    }
}

impl std::fmt::Debug for ConnectionTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Places that one receiver can listen at.
const MOST_PORTS: usize = 16;
/// Ports that nobody asked for by number.
const FIRST_FREE: u16 = 1024;

/// The ports that make up the list, and whether peers are told of them: those for groups alone are
/// found without that.
fn wanted(listen: &[Listen]) -> io::Result<Vec<(Port, bool)>> {
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
    let mut numbers = Vec::new();
    let mut groups = Vec::new();
    for listen in listen {
        match listen {
            Listen::Unicast { port } => numbers.push(*port),
            Listen::Beside { .. } => return Err(invalid("a port is one receiver's alone")),
            Listen::Multicast { group } => {
                let port = u16::try_from(group.port).ok().filter(|port| *port != 0);
                let port =
                    port.filter(|_| group.kind == Locator::KIND_SHMEM && group.is_multicast());
                groups.push(port.ok_or_else(|| invalid("no group of shared memory"))?);
            }
        }
    }
    let count = numbers.len().max(groups.len());
    if count == 0 || count > MOST_PORTS {
        return Err(invalid("a receiver listens at 1 to 16 places"));
    }
    let nth = |at: usize| {
        let number = numbers.get(at).copied();
        let port = Port {
            number: number.unwrap_or(0),
            group: groups.get(at).copied().unwrap_or(0),
        };
        (port, number.is_some())
    };
    Ok((0..count).map(nth).collect())
}
