//! Where datagrams go, and whether they carry a checksum there.
use dunlin_rtps::To;
use dunlin_transport::{Outgoing, Reach, SendPath, Transport};
use dunlin_wire::{Locator, VendorId};
use std::cmp::Ordering;

/// One destination of datagrams.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) locator: Locator,
    /// How the transport gets there, if it prepared a way.
    pub(crate) lane: Option<SendPath>,
    /// Samples for it had better wait for room than be lost.
    pub(crate) patient: bool,
    /// What `To::Passing` says of the readers there: a bit for each of their filters.
    pub(crate) wanted: u64,
    /// The peer verifies checksums, and the way to it is one on which bytes can change.
    pub(crate) sealed: bool,
}

impl Destination {
    /// A place of a participant of this vendor. Only Dunlin's own participants are sure to understand a
    /// checksum, and what does not leave this host, or goes to a group that others may hear too,
    /// has none.
    pub(crate) fn of(transport: &dyn Transport, vendor: VendorId, locator: Locator) -> Self {
        let understands = vendor == VendorId::DUNLIN && !locator.is_multicast();
        let sealed = understands && leaves_host(transport, &locator);
        Self {
            locator,
            lane: None,
            patient: false,
            wanted: u64::MAX,
            sealed,
        }
    }

    /// A place where anybody may listen.
    pub(crate) fn open(locator: Locator) -> Self {
        Self {
            locator,
            lane: None,
            patient: false,
            wanted: u64::MAX,
            sealed: false,
        }
    }

    /// The same place, for those who send there often.
    pub(crate) fn frequent(self, transport: &dyn Transport) -> Self {
        Self {
            lane: transport.lane(&self.locator),
            ..self
        }
    }

    /// Is something for these also for somebody there?
    #[inline]
    pub(crate) fn wants(&self, to: To) -> bool {
        match to {
            To::Passing(passing) => self.wanted & passing != 0,
            _ => self.wanted != 0,
        }
    }

    /// Does `seal` change what goes there?
    #[inline]
    pub(crate) fn is_protected(&self) -> bool {
        self.sealed
    }

    /// Sends a datagram there at once, if that is as simple as can be: as it is.
    #[inline]
    pub(crate) fn put(&self, parts: &[&[u8]; 3]) -> bool {
        !self.is_protected() && self.lane.as_ref().is_some_and(|lane| lane.put(parts))
    }

    /// What is to be sent there, with this code point.
    #[inline]
    pub(crate) fn outgoing<'a>(
        &'a self,
        dscp: u8,
        [head, payload, tail]: [&'a [u8]; 3],
    ) -> Outgoing<'a> {
        Outgoing {
            to: self.locator,
            lane: self.lane.as_ref(),
            head,
            payload,
            tail,
            patient: self.patient,
            dscp,
        }
    }

    fn key(&self) -> (Locator, bool) {
        (self.locator, self.sealed)
    }
}

impl PartialEq for Destination {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Destination {}

impl PartialOrd for Destination {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Destination {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Does a datagram to or from there cross a network as it is? What goes by a stream does not: TCP
/// repeats what it finds damaged.
pub(crate) fn leaves_host(transport: &dyn Transport, locator: &Locator) -> bool {
    const ALL_THE_WAY: [i32; 3] = [
        Locator::KIND_SHMEM,
        Locator::KIND_TCP_V4,
        Locator::KIND_TCP_CALLER,
    ];
    !ALL_THE_WAY.contains(&locator.kind)
        && matches!(transport.reaches(locator), Reach::Subnet | Reach::Far)
}
