//! Identifiers and TypeObjects as XCDR2.

use dunlin_cdr::Extensibility::Appendable;
use dunlin_cdr::{Buffer, Error, Writer};

use super::identifier::{PlainElement, TypeIdentifier};
use super::{EquivalenceKind, StronglyConnectedComponentId};

/// `EK_BOTH`.
const BOTH: u8 = 0xf3;
const STRONGLY_CONNECTED_COMPONENT: u8 = 0xb0;

/// `TI_STRING8_SMALL` and its kin; those with a large bound have one more.
const STRING8: u8 = 0x70;
const STRING16: u8 = 0x72;
const SEQUENCE: u8 = 0x80;
const ARRAY: u8 = 0x90;
const MAP: u8 = 0xa0;

pub(crate) type Out<'b> = Writer<Buffer<'b>>;
pub(crate) type Written = Result<(), Error>;

pub(crate) fn appendable(out: &mut Out<'_>, body: impl FnOnce(&mut Out<'_>) -> Written) -> Written {
    let scope = out.begin(Appendable);
    body(out)?;
    out.end(scope, Appendable)
}

/// A sequence whose elements are structures.
pub(crate) fn sequence<T>(
    out: &mut Out<'_>,
    items: impl ExactSizeIterator<Item = T>,
    mut body: impl FnMut(&mut Out<'_>, T) -> Written,
) -> Written {
    let scope = out.begin_collection(false);
    out.put_length(items.len())?;
    for item in items {
        body(out, item)?;
    }
    out.end_collection(scope)
}

pub(crate) fn string(out: &mut Out<'_>, text: &str) -> Written {
    out.put_length(text.len() + 1)?;
    out.put_slice(text.as_bytes());
    out.put([0]);
    Ok(())
}

/// The bytes of a TypeObject. They begin with their length, a number of 32 bits.
pub(crate) fn type_object(out: &mut Out<'_>, bytes: &[u8]) {
    let (length, body) = bytes.split_first_chunk().unwrap_or((&[0; 4], &[]));
    out.put_u32(u32::from_le_bytes(*length));
    out.put_slice(body);
}

pub(crate) fn identifier(out: &mut Out<'_>, of: &TypeIdentifier) -> Written {
    match of {
        TypeIdentifier::None => out.put([0]),
        TypeIdentifier::Primitive(kind) => out.put([kind.octet()]),
        TypeIdentifier::String8 { bound } => sized(out, STRING8, *bound, |_| ()),
        TypeIdentifier::String16 { bound } => sized(out, STRING16, *bound, |_| ()),
        TypeIdentifier::Sequence { element, bound } => {
            sized(out, SEQUENCE, *bound, |out| header(out, of, element));
            return identifier(out, &element.identifier);
        }
        TypeIdentifier::Array {
            element,
            dimensions,
        } => {
            array(out, of, element, dimensions)?;
            return identifier(out, &element.identifier);
        }
        TypeIdentifier::Map {
            key,
            element,
            bound,
        } => {
            sized(out, MAP, *bound, |out| header(out, of, element));
            identifier(out, &element.identifier)?;
            out.put_u16(key.flags);
            return identifier(out, &key.identifier);
        }
        TypeIdentifier::Component(of) => return component(out, of),
        TypeIdentifier::Hash(kind, hash) => {
            out.put([kind.octet()]);
            out.put_slice(&hash.0);
        }
    }
    Ok(())
}

/// What a bound up to 255 is written as one octet for.
fn sized(out: &mut Out<'_>, small: u8, bound: u32, between: impl FnOnce(&mut Out<'_>)) {
    match u8::try_from(bound) {
        Ok(bound) => {
            out.put([small]);
            between(out);
            out.put([bound]);
        }
        Err(_) => {
            out.put([small + 1]);
            between(out);
            out.put_u32(bound);
        }
    }
}

/// `PlainCollectionHeader`.
fn header(out: &mut Out<'_>, of: &TypeIdentifier, element: &PlainElement) {
    out.put([of.equivalence_kind().map_or(BOTH, EquivalenceKind::octet)]);
    out.put_u16(element.flags);
}

/// The bounds are octets only if all of them fit.
fn array(
    out: &mut Out<'_>,
    of: &TypeIdentifier,
    element: &PlainElement,
    dimensions: &[u32],
) -> Written {
    let is_small = dimensions.iter().all(|length| *length <= u8::MAX.into());
    out.put([ARRAY + u8::from(!is_small)]);
    header(out, of, element);
    out.put_length(dimensions.len())?;
    for length in dimensions {
        match u8::try_from(*length) {
            Ok(length) if is_small => out.put([length]),
            _ => out.put_u32(*length),
        }
    }
    Ok(())
}

/// It is the only part of an identifier that is appendable.
fn component(out: &mut Out<'_>, of: &StronglyConnectedComponentId) -> Written {
    out.put([STRONGLY_CONNECTED_COMPONENT]);
    appendable(out, |out| {
        out.put([of.kind.octet()]);
        out.put_slice(&of.hash.0);
        out.put_u32(of.length.cast_unsigned());
        out.put_u32(of.index.cast_unsigned());
        Ok(())
    })
}
