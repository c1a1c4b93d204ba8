//! Types at run time (DDS-XTypes 1.3): what a type is as a tree of nodes, and payloads by their
//! type.
//!
//! A type is built, or comes from a Rust type with `#[derive(Topic)]`; then payloads of it can be
//! validated, members found in them, and keys taken out of them, without code that was compiled for
//! the type:
//!
//! ```
//! use dunlin_cdr::Extensibility;
//! use dunlin_xtypes::{KeyPlan, MemberPath, TypeIndex, TypeTreeBuilder, Value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut types = TypeTreeBuilder::new();
//! let color = types.string(128);
//! let point = types
//!     .structure("Point", Extensibility::Final)
//!     .member("x", TypeIndex::INT32)
//!     .member("y", TypeIndex::INT32)
//!     .finish();
//! let corners = types.sequence(point, 0);
//! let shape = types
//!     .structure("ShapeType", Extensibility::Appendable)
//!     .member("color", color)
//!     .key()
//!     .member("corners", corners)
//!     .finish();
//! let shape = types.build(shape)?;
//!
//! // XCDR1, little endian: "RED", and two corners.
//! let payload = [
//!     0, 1, 0, 0, 4, 0, 0, 0, b'R', b'E', b'D', 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0,
//!     0, 0,
//! ];
//! shape.validate(&payload)?;
//!
//! let y = MemberPath::new(&shape, "corners[1].y")?;
//! let found = y.locate(&payload)?.map(|found| found.value());
//! assert_eq!(found, Some(Some(Value::Signed(4))));
//!
//! let key = KeyPlan::new(&shape);
//! assert_ne!(key.key_hash(&payload)?, [0; 16]);
//! # Ok(())
//! # }
//! ```
//!
//! | question | answer |
//! |---|---|
//! | what is the type? | [`DynamicType`]: a tree that is shared, and a place in it |
//! | is it a type at all? | [`TypeTreeBuilder::build`] checks once; then nothing that walks it can run in circles |
//! | what is the type of this Rust struct? | [`DynamicType::of`] |
//! | where does this value end? | [`DynamicType::skip`] |
//! | is this payload of the type? | [`DynamicType::validate`] |
//! | where is this member, and what is its value? | [`MemberPath`] |
//! | which instance is it? | [`KeyPlan`] |
//! | what is it in another representation? | [`Converter`] |
//! | what is it as a sample of another type? | [`Mapping`] |
//! | are these two types the same? | [`DynamicType::digest`] |
//! | what do other products call it? | [`DynamicType::type_identifier`], [`DynamicType::type_information`] |
//! | how do other products see it? | [`DynamicType::type_object`] |
//! | what do participants ask each other for? | [`lookup`] |
//!
//! All of it is for payloads that come from strangers. Nothing is reserved for a length before its
//! elements are there; nesting is bounded ([`limits`]), and so is the number of values that are
//! visited, in proportion to the bytes. Walks do not allocate.

#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

extern crate alloc;

mod annotations;
pub mod assign;
mod build;
mod convert;
mod describe;
mod digest;
mod dynamic_type;
mod error;
mod fixed;
mod key;
mod kind;
pub mod limits;
pub mod lookup;
mod mapping;
mod object;
mod output;
mod path;
mod payload;
mod skip;
mod text;
mod transcode;
mod tree;

pub use annotations::{Annotations, Constant};
pub use build::{AutoId, StructureBuilder, TypeTreeBuilder, UnionBuilder, hash_id};
pub use convert::Converter;
pub use dynamic_type::DynamicType;
pub use error::{BuildError, PathError, ValueError};
pub use key::KeyPlan;
pub use kind::TypeKind;
pub use mapping::{Assignment, Mapping, MappingError, Origin};
pub use object::{
    EquivalenceHash, EquivalenceKind, LocalType, PlainElement, RaiseError,
    StronglyConnectedComponentId, TypeIdentifier, TypeIdentifierWithDependencies,
    TypeIdentifierWithSize, TypeInformation, TypeObjectError, TypeObjects,
};
pub use path::{Located, MemberPath, Value};
pub use text::idl;
pub use tree::{Bitfield, Case, Element, Flag, Literal, Member, TryConstruct, TypeIndex, TypeTree};
