//! What a type is known by.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Writer, Xcdr};
use md5::{Digest, Md5};

use super::write;
use crate::TypeKind;

/// Which of two TypeObjects of a type is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EquivalenceKind {
    /// `EK_MINIMAL`: what decides whether types are assignable. Names are hashes.
    Minimal,
    /// `EK_COMPLETE`: with names and annotations.
    Complete,
}

impl EquivalenceKind {
    /// Its number: `EK_MINIMAL`, `EK_COMPLETE`.
    pub const fn octet(self) -> u8 {
        match self {
            Self::Minimal => 0xf1,
            Self::Complete => 0xf2,
        }
    }
}

/// The first 14 bytes of the MD5 of a TypeObject.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EquivalenceHash(pub [u8; 14]);

impl EquivalenceHash {
    /// Of the bytes of a TypeObject, or of a sequence of TypeObjects that refer to each other.
    pub fn of(bytes: &[u8]) -> Self {
        let hash: [u8; 16] = Md5::digest(bytes).into();
        let [first @ .., _, _] = hash;
        Self(first)
    }
}

impl fmt::Display for EquivalenceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.0.iter();
        bytes.try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EquivalenceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One of several types that refer to each other (DDS-XTypes 1.3 7.3.4.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StronglyConnectedComponentId {
    /// Which TypeObjects were hashed.
    pub kind: EquivalenceKind,
    /// Of the sequence of their TypeObjects.
    pub hash: EquivalenceHash,
    /// How many types they are.
    pub length: i32,
    /// Which of them it is, from 1, in the order of their names.
    pub index: i32,
}

/// What a collection is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlainElement {
    /// `CollectionElementFlag`: how to construct the element, and whether it is external.
    pub flags: u16,
    /// Its type.
    pub identifier: Box<TypeIdentifier>,
}

/// What a type is known by (DDS-XTypes 1.3 7.3.4.2). Identifiers of equal types are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeIdentifier {
    /// `TK_NONE`: there is no type.
    None,
    /// A primitive type.
    Primitive(TypeKind),
    /// A string of 8-bit characters.
    String8 {
        /// Its most bytes; 0 is no bound.
        bound: u32,
    },
    /// A string of 16-bit characters.
    String16 {
        /// Its most characters; 0 is no bound.
        bound: u32,
    },
    /// A sequence.
    Sequence {
        /// What it is of.
        element: PlainElement,
        /// Its most elements; 0 is no bound.
        bound: u32,
    },
    /// An array.
    Array {
        /// What it is of.
        element: PlainElement,
        /// Its dimensions.
        dimensions: Box<[u32]>,
    },
    /// A map.
    Map {
        /// What its keys are.
        key: PlainElement,
        /// What its values are.
        element: PlainElement,
        /// Its most entries; 0 is no bound.
        bound: u32,
    },
    /// One of several types that refer to each other, or one that refers to itself.
    Component(StronglyConnectedComponentId),
    /// By the hash of its TypeObject.
    Hash(EquivalenceKind, EquivalenceHash),
}

impl TypeIdentifier {
    /// Whether minimal or complete TypeObjects are behind it; `None` if none are, so it is the same
    /// for both (`EK_BOTH`).
    pub fn equivalence_kind(&self) -> Option<EquivalenceKind> {
        match self {
            Self::None | Self::Primitive(_) | Self::String8 { .. } | Self::String16 { .. } => None,
            Self::Sequence { element, .. } | Self::Array { element, .. } => {
                element.identifier.equivalence_kind()
            }
            Self::Map { key, element, .. } => {
                let of = element.identifier.equivalence_kind();
                of.or_else(|| key.identifier.equivalence_kind())
            }
            Self::Component(of) => Some(of.kind),
            Self::Hash(kind, _) => Some(*kind),
        }
    }

    /// Whether a TypeObject has this identifier.
    pub fn has_type_object(&self) -> bool {
        matches!(self, Self::Component(_) | Self::Hash(..))
    }

    /// Its bytes: XCDR2 without encapsulation header.
    pub fn to_bytes(&self, endianness: Endianness) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        let mut out = Writer::new(&mut bytes, Xcdr::V2, endianness);
        let written = write::identifier(&mut out, self);
        out.finish();
        // Only 4 GiB of dimensions are too long.
        written.map_or_else(|_| Vec::new(), |()| bytes.into())
    }

    /// Itself and the identifiers within it.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Sequence { element, .. } | Self::Array { element, .. } => {
                1 + element.identifier.parts()
            }
            Self::Map { key, element, .. } => {
                1 + key.identifier.parts() + element.identifier.parts()
            }
            _ => 1,
        }
    }
}
