//! UDP, TCP and shared memory together: what a peer offers decides how it is reached.
//!
//! The waiting thread looks at memory first, which costs nanoseconds; at sockets, which cost a
//! system call, only now and then unless something has come that way.
mod connections;
mod pair;

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Weak;
use std::time::Duration;

use bytes::BytesMut;
use dunlin_shm::Chunk;
use dunlin_wire::Locator;

use crate::properties::TransportProperties;
use crate::send_path::{SendPath, Way};
use crate::shm::{ShmReceiver, ShmTransport};
use crate::tcp::TcpTransport;
use crate::traits::{
    Begun, Listen, Outgoing, Reach, Received, Receiver, Sent, Transport, Wait, Watcher,
};
use crate::udp::{UdpReceiver, UdpTransport};
use connections::WithConnections;

/// Shared memory with those who share it, UDP or TCP with all others, as far as each is there.
///
/// Receivers listen at ports of UDP and shared memory, the same in both. A port for connections is
/// added ([`Receiver::listen_at`]), since it is chosen by other rules.
#[derive(Debug)]
pub struct CompositeTransport {
    udp: Option<UdpTransport>,
    shm: Option<ShmTransport>,
    tcp: Option<TcpTransport>,
}

/// A receiver that can wait for what others have to receive, too.
trait Waits: Receiver {
    /// Looks once at all that there is, also at what is seldom looked at.
    fn sweep(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Received>> {
        self.receive(buffer, Wait::Poll)
    }

    /// A waker was used since this was asked last.
    fn was_woken(&self) -> bool;

    /// Sleeps until there may be something, or one of `others` is readable, for `limit` at most.
    fn sleep(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<()>;
}

impl Waits for UdpReceiver {
    fn was_woken(&self) -> bool {
        UdpReceiver::was_woken(self)
    }

    fn sleep(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<()> {
        UdpReceiver::sleep(self, others, limit)
    }
}

impl Waits for ShmReceiver {
    fn was_woken(&self) -> bool {
        ShmReceiver::was_woken(self)
    }

    fn sleep(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<()> {
        ShmReceiver::sleep(self, others, limit)
    }
}

impl CompositeTransport {
    /// Those together that are there.
    pub fn new(
        udp: Option<UdpTransport>,
        shm: Option<ShmTransport>,
        tcp: Option<TcpTransport>,
    ) -> Self {
        Self { udp, shm, tcp }
    }

    /// The one that has locators of this kind.
    fn of(&self, kind: i32) -> Option<&dyn Transport> {
        match kind {
            Locator::KIND_SHMEM => self.shm.as_ref().map(|shm| shm as &dyn Transport),
            Locator::KIND_TCP_V4 | Locator::KIND_TCP_CALLER => {
                self.tcp.as_ref().map(|tcp| tcp as &dyn Transport)
            }
            _ => self.udp.as_ref().map(|udp| udp as &dyn Transport),
        }
    }

    fn all(&self) -> impl Iterator<Item = &dyn Transport> {
        let kinds = [
            Locator::KIND_UDP_V4,
            Locator::KIND_SHMEM,
            Locator::KIND_TCP_V4,
        ];
        kinds.into_iter().filter_map(|kind| self.of(kind))
    }

    /// By what a datagram goes, as a kind of locators.
    fn kind_for(datagram: &Outgoing<'_>) -> i32 {
        match datagram.lane {
            Some(SendPath(Way::Shm(_))) => Locator::KIND_SHMEM,
            Some(SendPath(Way::Tcp(_))) => Locator::KIND_TCP_V4,
            Some(SendPath(Way::Udp(_))) => Locator::KIND_UDP_V4,
            None => datagram.to.kind,
        }
    }

    /// A receiver of datagrams; `None` if there are but connections.
    fn open_datagrams(&self, listen: &[Listen]) -> io::Result<Option<Box<dyn Waits>>> {
        Ok(match (&self.udp, &self.shm) {
            (Some(udp), Some(shm)) => Some(pair::open(udp, shm, listen)?),
            (Some(udp), None) => Some(Box::new(udp.listen(listen)?)),
            (None, Some(shm)) => Some(Box::new(shm.listen_alone(listen)?)),
            (None, None) => None,
        })
    }
}

impl Transport for CompositeTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        use crate::properties::{SHMEM, TCP, TCP_CALLER, UDP};
        match (&self.udp, &self.shm, &self.tcp) {
            (Some(_), Some(_), Some(_)) => const { &[UDP, SHMEM, TCP, TCP_CALLER] },
            (Some(_), Some(_), None) => const { &[UDP, SHMEM] },
            (Some(_), None, Some(_)) => const { &[UDP, TCP, TCP_CALLER] },
            (Some(_), None, None) => const { &[UDP] },
            (None, Some(_), Some(_)) => const { &[SHMEM, TCP, TCP_CALLER] },
            (None, Some(_), None) => const { &[SHMEM] },
            (None, None, Some(_)) => const { &[TCP, TCP_CALLER] },
            (None, None, None) => &[],
        }
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for run in datagrams.chunk_by(|a, b| Self::kind_for(a) == Self::kind_for(b)) {
            let by = run.first().and_then(|first| self.of(Self::kind_for(first)));
            match by {
                Some(transport) => sent.add(transport.send(run)),
                None => run
                    .iter()
                    .for_each(|_| sent.fail(io::ErrorKind::NetworkUnreachable.into())),
            }
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        match (self.open_datagrams(listen)?, &self.tcp) {
            (Some(datagrams), None) => Ok(datagrams),
            (Some(datagrams), Some(tcp)) => Ok(Box::new(WithConnections::new(datagrams, tcp))),
            (None, Some(tcp)) => tcp.open(listen),
            (None, None) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn reaches(&self, to: &Locator) -> Reach {
        let transport = self.of(to.kind);
        transport.map_or(Reach::No, |transport| transport.reaches(to))
    }

    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        self.of(to.kind)?.leads_to(to, peer)
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        self.of(to.kind)?.lane(to)
    }

    fn begin(&self, to: &Locator, known: usize) -> Begun {
        let transport = self.of(to.kind);
        transport.map_or(Begun::Known, |transport| transport.begin(to, known))
    }

    fn want(&self, to: &[Locator]) {
        if let Some(shm) = &self.shm {
            shm.want(to);
        }
    }

    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        let shm = self.shm.as_ref();
        shm.map_or_else(Vec::new, |shm| shm.neighbours(group, most, known, waits))
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.all()
            .for_each(|transport| transport.watch(Weak::clone(&watcher)));
    }

    fn follow_addresses(&self) -> bool {
        self.udp.as_ref().is_some_and(Transport::follow_addresses)
    }

    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        match &self.udp {
            Some(udp) => udp.relocated(locators),
            None => locators.to_vec(),
        }
    }

    fn chunk(&self, length: usize) -> Option<Chunk> {
        self.shm.as_ref()?.chunk(length)
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        self.shm.as_ref().is_some_and(|shm| shm.holds(bytes))
    }

    fn failed(&self) -> u64 {
        self.all().map(Transport::failed).sum()
    }

    fn refused(&self) -> u64 {
        self.all().map(Transport::refused).sum()
    }

    fn refused_connections(&self) -> u64 {
        self.all().map(Transport::refused_connections).sum()
    }

    fn hints(&self) -> Vec<String> {
        self.all().flat_map(Transport::hints).collect()
    }

    /// The least of theirs.
    fn max_datagram(&self) -> usize {
        let all = self.all().map(Transport::max_datagram);
        all.min().unwrap_or_default()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        let transport = self.of(to.kind);
        transport.map_or(0, |transport| transport.max_whole_datagram(to))
    }
}
