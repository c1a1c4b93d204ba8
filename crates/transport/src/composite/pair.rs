//! A receiver in UDP and shared memory.
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_wire::Locator;

use super::Waits;
use crate::shm::{ShmReceiver, ShmTransport};
use crate::traits::{
    Listen, ReceiveStatistics, Received, ReceivedLoan, Receiver, Reception, Wait, Waker,
};
use crate::udp::{UdpReceiver, UdpTransport};

/// Looks at memory for one at the sockets, while nothing comes by these.
const LOOKS: u32 = 256;

/// Listens in both if a unicast port is asked for, else in UDP alone.
pub(super) fn open(
    udp: &UdpTransport,
    shm: &ShmTransport,
    listen: &[Listen],
) -> io::Result<Box<dyn Waits>> {
    let unicast = |listen: &&Listen| matches!(listen, Listen::Unicast { .. });
    if listen.iter().filter(unicast).count() != 1 {
        return Ok(Box::new(udp.listen(listen)?));
    }
    let is_near = |listen: &Listen| matches!(listen, Listen::Multicast { group } if group.kind == Locator::KIND_SHMEM);
    let by_network: Vec<Listen> = listen.iter().copied().filter(|l| !is_near(l)).collect();
    let udp = udp.listen(&by_network)?;
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
    let shm = shm.listen(&shared)?;
    shm.wake_by(udp.waker());
    Ok(Box::new(Pair {
        shm,
        udp,
        looks: 0,
        busy: false,
    }))
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
        self.sleep(&[], left)?;
        match self.by_memory(buffer) {
            Some(received) => Ok(Some(received)),
            None => {
                let received = self.by_udp(buffer, Wait::Poll)?;
                // Where something came, whoever wants this wait to end is heard in the next one.
                if received.is_none() {
                    self.udp.was_woken();
                }
                Ok(received)
            }
        }
    }
}

impl Waits for Pair {
    fn sweep(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Received>> {
        let received = self.by_memory(buffer);
        match received.is_some() || self.shm.announced() > 0 {
            true => Ok(received),
            false => self.by_udp(buffer, Wait::Poll),
        }
    }

    fn was_woken(&self) -> bool {
        self.udp.was_woken()
    }

    fn sleep(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<()> {
        let mut sockets = self.udp.sockets();
        sockets.extend_from_slice(others);
        self.shm.sleep(&sockets, self.udp.limit(limit))
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

    fn watch_addresses(&mut self) {
        self.udp.watch_addresses();
    }

    fn announced(&self) -> usize {
        self.shm.announced()
    }

    fn is_ready(&self) -> bool {
        self.shm.is_ready()
    }

    fn was_multicast(&self) -> bool {
        self.busy && self.udp.was_multicast()
    }

    fn rest_groups(&mut self, pause: Duration) {
        self.udp.rest_groups(pause);
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
