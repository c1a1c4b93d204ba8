//! One TCP connection: who is at its other end, and what waits to be sent.
//!
//! Whoever sends writes to the socket by itself, under the lock `out`. What the socket has no room
//! for waits in a queue, which the porter empties when there is room again; nobody overtakes it.
//! The queue is bounded, but for the rest of a message that has begun, since a stream cannot lose
//! the middle of one. Until a connection is made, everything waits there.
//!
//! Whoever receives reads from the socket without any lock. Under TLS each direction has keys of
//! its own, and what has come a lock of its own, which nobody but a reader takes; the other lock is
//! needed for reading only while keys are agreed, or changed. What is queued is sealed then, but
//! for what waits for keys.
mod sending;

use crate::panics::log;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddrV4;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use dunlin_shm::Lifeline;
use dunlin_wire::Locator;
use dunlin_wire::stream::{Channel, Hello};
use rustix::event::epoll;

use super::send_channel::{Refused, SendChannel, failed};
use super::session::{Inward, Next, Session};
use super::socket;

/// How long a patient datagram waits for room.
const PATIENCE: Duration = Duration::from_millis(5);
/// A peer that reads makes room within this time: until then it is looked for without sleeping,
/// which costs less than to be woken.
const EAGER: Duration = Duration::from_micros(50);
/// A message that has begun goes on for so long, while there is progress.
const LONGEST: Duration = Duration::from_millis(10);
/// Messages that go with one system call.
const BATCH: usize = 16;
/// What another product takes in one message.
pub(super) const STRANGERS_MOST: usize = 65_507;

/// Who is at the other end, as far as it has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    /// One of our own kind.
    Own(Hello),
    /// Another product.
    Stranger,
}

pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) fd: Lifeline,
    pub(super) remote: SocketAddrV4,
    /// We have dialled it, for this.
    pub(super) dialled: Option<Channel>,
    peer: OnceLock<Peer>,
    closed: AtomicBool,
    /// A whole message has come.
    proven: AtomicBool,
    /// Bytes that have come of a message that is not complete, 0 for none.
    pub(super) pending: AtomicU64,
    out: Mutex<SendChannel>,
    /// What has come under TLS.
    inward: Option<Mutex<Inward>>,
    /// What the porter waits for.
    events: Arc<OwnedFd>,
}

impl Connection {
    /// One that the porter knows nothing of yet. `first` is what it begins with.
    pub(super) fn new(
        id: u64,
        (fd, remote): (OwnedFd, SocketAddrV4),
        session: Option<Session>,
        dialled: Option<Channel>,
        first: &[u8],
        most: usize,
        events: &Arc<OwnedFd>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            fd: Lifeline::new(fd),
            remote,
            dialled,
            peer: OnceLock::new(),
            closed: AtomicBool::new(false),
            proven: AtomicBool::new(false),
            pending: AtomicU64::new(0),
            inward: session.is_some().then(Mutex::default),
            out: Mutex::new(SendChannel {
                connected: dialled.is_none(),
                open: dialled.is_none() && session.is_none(),
                session,
                sealed: Vec::new(),
                finishing: false,
                early: first.iter().copied().collect(),
                queue: VecDeque::new(),
                waiting: 0,
                most,
                stuck: false,
                watched: epoll::EventFlags::empty(),
                reading: false,
                dscp: 0,
            }),
            events: Arc::clone(events),
        })
    }

    fn out(&self) -> MutexGuard<'_, SendChannel> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is at the other end; `None` if it has not said yet.
    pub(super) fn peer(&self) -> Option<Peer> {
        self.peer.get().copied()
    }

    /// What it said of itself, if it is one of our own kind.
    pub(super) fn hello(&self) -> Option<Hello> {
        match self.peer() {
            Some(Peer::Own(hello)) => Some(hello),
            _ => None,
        }
    }

    pub(super) fn know(&self, peer: Peer) {
        let _ = self.peer.set(peer);
    }

    /// What it is for, as whoever dialled says.
    pub(super) fn channel(&self) -> Option<Channel> {
        self.dialled.or(self.hello().map(|hello| hello.channel))
    }

    /// Where what comes from here comes from.
    pub(super) fn from(&self) -> Locator {
        match self.hello() {
            Some(Hello { port, name, .. }) if self.dialled.is_none() => {
                let port = if port == 0 { self.remote.port() } else { port };
                Locator::tcp_called(name.0, *self.remote.ip(), port)
            }
            Some(Hello { port, .. }) if port != 0 => Locator::tcp_v4(*self.remote.ip(), port),
            _ => Locator::tcp_v4(*self.remote.ip(), self.remote.port()),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    pub(super) fn is_proven(&self) -> bool {
        self.proven.load(Relaxed)
    }

    /// A whole message has come.
    #[inline]
    pub(super) fn prove(&self) {
        if !self.is_proven() {
            self.proven.store(true, Relaxed);
        }
        if self.pending.load(Relaxed) != 0 {
            self.pending.store(0, Relaxed);
        }
    }

    /// Ends it at once, whatever is under way.
    pub(super) fn close(&self) {
        self.closed.store(true, Relaxed);
        socket::close(&self.fd);
        // Whoever sends now sees that it is closed, or is done before: nobody has the porter wait
        // for it after this.
        self.watch(&mut self.out());
    }

    /// The porter begins or ceases to read.
    pub(super) fn let_porter_read(&self, reading: bool) {
        let mut out = self.out();
        out.reading = reading;
        self.watch(&mut out);
    }

    /// The porter is to know when the connection has been made.
    pub(super) fn await_opening(&self) {
        self.watch(&mut self.out());
    }

    /// The connection has been made: what has waited for that is sent, unless keys are to be agreed
    /// first.
    pub(super) fn open(&self) -> Result<(), Refused> {
        let mut out = self.out();
        out.connected = true;
        let begun = match self.is_secret() {
            false => out.let_go_early(),
            true => out.greet(),
        };
        begun.map_err(Refused::Closed)?;
        self.flush(&mut out)
    }

    /// Whether something can be sent.
    pub(super) fn is_open(&self) -> bool {
        self.out().open
    }

    /// What comes is opened by us, and may be waiting where the system knows nothing of it.
    pub(super) fn is_secret(&self) -> bool {
        self.inward.is_some()
    }

    /// Sends what waits, as far as there is room.
    pub(super) fn flush_queue(&self) -> Result<(), Refused> {
        self.flush(&mut self.out())
    }

    /// Sends what waits and nothing more; then the peer hears of the end.
    pub(super) fn retire(&self) {
        let mut out = self.out();
        out.finishing = true;
        out.say_goodbye();
        // If it fails it has ended all the more.
        let _ = self.flush(&mut out);
    }

    /// Takes what waits for a connection that is not made, and will not be; the first `skip` bytes
    /// are for this one alone.
    pub(super) fn take_waiting(&self, skip: usize) -> VecDeque<u8> {
        let mut out = self.out();
        // Whoever was about to send by it goes another way.
        self.closed.store(true, Relaxed);
        let mut queue = std::mem::take(&mut out.early);
        queue.drain(..skip.min(queue.len()));
        queue
    }

    /// Sends these whole messages after all that waits.
    pub(super) fn enqueue(&self, bytes: &[u8]) -> Result<(), Refused> {
        let mut out = self.out();
        out.early.extend(bytes);
        if out.open {
            out.let_go_early().map_err(Refused::Closed)?;
        }
        self.flush(&mut out)
    }

    /// Datagrams that wait for the connection to be made.
    pub(super) fn waiting(&self) -> usize {
        self.out().waiting
    }

    /// Bytes that wait.
    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        self.out().queue.len()
    }

    #[cfg(test)]
    pub(super) fn wear_keys(&self) {
        let mut out = self.out();
        out.session.iter_mut().for_each(Session::wear);
    }

    /// Something waits to be sent.
    pub(super) fn is_behind(&self) -> bool {
        let out = self.out();
        out.connected && !out.queue.is_empty()
    }

    /// Writes the queue as far as there is room.
    fn flush(&self, out: &mut SendChannel) -> Result<(), Refused> {
        if out.connected {
            self.write(&mut out.queue).map_err(Refused::Closed)?;
        }
        if out.queue.is_empty() {
            out.stuck = false;
            out.shrink();
            if out.finishing && out.connected {
                socket::finish(&self.fd);
            }
        }
        self.watch(out);
        Ok(())
    }

    fn write(&self, queue: &mut VecDeque<u8>) -> io::Result<()> {
        while !queue.is_empty() {
            let (first, second) = queue.as_slices();
            let slices = [IoSlice::new(first), IoSlice::new(second)];
            match socket::send(&self.fd, &slices)? {
                0 => break,
                written => drop(queue.drain(..written.min(queue.len()))),
            }
        }
        Ok(())
    }

    /// Has the porter wait for what is of interest now, and for nothing else: the end of a
    /// connection that somebody else reads is for the reader to find.
    fn watch(&self, out: &mut SendChannel) {
        let mut wanted = epoll::EventFlags::empty();
        if !self.is_closed() {
            wanted.set(epoll::EventFlags::IN, out.reading);
            let writes = !out.connected || !out.queue.is_empty();
            wanted.set(epoll::EventFlags::OUT, writes);
        }
        if wanted == out.watched {
            return;
        }
        let data = epoll::EventData::new_u64(self.id);
        let done = if wanted.is_empty() {
            epoll::delete(&*self.events, &self.fd)
        } else if out.watched.is_empty() {
            epoll::add(&*self.events, &self.fd, data, wanted)
        } else {
            epoll::modify(&*self.events, &self.fd, data, wanted)
        };
        match done {
            Ok(()) => out.watched = wanted,
            Err(error) => log::warn!(%error, "a TCP connection is not looked after"),
        }
    }

    /// Receives what there is; 0 bytes are the end.
    #[inline]
    pub(super) fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        let Some(inward) = &self.inward else {
            return socket::receive(&self.fd, room);
        };
        let mut place = 0;
        let most = room.len();
        self.read_secret(inward, most, |bytes| {
            let end = place + bytes.len();
            if let Some(room) = room.get_mut(place..end) {
                room.copy_from_slice(bytes);
            }
            place = end;
        })
    }

    /// The same, behind what a buffer holds, `most` bytes at most.
    pub(super) fn read_behind(&self, buffer: &mut BytesMut, most: usize) -> io::Result<usize> {
        let Some(inward) = &self.inward else {
            return dunlin_udp::append_from(self.fd.as_fd(), buffer, most);
        };
        let most = most.min(buffer.capacity() - buffer.len());
        self.read_secret(inward, most, |bytes| buffer.extend_from_slice(bytes))
    }

    /// Opens what has come, and receives more if there is nothing to open.
    fn read_secret(
        &self,
        inward: &Mutex<Inward>,
        most: usize,
        mut put: impl FnMut(&[u8]),
    ) -> io::Result<usize> {
        let mut inward = inward.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = 0;
        loop {
            let more = inward.take(most - done, &mut put);
            done += more;
            if done == most {
                return Ok(done);
            }
            if more > 0 {
                continue;
            }
            match inward.open() {
                Ok(Next::Data) => {}
                Ok(Next::Renewal) => self.proceed(&mut inward)?,
                Ok(_) if done > 0 => return Ok(done),
                Ok(Next::End) => return Ok(0),
                Ok(next @ (Next::More | Next::Keys)) => {
                    if !inward.receive(&self.fd)? {
                        return Ok(0);
                    }
                    if matches!(next, Next::Keys) {
                        self.proceed(&mut inward)?;
                    }
                }
                Err(error) if done > 0 => {
                    inward.put_off(error);
                    return Ok(done);
                }
                Err(error) => {
                    let mut out = self.out();
                    out.complain(&error);
                    let _ = self.flush(&mut out);
                    return Err(failed(error));
                }
            }
        }
    }

    /// Steps towards keys, and sends what the peer has to know.
    #[cold]
    fn proceed(&self, inward: &mut Inward) -> io::Result<()> {
        let mut out = self.out();
        let done = out.proceed(inward);
        // Whoever sends next hears it if that fails.
        let _ = self.flush(&mut out);
        done
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("remote", &self.remote)
            .field("peer", &self.peer())
            .finish_non_exhaustive()
    }
}
