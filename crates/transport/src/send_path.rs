//! Ways to peers that transports have prepared.
use std::sync::Arc;

use dunlin_udp::Socket;

use crate::shm::SendChannel;
use crate::tcp::PeerLink;

/// A way to one peer that a transport has prepared, so that sending costs less than by its locator
/// alone. It lasts as long as somebody keeps it.
#[derive(Clone, Debug)]
pub struct SendPath(pub(crate) Way);

#[derive(Clone, Debug)]
pub(crate) enum Way {
    Udp(Arc<Socket>),
    Shm(Arc<SendChannel>),
    Tcp(Arc<PeerLink>),
}

impl SendPath {
    /// Sends a datagram that needs nothing but a place in memory that the peer reads: a short one,
    /// or one whose middle lies in a chunk; false if it needs more. What nearly every small or lent
    /// sample by shared memory takes.
    #[inline]
    pub fn put(&self, parts: &[&[u8]; 3]) -> bool {
        match &self.0 {
            Way::Shm(send_channel) => send_channel.put(parts),
            Way::Udp(_) | Way::Tcp(_) => false,
        }
    }

    /// Whether both are the same way.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Way::Udp(a), Way::Udp(b)) => Arc::ptr_eq(a, b),
            (Way::Shm(a), Way::Shm(b)) => Arc::ptr_eq(a, b),
            (Way::Tcp(a), Way::Tcp(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
