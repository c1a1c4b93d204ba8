//! What a complete TypeObject says.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility::{self, Appendable, Final};
use dunlin_cdr::{Deserialize, Endianness, Error, Reader, Xcdr};

use super::RaiseError;
use crate::object::identifier::{EquivalenceKind, PlainElement, TypeIdentifier};
use crate::object::read;
use crate::tree::PRIMITIVES;
use crate::{Annotations, Constant, TypeKind};

type In<'o> = Reader<'o>;

pub(super) struct Named<T> {
    pub(super) name: String,
    pub(super) of: T,
}

pub(super) enum Body {
    Alias(Named<Alias>),
    Enumeration(Named<Enumeration>),
    Bitmask(Named<Bitmask>),
    Bitset(Named<Vec<(String, u16, u8, TypeKind)>>),
    Structure(Named<Structure>),
    Union(Named<Union>),
    Sequence {
        element: PlainElement,
        bound: u32,
    },
    Array {
        element: PlainElement,
        dimensions: Box<[u32]>,
    },
    Map {
        key: PlainElement,
        element: PlainElement,
        bound: u32,
    },
}

pub(super) struct Alias {
    pub(super) related: TypeIdentifier,
    pub(super) annotations: Annotations,
}

pub(super) struct Enumeration {
    /// `None`: there is no flag for it.
    pub(super) extensibility: Option<Extensibility>,
    pub(super) bit_bound: u16,
    /// Name, value, and whether it is the default.
    pub(super) literals: Vec<(String, i32, bool)>,
}

pub(super) struct Bitmask {
    /// `None`: there is no flag for it.
    pub(super) extensibility: Option<Extensibility>,
    pub(super) bit_bound: u16,
    pub(super) flags: Vec<(String, u16)>,
}

pub(super) struct Structure {
    pub(super) flags: u16,
    pub(super) base: TypeIdentifier,
    pub(super) members: Vec<Member>,
}

pub(super) struct Member {
    pub(super) id: u32,
    pub(super) flags: u16,
    pub(super) ty: TypeIdentifier,
    pub(super) name: String,
    pub(super) annotations: Annotations,
}

pub(super) struct Union {
    pub(super) flags: u16,
    pub(super) discriminator: (u16, TypeIdentifier),
    pub(super) cases: Vec<Case>,
}

pub(super) struct Case {
    pub(super) member: Member,
    pub(super) labels: Vec<u32>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Body, RaiseError> {
    let mut r = Reader::new(bytes, Xcdr::V2, Endianness::Little);
    let r = &mut r;
    let object = r.begin(Appendable)?;
    let [equivalence, kind] = [r.take::<1>()?, r.take::<1>()?].map(|[octet]| octet);
    if equivalence != EquivalenceKind::Complete.octet() {
        return Err(RaiseError::Minimal);
    }
    let kinds = [
        TypeKind::Alias,
        TypeKind::Enumeration,
        TypeKind::Bitmask,
        TypeKind::Bitset,
        TypeKind::Structure,
        TypeKind::Union,
    ];
    let body = match (kinds.into_iter().find(|of| of.octet() == kind), kind) {
        (Some(TypeKind::Alias), _) => alias(r)?,
        (Some(TypeKind::Enumeration), _) => enumeration(r)?,
        (Some(TypeKind::Bitmask), _) => appendable(r, bitmask)?,
        (Some(TypeKind::Bitset), _) => appendable(r, bitset)?,
        (Some(TypeKind::Structure), _) => structure(r)?,
        (Some(TypeKind::Union), _) => union(r)?,
        (_, SEQUENCE) => {
            r.take_u16()?;
            Body::Sequence {
                bound: collection_header(r)?,
                element: element(r)?,
            }
        }
        (_, ARRAY) => appendable(r, |r| {
            r.take_u16()?;
            // All bounds have 32 bits here.
            let dimensions = appendable(r, |r| read::dimensions(r, 1))?;
            Ok(Body::Array {
                dimensions,
                element: element(r)?,
            })
        })?,
        (_, MAP) => {
            r.take_u16()?;
            Body::Map {
                bound: collection_header(r)?,
                key: element(r)?,
                element: element(r)?,
            }
        }
        _ => return Err(RaiseError::Kind(kind)),
    };
    r.end(object);
    Ok(body)
}

/// `TK_SEQUENCE`, `TK_ARRAY`, `TK_MAP`.
const SEQUENCE: u8 = 0x60;
const ARRAY: u8 = 0x61;
const MAP: u8 = 0x62;

fn appendable<'o, T>(
    r: &mut In<'o>,
    body: impl FnOnce(&mut In<'o>) -> Result<T, Error>,
) -> Result<T, Error> {
    let scope = r.begin(Appendable)?;
    let value = body(r)?;
    r.end(scope);
    Ok(value)
}

/// A sequence of appendable structures.
fn sequence<'o, T>(
    r: &mut In<'o>,
    mut item: impl FnMut(&mut In<'o>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let scope = r.begin_collection(false)?;
    let count = r.take_length()?;
    let mut items = Vec::new();
    // Each has a length of 4 bytes at least, so the bytes end a wrong count.
    for _ in 0..count {
        items.push(appendable(r, &mut item)?);
    }
    r.end(scope);
    Ok(items)
}

fn optional<'o, T>(
    r: &mut In<'o>,
    value: impl FnOnce(&mut In<'o>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    match r.take()? {
        [0] => Ok(None),
        [1] => value(r).map(Some),
        [other] => Err(Error::InvalidBool(other)),
    }
}

/// What is of no interest, and has its length in front.
fn skipped(r: &mut In<'_>) -> Result<(), Error> {
    appendable(r, |_| Ok(()))
}

/// `CompleteTypeDetail`: the name.
fn type_detail(r: &mut In<'_>) -> Result<String, Error> {
    optional(r, skipped)?;
    optional(r, skipped)?;
    String::deserialize(r)
}

fn member_detail(r: &mut In<'_>) -> Result<(String, Annotations), Error> {
    Ok((String::deserialize(r)?, annotations(r)?))
}

/// The built-in ones; others are passed over.
fn annotations(r: &mut In<'_>) -> Result<Annotations, Error> {
    let builtin = optional(r, |r| {
        appendable(r, |r| {
            Ok(Annotations {
                default: None,
                unit: optional(r, String::deserialize)?.map(Into::into),
                min: optional(r, constant)?,
                max: optional(r, constant)?,
                hash_id: optional(r, String::deserialize)?.map(Into::into),
            })
        })
    })?;
    optional(r, skipped)?;
    Ok(builtin.unwrap_or_default())
}

/// `AnnotationParameterValue`.
fn constant(r: &mut In<'_>) -> Result<Constant, Error> {
    let [octet] = r.take()?;
    let primitive = PRIMITIVES.iter().find(|kind| kind.octet() == octet);
    Ok(match (primitive, octet) {
        (Some(TypeKind::Boolean), _) => match r.take()? {
            [0] => Constant::Boolean(false),
            [1] => Constant::Boolean(true),
            [other] => return Err(Error::InvalidBool(other)),
        },
        (Some(TypeKind::Byte | TypeKind::UInt8), _) => {
            Constant::Integer(r.take().map(|[octet]| octet)?.into())
        }
        (Some(TypeKind::Int8), _) => Constant::Integer(r.take().map(i8::from_le_bytes)?.into()),
        (Some(TypeKind::Int16), _) => Constant::Integer(r.take_u16()?.cast_signed().into()),
        (Some(TypeKind::UInt16), _) => Constant::Integer(r.take_u16()?.into()),
        (Some(TypeKind::Int32), _) => Constant::Integer(r.take_u32()?.cast_signed().into()),
        (Some(TypeKind::UInt32), _) => Constant::Integer(r.take_u32()?.into()),
        (Some(TypeKind::Int64), _) => Constant::Integer(r.take_u64()?.cast_signed().into()),
        (Some(TypeKind::UInt64), _) => Constant::Integer(r.take_u64()?.into()),
        (Some(TypeKind::Float32), _) => Constant::Float(f32::from_bits(r.take_u32()?).into()),
        (Some(TypeKind::Float64), _) => Constant::Float(f64::from_bits(r.take_u64()?)),
        (Some(TypeKind::Float128), _) => {
            r.align(4);
            let bytes = r.take_slice(16)?;
            Constant::Float128(bytes.try_into().unwrap_or_default())
        }
        (Some(TypeKind::Char8), _) => Constant::Char8(r.take().map(|[octet]| octet)?),
        (Some(TypeKind::Char16), _) => Constant::Char16(r.take_u16()?),
        (_, 0x40) => Constant::Integer(r.take_u32()?.cast_signed().into()),
        (_, 0x20) => Constant::String8(String::deserialize(r)?.into()),
        (_, 0x21) => {
            let length = r.take_length()?;
            let (units, _) = r.take_slice(length)?.as_chunks();
            let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
            let text = char::decode_utf16(units).collect::<Result<String, _>>();
            Constant::String16(text.map_err(|_| Error::NotUtf8)?.into())
        }
        _ => return Err(Error::UnknownCase),
    })
}

fn alias(r: &mut In<'_>) -> Result<Body, Error> {
    r.take_u16()?;
    let name = appendable(r, type_detail)?;
    let of = appendable(r, |r| {
        r.take_u16()?;
        Ok(Alias {
            related: read::identifier(r)?,
            annotations: annotations(r)?,
        })
    })?;
    Ok(Body::Alias(Named { name, of }))
}

/// Some products set no flag.
fn bits_extensibility(flags: u16) -> Option<Extensibility> {
    match flags & 0x03 {
        0 => None,
        flags if flags & 0x01 != 0 => Some(Final),
        _ => Some(Appendable),
    }
}

fn bits_header(r: &mut In<'_>) -> Result<(u16, String), Error> {
    appendable(r, |r| Ok((r.take_u16()?, type_detail(r)?)))
}

fn enumeration(r: &mut In<'_>) -> Result<Body, Error> {
    let extensibility = bits_extensibility(r.take_u16()?);
    let (bit_bound, name) = bits_header(r)?;
    let literals = sequence(r, |r| {
        let (value, flags) = appendable(r, |r| Ok((r.take_u32()?, r.take_u16()?)))?;
        let (name, _) = member_detail(r)?;
        Ok((name, value.cast_signed(), flags & 0x40 != 0))
    })?;
    let of = Enumeration {
        extensibility,
        bit_bound,
        literals,
    };
    Ok(Body::Enumeration(Named { name, of }))
}

fn bitmask(r: &mut In<'_>) -> Result<Body, Error> {
    let extensibility = bits_extensibility(r.take_u16()?);
    let (bit_bound, name) = bits_header(r)?;
    let flags = sequence(r, |r| {
        let position = r.take_u16()?;
        r.take_u16()?;
        Ok((member_detail(r)?.0, position))
    })?;
    let of = Bitmask {
        extensibility,
        bit_bound,
        flags,
    };
    Ok(Body::Bitmask(Named { name, of }))
}

fn bitset(r: &mut In<'_>) -> Result<Body, Error> {
    r.take_u16()?;
    let name = appendable(r, type_detail)?;
    let of = sequence(r, |r| {
        let position = r.take_u16()?;
        r.take_u16()?;
        let ([size], [holder]) = (r.take()?, r.take()?);
        let mut kinds = PRIMITIVES.iter().copied();
        let holder = kinds.find(|kind| kind.octet() == holder);
        let holder = holder.ok_or(Error::UnknownCase)?;
        Ok((member_detail(r)?.0, position, size, holder))
    })?;
    Ok(Body::Bitset(Named { name, of }))
}

fn structure(r: &mut In<'_>) -> Result<Body, Error> {
    let flags = r.take_u16()?;
    let (base, name) = appendable(r, |r| Ok((read::identifier(r)?, type_detail(r)?)))?;
    let members = sequence(r, |r| {
        let (id, flags) = (r.take_u32()?, r.take_u16()?);
        let ty = read::identifier(r)?;
        member(r, id, flags, ty)
    })?;
    let of = Structure {
        flags,
        base,
        members,
    };
    Ok(Body::Structure(Named { name, of }))
}

fn member(r: &mut In<'_>, id: u32, flags: u16, ty: TypeIdentifier) -> Result<Member, Error> {
    let (name, annotations) = member_detail(r)?;
    Ok(Member {
        id,
        flags,
        ty,
        name,
        annotations,
    })
}

fn union(r: &mut In<'_>) -> Result<Body, Error> {
    let flags = r.take_u16()?;
    let name = appendable(r, type_detail)?;
    let discriminator = appendable(r, |r| Ok((r.take_u16()?, read::identifier(r)?)))?;
    let cases = sequence(r, |r| {
        let (id, flags) = (r.take_u32()?, r.take_u16()?);
        let ty = read::identifier(r)?;
        let mut labels = Vec::new();
        for _ in 0..r.take_length()? {
            labels.push(r.take_u32()?);
        }
        let member = member(r, id, flags, ty)?;
        Ok(Case { member, labels })
    })?;
    let of = Union {
        flags,
        discriminator,
        cases,
    };
    Ok(Body::Union(Named { name, of }))
}

fn collection_header(r: &mut In<'_>) -> Result<u32, Error> {
    appendable(r, |r| r.take_u32())
}

fn element(r: &mut In<'_>) -> Result<PlainElement, Error> {
    appendable(r, |r| {
        let flags = r.take_u16()?;
        let identifier = Box::new(read::identifier(r)?);
        Ok(PlainElement { flags, identifier })
    })
}
