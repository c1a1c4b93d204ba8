//! How large a type may be, and how much work a payload may make.

/// How deep types may contain each other, counted without structures and unions behind a sequence,
/// a map, an optional or an external: there a type may contain itself.
pub const DEPTH: usize = 64;

/// How many types a tree may have.
pub const NODES: usize = 65_536;

/// How many members, cases, literals, flags or fields a type may have, those of its bases not
/// counted.
pub const MEMBERS: usize = 65_536;

/// How many bytes a name may have.
pub const NAME: usize = 255;

/// How many dimensions an array may have.
pub const DIMENSIONS: usize = 64;

/// How many parts a member path may have.
pub const PATH: usize = 64;

/// How many collections within collections a [`TypeIdentifier`](crate::TypeIdentifier) may have,
/// elements and keys counted.
pub const IDENTIFIER_PARTS: usize = 256;

/// How many dependencies a [`TypeInformation`](crate::TypeInformation) lists of each kind.
pub const DEPENDENCIES: usize = 128;

/// How many bytes a TypeObject of a peer may have.
pub const TYPE_OBJECT: usize = 65_536;

/// How many types may be made of the TypeObjects of a peer.
pub const RAISED: usize = 4096;

/// How many types of a peer may refer to each other in a circle.
pub const COMPONENT: usize = 100;

/// How many types a walk may be inside of at once. This bounds the stack.
pub(crate) const WALK: usize = 256;

/// How many values a walk over a payload of so many bytes may visit. All but empty ones have a byte
/// of their own, and at most [`DEPTH`] types are around each.
pub(crate) const fn steps(bytes: usize) -> usize {
    bytes.saturating_mul(DEPTH).saturating_add(MEMBERS)
}
