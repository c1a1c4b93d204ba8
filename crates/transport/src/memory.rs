//! A network in memory, for tests: hosts, ports and groups, with seeded faults and with real or
//! virtual time.
//!
//! With virtual time nothing depends on threads or clocks: the test sends, calls
//! [`MemoryNetwork::advance`], and receives with [`Wait::Poll`](crate::Wait::Poll); the same seed
//! and the same calls give the same run.
mod receiver;
mod state;

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dunlin_wire::Locator;

use crate::properties::TransportProperties;
use crate::rng::Faults;
use crate::traits::{Listen, Outgoing, Reach, Receiver, Sent, Transport};
use receiver::MemoryReceiver;
use state::{Clock, State};

/// As for UDP, so that fragments are cut alike.
const MAX_DATAGRAM: usize = 65507;

/// A network to which hosts are added; clones are the same network.
#[derive(Clone, Debug)]
pub struct MemoryNetwork(Arc<Mutex<State>>);

impl MemoryNetwork {
    /// A network on the machine's clock: receivers may block.
    pub fn new(seed: u64, faults: Faults) -> Self {
        Self::with_clock(seed, faults, Clock::real())
    }

    /// A network whose time stands still but for [`Self::advance`].
    pub fn with_virtual_time(seed: u64, faults: Faults) -> Self {
        Self::with_clock(seed, faults, Clock::Virtual(Duration::ZERO))
    }

    /// A new host with an address of its own, 10.0.0.1 for the first.
    pub fn host(&self) -> MemoryTransport {
        MemoryTransport {
            address: self.lock().add_host(),
            network: self.clone(),
        }
    }

    /// From now on these faults, for what is not yet under way.
    pub fn set_faults(&self, faults: Faults) {
        self.lock().faults = faults;
    }

    /// Datagrams between the two addresses are lost, both ways, until [`Self::heal`].
    pub fn cut(&self, a: Ipv4Addr, b: Ipv4Addr) {
        self.lock().cut(a, b);
    }

    /// Takes back every [`Self::cut`].
    pub fn heal(&self) {
        self.lock().heal();
    }

    /// Lets virtual time pass; without effect on a network on the machine's clock.
    pub fn advance(&self, by: Duration) {
        self.lock().advance(by);
    }

    /// How long after the start of the network it is.
    pub fn now(&self) -> Duration {
        self.lock().clock.now()
    }

    /// When the next datagram arrives that is under way or waits to be received, as [`Self::now`]
    /// counts.
    pub fn next_arrival(&self) -> Option<Duration> {
        self.lock().next_arrival()
    }

    fn with_clock(seed: u64, faults: Faults, clock: Clock) -> Self {
        Self(Arc::new(Mutex::new(State::new(seed, faults, clock))))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked elsewhere has left a consistent state: nothing here panics half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One host of a [`MemoryNetwork`]; clones are the same host.
#[derive(Clone, Debug)]
pub struct MemoryTransport {
    network: MemoryNetwork,
    address: Ipv4Addr,
}

impl MemoryTransport {
    /// The address of this host.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// As [`MemoryNetwork::next_arrival`], of what goes to this host.
    pub fn next_arrival(&self) -> Option<Duration> {
        self.network.lock().next_arrival_at(self.address)
    }
}

impl Transport for MemoryTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        const { &[TransportProperties::datagrams(Locator::KIND_MEMORY)] }
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut network = self.network.lock();
        let mut sent = Sent::default();
        for datagram in datagrams {
            if datagram.to.kind != Locator::KIND_MEMORY || datagram.length() > MAX_DATAGRAM {
                sent.fail(io::ErrorKind::InvalidInput.into());
            } else {
                network.carry(self.address, datagram);
                sent.datagrams += 1;
            }
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        let open = self.network.lock().open(self.address, listen)?;
        Ok(Box::new(MemoryReceiver::new(self.network.clone(), open)))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        if to.kind != Locator::KIND_MEMORY {
            Reach::No
        } else if state::ip(to) == self.address {
            Reach::Host
        } else {
            Reach::Subnet
        }
    }

    fn max_datagram(&self) -> usize {
        MAX_DATAGRAM
    }

    fn max_whole_datagram(&self, _: &Locator) -> usize {
        self.max_datagram()
    }
}
