//! Where datagrams go, and whether they carry a checksum there.
use dunlin_transport::{Reach, Transport};
use dunlin_wire::{GuidPrefix, Locator, VendorId};

/// One destination of datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) locator: Locator,
    /// The peer verifies checksums, and the way to it is one on which bytes can change.
    pub(crate) sealed: bool,
}

impl Place {
    /// A place of the participant `peer`. Only Dunlin's own participants are sure to understand a checksum, and what does
    /// not leave this host, or goes to a group that others may hear too, has none.
    pub(crate) fn of(transport: &dyn Transport, peer: GuidPrefix, locator: Locator) -> Self {
        let sealed = is_dunlin(peer) && !locator.is_multicast() && leaves_host(transport, &locator);
        Self { locator, sealed }
    }

    /// A place where anybody may listen.
    pub(crate) fn open(locator: Locator) -> Self {
        Self {
            locator,
            sealed: false,
        }
    }
}

/// Is this one of our own?
pub(crate) fn is_dunlin(peer: GuidPrefix) -> bool {
    peer.vendor() == VendorId::DUNLIN
}

/// Does a datagram to or from there cross a network?
pub(crate) fn leaves_host(transport: &dyn Transport, locator: &Locator) -> bool {
    matches!(transport.reaches(locator), Reach::Subnet | Reach::Far)
}
