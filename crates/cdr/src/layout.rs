//! What is known of a type's bytes before there is a value.

use crate::{Error, MemberDescriptor, Serialize, Sink, Type, Writer};

/// How deep values may nest through `Vec`, `Box` and maps before reading gives up.
pub const MAX_DEPTH: u8 = 64;

/// A payload may take so many times its own length in memory when it is read, unless its type says
/// otherwise.
pub(crate) const EXPANSION: usize = 16;
/// Shorter payloads may take as much memory as one of this length, the longest that a datagram can
/// bring.
pub(crate) const FULL_DATAGRAM: usize = 1 << 16;

/// Largest member id that fits the short header of a parameter (DDS-XTypes 1.3 7.4.1.2).
pub(crate) const MAX_SHORT_ID: u16 = 0x3f00;
/// Announces a long parameter header.
pub(crate) const PID_EXTENDED: u16 = 0x3f01;
/// Ends a parameter list.
pub(crate) const PID_SENTINEL: u16 = 0x3f02;
/// A parameter to be skipped.
pub(crate) const PID_IGNORE: u16 = 0x3f03;
/// The bits of a parameter id that name it.
pub(crate) const PID_MASK: u16 = 0x3fff;
/// The bit that says: refuse the sample if you do not know this.
pub(crate) const PID_MUST_UNDERSTAND: u16 = 0x4000;
/// The same bit in a long parameter header.
pub(crate) const LONG_MUST_UNDERSTAND: u32 = 0x4000_0000;
/// The bits of a long header that are the member id.
pub(crate) const MEMBER_ID_MASK: u32 = 0x0fff_ffff;

/// The label of a member of a struct or union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Member id, 28 bits.
    pub id: u32,
    /// Whether a reader that does not know the member has to refuse the sample. Always so for keys.
    pub must_understand: bool,
}

impl Member {
    /// The id as a short parameter header has it.
    #[inline]
    pub(crate) fn short_id(self) -> u16 {
        let flag = if self.must_understand {
            PID_MUST_UNDERSTAND
        } else {
            0
        };
        flag | (self.id & u32::from(PID_MASK)) as u16
    }

    /// The id as a long parameter header has it.
    #[inline]
    pub(crate) fn long_id(self) -> u32 {
        let flag = if self.must_understand {
            LONG_MUST_UNDERSTAND
        } else {
            0
        };
        flag | (self.id & MEMBER_ID_MASK)
    }
}

/// What both directions know of a type. Derived together with [`Serialize`](crate::Serialize).
pub trait Layout {
    /// Whether the type is primitive in the sense of DDS-XTypes 1.3 7.2.2.2: sequences of it have
    /// no DHEADER and are copied in one piece.
    const PRIMITIVE: bool = false;
    /// The same for an array of it. Differs for arrays, because `[[f64; 3]; 4]` is one array with
    /// two dimensions.
    const FLAT: bool = Self::PRIMITIVE;
    /// The length code of a mutable XCDR2 member of this type (DDS-XTypes 1.3 7.4.3.4.2).
    const LENGTH_CODE: u32 = 4;
    /// The fewest bytes that a value takes in any representation. Bounds what a length on the wire
    /// may reserve.
    const MIN_SIZE: usize;
    /// Whether a value may be absent: then it is no key.
    const OPTIONAL: bool = false;
    /// Whether some members are marked as key.
    const HAS_KEY: bool = false;
    /// Bytes of memory that a default value has behind boxes.
    const DEFAULT_HEAP: usize = 0;
    /// The members of a struct, those of its base first.
    const MEMBERS: &'static [MemberDescriptor] = &[];

    /// Where the key of a value ends at most, in bytes of plain XCDR2, when it begins at `at`;
    /// `None` if it has no bound. Once past 16 the result may be too small, but stays past 16.
    fn key_end(at: usize) -> Option<usize>;

    /// The same for a value all of which is in the key: an element of a collection, of which key
    /// members do not count. Members are in the order of their declaration.
    #[inline]
    fn whole_end(at: usize) -> Option<usize> {
        Self::key_end(at)
    }

    /// The same for a value that is a row of an array with several dimensions: inner dimensions
    /// have no delimiters of their own.
    #[inline]
    fn row_key_end(at: usize) -> Option<usize> {
        Self::whole_end(at)
    }

    /// What the type is; `None` if that is not known, and then nobody can look into its samples
    /// without reading them.
    fn describe() -> Option<Type> {
        None
    }
}

/// A type that `#[topic(bound = N)]` can limit.
pub trait Bounded {
    /// What the bound counts: the bytes of a string (without NUL), the elements of a sequence.
    fn bounded_len(&self) -> usize;
    /// [`Layout::key_end`] of such a value.
    fn bounded_key_end(at: usize, bound: usize) -> Option<usize>;
    /// Leaves the first `bound` of what the bound counts; fewer, if text would be cut within a
    /// character.
    fn truncate(&mut self, bound: usize);
}

#[inline]
pub(crate) fn check_bound(length: usize, bound: usize) -> Result<(), Error> {
    if length <= bound {
        Ok(())
    } else {
        Err(Error::BoundExceeded { length, bound })
    }
}

/// Where a number of `size` bytes ends in XCDR2 when the one before ended at `at`.
#[inline]
pub(crate) fn number_end(at: usize, size: usize) -> usize {
    at.next_multiple_of(size.min(4)) + size
}

/// Where `count` values of `T` end. Stops counting when a key hash would no longer care.
#[inline]
pub(crate) fn repeated_key_end<T: Layout>(at: usize, count: usize) -> Option<usize> {
    repeated(at, count, T::whole_end)
}

/// As [`repeated_key_end`] for the elements of an array.
#[inline]
pub(crate) fn array_key_end<T: Layout>(at: usize, count: usize) -> Option<usize> {
    repeated(at, count, T::row_key_end)
}

#[inline]
pub(crate) fn repeated(
    at: usize,
    count: usize,
    key_end: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let mut end = at;
    for _ in 0..count {
        end = key_end(end)?;
        if end > crate::KEY_HASH_SIZE || end == at {
            break;
        }
    }
    Some(end)
}

/// The key part of a value, as a value.
pub(crate) struct Key<'a, T>(pub(crate) &'a T);

impl<T: Layout> Layout for Key<'_, T> {
    const LENGTH_CODE: u32 = T::LENGTH_CODE;
    const MIN_SIZE: usize = 0;

    fn key_end(at: usize) -> Option<usize> {
        T::key_end(at)
    }
}

impl<T: Serialize> Serialize for Key<'_, T> {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.0.serialize_key(w)
    }

    #[inline]
    fn serialize_present<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        self.0.serialize_present_key(w)
    }

    #[inline]
    fn is_present(&self) -> bool {
        self.0.is_present()
    }
}
