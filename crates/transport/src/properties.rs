//! What a transport says of itself, for those who use it without knowing which one it is.
use dunlin_wire::Locator;

/// What the ways to locators of one kind are like ([`Transport::properties`]).
///
/// What may differ from locator to locator is asked for by locator:
/// [`Transport::reaches`] tells whether a datagram leaves the host, and
/// [`Transport::max_whole_datagram`] how long one may be that travels in one piece.
///
/// [`Transport::properties`]: crate::Transport::properties
/// [`Transport::reaches`]: crate::Transport::reaches
/// [`Transport::max_whole_datagram`]: crate::Transport::max_whole_datagram
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportProperties {
    /// The kind of the locators, such as [`Locator::KIND_UDP_V4`].
    pub kind: i32,
    /// Bytes can change on the way to another host, and nothing below notices it.
    pub needs_checksum: bool,
    /// One datagram to a multicast group reaches all readers that listen there, and costs less than
    /// one to each of them.
    pub multicast_data: bool,
    /// Datagrams travel by connections: reliable and in order while they last. Discovery and user
    /// data share a port ([`Listen::Beside`](crate::Listen::Beside)). A peer is reached by them if
    /// they have brought its first answer, or if it offers nothing else: datagrams to a peer that
    /// is behind an address translator may get to anybody.
    pub connected: bool,
}

impl TransportProperties {
    /// Of datagrams on a network, such as UDP's.
    pub const fn datagrams(kind: i32) -> Self {
        Self {
            kind,
            needs_checksum: true,
            multicast_data: true,
            connected: false,
        }
    }

    /// Of memory that both sides share.
    pub const fn memory(kind: i32) -> Self {
        Self {
            kind,
            needs_checksum: false,
            multicast_data: false,
            connected: false,
        }
    }

    /// Of connections that repeat what arrives damaged, such as TCP's.
    pub const fn connections(kind: i32) -> Self {
        Self {
            kind,
            needs_checksum: false,
            multicast_data: false,
            connected: true,
        }
    }
}

/// Those of UDP.
pub(crate) const UDP: TransportProperties = TransportProperties::datagrams(Locator::KIND_UDP_V4);
/// Those of shared memory.
pub(crate) const SHMEM: TransportProperties = TransportProperties::memory(Locator::KIND_SHMEM);
/// Those of TCP to a peer that listens.
pub(crate) const TCP: TransportProperties = TransportProperties::connections(Locator::KIND_TCP_V4);
/// Those of TCP to a peer by the connections that it has made.
pub(crate) const TCP_CALLER: TransportProperties =
    TransportProperties::connections(Locator::KIND_TCP_CALLER);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, Faults, MemoryNetwork, Transport};
    use std::sync::Arc;

    #[test]
    fn a_wrapper_declares_what_it_wraps() {
        let inner = MemoryNetwork::new(1, Faults::default()).host();
        let expected = [TransportProperties::datagrams(Locator::KIND_MEMORY)];
        assert_eq!(inner.properties(), expected);
        let wrapped = Arc::new(Fault::new(inner, 1, Faults::default()));
        assert_eq!(wrapped.properties(), expected);
        assert_eq!(wrapped.kind(), Locator::KIND_MEMORY);
    }
}
