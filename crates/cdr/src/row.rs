//! Arrays of arrays that have a name of their own.

use core::ops::{Deref, DerefMut};

use crate::{Collection, Deserialize, Error, Layout, Reader, Serialize, Sink, Step, Type, Writer};

/// An array that is the element of an array by a `typedef`.
///
/// IDL tells apart `long a[2][3]`, one array of two dimensions, and an array of arrays:
///
/// ```
/// use dunlin_cdr::Row;
/// use dunlin_derive::Topic;
///
/// #[derive(Topic)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Matrices {
///     /// `long one[2][3];`
///     one: [[i32; 3]; 2],
///     /// `typedef long Line[3];` and `Line other[2];`
///     #[topic(element(alias = "Line"))]
///     other: [Row<[i32; 3]>; 2],
/// }
/// ```
///
/// In XCDR2 the second has a length in front, for its elements are not primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Row<T>(pub T);

impl<T> Deref for Row<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Row<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Row<T> {
    fn from(array: T) -> Self {
        Self(array)
    }
}

impl<T: Layout> Layout for Row<T> {
    const LENGTH_CODE: u32 = T::LENGTH_CODE;
    const MIN_SIZE: usize = T::MIN_SIZE;
    const DEFAULT_HEAP: usize = T::DEFAULT_HEAP;

    fn key_end(at: usize) -> Option<usize> {
        T::key_end(at)
    }

    fn whole_end(at: usize) -> Option<usize> {
        T::whole_end(at)
    }

    fn describe() -> Option<Type> {
        Some(Type::Row(T::describe))
    }
}

impl<T: Serialize> Serialize for Row<T> {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.0.serialize(w)
    }
}

impl<T: Deserialize> Deserialize for Row<T> {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        T::deserialize(r).map(Self)
    }

    #[inline]
    fn default_value() -> Self {
        Self(T::default_value())
    }
}

impl<T: Collection> Collection for Row<T> {
    type Element = T::Element;
    const IS_ARRAY: bool = T::IS_ARRAY;

    fn each(
        &self,
        visit: &mut dyn FnMut(Step, &Self::Element) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.0.each(visit)
    }

    fn each_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Self::Element) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.0.each_mut(visit)
    }

    fn key_end_with(
        at: usize,
        bound: Option<usize>,
        end: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        T::key_end_with(at, bound, end)
    }
}
