//! UDP and shared memory together: what a peer of this host offers decides.
//!
//! The waiting thread looks at memory first, which costs nanoseconds; at the sockets, which cost a
//! system call, only now and then unless something has come that way.
use std::io;
use std::sync::{Arc, Weak};
use std::time::Instant;

use bytes::BytesMut;
use dunlin_shm::Chunk;
use dunlin_wire::Locator;

use crate::properties::{self, TransportProperties};
use crate::send_path::{SendPath, Way};
use crate::shm::{ShmReceiver, ShmTransport};
use crate::traits::{
    Listen, Outgoing, Reach, ReceiveStatistics, Received, ReceivedLoan, Receiver, Reception, Sent,
    Transport, Wait, Waker, Watcher,
};
use crate::udp::{UdpReceiver, UdpTransport};

/// Looks at memory for one at the sockets, while nothing comes by these.
const LOOKS: u32 = 256;

/// Shared memory with those who share it, UDP with all others.
#[derive(Debug)]
pub struct CompositeTransport {
    udp: UdpTransport,
    shm: ShmTransport,
}

impl CompositeTransport {
    /// Both together; a receiver has the same port in both.
    pub fn new(udp: UdpTransport, shm: ShmTransport) -> Self {
        Self { udp, shm }
    }

    fn of(&self, locator: &Locator) -> &dyn Transport {
        match locator.kind {
            Locator::KIND_SHMEM => &self.shm,
            _ => &self.udp,
        }
    }

    fn by_memory(datagram: &Outgoing<'_>) -> bool {
        match datagram.lane {
            Some(lane) => matches!(lane.0, Way::Shm(_)),
            None => datagram.to.kind == Locator::KIND_SHMEM,
        }
    }
}

impl Transport for CompositeTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        &[properties::UDP, properties::SHMEM]
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for run in datagrams.chunk_by(|a, b| Self::by_memory(a) == Self::by_memory(b)) {
            sent.add(match run.first() {
                Some(first) if Self::by_memory(first) => self.shm.send(run),
                _ => self.udp.send(run),
            });
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        let unicast = |listen: &&Listen| matches!(listen, Listen::Unicast { .. });
        if listen.iter().filter(unicast).count() != 1 {
            return self.udp.open(listen);
        }
        let is_near = |listen: &Listen| matches!(listen, Listen::Multicast { group } if group.kind == Locator::KIND_SHMEM);
        let by_network: Vec<Listen> = listen.iter().copied().filter(|l| !is_near(l)).collect();
        let udp = self.udp.listen(&by_network)?;
        let port = udp
            .locators()
            .iter()
            .find(|l| !l.is_multicast())
            .map_or(0, |l| l.port);
        let mut shared = vec![Listen::Unicast {
            port: u16::try_from(port).unwrap_or(0),
        }];
        let group = listen.iter().find_map(|listen| match listen {
            Listen::Multicast { group } => Some(group.port),
            Listen::Unicast { .. } | Listen::Beside { .. } => None,
        });
        shared.extend(group.map(|port| Listen::Multicast {
            group: Locator {
                port,
                ..Locator::SHMEM_NEIGHBOURS
            },
        }));
        let shm = self.shm.listen(&shared)?;
        shm.wake_by(udp.waker());
        Ok(Box::new(Pair {
            shm,
            udp,
            looks: 0,
            busy: false,
        }))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.of(to).reaches(to)
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        self.of(to).lane(to)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.shm.watch(watcher);
    }

    fn chunk(&self, length: usize) -> Option<Chunk> {
        self.shm.chunk(length)
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        self.shm.holds(bytes)
    }

    fn failed(&self) -> u64 {
        self.udp.failed() + self.shm.failed()
    }

    fn refused(&self) -> u64 {
        self.shm.refused()
    }

    fn hints(&self) -> Vec<String> {
        self.shm.hints()
    }

    fn max_datagram(&self) -> usize {
        self.udp.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.of(to).max_whole_datagram(to)
    }
}

/// One receiver in both.
struct Pair {
    shm: ShmReceiver,
    udp: UdpReceiver,
    /// At memory, since the last at the sockets.
    looks: u32,
    /// The last datagram came by UDP.
    busy: bool,
}

impl Pair {
    fn by_udp(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        self.looks = 0;
        let received = self.udp.receive(buffer, wait)?;
        self.busy |= received.is_some();
        Ok(received)
    }

    fn by_memory(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        let received = self.shm.sweep(buffer);
        if received.is_some() {
            self.busy = false;
            // A stream by memory must not hide what comes by UDP.
            self.looks += 1;
        }
        received
    }

    fn wait(
        &mut self,
        buffer: &mut BytesMut,
        deadline: Option<Instant>,
    ) -> io::Result<Option<Received>> {
        if let Some(received) = self.by_udp(buffer, Wait::Poll)? {
            return Ok(Some(received));
        }
        if self.udp.was_woken() {
            return Ok(None);
        }
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        self.shm.sleep(&self.udp.sockets(), left)?;
        match self.by_memory(buffer) {
            Some(received) => Ok(Some(received)),
            None => {
                let received = self.by_udp(buffer, Wait::Poll)?;
                self.udp.was_woken();
                Ok(received)
            }
        }
    }
}

impl Receiver for Pair {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        // What has asked for a larger buffer comes first.
        if (self.looks < LOOKS || self.shm.announced() > 0)
            && let Some(received) = self.by_memory(buffer)
        {
            return Ok(Some(received));
        }
        if self.shm.announced() > 0 {
            return Ok(None);
        }
        match wait {
            Wait::Poll if self.busy || self.looks >= LOOKS => self.by_udp(buffer, Wait::Poll),
            Wait::Poll => {
                self.looks += 1;
                Ok(None)
            }
            Wait::Until(deadline) => {
                let received = match self.shm.is_alone() {
                    true => self.by_udp(buffer, wait)?,
                    false => self.wait(buffer, deadline)?,
                };
                // The porter's wake and that of whoever ends the wait may have become one: the
                // caller decides whether to go on.
                if received.is_none() && self.shm.has_news() {
                    return Ok(self.by_memory(buffer));
                }
                Ok(received)
            }
        }
    }

    fn announced(&self) -> usize {
        self.shm.announced()
    }

    fn is_ready(&self) -> bool {
        self.shm.is_ready()
    }

    fn loan(&mut self) -> Option<ReceivedLoan> {
        self.shm.loan()
    }

    fn waker(&self) -> Arc<dyn Waker> {
        self.udp.waker()
    }

    fn locators(&self) -> Vec<Locator> {
        let mut all = self.shm.locators();
        all.extend(self.udp.locators());
        all
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        Arc::new(AllReceiveStatistics([
            self.shm.statistics(),
            self.udp.statistics(),
        ]))
    }
}

/// Both ends of a pair.
struct AllReceiveStatistics([Arc<dyn ReceiveStatistics>; 2]);

impl ReceiveStatistics for AllReceiveStatistics {
    fn read(&self) -> Reception {
        let [shm, udp] = self.0.each_ref().map(|statistics| statistics.read());
        Reception {
            oversized: shm.oversized + udp.oversized,
            ..udp
        }
    }
}
