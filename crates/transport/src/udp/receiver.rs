//! Receiving from one socket or several.
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_udp::{AddressChanges, Arrival, Ready, Socket, is_passing, poll_readable};
use dunlin_wire::Locator;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::interfaces::Interfaces;
use super::wake::Line;
use crate::panics::log;
use crate::traits::{ReceiveStatistics, Received, Receiver, Reception, Wait, Waker};

/// The kernel ends a blocking receive so much late at most.
const TICK: Duration = Duration::from_millis(10);
/// Shorter waits are left to `ppoll` with its fine clock.
const SHORTEST_LIMIT: Duration = Duration::from_millis(50);
const LONGEST_LIMIT: Duration = Duration::from_secs(1);
/// Of a wait without end: a firewall that was set up meanwhile may swallow what wakes it, and then
/// it looks by itself whether it was asked to wake.
const UNWOKEN_LIMIT: Duration = Duration::from_secs(4);

/// So many datagrams of one socket are taken before others are looked at.
const IN_A_ROW: u32 = 8;

/// One socket and what is known about it.
#[derive(Debug)]
pub(super) struct Port {
    socket: Arc<Socket>,
    locators: Vec<Locator>,
    /// What says which destinations to accept, if not all.
    accepted: Option<Arc<Interfaces>>,
    /// Datagrams that did not fit into the buffer.
    oversized: Arc<AtomicU64>,
    /// How long the kernel lets a blocking receive last.
    limit: Option<Duration>,
}

impl Port {
    pub(super) fn new(
        socket: Arc<Socket>,
        locators: Vec<Locator>,
        accepted: Option<Arc<Interfaces>>,
    ) -> Self {
        Self {
            socket,
            locators,
            accepted,
            oversized: Arc::default(),
            limit: None,
        }
    }

    pub(super) fn socket(&self) -> &Arc<Socket> {
        &self.socket
    }

    pub(super) fn is_unicast(&self) -> bool {
        !self.socket.local_addr().ip().is_multicast()
    }

    fn receive(&mut self, buffer: &mut BytesMut, block: bool) -> io::Result<Outcome> {
        match self.socket.receive(buffer, block) {
            Ok(arrival) => Ok(self.judge(buffer, &arrival)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Outcome::Empty),
            Err(error) if is_passing(&error) => Ok(Outcome::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Blocks in the receive itself, at most until the deadline; `None` if that is too near for the
    /// kernel's clock.
    fn receive_until(
        &mut self,
        buffer: &mut BytesMut,
        deadline: Option<Instant>,
    ) -> io::Result<Option<Outcome>> {
        let limit = match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
            None => Some(UNWOKEN_LIMIT),
            Some(left) if left < SHORTEST_LIMIT => return Ok(None),
            Some(left) => Some(coarse(left)),
        };
        if limit != self.limit {
            self.socket.limit_receive(limit)?;
            self.limit = limit;
        }
        self.receive(buffer, true).map(Some)
    }

    fn judge(&mut self, buffer: &mut BytesMut, arrival: &Arrival) -> Outcome {
        if arrival.truncated {
            self.oversized.fetch_add(1, Relaxed);
            return Outcome::Nothing;
        }
        if !self.accepts(arrival.to) {
            buffer.truncate(buffer.len().saturating_sub(arrival.length));
            return Outcome::Nothing;
        }
        if arrival.length == 0 {
            return Outcome::Nothing;
        }
        Outcome::Datagram(Received {
            length: arrival.length,
            from: Locator::udp_v4(*arrival.from.ip(), arrival.from.port()),
            loaned: false,
        })
    }

    fn accepts(&self, to: Option<Ipv4Addr>) -> bool {
        let Some(accepted) = &self.accepted else {
            return true;
        };
        to.is_some_and(|to| accepted.current().allows(to))
    }
}

/// The time limit of a blocking receive for a wait of `left`: over before that, and rounded so that
/// waits of about the same length need no system call to change it. Who wants to wait longer asks
/// again.
fn coarse(left: Duration) -> Duration {
    let millis = left.saturating_sub(TICK).as_millis();
    let millis = u64::try_from(millis).unwrap_or(u64::MAX);
    Duration::from_millis(1 << millis.max(1).ilog2()).min(LONGEST_LIMIT)
}

/// What one `recvmsg` brought.
enum Outcome {
    Datagram(Received),
    /// Something that is no datagram for the caller: a knock of a waker, for one.
    Nothing,
    /// The queue is empty.
    Empty,
}

/// Several sockets, received from in turn.
#[derive(Debug)]
pub(crate) struct UdpReceiver {
    /// Those of groups are behind the others.
    ports: Vec<Port>,
    /// How many are no groups.
    unicast: usize,
    /// Groups are not looked at before then.
    groups_rest: Option<Instant>,
    line: Arc<Line>,
    /// The port to look at first.
    next: usize,
    /// How often in a row it has brought something, so that a busy one cannot starve the others.
    in_a_row: u32,
    /// The port of the last datagram.
    last: usize,
    /// Bytes that the kernel was asked to queue for each port.
    asked: usize,
    interfaces: Arc<Interfaces>,
    /// Tells when addresses change, if this receiver was asked to listen to that.
    changes: Option<AddressChanges>,
}

impl UdpReceiver {
    pub(super) fn new(
        mut ports: Vec<Port>,
        line: Arc<Line>,
        asked: usize,
        interfaces: Arc<Interfaces>,
    ) -> Self {
        ports.sort_by_key(|port| !port.is_unicast());
        let unicast = ports.iter().filter(|port| port.is_unicast()).count();
        Self {
            ports,
            unicast,
            groups_rest: None,
            line,
            next: 0,
            in_a_row: 0,
            last: 0,
            asked,
            interfaces,
            changes: None,
        }
    }

    /// The sockets that are readable when there is something to receive, or when a waker was used.
    pub(crate) fn sockets(&self) -> Vec<BorrowedFd<'_>> {
        let ports = self.ports.iter().take(self.awake());
        let ports = ports.map(|port| port.socket.as_fd());
        let changes = self.changes.iter().map(AsFd::as_fd);
        let others = changes.chain(self.line.event().map(AsFd::as_fd));
        ports.chain(others).collect()
    }

    /// How many of the ports are looked at.
    fn awake(&self) -> usize {
        match self.groups_rest {
            Some(until) if Instant::now() < until => self.unicast,
            _ => self.ports.len(),
        }
    }

    /// Groups that rest are to be looked at after that time.
    pub(crate) fn limit(&self, left: Option<Duration>) -> Option<Duration> {
        let rest = self.groups_rest;
        let rest = rest.map(|until| until.saturating_duration_since(Instant::now()));
        left.into_iter().chain(rest).min()
    }

    /// Passes on that addresses may have changed.
    fn hear_changes(&self) {
        if self.changes.as_ref().is_some_and(AddressChanges::take) {
            self.interfaces.tell();
        }
    }

    /// A waker was used since this was asked last.
    pub(crate) fn was_woken(&self) -> bool {
        self.hear_changes();
        let woken = self.line.take();
        if woken && let Some(event) = self.line.event() {
            event.clear();
        }
        woken
    }

    /// Sleeps until one of its sockets or of `others` is readable, for `limit` at most.
    pub(crate) fn sleep(
        &self,
        others: &[BorrowedFd<'_>],
        limit: Option<Duration>,
    ) -> io::Result<()> {
        let mut all = self.sockets();
        all.extend_from_slice(others);
        let all = all.into_iter();
        let mut all: Vec<_> = all
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let limit = self.limit(limit);
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut all, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Looks at each port once.
    fn sweep(&mut self, buffer: &mut BytesMut) -> io::Result<Outcome> {
        let awake = self.awake();
        if awake == self.ports.len() {
            self.groups_rest = None;
        }
        for _ in 0..awake {
            let place = if self.next < awake { self.next } else { 0 };
            self.next = place + 1;
            let Some(port) = self.ports.get_mut(place) else {
                break;
            };
            match port.receive(buffer, false)? {
                Outcome::Empty => self.in_a_row = 0,
                other => {
                    self.last = place;
                    // There is likely to be more.
                    self.in_a_row += 1;
                    match self.in_a_row < IN_A_ROW {
                        true => self.next = place,
                        false => self.in_a_row = 0,
                    }
                    return Ok(other);
                }
            }
        }
        Ok(Outcome::Empty)
    }

    /// For several sockets or a limited time: `ppoll` only when all are empty.
    fn wait(
        &mut self,
        buffer: &mut BytesMut,
        deadline: Option<Instant>,
    ) -> io::Result<Option<Received>> {
        loop {
            match self.sweep(buffer)? {
                Outcome::Datagram(received) => return Ok(Some(received)),
                Outcome::Nothing => {
                    self.line.take();
                    return Ok(None);
                }
                Outcome::Empty => {}
            }
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            let (left, awake) = (self.limit(left), self.awake());
            let sockets = self.ports.iter().take(awake).map(|p| p.socket.as_fd());
            let sockets = sockets.chain(self.changes.iter().map(AsFd::as_fd));
            let ready = poll_readable(sockets, self.line.event(), left)?;
            if ready.event {
                self.line
                    .event()
                    .into_iter()
                    .for_each(|event| event.clear());
                self.line.take();
                return Ok(None);
            }
            if ready == Ready::default() {
                return Ok(None);
            }
            if ready.socket(awake) {
                self.hear_changes();
            }
            self.next = (0..awake).find(|p| ready.socket(*p)).unwrap_or(0);
        }
    }
}

impl Receiver for UdpReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let outcome = match wait {
            Wait::Poll => self.sweep(buffer)?,
            Wait::Until(_) if self.line.take() => return Ok(None),
            Wait::Until(deadline) => {
                // The usual case of user data: one system call, be it short or long.
                let outcome = match self.ports.as_mut_slice() {
                    [only]
                        if self.line.event().is_none()
                            && self.changes.is_none()
                            && self.groups_rest.is_none() =>
                    {
                        only.receive_until(buffer, deadline)?
                    }
                    _ => None,
                };
                let Some(outcome) = outcome else {
                    return self.wait(buffer, deadline);
                };
                if matches!(outcome, Outcome::Nothing) {
                    self.line.take();
                }
                outcome
            }
        };
        match outcome {
            Outcome::Datagram(received) => Ok(Some(received)),
            Outcome::Nothing | Outcome::Empty => Ok(None),
        }
    }

    fn watch_addresses(&mut self) {
        match AddressChanges::new() {
            Ok(changes) => self.changes = Some(changes),
            Err(error) => {
                log::info!(%error, "addresses that change are not followed");
            }
        }
    }

    fn rest_groups(&mut self, pause: Duration) {
        self.groups_rest = Instant::now().checked_add(pause);
    }

    /// A group has a socket of its own.
    fn was_multicast(&self) -> bool {
        let last = match self.ports.as_slice() {
            [only] => Some(only),
            ports => ports.get(self.last),
        };
        last.is_some_and(|port| !port.is_unicast())
    }

    fn waker(&self) -> Arc<dyn Waker> {
        self.line.waker()
    }

    fn locators(&self) -> Vec<Locator> {
        let all = self.ports.iter().flat_map(|p| &p.locators);
        all.copied().collect()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        let ports = self.ports.iter();
        let ports = ports.map(|p| (Arc::downgrade(&p.socket), Arc::clone(&p.oversized)));
        Arc::new(UdpReceiveStatistics {
            ports: ports.collect(),
            asked: self.asked,
        })
    }
}

/// The sockets of a receiver, which it does not keep open, and how many datagrams each found too
/// long.
struct UdpReceiveStatistics {
    ports: Vec<(Weak<Socket>, Arc<AtomicU64>)>,
    asked: usize,
}

impl ReceiveStatistics for UdpReceiveStatistics {
    fn read(&self) -> Reception {
        let sockets = || self.ports.iter().filter_map(|(socket, _)| socket.upgrade());
        // The kernel counts its own bookkeeping too, and for that doubles what it is asked for
        // (socket(7)).
        let granted = sockets().flat_map(|s| s.receive_buffer()).min();
        Reception {
            asked: self.asked,
            granted: granted.unwrap_or(0) / 2,
            dropped: sockets().flat_map(|s| s.dropped()).map(u64::from).sum(),
            oversized: self.ports.iter().map(|(_, long)| long.load(Relaxed)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_ends_before_the_wait_and_is_one_of_a_few() {
        for (left, limit) in [
            (50, 32),
            (73, 32),
            (74, 64),
            (99, 64),
            (100, 64),
            (5_000, 1_000),
        ] {
            assert_eq!(
                coarse(Duration::from_millis(left)),
                Duration::from_millis(limit),
                "{left} ms"
            );
        }
    }
}
