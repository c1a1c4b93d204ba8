//! Identifiers and what endpoints announce, as they come from peers.

use alloc::boxed::Box;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility::{Appendable, Mutable};
use dunlin_cdr::{Endianness, Error, Reader, Xcdr};

use super::identifier::{
    EquivalenceHash, EquivalenceKind, PlainElement, StronglyConnectedComponentId, TypeIdentifier,
};
use super::information::{
    COMPLETE, MINIMAL, TypeIdentifierWithDependencies, TypeIdentifierWithSize, TypeInformation,
};
use crate::limits;
use crate::tree::PRIMITIVES;

impl TypeIdentifier {
    /// From its bytes: XCDR2 without encapsulation header.
    ///
    /// # Errors
    /// What is wrong with the bytes; [`Error::UnknownCase`] for a kind of identifier that
    /// DDS-XTypes 1.3 does not have, [`Error::TooDeep`] for more than
    /// [`IDENTIFIER_PARTS`](limits::IDENTIFIER_PARTS).
    pub fn from_bytes(bytes: &[u8], endianness: Endianness) -> Result<Self, Error> {
        identifier(&mut Reader::new(bytes, Xcdr::V2, endianness))
    }
}

impl TypeInformation {
    /// From its bytes, as they are in `PID_TYPE_INFORMATION`: XCDR2 without encapsulation header,
    /// in the byte order of the parameter list. A half that is missing is
    /// [`TypeIdentifier::None`].
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8], endianness: Endianness) -> Result<Self, Error> {
        let mut r = Reader::new(bytes, Xcdr::V2, endianness);
        let mut information = Self {
            minimal: TypeIdentifierWithDependencies::none(),
            complete: TypeIdentifierWithDependencies::none(),
        };
        let scope = r.begin(Mutable)?;
        while let Some(member) = r.next_member()? {
            match member.id() {
                MINIMAL => information.minimal = with_dependencies(&mut r)?,
                COMPLETE => information.complete = with_dependencies(&mut r)?,
                _ => {}
            }
            r.end_member(member);
        }
        r.end(scope);
        Ok(information)
    }
}

fn with_dependencies(r: &mut Reader<'_>) -> Result<TypeIdentifierWithDependencies, Error> {
    let scope = r.begin(Appendable)?;
    let typeid_with_size = with_size(r)?;
    let dependent_typeid_count = r.take_u32()?.cast_signed();
    let list = r.begin_collection(false)?;
    let count = r.take_length()?;
    let mut dependent_typeids = Vec::new();
    for _ in 0..count.min(limits::DEPENDENCIES) {
        dependent_typeids.push(with_size(r)?);
    }
    r.end(list);
    r.end(scope);
    Ok(TypeIdentifierWithDependencies {
        typeid_with_size,
        dependent_typeid_count,
        dependent_typeids,
    })
}

pub(crate) fn with_size(r: &mut Reader<'_>) -> Result<TypeIdentifierWithSize, Error> {
    let scope = r.begin(Appendable)?;
    let of = TypeIdentifierWithSize {
        type_id: identifier(r)?,
        typeobject_serialized_size: r.take_u32()?,
    };
    r.end(scope);
    Ok(of)
}

/// The bytes of a TypeObject, its length included.
pub(crate) fn type_object<'o>(r: &mut Reader<'o>) -> Result<&'o [u8], Error> {
    r.align(4);
    let length = r.clone().take_length()?;
    r.take_slice(length.saturating_add(4))
}

pub(crate) fn identifier(r: &mut Reader<'_>) -> Result<TypeIdentifier, Error> {
    let mut parts = limits::IDENTIFIER_PARTS;
    part(r, &mut parts)
}

fn part(r: &mut Reader<'_>, parts: &mut usize) -> Result<TypeIdentifier, Error> {
    *parts = parts.checked_sub(1).ok_or(Error::TooDeep)?;
    let [kind] = r.take()?;
    Ok(match kind {
        0 => TypeIdentifier::None,
        0x70 | 0x71 => TypeIdentifier::String8 {
            bound: bound(r, kind)?,
        },
        0x72 | 0x73 => TypeIdentifier::String16 {
            bound: bound(r, kind)?,
        },
        0x80 | 0x81 => {
            let flags = header(r)?;
            TypeIdentifier::Sequence {
                bound: bound(r, kind)?,
                element: element(r, flags, parts)?,
            }
        }
        0x90 | 0x91 => {
            let flags = header(r)?;
            TypeIdentifier::Array {
                dimensions: dimensions(r, kind)?,
                element: element(r, flags, parts)?,
            }
        }
        0xa0 | 0xa1 => {
            let flags = header(r)?;
            let bound = bound(r, kind)?;
            let values = element(r, flags, parts)?;
            let key_flags = r.take_u16()?;
            TypeIdentifier::Map {
                key: element(r, key_flags, parts)?,
                element: values,
                bound,
            }
        }
        0xb0 => {
            let scope = r.begin(Appendable)?;
            let [kind] = r.take()?;
            let of = StronglyConnectedComponentId {
                kind: equivalence_kind(kind)?,
                hash: hash(r)?,
                length: r.take_u32()?.cast_signed(),
                index: r.take_u32()?.cast_signed(),
            };
            r.end(scope);
            TypeIdentifier::Component(of)
        }
        0xf1 | 0xf2 => TypeIdentifier::Hash(equivalence_kind(kind)?, hash(r)?),
        _ => {
            let mut primitives = PRIMITIVES.iter().copied();
            let primitive = primitives.find(|primitive| primitive.octet() == kind);
            TypeIdentifier::Primitive(primitive.ok_or(Error::UnknownCase)?)
        }
    })
}

fn equivalence_kind(octet: u8) -> Result<EquivalenceKind, Error> {
    [EquivalenceKind::Minimal, EquivalenceKind::Complete]
        .into_iter()
        .find(|kind| kind.octet() == octet)
        .ok_or(Error::UnknownCase)
}

fn hash(r: &mut Reader<'_>) -> Result<EquivalenceHash, Error> {
    let bytes = r.take_slice(14)?;
    Ok(EquivalenceHash(bytes.try_into().unwrap_or_default()))
}

/// Kinds with a large bound are odd.
fn bound(r: &mut Reader<'_>, kind: u8) -> Result<u32, Error> {
    match kind & 1 {
        0 => r.take().map(|[bound]| bound.into()),
        _ => r.take_u32(),
    }
}

pub(super) fn dimensions(r: &mut Reader<'_>, kind: u8) -> Result<Box<[u32]>, Error> {
    let count = r.take_length()?;
    if count > limits::DIMENSIONS {
        return Err(Error::BoundExceeded {
            length: count,
            bound: limits::DIMENSIONS,
        });
    }
    (0..count).map(|_| bound(r, kind)).collect()
}

/// The flags of the element. What kind it is comes from the identifier of the element.
fn header(r: &mut Reader<'_>) -> Result<u16, Error> {
    let [_] = r.take()?;
    r.take_u16()
}

fn element(r: &mut Reader<'_>, flags: u16, parts: &mut usize) -> Result<PlainElement, Error> {
    Ok(PlainElement {
        flags,
        identifier: Box::new(r.nested(|r| part(r, parts))?),
    })
}
