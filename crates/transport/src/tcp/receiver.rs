//! The receiving end of a port: it reads all connections that are its own, by itself.
use crate::panics::log;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_udp::Event;
use dunlin_wire::Locator;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::Errno;

use super::connection::Connection;
use super::connection_table::ConnectionTable;
use super::receive_channel::{Fault, Look, ReadBuffer, ReceiveChannel};
use crate::traits::{ReceiveStatistics, Received, Receiver, Reception, Wait, Waker};

/// So many connections are read in turn, one system call each; of more, the kernel says which have
/// something.
const FEW: usize = 2;
/// So often the one that brought something last is read before the kernel is asked about all.
const IN_A_ROW: u32 = 16;
/// Connections that it names at once.
const AT_ONCE: usize = 64;
/// How long nobody looks at connections that cannot be waited for.
const NAP: Duration = Duration::from_millis(10);
/// What stands for the event among them.
const EVENT: u64 = u64::MAX;

/// Where the porter puts connections.
#[derive(Debug)]
pub(super) struct Inbox {
    changed: AtomicBool,
    arrivals: Mutex<Vec<(Arc<Connection>, Vec<u8>)>>,
    event: Event,
    /// Set by a waker before it rings, taken by the receiver before it sleeps (Release in `wake`,
    /// Acquire in `was_woken`).
    asked: AtomicBool,
    oversized: AtomicU64,
    asked_bytes: usize,
    granted: usize,
}

impl Inbox {
    /// `asked` and `granted`: bytes that the system queues for each connection.
    pub(super) fn new(asked: usize, granted: usize) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            changed: AtomicBool::new(false),
            arrivals: Mutex::default(),
            event: Event::new()?,
            asked: AtomicBool::new(false),
            oversized: AtomicU64::new(0),
            asked_bytes: asked,
            granted,
        }))
    }

    /// One for a second receiver of the same port.
    pub(super) fn sibling(&self) -> io::Result<Arc<Self>> {
        Self::new(self.asked_bytes, self.granted)
    }

    fn arrivals(&self) -> MutexGuard<'_, Vec<(Arc<Connection>, Vec<u8>)>> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a connection over, with what was read from it.
    pub(super) fn add(&self, connection: Arc<Connection>, kept: Vec<u8>) {
        self.arrivals().push((connection, kept));
        // Pairs with the Acquire in `TcpReceiver::take_arrivals`.
        self.changed.store(true, Ordering::Release);
        self.event.set();
    }
}

/// Receives from all connections of one port, or from those of them that carry user data.
pub(crate) struct TcpReceiver {
    table: Arc<ConnectionTable>,
    inbox: Arc<Inbox>,
    locators: Vec<Locator>,
    /// Places stay what they are as long as a connection lasts.
    inlets: Vec<Option<ReceiveChannel>>,
    count: usize,
    /// The place to look at first, so that a busy one cannot starve the others.
    next: usize,
    read_buffer: ReadBuffer,
    /// For many connections, and which of them have something.
    many: Option<OwnedFd>,
    ready: Vec<usize>,
    /// Which of them brought something last, and how often it was read since the kernel was asked.
    hot: Option<usize>,
    row: u32,
    /// Arrived with bytes that were read before.
    fresh: Vec<usize>,
    announced: usize,
}

impl TcpReceiver {
    pub(super) fn new(
        table: Arc<ConnectionTable>,
        inbox: Arc<Inbox>,
        locators: Vec<Locator>,
    ) -> Self {
        Self {
            read_buffer: ReadBuffer::new(&table.budget),
            table,
            inbox,
            locators,
            inlets: Vec::new(),
            count: 0,
            next: 0,
            many: None,
            ready: Vec::new(),
            hot: None,
            row: 0,
            fresh: Vec::new(),
            announced: 0,
        }
    }

    fn was_woken(&self) -> bool {
        self.inbox.asked.load(Ordering::Relaxed) && self.inbox.asked.swap(false, Ordering::Acquire)
    }

    #[inline]
    fn take_arrivals(&mut self) {
        if self.inbox.changed.load(Ordering::Relaxed)
            && self.inbox.changed.swap(false, Ordering::Acquire)
        {
            self.welcome();
        }
    }

    #[cold]
    fn welcome(&mut self) {
        let arrivals = std::mem::take(&mut *self.inbox.arrivals());
        for (connection, kept) in arrivals {
            let free = self.inlets.iter().position(Option::is_none);
            let place = free.unwrap_or(self.inlets.len());
            if free.is_none() {
                self.inlets.push(None);
            }
            if !kept.is_empty() {
                self.fresh.push(place);
            }
            if let Some(many) = &self.many {
                await_data(many, &connection, place);
                // Something of it may have been decrypted already.
                self.ready.push(place);
            }
            if let Some(empty) = self.inlets.get_mut(place) {
                *empty = Some(ReceiveChannel::new(connection, kept));
                self.count += 1;
            }
        }
        if self.count > FEW && self.many.is_none() {
            self.have_many();
        }
    }

    /// From now on the kernel says who has something.
    fn have_many(&mut self) {
        let made = epoll::create(epoll::CreateFlags::CLOEXEC);
        let Ok(many) = made.inspect_err(
            |error| log::debug!(%error, "TCP connections are read one after the other"),
        ) else {
            return;
        };
        let data = epoll::EventData::new_u64(EVENT);
        let _ = epoll::add(&many, &self.inbox.event, data, epoll::EventFlags::IN);
        for (place, receive_channel) in self.inlets.iter().enumerate() {
            if let Some(receive_channel) = receive_channel {
                await_data(&many, &receive_channel.connection, place);
                self.ready.push(place);
            }
        }
        self.many = Some(many);
    }

    /// The next datagram, if there is one; the read buffer first, then whoever is next.
    fn sweep(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        self.take_arrivals();
        while let Some(place) = self.read_buffer.of {
            let look = self.look(place, buffer, ReadBuffer::hand_out);
            if look.is_some() || self.announced > 0 {
                return look;
            }
        }
        while let Some(place) = self.fresh.pop() {
            let look = self.look(place, buffer, |read_buffer, receive_channel, buffer| {
                read_buffer.take_over(place, receive_channel, buffer)
            });
            if look.is_some() || self.announced > 0 {
                return look;
            }
        }
        match self.many {
            None => self.read_in_turn(buffer),
            Some(_) => self.read_ready(buffer),
        }
    }

    fn read_in_turn(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        let count = self.inlets.len();
        for _ in 0..count {
            let place = if self.next < count { self.next } else { 0 };
            self.next = place + 1;
            let look = self.read(place, buffer);
            if look.is_some() || self.announced > 0 {
                return look;
            }
        }
        None
    }

    fn read_ready(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        loop {
            let (place, is_last) = match self.ready.pop() {
                Some(place) => (place, false),
                None if self.asks_in_vain() => {
                    self.row += 1;
                    (self.hot?, true)
                }
                None => continue,
            };
            let look = self.read(place, buffer);
            if self.announced > 0 {
                // It is looked at again first.
                self.ready.push(place);
                return None;
            }
            if look.is_some() {
                self.prefer(place);
                return look;
            }
            if is_last {
                return None;
            }
        }
    }

    /// Asks the kernel if it is time to; true if nobody is ready.
    fn asks_in_vain(&mut self) -> bool {
        let asks = self.hot.is_none() || self.row >= IN_A_ROW;
        !asks || self.find_ready(Some(&Timespec::default()))
    }

    /// From now on this one is read first: more of it is likely to come soon.
    fn prefer(&mut self, place: usize) {
        let before = self.hot.replace(place).filter(|before| *before != place);
        // Of one that hides more the kernel does not tell.
        if let Some(before) = before.filter(|before| self.hides_more(*before)) {
            self.ready.insert(0, before);
        }
    }

    /// The system does not know whether there is more, since some of it may be decrypted already.
    fn hides_more(&self, place: usize) -> bool {
        let receive_channel = self.inlets.get(place).and_then(Option::as_ref);
        receive_channel.is_some_and(|receive_channel| receive_channel.connection.is_secret())
    }

    /// Asks who has something, and waits for somebody; true if nobody has.
    fn find_ready(&mut self, limit: Option<&Timespec>) -> bool {
        self.row = 0;
        let Some(many) = &self.many else { return true };
        let mut room = [const { MaybeUninit::<epoll::Event>::uninit() }; AT_ONCE];
        let events = match epoll::wait(many, &mut room, limit) {
            Ok((events, _)) => &*events,
            Err(Errno::INTR) => &[],
            Err(error) => {
                log::warn!(%error, "waiting for TCP connections failed");
                &[]
            }
        };
        for event in events {
            match event.data.u64() {
                EVENT => self.inbox.event.clear(),
                place => self.ready.extend(usize::try_from(place)),
            }
        }
        self.ready.is_empty()
    }

    fn read(&mut self, place: usize, buffer: &mut BytesMut) -> Option<Received> {
        self.look(place, buffer, |read_buffer, receive_channel, buffer| {
            read_buffer.read(place, receive_channel, buffer).map(Some)
        })
    }

    /// Does one look and what follows from it.
    #[inline]
    fn look(
        &mut self,
        place: usize,
        buffer: &mut BytesMut,
        look: impl FnOnce(
            &mut ReadBuffer,
            &mut ReceiveChannel,
            &mut BytesMut,
        ) -> Result<Option<Look>, Fault>,
    ) -> Option<Received> {
        let receive_channel = self.inlets.get_mut(place)?.as_mut()?;
        match look(&mut self.read_buffer, receive_channel, buffer) {
            Ok(None | Some(Look::Nothing)) => {}
            Ok(Some(Look::Datagram(length))) => {
                self.announced = 0;
                let from = receive_channel.from;
                return Some(Received {
                    length,
                    from,
                    loaned: false,
                });
            }
            Ok(Some(Look::Larger(size))) => {
                // Asked once for more room; one that comes without loses the datagram.
                if std::mem::replace(&mut self.announced, size) != 0 {
                    self.announced = 0;
                    self.inbox.oversized.fetch_add(1, Ordering::Relaxed);
                    self.read_buffer.drop_next(receive_channel);
                }
                // The same one comes next.
                self.next = place;
            }
            Err(fault) => self.lose(place, &fault),
        }
        None
    }

    #[cold]
    fn lose(&mut self, place: usize, fault: &Fault) {
        self.read_buffer.forget(place);
        let Some(receive_channel) = self.inlets.get_mut(place).and_then(Option::take) else {
            return;
        };
        self.count -= 1;
        self.hot = self.hot.filter(|hot| *hot != place);
        if let Some(many) = &self.many {
            let _ = epoll::delete(many, &receive_channel.connection.fd);
        }
        self.table.end(&receive_channel.connection, fault);
    }

    /// How long it may sleep at most, whoever wakes it; to be asked before each sleep.
    pub(crate) fn longest_sleep(&mut self) -> Option<Duration> {
        if self.count > FEW && self.many.is_none() {
            self.have_many();
        }
        // No file descriptor for it: those that cannot be waited for are looked at now and then.
        (self.count > FEW && self.many.is_none()).then_some(NAP)
    }

    /// What becomes readable when there may be something; it may stand there more than once.
    pub(crate) fn descriptors(&self) -> [BorrowedFd<'_>; FEW + 1] {
        if let Some(many) = &self.many {
            return [many.as_fd(); FEW + 1];
        }
        let mut all = [self.inbox.event.as_fd(); FEW + 1];
        let connections = self.inlets.iter().flatten();
        for (fd, receive_channel) in all.iter_mut().skip(1).zip(connections) {
            *fd = receive_channel.connection.fd.as_fd();
        }
        all
    }

    /// One of the descriptors may have been readable.
    pub(crate) fn rouse(&mut self) {
        match self.many {
            None => self.inbox.event.clear(),
            Some(_) => {
                self.find_ready(Some(&Timespec::default()));
            }
        }
    }

    /// Sleeps until there may be something.
    fn sleep(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let left = left.into_iter().chain(self.longest_sleep()).min();
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        if self.many.is_some() {
            self.find_ready(limit.as_ref());
            return Ok(());
        }
        let mut fds = self.descriptors().map(readable);
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [event, ..] = fds;
        if !event.revents().is_empty() {
            self.inbox.event.clear();
        }
        Ok(())
    }
}

/// What to wait for: something to read.
fn readable(fd: BorrowedFd<'_>) -> PollFd<'_> {
    PollFd::from_borrowed_fd(fd, PollFlags::IN)
}

fn await_data(many: &OwnedFd, connection: &Connection, place: usize) {
    let place = u64::try_from(place).unwrap_or(EVENT);
    let data = epoll::EventData::new_u64(place);
    if let Err(error) = epoll::add(many, connection.fd.as_fd(), data, epoll::EventFlags::IN) {
        log::warn!(%error, "a TCP connection is not read");
    }
}

impl Receiver for TcpReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let mut slept = false;
        loop {
            let before = self.announced;
            let received = self.sweep(buffer);
            let dropped = before > 0 && self.announced == 0;
            let deadline = match wait {
                // Of what has begun the rest is near: the caller may not want to sleep for it.
                Wait::Until(_) if slept && self.read_buffer.has_more() => return Ok(received),
                Wait::Until(deadline) if received.is_none() && self.announced == 0 && !dropped => {
                    deadline
                }
                _ => return Ok(received),
            };
            if self.was_woken() {
                return Ok(None);
            }
            if deadline.is_some_and(|at| at <= Instant::now()) {
                return Ok(None);
            }
            self.sleep(deadline)?;
            slept = true;
        }
    }

    fn announced(&self) -> usize {
        self.announced
    }

    fn flows(&mut self) -> bool {
        self.read_buffer.flows()
    }

    fn is_ready(&self) -> bool {
        self.read_buffer.of.is_some()
    }

    fn waker(&self) -> Arc<dyn Waker> {
        Arc::new(TcpWaker(Arc::downgrade(&self.inbox)))
    }

    fn locators(&self) -> Vec<Locator> {
        self.locators.clone()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        Arc::new(TcpReceiveStatistics(Arc::downgrade(&self.inbox)))
    }
}

impl Drop for TcpReceiver {
    fn drop(&mut self) {
        self.table.close(&self.inbox);
    }
}

struct TcpWaker(Weak<Inbox>);

impl Waker for TcpWaker {
    fn wake(&self) {
        if let Some(inbox) = self.0.upgrade() {
            inbox.asked.store(true, Ordering::Release);
            inbox.event.set();
        }
    }
}

struct TcpReceiveStatistics(Weak<Inbox>);

impl ReceiveStatistics for TcpReceiveStatistics {
    fn read(&self) -> Reception {
        let Some(inbox) = self.0.upgrade() else {
            return Reception::default();
        };
        Reception {
            asked: inbox.asked_bytes,
            granted: inbox.granted,
            dropped: 0,
            oversized: inbox.oversized.load(Ordering::Relaxed),
        }
    }
}
