//! Strings, sequences, arrays, optionals, boxes and maps.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::layout::{Member, array_key_end, number_end, repeated_key_end};
use crate::{
    Bounded, Deserialize, Error, Layout, Reader, Serialize, Sink, Step, Type, Writer, Xcdr,
};

impl Layout for String {
    const LENGTH_CODE: u32 = 5;
    const MIN_SIZE: usize = 5;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::String)
    }
}

impl Serialize for String {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        if self.as_bytes().contains(&0) {
            return Err(Error::EmbeddedNul);
        }
        w.put_length(self.len() + 1)?;
        w.put_slice(self.as_bytes());
        w.put([0]);
        Ok(())
    }
}

impl Deserialize for String {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let length = r.take_length()?;
        let Some((0, text)) = r.take_slice(length)?.split_last() else {
            return Err(Error::StringTermination);
        };
        if text.contains(&0) {
            return Err(Error::StringTermination);
        }
        let text = core::str::from_utf8(text).map_err(|_| Error::NotUtf8)?;
        r.charge(text.len())?;
        Ok(text.into())
    }

    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

impl Bounded for String {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn bounded_key_end(at: usize, bound: usize) -> Option<usize> {
        number_end(at, 4).checked_add(bound)?.checked_add(1)
    }

    fn truncate(&mut self, bound: usize) {
        let mut end = bound.min(self.len());
        while !self.is_char_boundary(end) {
            end -= 1;
        }
        self.truncate(end);
    }
}

impl<T: Layout> Layout for Vec<T> {
    const LENGTH_CODE: u32 = sequence_length_code::<T>();
    const MIN_SIZE: usize = 4;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::Sequence(T::describe))
    }
}

/// In mutable types, the number of elements or the DHEADER serves as length of the member where it
/// can.
const fn sequence_length_code<T: Layout>() -> u32 {
    match (T::PRIMITIVE, T::MIN_SIZE) {
        (false, _) | (true, 1) => 5,
        (true, 4) => 6,
        (true, 8) => 7,
        (true, _) => 4,
    }
}

impl<T: Serialize> Serialize for Vec<T> {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        let scope = w.begin_collection(T::PRIMITIVE);
        w.put_length(self.len())?;
        T::serialize_slice(self, w)?;
        w.end_collection(scope)
    }
}

impl<T: Deserialize> Deserialize for Vec<T> {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let scope = r.begin_collection(T::PRIMITIVE)?;
        let count = r.take_length()?;
        let values = T::deserialize_vec(count, r)?;
        r.end(scope);
        Ok(values)
    }

    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

impl<T: Layout> Bounded for Vec<T> {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.len()
    }

    fn bounded_key_end(at: usize, bound: usize) -> Option<usize> {
        let header = if T::PRIMITIVE { 4 } else { 8 };
        repeated_key_end::<T>(at.next_multiple_of(4) + header, bound)
    }

    fn truncate(&mut self, bound: usize) {
        self.truncate(bound);
    }
}

impl Layout for Bytes {
    const LENGTH_CODE: u32 = 5;
    const MIN_SIZE: usize = 4;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::Sequence(|| Some(Type::Octet)))
    }
}

/// A `Bytes` is an IDL `sequence<octet>`.
impl Serialize for Bytes {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        w.put_length(self.len())?;
        w.put_shared(self);
        Ok(())
    }
}

impl Deserialize for Bytes {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.take_bytes()
    }

    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

impl Bounded for Bytes {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.len()
    }

    fn bounded_key_end(at: usize, bound: usize) -> Option<usize> {
        number_end(at, 4).checked_add(bound)
    }

    fn truncate(&mut self, bound: usize) {
        self.truncate(bound);
    }
}

impl<T: Layout, const N: usize> Layout for [T; N] {
    const FLAT: bool = T::FLAT;
    const LENGTH_CODE: u32 = if T::FLAT { 4 } else { 5 };
    const MIN_SIZE: usize = T::MIN_SIZE.saturating_mul(N);
    const DEFAULT_HEAP: usize = T::DEFAULT_HEAP.saturating_mul(N);

    fn key_end(at: usize) -> Option<usize> {
        let header = if T::FLAT { at } else { number_end(at, 4) };
        array_key_end::<T>(header, N)
    }

    fn row_key_end(at: usize) -> Option<usize> {
        array_key_end::<T>(at, N)
    }

    fn describe() -> Option<Type> {
        Some(Type::Array(T::describe, N))
    }
}

impl<T: Serialize, const N: usize> Serialize for [T; N] {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        let scope = w.begin_collection(T::FLAT);
        T::serialize_array(self, w)?;
        w.end_collection(scope)
    }

    /// The inner dimensions of an array have no delimiters of their own.
    #[inline]
    fn serialize_array<S: Sink>(values: &[Self], w: &mut Writer<S>) -> Result<(), Error> {
        let mut rows = values.iter().enumerate();
        rows.try_for_each(|(index, row)| {
            w.part(Step::Element(index), |w| T::serialize_array(row, w))
        })
    }
}

impl<T: Deserialize, const N: usize> Deserialize for [T; N] {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let scope = r.begin_collection(T::FLAT)?;
        let mut values = Self::default_value();
        T::deserialize_array(&mut values, r)?;
        r.end(scope);
        Ok(values)
    }

    #[inline]
    fn default_value() -> Self {
        core::array::from_fn(|_| T::default_value())
    }

    #[inline]
    fn deserialize_array(values: &mut [Self], r: &mut Reader<'_>) -> Result<(), Error> {
        values
            .iter_mut()
            .try_for_each(|row| T::deserialize_array(row, r))
    }
}

impl<T: Layout> Layout for Option<T> {
    const OPTIONAL: bool = true;
    const LENGTH_CODE: u32 = T::LENGTH_CODE;
    const MIN_SIZE: usize = 1;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::Optional(T::describe))
    }
}

/// An `Option` is an IDL `@optional` member. Elsewhere, where IDL has no optionals, it is written
/// as if it were the member with id 0.
impl<T: Serialize> Serialize for Option<T> {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        let member = Member {
            id: 0,
            must_understand: false,
        };
        self.serialize_member(member, w)
    }

    #[inline]
    fn serialize_member<S: Sink>(&self, member: Member, w: &mut Writer<S>) -> Result<(), Error> {
        match w.xcdr() {
            Xcdr::V1 => w.parameter(member, |w| self.serialize_present(w)),
            Xcdr::V2 => {
                w.put([u8::from(self.is_some())]);
                self.serialize_present(w)
            }
        }
    }

    #[inline]
    fn serialize_present<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        match self {
            Some(value) => value.serialize(w),
            None => Ok(()),
        }
    }

    #[inline]
    fn serialize_present_key<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.serialize_present(w)
    }

    #[inline]
    fn is_present(&self) -> bool {
        self.is_some()
    }
}

impl<T: Deserialize> Deserialize for Option<T> {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize_member(0, r)
    }

    #[inline]
    fn deserialize_member(id: u32, r: &mut Reader<'_>) -> Result<Self, Error> {
        match r.xcdr() {
            Xcdr::V1 => r.optional_parameter(id),
            Xcdr::V2 if bool::deserialize(r)? => Self::deserialize_present(r),
            Xcdr::V2 => Ok(None),
        }
    }

    #[inline]
    fn deserialize_present(r: &mut Reader<'_>) -> Result<Self, Error> {
        T::deserialize(r).map(Some)
    }

    #[inline]
    fn deserialize_present_key(r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize_present(r)
    }

    #[inline]
    fn default_value() -> Self {
        None
    }
}

impl<T: Bounded> Bounded for Option<T> {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.as_ref().map_or(0, T::bounded_len)
    }

    fn bounded_key_end(_: usize, _: usize) -> Option<usize> {
        None
    }

    fn truncate(&mut self, bound: usize) {
        if let Some(value) = self {
            value.truncate(bound);
        }
    }
}

impl<T: Layout> Layout for Box<T> {
    const OPTIONAL: bool = T::OPTIONAL;
    const PRIMITIVE: bool = T::PRIMITIVE;
    const FLAT: bool = T::FLAT;
    const LENGTH_CODE: u32 = T::LENGTH_CODE;
    const MIN_SIZE: usize = T::MIN_SIZE;
    const HAS_KEY: bool = T::HAS_KEY;
    const DEFAULT_HEAP: usize = size_of::<T>().saturating_add(T::DEFAULT_HEAP);

    fn key_end(at: usize) -> Option<usize> {
        T::key_end(at)
    }

    fn whole_end(at: usize) -> Option<usize> {
        T::whole_end(at)
    }

    fn row_key_end(at: usize) -> Option<usize> {
        T::row_key_end(at)
    }

    fn describe() -> Option<Type> {
        T::describe()
    }
}

impl<T: Serialize> Serialize for Box<T> {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        (**self).serialize(w)
    }

    #[inline]
    fn serialize_key<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        (**self).serialize_key(w)
    }
}

impl<T: Deserialize> Deserialize for Box<T> {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.charge(size_of::<T>())?;
        r.nested(T::deserialize).map(Self::new)
    }

    #[inline]
    fn deserialize_key(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.charge(size_of::<T>())?;
        r.nested(T::deserialize_key).map(Self::new)
    }

    #[inline]
    fn default_value() -> Self {
        Self::new(T::default_value())
    }
}

impl<T: Bounded> Bounded for Box<T> {
    #[inline]
    fn bounded_len(&self) -> usize {
        (**self).bounded_len()
    }

    fn bounded_key_end(at: usize, bound: usize) -> Option<usize> {
        T::bounded_key_end(at, bound)
    }

    fn truncate(&mut self, bound: usize) {
        (**self).truncate(bound);
    }
}

impl<K: Layout, V: Layout> Layout for BTreeMap<K, V> {
    const LENGTH_CODE: u32 = if K::PRIMITIVE && V::PRIMITIVE { 4 } else { 5 };
    const MIN_SIZE: usize = 4;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::Map(K::describe, V::describe))
    }
}

impl<K: Serialize, V: Serialize> Serialize for BTreeMap<K, V> {
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        let scope = w.begin_collection(K::PRIMITIVE && V::PRIMITIVE);
        w.put_length(self.len())?;
        for (index, (key, value)) in self.iter().enumerate() {
            w.part(Step::Key(index), |w| key.serialize(w))?;
            w.part(Step::Value(index), |w| value.serialize(w))?;
        }
        w.end_collection(scope)
    }
}

impl<K: Deserialize + Ord, V: Deserialize> Deserialize for BTreeMap<K, V> {
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let scope = r.begin_collection(K::PRIMITIVE && V::PRIMITIVE)?;
        let count = r.take_length()?;
        r.check_count(count, K::MIN_SIZE.saturating_add(V::MIN_SIZE))?;
        r.charge(map_size::<(K, V)>(count))?;
        let map = r.nested(|r| {
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                entries.push((K::deserialize(r)?, V::deserialize(r)?));
            }
            Ok(entries.into_iter().collect())
        })?;
        r.end(scope);
        Ok(map)
    }

    fn default_value() -> Self {
        Self::new()
    }
}

/// What a map needs at most while it is made: the list of its entries, as much again to sort them,
/// and nodes of eleven entries with up to twelve children, none of which is empty.
fn map_size<T>(count: usize) -> usize {
    const NODE_HEAD: usize = 16;
    const CHILDREN: usize = 12 * size_of::<usize>();
    let lists = count.saturating_mul(2).saturating_mul(size_of::<T>());
    let nodes = count.div_ceil(6);
    let node = size_of::<T>().saturating_mul(11) + NODE_HEAD + CHILDREN;
    lists.saturating_add(nodes.saturating_mul(node))
}

impl<K: Layout + Ord, V: Layout> Bounded for BTreeMap<K, V> {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.len()
    }

    fn bounded_key_end(_: usize, _: usize) -> Option<usize> {
        None
    }

    /// Those with the least keys stay.
    fn truncate(&mut self, bound: usize) {
        while self.len() > bound {
            self.pop_last();
        }
    }
}
