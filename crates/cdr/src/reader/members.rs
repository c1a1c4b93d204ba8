//! Members with ids.
use super::{ReadScope, Reader};
use crate::layout::{
    LONG_MUST_UNDERSTAND, MEMBER_ID_MASK, PID_EXTENDED, PID_IGNORE, PID_MASK, PID_MUST_UNDERSTAND,
    PID_SENTINEL,
};
use crate::{Deserialize, Error, Xcdr};

/// A member of a mutable type, begun and to be ended.
#[derive(Debug)]
#[must_use]
pub struct ReadMember<'a> {
    id: u32,
    must_understand: bool,
    pub(crate) is_empty: bool,
    outer: &'a [u8],
    outer_region: usize,
    outer_origin: usize,
}

impl ReadMember<'_> {
    /// The member id, 28 bits.
    #[inline]
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl<'a> Reader<'a> {
    /// Begins the next member of a mutable type; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Truncated`] or [`Error::MemberHeader`].
    #[inline]
    pub fn next_member(&mut self) -> Result<Option<ReadMember<'a>>, Error> {
        match self.xcdr {
            Xcdr::V1 => self.next_parameter(),
            Xcdr::V2 => self.next_labelled(),
        }
    }

    pub(super) fn next_labelled(&mut self) -> Result<Option<ReadMember<'a>>, Error> {
        self.align(4);
        if self.remaining() == 0 {
            return Ok(None);
        }
        let header = self.take_u32()?;
        let length = match (header >> 28) & 7 {
            code @ 0..=3 => 1 << code,
            4 => self.take_length()?,
            code => self.peek_length(if code == 5 { 1 } else { 1 << (code - 4) })?,
        };
        let member = self.open_member(
            header & MEMBER_ID_MASK,
            header >> 31 == 1,
            length,
            self.origin,
        )?;
        Ok(Some(member))
    }

    /// The length of a member that begins with the number of its units.
    pub(super) fn peek_length(&self, unit: usize) -> Result<usize, Error> {
        let count = self.clone().take_length()?;
        count
            .checked_mul(unit)
            .and_then(|length| length.checked_add(4))
            .ok_or(Error::MemberHeader)
    }

    pub(super) fn next_parameter(&mut self) -> Result<Option<ReadMember<'a>>, Error> {
        loop {
            self.align(4);
            let pid = self.take_u16()?;
            let short = self.take_u16()?;
            let (id, must_understand, length) = match pid & PID_MASK {
                PID_SENTINEL => return Ok(None),
                PID_IGNORE => {
                    self.take_slice(short.into())?;
                    continue;
                }
                PID_EXTENDED => {
                    if short < 8 {
                        return Err(Error::MemberHeader);
                    }
                    let id = self.take_u32()?;
                    let length = self.take_length()?;
                    self.take_slice(usize::from(short - 8))?;
                    (id & MEMBER_ID_MASK, id & LONG_MUST_UNDERSTAND != 0, length)
                }
                id => (
                    id.into(),
                    pid & PID_MUST_UNDERSTAND != 0,
                    usize::from(short),
                ),
            };
            let origin = self.position;
            return self
                .open_member(id, must_understand, length, origin)
                .map(Some);
        }
    }

    pub(super) fn open_member(
        &mut self,
        id: u32,
        must_understand: bool,
        length: usize,
        origin: usize,
    ) -> Result<ReadMember<'a>, Error> {
        let member = ReadMember {
            id,
            must_understand,
            is_empty: length == 0,
            outer: self.data,
            outer_region: self.region,
            outer_origin: self.origin,
        };
        self.narrow(length)?;
        self.origin = origin;
        Ok(member)
    }

    /// Ends a member, and skips what is left of it.
    #[inline]
    pub fn end_member(&mut self, member: ReadMember<'a>) {
        self.position = self.data.len();
        self.data = member.outer;
        self.region = member.outer_region;
        self.origin = member.outer_origin;
    }

    /// Passes over a member that the reader's type does not have.
    ///
    /// # Errors
    /// [`Error::MustUnderstand`] if the sender insists.
    #[inline]
    pub fn unknown_member(&mut self, member: &ReadMember<'a>) -> Result<(), Error> {
        if member.must_understand {
            Err(Error::MustUnderstand(member.id))
        } else {
            Ok(())
        }
    }

    /// Reads an optional member of a final or appendable XCDR1 type (DDS-XTypes 1.3 7.4.1.2).
    pub(crate) fn optional_parameter<T: Deserialize>(
        &mut self,
        id: u32,
    ) -> Result<Option<T>, Error> {
        let Some(member) = self.next_parameter()? else {
            return Err(Error::MemberHeader);
        };
        if member.id != id {
            return Err(Error::MemberHeader);
        }
        let value = if member.is_empty {
            None
        } else {
            Some(T::deserialize(self)?)
        };
        self.end_member(member);
        Ok(value)
    }

    /// Reads the next member of a final or appendable type; its default value if an older sender
    /// lacks it.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn member<T: Deserialize>(&mut self, scope: &ReadScope<'a>, id: u32) -> Result<T, Error> {
        if scope.tolerant && self.remaining() == 0 {
            self.charge(T::DEFAULT_HEAP)?;
            Ok(T::default_value())
        } else {
            T::deserialize_member(id, self)
        }
    }

    /// Reads the key part of the next member of a final or appendable type.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn key_member<T: Deserialize>(&mut self, scope: &ReadScope<'a>) -> Result<T, Error> {
        if scope.tolerant && self.remaining() == 0 {
            self.charge(T::DEFAULT_HEAP)?;
            Ok(T::default_value())
        } else {
            T::deserialize_key(self)
        }
    }
}
