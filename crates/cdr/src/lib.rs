//! CDR, the encoding of DDS samples: XCDR1 and XCDR2 (DDS-XTypes 1.3 7.4) in both byte orders, with
//! the encapsulation header that RTPS puts in front (RTPS 2.5 10.5).
//!
//! A type gets its encoding by `#[derive(Topic)]`, or by `#[derive(Data)]` if it only occurs inside
//! others:
//!
//! ```
//! use bytes::{Bytes, BytesMut};
//! use dunlin_cdr::{Xcdr, from_payload_bytes, key_hash, serialized_size, to_payload};
//! use dunlin_derive::{Data, Topic};
//!
//! #[derive(Data, Debug, Clone, Copy, PartialEq)]
//! #[topic(crate = "dunlin_cdr")] // users of the crate `dunlin` leave this out
//! enum Quality {
//!     Good,
//!     Doubtful = 5,
//! }
//!
//! #[derive(Data, Debug, PartialEq)]
//! #[topic(crate = "dunlin_cdr", discriminator = "u8")]
//! enum Reading {
//!     #[topic(case = 1)]
//!     Temperature(f32),
//!     #[topic(case = 2)]
//!     Words(Vec<String>),
//!     #[topic(default, case = 0)]
//!     Nothing,
//! }
//!
//! #[derive(Topic, Debug, PartialEq)]
//! #[topic(crate = "dunlin_cdr", name = "plant::Sensor", extensibility = "mutable")]
//! struct Sensor {
//!     #[key]
//!     #[topic(bound = 16)]
//!     site: String,
//!     #[key]
//!     number: u32,
//!     quality: Quality,
//!     #[topic(id = 17)]
//!     reading: Reading,
//!     remark: Option<String>,
//!     position: [f64; 3],
//!     raw: Bytes,
//! }
//!
//! # fn main() -> Result<(), dunlin_cdr::Error> {
//! let sensor = Sensor {
//!     site: "north".into(),
//!     number: 7,
//!     quality: Quality::Doubtful,
//!     reading: Reading::Temperature(21.5),
//!     remark: None,
//!     position: [1.0, 2.0, 3.0],
//!     raw: Bytes::from_static(b"\x01\x02"),
//! };
//! let mut payload = BytesMut::with_capacity(serialized_size(&sensor, Xcdr::V2));
//! to_payload(&sensor, Xcdr::V2, &mut payload)?;
//! assert_eq!(payload.len(), serialized_size(&sensor, Xcdr::V2));
//! assert_eq!(from_payload_bytes::<Sensor>(&payload.freeze())?, sensor);
//! assert_ne!(key_hash(&sensor)?, [0; 16]);
//! # Ok(())
//! # }
//! ```
//!
//! | IDL | Rust |
//! |---|---|
//! | `int8` ... `uint64`, `float`, `double`, `boolean` | `i8` ... `u64`, `f32`, `f64`, `bool` |
//! | `octet` | `u8`, with `#[topic(octet)]` |
//! | `long double` | [`Float128`] |
//! | `char`, `wchar` | [`Char8`], [`Char16`] |
//! | `string`, `string<N>` | `String`, with `#[topic(bound = N)]` |
//! | `wstring`, `wstring<N>` | [`String16`], with `#[topic(bound = N)]` |
//! | `sequence<T>`, `sequence<T, N>` | `Vec<T>`, with `#[topic(bound = N)]` |
//! | `sequence<octet>` without copying | `bytes::Bytes` |
//! | `T x[N]`, `T x[N][M]` | `[T; N]`, `[[T; M]; N]` |
//! | `map<K, V>` | `BTreeMap<K, V>` |
//! | `@optional T`, `@external T` | `Option<T>`, `Box<T>` |
//! | `enum` | an `enum` without data |
//! | `union` | an `enum` whose variants have one value or none |
//! | `struct` | a `struct` |
//! | `bitmask`, `bitset` | a `struct` around an unsigned integer |
//!
//! Reading is safe for any input: lengths are checked against what is there before memory is
//! reserved, what is allocated stays in proportion to the payload ([`Topic::EXPANSION`]), nesting
//! is limited to [`MAX_DEPTH`], and each fault is an [`Error`].

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod collection;
mod constant;
mod description;
mod elements;
mod error;
mod fit;
mod float128;
mod layout;
mod loaned;
mod payload;
mod place;
mod plain;
mod primitive;
mod range;
mod reader;
mod representation;
mod row;
mod run;
mod sink;
mod string16;
mod traits;
mod walk;
mod writer;

/// What plain types are to the compiler; `#[topic(plain)]` needs it.
pub use bytemuck;
/// What `sequence<octet>` is in generated code.
pub use bytes::Bytes;
pub use constant::{Annotated, Constant};
pub use description::{
    AliasDescriptor, AnnotationsDescriptor, BitfieldDescriptor, BitmaskType, BitsetType,
    CaseDescriptor, Describe, Discriminator, ElementDescriptor, EnumeratedLiteral, EnumerationType,
    FlagDescriptor, MemberDescriptor, StructureType, TryConstruct, Type, UnionType, begins_with,
};
pub use elements::{Collection, Keyed};
pub use error::Error;
pub use float128::Float128;
pub use layout::{Bounded, Layout, MAX_DEPTH, Member};
pub use loaned::{from_payload_around, longest_octets};
pub use payload::{
    Extent, KEY_HASH_SIZE, KeyForm, extent, from_payload, from_payload_bytes, key_from_payload,
    key_hash, key_max_size, key_to_payload, key_to_payload_as, key_to_payload_in, reader_of,
    serialized_size, to_payload, to_payload_as, to_payload_loaned,
};
pub use place::faulty_member;
pub use plain::{Plain, PlainLayout, hash_member, hash_struct, plain_at, plain_to_payload};
pub use primitive::{Char8, Char16};
pub use range::{NumberKind, Ranged, ValueRange, check_range};
pub use reader::{ReadMember, ReadScope, Reader};
pub use representation::{Endianness, Extensibility, HEADER_SIZE, Representation, Xcdr};
pub use row::Row;
pub use run::{Number, Run, number};
pub use sink::{Buffer, Counter, LoanedPart, Sink, Step};
pub use string16::String16;
pub use traits::{Deserialize, Serialize, Topic};
pub use walk::ReadOptional;
pub use writer::{Scope, Writer};
