//! Payloads of which a sequence of octets lies elsewhere.

use core::ops::Range;

use bytes::{Bytes, BytesMut};

use crate::payload::{open, whole};
use crate::reader::Absent;
use crate::{Error, HEADER_SIZE, Topic, Xcdr, extent, from_payload_bytes, to_payload_loaned};

/// Reads a payload that lacks the octets of one sequence: `length` octets belong at byte `at`,
/// where only `filler` bytes are, whatever these contain; `length` and `filler` differ by a
/// multiple of 8. The member of type [`Bytes`] that has them gets `octets`, which may as well be
/// empty. Other members of that type are copied.
///
/// # Errors
/// [`Error::NotApart`] if the type has no member of type [`Bytes`] there; otherwise whatever is
/// wrong with the payload.
pub fn from_payload_around<T: Topic>(
    payload: &[u8],
    at: usize,
    filler: usize,
    length: usize,
    octets: &Bytes,
) -> Result<T, Error> {
    let at = at.checked_sub(HEADER_SIZE).ok_or(Error::NotApart)?;
    if length % 8 != filler % 8 {
        return Err(Error::NotApart);
    }
    let (r, representation) = open::<T>(payload, None)?;
    let absent = Absent {
        at,
        length,
        filler,
        octets,
    };
    let mut r = r.without(absent);
    let value = whole((&mut r, representation))?;
    if r.lacks() {
        return Err(Error::NotApart);
    }
    Ok(value)
}

/// Where the longest member of type [`Bytes`] is in a payload; `None` if there is none, or if it is
/// empty.
///
/// # Errors
/// Whatever is wrong with the payload.
// Its frame has room for a whole value. Of a plain type that may be more than there is stack, and
// then nobody asks; but a caller into which this were inlined would need it all the same.
#[inline(never)]
pub fn longest_octets<T: Topic>(payload: &Bytes) -> Result<Option<Range<usize>>, Error> {
    let value: T = from_payload_bytes(payload)?;
    let longest = extent(&value, Xcdr::V1).longest;
    if longest == 0 {
        return Ok(None);
    }
    // Members are slices of the payload, so the one that is left out tells where it is.
    let loaned = to_payload_loaned(&value, Xcdr::V1, longest, &mut BytesMut::new())?;
    let place = |octets: Bytes| {
        let start = (octets.as_ptr() as usize).checked_sub(payload.as_ptr() as usize)?;
        Some(start..start.checked_add(octets.len())?)
    };
    Ok(loaned.and_then(|loaned| place(loaned.bytes)))
}
