//! What a transport is.
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_shm::{Chunk, Loan};
use dunlin_wire::Locator;

use crate::properties::TransportProperties;
use crate::send_path::SendPath;

pub use dunlin_udp::Sent;

/// One datagram to send: `head`, `payload` and `tail`, one after the other; each may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// A peer or a multicast group.
    pub to: Locator,
    /// The way to that peer, if [`Transport::lane`] knew one.
    pub lane: Option<&'a SendPath>,
    /// Usually the headers in front of the payload.
    pub head: &'a [u8],
    /// Usually a sample, which need not be copied behind its headers.
    pub payload: &'a [u8],
    /// What follows the payload.
    pub tail: &'a [u8],
    /// Better some milliseconds late than lost, if the receiver has no room.
    pub patient: bool,
    /// Its DiffServ code point, 0 to 63, where the way has room for one (see `docs/transports.md`);
    /// 0 is nothing special.
    pub dscp: u8,
}

impl Outgoing<'_> {
    /// Bytes of the datagram.
    pub fn length(&self) -> usize {
        self.head.len() + self.payload.len() + self.tail.len()
    }

    /// The datagram in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        [self.head, self.payload, self.tail].concat()
    }
}

/// Where a receiver listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A port of this host for this receiver alone.
    Unicast {
        /// 0 means any free one.
        port: u16,
    },
    /// A multicast group and port, shared with others: each gets its own copy.
    Multicast {
        /// Of the transport's own kind.
        group: Locator,
    },
    /// A port that another receiver of the same transport has opened: of what comes there, this one
    /// gets the user data. Only where peers need not be told of a second port: TCP.
    Beside {
        /// The other receiver's.
        port: u16,
    },
}

/// How long [`Receiver::receive`] waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    Poll,
    /// Until then, or with `None` until something comes.
    Until(Option<Instant>),
}

/// How near a locator is. The greatest is to be preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Another kind of transport, or no way there.
    No,
    /// A loopback address, which every host has: right only if a peer offers nothing else.
    Loopback,
    /// Beyond a router.
    Far,
    /// In the subnet of one of our interfaces; also every multicast group.
    Subnet,
    /// An address of this host.
    Host,
    /// A process that shares memory with this one.
    Memory,
}

/// A loan that came with a datagram: bytes of it that stay in memory of the sender.
#[derive(Debug)]
pub struct ReceivedLoan {
    /// Where in the datagram they belong, at most its length.
    pub at: usize,
    /// The bytes.
    pub loan: Loan,
}

/// What was received, besides the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes that were appended to the buffer.
    pub length: usize,
    /// The sender, as its datagram claims; not always a place where it listens.
    pub from: Locator,
    /// A loan came with the datagram: [`Receiver::loan`] gives it.
    pub loaned: bool,
}

/// A way for datagrams to travel. Shared by all threads of a participant.
pub trait Transport: Send + Sync {
    /// What its ways are like, for each kind of locators that it sends to. The first is the kind by
    /// which the transport is known, such as UDP where shared memory comes beside it.
    fn properties(&self) -> &'static [TransportProperties];

    /// The first kind of [`Self::properties`].
    fn kind(&self) -> i32 {
        let first = self.properties().first();
        first.map_or(Locator::KIND_INVALID, |properties| properties.kind)
    }

    /// Sends in order, without allocation and without a long wait (10 ms at most). A multicast
    /// datagram goes out on every allowed interface and counts once for each. What cannot be sent
    /// is counted and skipped.
    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent;

    /// A receiver for everything that arrives at the places in `listen`.
    ///
    /// Fails with [`io::ErrorKind::AddrInUse`] if a unicast port is taken; nothing stays open then.
    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>>;

    /// How near `to` is, to choose among the locators of a peer. May ask the system; not for the
    /// data path.
    fn reaches(&self, to: &Locator) -> Reach;

    /// Whether the participant with this prefix is at `to`; `None` if the transport does not know.
    /// Not for the data path.
    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        let _ = (to, peer);
        None
    }

    /// A way to the peer at `to` for whoever will send there often; `None` if there is none that is
    /// better than sending by the locator. May ask the system; not for the data path.
    fn lane(&self, to: &Locator) -> Option<SendPath> {
        let _ = to;
        None
    }

    /// Begins to find out whether there is a way to the peer at `to`, and waits for nothing. For
    /// peers that are reached some other way meanwhile. Of the `known` participants of a crowd most
    /// are never sent anything. May ask the system; not for the data path.
    fn begin(&self, to: &Locator, known: usize) -> Begun {
        let _ = (to, known);
        Begun::Known
    }

    /// There is something to be sent to these peers: makes the ways that [`Self::begin`] put off.
    /// Waits for nothing; [`Watcher::answered`] tells of each. Whoever was not put off is left out.
    fn want(&self, to: &[Locator]) {
        let _ = to;
    }

    /// Where participants of this host listen to `group`, by memory that they share with this one:
    /// at most `most`, other than those whose prefix `known` knows. If it `waits`, then for
    /// answers, for some milliseconds; otherwise those that have to be asked first are among them
    /// next time. May ask the system; not for the data path.
    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        let _ = (group, most, known, waits);
        Vec::new()
    }

    /// From now on `watcher` is told what becomes of the ways to peers, if the transport learns of
    /// it.
    fn watch(&self, watcher: Weak<dyn Watcher>) {
        let _ = watcher;
    }

    /// Takes note of the addresses that this host has now, if the transport follows them: multicast
    /// leaves by what has come, and groups are heard there. True if anything is not as it was;
    /// then ways to peers are to be asked for anew. Asks the system; not for the data path.
    fn follow_addresses(&self) -> bool {
        false
    }

    /// What to tell peers now of a receiver that gave these [`Receiver::locators`] when it was
    /// opened.
    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        locators.to_vec()
    }

    /// Memory that peers can read, for `length` bytes: what lies in it travels without a copy.
    /// `None` if there is none, or none left, or for so few that a copy is faster; ordinary memory
    /// will do then.
    fn chunk(&self, length: usize) -> Option<Chunk> {
        let _ = length;
        None
    }

    /// Whether these bytes lie in memory that peers can read, so that they need not be copied.
    fn holds(&self, bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }

    /// Datagrams that could not be sent since the transport was made, if it counts them.
    fn failed(&self) -> u64 {
        0
    }

    /// How often a peer offered a way that could not be taken, or could not be kept, though another
    /// transport may have one.
    fn refused(&self) -> u64 {
        0
    }

    /// Connections that were refused, or closed for what came by them.
    fn refused_connections(&self) -> u64 {
        0
    }

    /// Why peers that are there may not be found, a line each, for people. Asks the system; not for
    /// the data path.
    fn hints(&self) -> Vec<String> {
        Vec::new()
    }

    /// Bytes that fit into one datagram.
    fn max_datagram(&self) -> usize;

    /// Bytes of a datagram that travels to `to` in one piece. A larger one may be cut on its way,
    /// and is lost if any piece is. May ask the system; not for the data path.
    fn max_whole_datagram(&self, to: &Locator) -> usize;
}

/// What came of [`Transport::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// [`Watcher::answered`] will tell whether there is a way; until then [`Transport::reaches`]
    /// says no.
    Awaited,
    /// It is known now.
    Known,
    /// There are many ways already. This one is made when [`Transport::want`] says that it has a
    /// use; until then [`Transport::reaches`] says no.
    PutOff,
}

/// Hears what becomes of the ways to peers.
pub trait Watcher: Send + Sync {
    /// The way to everything at the address of `peer` is not what it was: it is to be asked for
    /// anew. `ended`: what was there has ended for sure. Called by a thread of the transport, which
    /// must not wait for it.
    fn changed(&self, peer: &Locator, ended: bool);

    /// What [`Transport::begin`] has begun with the address of `peer` has come to its end: there is
    /// a way now, or there is none. Called by a thread of the transport, which must not wait for
    /// it.
    fn answered(&self, peer: &Locator) {
        self.changed(peer, false);
    }

    /// The addresses of this host may have changed: [`Transport::follow_addresses`] is to be called
    /// soon, by another thread than this, which is a receiver's.
    fn addresses_changed(&self) {}

    /// A thread of the transport has ended although nobody stopped it: nothing that it did is done
    /// any more.
    fn failed(&self, why: &str);
}

/// The receiving end of a transport; one thread at a time has it.
pub trait Receiver: Send {
    /// Appends one datagram to the spare capacity of `buffer`, which does not grow: the caller
    /// reserves [`Transport::max_datagram`] bytes or more. A longer datagram is dropped and
    /// counted.
    ///
    /// `None`: nothing is there, time is up, or somebody called [`Waker::wake`]; sometimes it means
    /// nothing at all, so the caller asks again. An error is final: this receiver will not work
    /// again.
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>>;

    /// Listens at one more place, of another kind than those at which it listens. Only where
    /// connections come beside datagrams: these are at one [`Listen::Unicast`] port, and at
    /// [`Listen::Beside`] it in a second receiver.
    fn listen_at(&mut self, place: Listen) -> io::Result<()> {
        let why = format!("this receiver cannot listen at {place:?} as well");
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    /// Hears, while it waits, when the addresses of this host change, and tells whoever watches the
    /// transport. One receiver of a transport is enough.
    fn watch_addresses(&mut self) {}

    /// The length of the next datagram if it has been found to need more room than the buffer of
    /// the last call: whoever comes again without that loses it. Otherwise 0.
    fn announced(&self) -> usize {
        0
    }

    /// Whether something has come since this was asked last, if only a part of a datagram: the rest
    /// is likely to be near.
    fn flows(&mut self) -> bool {
        false
    }

    /// Whether another datagram, or a part of one, is there already, as far as that can be told
    /// without asking the system.
    fn is_ready(&self) -> bool {
        false
    }

    /// Whether the datagram that was received last came by multicast, as far as that can be told.
    fn was_multicast(&self) -> bool {
        false
    }

    /// From now on what comes by multicast groups is left where it is for so long, as far as groups
    /// can be told from others: who hears from many by them is not woken for each.
    fn rest_groups(&mut self, _pause: Duration) {}

    /// The loan that came with the datagram that was received last: to be asked for, before the
    /// next, if [`Received::loaned`] says so.
    fn loan(&mut self) -> Option<ReceivedLoan> {
        None
    }

    /// Something that ends [`Self::receive`] from another thread.
    fn waker(&self) -> Arc<dyn Waker>;

    /// What to tell peers: for a unicast port one locator per address, best first; for a multicast
    /// group the group.
    fn locators(&self) -> Vec<Locator>;

    /// Something that tells any thread what this receiver has and loses.
    fn statistics(&self) -> Arc<dyn ReceiveStatistics>;
}

/// Reads what a receiver was granted and what it lost. It may outlive the receiver and knows
/// nothing then.
pub trait ReceiveStatistics: Send + Sync {
    /// As of now. Asks the system; not for the data path.
    fn read(&self) -> Reception;
}

/// What a receiver was granted and what it lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reception {
    /// Bytes that the system was asked to queue, for each place where the receiver listens.
    pub asked: usize,
    /// Bytes that it granted, of several queues the smallest. Less than was asked for means that
    /// datagrams are lost sooner when they come faster than they are taken.
    pub granted: usize,
    /// Datagrams that came and were dropped by the system for want of room.
    pub dropped: u64,
    /// Datagrams that came and were dropped since they were longer than the caller's buffer.
    pub oversized: u64,
}

/// Ends a receiver's wait. It may outlive the receiver and does nothing then.
pub trait Waker: Send + Sync {
    /// Makes the blocked [`Receiver::receive`] return `None` soon, or else the next one that would
    /// block.
    fn wake(&self);
}

/// The first of the nearest among `locators`; `None` if none can be reached.
pub fn nearest<'a>(transport: &dyn Transport, locators: &'a [Locator]) -> Option<&'a Locator> {
    let reachable = locators.iter().map(|l| (transport.reaches(l), l));
    reachable
        .filter(|(reach, _)| *reach != Reach::No)
        .rev()
        .max_by_key(|(reach, _)| *reach)
        .map(|(_, locator)| locator)
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn properties(&self) -> &'static [TransportProperties] {
        T::properties(self)
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        T::send(self, datagrams)
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        T::open(self, listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        T::reaches(self, to)
    }

    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        T::leads_to(self, to, peer)
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        T::lane(self, to)
    }

    fn begin(&self, to: &Locator, known: usize) -> Begun {
        T::begin(self, to, known)
    }

    fn want(&self, to: &[Locator]) {
        T::want(self, to);
    }

    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        T::neighbours(self, group, most, known, waits)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        T::watch(self, watcher)
    }

    fn follow_addresses(&self) -> bool {
        T::follow_addresses(self)
    }

    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        T::relocated(self, locators)
    }

    fn chunk(&self, length: usize) -> Option<Chunk> {
        T::chunk(self, length)
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        T::holds(self, bytes)
    }

    fn failed(&self) -> u64 {
        T::failed(self)
    }

    fn refused(&self) -> u64 {
        T::refused(self)
    }

    fn refused_connections(&self) -> u64 {
        T::refused_connections(self)
    }

    fn hints(&self) -> Vec<String> {
        T::hints(self)
    }

    fn max_datagram(&self) -> usize {
        T::max_datagram(self)
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        T::max_whole_datagram(self, to)
    }
}
