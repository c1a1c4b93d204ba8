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
    /// A place of a participant of this vendor. Only Dunlin's own participants are sure to
    /// understand a checksum, and what does not leave this host, or goes to a group that others may
    /// hear too, has none.
    pub(crate) fn of(transport: &dyn Transport, vendor: VendorId, locator: Locator) -> Self {
        let understands = vendor == VendorId::DUNLIN && !locator.is_multicast();
        let sealed = understands && needs_checksum(transport, &locator);
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

/// May bytes of a datagram to or from there change on its way over a network without notice?
pub(crate) fn needs_checksum(transport: &dyn Transport, locator: &Locator) -> bool {
    let mut properties = transport.properties().iter();
    properties.any(|way| way.kind == locator.kind && way.needs_checksum)
        && matches!(transport.reaches(locator), Reach::Subnet | Reach::Far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_transport::{Listen, Receiver, Sent, TransportProperties};
    use std::io;

    /// Everything is in the subnet, or on this host.
    struct Everywhere(Reach);

    impl Transport for Everywhere {
        fn properties(&self) -> &'static [TransportProperties] {
            const {
                &[
                    TransportProperties::datagrams(Locator::KIND_UDP_V4),
                    TransportProperties::memory(Locator::KIND_SHMEM),
                    TransportProperties::connections(Locator::KIND_TCP_V4),
                ]
            }
        }
        fn send(&self, _: &[Outgoing<'_>]) -> Sent {
            Sent::default()
        }
        fn open(&self, _: &[Listen]) -> io::Result<Box<dyn Receiver>> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn reaches(&self, _: &Locator) -> Reach {
            self.0
        }
        fn max_datagram(&self) -> usize {
            0
        }
        fn max_whole_datagram(&self, _: &Locator) -> usize {
            0
        }
    }

    fn is_sealed(reach: Reach, vendor: VendorId, kind: i32) -> bool {
        let locator = Locator {
            kind,
            ..Locator::udp_v4([10, 0, 0, 2].into(), 7411)
        };
        Destination::of(&Everywhere(reach), vendor, locator).sealed
    }

    #[test]
    fn only_ways_that_ask_for_a_checksum_get_one() {
        let to_us = |kind| is_sealed(Reach::Subnet, VendorId::DUNLIN, kind);
        assert!(to_us(Locator::KIND_UDP_V4));
        assert!(!to_us(Locator::KIND_SHMEM));
        assert!(!to_us(Locator::KIND_TCP_V4));
        assert!(!to_us(Locator::KIND_MEMORY), "no way of this transport");
    }

    #[test]
    fn what_stays_on_the_host_or_goes_to_others_has_no_checksum() {
        let udp = Locator::KIND_UDP_V4;
        assert!(is_sealed(Reach::Far, VendorId::DUNLIN, udp));
        assert!(!is_sealed(Reach::Host, VendorId::DUNLIN, udp));
        assert!(!is_sealed(Reach::Subnet, VendorId::CYCLONE_DDS, udp));
    }
}
