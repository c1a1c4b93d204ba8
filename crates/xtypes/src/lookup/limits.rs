//! How much of others is read and kept.

/// How many types a request names.
pub const IDS: usize = 64;

/// How many bytes the payload of a request has.
pub const REQUEST: usize = 65_536;

/// How many bytes the payload of a reply has that is written here. Only whole TypeObjects are in
/// it: who lacks some asks again.
pub const REPLY: usize = 65_536;

/// How many bytes the payload of a reply of others may have. Some products answer with all that was
/// asked for, whatever its length.
pub const FOREIGN_REPLY: usize = 524_288;

/// How many types the dependencies of a reply list.
pub const PAGE: usize = 75;

/// How many bytes the name of the asked service may have.
pub const INSTANCE_NAME: usize = 255;

/// How many bytes a continuation point may have.
pub const CONTINUATION_POINT: usize = 32;

/// How many bytes of TypeObjects are kept of one peer, with what it costs to keep them.
pub const PEER_BYTES: usize = 1 << 20;

/// How many TypeObjects are kept of one peer.
pub const PEER_TYPES: usize = 1024;

/// How many bytes of TypeObjects are kept of all peers.
pub const BYTES: usize = 16 << 20;
