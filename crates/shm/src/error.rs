//! What can go wrong, and whose fault it is.

/// Something in a peer's memory or messages that an honest peer never writes. Its connection is
/// dead from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A message carries a sequence number that is neither the next nor the last one.
    #[error("a slot of the ring has an impossible sequence number")]
    Sequence,
    /// A length is larger than what it is the length of.
    #[error("a length is out of bounds")]
    Length,
    /// A kind of message that does not exist.
    #[error("a message is of no known kind")]
    Kind,
    /// The reader's cursor went back, or ahead of what was sent.
    #[error("the cursor of the reader is out of bounds")]
    Cursor,
    /// A descriptor names a pool or a chunk that does not exist.
    #[error("a descriptor names no chunk")]
    Chunk,
    /// A pool is announced too often, or withdrawn although it was never announced.
    #[error("a pool is announced too often, or withdrawn although it was never announced")]
    Pool,
    /// A chunk was used again although somebody may still read it.
    #[error("a chunk has another generation than its descriptor")]
    Generation,
    /// A file descriptor is no memfd with the seals that forbid to shrink, grow or write it, or is
    /// not of the announced size.
    #[error("a segment is unsealed, not wholly in memory, or not of the announced size")]
    Segment,
    /// A hello, or the header of a segment, is not what this version writes.
    #[error("a header is malformed, or of another version or layout")]
    Header,
    /// The peer runs as another user.
    #[error("the peer belongs to another user")]
    User,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The peer's fault: its connection is dead for good.
    #[error("the peer broke the rules of shared memory: {0}")]
    Violation(#[from] Violation),
    /// The caller's fault: sizes that make no ring, pool or segment, or a buffer that is too small.
    #[error("{0}")]
    Argument(&'static str),
    /// A limit is reached: room, chunks or loans. Later it may work.
    #[error("{0}")]
    Limit(&'static str),
    /// The peer has closed the connection, or died.
    #[error("the peer is gone")]
    Gone,
    /// The system refused.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

impl From<rustix::io::Errno> for Error {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::System(errno.into())
    }
}
