//! The receiving end: the connections of all who send to one port.
use std::borrow::{Borrow, BorrowMut};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_shm::{
    Control, ControlSocket, Doorbell, Error, Identity, Incoming, LinkSize, Loan, PoolView,
    Receiver as Ring, Violation,
};
use dunlin_wire::Locator;

use super::connection_table::ConnectionTable;
use super::{MAX_DATAGRAM, Port, identity, io_error, locator, name};
use crate::traits::{ReceiveStatistics, Received, ReceivedLoan, Receiver, Reception, Wait, Waker};

/// The longest sleep: a net under the wake-ups.
const SLEEP: Duration = Duration::from_secs(4);
/// Senders that the kernel can wait for without sockets.
const FEW: usize = 127;
/// Bytes of a slot of a ring.
const SLOT: usize = 256;
/// Pools that a peer may announce at once, and how many more for each second of its connection: one
/// that keeps to the rules withdraws one in a second.
const MOST_POOLS: u64 = 32;
const POOLS_EACH_SECOND: u64 = 2;
/// Packets of one connection that are looked at in a row.
const PACKETS: usize = 32;

/// The receiving end of one connection.
#[derive(Debug)]
pub(super) struct ReceiveChannel {
    peer: Identity,
    ring: Ring,
    line: ControlSocket,
    from: Locator,
    /// The peer sends no more: what is there is the last.
    ended: bool,
    since: Instant,
    /// Pools that it has announced.
    pools: u64,
}

impl ReceiveChannel {
    pub(super) fn new(peer: Identity, ring: Ring, line: ControlSocket) -> Self {
        let from = locator(&identity(name(&peer), Port::CALLER));
        Self {
            peer,
            ring,
            line,
            from,
            ended: false,
            since: Instant::now(),
            pools: 0,
        }
    }

    /// Takes what the peer has sent beside its messages: bytes that woke us, and memory. Whether
    /// there may be more.
    fn hear(&mut self) -> Result<bool, Error> {
        for _ in 0..PACKETS {
            match self.line.control()? {
                Some(Control::Ring) => {}
                Some(Control::Pool(pool)) => self.add_pool(pool)?,
                // The porter hears of the end, too.
                Some(Control::End) | None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// To map a pool takes time, which a peer could waste by withdrawing and announcing it all the
    /// time.
    fn add_pool(&mut self, pool: PoolView) -> Result<(), Error> {
        self.pools += 1;
        if self.pools > MOST_POOLS + self.since.elapsed().as_secs() * POOLS_EACH_SECOND {
            return Err(Violation::Pool.into());
        }
        self.ring.add_pool(pool)
    }

    /// Forgets the pool that the peer withdraws; false if its announcement may still be on its way.
    #[cold]
    fn forget_pool(&mut self) -> Result<bool, Error> {
        if self.ring.forget_pool()? {
            return Ok(true);
        }
        let more = self.hear()?;
        match self.ring.forget_pool()? {
            false if !more => Err(Violation::Pool.into()),
            known => Ok(known),
        }
    }

    /// Whether the memory of the chunk that is next has come. It was sent before the chunk, so it
    /// is here, or never comes: whoever waited for it would do so for ever, and what the chunk is
    /// said to be could not be checked.
    fn has_pool(&mut self) -> Result<bool, Error> {
        if self.ring.has_pool()? {
            return Ok(true);
        }
        let more = self.hear()?;
        match self.ring.has_pool()? {
            false if !more => Err(Violation::Chunk.into()),
            known => Ok(known),
        }
    }
}

impl Borrow<Ring> for ReceiveChannel {
    fn borrow(&self) -> &Ring {
        &self.ring
    }
}

impl BorrowMut<Ring> for ReceiveChannel {
    fn borrow_mut(&mut self) -> &mut Ring {
        &mut self.ring
    }
}

/// Where the porter puts new connections, and says which have ended.
pub(super) struct Inbox {
    changed: AtomicBool,
    changes: Mutex<Vec<Change>>,
    waker: OnceLock<Arc<dyn Waker>>,
    /// Set by a waker before it rings, taken by the receiver before it sleeps (Release in `wake`,
    /// Acquire in `was_woken`).
    asked: AtomicBool,
    oversized: AtomicU64,
}

enum Change {
    Add(Box<ReceiveChannel>),
    Remove(Identity),
}

impl Inbox {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            changed: AtomicBool::new(false),
            changes: Mutex::default(),
            waker: OnceLock::new(),
            asked: AtomicBool::new(false),
            oversized: AtomicU64::new(0),
        })
    }

    fn changes(&self) -> MutexGuard<'_, Vec<Change>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: Change) {
        self.changes().push(change);
        // Pairs with the Acquire in `ShmReceiver::take_changes`.
        self.changed.store(true, Ordering::Release);
        if let Some(waker) = self.waker.get() {
            waker.wake();
        }
    }

    pub(super) fn add(&self, receive_channel: ReceiveChannel) {
        self.change(Change::Add(Box::new(receive_channel)));
    }

    pub(super) fn remove(&self, peer: Identity) {
        self.change(Change::Remove(peer));
    }
}

/// Receives from all who have dialled one port.
pub(crate) struct ShmReceiver {
    table: Arc<ConnectionTable>,
    inbox: Arc<Inbox>,
    /// Where it listens.
    pub(super) locators: Vec<Locator>,
    inlets: Vec<ReceiveChannel>,
    /// The inlet to look at first, so that a busy one cannot starve the others.
    next: usize,
    doorbell: Doorbell,
    /// The length of the datagram that needs a larger buffer.
    announced: usize,
    loan: Option<ReceivedLoan>,
}

/// What one look at an inlet brought.
enum Look {
    Nothing,
    Datagram(usize),
    /// There is one, and the caller has to come with a larger buffer.
    Larger,
}

impl ShmReceiver {
    pub(super) fn new(table: Arc<ConnectionTable>, inbox: Arc<Inbox>) -> io::Result<Self> {
        Ok(Self {
            table,
            inbox,
            locators: Vec::new(),
            inlets: Vec::new(),
            next: 0,
            doorbell: Doorbell::new().map_err(io_error)?,
            announced: 0,
            loan: None,
        })
    }

    /// Has the porter wake this receiver so, if not by its own doorbell.
    pub(crate) fn wake_by(&self, waker: Arc<dyn Waker>) {
        let _ = self.inbox.waker.set(waker);
    }

    /// Has the porter wake this receiver by its doorbell.
    pub(super) fn wake_by_doorbell(&self) {
        self.wake_by(Arc::new(Bell(self.doorbell.waker())));
    }

    /// A waker was used since this was asked last.
    pub(crate) fn was_woken(&self) -> bool {
        self.inbox.asked.load(Ordering::Relaxed) && self.inbox.asked.swap(false, Ordering::Acquire)
    }

    /// The porter has something new.
    pub(crate) fn has_news(&self) -> bool {
        self.inbox.changed.load(Ordering::Relaxed)
    }

    #[inline]
    fn take_changes(&mut self) {
        if self.inbox.changed.load(Ordering::Relaxed)
            && self.inbox.changed.swap(false, Ordering::Acquire)
        {
            self.change();
        }
    }

    #[cold]
    fn change(&mut self) {
        let changes = std::mem::take(&mut *self.inbox.changes());
        for change in changes {
            match change {
                Change::Add(receive_channel) => {
                    self.inlets
                        .retain(|known| known.peer != receive_channel.peer);
                    self.inlets.push(*receive_channel);
                }
                // What it has sent before it ended is still there: then its inlet goes when it is
                // empty.
                Change::Remove(peer) => self.inlets.retain_mut(|receive_channel| {
                    receive_channel.ended |= receive_channel.peer == peer;
                    !receive_channel.ended || receive_channel.ring.is_ready()
                }),
            }
        }
    }

    /// Looks at each inlet once, at the end of which the next look begins.
    #[inline]
    pub(crate) fn sweep(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        self.take_changes();
        let count = self.inlets.len();
        for _ in 0..count {
            let place = if self.next < count { self.next } else { 0 };
            self.next = place + 1;
            let receive_channel = self.inlets.get_mut(place)?;
            if !receive_channel.ring.is_ready() {
                if receive_channel.ended {
                    self.inlets.swap_remove(place);
                    return None;
                }
                continue;
            }
            let mut oversize = Oversize {
                announced: &mut self.announced,
                oversized: &self.inbox.oversized,
            };
            let before = buffer.len();
            let looked = look(receive_channel, buffer, &mut self.loan, &mut oversize);
            if !matches!(looked, Ok(Look::Datagram(_))) {
                // Nothing of it may stand before the next datagram, which is somebody else's.
                buffer.truncate(before);
            }
            match looked {
                // It waits for memory that nobody will send any more.
                Ok(Look::Nothing) if receive_channel.ended => {
                    self.inlets.swap_remove(place);
                    return None;
                }
                Ok(Look::Nothing) => {}
                Ok(Look::Datagram(length)) => {
                    self.announced = 0;
                    return Some(Received {
                        length,
                        from: receive_channel.from,
                        loaned: self.loan.is_some(),
                    });
                }
                Ok(Look::Larger) => {
                    self.next = place;
                    return None;
                }
                Err(error) => {
                    self.table
                        .note_violation(&self.inbox, receive_channel.peer, &error);
                    self.inlets.swap_remove(place);
                    return None;
                }
            }
        }
        None
    }

    /// Nobody sends here by shared memory.
    pub(crate) fn is_alone(&self) -> bool {
        self.inlets.is_empty()
    }

    /// Sleeps until there may be something, also in one of the sockets.
    pub(crate) fn sleep(
        &mut self,
        sockets: &[BorrowedFd<'_>],
        limit: Option<Duration>,
    ) -> io::Result<()> {
        let limit = limit.map_or(SLEEP, |limit| limit.min(SLEEP));
        if sockets.is_empty() && self.inlets.len() <= FEW {
            return self
                .doorbell
                .wait(&mut self.inlets, limit)
                .map(drop)
                .map_err(io_error);
        }
        let lines: Vec<ControlSocket> = self
            .inlets
            .iter()
            .map(|receive_channel| receive_channel.line.clone())
            .collect();
        let lines = lines.iter().map(AsFd::as_fd);
        let all: Vec<BorrowedFd<'_>> = lines.chain(sockets.iter().copied()).collect();
        self.doorbell
            .wait_polling(&mut self.inlets, &all, limit)
            .map_err(io_error)?;
        self.hear_ready();
        Ok(())
    }

    /// Takes the bytes that have woken us, from those alone that have sent some: there may be
    /// hundreds of others.
    fn hear_ready(&mut self) {
        // The last first, so that the places of the others stay what they are.
        for place in self.doorbell.ready().iter().rev() {
            // Behind the lines there are other sockets.
            let Some(receive_channel) = self.inlets.get_mut(*place) else {
                continue;
            };
            if let Err(error) = receive_channel.hear() {
                self.table
                    .note_violation(&self.inbox, receive_channel.peer, &error);
                self.inlets.remove(*place);
            }
        }
    }
}

impl Receiver for ShmReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        loop {
            let received = self.sweep(buffer);
            let deadline = match wait {
                Wait::Until(deadline) if received.is_none() && self.announced == 0 => deadline,
                _ => return Ok(received),
            };
            if self.was_woken() {
                return Ok(None);
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            self.sleep(&[], left)?;
        }
    }

    fn announced(&self) -> usize {
        self.announced
    }

    /// Who has sent the last datagram has sent more.
    fn is_ready(&self) -> bool {
        let last = self.inlets.get(self.next.wrapping_sub(1));
        last.is_some_and(|receive_channel| receive_channel.ring.is_ready())
    }

    fn loan(&mut self) -> Option<ReceivedLoan> {
        self.loan.take()
    }

    fn waker(&self) -> Arc<dyn Waker> {
        Arc::new(ShmWaker(Arc::downgrade(&self.inbox), self.doorbell.waker()))
    }

    fn locators(&self) -> Vec<Locator> {
        self.locators.clone()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        Arc::new(ShmReceiveStatistics(Arc::downgrade(&self.inbox)))
    }
}

impl Drop for ShmReceiver {
    fn drop(&mut self) {
        self.table.close(&self.inbox);
    }
}

/// Takes the next datagram of an inlet.
fn look(
    receive_channel: &mut ReceiveChannel,
    buffer: &mut BytesMut,
    received: &mut Option<ReceivedLoan>,
    oversize: &mut Oversize<'_>,
) -> Result<Look, Error> {
    let before = buffer.len();
    match receive_channel.ring.try_append(buffer) {
        Ok(None) => Ok(Look::Nothing),
        // Not without end: each of them takes away a pool.
        Ok(Some(Incoming::Withdrawal)) => match receive_channel.forget_pool()? {
            true => look(receive_channel, buffer, received, oversize),
            false => Ok(Look::Nothing),
        },
        Ok(Some(Incoming::Message(length))) => Ok(Look::Datagram(length)),
        Ok(Some(Incoming::Attached { inline, at, length })) => {
            if !receive_channel.has_pool()? {
                return Ok(Look::Nothing);
            }
            let held = match inline {
                // All of it is to be copied anyhow.
                0 => None,
                _ => hold(receive_channel)?,
            };
            if let Some(loan) = held {
                *received = Some(ReceivedLoan { at, loan });
                return Ok(Look::Datagram(inline));
            }
            let size = inline.saturating_add(length);
            if size > MAX_DATAGRAM {
                return Err(Violation::Length.into());
            }
            if buffer.capacity() - before < size {
                return oversize.ask_for(size, || receive_channel.ring.skip_chunk());
            }
            receive_channel.ring.append_chunk(buffer)?;
            if let Some(behind) = buffer.get_mut(before.saturating_add(at)..) {
                behind.rotate_right(length.min(behind.len()));
            }
            Ok(Look::Datagram(size))
        }
        Err(Error::Argument(_)) => {
            let longest = receive_channel.ring.longest();
            oversize.ask_for(longest, || {
                receive_channel
                    .ring
                    .try_recv(&mut vec![0; longest])
                    .map(drop)
            })
        }
        Err(error) => Err(error),
    }
}

/// What a receiver says about datagrams that its caller's buffer has no room for.
struct Oversize<'a> {
    announced: &'a mut usize,
    oversized: &'a AtomicU64,
}

impl Oversize<'_> {
    /// Asks the caller for a larger buffer, once; one that comes without loses the datagram.
    fn ask_for(
        &mut self,
        size: usize,
        skip: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Look, Error> {
        if std::mem::replace(self.announced, size) == 0 {
            return Ok(Look::Larger);
        }
        *self.announced = 0;
        self.oversized.fetch_add(1, Ordering::Relaxed);
        skip()?;
        Ok(Look::Nothing)
    }
}

/// Puts the chunk that is next on the board; `None` if there is no place.
fn hold(receive_channel: &mut ReceiveChannel) -> Result<Option<Loan>, Error> {
    match receive_channel.ring.hold_chunk() {
        Ok(loan) => Ok(Some(loan)),
        Err(Error::Limit(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

struct ShmWaker(Weak<Inbox>, dunlin_shm::Waker);

impl Waker for ShmWaker {
    fn wake(&self) {
        if let Some(inbox) = self.0.upgrade() {
            inbox.asked.store(true, Ordering::Release);
        }
        self.1.wake();
    }
}

/// The porter's way to wake a receiver that sleeps on its own doorbell.
struct Bell(dunlin_shm::Waker);

impl Waker for Bell {
    fn wake(&self) {
        self.0.wake();
    }
}

struct ShmReceiveStatistics(Weak<Inbox>);

impl ReceiveStatistics for ShmReceiveStatistics {
    fn read(&self) -> Reception {
        let Some(inbox) = self.0.upgrade() else {
            return Reception::default();
        };
        // Each sender has a ring of its own, which is there or the sender is not.
        let ring = LinkSize::default().slots as usize * SLOT;
        Reception {
            asked: ring,
            granted: ring,
            oversized: inbox.oversized.load(Ordering::Relaxed),
            ..Reception::default()
        }
    }
}

#[cfg(test)]
mod tests;
