//! Values in annotations: `@default`, `@min`, `@max`.

use alloc::boxed::Box;
use alloc::string::String;

use crate::{Char8, Char16, Float128, String16};

/// A value in an annotation: `@default`, `@min`, `@max`.
#[derive(Clone, Debug)]
pub enum Constant {
    /// A boolean.
    Boolean(bool),
    /// An integer or octet, the value of an enumeration's literal, the bits of a bitmask.
    Integer(i128),
    /// A `float` or `double`.
    Float(f64),
    /// A `long double`: IEEE 754 binary128, little endian.
    Float128([u8; 16]),
    /// A `char`.
    Char8(u8),
    /// A `wchar`: a UTF-16 unit.
    Char16(u16),
    /// A `string`.
    String8(Box<str>),
    /// A `wstring`.
    String16(Box<str>),
}

/// Floating point numbers are equal if they have the same bits.
impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits(),
            (Self::Float128(one), Self::Float128(other)) => one == other,
            (Self::Char8(one), Self::Char8(other)) => one == other,
            (Self::Char16(one), Self::Char16(other)) => one == other,
            (Self::String8(one), Self::String8(other)) => one == other,
            (Self::String16(one), Self::String16(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Constant {}

/// A type of members that may have `default`, `min` and `max`.
///
/// ```
/// use dunlin_cdr::Deserialize;
/// use dunlin_derive::Data;
///
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Pump {
///     #[topic(default = "main", max = "zzzz")]
///     name: String,
///     #[topic(default = 1.5, min = 0.0, unit = "bar")]
///     pressure: f32,
/// }
///
/// assert_eq!(Pump::default_value().pressure, 1.5);
/// ```
///
/// ```compile_fail,E0277
/// # use dunlin_derive::Data;
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Pump {
///     #[topic(default = vec![1.5])]
///     pressures: Vec<f32>, // the default of a sequence is that it is empty
/// }
/// ```
///
/// Text as default is a literal, so that it is known how much memory it takes:
///
/// ```compile_fail,E0080
/// # use dunlin_derive::Data;
/// const NAME: &str = "main";
///
/// #[derive(Data)]
/// #[topic(crate = "dunlin_cdr")]
/// struct Pump {
///     #[topic(default = NAME)]
///     name: String,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` cannot have `default`, `min` or `max`",
    note = "in IDL, numbers, characters, strings, enumerations and bitmasks have them"
)]
pub trait Annotated: Sized {
    /// As what the value is given: for a string, `&'static str`.
    type Value;
    /// Whether values have memory of their own.
    const ON_HEAP: bool = false;

    /// The value of a member.
    fn of(value: Self::Value) -> Self;

    /// The value in an annotation.
    fn constant(value: Self::Value) -> Constant;
}

macro_rules! annotated {
    ($($type:ty: |$value:ident| $constant:expr;)*) => {$(
        impl Annotated for $type {
            type Value = Self;

            #[inline]
            fn of(value: Self) -> Self {
                value
            }

            fn constant($value: Self) -> Constant {
                $constant
            }
        }
    )*};
}

annotated! {
    bool: |value| Constant::Boolean(value);
    u8: |value| Constant::Integer(value.into());
    i8: |value| Constant::Integer(value.into());
    u16: |value| Constant::Integer(value.into());
    i16: |value| Constant::Integer(value.into());
    u32: |value| Constant::Integer(value.into());
    i32: |value| Constant::Integer(value.into());
    u64: |value| Constant::Integer(value.into());
    i64: |value| Constant::Integer(value.into());
    f32: |value| Constant::Float(value.into());
    f64: |value| Constant::Float(value);
    Float128: |value| Constant::Float128(value.to_le_bytes());
    Char8: |value| Constant::Char8(value.0);
    Char16: |value| Constant::Char16(value.0);
}

impl Annotated for String {
    type Value = &'static str;
    const ON_HEAP: bool = true;

    fn of(value: &'static str) -> Self {
        value.into()
    }

    fn constant(value: &'static str) -> Constant {
        Constant::String8(value.into())
    }
}

impl Annotated for String16 {
    type Value = &'static str;
    const ON_HEAP: bool = true;

    fn of(value: &'static str) -> Self {
        value.into()
    }

    fn constant(value: &'static str) -> Constant {
        Constant::String16(value.into())
    }
}

impl<T: Annotated> Annotated for Box<T> {
    type Value = T::Value;
    const ON_HEAP: bool = T::ON_HEAP;

    fn of(value: T::Value) -> Self {
        Self::new(T::of(value))
    }

    fn constant(value: T::Value) -> Constant {
        T::constant(value)
    }
}

/// For `min` and `max`: absent, an optional has no value that could be out of range.
impl<T: Annotated> Annotated for Option<T> {
    type Value = T::Value;
    const ON_HEAP: bool = T::ON_HEAP;

    fn of(value: T::Value) -> Self {
        Some(T::of(value))
    }

    fn constant(value: T::Value) -> Constant {
        T::constant(value)
    }
}
