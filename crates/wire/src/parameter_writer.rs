//! Writes parameter lists, little endian (RTPS 2.5 9.4.2.11).
use crate::{Error, Guid, Locator, ParameterId};
use alloc::vec::Vec;
use bytes::Bytes;

/// A parameter list in the making. The first thing that does not fit is remembered and comes out of
/// `finish`.
#[derive(Clone, Debug, Default)]
pub struct ParameterWriter {
    bytes: Vec<u8>,
    error: Option<Error>,
}

impl ParameterWriter {
    /// An empty list, as inline QoS has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty list behind the encapsulation header PL_CDR_LE, as discovery data has it (RTPS 2.5
    /// 10.2).
    pub fn payload() -> Self {
        Self {
            bytes: alloc::vec![0, 3, 0, 0],
            error: None,
        }
    }

    /// Appends a parameter whose value `write` appends; it is padded to a multiple of 4 bytes.
    pub fn put(&mut self, id: ParameterId, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.extend_from_slice(&id.0.to_le_bytes());
        self.bytes.extend_from_slice(&[0, 0]);
        let start = self.bytes.len();
        write(&mut self.bytes);
        let length = self.bytes.len().saturating_sub(start).next_multiple_of(4);
        self.bytes.resize(start.saturating_add(length), 0);
        let place = start.saturating_sub(2)..start;
        match (u16::try_from(length), self.bytes.get_mut(place)) {
            (Ok(length), Some(place)) => place.copy_from_slice(&length.to_le_bytes()),
            _ => self.fail("parameter", 0xfffc),
        }
    }

    /// The list with its sentinel, or what did not fit.
    pub fn finish(mut self) -> Result<Bytes, Error> {
        match self.error {
            Some(error) => Err(error),
            None => {
                self.bytes.extend_from_slice(&[1, 0, 0, 0]);
                Ok(self.bytes.into())
            }
        }
    }

    pub(crate) fn fail(&mut self, what: &'static str, limit: usize) {
        self.error.get_or_insert(Error::Limit { what, limit });
    }

    pub(crate) fn u32(&mut self, id: ParameterId, value: u32) {
        self.put(id, |out| put_u32(out, value));
    }

    pub(crate) fn i32(&mut self, id: ParameterId, value: i32) {
        self.u32(id, value.cast_unsigned());
    }

    pub(crate) fn guid(&mut self, id: ParameterId, guid: Guid) {
        self.put(id, |out| out.extend_from_slice(&guid.to_bytes()));
    }

    pub(crate) fn bool(&mut self, id: ParameterId, value: bool) {
        self.put(id, |out| out.push(value.into()));
    }

    /// Opaque bytes; none are not written.
    pub(crate) fn octets(&mut self, id: ParameterId, value: &[u8]) {
        if !value.is_empty() {
            self.put(id, |out| {
                put_len(out, value.len());
                out.extend_from_slice(value);
            });
        }
    }

    /// A string of at most `limit` bytes without NUL inside.
    pub(crate) fn string(
        &mut self,
        id: ParameterId,
        value: &str,
        what: &'static str,
        limit: usize,
    ) {
        if value.len() > limit || value.contains('\0') {
            self.fail(what, limit);
        }
        self.put(id, |out| put_string(out, value));
    }

    pub(crate) fn locators(&mut self, id: ParameterId, locators: &[Locator]) {
        for locator in locators {
            self.put(id, |out| crate::encode::put_locator(locator, out));
        }
    }
}

pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// A count that is too large makes its parameter too large, which `put` notices.
pub(crate) fn put_len(out: &mut Vec<u8>, length: usize) {
    put_u32(out, u32::try_from(length).unwrap_or(u32::MAX));
}

/// A CDR string and the padding after it.
pub(crate) fn put_string(out: &mut Vec<u8>, value: &str) {
    put_len(out, value.len().saturating_add(1));
    out.extend_from_slice(value.as_bytes());
    let padded = value.len().saturating_add(1).next_multiple_of(4);
    let padding = padded.saturating_sub(value.len());
    out.extend(core::iter::repeat_n(0, padding));
}
