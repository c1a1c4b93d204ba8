//! What can be wrong with a value or with a payload.

use crate::ValueRange;
use crate::range::shown;

/// Why a value could not be written, or a payload not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The payload, or the delimited part of it being read, ends before the value does.
    #[error("the data ends early: {wanted} bytes wanted, {left} left")]
    Truncated {
        /// Bytes that the value needs.
        wanted: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// The encapsulation header names a representation that is not XCDR1 or XCDR2.
    #[error("representation {0:#06x} is neither XCDR1 nor XCDR2")]
    UnknownRepresentation(u16),
    /// The encapsulation header says that the type is mutable and the reader's is not, or the
    /// reverse.
    #[error("representation {0:#06x} does not suit the extensibility of the type")]
    WrongExtensibility(u16),
    /// The options of the encapsulation header claim more padding than there is data.
    #[error("the padding is longer than the data")]
    Padding,
    /// A boolean is neither 0 nor 1.
    #[error("{0} is not a boolean")]
    InvalidBool(u8),
    /// An enumerated type has no enumerator of this value.
    #[error("{0} is not an enumerator of the type")]
    UnknownEnumerator(i32),
    /// A union selects a case that the type does not have.
    #[error("the discriminator selects no case of the union")]
    UnknownCase,
    /// A string on the wire lacks the final NUL, or has one before the end.
    #[error("a string is not terminated by its only NUL")]
    StringTermination,
    /// A string to be written contains a NUL, which CDR cannot carry.
    #[error("a string with a NUL inside cannot be written")]
    EmbeddedNul,
    /// A string on the wire is not UTF-8.
    #[error("a string is not UTF-8")]
    NotUtf8,
    /// A wide string on the wire is not UTF-16.
    #[error("a wide string is not UTF-16")]
    NotUtf16,
    /// A bitmask has a bit that the type has no name for.
    #[error("bits {bits:#x} are none of the bitmask, which has {mask:#x}")]
    UnknownBits {
        /// What was found.
        bits: u64,
        /// The bits of the type.
        mask: u64,
    },
    /// A union to be written has a discriminator that selects another case.
    #[error("the discriminator {0} selects another case of the union")]
    WrongDiscriminator(i64),
    /// A string or sequence is longer than its type allows.
    #[error("its length is {length}, at most {bound} is allowed")]
    BoundExceeded {
        /// The number of elements (for a string: bytes) found.
        length: usize,
        /// The number allowed.
        bound: usize,
    },
    /// A number is not between `min` and `max` of its member, which `range_checks` checks.
    #[error("{} is outside of the range {range}", shown(.value, .range))]
    OutOfRange {
        /// The bits of the number.
        value: u64,
        /// What is allowed.
        range: &'static ValueRange,
    },
    /// There is more behind a value than padding.
    #[error("{0} bytes are left behind the value, at most 3 are padding")]
    TrailingBytes(usize),
    /// A length does not fit the 32 bits that CDR has for it.
    #[error("{0} is more than CDR can count")]
    TooLong(usize),
    /// A member that the sender marked as must-understand is unknown to the type.
    #[error("member {0} must be understood and is unknown")]
    MustUnderstand(u32),
    /// The header of a mutable or optional member contradicts itself or its surroundings.
    #[error("a member header is malformed")]
    MemberHeader,
    /// The value would take too much memory for a payload of this length: see
    /// [`Topic::EXPANSION`](crate::Topic::EXPANSION).
    #[error(
        "the value is out of proportion: {wanted} more bytes of memory, {left} left for a payload of its length"
    )]
    OutOfProportion {
        /// Bytes that the next part of the value takes in memory.
        wanted: usize,
        /// Bytes that may still be allocated.
        left: usize,
    },
    /// More values would have to be passed over than the caller allows.
    #[error("more values are to be passed over than are allowed")]
    TooManySteps,
    /// Values are nested more than [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
    #[error("values are nested too deep")]
    TooDeep,
    /// The memory of the type is not what the encoding has.
    #[error("the type's memory is not its encoding")]
    NotPlain,
    /// The encoding of a part of the type was written by hand, and nothing is known about it.
    #[error("a part of the type has no description")]
    Undescribed,
    /// The payload has no octet sequence where one was left out.
    #[error("no octet sequence is where one was left out")]
    NotApart,
}
