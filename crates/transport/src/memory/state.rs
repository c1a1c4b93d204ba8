//! Who listens where, and what is under way.
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Condvar};
use std::time::{Duration, Instant};

use dunlin_wire::Locator;

use crate::rng::{Faults, Rng, corrupt};
use crate::traits::{Listen, Outgoing};

/// What an inbox holds before it drops: bytes, with a share for each datagram as a kernel counts
/// it.
pub(super) const INBOX: usize = 8 << 20;
const SHARE: usize = 256;
const FIRST_EPHEMERAL: u32 = 49152;
const LAST_PORT: u32 = 65535;

/// All of a network.
#[derive(Debug)]
pub(super) struct State {
    pub(super) faults: Faults,
    pub(super) clock: Clock,
    dice: Rng,
    hosts: u32,
    /// Distinguishes inboxes and keeps datagrams of one moment in order.
    count: u64,
    inboxes: BTreeMap<u64, Inbox>,
    ports: BTreeMap<(Ipv4Addr, u32), u64>,
    members: BTreeSet<(Ipv4Addr, u32, u64)>,
    cuts: BTreeSet<(Ipv4Addr, Ipv4Addr)>,
}

/// The time that a network goes by.
#[derive(Debug)]
pub(super) enum Clock {
    Real(Instant),
    Virtual(Duration),
}

impl Clock {
    pub(super) fn real() -> Self {
        Self::Real(Instant::now())
    }

    pub(super) fn now(&self) -> Duration {
        match self {
            Self::Real(start) => start.elapsed(),
            Self::Virtual(now) => *now,
        }
    }
}

/// What is under way to one receiver, or there.
#[derive(Debug)]
pub(super) struct Inbox {
    host: Ipv4Addr,
    queue: BTreeMap<(Duration, u64), Parcel>,
    held: usize,
    pub(super) dropped: u64,
    pub(super) oversized: u64,
    /// A waker was called.
    pub(super) woken: bool,
    /// Rings when something comes and when a waker is called.
    pub(super) bell: Arc<Condvar>,
}

/// A datagram.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub(super) from: Locator,
    pub(super) multicast: bool,
    pub(super) bytes: Vec<u8>,
}

/// What a new receiver needs to know.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) inbox: u64,
    pub(super) bell: Arc<Condvar>,
    pub(super) locators: Vec<Locator>,
}

impl State {
    pub(super) fn new(seed: u64, faults: Faults, clock: Clock) -> Self {
        Self {
            faults,
            clock,
            dice: Rng::new(seed),
            hosts: 0,
            count: 0,
            inboxes: BTreeMap::new(),
            ports: BTreeMap::new(),
            members: BTreeSet::new(),
            cuts: BTreeSet::new(),
        }
    }

    pub(super) fn add_host(&mut self) -> Ipv4Addr {
        const NETWORK: u32 = 10 << 24;
        self.hosts += 1;
        Ipv4Addr::from(NETWORK | self.hosts)
    }

    pub(super) fn open(&mut self, host: Ipv4Addr, listen: &[Listen]) -> io::Result<Opened> {
        let inbox = self.next();
        let places = listen.iter().map(|l| self.listen(host, inbox, l));
        let locators = places.collect::<io::Result<Vec<_>>>();
        let locators = locators.and_then(|places| match places.is_empty() {
            true => Err(io::ErrorKind::InvalidInput.into()),
            false => Ok(places),
        });
        let locators = locators.inspect_err(|_| self.close(inbox))?;
        let bell = Arc::new(Condvar::new());
        self.inboxes.insert(
            inbox,
            Inbox {
                host,
                queue: BTreeMap::new(),
                held: 0,
                dropped: 0,
                oversized: 0,
                woken: false,
                bell: Arc::clone(&bell),
            },
        );
        Ok(Opened {
            inbox,
            bell,
            locators,
        })
    }

    pub(super) fn close(&mut self, inbox: u64) {
        self.inboxes.remove(&inbox);
        self.ports.retain(|_, owner| *owner != inbox);
        self.members.retain(|(_, _, member)| *member != inbox);
    }

    pub(super) fn inbox(&mut self, inbox: u64) -> Option<&mut Inbox> {
        self.inboxes.get_mut(&inbox)
    }

    /// Takes the next datagram that has arrived.
    pub(super) fn take(&mut self, inbox: u64) -> Option<Parcel> {
        let now = self.clock.now();
        let inbox = self.inboxes.get_mut(&inbox)?;
        let first = inbox.queue.first_entry()?;
        if first.key().0 > now {
            return None;
        }
        let parcel = first.remove();
        inbox.held = inbox.held.saturating_sub(parcel.bytes.len() + SHARE);
        Some(parcel)
    }

    /// When the next datagram for this inbox arrives.
    pub(super) fn due(&self, inbox: u64) -> Option<Duration> {
        self.inboxes.get(&inbox)?.due()
    }

    pub(super) fn next_arrival(&self) -> Option<Duration> {
        self.inboxes.values().filter_map(Inbox::due).min()
    }

    pub(super) fn next_arrival_at(&self, host: Ipv4Addr) -> Option<Duration> {
        let inboxes = self.inboxes.values().filter(|inbox| inbox.host == host);
        inboxes.filter_map(Inbox::due).min()
    }

    pub(super) fn advance(&mut self, by: Duration) {
        if let Clock::Virtual(now) = &mut self.clock {
            *now += by;
        }
        self.inboxes.values().for_each(|i| i.bell.notify_all());
    }

    pub(super) fn cut(&mut self, a: Ipv4Addr, b: Ipv4Addr) {
        self.cuts.extend([(a, b), (b, a)]);
    }

    pub(super) fn heal(&mut self) {
        self.cuts.clear();
    }

    /// Brings a datagram on its way to all that listen where it goes.
    pub(super) fn carry(&mut self, from: Ipv4Addr, datagram: &Outgoing<'_>) {
        let parcel = Parcel {
            from: locator(from, FIRST_EPHEMERAL),
            multicast: datagram.to.is_multicast(),
            bytes: datagram.to_vec(),
        };
        for inbox in self.listeners(&datagram.to) {
            self.carry_to(inbox, from, &parcel);
        }
    }

    fn carry_to(&mut self, inbox: u64, from: Ipv4Addr, parcel: &Parcel) {
        let fate = self.dice.fate(&self.faults);
        let now = self.clock.now();
        let order = [self.next(), self.next()];
        let Some(inbox) = self.inboxes.get_mut(&inbox) else {
            return;
        };
        if self.cuts.contains(&(from, inbox.host)) {
            return;
        }
        let mut parcel = parcel.clone();
        if let Some(corruption) = fate.corruption {
            corrupt(&mut parcel.bytes, corruption);
        }
        for (lateness, order) in fate.copies.into_iter().zip(order) {
            if let Some(lateness) = lateness {
                inbox.put((now + lateness, order), parcel.clone());
            }
        }
    }

    fn listeners(&self, to: &Locator) -> Vec<u64> {
        let (ip, port) = (ip(to), to.port);
        if !ip.is_multicast() {
            return self.ports.get(&(ip, port)).copied().into_iter().collect();
        }
        let members = self.members.range((ip, port, 0)..=(ip, port, u64::MAX));
        members.map(|(_, _, inbox)| *inbox).collect()
    }

    fn listen(&mut self, host: Ipv4Addr, inbox: u64, listen: &Listen) -> io::Result<Locator> {
        match listen {
            Listen::Unicast { port } => {
                let port = self.port(host, u32::from(*port))?;
                self.ports.insert((host, port), inbox);
                Ok(locator(host, port))
            }
            Listen::Multicast { group }
                if group.kind == Locator::KIND_MEMORY && group.is_multicast() =>
            {
                self.members.insert((ip(group), group.port, inbox));
                Ok(*group)
            }
            Listen::Multicast { .. } | Listen::Beside { .. } => {
                Err(io::ErrorKind::InvalidInput.into())
            }
        }
    }

    /// The port asked for, or a free one for 0.
    fn port(&self, host: Ipv4Addr, asked: u32) -> io::Result<u32> {
        let mut ports = match asked {
            0 => FIRST_EPHEMERAL..=LAST_PORT,
            asked => asked..=asked,
        };
        ports
            .find(|port| !self.ports.contains_key(&(host, *port)))
            .ok_or_else(|| io::ErrorKind::AddrInUse.into())
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

impl Inbox {
    fn due(&self) -> Option<Duration> {
        self.queue.first_key_value().map(|((due, _), _)| *due)
    }

    fn put(&mut self, key: (Duration, u64), parcel: Parcel) {
        let size = parcel.bytes.len() + SHARE;
        if self.held + size > INBOX {
            self.dropped += 1;
            return;
        }
        self.held += size;
        self.queue.insert(key, parcel);
        self.bell.notify_all();
    }
}

/// The IPv4-like address of a memory locator.
pub(super) fn ip(locator: &Locator) -> Ipv4Addr {
    let [.., a, b, c, d] = locator.address;
    Ipv4Addr::new(a, b, c, d)
}

fn locator(ip: Ipv4Addr, port: u32) -> Locator {
    Locator {
        kind: Locator::KIND_MEMORY,
        port,
        ..Locator::udp_v4(ip, 0)
    }
}
