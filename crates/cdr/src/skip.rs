//! Passes over values without reading them, by the description of their type.

use crate::description::{Describe, StructureType, Type, UnionType};
use crate::{Endianness, Error, Extensibility, ReadMember, ReadScope, Reader, Xcdr};

/// An optional member that is there, begun and to be ended.
#[derive(Debug)]
#[must_use]
pub struct ReadOptional<'a>(Option<ReadMember<'a>>);

impl ReadScope<'_> {
    /// Whether [`Reader::end`] passes over what is left.
    pub fn is_delimited(&self) -> bool {
        self.delimited
    }
}

impl<'a> Reader<'a> {
    /// False if the sender's version of a type ends here, and further members have their default
    /// values.
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
    pub fn end_optional(&mut self, optional: ReadOptional<'a>) {
        if let Some(member) = optional.0 {
            self.end_member(member);
        }
    }

    /// An integer of 1, 2 or 4 bytes, as an enumeration has it.
    ///
    /// # Errors
    /// [`Error::Truncated`].
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
    pub fn take_u64(&mut self) -> Result<u64, Error> {
        let bytes = self.take()?;
        Ok(match self.endianness() {
            Endianness::Big => u64::from_be_bytes(bytes),
            Endianness::Little => u64::from_le_bytes(bytes),
        })
    }

    /// Passes over a value. Takes time in proportion to its bytes at most; does not find all that
    /// is wrong with it.
    ///
    /// # Errors
    /// [`Error::Undescribed`] if the type is not known in all its parts; [`Error::TooManySteps`] if
    /// there is more to pass over than [`set_steps`](Self::set_steps) allows; otherwise whatever is
    /// wrong with the data.
    pub fn skip(&mut self, ty: Type) -> Result<(), Error> {
        self.take_steps(1)?;
        if let Some(size) = ty.size() {
            return self.take_numbers(1, size).map(|_| ());
        }
        match ty {
            Type::String => {
                let length = self.take_length()?;
                self.take_slice(length).map(|_| ())
            }
            Type::Enumeration(of) => self.take_numbers(1, of.size).map(|_| ()),
            Type::Sequence(element) => self.skip_sequence(known(element)?),
            Type::Array(element, count) => {
                let scope = self.begin_array(ty)?;
                if !scope.delimited {
                    self.skip_row(known(element)?, count)?;
                }
                self.end(scope);
                Ok(())
            }
            Type::Map(key, value) => self.skip_map(known(key)?, known(value)?),
            Type::Optional(_) => self.skip_member(ty, 0),
            Type::Structure(of) => self.skip_structure(of),
            Type::Union(of) => self.skip_union(of),
            // The primitive types have a size.
            _ => Err(Error::Undescribed),
        }
    }

    /// Passes over a member of a final or appendable type.
    ///
    /// # Errors
    /// As [`skip`](Self::skip).
    pub fn skip_member(&mut self, ty: Type, id: u32) -> Result<(), Error> {
        let Type::Optional(of) = ty else {
            return self.skip(ty);
        };
        if let Some(optional) = self.begin_optional(id)? {
            // A member with a header is passed over with it.
            if optional.0.is_none() {
                let of = known(of)?;
                self.nested(|r| r.skip(of))?;
            }
            self.end_optional(optional);
        }
        Ok(())
    }

    fn skip_sequence(&mut self, element: Type) -> Result<(), Error> {
        let scope = self.begin_collection(element.is_primitive())?;
        if !scope.delimited {
            let count = self.take_length()?;
            self.nested(|r| r.skip_elements(element, count))?;
        }
        self.end(scope);
        Ok(())
    }

    /// Begins an array of this type as [`begin_collection`](Self::begin_collection) does.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the DHEADER claims more than there is.
    pub fn begin_array(&mut self, ty: Type) -> Result<ReadScope<'a>, Error> {
        self.begin_collection(is_flat(ty))
    }

    /// Passes over elements of a sequence.
    ///
    /// # Errors
    /// As [`skip`](Self::skip).
    pub fn skip_elements(&mut self, element: Type, count: usize) -> Result<(), Error> {
        if let Some(size) = element.size() {
            return self.take_numbers(count, size).map(|_| ());
        }
        self.skip_each(count, |r| r.skip(element))
    }

    /// Passes over elements of an array, of which the inner dimensions have no delimiters of their
    /// own.
    ///
    /// # Errors
    /// As [`skip`](Self::skip).
    pub fn skip_row(&mut self, element: Type, count: usize) -> Result<(), Error> {
        let Type::Array(inner, length) = element else {
            return self.skip_elements(element, count);
        };
        let inner = known(inner)?;
        self.skip_each(count, |r| r.skip_row(inner, length))
    }

    fn skip_each(
        &mut self,
        count: usize,
        mut skip: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for _ in 0..count {
            let before = self.remaining();
            self.take_steps(1)?;
            skip(self)?;
            // Elements without any bytes are all alike, and there may be billions.
            if self.remaining() == before {
                break;
            }
        }
        Ok(())
    }

    fn skip_map(&mut self, key: Type, value: Type) -> Result<(), Error> {
        let scope = self.begin_collection(key.is_primitive() && value.is_primitive())?;
        if !scope.delimited {
            let count = self.take_length()?;
            self.nested(|r| {
                r.skip_each(count, |r| {
                    r.skip(key)?;
                    r.skip(value)
                })
            })?;
        }
        self.end(scope);
        Ok(())
    }

    fn skip_structure(&mut self, of: &StructureType) -> Result<(), Error> {
        let scope = self.begin(of.extensibility)?;
        if scope.delimited {
            self.end(scope);
            return Ok(());
        }
        if of.extensibility == Extensibility::Mutable {
            self.skip_members()?;
        } else {
            for member in of.members {
                if self.has_more(&scope) {
                    self.skip_member(known(member.describe)?, member.id)?;
                }
            }
        }
        self.end(scope);
        Ok(())
    }

    fn skip_members(&mut self) -> Result<(), Error> {
        while let Some(member) = self.next_member()? {
            self.take_steps(1)?;
            self.end_member(member);
        }
        Ok(())
    }

    fn skip_union(&mut self, of: &UnionType) -> Result<(), Error> {
        let scope = self.begin(of.extensibility)?;
        if scope.delimited {
            self.end(scope);
            return Ok(());
        }
        if of.extensibility == Extensibility::Mutable {
            self.skip_members()?;
        } else if self.has_more(&scope) {
            let number = self.take_discriminator(known(of.discriminator)?)?;
            let case = of.select(number).ok_or(Error::UnknownCase)?;
            if let Some(describe) = case.describe
                && self.has_more(&scope)
            {
                self.skip_member(known(describe)?, case.id)?;
            }
        }
        self.end(scope);
        Ok(())
    }

    /// Reads what selects the case of a union, as
    /// [`Discriminator::number`](crate::Discriminator::number) has it.
    ///
    /// # Errors
    /// [`Error::Truncated`]; [`Error::InvalidBool`]; [`Error::Undescribed`] for a type that selects
    /// nothing.
    pub fn take_discriminator(&mut self, ty: Type) -> Result<i64, Error> {
        Ok(match ty {
            Type::Boolean => match self.take()? {
                [byte @ (0 | 1)] => byte.into(),
                [other] => return Err(Error::InvalidBool(other)),
            },
            Type::UInt8 | Type::Char8 => self.take().map(u8::from_ne_bytes)?.into(),
            Type::Int8 => self.take().map(i8::from_ne_bytes)?.into(),
            Type::UInt16 | Type::Char16 => self.take_u16()?.into(),
            Type::Int16 => self.take_u16()?.cast_signed().into(),
            Type::UInt32 => self.take_u32()?.into(),
            Type::Int32 => self.take_u32()?.cast_signed().into(),
            Type::UInt64 | Type::Int64 => self.take_u64()?.cast_signed(),
            Type::Enumeration(of) => self.take_enumerator(of.size)?.into(),
            _ => return Err(Error::Undescribed),
        })
    }
}

fn known(describe: Describe) -> Result<Type, Error> {
    describe().ok_or(Error::Undescribed)
}

/// Whether an array of it is one piece of primitive values.
fn is_flat(ty: Type) -> bool {
    match ty {
        Type::Array(element, _) => element().is_some_and(is_flat),
        ty => ty.is_primitive(),
    }
}
