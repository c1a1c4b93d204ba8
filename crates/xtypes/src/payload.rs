//! The encapsulation header of a payload.

use bytes::BytesMut;
use dunlin_cdr::{Error, Extensibility, HEADER_SIZE, Reader, Representation, reader_of};

use crate::output::Output;
use crate::{ValueError, limits};

/// A payload that is about to be read.
#[derive(Debug, Clone)]
pub(crate) struct Opened<'a> {
    /// At the value.
    pub(crate) reader: Reader<'a>,
    /// Where the data ends, counted as [`Reader::position`] does.
    pub(crate) end: usize,
}

/// Begins to read the payload of a sample.
pub(crate) fn open(payload: &[u8], extensibility: Extensibility) -> Result<Opened<'_>, ValueError> {
    let mut reader = reader_of(payload, extensibility)?;
    reader.set_steps(limits::steps(payload.len()));
    let end = body(payload)?.1.len();
    Ok(Opened { reader, end })
}

/// What the header says, and what is behind it, without padding (RTPS 2.5 10.5).
#[inline]
pub(crate) fn body(payload: &[u8]) -> Result<(u16, &[u8]), Error> {
    let Some((&[high, low, _, options], body)) = payload.split_first_chunk::<HEADER_SIZE>() else {
        return Err(Error::Truncated {
            wanted: HEADER_SIZE,
            left: payload.len(),
        });
    };
    let length = body.len().checked_sub(usize::from(options & 3));
    let length = length.ok_or(Error::Padding)?;
    let body = body.get(..length).unwrap_or_default();
    Ok((u16::from_be_bytes([high, low]), body))
}

/// What the header says.
pub(crate) fn representation(payload: &[u8]) -> Result<Representation, Error> {
    Representation::from_id(body(payload)?.0)
}

/// Appends header, value and padding; nothing on error.
pub(crate) fn append(
    to: &Representation,
    out: &mut BytesMut,
    value: impl FnOnce(&mut BytesMut) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let begin = out.len();
    out.push(&to.header());
    if let Err(error) = value(out) {
        out.truncate(begin);
        return Err(error);
    }
    let padding = begin.wrapping_sub(out.len()) & 3;
    out.push([0; 3].get(..padding).unwrap_or_default());
    if padding > 0 {
        out.patch(begin + 3, &[padding as u8]);
    }
    Ok(())
}
