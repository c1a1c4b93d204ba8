//! What derived code needs of collections whose elements have attributes of their own.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::layout::{number_end, repeated};
use crate::{Error, Layout, Step};

/// Looks at an element, and is told the way to it.
type Visit<'v, T> = &'v mut dyn FnMut(Step, &T) -> Result<(), Error>;

fn numbered<'e, T: 'e>(
    elements: impl Iterator<Item = &'e T>,
    step: fn(usize) -> Step,
    visit: Visit<'_, T>,
) -> Result<(), Error> {
    let mut elements = elements.enumerate();
    elements.try_for_each(|(index, element)| visit(step(index), element))
}

/// A type whose elements `#[topic(element(..))]` is about.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements that `element` could be about",
    note = "`Vec`, arrays and `BTreeMap` have elements, also in an `Option` or a `Box`"
)]
pub trait Collection {
    /// The type of the elements; of a map, that of the values.
    type Element;
    /// Whether it is an array, whose elements have no headers if they are arrays.
    const IS_ARRAY: bool = false;

    /// Calls `visit` with each of them, until it fails.
    ///
    /// # Errors
    /// That of `visit`.
    fn each(&self, visit: Visit<'_, Self::Element>) -> Result<(), Error>;

    /// The same, to change them.
    ///
    /// # Errors
    /// That of `visit`.
    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Self::Element) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// [`Layout::key_end`] of such a value of at most `bound` elements, each of which ends where
    /// `end` says.
    fn key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize>;

    /// [`Layout::row_key_end`] of such a value.
    fn row_key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        Self::key_end_with(at, bound, end)
    }
}

impl<T: Layout> Collection for Vec<T> {
    type Element = T;

    fn each(&self, visit: Visit<'_, T>) -> Result<(), Error> {
        numbered(self.iter(), Step::Element, visit)
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.iter_mut().try_for_each(visit)
    }

    fn key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        let header = if T::PRIMITIVE { 4 } else { 8 };
        repeated(at.next_multiple_of(4) + header, bound?, end)
    }
}

impl<T: Layout, const N: usize> Collection for [T; N] {
    type Element = T;
    const IS_ARRAY: bool = true;

    fn each(&self, visit: Visit<'_, T>) -> Result<(), Error> {
        numbered(self.iter(), Step::Element, visit)
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.iter_mut().try_for_each(visit)
    }

    fn key_end_with(
        at: usize,
        _: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        let header = if T::FLAT { at } else { number_end(at, 4) };
        repeated(header, N, end)
    }

    fn row_key_end_with(
        at: usize,
        _: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        repeated(at, N, end)
    }
}

impl<T: Collection> Collection for Option<T> {
    type Element = T::Element;

    fn each(&self, visit: Visit<'_, T::Element>) -> Result<(), Error> {
        self.as_ref().map_or(Ok(()), |of| of.each(visit))
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T::Element) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.as_mut().map_or(Ok(()), |of| of.each_mut(visit))
    }

    fn key_end_with(
        _: usize,
        _: Option<usize>,
        _: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        None
    }
}

impl<T: Collection> Collection for Box<T> {
    type Element = T::Element;
    const IS_ARRAY: bool = T::IS_ARRAY;

    fn each(&self, visit: Visit<'_, T::Element>) -> Result<(), Error> {
        (**self).each(visit)
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T::Element) -> Result<(), Error>,
    ) -> Result<(), Error> {
        (**self).each_mut(visit)
    }

    fn key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        T::key_end_with(at, bound, end)
    }

    fn row_key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        T::row_key_end_with(at, bound, end)
    }
}

impl<K, V> Collection for BTreeMap<K, V> {
    type Element = V;

    fn each(&self, visit: Visit<'_, V>) -> Result<(), Error> {
        numbered(self.values(), Step::Value, visit)
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut V) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.values_mut().try_for_each(visit)
    }

    fn key_end_with(
        _: usize,
        _: Option<usize>,
        _: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        None
    }
}

/// A type whose keys `#[topic(map_key(..))]` is about.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no keys that `map_key` could be about",
    note = "`BTreeMap` has keys, also in an `Option` or a `Box`"
)]
pub trait Keyed {
    /// The type of the keys.
    type Key;

    /// Calls `visit` with each of them, until it fails.
    ///
    /// # Errors
    /// That of `visit`.
    fn each_key(&self, visit: Visit<'_, Self::Key>) -> Result<(), Error>;

    /// The same, to change them. Of several entries whose keys become the same, the last stays.
    ///
    /// # Errors
    /// That of `visit`.
    fn each_key_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Self::Key) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

impl<K: Ord, V> Keyed for BTreeMap<K, V> {
    type Key = K;

    fn each_key(&self, visit: Visit<'_, K>) -> Result<(), Error> {
        numbered(self.keys(), Step::Key, visit)
    }

    fn each_key_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut K) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (mut key, value) in core::mem::take(self) {
            visit(&mut key)?;
            self.insert(key, value);
        }
        Ok(())
    }
}

impl<T: Keyed> Keyed for Option<T> {
    type Key = T::Key;

    fn each_key(&self, visit: Visit<'_, T::Key>) -> Result<(), Error> {
        self.as_ref().map_or(Ok(()), |of| of.each_key(visit))
    }

    fn each_key_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T::Key) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.as_mut().map_or(Ok(()), |of| of.each_key_mut(visit))
    }
}

impl<T: Keyed> Keyed for Box<T> {
    type Key = T::Key;

    fn each_key(&self, visit: Visit<'_, T::Key>) -> Result<(), Error> {
        (**self).each_key(visit)
    }

    fn each_key_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut T::Key) -> Result<(), Error>,
    ) -> Result<(), Error> {
        (**self).each_key_mut(visit)
    }
}
