//! What requests and replies have in common.

use alloc::vec::Vec;

use bytes::{Bytes, BytesMut};
use dunlin_cdr::Extensibility::{Appendable, Mutable};
use dunlin_cdr::{Endianness, Error, Reader, Writer, Xcdr};

use crate::object::write::{self, Out, Written};

/// Encapsulation header of PLAIN_CDR2, little endian.
const HEADER: [u8; 4] = [0, 7, 0, 0];
/// In an EMHEADER: the length is behind it.
const LENGTH_CODE_4: u32 = 4 << 28;

/// `TypeLookup_getTypes_HashId`.
pub(super) const GET_TYPES: u32 = 0x0182_52d3;
/// `TypeLookup_getDependencies_HashId`.
pub(super) const GET_DEPENDENCIES: u32 = 0x05aa_fb31;

/// Member ids: hashes of the names.
pub(super) const TYPE_IDS: u32 = 0x0c53_6065;
pub(super) const TYPES: u32 = 0x0280_4ad1;
pub(super) const COMPLETE_TO_MINIMAL: u32 = 0x0b8e_6577;
pub(super) const DEPENDENT_TYPEIDS: u32 = 0x0ba4_dfc9;
pub(super) const CONTINUATION_POINT: u32 = 0x0508_e3d2;

/// Why a payload is no message of the TypeLookup service that is answered or believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The payload is damaged.
    #[error("a message of the TypeLookup service is damaged: {0}")]
    Damaged(#[from] Error),
    /// It is not in the representation that the service has.
    #[error(
        "a message of the TypeLookup service has the representation {0:#06x}; the standard's is 0x0007, PLAIN_CDR2 little endian"
    )]
    Representation(u16),
    /// It has more than is read.
    #[error("a message of the TypeLookup service has {found} {what}, at most {most} are read")]
    #[allow(missing_docs, reason = "the text says what the fields are")]
    Limit {
        what: &'static str,
        found: usize,
        most: usize,
    },
}

/// Which request a reply is for (DDS-RPC 1.0 7.5.1.1.1): the GUID of the writer of the request, and
/// a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampleIdentity {
    /// The GUID.
    pub writer: [u8; 16],
    /// The number.
    pub sequence: i64,
}

pub(super) fn limit(what: &'static str, found: usize, most: usize) -> Result<(), MessageError> {
    match found <= most {
        true => Ok(()),
        false => Err(MessageError::Limit { what, found, most }),
    }
}

/// A reader of what is behind the encapsulation header.
pub(super) fn open(payload: &[u8], most: usize) -> Result<Reader<'_>, MessageError> {
    limit("bytes", payload.len(), most)?;
    let Some((header, body)) = payload.split_first_chunk::<4>() else {
        return Err(MessageError::Damaged(Error::Truncated {
            wanted: HEADER.len(),
            left: payload.len(),
        }));
    };
    let [high, low, ..] = *header;
    match [high, low] == [0, 7] {
        true => Ok(Reader::new(body, Xcdr::V2, Endianness::Little)),
        false => Err(MessageError::Representation(u16::from_be_bytes([
            high, low,
        ]))),
    }
}

/// A payload with this body, filled up to a multiple of 4.
pub(super) fn payload(body: impl FnOnce(&mut Out<'_>) -> Written) -> Result<Bytes, Error> {
    let mut bytes = BytesMut::new();
    bytes.extend_from_slice(&HEADER);
    let mut out = Writer::new(&mut bytes, Xcdr::V2, Endianness::Little);
    let written = body(&mut out);
    out.finish();
    written?;
    let padding = bytes.len().next_multiple_of(4) - bytes.len();
    bytes.resize(bytes.len() + padding, 0);
    if let Some(options) = bytes.get_mut(3) {
        *options = padding as u8;
    }
    Ok(bytes.freeze())
}

pub(super) fn read_identity(r: &mut Reader<'_>) -> Result<SampleIdentity, Error> {
    let writer = r.take_slice(16)?.try_into().unwrap_or_default();
    let (high, low) = (r.take_u32()?, r.take_u32()?);
    Ok(SampleIdentity {
        writer,
        sequence: (i64::from(high.cast_signed()) << 32) | i64::from(low),
    })
}

pub(super) fn write_identity(out: &mut Out<'_>, of: &SampleIdentity) {
    out.put_slice(&of.writer);
    out.put_u32((of.sequence >> 32) as u32);
    out.put_u32(of.sequence as u32);
}

/// A member of a mutable structure.
pub(super) fn member(
    out: &mut Out<'_>,
    id: u32,
    value: impl FnOnce(&mut Out<'_>) -> Written,
) -> Written {
    out.put_u32(LENGTH_CODE_4 | id);
    // The length of a member is written as that of a structure is: in front, without itself.
    write::appendable(out, value)
}

/// An appendable union.
pub(super) fn union(
    out: &mut Out<'_>,
    discriminator: u32,
    value: impl FnOnce(&mut Out<'_>) -> Written,
) -> Written {
    write::appendable(out, |out| {
        out.put_u32(discriminator);
        value(out)
    })
}

/// Each member of a mutable structure that is there.
pub(super) fn members<'a>(
    r: &mut Reader<'a>,
    mut each: impl FnMut(&mut Reader<'a>, u32) -> Result<(), MessageError>,
) -> Result<(), MessageError> {
    let scope = r.begin(Mutable)?;
    while let Some(member) = r.next_member()? {
        each(r, member.id())?;
        r.end_member(member);
    }
    r.end(scope);
    Ok(())
}

/// An appendable structure or union.
pub(super) fn appendable<'a, T>(
    r: &mut Reader<'a>,
    body: impl FnOnce(&mut Reader<'a>) -> Result<T, MessageError>,
) -> Result<T, MessageError> {
    let scope = r.begin(Appendable)?;
    let value = body(r)?;
    r.end(scope);
    Ok(value)
}

/// A sequence of structures or unions. Nothing is reserved for its count.
pub(super) fn sequence<'a, T>(
    r: &mut Reader<'a>,
    check: impl FnOnce(usize) -> Result<(), MessageError>,
    mut item: impl FnMut(&mut Reader<'a>) -> Result<T, MessageError>,
) -> Result<Vec<T>, MessageError> {
    let scope = r.begin_collection(false)?;
    let count = r.take_length()?;
    check(count)?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(item(r)?);
    }
    r.end(scope);
    Ok(items)
}

pub(super) fn read_continuation_point(r: &mut Reader<'_>) -> Result<Vec<u8>, MessageError> {
    let length = r.take_length()?;
    let most = super::limits::CONTINUATION_POINT;
    limit("bytes of a continuation point", length, most)?;
    Ok(r.take_slice(length)?.to_vec())
}

pub(super) fn write_continuation_point(out: &mut Out<'_>, point: &[u8]) -> Written {
    member(out, CONTINUATION_POINT, |out| {
        out.put_length(point.len())?;
        out.put_slice(point);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_ids_are_the_hashes_of_their_names() {
        for (name, id) in [
            ("type_ids", TYPE_IDS),
            ("types", TYPES),
            ("complete_to_minimal", COMPLETE_TO_MINIMAL),
            ("dependent_typeids", DEPENDENT_TYPEIDS),
            ("continuation_point", CONTINUATION_POINT),
        ] {
            assert_eq!(crate::hash_id(name), id, "{name}");
        }
    }
}
