//! The one way in which received bytes are read: in order, checked, in either byte order.
use crate::{EntityId, Error, Guid, GuidPrefix, Locator, SequenceNumber};

/// Byte order of a submessage or payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Endianness {
    /// Least significant byte first: what Dunlin writes.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

impl Endianness {
    #[inline(always)]
    pub(crate) fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    #[inline(always)]
    pub(crate) fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// The unread rest of some bytes. `end` is where it ends in the message, so that errors can say
/// where they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    end: usize,
    endianness: Endianness,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], endianness: Endianness, what: &'static str) -> Self {
        Self {
            rest: bytes,
            end: bytes.len(),
            endianness,
            what,
        }
    }

    /// The same bytes read as something else.
    #[inline]
    pub(crate) fn of(self, what: &'static str) -> Self {
        Self { what, ..self }
    }

    #[inline]
    pub(crate) fn in_order(self, endianness: Endianness) -> Self {
        Self { endianness, ..self }
    }

    #[inline]
    pub(crate) fn endianness(&self) -> Endianness {
        self.endianness
    }

    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Goes on with `rest`, which is the end of what was to be read.
    #[inline]
    pub(crate) fn skip_to(self, rest: &'a [u8]) -> Self {
        Self { rest, ..self }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.end.saturating_sub(self.rest.len())
    }

    #[cold]
    pub(crate) fn truncated(&self) -> Error {
        Error::Truncated {
            what: self.what,
            offset: self.offset(),
        }
    }

    #[cold]
    pub(crate) fn invalid(&self) -> Error {
        self.invalid_as(self.what)
    }

    #[cold]
    pub(crate) fn invalid_as(&self, what: &'static str) -> Error {
        Error::Invalid {
            what,
            offset: self.offset(),
        }
    }

    /// Takes the next `length` bytes as a cursor of their own.
    #[inline]
    pub(crate) fn split(&mut self, length: usize) -> Result<Self, Error> {
        let Some((bytes, rest)) = self.rest.split_at_checked(length) else {
            return Err(self.truncated());
        };
        self.rest = rest;
        Ok(Self {
            rest: bytes,
            end: self.offset(),
            ..*self
        })
    }

    #[inline]
    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], Error> {
        self.split(length).map(|c| c.rest)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let Some((bytes, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.truncated());
        };
        self.rest = rest;
        Ok(*bytes)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        let bytes = self.array()?;
        Ok(match self.endianness {
            Endianness::Little => u16::from_le_bytes(bytes),
            Endianness::Big => u16::from_be_bytes(bytes),
        })
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        let bytes = self.array()?;
        Ok(match self.endianness {
            Endianness::Little => u32::from_le_bytes(bytes),
            Endianness::Big => u32::from_be_bytes(bytes),
        })
    }

    #[inline]
    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        self.u32().map(u32::cast_signed)
    }

    /// Two halves, the high one first in either byte order (RTPS 2.5 9.3.2.2).
    #[inline]
    pub(crate) fn sequence(&mut self) -> Result<SequenceNumber, Error> {
        let high = i64::from(self.i32()?);
        let low = i64::from(self.u32()?);
        Ok(SequenceNumber(high << 32 | low))
    }

    #[inline]
    pub(crate) fn entity(&mut self) -> Result<EntityId, Error> {
        self.array().map(EntityId)
    }

    #[inline]
    pub(crate) fn prefix(&mut self) -> Result<GuidPrefix, Error> {
        self.array().map(GuidPrefix)
    }

    pub(crate) fn guid(&mut self) -> Result<Guid, Error> {
        self.array().map(Guid::from_bytes)
    }

    pub(crate) fn locator(&mut self) -> Result<Locator, Error> {
        Ok(Locator {
            kind: self.i32()?,
            port: self.u32()?,
            address: self.array()?,
        })
    }
}
