//! What those need of a reader who go over values by a type that is known at run time only.

use crate::{Endianness, Error, ReadMember, ReadScope, Reader, Xcdr};

/// An optional member that is there, begun and to be ended.
#[derive(Debug)]
#[must_use]
pub struct ReadOptional<'a>(Option<ReadMember<'a>>);

impl ReadScope<'_> {
    /// Whether [`Reader::end`] passes over what is left.
    #[inline]
    pub fn is_delimited(&self) -> bool {
        self.delimited
    }
}

impl<'a> Reader<'a> {
    /// False if the sender's version of a type ends here, and further members have their default
    /// values.
    #[inline]
    pub fn has_more(&self, scope: &ReadScope<'a>) -> bool {
        !scope.tolerant || self.remaining() > 0
    }

    /// Begins an optional member of a final or appendable type; `None` if it is absent.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::InvalidBool`] or [`Error::MemberHeader`].
    pub fn begin_optional(&mut self, id: u32) -> Result<Option<ReadOptional<'a>>, Error> {
        if self.xcdr() == Xcdr::V2 {
            return match self.take()? {
                [0] => Ok(None),
                [1] => Ok(Some(ReadOptional(None))),
                [other] => Err(Error::InvalidBool(other)),
            };
        }
        match self.next_member()? {
            Some(member) if member.id() != id => Err(Error::MemberHeader),
            Some(member) if member.is_empty => {
                self.end_member(member);
                Ok(None)
            }
            Some(member) => Ok(Some(ReadOptional(Some(member)))),
            None => Err(Error::MemberHeader),
        }
    }

    /// Ends it, and skips what is left of it.
    #[inline]
    pub fn end_optional(&mut self, optional: ReadOptional<'a>) {
        if let Some(member) = optional.0 {
            self.end_member(member);
        }
    }

    /// An integer of 1, 2 or 4 bytes, as an enumeration has it.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline]
    pub fn take_enumerator(&mut self, size: usize) -> Result<i32, Error> {
        Ok(match size {
            1 => self.take().map(i8::from_ne_bytes)?.into(),
            2 => self.take_u16()?.cast_signed().into(),
            _ => self.take_u32()?.cast_signed(),
        })
    }

    /// A 64-bit number.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline]
    pub fn take_u64(&mut self) -> Result<u64, Error> {
        let bytes = self.take()?;
        Ok(match self.endianness() {
            Endianness::Big => u64::from_be_bytes(bytes),
            Endianness::Little => u64::from_le_bytes(bytes),
        })
    }
}
