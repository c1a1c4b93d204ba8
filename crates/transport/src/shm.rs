//! Shared memory between the processes of one host, one user and one network namespace.
//!
//! A participant is a *name*: twelve bytes, the prefix of its GUIDs. Each of its receivers is a
//! *port* of that name, and a locator says both. Whoever wants to send to a port dials it; the
//! connection that comes of it carries messages in that direction only. So there is one ring for
//! each sender and port, and what arrives at a port needs no sorting.
//!
//! Small datagrams travel in the ring, larger ones in a chunk that all their readers share, and
//! what lies in a chunk already ([`Transport::chunk`]) travels by its descriptor alone. Nothing but
//! a sleeping reader costs a system call.
//!
//! One thread, the porter, accepts, answers and notices when a peer ends. It never touches what
//! travels.
//!
//! A group is a number that receivers listen to: what is sent there goes to all ports of our
//! neighbours that have it, whatever the address; the kernel's list of sockets says who they are.
mod connection_manager;
mod connection_table;
mod pools;
mod receiver;
mod send_channel;
mod withdrawal;

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use dunlin_shm::{Chunk, Identity, Published, Traffic};
use dunlin_wire::Locator;

use crate::properties::{self, TransportProperties};
use crate::send_path::{SendPath, Way};
use crate::traits::{Begun, Listen, Outgoing, Reach, Receiver, Sent, Transport, Watcher};
use connection_table::ConnectionTable;
pub(crate) use receiver::ShmReceiver;
pub(crate) use send_channel::SendChannel;
use send_channel::{Parts, Refused};

/// The longest datagram: of the largest, memory is taken for four.
const MAX_DATAGRAM: usize = 256 << 20;

/// Whom a participant shares memory with, and as whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShmConfig {
    /// Only participants of the same group find each other: the domain.
    pub group: u32,
    /// Nobody else's: the prefix of the participant's GUIDs.
    pub name: [u8; 12],
}

/// Shared memory of one participant.
#[derive(Debug)]
pub struct ShmTransport {
    table: Arc<ConnectionTable>,
    manager: Option<JoinHandle<()>>,
}

impl ShmTransport {
    /// Makes the participant known to its neighbours.
    ///
    /// Fails where there are no Unix sockets or file descriptors to be had, or the name is taken.
    pub fn new(config: &ShmConfig) -> io::Result<Self> {
        let table = Arc::new(ConnectionTable::new(config)?);
        let manager = connection_manager::start(&table)?;
        Ok(Self {
            table,
            manager: Some(manager),
        })
    }

    pub(crate) fn listen(&self, listen: &[Listen]) -> io::Result<ShmReceiver> {
        self.table.listen(listen)
    }

    /// The same for a receiver that its own doorbell wakes.
    pub(crate) fn listen_alone(&self, listen: &[Listen]) -> io::Result<ShmReceiver> {
        let receiver = self.listen(listen)?;
        receiver.wake_by_doorbell();
        Ok(receiver)
    }

    /// Sends one datagram to one peer. `filled` is the chunk that was filled for the datagram
    /// before, with what was copied into it.
    fn send_one<'a>(
        &self,
        send_channel: &SendChannel,
        datagram: &Outgoing<'a>,
        filled: &mut Option<(Parts<'a>, Published)>,
        sent: &mut Sent,
    ) {
        match send_channel.send(datagram, filled) {
            Ok(()) => sent.datagrams += 1,
            Err(refused) => {
                sent.fail(refused.to_error());
                match refused {
                    Refused::Broken(violation) => {
                        self.table.break_with(send_channel, &violation.to_string())
                    }
                    Refused::NoMemory => self
                        .table
                        .break_with(send_channel, "there is no memory for large messages"),
                    Refused::Full | Refused::Closed | Refused::TooLong => {}
                }
            }
        }
    }
}

impl Drop for ShmTransport {
    fn drop(&mut self) {
        self.table.stop();
        // The porter itself may be the last who has the transport: it tells watchers, which may
        // come to their end meanwhile.
        let own = std::thread::current().id();
        if let Some(manager) = self
            .manager
            .take()
            .filter(|manager| manager.thread().id() != own)
        {
            // A panic in it has been printed already.
            let _ = manager.join();
        }
    }
}

impl Transport for ShmTransport {
    fn properties(&self) -> &'static [TransportProperties] {
        &[properties::SHMEM]
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        let mut filled = None;
        for datagram in datagrams {
            if let Some(SendPath(Way::Shm(send_channel))) = datagram.lane {
                self.send_one(send_channel, datagram, &mut filled, &mut sent);
            } else if datagram.to.is_multicast() {
                for send_channel in self.table.neighbours(&datagram.to) {
                    self.send_one(&send_channel, datagram, &mut filled, &mut sent);
                }
            } else {
                match self.table.connect(&datagram.to) {
                    Some(send_channel) => {
                        self.send_one(&send_channel, datagram, &mut filled, &mut sent)
                    }
                    None => sent.fail(io::ErrorKind::NotConnected.into()),
                }
            }
        }
        if sent.failed > 0 {
            let failed = u64::try_from(sent.failed).unwrap_or(u64::MAX);
            self.table.failed.fetch_add(failed, Relaxed);
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        Ok(Box::new(self.listen_alone(listen)?))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        if to.kind != Locator::KIND_SHMEM {
            return Reach::No;
        }
        if to.is_multicast() || self.table.connect(to).is_some() {
            Reach::Memory
        } else {
            Reach::No
        }
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        let unicast = to.kind == Locator::KIND_SHMEM && !to.is_multicast();
        let send_channel = unicast.then(|| self.table.connect(to)).flatten()?;
        Some(SendPath(Way::Shm(send_channel)))
    }

    fn begin(&self, to: &Locator, known: usize) -> Begun {
        self.table.begin(to, known)
    }

    fn want(&self, to: &[Locator]) {
        self.table.want(to);
    }

    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        self.table.unknown_neighbours(group, most, known, waits)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.table.watch(watcher);
    }

    fn chunk(&self, length: usize) -> Option<Chunk> {
        self.table.lend(length)
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        self.table.pools.contains(bytes)
    }

    fn failed(&self) -> u64 {
        self.table.failed.load(Relaxed)
    }

    /// Peers that memory could not be shared with, or not any longer, though they offered it.
    fn refused(&self) -> u64 {
        self.table.refusals.load(Relaxed)
    }

    fn hints(&self) -> Vec<String> {
        self.table.hints()
    }

    fn max_datagram(&self) -> usize {
        MAX_DATAGRAM
    }

    fn max_whole_datagram(&self, _: &Locator) -> usize {
        MAX_DATAGRAM
    }
}

/// The numbers of a port and of the group that its receiver listens to, zero for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Port {
    number: u16,
    group: u16,
}

impl Port {
    /// Nobody listens there: it is the one that dials.
    const CALLER: Self = Self {
        number: 1,
        group: 0,
    };

    fn of(name: u32) -> Self {
        Self {
            number: name as u16,
            group: (name >> 16) as u16,
        }
    }

    /// What goes there: where a group is listened to, which is that of announcements, discovery has
    /// its port.
    fn traffic(self) -> Traffic {
        match self.group {
            0 => Traffic::Data,
            _ => Traffic::Sparse,
        }
    }

    fn to_u32(self) -> u32 {
        u32::from(self.group) << 16 | u32::from(self.number)
    }
}

fn name(identity: &Identity) -> [u8; 12] {
    let [name @ .., _, _, _, _] = *identity;
    name
}

fn port(identity: &Identity) -> Port {
    let [.., a, b, c, d] = *identity;
    Port::of(u32::from_be_bytes([a, b, c, d]))
}

fn identity(name: [u8; 12], port: Port) -> Identity {
    let mut identity = [0; 16];
    let (before, after) = identity.split_at_mut(12);
    before.copy_from_slice(&name);
    after.copy_from_slice(&port.to_u32().to_be_bytes());
    identity
}

/// Who is at a unicast locator; `None` if it is none of shared memory.
fn identity_at(locator: &Locator) -> Option<Identity> {
    let [address @ .., a, b, c, d] = locator.address;
    let possible = locator.kind == Locator::KIND_SHMEM
        && [a, b, c, d] == [0; 4]
        && address != [0; 12]
        && locator.port != 0;
    possible.then(|| identity(address, Port::of(locator.port)))
}

fn locator(identity: &Identity) -> Locator {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = name(identity);
    Locator {
        kind: Locator::KIND_SHMEM,
        port: port(identity).to_u32(),
        address: [a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 0],
    }
}

fn io_error(error: dunlin_shm::Error) -> io::Error {
    match error {
        dunlin_shm::Error::System(error) => error,
        other => io::Error::other(other),
    }
}
