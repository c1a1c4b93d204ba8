//! Values that their type cannot hold, and members that a sender does not have.

use crate::layout::check_bound;
use crate::{Bounded, Deserialize, Error, ReadScope, Reader};

impl<'a> Reader<'a> {
    /// As [`member`](Self::member) for a member with a default of its own, which has `heap` bytes
    /// behind boxes.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn member_or<T: Deserialize>(
        &mut self,
        scope: &ReadScope<'a>,
        id: u32,
        heap: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        if scope.tolerant && self.remaining() == 0 {
            self.charge(heap)?;
            Ok(default())
        } else {
            T::deserialize_member(id, self)
        }
    }

    /// As [`key_member`](Self::key_member) for a member with a default of its own, which has `heap`
    /// bytes behind boxes.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn key_member_or<T: Deserialize>(
        &mut self,
        scope: &ReadScope<'a>,
        heap: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        if scope.tolerant && self.remaining() == 0 {
            self.charge(heap)?;
            Ok(default())
        } else {
            T::deserialize_key(self)
        }
    }

    /// Refuses a string or sequence with more than `bound` elements.
    ///
    /// # Errors
    /// [`Error::BoundExceeded`].
    #[inline]
    pub fn bounded<T: Bounded>(&mut self, value: T, bound: usize) -> Result<T, Error> {
        self.check_bound(&value, bound)?;
        Ok(value)
    }

    /// Refuses a string or sequence with more than `bound` elements.
    ///
    /// # Errors
    /// [`Error::BoundExceeded`].
    #[inline]
    pub fn check_bound<T: Bounded>(&mut self, value: &T, bound: usize) -> Result<(), Error> {
        check_bound(value.bounded_len(), bound).or_else(|error| self.unfit(error))
    }

    /// Takes note that a value was read whose type cannot hold it, and goes on if there is a member
    /// around it that has another value then.
    ///
    /// # Errors
    /// `error`, if there is none.
    #[cold]
    pub fn unfit(&mut self, error: Error) -> Result<(), Error> {
        match &mut self.is_unfit {
            Some(is_unfit) => {
                *is_unfit = true;
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Reads a value; `None` if it was read to its end and its type cannot hold it.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn construct<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let outer = self.is_unfit.replace(false);
        let value = read(self);
        let is_unfit = core::mem::replace(&mut self.is_unfit, outer) == Some(true);
        Ok(Some(value?).filter(|_| !is_unfit))
    }
}
