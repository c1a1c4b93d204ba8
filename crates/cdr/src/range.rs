//! Numbers that have a range.

use alloc::boxed::Box;
use core::fmt;

use crate::{Annotated, Char8, Char16, Error, Float128};

/// How the bits of a number are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// An integer with a sign.
    Signed,
    /// An integer without a sign, or a character.
    Unsigned,
    /// A `float` or `double`: the bits of a `double`.
    Real,
}

/// The range of a member, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRange {
    /// What the numbers are.
    pub kind: NumberKind,
    /// `min`, as it is written.
    pub min: Option<&'static str>,
    /// `max`, as it is written.
    pub max: Option<&'static str>,
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (Some(min), Some(max)) => write!(f, "{min} to {max}"),
            (Some(min), None) => write!(f, "{min} and above"),
            (None, Some(max)) => write!(f, "{max} and below"),
            (None, None) => f.write_str("of all numbers"),
        }
    }
}

/// The bits of a number, shown as what they are.
struct Shown(u64, NumberKind);

/// A number that is out of a range, for messages.
pub(crate) fn shown(value: &u64, range: &&ValueRange) -> impl fmt::Display {
    Shown(*value, range.kind)
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            NumberKind::Signed => write!(f, "{}", self.0 as i64),
            NumberKind::Unsigned => write!(f, "{}", self.0),
            NumberKind::Real => write!(f, "{:?}", f64::from_bits(self.0)),
        }
    }
}

/// A type of members whose `min` and `max` are checked where `range_checks` says so.
///
/// ```
/// use dunlin_cdr::{Deserialize, Xcdr, to_payload};
/// use dunlin_derive::Topic;
///
/// #[derive(Topic)]
/// #[topic(crate = "dunlin_cdr", range_checks)]
/// struct Pump {
///     #[topic(min = 0.0, max = 16.0, unit = "bar")]
///     pressure: f32,
/// }
///
/// let burst = Pump { pressure: 17.5 };
/// let error = to_payload(&burst, Xcdr::V2, &mut bytes::BytesMut::new()).unwrap_err();
/// assert_eq!(error.to_string(), "17.5 is outside of the range 0.0 to 16.0");
/// ```
#[diagnostic::on_unimplemented(
    message = "the range of a member of type `{Self}` cannot be checked",
    note = "numbers, characters and enumerations have an order"
)]
pub trait Ranged: Annotated {
    /// What the numbers are.
    const KIND: NumberKind;

    /// The bits of the number if it is not between these; NaN never is.
    fn outside(&self, min: Option<Self::Value>, max: Option<Self::Value>) -> Option<u64>;
}

/// Refuses a number that is out of its range.
///
/// # Errors
/// [`Error::OutOfRange`].
#[inline]
pub fn check_range<T: Ranged>(
    value: &T,
    min: Option<T::Value>,
    max: Option<T::Value>,
    range: &'static ValueRange,
) -> Result<(), Error> {
    match value.outside(min, max) {
        None => Ok(()),
        Some(value) => Err(Error::OutOfRange { value, range }),
    }
}

macro_rules! ranged {
    ($($type:ty: $kind:ident, |$value:ident| $bits:expr;)*) => {$(
        impl Ranged for $type {
            const KIND: NumberKind = NumberKind::$kind;

            #[inline]
            fn outside(&self, min: Option<Self>, max: Option<Self>) -> Option<u64> {
                let is_in = min.is_none_or(|min| *self >= min) && max.is_none_or(|max| *self <= max);
                let $value = *self;
                (!is_in).then(|| $bits)
            }
        }
    )*};
}

ranged! {
    u8: Unsigned, |value| value.into();
    i8: Signed, |value| i64::from(value) as u64;
    u16: Unsigned, |value| value.into();
    i16: Signed, |value| i64::from(value) as u64;
    u32: Unsigned, |value| value.into();
    i32: Signed, |value| i64::from(value) as u64;
    u64: Unsigned, |value| value;
    i64: Signed, |value| value as u64;
    f32: Real, |value| f64::from(value).to_bits();
    f64: Real, |value| value.to_bits();
    Char8: Unsigned, |value| value.0.into();
    Char16: Unsigned, |value| value.0.into();
}

/// The range of a `long double` is announced, and not checked.
impl Ranged for Float128 {
    const KIND: NumberKind = NumberKind::Real;

    #[inline]
    fn outside(&self, _: Option<Self>, _: Option<Self>) -> Option<u64> {
        None
    }
}

impl<T: Ranged> Ranged for Box<T> {
    const KIND: NumberKind = T::KIND;

    #[inline]
    fn outside(&self, min: Option<T::Value>, max: Option<T::Value>) -> Option<u64> {
        (**self).outside(min, max)
    }
}

/// What is absent is not out of its range.
impl<T: Ranged> Ranged for Option<T> {
    const KIND: NumberKind = T::KIND;

    #[inline]
    fn outside(&self, min: Option<T::Value>, max: Option<T::Value>) -> Option<u64> {
        self.as_ref().and_then(|value| value.outside(min, max))
    }
}
