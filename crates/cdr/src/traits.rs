//! The traits that `#[derive(Topic)]` and `#[derive(Data)]` implement.

use alloc::vec::Vec;

use crate::layout::{Layout, Member};
use crate::{Error, Extensibility, PlainLayout, Reader, Sink, Step, Writer};

/// A value that can be written as XCDR1 and XCDR2.
pub trait Serialize: Layout {
    /// Writes the value, without encapsulation header.
    ///
    /// # Errors
    /// Only for values that their own type forbids: [`Error::BoundExceeded`],
    /// [`Error::EmbeddedNul`], [`Error::TooLong`].
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error>;

    /// Writes the key members only; everything if there are none.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_key<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.serialize(w)
    }

    /// Writes the value as a member of a final or appendable type. Differs for optional members.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_member<S: Sink>(&self, _: Member, w: &mut Writer<S>) -> Result<(), Error> {
        self.serialize(w)
    }

    /// Writes a value that is known to be there, as mutable types do.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_present<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.serialize(w)
    }

    /// Writes the key of a value that is known to be there, as mutable types do.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_present_key<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.serialize_key(w)
    }

    /// Whether a mutable type has to write this member at all.
    #[inline]
    fn is_present(&self) -> bool {
        true
    }

    /// Writes the elements of a sequence.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_slice<S: Sink>(values: &[Self], w: &mut Writer<S>) -> Result<(), Error>
    where
        Self: Sized,
    {
        let mut values = values.iter().enumerate();
        values.try_for_each(|(index, value)| w.part(Step::Element(index), |w| value.serialize(w)))
    }

    /// Writes the elements of an array.
    ///
    /// # Errors
    /// As [`serialize`](Self::serialize).
    #[inline]
    fn serialize_array<S: Sink>(values: &[Self], w: &mut Writer<S>) -> Result<(), Error>
    where
        Self: Sized,
    {
        Self::serialize_slice(values, w)
    }
}

/// A value that can be read from XCDR1 and XCDR2.
pub trait Deserialize: Layout + Sized {
    /// Reads a value, without encapsulation header.
    ///
    /// # Errors
    /// Whatever is wrong with the data; never panics and never allocates more than the reader's
    /// length allows.
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error>;

    /// The value of a member that the sender does not have (DDS-XTypes 1.3 7.2.2.4.4.4.7): zero,
    /// empty, absent, the first enumerator.
    fn default_value() -> Self;

    /// Reads the key members; the others get their default value.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_key(r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize(r)
    }

    /// Reads a member of a final or appendable type. Differs for optional members.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_member(_: u32, r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize(r)
    }

    /// Reads a value that is known to be there, as in mutable types.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_present(r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize(r)
    }

    /// Reads the key of a value that is known to be there, as in mutable types.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_present_key(r: &mut Reader<'_>) -> Result<Self, Error> {
        Self::deserialize_key(r)
    }

    /// Reads the `count` elements of a sequence.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_vec(count: usize, r: &mut Reader<'_>) -> Result<Vec<Self>, Error> {
        r.elements::<Self>(count)
    }

    /// Reads the elements of an array into `values`.
    ///
    /// # Errors
    /// As [`deserialize`](Self::deserialize).
    #[inline]
    fn deserialize_array(values: &mut [Self], r: &mut Reader<'_>) -> Result<(), Error> {
        for value in values {
            *value = Self::deserialize(r)?;
        }
        Ok(())
    }
}

/// A type that a topic can have. Derive it.
///
/// A key member is not optional, whatever its type is called:
///
/// ```compile_fail
/// # use dunlin_derive::Topic;
/// type Ring = Option<u32>;
///
/// #[derive(Topic)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Bird {
///     #[key]
///     ring: Ring, // `u32`, and all is well
/// }
/// ```
///
/// A struct with a base begins with the members of the base:
///
/// ```
/// use dunlin_derive::{Data, Topic};
///
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Animal {
///     #[key]
///     ring: u32,
/// }
///
/// #[derive(Topic)]
/// #[topic(crate = "dunlin_cdr", base = "Animal")]
/// struct Bird {
///     #[key]
///     ring: u32,
///     wings: u8,
/// }
/// ```
///
/// ```compile_fail,E0080
/// # use dunlin_derive::{Data, Topic};
/// # #[derive(Data)]
/// # #[topic(crate = "dunlin_cdr")]
/// # struct Animal {
/// #     #[key]
/// #     ring: u32,
/// # }
/// #[derive(Topic)]
/// #[topic(crate = "dunlin_cdr", base = "Animal")]
/// struct Bird {
///     wings: u8,
///     #[key]
///     ring: u32, // it has to be the first
/// }
/// ```
///
/// The values of an enumeration fit its bits:
///
/// ```compile_fail,E0080
/// # use dunlin_derive::Data;
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr", bit_bound = 8)]
/// enum Kind {
///     Wren = 128, // 127 at most
/// }
/// ```
///
/// What is said of elements is said of a type that has some:
///
/// ```compile_fail,E0277
/// # use dunlin_derive::Data;
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Bird {
///     #[topic(element(bound = 3))]
///     name: String,
/// }
/// ```
pub trait Topic: Serialize + Deserialize + Send + Sync + 'static {
    /// The name by which the participants of a domain know the type.
    const TYPE_NAME: &'static str;
    /// How the type may grow.
    const EXTENSIBILITY: Extensibility;
    /// Reading a payload of `n` bytes allocates at most this times the larger of `n` and 65,536
    /// bytes, and fails with [`Error::OutOfProportion`] before it would be more. Only values with
    /// many optional members that are absent, with unions of very unequal cases or with many small
    /// maps come near; `#[topic(expansion = N)]` gives them more.
    const EXPANSION: usize = crate::layout::EXPANSION;
    /// If the type is plain (`#[topic(plain)]`), how its memory looks.
    const PLAIN: Option<PlainLayout> = None;
}
